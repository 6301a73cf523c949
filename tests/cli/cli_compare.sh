# compare: one table of several models, the same batches for all, and no trace of an interruption.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 300 >mono.tsv
"$softalign" corpus mono --pairs 40 --split test >unseen.tsv
pairs="--train mono.tsv --test unseen.tsv"
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --shards 2 --patience 0 --epochs 0 --max-time 0"
short="--steps 30 --valid-every 7" long="--steps 900 --valid-every 60"
models="--models fixed,bahdanau:additive --seeds 2"

compare() {
    "$softalign" compare $pairs $sizes "$@" >out 2>err || fail "compare $*: $(cat err)"
}

# figures FOLDER: the table without what the clock says.
figures() {
    cut -d , -f 1-3,5-12 "$1/table.csv"
}

# ---- What is written

compare $models $short --out whole
header=model,seed,parameters,seconds,updates,loss,perplexity,bleu,exact,aer,entropy,zeros,words_per_second,cache_bytes_per_step,p
same "table.csv" "$header" "$(head -n 1 whole/table.csv)"
same "rows" "fixed,1 fixed,2 fixed,median bahdanau:additive,1 bahdanau:additive,2 bahdanau:additive,median" \
    "$(tail -n +2 whole/table.csv | cut -d , -f 1,2 | xargs)"
awk -F , 'NF != 15 { exit 1 }' whole/table.csv || fail "a row of table.csv has not 15 cells"
same "updates" "updates 30" "$(cut -d , -f 5 whole/table.csv | uniq | xargs)"
awk -F , '$1 == "fixed" && ($10 != "" || $11 != "" || $12 != "") { exit 1 }
    $1 ~ /^bahdanau/ && !($10 >= 0 && $10 <= 1 && $11 > 0 && $11 < 4 && $12 == 0) { exit 1 }' whole/table.csv ||
    fail "AER or entropy: $(cat whole/table.csv)"
awk -F , 'NR > 1 && $2 == "median" { for (k = 3; k <= 14; k++) {
        mean = (one[k] + two[k]) / 2; error = mean - $k
        if (error > 1e-6 * mean || -error > 1e-6 * mean) exit 1 } }
    { for (k = 3; k <= 14; k++) { one[k] = two[k]; two[k] = $k } }' whole/table.csv ||
    fail "a median is not that of two seeds: $(cat whole/table.csv)"
[ "$(sed -n '2p;3p' whole/table.csv | cut -d , -f 6 | uniq | wc -l)" = 2 ] ||
    fail "the seed changes nothing"

grep -q '^fixed .* - *- *- *[0-9]* *0 *[01][.][0-9]*$' out || fail "the table of the fixed vector: $(cat out)"
grep -q '^Medians over 2 seeds' out || fail "the table does not say median"
same "lines on standard output" 5 "$(wc -l <out)"
same "columns on standard output" \
    "model parameters seconds updates loss perplexity BLEU exact % AER entropy zeros % words/s cache B/step p" \
    "$(head -n 1 out | xargs)"

# In LaTeX: few columns, or those asked for; a % is escaped, and what all seeds share has no deviation.
row_of_fixed() { awk -F ' & ' '/{fixed}/ { $1 = ""; print }' whole/table.tex | sed 's/ \\\\$//' | xargs; }
spread_of_fixed() { # COLUMN DECIMALS
    awk -F , -v k="$1" -v d="$2" '$1 == "fixed" && $2 ~ /[12]/ { x[$2] = $k }
        END { sd = (x[1] - x[2]) / 2 ^ 0.5; printf "%.*f$_{pm%.*f}$\n", d, (x[1] + x[2]) / 2, d, sd < 0 ? -sd : sd }' whole/table.csv
}
same "titles of table.tex" 'model & parameters & BLEU & AER & p \\' "$(grep '^model' whole/table.tex)"
same "parameters, BLEU, AER and p in LaTeX" \
    "$(awk -F , -v bleu="$(spread_of_fixed 8 2)" '$1 == "fixed" && $2 == "median" { printf "%d %s - %.3f\n", $3, bleu, $15 }' whole/table.csv)" \
    "$(row_of_fixed)"
grep -q 'Models on 40 test pairs: means and standard deviations over 2 seeds\.$' whole/table.tex || fail "the caption: $(cat whole/table.tex)"
compare $models $short --out whole --table-columns model,updates,loss,exact
same "chosen titles" 'model & updates & loss & exact \% \\' "$(grep '^model' whole/table.tex)"
same "updates and loss in LaTeX" "30 $(spread_of_fixed 6 4)" "$(row_of_fixed | cut -d ' ' -f 1,2)"
expect 2 "--table-columns 'blue': table.tex has no such column" compare --train mono.tsv --test unseen.tsv --models fixed --out early \
    --table-columns bleu,blue

same "curves.csv" model,seed,step,seconds,train_loss,valid_loss,valid_bleu "$(head -n 1 whole/curves.csv)"
for run in fixed,1 fixed,2 bahdanau:additive,1 bahdanau:additive,2; do
    same "steps of $run" "7 14 21 28 30" "$(grep "^$run," whole/curves.csv | cut -d , -f 3 | xargs)"
done
same "bylength.csv" model,seed,band,sentences,bleu,low,high "$(head -n 1 whole/bylength.csv)"
same "sentences of all bands" "40 40" "$(awk -F , 'NR > 1 { sum[$1] += $4 }
    END { print sum["fixed"] / 2, sum["bahdanau:additive"] / 2 }' whole/bylength.csv)"

# They are the same figures as those of `train`, `eval` and `align`.
best=whole/bahdanau-additive-s2/best.safetensors
"$softalign" train --train mono.tsv $sizes $short --seed 2 --out alone 2>err
cmp alone/best.safetensors $best || fail "train makes another model"
same "figures of eval" \
    "$("$softalign" eval $best unseen.tsv | awk '/^all/ { print $4, $5, $6, $7, $9 }')" \
    "$(awk -F , '$1 ~ /^bahdanau/ && $2 == 2 {
        printf "%.4f %.3f %.2f %.1f %.3f\n", $6, $7, $8, 100 * $9, $10 }' whole/table.csv)"
"$softalign" align $best unseen.tsv --tidy - | awk -F , 'NR > 1 && $7 > 0 { sum -= $7 * log($7) }
    NR > 1 { row[$1 "," $3] } END { printf "%.4f\n", sum / length(row) }' >entropy
same "entropy" "$(cat entropy)" \
    "$(awk -F , '$1 ~ /^bahdanau/ && $2 == 2 { printf "%.4f\n", $11 }' whole/table.csv)"

# With one seed p is that of `score --against` the best model, of two tests corrected by Holm: the smaller one counts
# double, and the larger one is at least that. The best has the p of the second, and is bold where that is below 0.05.
compare --models fixed,bahdanau:additive,luong:dot --steps 300 --valid-every 300 --out tested
cut -f 1 unseen.tsv >sources
cut -f 2 unseen.tsv >references
for model in fixed bahdanau-additive luong-dot; do
    "$softalign" translate --beam 1 tested/$model-s1/best.safetensors <sources >$model.out
done
ranks=$(awk -F , '$2 == "median" { gsub(":", "-", $1); print $8, $1 }' tested/table.csv | sort -rn | cut -d " " -f 2 | xargs)
for model in ${ranks#* }; do
    "$softalign" score $model.out references --against ${ranks%% *}.out --json >$model.json
done
same "p" "$(python3 -c 'import json, sys
best, second, third = sys.argv[1:]
p = [json.load(open(f"{name}.json"))["against"]["p"]["bleu"] for name in (second, third)]
p = ["%.4f" % min(1, max(2 * min(p), each)) for each in p]
print(best, p[0], second, *p[:1], third, p[1])' $ranks)" \
    "$(awk -F , '$2 == "median" { gsub(":", "-", $1); printf "%s %s %.4f\n", $8, $1, $15 }' tested/table.csv | sort -rn | cut -d " " -f 2,3 | xargs)"
same "bold" "$(awk -F , '$2 == "median" && $8 > most { most = $8; p = $15 }
    END { if (p < 0.05) printf "%.2f\n", most }' tested/table.csv)" \
    "$(sed -n 's/.*textbf{\([0-9.]*\)}.*/\1/p' tested/table.tex)"

# What cannot be evaluated is refused before anything is trained.
refuse_early() { # CODE MESSAGE OPTION...
    "$softalign" compare --train mono.tsv $sizes --steps 9 --valid-every 9 --models fixed,bahdanau --out early "${@:3}" \
        >out 2>err
    same "exit of ${*:3}" "$1" $?
    same "message of ${*:3}" "softalign: $2" "$(grep -v '^note' err)"
    [ -z "$(find early -name '*.safetensors')" ] || fail "${*:3}: trained first"
    rm -rf early
}
(cat unseen.tsv && printf 'word %.0s' {1..1200} && printf '\tword\t0-0\n') >long.tsv
(cat unseen.tsv && printf 'a b\tc d\t0-0 5-5\n') >beyond.tsv
lines=$(wc -l <long.tsv)
refuse_early 7 "long.tsv:$lines: the source has 1200 tokens, more than --max-len 1000" --test long.tsv
refuse_early 7 "line $lines: the source has 1200 tokens, more than --max-len 1000" --test unseen.tsv --snapshots long.tsv
refuse_early 3 "beyond.tsv:$lines: link 5-5 is beyond the sentence (2 and 2 tokens)" --test beyond.tsv
refuse_early 4 "cannot open 'none/': No such file or directory" --test unseen.tsv --html none/page.html
cut -f 1,2 mono.tsv >unlinked.tsv
"$softalign" compare --train unlinked.tsv --test unseen.tsv $sizes --steps 9 --valid-every 9 --out early \
    --models fixed,bahdanau:additive:guided-alignment=1 >out 2>err
same "exit without links to guide by" 3 $?
[ -z "$(find early -name '*.safetensors')" ] || fail "without links to guide by: trained first"

# Runs that were trained in other folders, as on several machines, are joined by moving them.
mkdir joined
cp -r tested/*-s1 joined
compare --models fixed,bahdanau:additive,luong:dot --steps 300 --valid-every 300 --out joined
cmp joined/table.csv tested/table.csv || fail "joined runs give another table"
grep -q validation err && fail "joined runs are trained again"

# A record without samples, such as an earlier version wrote, is scored again, not trained.
cp tested/table.csv tested.csv
sed -i 's/"samples"/"other"/' tested/fixed-s1/run.json
compare --models fixed,bahdanau:additive,luong:dot --steps 300 --valid-every 300 --out tested
cmp tested.csv tested/table.csv || fail "a record without samples gives another table"
grep -q validation err && fail "a record without samples is trained again"

# ---- Going on

# interrupt SIGNAL RUN: sends it to a comparison in the folder `parts` when it has trained that run
# for a while.
interrupt() {
    : >err
    env --default-signal=INT "$softalign" compare $pairs $sizes $models $long --out parts \
        >out 2>err &
    pid=$!
    for wait in $(seq 400); do
        awk -v run="== $2 " '/^==/ { here = index($0, run) == 1 } here && /validation/ { count++ }
            END { exit count < 5 }' err && break
        sleep 0.02
    done
    kill -s $1 $pid
    wait $pid 2>/dev/null
    status=$?
}

compare $models $long --out long
interrupt INT "fixed, seed 1"
same "exit after SIGINT" 130 $status
grep -q '^stopped; the same command resumes' err || fail "SIGINT: $(tail -n 1 err)"
[ -s out ] && fail "a table in the middle"
awk -F , 'NR > 1 && $2 % 60 { exit 1 }' parts/fixed-s1/log.csv || fail "a stop leaves a validation"
interrupt KILL "bahdanau:additive, seed 1"
# ... before it could record what the training took: the log has it
grep -q '"seconds": 0.0,' parts/bahdanau-additive-s1/run.json || fail "the record of a killed run has seconds"
interrupt TERM "fixed, seed 2"
same "exit after SIGTERM" 143 $status
compare $models $long --out parts
same "figures after interruptions" "$(figures long)" "$(figures parts)"
same "curves after interruptions" "$(cut -d , -f 1-3,5- long/curves.csv)" \
    "$(cut -d , -f 1-3,5- parts/curves.csv)"
cmp long/bahdanau-additive-s2/best.safetensors parts/bahdanau-additive-s2/best.safetensors ||
    fail "another model after interruptions"
awk -F , '$1 $2 == run && $4 < before { exit 1 } { run = $1 $2; before = $4 }' parts/curves.csv ||
    fail "the seconds start anew: $(cat parts/curves.csv)"

# What is finished stays, also when models and seeds are added; other test pairs only score anew.
before=$(cksum whole/{fixed,bahdanau-additive}-s[12]/*.safetensors)
compare --models luong:dot,bahdanau:additive,fixed --seeds 3 $short --out whole
same "runs trained" "luong:dot, seed 1; luong:dot, seed 2; luong:dot, seed 3; fixed, seed 3; bahdanau:additive, seed 3;" \
    "$(sed -n 's/^== \(.*\) (.*/\1;/p' err | sort -k 1,1r -k 3 | xargs)"
grep -q '^4 of 9 runs are done already' err || fail "done already: $(cat err)"
figures whole >before.csv
head -n 20 unseen.tsv >few.tsv
"$softalign" compare --train mono.tsv --test few.tsv $sizes $models $short --out whole >out 2>err ||
    fail "other test pairs: $(cat err)"
grep -q '^epoch' err && fail "other test pairs are trained for"
same "finished models" "$before" "$(cksum whole/{fixed,bahdanau-additive}-s[12]/*.safetensors)"
compare --models luong:dot,bahdanau:additive,fixed --seeds 3 $short --out whole
same "figures of the first test pairs" "$(cat before.csv)" "$(figures whole)"

# ---- What does not belong together

expect 6 "--hidden: 'whole/fixed-s1' was trained with --hidden 8, choose another --out, or --overwrite" \
    compare $pairs ${sizes/--hidden 8/--hidden 9} $models $short --out whole
expect 6 "--steps: 'whole/fixed-s1' was trained with --steps 30, choose another --out, or --overwrite" \
    compare $pairs $sizes $models --steps 31 --valid-every 7 --out whole
expect 6 "--train: 'whole/fixed-s1' was trained with other pairs, choose another --out, or --overwrite" \
    compare --train few.tsv --test unseen.tsv $sizes $models $short --out whole
expect 6 "--valid: 'whole/fixed-s1' was trained with other pairs, choose another --out, or --overwrite" \
    compare $pairs --valid few.tsv $sizes $models $short --out whole
mkdir foreign && cp -r alone foreign/fixed-s1
expect 6 "'foreign/fixed-s1' holds a training that was not made by 'compare' (no run.json): choose another --out, or --overwrite" \
    compare $pairs $sizes $models $short --out foreign
for way in "" --resume --overwrite; do
    expect 6 "'whole/fixed-s1' is a run of 'compare' (run.json): choose another --out" \
        train --train mono.tsv --out whole/fixed-s1 $way
done
before=$(find foreign whole -name '*.safetensors' -o -name '*.csv' | sort | xargs cksum)
"$softalign" compare $pairs $sizes $models --steps 3 --valid-every 7 --out whole --json >out 2>err
same "other settings" 6 $?
same "files of a refused comparison" "$before" \
    "$(find foreign whole -name '*.safetensors' -o -name '*.csv' | sort | xargs cksum)"
compare --models fixed --steps 2 --out foreign --overwrite
same "updates of a run that replaces another training" 2 "$(sed -n 2p foreign/table.csv | cut -d , -f 5)"
# One that replaces another and ends before its first save takes nothing from that.
compare --models fixed $short --out replaced
"$softalign" compare $pairs $sizes --models fixed --steps 20 --valid-every 7 --out straight >out 2>err
(ulimit -f 8 && "$softalign" compare $pairs $sizes --models fixed --steps 20 --valid-every 7 --out replaced --overwrite) >out 2>err &&
    fail "a model larger than the limit of a file is saved"
same "its record" 20.0 "$(sed -n 's/.*"steps": \([0-9.]*\).*/\1/p' replaced/fixed-s1/run.json)"
same "the files of the other" "" "$(find replaced/fixed-s1 -name '*.safetensors' -o -name log.csv)"
compare --models fixed --steps 20 --valid-every 7 --out replaced
same "figures of a run that replaces another after an interruption" "$(figures straight)" "$(figures replaced)"
run=whole/fixed-s2/run.json
cp $run good.json
damaged() { # WHAT SED-SCRIPT MESSAGE
    sed "$2" good.json >$run
    cmp -s good.json $run && fail "$1: nothing is damaged"
    expect 3 "$run: $3" compare $pairs $sizes $models $short --out whole
}
damaged "no settings" 's/"settings"/"setting"/' "settings: 'model' is missing or impossible: choose another --out, or --overwrite"
damaged "no limit" 's/"steps": *[0-9.]*/"steps": "30"/' "settings: 'steps' is missing or impossible: choose another --out, or --overwrite"
damaged "no time" 's/"seconds": *[0-9.e+-]*/"seconds": "1"/' "not written by 'compare'"
for figure in seconds updating words updates; do
    damaged "a negative figure" "s/\"$figure\": *[0-9.e+-]*/\"$figure\": -1/" "not written by 'compare'"
done
echo '{' >whole/fixed-s2/run.json
"$softalign" compare $pairs $sizes $models $short --out whole >out 2>err
same "a damaged run.json" 3 $?
grep -q "^softalign: whole/fixed-s2/run.json: " err || fail "a damaged run.json: $(cat err)"
expect 4 "cannot open 'none.tsv': No such file or directory" \
    compare --train mono.tsv --test none.tsv $sizes --models fixed --out other
[ ! -e other ] || fail "a failed comparison left a folder"
# A list whose last model is impossible is refused before the first is trained.
expect 2 "--models: 'fixed:heads=3': --heads 3 does not divide --attn 4" \
    compare $pairs $sizes --models fixed,fixed:heads=3 $short --out other
[ ! -e other ] || fail "a list with an impossible model is trained"

# A training that leaves the finite numbers has no scores; the others do.
"$softalign" compare $pairs $sizes --models fixed $short --out wild --optimizer sgd --lr 1e9 \
    --clip 0 >out 2>err
same "a diverged run" 8 $?
grep -q "'wild/fixed-s1' diverged" err || fail "a diverged run: $(cat err)"
same "its loss" "" "$(sed -n 2p wild/table.csv | cut -d , -f 6)"

# Models that differ in an option: each is what `train` makes with it.
compare --models cgru,cgru:cell-norm=yes,cgru:dropout-state=0.3:word-dropout=0.2 $short --out options
same "models with options" "cgru cgru:cell-norm=yes cgru:dropout-state=0.3:word-dropout=0.2" \
    "$(awk -F , '$2 == "median" { print $1 }' options/table.csv | xargs)"
"$softalign" train --train mono.tsv $sizes $short --decoder cgru --dropout-state 0.3 --word-dropout 0.2 \
    --out again 2>err
cmp again/best.safetensors options/cgru-dropout-state=0.3-word-dropout=0.2-s1/best.safetensors ||
    fail "a model with options is not that of train"

# ---- Equal updates

"$softalign" compare $pairs --embed 4 --hidden 4 --attn 2 --maxout 2 --shards 2 --models fixed-init,fixed --valid-every 1000 \
    --out default >out 2>err || fail "compare without limits: $(cat err)"
same "updates without limits" "updates 2000" "$(cut -d , -f 5 default/table.csv | uniq | xargs)"
grep -i unequal out default/table.tex && fail "equal updates are called unequal"
stops=bahdanau:additive:patience=1:lr=0.6
compare --models fixed,$stops --steps 300 --valid-every 7 --html page.html --out unequal
got=$(awk -F , -v model=$stops '$1 == model && $2 == "median" { print $5 }' unequal/table.csv)
[ "$got" -lt 270 ] || fail "--patience 1 does not end a training: $got updates"
for table in out unequal/table.tex; do
    grep -q "^Unequal numbers of updates: fixed 300, $stops $got\. " $table || fail "$table hides unequal updates"
done
grep -q "\"unequal numbers of updates\",\"fixed 300, $stops $got\"" page.html || fail "the page hides unequal updates"

# ---- For programs

compare --models fixed $short --json --out json
if has python3; then
    python3 - <<'END' || fail "--json: $(cat out)"
import json
shown = json.load(open("out"))
assert list(shown) == ["models", "runs"]
model, run = shown["models"][0], shown["runs"][0]
figures = ["parameters", "seconds", "updates", "loss", "perplexity", "bleu", "exact", "aer", "entropy", "zeros",
           "words_per_second", "cache_bytes_per_step", "p", "sentences", "target_words"]
spreads = ["mean", "sd", "min", "max"]
assert list(model) == ["model", "seeds"] + figures + spreads and model["seeds"] == 1
assert all(model[key] == model["mean"][key] == model["max"][key] and model["sd"][key] is None for key in figures)
assert list(run) == ["model", "seed"] + figures + ["by_length"] and run["seed"] == 1
assert all(model[key] == run[key] for key in figures) and run["aer"] is None
bands = run["by_length"].values()
assert run["sentences"] == 40 == sum(band["sentences"] for band in bands)
assert all(0 <= band["low"] <= band["high"] <= 100 and 0 <= band["bleu"] <= 100 for band in bands)
END
fi
# What is noted of the pairs is said once, not by each of the trainings.
sed '1i source\ttarget' few.tsv | cut -f 1,2 >named.tsv
"$softalign" compare --train named.tsv --test unseen.tsv $sizes --models fixed,bahdanau:additive --steps 1 --out named >out 2>err
same "notes of two trainings" "1" "$(grep -c "^note: named.tsv: read as tabs" err)"

finish
