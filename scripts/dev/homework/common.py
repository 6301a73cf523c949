"""What all parts of scripts/assignment use: the sheets' folder, errors, checks, and files of submissions."""
import itertools
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
SHEETS = ROOT / "corpora" / "assignments"
SOURCE = ROOT / "src" / "paper" / "rnnsearch.c"
COMPILER = next(filter(None, map(shutil.which, ("gcc", "clang", "cc"))), "cc")
MOST_OUTPUT = 1 << 20
QUICK, LONG = 2, 60  # seconds of processor time: some fifty times what a right solution takes


class Refusal(Exception):
    """What the user has to put right; the exit code."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


class Missing(Refusal):
    """What a student has to put right: a file that cannot be graded."""

    def __init__(self, message):
        super().__init__(message, 4)


class Check(NamedTuple):
    name: str
    points: int
    of: int
    reason: str = ""


def source_of(name):
    """The file whose solutions an assignment leaves out, and which is its answer."""
    return SOURCE.with_name("transformer.c") if name == "heads" else SOURCE


def read(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refusal(f"cannot read {path}: {getattr(error, 'strerror', None) or error}", 3) from None


def printable(text, most=1000):
    """What a student wrote, or made others write, for a terminal and for a page."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text[:most])
    return shown + "..." * (len(text) > most)


def rows(name, table):
    """The rows of a table of an assignment, without its first line."""
    return [line.split("\t") for line in read(SHEETS / name / table).splitlines()[1:]]


def is_plain(path):
    return path.is_file() and not path.is_symlink()


def files_below(folder):
    """The names of plain files, of at most a thousand and not too deep."""
    walked = itertools.takewhile(lambda found: len(Path(found[0]).parts) < 200, os.walk(folder))
    found = itertools.islice((Path(top) / name for top, _, names in walked for name in names), 1000)
    return [path.relative_to(folder) for path in found if is_plain(path)]


def handed_in(folder, file):
    """The bytes of a submission's file: a plain one of at most a megabyte, where no folder is a link to elsewhere."""
    path = folder / file
    if not folder.is_dir():
        raise Missing(f"there is no folder {folder}")
    if not is_plain(path) or path.resolve() != folder.resolve() / file:
        stem = path.stem.lower()
        like = next((each for each in files_below(folder) if each.name.lower().startswith(stem)), None)
        raise Missing(f"{folder} has no file {file}" + (f", but {like}: rename or move it" if like else ""))
    if path.stat().st_size > MOST_OUTPUT:
        raise Missing(f"{path} is larger than 1 MiB")
    try:
        return path.read_bytes()
    except OSError as error:
        raise Missing(f"{path} cannot be read: {error.strerror}") from None


def submitted(folder, file):
    """The text of a submission's file, with the ends of lines of Unix and without a mark of the byte order."""
    data = handed_in(folder, file)
    if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Missing(f"{folder / file} is no text in UTF-8, but perhaps in UTF-16: save it as UTF-8")
    return re.sub("\r\n?", "\n", data.decode("utf-8-sig", "replace"))
