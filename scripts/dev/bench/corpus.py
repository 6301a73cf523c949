"""A corpus of meaningless words with the lengths and the vocabulary of a real one, for measuring where there is no such
text: sources of 13 words on average, targets one longer, as in Multi30k's English and French; words as frequent as
Zipf's law has them, each of them at least twice."""
import argparse
import math

parser = argparse.ArgumentParser(description=__doc__)
for name in ("pairs", "source-words", "target-words"):
    parser.add_argument(f"--{name}", type=int, required=True)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--words", type=int, default=0, help="every sentence has exactly so many")
given = parser.parse_args()
pairs, words = given.pairs, given.words
state = 1000 + given.seed


def uniform():
    """The minimal standard generator: the same numbers everywhere."""
    global state
    state = state * 16807 % 2147483647
    return state / 2147483647


def normal():
    return math.sqrt(-2 * math.log(uniform())) * math.cos(6.283185307179586 * uniform())


def bounded(x, least, most):
    return max(least, min(most, int(x + 0.5)))


class Side:
    def __init__(self, letter, count):
        self.letter, self.count, self.written, self.given = letter, count, 0, 0
        self.every = max(1, int(pairs * (words or 13) / (2 * count)))  # a word in turn, not drawn
        self.share, total = [], 0  # the probability of the words up to each
        for at in range(1, count + 1):
            total += at ** -1.07
            self.share.append(total)
        self.share = [share / total for share in self.share]

    def word(self):
        self.written += 1
        if self.written % self.every == 0:
            self.given += 1
            return f"{self.letter}{1 + (self.given - 1) % self.count}"
        x, low, high = uniform(), 1, self.count
        while low < high:
            middle = (low + high) // 2
            if self.share[middle - 1] < x:
                low = middle + 1
            else:
                high = middle
        return f"{self.letter}{low}"

    def sentence(self, count):
        return " ".join(self.word() for _ in range(count))


for _ in range(10):
    uniform()
sides = Side("s", given.source_words), Side("t", given.target_words)
for _ in range(pairs):
    source = words or bounded(math.exp(2.52 + 0.31 * normal()), 4, 40)
    target = words or bounded(source + 1 + (1 + 0.075 * source) * normal(), 2, 48)
    print(sides[0].sentence(source), sides[1].sentence(target), sep="\t")
