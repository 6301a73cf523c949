#!/bin/bash
# Learning: after a fixed number of updates, whatever the machine's speed, models with both scores translate
# unseen sentences of a toy task, and attend to the right words.
set -euo pipefail
command=$1
. tests/support/passed.sh
unless_passed "$command" "" "$0" tests/support/passed.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$command" corpus mono --pairs 4000 --seed 5 >"$scratch/train.tsv"
"$command" corpus mono --pairs 300 --seed 5 --split test >"$scratch/test.tsv"

at_least() { # WHAT FIGURE BOUND
    awk -v figure="$2" -v bound="$3" 'BEGIN { exit !(figure >= bound) }' || {
        echo "$1 is $2, expected at least $3"
        exit 1
    }
}

for attention in additive scaled-dot; do
    out=$scratch/$attention
    "$command" train --train "$scratch/train.tsv" --out "$out" --attention "$attention" --hidden 64 \
        --shards 2 --steps 600 --epochs 0 --max-time 0 --patience 0 2>"$scratch/log"
    json=$("$command" eval "$out/best.safetensors" "$scratch/test.tsv" --json)
    bleu=$(sed -n 's/.*"bleu": *\([0-9.]*\).*/\1/p' <<<"$json")
    aer=$(sed -n 's/.*"aer": *\([0-9.]*\).*/\1/p' <<<"$json")
    echo "$attention: BLEU $bleu, AER $aer"
    at_least "$attention: BLEU" "$bleu" 98
    at_least "$attention: 1 - AER" "$(awk -v aer="$aer" 'BEGIN { print 1 - aer }')" 0.5
done
passed
