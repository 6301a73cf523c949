# Pairs in, pairs out: what is kept byte for byte, what is counted, what is refused.
. tests/support/cli.sh

{
    printf '\357\273\277the cat sleeps.\tle chat dort.\t0-0 1-1\r\n'
    printf 'no tab here\n\n'
    printf 'the caf\357\277\275\tle caf\303\251\n'
    printf 'a \001 b\tc d\n'
    printf 'broken \377\tcass\303\251\n'
    printf ' \t\302\240\n'
    printf 'yes\toui mais non , pas du tout\n'
    printf 'a window\t\320\276\320\272\320\275\320\276 \320\264\320\276\320\274\n'
    printf 'a  door\tune porte\n'
    printf 'OK\tOK\n'
    printf 'the cat sleeps.\tle chat dort.\t9-9\n'
    printf 'the cat sleeps .\tle chat\302\240 dort.\n'
    printf 'a door\tune porte'
} >raw.tsv
"$softalign" clean raw.tsv >out 2>err || fail "clean: $(cat err)"
same "report" "14 lines, 5 pairs kept; dropped:
       2 without a tab
       3 with damaged characters
       1 with an empty side
       1 with sides of too different lengths (--max-ratio)
       2 seen before (--unique)" "$(cat err)"

printf 'the cat sleeps.\tle chat dort.\t0-0 1-1\na window\t\320\276\320\272\320\275\320\276 \320\264\320\276\320\274\na  door\tune porte\nOK\tOK\nthe cat sleeps .\tle chat\302\240 dort.\n' >kept
cmp -s out kept || fail "kept: $(cat out)"
"$softalign" clean - <raw.tsv 2>/dev/null | cmp -s - kept || fail "standard input gives something else"
head -n 1 kept | "$softalign" clean - >out 2>err
same "report on a pair that is kept" "1 line, 1 pair kept" "$(cat err)"
gzip -kf raw.tsv
"$softalign" clean raw.tsv.gz 2>/dev/null | cmp -s - kept || fail "gzip gives something else"
"$softalign" clean kept >again 2>/dev/null
cmp -s again kept || fail "what is clean is not clean"

# The lines that were dropped.
"$softalign" clean raw.tsv --out pairs --dropped dropped 2>err || fail "--dropped: $(cat err)"
same "first dropped" "no_tab	2" "$(head -n 1 dropped)"
same "a line that is not text" "damaged	6" "$(grep '^damaged.6' dropped)"
same "dropped lines" 9 "$(wc -l <dropped)"

# Two files, line by line; other options.
printf 'one two\nthree\nfour\n' >en
printf 'un deux\ntrois trois trois\nquatre\n' >fr
"$softalign" clean en,fr --max-ratio 1.9 >out 2>err
same "two files" "one two	un deux
four	quatre" "$(cat out)"
"$softalign" clean en,fr --max-len 1 >out 2>err
same "short ones" "four	quatre" "$(cat out)"
printf 'two words\ta\ntwo words\tb\nc\tb\n' >same.tsv
for choice in pair:3 source:2 target:2 nothing:3; do
    "$softalign" clean same.tsv --unique ${choice%:*} >out 2>err
    same "--unique ${choice%:*}" "${choice#*:}" "$(wc -l <out)"
done

# What is refused.
printf 'one\ntwo\n' >short
expect 2 "an argument is missing: softalign clean PAIRS" clean
expect 2 "clean: there is no '--json': the counts stand on standard error" clean raw.tsv --json
expect 4 "cannot open 'none': No such file or directory" clean none
expect 3 "'en' has 3 lines but 'short' has 2: line 3 has no partner" clean en,short
expect 3 "'short' has 2 lines but 'en' has 3: line 3 has no partner" clean short,en
printf '\377\376a\0' >utf16
expect 3 "utf16:1: not UTF-8 (looks like UTF-16LE); this converts it: iconv -f UTF-16LE -t UTF-8 FILE > NEW" clean utf16
"$softalign" clean raw.tsv --max-ratio 0.1 >out 2>err
[ $? = 3 ] || fail "no pair is left, and that is no error"
same "the last word" "softalign: raw.tsv: all 14 lines were dropped" "$(tail -n 1 err)"
"$softalign" clean raw.tsv --max-ratio 0.1 --out nothing --dropped why >out 2>err
same "what was dropped" "3 14" "$? $(wc -l <why)"
[ ! -e nothing ] || fail "a file without pairs was written"
before=$(cksum <raw.tsv)
"$softalign" clean raw.tsv --out raw.tsv 2>err
[ $? = 2 ] || fail "the input may be overwritten: $(cat err)"
same "the input" "$before" "$(cksum <raw.tsv)"
cp en fr # two files, either of which may be the one to write
for file in en fr; do
    expect 2 "'$file' is an input: choose another output" clean en,fr --out $file
done

finish

# What becomes of every line, by the options.
becomes() { # EXPECTED [OPTION...], of lines.tsv
    local expected=$1
    shift
    "$softalign" clean lines.tsv "$@" --out cleaned --dropped dropped 2>err
    awk -F '\t' 'NR == FNR { why[$2] = $1; next } { printf "%s%s", FNR > 1 ? " " : "", FNR in why ? why[FNR] : "kept" }' \
        dropped lines.tsv >became
    same "lines with '$*'" "$expected" "$(cat became)"
}
many='Some words of English.\tНесколько самых русских слов.\n'
printf "$many"'one\none \357\277\275\tодин\none\tоди\377\n \302\240\tодин\none\t\none two three four\tодин\n' >lines.tsv
printf 'one two three four.\tодин\none\tодин два три, четыре\n12 %%\t12 %%\ntwice\tдважды\ntwice\tдважды\n' >>lines.tsv
printf ' twice\tдважды\302\240 \ntwice\tдва раза\nTwice\tдважды\ncaf\303\251\tкафе\ncafe\314\201\tкафе\n' >>lines.tsv
becomes "kept no_tab damaged damaged empty empty kept ratio ratio kept kept repeated repeated kept kept kept repeated"
printf '%b' "$many" 'one two three four\tодин два три\n' >lines.tsv
becomes "kept kept" --max-len 4
printf 'one two three\tодин два три четыре.\n' >lines.tsv
becomes "too_long" --max-len 4
printf '%b' "$many$many$many$many" 'one two three\tодин два\n' >lines.tsv
becomes "kept repeated repeated repeated kept" --max-ratio 1.5
becomes "kept repeated repeated repeated ratio" --max-ratio 1.4
printf '%b' "$many" 'one two three four five\tодин\n' >lines.tsv
becomes "kept kept" --max-ratio 0
printf 'one\tодин\none\tраз\na\tодин\none\tодин\n' >lines.tsv
becomes "kept kept kept repeated" --unique pair
becomes "kept repeated kept repeated" --unique source
becomes "kept kept repeated repeated" --unique target
becomes "kept kept kept kept" --unique nothing
# Some four kana per English word in the corpus; a damaged line does not count.
printf '%b\n' 'one two three\tかなかなかなかなかなかな' 'one\tかなかな' 'one\tかなかなか' 'one\tかなかなかなかな' \
    'one two three\tかなかな' 'one two\tかなかなかな' \
    'one \0377\tかなかなかなかなかなかなかなかなかなかなかなかなかなかな' >lines.tsv
becomes "kept kept kept ratio ratio kept damaged" --max-ratio 1.5

# Damage: U+FFFD and control characters, of C1 too. Everything else is text, such as UTF-8 read as Latin-1.
printf '%b\n' 'a\0357\0277\0275x\tx' 'a\01\tx' '\0177\tx' 'a\0302\0222s\tx' >lines.tsv
becomes "damaged damaged damaged damaged" --max-ratio 0
printf '%b\tx\n' 'plain' 'Été à Noël, ça va ?' '«CAFÉ»' '« CAFÉ »' '„Spaß“' '„SPASS“' '”TÄÄLLÄ”' 'Å være' \
    'Å\0302\0240være' '5 €' 'l’été' 'â' 'Привет, мир' '日本語。' '😀👍🏽' 'caf\0303\0203\0302\0251' 'a\0302\0255x' \
    '20 °C ± 1 §' 'ÑANDÚ' >lines.tsv
becomes "kept$(printf ' kept%.0s' {1..18})" --max-ratio 0 --unique nothing
