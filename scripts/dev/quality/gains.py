"""The plot of QUALITY.md: what each idea of later years adds to RNNsearch in BLEU, with 95 % intervals, oldest first:
gains.py STATE >ingredients.svg"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "pictures"))
from svg import BOLD, Picture

IDEAS = {"layers": "2014: second layers (Zaremba)", "bpe": "2016: byte-pair encoding (Sennrich)",
         "norm": "2016: layer normalization (Ba)", "state": "2016: dropout of states (Gal)",
         "cgru": "2017: conditional GRU (Sennrich)", "tied": "2017: tied embeddings (Press)",
         "heads": "2017: four heads (Vaswani)", "all": "the first four and tied embeddings"}
SETS = {"valid": ("#7fb0e0", 585, "validation pairs"), "test": ("#1f5fa8", 725, "test 2016")}

figures, commits, date = {}, {}, ""
with open(sys.argv[1], encoding="utf-8") as file:
    for line in (line.rstrip("\n").split("\t") for line in file):
        if line[0] == "multi30k" and line[1] in IDEAS:
            for name, _, value in (pair.partition("=") for pair in line[13].split()):
                figures[line[1], line[3], name] = float(value)
            commits[line[6]] = None
            date = max(date, line[7])
low = int(min(0, *(int(x - 1) for (_, _, name), x in figures.items() if name == "delta.low" and x < 0), 0))
high = int(max(0, *(int(x + 1) for (_, _, name), x in figures.items() if name == "delta.high"), 0))
bottom = 50 + 40 * len(IDEAS)
picture = Picture(bottom + 62, "What each idea of later years adds to RNNsearch in BLEU",
                  "RNNsearch (2015) with one more idea: gain in BLEU, 95 % interval")


def at(gain):
    return 280 + (gain - low) / (high - low) * 470


def line_to(x, y, x2, y2, stroke, width):
    picture.lines.append(f'<path d="M{x:.1f} {y:g}L{x2:.1f} {y2:g}" stroke="{stroke}" stroke-width="{width:g}"/>')


def dot(x, y, color):
    picture.lines.append(f'<circle cx="{x:.1f}" cy="{y:g}" r="5" fill="{color}"/>')


def draw_gain(y, idea, name):
    """The gain on one set of pairs: a point on its interval, and the number beside it, away from zero."""
    color = SETS[name][0]
    value = figures.get((idea, name, "delta"))
    if value is None:
        return
    left, right = at(figures[idea, name, "delta.low"]), at(figures[idea, name, "delta.high"])
    line_to(left, y, right, y, color, 3)
    dot(at(value), y, color)
    picture.text(left - 8 if value < 0 else right + 8, y + 4, 12, "end" if value < 0 else "start", "#24292f", f"{value:+.2f}")


for color, x, title in SETS.values():
    dot(x, 20, color)
    picture.text(x + 10, 24.5, 12, "start", "#24292f", title)
for x in range(low, high + 1):
    line_to(at(x), 44, at(x), bottom, "#e1e4e8" if x else "#57606a", 1 if x else 2)
    picture.text(at(x), bottom + 17, 12, "middle", "#57606a", f"{x:+d}" if x else "0")
for row, (idea, label) in enumerate(IDEAS.items(), 1):
    picture.text(14, 40 * row + 29, 13, "start", "#24292f", label, BOLD if idea == "all" else "")
    draw_gain(40 * row + 16, idea, "valid")
    draw_gain(40 * row + 32, idea, "test")
picture.text(14, bottom + 48, 12, "start", "#57606a", "Multi30k, German to English, beam of 5, paired bootstrap, one seed; "
             f"softalign {', '.join(commits)}, {date}")
print(picture, end="")
