# translate: lines in, lines out, in every form that text comes in.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors

notes() { grep -v '^note: translations cut ' err; } # which such a small model's are

cut -f 1 tiny.tsv | head -n 100 >source.txt
"$softalign" translate $model source.txt >file || fail "translate a file"
same "lines" 100 "$(wc -l <file)"
"$softalign" translate $model <source.txt | cmp - file || fail "redirected input differs"
cat source.txt | "$softalign" translate $model | cmp - file || fail "piped input differs"
gzip -c source.txt >source.gz
"$softalign" translate $model source.gz | cmp - file || fail "packed input differs"
sed 's/$/\r/' source.txt | "$softalign" translate $model | cmp - file || fail "CRLF differs"
(printf '\xef\xbb\xbf' && cat source.txt) | "$softalign" translate $model | cmp - file ||
    fail "a byte order mark differs"
printf %s "$(cat source.txt)" | "$softalign" translate $model | cmp - file ||
    fail "a last line without its end differs"

# An accent typed as a mark of its own is the same word.
printf 'caf\xc3\xa9 x\tcaf\xc3\xa9\n' >accents.tsv
printf 'th\xc3\xa9 y\tth\xc3\xa9\n' >>accents.tsv
"$softalign" train --train accents.tsv --out accents --steps 60 --lr 0.01 2>/dev/null
printf 'the\xcc\x81 y\n' | "$softalign" translate accents/best.safetensors --jsonl >decomposed
printf 'th\xc3\xa9 y\n' | "$softalign" translate accents/best.safetensors --jsonl >composed
diff <(sed 's/"source":[^]]*]//' decomposed) <(sed 's/"source":[^]]*]//' composed) ||
    fail "a decomposed accent makes another word"

# Empty lines stay where they are.
(echo && head -n 1 source.txt && echo && echo '  ' && head -n 1 source.txt) |
    "$softalign" translate $model >out
(echo && head -n 1 file && echo && echo && head -n 1 file) | cmp - out || fail "empty lines"
same "nothing" "" "$(: | "$softalign" translate $model)"

# A line that is too long is left empty, and the others are translated all the same.
long=$(printf 'word %.0s' {1..1001})
(head -n 1 source.txt && echo "$long" && sed -n 2p source.txt && echo "$long") >long.txt
"$softalign" translate $model long.txt >out 2>err
same "too long: exit code" 7 $?
(sed -n 1p file && echo && sed -n 2p file && echo) | cmp - out || fail "too long: the other lines"
same "too long: message" \
    "softalign: line 2 has 1001 words, more than --max-len 1000; lines left empty: 2" "$(tail -n 1 err)"
"$softalign" translate $model long.txt --max-len 1001 >out 2>/dev/null || fail "--max-len: exit $?"
same "lines with --max-len" 4 "$(grep -c . out)"

# A line is answered before the next one is there.
mkfifo questions
"$softalign" translate $model <questions >answers &
exec 3>questions
for line in 1 2 3; do
    head -n 1 source.txt >&3
    for wait in $(seq 100); do
        [ "$(wc -l <answers)" -ge $line ] && break
        sleep 0.1
    done
    same "answers after $line lines" $line "$(wc -l <answers)"
done
exec 3>&-
wait $! || fail "translate from a pipe: exit $?"

# The n best of each sentence, best first, numbered from 0.
head -n 3 source.txt | "$softalign" translate $model --beam 4 --nbest 2 >nbest
same "n-best numbers" "0 0 1 1 2 2" "$(sed 's/ .*//' nbest | xargs)"
[ -z "$(grep -vE '^[0-9]+ \|\|\| .* \|\|\| logp= -?[0-9]+\.[0-9]{6} \|\|\| -?[0-9]+\.[0-9]{6}$' nbest)" ] || fail "n-best form"
awk -F ' [|][|][|] ' 'NR > 1 && $1 == last && $4 > score { exit 1 } { last = $1; score = $4 }' nbest ||
    fail "n-best order"
head -n 3 source.txt | "$softalign" translate $model --beam 4 | diff - \
    <(awk -F ' [|][|][|] ' 'NR == 1 || $1 != last { print $2 } { last = $1 }' nbest) ||
    fail "the first of the n best is not the translation"

# For programs: a JSON object per line, whose rows of weights sum to 1.
# Fields hold in a list whose texts have bars; texts that several tokens make stand in it once.
printf 'a ||| b\tx ||| y\n' >bars.tsv
"$softalign" train --train bars.tsv --out bars --embed 4 --hidden 8 --attn 4 --maxout 4 --steps 150 --batch 1 --quiet 2>err || fail "$(cat err)"
echo 'a ||| b' | "$softalign" translate bars/best.safetensors --beam 2 --nbest 2 >out 2>err
grep -q ' ||| x ||| y ||| logp= ' out || fail "bars: $(cat out)"
grep -q "^note: a translation of line 1 has ' ||| ' in it, as between fields; --jsonl keeps them apart$" err || fail "bars: $(cat err)"
head -n 1 source.txt >source.csv
"$softalign" translate $model source.csv >out 2>err
grep -q "^note: the lines of source.csv are translated as they are; 'softalign clean source.csv | cut -f 1' prints" err || fail "CSV: $(cat err)"
head -n 3 source.txt | "$softalign" translate $model --beam 2 --nbest 2 --jsonl >lines
same "JSON lines" 3 "$(wc -l <lines)"
grep -o '"weights":\[\[[^]]*\]' lines | sed 's/.*\[\[//; s/]//' |
    awk -F , '{ sum = 0; for (i = 1; i <= NF; i++) sum += $i; if ((sum - 1) ^ 2 > 1e-10) bad = 1 }
        END { exit bad || NR != 6 }' || fail "weights of the JSON lines"

# Several models: one twice is the one; a stranger is refused.
"$softalign" translate $model $model source.txt | cmp - file || fail "a model with itself"
"$softalign" train --train tiny.tsv --out other --seed 2 --decoder luong --steps 5 2>/dev/null
"$softalign" translate $model other/best.safetensors <source.txt >both || fail "two models"
same "lines of two models" 100 "$(wc -l <both)"
head -n 20 tiny.tsv >few.tsv
"$softalign" train --train few.tsv --out few --steps 1 2>/dev/null
expect 2 "model 2 has different target words from model 1" translate $model few/best.safetensors source.txt
expect 2 "translate: 'source.txt' is neither a model (.safetensors) nor the last argument" \
    translate $model source.txt $model

# Given words begin each translation, unknown ones as they are written; what the model would have
# written anyway changes nothing.
"$softalign" translate $model source.txt --target-prefix "le zork" --beam 3 --replace-unknown >out 2>/dev/null
same "translations that begin with the prefix" 100 "$(grep -c '^le zork' out)"
expect 7 "a target prefix has 1001 tokens, more than 1000" \
    translate $model source.txt --target-prefix "$(printf 'le %.0s' {1..1001})"

# Drawn at random: the same seed draws the same, another one something else.
"$softalign" translate $model source.txt --sample --temperature 3 >drawn
"$softalign" translate $model source.txt --sample --temperature 3 --batch 7 --threads 1 |
    cmp - drawn || fail "a sample depends on its neighbors"
"$softalign" translate $model source.txt --sample --temperature 3 --sample-seed 2 | cmp -s - drawn &&
    fail "another seed draws the same"
"$softalign" translate $model source.txt --sample --top-k 1 | cmp - file ||
    fail "the likeliest word alone is not greedy search"

# Words that the model does not know are noted, of many lines in one note; with --quiet they are not.
zorks() { awk -v n="$1" 'BEGIN { for (i = 1; i <= n; i++) print i % 2 ? "the zork sees the blorp ." : "a zork", "" }'; }
noted() { "$softalign" translate "$@" >out 2>err || fail "translate $*"; }
printf 'the cat\n\nthe zork sees the blorp .\na zork\n' >strange
noted $model strange
same "unknown words" "note: 2 of 6 words of line 3 are unknown to the model
note: 1 of 2 words of line 4 is unknown to the model" "$(notes)"
zorks 1004 | noted $model
same "a note for each of many lines" 6 "$(notes | wc -l)"
same "the summary" "note: 999 more lines have words unknown to the model" "$(notes | tail -n 1)"
zorks 1004 | noted $model --quiet
same "--quiet" "" "$(cat err)"
noted $model source.txt
same "nothing unknown" "" "$(notes)"
"$softalign" train --train tiny.tsv --out letters --tokenizer char --steps 1 --embed 4 --hidden 4 2>/dev/null
echo 'a %' >percent
noted letters/best.safetensors percent
same "unknown characters" "note: 1 of 3 characters of line 1 is unknown to the model" "$(notes)"

# Pairs: the first column of a .tsv is translated; elsewhere a tab is noted once.
head -n 100 tiny.tsv >pairs.tsv
noted $model pairs.tsv
cmp out file || fail "the first column of pairs"
same "said of pairs" "note: pairs.tsv: the first column is translated" "$(notes)"
gzip -c pairs.tsv >pairs.tsv.gz
noted $model pairs.tsv.gz && cmp out file || fail "the first column of packed pairs"
cp source.txt sources.tsv
noted $model sources.tsv && cmp out file || fail "a table of one column"
same "said of one column" "" "$(notes)"
printf 'a cat\na\tcat\na\tcat\n' | noted $model
same "a tab is a space" 1 "$(sort -u out | wc -l)"
same "said of tabs" "note: line 2 has a tab, which is read as a space; to translate pairs, give the first column (cut -f 1, or a file with the suffix .tsv)" "$(notes)"
printf 'a\tcat\n' | noted $model --quiet
same "said of tabs with --quiet" "" "$(cat err)"

# Unknown words take the word that was looked at most, or its entry in a dictionary.
printf 'the zork sees the blorp .\n' >strange
"$softalign" translate $model strange --replace-unknown --quiet >out || fail "--replace-unknown"
grep -q '<unk>' out && fail "an unknown word is left: $(cat out)"
expect 2 "--dictionary needs --replace-unknown" translate $model strange --dictionary few.tsv
"$softalign" train --train tiny.tsv --out fixed --decoder fixed --steps 1 2>/dev/null
expect 0 "" translate fixed/best.safetensors strange --jsonl --beam 2 --nbest 2 --quiet
same "weights without attention" "$((2 * $(wc -l <strange)))" "$(grep -o '"weights":null' out | wc -l)"
expect 2 "replacing unknown words requires a model with attention; its decoder is 'fixed'" \
    translate fixed/best.safetensors strange --replace-unknown
expect 2 "the model has no attention: its decoder is 'fixed'" \
    translate fixed/best.safetensors strange --force-attention uniform
expect 2 "--force-attention 'sideways': expected none, uniform, shuffle, shift:N, one-hot, gold or expected" \
    translate $model strange --force-attention sideways
expect 2 "--force-attention expected: the weights of --attention additive are those of its training already" \
    translate $model strange --force-attention expected
expect 2 "--force-attention gold needs pairs with alignments: use align or eval" \
    translate $model strange --force-attention gold
"$softalign" translate $model source.txt --force-attention shift:0 | cmp - file ||
    fail "a shift by nothing changes something"
"$softalign" translate $model source.txt --force-attention uniform | cmp -s - file &&
    fail "uniform weights change nothing"
for way in shift:one shift:99999999999 shift:-99999999999 shifted; do
    [ ${#way} -lt 10 ] && nearest=" (did you mean 'shift:1'?)" || nearest=
    expect 2 "--force-attention '$way': expected none, uniform, shuffle, shift:N, one-hot, gold or expected$nearest" \
        translate $model source.txt --force-attention $way
done
"$softalign" translate $model source.txt --force-attention none | cmp - file ||
    fail "--force-attention none changes something"
[ "$("$softalign" translate $model source.txt --min-length 12 | awk 'NF < 10' | wc -l)" -eq 0 ] ||
    fail "--min-length"

# Translations that end only because of --max-ratio are said, once.
head -n 4 source.txt | "$softalign" translate $model --min-length 50 --max-ratio 0 >cut 2>err
same "cut" "note: translations cut at --max-ratio 0 before they ended: 4, the first in line 1" "$(cat err)"
same "words of a cut translation" 10 "$(head -n 1 cut | wc -w)"
"$softalign" translate accents/best.safetensors <<<'thé y' 2>err >cut
same "a translation that ended" "" "$(cat err)"

# Models that read the source in other tokens translate together.
for tokenizer in word char; do
    "$softalign" train --train tiny.tsv --out by-$tokenizer --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 60 \
        --source-tokenizer $tokenizer --max-len 200 --lr 0.01 2>/dev/null || fail "train with $tokenizer"
done
both="by-word/best.safetensors by-char/best.safetensors"
"$softalign" translate $both source.txt --beam 3 >both 2>err || fail "an ensemble of word and char: $(cat err)"
"$softalign" translate by-char/best.safetensors by-word/best.safetensors source.txt --beam 3 2>/dev/null |
    cmp - both || fail "the order of the models matters"
cmp -s <("$softalign" translate by-word/best.safetensors source.txt --beam 3 2>/dev/null) both &&
    fail "the second model changes nothing"
for option in --jsonl --replace-unknown; do
    expect 2 "models with different source tokenizers translate together without copying and without what needs \
their attention weights" translate $both source.txt $option
done

# Threads change nothing.
"$softalign" translate $model source.txt --threads 3 --beam 3 >three
"$softalign" translate $model source.txt --threads 1 --beam 3 | cmp - three || fail "threads"
finish
