# eval: the same figures as those of the commands that look at a model's output.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
"$softalign" corpus mono --pairs 60 --split test >unseen.tsv
cut -f 1 unseen.tsv | "$softalign" translate $model >hyp
cut -f 2 unseen.tsv >ref
cut -f 3 unseen.tsv >gold

value() { # KEY: of the first such key in the JSON object in `out`
    sed -n "s/^ *\"$1\": \([^,]*\),*/\1/p" out | head -n 1
}
values() {
    for key in "$@"; do value $key; done | xargs
}

# BLEU and chrF are those of score on what translate writes.
for options in "" "--tokenize char --smooth floor --lowercase" "--chrf-word-order 2"; do
    expect 0 "" eval $model unseen.tsv --json $options
    evaluated=$(values bleu chrf tokens)
    expect 0 "" score hyp ref --json $options
    same "eval and score, $options" "$(values bleu chrf tokens)" "$evaluated"
done

# Translations may begin with given words.
cut -f 1 unseen.tsv | "$softalign" translate $model --target-prefix "le zork" >begun 2>/dev/null
same "lines that begin with the prefix" 60 "$(grep -c '^le zork' begun)"

# The same note on cut translations as of translate.
"$softalign" eval $model unseen.tsv --min-length 50 --max-ratio 0 >out 2>err
same "cut" "note: translations cut at --max-ratio 0 before they ended: 60, the first in line 1" "$(cat err)"

# With the lengths of the references: translations that would go on, or end, do not.
expect 0 "" eval tiny/best.safetensors unseen.tsv --json --max-ratio 0
free=$(value bleu)
expect 0 "" eval tiny/best.safetensors unseen.tsv --json --max-ratio 0 --reference-length
[ "$(value bleu)" != "$free" ] || fail "--reference-length changes nothing"
forced=$(value bleu)
expect 0 "" eval tiny/best.safetensors unseen.tsv --json --max-ratio 9 --reference-length
same "BLEU with given lengths, whatever --max-ratio" "$forced" "$(value bleu)"

# The links are those of align.
expect 0 "" eval $model unseen.tsv --json
evaluated=$(values aer precision recall)
"$softalign" align $model unseen.tsv --pharaoh links
expect 0 "" score --alignments links gold --json
same "eval and align" "$(values aer precision recall)" "$evaluated"

# Rows that lack weight, have too much, and hold zeros: what is said of them is what align writes.
figure() { # NAME PROGRAM: what the awk PROGRAM finds in the matrices is what eval says
    same "$row: $1" "$(awk -F , "$2" matrices/*.csv)" "$(printf '%.4f' "$(value "$1")")"
}
for row in null null-key sparsemax entmax graves; do
    option=--normalizer
    [ $row != graves ] || option=--attention
    "$softalign" train --train tiny.tsv --out $row --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 30 --lr 0.02 \
        $option $row 2>err || fail "train: $(cat err)"
    "$softalign" align $row/best.safetensors unseen.tsv --pharaoh links --csv matrices 2>err ||
        fail "align: $(cat err)"
    expect 0 "" eval $row/best.safetensors unseen.tsv --json
    evaluated=$(values aer precision recall) sum=$(value row_sum)
    figure zeros 'FNR > 1 { for (j = 2; j <= NF; j++) { all++; none += $j == 0 } } END { printf "%.4f", none / all }'
    figure row_sum 'FNR > 1 && $1 != "</s>" { rows++; for (j = 2; j <= NF; j++) sum += $j }
        END { printf "%.4f", sum / rows }'
    expect 0 "" score --alignments links gold --json
    same "$row: eval and align" "$(values aer precision recall)" "$evaluated"
done
awk -v sum="$sum" 'BEGIN { exit !(sum > 1) }' || fail "the rows of graves sum to $sum"
[ "$(wc -w <links)" -gt "$("$softalign" align null/best.safetensors unseen.tsv --pharaoh - | wc -w)" ] ||
    fail "the null key takes no word from its link"

# Thresholds: everything is a link at 0, nothing above all weights.
expect 0 "" eval $model unseen.tsv --json --links threshold --threshold 0
same "recall of all links" 1.0 "$(value recall)"
expect 0 "" eval $model unseen.tsv --json --links threshold --threshold 1
same "no link" "null 0.0" "$(values precision recall)"

# More pairs than are looked at together: the same for each, wherever it stands.
for copy in {1..35}; do cat unseen.tsv; done >many.tsv
expect 0 "" eval $model unseen.tsv --json --per-sentence few
few=$(values chrf exact aer entropy coverage monotonicity | sed 's/\(\.[0-9]\{6\}\)[0-9]*/\1/g')
expect 0 "" eval $model many.tsv --json --per-sentence many
same "2100 pairs" "$few" \
    "$(values chrf exact aer entropy coverage monotonicity | sed 's/\(\.[0-9]\{6\}\)[0-9]*/\1/g')"
awk 'NR == FNR { log_p[NR % 60] = $1; next } { d = $1 - log_p[FNR % 60]
    if (d * d > 1e-8) bad = 1 } END { exit bad || FNR != 2100 }' few many || fail "pairs at other places"

# A model that looks elsewhere does so when it translates, too.
before=$(values chrf)
expect 0 "" eval $model many.tsv --json --force-attention uniform
[ "$(values chrf)" = "$before" ] && fail "the translations look where they like"

# For people.
expect 0 "" eval $model unseen.tsv --by-length
same "columns" "source words sentences words loss perplexity BLEU exact AER" \
    "$(head -n 1 out | xargs)"
grep -qE '^chrF [0-9.]+, tokens in place [0-9.]+ %' out ||
    fail "no chrF: $(cat out)"
grep -qE '^repetitions \(REP\) [0-9.]+, dropped source words \(DROP\) [0-9.]+$' out || fail "no REP: $(cat out)"
grep -qE '^links: precision [0-9.]+, recall [0-9.]+; AER a word earlier [0-9.]+, a word later [0-9.]+$' out ||
    fail "no links: $(cat out)"
cut -f 1,2 unseen.tsv >plain.tsv
expect 0 "" eval $model plain.tsv --links threshold
grep -q "^links" out && fail "links without gold alignments: $(cat out)"
# Text without spaces: 13a takes a sentence for a word; train and eval say so, and count characters instead.
awk 'BEGIN { srand(2); split("犬 猫 魚 鳥 木 水", word, " "); for (i = 0; i < 60; i++) { source = target = ""
        for (j = 0; j < 8; j++) { k = 1 + int(6 * rand()); source = source " w" k; target = target word[k] }
        print source "\t" target "。" } }' >ja.tsv
note="note: there are no spaces between the words of the targets: BLEU takes whole clauses for words; --tokenize char counts characters, zh Chinese ones"
small="--embed 8 --hidden 8 --attn 4 --maxout 4 --steps 4 --valid-every 2 --lr 0.01"
"$softalign" train --train ja.tsv --out ja $small 2>err
same "train's note" "$note" "$(grep tokenize err)"
"$softalign" eval ja/best.safetensors ja.tsv >out 2>err
same "eval's note" "$note" "$(grep -v 'translations cut' err)"
expect 0 "" eval ja/best.safetensors ja.tsv --tokenize char
"$softalign" train --train ja.tsv --out letters $small --tokenize char --criterion bleu 2>err
same "train's note with --tokenize char" "" "$(grep tokenize err)"
"$softalign" train --train ja.tsv --out letters --resume --steps 6 2>err || fail "resume: $(tail -n 1 err)"
expect 2 "--tokenize: 'letters/last.safetensors' was trained with --tokenize char, which resuming cannot change" \
    train --train ja.tsv --out letters --resume --tokenize none
bleu() { tail -n +2 $1/log.csv | cut -d , -f 12 | sort -g | tail -n 1; }
awk -v words="$(bleu ja)" -v letters="$(bleu letters)" 'BEGIN { exit !(words == 0 && letters > 0) }' ||
    fail "BLEU $(bleu ja) of words, $(bleu letters) of characters"
grep -aq '"tokenize\\*": *\\*"char' letters/best.safetensors || fail "no --tokenize in the model file"
sed -E 's/犬|猫|魚|鳥|木|水/& /g' ja.tsv >spaced.tsv
expect 0 "" eval ja/best.safetensors spaced.tsv

# Alignments that cannot be read are not left out in silence.
sed 's/\([0-9]\)-/\1:/g' unseen.tsv >colons.tsv
for command in "eval $model colons.tsv" "align $model colons.tsv"; do
    "$softalign" $command >out 2>err || fail "$command"
    grep -q "^note: colons.tsv:1: no third column is read as an alignment: '0:0' is not a link; " err ||
        fail "$command says '$(cat err)'"
done
expect 2 "--threshold '2': expected a number from 0 to 1" eval $model unseen.tsv --threshold 2
finish
