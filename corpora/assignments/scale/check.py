"""The data that each student gets by a number, and what answers to it are worth."""
import math
import random
import statistics

from homework.common import Check, Refusal, submitted

NUMBERED = True
SIZES = (4, 64, 256)
KEYS, LENGTH, DRAWS, STEADY, LARGEST = 200, 8, 1000, 0.05, 1e6
ONE, TWO = "one.csv", "two.csv"


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def normal(random_numbers, size):
    return [random_numbers.gauss(0, 1) for _ in range(size)]


def softmax(scores):
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    return [weight / sum(weights) for weight in weights]


def orthonormal(numbers, count, size):
    """Random directions, each orthogonal to the others (Gram and Schmidt)."""
    rows = []
    for _ in range(count):
        row = normal(numbers, size)
        for other in rows:
            row = [x - dot(row, other) * y for x, y in zip(row, other)]
        rows.append([x / math.hypot(*row) for x in row])
    return rows


def rounded(rows):
    return [[round(x, 4) for x in row] for row in rows]


class Data:
    """Queries and keys of three sizes; directions of four keys, and their values."""

    def __init__(self, number):
        numbers = random.Random(f"scale {number}")
        self.query = {d: rounded([normal(numbers, d)])[0] for d in SIZES}
        self.keys = {d: rounded(normal(numbers, d) for _ in range(KEYS)) for d in SIZES}
        self.directions = rounded(orthonormal(numbers, 4, LENGTH))
        self.values = rounded([2 * x for x in row] for row in orthonormal(numbers, 4, 4))

    def scores(self, d, scale=1.0):
        return [scale * dot(self.query[d], key) for key in self.keys[d]]

    def answers(self):
        """Names and numbers of answers.tsv."""
        right = {}
        for way in ("raw", "scaled"):
            for d in SIZES:
                scores = self.scores(d, 1 / math.sqrt(d) if way == "scaled" else 1)
                right[f"variance-{way}-{d}"] = statistics.pvariance(scores)
                right[f"largest-{way}-{d}"] = max(softmax(scores))
        return right

    def drawn_keys(self, numbers):
        """The first key is as often too short as too long; all have a little noise."""
        lengths = [1 + numbers.choice((-0.5, 0.5)), 1, 1, 1]
        return [[size * x + numbers.gauss(0, 0.01) for x in row] for size, row in zip(lengths, self.directions)]

    def contexts(self, queries, seed):
        """c, the mean over heads, for many draws of the keys."""
        numbers = random.Random(seed)
        for _ in range(DRAWS):
            keys = self.drawn_keys(numbers)
            heads = [softmax([dot(query, key) for key in keys]) for query in queries]
            alpha = [sum(column) / len(heads) for column in zip(*heads)]
            yield [dot(alpha, column) for column in zip(*self.values)]


def write(path, rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


def hand_out(folder, number, _secret):
    data = Data(number)
    for d in SIZES:
        write(folder / f"query-{d}.csv", [data.query[d]])
        write(folder / f"keys-{d}.csv", data.keys[d])
    write(folder / "directions.csv", data.directions)
    write(folder / "values.csv", data.values)
    numbers = random.Random(number)
    for draw in range(1, 11):
        write(folder / f"drawn-{draw}.csv", data.drawn_keys(numbers))
    (folder / "answers.tsv").write_text("".join(f"{name}\t\n" for name in data.answers()), encoding="utf-8")


def table(text):
    """The numbers of a CSV file, or None; what is larger is none, since its products could be infinite."""
    try:
        rows = [[float(cell) for cell in line.split(",")] for line in text.split()]
    except ValueError:
        return None
    good = all(len(row) == LENGTH and all(abs(x) <= LARGEST for x in row) for row in rows)
    return rows if good else None


def judge_answers(got, right, pattern):
    """Why answers whose name has a pattern are wrong, or ""."""
    for name, value in right.items():
        if pattern not in name:
            continue
        try:
            answer = float(got.get(name, ""))
        except ValueError:
            return f"{name} is not a number in answers.tsv"
        if math.isclose(answer, value, rel_tol=0.02):
            continue
        other = name.replace("raw", "?").replace("scaled", "raw").replace("?", "scaled")
        if math.isclose(answer, right[other], rel_tol=0.02):
            return f"{name}: that is {other}"
        d = int(name.rsplit("-", 1)[1])
        if "variance-scaled" in name and math.isclose(answer, right[other] / d ** 2, rel_tol=0.02):
            return f"{name}: that is what division by {d} makes; is it the scale of Vaswani et al.?"
        if math.isclose(answer, math.sqrt(value), rel_tol=0.01):
            return f"{name}: that is its square root, the standard deviation"
        return f"{name} is not right"
    return ""


def judge_queries(data, text, heads, seed):
    """Why queries do not do what is asked, or ""."""
    queries = table(text)
    if not queries or len(queries) != heads:
        return f"{heads} lines of {LENGTH} numbers are expected, none above a million"
    drawn = list(data.contexts(queries, seed))
    wanted = [(x + y) / 2 for x, y in zip(*data.values[:2])]
    mean = [statistics.fmean(column) for column in zip(*drawn)]
    if not math.dist(mean, wanted) <= 0.1:
        alpha = [statistics.fmean(column) for column in zip(*(
            softmax([dot(query, row) for row in data.directions]) for query in queries))]
        elsewhere = sum(alpha[2:])
        return (f"the weights of keys 3 and 4 sum to {elsewhere:.2f}: the query must be sharper"
                if elsewhere > 0.05 else "the mean of c is not the mean of the first two values")
    spread = statistics.fmean(math.dist(c, mean) ** 2 for c in drawn)
    if heads == 2 and not spread <= STEADY:
        return f"the variance of c is {spread:.2g}, at most {STEADY} is asked for: does one head depend on a length?"
    return ""


def grade(folder, number, _secret, seed, _allow_bare):
    data = Data(number)
    got = dict(line.split("\t")[:2] for line in submitted(folder, "answers.tsv").splitlines() if "\t" in line)
    if not any(value.strip() for value in got.values()) and not (folder / ONE).exists():
        return [Check("all", 0, 100, "Nothing is written yet: begin with answers.tsv; sheet.md says how.")]
    right = data.answers()
    checks = [("variances without the scale", 15, judge_answers(got, right, "variance-raw")),
              ("variances with the scale", 15, judge_answers(got, right, "variance-scaled")),
              ("largest weights", 10, judge_answers(got, right, "largest"))]
    for title, of, file, heads in (("one head: the mean of c", 25, ONE, 1), ("two heads: mean and variance", 35, TWO, 2)):
        try:
            reason = judge_queries(data, submitted(folder, file), heads, seed)
        except Refusal as refusal:
            reason = str(refusal).replace(str(folder), "the folder")
        checks.append((title, of, reason))
    return [Check(title, 0 if reason else of, of, reason) for title, of, reason in checks]


def submissions(folder, number, _secret, _quick):
    """Writes the right solution and wrong ones; yields what each is, its points, and words of a reason."""
    data = Data(number)
    right = data.answers()
    first, second = ([30 * x for x in row] for row in data.directions[:2])
    both = [x + y for x, y in zip(first, second)]

    def leave(answers, one, two):
        lines = (f"{name}\t{value}\n" for name, value in answers.items())
        (folder / "answers.tsv").write_text("".join(lines), encoding="utf-8")
        write(folder / ONE, [one])
        write(folder / TWO, two)

    leave(right, both, [first, second])
    yield "right", 100, ""
    by_d = {name: value / int(name.rsplit("-", 1)[1]) if "variance-scaled" in name else value
            for name, value in right.items()}
    leave(by_d, both, [first, second])
    yield "divided by d", 85, "that is what division by 4 makes"
    leave(right, both, [both, both])
    yield "the same query twice", 65, "does one head depend on a length?"
    leave(right, [x / 30 for x in both], [[x / 30 for x in row] for row in (first, second)])
    yield "queries of length 1", 40, "the query must be sharper"
    leave(right, first, [first, first])
    yield "the first value alone", 40, "not the mean of the first two values"
    leave(right, [1e308] * LENGTH, [[1e308] * LENGTH] * 2)
    yield "products that are infinite", 40, "none above a million"
    leave({name: math.sqrt(value) if "variance" in name else value for name, value in right.items()}, both, [first, second])
    yield "standard deviations", 70, "the standard deviation"
