# Sourced by scripts/dev/measure: the tables in QUALITY.md and SEARCH.md that QUALITY.tsv gives, each between
# <!-- measured CORPUS PART --> and <!-- /measured -->, and a plot.

# What each table shows: figures of QUALITY.tsv and their titles.
columns_of() { # CORPUS PART
    case $1:$2 in
    alignments:*) echo 'en-fr.aer:AER English-French,fr-en.aer:French-English,both.aer:both,both.precision:precision of both,both.recall:recall of both' ;;
    g2p:mechanisms) echo 'wer:words wrong %,per:phones wrong %' ;;
    g2p:*) echo 'wer:words wrong %,per:phones wrong %,ensemble:ensemble of five' ;;
    *:search) echo "greedy.bleu:greedy,beam.bleu:beam of 5,power-0.5.bleu:length power 0.5,power-1.5.bleu:1.5,power-2.bleu:2,greedy.cased:13a greedy,beam.cased:13a beam of 5" ;;
    *:ingredients | *:precision) echo 'greedy.bleu:greedy,beam.bleu:beam of 5,beam.low:95 % from,beam.high:to,delta:gain,delta.low:95 % from,delta.high:to,p:p,beam.chrf:chrF,greedy.cased:13a greedy,beam.cased:13a beam of 5' ;;
    multi30k:*) echo 'greedy.bleu:greedy,beam.bleu:beam of 5,beam.chrf:chrF,greedy.cased:13a greedy,beam.cased:13a beam of 5' ;;
    *) echo 'greedy.bleu:greedy,greedy.chrf:chrF,beam.bleu:beam of 5,beam.chrf:chrF,beam.exact:exact %' ;;
    esac
}

# The rows of a part, each with the last change of numerics that concerns it.
numerics_of_rows() { # CORPUS PART
    local row options
    only=$2 row_lines "$1" | awk -F '\t' -v part="$2" -v OFS='\t' '$2 == part { print $3, $9 }' |
        while IFS=$'\t' read -r row options; do printf '%s\t%s\n' "$row" "$(numerics_of "$options")"; done
}

# A text with its tables made again.
with_tables() { # FILE
    local line corpus part inside=no
    while IFS= read -r line; do
        [ "$line" != '<!-- /measured -->' ] || inside=no
        [ $inside = yes ] || printf '%s\n' "$line"
        [[ $line =~ ^\<!--\ measured\ ([a-z0-9]+)\ ([a-z0-9]+)\ --\>$ ]] || continue
        corpus=${BASH_REMATCH[1]} part=${BASH_REMATCH[2]} inside=yes
        python3 scripts/dev/quality/table.py "$corpus" "$(columns_of "$corpus" "$part")" \
            <(numerics_of_rows "$corpus" "$part") "$state"
    done <"$1"
    [ $inside = no ] || fail "$1: a table has no end"
}

# The plot of the gains over RNNsearch.
plot() { python3 scripts/dev/quality/gains.py "$state"; }

page() { alone page make_page; }

make_page() {
    local file new status=0
    new=$(mktemp)
    for file in scripts/dev/quality/{QUALITY,SEARCH}.md scripts/dev/pictures/ingredients.svg; do
        if [[ $file == *.svg ]]; then plot; else with_tables "$file"; fi >"$new"
        if [ $check = no ]; then
            cmp -s "$new" "$file" || cat "$new" >"$file"
        else
            diff "$file" "$new" >&2 || status=1
        fi
    done
    rm -f "$new"
    [ $status = 0 ] || fail "'scripts/dev/measure page' makes them otherwise"
}
