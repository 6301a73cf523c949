"""Reads the results of processors, a CSV file each, and the figures that tables.tsv names."""
import csv
import re

SCALES = ["tiny", "toy", "course", "paper"]


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


def group(x):
    """36804.2 is 36,804."""
    return f"{float(x):,.0f}"


class Run:
    """What a commit measured on a processor on a day."""

    def __init__(self, name):
        self.name, self.about, self.rounds, self.parts = name, {}, 0, {}  # {part: its scales}


class Processor:
    """A CSV file's rows that were measured on `since` or later; `older` says when the others were, the newest last."""

    def __init__(self, path, since):
        self.name, self.runs, self.values = "", {}, {}
        with open(path, encoding="utf-8", newline="") as file:
            rows = [row + [""] * (12 - len(row)) for row in csv.reader(file, quoting=csv.QUOTE_NONE)][1:]
        self.rows = [row for row in rows if row[11] >= since]
        self.older = sorted({(row[11], row[10]) for row in rows if row[11] < since})
        for row in rows:
            if row[0] == "about" and row[5] == "processor":
                self.name = row[6]
        for row in self.rows:
            run = self.runs.setdefault((row[10], row[11]), Run(f"{row[10]}, {row[11]}"))
            if row[0] == "about":
                run.about[row[5]] = row[6].replace(";", ",")
                continue
            self.values[tuple(row[:6])] = (float(row[6]), run)
            run.rounds = max(run.rounds, int(row[9] or 0))
            scales = run.parts.setdefault(row[0], []) if row[1] not in ("all", "none") else []
            if row[1] not in scales:
                scales.append(row[1])


class Results:
    """`at` holds what stands for SCALE, THREADS, SCORE, BATCH, WHAT and VALUE in the names of figures."""

    def __init__(self, tables, paths):
        self.tables = read_lines(tables)
        self.figures = {line[1]: line[2] for line in self.tables if line[0] == "figure"}
        self.since, self.changed = next((line[1:3] for line in self.tables if line[0] == "since"), ("", ""))
        every = [Processor(path, self.since) for path in paths]
        self.processors = [processor for processor in every if processor.values]
        self.hidden = [processor for processor in every if not processor.values]
        self.at, self.most_of, self.variations = {}, {}, []
        places = []
        for row in (row for processor in self.processors for row in processor.rows if row[0] != "about"):
            self.most_of[row[0]] = max(self.most_of.get(row[0], 0), int(row[2]))
            if row[0] == "growth":
                places += [row[1]] * (row[1] not in places)
                self.variations += [(row[1], row[2], row[4])] * ((row[1], row[2], row[4]) not in self.variations)
        # What varies as it comes, its values in their order.
        self.variations.sort(key=lambda one: (places.index(one[0]), number(one[2])))
        self.most_threads = max(self.most_of.values(), default=0)

    def key_of(self, processor, name):
        """Where the figure stands that is called `name`, or is PART,SCALE,THREADS,SCORE,WHO,QUANTITY itself; of
        WHO|WHO the larger one."""
        name = self.figures.get(name, name)
        for word, value in self.at.items():
            name = name.replace(word, value)
        part, scale, threads, score, who, quantity = (name.split(",") + [""] * 6)[:6]
        if threads == "MOST":
            threads = str(self.most_of.get(part, ""))
        keys = [(part, scale, threads, score, one, quantity) for one in who.split("|")]
        return max(keys, key=lambda key: processor.values.get(key, (float("-inf"),))[0])

    def evaluate(self, processor, text):
        """(The value of "FIGURE / FIGURE * NUMBER ...", its run), or (None, None) where a figure is missing, or was
        measured in another run."""
        x = run = None
        tokens = text.split()
        for at in range(0, len(tokens), 2):
            if re.match("[0-9]", tokens[at]):
                y = float(tokens[at])
            else:
                y, its_run = processor.values.get(self.key_of(processor, tokens[at]), (None, None))
                if y is None or run not in (None, its_run):
                    return None, None
                run = its_run
            if at == 0:
                x = y
            elif tokens[at - 1] == "*":
                x *= y
            elif y == 0:
                return None, None
            else:
                x /= y
        return x, run

    def in_hardware(self, processor):
        """Whether bf16 was measured, and not by the emulation."""
        value, run = processor.values.get(self.key_of(processor, "bf16"), (None, None))
        return value is not None and run.about.get("bf16") != "emulated"


def number(text):
    found = re.match(r"-?[0-9.]+", text)
    return float(found[0]) if found else 0
