# Sourced by scripts/dev/measure: toy corpora.

row() { # TASK UPDATES TEST MODEL [EVAL-OPTION...]
    local task=$1 updates=$2 test=$3 model=$4 json
    shift 4
    json=$("$command" eval "$model" "$test" --json "$@")
    printf '| %s | %s updates | %.2f | %.1f %% | %s |\n' "$task" "$updates" "$(value_at bleu "$json")" \
        "$(awk -v share="$(value_at exact "$json")" 'BEGIN { print 100 * share }')" \
        "$(value_at aer "$json" | awk '{ if ($1 == "null") print "-"; else printf "%.2f", $1 }')"
}

# The same model on every machine of one kind: updates end it, and the number of shards is given.
train() { # NAME UPDATES [OPTION...]
    local name=$1 updates=$2
    shift 2
    rm -rf "${work:?}/$name"
    "$command" train --out "$work/$name" --steps "$updates" --epochs 0 --patience 0 --max-time 0 --shards 2 "$@" >&2
}

corpus() { # TASK [PAIRS WORDS]: of sources of so many words
    "$command" corpus "$1" ${2:+--pairs "$2"} | of_length "${3:-1-1000}" - >"$work/$1.tsv"
    "$command" corpus "$1" --pairs 1000 --split test | of_length "${3:-1-1000}" - >"$work/$1.test.tsv"
}

of_length() { # LEAST-MOST FILE: pairs with so many source words
    awk -F '\t' -v least="${1%-*}" -v most="${1#*-}" '{ n = split($1, word, " ") } n >= least && n <= most' "$2"
}

toy_table() { # PART TITLE
    local part name label updates task words options evaluation test before=
    head_of "$2" training BLEU exact AER
    while IFS=$'\t' read -r part name label updates task words options evaluation <&6; do
        [ "$part" = "$1" ] || continue
        test=$work/$task.test.tsv
        if [ "$name" != "$before" ]; then
            corpus "$task"
            train "$name" "$updates" --train "$work/$task.tsv" ${options#none}
        fi
        before=$name
        if [ "$words" != - ]; then
            of_length "$words" "$test" >"$work/some.tsv"
            test=$work/some.tsv
        fi
        row "$label" "$updates" "$test" "$work/$name/best.safetensors" ${evaluation#none}
    done 6<scripts/dev/quality/toys.tsv
}

recurrent() {
    toy_table recurrent task
    "$command" eval "$work/length/best.safetensors" "$work/length.test.tsv" --by-length >&2
}

transformer() { toy_table transformer task; }

# Sources of trained and of greater lengths, for each kind of positions of a Transformer.
positions() { toy_table positions 'reverse, positions'; }

toys() {
    recurrent
    echo
    transformer
    echo
    positions
}
