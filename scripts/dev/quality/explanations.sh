# Sourced by scripts/dev/measure: attention and attributions against planted links, occlusion and other seeds (QUALITY.md).

explained=(reorder agree sense copy recall)

# The scores of one trained model, and the AER of each method; what is there stays.
attribute() { # RUN TASK METHODS OUT
    [ -s "$4.jsonl" ] && return
    "$command" attribute "$1/best.safetensors" "$work/$2.test.tsv" --method "$3" --limit 40 --steps 16 \
        --jsonl "$4.part" 2>"$4.err" || fail "attribute $1: $(cat "$4.err")"
    mv "$4.part" "$4.jsonl"
}

# TASK TAB MODEL TAB METHOD TAB median AER TAB tau with occlusion TAB with other seeds TAB divergence of attention of two seeds
explain_model() { # TASK MODEL
    local seed method rest out=$work/explanations/$1-$2 methods=attention,gradient,input-x-gradient,integrated-gradients,occlusion
    [[ $2 != transformer && $2 != decoder ]] || methods+=,norms,rollout,value-zeroing
    for seed in 1 2 3; do attribute "$work/explanations-$1/$2-s$seed" "$1" $methods "$out-s$seed"; done
    while IFS=$'\t' read -r method rest; do
        printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$method" \
            "$(sed -n "s/^$method: AER \([0-9.]*\),.*/\1/p" "$out"-s[123].err | sort -g | sed -n 2p)" "$rest"
    done < <(python3 scripts/dev/quality/agreement.py $methods "$out"-s[123].jsonl)
}

# BLEU of RNNsearch: as it is; trained with uniform weights; forced to uniform and to shuffled weights. Medians, of 200 pairs.
forced() { # TASK MODEL [OPTION...]
    local seed some=$work/explanations/$1.tsv
    head -n 200 "$work/$1.test.tsv" >"$some"
    for seed in 1 2 3; do
        value_at bleu "$("$command" eval "$work/explanations-$1/$2-s$seed/best.safetensors" "$some" --json "${@:3}")"
    done | sort -g | sed -n 2p | xargs printf ' %.1f |'
}

# BLEU with each target word's weights on the links that the model of another seed has for the same pairs.
frozen() { # TASK MODEL
    local seed some=$work/explanations/$1.tsv folder=$work/explanations-$1/$2
    for seed in 1 2 3; do
        "$command" align "$folder-s$((seed % 3 + 1))/best.safetensors" "$some" --pharaoh - |
            paste <(cut -f 1,2 "$some") - >"$some.links"
        value_at bleu "$("$command" eval "$folder-s$seed/best.safetensors" "$some.links" --json --force-attention gold)"
    done | sort -g | sed -n 2p | xargs printf ' %.1f |'
}

divergence() { # TASK, of RNNsearch
    awk -F '\t' -v task="$1" '$1 == task && $2 == "bahdanau" && $3 == "attention" { print $7 }' "$work/explanations/rows.tsv"
}

explanations() { # [TASK...]
    local task model rows=$work/explanations/rows.tsv
    mkdir -p "$work/explanations"
    [ $# -gt 0 ] || set -- "${explained[@]}"
    for task; do
        case $task in
        recall) corpus recall 40000 0-13 ;; # the shortest pairs: for all of them, attribute would take hours
        *) corpus "$task" ;;
        esac
        "$command" compare --train "$work/$task.tsv" --test "$work/$task.test.tsv" --seeds 3 --steps 600 --epochs 0 \
            --models bahdanau,bahdanau:uniform,luong,transformer,decoder --patience 0 --max-time 0 --shards 2 \
            --hidden 64 --embed 64 --attn 64 --ffn 128 --out "$work/explanations-$task" >&2
        for model in bahdanau luong transformer decoder; do explain_model "$task" $model; done
    done >"$rows"
    head_of model method "${@/#/AER, }" 'tau with occlusion' 'tau of two seeds'
    awk -F '\t' -v tasks="$*" -v bars="$work/explanations/bars.tsv" '
        { key = $2 "\t" $3; if (!(key in tau)) order[++count] = key
          aer[key, $1] = $4; sum[key] += $4; tau[key] += $5; seeds[key] += $6 }
        END {
            n = split(tasks, task, " ")
            for (i = 1; i <= count; i++) {
                split(order[i], part, "\t")
                printf "| `%s` | %s |", part[1], part[2]
                for (j = 1; j <= n; j++) printf " %.2f |", aer[order[i], task[j]]
                printf " %.2f | %.2f |\n", tau[order[i]] / n, seeds[order[i]] / n
                printf "%s %s\t%.3f\n", part[1], part[2], sum[order[i]] / n >bars
            }
        }' "$rows"
    python3 scripts/lessons/bars.py scripts/dev/pictures/explanations.svg 'Alignment error rate, the mean over corpora' \
        <"$work/explanations/bars.tsv" >&2
    echo
    head_of 'RNNsearch, corpus' 'BLEU' 'trained with uniform weights' 'forced to uniform weights' 'forced to shuffled weights' \
        'forced to the links of another seed' 'divergence of the weights of two seeds'
    for task; do
        printf '| `%s` |%s%s%s%s%s %.2f |\n' "$task" "$(forced "$task" bahdanau)" "$(forced "$task" bahdanau-uniform)" \
            "$(forced "$task" bahdanau --force-attention uniform)" "$(forced "$task" bahdanau --force-attention shuffle)" \
            "$(frozen "$task" bahdanau)" "$(divergence "$task")"
    done
}
