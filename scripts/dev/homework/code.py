"""Assignments whose answer is a rnnsearch.c: its holes, the grader's own program, and the grade."""
import functools
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from homework.box import Box
from homework.common import COMPILER, LONG, QUICK, SHEETS, Check, Refusal, printable, read, rows, source_of, submitted
from homework.results import REPLACES, count_right, explain, near, results_of
from homework.tree import run

PLAIN = ["-std=gnu11", "-w", "-O1"]
GRADED = ["-DGRADED", "-fvisibility=hidden"]  # no function of a submission stands in for one that the sanitizers call
# AddressSanitizer finds what the checks left out would find, at a third of the time.
SANITIZED = ["-g", "-fsanitize=address,undefined", "-fno-sanitize=null,alignment,object-size,pointer-overflow",
             "-fno-sanitize-recover=all"]
# What code can call without hiding an error from the sanitizers, apart from what checks.c and the functions that it calls do.
HARMLESS = (r"a?(sin|cos|tan)h?f?|atan2f?|(exp2?|expm1|log(2|10|1p)?|pow|sqrt|cbrt|hypot|fabs|f(min|max|dim|mod|ma)|ceil|floor|round"
            r"|trunc|rint|lround|ldexp|copysign|erfc?|[lt]gamma)[fl]?|l?labs|abs|mem(cpy|move|set|cmp)|str(len|n?cat|n?cmp|n?cpy|r?chr)"
            r"|malloc|realloc|free|qsort|v?(f|s|sn)?printf|f?putc|f?puts|putchar|fwrite|rand(om)?|srand(om)?|_GLOBAL_OFFSET_TABLE_")
SPLICE = re.compile(r"\\[ \t\f\v]*\n")  # what joins two lines of C
EMPTY = "Nothing is written yet: the file is as it was handed out. Begin with the first hole; sheet.md says how."


def marked(name):
    """Whole lines, from the one with the mark of a solution to the one with its end."""
    return re.compile(rf"^.*/\* solution: {name}\b(?:.*\n)*?.*\bend \*/\n", re.MULTILINE)


def with_holes(name, source=None):
    """The source as it is handed out: in place of each solution what to write, and no other marks."""
    texts = iter(read(SHEETS / name / "holes.txt").split("\n\n"))
    code = marked(name).sub(lambda _: next(texts).rstrip("\n") + "\n", read(source or source_of(name)))
    return unmarked(code)


def unmarked(code):
    """A source without marks of solutions."""
    code = re.sub(r"solution: \w+; |; end(?= \*/)", "", code)
    code = re.sub(r"^ */\* solution: \w+ \*/\n", "", code, flags=re.MULTILINE)
    return re.sub(r" */\* (solution: \w+|end) \*/", "", code)


@functools.cache
def program(name, changes=(), flags=()):
    """The grader's own checks as bytes, where right by differences of the loss; or of a source with some words replaced."""
    source = source_of(name)
    code = read(source)
    for find, put in changes:
        if code.count(find) != 1:
            raise Refusal(f"{source} has {code.count(find)} times: {find}", 3)
        code = code.replace(find, put)
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        (Path(folder) / source.name).write_text(code, encoding="utf-8")
        shutil.copy(SHEETS / "checks.c", folder)
        flags = flags or ([] if changes else ["-DREFERENCE"])
        run([COMPILER, *PLAIN, *flags, "checks.c", "-lm", "-o", "checks"], cwd=folder)
        return (Path(folder) / "checks").read_bytes()


def run_reference(name, part, seed, changes, given):
    """Runs the grader's own program. Written anew for each run, nobody can have exchanged it."""
    with tempfile.TemporaryDirectory(prefix="assignment-") as folder:
        path = Path(folder) / "checks"
        path.write_bytes(program(name, changes))
        path.chmod(0o700)
        return subprocess.run([path, part, str(seed)], input=given, text=True, capture_output=True, check=False, timeout=LONG)


@functools.cache
def reference(name, part, seed, changes=(), given=""):
    """The results of the grader's own program; all of them, unless it was changed or given a student's numbers."""
    try:
        done = run_reference(name, part, seed, changes, given)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess((), 1, "")
    results = results_of(done.stdout)
    if not changes and not given and (done.returncode or not results):
        raise Refusal(f"the grader's own program has no results of {part}", 3)
    return results


def fair(assignment, seed):
    """The first seed from this one on for which the right backward pass is right: where the largest of two is about the other
    one, as in one of fifty models, differences are no derivatives."""
    unchanged = (("int main(", "int main("),)  # its own backward pass in place of differences
    for each in range(seed, seed + 50):
        want, got = (reference(assignment, "gradient", each, changes) for changes in ((), unchanged))
        if want.keys() == got.keys() and all(near(got[name].after, want[name].after) for name in want):
            return each
    raise Refusal("the grader's own gradients are wrong", 3)


def known_mistake(name, part, seed, wrong):
    """What is said of the common wrong solution that returns the same results, or ""."""
    for _, _, hint, find, put in rows(name, "wrong.tsv"):
        if re.match("it |numbers|nothing|the right numbers", hint):
            continue  # explain has seen that already
        found = reference(name, part, seed, ((find, put),))
        if all(what in found and near(got.after, found[what].after) for what, got in wrong.items()):
            return hint
    return ""


def directives(code):
    """What of a C source the preprocessor obeys, without comments, and raw strings, which could hide some. A literal or
    comment without an end goes up to the end of its line or of the source, so that the time is linear."""
    code = SPLICE.sub("", code)
    literal = r'"(?:\\.|[^"\\\n])*"?|' + r"'(?:\\.|[^'\\\n])*'?"
    code = re.sub(rf"({literal})|(\b(?:u8|[uUL])?R(?=\"))|//[^\n]*|/\*.*?(?:\*/|\Z)",
                  lambda found: found[1] or ("\n#R" if found[2] else " "), code, flags=re.DOTALL)
    return {" ".join(line.split()) for line in re.findall(r"^[ \t\f\v]*(?:#|%:).*|\b_Pragma\b.*", code, re.MULTILINE)}


def symbols(listed):
    """{name: whether it is defined there} of what nm prints."""
    found = (line.split() for line in listed.splitlines())
    return {words[-1].split("@")[0]: words[-2] not in "Uwv" for words in found if len(words) > 1}


@functools.cache
def own_symbols(name):
    with tempfile.NamedTemporaryFile(prefix="assignment-") as file:
        file.write(program(name, flags=tuple(GRADED)))
        file.flush()
        return symbols(run(["nm", file.name]))


def hides_errors(assignment, code, names):
    """The word of a submission, or the name of its program, by which it could hide errors from the sanitizers; or ""."""
    if found := re.search(r"\b_*(?:asm|attribute)_*\b|\w*sanitize\w*", SPLICE.sub("", code), re.IGNORECASE):
        return found[0]
    own = own_symbols(assignment)
    for name, defined in names.items():
        harmless = re.fullmatch(HARMLESS, name)
        if (own[name] < defined if name in own else harmless or name.startswith("__") if defined else not harmless):
            return name
    return ""


class Submission:
    """A rnnsearch.c of a student in a box, and what its functions return: one program, with sanitizers, has the points and the
    sanitizers' verdict, so a submission gains nothing by telling it from another one. What is wrong in it is tried without
    sanitizers, for all points but theirs."""

    def __init__(self, name, code, seed, box):
        self.name, self.seed, self.box, self.code = name, seed, box, code
        self.source = source_of(name)
        (box.folder / self.source.name).write_text(code, encoding="utf-8")
        (box.folder / "checks.c").write_text(read(SHEETS / "checks.c"), encoding="utf-8")
        self.unsound = ""  # why the sanitizers' points are lost
        self.broken = self.refused(code)

    def refused(self, code):
        """Why a submission is not run, or "". Both programs are built before any runs, so none can be exchanged."""
        if more := directives(code) - directives(read(self.source)):
            return f"leave the lines for the preprocessor as they are handed out, without '{min(more)}'"
        if (built := self.build([], "checks")).trouble:
            said = next((line for line in built.err.splitlines() if "error" in line), "the compiler was stopped")
            return f"it does not compile: {said}"
        if (listed := self.box.run(["nm", "checks"])).trouble:
            return f"the names of its program cannot be listed: {listed.trouble}"
        if found := hides_errors(self.name, code, symbols(listed.out)):
            self.unsound = f"they count without '{found}', which could hide errors from them"
            return "" if self.box.bubble else f"no program with '{found}' is run without bubblewrap, and no assignment needs it"
        self.unsound = self.build(SANITIZED, "sanitized").trouble
        return ""

    def build(self, flags, program_name):
        """Compiles a submission; where the grader's own code does not compile either, that is not the student's fault."""
        words = [COMPILER, *PLAIN, *GRADED, *flags, "checks.c", "-lm", "-o", program_name]
        built = self.box.run(words, seconds=LONG, writable=True)
        if built.trouble:
            source = self.box.folder / self.source.name
            source.write_text(read(self.source), encoding="utf-8")
            if (own := self.box.run(words, seconds=LONG, writable=True)).trouble:
                raise Refusal(f"the grader's own {source.name} does not compile: {own.trouble}: {printable(own.err[-300:])}", 3)
            source.write_text(self.code, encoding="utf-8")
        return built

    @functools.cache
    def outcome(self, part, most=""):
        """Runs one part with sanitizers, unless their points are lost; and without them if something is wrong there."""
        seconds = LONG if part == "train" else QUICK
        if not self.unsound:
            done = self.box.run(["./sanitized", part, str(self.seed)], 2 * seconds, sanitized=True)
            reason = self.error(part, done)
            if not reason and not (self.train(most, done) if part == "train" else self.compare(part, done)):
                return done
        plain = self.box.run(["./checks", part, str(self.seed)], seconds)
        if not self.unsound:
            different = f"{part}: with sanitizers it returns other numbers: are some read before they are written?"
            self.unsound = reason or (different if done.out != plain.out else "")
        return plain

    def error(self, part, done):
        """What sanitizers have found, or ""."""
        said = re.search(r"(ERROR: AddressSanitizer: [\w-]+|runtime error: .*)", done.err)
        where = re.search(r"in (\w+) (?:\S*/)?((?:rnnsearch|transformer)\.c:\d+)", done.err)
        if said or done.trouble:
            return f"{part}: {said[1] if said else done.trouble}" + (f" in {where[1]}, {where[2]}" if where else "")
        wanted = {"weights"} if part == "train" else reference(self.name, part, self.seed).keys()
        return "" if wanted <= results_of(done.out).keys() else f"{part}: the program ended before it returned its results"

    def compare(self, part, done, pattern=".*"):
        """The reason why results of a part are wrong, or ""."""
        wanted = {name: result for name, result in reference(self.name, part, self.seed).items() if re.fullmatch(pattern, name)}
        if not wanted:
            raise Refusal(f"{part} has no result {pattern}", 3)
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

    def train(self, most, done):
        """Why the loss, which the grader measures, of the weights that a short training returns is too large, or ""."""
        weights = results_of(done.out).get("weights")
        if not weights:
            return done.trouble or "the program ended before it returned weights"
        if not all(map(math.isfinite, weights.after)):
            return "weights are NaN or infinite"
        measured = reference(self.name, "evaluate", self.seed, given=" ".join(map(str, weights.after)))
        loss = measured["loss"].after[0] if "loss" in measured else math.inf
        return "" if loss <= float(most) else f"the loss per pair is {loss:.3g}, at most {most} is asked for"


def public_checks(name, folder):
    """The code with holes, and what a student compares its results with."""
    others = ("gradient", "train", "sanitizers")  # ./rnnsearch check is for the gradient
    parts = list(dict.fromkeys(row[1] for row in rows(name, "points.tsv") if row[1] not in others))
    (folder / "expected").mkdir()
    for part in parts:
        (folder / "expected" / part).write_text(run_reference(name, part, 1, (), "").stdout, encoding="utf-8")
    source = source_of(name)
    (folder / source.name).write_text(with_holes(name), encoding="utf-8")
    shutil.copy(SHEETS / "checks.c", folder)
    makefile = read(SHEETS / "files" / "Makefile").replace("PARTS", " ".join(parts)).replace("rnnsearch", source.stem)
    own = "@:" if name == "beam" else f"./{source.stem} check"
    (folder / "Makefile").write_text(makefile.replace("RNNSEARCH", own), encoding="utf-8")


def grade_code(name, folder, seed, allow_bare):
    """Grades an assignment whose answer is a rnnsearch.c."""
    code = submitted(folder, source_of(name).name)
    table = [(title, int(of), part, what) for of, part, what, title in rows(name, "points.tsv")]
    if code.split() == with_holes(name).split():
        return [Check(title, 0, of, EMPTY) for title, of, *_ in table]
    parts = list(dict.fromkeys(part for _, _, part, _ in table if part not in ("train", "sanitizers")))
    seed = fair(name, seed) if "gradient" in parts else seed
    for part in parts:
        reference(name, part, seed)  # before foreign code runs
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
                reason = work.train(what, work.outcome(part, what))
            elif part != "sanitizers":
                reason = work.compare(part, work.outcome(part), what)
                if part == "gradient" and not reason and any(
                        "backward" in check.name and check.reason and REPLACES not in check.reason for check in checks):
                    reason = "counts once the backward functions are right: differences of the loss are no backward pass"
            elif sum(check.points for check in checks) * 2 < sum(check.of for check in checks):
                reason = "counts once half of the other points are there"
            else:
                reason = work.unsound
            checks.append(Check(title, 0 if reason else of, of, reason))
    finally:
        box.close()
    return checks
