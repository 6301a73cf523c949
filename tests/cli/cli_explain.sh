# explain: a page for people, and numbers for programs that hang together as the equations say.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 400 >mono.tsv 2>err
train() { # HIDDEN OPTION...: the model in m/, other sizes 5
    rm -rf m
    "$softalign" train --train mono.tsv --out m --embed 5 --maxout 5 --steps 40 --hidden "$@" \
        >out 2>err || fail "train $*: $(cat err)"
}
model=m/best.safetensors
train 5 --attn 5

# The page of a model of five units: every equation with its place, in at most 100 columns.
expect 0 "" explain $model "a king finds the horse." "un roi" --step 2
columns() { # of the widest line on standard input
    LC_ALL=C.UTF-8 wc -L
}
[ "$(columns <out)" -le 100 ] || fail "the page is $(columns <out) columns wide"
[ "$(wc -l <out)" -le 75 ] || fail "the page has $(wc -l <out) lines"
same "given" "Target, given: un roi </s>" "$(sed -n 2p out | sed 's/ ([0-9]*)//g')"
grep -q '^== Step 2 of 3: y_1 = un, y_2 = roi ==$' out || fail "no title: $(cat out)"
place() { # EQUATION PLACE
    grep -F "  $1 " out | grep -q " $2\$" || fail "'$1' does not stand at '$2'"
}
place "h_j = [forward_j ; backward_j]" "A.2.1"
place "e_ij = v_a' tanh(W_a s_{i-1} + U_a h_j)" "A.1.2"
place "alpha_ij = exp(e_ij) / sum_k exp(e_ik)" "equation 6"
place "c_i = sum_j alpha_ij h_j" "equation 5"
place "z_i = sigma(W_z E y_{i-1} + U_z s_{i-1} + C_z c_i + b_z)" "Bahdanau et al. 2015, A.1.1"
place "s~_i = tanh(W E y_{i-1} + U [r_i . s_{i-1}] + C c_i + b)" "Bahdanau et al. 2015, A.1.1"
place "s_i = (1 - z_i) . s_{i-1} + z_i . s~_i" "Bahdanau et al. 2015, A.1.1"
place "t~_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i + b_o" "A.2.2"
place "p(y_i) = softmax(W_o t_i + b_y)" "A.2.2"
grep -qE '^    > roi ' out || fail "the word that is written is not marked"
same "s_0 in step 2" 0 "$(grep -c 's_0' out)"

# Without a target, the words are those of translate; unknown words show.
touch king
"$softalign" explain $model king >out 2>err || fail "a word that is a file: $(cat err)"
grep -q "^note: 'king' is read as a sentence, not as a file$" err || fail "a file: $(cat err)"
expect 0 "" explain $model -- "- a king."
grep -q '^Source: - (' out || fail "a text with a dash: $(cat out)"
expect 0 "" explain $model "the zyx finds a horse."
grep -q 'zyx (0, unknown)' out || fail "zyx is not called unknown"
same "the greedy translation" "$(echo "the zyx finds a horse." | "$softalign" translate $model |
    tr -d ' .')" "$(sed -n '/^Target/,/^$/p' out | sed 's/.*translates://; s/([0-9, a-z]*)//g' |
    tr -d ' .\n' | sed 's|</s>||')"
grep -q 's_0 = tanh(W_s backward_1 + b_s)' out || fail "no s_0 in step 1"
expect 0 "" explain $model "a king." "un roi." --all
same "steps" "1 2 3 4" "$(sed -n 's/^== Step \([0-9]*\) of 4:.*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
same "the source, once" 1 "$(grep -c 'h_j = \[forward' out)"

# Strange words: wide ones, control characters.
expect 0 "" explain $model $'猫が a\e[2Jb.' "" --digits 2
grep -q $'\e' out && fail "a control character came through"
same "an empty target" "== Step 1 of 1: y_0 = <s>, y_1 = </s> ==" "$(grep '^==' out)"

# Long vectors are cut, but not with --wide.
train 12 --attn 5
expect 0 "" explain $model "a king."
grep -qE '^    s_i( +-?[0-9.]+){5} +\.\.\.( +-?[0-9.]+){4}$' out || fail "s_i is not cut: $(cat out)"
expect 0 "" explain $model "a king." --wide
same "s_i" 12 "$(awk '/^    s_i /,/^$/' out | grep -oE ' -?[0-9]+\.[0-9]+' | wc -l)"

# Every variant speaks of its own equations.
says() { # TEXT OPTION...
    local text=$1
    shift
    train 4 --attn 4 "$@"
    expect 0 "" explain $model "a king finds the horse." "un roi"
    grep -qF -- "$text" out || fail "$*: the page does not say '$text': $(cat out)"
    [ "$(columns <out)" -le 100 ] || fail "$*: the page is $(columns <out) columns wide"
}
says "t_i = tanh(U_o s_i + C_o c_i + b_o)" --decoder luong --attention raw-dot --encoder uni
says "[E y_{i-1} ; t_{i-1}]" --decoder luong --input-feeding --cell lstm
says "s_i = z_i . s'_i + (1 - z_i) . s~_i" --decoder cgru --update old --reset after
says "c = tanh(V [forward_S ; backward_1] + b_V)" --decoder fixed --reset sum
says "s_0 = forward_S" --decoder fixed-init --decoder-init copy --cell rnn
says "-- head 2 --" --heads 2 --attention general
says "Luong et al. 2015, equations 9 and 10" --window local-p --window-size 2
says "e_i = W_a s_{i-1}, blind to the source" --attention location

# What programs read: the arithmetic of a step done again.
if has python3; then
    train 5 --attn 5
    expect 0 "" explain $model "a king finds the horse." "un roi" --all --json
    python3 - <<'END' || fail "--json does not hang together"
import json, struct
from math import exp, log, tanh

all = json.load(open("out"))
raw = open("m/best.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]

def tensor(at):
    first, last = (8 + size + offset for offset in at["data_offsets"])
    x = struct.unpack(f"<{(last - first) // 4}f", raw[first:last])
    width = at["shape"][-1]
    return [list(x[k:k + width]) for k in range(0, len(x), width)] if len(at["shape"]) > 1 else list(x)

assert list(all)[:5] == ["source", "target", "forced", "h", "k"], list(all)
assert all["target"] == ["un", "roi", "</s>"] and all["forced"] is True
w = {name: tensor(at) for name, at in json.loads(raw[8:8 + size]).items() if at.get("dtype") == "F32"}
dot = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))
times = lambda W, x: [dot(row, x) for row in W]
plus = lambda *vectors: [sum(x) for x in zip(*vectors, strict=True)]
sigma = lambda x: 1 / (1 + exp(-x))
def same(a, b):
    assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-12, (a, b)

total, s = 0, None
for i, at in enumerate(all["steps"]):
    assert at["step"] == i + 1 and at["word"] == all["target"][i]
    x, s_, c = at["x"], at["s_previous"], at["c"]
    if s:
        same(s_, s)
    else:
        same(s_, [tanh(a) for a in plus(times(w["decoder.W_s"], all["h"][0][5:]), w["decoder.b_s"])])
    q = times(w["attention.W_a"], s_)
    keys = [times(w["attention.U_a"], h) for h in all["h"]]
    e = [dot(w["attention.v_a"], [tanh(a) for a in plus(q, k)]) for k in keys]
    same(at["e"], e)
    alpha = [exp(a) / sum(map(exp, e)) for a in e]
    same(at["alpha"], alpha)
    same(c, [dot(alpha, column) for column in zip(*all["h"])])
    def inside(g, state):
        d = "decoder."
        return plus(times(w[d + "W" + g], x), times(w[d + "U" + g], state),
                    times(w[d + "C" + g], c), w[d + "b" + g])
    z, r = ([sigma(a) for a in inside(g, s_)] for g in ("_z", "_r"))
    same(at["z"], z), same(at["r"], r)
    candidate = [tanh(a) for a in inside("", [a * b for a, b in zip(r, s_)])]
    s = [(1 - z) * old + z * new for z, old, new in zip(z, s_, candidate)]
    same(at["s~"], candidate), same(at["s"], s)
    t_ = plus(times(w["readout.U_o"], s_), times(w["readout.V_o"], x), times(w["readout.C_o"], c),
              w["readout.b_o"])
    t = [max(t_[k], t_[k + 1]) for k in range(0, len(t_), 2)]
    same(at["t~"], t_), same(at["t"], t)
    logits = plus(times(w["readout.W_o"], t), w["readout.b_y"])
    p = [exp(a) / sum(map(exp, logits)) for a in logits]
    same(at["p"], p), same([sum(p)], [1])
    log_p = log(p[all["vocabulary"].index(at["word"])])
    total += log_p
    same([at["log_p"], at["total"]], [log_p, total])
END
    printf 'a king finds the horse.\tun roi\n' >pair.tsv
    total=$(python3 -c 'import json; print(json.load(open("out"))["steps"][-1]["total"])')
    "$softalign" eval $model pair.tsv --per-sentence each.tsv >out
    awk -v a="$total" '{ exit !((a - $1) ^ 2 < 1e-8) }' each.tsv || fail "eval says $(cat each.tsv), not $total"
fi

# What each sublayer would write.
"$softalign" train --train mono.tsv --out lens --model transformer --embed 8 --attn 4 --ffn 6 --layers 2 --steps 20 2>/dev/null
expect 0 "" explain lens/best.safetensors "a king finds the horse." "un roi" --lens
same "the sublayers" "words 1 self 1 cross 1 feed 2 self 2 cross 2 feed" "$(head -n 1 out | xargs)"
same "the words" "1 un 2 roi 3 </s>" "$(sed -n '2,4s/^\(..\) \(.\{10\}\) .*/\1 \2/p' out | xargs)"
[ "$(columns <out)" -le 100 ] || fail "the grid is $(columns <out) columns wide"
if has python3; then
    cp out grid
    expect 0 "" explain lens/best.safetensors "a king finds the horse." "un roi" --lens --json
    python3 - <<'END' || fail "the lens: --json does not hang together"
import json, math
all = json.load(open("out"))
grid = open("grid").read().split("\n")[1:4]
for step, line in zip(all["steps"], grid, strict=True):
    p = {name[2:]: x for name, x in step.items() if name.startswith("p ")}
    assert len(p) == 7 and step["KL 2 feed"] == 0
    for name, x in p.items():
        assert abs(sum(x) - 1) < 1e-12
        kl = sum(a * math.log(a / b) for a, b in zip(p["2 feed"], x))
        assert abs(kl - step["KL " + name]) < 1e-9
    best = [all["vocabulary"][max(range(len(x)), key=x.__getitem__)] for x in p.values()]
    assert [cell.split()[0] for cell in (line[14 + 12 * k:][:12] for k in range(7))] == [w if len(w) < 8 else w[:6] + "…" for w in best], (line, best)
END
fi
for other in "--step 2" --all "--layer 2" "--site decoder"; do
    expect 2 "--lens excludes --step, --all, --roles, --layer and --site" explain lens/best.safetensors "a king" --lens $other
done
expect 2 "--html is for --lens without --json" explain lens/best.safetensors "a king" --html page.html
expect 2 "--lens: applies to a Transformer" explain $model "a king" --lens

# A layer of a Transformer at each site, made again from the weights in the model file.
for norm in pre post; do
    positions=none
    [ $norm = pre ] || positions=shaw
    "$softalign" train --train mono.tsv --out deep --overwrite --model transformer --norm $norm --positions $positions --shaw-distance 1 --embed 5 --attn 4 --value-size 3 \
        --heads 2 --ffn 6 --layers 2 --steps 20 2>/dev/null
    model=deep/best.safetensors
    expect 0 "" explain $model "a king finds the horse." --step 2
    x=x
    [ $norm = post ] || x=a
    grep -q "^ *e_ij = (W_q ${x}_i)' (W_k ${x}_j) / sqrt(n') *Vaswani et al. 2017, section 3.2.1$" out ||
        fail "no score: $(cat out)"
    same "vectors of distances" $([ $positions = none ] && echo 0 || echo 2) "$(grep -cF "e_ij = f(q_i, k_j + a^K_c)" out)"
    has python3 || continue
    for layer in 1 2; do
        for site in encoder decoder cross; do
            expect 0 "" explain $model "a king finds the horse." "un roi" --site $site --step 2 --layer $layer --json
            cp out $site.json
        done
        python3 - $norm $layer <<'END' || fail "layer $layer, norm $norm: --json does not hang together"
import json, struct, sys
from math import exp, sqrt

norm, layer = sys.argv[1], sys.argv[2]
raw = open("deep/best.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
head = json.loads(raw[8:8 + size])

def tensor(name):
    at = head[f"{stack}.{layer}.{name}"]
    first, last = (8 + size + offset for offset in at["data_offsets"])
    x = struct.unpack(f"<{(last - first) // 4}f", raw[first:last])
    width = at["shape"][-1]
    return [list(x[k:k + width]) for k in range(0, len(x), width)] if len(at["shape"]) > 1 else list(x)

dot = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))
times = lambda W, x: [dot(row, x) for row in W]
plus = lambda *vectors: [sum(x) for x in zip(*vectors, strict=True)]
def same(a, b):
    assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-12, (a, b)
def normal(part, x):
    mean = sum(x) / len(x)
    deviation = sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-5)
    return plus([(v - mean) / deviation * g for v, g in zip(x, tensor(part + ".norm.g"))],
                tensor(part + ".norm.b"))

at, i = {site: json.load(open(site + ".json")) for site in ("encoder", "decoder", "cross")}, 1
def attention(site, part):
    now = at[site]
    a = [normal(part, x) for x in now["x"]] if norm == "pre" else now["x"]
    h = now["h"] if site == "cross" else a
    q, found = times(tensor(part + ".W_q"), a[i]), []
    keys, values = ([times(tensor(f"{part}.{W}"), x) for x in h] for W in ("W_k", "W_v"))
    seen = i + 1 if site == "decoder" else len(keys)
    if norm == "post" and part == "self": # Shaw's vectors: the same for both heads
        for all, name in (keys, "a_K"), (values, "a_V"):
            for j, x in enumerate(all[:seen]):
                all[j] = plus(x, 2 * tensor(f"{part}.{name}")[max(-1, min(1, j - i)) + 1])
    for k, one in enumerate(now["heads"]):
        same(one["q"], q[2 * k:2 * k + 2])
        e = [dot(one["q"], key[2 * k:2 * k + 2]) / sqrt(2) for key in keys[:seen]]
        alpha = [exp(x) / sum(map(exp, e)) for x in e]
        o = [dot(alpha, column) for column in zip(*values[:seen])][3 * k:3 * k + 3]
        assert one["exp"][seen:] == [None] * (len(h) - seen) and one["alpha"][seen:] == [0] * (len(h) - seen)
        same(one["e"][:seen], e), same(one["alpha"][:seen], alpha), same(one["o"], o)
        found += o
    assert len(now["heads"]) == 2
    c = times(tensor(part + ".W_o"), found)
    y = plus(now["x"][i], c)
    y = y if norm == "pre" else normal(part, y)
    same(now["c"], c), same(now["y"], y)
    return now, y
stack = "decoder"
y = attention("decoder", "self")[1]
assert "z" not in at["decoder"] and len(at["decoder"]["x"]) == len(at["cross"]["x"]) == 3
same(at["cross"]["x"][i], y)
for stack, site, part in ("encoder", "encoder", "self"), ("decoder", "cross", "cross"):
    now, y = attention(site, part)
    read = normal("feedforward", y) if norm == "pre" else y
    inner = [max(0, v) for v in plus(times(tensor("feedforward.W_1"), read), tensor("feedforward.b_1"))]
    f = plus(times(tensor("feedforward.W_2"), inner), tensor("feedforward.b_2"))
    z = plus(y, f)
    same(now["max"], inner), same(now["f"], f), same(now["z"], z if norm == "pre" else normal("feedforward", z))
END
    done
done
expect 0 "" explain $model "a king." "un roi" --site decoder --step 2
grep -qE '^ +1 <s>( +-?[0-9.]+){5}$' out || fail "no <s> before the target: $(cat out)"
grep -q "^  alpha_ij = exp(e_ij) / sum_k exp(e_ik), over j <= i " out || fail "no mask: $(cat out)"
same "masked words of two heads" 2 "$(grep -cE '^ +3 roi +(.* )?-?[0-9.]+ {10,}0\.0000$' out)"
expect 2 "--layer 3: the encoder has 2" explain $model "a" --layer 3

# --roles names heads by what they do in pairs, as eval does: not in too few of them, and those of the layer and site.
"$softalign" corpus phrases --pairs 100 >phrases.tsv
head -n 2 phrases.tsv >few.tsv
roles() { sed -n 's/^  -- head [0-9]: \(.*\) --$/\1/p' out; }
expect 0 "" explain builtin:transformer "the cat is here." --site cross --layer 2 --roles phrases.tsv
same "roles of cross-attention" "alignment alignment alignment alignment" "$(roles | xargs)"
for layer in 1 2; do
    expect 0 "" explain builtin:transformer "the cat is here." --site decoder --layer $layer --roles phrases.tsv
    same "roles of layer $layer" "$("$softalign" eval builtin:transformer phrases.tsv --heads |
        awk -v layer=$layer '$1 == "role" { found = 1 } found && $2 == layer { print $1 }')" "$(roles)"
done
expect 0 "" explain builtin:transformer "the cat is here." --roles few.tsv
grep -q '^  -- head 1 --$' out && [ -z "$(roles)" ] || fail "roles by two pairs: $(roles)"
expect 0 "" explain builtin:phrases "the cat is here." --roles phrases.tsv --json
[[ $(tail -n 5 out | tr -d ' \n') == *'"roles":["alignment"]}' ]] || fail "no role: $(tail -n 5 out)"
expect 4 "cannot open 'none.tsv': No such file or directory" explain builtin:transformer a --roles none.tsv
expect 2 "--layer 3: the encoder has 2" explain $model "a" --layer 3
expect 2 "--layer 3: the decoder has 2" explain $model "a" --layer 3 --site cross
expect 2 "there is no word 3: the source has 2, EOS included" explain $model "a" --step 3
expect 2 "there is no word 3: the target has 2, EOS included" explain $model "a" "un" --step 3 --site decoder
expect 2 "--all is for the steps of recurrent models" explain $model "a" --all

# Every score of a Transformer speaks of the vectors it reads, under the names of its tensors, and
# with a predicted window the weights are those of the equations.
layer() { # HEADS NORM OPTION...: the page of a layer
    rm -rf window
    "$softalign" train --train mono.tsv --out window --model transformer --embed 4 --attn 4 --ffn 4 \
        --layers 1 --steps 3 --heads "$1" --norm "${@:2}" >out 2>err || fail "train $*: $(cat err)"
    expect 0 "" explain window/best.safetensors "a king finds the horse."
}
states() { # EQUATION...: these stand on the page
    local equation
    for equation; do
        awk -v whole="  $equation" 'index($0, whole) == 1 && substr($0, length(whole) + 1) ~ /^( |$)/ { found = 1 }
            END { exit !found }' out ||
            fail "the page does not say '$equation': $(cat out)"
    done
}
layer 2 pre --attention general --positions rope
states "q_i = R_i a_i, k_j = R_j W_k a_j, v_j = W_v a_j" "e_ij = (R_i a_i)' R_j W_k a_j"
layer 1 pre --attention raw-dot
states "q_i = a_i, k_j = a_j, v_j = W_v a_j" "e_ij = a_i' a_j, without any map: a_j must be as wide as a_i"
layer 2 pre --attention additive --window sliding --window-size 1
states "p_i = min(i, S)" "e_ij = v_a' tanh(W_q a_i + W_k a_j)" \
    "alpha_ij = exp(e_ij) / sum_k exp(e_ik), over |j - p_i| <= D"
layer 1 pre --attention location --max-len 10 --window sliding
states "p_i = min(i, S)" "S = min(words, S_max)" "q_i = W_q a_i, v_j = W_v a_j" "e_i = W_q a_i, blind to the source"
layer 2 post --attention uniform
states "q_i = x_i, v_j = W_v x_j"
layer 2 pre --attention differential --window local-p --window-size 2
states "A1_ij = exp(e1_ij) / sum_k exp(e1_ik), over |j - p_i| <= D" "A_ij = A1_ij - lambda A2_ij" \
    "alpha_ij = A_ij exp(-(j - p_i)^2 / (2 (D/2)^2))"
layer 2 pre --attention dot --normalizer sparsemax --window local-p
states "sparsemax_j(e_ij) = max(0, e_ij - tau), tau such that they sum to 1: exact zeros, over |j - p_i| <= D"
layer 2 pre --attention general --window local-p --window-size 2
states "p_i = S sigma(v_p' tanh(W_p a_i))" "q_i = a_i, k_j = W_k a_j, v_j = W_v a_j" \
    "e_ij = a_i' W_k a_j" "softmax_j(e_ij) = exp(e_ij) / sum_k exp(e_ik), over |j - p_i| <= D" \
    "alpha_ij = softmax_j(e_ij) exp(-(j - p_i)^2 / (2 (D/2)^2))"
if has python3; then
    expect 0 "" explain window/best.safetensors "a king finds the horse." --step 3 --json
    python3 - <<'END' || fail "local-p in a layer: --json does not hang together"
import json, struct
from math import exp, tanh

raw = open("window/best.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
head = json.loads(raw[8:8 + size])

def tensor(name):
    at = head["encoder.1.self." + name]
    first, last = (8 + size + offset for offset in at["data_offsets"])
    x = struct.unpack(f"<{(last - first) // 4}f", raw[first:last])
    width = at["shape"][-1]
    return [list(x[k:k + width]) for k in range(0, len(x), width)]

dot = lambda a, b: sum(x * y for x, y in zip(a, b, strict=True))
times = lambda W, x: [dot(row, x) for row in W]
def same(a, b):
    assert len(a) == len(b) and max(abs(x - y) for x, y in zip(a, b)) < 1e-12, (a, b)

at = json.load(open("out"))
a, D, W_k = at["a"], 2, tensor("W_k")
hidden = [tanh(x) for x in times(tensor("W_p"), a[2])]
share = 1 / (1 + exp(-dot(tensor("v_p")[0], hidden)))
p = len(a) * share
same(at["tanh(W_p s)"], hidden), same([at["share"], at["p_i"]], [share, p])
seen = [abs(j + 1 - p) <= D for j in range(len(a))]
assert not all(seen) and len(at["heads"]) == 2
for k, one in enumerate(at["heads"]):
    e = [dot(a[2], times(W_k[4 * k:4 * k + 4], x)) for x in a]
    total = sum(exp(x) for x, sees in zip(e, seen) if sees)
    softmax = [exp(x) / total if sees else None for x, sees in zip(e, seen)]
    gauss = [exp(-(j + 1 - p) ** 2 / (2 * (D / 2) ** 2)) if sees else None for j, sees in enumerate(seen)]
    same(one["q"], a[2]), same(one["e"], e)
    for name, expected in ("softmax", softmax), ("gauss", gauss):
        assert [x is None for x in one[name]] == [not sees for sees in seen], (name, one[name])
        same([x for x in one[name] if x is not None], [x for x in expected if x is not None])
    same(one["alpha"], [s * g if sees else 0 for s, g, sees in zip(softmax, gauss, seen)])
END
fi

# The location score ends at a position, and with it the sentence of its window.
for word in a b c d; do
    for next in a b c d; do printf '%s %s\t%s %s\n' $word $next $next $word; done
done >two.tsv
"$softalign" train --train two.tsv --out short --attention location --window local-p --max-len 2 \
    --hidden 4 --embed 4 --attn 4 --steps 3 >out 2>err || fail "train location: $(cat err)"
expect 0 "" explain short/best.safetensors "a b c d a b"
states "p_i = S sigma(v_p' tanh(W_p s_{i-1}))" "S = min(words, S_max)" \
    "softmax_j(e_ij) = exp(e_ij) / sum_k exp(e_ik), over j <= S_max, |j - p_i| <= D"
awk '$1 == "sigma(..)" { share = $2 } $1 == "p_i" && $2 != "=" { exit !((3 * share - $2) ^ 2 < 1e-6) }' out ||
    fail "p_i is not 3 sigma(..): $(cat out)"
model=m/best.safetensors

# What cannot be.
expect 2 "an argument is missing: softalign explain MODEL SOURCE [TARGET]" explain $model
expect 2 "the source is empty" explain $model ""
expect 2 "the source is empty" explain $model " " "le"
expect 2 "the source is not UTF-8 at byte 3: 0xFF" explain $model $'ab\xff'
expect 2 "the target is not UTF-8 at byte 1: 0xC3" explain $model a $'\xc3'
expect 2 "--layer 7: applies to a Transformer" explain $model "a" --layer 7
expect 2 "--site decoder: applies to a Transformer" explain $model "a" --site decoder
expect 2 "there is no step 4: the target has 3, EOS included" explain $model "a" "un roi" --step 4
expect 2 "--step and --all exclude each other" explain $model "a" --step 4 --all
expect 2 "--step '0': expected a whole number from 1 to 1000000" explain $model "a" --step 0
expect 4 "cannot open 'none.safetensors': No such file or directory" explain none.safetensors "a"
head -c 3000 $model >bad.safetensors
"$softalign" explain bad.safetensors "a" >out 2>err
same "a damaged model" 3 $?
finish
