#!/bin/bash
# scripts/dev/corpus-tatoeba on a small download of its own making: what it keeps, cleans, leaves out,
# how it splits, and how it fails.
set -u
script=$PWD/scripts/dev/corpus-tatoeba
softalign=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

expect() { # WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] && return
    printf '%s: expected:\n%s\nbut got:\n%s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
}

# 40 sentences with two translations each, the second in another spelling of the English; then what
# must be cleaned or left out.
make_download() {
    local i
    printf '\357\273\277'
    for i in {1..40}; do
        printf 'I am number %d.\tJe suis %d\302\240!\tCC-BY\r\n' "$i" "$i"
        printf "I AM number %d!\tMoi, c'est\342\200\257le  %d.\n" "$i" "$i"
    done
    printf 'I am number 1.\tJe suis 1\342\200\211!\n'
    printf 'no tab here\n\tvide\nempty\t \302\240\n'
    printf 'You know it.\tTu le sais.\n'
    printf "He's one of the two who are still not here.\tIl est en retard.\n"
    printf "She's happy.\tElle est l'une des deux qui sont encore ici ce soir.\n"
}

make_download >pairs.txt
gzip -c pairs.txt >pairs.gz

"$script" pairs.txt all 2>report || expect "exit code" 0 $?
expect "report" "87 lines read; left out:
       1 without a tab
       2 with an empty side
       1 repeated
kept:
      67 pairs of 35 English sentences in train.tsv
       8 pairs of 4 English sentences in valid.tsv
       8 pairs of 4 English sentences in test.tsv" \
    "$(cat report)"
expect "cleaned pairs" "I AM number 7!	Moi, c'est le 7.
I am number 7.	Je suis 7 !" "$(cat all/*.tsv | grep ' 7[.!]	' | LC_ALL=C sort)"
expect "sentences on two sides of the split" "" \
    "$(for part in train valid test; do grep -o 'number [0-9]*' all/$part.tsv | sort -u; done |
        sort | uniq -d)"

"$script" --tutorial pairs.gz tutorial 2>report || expect "exit code" 0 $?
expect "tutorial report" "87 lines read; left out:
       1 without a tab
       2 with an empty side
       1 with another beginning
       2 of 10 words or more
       1 repeated
kept:
      64 pairs of 32 English sentences in train.tsv
       8 pairs of 4 English sentences in valid.tsv
       8 pairs of 4 English sentences in test.tsv" "$(cat report)"

"$script" pairs.gz again 2>/dev/null
expect "the same from gzip and again" "" "$(diff -r all again 2>&1)"

# What `clean` leaves of it splits as well: no side has more than eight words and marks.
"$softalign" clean pairs.gz --max-len 8 >short.tsv 2>/dev/null || expect "exit code of clean" 0 $?
"$script" short.tsv short 2>report || expect "exit code of short.tsv" 0 $?
expect "report of short.tsv" "81 lines read; left out:" "$(head -n 1 report)"
expect "short pairs" "$(cut -f 1 short.tsv | sort)" "$(cat short/*.tsv | cut -f 1 | sort)"
expect "long pairs" "" "$(grep -E 'still|encore' short/*.tsv)"

expect_failure() { # CODE MESSAGE ARGUMENT...
    local code=$1 message=$2 output
    shift 2
    output=$("$script" "$@" 2>&1 >/dev/null)
    expect "exit code of $*" "$code" $?
    expect "message of $*" "$message" "$(grep ^corpus-tatoeba: <<<"$output")"
}

head -n 12 pairs.txt >few.txt
head -c 200 pairs.gz >broken.gz
printf 'PK\003\004' >pairs.zip
before=$(cat all/*.tsv | cksum)
expect_failure 2 "corpus-tatoeba: expected FILE OUTDIR" pairs.txt
expect_failure 2 "corpus-tatoeba: unknown argument '--tutor'" pairs.txt all --tutor
expect_failure 4 "corpus-tatoeba: cannot open 'none.txt'" none.txt all
expect_failure 3 "corpus-tatoeba: few.txt: fewer than 10 different English sentences left, too few to split" \
    few.txt all
expect_failure 3 "corpus-tatoeba: broken.gz: damaged gzip data" broken.gz all
expect_failure 3 "corpus-tatoeba: pairs.zip: a zip archive; unpack it and give the text file inside, such as fra.txt" \
    pairs.zip all
expect "files after failures" "$before" "$(cat all/*.tsv | cksum)"

[ "$failures" -eq 0 ]
