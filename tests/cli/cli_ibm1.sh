# ibm1: the lexicon and links of Model 1, its outputs as align has them, a training guided by its
# links, what is refused.
. tests/support/cli.sh

run() { # ARGUMENT...
    "$softalign" ibm1 pairs.tsv "$@" >out 2>err || fail "ibm1 $*: $(cat err)"
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
expect 0 "" ibm1 two.tsv --iterations 0 --pharaoh -
same "links of equal weights" "0-0 0-1" "$(cat out)"

# The forms of align. A row of the heatmap sums to 1 less the weight of the empty word.
run --limit 2 --csv csv --svg svg --tidy table --html page --soft soft --jsonl json
same "files" "0001.csv 0002.csv 0001.svg 0002.svg" "$(cd csv && echo *.csv) $(cd svg && echo *.svg)"
tail -n +2 csv/0001.csv | awk -F , '
    { sum = 0; for (i = 2; i <= NF; i++) sum += $i; last = sum; if (sum > 1.000001) bad = 1; if (sum < 0.99) less++ }
    END { exit bad || !less || last < 0.999999 }' || fail "sums of the rows: $(cat csv/0001.csv)"
same "lines" "2 2" "$(wc -l <soft) $(wc -l <json)"
run --limit 1
grep -q "</s>" out || fail "no matrix is printed"

# Its links guide the attention of a model.
"$softalign" train --train pairs.tsv --alignments links --guided-alignment 1 --out guided --embed 16 --hidden 16 \
    --attn 16 --maxout 8 --steps 20 --max-time 0 2>err || fail "guided by Model 1: $(cat err)"

# Subwords: links are between words.
run --tokenizer bpe --bpe-merges 60 --limit 5 --pharaoh pieces
same "lines of links between words" 5 "$(wc -l <pieces)"
"$softalign" score --alignments pieces <(head -n 5 gold) >out 2>err || fail "links beyond the words: $(cat err)"

expect 2 "ibm1: 'pairs.tsv' is one argument too many" ibm1 pairs.tsv pairs.tsv
expect 4 "cannot open 'none.tsv': No such file or directory" ibm1 none.tsv
{ yes word | head -n 1001 | tr '\n' ' ' && printf '\tword\n' && head -n 1 pairs.tsv; } >long.tsv
"$softalign" ibm1 long.tsv --pharaoh - >out 2>err
same "exit code of a long line" 7 $?
same "message" "softalign: long.tsv:1: a side has more than 1000 tokens" "$(tail -n 1 err)"
finish
