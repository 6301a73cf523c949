#!/bin/bash
# scripts/dev/measure on a corpus like Multi30k's files, a few pairs long: rows are listed, trained, killed, resumed,
# evaluated and kept; test pairs are read with --final alone; the page equals what is kept.
set -u
command=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

expect() { # WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] && return
    printf '%s: expected:\n%s\nbut got:\n%s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

contains() { # WHAT PATTERN TEXT
    grep -qE -- "$2" <<<"$3" && return
    printf '%s: expected %s in:\n%s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

measure() {
    scripts/dev/measure --command "$command" --work "$scratch/work" --state "$scratch/state.tsv" \
        --rows "$scratch/rows.tsv" --threads 1 "$@"
}

# Capital letters and a full stop that sticks, as raw text has them.
data=$scratch/data
mkdir "$data"
"$command" corpus mono --pairs 240 | cut -f 1,2 | tr 'A-Z' 'a-z' >"$scratch/pairs"
for part in train:1,200 val:201,220 test_2016_flickr:221,240; do
    sed -n "${part#*:}p" "$scratch/pairs" | cut -f 1 | sed 's/\([.?!]\)$/ \1/' >"$data/${part%:*}.lc.norm.tok.xx"
    sed -n "${part#*:}p" "$scratch/pairs" | cut -f 2 | sed 's/\([.?!]\)$/ \1/' >"$data/${part%:*}.lc.norm.tok.yy"
    sed -n "${part#*:}p" "$scratch/pairs" | cut -f 2 | sed 's/^./\u&/' >"$data/${part%:*}.yy"
done
mkdir "$scratch/hidden"
mv "$data"/test* "$scratch/hidden"
model='--tokenizer space --embed 16 --hidden 16 --shards 1 --epochs 0 --max-time 0 --valid-every 10'
{
    printf 'multi30k\tsearch\ttry\t1\t1\txx-yy\t-\t-\t%s --steps 20\n' "$model"
    printf 'multi30k\trecord\tplain\t2\t1\txx-yy\t-\t-\t%s --steps 20\n' "$model"
    printf 'multi30k\trecord\tmore\t1\t2\txx-yy\t--length-power 1.5\tplain\t%s --steps 100000 --average 2\n' "$model"
} >"$scratch/rows.tsv"

contains "list" '^record +plain +2 +1 +to do$' "$(measure multi30k "$data" --list)"
contains "list of all corpora" '^multi30k$' "$(scripts/dev/measure --list --rows "$scratch/rows.tsv" --work "$scratch/work" --command "$command")"
for given in "--list --only plain" "recurrent --final" "page --list"; do
    contains "$given" '^  scripts/dev/measure multi30k DIR' "$(measure $given 2>&1)"
done
mkdir "$scratch/empty"
measure multi30k "$scratch/empty" --only plain >"$scratch/log" 2>&1
expect "code without files" 1 $?
contains "no files" 'there is no train.lc.norm.tok.xx in' "$(cat "$scratch/log")"
contains "unknown part" 'no row of multi30k is called nothing' "$(measure multi30k "$data" --only search,nothing 2>&1)"
contains "unknown seed" 'none of these rows has a seed 3' "$(measure multi30k "$data" --seeds 1,3 2>&1)"
contains "paths" '^record +plain +2 +1 +to do$' "$(
    measure=$PWD/scripts/dev/measure
    cd "$scratch" && "$measure" multi30k data --list --rows rows.tsv --state state.tsv --work work --command "$command"
)"

# The committed rows name options that there are: what is missing is the pairs.
while IFS=$'\t' read -r _ _ row _ _ _ _ _ options; do
    [[ $options != align-words* ]] || continue
    "$command" train $options --train "$scratch/none" --out "$scratch/none" >"$scratch/log" 2>&1
    code=$?
    expect "options of $row: $(cat "$scratch/log")" 4 $code
done < <(grep -v '^#' scripts/dev/quality/rows.tsv)

# A search that fails leaves no figures.
printf '#!/bin/sh\n[ "$1" != translate ] || exit 7\nexec "%s" "$@"\n' "$command" >"$scratch/broken"
chmod +x "$scratch/broken"
measure multi30k "$data" --only try --command "$scratch/broken" >"$scratch/log" 2>&1
expect "code of a search that fails" 7 $?
expect "figures of a search that fails" "" "$(cat "$scratch/state.tsv" 2>/dev/null)"

# A model of lower case is scored without regard to case.
printf '#!/bin/sh\n[ "$1" != score ] || echo "$@" >>"%s"\nexec "%s" "$@"\n' "$scratch/scored" "$command" >"$scratch/noted"
chmod +x "$scratch/noted"
printf 'tatoeba\ttatoeba\tshort\t1\t1\tshort\t-\t-\t%s --steps 10 --lowercase\n' "${model/ space/ word}" >"$scratch/lower.tsv"
"$command" corpus mono --pairs 240 | cut -f 1,2 >"$scratch/pairs"
measure tatoeba "$scratch/pairs" --command "$scratch/noted" --rows "$scratch/lower.tsv" --state "$scratch/lower.state" \
    >"$scratch/log" 2>&1 || cat "$scratch/log"
expect "scores of a model of lower case" 2 "$(grep -c -- '--lowercase' "$scratch/scored")"

# No test pair is there to be read.
measure multi30k "$data" --only search,plain >"$scratch/log" 2>&1 || cat "$scratch/log"
expect "rows kept" "multi30k plain 1 valid
multi30k plain 2 valid
multi30k try 1 valid" "$(cut -f 1-4 "$scratch/state.tsv" | tr '\t' ' ')"
contains "powers of a record" 'power-1.5.bleu=' "$(grep plain "$scratch/state.tsv")"
contains "figures" 'greedy.bleu=[0-9.]+ .*greedy.cased=[0-9.]+ beam.bleu=[0-9.]+ .*power-1.5.bleu=' "$(grep try "$scratch/state.tsv")"
expect "updates" 20 "$(awk -F '\t' '$2 == "try" { print $11 }' "$scratch/state.tsv")"
contains "finished" '^search +try +1 +1 +finished$' "$(measure multi30k "$data" --list | sed 's/valid: //')"
before=$(md5sum <"$scratch/state.tsv")
measure multi30k "$data" --only search,plain >"$scratch/log" 2>&1
expect "nothing is done twice" "$before" "$(md5sum <"$scratch/state.tsv")"
contains "no folder, nothing left to do" 'none: no such file or folder' "$(measure multi30k "$scratch/none" --only plain 2>&1)"

# Killed, and gone on with.
setsid bash -c "scripts/dev/measure multi30k '$data' --only more --command '$command' --work '$scratch/work' \
    --state '$scratch/state.tsv' --rows '$scratch/rows.tsv' --threads 1" >"$scratch/log" 2>&1 &
for ((i = 0; i < 300; i++)); do
    kill -0 $! 2>/dev/null || break
    [ "$(wc -l 2>/dev/null <"$scratch/work/multi30k/more-s1/log.csv")" -gt 3 ] 2>/dev/null && break
    sleep 0.1
done
kill -KILL -- -$! && wait $! 2>/dev/null
done=$(tail -n 1 "$scratch/work/multi30k/more-s1/log.csv" | cut -d , -f 2)
contains "interrupted" "^record +more +1 +2 +interrupted after $done updates" "$(measure multi30k "$data" --list)"
# Another number of updates is another recipe.
sed -i "s/--steps 100000/--steps $((done + 10))/" "$scratch/rows.tsv"
recipe=$(cat "$scratch/work/multi30k/more-s1/recipe")
measure multi30k "$data" --only more >"$scratch/log" 2>&1 || cat "$scratch/log"
expect "another recipe begins anew" "$((done + 10))" "$(awk -F '\t' '$2 == "more" { print $11 }' "$scratch/state.tsv")"
[ "$recipe" != "$(cat "$scratch/work/multi30k/more-s1/recipe")" ] || expect "recipe" changed "$recipe"
rm "$scratch/work/multi30k/more-s1/trained"
sed -i '/\tmore\t/d' "$scratch/state.tsv"
measure multi30k "$data" --only more >"$scratch/log" 2>&1 || cat "$scratch/log"
contains "resumed" 'resumed' "$(cat "$scratch/log")"
contains "comparison" 'delta=[-0-9.]+ delta.low=[-0-9.]+ delta.high=[-0-9.]+ p=[0-9.]+' "$(grep more "$scratch/state.tsv")"

# A row runs alone: the one that it is compared with is measured before it, and again where only its figures are known.
measure_alone() { # WHAT-IS-MEASURED
    sed -i '/\tmore\t/d' "$scratch/alone.tsv"
    measure multi30k "$data" --only more --work "$scratch/alone" --state "$scratch/alone.tsv" >"$scratch/log" 2>&1 ||
        cat "$scratch/log"
    expect "a row alone" "$1" "$(sed -n 's/^== multi30k \(.*\), seed 1: valid$/\1/p' "$scratch/log" | tr '\n' ' ')"
    contains "comparison of a row alone" 'delta=[-0-9.]+ ' "$(grep more "$scratch/alone.tsv")"
}
touch "$scratch/alone.tsv"
measure_alone "plain more "
measure_alone "more "
rm -r "$scratch/alone/multi30k/plain-s1"
measure_alone "plain more "
expect "rows beside one alone" "multi30k more 1 valid
multi30k plain 1 valid" "$(cut -f 1-4 "$scratch/alone.tsv" | tr '\t' ' ')"

# Another search needs no other model, but another comparison.
sed -i '/record\tplain\t/s/xx-yy\t-/xx-yy\t--length-power 1.5/' "$scratch/rows.tsv"
contains "compared with another search" '^record +more +1 +2 +stale' "$(measure multi30k "$data" --list | sed 's/valid: //')"
trained=$(cat "$scratch/work/multi30k"/plain-s*/log.csv)
measure multi30k "$data" --only plain,more >"$scratch/log" 2>&1 || cat "$scratch/log"
expect "another search of the same model" "$trained" "$(cat "$scratch/work/multi30k"/plain-s*/log.csv)"
contains "searched again" '^record +more +1 +2 +finished' "$(measure multi30k "$data" --list | sed 's/valid: //')"

# A change of numerics makes rows stale.
sed -i 's/^\(multi30k\tplain\t1\tvalid\t[0-9]*\t\)[0-9]*/\10/' "$scratch/state.tsv"
contains "stale" '^record +plain +1 +1 +stale' "$(measure multi30k "$data" --list | sed 's/valid: //')"

# --final refuses what is not committed; here there may be no repository at all.
if git rev-parse HEAD >/dev/null 2>&1 && [ -z "$(source scripts/dev/quality/rows.sh && git status --porcelain -- "${inputs[@]}")" ]; then
    mv "$scratch/hidden"/* "$data"
    measure multi30k "$data" --final --only plain --seeds 2 >"$scratch/log" 2>&1 || cat "$scratch/log"
    contains "test pairs" '^multi30k plain 2 test' "$(cut -f 1-4 "$scratch/state.tsv" | tr '\t' ' ')"
else
    contains "not committed" 'commit what is changed in .* src .* first' \
        "$(measure multi30k "$data" --final --only plain 2>&1)"
fi

# Seeds of another recipe have no part in a mean.
printf '# a comment\nc\trow\t1\tvalid\t11\nc\trow\t2\tvalid\t11\nc\trow\t2\ttest\t11\nc\tother\t2\tvalid\t11\n' >"$scratch/means.tsv"
(
    source scripts/dev/quality/rows.sh
    work=$scratch state=$scratch/means.tsv
    record c row 1 valid 12 new
)
expect "seeds of one recipe" "# a comment
c other 2 valid 11
c row 1 valid 12 new
c row 2 test 11" "$(tr '\t' ' ' <"$scratch/means.tsv")"

# Seconds: the second part of a training had no row of its own.
(
    source scripts/dev/quality/rows.sh
    printf '5,50,100.4\n' >"$scratch/log.csv"
    printf '20,30.1\n20,30.1\n40,0.5\n' >"$scratch/parts"
    expect "seconds" 131 "$(seconds_of "$scratch")"
    exit $failures
) || failures=$((failures + 1))

# Alignments: a new model gets a head and links of its own, and no head is chosen from a part of them.
mkdir -p "$scratch"/both/{en-fr,fr-en}
echo old | tee "$scratch"/both/{{en-fr,fr-en}/recipe,{head,all}.{en-fr,fr-en}} >"$scratch/log"
(
    source scripts/dev/quality/alignments.sh
    work=$scratch
    train_row() { echo "$4" >"$1/recipe"; }
    train_both "$scratch/both" 1 old
    expect "heads of the same recipe" "head.en-fr head.fr-en" "$(cd "$scratch/both" && echo head.*)"
    train_both "$scratch/both" 1 new
    expect "heads and links of another recipe" "en-fr fr-en" "$(cd "$scratch/both" && echo *)"
    exit $failures
) || failures=$((failures + 1))
(
    set -euo pipefail
    source scripts/dev/quality/alignments.sh
    links_of_model() { [ "$5 $7" != "2 3" ]; }
    error_rate() { echo '{}'; }
    value_at() { echo 0.5; }
    choose_head "$scratch/both" en-fr
)
expect "code of a choice that was interrupted" 1 $?
expect "head that was not chosen" "" "$(cat "$scratch/both/head.en-fr" 2>/dev/null)"

# Case and joints.
printf 'la fille .\tla Fille.\nun ami de la fille !\tUn ami de la Fille !\nun café\tUn Café\n' |
    python3 scripts/dev/quality/recase.py >"$scratch/cases"
expect "recase" 'La Fille a une Grandfille, « un Café » (l'\''été).
"État" & l'\''un.' "$(printf '%s\n' 'la fille a une grandfille , « un café » ( l&apos; été ) .' '&quot; état &quot; &amp; l&apos; un .' |
    python3 scripts/dev/quality/recase.py "$scratch/cases" -)"

# The README's table of the history, its rows and columns of the whole, with the commit.
cat >"$scratch/years.md" <<'YEARS'
| year | attention | formula | parameters | BLEU 11-15 | BLEU 21-30 | AER | zeros % | cache |
|---|---|---|---:|---:|---:|---:|---:|---:|
| 1964 | kernel (Nadaraya, Watson) | `-\|q - k\|^2` | 1 | 2 | 3 | 4 | 5 | 6 |
| 1900 | none | `0` | 1 | 2 | 3 | 4 | 5 | 6 |
YEARS
(
    source scripts/dev/quality/history.sh
    shown_years "$scratch/years.md" README.md >"$scratch/table.md"
    with_years README.md "$scratch/table.md" abc1234
) >"$scratch/README.md"
expect "rows of years" '| year | attention | formula | BLEU 11-15 | BLEU 21-30 | AER |
|---|---|---|---:|---:|---:|
| 1964 | kernel (Nadaraya, Watson) | `-\|q - k\|^2` | 2 | 3 | 4 |' "$(cat "$scratch/table.md")"
expect "table of years" "$(cat "$scratch/table.md")" "$(grep -A 4 '`scripts/dev/measure years` made.* at abc1234:$' "$scratch/README.md" | tail -n 3)"
expect "the rest of the README" "$(grep -v '^|\|measure years' README.md)" "$(grep -v '^|\|measure years' "$scratch/README.md")"

expect "page" "" "$(scripts/dev/measure page --check 2>&1)"
[ $failures = 0 ]
