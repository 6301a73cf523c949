"""What the functions of a submission return, and what is wrong with it."""
import math
from typing import NamedTuple

REPLACES = "it replaces what others have added before: a backward function only adds (+=)"


class Result(NamedTuple):
    rows: int
    cols: int
    after: list
    before: list


def results_of(text):
    """The results that checks.c prints. What is not in its form is no result."""
    results = {}
    for line in text.splitlines():
        try:
            name, count, cols, after, before = line.split("\t")
            result = Result(int(count), int(cols), *([float(x) for x in part.split()] for part in (after, before)))
        except ValueError:
            continue
        if len(result.after) == len(result.before) == result.rows * result.cols:
            results[name] = result
    return results


def near(one, other, tolerance=1e-6):
    """Whether a list of numbers is the other one but for rounding; nothing is near what is infinite or NaN."""
    return len(one) == len(other) and math.dist(one, other) <= tolerance * math.hypot(*other) + 1e-9 < math.inf


def explain(got, want, tolerance=1e-6):
    """What is wrong with a result, without the right one; "" if nothing is seen at once."""
    if len(got.after) != len(want.after):
        return ""
    for what, holds in (("NaN", math.isnan), ("infinite", math.isinf)):
        if any(map(holds, got.after)):
            return f"{sum(map(holds, got.after))} of {len(got.after)} numbers are {what}"
    if near(got.after, want.before, tolerance):
        return "nothing is written there, or only zeros are added" if any(want.before) else "all numbers are 0"
    change, right = ([x - y for x, y in zip(numbers, want.before)] for numbers in (got.after, want.after))
    if any(want.before) and near(got.after, right, tolerance):
        return REPLACES
    for found, sought in ((change, right), (got.after, want.after)):
        length = sum(x * x for x in sought)
        factor = sum(x * y for x, y in zip(found, sought)) / length if length else 0
        if len(sought) > 1 and near(found, [factor * x for x in sought], tolerance) and abs(factor) > 1e-6:
            return "it has the wrong sign" if near([factor], [-1], tolerance) else f"it is off by a constant factor, {factor:.6g}"
        turned = [sought[i * want.cols + j] for j in range(want.cols) for i in range(want.rows)]
        if min(want.rows, want.cols) > 1 and near(found, turned, tolerance):
            return "it is transposed: rows and columns are exchanged"
        if len(sought) > 1 and near(sorted(found), sorted(sought), tolerance):
            return "the right numbers stand in another order"
    return ""


def count_right(got, want):
    """The last resort of an explanation."""
    if len(got.after) != len(want.after):
        return f"{len(got.after)} numbers where {len(want.after)} are expected"
    good = sum(near([x], [y]) for x, y in zip(got.after, want.after))
    return f"{good} of {len(want.after)} numbers are right" if good else "no number is right"
