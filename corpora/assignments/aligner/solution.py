#!/usr/bin/env python3
"""Model 1 with a prior for the diagonal (after Dyer et al. 2013), whose strength and share of NULL are given."""
import math
import sys
from collections import defaultdict

ITERATIONS, STRENGTH, NULL = 6, 6, 0.05


def prior(i, j, source, target):
    """How probable a link is before the words are known; i = -1 is NULL."""
    if i < 0:
        return NULL
    distances = [math.exp(-STRENGTH * abs(k / source - j / target)) for k in range(source)]
    return (1 - NULL) * distances[i] / sum(distances)


def candidates(source, target):
    """For each target word: the source words that it may come from, with their prior."""
    for j, word in enumerate(target):
        yield j, word, [(i, source[i] if i >= 0 else None, prior(i, j, len(source), len(target)))
                        for i in range(-1, len(source))]


pairs = [[side.split() for side in line.rstrip("\n").split("\t")] for line in sys.stdin]
sentences = [list(candidates(source, target)) for source, target in pairs]
t = defaultdict(lambda: 1e-3)
for _ in range(ITERATIONS):
    count, total = defaultdict(float), defaultdict(float)
    for sentence in sentences:
        for _, word, origins in sentence:
            weights = [p * t[word, origin] for _, origin, p in origins]
            for (_, origin, _), weight in zip(origins, weights):
                count[word, origin] += weight / sum(weights)
                total[origin] += weight / sum(weights)
    t = defaultdict(float, {(word, origin): c / total[origin] for (word, origin), c in count.items()})
for sentence in sentences:
    links = []
    for j, word, origins in sentence:
        i = max(origins, key=lambda origin: origin[2] * t[word, origin[1]])[0]
        if i >= 0:
            links.append((i, j))
    print(" ".join(f"{i}-{j}" for i, j in links))
