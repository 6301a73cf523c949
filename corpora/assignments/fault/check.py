"""A rnnsearch with a planted fault for each student, and what an answer about it is worth."""
import hashlib
import random
import re
import subprocess
import tempfile
from pathlib import Path

WORDS = {"red": "rot", "blue": "blau", "green": "gruen", "black": "schwarz", "white": "weiss", "gray": "grau"}
PAIRS, LEAST_WORDS, MOST_WORDS, BECAUSE = 800, 3, 7, 12
ANSWER = """# One line each, in place of the dots.
fault: ...
wrong: ...
right: ...
because: ...
"""


def fault_of(number, secret, tools):
    """The row of faults.tsv that a student gets; without the secret nobody can tell."""
    faults = tools.rows("fault", "faults.tsv")
    digest = hashlib.sha256(f"{secret}:{number}".encode()).digest()
    return faults[int.from_bytes(digest[:8], "big") % len(faults)]


def build(path, tools, change=None):
    """A program without names, from rnnsearch.c with some words replaced."""
    code = tools.read(tools.SOURCE)
    if change:
        if code.count(change[0]) != 1:
            raise tools.Refusal(f"{tools.SOURCE} has {code.count(change[0])} times: {change[0]}", 3)
        code = code.replace(*change)
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        (Path(folder) / "rnnsearch.c").write_text(code, encoding="utf-8")
        subprocess.run([tools.COMPILER, "-O2", "-w", "-static", "-s", "rnnsearch.c", "-lm", "-o", "rnnsearch"],
                       cwd=folder, check=True)
        path.write_bytes((Path(folder) / "rnnsearch").read_bytes())
    path.chmod(0o755)


def hand_out(folder, number, secret, tools):
    """Trains a model with the right program; the student gets the other one."""
    numbers = random.Random(1)
    sources = dict.fromkeys(tuple(numbers.choices(list(WORDS), k=numbers.randint(LEAST_WORDS, MOST_WORDS)))
                            for _ in range(PAIRS))
    lines = (" ".join(x) + "\t" + " ".join(WORDS[word] for word in reversed(x)) + "\n" for x in sources)
    (folder / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    program = folder / "rnnsearch"
    build(program, tools)
    subprocess.run(["./rnnsearch", "train", "pairs.tsv", "model.safetensors"], cwd=folder, check=True,
                   stderr=subprocess.DEVNULL)
    build(program, tools, fault_of(number, secret, tools)[1:])
    (folder / "answer.txt").write_text(ANSWER, encoding="utf-8")


def wrong_tensors(change, tools):
    """What `rnnsearch check` says with a fault: whether each tensor's gradient is wrong."""
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        program = Path(folder) / "rnnsearch"
        build(program, tools, change)
        said = subprocess.run([program, "check"], text=True, capture_output=True, check=False).stdout
    errors = re.findall(r"^(\S+\.\S+) +([\d.e+-]+)$", said, re.MULTILINE)  # no NaN: both gradients are 0
    return {name: float(error) > 1e-6 for name, error in errors}


def grade(folder, number, secret, _seed, tools):
    lines = (line.partition(":") for line in tools.submitted(folder, "answer.txt").splitlines())
    got = {key.strip(): value.strip() for key, _, value in lines if value.strip(" .")}
    if not got:
        return [tools.Check("all", 0, 100, "Nothing is written yet: sheet.md says what to try, answer.txt what to write.")]
    name, *change = fault_of(number, secret, tools)
    known = [row[0] for row in tools.rows("fault", "faults.tsv")]
    wrong = wrong_tensors(change, tools)
    reasons = {
        "fault": "" if got.get("fault") == name else
                 "that is another fault: does it explain all that you see?" if got.get("fault") in known else
                 "it is none of the names in sheet.md",
        "wrong": "" if wrong.get(got.get("wrong")) or got.get("wrong") == "none" and not any(wrong.values()) else
                 "its gradient is right, as ./rnnsearch check says" if got.get("wrong") in wrong else
                 "some gradient is wrong" if got.get("wrong") == "none" else "it is no tensor for which ./rnnsearch check has a number",
        "right": "" if wrong.get(got.get("right")) is False else
                 "its gradient is wrong, as ./rnnsearch check says" if got.get("right") in wrong else
                 "it is no tensor for which ./rnnsearch check has a number",
        "because": "" if len(got.get("because", "").split()) >= BECAUSE else
                   f"at least {BECAUSE} words are asked for: what you saw, and why it is that fault and no other",
    }
    points = {"fault": 60, "wrong": 15, "right": 15, "because": 10}
    return [tools.Check(what, 0 if reason else points[what], points[what], reason) for what, reason in reasons.items()]


def submissions(folder, number, secret, tools):
    """Writes right answers and wrong ones; yields what each is, its points, and words of a reason."""
    name, *change = fault_of(number, secret, tools)
    wrong = wrong_tensors(change, tools)
    broken = next((tensor for tensor, bad in wrong.items() if bad), "none")
    whole = next(tensor for tensor, bad in wrong.items() if not bad)
    other = next(row[0] for row in tools.rows("fault", "faults.tsv") if row[0] != name)
    because = "the weights move in every row of the heatmap while the readout has right gradients throughout"
    for what, answer, points, words in (
            ("right", (name, broken, whole, because), 100, ""),
            ("another fault", (other, broken, whole, because), 40, "that is another fault"),
            ("no name of the list", ("gradient", broken, whole, because), 40, "none of the names"),
            ("right and wrong exchanged", (name, whole, broken, because), 70, "its gradient is right"),
            ("without evidence", (name, "", "", ""), 60, "words are asked for")):
        (folder / "answer.txt").write_text("fault: {}\nwrong: {}\nright: {}\nbecause: {}\n".format(*answer), encoding="utf-8")
        yield what, points, words
