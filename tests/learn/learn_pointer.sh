#!/bin/bash
# A pointer network: it finds the next larger number of a list, and reverses lists of words that it has never seen, which
# no vocabulary holds.
set -euo pipefail
command=$1
. tests/support/passed.sh
unless_passed "$command" "" "$0" tests/support/passed.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

learn() { # NAME UPDATES OPTION...: the share of exact answers
    "$command" train --train "$1.tsv" --out "$1" --decoder pointer --copy --hidden 64 --embed 32 --shards 2 --steps "$2" \
        --epochs 0 --max-time 0 --patience 0 "${@:3}" 2>log
    "$command" eval "$1/last.safetensors" "$1.test.tsv" --json | sed -n 's/.*"exact": *\([0-9.]*\).*/\1/p'
}

"$command" corpus next-larger >larger.tsv
"$command" corpus next-larger --pairs 300 --split test >larger.test.tsv
# Every word but the first occurs in one list, so it is unknown (--min-freq 2): only its place tells which one to write.
awk 'BEGIN {
    for (n = 0; n < 2300; n++) {
        list = " list"; turned = "list "
        for (i = 0; i < 3 + n % 4; i++) { word = "w" n "x" i; list = list " " word; turned = word " " turned }
        print substr(list, 2) "\t" substr(turned, 1, length(turned) - 1) >(n < 2000 ? "new.tsv" : "new.test.tsv")
    }
}'
larger=$(learn larger 2000) new=$(learn new 600 --min-freq 2)
echo "exact: next larger $larger, new words $new"
awk "BEGIN { exit !($larger > 0.7 && $new > 0.99) }"
passed
