#!/usr/bin/env python3
"""The tables "where is equation X?" of README.md and src/README.md tell the truth: the file that a row names defines every
function that it names, and its backward pass if it is a forward pass, and a comment there names the place in the paper."""
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
finish(violations)
