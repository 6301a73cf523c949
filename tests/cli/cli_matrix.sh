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
same "the words of the picture" "the cat sleeps &lt;/s&gt; le chat dort &lt;/s&gt; source target" \
    "$(sed -n 's/.*font-size="13".*>\(.*\)<\/text>/\1/p' svg/0001.svg | xargs)"
same "numbers of the picture" "0.10 0.10 0.10 0.20 0.25 0.50 0.50 0.70 0.75 0.80" \
    "$(grep -o '>0\.[0-9][0-9]<' svg/0001.svg | tr -d '<>' | sort | xargs)"
"$softalign" align --matrix csv/0001.csv --csv again 2>/dev/null
cmp csv/0001.csv again/0001.csv || fail "a heatmap is not read as it was written"
echo '0-0 1-1 2-1' >gold
same "AER of the links" "0.333333" "$("$softalign" score links gold --alignments --json | sed -n 's/.*"aer": \([0-9.]\{8\}\).*/\1/p')"
if "$softalign" align --matrix own.csv --pdf pdf 2>/dev/null; then
    same "magic of PDF" "%PDF-1" "$(head -c 6 pdf/0001.pdf)"
fi

# What another end mark is, is said; a heatmap may come from a pipe; words repeat, and may be numbers.
printf ',7,[SEP]\n7,0.9,0.1\n[SEP],0,1\n' >hf.csv
"$softalign" align --matrix - --pharaoh - <hf.csv >out 2>err || fail "$(cat err)"
same "links of a pipe" 0-0 "$(cat out)"
same "the note" "note: the last column, '[SEP]', and the last row count as end marks, without links" "$(cat err)"
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
"$softalign" align --matrix bad.csv --svg bad --html bad.html 2>err || fail "bad words: $(cat err)"
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
wrong 3 "wrong:2:3: 'nan' is no finite number"
printf ',a,b\nx,1,\n' >wrong
wrong 3 "wrong:2:3: a number is missing"
printf '1,2\n3,4\n' >wrong
wrong 3 "wrong:1: expected a heatmap: words in the first row and in the first column"
printf 'a,b\n3,4\n' >wrong
wrong 3 "wrong:1: expected a heatmap: words in the first row and in the first column"
: >wrong
wrong 3 "wrong: no numbers in it"
head -c 60 csv/0001.csv >wrong
wrong 3 "wrong:4: 1 cell, the rows above have 5"
printf ',a\n\xff,1\n' >wrong
"$softalign" align --matrix wrong 2>err && fail "bytes that are not UTF-8"
grep -q '^softalign: wrong:2: not UTF-8 at byte 1' err || fail "$(cat err)"
expect 4 "cannot open 'none.csv': No such file or directory" align --matrix none.csv
expect 4 "cannot open '.': Is a directory" align --matrix .
alone="--matrix goes without MODEL, PAIRS and their options"
expect 2 "$alone" align --matrix own.csv model pairs
for option in "--layer 1" "--align-at input" "--force-attention uniform"; do
    expect 2 "$alone" align --matrix own.csv $option
done
expect 2 "--head 2: the model has 1" align --matrix own.csv --head 2
finish
