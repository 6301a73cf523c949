# score: the metrics of any system's output, texts and alignments.
. tests/support/cli.sh
version=$("$softalign" --version | sed -n '1s/^softalign //p')
cut -f 1 "$root/tests/golden/own.tsv" >hyp
cut -f 2 "$root/tests/golden/own.tsv" >ref
cp "$root/tests/golden/own.ref2.txt" ref2

# ---- Texts: the lines of sacreBLEU, under our own name

golden() { # KEY VALUE...: the lines of sacreBLEU that have these, as ours
    jq=$(cat "$root/tests/golden/own.corpus.jsonl")
    for part in "$@"; do jq=$(grep -F "$part" <<<"$jq"); done
    sed "s/.*\"text\": \"\(.*\)\".*/\1/; s/version:2.6.0/softalign:$version/" <<<"$jq"
}
expect 0 "" score hyp ref
same "BLEU" "$(golden 'case:mixed|eff:no|tok:13a|smooth:exp')" "$(sed -n 1p out)"
same "chrF2" "$(golden 'case:mixed|eff:yes|nc:6|nw:0')" "$(sed -n 2p out)"
same "shares" "exact = 40.62 %, tokens = 76.44 %, PER = 22.22," "$(sed -n '3,$s/$/,/p' out | xargs)"
for tokenize in 13a none char; do
    for smooth in exp floor add-k none; do
        expect 0 "" score hyp ref --tokenize $tokenize --smooth $smooth --lowercase
        same "BLEU, $tokenize, $smooth" "$(golden "case:lc|eff:no|tok:$tokenize|smooth:$smooth")" \
            "$(sed -n 1p out)"
    done
done
expect 0 "" score hyp ref --chrf-word-order 2 --chrf-eps --lowercase
same "chrF2++ with eps" "$(golden 'case:lc|eff:no|nc:6|nw:2')" "$(sed -n 2p out)"
expect 0 "" score hyp ref ref2
same "two references" "$(sed -n '1s/.*"text": "BLEU\(.*\)".*/\1/p' "$root/tests/golden/own.two-refs.jsonl")" \
    "$(sed -n '1s/.*version//; 1s/.*softalign:[0-9.]*//p' out)"
head -n 1 out | grep -q '^BLEU|nrefs:2|' || fail "the signature does not count references: $(cat out)"

# Packed files, Windows line ends and a byte order mark make no difference.
expect 0 "" score hyp ref
cp out before
gzip -k hyp
(printf '\xef\xbb\xbf' && sed 's/$/\r/' ref) >dos
expect 0 "" score hyp.gz dos
cmp -s out before || fail "gzip or Windows text scores otherwise"
"$softalign" score - ref <hyp | cmp - before || fail "standard input scores otherwise"
printf 'b\n' >b
expect 0 "" score b b --effective-order
head -n 1 out | grep -q 'eff:yes.* = 100.00 ' || fail "--effective-order: $(cat out)"

# Samples: the same seed gives the same, an equal system differs by nothing.
expect 0 "" score hyp ref --against ref2 --confidence
cp out before
expect 0 "" score hyp ref --against ref2 --confidence
cmp -s out before || fail "the same seed gives other samples"
expect 0 "" score hyp ref --against ref2 --confidence --seed 2
cmp -s out before && fail "another seed gives the same samples"
grep -q '^BLEU|nrefs:1|bs:1000|seed:2|case:mixed|.* = 79.37 (μ = [0-9.]* ± [0-9.]*) 86.4/' out ||
    fail "--confidence: $(cat out)"
expect 0 "" score hyp ref --against hyp --samples 9
same "against itself" "BLEU 79.37 +0.00 +0.00 to +0.00 1.0000 0.1000" "$(sed -n 's/^BLEU  *\(79.*\)/BLEU \1/p' out | xargs)"

# For programs.
if has python3; then
    expect 0 "" score hyp ref --json --confidence --against ref2
    python3 - <<'END' || fail "--json: $(head -c 2000 out)"
import json
all = json.load(open("out"))
assert abs(all["bleu"] - 79.36691041737934) < 1e-10 and all["chrf"] == 78.08485449862208
assert all["sentences"] == 32 and all["references"] == 1
assert all["exact"] == 13 / 32 and all["tokens"] == 172 / 225 and abs(all["per"] - 100 * 50 / 225) < 1e-12
assert all["precisions"][0] == 100 * 197 / 228 and all["brevity"] == 1
assert (all["hypothesis_tokens"], all["reference_tokens"]) == (228, 225)
interval = all["intervals"]["bleu"]
assert interval["low"] < interval["mean"] < interval["high"]
assert 66 < all["against"]["bleu"] < 67 and 0 < all["against"]["p"]["bleu"] < 0.05
difference = all["against"]["difference"]["bleu"]
means = all["intervals"]["bleu"]["mean"] - all["against"]["intervals"]["bleu"]["mean"]
assert 0 < difference["low"] < difference["mean"] < difference["high"], difference
assert abs(difference["mean"] - means) < 1e-9, (difference, means)
END
fi

# Why BLEU is 0, and texts that are tokenized.
zero() { # WHY ARGUMENT...
    "$softalign" score "${@:2}" >out 2>err
    same "why BLEU of ${*:2} is 0" "note: BLEU is 0: $1" "$(cat err)"
}
printf 'ja\nna gut\n' >brief
printf 'ach\nso wie\n' >other
printf 'Er kam , sah .\nDann ging er .\nJa!\n' >cut
printf 'l&apos;eau\nvon un@@ ten\nUnd: oben\n' >moses
zero "no hypothesis has four tokens, so there are no 4-grams (--effective-order counts the shorter n-grams)" brief brief
expect 0 "" score brief brief --effective-order
zero "no token of a hypothesis is in its references" brief other --json
zero "the hypotheses are empty" <(printf '\n\n') other
zero "an order of n-grams has no match and is not smoothed (see --smooth)" <(echo a b c d) <(echo a x c y) --smooth none
why="scores can be compared with others only for untokenized text"
"$softalign" score cut moses 2>err >/dev/null
same "tokenized texts" "note: 'cut' looks tokenized (2 of 3 lines): $why note: 'moses' looks tokenized (2 of 3 lines): $why" \
    "$(grep looks err | xargs -d '\n')"
expect 0 "" score cut cut --tokenize none

# Exact: white space aside. White space at a line's end is none, as to sacreBLEU; at its beginning it is.
# " ab" for "ab": 1-grams 2 of 3 and 2 of 2, 2-grams 1 of 2 and 1 of 1, no 3-gram in the reference:
# precision 7/12, recall 1, chrF2 = 5 (7/12) / (4 (7/12) + 1) = 87.5
printf 'ab\xe2\x80\x83 \n' >spaced
echo ab >plain
"$softalign" score spaced plain --chrf-whitespace >out 2>err
same "white space at the end" "100.00" "$(sed -n 's/^chrF.* = //p' out)"
"$softalign" score <(echo ' ab') plain --chrf-whitespace >out 2>err
same "white space at the beginning" "87.50" "$(sed -n 's/^chrF.* = //p' out)"
"$softalign" score <(printf 'a b.\nab c\nabc\n') <(printf ' ab .\nabcd\nabc\n') >out 2>err
grep -qx 'exact = 66.67 %' out || fail "exact: $(cat out)"

# Chinese. By hand: the tokens are 今 天 好 3.5 元 。 and 今 天 很 好 3.5 元 。; matches 6 of 6, 4 of 5, 2 of 4, 1 of 3;
# BP = exp(1 - 7/6); BLEU = BP * (1 * 4/5 * 1/2 * 1/3) ^ (1/4) = 0.84648 * 0.60427
"$softalign" score <(echo 今天好3.5元。) <(echo 今天很好3.5元。) --tokenize zh >out 2>err
grep -q '|tok:zh|.* = 51.15 100.0/80.0/50.0/33.3 ' out || fail "--tokenize zh: $(cat out)"

# ---- Alignments

printf '0-0 1-1\n0-0 1-1 2-2\n' >links
printf '1-1 2p2\n1\t1-1 2-2 3-4\n' >gold
expect 0 "" score --alignments links gold --gold-base 1
same "AER" "0 2 5 4 0.2222222 0.8000000 0.7500000" "$(sed -n 2p out | xargs)"
expect 0 "" score --alignments links gold
same "a note on the base" "No position in the gold alignment is 0: does it count from 1 (--gold-base 1)?" \
    "$(sed -n 3p out)"
printf '0-1 1-2 2-3\n0-1 1-2\n' >late
printf '0-0 1-1 2-2\n0-0 1-1\n' >gold
expect 0 "" score --alignments late gold
same "the links as they are" "0 2 5 5 1.0000000 0.0000000 0.0000000" "$(sed -n 2p out | xargs)"
same "a note on the shift" \
    "The links look off by one: moved by -1 target words they have an AER of 0.0000000." \
    "$(sed -n 3p out)"
expect 0 "" score --alignments late gold --json
same "JSON" "{ sentences: 2, links: 5, sure: 5, aer: 1.0, precision: 0.0, recall: 0.0, aer_before: 0.0, aer_after: 1.0 }" \
    "$(xargs <out)"

# Links as NAACL's shared task has them: by sentence, from 1, 0 for no word, sure unless they say P; whatever --gold-base.
printf '0001 1 1\n0001 2 2 P\r\n\n0001 3 3 S\n3 1 1 S 0.9\n3\t2 0\n3 2 1 P 1e-3\n' >gold.wa
printf '0-0 1p1 2-2\n\n0-0 1p0\n\n' >gold.talp
printf '0-0 1-1\n0-0\n1-0\n0-0\n' >four
for base in 0 1; do
    if [ $base = 1 ]; then sed 'y/012/123/' gold.talp; else cat gold.talp; fi >gold.$base
    expect 0 "" score --alignments four gold.$base --gold-base $base
    cp out wanted
    expect 0 "" score --alignments four gold.wa --gold-base $base
    cmp -s out wanted || fail "gold.wa, --gold-base $base: $(cat out)"
done
same "scores of gold.wa" "0 4 5 3 0.5000000 0.6000000 0.3333333" "$(sed -n 2p out | xargs)"
expect 0 "" score --alignments gold.wa <(head -n 3 gold.talp)
same "links of gold.wa" "0 3 5 3 0.0000000 1.0000000 1.0000000" "$(sed -n 2p out | xargs)"
printf '1 1 1 S\n2 1 1 S\n3 2 2 P\n' >three.wa
printf '1 1 1\n2 1 1\n' >two.wa
for files in "two.wa three.wa" "two.wa three.talp" "two.talp three.wa"; do
    printf '0-0\n0-0\n1p1\n' >three.talp
    printf '0-0\n0-0\n\n' >two.talp
    expect 0 "" score --alignments $files
    same "links without the last sentence: $files" "0 3 2 2 0.0000000 1.0000000 1.0000000" "$(sed -n 2p out | xargs)"
done
printf '1 1 1 S\n5 1 1 S\n' >late.wa
printf '2 1 1 S\n1 1 1 S\n' >early.wa
printf '1 1 1 S\n1-1\n' >mixed.wa
what="source and target, counted from 1, then perhaps S or P and a confidence"
expect 3 "late.wa:2: expected a sentence from 1 to 4, $what" score --alignments four late.wa
expect 3 "early.wa:2: expected a sentence from 2 to 4, $what" score --alignments four early.wa
expect 3 "mixed.wa:2: expected a sentence from 1 to 4, $what" score --alignments four mixed.wa

# Links that leave the sentence are dropped; it ends with the last linked word.
echo '0-0 1-1' >short
echo '0-0' >gold_short
expect 0 "" score --alignments short gold_short --json
same "links that were moved" "sentences: 1, links: 2, sure: 1, aer: 0.33333333333333337, precision: 0.5, recall: 1.0, aer_before: 1.0, aer_after: 1.0" \
    "$(xargs <out | tr -d '{}' | xargs)"

# Both directions: the other model writes target-source.
printf '0-0 1-1 3-2\n\n' >forward
printf '0-0 1-2\n\n' >backward
printf '0-0 1-1 2-1\n\n' >gold
combined() { # HOW AER
    expect 0 "" score --alignments forward gold --reverse backward --combine $1
    same "AER of $1" "$2" "$(sed -n 2p out | awk '{ print $5 }')"
}
combined intersection 0.5000000 # 0-0
combined union 0.1428571        # 0-0 1-1 2-1 3-2
combined grow-diag 0.1428571    # 1-1 grows on 0-0, 2-1 on it, 3-2 on that

# ---- What is wrong

no="No such file or directory"
head -n 31 ref >short
: >empty
printf 'a\n\xff\n' >latin
expect 4 "cannot open 'none': $no" score hyp none
expect 4 "cannot open 'none': $no" score hyp ref --against none
expect 3 "'hyp' has 32 lines, 'short' has 31: they must have one line per sentence" score hyp short
expect 3 "'hyp' has 32 lines, 'short' has 31: they must have one line per sentence" score hyp ref --against short
expect 3 "empty: no lines" score empty ref
expect 3 "empty: no lines" score hyp empty
expect 3 "latin:2: not UTF-8 at byte 1: 0xFF (perhaps an 8-bit code like Latin-1)" score latin latin
printf '0-0\n0:0\n' >bad
expect 3 "bad:2: '0:0' is not a link; expected source-target as in 0-0 or 2p1" score --alignments bad bad
expect 3 "gold:1: link 0-0: positions count from 1" score --alignments links gold --gold-base 1
expect 3 "'links' has 2 lines, 'hyp' has 32: they must have one line per sentence" score --alignments links hyp
printf '0-0 5-99999999\n' >far
expect 7 "far:1: link 5-99999999: no sentence has so many words" \
    score --alignments far far --reverse far --links-base 0
expect 2 "score: standard input can be only one of the files" score - -
expect 2 "score: there is no '--by-length': 'eval --by-length' has BLEU by the length of the source" \
    score hyp ref --by-length
expect 2 "score: --against applies to texts, not --alignments" score --alignments links gold --against a
expect 2 "score: --alignments compares two files: LINKS GOLD" score --alignments links gold gold
expect 2 "score: --confidence applies to texts, not --alignments" score --alignments links gold --confidence
expect 2 "score: --reverse needs --alignments" score hyp ref --reverse links
expect 2 "score: --links-base needs --alignments" score hyp ref --links-base 1
expect 2 "score: --gold-base needs --alignments" score hyp ref --gold-base 1
expect 2 "score: --combine needs --alignments" score hyp ref --combine union
expect 2 "score: standard input can be only one of the files" score - ref --against -
expect 2 "--tokenize 'intl': expected 13a, none, char or zh" score hyp ref --tokenize intl
finish
