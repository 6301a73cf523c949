# Sourced by scripts/dev/measure: the pairs of real corpora, as $work/CORPUS/DATA.{train,valid,test}.tsv.

# The sets a row is evaluated on: rows of a search or of precisions never see test pairs, the others with --final.
sets_of() { # CORPUS PART
    case $1 in
    alignments) alignment_sets && return ;;
    g2p) echo dev && return ;;
    esac
    echo valid
    [[ $2 != @(search|precision) && $final = yes ]] || return 0
    echo test
    [ "$1" != debian ] || printf '%s\n' descriptions summaries help
}

# Options of score: Multi30k's files hold tokens already, and a model of lower case cannot know another one.
scoring_of() { # FOLDER DATA-PATH
    if [[ $2 == */multi30k/* ]]; then echo --tokenize none; fi
    ! "$command" inspect "$(model_of "$1")" --json | grep '"lowercase": true' >/dev/null || echo --lowercase
}

# Makes a set unless it is there.
prepare() { # CORPUS DATA SET
    [ -e "$work/$1/$2.$3.tsv" ] || alone "$1" prepare_alone "$@"
}

prepare_alone() { # CORPUS DATA SET
    [ -e "$work/$1/$2.$3.tsv" ] || "prepare_$1" "$2" "$3" "$work/$1" # unless another script has made it meanwhile
}

text_of() { # FILE: as it is, or gzip; in the folder that was given, or tok and raw beside each other
    local place
    for place in "$source" "$source"/{tok,raw} "$source/../raw"; do
        if [ -e "$place/$1.gz" ]; then gzip -dc "$place/$1.gz" && return; fi
        if [ -e "$place/$1" ]; then cat "$place/$1" && return; fi
    done
    fail "there is no $1 in $source"
}

# Pairs of lower-case tokens, the target's raw lines, and what recase.py has learned from the training text.
prepare_multi30k() { # LANGUAGES SET FOLDER
    local part=$2 target=${1#*-} to=$3/$1
    [ "$2" != valid ] || part="val"
    [ "$2" != test ] || part=test_2016_flickr
    text_of "$part.lc.norm.tok.${1%-*}" >"$to.$2.from"
    text_of "$part.lc.norm.tok.$target" >"$to.$2.to"
    if [ "$2" = train ]; then
        text_of "train.$target" | tr '\t' ' ' >"$to.train.raw"
        paste "$to.train.to" "$to.train.raw" | python3 scripts/dev/quality/recase.py >"$to.recase"
    else
        text_of "$part.$target" >"$to.$2.raw"
    fi
    paste "$to.$2.from" "$to.$2.to" >"$to.$2.new"
    mv "$to.$2.new" "$to.$2.tsv"
}

prepare_tatoeba() { # tutorial|short SET FOLDER
    local set pairs=$source options=()
    if [ "$1" = tutorial ]; then
        options=(--tutorial)
    else
        pairs=$3/short.pairs
        "$command" clean "$source" --max-len 15 --out "$pairs" >&2
    fi
    scripts/dev/corpus-tatoeba "$pairs" "$3/$1" "${options[@]}" >&2
    for set in train valid test; do mv "$3/$1/$set.tsv" "$3/$1.$set.tsv"; done
}

# The pairs of each part of the corpus alone are sets of their own.
prepare_debian() { # debian SET FOLDER
    local set
    case $2 in
    descriptions | summaries | help)
        scripts/dev/corpus-debian "$3/$2" --parts "$2" >&2
        sort -u "$3/$2"/*.tsv | comm -12 - <(sort -u "$3/$1.test.tsv") >"$3/$1.$2.tsv"
        ;;
    *)
        scripts/dev/corpus-debian "$3/$1" >&2
        for set in train valid test; do mv "$3/$1/$set.tsv" "$3/$1.$set.tsv"; done
        ;;
    esac
}
