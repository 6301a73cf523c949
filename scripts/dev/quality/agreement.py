"""How the attributions of several seeds agree: agreement.py METHOD,... FILE..., files of `attribute --jsonl`, one for each
seed. Prints for each method: Kendall's tau-b of its scores and occlusion's in the rows of target words, over source words
(both without EOS), the same of its scores with two seeds, and the Jensen-Shannon divergence of attention between two
seeds; means over rows and seeds."""
import json
import math
import sys


def sign(x):
    return (x > 0) - (x < 0)


def tau(one, other):
    """Between two rows, whose last number is EOS's; None where one has equal scores alone."""
    same = apart = ties = 0
    for i in range(len(one) - 1):
        for j in range(i):
            a, b = sign(one[i] - one[j]), sign(other[i] - other[j])
            same, apart, ties = same + a * b, apart + a * a, ties + b * b
    return same / math.sqrt(apart * ties) if apart * ties else None


def divergence(one, other):
    total = 0
    for p, q in zip(one, other):
        middle = (p + q) / 2
        total += sum(x * math.log(x / middle) / 2 for x in (p, q) if x > 0)
    return total


def mean(values):
    values = [value for value in values if value is not None]
    return f"{sum(values) / len(values):.3f}" if values else "nan"


methods = sys.argv[1].split(",")
seeds = []  # of each seed and pair, {method: rows of target words}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        seeds.append([dict(zip(methods, json.loads(line)["heads"])) for line in file])
# The row of each target word but EOS with a seed and with the next one: {method: scores} of both.
rows = [({name: scores[name][t] for name in methods}, {name: others[name][t] for name in methods})
        for at, seed in enumerate(seeds) for scores, others in zip(seed, seeds[(at + 1) % len(seeds)])
        for t in range(len(scores[methods[0]]) - 1)]
for name in methods:
    apart = "-"
    if name == methods[0]:
        apart = mean(divergence(row[name], other[name]) for row, other in rows)
    print(name, mean(tau(row[name], row["occlusion"]) for row, _ in rows),
          mean(tau(row[name], other[name]) for row, other in rows), apart, sep="\t")
