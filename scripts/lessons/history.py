"""The table of the whole history in Markdown, history.tsv with what `compare` measured:
history.py BANDS history.tsv COMPARISON/table.csv COMPARISON/bylength.csv, BANDS as "11-15 21-30"."""
import csv
import sys

bands, history, table, by_length = sys.argv[1:]
bands = bands.split()


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shown(number, digits=0, factor=1):
    return f"{float(number) * factor:.{digits}f}" if number else "-"


figures = {row["model"]: row for row in read(table) if row["seed"] == "median"}
bleu = {(row["model"], row["band"]): row["bleu"] for row in read(by_length)}
print("| year | attention | formula | parameters |", *(f"BLEU {band} |" for band in bands), "AER | zeros % | cache |")
print("|---|---|---|---:|" + "---:|" * len(bands) + "---:|---:|---:|")
with open(history, encoding="utf-8") as file:
    for year, title, model, formula in (line.rstrip("\n").split("\t")[:4] for line in file):
        if model in figures:
            row = figures[model]
            formula = formula.replace("|", r"\|")
            print(f"| {year} | {title} | `{formula}` | {row['parameters']} |",
                  *(f"{shown(bleu.get((model, band)))} |" for band in bands),
                  f"{shown(row['aer'], 2)} | {shown(row['zeros'], 0, 100)} | {shown(row['cache_bytes_per_step'])} |")
