"""A noisy curve, y = sin(2 pi x) + x, as lines "x,y": sine.py draw SEED: 50 points with noise of deviation 0.3;
sine.py grid N: N points from 0 to 1 without noise."""
import math
import random
import sys

what, number = sys.argv[1], int(sys.argv[2])
noise = random.Random(number)
places = [(j - 0.5) / 50 for j in range(1, 51)] if what == "draw" else [i / (number - 1) for i in range(number)]
for x in places:
    print(f"{x:.6g},{math.sin(2 * math.pi * x) + x + (0.3 * noise.gauss(0, 1) if what == 'draw' else 0):.6f}")
