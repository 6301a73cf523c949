"""What the guards know of C: code without comments and literals, comments alone, and the functions of a file."""
import functools
import re
import sys
from pathlib import Path

TOKEN = re.compile(r"""/\*.*?(?:\*/|\Z)|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def finish(violations):
    """Prints the violations and ends the guard."""
    print(*violations, sep="\n", end="\n" * bool(violations))
    sys.exit(bool(violations))


def files(*folders, skip="src/paper/"):
    """The .c and .h files below some folders, sorted."""
    found = sorted(str(path) for folder in folders for path in Path(folder).rglob("*.[ch]"))
    return [path for path in found if not path.startswith(skip)]


@functools.lru_cache(None)
def code(path):
    """A file's text with comments removed and literals emptied; every line keeps its number."""
    def emptied(token):
        return "\n" * token[0].count("\n") if token[0][0] == "/" else token[0][0] * 2
    return TOKEN.sub(emptied, Path(path).read_text(encoding="utf-8"))


def comments(path):
    found = TOKEN.findall(Path(path).read_text(encoding="utf-8"))
    return "\n".join(token for token in found if token[0] == "/")


def lines_of_code(path):
    return sum(bool(line.strip()) for line in code(path).split("\n"))


@functools.lru_cache(None)
def functions(path):
    """The functions that a file defines: (name, first line, lines, whether it is static)."""
    found, depth, signature, name, first = [], 0, "", "", 0
    text = DIRECTIVE.sub(lambda lines: "\n" * lines[0].count("\n"), code(path)) # braces of macros need not match
    for number, line in enumerate(text.split("\n"), 1):
        for piece in re.split("([{};])", line):
            if piece not in ("{", "}", ";"):
                if depth == 0 and piece.strip():
                    first = first if signature else number
                    signature += " " + piece
                continue
            if piece == "{":
                if depth == 0:
                    name = function_name(signature)
                depth += 1
            elif piece == "}":
                depth -= 1
                if depth == 0 and name:
                    found.append((name, first, number - first + 1, " static " in signature))
                    name = ""
            if depth == 0:
                signature = ""
    return found


def function_name(signature):
    """The word before the first parenthesis, or "" when the braces belong to a type or a table."""
    signature = re.sub(r"__attribute__ *\(\(.*?\)\)(?!\))", "", signature)
    word = re.search(r"([A-Za-z_]\w*) *\(", signature)
    return word[1] if word and "=" not in signature else ""
