"""The same holes in the library's files: a copy of the sources to work in, and a grade by what its program computes."""
import array
import base64
import json
import random
import re
import shlex
import shutil
import struct
import tempfile
from pathlib import Path

from homework.box import Box
from homework.code import EMPTY, directives, with_holes
from homework.common import LONG, ROOT, SHEETS, Check, Refusal, read, submitted
from homework.results import Result, explain, near
from homework.tree import FLAGS, PLACE, alone, build, copy_tree, run

NAMES = ("softmax", "score", "gru")  # those with a backward pass
KEPT = (r"scripts/(lessons/history.tsv|dev/(embed|double_names|usage.sh|(completion|manual|install)/.*|bench/CMakeLists.txt))"
        r"|(?!scripts/|src/paper/.*md$).*(?<!EXTENDING.md)")
TRAIN = ("--decoder bahdanau --init xavier --embed 6 --hidden 7 --attn 5 --maxout 4 --tokenizer space --optimizer sgd "
         "--clip 0 --batch 40 --epochs 0 --patience 0 --max-time 0 --threads 1 --shards 1 --overwrite")
MAKEFILE = """# make: the program, a minute the first time; make check: the public checks
program/softalign: $(shell find softalign -name '*.[ch]')
	@[ -e program/build.ninja ] || cmake -S softalign -B program FLAGS >/dev/null
	cmake --build program --target softalign_command

check: program/softalign
	program/softalign eval model.safetensors pairs.tsv --per-sentence log-p.txt >/dev/null
	@paste log-p.txt expected.txt | awk '($$1 - $$3) ^ 2 > 1e-6 { bad++ } END { print bad + 0 " of " NR " log p are wrong"; exit bad > 0 }'
	program/softalign gradcheck --decoder bahdanau
"""


def holes_of(name):
    """(file, function, text that replaces its body) for each hole of library.txt."""
    parts = re.split(r"^(src/\S+): (\w+)\n", read(SHEETS / name / "library.txt"), flags=re.MULTILINE)
    return [(file, function, text.rstrip("\n") + "\n") for file, function, text in zip(parts[1::3], parts[2::3], parts[3::3])]


def body_of(code, function):
    """The match of a function's definition: its head, and its body."""
    found = re.search(rf"^(\w[^;{{}}]*\b{function}\([^;{{}}]*\) {{\n)((?:.*\n)*?)}}\n", code, re.MULTILINE)
    if not found:
        raise Refusal(f"no function {function} to cut", 3)
    return found


def files_with_holes(name):
    return sorted({file for file, _, _ in holes_of(name)})


def library_with_holes(name):
    """A change of files for copy_tree."""
    holes = {file: read(ROOT / file) for file in files_with_holes(name)}
    for file, function, text in holes_of(name):
        start, end = body_of(holes[file], function).span(2)
        holes[file] = holes[file][:start] + text + holes[file][end:]

    def change(file, data):
        if not re.fullmatch(KEPT, file):
            return None
        if re.fullmatch(r"src/paper/\w+\.c", file):
            return with_holes(name, ROOT / file).encode()
        return holes[file].encode() if file in holes else data
    return change


def own_program():
    copy_tree(PLACE / "source")
    return build(PLACE / "source", PLACE / "program")


def pairs_of(seed):
    """Lines of random words, each translated in reverse."""
    numbers = random.Random(f"library {seed}")
    lines = [numbers.choices("abcdefgh", k=numbers.randint(2, 6)) for _ in range(40)]
    return "".join(" ".join(line) + "\t" + " ".join(reversed(line)) + "\n" for line in lines)


def train(seed, rate, steps, out):
    return ["train", "--train", "pairs.tsv", "--out", out, *TRAIN.split(), "--seed", str(seed % 1000), "--lr", str(rate),
            "--steps", str(steps)]


def evaluate(model):
    return ["eval", model, "pairs.tsv", "--per-sentence", "log-p.txt"]


@alone()
def hand_out_library(name, folder):
    """Writes to a hand-out the sources with holes, a model, and what is right for it."""
    copy_tree(folder / "softalign", library_with_holes(name))
    (folder / "Makefile").write_text(MAKEFILE.replace("FLAGS", " ".join(f"'{flag}'" for flag in FLAGS)), encoding="utf-8")
    (folder / "pairs.tsv").write_text(pairs_of(1), encoding="utf-8")
    program = own_program()
    run([program, *train(1, 0.1, 30, "out")], cwd=folder)
    run([program, *evaluate("out/last.safetensors")], cwd=folder)
    (folder / "out" / "last.safetensors").rename(folder / "model.safetensors")
    (folder / "log-p.txt").rename(folder / "expected.txt")
    shutil.rmtree(folder / "out")


def tensors(data):
    """The float tensors of a safetensors file, by name; none if it is damaged."""
    try:
        length = struct.unpack("<Q", data[:8])[0]
        found = {}
        for name, row in json.loads(data[8:8 + length]).items():
            if row.get("dtype") == "F32":
                first, end = (8 + length + offset for offset in row["data_offsets"])
                found[name] = array.array("f", data[first:end]).tolist()
        return found
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, struct.error):
        return {}


def decoded(text):
    try:
        return base64.b64decode(text)
    except ValueError:
        return b""


def log_p(text):
    return [float(found) for found in re.findall(r"^(-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)\t", text, re.MULTILINE)]


def compare_gradients(start, want, got):
    """Why gradients, weights before a step of rate 1 less those behind it, are wrong, or ""."""
    wrong = []
    for name, first in start.items():
        right, ours = ([x - y for x, y in zip(first, moved.get(name, []))] for moved in (want, got))
        if not near(ours, right, 1e-3):
            zero = [0.0] * len(right)
            wrong.append((name, Result(1, len(ours), ours, zero), Result(1, len(right), right, zero)))
    if not wrong:
        return ""
    said = next((f"{name}: {reason}" for name, ours, right in wrong if (reason := explain(ours, right, 1e-3))),
                f"{wrong[0][0]}: no number is right")
    return f"{said} ({len(wrong)} of {len(start)} tensors are wrong)"


def in_box(words):
    """The words of a command of the grader's build, for a box that holds its folder."""
    return [word.replace(str(PLACE / "source"), "source").replace(str(PLACE / "program"), ".") for word in words]


def build_in(box, files):
    """Compiles the files of a submission, and links them with the grader's own objects of all other files: from an
    archive the linker would take the right function wherever a submission leaves one out."""
    program = PLACE / "program"
    *lines, link = map(shlex.split, run(["ninja", "-C", program, "-t", "commands", "softalign"]).splitlines())
    members = {word: [each for each in line if each.endswith(".o")] for line in lines if "qc" in line
               for word in line if word.endswith(".a")}
    link = [part for word in link[2:-2] for part in members.pop(word, [] if word.endswith(".a") else [word])]
    steps = [shlex.split(entry["command"]) for entry in json.loads(read(program / "compile_commands.json"))
             if any(entry["file"] == str(PLACE / "source" / file) for file in files)]
    steps = [in_box(words) for words in steps if words[words.index("-o") + 1] in link]
    for number, words in enumerate(steps):
        at = words.index("-o") + 1
        link[link.index(words[at])] = words[at] = f"{number}.o"
    copy_tree(box.folder / "source", lambda file, data: files[file].encode() if file in files else
              data if file.endswith(".h") else None)
    for word in link:
        if word.endswith(".o") and "/" in word:
            (box.folder / word).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(program / word, box.folder / word)
    shutil.copytree(program / "made", box.folder / "made", dirs_exist_ok=True)
    for words in [*steps, link]:
        if (built := box.run(words, LONG, writable=True)).trouble:
            said = next((line for line in built.err.splitlines() if "error" in line or "undefined" in line), built.trouble)
            return f"it does not compile: {said}"
    run(["find", box.folder, "-mindepth", "1", "-not", "-path", box.folder / "softalign", "-delete"])
    return ""


def own_results(seed):
    """The weights before and after a step, the log p of every pair, and the model that has them, by the grader's own program."""
    program = own_program()
    with tempfile.TemporaryDirectory(prefix="assignment-") as place:
        right = Path(place)
        (right / "pairs.tsv").write_text(pairs_of(seed), encoding="utf-8")
        for rate, steps, out in ((1e-30, 1, "start"), (1, 1, "step"), (0.1, 30, "model")):
            run([program, *train(seed, rate, steps, out)], cwd=right)
        run([program, *evaluate("model/last.safetensors")], cwd=right)
        start, want = (tensors((right / out / "last.safetensors").read_bytes()) for out in ("start", "step"))
        wanted, model = log_p(read(right / "log-p.txt")), (right / "model" / "last.safetensors").read_bytes()
    if not (start and want and wanted):
        raise Refusal("the grader's own program has no results", 3)
    return start, want, wanted, model


def left_by(box, words, file):
    """Runs a program in a copy of the box; what it ended with has the file that it left as `out`, in base64."""
    return box.run(["sh", "-c", '"$@" >&2; code=$?; base64 -w 0 "$0"; exit $code', file, *words], scratch=True)


def grade_library(name, folder, seed, allow_bare):
    """Builds softalign with the submission's files in a box, and compares what both programs compute."""
    names = files_with_holes(name)
    files = {file: submitted(folder, f"softalign/{file}") for file in names}
    handed_out = library_with_holes(name)
    titles = (("log p of every pair, forward", 40), ("the gradient of every tensor, backward", 60))
    if all(text.split() == handed_out(file, b"").decode().split() for file, text in files.items()):
        return [Check(title, 0, of, EMPTY) for title, of in titles]
    for file, text in files.items():
        if more := directives(text) - directives(read(ROOT / file)):
            return [Check(title, 0, of, f"leave the lines for the preprocessor as they are handed out, without '{min(more)}'")
                    for title, of in titles]
    box = Box(allow_bare)
    try:
        with alone():
            start, want, wanted, model = own_results(seed)  # before foreign code runs
            broken = build_in(box, files)
            if broken and (own := build_in(box, {file: read(ROOT / file) for file in files})):
                raise Refusal(f"the grader's own files do not compile: {own}", 3)
        if broken:
            return [Check(title, 0, of, broken) for title, of in titles]
        (box.folder / "pairs.tsv").write_text(pairs_of(seed), encoding="utf-8")
        (box.folder / "model.safetensors").write_bytes(model)
        forward = left_by(box, ["./softalign", *evaluate("model.safetensors")], "log-p.txt")
        got = log_p(decoded(forward.out).decode("utf-8", "replace"))
        backward = left_by(box, ["./softalign", *train(seed, 1, 1, "step")], "step/last.safetensors")
        moved = tensors(decoded(backward.out))
    finally:
        box.close()
    count = sum(near([x], [y], 1e-3) for x, y in zip(got, wanted))
    reasons = (forward.trouble or "the program has left no log p" if len(got) != len(wanted) else
               f"{count} of {len(wanted)} log p are right" if count < len(wanted) else "",
               backward.trouble or "the training has left no model" if not moved else compare_gradients(start, want, moved))
    return [Check(title, 0 if reason else of, of, reason) for (title, of), reason in zip(titles, reasons)]
