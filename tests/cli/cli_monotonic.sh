# Monotonic attention as users meet it: the same seed gives the same model, every command reads on from
# left to right and selects a word or none, and the weights of training can be had.
. tests/support/cli.sh

"$softalign" corpus mono --pairs 400 >train.tsv
"$softalign" corpus mono --pairs 20 --split test >unseen.tsv
cut -f 1 unseen.tsv >source.txt
train() { # OUT OPTION...
    "$softalign" train --train train.tsv --attention monotonic --embed 16 --hidden 16 --attn 16 --maxout 16 \
        --steps 400 --epochs 0 --patience 0 --max-time 0 --valid-every 400 --shards 2 --out "$@" \
        2>log || fail "train: $(cat log)"
}
train one
train two --threads 2
cmp -s one/last.safetensors two/last.safetensors || fail "the same seed gives another model with two threads"
train quiet --monotonic-noise 0
cmp -s one/last.safetensors quiet/last.safetensors && fail "noise changes nothing"
model=one/last.safetensors

# selects DIR: every row of its matrices has a single 1, not before that of the row above, or none.
selects() {
    for matrix in "$1"/*.csv; do
        sed 's/"[^"]*"/word/g; 1s/^/begin/' "$matrix"
    done | awk -F , '
        $1 == "begin" { last = ended = 0; next }
        { at = 0; for (i = 2; i <= NF; i++) if ($i != 0) { if ($i != 1 || at) bad = 1; at = i } }
        at && (at < last || ended) { bad = 1 }
        at { last = at; rows++ }
        !at { ended = 1 }
        END { exit bad || !rows }'
}
expect 0 "" align $model unseen.tsv --csv hard
selects hard || fail "align: not one word a row from left to right"
expect 0 "" align $model unseen.tsv --csv expected --force-attention expected
selects expected && fail "the weights of training are 0 or 1"
awk -F , 'FNR > 1 { sum = 0; for (i = 2; i <= NF; i++) sum += $i; if (!(sum <= 1.000001)) exit 1 }' expected/*.csv ||
    fail "a row sums to more than 1"

"$softalign" eval $model unseen.tsv >out 2>err || fail "eval: $(cat err)"
grep -qE '^latency: [0-9.]+ of [0-9.]+ source words are read before a target word' out || fail "eval: $(cat out)"
"$softalign" eval $model unseen.tsv --json >out
grep -q '"latency": [0-9]' out || fail "no latency in $(cat out)"
for way in "--beam 3" "--sample --sample-seed 3" "--beam 2 --force-attention expected"; do
    read -ra options <<<"$way"
    "$softalign" translate $model source.txt "${options[@]}" --quiet >out || fail "translate $way"
    same "lines with $way" 20 "$(wc -l <out)"
done
"$softalign" translate $model quiet/last.safetensors source.txt --beam 2 --quiet >out || fail "two models"
"$softalign" translate $model source.txt --beam 3 --batch 1 --quiet >alone
"$softalign" translate $model source.txt --beam 3 --quiet | cmp - alone || fail "a batch translates otherwise"
"$softalign" prove $model unseen.tsv --limit 3 >out || fail "prove: $(cat out)"
grep -q '^row-sums .*at most 1' out || fail "prove: $(cat out)"
"$softalign" explain $model "$(head -n 1 source.txt)" --step 2 >out || fail explain
grep -q 'alpha_i-1,j' out || fail "explain shows no weights of the step before"

# Before it has learned anything it selects no word: nothing has a share of EOS, and nothing is nan.
"$softalign" train --train unseen.tsv --attention monotonic --out early --steps 1 --embed 4 --hidden 4 --attn 4 \
    --maxout 4 2>/dev/null
"$softalign" eval early/last.safetensors unseen.tsv >out 2>err || fail "eval: $(cat err)"
grep -q 'rows sum to 0.000' out || fail "a word is selected: $(cat out)"
grep -q nan out && fail "eval prints nan: $(cat out)"

# Another score has no latency, and no other weights in training.
"$softalign" train --train train.tsv --out plain --steps 1 --embed 4 --hidden 4 --attn 4 --maxout 4 2>/dev/null
"$softalign" eval plain/last.safetensors unseen.tsv --json | grep -q '"latency": null' || fail "a latency of softmax"
finish
