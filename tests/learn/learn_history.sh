#!/bin/bash
# The result of the papers in a fixed number of updates: on the task `length` a fixed vector fails on long
# sources (Figure 2 of Bahdanau et al. 2015), and so does the mean of the annotations; decoders with
# attention do not.
set -euo pipefail
command=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$command" corpus length >train.tsv
"$command" corpus length --pairs 400 --split test >test.tsv
"$command" compare --train train.tsv --test test.tsv --out history --hidden 32 --embed 32 --shards 2 \
    --models fixed,bahdanau:uniform,bahdanau:additive,cgru --lr 0.005 --steps 1000 --max-time 0 --matrices 1 \
    >table 2>log || {
    cat log
    exit 1
}

# BLEU of sources of 11 to 15 words.
bleu() { # MODEL
    awk -F , -v model="$1" '$1 == model && $3 == "11-15" { print $5 }' history/bylength.csv
}

status=0
expect() { # MODEL RELATION BOUND
    echo "$1: BLEU $(bleu "$1"), expected $2 $3"
    awk -v bleu="$(bleu "$1")" "BEGIN { exit !(bleu != \"\" && bleu $2 $3) }" || status=1
}

expect fixed '<=' 40
expect bahdanau:uniform '<=' 40
expect bahdanau:additive '>=' 95
expect cgru '>=' 95
exit $status
