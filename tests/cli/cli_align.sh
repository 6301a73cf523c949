# align: the same weights in every form.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
printf 'a cat sees a dog.\tun chat voit un chien.\n"=1+1", he said\tdit-il\n' >pairs.tsv

"$softalign" align $model pairs.tsv --csv matrices --tidy tidy.csv --pharaoh links --terminal >picture ||
    fail "all outputs at once"
same "files" "0001.csv 0002.csv" "$(ls matrices | xargs)"
same "source words" ",a,cat,sees,a,dog,.,</s>" "$(head -n 1 matrices/0001.csv)"
same "target words" "un chat voit un chien . </s>" \
    "$(tail -n +2 matrices/0001.csv | cut -d , -f 1 | xargs)"
tail -n +2 matrices/0001.csv | awk -F , '{
    for (i = 2; i <= NF; i++) sum[NR] += $i
    if (NF != 8 || sum[NR] < 0.99999 || sum[NR] > 1.00001) exit 1
}' || fail "a row of the heatmap does not sum to 1"
head -n 1 matrices/0002.csv | grep -qF ",\"\"\"\",'=," || fail "quotes and formulas: $(cat matrices/0002.csv)"

# The long table has the same numbers, and the links their largest.
same "header of the long table" "sentence,head,t,target,s,source,weight,layer,id,gold,probability,target_unknown,source_unknown" \
    "$(head -n 1 tidy.csv)"
awk -F , '$1 == 1 { row = row (row == "" ? "" : " ") $7 } END { print row }' tidy.csv >long
tail -n +2 matrices/0001.csv | cut -d , -f 2- | tr ',\n' '  ' | sed 's/ $/\n/' | diff - long ||
    fail "the long table has other weights"
awk -F , '$1 == 1 && $4 != "</s>" && $6 != "</s>" && !($7 <= best[$3]) { best[$3] = $7; at[$3] = $5 }
    END { for (t = 0; t < 6; t++) printf "%s%d-%d", t ? " " : "", at[t], t; print "" }' tidy.csv |
    diff - <(head -n 1 links) || fail "the links are not the largest weights"
same "lines of links" 2 "$(wc -l <links)"
"$softalign" align $model pairs.tsv --limit 1 --pharaoh all --links threshold --threshold 0
same "links from 0 on" "$(echo {0..5}-{0..5} | tr ' ' '\n' | sort -t - -k 2n -k 1n | xargs)" "$(cat all)"

# For programs words stay as they are; --spreadsheet keeps them from being formulas.
grep -q '^2,1,0,dit-il,1,=,' tidy.csv || fail "no word as it is: $(cat tidy.csv)"
"$softalign" align $model pairs.tsv --tidy - --spreadsheet | grep -q "^2,1,0,dit-il,1,'=," ||
    fail "--spreadsheet"
expect 2 "--spreadsheet needs --csv or --tidy" align $model pairs.tsv --spreadsheet

# What the long table says of a pair: its own id or its line, gold links, how probable each target
# word is, and which words the model does not know.
printf '\t\n%s\ta cat sees a dog.\tun chat voit un chien.\t0-0 1p1\tp,1\na zork.\tun chat.\t\t \n' |
    sed 's/^\t\([^\t]\)/\1/' >told.tsv
"$softalign" align $model told.tsv --tidy told.csv --jsonl told.json || fail "--tidy with gold links"
same "ids" '"p,1" 3' "$(cut -d , -f 9- told.csv | sed -n '2,$s/\("p,1"\|^3\).*/\1/p' | uniq | xargs -d '\n')"
sed 's/"p,1"/p1/' told.csv >told.plain.csv
same "gold links" "2,0,0,1 2,1,1,0.5" "$(awk -F , 'NR > 1 && $10 != 0 { print $1 "," $3 "," $5 "," $10 }' told.plain.csv | xargs)"
same "unknown words" "0,0,cat 0,1,zork" \
    "$(awk -F , '$6 ~ /^(cat|zork)$/ && $3 == 0 { print $12 "," $13 "," $6 }' told.plain.csv | xargs)"
awk -F , 'NR > 1 && $5 == 0 { sum[$1] += log($11) } END { for (i = 2; i in sum; i++) printf "%.4f\n", sum[i] }' \
    told.plain.csv | diff - <(sed -n 's/.*"log_probability": *\(-[0-9.]*\).*/\1/p' told.json | xargs printf '%.4f\n') ||
    fail "the probabilities are not those of the sentence"

# Standard output takes one result; without any the picture is shown; --limit counts pairs.
"$softalign" align $model pairs.tsv | cmp - picture || fail "the picture is not the default"
"$softalign" align $model pairs.tsv --pharaoh - | cmp - links || fail "--pharaoh -"
"$softalign" align $model pairs.tsv --tidy - --threads 1 | cmp - tidy.csv || fail "--tidy -"
"$softalign" align $model pairs.tsv --pharaoh - --limit 1 | cmp - <(head -n 1 links) || fail "--limit"
expect 2 "align: only one result can go to standard output" align $model pairs.tsv --tidy - --pharaoh -
expect 2 "align: only one result can go to standard output" \
    align $model pairs.tsv --tidy - --terminal

# Several heads: the mean, one of them, all in the long table. A fixed vector has none.
"$softalign" train --train pairs.tsv --out heads --heads 2 --steps 3 2>/dev/null
"$softalign" align heads/best.safetensors pairs.tsv --limit 1 --tidy heads.csv
expect 2 "--head 3: the model has 2" align heads/best.safetensors pairs.tsv --tidy - --head 3
same "heads of the long table" "1 2 " "$(awk -F , 'NR > 1 { print $2 }' heads.csv | sort -u | tr '\n' ' ')"
for head in 0 1 2; do
    "$softalign" align heads/best.safetensors pairs.tsv --limit 1 --csv head$head --head $head
done
paste -d , head0/0001.csv head1/0001.csv head2/0001.csv | awk -F , 'NR > 1 {
    n = NF / 3
    for (j = 2; j <= n; j++) if (($j - ($(j + n) + $(j + 2 * n)) / 2) ^ 2 > 1e-12) bad = 1
} END { exit bad }' || fail "--head 0 is not the mean of the heads"
expect 2 "--head 3: the model has 2" align heads/best.safetensors pairs.tsv --head 3
"$softalign" train --train pairs.tsv --out fixed --decoder fixed --steps 1 2>/dev/null
expect 2 "the model has no attention: its decoder is 'fixed'" align fixed/best.safetensors pairs.tsv

# What other programs read: JSON lines, NumPy's arrays.
"$softalign" align $model pairs.tsv --jsonl lines --npy arrays
same "JSON lines" 2 "$(wc -l <lines)"
rounded() { tr ',' '\n' | awk '{ printf "%.7f\n", $1 }'; }
head -n 1 lines | sed 's/.*"weights":\[\[//; s/\].*//' | rounded |
    diff - <(awk -F , '$1 == 1 && $3 == 0 { print $7 }' tidy.csv | rounded) || fail "the JSON line has other weights"
head -c 10 arrays/0001.npy | od -An -tx1 | grep -q '93 4e 55 4d 50 59 01 00 76 00' || fail "npy's magic"
head -c 128 arrays/0001.npy | grep -aq "'descr': '<f8', 'fortran_order': False, 'shape': (" ||
    fail "npy's header"
tail -c +129 arrays/0001.npy | od -An -tf8 -v -w8 | awk '{ printf "%.6f\n", $1 }' |
    diff - <(awk -F , '$1 == 1 { printf "%.6f\n", $7 }' tidy.csv) || fail "npy's numbers"
"$softalign" align heads/best.safetensors pairs.tsv --limit 1 --npy two
head -c 128 two/0001.npy | grep -aq "'shape': (2, " || fail "npy of two heads"

# Files are replaced as a whole, folders used as they are.
cp matrices/0001.csv before
echo old >matrices/0001.csv
expect 0 "" align $model pairs.tsv --csv matrices
cmp matrices/0001.csv before || fail "an old heatmap is not replaced"
expect 4 "cannot open 'pairs.tsv/': Not a directory" align $model pairs.tsv --csv pairs.tsv
expect 4 "cannot create 'a/b': No such file or directory" align $model pairs.tsv --csv a/b
# A transformer looks in three places, in layers of heads.
"$softalign" train --train pairs.tsv --out deep --model transformer --embed 8 --attn 8 --ffn 8 --heads 2 \
    --steps 3 2>/dev/null
deep="align deep/best.safetensors pairs.tsv --limit 1"
deep() { "$softalign" $deep "$@"; }

numbers() { tail -n +2 "$1/0001.csv" | cut -d , -f 2-; }

deep --csv together
for layer in 1 2; do deep --csv layer$layer --layer $layer; done
paste -d , <(numbers together) <(numbers layer1) <(numbers layer2) | awk -F , '{ n = NF / 3
    for (i = 1; i <= n; i++) if (($(n + i) + $(2 * n + i)) / 2 - $i > 1e-6 || $i - ($(n + i) + $(2 * n + i)) / 2 > 1e-6) bad = 1
} END { exit bad || !n }' || fail "all layers are not the mean of both"

# --align-at input: the row that has read a word is the next; </s> keeps its own.
for at in output input; do deep --csv at-$at --align-at $at; done
cmp -s at-output/0001.csv together/0001.csv || fail "--align-at output is not the default"
(numbers at-output | tail -n +2 && numbers at-output | tail -n 1) | diff - <(numbers at-input) ||
    fail "--align-at input is not the next row"
expect 2 "--align-at input links source and target: it needs --site cross" \
    align deep/best.safetensors pairs.tsv --align-at input --site decoder
for call in align eval; do
    expect 2 "--align-at input needs a Transformer, luong or cgru" \
        $call $model pairs.tsv --align-at input
done
printf 'a cat sees.\tun chat voit.\t0-0 1-1 2-2 3-3\n' >known.tsv
"$softalign" align deep/best.safetensors known.tsv --align-at input --pharaoh links.at
cut -f 3 known.tsv >gold.at
aer() { sed -n 's/.*"aer": *\([0-9.]*\).*/\1/p'; }
same "AER of --align-at input" "$("$softalign" score --alignments links.at gold.at --json | aer)" \
    "$("$softalign" eval deep/best.safetensors known.tsv --align-at input --json | aer)"

for head in mean 1 2; do deep --csv head-$head --layer 2 --head $head; done
cmp -s head-mean/0001.csv layer2/0001.csv || fail "--head mean is not what is shown without it"

# The long table has every head of every layer, or the one that is asked for.
deep --tidy deep.csv
same "heads and layers" "1,1 1,2 2,1 2,2" "$(awk -F , 'NR > 1 { print $2 "," $8 }' deep.csv | sort -u | xargs)"
for which in "1 1" "2 1" "1 2" "2 2" "0 2"; do
    read -r head layer <<<"$which"
    deep --csv one --layer $layer --head $head
    deep --tidy - --layer $layer --head $head | awk -F , 'NR > 1 { print $7 }' >one.csv
    numbers one | tr , '\n' | diff - one.csv >/dev/null || fail "layer $layer, head $head in a table of its own"
    [ $head -eq 0 ] || awk -F , -v h=$head -v l=$layer '$2 == h && $8 == l { print $7 }' deep.csv | diff - one.csv ||
        fail "layer $layer, head $head in the table of all"
done
deep --tidy encoder.csv --site encoder
same "no gold links and no probability within the encoder" "," \
    "$(tail -n +2 encoder.csv | cut -d , -f 10,11 | sort -u)"

deep --csv own --site decoder
same "words of the decoder's own attention" "$(head -n 1 own/0001.csv | cut -c 2- | tr , '\n')" \
    "$(tail -n +2 own/0001.csv | cut -d , -f 1)"
[ "$(head -n 1 own/0001.csv | cut -d , -f 2)" = "<s>" ] || fail "BOS is not the first column"
numbers own | awk -F , '{ sum = 0
    for (i = 1; i <= NF; i++) { sum += $i; if (i > NR && $i != 0) bad = 1 }
    if (sum < 0.99999 || sum > 1.00001) bad = 1 } END { exit bad || NR != NF }' ||
    fail "a word sees the future: $(cat own/0001.csv)"

deep --csv encoder --site encoder
same "words of the encoder" "$(head -n 1 together/0001.csv)" "$(head -n 1 encoder/0001.csv)"
same "a word for each of them" "$(head -n 1 encoder/0001.csv | cut -c 2- | tr , '\n')" \
    "$(tail -n +2 encoder/0001.csv | cut -d , -f 1)"

deep --site encoder --all-heads heads
words=$(($(head -n 1 encoder/0001.csv | tr -cd , | wc -c)))
head -c 128 heads/0001.npy | grep -aq "'shape': (2, 2, $words, $words)" || fail "the shape of all heads"
[ "$(wc -c <heads/0001.npy)" -eq $((128 + 8 * 2 * 2 * words * words)) ] || fail "the numbers of all heads"
grep -q "^{\"layers\":2,\"heads\":2,\"rows\":\[\"a\",\"cat\",.*\"</s>\"\],\"columns\":\[\"a\"" heads/0001.json ||
    fail "the words of all heads: $(cat heads/0001.json)"

expect 2 "--site 'self': expected cross, encoder or decoder" $deep --site self
expect 2 "--site encoder: the model has no attention there" align $model pairs.tsv --site encoder
expect 2 "--layer 3: the model has 2" $deep --layer 3
expect 2 "--head 'x': expected a whole number from -1 to 8192 or mean" $deep --head x
expect 2 "--pharaoh needs --site cross" \
    $deep --site decoder --pharaoh -

# Notes of a page: with a byte order mark, and a title within the text.
printf '\xef\xbb\xbfBefore.\n# A title\nAfter.\n' >marked.md
"$softalign" align $model pairs.tsv --limit 1 --html titled.html --notes marked.md
grep -qF '"title":"A title"' titled.html && grep -qF '"see":["Before.","After."]' titled.html ||
    fail "notes with a byte order mark"
expect 2 "--notes: '-' is read twice, so it must be a regular file" \
    align $model pairs.tsv --html other.html --notes - <marked.md
mkfifo pipe.md
expect 2 "--notes: 'pipe.md' is read twice, so it must be a regular file" \
    align $model pairs.tsv --html other.html --notes pipe.md
expect 2 "--open-at: not UTF-8" align $model pairs.tsv --html other.html --open-at $'column=\xe9'
finish
