# PAIRS in the formats that people have, by every command that reads them; --columns; and what is said.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
small="--embed 4 --hidden 4 --attn 4 --maxout 4 --max-time 0"

# The same pairs in each format.
printf 'a cat\tun chat\na dog, too\t"un chien"\nthe cat\tle chat\n' >same.tsv
printf 'n;en;fr\r\n1;a cat;un chat\r\n2;a dog, too;"""un chien"""\r\n3;the cat;le chat\r\n' >same.csv
awk -F '\t' '{ gsub(/"/, "\\\"", $2); printf "{\"translation\": {\"en\": \"%s\", \"fr\": \"%s\"}}\n", $1, $2 }' \
    same.tsv >same.jsonl
{
    echo '<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header srclang="en"/><body>'
    awk -F '\t' '{ printf "<tu><tuv xml:lang=\"en\"><seg>%s</seg></tuv><tuv xml:lang=\"fr-FR\"><seg>%s</seg></tuv></tu>\n", $1, $2 }' \
        same.tsv
    echo '</body></tmx>'
} >same.tmx
sed 's/\t/ ||| /' same.tsv >same.txt
gzip -k same.csv same.jsonl
"$softalign" align-words same.tsv --pharaoh - >links 2>/dev/null
formats="same.csv same.csv.gz same.jsonl same.jsonl.gz same.txt"
case $("$softalign" align-words same.tmx 2>&1) in
*"built without expat"*) echo "no expat: TMX is not tried" ;;
*) formats+=" same.tmx" ;;
esac
for file in $formats; do
    "$softalign" align-words $file --pharaoh - 2>err | cmp - links || fail "$file: $(cat err)"
    same "notes of $file" 1 "$(grep -c "^note: $file: read as " err)"
    "$softalign" clean $file 2>/dev/null | cmp - same.tsv || fail "clean $file"
    "$softalign" align-words - --pharaoh - <$file 2>err | cmp - links || [[ $file == same.csv* ]] || fail "$file from a pipe"
done

# Every command, all files of pairs of one.
"$softalign" eval $model same.tsv --train same.tsv --json 2>/dev/null >expected
"$softalign" eval $model same.csv --train same.jsonl --columns en,fr --json >out 2>err
cmp <(grep -v '"line"' out) <(grep -v '"line"' expected) || fail "eval"
same "notes of eval" 2 "$(grep -c ': read as' err)"
"$softalign" align $model same.csv --columns 2,3 --csv matrices >out 2>err || fail "align: $(cat err)"
same "matrices" "0001.csv 0002.csv 0003.csv" "$(cd matrices && echo *)"
for call in "align $model same.csv --limit 1" "annotations $model same.csv" "prove $model same.csv --limit 1" \
    "translate $model same.txt --replace-unknown --dictionary same.csv" \
    "clean same.csv"; do
    # shellcheck disable=SC2086
    "$softalign" $call >out 2>err || fail "$call: $(cat err)"
    grep -q "^note: same.csv: read as CSV with semicolons; source 'en', target 'fr', the names on line 1" err ||
        fail "$call: $(cat err)"
done
# shellcheck disable=SC2086
"$softalign" compare --train same.csv --test same.jsonl --models fixed --out compared $small --steps 2 >out 2>err ||
    fail "compare: $(cat err)"
same "notes of compare" "note: same.jsonl: read as JSON lines; source 'en', target 'fr'" "$(grep jsonl err)"

# A training goes on with the same pairs in another format, and with no other pairs.
# shellcheck disable=SC2086
"$softalign" train --train same.tsv --valid same.tsv --out whole $small --steps 4 2>err || fail "train: $(cat err)"
# shellcheck disable=SC2086
"$softalign" train --train same.csv --valid same.csv --out parts $small --steps 2 2>err || fail "train: $(cat err)"
same "notes of train" 2 "$(grep -c '^note: same.csv: read as CSV with semicolons' err)"
"$softalign" train --train same.jsonl --valid same.txt --out parts --steps 4 --resume 2>err || fail "resume: $(cat err)"
cmp whole/last.safetensors parts/last.safetensors || fail "resumed in another format: another model"
"$softalign" train --train same.csv --columns fr,en --valid same.tsv --out parts --steps 6 --resume 2>err &&
    fail "resumed with the sides exchanged"

# Tables by columns.
printf '11\tHello you\t21\tBonjour toi\n12\tSee you\t22\tSalut\n13\tGo\t23\tVa\n' >tatoeba.tsv
said() { # WHAT EXPECTED COMMAND...
    "$softalign" "${@:3}" >out 2>err
    same "$1" "$2" "$(grep '^note: ' err)"
}
expect 2 "tatoeba.tsv: which two are source and target? (--columns); there are: '11', 'Hello you', '21', 'Bonjour toi'" \
    align-words tatoeba.tsv --pharaoh links
said "columns" "" align-words tatoeba.tsv --columns 2,4 --pharaoh links
said "prose" "" align-words same.tsv --pharaoh links
printf 'Hello\tyou\nBonjour\n' >tab.txt
cp tab.txt other.txt
said "a tab in parallel files" "note: tab.txt:1: a tab in a file of plain sentences is read as a space" \
    align-words tab.txt,other.txt --pharaoh links
tab="a tab in a file of plain sentences (for pairs, extract one column: cut -f 1)"
printf 'Hello\tyou all all\n' >tabs.txt
said "a tab in bpe learn" "note: tabs.txt:1: $tab" bpe learn tabs.txt --merges 1
printf '#version: 0.2\nl l\n' >codes
said "a tab in bpe apply" "note: tab.txt:1: $tab" bpe apply tab.txt --codes codes
printf 'the cat sat on the mat\n' >hypothesis
printf '1\tthe cat sat on the mat\n' >numbered
printf 'the cat\tsat on the mat\n' >tabbed
said "numbered references" "note: numbered: the number that begins each line is left out" score hypothesis numbered
grep -q ' = 100.00' out || fail "the numbers of references: $(cat out)"
said "a tab in references" "note: tabbed:1: $tab" score hypothesis tabbed
printf '1\t0-0\n2\t\n3\t0-0 1-1\n' >gold
"$softalign" score --alignments gold gold >out 2>err || fail "numbered links: $(cat err)"
# shellcheck disable=SC2086
"$softalign" train --train same.tsv --valid same.tsv --alignments gold --guided-alignment 1 --out guided $small \
    --steps 1 2>err || fail "numbered alignments: $(cat err)"

# Refusals.
expect 2 "same.csv: no column it (--columns); there are: 'n', 'en', 'fr'" eval $model same.csv --columns en,it
expect 2 "same.csv: no column 4 (--columns); there are: 'n', 'en', 'fr'" train --train same.csv --columns 2,4 --out new
expect 2 "--columns: 'tab.txt,other.txt' are two files without columns" align-words tab.txt,other.txt --columns 1,2
expect 2 "--columns: 'tab.txt,other.txt' are two files without columns" clean tab.txt,other.txt --columns 1,2
expect 2 "--columns 2: expected the columns of source and target, such as 2,4" prove $model same.csv --columns 2
printf 'en,fr\n"a,b\n' >bad.csv
expect 3 "bad.csv:2: a quoted cell that does not end before a comma" eval $model bad.csv
printf '{"en": "a", "fr": "b"}\n{"en": }\n' >bad.jsonl
expect 3 "bad.jsonl:2: JSON: expected a value at byte 7" align $model bad.jsonl
printf 'PAR1' >bad.parquet
"$softalign" train --train bad.parquet --out new 2>err
same "Parquet" 3 $?
grep -q 'looks like a Parquet file); this converts it: python3 -c' err || fail "Parquet: $(cat err)"
[ ! -e new ] || fail "a refused training left a folder"
finish
