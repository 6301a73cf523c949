"""What the tests of the Python module share."""
import html.parser
import json
import os
import subprocess
import unittest

from softalign import Error

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
try:
    import torch
except ImportError:
    torch = None

COMMAND = os.environ["SOFTALIGN_COMMAND"]
SMALL = dict(embed=8, hidden=8, attn=8, maxout=4, max_time=0, threads=1, shards=1)
OPTIONS = [word for name, value in SMALL.items() for word in ("--" + name.replace("_", "-"), str(value))]


def command(*arguments, given=""):
    if not COMMAND:
        raise unittest.SkipTest("there is no command to compare with")
    return subprocess.run([COMMAND, *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=True).stdout


def read(path, mode="rb"):
    with open(path, mode) as file:
        return file.read()


def flat(array):
    if numpy:
        return array.ravel().tolist()
    return [x for row in array for x in flat(row)] if isinstance(array, list) else [array]


class Case(unittest.TestCase):
    def fails(self, code, text, act, *arguments, **options):
        with self.assertRaises(Error) as caught:
            act(*arguments, **options)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(text, str(caught.exception))


class Frame:
    """The part of polars.DataFrame that tells its columns, and gives one."""

    def __init__(self, rows):
        self.rows, self.columns = rows, list(rows[0])

    def __getitem__(self, name):
        return [row[name] for row in self.rows]


class Page(html.parser.HTMLParser):
    """Its tags, the pages in its frames, its scripts and its data."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.pages, self.scripts, self.inside = [], [], [], False
        self.feed(text)
        self.data = json.loads(self.scripts[0]) if self.scripts else None

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")
        if tag == "iframe":
            given = dict(attributes)
            assert given["sandbox"] == "allow-scripts allow-downloads" and "id" not in given
            self.pages.append(given["srcdoc"])

    def handle_data(self, text):
        if self.inside:
            self.scripts[-1] += text

    def handle_endtag(self, tag):
        self.inside = False
