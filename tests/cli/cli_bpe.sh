# Merges and sub-words on the command line: the golden files are what subword-nmt's functions for
# learning and applying make of our own texts.
. tests/support/cli.sh
golden=$root/tests/golden

matches() { # WHAT GOLDEN: standard output of the last command
    cmp -s out "$golden/$2" || fail "$1 differs from $2: $(diff out "$golden/$2" | head -n 4)"
}

"$softalign" bpe learn "$golden/own.bpe.txt" >out 2>err
matches "what is learned" own.bpe
same "note" "note: $(($(wc -l <"$golden/own.bpe") - 1)) merges of 10000 learned: no other pair of symbols occurs 2 times" \
    "$(cat err)"
head -n 1000 "$root/corpora/phrases.en-fr.tsv" | cut -f 1 >en
head -n 1000 "$root/corpora/phrases.en-fr.tsv" | cut -f 2 >fr
expect 0 "" bpe learn --merges 300 en fr
matches "what is learned of two files" phrases.bpe
cat en fr | "$softalign" bpe learn --merges 300 >out
matches "what is learned of standard input" phrases.bpe
gzip -k en
expect 0 "" bpe learn --merges 300 en.gz fr
matches "what is learned of gzip" phrases.bpe

new=$golden/own.bpe.new.txt
expect 0 "" bpe apply --codes "$golden/own.bpe" "$new"
matches "what is cut" own.bpe.cut.txt
grep -v '</w>' out | sed 's/@@ //g' | tr -s ' ' | cmp -s - <(grep -v '</w>' "$new" | tr -s ' ') ||
    fail "sub-words joined are not the text"
# Learning again from what was cut and joined gives the same merges: nothing depends on order.
tac en | "$softalign" bpe learn --merges 100 >one
"$softalign" bpe learn --merges 100 en >other
cmp -s one other || fail "the order of the lines changes the merges"

# Glossaries stay whole and are cut out of other words, one after another, as in subword-nmt: US splits USA, too.
printf '#version: 0.2\na b\nab c</w>\n' >abc
printf 'abc USA 1934USABUSA USA.abc xUSxUSA abUSabc\n' >glossed
expect 0 "" bpe apply --codes abc --glossaries "USA abc US" glossed
same "glossaries" "abc US@@ A 1@@ 9@@ 3@@ 4@@ US@@ A@@ B@@ US@@ A US@@ A@@ .@@ abc x@@ US@@ x@@ US@@ A a@@ b@@ US@@ abc" "$(cat out)"
expect 0 "" bpe apply --codes abc --glossaries " USA  " glossed
same "one glossary" "abc USA 1@@ 9@@ 3@@ 4@@ USA@@ B@@ USA USA@@ .@@ abc x@@ U@@ S@@ x@@ USA ab@@ U@@ S@@ abc" "$(cat out)"
expect 2 "--glossaries is an option of 'bpe apply'" bpe learn --glossaries x en

# Wrong usage and broken files.
printf '#version: 0.2\na b\na b\n' >twice
printf '#version: 0.2\r\na b\r\n' >crlf
printf '#version: 0.2\na\n' >one.symbol
printf '#version: 0.2\n\303 b\n' >no.utf8
printf '\n \n' >blank
expect 2 "an argument is missing: softalign bpe ACTION [FILE ...]" bpe
expect 2 "bpe: 'aply': expected learn or apply" bpe aply
expect 2 "bpe: there is no '--vocabulary': filter what 'bpe apply' prints" bpe apply --vocabulary x en
expect 2 "bpe apply: --codes FILE is missing" bpe apply en
expect 2 "bpe apply: 'fr' is one argument too many" bpe apply --codes twice en fr
expect 2 "--codes is an option of 'bpe apply'" bpe learn --codes x en
expect 4 "cannot open 'none': No such file or directory" bpe learn none
expect 4 "cannot open 'none': No such file or directory" bpe apply --codes none en
expect 3 "blank: no words" bpe learn blank
"$softalign" bpe learn <blank >out 2>err
same "no words on standard input" "3 softalign: standard input: no words" "$? $(cat err)"
expect 3 "en:1: expected '#version: 0.2', the first line of merges" bpe apply --codes en en
expect 3 "twice:3: the same merge as on line 2" bpe apply --codes twice en
tr -d '\r' <crlf >lf
cmp <("$softalign" bpe apply --codes crlf en) <("$softalign" bpe apply --codes lf en) || fail "merges with CR LF are other ones"
expect 3 "one.symbol:2: expected two symbols with one space between" bpe apply --codes one.symbol en
expect 3 "no.utf8:2: not UTF-8 at byte 1: 0xC3 (perhaps an 8-bit code like Latin-1)" \
    bpe apply --codes no.utf8 en
finish
