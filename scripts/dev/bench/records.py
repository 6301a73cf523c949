"""What scripts/bench measured as a CSV file, and what it measured before.

  records.py summary FACTS RECORDS COMMIT DATE   the median of the rounds of every figure. A record is PART ROUND SCALE
                                                 THREADS ATTENTION WHO QUANTITY VALUE; a line of FACTS is NAME TEXT
  records.py merge OLD.csv NEW.csv               what was measured again, part by part, size by size and for each number of
                                                 threads, replaces the older figures whole, since ratios hold within one run
                                                 only; the rest stays, with its own commit and date
"""
import statistics
import sys


def summary(facts, records, *run):
    print("part,scale,threads,attention,who,quantity,median,lowest,highest,rounds,commit,date")
    with open(facts, encoding="utf-8") as file:
        told = [line.rstrip("\n").split(" ", 1) for line in file]
    values = {}
    with open(records, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                part, _, *key, value = line.split()
                values.setdefault((part, *key), []).append(float(value))
    others = [value for key, found in values.items() if key[-1] == "others" for value in found]
    told.append(["disturbed", f"{sum(value > 0 for value in others)} of {len(others)}"])
    for name, text in told:
        print("about,all,0,none,run", name, text.replace(",", ";"), "", "", "", *run, sep=",")
    for key, found in values.items():
        figures = (f"{x:.6g}" if x != int(x) else f"{x:.0f}" for x in (statistics.median(found), min(found), max(found)))
        print(*key, *figures, len(found), *run, sep=",")


def merge(old, new):
    def rows(path):
        with open(path, encoding="utf-8") as file:
            return [line.rstrip("\n") for line in file]

    def group(row):
        return row.split(",")[:3]

    def run(row):
        return row.split(",")[10:12]

    head, *newer = rows(new)
    older = [row for row in rows(old)[1:]]
    again = [group(row) for row in newer if not row.startswith("about,")]
    kept = [row for row in older if not row.startswith("about,") and group(row) not in again]
    runs, remaining = [run(row) for row in newer], [run(row) for row in kept]
    about = [row for row in older if row.startswith("about,") and run(row) in remaining and run(row) not in runs]
    print(head, *about, *kept, *newer, sep="\n")


{"summary": summary, "merge": merge}[sys.argv[1]](*sys.argv[2:])
