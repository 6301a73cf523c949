# align-words: the lexicon and links of Model 1 and of its successors, both directions, outputs as align has
# them, a training guided by their links, what is refused.
. tests/support/cli.sh

run() { # ARGUMENT...
    "$softalign" align-words pairs.tsv --model 1 "$@" >out 2>err || fail "align-words $*: $(cat err)"
}

"$softalign" corpus reorder --pairs 1000 >pairs.tsv
cut -f 3 pairs.tsv >gold

run --iterations 10 --pharaoh links --lexicon words.tsv --least 0.3
sed -n 's/^iteration [0-9]*: perplexity //p' err >perplexities
same "iterations" 10 "$(wc -l <perplexities)"
sort -g -r -C perplexities || fail "the perplexity rises: $(tr '\n' ' ' <perplexities)"
grep -qxP 'sad\ttriste\t0\.9\d*' words.tsv || fail "sad is not triste: $(grep '^sad' words.tsv)"
awk -F '\t' 'NF != 3 || $3 < 0.3 { bad = 1 } END { exit bad }' words.tsv || fail "below --least"
same "links of its own" 0 "$(awk 'NF == 0' links | wc -l)"

# Every source word's probabilities sum to 1.
run --least 0 --lexicon -
awk -F '\t' '{ sum[$1] += $3 } END { for (word in sum) if (sum[word] < 0.999 || sum[word] > 1.001) exit 1 }' out ||
    fail "probabilities do not sum to 1"

# Links: far better than uniform weights, whose first column is the largest of equals.
aer() { "$softalign" score --alignments "$1" gold | awk 'NR == 2 { print $5 }'; }
learned=$(aer links)
run --iterations 0 --pharaoh even
awk -v learned="$learned" -v even="$(aer even)" 'BEGIN { exit !(learned < 0.2 && even > 0.8) }' ||
    fail "AER $learned, of equal weights $(aer even)"

# Equal weights of two words and the empty word: the first of equals, which is not the empty word.
printf 'a b\tx y\n' >two.tsv
expect 0 "" align-words two.tsv --model 1 --iterations 0 --pharaoh -
same "links of equal weights" "0-0 0-1" "$(cat out)"

# The forms of align. A row of the heatmap sums to 1 less the weight of the empty word.
run --limit 2 --csv csv --svg svg --tidy table --html page --jsonl json
same "files" "0001.csv 0002.csv 0001.svg 0002.svg" "$(cd csv && echo *.csv) $(cd svg && echo *.svg)"
tail -n +2 csv/0001.csv | awk -F , '
    { sum = 0; for (i = 2; i <= NF; i++) sum += $i; last = sum; if (sum > 1.000001) bad = 1; if (sum < 0.99) less++ }
    END { exit bad || !less || last < 0.999999 }' || fail "sums of the rows: $(cat csv/0001.csv)"
same "lines" 2 "$(wc -l <json)"
run --limit 1
grep -q "</s>" out || fail "no matrix is printed"

# Few new pairs, by an aligner of many: as if they stood at the end of these, which hardly changes what is learned, and
# better than what they teach alone. Words that nobody has seen come from the empty word.
"$softalign" corpus reorder --pairs 10 --split test >new.tsv
cut -f 3 new.tsv >new.gold
"$softalign" align-words new.tsv --model 1 --train pairs.tsv --pharaoh new.links 2>err || fail "--train: $(cat err)"
"$softalign" align-words <(cat pairs.tsv new.tsv) --model 1 --pharaoh joint 2>err || fail "$(cat err)"
tail -n 10 joint | cmp - new.links || fail "--train differs from the same pairs in one file"
"$softalign" align-words new.tsv --model 1 --pharaoh few 2>err || fail "$(cat err)"
rate() { "$softalign" score --alignments "$1" new.gold | awk 'NR == 2 { print $5 }'; }
awk -v many="$(rate new.links)" -v few="$(rate few)" 'BEGIN { exit !(many < 0.15 && few > 0.2) }' ||
    fail "AER $(rate new.links) of many pairs, $(rate few) of few"
printf 'zork sad\tblorp triste\n' >unseen.words
for model in 1 2 hmm diagonal fertility; do
    "$softalign" align-words unseen.words --model $model --train pairs.tsv --tidy table 2>err || fail "unseen words, $model: $(cat err)"
    same "weights of unseen words, $model" "0 0 0" "$(awk -F , '$4 == "blorp" { print $7 }' table | xargs)"
    grep -q '^1,1,1,triste,1,sad,\(1\|0.9[0-9]*\),' table || fail "a word beside unseen ones, $model: $(cat table)"
done
expect 4 "cannot open 'none': No such file or directory" align-words new.tsv --train none

# Its links guide the attention of a model.
"$softalign" train --train pairs.tsv --alignments links --guided-alignment 1 --out guided --embed 16 --hidden 16 \
    --attn 16 --maxout 8 --steps 20 --max-time 0 2>err || fail "guided by Model 1: $(cat err)"

# Subwords: links are between words.
run --tokenizer bpe --bpe-merges 60 --limit 5 --pharaoh pieces
same "lines of links between words" 5 "$(wc -l <pieces)"
"$softalign" score --alignments pieces <(head -n 5 gold) >out 2>err || fail "links beyond the words: $(cat err)"

# Its successors make fewer errors where the order hardly changes, and never fall behind in one run.
"$softalign" corpus agree --pairs 300 >order.tsv
cut -f 3 order.tsv >order.gold
for model in 1 2 hmm diagonal fertility; do
    "$softalign" align-words order.tsv --model $model --pharaoh links.$model --threads 1 2>err || fail "$model: $(cat err)"
    "$softalign" align-words order.tsv --model $model --threads 3 --pharaoh - 2>err | cmp - links.$model ||
        fail "$model: threads change its links"
    "$softalign" score --alignments links.$model order.gold | awk 'NR == 2 { print $5 }' >aer.$model
done
for model in 2 hmm diagonal fertility; do
    awk 'NR == FNR { least = $1; next } { exit !($1 <= least) }' aer.1 aer.$model ||
        fail "$model has an AER of $(cat aer.$model), Model 1 of $(cat aer.1)"
done

expect 2 "--alpha '2': expected a number from 1e-06 to 0.999 or auto or none" align-words pairs.tsv --alpha 2
expect 2 "--model '3': expected 1, 2, hmm, diagonal or fertility (did you mean '1'?)" align-words pairs.tsv --model 3

# One pair; a hundred; sides that are empty; a thousand words that occur once, with three and with as many.
head -n 1 pairs.tsv >one.tsv && head -n 100 pairs.tsv >hundred.tsv
printf '\tx y\na b\t\n\t\na\tx\n' >empty.tsv
{ seq 1000 | tr '\n' ' ' && printf '\ta b c\n'; } >wide.tsv
{ seq 1000 | tr '\n' ' ' && printf '\t' && seq 2000 2999 | tr '\n' ' ' && echo && cat one.tsv; } >long.tsv
for model in 1 2 hmm diagonal fertility; do
    for file in one hundred empty wide; do
        samplers= # eight draw for most of a minute where a thousand words ask for their fertility
        [ $model.$file != fertility.wide ] || samplers="--samplers 1 --iterations 2"
        "$softalign" align-words $file.tsv --model $model $samplers --pharaoh - --lexicon words.tsv --least 0 >out 2>err ||
            fail "$model, $file: $(cat err)"
        same "lines of $file, $model" "$(wc -l <$file.tsv)" "$(wc -l <out)"
        ! grep -qi 'nan\|inf' err words.tsv || fail "$model, $file: $(grep -hi 'nan\|inf' err words.tsv | head -n 3)"
    done
done

"$softalign" align-words long.tsv --model diagonal --iterations 1 --pharaoh - >out 2>err || fail "long: $(cat err)"
same "lines of long" 2 "$(wc -l <out)"
! grep -i 'nan\|inf' err || fail "long: $(cat err)"

expect 2 "align-words: 'pairs.tsv' is one argument too many" align-words pairs.tsv pairs.tsv
expect 4 "cannot open 'none.tsv': No such file or directory" align-words none.tsv
{ yes word | head -n 1001 | tr '\n' ' ' && printf '\tword\n' && head -n 1 pairs.tsv; } >longer.tsv
"$softalign" align-words longer.tsv --pharaoh - >out 2>err
same "exit code of a long line" 7 $?
same "message" "softalign: longer.tsv:1: a side has more than 1000 tokens" "$(tail -n 1 err)"
finish
