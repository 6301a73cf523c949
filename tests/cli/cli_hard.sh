# Hard attention as users meet it: the same seed draws the same words with any number of threads and
# after a pause, every command takes the most probable word, and the probabilities can be had.
. tests/support/cli.sh

"$softalign" corpus mono --pairs 300 >train.tsv
"$softalign" corpus mono --pairs 20 --split test >unseen.tsv
cut -f 1 unseen.tsv >source.txt
train() { # OUT OPTION...
    "$softalign" train --train train.tsv --attention hard --embed 16 --hidden 16 --attn 16 --maxout 16 --epochs 0 \
        --patience 0 --max-time 0 --valid-every 40 --shards 2 --out "$@" 2>log || fail "train: $(cat log)"
}
train one --steps 80
train two --steps 80 --threads 2
cmp -s one/last.safetensors two/last.safetensors || fail "the same seed gives another model with two threads"
train paused --steps 33
train paused --steps 80 --resume
cmp -s one/last.safetensors paused/last.safetensors || fail "a training that paused gives another model"
train other --steps 80 --reinforce-weight 0
cmp -s one/last.safetensors other/last.safetensors && fail "the estimate changes nothing"
train flat --steps 80 --entropy-weight 0
cmp -s one/last.safetensors flat/last.safetensors && fail "the entropy changes nothing"
model=one/last.safetensors

# ones DIR: every row of its matrices has a single 1 among zeros.
ones() {
    tail -qn +2 "$1"/*.csv | sed 's/"[^"]*"/word/g' | awk -F , '
        { n = 0; for (i = 2; i <= NF; i++) if ($i == 1) n++; else if ($i != 0) bad = 1; if (n != 1) bad = 1 }
        END { exit bad || !NR }'
}
expect 0 "" align $model unseen.tsv --csv hard
ones hard || fail "align: not one word a row"
expect 0 "" align $model unseen.tsv --csv expected --force-attention expected
ones expected && fail "the probabilities are 0 or 1"
awk -F , 'FNR > 1 { sum = 0; for (i = 2; i <= NF; i++) sum += $i; if (!(sum > 0.999 && sum < 1.001)) exit 1 }' expected/*.csv ||
    fail "probabilities do not sum to 1"
"$softalign" eval $model unseen.tsv --json | grep -q '"latency": null' || fail "a latency, but nothing is read in order"
for way in "--beam 3" "--sample --sample-seed 3" "--beam 2 --force-attention expected"; do
    read -ra options <<<"$way"
    "$softalign" translate $model source.txt "${options[@]}" --quiet >out || fail "translate $way"
    same "lines with $way" 20 "$(wc -l <out)"
done
"$softalign" translate $model other/last.safetensors source.txt --beam 2 --quiet >out || fail "two models"
"$softalign" translate $model source.txt --beam 3 --batch 1 --quiet >alone
"$softalign" translate $model source.txt --beam 3 --quiet | cmp - alone || fail "a batch translates otherwise"
"$softalign" prove $model unseen.tsv --limit 3 >out || fail "prove: $(cat out)"
"$softalign" explain $model "$(head -n 1 source.txt)" --step 2 >out || fail explain
grep -q 'p_ij  alpha_ij' out || fail "explain shows no probabilities: $(cat out)"

# A word whose weight is all on EOS has no link, for eval and the moved links of score as for align.
"$softalign" corpus copy --pairs 50 >copy.tsv
"$softalign" corpus copy --pairs 15 --split test >few.tsv
"$softalign" train --train copy.tsv --attention hard --embed 10 --hidden 12 --attn 8 --maxout 6 --steps 40 --lr 0.02 \
    --shards 2 --seed 1 --max-time 0 --out ends 2>err || fail "train: $(cat err)"
"$softalign" align ends/last.safetensors few.tsv --pharaoh links --jsonl weights.json 2>err || fail "align: $(cat err)"
sed 's/.*"weights":\[\[\(.*\)\]\].*/\1/; s/\],\[/ /g' weights.json >weights
linked=$(paste -d '\t' links weights | awk -F '\t' '
    { split($2, row, " "); n = split($1, link, " ")
      for (i = 1; i <= n; i++) { split(link[i], at, "-"); split(row[at[2] + 1], weight, ","); zeros += weight[at[1] + 1] == 0 }
      links += n; words += split($2, row, " ") - 1 }
    END { print zeros + 0, (links < words ? "some" : "all") }')
same "links of weight 0, and words that have a link" "0 some" "$linked"
figures() { sed -n 's/^ *"\(aer[a-z_]*\|precision\|recall\)": \([^,]*\),*/\1 \2/p' out; }
expect 0 "" eval ends/last.safetensors few.tsv --json
evaluated=$(figures)
expect 0 "" score --alignments links <(cut -f 3 few.tsv) --json
same "eval and score" "$(figures)" "$evaluated"
finish
