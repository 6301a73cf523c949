# Sourced by scripts/dev/measure: what the rows of the history must show (QUALITY.md).

# Three seeds of every model of a list; what is trained already stays.
three() { # NAME TASK[:PAIRS:WORDS] MODEL,.. UPDATES [OPTION...]
    local task
    IFS=: read -ra task <<<"$2"
    corpus "${task[@]}"
    "$command" compare --train "$work/$task.tsv" --test "$work/$task.test.tsv" --models "$3" --seeds 3 --steps "$4" \
        --epochs 0 --patience 0 --max-time 0 --shards 2 --out "$work/history-$1" "${@:5}" >&2
}

median() { # NAME MODEL FIGURE[:WORDS|@input]: of the three seeds, on unseen pairs, those of so many words, or --align-at input
    local run json test=$work/$task.test.tsv words=${3#*:} at=output
    [[ $3 != *@input ]] || at=input
    if [ "$words" != "$3" ]; then
        test=$work/$task-$words.tsv
        of_length "$words" "$work/$task.test.tsv" >"$test"
    fi
    for run in "$work/history-$1/${2//:/-}"-s[123]; do
        json=$("$command" eval "$run/best.safetensors" "$test" --align-at $at --json) || fail "$run cannot be evaluated"
        value_at "${3%[:@]*}" "$json"
    done | sort -g | sed -n 2p
}

cache() { # NAME MODEL: bytes of keys and values that a decoding step adds
    awk -F , -v model="$2" 'NR == 1 { do column++; while (column < NF && $column != "cache_bytes_per_step") }
        $1 == model && $2 == "median" { print $column }' "$work/history-$1/table.csv"
}

filled() { # NAME TEXT: with figures in the places of {[FORMAT] FIGURE MODEL}
    local text=$2 place format of model value
    while [[ $text =~ \{([^{}]*)\} ]]; do
        place=${BASH_REMATCH[0]} format=%s
        read -r of model <<<"${BASH_REMATCH[1]}"
        [[ $of != %* ]] || read -r format of model <<<"${BASH_REMATCH[1]}"
        if [ "$of" = cache ]; then value=$(cache "$1" "$model"); else value=$(median "$1" "$model" "$of"); fi
        if [ "$format" = % ]; then
            value=$(awk -v x="$value" 'BEGIN { printf "%.1f %%", 100 * x }')
        else
            value=$(printf "$format" "$value")
        fi
        text=${text//"$place"/$value}
    done
    echo "$text"
}

history() { # [PART...]
    local part name task models updates options kept asked=" $* " here=no
    head_of row corpus 'must show' measured kept
    while IFS=$'\t' read -r part name task models updates options <&6; do
        if [[ $part != '>' ]]; then
            here=no
            [[ $part != '#'* && ( $# -eq 0 || $asked == *" $part "* ) ]] || continue
            here=$name corpus=${task%%:*}
            # shellcheck disable=SC2086
            three "$name" "$task" "$models" "$updates" $options
        elif [ "$here" != no ]; then
            # A claim: row, condition, figures, expression.
            local row=$name condition=$task figures=$models expression=$updates
            task=$corpus kept=-
            [ "$expression" = - ] ||
                kept=$(awk "BEGIN { print ($(filled "$here" "$expression")) ? \"yes\" : \"no\" }")
            printf '| %s | `%s` | %s | %s | %s |\n' "$row" "$task" "$condition" "$(filled "$here" "$figures")" "$kept"
        fi
    done 6<scripts/dev/quality/history.tsv
}

# A text whose table below the words "`scripts/dev/measure years`" is this one, made at this commit.
with_years() { # FILE TABLE COMMIT
    awk -v table="$2" -v commit="$3" '
        /`scripts\/dev\/measure years` made/ { sub(/at [0-9a-f+]+:$/, "at " commit ":"); due = 1 }
        due && /^\|/ {
            if (due++ == 1) while ((getline line <table) > 0) print line
            next
        }
        due > 1 { due = 0 }
        { print }' "$1"
}

# The rows of TABLE that FILE shows, too, with the head: year, attention, formula, both BLEUs, AER.
shown_years() { # TABLE FILE
    awk -F '|' -v OFS='|' 'NR == FNR { shown[$3]; next } FNR <= 2 || $3 in shown {
        gsub(/\\\|/, "\001") # a bar inside a formula
        row = $1 OFS $2 OFS $3 OFS $4 OFS $6 OFS $7 OFS $8 OFS
        gsub("\001", "\\|", row)
        print row
    }' "$2" "$1"
}

# Puts the table of lesson 12 in full into LESSONS.md, and the README's rows into the README.
years() {
    local lesson=build/lessons/12-history now
    now=$(commit)
    if [ ! -s $lesson/table.md ] || [ "$(cat $lesson/commit 2>/dev/null)" != "$now" ]; then
        scripts/lessons/12-history --overwrite >&2
        echo "$now" >$lesson/commit
    fi
    shown_years $lesson/table.md README.md >"$work/table.md"
    with_years README.md "$work/table.md" "$now" >"$work/text"
    cat "$work/text" >README.md
    with_years corpora/LESSONS.md $lesson/table.md "$now" >"$work/text"
    cat "$work/text" >corpora/LESSONS.md
    cat $lesson/table.md
}
