# prove: what must hold of attention is found to hold, on all kinds of models. (cli_assignment has
# programs with faults that it finds.)
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
names="row-sums batching annotations permutation causality"

# verdicts: NAME VERDICT for every line of the table in `out`
verdicts() { sed -n '2,6s/^\([a-z-]*\) .*  \(ok\|FAILED\|does not apply\).*/\1 \2/p' out; }
# expect_all_but NAME...: these do not apply, the others hold.
expect_all_but() {
    for name in $names; do
        case " $* " in *" $name "*) echo "$name does not apply" ;; *) echo "$name ok" ;; esac
    done >expected
    verdicts | diff expected - >difference || fail "verdicts: $(cat difference)"
    same "the closing sentence" "All $((5 - $#)) checks that apply hold for this model on these pairs." \
        "$(tail -n 1 out)"
}
# variant NAME OPTION...: trains it, to NAME/best.safetensors
variant() {
    "$softalign" train --train tiny.tsv --out "$@" --embed 8 --hidden 8 --attn 4 --maxout 4 \
        --steps 5 >out 2>err || fail "train $*: $(cat err)"
}

# The default model.
expect 0 "" prove $model tiny.tsv
expect_all_but permutation
grep -q '^permutation .*: the encoder is recurrent$' out || fail "no word of recurrence: $(cat out)"
cp out before
expect 0 "" prove $model tiny.tsv
cmp -s before out || fail "the same seed gives other figures"
expect 0 "" prove $model tiny.tsv --seed 2
cmp -s before out && fail "another seed gives the same figures"
cut -f 1,2 tiny.tsv | head -n 32 | gzip >first.gz
expect 0 "" prove $model first.gz
cmp -s before out || fail "more than the first 32 pairs are tried"
expect 0 "" prove $model tiny.tsv --limit 2
cmp -s before out && fail "--limit is not heard"

# Other models.
variant location --attention location
expect 0 "" prove location/best.safetensors tiny.tsv
expect_all_but permutation
grep -q '^annotations  *0 .*: the score is content-free' out || fail "location: $(cat out)"
variant bag --encoder none --decoder cgru --heads 2 --attention scaled-dot
expect 0 "" prove bag/best.safetensors tiny.tsv
expect_all_but
variant placed --encoder none --positions sinusoidal
expect 0 "" prove placed/best.safetensors tiny.tsv
expect_all_but permutation
variant fixed --decoder fixed
expect 0 "" prove fixed/best.safetensors tiny.tsv
expect_all_but row-sums annotations permutation
variant local --decoder luong --window local-p --window-size 2
expect 0 "" prove local/best.safetensors tiny.tsv
expect_all_but permutation
grep -q "^row-sums .*: at most 1" out || fail "a predictive window: $(cat out)"

variant deep --model transformer --heads 2 --layers 2
expect 0 "" prove deep/best.safetensors tiny.tsv
expect_all_but permutation
grep -q '^permutation .*: the embeddings contain positions$' out ||
    fail "no word of positions: $(cat out)"
variant unplaced --model transformer --positions none --norm post
expect 0 "" prove unplaced/best.safetensors tiny.tsv
expect_all_but

# What depends on distances, a key that is not a word, weights of exactly 0.
for positions in t5 alibi rope shaw; do
    normalizer=null
    [ $positions = rope ] || normalizer=null-key # a learned key has no position to rotate it by
    variant $positions --model transformer --heads 2 --positions $positions --normalizer $normalizer
    expect 0 "" prove $positions/best.safetensors tiny.tsv
    expect_all_but permutation
    grep -q "^row-sums .*: at most 1: the rest is that of no word" out || fail "null: $(cat out)"
done
variant drawn --attention hard --decoder luong
expect 0 "" prove drawn/best.safetensors tiny.tsv
expect_all_but permutation
variant two-maps --model transformer --heads 2 --attention differential
expect 0 "" prove two-maps/best.safetensors tiny.tsv
grep -q '^row-sums .*difference of two maps' out || fail "differential: $(cat out)"
variant sparse --normalizer sparsemax
expect 0 "" prove sparse/best.safetensors tiny.tsv
expect_all_but permutation

# A model that copies, beyond its vocabulary, also where weights lack something; targets have words of
# their sources that no vocabulary knows.
head -n 4 tiny.tsv | awk -F '\t' -v OFS='\t' '{ print "Qa " $1 " Qb", "Qb " $2 " Qa" }' >copied.tsv
for normalizer in softmax null; do
    variant copying-$normalizer --copy --normalizer $normalizer --min-freq 2
    expect 0 "" prove copying-$normalizer/best.safetensors copied.tsv
    expect_all_but permutation
done
variant copying-set --copy --model transformer --heads 2 --positions none
expect 0 "" prove copying-set/best.safetensors copied.tsv
expect_all_but

# Weights near zero hide what must differ.
for options in "--preset bahdanau2015 --lr 1e-9" "--model transformer --positions t5 --lr 1e-9"; do
    variant hidden $options --overwrite
    expect 0 "" prove hidden/best.safetensors tiny.tsv
done
# Nor do the logits matter of ids that no word of the sentence has.
printf 'a b c d e f\tx y\ng h i j k l\tz y\n' >gaps.tsv
"$softalign" train --train gaps.tsv --out gaps --model transformer --window sliding --copy --steps 1 \
    --valid gaps.tsv --quiet 2>err || fail "gaps: $(cat err)"
expect 0 "" prove gaps/best.safetensors gaps.tsv

# Weights as large as a file can hold change nothing in that.
if has python3; then
    python3 - $model <<'END' || fail "no model of huge weights"
import json, struct, sys, zlib
data = bytearray(open(sys.argv[1], "rb").read())
size = struct.unpack("<Q", data[:8])[0]
for tensor in json.loads(data[8:8 + size]).values():
    if tensor.get("dtype") == "F32":
        first, end = (8 + size + offset for offset in tensor["data_offsets"])
        data[first:end] = struct.pack("<f", 3e38) * ((end - first) // 4)
data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
open("huge.safetensors", "wb").write(data)
END
    expect 0 "" prove huge.safetensors tiny.tsv
    expect 8 "the model's probabilities are out of range: its training diverged (a smaller --lr or --clip helps)" \
        eval huge.safetensors tiny.tsv
fi

# A model whose weights do not sum to 1: see tests/lab/planted_softmax.c.
planted=$(dirname "$softalign")/tests/planted_softmax
if [ -x "$planted" ]; then
    "$planted" prove $model tiny.tsv >out 2>err
    same "the code of a failure" 1 $?
    grep -q "^softalign: row-sums does not hold: .*, allowed 1e-12: The weights of every head" err || fail "a failure: $(cat err)"
    same "verdicts" "row-sums FAILED," "$(verdicts | grep FAILED | tr '\n' ,)"
    same "the closing sentence" "1 of 4 checks failed for this model on these pairs." "$(tail -n 1 out)"
    "$planted" prove $model tiny.tsv --json >out 2>again
    same "the code of a failure with --json" 1 $?
    cmp -s err again || fail "--json: $(cat again)"
    grep -q '"ok": false,' out || fail "--json of a failure: $(cat out)"
fi

# For programs.
expect 0 "" prove fixed/best.safetensors tiny.tsv --json
if has python3; then
    python3 - "$names" <<'END' || fail "--json: $(cat out)"
import json, sys
proof = json.load(open("out"))
assert list(proof) == ["ok", "checks"] and proof["ok"] is True
assert [check["name"] for check in proof["checks"]] == sys.argv[1].split()
for check in proof["checks"]:
    assert list(check) == ["name", "worst", "ok", "allowed", "above", "skipped", "note"]
    assert check["ok"] is True
    assert check["skipped"] or 0 <= check["worst"] <= check["allowed"]
assert proof["checks"][0]["worst"] is None and proof["checks"][0]["skipped"] is True
assert proof["checks"][3]["worst"] > 1e-6
END
fi

# A chaotic recurrence makes rounding large: so much is allowed.
"$softalign" corpus agree --pairs 2 --seed 2 --max-words 9 >few.tsv
"$softalign" corpus agree --pairs 5 --seed 2 --split test >unseen.tsv
"$softalign" train --train few.tsv --valid few.tsv --out chaos --embed 8 --hidden 8 --attn 8 --maxout 6 --steps 1 --lr 4 --seed 2 \
    --decoder cgru --freeze-embeddings both --tokenizer space-bpe --normalizer null --init uniform 2>err || fail "train: $(cat err)"
expect 0 "" prove chaos/last.safetensors unseen.tsv --seed 2
grep -qE '^batching .* (1e-08|0) ' out && fail "a recurrence that is not chaotic: $(cat out)"

# What cannot be tried.
missing="No such file or directory"
expect 4 "cannot open 'none': $missing" prove none tiny.tsv
expect 4 "cannot open 'none.tsv': $missing" prove $model none.tsv
expect 3 "tiny.tsv: not a safetensors file but text" prove tiny.tsv tiny.tsv
printf 'no tab here\n' >broken.tsv
expect 3 "broken.tsv:1: no tab; expected source TAB target ('paste SOURCES TARGETS' makes such lines; texts alone, for a decoder-only model, have the source '-')" prove $model broken.tsv
for i in $(seq 60); do printf 'a '; done >long
printf '%s\tb\n' "$(cat long)" >long.tsv
expect 3 "long.tsv: no pairs left: every one has a side above 50 tokens (--max-len)" \
    prove $model long.tsv
size=$(stat -c %s $model)
head -c $((size - 100)) $model >short
"$softalign" prove short tiny.tsv >out 2>err
same "a truncated model" 3 $?
expect 2 "an argument is missing: softalign prove MODEL PAIRS" prove
expect 2 "prove: 'c' is one argument too many" prove a b c
expect 2 "--limit '0': expected a whole number from 1 to 65536" prove $model tiny.tsv --limit 0
finish
