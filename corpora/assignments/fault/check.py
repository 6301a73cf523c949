"""A softalign with a planted fault for each student, and what an answer about it is worth."""
import hashlib
import json
import random
import shutil
import subprocess

from homework.common import Check, Refusal, rows, submitted
from homework.tree import PLACE, alone, build, copy_tree, planted, run

NUMBERED = True
WORDS = {"red": "rot", "blue": "blau", "green": "gruen", "black": "schwarz", "white": "weiss", "gray": "grau"}
PAIRS, LEAST_WORDS, MOST_WORDS, BECAUSE = 800, 3, 7, 12
UPDATES = "--tokenizer space --epochs 0 --patience 0 --max-time 0 --threads 1 --seed 1 --overwrite"
MODELS = {"rnnsearch": "--decoder bahdanau --embed 16 --hidden 24 --attn 16 --maxout 16 --steps 600",
          "transformer": "--model transformer --hidden 32 --heads 2 --layers 1 --steps 1000"}
GRADIENTS = {"rnnsearch": "--decoder bahdanau", "transformer": "--model transformer"}
ANSWER = """# One line each, in place of the dots.
fault: ...
gradient: ...
prove: ...
because: ...
"""


def evidence():
    """For each fault the tensors whose gradient gradcheck calls wrong, and the checks of prove that fail."""
    return {name: (set(wrong.split()) - {"none"}, set(failed.split()) - {"none"})
            for name, wrong, failed in rows("fault", "evidence.tsv")}


def fault_of(number, secret):
    """The name of the fault that a student gets; without the secret nobody can tell."""
    faults = list(evidence())
    digest = hashlib.sha256(f"{secret}:{number}".encode()).digest()
    return faults[int.from_bytes(digest[:8], "big") % len(faults)]


def program_with(fault):
    """The command with a fault, or the right one."""
    edits = {}
    for name, file, find, put in rows("fault", "faults.tsv"):
        if name == fault:
            edits.setdefault(file, []).append((find, put.replace("<newline>", "\n")))
    copy_tree(PLACE / "source", planted(edits))
    return build(PLACE / "source", PLACE / "program")


def models():
    """Pairs, and the models that the right program has trained on them."""
    numbers = random.Random(1)
    sources = dict.fromkeys(tuple(numbers.choices(list(WORDS), k=numbers.randint(LEAST_WORDS, MOST_WORDS)))
                            for _ in range(PAIRS))
    lines = (" ".join(x) + "\t" + " ".join(WORDS[word] for word in reversed(x)) + "\n" for x in sources)
    pairs = PLACE / "pairs.tsv"
    pairs.write_text("".join(lines), encoding="utf-8")
    for name, options in MODELS.items():
        if not (PLACE / f"{name}.safetensors").exists():
            run([program_with(None), "train", "--train", pairs, "--out", PLACE / name, *options.split(), *UPDATES.split()])
            (PLACE / name / "last.safetensors").rename(PLACE / f"{name}.safetensors")
    return [pairs, *(PLACE / f"{name}.safetensors" for name in MODELS)]


@alone()
def hand_out(folder, number, secret):
    """The models and the pairs are the same for all; the program is the student's own."""
    for path in models():
        shutil.copy(path, folder)
    run(["strip", "-o", folder / "suspect", program_with(fault_of(number, secret))])
    (folder / "answer.txt").write_text(ANSWER, encoding="utf-8")


@alone()
def measured(fault):
    """The tensors whose gradient is wrong by gradcheck, and the checks of prove that fail."""
    pairs, *files = models()  # by the right program
    program = program_with(fault)

    def failing(words, key):
        said = subprocess.run([program, *map(str, words)], text=True, capture_output=True, check=False).stdout
        return {each["name"] for each in json.loads(said)[key] if not each["ok"]}

    wrong, failed = set(), set()
    for options in GRADIENTS.values():
        wrong |= failing(["gradcheck", *options.split(), "--json"], "parameters")
    for file in files:
        failed |= failing(["prove", file, pairs, "--limit", "8", "--json"], "checks")
    return wrong, failed


def grade(folder, number, secret, _seed, _allow_bare):
    lines = (line.partition(":") for line in submitted(folder, "answer.txt").splitlines())
    got = {key.strip(): value.strip() for key, _, value in lines if value.strip(" .")}
    if not got:
        return [Check("all", 0, 100, "Nothing is written yet: sheet.md says what to try, answer.txt what to write.")]
    name = fault_of(number, secret)
    wrong, failed = evidence()[name]
    fault, gradient, proof = (got.get(key, "") for key in ("fault", "gradient", "prove"))
    reasons = {
        "fault": "" if fault == name else "that is another fault: does it explain all that you see?" if fault in evidence()
                 else "it is none of the names in sheet.md",
        "gradient": "" if (gradient in wrong if wrong else gradient == "none") else
                    "some gradient is wrong: did you check both models?" if gradient == "none" else
                    "gradcheck calls none of its name wrong",
        "prove": "" if (proof in failed if failed else proof == "none") else
                 "some check of prove fails: did you try both models?" if proof == "none" else
                 "prove has no failed check of its name",
        "because": "counts once the fault is right" if fault != name else "" if len(set(got.get("because", "").split())) >= BECAUSE else
                   f"at least {BECAUSE} different words are asked for: what you saw, and why it is that fault and no other",
    }
    points = {"fault": 60, "gradient": 15, "prove": 15, "because": 10}
    return [Check(what, 0 if reason else points[what], points[what], reason) for what, reason in reasons.items()]


def submissions(folder, number, secret, quick):
    """Writes right answers and wrong ones; yields what each is, its points, and words of a reason."""
    name = fault_of(number, secret)
    wrong, failed = ([*sorted(names), "none"][0] for names in evidence()[name])
    other = next(fault for fault in evidence() if fault != name)
    because = "the weights move in every row of the heatmap while the readout has right gradients throughout"
    for each in () if quick else evidence():
        if measured(each) != evidence()[each]:
            raise Refusal(f"evidence.tsv: {each} has other signs", 1)
    for what, answer, points, words in (
            ("right", (name, wrong, failed, because), 100, ""),
            ("empty", ("...", "...", "...", "..."), 0, "Nothing is written yet"),
            ("another fault", (other, wrong, failed, because), 30, "that is another fault"),
            ("no name of the list", ("gradient", wrong, failed, because), 30, "none of the names"),
            ("right and wrong exchanged", (name, "readout.W_o", "row-sum", because), 70, "gradcheck calls none"),
            ("without evidence", (name, "", "", ""), 60, "words are asked for")):
        (folder / "answer.txt").write_text("fault: {}\ngradient: {}\nprove: {}\nbecause: {}\n".format(*answer), encoding="utf-8")
        yield what, points, words
