"""A CSV of independent normal numbers of mean 0: normal.py ROWS COLUMNS DEVIATION SEED"""
import random
import sys

rows, columns, deviation, seed = map(float, sys.argv[1:])
draw = random.Random(int(seed))
for _ in range(int(rows)):
    print(*(f"{draw.gauss(0, deviation):.6f}" for _ in range(int(columns))), sep=",")
