#!/usr/bin/env python3
"""The rules that no compiler checks, for the tree in the current folder: which folder of src may include which
(modules.tsv), that no two files depend on each other, who may use what is dangerous, how long files and functions may
be, that goals of coverage name files, and the budget: how many lines of code, neither blank nor comment, the C of src
has without src/paper."""
import graphlib
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from c_source import code, files, finish, functions, lines_of_code

HERE = Path(__file__).parent
SOURCES = files("src")
FOLDERS, LEVELS = 19, 9  # at most; each folder stands a level above what it includes
# src/attention/parts holds one file for each mechanism; the pages' JavaScript and the browser's system are no modules.
INNER = ("attention/parts", "web/system", "page/")
# Who alone may use what, beside src/paper, a program of its own.
OWNERS = [
    (r"#\s*include\s*<cblas\.h>", "src/tensor/blas.c", "<cblas.h>"),
    (r"#\s*include\s*<utf8proc\.h>", "src/base/", "<utf8proc.h>"),
    (r"\b_?exit *\(", "src/cli/", "exit"),
    (r"\b(v?printf|puts|putchar|perror) *\(|\b(stdout|stderr)\b", "src/cli/", "printing"),
    (r"\b(malloc|calloc|realloc|strdup|strndup|v?asprintf) *\(", "src/base/", "malloc"),
    (r"\b(system|popen|setlocale) *\(", "nobody", "the host program's shell and locale"),
]
violations = []


def complain(path, line, message):
    violations.append(f"{path}:{line}: {message}")


def read_table():
    """{folder, or one file of it: the folders that it may include}, each row from those above it."""
    table, groups = {}, {}
    for line in (HERE / "modules.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, folders, *_ = line.split("\t")
        may = {inner for word in folders.split() for inner in groups.get(word, {word})}
        (groups if name.isupper() else table)[name] = may
    return table


def check_includes(table):
    """Returns {folder: the folders it includes}."""
    above = {}
    for path in SOURCES:
        inside = path.removeprefix("src/")
        folder = inside.split("/")[0]
        used = above.setdefault(folder, set())
        text = Path(path).read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n"), 1):
            header = re.match(r'\s*#\s*include\s*["<]([^">]+)', line)
            if not header or header[1].startswith("softalign"):
                continue
            top, *rest = header[1].split("/")
            if not rest:
                if '"' in line:
                    complain(path, number, f"write the folder before {header[1]}")
            elif top != folder and Path("src", top).is_dir():
                used.update({top} - table.get(inside, set()))
                if top not in table.get(inside, table.get(folder, {top})):
                    complain(path, number, f"{folder} may not include {header[1]}")
    return above


def check_levels(above):
    level = {}
    try:
        for folder in graphlib.TopologicalSorter(above).static_order():
            level[folder] = 1 + max((level[name] for name in above.get(folder, ())), default=0)
    except graphlib.CycleError as error:
        violations.append(f"src: folders include each other: {' '.join(error.args[1])}")
        return
    folders = sum(path.is_dir() for path in Path("src").iterdir())
    print(f"{folders} folders on {max(level.values(), default=0)} levels")
    if folders > FOLDERS or max(level.values(), default=0) > LEVELS:
        violations.append(f"src: at most {FOLDERS} folders on {LEVELS} levels")


def check_circles():
    """A source and its header count as one file; so do the core of attention, its tables and the parts in them."""
    def stem(path):
        return re.sub(r"^attention/(parts/\w+|heads|layout|normalizer|parts|score)$", "attention/attention", path[4:-2])

    sources = [path for path in SOURCES if not re.match("src/web/system/plain_", path)]  # second forms, for browsers
    owner = {}
    for path in filter(re.compile(r"\.c$").search, sources):
        for name, _, _, static in functions(path):
            if not static:
                owner[name] = stem(path)
        for name in re.findall(r"^(?!static|extern)\w.*\b((?:sa|cli)_\w+)(?:\[[^\]]*\])* =", code(path), re.M):
            owner[name] = stem(path)
    uses = {}
    for path in sources:
        used = uses.setdefault(stem(path), set())
        used.update(stem(f"src/{name}") for name in re.findall(r'^\s*#\s*include\s*"(\w+/[^"]+)"',
                                                               Path(path).read_text(encoding="utf-8"), re.M))
        if path.endswith(".c"):
            used.update(owner[name] for name in set(re.findall(r"\b(?:sa|cli)_\w+", code(path))) & owner.keys())
        used.discard(stem(path))
    try:
        graphlib.TopologicalSorter(uses).prepare()
    except graphlib.CycleError as error:
        violations.append(f"src: files depend on each other: {' '.join(error.args[1])}")


def check_tree(table):
    for path in map(str, Path("src").rglob("*")):
        inside = path.removeprefix("src/")
        if Path(path).is_dir():
            if "/" not in inside and inside not in table:
                violations.append(f"{path}: no folder of modules.tsv")
            elif "/" in inside and not inside.startswith(INNER):
                violations.append(f"{path}: no second level of folders")
        elif "/" not in inside and inside != "README.md":
            violations.append(f"{path}: every source belongs to a folder")
    for path in Path("tests").iterdir():
        if path.is_file() and path.name not in ("CMakeLists.txt", "README.md"):
            violations.append(f"{path}: every test belongs to the folder of its module")
    for top in "src", "tests":  # tests become programs in one folder
        known = {}
        for path in (file[:-2] for file in files(top)):
            first = known.setdefault(path.split("/")[-1], path)
            if first != path:
                violations.append(f"{path}: another file is called {first}")


def check_owners():
    for path in SOURCES:
        for number, line in enumerate(code(path).split("\n"), 1):
            for pattern, owner, what in OWNERS:
                if not path.startswith(owner) and re.search(pattern, line):
                    complain(path, number, f"{what} belongs to {owner}")


def check_lengths():
    # softalign.py is one file, whatever its length; src/paper is read from top to bottom.
    texts = [path for top in ("src", "tests", "scripts") for path in Path(top).rglob("*")
             if path.suffix in (".c", ".h", ".sh", ".py") and path.name != "softalign.py"]
    for path in map(str, texts):
        most = 900 if path.startswith("src/paper") else 600
        with open(path, "rb") as file:
            if not path.startswith("tests/golden") and sum(1 for _ in file) > most:
                complain(path, most + 1, f"a file has at most {most} lines")
    for path in files("include", "src", "tests", skip="none"):
        for name, first, lines, _ in functions(path):
            if lines > 60:
                complain(path, first, f"{name} has {lines} lines; a function has at most 60")


def check_words():
    words = re.compile("|".join([r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b", r"(?<![\w.})])/(?:home|root|work|Users)/"]))
    tops = ("src", "include", "tests", "scripts", "corpora", "CMakeLists.txt", "CMakePresets.json", "README.md")
    for path in (path for top in map(Path, tops) for path in [top, *top.rglob("*")] if path.is_file()):
        data = path.read_bytes()
        for number, line in enumerate([] if b"\0" in data else data.decode("utf-8", "replace").split("\n"), 1):
            if words.search(line):
                complain(path, number, "a mark of unfinished work, or a path of one machine")


def check_budget():
    budget = int(Path("scripts/dev/guards/budget").read_text(encoding="utf-8"))
    total = sum(map(lines_of_code, SOURCES))
    print(f"{total} lines of C code in src, budget {budget}")
    if total > budget:
        violations.append(f"src: {total - budget} lines above the budget in scripts/dev/guards/budget: remove as many, or raise it, and say why in the commit")


def check_goals():
    coverage = Path("scripts/dev/coverage")
    for number, line in enumerate(coverage.read_text(encoding="utf-8").split("\n") if coverage.exists() else [], 1):
        for name in re.findall(r'^ +"\d+ (src/\S*)"', line):
            if not Path(name).exists():
                complain(coverage, number, f"a goal for {name}, which does not exist")


rows = read_table()
check_levels(check_includes(rows))
check_circles()
check_tree(rows)
check_owners()
check_lengths()
check_words()
check_budget()
check_goals()
finish(violations)
