# Sourced by scripts/dev/measure: rows of real corpora, trained and evaluated one by one.
#
# rows.tsv has a line for each row: corpus, part, name, number of seeds, minutes that one takes on two cores,
# data (what corpora.sh makes of it), options of search, the row above that it is compared with, options of train; -
# where there is none. A line of QUALITY.tsv holds what one seed of a row measured on one set of pairs: corpus, row,
# seed, set, its recipe's sum, the number of the numerics (NUMERICS.tsv), the commit that trained it, date,
# threads, seconds, updates, weights, processor, figures as NAME=VALUE.

row_lines() { # CORPUS: its rows that were asked for
    awk -F '\t' -v corpus="$1" -v only="$only" '
        BEGIN { count = split(only, part, ",") }
        /^#/ || $1 != corpus { next }
        { wanted = !count }
        { for (i = 1; i <= count; i++) if (part[i] == $2 || part[i] == $3) wanted = 1 }
        wanted' "$recipes"
}

# The options of the preset that these options name.
preset_of() { # OPTIONS
    local preset
    preset=$(sed -n 's/.*--preset \([^ ]*\).*/\1/p' <<<"$1")
    [ -z "$preset" ] || sed -n "/^= $preset\$/,/^= /s/^--/\"--/p" src/config/presets.txt | grep -o '"--[a-z0-9-]* *[^ ]*'
}

# A sum of what decides a row's figures: its options, those of the preset, and the row that it is compared with.
recipe_of() { # OPTIONS SEARCH DATA [SUMS-OF-OTHER]
    {
        echo "$@"
        preset_of "$1"
    } | cksum | cut -d ' ' -f 1
}

# The last change of numerics that concerns models trained with these options.
numerics_of() { # OPTIONS
    local family=recurrent
    [[ $1 == *@(transformer|debian|decoder)* ]] && family=transformer
    [[ $1$(preset_of "$1") == *--tokenizer*space* ]] || family+='|raw'
    [[ $1 == *guided-alignment* ]] && family+='|align-words' # which made its links
    [[ $1 == align-words* ]] && family=align-words
    awk -F '\t' -v family="$family" '/^#/ { next } $2 == "all" || $2 ~ family { last = $1 } END { print last + 0 }' \
        "$changes"
}

# For each row of a corpus the sum of its recipe, the sum of what decides its model alone, and its numerics. Taken
# once: what is edited later is for the next run.
read_recipes() { # CORPUS
    local corpus part row count minutes data search against options recipe
    declare -gA sums=()
    while IFS=$'\t' read -r corpus part row count minutes data search against options; do
        [ "$against" = - ] || [ -n "${sums[$against]:-}" ] ||
            fail "$recipes: $row is compared with $against, which must stand above it"
        recipe=$(recipe_of "$options" "$search" "$data" ${sums[$against]:-})
        sums[$row]="$recipe $(recipe_of "$options" - "$data") $(numerics_of "$options")"
    done < <(only='' row_lines "$1")
}

# A column of the line that holds a row's figures; nothing where there is none.
measured() { # CORPUS ROW SEED SET COLUMN
    [ ! -e "$state" ] || awk -F '\t' -v key="$1 $2 $3 $4" -v column="$5" \
        '$1 " " $2 " " $3 " " $4 == key { print $column }' "$state"
}

# finished, stale or nothing.
standing() { # CORPUS ROW SEED SET RECIPE NUMERICS
    local recipe old
    recipe=$(measured "${@:1:4}" 5) old=$(measured "${@:1:4}" 6)
    [ -n "$recipe" ] || return 0
    if [ "$recipe" != "$5" ] || [ "$old" -lt "$6" ]; then echo stale; else echo finished; fi
}

# Puts a line in the place of the one with the same key, and of what other seeds measured by another recipe: tables
# show means over seeds.
record() { # CORPUS ROW SEED SET COLUMN...
    local line
    line=$(printf '%s\t' "$@")
    touch "$state"
    { grep '^#' "$state" || true; } >"$state.new"
    {
        awk -F '\t' -v row="$1 $2 $4" -v seed="$3" -v recipe="$5" '
            /^#/ { next }
            $1 " " $2 " " $4 != row || ($3 != seed && $5 == recipe)' "$state"
        echo "${line%$'\t'}"
    } | sort -t $'\t' -k 1,2 -k 3,3n -k 4,4 >>"$state.new"
    mv "$state.new" "$state"
}

# What figures depend on, beside the data.
inputs=(CMakeLists.txt CMakePresets.json src include scripts/dev/measure scripts/dev/quality scripts/dev/corpus-tatoeba
    scripts/dev/corpus-debian)

commit() { # that of the inputs, with a + if they were changed since
    local now
    now=$(git rev-parse --short=7 HEAD 2>/dev/null) || { echo unknown+ && return; }
    [ -z "$(git status --porcelain -- "${inputs[@]}")" ] || now+=+
    echo "$now"
}

last_row() { tail -n 1 "$1/log.csv" | cut -d , -f 2,3; } # FOLDER: UPDATES,SECONDS

# Seconds begin at 0 again when a training is resumed: `parts` holds the last row of each part before, twice where
# one had no row of its own.
seconds_of() { # FOLDER
    { cat "$1/parts" 2>/dev/null || true; last_row "$1"; } | sort -u | awk -F , '{ sum += $2 } END { printf "%.0f", sum }'
}

# ---- One seed of a row ----

# A number of JSON as the program prints it, two spaces to a level.
value_at() { # KEY.KEY... JSON
    awk -v path="$1" '
        match($0, /^ *"[^"]*":/) {
            depth = index($0, "\"") / 2
            key[int(depth)] = $1
            gsub(/[":]/, "", key[int(depth)])
            at = key[1]
            for (i = 2; i <= depth; i++) at = at "." key[i]
            if (at == path && $2 != "{") {
                sub(/,$/, "", $2)
                print $2
                exit
            }
        }' <<<"$2"
}

# Trains it, unless it has been trained; goes on with a training that was interrupted. How many seconds a
# training took counts those since its last save as well, unless it was killed.
train_row() { # FOLDER SEED DATA RECIPE OPTION...
    local run=$1 seed=$2 data=$3 recipe=$4 how=--overwrite
    shift 4
    mkdir -p "$run"
    [ "$(cat "$run/recipe" 2>/dev/null)" = "$recipe" ] || rm -f "$run"/{trained,recipe,last.safetensors}
    [ ! -e "$run/trained" ] || return 0
    if [ -e "$run/last.safetensors" ]; then
        how=--resume
        last_row "$run" >>"$run/parts"
    else
        rm -f "$run/parts"
        echo "$built" >"$run/commit"
        echo "$recipe" >"$run/recipe"
    fi
    local valid=()
    [ ! -e "$data.valid.tsv" ] || valid=(--valid "$data.valid.tsv")
    "$command" train --out "$run" --train "$data.train.tsv" "${valid[@]}" --seed "$seed" \
        --threads "$threads" $how "$@" >&2 || fail "$run: the training ended with code $?; the same command goes on"
    echo "$(seconds_of "$run") $(last_row "$run" | cut -d , -f 1)" >"$run/trained"
}

# Scores a search's output as the corpus is scored, and cased by sacreBLEU's default where a raw text is known.
score_search() { # NAME FOLDER SET DATA SEARCH-OPTION...
    local name=$1 run=$2 set=$3 data=$4 hypotheses=$2/$3.$1.txt reference=$2/reference.txt json
    shift 4
    "$command" translate "$(model_of "$run")" "$@" --threads "$threads" <(cut -f 1 "$data.$set.tsv") >"$hypotheses"
    cut -f 2 "$data.$set.tsv" >"$reference"
    json=$("$command" score "$hypotheses" "$reference" $(scoring_of "$run" "$data") --json --confidence)
    printf '%s.bleu=%.2f %s.chrf=%.2f %s.exact=%.1f ' "$name" "$(value_at bleu "$json")" \
        "$name" "$(value_at chrf "$json")" "$name" "$(value_at exact "$json" | awk '{ print 100 * $1 }')"
    printf '%s.low=%.2f %s.high=%.2f ' "$name" "$(value_at intervals.bleu.low "$json")" \
        "$name" "$(value_at intervals.bleu.high "$json")"
    [ -e "$data.$set.raw" ] || return 0
    python3 scripts/dev/quality/recase.py "$data.recase" "$hypotheses" >"${hypotheses%.txt}.cased.txt"
    json=$("$command" score "${hypotheses%.txt}.cased.txt" "$data.$set.raw" --json)
    printf '%s.cased=%.2f ' "$name" "$(value_at bleu "$json")"
}

model_of() { # FOLDER
    if [ -e "$1/average.safetensors" ]; then echo "$1/average.safetensors"; else echo "$1/best.safetensors"; fi
}

# How much better a row is than the one it is compared with, by the paired bootstrap (Koehn 2004).
compare_with() { # FOLDER OTHER-FOLDER SET DATA
    local mine=$1/$3.beam.txt other=$2/$3.beam.txt json
    json=$("$command" score "$mine" "$1/reference.txt" --against "$other" $(scoring_of "$1" "$4") --json)
    printf 'delta=%.2f delta.low=%.2f delta.high=%.2f p=%.4f ' \
        "$(awk "BEGIN { print $(value_at bleu "$json") - $(value_at against.bleu "$json") }")" \
        "$(value_at against.difference.bleu.low "$json")" "$(value_at against.difference.bleu.high "$json")" \
        "$(value_at against.p.bleu "$json")"
}

# Measures the row that others are compared with, unless its figures and its translations are there.
measure_compared() { # CORPUS ROW SEED SET...
    local corpus part row count minutes data search against options
    IFS=$'\t' read -r corpus part row count minutes data search against options < <(
        only='' row_lines "$1" | awk -F '\t' -v row="$2" '$3 == row'
    )
    compared=yes measure_seed "$corpus" "$part" "$row" "$3" "$data" "$search" "$against" "$options" "${@:4}"
}

# Other length powers are tried on the validation pairs, which may choose one for the rows of a record.
evaluate_row() { # PART FOLDER SET DATA SEARCH AGAINST-FOLDER
    local part=$1 run=$2 set=$3 data=$4 power
    local -a search=()
    [ "$5" = - ] || read -ra search <<<"$5"
    score_search greedy "$run" "$set" "$data" --beam 1
    score_search beam "$run" "$set" "$data" --beam 5 "${search[@]}"
    [ "$6" = - ] || compare_with "$run" "$6" "$set" "$data"
    [[ $set = valid && $part =~ ^(search|record|recurrent)$ ]] || return 0
    for power in 0.5 1.5 2; do
        score_search "power-$power" "$run" "$set" "$data" --beam 5 --length-power $power |
            grep -o "power-$power.bleu=[^ ]*" | tr '\n' ' '
    done
}

weights_of() { # FOLDER: how many, or - for Model 1
    local model
    for model in "$1"/{,en-fr/}best.safetensors; do
        [ ! -e "$model" ] || { value_at parameter_count "$("$command" inspect "$model" --json)" && return; }
    done
    echo -
}

processor() { sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | sed -n 1p; }

# Whether there is nothing to measure.
is_measured() { # CORPUS ROW SEED SET RECIPE NUMERICS
    [ "$(standing "$@")" = finished ] && { [ "${compared:-no}" = no ] || [ -s "$work/$1/$2-s$3/$4.beam.txt" ]; }
}

# Trains and evaluates one seed. Another script that works on it is left alone, or waited for if the row is `compared`.
measure_seed() { # CORPUS PART ROW SEED DATA SEARCH AGAINST OPTIONS SET...
    local corpus=$1 part=$2 row=$3 seed=$4 data=$5 search=$6 against=$7 options=$8 seconds updates
    local run=$work/$corpus/$row-s$seed recipe model numerics set figures other=-
    read -r recipe model numerics <<<"${sums[$row]}"
    shift 8
    mkdir -p "$run"
    exec 8>"$run/measure.lock"
    if [ "${compared:-no}" = yes ]; then
        flock 8
    else
        flock -n 8 || { echo "$row, seed $seed: another script works on it" >&2 && return; }
    fi
    for set; do
        ! is_measured "$corpus" "$row" "$seed" "$set" "$recipe" "$numerics" || continue
        if [ "$against" != - ]; then
            other=$work/$corpus/$against-s$seed
            (measure_compared "$corpus" "$against" "$seed" "$set")
        fi
        echo "== $corpus $row, seed $seed: $set" >&2
        if [ "$corpus" = alignments ]; then
            measure_alignments "$run" "$seed" "$model $numerics" $options
        else
            train_row "$run" "$seed" "$work/$corpus/$data" "$model $numerics" $options
        fi
        [ $final = no ] || [[ $(cat "$run/commit") != *+* ]] ||
            fail "$run: trained while sources or rows were not committed; remove it to train it again"
        prepare "$corpus" "$data" "$set"
        case $corpus in
        alignments) figures=$(cat "$run/$set.figures") ;;
        g2p) figures=$(evaluate_g2p "$run" "$work/$corpus/$data") ;;
        *) figures=$(evaluate_row "$part" "$run" "$set" "$work/$corpus/$data" "$search" "$other") ;;
        esac
        read -r seconds updates <"$run/trained"
        alone state record "$corpus" "$row" "$seed" "$set" "$recipe" "$numerics" "$(cat "$run/commit")" "$(date +%F)" \
            "$([ "$threads" = 0 ] && nproc || echo "$threads")" "$seconds" "$updates" \
            "$(weights_of "$run")" "$(processor)" "${figures% }"
        [ ! "$state" -ef scripts/dev/quality/QUALITY.tsv ] || page
    done
}

# ---- All rows ----

refuse_uncommitted() {
    [[ $(commit) != *+ ]] || fail "--final reads the test pairs: commit what is changed in ${inputs[*]} first"
}

# Builds and commits during the hours that rows take change neither the program nor the commit that figures name.
keep_program() {
    [ "$command" != build/release/softalign ] || cmake --build build/release --target softalign_command >&2
    built=$(commit)
    program=$(mktemp -d "$work/program.XXXXXX")
    trap 'rm -rf "$program"' EXIT
    cp "$command" "$program/softalign"
    command=$program/softalign
}

list_rows() { # CORPUS
    local corpus part row count minutes data search against options seed recipe model numerics set run how now left=0
    printf '%-12s %-28s %4s %8s  %s\n' part row seed minutes state
    while IFS=$'\t' read -r corpus part row count minutes data search against options; do
        read -r recipe model numerics <<<"${sums[$row]}"
        for ((seed = 1; seed <= count; seed++)); do
            run=$work/$corpus/$row-s$seed how=''
            for set in $(sets_of "$corpus" "$part"); do
                now=$(standing "$corpus" "$row" "$seed" "$set" "$recipe" "$numerics")
                [ -z "$now" ] || how+="${how:+ }$set: $now"
            done
            if [[ $how != *finished* ]]; then
                if [ -e "$run/trained" ]; then
                    how="${how:+$how, }trained"
                else
                    left=$((left + minutes))
                    [ ! -e "$run/last.safetensors" ] ||
                        how="${how:+$how, }interrupted after $(last_row "$run" | cut -d , -f 1) updates"
                fi
            fi
            printf '%-12s %-28s %4s %8s  %s\n' "$part" "$row" "$seed" "$minutes" "${how:-to do}"
        done
    done < <(row_lines "$1")
    echo "to train: about $left minutes on two cores"
}

check_asked() { # CORPUS: whether all that was asked for is there
    local name
    [ -n "$(only='' row_lines "$1")" ] || fail "$recipes has no row of $1"
    for name in ${only//,/ }; do
        [ -n "$(only=$name row_lines "$1")" ] || fail "no row of $1 is called $name: --list shows them"
    done
    for name in ${seeds//,/ }; do
        [ -n "$(row_lines "$1" | awk -F '\t' -v seed="$name" 'seed ~ /^[1-9][0-9]*$/ && seed <= $4')" ] ||
            fail "none of these rows has a seed $name: --list shows them"
    done
}

rows() { # CORPUS [SOURCE]
    local corpus part row count minutes data search against options seed
    check_asked "$1"
    read_recipes "$1"
    if [ $list = yes ]; then
        list_rows "$1"
        return
    fi
    [ -r "${2:-.}" ] || fail "$2: no such file or folder"
    [ $final = no ] || refuse_uncommitted
    keep_program
    mkdir -p "$work/$1"
    source=${2:-}
    while IFS=$'\t' read -r corpus part row count minutes data search against options <&7; do
        for ((seed = 1; seed <= count; seed++)); do
            [[ -z $seeds || ,$seeds, == *,$seed,* ]] || continue
            prepare "$corpus" "$data" train
            prepare "$corpus" "$data" valid
            measure_seed "$corpus" "$part" "$row" "$seed" "$data" "$search" "$against" "$options" \
                $(sets_of "$corpus" "$part")
        done
    done 7< <(row_lines "$1")
}

list_all() {
    local corpus
    for corpus in $(awk -F '\t' '!/^#/ && !seen[$1]++ { print $1 }' "$recipes"); do
        echo "$corpus"
        rows "$corpus"
    done
}
