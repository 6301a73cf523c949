"""Spearman's rank correlation of the first two columns of a file; equal values share the mean of their ranks."""
import statistics
import sys


def ranks(values):
    return [sum(other < value for other in values) + sum(other <= value for other in values) for value in values]


with open(sys.argv[1], encoding="utf-8") as file:
    columns = list(zip(*(map(float, line.split("\t")[:2]) for line in file), strict=True))
print(statistics.correlation(ranks(columns[0]), ranks(columns[1])))
