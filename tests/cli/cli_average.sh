# average: the mean of models, and which have none.
. tests/support/cli.sh

train_tiny
tiny=tiny/best.safetensors
train() { # OUT PAIRS OPTION...
    local out=$1 pairs=$2
    shift 2
    "$softalign" train --train "$pairs" --out "$out" --embed 8 --hidden 8 --attn 4 --maxout 4 --valid-every 10 \
        --max-time 0 --shards 1 --average 2 "$@" 2>err || fail "train $out: $(cat err)"
}

# The mean of one model and itself is that model, byte for byte.
"$softalign" average $tiny $tiny --out same.safetensors 2>err || fail "average: $(cat err)"
cmp $tiny same.safetensors || fail "the mean of a model and itself is another"

# The last two validations were after 20 and 30 updates: the mean of what two trainings end with that
# stop there is what `train --average` makes.
train thirty tiny.tsv --steps 30
train twenty tiny.tsv --steps 20
"$softalign" average thirty/last.safetensors twenty/last.safetensors --out mean.safetensors 2>err ||
    fail "average: $(cat err)"
cmp thirty/average.safetensors mean.safetensors || fail "train --average has another mean"
cmp -s mean.safetensors same.safetensors && fail "all means are alike"

# Before the first validation that is due there is nothing to average, and a note says so.
train early tiny.tsv --steps 1
grep -q '^note: no mean weights: no validation was due (--valid-every)$' err || fail "no mean: $(cat err)"
[ ! -e early/average.safetensors ] || fail "a mean of no validations"

# Those that a file cannot hold are refused before the first update.
"$softalign" train --train tiny.tsv --out large --hidden 800 --average 100 2>err
same "a file too small for the means" 7 $?
grep -q '^softalign: a model of [0-9]* weights takes [0-9]* bytes in training, with those for --average; a file holds 4294967296 at most$' err ||
    fail "a file too small for the means: $(cat err)"

# What has no mean, and what is in the way.
sed 's/^/so /; s/\t/\tdonc /; s/\t[^\t]*$//' tiny.tsv >so.tsv
train other so.tsv --steps 1
train lower tiny.tsv --steps 1 --lowercase
before=$(cksum <$tiny)
expect 2 "'lower/last.safetensors' has a different --lowercase from '$tiny'" \
    average $tiny lower/last.safetensors --out no.safetensors
expect 2 "'other/last.safetensors' has a different vocabulary from '$tiny'" \
    average $tiny other/last.safetensors --out no.safetensors
expect 4 "cannot open 'none.safetensors': No such file or directory" \
    average $tiny none.safetensors --out no.safetensors
expect 2 "average: --out FILE is missing: softalign average MODEL MODEL ... --out FILE" average $tiny $tiny
expect 2 "'$tiny' is an input: choose another output" average same.safetensors $tiny --out $tiny
[ ! -e no.safetensors ] || fail "a failure writes a model"
same "the model after failures" "$before" "$(cksum <$tiny)"
finish
