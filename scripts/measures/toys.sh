# Sourced by scripts/measure: toy corpora.

row() { # TASK UPDATES TEST MODEL [EVAL-OPTION...]
    local task=$1 updates=$2 test=$3 model=$4 json
    shift 4
    json=$("$command" eval "$model" "$test" --json "$@")
    printf '| %s | %s updates | %.2f | %.1f %% | %s |\n' "$task" "$updates" "$(figure bleu "$json")" \
        "$(awk -v share="$(figure exact "$json")" 'BEGIN { print 100 * share }')" \
        "$(figure aer "$json" | awk '{ if ($1 == "") print "-"; else printf "%.2f", $1 }')"
}

# The same model on every machine of one kind: updates end it, and the number of shards is given.
train() { # NAME UPDATES [OPTION...]
    local name=$1 updates=$2
    shift 2
    rm -rf "${work:?}/$name"
    "$command" train --out "$work/$name" --steps "$updates" --epochs 0 --patience 0 --max-time 0 --shards 2 "$@" >&2
}

corpus() { # TASK
    "$command" corpus "$1" >"$work/$1.tsv"
    "$command" corpus "$1" --pairs 1000 --split test >"$work/$1.test.tsv"
}

recurrent() {
    head_of task training BLEU exact AER
    for task in mono reorder fertility agree sense phrases length dates copy reverse; do
        updates=3000 options=() eval=()
        [ "$task" = reverse ] && updates=5000
        [ "$task" = dates ] && options=(--tokenizer char)
        [ "$task" = copy ] && options=(--min-freq 10) eval=(--replace-unknown)
        corpus "$task"
        train "$task" "$updates" --train "$work/$task.tsv" "${options[@]}"
        row "\`$task\`" "$updates" "$work/$task.test.tsv" "$work/$task/best.safetensors" \
            "${eval[@]}"
    done
    "$command" eval "$work/length/best.safetensors" "$work/length.test.tsv" --by-length >&2
}

transformer() {
    head_of task training BLEU exact AER
    for task in mono reorder sense dates reverse; do
        options=()
        [ "$task" = dates ] && options=(--tokenizer char)
        corpus "$task"
        train "$task-transformer" 4000 --preset vaswani2017-toy --train "$work/$task.tsv" "${options[@]}"
        row "\`$task\`" 4000 "$work/$task.test.tsv" "$work/$task-transformer/best.safetensors"
    done
}

# Sources of trained and of greater lengths, for each kind of positions of a Transformer.
positions() {
    local kind model
    corpus reverse
    awk -F '\t' 'split($1, w, " ") <= 25' "$work/reverse.test.tsv" >"$work/within.tsv"
    awk -F '\t' 'split($1, w, " ") > 25' "$work/reverse.test.tsv" >"$work/beyond.tsv"
    head_of 'reverse, positions' training BLEU exact AER
    for kind in sinusoidal learned none; do
        train "reverse-$kind" 4000 --preset vaswani2017-toy --positions "$kind" --train "$work/reverse.tsv"
        model=$work/reverse-$kind/best.safetensors
        row "\`$kind\`, to 25 numbers, as trained" 4000 "$work/within.tsv" "$model"
        row "\`$kind\`, 26 to 30 numbers" 4000 "$work/beyond.tsv" "$model"
    done
}

toys() {
    recurrent
    echo
    transformer
    echo
    positions
}
