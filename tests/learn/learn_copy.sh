# Unknown words: half the names of the test are never seen in training, and words seen under 10 times
# are unknown. Without the attended source word few sentences can be right; with it all but a few are.
. tests/support/cli.sh
"$softalign" corpus copy --pairs 10000 --seed 5 >train.tsv
"$softalign" corpus copy --pairs 500 --seed 5 --split test >test.tsv
"$softalign" train --train train.tsv --out copy --min-freq 10 --hidden 64 --shards 2 --steps 1000 \
    --epochs 0 --max-time 0 --patience 0 2>err || fail "train: $(cat err)"

exact() { # OPTION...: the share of exact translations
    expect 0 "" eval copy/best.safetensors test.tsv --json "$@"
    sed -n 's/^ *"exact": \([^,]*\),*/\1/p' out
}
without=$(exact)
with=$(exact --replace-unknown)
echo "exact: $without without, $with with replaced unknown words"
awk -v x="$without" 'BEGIN { exit !(x < 0.5) }' || fail "there was nothing to replace"
awk -v x="$with" 'BEGIN { exit !(x >= 0.99) }' || fail "replaced unknown words are wrong"
finish
