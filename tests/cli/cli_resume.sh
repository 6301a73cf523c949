# The same seed gives the same bytes: at any number of threads, and across a stop and a resume.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 300 >mono.tsv
options="--train mono.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --shards 3 --dropout 0.1 \
    --valid-every 7 --max-time 0 --patience 0"

train() {
    "$softalign" train "$@" 2>err || fail "train $*: $(cat err)"
}

# Both families; of the second all that training knows besides: a schedule, penalties, a criterion.
for family in recurrent "transformer --tie three-way --schedule inverse-sqrt --warmup 9 \
    --weight-decay 0.01 --label-smoothing 0.1 --criterion chrf --batch-tokens 90 \
    --lr-patience 2 --average 2 --average-of best" "recurrent --average 3 \
    --guided-alignment 0.5" "recurrent --decoder cgru --cell-norm --dropout-state 0.3 --word-dropout 0.2" \
    "transformer --tokenizer bpe --bpe-merges 60"; do
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
    [[ $family != *--average* ]] || cmp whole/average.safetensors parts/average.safetensors ||
        fail "a resumed training has another average: $family"
    [[ $family != *chrf* ]] || cp whole/log.csv chosen.csv
done

# --keep: the newest models, each as it was; after a stop and a resume the same, and --overwrite removes them.
rm -rf whole parts
train $options --out whole --steps 40 --keep 3
same "kept checkpoints" "00000028.safetensors 00000035.safetensors 00000040.safetensors" "$(ls whole/checkpoints | xargs)"
train $options --out parts --steps 40 --keep 9
train $options --out last --steps 35 --keep 1
cmp last/checkpoints/00000035.safetensors whole/checkpoints/00000035.safetensors || fail "--keep 1 keeps another model"
same "one checkpoint" 00000035.safetensors "$(ls last/checkpoints)"
train $options --out last --overwrite --steps 23 --keep 3
train $options --out last --resume --steps 40 --keep 3
diff -r whole/checkpoints last/checkpoints >out || fail "a resumed training keeps others: $(cat out)"
for each in parts/checkpoints/*; do
    "$softalign" translate "$each" <mono.tsv >out 2>err || fail "$each: $(cat err)"
done
same "of nine that may stay" 6 "$(ls parts/checkpoints | wc -l)"
train $options --out parts --overwrite --steps 7
[ ! -e parts/checkpoints ] || fail "--overwrite leaves checkpoints: $(ls parts/checkpoints)"

# A rate that falls to zero with the last update goes on falling.
for schedule in linear cosine; do
    falling="$options --schedule $schedule --warmup 5 --steps 30"
    rm -rf whole parts
    train $falling --out whole
    train $falling --out parts --epochs 1
    train $falling --out parts --resume
    cmp whole/last.safetensors parts/last.safetensors || fail "a resumed training ends elsewhere: $schedule"
    expect 2 "--schedule $schedule needs --steps N" train $options --schedule $schedule --out none
done

# The second model was chosen by chrF: the rows marked as the best are those above all before them.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "valid_chrf") chrf = i; most = -1; next }
    ($chrf > most) != $NF { exit 1 }
    $chrf > most { most = $chrf }
    END { exit NR < 4 }' chosen.csv || fail "the criterion does not choose the best model"

# The mean of the one best validation is the best model; that of the last two is another.
train $options --average 1 --average-of best --steps 42 --out mean
cmp mean/average.safetensors mean/best.safetensors || fail "the mean of one is not that one"
train $options --average 2 --steps 42 --out means
grep -q '^mean weights of the last 2 validations: loss [0-9.]*, BLEU [0-9.]*: means/average.safetensors$' err ||
    fail "nothing is said of the mean: $(cat err)"
cmp -s means/average.safetensors means/best.safetensors && fail "the mean of two is one of them"
"$softalign" translate means/average.safetensors <mono.tsv >out 2>err || fail "the mean translates nothing: $(cat err)"

options="$options --model recurrent"
rm -rf whole parts
train $options --out whole --steps 40
train $options --out parts --steps 40

train $options --out other --steps 40 --seed 2
cmp -s whole/last.safetensors other/last.safetensors && fail "the seed changes nothing"

# Another training is not replaced unless that is said, and the log is that of the training.
held="holds a training (last.safetensors): --resume continues it, --overwrite replaces it"
before=$(find parts whole | sort; cksum parts/*.* whole/*.*)
expect 6 "'parts' $held" train $options --out parts --steps 1
expect 6 "'whole' $held" train $options --out whole --seed 4
expect 2 "--resume and --overwrite exclude each other" train $options --out parts --steps 1 --resume --overwrite
printf 'no tab\n' >broken.tsv
expect 3 "broken.tsv:1: no tab; expected source TAB target ('paste SOURCES TARGETS' makes such lines; texts alone, for a decoder-only model, have the source '-')" train --train broken.tsv --out parts --overwrite
same "refused folders" "$before" "$(find parts whole | sort; cksum parts/*.* whole/*.*)"
mkdir mine && echo "my own log" >mine/log.csv
expect 6 "'mine' holds a training (log.csv) that --resume cannot continue, without last.safetensors: --overwrite replaces it" \
    train $options --out mine --steps 1
same "a log of another kind" "my own log" "$(cat mine/log.csv)"
cp -r means replaced
train $options --out replaced --steps 40 --overwrite
cmp whole/last.safetensors replaced/last.safetensors || fail "--overwrite goes on from the old training"
[ ! -e replaced/average.safetensors ] || fail "--overwrite leaves the old average"
same "what was written" "wrote replaced/best.safetensors, replaced/last.safetensors, replaced/log.csv" "$(tail -n 1 err)"
cp -r parts headless
sed -i 1d headless/log.csv
expect 3 "headless/log.csv:1: not the header of a training's log" train $options --out headless --resume --steps 42

# An option given once more may say the same, and not something else.
train $options --out parts --steps 41 --resume
train ${options/--shards 3/--shards 0} --out parts --steps 41 --resume # 0: as they are
expect 2 "--seed: 'parts/last.safetensors' was trained with --seed 1, which resuming cannot change" \
    train $options --out parts --steps 42 --resume --seed 2

# Validation pairs that are new, that are left out, and that are others; an option whose value was 0.
head -n 40 mono.tsv >valid.tsv
head -n 30 mono.tsv >fewer.tsv
changed="the training pairs have changed since 'parts/last.safetensors' was saved"
expect 3 "mono.tsv: $changed, or --valid was not given then, or other --columns" train $options --out parts --resume --valid valid.tsv
train $options --out judged --steps 2 --valid valid.tsv
changed=${changed/parts/judged}
expect 3 "mono.tsv: $changed, or --valid was given then, or other --columns" train $options --out judged --resume
expect 3 "fewer.tsv: ${changed/training/validation}" train $options --out judged --resume --valid fewer.tsv
expect 3 "fewer.tsv: $changed" train ${options/mono.tsv/fewer.tsv} --out judged --resume --valid valid.tsv
expect 2 "--vocab: 'parts/last.safetensors' was trained with --vocab 0 (0: unlimited), which resuming cannot change" \
    train $options --out parts --resume --vocab 5

# One that is given goes before the preset, on either side of it.
for order in "--preset bahdanau2015 $options --steps 1" "$options --steps 1 --preset bahdanau2015"; do
    train --out preset $order
    grep -q '^--hidden 1000 ' err || fail "a preset does not say what it sets"
    settings=$("$softalign" inspect preset/last.safetensors | awk '{ print $1, $2 }')
    grep -qx 'hidden 8' <<<"$settings" || fail "the preset beats --hidden 8"
    grep -qx 'optimizer adadelta' <<<"$settings" || fail "the preset's optimizer is not used"
    rm -r preset
done
# A model that was trained with what is no more in the program translates, and is not resumed.
cat >older.py <<'END'
import sys, zlib
data = open(sys.argv[1], "rb").read()
size = 8 + int.from_bytes(data[:8], "little")
text = data[8:size].rstrip().replace(b'\\"seed\\"', b'\\"r-drop\\": 2.0, \\"seed\\"')
text += b" " * (-len(text) % 8)
out = len(text).to_bytes(8, "little") + text + data[size:-4]
sys.stdout.buffer.write(out + zlib.crc32(out).to_bytes(4, "little"))
END
cp -r parts older
python3 older.py parts/last.safetensors >older/last.safetensors
grep -q 'r-drop' older/last.safetensors || fail "the model has no key of an earlier program"
cut -f 1 mono.tsv | "$softalign" translate parts/last.safetensors >expected 2>err
cut -f 1 mono.tsv | "$softalign" translate older/last.safetensors >out 2>err || fail "an earlier model: $(cat err)"
cmp -s expected out || fail "an earlier model translates otherwise"
"$softalign" explain older/last.safetensors "$(head -n 1 mono.tsv | cut -f 1)" >out 2>err || fail "explain: $(cat err)"
expect 2 "'older/last.safetensors' was trained with R-Drop, which this program no longer has: its training cannot be resumed" \
    train $options --out older --resume --steps 44

# A rate that has decayed below all numbers can still be resumed from.
small="--embed 4 --hidden 4 --attn 4 --maxout 4 --valid-every 1 --patience 0 --max-time 0 --epochs 0"
head -n 40 mono.tsv >few.tsv
"$softalign" train --train few.tsv --valid few.tsv --out low $small --lr 1e-30 --lr-decay 0.01 --steps 180 2>err ||
    fail "a rate that decays: $(tail -n 1 err)"
"$softalign" train --train few.tsv --valid few.tsv --out low --resume --steps 182 2>err ||
    fail "resume at the lowest rate: $(tail -n 1 err)"

# What ended a training, where it was a limit, and how to go on.
ended() { # LIMIT OPTION...
    "$softalign" train --train few.tsv --out ended $small "${@:2}" 2>err || fail "train ${*:2}"
    grep -q "^ended by $1: " err || fail "train ${*:2} ends with '$(grep ended err)', not with '$1'"
    rm -r ended
}
small="--embed 4 --hidden 4 --attn 4 --maxout 4"
ended "--max-time 0.1" --max-time 0.1
ended "--epochs 100, the default" --patience 0 --valid-every 150
ended "--patience 10, the default" --lr 1e-30
ended "--patience 2" --lr 1e-30 --patience 2
"$softalign" train --train few.tsv --out ended $small --steps 2 2>err
grep -q "^ended by" err && fail "steps that were asked for: $(grep '^ended by' err)"

finish
