"""Assignments whose answer is a rnnsearch.c: its holes, the grader's own program, and the grade."""
import functools
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from homework.box import Box, Outcome
from homework.common import COMPILER, LONG, QUICK, SHEETS, SOURCE, Check, Refusal, read, rows, submitted
from homework.results import count_right, explain, near, results_of

PLAIN = ["-std=gnu11", "-w", "-O0"]  # compiled in no time; only a training takes longer than that
OPTIMIZED = ["-std=gnu11", "-w", "-O1"]
SANITIZED = [*PLAIN, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
EMPTY = "Nothing is written yet: the file is as it was handed out. Begin with the first hole; sheet.md says how."


def marked(name):
    """Whole lines, from the one with the mark of a solution to the one with its end."""
    return re.compile(rf"^.*/\* solution: {name}\b(?:.*\n)*?.*\bend \*/\n", re.MULTILINE)


def with_holes(name):
    """rnnsearch.c as it is handed out: in place of each solution what to write, and no other marks."""
    texts = iter(read(SHEETS / name / "holes.txt").split("\n\n"))
    code = marked(name).sub(lambda _: next(texts).rstrip("\n") + "\n", read(SOURCE))
    return unmarked(code)


def unmarked(code):
    """A source without marks of solutions."""
    code = re.sub(r"solution: \w+; |; end(?= \*/)", "", code)
    code = re.sub(r"^ */\* solution: \w+ \*/\n", "", code, flags=re.MULTILINE)
    return re.sub(r" */\* (solution: \w+|end) \*/", "", code)


@functools.cache
def program(changes=()):
    """The grader's own checks as bytes, where right by differences of the loss; or of rnnsearch.c with some words replaced."""
    code = read(SOURCE)
    for find, put in changes:
        if code.count(find) != 1:
            raise Refusal(f"{SOURCE} has {code.count(find)} times: {find}", 3)
        code = code.replace(find, put)
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        (Path(folder) / "rnnsearch.c").write_text(code, encoding="utf-8")
        shutil.copy(SHEETS / "checks.c", folder)
        flags = PLAIN if changes else [*PLAIN, "-DREFERENCE"]
        subprocess.run([COMPILER, *flags, "checks.c", "-lm", "-o", "checks"], cwd=folder, check=True)
        return (Path(folder) / "checks").read_bytes()


@functools.cache
def reference(part, seed, changes=(), given=""):
    """What the grader's own program prints. Written anew for each run, nobody can have exchanged it."""
    code = program(changes)
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        path = Path(folder) / "checks"
        path.write_bytes(code)
        path.chmod(0o700)
        try:
            done = subprocess.run([path, part, str(seed)], input=given, text=True, capture_output=True, check=False,
                                  timeout=LONG)
        except subprocess.TimeoutExpired:
            return ""
    return done.stdout


def known_mistake(name, part, seed, wrong):
    """What is said of the common wrong solution that returns the same results, or ""."""
    for _, _, hint, find, put in rows(name, "wrong.tsv"):
        if re.match("it |numbers|nothing|the right numbers", hint):
            continue  # explain has seen that already
        found = results_of(reference(part, seed, ((find, put),)))
        if all(what in found and near(got.after, found[what].after) for what, got in wrong.items()):
            return hint
    return ""


def directives(code):
    """The lines of a C source that the preprocessor obeys, without comments."""
    code = code.replace("\\\n", "")
    literal = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
    code = re.sub(rf"({literal})|//[^\n]*|/\*.*?\*/", lambda found: found[1] or " ", code, flags=re.DOTALL)
    return {" ".join(line.split()) for line in re.findall(r"^[ \t\f\v]*(?:#|%:).*", code, re.MULTILINE)}


class Submission:
    """A rnnsearch.c of a student in a box, and what its functions return."""

    def __init__(self, name, code, seed, box):
        self.name, self.seed, self.box = name, seed, box
        self.stopped = ""
        (box.folder / "rnnsearch.c").write_text(code, encoding="utf-8")
        (box.folder / "checks.c").write_text(read(SHEETS / "checks.c"), encoding="utf-8")
        self.broken = self.refused(code)

    def refused(self, code):
        """Why a submission is not run, or ""."""
        if more := directives(code) - directives(read(SOURCE)):
            return f"leave the lines for the preprocessor as they are handed out, without '{min(more)}'"
        built = self.build(PLAIN, "checks")
        if not built.trouble:
            return ""
        said = next((line for line in built.err.splitlines() if "error" in line), "the compiler was stopped")
        return f"it does not compile: {said}"

    def build(self, flags, program_name):
        words = [COMPILER, *flags, "checks.c", "-lm", "-o", program_name]
        return self.box.run(words, seconds=LONG, writable=True)

    @functools.cache
    def outcome(self, part):
        """Runs one part, unless another one had to be stopped, which would be waited for again."""
        if self.stopped:
            return Outcome("", "", self.stopped)
        if part == "train" and (built := self.build(OPTIMIZED, "checks")).trouble:
            return built
        done = self.box.run(["./checks", part, str(self.seed)], LONG if part == "train" else QUICK)
        if "processor time" in done.trouble:
            self.stopped = f"not run, since {part} had to be stopped: {done.trouble}"
        return done

    def compare(self, part, pattern):
        """The reason why results of a part are wrong, or ""."""
        wanted = {name: result for name, result in results_of(reference(part, self.seed)).items()
                  if re.fullmatch(pattern, name)}
        done = self.outcome(part)
        got = results_of(done.out)
        wrong = [name for name, result in wanted.items()
                 if name not in got or not near(got[name].after, result.after)]
        if not wrong:
            return ""
        first = wrong[0]
        if first not in got:
            reason = done.trouble or "the program ended before it returned its results"
        else:
            mistaken = {what: got[what] for what in wrong if what in got}
            reason = explain(got[first], wanted[first]) or known_mistake(self.name, part, self.seed, mistaken)
            reason = f"{first}: {reason or count_right(got[first], wanted[first])}"
        return reason + (f" ({len(wrong)} of {len(wanted)} results are wrong)" if len(wanted) > 1 else "")

    def train(self, most):
        """The grader measures the loss of the weights that a short training returns."""
        done = self.outcome("train")
        weights = results_of(done.out).get("weights")
        if not weights:
            return done.trouble or "the program ended before it returned weights"
        if not all(map(math.isfinite, weights.after)):
            return "weights are NaN or infinite"
        measured = results_of(reference("evaluate", self.seed, given=" ".join(map(str, weights.after))))
        loss = measured["loss"].after[0] if "loss" in measured else math.inf
        return "" if loss <= float(most) else f"the loss per pair is {loss:.3g}, at most {most} is asked for"

    def sanitize(self, parts):
        if (built := self.build(SANITIZED, "sanitized")).trouble:
            return built.trouble
        for part in parts:
            done = self.box.run(["./sanitized", part, str(self.seed)], 4 * QUICK, sanitized=True)
            if done.trouble:
                said = re.search(r"(ERROR: AddressSanitizer: [\w-]+|runtime error: .*)", done.err)
                where = re.search(r"in (\w+) (?:\S*/)?(rnnsearch\.c:\d+)", done.err)
                return f"{part}: {said[1] if said else done.trouble}" + (f" in {where[1]}, {where[2]}" if where else "")
        return ""


def public_checks(name, folder):
    """The code with holes, and what a student compares its results with."""
    others = ("gradient", "train", "sanitizers")  # ./rnnsearch check is for the gradient
    parts = list(dict.fromkeys(row[1] for row in rows(name, "points.tsv") if row[1] not in others))
    (folder / "expected").mkdir()
    for part in parts:
        (folder / "expected" / part).write_text(reference(part, 1), encoding="utf-8")
    (folder / "rnnsearch.c").write_text(with_holes(name), encoding="utf-8")
    shutil.copy(SHEETS / "checks.c", folder)
    makefile = read(SHEETS / "files" / "Makefile").replace("PARTS", " ".join(parts))
    own = "@:" if name == "beam" else "./rnnsearch check"
    (folder / "Makefile").write_text(makefile.replace("RNNSEARCH", own), encoding="utf-8")


def grade_code(name, folder, seed, allow_bare):
    """Grades an assignment whose answer is a rnnsearch.c."""
    code = submitted(folder, "rnnsearch.c")
    table = [(title, int(of), part, what) for of, part, what, title in rows(name, "points.tsv")]
    if code.split() == with_holes(name).split():
        return [Check(title, 0, of, EMPTY) for title, of, *_ in table]
    parts = list(dict.fromkeys(part for _, _, part, _ in table if part not in ("train", "sanitizers")))
    for part in parts:
        reference(part, seed)  # before foreign code runs
    box = Box(allow_bare)
    checks = []
    try:
        work = Submission(name, code, seed, box)
        for title, of, part, what in table:
            if work.broken:
                reason = work.broken
            elif part == "train" and any(check.reason for check in checks if "gradient of every" in check.name):
                reason = "counts once all gradients are right"
            elif part == "train":
                reason = work.train(what)
            elif part != "sanitizers":
                reason = work.compare(part, what)
            elif sum(check.points for check in checks) * 2 < sum(check.of for check in checks):
                reason = "counts once half of the other points are there"
            else:
                reason = work.sanitize(parts)
            checks.append(Check(title, 0 if reason else of, of, reason))
    finally:
        box.close()
    return checks
