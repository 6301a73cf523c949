#!/bin/bash
# The page of results and the plot in README.md are what scripts/dev/bench/page.py makes of the CSV files.
set -u
page=$(cd "$(dirname "$0")/../bench" && pwd)/page.py
compgen -G 'scripts/dev/bench/*.csv' >/dev/null || exit 0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$page" scripts/dev/bench "$out" || exit 1

! for pair in RESULTS.md:scripts/dev/bench/RESULTS.md speed.svg:scripts/dev/pictures/speed.svg; do
    [ ! -e "$out/${pair%%:*}" ] || cmp -s "$out/${pair%%:*}" "${pair#*:}" ||
        echo "${pair#*:}:1: not made of the CSV files in scripts/dev/bench; run scripts/dev/bench/page.py"
done | grep '^'
