"""From the long table of `softalign align --site encoder --tidy` of `trigger`: the weight that rows of signs put on the
first word, on `!` and on </s>, each in the head with the most, and the sum of their weights and of those of `!`, the mean
of the heads."""
import collections
import csv
import sys

total, rows, on = collections.Counter(), collections.Counter(), collections.Counter()
heads = 0
with open(sys.argv[1], encoding="utf-8", newline="") as file:
    for _, head, _, target, s, source, weight in (row[:7] for row in list(csv.reader(file))[1:]):
        if target == "</s>":
            continue
        asks = target == "!"
        total[asks] += float(weight)
        rows[asks] += s == "0"
        if not asks:
            on[head, "first"] += float(weight) * (s == "0")
            on[head, source] += float(weight)
            heads = max(heads, int(head))
most = [max(on[str(head), place] for head in range(1, heads + 1)) * heads / rows[False] for place in ("first", "!", "</s>")]
print(*(f"{figure:.2f}" for figure in [*most, total[False] / rows[False], total[True] / rows[True]]), sep="\t")
