#!/usr/bin/env python3
"""Makes RESULTS.md and the plot of speed, speed.svg, of the processors' CSV files in a folder.

  scripts/dev/bench/page.py [FOLDER [OUT]]   scripts/dev/bench if not given; its plot is in scripts/dev/pictures
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from plot import plot
from results import SCALES, Results, group, number, read_lines

HERE = Path(__file__).resolve().parent
LISTS = {"scale": SCALES, "score": ["additive", "dot"], "batch": ["1", "64"]}


def shown(x, form, in_hardware=True):
    if form == "whole":
        return group(x)
    if form == "bf16":
        return group(x) + ("" if in_hardware else ", emulated")
    scale, digits, unit = {"times": (1, 2, " x"), "percent": (100, 0, " %"), "ms": (1000, 0, " ms"),
                           "s": (1, 2, " s")}.get(form) or (1, int(form), "")
    return f"{scale * x:.{digits}f}{unit}"


class Table:
    """Every processor's figures side by side; columns and rows that nobody fills are left out."""

    def __init__(self, results, title, labels="", columns=()):
        self.results, self.title, self.labels = results, title, labels
        self.columns = list(columns)  # (title, format, figure)
        self.singles, self.notes, self.otherwise = [], [], ""  # rows of their own: (label, format, figure)
        self.rows = []  # (label, {(processor, column): text})

    def fill(self, label, form="", figure=""):
        """A row of the columns' figures, or of a single one."""
        results = self.results
        part = results.figures.get(figure, figure).split(",")[0]
        label = label.replace("SCALE", results.at.get("SCALE", "").upper())
        label = label.replace("MOST", str(results.most_of.get(part, "")))
        cells = {}
        for processor in results.processors:
            for at, (_, *of_column) in enumerate(self.columns):
                its_form, its_figure = (form, figure) if figure else of_column
                x, _ = results.evaluate(processor, its_figure)
                if x is not None:
                    cells[processor, at] = shown(x, its_form, results.in_hardware(processor))
        self.rows.append((label, cells))

    def fill_rows(self, labels, text=()):
        """The rows in their order, as "SCALE | ..." says; what varies in `growth` comes as it was measured."""
        at = self.results.at
        if labels.startswith("what varies"):
            for what, threads, value in self.results.variations:
                at.update(WHAT=what, THREADS=threads, VALUE=value)
                self.fill(f"{what} | {threads if what == 'threads' else value} | {threads}")
        elif not labels:
            self.fill(" | ".join(text))
        else:
            loop, _, rest = labels.partition(" | ")
            name = loop.split()[0]
            first = 1 if loop == "threads" else 2
            for value in LISTS.get(name) or map(str, range(first, self.results.most_threads + 1)):
                at[name.upper()] = value
                self.fill_rows(rest, [*text, value.upper() if name == "scale" else value])

    def fill_all(self):
        self.results.at["SCORE"] = "additive"
        if not self.singles:
            self.fill_rows(self.labels)
            return
        for scale in ["", *SCALES]:  # rows that name the scale come once for each
            self.results.at["SCALE"] = scale
            for label, form, figure in self.singles:
                if ("SCALE" in label + figure) == bool(scale):
                    self.fill(label, form, figure)

    def text(self):
        used = [(processor, at) for processor in self.results.processors for at in range(len(self.columns))
                if any((processor, at) in cells for _, cells in self.rows)]
        labels = self.labels.replace(" > 1", "")
        if not used:
            return f"\n## {self.title}\n\n{self.otherwise}\n" * bool(self.otherwise)
        head, seen = f"| {labels}", set()
        for processor, at in used:
            first = "" if processor in seen else processor.name  # in the first of its columns
            title = self.columns[at][0]
            head += f" | {first}{': ' if first and title else ''}{title}"
            seen.add(processor)
        lines = [f"\n## {self.title}\n", head + " |", "|" + "---|" * (labels.count("|") + 1) + "---:|" * len(used)]
        for label, cells in self.rows:
            if cells:
                lines.append(" | ".join([f"| {label}", *(cells.get(place, "-") for place in used)]) + " |")
        return "\n".join([*lines, *([""] * bool(self.notes)), *self.notes, ""])


def tables(results):
    made = []
    for kind, *fields in results.tables:
        if kind == "table":
            made.append(Table(results, fields[0], fields[1] if len(fields) > 1 else ""))
        elif kind == "column":
            made[-1].columns.append((fields[0], fields[1], fields[2]))
        elif kind == "row":
            made[-1].singles.append(fields[:3])
            made[-1].columns = [("", "", "")]
        elif kind == "note":
            made[-1].notes.append(fields[0])
        elif kind == "else":
            made[-1].otherwise = fields[0]
    text = ""
    for table in made:
        table.fill_all()
        text += table.text()
    return text


def in_unit(x, unit):
    return shown(x, "percent") if unit == "%" else f"{x:.{0 if unit in ('ms', 'MB') else 2}f} {unit}"


def goals(results, causes):
    """A row for each goal: what each processor reached, and in one line why not."""
    known = [line for line in (read_lines(causes) if causes.exists() else []) if len(line) == 3 and line[0][:1] != "#"]
    lines = []
    results.at.update(SCORE="additive", BATCH="64")
    for kind, *fields in results.tables:
        if kind != "goal":
            continue
        goal, wanted, results.at["SCALE"], results.at["THREADS"], figure = fields
        _, bound, want, unit = wanted.split()[:4]
        want = float(want) / (100 if unit == "%" else 1)
        cells, why = [], {}
        for processor in results.processors:
            x, run = results.evaluate(processor, figure)
            if x is None or figure.startswith("bf16") and not results.in_hardware(processor):
                cells.append("not measured")
                continue
            text = in_unit(x, unit)
            met = x <= want if bound == "most" else x >= want
            if not met:
                if number(text) == number(in_unit(want, unit)):
                    text = f"{100 * x:.1f} %" if unit == "%" else f"{x:.3f} {unit}"
                why.setdefault(cause_of(known, goal, f"{processor.name}, {run.name},"), []).append(processor.name)
            cells.append(f"met: {text}" if met else f"**missed: {text}**")
        reasons = "; ".join((", ".join(names) + ": ") * (len(results.processors) > 1) + cause for cause, names in why.items())
        lines.append(" | ".join([f"| {goal} | {wanted}", *cells, reasons]) + " |")
    names = [processor.name for processor in results.processors]
    head = "\n## Goals\n\n" + " | ".join(["| goal | wanted", *names, "why missed"]) + " |\n"
    return head + "|---|---|" + "---|" * (len(names) + 1) + "\n" + "\n".join(lines) + "\n" if lines and names else ""


def cause_of(known, goal, where):
    """The first line GOAL, WHERE, CAUSE of `known` that fits. A goal may be named by how it begins; WHERE is a processor,
    one of its runs (PROCESSOR, COMMIT) or * for all."""
    return next((cause for begins, place, cause in known
                 if goal.startswith(begins) and (place == "*" or where.startswith(place + ","))), "No cause is written down")


def origins(results):
    """Where it was measured, and when; what is hidden, and why."""
    lines = ["\n## Where and when\n"]
    for processor in results.processors:
        for run in processor.runs.values():
            about = {key: run.about.get(key, "") for key in ("system", "blas", "pytorch", "corpus", "disturbed")}
            parts = ", ".join(part + (f" ({', '.join(scales).upper()})" if part not in ("growth", "tutorial") else "")
                              for part, scales in run.parts.items())
            lines += [f"- **{processor.name}**, {about['system']}. softalign {run.name}, {run.rounds} "
                      f"round{'s' * (run.rounds != 1)}: {parts}.", f"  {about['blas']}. {about['pytorch']}.",
                      f"  {about['corpus']}. Other programs were running when {about['disturbed']} measurements began."]
    if results.hidden:
        older = "; ".join(f"{processor.name}, {processor.older[-1][0]}" for processor in results.hidden)
        lines += [f"- Not shown, since {results.changed} on {results.since}, but kept in the CSV files: {older}."]
    return "\n".join(lines) + "\n"


def main():
    if "--help" in sys.argv[1:]:
        print(__doc__)
        return
    if len(sys.argv) > 3 or any(word.startswith("-") for word in sys.argv[1:]):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    out = Path(sys.argv[2]) if len(sys.argv) > 2 else folder
    results = Results(HERE / "tables.tsv", sorted(folder.glob("*.csv")))
    parts = [(HERE / "explanations.md").read_text(encoding="utf-8"), origins(results),
             goals(results, folder / "misses.tsv"), tables(results)]
    (out / "RESULTS.md").write_text("".join(parts), encoding="utf-8")
    picture = plot(results)
    if picture:
        to = HERE.parent / "pictures" if out.resolve() == HERE else out
        (to / "speed.svg").write_text(picture, encoding="utf-8")


main()
