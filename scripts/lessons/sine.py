"""A noisy curve, y = sin(2 pi x) + x, as lines "x,y": sine.py draw SEED: 50 points with noise of deviation 0.3;
sine.py draws N: those of seeds 1 to N, as lines "seed,y"; sine.py grid N: N points from 0 to 1 without noise."""
import math
import random
import sys


def draw(seed):
    noise = random.Random(seed)
    return [(x, curve(x) + 0.3 * noise.gauss(0, 1)) for x in ((j - 0.5) / 50 for j in range(1, 51))]


def curve(x):
    return math.sin(2 * math.pi * x) + x


what, number = sys.argv[1], int(sys.argv[2])
if what == "draws":
    for seed in range(1, number + 1):
        for _, y in draw(seed):
            print(f"{seed},{y:.6f}")
else:
    grid = ((i / (number - 1), curve(i / (number - 1))) for i in range(number))
    for x, y in draw(number) if what == "draw" else grid:
        print(f"{x:.6g},{y:.6f}")
