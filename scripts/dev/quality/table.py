"""A Markdown table of what a part's rows measured, one line for each row and set of pairs: means over seeds, with the
least and the greatest of them in brackets: table.py CORPUS FIGURE:TITLE,... ROWS STATE

ROWS has a line for each row: its name and the last change of numerics that concerns it."""
import sys

SETS = "valid dev test descriptions summaries help europarl hansards tales".split()
corpus, columns, rows, state = sys.argv[1:]
columns = [column.split(":", 1) for column in columns.split(",")]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def million(n):
    return "-" if n == "-" else f"{float(n) / 1e6:.1f} M"


def cell(values):
    """Of a figure's texts, one for each seed."""
    if len(values) < 2:
        return values[0] if values else "-"
    by_size = sorted(values, key=float)
    return f"{sum(map(float, values)) / len(values):.2f} ({by_size[0]} to {by_size[-1]})"


measured = {}  # {row: {set: its lines, one for each seed}}
for line in lines(state):
    if line[0] == corpus:
        measured.setdefault(line[1], {}).setdefault(line[3], []).append(line)
print("| model | pairs | seeds |", *(f"{title} |" for _, title in columns), "updates | minutes (threads) | weights | commit |")
print("|---" * (len(columns) + 7) + "|")
empty, row_count = 0, 0
for row, *newest in lines(rows):
    row_count += 1
    empty += row not in measured
    for name in SETS:
        seeds = measured.get(row, {}).get(name)
        if not seeds:
            continue
        figures = {}
        for seed in seeds:
            for pair in seed[13].split():
                figure, _, value = pair.partition("=")
                figures.setdefault(figure, []).append(value)
        old = any(seed[5] < "".join(newest[:1]) for seed in seeds)
        last = seeds[-1]
        minutes = sum(float(seed[9]) for seed in seeds) / 60 / len(seeds)
        print(f"| `{row}` | {name} | {len(seeds)} |", *(f"{cell(figures.get(figure, []))} |" for figure, _ in columns),
              f"{last[10]} | {minutes:.0f} ({last[8]}) | {million(last[11])} |",
              ", ".join(dict.fromkeys(seed[6] for seed in seeds)) + ", older numerics" * old, "|")
if empty:
    print(f"\n{empty} of {row_count} rows ha{'s' if empty == 1 else 've'} not been measured yet.")
