# eval --heads: each head's scores computed again without this program, from the weights that align writes and the
# tensors of the file; and the loss without a head is that of a file in which its part of W_o is zero.
. tests/support/cli.sh
need python3
"$softalign" corpus induction --pairs 60 >pairs.tsv
head -n 10 pairs.tsv >some.tsv

cat >heads.py <<'END'
import csv, json, math, struct, subprocess, sys, zlib
from pathlib import Path

softalign, model, family = sys.argv[1:]
data = Path(model).read_bytes()
start = 8 + struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8:start])
o = json.loads(header["__metadata__"]["settings"])
H, layers, joined = o["heads"], o["layers"], family == "decoder"


def tensor(name):
    rows, cols = header[name]["shape"]
    x = struct.unpack(f"<{rows * cols}f", data[start + header[name]["data_offsets"][0]:start + header[name]["data_offsets"][1]])
    return [x[i:i + cols] for i in range(0, len(x), cols)]


def evaluate(path, *options):
    return json.loads(subprocess.check_output([softalign, "eval", path, "some.tsv", "--json", *options]))


def matrices(site, layer, head):
    subprocess.check_call([softalign, "align", model, "some.tsv", "--site", site, "--layer", str(layer), "--head",
                           str(head), "--csv", f"{site}-{layer}-{head}"], stderr=subprocess.DEVNULL)
    for path in sorted(Path(f"{site}-{layer}-{head}").glob("*.csv")):
        (_, *columns), *rows = csv.reader(path.open(encoding="utf-8"))
        yield columns, [[float(x) for x in row[1:]] for row in rows]


def rows(layer, head):
    """The words that the decoder reads, the row's own number among them, and its weights."""
    cross = matrices("cross", layer, head)
    for read, alpha in matrices("decoder", layer, head):
        source, seen = next(cross)
        if joined:
            assert read[0] == source[-1] == "</s>"
            read, alpha = source + read[1:], [left + right[1:] for left, right in zip(seen, alpha)]
        yield read, [(i + (len(source) - 1 if joined else 0), row) for i, row in enumerate(alpha)]


def mean(x):
    return math.fsum(x) / len(x)


def product(W, x):
    return [math.fsum(w * v for w, v in zip(row, x)) for row in W]


def without(layer, head):
    """The model file with the head's columns of W_o zero, and its checksum."""
    name = f"decoder.{layer}.self.W_o"
    m, width = header[name]["shape"]
    changed, at = bytearray(data), start + header[name]["data_offsets"][0]
    for row in range(m):
        first = at + 4 * (row * width + (head - 1) * width // H)
        changed[first:first + 4 * width // H] = bytes(4 * width // H)
    end = start + header["checksum"]["data_offsets"][0]
    changed[end:end + 4] = struct.pack("<I", zlib.crc32(changed[:end]))
    Path("without.safetensors").write_bytes(changed)
    return evaluate("without.safetensors")["loss"]


def expect(what, expected, got, tolerance=1e-5):
    if abs(expected - got) > tolerance * max(1, abs(expected)):
        sys.exit(f"{what}: {got}, expected {expected}")


whole = evaluate(model, "--heads")
found = whole["heads"]
assert [(one["layer"], one["head"]) for one in found["each"]] == [(l + 1, k + 1) for l in range(layers) for k in range(H)]
E, U = tensor("target.E")[3:], tensor("target.E" if o["tie"] in ("two-way", "three-way") else "readout.W_o")[3:]
for one in found["each"]:
    layer, head = one["layer"], one["head"]
    where, matching, previous = f"{model}, head {layer}.{head}", [], []
    for read, alpha in rows(layer, head):
        for i, row in alpha:
            after = [j for j in range(1, i) if read[j - 1] == read[i]]
            if after:
                matching.append(math.fsum(row[j] for j in after))
            if i > 1:
                previous.append(row[i - 1])
    expect(f"{where}, prefix matching", mean(matching), one["prefix_matching"])
    expect(f"{where}, previous word", mean(previous), one["previous_word"])
    W_v, W_o = tensor(f"decoder.{layer}.self.W_v"), tensor(f"decoder.{layer}.self.W_o")
    d, group = len(W_o[0]) // H, (head - 1) * (o["kv-heads"] or H) // H
    m = len(W_v[0])
    read = slice((head - 1) * m, head * m) if o["head-projection"] == "split" else slice(0, m)
    C = [product(U, product([row[(head - 1) * d:head * d] for row in W_o], product(W_v[group * d:group * d + d], e[read])))
         for e in E]
    all_of = [c for row in C for c in row]
    spread = math.sqrt(mean([c * c for c in all_of]) - mean(all_of) ** 2)
    expect(f"{where}, copying", mean([row[w] == max(row) for w, row in enumerate(C)]), one["copying"], 1e-9)
    expect(f"{where}, trace", mean([C[w][w] for w in range(len(C))]) / spread, one["copying_trace"], 1e-4)
    expect(f"{where}, loss without it", without(layer, head), one["loss_without"], 1e-6)
    if abs(one["loss_without"] - whole["loss"]) < 1e-7:
        sys.exit(f"{where}: nothing is lost without it")
assert evaluate(model)["loss"] == whole["loss"] and "heads" not in evaluate(model)
END

small="--embed 8 --attn 8 --ffn 12 --heads 2 --steps 20 --lr 0.02"
for options in "decoder --layers 2 --kv-heads 1" "decoder --layers 1 --smeared-keys --prefix full --head-projection split" \
    "transformer --layers 1"; do
    rm -rf model cross-* decoder-*
    [ "${options%% *}" = decoder ] || "$softalign" corpus reorder --pairs 40 >pairs.tsv && head -n 10 pairs.tsv >some.tsv
    "$softalign" train --train pairs.tsv --out model $small --model $options 2>err || fail "train: $(cat err)"
    python3 heads.py "$softalign" model/best.safetensors "${options%% *}" 2>err || fail "$options: $(cat err)"
done

# As text, and with more threads, the same figures; without a repeated word, none.
"$softalign" eval model/best.safetensors some.tsv --heads --threads 1 >text
"$softalign" eval model/best.safetensors some.tsv --heads --threads 3 --json >json
same "loss without each head" "$(sed -n 's/.*"loss_without": \([0-9.]*\).*/\1/p' json | xargs printf '%.4f\n')" \
    "$(awk 'NF == 9 && $8 + 0 { print $8 }' text)"

printf '1 2\t3\n' >one.tsv
"$softalign" eval model/best.safetensors one.tsv --heads >text
same "a word that nothing repeats" "- -" "$(awk '$2 == "layer" { getline; print $4, $9 }' text)"
"$softalign" eval model/best.safetensors one.tsv --heads --json >json
[ "$(grep -c '"prefix_matching": null' json)" = 2 ] || fail "prefix matching of nothing: $(cat json)"

train_tiny
expect 2 "--heads: the model's decoder has no self-attention; those of Transformers and of decoder-only models have" \
    eval tiny/best.safetensors tiny.tsv --heads
finish
