# What programs read: one JSON object with the promised keys.
. tests/support/cli.sh
need python3
train_tiny
model=tiny/best.safetensors

# keys NAME...: the object in `out` has exactly these.
keys() {
    same "keys" "$*" "$(python3 -c 'import json; print(*json.load(open("out")))')"
}

expect 0 "" eval $model tiny.tsv --json
keys sentences target_words loss perplexity bleu chrf exact tokens wer per \
    aer precision recall aer_before aer_after entropy coverage end_weight row_sum zeros latency source_length monotonicity rep drop diagnosis
expect 0 "" eval $model tiny.tsv --json --by-length
keys sentences target_words loss perplexity bleu chrf exact tokens wer per \
    aer precision recall aer_before aer_after entropy coverage end_weight row_sum zeros latency source_length monotonicity rep drop by_length \
    diagnosis
python3 - <<'END' || fail "the bands do not add up"
import json
all = json.load(open("out"))
bands = all["by_length"].values()
for key in "sentences", "target_words":
    assert sum(band[key] for band in bands) == all[key] > 0
loss = sum(band["loss"] * band["target_words"] for band in bands) / all["target_words"]
assert abs(loss - all["loss"]) < 1e-9
END
cut -f 1,2 tiny.tsv >plain.tsv
expect 0 "" eval $model plain.tsv --json
grep -q '"aer": null' out || fail "AER without gold alignments: $(cat out)"

# The lines of --per-sentence add up to the loss.
expect 0 "" eval $model tiny.tsv --json --per-sentence each.tsv
python3 - <<'END' || fail "--per-sentence does not add up to the loss"
import json
all = json.load(open("out"))
rows = [line.split("\t") for line in open("each.tsv")]
assert len(rows) == all["sentences"] == 200
words = sum(int(row[1]) for row in rows)
assert words == all["target_words"]
assert abs(-sum(float(row[0]) for row in rows) / words - all["loss"]) < 1e-6
END

expect 0 "" gradcheck --json
keys worst ok parameters
expect 0 "" prove $model tiny.tsv --json
keys ok checks
expect 0 "" inspect $model --json
keys settings tensors vocabularies merges parameter_count cache_bytes checksum
python3 - <<'END' || fail "inspect does not show the file as it is"
import json, zlib
shown = json.load(open("out"))
data = open("tiny/best.safetensors", "rb").read()
header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
assert shown["settings"] == json.loads(header["__metadata__"]["settings"])
assert shown["settings"]["hidden"] == 8 and shown["settings"]["attention"] == "additive"
for tensor in shown["tensors"]:
    assert header[tensor["name"]]["shape"] == tensor["shape"]
assert len(shown["tensors"]) + 2 == len(header)
assert int(shown["checksum"], 16) == zlib.crc32(data[:-4]) == int.from_bytes(data[-4:], "little")
END
small=$(python3 -c 'import json; print(json.load(open("out"))["parameter_count"])')
expect 0 "" inspect tiny/last.safetensors --json
same "parameters without the optimizer's memory" "$small" \
    "$(python3 -c 'import json; print(json.load(open("out"))["parameter_count"])')"
"$softalign" train --train tiny.tsv --out means --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 20 --average 3 2>err ||
    fail "train --average: $(cat err)"
expect 0 "" inspect means/last.safetensors --json
same "parameters without the weights for --average" "$small" \
    "$(python3 -c 'import json; print(json.load(open("out"))["parameter_count"])')"
finish
