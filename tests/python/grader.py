"""The units of scripts/assignment: grader.py FOLDER"""
import fcntl
import importlib.util
import math
import struct
import sys
from pathlib import Path

from homework import box, code, common, library, results, tree

scratch = Path(sys.argv[1])

# Nothing is near what is not finite, or differs by what is not.
inf, nan = math.inf, math.nan
assert results.near([1, 2], [1, 2 + 1e-9]) and not results.near([1], [1, 1]) and not results.near([1], [1.1])
assert not any(results.near([x, 1], [y, 1]) for x, y in ((1.7e308, -1.7e308), (nan, 1), (inf, inf), (1, nan), (1, inf)))

# What the preprocessor obeys is found behind splices and comments, and not in text; a raw string is no text.
for text, words in (('char *a = "R", b[] = "#x /* ";\n// #y \\ \n#z\n/*\n#u*/ int R;', set()), ('"a\n#b', {"#b"}),
                    ("/* */ #  define  X /* */ 1", {"# define X 1"}), ("%:x", {"%:x"}), ("/\\ \n/ #x\n#y", {"#y"}),
                    ('R"x(" /* )x"\n#define M\n/**/', {'#R"x("'}), ("x = _Pragma(1)", {"_Pragma(1)"})):
    assert code.directives(text) == words, text

# No macro of the compiler tells a submission that it is sanitized.
assert code.hides_errors("softmax", "y[__SANITIZE_ADDRESS__] = 1;", {}) == "__SANITIZE_ADDRESS__"

# A model file that a submission left is read or is none.
assert library.tensors(struct.pack("<Q", 100000) + b"[" * 100000) == {}

# An installed softalign is hidden: files by /dev/null, folders by empty ones.
for program in ("bin/softalign", "local/lib/libsoftalign.so.0.2", "lib/python3/dist-packages/softalign/module"):
    (scratch / "usr" / program).parent.mkdir(parents=True, exist_ok=True)
    (scratch / "usr" / program).touch()
words = box.hidden(scratch / "usr")
assert words.count("/dev/null") == 2 and words.count("--tmpfs") == 1, words

# One process at a time builds in the grader's place.
found = importlib.util.spec_from_file_location("fault", common.SHEETS / "fault" / "check.py")
fault = importlib.util.module_from_spec(found)
found.loader.exec_module(fault)
assert all(hasattr(each, "__wrapped__") for each in (fault.hand_out, fault.measured, library.hand_out_library))
with tree.alone(), open(tree.PLACE / "lock", encoding="ascii") as second:
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        sys.exit("two processes build at once")
    except BlockingIOError:
        pass

# What tables replace in the sources is there.
edits = [row[4:6] for row in common.rows("", "library.tsv")] + [row[1:3] for row in common.rows("fault", "faults.tsv")]
edits += [("paper/rnnsearch.c", row[3]) for name in ("softmax", "score", "gru", "beam") for row in common.rows(name, "wrong.tsv")]
for file, find in edits:
    found = common.read(common.ROOT / "src" / file).count(find)
    assert found == 1, f"{file} has {found} times: {find}"

# Near a kink of maxout, differences of the loss are no derivatives.
assert [code.fair("gru", seed) for seed in (5, 959929866024716174)] == [5, 959929866024716175]

# A grader without results of its own has no opinion.
code.program = lambda name, changes=(): b"#!/bin/sh\n"
try:
    code.reference("softmax", "softmax", 1)
    sys.exit("what is right is empty")
except common.Refusal as refusal:
    assert refusal.code == 3
