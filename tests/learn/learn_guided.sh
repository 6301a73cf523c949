#!/bin/bash
# Guided alignment: after few updates (more for a Transformer) attention follows the links, and without
# guidance it does not yet; in both families, for words and for subwords.
set -euo pipefail
command=$1
. tests/support/passed.sh
unless_passed "$command" "" "$0" tests/support/passed.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$command" corpus reorder --pairs 1000 >"$scratch/train.tsv"
"$command" corpus reorder --pairs 200 --split test >"$scratch/test.tsv"

aer() { # OPTION...: of unseen pairs, in percent
    rm -rf "$scratch/model"
    "$command" train --train "$scratch/train.tsv" --out "$scratch/model" --shards 2 --valid-every 25 \
        --max-time 0 "$@" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
    "$command" eval "$scratch/model/best.safetensors" "$scratch/test.tsv" --json |
        sed -n 's/.*"aer": *\([0-9.e-]*\).*/\1/p' | awk '{ printf "%d", 100 * $1 + 0.5 }'
}

recurrent="--hidden 64 --embed 32 --lr 0.005 --steps 120"
for model in "$recurrent" "--tokenizer bpe --bpe-merges 60 $recurrent" "--model transformer --lr 0.004 --steps 280 --seed 2"; do
    free=$(aer $model)
    guided=$(aer $model --guided-alignment 1)
    echo "$model: AER $free %, guided $guided %"
    [ "$guided" -lt $((free / 2)) ] || { echo "guided alignment does not guide: $model"; exit 1; }
done
passed
