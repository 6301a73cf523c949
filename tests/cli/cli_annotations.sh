# annotations: the vectors of words are those of explain and of the model file, in every format, and
# the occurrences nearest to each other are those of their centered cosines.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 200 >mono.tsv 2>err
train() { # FOLDER OPTION...
    local folder=$1
    shift
    "$softalign" train --train mono.tsv --out "$folder" --embed 5 --attn 4 --steps 5 --shards 1 "$@" >out 2>err ||
        fail "train $*: $(cat err)"
}
transformer=(--model transformer --heads 2 --ffn 6 --layers 2)
train post "${transformer[@]}" --norm post
train pre "${transformer[@]}" --norm pre
train deep --hidden 3 --maxout 4 --layers 2 --decoder-layers 2 --reverse-source
train none --hidden 3 --maxout 4 --encoder none --decoder luong
printf 'a king finds the king.\tun roi\nthe king\tle roi\nthe horse finds the king\tle roi un roi\n' >pairs.tsv
post=post/best.safetensors

# ---- Formats

expect 0 "" annotations $post pairs.tsv --layer 1
cp out csv
cut -f 1 pairs.tsv >sources
expect 0 "" annotations $post sources --layer 1
cmp out csv || fail "plain sources"
expect 0 "" annotations $post pairs.tsv --layer 1 --format jsonl
cp out jsonl
expect 0 "" annotations $post pairs.tsv --layer 1 --format npy
cp out npy
same "the words" "1,1,1,a 1,1,2,king 1,1,3,finds" "$(cut -d , -f 1-4 csv | head -n 3 | xargs)"
same "rows" "7 3 6" "$(cut -d , -f 2 csv | uniq -c | awk '{ print $1 }' | xargs)"
expect 0 "" annotations $post pairs.tsv --site decoder
same "what the decoder reads" "<s> un roi" "$(cut -d , -f 4 out | head -n 3 | xargs)"
same "all layers" "0 1 2" "$(cut -d , -f 1 out | sort -u | xargs)"
expect 0 "" annotations $post pairs.tsv --layer 2 --format npy
cp out last
expect 0 "" annotations $post pairs.tsv --format npy
cmp out last || fail "npy does not have the last layer"

command -v python3 >/dev/null || finish
python3 - <<'END' || fail "csv, jsonl and npy differ"
import csv, json, struct
rows = [json.loads(line) for line in open("jsonl")]
cells = list(csv.reader(open("csv")))
assert [[str(row[key]) for key in ("layer", "sentence", "position", "word")] for row in rows] == [row[:4] for row in cells]
f32 = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
assert [[f32(x) for x in row["vector"]] for row in rows] == [[f32(float(x)) for x in row[4:]] for row in cells]
raw = open("npy", "rb").read()
assert b"'descr': '<f8'" in raw and b"'shape': (16, 5)" in raw
numbers = [x for row in rows for x in row["vector"]]
assert raw[-8 * len(numbers):] == struct.pack(f"<{len(numbers)}d", *numbers)
END

# ---- The numbers: those that explain computes in double precision, and the embeddings of the file

for model in post pre deep none; do
    for site in encoder decoder; do
        "$softalign" annotations $model/best.safetensors pairs.tsv --site $site --format jsonl >$model.$site || fail "$model, $site"
    done
done
for model in post pre; do
    for site in encoder decoder cross; do
        for layer in 1 2; do
            "$softalign" explain $model/best.safetensors "a king finds the king." "un roi" --site $site --layer $layer --json >$model.$site.$layer.json
        done
    done
done
for model in deep none; do
    "$softalign" explain $model/best.safetensors "a king finds the king." "un roi" --all --json >$model.json
done
python3 - <<'END' || fail "the vectors are not those of explain"
import json, struct
def vectors(model, site, layer):
    rows = [json.loads(line) for line in open(f"{model}.{site}")]
    return [row["vector"] for row in rows if row["layer"] == layer and row["sentence"] == 1]
def same(a, b):
    assert len(a) == len(b) and all(len(x) == len(y) for x, y in zip(a, b)), (a, b)
    assert max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s)) < 1e-12, (a, b)
for model in "post", "pre":
    page = lambda site, layer: json.load(open(f"{model}.{site}.{layer}.json"))
    for site in "encoder", "decoder":
        same(vectors(model, site, 0), page(site, 1)["x"])
        same(vectors(model, site, 1), page(site, 2)["x"])
    same(vectors(model, "encoder", 2), page("cross", 1)["h"])
same([vectors("post", "decoder", 2)[0]], [json.load(open("post.cross.2.json"))["z"]])
for model, last in ("deep", 2), ("none", 0):
    page = json.load(open(model + ".json"))
    same(vectors(model, "encoder", last), page["h"])
    assert not vectors(model, "encoder", last + 1)
    same(vectors(model, "decoder", 0), [step["x"] for step in page["steps"]])
    same(vectors(model, "decoder", 1), [step["s"] for step in page["steps"]])
same(vectors("deep", "decoder", 2), [step["s^2"] for step in json.load(open("deep.json"))["steps"]])
raw = open("deep/best.safetensors", "rb").read()
size = struct.unpack("<Q", raw[:8])[0]
head = json.loads(raw[8:8 + size])
first, last = (8 + size + at for at in head["source.E"]["data_offsets"])
E = struct.unpack(f"<{(last - first) // 4}f", raw[first:last])
first, last = (8 + size + at for at in head["source.words"]["data_offsets"])
ids = {word: i + 3 for i, word in enumerate(raw[first:last].decode().split("\n"))}  # after the special tokens
words = "a king finds the king .".split() + ["</s>"]
same(vectors("deep", "encoder", 0)[:-1], [E[5 * ids[word]:5 * ids[word] + 5] for word in words[:-1]])
END

# ---- Neighbors

printf 'the king finds the horse\t-\na king\t-\nthe horse finds the king\t-\nking king\t-\n' >kings.tsv
expect 0 "" annotations $post kings.tsv --nearest king --count 10
cp out nearest
"$softalign" annotations $post kings.tsv --format jsonl | sort -s -t , -k 1,1 >all
python3 - <<'END' || fail "these are not the nearest: $(cat nearest)"
import json
from math import sqrt
rows = [row for row in map(json.loads, open("all")) if row["word"] == "king"]
shown = [line.split("  ") for line in open("nearest").read().splitlines()]
assert len(rows) == len(shown) == 15
for row, line in zip(rows, shown):
    own = [other for other in rows if other["layer"] == row["layer"]]
    mean = [sum(x) / len(own) for x in zip(*(other["vector"] for other in own))]
    less = lambda one: [x - m for x, m in zip(one["vector"], mean)]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    cosine = lambda a, b: dot(a, b) / sqrt(dot(a, a) * dot(b, b))
    found = [(cosine(less(row), less(other)), f"{other['sentence']}:{other['position']}") for other in own if other is not row]
    assert line[:2] == [f"layer {row['layer']}", f"{row['sentence']}:{row['position']}"], line
    assert line[-1] == open("kings.tsv").read().splitlines()[row["sentence"] - 1].split("\t")[0]
    for (value, place), text in zip(sorted(found, reverse=True), line[2:-1], strict=True):
        at, printed = text.split()
        assert abs(float(printed) - value) <= 0.0051, (line, found)
        assert at == place or any(abs(value - other) < 1e-6 and at == there for other, there in found), (line, found)
END
expect 0 "" annotations $post kings.tsv --nearest king
same "neighbors, if nobody says how many" "3" "$(head -n 1 out | grep -oE ' -?[01]\.[0-9]{2}' | wc -l)"
expect 0 "" annotations $post kings.tsv --nearest king --layer 2 --count 10
same "one layer" "$(grep '^layer 2' nearest)" "$(cat out)"
expect 0 "" annotations none/best.safetensors kings.tsv --nearest king
same "without positions one word has one vector" "layer 0  2:2  a king" "$(sed -n 2p out)"

# ---- What cannot be

expect 2 "--layer 3: the model has 2" annotations $post pairs.tsv --layer 3
expect 2 "--site 'cross': expected encoder or decoder" annotations $post pairs.tsv --site cross
expect 2 "--format excludes --nearest and --html" annotations $post kings.tsv --nearest king --format npy
expect 3 "--nearest: 'queen' occurs nowhere" annotations $post kings.tsv --nearest queen
expect 3 "--nearest: 'a' occurs once" annotations $post kings.tsv --nearest a
expect 7 "kings.tsv:1: the source has 5 tokens, more than --max-len 4" annotations $post kings.tsv --max-len 4
expect 4 "cannot open 'none.tsv': No such file or directory" annotations $post none.tsv
expect 2 "an argument is missing: softalign annotations MODEL PAIRS" annotations $post
finish
