#!/usr/bin/env python3
"""The guards can fail: a small clean tree passes them, and one planted violation of each rule is found."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GUARDS = Path(__file__).resolve().parent
EQUATIONS = "<!-- equations -->\n| equation | file | function |\n|---|---|---|\n{}\n<!-- /equations -->\n"
CHAPTER = """1. [layers/gru.c](layers/gru.c)
<!-- headers -->
base/utf8.h
<!-- /headers -->
<!-- others -->
<!-- /others -->
<!-- twins -->
| gru | sa_gru_forward | src/layers/gru.c | |
<!-- /twins -->
"""
# Code that comes close: forbidden words in prose, strings and longer names.
CLEAN = {
    "src/base/utf8.c": '#include "base/utf8.h"\n#include <utf8proc.h>\n',
    "src/base/utf8.h": "int sa_utf8_length(const char *text);\n",
    "src/base/memory.c": "void *sa_new(int n) {\n    return malloc(n);\n}\n",
    "src/layers/one.c": "int sa_one(int x) {\n    return x;\n}\n",
    "src/layers/two.c": '#include "layers/one.h"\n',
    "src/layers/three.c": '#include "layers/two.h"\n\nconst sa_row sa_rows[] = {\n    {"x"},\n};\n',
    "src/layers/half.c": "/* A.1.1 */\nint f_forward(void) {\n    return 0;\n}\n",
    "src/attention/parts/sink.c": '#include "attention/score.h"\n\nconst sa_part sa_sink_part = {sa_score_forward};\n',
    "src/attention/score.c": "void sa_score_forward(void) {}\n\nconst sa_score sa_scores[] = {\n    {&sa_sink_part},\n};\n",
    "src/layers/gru.c": """/* A.1.1: malloc(1), exit(1) and printf("") are only words here. */
#include <softalign.h>
#include <sys/stat.h>

// setlocale() and "an open quote are prose
int sa_gru_forward(const char *text) {
    return text[0] == '"' && text[1] == '\\'' ? my_exit("exit(1); \\" system(") : 0;
}

int sa_gru_backward(void) {
    return 0;
}
""",
    "tests/base/check_utf8.c": "int main(void);\n",
    "scripts/dev/guards/budget": "100\n",
    "scripts/dev/bench/one.csv": "part,scale,threads,attention,who,quantity,median\nspeed,toy,1,additive,ours,words_per_second,10\n",
    "scripts/bench": "as RESULTS.md names it\n",
    "scripts/dev/bench/LOG.md": "## The floor\n",
    "README.md": EQUATIONS.format("| A.1.1 hidden unit | [`src/layers/gru.c`](src/layers/gru.c) | `sa_gru_forward` |"),
    "src/README.md": EQUATIONS.format("| A.1.1 hidden unit | src/layers/gru.c | `sa_gru_forward` |") + CHAPTER,
    "src/paper/rnnsearch.c": "int gru(void) {\n    return 0;\n}\n",
    "OTHER.md": "# One `two`, 3!\n",
    "THIRD.md": "[a](OTHER.md#one-two-3) `[b](none)` [c](https://example.org/none)\n",
}
LONG = "int f(int x)\n{\n" + "    x++;\n" * 58 + "}\n"
# Guard, file, what is put into it, what the guard must say.
PLANTED = [
    ("modules", "src/base/bad.c", '#include "tensor/vec.h"\n', "src/base/bad.c:1: base may not include tensor/vec.h"),
    ("modules", "src/layers/bad.h", "#  include <attention/score.h>\n", "bad.h:1: layers may not include attention/score.h"),
    ("modules", "src/layers/bad.c", '#include "gru.h"\n', "src/layers/bad.c:1: write the folder before gru.h"),
    ("modules", "src/attic/bad.c", "int x;\n", "src/attic: no folder of modules.tsv"),
    ("modules", "src/layers/deep/bad.c", "int x;\n", "src/layers/deep: no second level"),
    ("modules", "src/bad.c", "int x;\n", "src/bad.c: every source belongs to a folder"),
    ("modules", "tests/check_bad.c", "int x;\n", "tests/check_bad.c: every test belongs to the folder"),
    ("modules", "src/base/gru.c", "int x;\n", "another file is called src/base/gru"),
    ("modules", "src/layers/bad.c", "#include <cblas.h>\n", "src/layers/bad.c:1: <cblas.h> belongs to src/tensor/blas.c"),
    ("modules", "src/base/bad.c", "void f(void) { /* */ exit(1); }\n", "src/base/bad.c:1: exit belongs to src/cli"),
    ("modules", "src/base/bad.c", 'f(stderr, "x");\n', "src/base/bad.c:1: printing belongs to src/cli"),
    ("modules", "src/layers/bad.c", "x = (float *)calloc (4, 4);\n", "src/layers/bad.c:1: malloc belongs to src/base"),
    ("modules", "src/cli/bad.c", 'system("ls");\n', "src/cli/bad.c:1: the host program's shell and locale"),
    ("modules", "src/layers/one.h", '#include "layers/three.h"\n', "files depend on each other: layers/one"),
    ("modules", "src/layers/one.c", "int x = sizeof sa_rows;\n", "files depend on each other: layers/one"),
    ("modules", "src/layers/bad.c", "/* TO" "DO: later */\n", "src/layers/bad.c:1: a mark of unfinished work"),
    ("modules", "tests/cli/bad.sh", "cd /ho" "me/someone/softalign\n", "tests/cli/bad.sh:1: a mark of unfinished work, or a path"),
    ("modules", "src/layers/bad.c", "int x;\n" * 601, "src/layers/bad.c:601: a file has at most 600 lines"),
    ("modules", "tests/base/check_bad.c", LONG, "tests/base/check_bad.c:1: f has 61 lines; a function has at most 60"),
    ("modules", "src/layers/bad.c", "int x; // code\n\n// none\n" * 99, "lines above the budget"),
    ("modules", "scripts/dev/coverage", '    "100 src/base/utf8.c"\n    "95 src/base/none.c"\n', "coverage:2: a goal for src/base/none.c"),
    ("equations", "README.md", EQUATIONS.format(""), "README.md has no table of equations"),
    ("equations", "src/README.md", EQUATIONS.format("| A.1.1 | src/layers/gru.c | |"), "src/README.md:4: no function"),
    ("equations", "src/README.md", CHAPTER.replace("sa_gru_forward", "sa_lost"), "gru.c does not define sa_lost"),
    ("equations", "src/README.md", CHAPTER.replace("| gru", "| lost"), "rnnsearch.c does not define lost"),
    ("equations", "src/layers/gru.c", '#include "layers/one.h"\n', "src/layers/gru.c: src/README.md does not name layers/one.h"),
    ("equations", "src/base/utf8.h", 1001 * "\n", "1 headers of 1001 lines, at most 10 of 1000"),
    ("equations", "src/README.md", "", "src/README.md has no headers"),
    ("equations", "README.md", EQUATIONS.format("| A.1.1 | src/none.c | f |"), "README.md:4: there is no file src/none.c"),
    ("equations", "README.md", EQUATIONS.format("| A.1.1 | src/layers/gru.c | my_exit |"), "gru.c does not define my_exit"),
    ("equations", "README.md", EQUATIONS.format("| A.1.1 | src/layers/gru.c | |"), "README.md:4: no function"),
    ("equations", "README.md", EQUATIONS.format("| A.1.1 | src/layers/half.c | f_forward |"), "half.c does not define f_backward"),
    ("equations", "README.md", EQUATIONS.format("| A.1 | src/layers/gru.c | sa_gru_forward |"), "no comment in src/layers/gru.c names A.1"),
    ("equations", "README.md", EQUATIONS.format("| gate | src/layers/gru.c | sa_gru_forward |"), "'gate' names no place in a paper"),
    ("links", "README.md", "[a](src/none.c)\n", "README.md:1: there is no src/none.c"),
    ("links", "README.md", "as `src/none.c` does\n", "README.md:1: there is no src/none.c"),
    ("links", "BAD.md", "text\n[a](README.md#none)\n", "BAD.md:2: README.md has no heading #none"),
    ("links", "README.md", "0" * 101 + "\n", "README.md:1: 101 characters; a line has at most 100"),
    ("links", "README.md", "\n" * 171, "README.md:171: the README has at most 170 lines"),
    ("format", "src/layers/bad.c", "int  x ;\n", "src/layers/bad.c:1:4: error"),
    ("results", "scripts/dev/bench/one.csv", "part\nspeed,toy,1,additive,ours,words_per_second,20,20,20,3,c0ffee0,2126-01-01\n", "RESULTS.md:1: not made of the CSV"),
]
failures = []


def run(name):
    """(exit code, report) of a guard."""
    program = next(GUARDS.glob(f"guard_{name}.*"))
    done = subprocess.run(["python3" if program.suffix == ".py" else "bash", program], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def expect_found(name, path, text, message):
    path = Path(path)
    before = path.read_text(encoding="utf-8") if path.exists() else None
    parent = None if path.parent.exists() else path.parent
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    code, report = run(name)
    if code == 0 or message not in report:
        failures.append(f"guard_{name}, {path}: exit {code}, expected '{message}' but got: {report}")
    path.unlink() if before is None else path.write_text(before, encoding="utf-8")
    if parent:
        shutil.rmtree(parent)


with tempfile.TemporaryDirectory() as tree:
    os.chdir(tree)
    shutil.copy(GUARDS.parents[2] / ".clang-format", tree)
    for file, content in CLEAN.items():
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(content, encoding="utf-8")
    for folder in ("src/cli", "src/tensor", "include", "tests/cli", "scripts/dev/pictures"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    subprocess.run([GUARDS.parent / "bench" / "page.py", "scripts/dev/bench"], check=True)
    skipped = set()
    for guard in dict.fromkeys(row[0] for row in PLANTED):
        status, said = run(guard)
        if status == 77:
            skipped.add(guard)
        elif status:
            failures.append(f"guard_{guard} finds fault with a clean tree: {said}")
    for row in PLANTED:
        if row[0] not in skipped:
            expect_found(*row)
    os.chdir(GUARDS)
print(*failures, sep="\n")
sys.exit(bool(failures))
