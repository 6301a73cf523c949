#!/bin/bash
# Makes RESULTS.md and the plot of speed, speed.svg, of the processors' CSV files in a folder.
#
#   scripts/dev/bench/page.sh [FOLDER [OUT]]   scripts/dev/bench if not given; its plot is in scripts/dev/pictures
set -euo pipefail
. "$(dirname "$0")/../usage.sh"
takes 2 "$@"
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here} out=${2:-${1:-$here}}
plot=$out/speed.svg
[ "$(cd "$out" && pwd)" != "$here" ] || plot=$here/../pictures/speed.svg

{
    cat "$here/explanations.md"
    awk -v tables="$here/tables.tsv" -v causes="$folder/misses.tsv" -f "$here/results.awk" -f "$here/page.awk" "$folder"/*.csv
} >"$out/RESULTS.md"
[ ! -e "$folder/elsewhere.md" ] || cat "$folder/elsewhere.md" >>"$out/RESULTS.md"
if awk -v tables="$here/tables.tsv" -f "$here/results.awk" -f "$here/../pictures/svg.awk" -f "$here/plot.awk" "$folder"/*.csv >"$out/speed.new"; then
    mv "$out/speed.new" "$plot"
else # no processor has all three sizes
    rm "$out/speed.new"
fi
