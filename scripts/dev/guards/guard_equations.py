#!/usr/bin/env python3
"""The tables "where is equation X?" of README.md and src/README.md tell the truth: the file that a row names defines every
function that it names, and its backward pass if it is a forward pass, and a comment there names the place in the paper. So do the headers and the
functions of rnnsearch.c in src/README.md: the six files, and those that their list names beside them, include no other headers, ten of at
most 1,000 lines together."""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from c_source import comments, finish, functions

PLACE = re.compile(r"[A-Z](?:\.\d+)+|(?:[Ss]ection|[Ee]quation|[Ff]igure) \d+(?:\.\d+)*")
violations = []


def check_row(equation, path, names):
    """What is wrong with a row."""
    if not Path(path).is_file():
        return [f"there is no file {path}"]
    place = PLACE.search(equation)
    names += [name.removesuffix("forward") + "backward" for name in names if name.endswith("_forward")]
    defined = {name for name, *_ in functions(path)}
    wrong = [f"{path} does not define {name}" for name in names if name not in defined]
    if not names:
        wrong.append("no function")
    if not place:
        wrong.append(f"'{equation}' names no place in a paper, such as A.1.2")
    elif not re.search(rf"(?<![\w.]){re.escape(place[0])}(?!\d|\.\d)", comments(path)):
        wrong.append(f"no comment in {path} names {place[0]}")
    return wrong


for document in "README.md", "src/README.md":
    inside, rows = False, 0
    for number, line in enumerate(Path(document).read_text(encoding="utf-8").split("\n"), 1):
        inside = line.startswith("<!-- equations") or inside and not line.startswith("<!-- /equations")
        if inside and line.startswith("|"):
            rows += 1
            if rows > 2:
                cells = re.sub(r"`|\[|\]\([^()]*\)", "", line).strip(" |").split("|") + ["", ""]
                equation, path, named = (cell.strip() for cell in cells[:3])
                violations += [f"{document}:{number}: {what}"
                               for what in check_row(equation, path, re.findall(r"\w+", named))]
    if rows <= 2:
        violations.append(f"{document} has no table of equations")

def block(name):
    """What stands between <!-- name --> and <!-- /name --> of src/README.md."""
    found = re.search(f"<!-- {name} -->(.*?)<!-- /{name} -->", Path("src/README.md").read_text(encoding="utf-8"), re.S)
    if not found:
        violations.append(f"src/README.md has no {name}")
    return found[1] if found else ""


def check_headers():
    """The headers that a reader of the six files needs."""
    needed, others = (re.findall(r"\w+/\w+\.h", block(name)) for name in ("headers", "others"))
    missing = [name for name in needed + others if not Path("src", name).is_file()]
    violations.extend(f"src/README.md: there is no {name}" for name in missing)
    lines = sum(len(Path("src", name).read_text(encoding="utf-8").splitlines()) for name in set(needed) - set(missing))
    if len(needed) > 10 or lines > 1000:
        violations.append(f"src/README.md: {len(needed)} headers of {lines} lines, at most 10 of 1000")
    chapter = re.search(r"^1\. .*?\n\n", Path("src/README.md").read_text(encoding="utf-8") + "\n\n", re.M | re.S)
    for path in re.findall(r"\]\(([\w/]+\.c)\)", chapter[0] if chapter else ""):
        included = re.findall(r'^#include "([^"]+)"', Path("src", path).read_text(encoding="utf-8"), re.M)
        violations.extend(f"src/{path}: src/README.md does not name {name}" for name in included if name not in needed + others)


def check_twins():
    """The functions of rnnsearch.c and of the library that compute the same."""
    paper = {name for name, *_ in functions("src/paper/rnnsearch.c")}
    for own, name, path in re.findall(r"^\| (\w+) \| (\w+) \| ([\w/.]+) \|", block("twins"), re.M):
        defined = {one for one, *_ in functions(path)} if Path(path).is_file() else set()
        for names, known, where in ((own, paper, "rnnsearch.c"), (name, defined, path)):
            both = [names] + [names.removesuffix("forward") + "backward"] * names.endswith("_forward")
            violations.extend(f"src/README.md: {where} does not define {one}" for one in both if one not in known)


check_headers()
check_twins()
finish(violations)
