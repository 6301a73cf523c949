#!/bin/bash
# Guided alignment: after few updates (more for a Transformer) attention follows the links, and without
# guidance it does not yet; in both families, for words and for subwords.
set -euo pipefail
command=$1
. tests/support/passed.sh
unless_passed "$command" "" "$0" tests/support/passed.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$command" corpus reorder --pairs 1000 >"$scratch/reorder.train.tsv"
"$command" corpus reorder --pairs 200 --split test >"$scratch/reorder.test.tsv"

# Pairs of the same six of twenty words, the target's in an order of its own: what a word translates can only be known
# once it is read.
shuffled() { # SEED PAIRS
    awk -v seed="$1" -v pairs="$2" 'function draw(n, i, j, t) {
            for (i = 1; i <= n; i++) word[i] = i
            for (i = n; i > 1; i--) { j = 1 + int(i * rand()); t = word[i]; word[i] = word[j]; word[j] = t }
        }
        BEGIN { srand(seed)
            for (k = 0; k < pairs; k++) {
                draw(20); source = target = links = ""
                for (i = 1; i <= 6; i++) { source = source " s" word[i]; from[i] = word[i] }
                draw(6)
                for (i = 1; i <= 6; i++) { target = target " t" from[word[i]]; links = links " " word[i] - 1 "-" i - 1 }
                print substr(source, 2) "\t" substr(target, 2) "\t" substr(links, 2)
            } }'
}

aer() { # OPTION...: of unseen pairs, in percent
    rm -rf "$scratch/model"
    "$command" train --train "$scratch/$corpus.train.tsv" --out "$scratch/model" --shards 2 --valid-every 25 \
        --max-time 0 "$@" 2>"$scratch/log" || { cat "$scratch/log" >&2; exit 1; }
    "$command" eval "$scratch/model/best.safetensors" "$scratch/$corpus.test.tsv" --align-at $at --json |
        sed -n 's/.*"aer": *\([0-9.e-]*\).*/\1/p' | awk '{ printf "%d", 100 * $1 + 0.5 }'
}

corpus=reorder at=output
recurrent="--hidden 64 --embed 32 --lr 0.005 --steps 120"
for model in "$recurrent" "--tokenizer bpe --bpe-merges 60 $recurrent" "--model transformer --lr 0.004 --steps 280 --seed 2"; do
    free=$(aer $model)
    guided=$(aer $model --guided-alignment 1)
    echo "$model: AER $free %, guided $guided %"
    [ "$guided" -lt $((free / 2)) ] || { echo "guided alignment does not guide: $model"; exit 1; }
done

corpus=shuffled
shuffled 1 1000 >"$scratch/shuffled.train.tsv"
shuffled 2 200 >"$scratch/shuffled.test.tsv"
for model in "--decoder luong $recurrent" "--decoder cgru $recurrent" \
    "--model transformer --heads 1 --lr 0.004 --steps 280"; do
    at=output; guess=$(aer $model --guided-alignment 1)
    at=input; read=$(aer $model --guided-alignment 1 --guided-at input)
    echo "$model: AER $guess % where a word must be guessed, $read % where it has been read"
    [ "$read" -lt $((guess / 2)) ] || { echo "--guided-at input does not know the word: $model"; exit 1; }
done
passed
