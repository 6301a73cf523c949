# Copying from the command line: training that goes on where it stopped, translations of one model and
# of several, p_gen beside the matrices, subwords, comparisons.
. tests/support/cli.sh
"$softalign" corpus copy --pairs 400 >train.tsv && "$softalign" corpus copy --pairs 8 --split test >unseen.tsv ||
    exit 1
small="--embed 8 --hidden 12 --attn 8 --maxout 8 --min-freq 5 --valid-every 20 --patience 0 --max-time 0 --shards 1"

"$softalign" train --train train.tsv --out whole --copy $small --steps 60 >out 2>err || fail "train: $(cat err)"
"$softalign" train --train train.tsv --out parts --copy $small --steps 30 >out 2>err || fail "train: $(cat err)"
"$softalign" train --train train.tsv --out parts --resume --copy $small --steps 60 >out 2>err || fail "resume: $(cat err)"
cmp whole/best.safetensors parts/best.safetensors || fail "a training that was stopped differs"
"$softalign" train --train train.tsv --out plain $small --steps 60 >out 2>err || fail "train: $(cat err)"

# p_gen: of each target token, only where there is a gate.
expect 0 "" align whole/best.safetensors unseen.tsv --jsonl - --tidy tidy.csv
awk -F '"p_gen": *\\[' '{ count = split(substr($2, 1, index($2, "]") - 1), p, ",")
    if (count < 5) bad = 1
    for (i in p) if (!(p[i] > 0 && p[i] < 1)) bad = 1 } END { exit bad || NR != 8 }' out ||
    fail "p_gen of align --json: $(cat out)"
same "header" p_gen "$(head -n 1 tidy.csv | sed 's/.*,//')"
awk -F , 'NR > 1 && !($NF > 0 && $NF < 1)' tidy.csv | grep . && fail "p_gen of align --tidy"
expect 0 "" align plain/best.safetensors unseen.tsv --jsonl - --tidy tidy.csv
grep -q p_gen out tidy.csv && fail "p_gen of a model without a gate"
expect 0 "" align whole/best.safetensors unseen.tsv --limit 1 --terminal --svg figures --html page.html
same "rows with p_gen" "$(cut -f 2 unseen.tsv | head -n 1 | sed "s/[.']/ &/" | wc -w | awk '{ print $1 + 1 }')" \
    "$(grep -c ' p_gen 0\.' out)"
grep -q '>p_gen<' figures/0001.svg || fail "no p_gen in the picture"
grep -q '"gate"' page.html || fail "no p_gen on the page"
expect 0 "" explain whole/best.safetensors "today Dipevu has found Nadia."
grep -q "p_gen = sigma(w_h' c_i + w_s' s_{i-1} + w_x' E y_{i-1} + b)" out || fail "explain: $(cat out)"

# One model and several, also one without a gate; greedy, beam, samples.
cut -f 1 unseen.tsv >sources
for models in whole/best.safetensors "plain/best.safetensors whole/best.safetensors"; do
    for search in "" "--beam 4 --nbest 2" "--sample --sample-seed 3"; do
        "$softalign" translate $models $search <sources >out 2>err || fail "translate $models $search: $(cat err)"
        [ -s out ] || fail "translate $models $search: nothing"
    done
done

# Subwords, and the option in comparisons.
"$softalign" train --train train.tsv --out pieces --copy $small --tokenizer bpe --bpe separate --bpe-merges 60 \
    --model transformer --heads 2 --steps 20 >out 2>err || fail "subwords: $(cat err)"
expect 0 "" align pieces/best.safetensors unseen.tsv --merge-words --jsonl -
grep -q '"p_gen"' out || fail "--merge-words: $(cat out)"
"$softalign" compare --train train.tsv --test unseen.tsv --out both --models bahdanau:additive,bahdanau:additive:copy=yes \
    $small --steps 20 >out 2>err || fail "compare: $(cat err)"
same "models that copy" 2 "$(grep -c '^bahdanau:additive:copy=yes,' both/table.csv)"

# A pointer network writes what it has read and nothing else, also words that it has never seen; of a word that the source
# lacks it thinks as of one with a weight of 0.
for i in {1..40}; do printf 'a%s b%s c%s\tc%s b%s a%s\n' $i $i $i $i $i $i; done >turned.tsv
expect 2 "--decoder pointer copies every word that it writes: it needs --copy" train --train turned.tsv --out pointing \
    --decoder pointer $small
pointing="--decoder pointer --copy --tie three-way ${small/--min-freq 5/}"
"$softalign" train --train turned.tsv --out pointing $pointing --steps 20 >out 2>err || fail "pointer: $(cat err)"
"$softalign" inspect pointing/best.safetensors | grep -e "readout\." -e "copy\." && fail "a pointer network has a readout"
for search in "" "--beam 3" "--sample"; do
    "$softalign" translate pointing/best.safetensors $search <<<"new words here" >out 2>err || fail "pointer $search: $(cat err)"
    tr ' ' '\n' <out | grep -v -x -e new -e words -e here -e '' && fail "pointer $search wrote a word that it had not read"
done
expect 0 "" explain pointing/best.safetensors "new words here"
grep -q "P(y_i) = sum  *Vinyals" out || fail "explain: $(cat out)"
expect 0 "" align pointing/best.safetensors turned.tsv --limit 2 --jsonl -
grep -q p_gen out && fail "p_gen of a pointer network"
expect 0 "" prove pointing/best.safetensors turned.tsv --limit 3
printf 'd e f\tf g\n' >lacking.tsv
expect 0 "" eval pointing/best.safetensors lacking.tsv --per-sentence scores
awk '{ exit !($1 < -69 && $1 > -90) }' scores || fail "of a word that the source lacks: $(cat scores)"
expect 3 "lacking.tsv:1: --decoder pointer copies every word, but the source lacks target word 2" train \
    --train lacking.tsv --hold-out 1 --valid turned.tsv --out lacking $pointing
