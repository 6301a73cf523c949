# What a training begins with: vectors of words from a file, which may be frozen, and another model.
. tests/support/cli.sh
need python3
"$softalign" corpus reorder --pairs 100 | cut -f 1,2 >pairs.tsv
# A sign that clings otherwise has a mark, and the vector of the sign.
printf 'a b , c .\tle ,roi , la reine\nd , e\tla ,reine .\n' >>pairs.tsv
small="--embed 6 --hidden 6 --attn 4 --maxout 6 --patience 0 --max-time 0"
options="--train pairs.tsv $small --steps 12 --valid-every 5"

# tensors MODEL: what a safetensors file holds, without this program.
cat >file.py <<'END'
import json, struct

def tensors(path):
    data = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    header.pop("__metadata__")
    at = {name: [start + k for k in tensor["data_offsets"]] for name, tensor in header.items()}
    return {name: data[begin:end] for name, (begin, end) in at.items()}

def words(file, side):
    return file[side + ".words"].decode().split("\n")[:-1]
END
# rows MODEL SIDE VECTORS: how many words have the vector of the file, and how many have a mark besides.
cat >rows.py <<'END'
import file, struct, sys
model, side, path = sys.argv[1:]
vectors = {}
for line in open(path, encoding="utf-8"):
    cells = line.split()
    if len(cells) >= 7:
        vectors.setdefault(" ".join(cells[:-6]), struct.pack("<6f", *map(float, cells[-6:])))
read = file.tensors(model)
table = read.get(side + ".E", read["target.E"])
found = marked = 0
for i, word in enumerate(file.words(read, side)):
    plain = word.strip("▁￭")
    same = table[24 * (3 + i):24 * (4 + i)] == vectors.get(plain)
    assert same == (plain in vectors), word
    found += same
    marked += same and plain != word
print(found, marked)
END
# prefixes OLD NEW: every tensor of OLD begins the one of NEW, and so do the words.
cat >prefixes.py <<'END'
import file, sys
old, new = map(file.tensors, sys.argv[1:])
for name, data in old.items():
    if not name.startswith(("training.", "optimizer.")) and name != "checksum":
        assert new[name].startswith(data), name
print(*(len(file.words(new, side)) - len(file.words(old, side)) for side in ("source", "target")))
END

# ---- Vectors of words

python3 - <<'END'
import random
random.seed(1)
vector = lambda: ["%.6g" % random.gauss(0, 1) for _ in range(6)]
words = "the wise a rich king . , zebra new@@ la le reine ▁ finds".split()
rows = [[word] + vector() for word in words + ["the", "new york", "0.5"]]
with open("word2vec.vec", "w") as file:
    file.write("%d 6\n" % len(rows) + "".join(" ".join(row) + " \n" for row in rows))
with open("glove.txt", "w") as file:
    file.write("".join(" ".join(row) + "\n" for row in rows))
END
gzip -k glove.txt
for vectors in word2vec.vec glove.txt.gz; do
    "$softalign" train $options --out one --overwrite --source-embeddings $vectors --target-embeddings glove.txt \
        --freeze-embeddings both --weight-decay 0.1 2>err || fail "$vectors: $(cat err)"
    same "what is found in $vectors" \
        "source embeddings: 9 of 58 words found in '$vectors'; frozen
target embeddings: 7 of 58 words found in 'glove.txt'; frozen" "$(grep embeddings: err)"
    same "the source's rows of $vectors" "9 1" "$(python3 rows.py one/last.safetensors source glove.txt)"
    same "the target's rows" "7 2" "$(python3 rows.py one/last.safetensors target glove.txt)"
done
for kind in "--model decoder --heads 2" "--tokenizer bpe --bpe-merges 90 --tie two-way" \
    "--tokenizer char --optimizer sgd"; do
    "$softalign" train $options $kind --out one --overwrite --target-embeddings glove.txt \
        --freeze-embeddings target 2>err || fail "$kind: $(cat err)"
    found=$(sed -n 's/^target embeddings: \([0-9]*\) of .*/\1/p' err)
    same "$kind" "$found" "$(python3 rows.py one/last.safetensors target glove.txt | cut -d ' ' -f 1)"
    [ "$found" -ge 3 ] || fail "$kind: $found words are found"
done
"$softalign" train $options --out free --source-embeddings glove.txt 2>err
grep -q "in 'glove.txt'$" err || fail "not frozen: $(cat err)"
python3 rows.py free/last.safetensors source glove.txt >out 2>&1 && fail "embeddings that are not frozen stay"

# Resuming needs no file, and goes on freezing.
frozen="--freeze-embeddings source"
"$softalign" train $options --out whole --source-embeddings glove.txt $frozen 2>err
"$softalign" train ${options/--steps 12/--steps 5} --out parts --source-embeddings glove.txt $frozen 2>err
mv glove.txt moved.txt
"$softalign" train --train pairs.tsv --out parts --resume --steps 9 --patience 0 2>err || fail "resume: $(cat err)"
"$softalign" train $options --out parts --resume --source-embeddings glove.txt $frozen 2>err || fail "resume: $(cat err)"
cmp whole/last.safetensors parts/last.safetensors || fail "a resumed training ends elsewhere"
expect 2 "--freeze-embeddings: 'parts/last.safetensors' was trained with --freeze-embeddings source, which resuming cannot change" \
    train $options --out parts --resume --freeze-embeddings none

printf 'the 1 2 3 4 5 6\na 1 2 3 nan 5 6\n' >odd.vec
expect 3 "odd.vec:2: expected a word and 6 finite numbers (--embed); there are 2 after 'nan'" \
    train $options --out none --source-embeddings odd.vec
printf 'zebra 1 2 3 4 5 6\n' >odd.vec
expect 3 "odd.vec: none of the target words is in it" train $options --out none --target-embeddings odd.vec
expect 4 "cannot open 'glove.txt': No such file or directory" train $options --out none --target-embeddings glove.txt

# ---- Another model

head -n 60 pairs.tsv >few.tsv
printf 'the zebra sleeps .\tle zèbre dort .\n' >new.tsv
head -n 20 pairs.tsv | cut -f 1 >lines
for kind in "--model transformer --tie three-way --positions learned" "--tokenizer bpe --bpe-merges 60" "--tie two-way"; do
    "$softalign" train --train few.tsv --out first --overwrite $small $kind --steps 40 2>err || fail "$kind: $(cat err)"
    "$softalign" train --train few.tsv --out second --overwrite --init-from first/best.safetensors --max-time 1e-9 2>err ||
        fail "$kind: $(cat err)"
    "$softalign" translate first/best.safetensors lines >expected 2>err
    "$softalign" translate second/last.safetensors lines >out 2>err
    cmp -s expected out || fail "a model that is not trained further translates otherwise: $kind"
    cat few.tsv new.tsv >more.tsv
    "$softalign" train --train more.tsv --out second --overwrite --init-from first/last.safetensors --max-time 1e-9 2>err
    read -r source target <<<"$(python3 prefixes.py first/last.safetensors second/last.safetensors)"
    [ "${source:-0}" -gt 0 ] || fail "no words are appended: $kind"
    grep -q "^weights of 'first/last.safetensors': all [0-9]* are kept; $source source and $target target words are new" err ||
        fail "$kind: $(cat err)"
    "$softalign" train --train more.tsv --out second --overwrite --init-from first/last.safetensors --vocab 1 --steps 3 2>err ||
        fail "$kind: $(cat err)"
    grep -q "; 0 source and 0 target words are new, with 0 weights" err || fail "--vocab 1: $(cat err)"
done
expect 2 "--hidden: 'first/last.safetensors' was trained with --hidden 6, which --init-from cannot change" \
    train --train few.tsv --out none --init-from first/last.safetensors --hidden 7
expect 2 "--tokenizer: 'first/last.safetensors' was trained with --tokenizer word, which --init-from cannot change" \
    train --train few.tsv --out none --init-from first/last.safetensors --tokenizer char
expect 2 "--init-from brings embeddings: --source-embeddings and --target-embeddings are for random weights" \
    train --train few.tsv --out none --init-from first/last.safetensors --source-embeddings moved.txt
expect 3 "pairs.tsv: not a safetensors file but text" train --train few.tsv --out none --init-from pairs.tsv
"$softalign" train --train few.tsv --out places --encoder none --positions learned $small --steps 2 2>err
expect 2 "--max-len 60: 'places/last.safetensors' has weights for the positions of its 50 tokens" \
    train --train few.tsv --out none --init-from places/last.safetensors --max-len 60

# It goes on as any training does: with frozen embeddings, and resumed.
"$softalign" train --train few.tsv --out third --init-from first/last.safetensors --freeze-embeddings both --steps 9 2>err
"$softalign" train --train few.tsv --out half --init-from first/last.safetensors --freeze-embeddings both --steps 4 2>err
"$softalign" train --train few.tsv --out half --init-from first/last.safetensors --freeze-embeddings both --steps 9 --resume 2>err
cmp third/last.safetensors half/last.safetensors || fail "a resumed training ends elsewhere"
cmp -s first/last.safetensors third/last.safetensors && fail "nothing is learned"

# A model of an earlier program, and its tokens.
old=$root/tests/golden/early-words.safetensors
"$softalign" train --train few.tsv --out early --init-from "$old" --vocab 1 --max-time 1e-9 2>err || fail "an earlier model: $(cat err)"
"$softalign" translate "$old" lines >expected 2>err
"$softalign" translate early/last.safetensors lines >out 2>err
cmp -s expected out || fail "an earlier model translates otherwise"

finish
