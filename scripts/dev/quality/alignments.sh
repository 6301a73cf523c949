# Sourced by scripts/dev/measure: alignment error rates on gold alignments of real text, English and French.
#
# DIR holds europarl-golden100 (100 sentences; Graça et al. 2008), which chooses the Transformer's head, and with
# --final the Hansards of NAACL 2003 (awesome-align-examples/enfr, 447) and alibi-tales (522 sentences of tales);
# DIR/../tatoeba, or the file that TATOEBA names, the pairs of eng-fra. Models learn from Tatoeba's pairs and the gold
# sets' own text without its links: both sides in lower case, cut at spaces, Tatoeba's punctuation and elisions cut
# off first. Models that are guided by an aligner's links read the gold sets' text ten times as often, since many of its
# words are in no pair of Tatoeba's. Every model is trained in both directions; "both" are their links made one by
# grow-diag.

alignment_sets() {
    echo europarl
    [ $final = no ] || printf '%s\n' hansards tales
}

# ENGLISH TAB FRENCH TAB LINKS (from 0, English-French) of a gold set.
gold_set() { # NAME
    local story
    case $1 in
    europarl)
        paste <(text_of europarl-golden100/europarl100.en | cut -f 2) \
            <(text_of europarl-golden100/europarl100.fr | cut -f 2) \
            <(text_of europarl-golden100/europarl100.en-fr.gold | cut -f 2)
        ;;
    hansards)
        paste <(text_of awesome-align-examples/enfr.src-tgt | sed 's/ *||| */\t/; s/ *$//') \
            <(text_of awesome-align-examples/enfr.gold |
                awk '{ for (i = 1; i <= NF; i++) { split($i, at, /[-p]/)
                       printf "%d%s%d ", at[1] - 1, $i ~ /p/ ? "p" : "-", at[2] - 1 } print "" }')
        ;;
    tales)
        for story in BlueBeard MasterCat TheInn TheLastLesson TheVision; do
            paste <(text_of "alibi-tales/$story.en" | cut -f 2) <(text_of "alibi-tales/$story.fr" | cut -f 2) \
                <(text_of "alibi-tales/$story.fr-en.gold" | cut -f 2 | sed -E 's/([0-9]+)([-p])([0-9]+)/\3\2\1/g')
        done
        ;;
    esac | awk -F '\t' -v OFS='\t' '$1 != "" && $2 != "" { sub(/ +$/, "", $3); print }'
}

# Punctuation and elisions as words of their own; spaces that do not break become plain ones.
cut_words() {
    sed -E "s/\xc2\xa0|\xe2\x80\xaf|\xe2\x80\x89/ /g; s/([.,:;?!\"()]|\xc2\xab|\xc2\xbb)/ \1 /g; s/([[:alpha:]])'/\1' /g; s/ +/ /g; s/ ?\t ?/\t/; s/^ //; s/ $//"
}

swapped() { awk -F '\t' -v OFS='\t' '{ print $2, $1 }' "$1"; } # FILE

# Of both directions: the gold sets as SET.DIRECTION.tsv, their links as SET.DIRECTION.gold, and the text to learn from,
# the gold sets' and Tatoeba's.
prepare_alignments() { # en-fr SET FOLDER
    local set pairs
    [ ! -e "$3/en-fr.train.tsv" ] || return 0
    if [ -n "${TATOEBA:-}" ]; then
        pairs=$(path "$TATOEBA")
    else
        pairs=$(printf '%s\n' "$source"/../tatoeba/eng-fra* | head -n 1)
    fi
    for set in europarl hansards tales; do
        gold_set $set >"$3/$set.gold.tsv"
        cut -f 1,2 "$3/$set.gold.tsv" >"$3/$set.en-fr.tsv"
        cut -f 3 "$3/$set.gold.tsv" >"$3/$set.en-fr.gold"
        swapped "$3/$set.en-fr.tsv" >"$3/$set.fr-en.tsv"
        sed -E 's/([0-9]+)([-p])([0-9]+)/\3\2\1/g' "$3/$set.en-fr.gold" >"$3/$set.fr-en.gold"
    done
    {
        cat "$3"/{europarl,hansards,tales}.en-fr.tsv
        gzip -cdf "$pairs" | cut -f 1,2 | cut_words | awk -F '\t' '$1 != "" && $2 != ""'
    } >"$3/en-fr.new"
    swapped "$3/en-fr.new" >"$3/fr-en.train.tsv"
    mv "$3/en-fr.new" "$3/en-fr.train.tsv"
}

# Links of the gold sets and of all pairs by a word aligner; the gold sets stand first in the text.
links_of_aligner() { # FOLDER DIRECTION OPTION...
    local run=$1 direction=$2 set first=1 count
    shift 2
    "$command" align-words "$work/alignments/$direction.train.tsv" --tokenizer space --lowercase --pharaoh "$run/all.$direction" "$@" >&2
    for set in europarl hansards tales; do
        count=$(wc -l <"$work/alignments/$set.$direction.tsv")
        sed -n "$first,$((first + count - 1))p" "$run/all.$direction" >"$run/$set.$direction"
        first=$((first + count))
    done
}

# Links of a set by a trained model, of its whole attention or of one head.
links_of_model() { # FOLDER DIRECTION SET OPTION...
    "$command" align "$(model_of "$1/$2")" "$work/alignments/$3.$2.tsv" --threads "$threads" --pharaoh "$1/$3.$2" \
        "${@:4}" >&2
}

error_rate() { # FOLDER SET DIRECTION [OPTION...]: AER, precision and recall
    "$command" score --alignments "$1/$2.$3" "$work/alignments/$2.$3.gold" --json "${@:4}"
}

# The layer and head with the least AER on europarl.
best_head() { # FOLDER DIRECTION
    local layer head json
    for layer in 1 2 3 4; do
        for head in 1 2 3 4; do
            links_of_model "$1" "$2" europarl --layer $layer --head $head
            json=$(error_rate "$1" europarl "$2")
            echo "$(value_at aer "$json") $layer $head"
        done
    done | sort -g | sed -n '1s/^[^ ]* //p'
}

# Writes FOLDER/head.DIRECTION, unless it is there.
choose_head() { # FOLDER DIRECTION
    [ ! -s "$1/head.$2" ] || return 0
    best_head "$1" "$2" >"$1/head.new"
    mv "$1/head.new" "$1/head.$2"
}

# The links that the aligner found in both directions.
agreed() { # FOLDER DIRECTION
    paste "$1/all.$2" "$1/all.${2#*-}-${2%-*}" | awk -F '\t' '{
        split("", back)
        n = split($2, link, /[- ]/)
        for (i = 1; i < n; i += 2) back[link[i + 1] "-" link[i]]
        n = split($1, link, " ")
        for (i = 1; i <= n; i++) if (link[i] in back) printf "%s ", link[i]
        print "" }'
}

# A file whose first lines, those of the gold sets, come ten times.
repeated() { # FILE
    local lines
    lines=$(cat "$work"/alignments/{europarl,hansards,tales}.en-fr.tsv | wc -l)
    cat "$1"
    for _ in {2..10}; do head -n "$lines" "$1"; done
}

# What a guided model learns: FOLDER/DIRECTION.train.tsv and FOLDER/links.DIRECTION.
make_lessons() { # FOLDER DIRECTION
    [ ! -s "$1/links.$2" ] || return 0
    repeated "$work/alignments/$2.train.tsv" >"$1/$2.train.tsv"
    agreed "$1" "$2" >"$1/once.$2"
    repeated "$1/once.$2" >"$1/links.new"
    mv "$1/links.new" "$1/links.$2"
}

# `--alignments MODEL` of a row names the word aligner that makes the links. Heads and links that belong to a model of
# another recipe are made again.
train_both() { # FOLDER SEED RECIPE OPTION...
    local run=$1 seed=$2 recipe=$3 direction teacher text=$work/alignments
    shift 3
    teacher=$(sed -n 's/.*--alignments \([^ ]*\).*/\1/p' <<<"$*")
    for direction in en-fr fr-en; do
        [ "$(cat "$run/$direction/recipe" 2>/dev/null)" = "$recipe" ] || rm -f "$run"/{head,all,links}."$direction"
        [ -z "$teacher" ] || [ -s "$run/all.$direction" ] || links_of_aligner "$run" $direction --model "$teacher"
    done
    [ -z "$teacher" ] || text=$run
    for direction in en-fr fr-en; do
        [ -z "$teacher" ] || make_lessons "$run" $direction
        train_row "$run/$direction" "$seed" "$text/$direction" "$recipe" "${@/#${teacher:-no links}/$run/links.$direction}"
    done
}

# In the place of train_row and evaluate_row: both directions, then all sets. Writes the figures of each set to
# FOLDER/SET.figures.
measure_alignments() { # FOLDER SEED RECIPE OPTION...
    local run=$1 direction set json layer head site figures
    if [ "$4" = align-words ]; then
        local begin=$SECONDS
        if [ ! -e "$run/trained" ] || [ "$(cat "$run/recipe" 2>/dev/null)" != "$3" ]; then
            rm -f "$run/trained"
            echo "$built" >"$run/commit"
            for direction in en-fr fr-en; do links_of_aligner "$run" $direction --seed "$2" "${@:5}"; done
            echo "$3" >"$run/recipe"
            echo "$((SECONDS - begin)) -" >"$run/trained"
        fi
    else
        train_both "$@"
        sort -u "$run"/{en-fr,fr-en}/commit | paste -s -d , >"$run/commit"
        paste -d ' ' "$run"/{en-fr,fr-en}/trained | awk '{ print $1 + $3, $2 }' >"$run/trained"
        for direction in en-fr fr-en; do
            site=()
            if [[ $* == *guided-at* ]]; then # all these models have one layer
                site=(--layer 1 --head 1 --align-at input)
            elif [[ $* == *transformer* ]]; then
                choose_head "$run" $direction
                read -r layer head <"$run/head.$direction"
                site=(--layer "$layer" --head "$head")
            fi
            for set in $(alignment_sets); do links_of_model "$run" $direction "$set" "${site[@]}"; done
        done
    fi
    for set in $(alignment_sets); do
        figures=''
        for direction in en-fr fr-en both; do
            if [ $direction = both ]; then
                json=$(error_rate "$run" "$set" en-fr --reverse "$run/$set.fr-en" --combine grow-diag)
            else
                json=$(error_rate "$run" "$set" $direction)
            fi
            figures+=$(printf '%s.aer=%.3f ' $direction "$(value_at aer "$json")")
        done
        printf '%sboth.precision=%.3f both.recall=%.3f' "$figures" "$(value_at precision "$json")" \
            "$(value_at recall "$json")" >"$run/$set.figures"
    done
}
