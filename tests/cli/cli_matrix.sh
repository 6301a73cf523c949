# align --matrix: weights that another program has computed, without a model and pairs.
. tests/support/cli.sh

printf ',the,cat,sleeps,</s>\nle,.7,.1,.2,0\nchat,.1,.8,.1,0\ndort,0,.25,.75,0\n</s>,0,0,.5,.5\n' >own.csv
"$softalign" align --matrix own.csv --csv csv --npy npy --svg svg --tidy tidy --jsonl json --html page.html \
    --pharaoh links 2>err || fail "$(cat err)"
! grep -q '^note' err || fail "$(cat err)"
same "the heatmap that is written" "$(sed 's/\([,-]\)\./\10./g' own.csv)" "$(cat csv/0001.csv)"
same "the links" "0-0 1-1 2-2" "$(cat links)"
same "the rows of the long table" 16 "$(grep -c '^1,' tidy)"
grep -q '"log_probability":null,"weights":\[\[0.69999' json || fail "JSON: $(cat json)"
same "the words of the picture" "the cat sleeps &lt;/s&gt; le chat dort &lt;/s&gt; source target weight" \
    "$(sed -n 's/.*font-size="14".*>\([^0-9].*\)<\/text>/\1/p' svg/0001.svg | xargs)"
same "numbers of the picture" "0.10 0.10 0.10 0.20 0.25 0.50 0.50 0.70 0.75 0.80" \
    "$(grep -o '>0\.[0-9][0-9]<' svg/0001.svg | tr -d '<>' | sort | xargs)"
"$softalign" align --matrix csv/0001.csv --csv again 2>/dev/null
cmp csv/0001.csv again/0001.csv || fail "a heatmap is not read as it was written"
echo '0-0 1-1 2-1' >gold
same "AER of the links" "0.333333" "$("$softalign" score links gold --alignments --json | sed -n 's/.*"aer": \([0-9.]\{8\}\).*/\1/p')"
if "$softalign" align --matrix own.csv --pdf pdf 2>/dev/null; then
    same "magic of PDF" "%PDF-1" "$(head -c 6 pdf/0001.pdf)"
fi

# Words that are no </s> take part in links; a file may come from a pipe; words repeat, and may be numbers.
printf ',7,[SEP]\n7,0.9,0.1\n[SEP],0,1\n' >hf.csv
"$softalign" align --matrix - --pharaoh - <hf.csv >out 2>err || fail "$(cat err)"
same "links of a pipe" "0-0 1-1" "$(cat out)"
same "the statistics" "entropy 0.1625 (of the heads 0.2345 of the largest possible), weights of 0: 25.00 %" "$(cat err)"
# Where there is nothing to divide by, there is no figure.
printf '{"weights":[[0,0],[0,0]],"gold":"0-0"}\n' | "$softalign" align --matrix - --pharaoh links 2>err || fail "$(cat err)"
grep -q '^weights: AER 1.0000, precision -, recall 0.0000$' err || fail "without links: $(cat err)"
printf '{"weights":[[1],[1]]}\n' | "$softalign" align --matrix - --pharaoh links 2>err || fail "$(cat err)"
grep -q '^entropy 0.0000 (of the heads - of the largest possible)' err || fail "of a single word: $(cat err)"
printf '1,0\n.5,.5\n' | "$softalign" align --matrix - --csv places --pharaoh links 2>err || fail "$(cat err)"
same "positions for words" ",0,1 0,1,0 1,0.5,0.5" "$(xargs <places/0001.csv)"
same "links without end marks" "0-0 0-1" "$(cat links)"

# NumPy arrays: of one head as --npy writes them, of layers and heads as --all-heads does, and of 32 bits.
"$softalign" align --matrix npy/0001.npy --source " the cat  sleeps </s>" --target "le chat dort </s>" --csv of-npy 2>/dev/null
cmp csv/0001.csv of-npy/0001.csv || fail "an array is not read as it was written"
f4() { # HEADER NUMBERS: as bytes
    printf '\223NUMPY\001\000v\000%-117s\n' "$1"
    for x in $2; do
        case $x in
        0) printf '\0\0\0\0' ;;
        .5) printf '\0\0\0\077' ;;
        1) printf '\0\0\200\077' ;;
        nan) printf '\0\0\300\177' ;;
        esac
    done
}
shape="{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 1, 2), }"
f4 "$shape" "1 0 .5 .5 0 1 1 0" >two.npy
"$softalign" align --matrix two.npy --source "a b" --target x --jsonl two.jsonl --all-heads all 2>/dev/null
grep -q '"weights":\[\[0.625,0.375\]\].*"heads":\[\[\[0.5,0.5\]\],\[\[0.75,0.25\]\]\]' two.jsonl || fail "the means: $(cat two.jsonl)"
same "layers and heads" "$(f4 "$shape" "" | tr -d ' \0' | tail -c 60 | grep -o '(.*)' | tr -d ' ')" \
    "$(head -c 128 all/0001.npy | grep -ao '(.*)' | tr -d ' ')"
"$softalign" align --matrix two.npy --layer 2 --head 1 --source "a b" --csv layer 2>/dev/null
same "a head of a layer" ",a,b 0,0.0,1.0" "$(sed 's/,\([01]\),\([01]\)$/,\1.0,\2.0/' layer/0001.csv | xargs)"
expect 2 "--layer 3: two.npy:1 has 2 layers" align --matrix two.npy --layer 3
expect 2 "--layer 2: own.csv:1 has 1 layer" align --matrix own.csv --layer 2

# Arrays of every type and order are the same weights; archives have them by name; axes of one element are left out.
python3 - <<'END' || fail "python3"
import json, struct, zipfile
def save(name, kind, code, numbers, shape="(2, 1, 2, 3)", fortran=False):
    header = str({"descr": kind, "fortran_order": fortran, "shape": eval(shape)}).ljust(117) + "\n"
    with open(name, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(code % len(numbers), *numbers))
whole = [1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0]
weights = [x / 4 for x in (1, 1, 2, 4, 0, 0, 0, 3, 1, 2, 2, 0)]
order = [6 * l + 3 * t + s for s in range(3) for t in range(2) for l in range(2)]
for name, kind, code in (("f8", "<f8", "<%dd"), ("f4", "<f4", "<%df"), ("f2", "<f2", "<%de"), ("be8", ">f8", ">%dd"), ("be2", ">f2", ">%de")):
    save(name + ".npy", kind, code, weights)
    save(name + ".fortran.npy", kind, code, [weights[i] for i in order], fortran=True)
for name, kind, code in (("b1", "|b1", "%db"), ("u1", "|u1", "%dB"), ("i2", ">i2", ">%dh"), ("i8", "<i8", "<%dq"), ("u4", "<u4", "<%dI")):
    save(name + ".npy", kind, code, whole)
save("axes.npy", "<f8", "<%dd", weights, "(2, 1, 1, 2, 3)")
save("negative.npy", "<i2", "<%dh", [-3, 2], "(1, 2)")
save("small.npy", "<f2", "<2e%.0s", [2 ** -24, 1], "(1, 2)")
save("complex.npy", "<c8", "<%df", whole, "(2, 3)")
save("five.npy", "<f8", "<%dd", [1] * 32, "(2, 2, 2, 2, 2)")
for name, method, arrays in (("one.npz", 0, ["f8"]), ("two.npz", 8, ["f8", "u1"])):
    with zipfile.ZipFile(name, "w", method) as archive:
        for array in arrays:
            with archive.open(array + ".npy", "w", force_zip64=True) as file:
                file.write(open(array + ".npy", "rb").read())
def save_tensors(name, tensors, around=(0, 0)):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for key, (kind, code, numbers, shape) in tensors.items():
        begin, data = len(data), data + struct.pack(code % len(numbers), *numbers)
        header[key] = {"dtype": kind, "shape": shape, "data_offsets": [begin + around[0], len(data) + around[1]]}
    text = json.dumps(header).encode()
    with open(name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
shape = [2, 1, 2, 3]
brain = [struct.unpack("<I", struct.pack("<f", x))[0] >> 16 for x in weights]
kinds = {"half": ("F16", "<%de", weights, shape), "brain": ("BF16", "<%dH", brain, shape), "single": ("F32", "<%df", weights, shape),
         "double": ("F64", "<%dd", weights, shape), "bool": ("BOOL", "<%d?", whole, shape), "long": ("I64", "<%dq", whole, shape),
         "tiny": ("U8", "<%dB", whole, shape)}
save_tensors("tensors.safetensors", kinds)
save_tensors("alone.safetensors", {"cross.0": kinds["brain"]})
save_tensors("odd.safetensors", {"f8": ("F8_E5M2", "<%dB", whole, shape), "flat": ("F32", "<%df", weights, [12])})
save_tensors("beyond.safetensors", {"w": kinds["half"]}, (0, 1))
save_tensors("before.safetensors", {"w": kinds["half"]}, (-1, 0))
save_tensors("short.safetensors", {"w": ("F32", "<%df", weights, [2, 6])}, (4, 0))
with zipfile.ZipFile("weights.pt", "w") as archive:
    archive.writestr("archive/data.pkl", b"")
    archive.writestr("archive/data/0", b"")
END
for file in f8.fortran.npy f4.npy f4.fortran.npy f2.npy f2.fortran.npy be8.npy be8.fortran.npy be2.npy be2.fortran.npy axes.npy \
    one.npz two.npz:f8 two.npz:f8.npy alone.safetensors tensors.safetensors:{half,brain,single,double}; do
    cmp <("$softalign" align --matrix f8.npy --all-heads a --jsonl - 2>/dev/null) <("$softalign" align --matrix $file --all-heads b --jsonl - 2>err) ||
        fail "$file: $(cat err)"
    cmp a/0001.npy b/0001.npy || fail "heads of $file"
    [[ $file != axes.npy ]] || grep -q '^note: axes.npy:1: 1 of 5 axes have one element and are left out$' err || fail "$(cat err)"
done
for file in u1.npy i2.npy i8.npy u4.npy two.npz:u1 tensors.safetensors:{bool,long,tiny}; do
    cmp <("$softalign" align --matrix b1.npy --jsonl - 2>/dev/null) <("$softalign" align --matrix $file --jsonl - 2>err) || fail "$file: $(cat err)"
done
grep -q '"weights":\[\[0.5,0.0,0.5\],\[0.5,0.5,0.0\]\]' <("$softalign" align --matrix b1.npy --jsonl - 2>err) || fail "bool"
grep -q '"weights":\[\[-3.0,2.0\]\]' <("$softalign" align --matrix negative.npy --jsonl - 2>err) || fail "negative"
same "a subnormal of 16 bits" ",0,1 0,5.9604645e-08,1" "$("$softalign" align --matrix small.npy --csv small 2>err; xargs <small/0001.csv)"
expect 3 "two.npz: which file of the archive? (FILE:NAME); it has: f8.npy, u1.npy" align --matrix two.npz
expect 3 "two.npz: the archive has no such file; it has: f8.npy, u1.npy" align --matrix two.npz:f
head -c 300 one.npz >cut.npz
expect 3 "cut.npz: the archive is broken; it has: nothing" align --matrix cut.npz
sed 's/NUMPY/numpy/' one.npz >changed.npz
expect 3 "changed.npz: the archive is broken, or packed in an unusual way" align --matrix changed.npz
expect 3 "tensors.safetensors: which tensor? (FILE:NAME); it has 7, such as 'half'" align --matrix tensors.safetensors
expect 3 "tensors.safetensors: there is no such tensor; it has 7, such as 'half'" align --matrix tensors.safetensors:quarter
for tensors in odd.safetensors:f8 beyond.safetensors before.safetensors; do
    expect 3 "${tensors%:*}: expected a tensor of real numbers" align --matrix $tensors
done
expect 3 "short.safetensors: 44 bytes of numbers, its shape needs 48" align --matrix short.safetensors
expect 3 "odd.safetensors: an array of 1 axes; expected [layer, head, target, source], [head, target, source] or [target, source]\
 (others: one element)" align --matrix odd.safetensors:flat
expect 3 "weights.pt: a file of PyTorch's; save its weights by numpy.save('weights.npy', torch.load('weights.pt').numpy())" \
    align --matrix weights.pt
expect 3 "complex.npy: its numbers are '<c8': save real ones, as by numpy.save(FILE, w.astype('float32'))" align --matrix complex.npy
expect 3 "five.npy: an array of 5 axes; expected [layer, head, target, source], [head, target, source] or [target, source] (others:\
 one element)" align --matrix five.npy

# Weights over the wrong axis, and scores, are noted; they have no entropy.
noted() { # NOTE, of the matrix on standard input
    "$softalign" align --matrix - --pharaoh links 2>err || fail "$(cat err)"
    same "the note" "$1" "$(grep -v '^wrote' err)"
}
printf '0.9,0.2\n0.1,0.8\n' | noted "note: standard input:1: row 1 does not sum to 1; the columns do: are the axes exchanged?"
printf '0.9,0.1\n2,-1\n' | noted "note: standard input:1: row 2 has negative numbers: weights are the softmax of scores"
printf '{"heads": [[[1, 0], [0, 1]], [[1, 3], [0, 1]]]}\n' | noted "note: standard input:1: row 1 does not sum to 1"
printf '{"weights": [[0, 0]], "gold": "0-0"}\n' | noted "note: standard input:1: row 1 does not sum to 1
weights: AER 1.0000, precision -, recall 0.0000"
printf '{"weights": [[true], [true]]}\n' | noted "entropy 0.0000 (of the heads - of the largest possible), weights of 0: 0.00 %"
printf '{"translations": [{"tokens": ["le", "</s>"], "weights": [[1, 0], [0, 1]]}], "source": ["the", "</s>"]}\n' |
    noted "entropy 0.0000 (of the heads 0.0000 of the largest possible), weights of 0: 50.00 %"
same "links of translate --jsonl" "0-0" "$(cat links)"
printf ',1,2\n3,0.5,0.5\n' >numbers.csv
"$softalign" align --matrix numbers.csv --csv numbers 2>err
cmp numbers.csv numbers/0001.csv || fail "a heatmap of words that are numbers"
printf '1,2\n3\n' >refused.csv
"$softalign" align --matrix refused.csv --csv refused --svg refused 2>err && fail "a bad table"
[ ! -e refused ] || fail "a refused matrix left a folder"

# JSON lines, as --jsonl writes them, and with gold links, which are drawn and scored.
"$softalign" align --matrix two.jsonl --jsonl - 2>/dev/null >again.jsonl
cmp two.jsonl again.jsonl || fail "JSON lines are not read as they were written: $(cat again.jsonl)"
cat >own.jsonl <<'END'
{"weights": [[0.9, 0.1], [0.2, 0.8]], "source": ["the", "cat"], "target": ["le", "chat"], "gold": "0-0 1-1"}
{"weights": [[0.9, 0.1, 0]], "source": ["a", "b", "</s>"], "target": ["x"], "gold": "1-0"}
END
"$softalign" align --matrix own.jsonl --svg golden --pharaoh links --html own.html 2>err || fail "$(cat err)"
same "links of all lines" "0-0 1-1 0-0" "$(xargs <links)"
grep -q '^weights: AER 0.3333, precision 0.6667, recall 0.6667$' err || fail "no AER: $(cat err)"
same "gold in the pictures, each with its key" "3 2" "$(grep -c 'stroke="#d55e00"' golden/0001.svg golden/0002.svg | cut -d: -f 2 | xargs)"
"$softalign" align --matrix own.jsonl --limit 1 --gold "0-0 0p1" --pharaoh - 2>err >out
same "the first" "0-0 1-1" "$(cat out)"
grep -q '^weights: AER 0.3333' err || fail "--gold: $(cat err)"
expect 2 "--source, --target and --gold need --matrix" align model pairs --gold 0-0
"$softalign" align --matrix hf.csv --site encoder --svg self 2>/dev/null
grep -q '>source, attended to<' self/0001.svg || fail "--site names no axis"

# Whatever a word is, picture and page hold it as text.
payload_pairs >pairs
grep '[<>&]' words | sed 's/"/""/g' >list
row=$(sed 's/.*/,0.25/' list | tr -d '\n')
{
    sed 's/.*/,"&"/' list | tr -d '\n'
    echo
    sed 's/.*/"&"'"$row/" list
} >bad.csv
"$softalign" align --matrix bad.csv --svg bad --html bad.html --jsonl bad.jsonl 2>err || fail "bad words: $(cat err)"
"$softalign" align --matrix bad.jsonl --title "$(grep -m 1 '[<]script' words)" --svg bad-json --html bad-json.html 2>err ||
    fail "bad words in JSON: $(cat err)"
cmp bad/0001.svg bad-json/0001.svg || fail "words of JSON are drawn otherwise"
same "tags of the page of JSON" "$(grep -o '<[a-z][a-z]*' bad.html | sort | uniq -c)" "$(grep -o '<[a-z][a-z]*' bad-json.html | sort | uniq -c)"
[ "$(grep -c . list)" -ge 20 ] || fail "few bad words: $(cat list)"
grep -E '<(script|img|!)|<[^>]*(href| on[a-z]+)=|</svg>.' bad/0001.svg && fail "alive"
same "scripts of the page" "$(grep -o '<script' page.html | wc -l)" "$(grep -o '<script' bad.html | wc -l)"
same "tags of the page" "$(grep -o '<[a-z][a-z]*' page.html | sort | uniq -c)" "$(grep -o '<[a-z][a-z]*' bad.html | sort | uniq -c)"

# What is no heatmap.
wrong() { # CODE MESSAGE, of the file `wrong`
    expect "$1" "$2" align --matrix wrong
}
printf ',a,b\nx,1\n' >wrong
wrong 3 "wrong:2: 2 cells, the rows above have 3"
printf ',a,b\nx,1,nan\n' >wrong
wrong 3 "wrong:2:3: 'nan' is not a finite number"
printf ',a,b\nx,1,\n' >wrong
wrong 3 "wrong:2:3: a number is missing"
expect 3 "own.csv:1: expected 4 source words" align --matrix own.csv --source "a b"
rows="wrong:2: expected \"weights\", rows of equally many numbers"
for line in '{"weights": [[1, 2], [3]]}' '{"weights": [1]}' '{"weights": []}' '{"weights": [["1"]]}' '{}'; do
    printf '{"weights": [[1]]}\n%s\n' "$line" >wrong
    wrong 3 "$rows"
done
printf '{"weights": [[1]]}\n{"weights": [[NaN]]}\n' >wrong
wrong 3 "wrong:2: JSON: expected a value at byte 14"
printf '{"weights": [[1]]}\n\n' >wrong
wrong 3 "wrong:2: JSON: expected a value at byte 0"
printf '{"weights": [[1]], "source": [1]}' >wrong
wrong 3 "wrong:1: expected 1 source words"
printf '{"weights": [[1]], "gold": "0-5"}' >wrong
expect 3 "wrong:1: link 0-5 is beyond the sentence (1 and 1 tokens)" align --matrix wrong --svg none
f4 "$shape" "1 0 nan .5 0 1 1 0" >wrong
wrong 3 "wrong: number 3 is not finite"
f4 "$shape" "1 0 .5" >wrong
wrong 3 "wrong: 12 bytes of numbers, its shape needs 32"
head -c 60 two.npy >wrong
wrong 3 "wrong: a NumPy array that is cut off"
: >wrong
wrong 3 "wrong: no numbers in it"
head -c 60 csv/0001.csv >wrong
wrong 3 "wrong:4: 1 cell, the rows above have 5"
printf ',a\n\xff,1\n' >wrong
"$softalign" align --matrix wrong 2>err && fail "bytes that are not UTF-8"
grep -q '^softalign: wrong:2: not UTF-8 at byte 1' err || fail "$(cat err)"
expect 4 "cannot open 'none.csv': No such file or directory" align --matrix none.csv
expect 4 "cannot open '.': Is a directory" align --matrix .
alone="--matrix excludes MODEL, PAIRS and their options"
expect 2 "$alone" align --matrix own.csv model pairs
for option in "--align-at input" "--force-attention uniform" "--max-len 9" "--threads 2" "--precision bf16" "--columns 1,2"; do
    expect 2 "$alone" align --matrix own.csv $option
done
expect 2 "--head 2: the model has 1" align --matrix own.csv --head 2
finish
