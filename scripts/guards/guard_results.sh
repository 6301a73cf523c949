#!/bin/bash
# The page of results and the plot in README.md are what scripts/benchmarks/page.sh makes of the CSV files.
set -u
page=$(cd "$(dirname "$0")/../benchmarks" && pwd)/page.sh
compgen -G 'scripts/benchmarks/*.csv' >/dev/null || exit 0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$page" scripts/benchmarks "$out" || exit 1

! for pair in RESULTS.md:scripts/benchmarks/RESULTS.md speed.svg:scripts/pictures/speed.svg; do
    [ ! -e "$out/${pair%%:*}" ] || cmp -s "$out/${pair%%:*}" "${pair#*:}" ||
        echo "${pair#*:}:1: not made of the CSV files in scripts/benchmarks; run scripts/benchmarks/page.sh"
done | grep '^'
