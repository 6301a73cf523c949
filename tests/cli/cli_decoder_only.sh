# Decoder-only models: their equations computed again without this program, the same bits in every way to train and
# translate, and what they refuse.
. tests/support/cli.sh
need python3
"$softalign" corpus reverse --pairs 60 >pairs.tsv
cut -f 1 pairs.tsv | head -n 8 >source.txt
small="--model decoder --embed 8 --attn 8 --ffn 12 --heads 2 --layers 2"

# ---- The equations of softalign-model(5), in plain Python --------------------------------------------

cat >forward.py <<'END'
import json, math, struct, sys


def load(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header, tensors = json.loads(data[8:start]), {}
    settings = json.loads(header.pop("__metadata__")["settings"])
    for name, tensor in header.items():
        kind = {"F64": "d", "I32": "i", "U8": "B"}[tensor["dtype"]]
        begin, end = (start + at for at in tensor["data_offsets"])
        x, shape = [one for one, in struct.iter_unpack("<" + kind, data[begin:end])], tensor["shape"]
        tensors[name] = [x[i:i + shape[1]] for i in range(0, len(x), shape[1])] if len(shape) == 2 else x
    return settings, tensors


def product(W, x):
    return [math.fsum(w * v for w, v in zip(row, x)) for row in W]


def add(*vectors):
    return [math.fsum(own) for own in zip(*vectors)]


def layernorm(part, x):
    mean = math.fsum(x) / len(x)
    scale = math.sqrt(math.fsum((v - mean) ** 2 for v in x) / len(x) + 1e-5)
    return [g * (v - mean) / scale + b for g, v, b in zip(p[f"{part}.g"], x, p[f"{part}.b"])]


def softmax(e):
    powers = [math.exp(v - max(e)) for v in e]
    return [v / math.fsum(powers) for v in powers]


def rotated(x, t):
    out = list(x)
    for i in range(0, len(x), 2):
        c, s = math.cos(t / 10000 ** (i / len(x))), math.sin(t / 10000 ** (i / len(x)))
        out[i], out[i + 1] = x[i] * c - x[i + 1] * s, x[i] * s + x[i + 1] * c
    return out


def position(t, m):
    if o["positions"] == "learned":
        return p["target.P"][min(t, 2 * o["max-len"])]
    if o["positions"] != "sinusoidal":
        return [0] * m
    return [(math.cos if k % 2 else math.sin)(t / 10000 ** ((k - k % 2) / m)) for k in range(m)]


def attention(part, X, S):
    H, out = o["heads"], []
    Q, K, V = ([product(p[f"{part}.W_{name}"], x) for x in X] for name in "qkv")
    d, dv = len(Q[0]) // H, len(V[0]) // H
    turned = rotated if o["positions"] == "rope" else lambda x, t: x
    for i, q in enumerate(Q):
        seen, o_i = max(i + 1, S) if o["prefix"] == "full" else i + 1, []
        for k in range(0, H):
            own = turned(q[k * d:k * d + d], i)
            alpha = softmax([math.fsum(a * b for a, b in zip(own, turned(K[j][k * d:k * d + d], j))) / math.sqrt(d)
                             for j in range(seen)])
            o_i += [math.fsum(a * V[j][k * dv + c] for j, a in enumerate(alpha)) for c in range(dv)]
        out.append(product(p[f"{part}.W_o"], o_i))
    return out


def feedforward(part, X, S):
    inner = [[max(0, v) for v in add(product(p[f"{part}.W_1"], x), p[f"{part}.b_1"])] for x in X]
    return [add(product(p[f"{part}.W_2"], x), p[f"{part}.b_2"]) for x in inner]


def sentence_loss(source, target):
    E, S = p["target.E"], len(source)
    m = len(E[0])
    X = [add([math.sqrt(m) * v for v in E[word]], position(t, m)) for t, word in enumerate(source + target[:-1])]
    for layer in range(1, o["layers"] + 1):
        for name, function in ("self", attention), ("feedforward", feedforward):
            part, pre = f"decoder.{layer}.{name}", o["norm"] == "pre"
            F = function(part, [layernorm(f"{part}.norm", x) for x in X] if pre else X, S)
            X = [add(x, f) if pre else layernorm(f"{part}.norm", add(x, f)) for x, f in zip(X, F)]
    if o["norm"] == "pre":
        X = [layernorm("decoder.norm", x) for x in X]
    return -math.fsum(math.log(softmax(add(product(E, t), p["readout.b_y"]))[word]) for t, word in zip(X[S - 1:], target))


def sentences(side):
    ids = iter(p[f"{side}.ids"])
    return [[next(ids) for _ in range(length)] for length in p[f"{side}.len"]]


def loss():
    own = [sentence_loss(*pair) for pair in zip(sentences("source"), sentences("target"))]
    return math.fsum(own) / len(own)


def difference(row, k, h=1e-3):
    at, sums = row[k], []
    for step in -2, -1, 1, 2:
        row[k] = at + step * h
        sums.append(loss())
    row[k] = at
    return (sums[0] - 8 * sums[1] + 8 * sums[2] - sums[3]) / (12 * h)


o, p = load(sys.argv[1])
if abs(loss() - p["loss"][0]) > 1e-12 * p["loss"][0]:
    sys.exit(f"the loss is {loss()}, not {p['loss'][0]}")
for name in sorted(name for name in p if f"gradient.{name}" in p):
    W, G = p[name], p[f"gradient.{name}"]
    row, gradient = (W[1], G[1]) if isinstance(W[0], list) else (W, G)
    numeric = difference(row, 0)
    if abs(numeric - gradient[0]) > 1e-6 * max(abs(numeric), 1e-2):
        sys.exit(f"the gradient of {name} is {gradient[0]}, by differences {numeric}")
END

tiny="--model decoder --tie three-way --embed 4 --attn 4 --ffn 5 --attention scaled-dot --heads 2 --layers 2"
for options in "--positions sinusoidal" "--positions learned --prefix full --max-len 3" "--positions rope --prefix full --norm post"; do
    "$softalign" gradcheck $tiny $options --dump dump.safetensors >out 2>err || fail "gradcheck $options: $(tail -n 1 out) $(cat err)"
    python3 forward.py dump.safetensors 2>err || fail "$options: $(cat err)"
done

# ---- The same bits ----------------------------------------------------------------------------------

options="--train pairs.tsv $small --prefix full --shards 3 --dropout 0.1 --valid-every 5 --patience 0 --max-time 0"
"$softalign" train $options --steps 12 --threads 1 --out whole 2>err || fail "train: $(cat err)"
"$softalign" train $options --steps 12 --threads 3 --out threads 2>err || fail "train --threads 3: $(cat err)"
"$softalign" train $options --steps 7 --out parts 2>err || fail "train --steps 7: $(cat err)"
"$softalign" train --train pairs.tsv --resume --steps 12 --out parts 2>err || fail "train --resume: $(cat err)"
for out in threads parts; do
    cmp whole/last.safetensors $out/last.safetensors || fail "$out: another model"
done
model=whole/last.safetensors
for options in "--beam 1" "--beam 4 --length-power 1" "--sample --sample-seed 3" "--beam 3 --precision bf16"; do
    "$softalign" translate $model source.txt $options --threads 1 >one 2>err || fail "translate $options: $(cat err)"
    "$softalign" translate $model source.txt $options --threads 3 --batch 3 >three 2>err
    cmp one three || fail "translate $options: other words in other batches"
done
"$softalign" translate $model $model source.txt --beam 3 >two 2>err || fail "translate with two models: $(cat err)"
"$softalign" translate $model source.txt --beam 3 >one 2>err
cmp one two || fail "twice the same model is another"
"$softalign" prove $model pairs.tsv >out 2>err || fail "prove: $(cat out err)"

# ---- What it attends to -----------------------------------------------------------------------------

# It reads the source's end first, where other decoders read <s>.
same "the first word read" "</s>" \
    "$("$softalign" annotations $model pairs.tsv --site decoder --layer 0 2>err | head -n 1 | cut -d , -f 4)"

# A row over the source, and over what the decoder reads, share the source's EOS and sum to 1.
head -n 1 pairs.tsv >pair.tsv
for site in cross decoder; do
    "$softalign" align $model pair.tsv --site $site --csv $site >out 2>err || fail "align --site $site: $(cat err)"
done
paste -d , cross/0001.csv decoder/0001.csv | python3 -c '
import csv, sys
head, *rows = csv.reader(sys.stdin)
S = head.index("")
S = head.index("", S + 1) - 1
if head[S] != "</s>" or head[S + 2] != "</s>":
    sys.exit("columns: %s" % head)
for row in rows:
    cross, own = [[float(x) for x in part] for part in (row[1:S + 1], row[S + 2:])]
    if abs(sum(cross) + sum(own[1:]) - 1) > 1e-5 or abs(cross[-1] - own[0]) > 1e-6:
        sys.exit("%s: %s and %s" % (row[0], cross, own))
' 2>err || fail "align: $(cat err)"
# The row that has read a word is the next.
"$softalign" align $model pair.tsv --align-at input --csv input >out 2>err || fail "align --align-at input: $(cat err)"
diff <(sed 1,2d cross/0001.csv | cut -d , -f 2-; tail -n 1 cross/0001.csv | cut -d , -f 2-) \
    <(sed 1d input/0001.csv | cut -d , -f 2-) || fail "--align-at input is not the next row"
"$softalign" explain $model "1 2" "3" --site cross --step 2 >out 2>err || fail "explain: $(cat err)"
grep -q 'over j <= max(i, 3)' out || fail "explain: no prefix: $(cat out)"

# ---- Beside others, and refusals --------------------------------------------------------------------

"$softalign" compare --train pairs.tsv --test pairs.tsv --models fixed,decoder:additive:2:prefix=full --steps 2 --embed 8 \
    --hidden 8 --attn 8 --maxout 8 --layers 1 --out table >out 2>err || fail "compare: $(cat err)"
grep -q 'decoder:additive:2' out || fail "compare: $(cat out)"
expect 2 "--model decoder reads source and target with the same embeddings: it needs --tie three-way" \
    gradcheck $small --tie two-way
expect 2 "--copy points at source words with cross-attention, which --model decoder has none of: it needs --model \
transformer" gradcheck $small --tie three-way --copy
expect 2 "--force-attention replaces the weights of cross-attention, which a decoder-only model has none of, like one \
that merges it with self-attention" translate $model source.txt --force-attention uniform
finish
