# The same seed gives the same bytes: at any number of threads, and across a stop and a resume.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 300 >mono.tsv
options="--train mono.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --shards 3 --dropout 0.1 \
    --valid-every 7 --max-time 0 --patience 0"

train() {
    "$softalign" train "$@" 2>err || fail "train $*: $(cat err)"
}

# Both families; of the second all that training knows besides: a schedule, penalties, a criterion.
for family in recurrent "transformer --tie three-way --schedule inverse-sqrt --warmup 9 --l2 1e-4 \
    --weight-decay 0.01 --label-smoothing 0.1 --criterion chrf --batch-tokens 90 \
    --lr-patience 2"; do
    rm -rf whole threads parts
    train $options --model $family --out whole --steps 40 --threads 1
    train $options --model $family --out threads --steps 40 --threads 3
    cmp whole/last.safetensors threads/last.safetensors || fail "the threads change the model: $family"
    cmp whole/best.safetensors threads/best.safetensors || fail "the threads change the best: $family"

    train $options --model $family --out parts --steps 13
    train $options --model $family --out parts --steps 14 --resume
    train $options --model $family --out parts --steps 40 --resume --threads 2
    cmp whole/last.safetensors parts/last.safetensors || fail "a resumed training ends elsewhere: $family"
    cmp whole/best.safetensors parts/best.safetensors || fail "a resumed training has another best: $family"
done

# The last model was chosen by chrF: the rows marked as the best are those above all before them.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "valid_chrf") chrf = i; most = -1; next }
    ($chrf > most) != $NF { exit 1 }
    $chrf > most { most = $chrf }
    END { exit NR < 4 }' whole/log.csv || fail "the criterion does not choose the best model"

options="$options --model recurrent"
rm -rf whole parts
train $options --out whole --steps 40
train $options --out parts --steps 40

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
