# Sourced by scripts/measure: what the rows of the history must show (QUALITY.md).

# Three seeds of every model of a list; what is trained already stays.
three() { # NAME TASK MODEL,.. UPDATES [OPTION...]
    corpus "$2"
    "$command" compare --train "$work/$2.tsv" --test "$work/$2.test.tsv" --models "$3" --seeds 3 --steps "$4" \
        --epochs 0 --patience 0 --max-time 0 --shards 2 --matrices 0 --out "$work/history-$1" "${@:5}" >&2
}

median() { # NAME MODEL FIGURE [PAIRS]: of the three seeds, on unseen pairs
    local run json test=${4:-$work/$task.test.tsv}
    for run in "$work/history-$1/${2//:/-}"-s[123]; do
        json=$("$command" eval "$run/best.safetensors" "$test" --json) || fail "$run cannot be evaluated"
        figure "$3" "$json"
    done | sort -g | sed -n 2p
}

cache() { # NAME MODEL: bytes of keys and values that a decoding step adds
    awk -F , -v model="$2" 'NR == 1 { do column++; while (column < NF && $column != "cache_bytes_per_step") }
        $1 == model && $2 == "median" { print $column }' "$work/history-$1/table.csv"
}

claim() { # ROW CONDITION FIGURES EXPRESSION: whether it is kept, or - where nothing was claimed
    local kept=-
    [ "$4" = - ] || kept=$(awk "BEGIN { print ($4) ? \"yes\" : \"no\" }")
    printf '| %s | `%s` | %s | %s | %s |\n' "$1" "$task" "$2" "$3" "$kept"
}

percent() { awk -v x="$1" 'BEGIN { printf "%.1f %%", 100 * x }'; }

rows_normalizers() {
    local task=phrases row=bahdanau:additive softmax end aer zeros bleu plain other
    three phrases phrases "$row$(printf ",$row:normalizer=%s" null null-key sparsemax entmax)" 2000
    softmax=$(median phrases $row end_weight) aer=$(median phrases $row aer) bleu=$(median phrases $row bleu)
    for other in null null-key; do
        end=$(median phrases $row:normalizer=$other end_weight) plain=$(median phrases $row:normalizer=$other aer)
        claim "\`$other\`" "weight on EOS at most half of softmax's, AER not worse" \
            "$(percent "$end") and $(percent "$softmax"), AER $(printf '%.2f and %.2f' "$plain" "$aer")" \
            "$end <= $softmax / 2 && $plain <= $aer"
    done
    for other in sparsemax entmax; do
        zeros=$(median phrases $row:normalizer=$other zeros) plain=$(median phrases $row:normalizer=$other bleu)
        end=$(median phrases $row:normalizer=$other aer)
        claim "\`$other\`" "60 % exact zeros, BLEU within 0.5 of softmax's or above, AER not worse" \
            "$(percent "$zeros"), BLEU $(printf '%.1f and %.1f' "$plain" "$bleu"), AER $(printf '%.2f and %.2f' "$end" "$aer")" \
            "$zeros >= 0.6 && $plain >= $bleu - 0.5 && $end <= $aer"
    done
}

rows_coverage() {
    local task=phrases row=bahdanau:additive softmax end plain other
    three coverage phrases "$row$(printf ",$row:coverage=%s" linguistic loss)" 400
    plain=$(median coverage $row rep) softmax=$(median coverage $row drop)
    for row in linguistic loss; do
        other=$(median coverage bahdanau:additive:coverage=$row rep)
        end=$(median coverage bahdanau:additive:coverage=$row drop)
        claim "\`--coverage $row\`" 'REP and DROP at least a third lower than without' \
            "REP $(printf '%.2f and %.2f, DROP %.1f and %.1f' "$other" "$plain" "$end" "$softmax")" \
            "3 * $other <= 2 * $plain && 3 * $end <= 2 * $softmax"
    done
}

rows_graves() {
    local task other end softmax
    for task in mono reorder; do
        three graves-$task $task bahdanau:graves 1200 --hidden 64 --embed 32 --attn 32 --maxout 32
        other=$(median graves-$task bahdanau:graves bleu)
        end='BLEU of at least 95' softmax="$other >= 95"
        [ $task = mono ] || end='BLEU below 50' softmax="$other < 50"
        claim '`graves`' "$end" "BLEU $(printf '%.1f' "$other")" "$softmax"
    done
}

rows_location_aware() {
    local task=mono row=bahdanau:additive other=bahdanau:location-aware plain end
    three location-aware mono $row,$other 500 --hidden 32 --embed 32 --attn 32 --maxout 32 --encoder none
    plain=$(median location-aware $row aer) end=$(median location-aware $other aer)
    claim '`location-aware`' 'without an encoder, AER at most half of additive attention'"'"'s' \
        "AER $(printf '%.2f and %.2f, BLEU %.1f and %.1f' "$end" "$plain" "$(median location-aware $other bleu)" \
            "$(median location-aware $row bleu)")" "2 * $end <= $plain"
}

rows_qk_norm() {
    local task=reorder plain other
    three reorder reorder transformer:scaled-dot,transformer:qk-norm 600 --embed 32 --lr 0.02
    plain=$(median reorder transformer:scaled-dot bleu) other=$(median reorder transformer:qk-norm bleu)
    claim '`qk-norm`' 'trains at ten times the learning rate, where scaled-dot fails' \
        "BLEU $(printf '%.1f and %.1f' "$other" "$plain")" "$other > 90 && $plain < 50"
}

rows_positions() {
    local task=length row plain other end softmax
    three length length "transformer$(printf ',transformer:positions=%s' none t5 alibi rope)" 2000 --hidden 32 --embed 32
    awk -F '\t' '{ words = split($1, w, " ") } words > 20 && words <= 30' "$work/length.test.tsv" >"$work/length-21-30.tsv"
    plain=$(median length transformer bleu "$work/length-21-30.tsv")
    for row in t5 alibi rope none; do
        other=$(median length transformer:positions=$row bleu "$work/length-21-30.tsv")
        case $row in
        t5) end="BLEU of 21 to 30 words at least twice sinusoidal's" softmax="$other >= 2 * $plain" ;;
        alibi) end="the same above sinusoidal's" softmax="$other > $plain" ;;
        *) end='no claim' softmax=- ;;
        esac
        claim "\`$row\`" "$end" "BLEU $(printf '%.1f and %.1f' "$other" "$plain")" "$softmax"
    done
}

rows_copying() {
    local task=copy plain
    three copy copy bahdanau:additive:copy=yes 1500 --min-freq 10
    plain=$(median copy bahdanau:additive:copy=yes exact)
    claim '`--copy`' '99 % exact on unseen names, nothing replaced afterwards' "$(percent "$plain")" "$plain >= 0.99"
}

rows_monotonic() {
    local task plain other length
    for task in mono reorder; do
        three monotonic-$task $task bahdanau:additive,bahdanau:monotonic 1200 --hidden 64 --embed 32 --attn 32 \
            --maxout 32 --monotonic-noise 2
        plain=$(median monotonic-$task bahdanau:additive bleu) other=$(median monotonic-$task bahdanau:monotonic bleu)
        case $task in
        mono) claim '`monotonic`' "BLEU within 1 of additive attention's" \
            "BLEU $(printf '%.1f and %.1f' "$other" "$plain")" "$other >= $plain - 1" ;;
        reorder) claim '`monotonic`' "BLEU below additive attention's" \
            "BLEU $(printf '%.1f and %.1f' "$other" "$plain")" "$other < $plain" ;;
        esac
    done
    task=dates
    three dates dates bahdanau:monotonic 1500 --tokenizer char --monotonic-noise 2
    plain=$(median dates bahdanau:monotonic exact) other=$(median dates bahdanau:monotonic latency)
    length=$(median dates bahdanau:monotonic source_length)
    claim '`monotonic`' '95 % exact with hard decoding, latency below the length' \
        "$(percent "$plain"), $(printf '%.1f of %.1f' "$other" "$length") characters" \
        "$plain >= 0.95 && $other < $length"
}

# Shared key/value heads, of a task whose models are trained.
shared_heads() {
    local row other plain bytes
    plain=$(median "$task" transformer bleu) bytes=$(cache "$task" transformer)
    for row in 1 2; do
        other=$(median "$task" transformer:kv-heads=$row bleu)
        claim "\`kv-heads\` $row" "BLEU within 1 of four key/value heads', $row of 4 bytes of their cache" \
            "BLEU $(printf '%.1f and %.1f' "$other" "$plain"), $(cache "$task" transformer:kv-heads=$row) of $bytes bytes" \
            "$other >= $plain - 1 && 4 * $(cache "$task" transformer:kv-heads=$row) == $row * $bytes"
    done
}

rows_agree() {
    local task=agree sliding=transformer:window=sliding:window-size=2
    three agree agree transformer,transformer:kv-heads=1,transformer:kv-heads=2,$sliding 500 --hidden 32 --embed 32
    shared_heads
    claim '`sliding`' 'no claim' \
        "BLEU $(printf '%.1f and %.1f' "$(median agree $sliding bleu)" "$(median agree transformer bleu)")" -
}

rows_reverse() {
    local task=reverse
    three reverse reverse transformer,transformer:kv-heads=1,transformer:kv-heads=2 2000
    shared_heads
}

rows_differential() {
    local task=copy row=transformer other=transformer:differential figure figures=
    three differential copy $row,$other 400 --hidden 32 --embed 32 --attn 32 --heads 2
    for figure in bleu aer entropy; do
        figures+=$(printf '%s %.2f and %.2f, ' $figure "$(median differential $other $figure)" \
            "$(median differential $row $figure)")
    done
    claim '`differential`' 'no claim' "${figures%, }" -
}

rows_hard() {
    local task plain other
    for task in mono reorder; do
        three hard-$task $task bahdanau:additive,bahdanau:hard 3000 --hidden 64 --embed 32 --attn 32 --maxout 32
        plain=$(median hard-$task bahdanau:additive bleu) other=$(median hard-$task bahdanau:hard bleu)
        claim '`hard`' "learns, BLEU of at least 90, but later than additive attention" \
            "BLEU $(printf '%.1f and %.1f, AER %.2f and %.2f' "$other" "$plain" \
                "$(median hard-$task bahdanau:hard aer)" "$(median hard-$task bahdanau:additive aer)")" \
            "$other >= 90 && $other < $plain"
    done
}

history() { # [PART...]
    local part
    head_of row corpus 'must show' measured kept
    [ $# -gt 0 ] || set -- normalizers coverage graves location_aware qk_norm positions copying monotonic agree reverse \
        differential hard
    for part; do "rows_$part"; done
}

# A text whose table below the words "`scripts/measure years`" is this one, made at this commit.
with_years() { # FILE TABLE COMMIT
    awk -v table="$2" -v commit="$3" '
        /`scripts\/measure years` made/ { sub(/at [0-9a-f+]+:$/, "at " commit ":"); due = 1 }
        due && /^\|/ {
            if (due++ == 1) while ((getline line <table) > 0) print line
            next
        }
        due > 1 { due = 0 }
        { print }' "$1"
}

# Puts the table of lesson 12 in full into the README.
years() {
    local lesson=build/lessons/12-history now
    now=$(commit)
    if [ ! -s $lesson/table.md ] || [ "$(cat $lesson/commit 2>/dev/null)" != "$now" ]; then
        scripts/lessons/12-history --overwrite >&2
        echo "$now" >$lesson/commit
    fi
    with_years README.md $lesson/table.md "$now" >"$work/README.md"
    cat "$work/README.md" >README.md
    cat $lesson/table.md
}
