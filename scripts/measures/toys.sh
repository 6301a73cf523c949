# Sourced by scripts/measure: toy corpora.

row() { # TASK SECONDS TEST MODEL [EVAL-OPTION...]
    local task=$1 seconds=$2 test=$3 model=$4 json
    shift 4
    json=$("$command" eval "$model" "$test" --json "$@")
    printf '| %s | %s s | %.2f | %.1f %% | %s |\n' "$task" "$seconds" "$(figure bleu "$json")" \
        "$(awk -v share="$(figure exact "$json")" 'BEGIN { print 100 * share }')" \
        "$(figure aer "$json" | awk '{ if ($1 == "") print "-"; else printf "%.2f", $1 }')"
}

train() { # NAME SECONDS [OPTION...]
    local name=$1 seconds=$2
    shift 2
    rm -rf "${work:?}/$name"
    "$command" train --out "$work/$name" --max-time "$seconds" "$@" >&2
}

corpus() { # TASK
    "$command" corpus "$1" >"$work/$1.tsv"
    "$command" corpus "$1" --pairs 1000 --split test >"$work/$1.test.tsv"
}

recurrent() {
    head_of task training BLEU exact AER
    for task in mono reorder fertility agree sense phrases length dates copy reverse; do
        seconds=60 options=() eval=()
        [ "$task" = reverse ] && seconds=150
        [ "$task" = dates ] && options=(--tokenizer char)
        [ "$task" = copy ] && options=(--min-freq 10) eval=(--replace-unknown)
        corpus "$task"
        train "$task" "$seconds" --train "$work/$task.tsv" "${options[@]}"
        row "\`$task\`" "$seconds" "$work/$task.test.tsv" "$work/$task/best.safetensors" \
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
        train "$task-transformer" 120 --preset vaswani2017-toy --train "$work/$task.tsv" "${options[@]}"
        row "\`$task\`" 120 "$work/$task.test.tsv" "$work/$task-transformer/best.safetensors"
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
        train "reverse-$kind" 120 --preset vaswani2017-toy --positions "$kind" --train "$work/reverse.tsv"
        model=$work/reverse-$kind/best.safetensors
        row "\`$kind\`, to 25 numbers, as trained" 120 "$work/within.tsv" "$model"
        row "\`$kind\`, 26 to 30 numbers" 120 "$work/beyond.tsv" "$model"
    done
}

toys() {
    recurrent
    echo
    transformer
    echo
    positions
}
