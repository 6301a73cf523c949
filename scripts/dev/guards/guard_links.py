#!/usr/bin/env python3
"""Every relative link in a Markdown file leads to a file of the tree, every anchor to a heading, and every path that a
text names exists or is made by a patch in it; README.md has at most 170 lines of at most 100 characters."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from c_source import finish

PATH = re.compile(r'(?:^|[ (`/"])((?:src|include|tests|scripts|corpora)/[A-Za-z0-9_./*-]+)')
violations = []


def outside_code(path):
    """(number, line) of each line outside blocks of code."""
    fenced = False
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    """Those of a file's headings: lower case, spaces as dashes, without punctuation."""
    titles = [line.lstrip("#").strip() for _, line in outside_code(path) if re.match("#+ ", line)]
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-").lower() for title in titles}


def check_links(path):
    for number, line in outside_code(path):
        for target in re.findall(r"\]\(([^()]*)\)", re.sub("`[^`]*`", "", line)):
            name, _, anchor = target.partition("#")
            to = path.parent / name if name else path
            if re.match("https?:|mailto:", target):
                continue
            if not to.exists():
                violations.append(f"{path}:{number}: there is no {name}")
            elif anchor and anchor not in anchors(to):
                violations.append(f"{path}:{number}: {to} has no heading #{anchor}")


def check_paths(path):
    text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), 1):
        for name in (found.rstrip(".-") for found in PATH.findall(line)):
            if "*" not in name and not Path(name).exists() and f"--- /dev/null\n+++ b/{name}\n" not in text:
                violations.append(f"{path}:{number}: there is no {name}")


for markdown in sorted(Path().rglob("*.md")):
    if markdown.parts[0] not in ("build", ".git"):
        check_links(markdown)
        check_paths(markdown)
readme = Path("README.md").read_text(encoding="utf-8").splitlines()
violations += [f"README.md:{number}: {len(line)} characters; a line has at most 100"
               for number, line in enumerate(readme, 1) if len(line) > 100]
violations += ["README.md:171: the README has at most 170 lines"] * (len(readme) > 170)
finish(violations)
