"""Of the scores and weights that attend printed into files SCORE-D.csv: the variance of all scores, the mean entropy of
a row of weights, and the mean Frobenius norm of the Jacobian of its softmax, diag(alpha) - alpha alpha^T."""
import math
import sys

print("score,d,variance,entropy,gradient")
for path in sys.argv[1:]:
    blocks, block = {}, None
    with open(path, encoding="utf-8") as file:
        for line in filter(str.strip, file):
            if line.startswith("#"):
                block = blocks.setdefault(line.split(",")[0].strip("# \n"), [])
            else:
                block.append([float(cell) for cell in line.split(",")])
    scores = [score for row in blocks["scores"] for score in row]
    variance = sum(x * x for x in scores) / len(scores) - (sum(scores) / len(scores)) ** 2
    entropy = gradient = 0
    for row in blocks["weights"]:
        entropy -= sum(a * math.log(a) for a in row if a > 0)
        second, third = sum(a ** 2 for a in row), sum(a ** 3 for a in row)
        gradient += math.sqrt(max(second - 2 * third + second ** 2, 0))  # below 0 only by rounding
    score, _, d = path.removesuffix(".csv").rpartition("-")
    rows = len(blocks["weights"])
    print(f"{score},{d},{variance:.4g},{entropy / rows:.4g},{gradient / rows:.4g}")
