# The same seed gives the same bytes: at any number of threads, and across a stop and a resume.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 300 >mono.tsv
options="--train mono.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --shards 3 --dropout 0.1 \
    --valid-every 7 --max-time 0 --patience 0"

train() {
    "$softalign" train "$@" 2>err || fail "train $*: $(cat err)"
}

train $options --out whole --steps 40 --threads 1
train $options --out threads --steps 40 --threads 3
cmp whole/last.safetensors threads/last.safetensors || fail "the threads change the model"
cmp whole/best.safetensors threads/best.safetensors || fail "the threads change the best model"

train $options --out parts --steps 13
train $options --out parts --steps 14 --resume
train $options --out parts --steps 40 --resume --threads 2
cmp whole/last.safetensors parts/last.safetensors || fail "a resumed training ends elsewhere"
cmp whole/best.safetensors parts/best.safetensors || fail "a resumed training has another best"

train $options --out other --steps 40 --seed 2
cmp -s whole/last.safetensors other/last.safetensors && fail "the seed changes nothing"

# An option given once more may say the same, and not something else.
train $options --out parts --steps 41 --resume
expect 2 "--seed: 'parts/last.safetensors' was trained with 1, which --resume cannot change" \
    train $options --out parts --steps 42 --resume --seed 2

# One that is given goes before the preset, on either side of it.
for order in "--preset bahdanau2015 $options --steps 1" "$options --steps 1 --preset bahdanau2015"; do
    train --out preset $order
    grep -q '^--hidden 1000 ' err || fail "a preset does not say what it sets"
    settings=$("$softalign" inspect preset/last.safetensors | awk '{ print $1, $2 }')
    grep -qx 'hidden 8' <<<"$settings" || fail "the preset beats --hidden 8"
    grep -qx 'optimizer adadelta' <<<"$settings" || fail "the preset's optimizer is not used"
    rm -r preset
done
finish
