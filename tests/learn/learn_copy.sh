# Unknown words: half the names of the test do not occur in training, and words that occur less than 10
# times are unknown. Few sentences can be right without replacing them by the attended source word; with
# it nearly all are.
. tests/support/cli.sh
"$softalign" corpus copy --pairs 10000 --seed 5 >train.tsv
"$softalign" corpus copy --pairs 500 --seed 5 --split test >test.tsv
"$softalign" train --train train.tsv --out copy --min-freq 10 --hidden 64 --shards 2 --steps 1000 \
    --epochs 0 --max-time 0 --patience 0 2>err || fail "train: $(cat err)"

exact() { # OPTION...: the fraction of exact translations
    expect 0 "" eval copy/best.safetensors test.tsv --json "$@"
    sed -n 's/^ *"exact": \([^,]*\),*/\1/p' out
}
without=$(exact)
with=$(exact --replace-unknown)
echo "exact: $without without, $with with replaced unknown words"
awk -v x="$without" 'BEGIN { exit !(x < 0.5) }' || fail "there was nothing to replace"
awk -v x="$with" 'BEGIN { exit !(x >= 0.99) }' || fail "replaced unknown words are wrong"
finish
