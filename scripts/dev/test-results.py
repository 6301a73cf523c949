#!/usr/bin/env python3
"""Prints what failed, from the results that ctest wrote for a folder.

Each failed test gets a line with the command that repeats it and the end of its output. Writes "PASSED FAILED SKIPPED"
to file descriptor 3, then the skipped tests with the last line that each printed.
"""
import argparse
import os
import sys
import xml.etree.ElementTree as xml

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("results")
parser.add_argument("folder")
given = parser.parse_args()
counts = {"run": 0, "fail": 0, "notrun": 0, "disabled": 0}
reasons = {}
for test in xml.parse(given.results).getroot().iter("testcase"):
    status, name = test.get("status"), test.get("name")
    skipped = status in ("notrun", "disabled") and test.find("failure") is None
    counts["notrun" if skipped else status if status in counts else "fail"] += 1
    lines = (test.findtext("system-out") or "").strip().splitlines()
    if skipped:
        reasons.setdefault(lines[-1] if lines else "not run", []).append(name)
    elif status != "run":
        print(f"FAILED  {name}    again: ctest --test-dir {given.folder} --output-on-failure -R '^{name}$'")
        print("\n".join("    " + line for line in lines[-40:]))
skipped = [f"skipped {' '.join(names)}: {reason}" for reason, names in reasons.items()]
totals = f"{counts['run']} {counts['fail']} {counts['notrun'] + counts['disabled']}"
os.write(3, "\n".join([totals, *skipped]).encode())
sys.stdout.flush()
