# Models of sub-words: raw text in, raw text out, the merges in the model file; links between words.
. tests/support/cli.sh
small="--embed 8 --hidden 8 --attn 4 --maxout 4 --tokenizer bpe"

train() {
    "$softalign" train "$@" 2>err || fail "train $*: $(cat err)"
}

"$softalign" corpus phrases --pairs 400 >phrases.tsv
train --train phrases.tsv --out joint $small --bpe-merges 150 --steps 20
grep -qx 'sub-words: 150 source and 150 target merges (joint)' err || fail "no word of the merges"
train --train phrases.tsv --out alone $small --bpe-merges 150 --steps 20 --bpe separate

# The file holds the merges that 'bpe learn' finds in the words.
"$softalign" inspect joint/best.safetensors --json >out
same "merges" "{'source.merges': 150, 'target.merges': 150}" \
    "$(python3 -c 'import json; print(json.load(open("out"))["merges"])')"
"$softalign" inspect joint/best.safetensors | grep -qx '  target.merges: 150 merges' ||
    fail "inspect does not show the merges"
cat >tensor.py <<'END'
import json, sys
data = open(sys.argv[1], "rb").read()
size = 8 + int.from_bytes(data[:8], "little")
first, end = json.loads(data[8:size])[sys.argv[2]]["data_offsets"]
sys.stdout.buffer.write(data[size + first:size + end])
END
for side in source target; do
    python3 tensor.py joint/best.safetensors $side.merges >$side.joint
    python3 tensor.py alone/best.safetensors $side.merges >$side.alone
done
cmp -s source.joint target.joint || fail "joint merges differ"
cmp -s source.alone target.alone && fail "separate merges are the same"
same "lines" 151 "$(wc -l <source.alone)"
"$softalign" bpe apply --codes source.alone phrases.tsv >out 2>err || fail "$(cat err)"

# One vocabulary of sub-words for both sides.
train --train phrases.tsv --out shared --model transformer --tie three-way --tokenizer bpe \
    --bpe-merges 150 --lowercase --embed 8 --attn 8 --heads 2 --ffn 8 --layers 1 --steps 3
for side in source target; do
    python3 tensor.py shared/best.safetensors $side.words >$side.shared
done
cmp source.shared target.shared || fail "a shared vocabulary is not shared"
grep -qx 'the' target.shared && grep -qx 'la' source.shared ||
    fail "a shared vocabulary has not both sides' words"
LC_ALL=C.UTF-8 grep -q '[A-Z]' source.shared && fail "a shared vocabulary is not in lower case"
expect 0 "" translate shared/best.safetensors phrases.tsv --quiet

# The same bytes again, and after a stop.
train --train phrases.tsv --out again $small --bpe-merges 150 --shards 2 --steps 12
train --train phrases.tsv --out parts $small --bpe-merges 150 --shards 2 --steps 5
train --train phrases.tsv --out parts --steps 12 --resume
cmp again/last.safetensors parts/last.safetensors || fail "a resumed training ends elsewhere"

# Raw text in, raw text out.
cut -f 1 phrases.tsv | head -n 20 | "$softalign" translate joint/best.safetensors >out ||
    fail "translate"
same "lines out" 20 "$(wc -l <out)"
grep -q '@@' out && fail "sub-words are not joined"

# What 'align' reads of translations are the model's tokens, except in the lines that a note counts: there the model
# spelled a word in other subwords than the merges do. (Those that were cut are read with an end.)
train --train phrases.tsv --out spelled --embed 16 --hidden 16 --attn 8 --maxout 8 --tokenizer bpe --bpe-merges 150 \
    --min-freq 4 --steps 150
head -n 100 phrases.tsv | cut -f 1 >sources
"$softalign" translate spelled/best.safetensors sources --jsonl >written 2>err || fail "translate --jsonl: $(cat err)"
grep -q 'split into' err && fail "a note, although the tokens are there"
"$softalign" translate spelled/best.safetensors sources >texts 2>err || fail "translate: $(cat err)"
paste sources texts >translated.tsv
"$softalign" align spelled/best.safetensors translated.tsv --jsonl read 2>err.align || fail "align: $(cat err.align)"
python3 - <<'END' || fail "translations that are read again: $(cat err)"
import json, re
note = re.search(r"split into other tokens than the model wrote: (\d+), the first in line (\d+)", open("err").read())
other, same = [], 0
for number, (one, again) in enumerate(zip(open("written"), open("read")), 1):
    one, again = json.loads(one)["translations"][0], json.loads(again)
    if one["complete"] and one["tokens"] != again["target"]:
        other.append(number)
    elif one["complete"]:
        same += 1
        assert abs(one["log_probability"] - again["log_probability"]) < 1e-3, (one, again)
assert same > 10 and other and note and [int(n) for n in note.groups()] == [len(other), other[0]], (same, other, note)
END

# A link goes from word to word: made to look at each word's one link, a model makes no error,
# and the links of 'align' are those that 'eval' counts.
"$softalign" corpus reverse --pairs 200 >reverse.tsv
train --train reverse.tsv --out reverse $small --steps 20 --bpe-merges 3
"$softalign" align reverse/best.safetensors reverse.tsv --jsonl tokens --limit 20
grep -q '@@' tokens || fail "the test needs words of several subwords"
"$softalign" eval reverse/best.safetensors reverse.tsv --force-attention gold --json >out
same "AER of the gold links" 0.0 "$(python3 -c 'import json; print(json.load(open("out"))["aer"])')"
"$softalign" align reverse/best.safetensors reverse.tsv --force-attention gold --pharaoh links
diff -q <(cut -f 3 reverse.tsv | tr ' ' '\n' | sort) <(tr ' ' '\n' <links | sort) >/dev/null ||
    fail "gold links do not come back"
"$softalign" align joint/best.safetensors phrases.tsv --pharaoh links --csv pieces --limit 3
"$softalign" align joint/best.safetensors phrases.tsv --pharaoh links.words
cut -f 3 phrases.tsv >gold
same "AER of align's links" \
    "$("$softalign" eval joint/best.safetensors phrases.tsv --json |
        python3 -c 'import json, sys; print("%.6f" % json.load(sys.stdin)["aer"])')" \
    "$("$softalign" score links.words gold --alignments --json |
        python3 -c 'import json, sys; print("%.6f" % json.load(sys.stdin)["aer"])')"
cmp -s <(head -n 3 links.words) links || fail "links depend on what else is written"

# Weights per sub-word, or per word.
"$softalign" align joint/best.safetensors phrases.tsv --csv words --limit 3 --merge-words
"$softalign" align joint/best.safetensors phrases.tsv --jsonl whole --limit 40 --merge-words
"$softalign" align joint/best.safetensors phrases.tsv --jsonl parts.jsonl --limit 40
python3 - <<'END' || fail "merged weights"
import json
for one, all in zip(open("whole"), open("parts.jsonl")):
    one, all = json.loads(one), json.loads(all)
    for side in "source", "target":
        assert "".join(t.removesuffix("@@") + ("" if t.endswith("@@") else " ") for t in all[side]) \
            == "".join(t + " " for t in one[side])
    def words(tokens):
        number, list = 0, []
        for token in tokens:
            list.append(number)
            number += not token.endswith("@@")
        return list
    rows, columns = words(all["target"]), words(all["source"])
    for i, row in enumerate(one["weights"]):
        for j, weight in enumerate(row):
            sum_ = sum(all["weights"][t][s] for t in range(len(rows)) for s in range(len(columns))
                       if rows[t] == i and columns[s] == j)
            assert abs(weight - sum_ / rows.count(i)) < 1e-12
END
head -n 1 pieces/0001.csv | grep -q '@@' || fail "no subwords in the heatmap"
head -n 1 words/0001.csv | grep -q '@@' && fail "sub-words in a merged heatmap"
"$softalign" align joint/best.safetensors phrases.tsv --limit 3 --site cross --html pieces.html
"$softalign" align joint/best.safetensors phrases.tsv --limit 3 --merge-words --html words.html
grep -q '@@' pieces.html || fail "no subwords in the page"
grep -q '@@' words.html && fail "sub-words in a merged page"

# Glossaries stay whole, as 'bpe apply' leaves them, in the model, in what begins from it, and when it is resumed.
given="${small%bpe}space-bpe --bpe-merges 60"
printf 'the farmers help farmerx\n' >unseen
train --train phrases.tsv --out kept $given --steps 2 --glossaries 'farm elp'
cut -f 1,2 phrases.tsv | tr '\t' '\n' >both
"$softalign" bpe learn --merges 60 both >codes 2>err || fail "bpe learn: $(cat err)"
"$softalign" bpe apply --codes codes --glossaries 'farm elp' unseen >applied || fail "bpe apply"
grep -q 'h@@ elp' applied && grep -q 'farm@@ ' applied || fail "no glossary is cut out: $(cat applied)"
tokens() { # MODEL
    "$softalign" translate "$1" --jsonl --quiet <unseen | python3 -c 'import json, sys; print(*json.load(sys.stdin)["source"][:-1])'
}
same "glossaries in training" "$(cat applied)" "$(tokens kept/best.safetensors)"
train --train phrases.tsv --out kept $given --steps 3 --glossaries 'farm elp' --resume
train --train phrases.tsv --out after --init-from kept/best.safetensors --steps 1
same "glossaries after --init-from" "$(cat applied)" "$(tokens after/best.safetensors)"
"$softalign" average kept/best.safetensors kept/last.safetensors --out mean.safetensors 2>err || fail "average: $(cat err)"
same "glossaries of an average" "$(cat applied)" "$(tokens mean.safetensors)"
train --train phrases.tsv --out lower $small --bpe-merges 20 --steps 1 --glossaries FARM --lowercase
same "glossaries in lower case" "farm" "$(echo Farm | "$softalign" translate lower/best.safetensors --jsonl --quiet |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["source"][0])')"
expect 2 "--glossaries: the model has farm elp" train --train phrases.tsv $given --steps 3 --out kept --resume --glossaries farm
"$softalign" train --train phrases.tsv $given --out none --init-from kept/best.safetensors --glossaries farm 2>err
same "other glossaries than --init-from" "2 softalign: --glossaries: the model has farm elp" "$? $(tail -n 1 err)"
expect 2 "--glossaries: the model has none (they are for subwords)" \
    train --train phrases.tsv --out words --steps 1 --glossaries farm

# What is said, and what is refused.
expect 2 "--bpe-merges '0': expected a whole number from 1 to 1000000" train --bpe-merges 0
expect 2 "train: unknown option '--bpe-dropout' (did you mean '--dropout'?)" train --train phrases.tsv --out none --bpe-dropout 0.1
cat >without.py <<'END'
# The model without one tensor, or with other bytes in it of the same number.
import json, sys, zlib
data = open(sys.argv[1], "rb").read()
size = 8 + int.from_bytes(data[:8], "little")
header, body = json.loads(data[8:size]), bytearray(data[size:])
first, end = header["source.merges"]["data_offsets"]
if sys.argv[2] == "rename":
    header = {"source.mergez" if k == "source.merges" else k: v for k, v in header.items()}
else:
    body[first:end] = body[first:end].replace(*[x.encode() for x in sys.argv[2:4]], 1)
text = json.dumps(header, ensure_ascii=False).encode()
text += b" " * (-len(text) % 8)
out = len(text).to_bytes(8, "little") + text + body[:-4]
sys.stdout.buffer.write(out + zlib.crc32(out).to_bytes(4, "little"))
END
python3 without.py joint/best.safetensors rename >none.safetensors
expect 3 "none.safetensors: tensor 'source.merges' is missing" translate none.safetensors
python3 without.py joint/best.safetensors '#version: 0.2' '#version: 0.9' >version.safetensors
expect 3 "version.safetensors: tensor 'source.merges':1: expected '#version: 0.2', the first line of merges" \
    translate version.safetensors

finish
