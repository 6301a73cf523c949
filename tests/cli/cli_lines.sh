# Line for line: what has a line for each pair has one for each line of PAIRS, an empty one where a line was skipped,
# and files of single pairs have the numbers of the lines.
. tests/support/cli.sh
printf '\na cat\tun chat\na dog\tun chien\nnothing\t \n \t\nthe cat\tle chat\n\n' >blank.tsv
grep -n . blank.tsv | grep -P '\w\t\w' | cut -d : -f 2 >pairs.tsv
said="note: blank.tsv: 4 of 7 lines have an empty side; they are skipped, and files with one line per pair have empty lines there"
small="--embed 4 --hidden 4 --attn 4 --maxout 4 --max-time 0"

# spread FILE: the lines that the pairs alone gave, where the pairs are.
spread() { awk 'BEGIN { print "" } NR == 3 { print "\n" } { print } END { print "" }' "$1"; }

# by_line COMMAND...: files of all pairs, and of each.
by_line() {
    local file
    "$softalign" "$@" pairs.tsv --pharaoh links --jsonl json --csv few 2>err || fail "$*: $(cat err)"
    "$softalign" "$@" blank.tsv --pharaoh links.all --jsonl json.all --csv all --npy npy --svg svg \
        --tidy table 2>err || fail "$*: $(cat err)"
    same "notes of $1" "$said" "$(grep note: err)"
    spread links | cmp - links.all || fail "$1: links of pairs with empty lines"
    spread json | sed 's/"sentence":3/"sentence":6/; s/"sentence":2/"sentence":3/; s/"sentence":1/"sentence":2/' |
        cmp - json.all || fail "$1: JSON of pairs with empty lines"
    same "numbers of $1" "0002.csv 0003.csv 0006.csv 0002.npy 0003.npy 0006.npy 0002.svg 0003.svg 0006.svg" \
        "$(cd all && echo *.csv) $(cd npy && echo *.npy) $(cd svg && echo *.svg)"
    cmp few/0003.csv all/0006.csv || fail "$1: the file of the third pair"
    grep -qx 'wrote all/0002.csv to all/0006.csv' err || fail "$1: which files: $(cat err)"
    same "sentences of $1" "2 3 6" "$(cut -d , -f 1 table | sed 1d | uniq | xargs)"
    "$softalign" "$@" blank.tsv --limit 2 --pharaoh - 2>err | cmp - <(head -n 3 links.all) || fail "$1 --limit"
}

by_line align-words
# From Model 1 to the training that it guides.
"$softalign" train --train blank.tsv --alignments links.all --guided-alignment 1 --valid pairs.tsv --out model \
    --steps 2 $small 2>err || fail "train --alignments: $(cat err)"
awk '{ for (i = 1; i <= NF; i++) { split($i, at, "-"); print NR, at[1] + 1, at[2] + 1 } }' links.all >links.wa
for file in links.all links.wa; do
    "$softalign" train --train blank.tsv --alignments $file --guided-alignment 1 --valid pairs.tsv --out $file.model \
        --steps 2 $small 2>err || fail "train --alignments $file: $(cat err)"
done
cmp links.all.model/best.safetensors links.wa.model/best.safetensors || fail "links of NAACL's format train otherwise"
by_line align model/best.safetensors
"$softalign" align model/best.safetensors blank.tsv --all-heads heads 2>err || fail "--all-heads"
same "numbers of all heads" "0002.json 0003.json 0006.json 0002.npy 0003.npy 0006.npy" \
    "$(cd heads && echo *.json *.npy)"

"$softalign" eval model/best.safetensors pairs.tsv --per-sentence each >/dev/null 2>&1
"$softalign" eval model/best.safetensors blank.tsv --per-sentence each.all >/dev/null 2>err
same "notes of eval" "$said" "$(grep note: err)"
spread each | cmp - each.all || fail "eval --per-sentence"

"$softalign" annotations model/best.safetensors blank.tsv --layer 0 >vectors 2>err
same "sentences of annotations" "2 3 6" "$(cut -d , -f 2 vectors | uniq | xargs)"
"$softalign" annotations model/best.safetensors blank.tsv --nearest cat --layer 0 >near 2>err
same "occurrences" "2:2 6:2" "$(awk '{ print $3 }' near | xargs)"

"$softalign" compare --train pairs.tsv --test blank.tsv --valid pairs.tsv --models bahdanau --out compared \
    --steps 2 $small >/dev/null 2>err || fail "compare: $(cat err)"
# Rows of CSV and lines of JSON count as lines, the names of columns do not.
{ echo en,fr && sed 's/^\(.*\)\t\(.*\)$/\1,\2/; s/^$/,/' blank.tsv; } >blank.csv
sed 's/^$/\t/; s/^\(.*\)\t\(.*\)$/{"en": "\1", "fr": "\2"}/; s/\t/ /g' blank.tsv >blank.jsonl
"$softalign" align-words blank.tsv --pharaoh links.all 2>err
for file in blank.csv blank.jsonl; do
    "$softalign" align-words $file --pharaoh - 2>err | cmp - links.all || fail "$file: $(cat err)"
    grep -q "^note: $file: 4 of 7 lines" err || fail "notes of $file: $(cat err)"
    "$softalign" train --train $file --alignments links.all --guided-alignment 1 --valid pairs.tsv --out $file.model \
        --steps 1 $small 2>err || fail "train --alignments with $file: $(cat err)"
done
finish
