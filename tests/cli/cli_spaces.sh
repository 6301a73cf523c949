# Texts of many customs come back from a trained model as they were written; each side may have its
# tokenizer; text that is tokenized already is noticed; earlier models keep their tokens.
. tests/support/cli.sh

small='--embed 16 --hidden 24 --attn 16 --maxout 16 --epochs 0 --patience 0 --threads 1'
learn() { # NAME STEPS ARGUMENT...
    "$softalign" train --train "$1.tsv" --valid "$1.tsv" --out "$1" --steps "$2" $small --overwrite "${@:3}" 2>err ||
        fail "train $1: $(cat err)"
}

# A sign for each custom: inside words, at sentence ends, quotes inside out, units, and an odd one.
printf '%s\t%s\n' hello. 'ሰላም ለሁሉም።' how? 'ինչպե՞ս։' collection. 'col·lecció.' US. 'ארה״ב.' he: 'er: »Ja!«' \
    'in EU.' 'EU:ssa.' hot. '20°C, 5€.' site. 'see http://a.org/b?c=1&d.' tag. '<b> a&apos;b %s' odd. 'a ,b ￭' >signs.tsv
cut -f 1 signs.tsv >sources
cut -f 2 signs.tsv >targets
for tokenizer in 'word' 'bpe --bpe-merges 40'; do
    learn signs 250 --tokenizer $tokenizer --lr 0.01
    "$softalign" translate signs/last.safetensors sources >out 2>err || fail "translate: $(cat err)"
    cmp -s out targets || fail "$tokenizer: $(diff out targets)"
done

# The marks stand where a text deviates from its custom, and nowhere else.
printf 'a\tb; c; d; e ;f\n' >marks.tsv
learn marks 1
"$softalign" align marks/last.safetensors marks.tsv --csv csv 2>err || fail "align: $(cat err)"
same "tokens" 'b ; c ; d ; e ▁;￭ f </s>' "$(tail -n +2 csv/0001.csv | cut -d , -f 1 | xargs)"

# Letters to phonemes: each side has its tokenizer, which the model keeps.
printf 'abc\tA B C\nbca\tB C A\ncab\tC A B\n' >sounds.tsv
learn sounds 150 --source-tokenizer char --target-tokenizer space --lr 0.01
cut -f 1 sounds.tsv | "$softalign" translate sounds/last.safetensors >out 2>err || fail "translate: $(cat err)"
same "sounds" "$(cut -f 2 sounds.tsv)" "$(cat out)"
same "unknown letters" 'note: 1 of 4 characters of line 1 is unknown to the model' \
    "$(echo abcx | "$softalign" translate sounds/last.safetensors 2>&1 >/dev/null | grep -o 'note: 1 of.*model')"
learn sounds 2 --source-tokenizer bpe --bpe-merges 2 --target-tokenizer char
grep -q '^sub-words: [0-2] source and 0 target merges (separate)$' err || fail "merges: $(cat err)"
expect 2 "--source-tokenizer 'letters': expected auto, word, char, space, bpe or space-bpe" \
    train --train sounds.tsv --out refused --source-tokenizer letters

# Models of 0.1.0 have no table of spaces: the usual spaces apply.
printf '%s\t%s\n' how? 'ինչպե՞ս։' he: 'er: »Ja!«' 'you come?' 'tu viens ?' 'the man.' "l'homme. Non !" >early.tsv
old=$root/tests/golden/early-words.safetensors
same "translations of a model of 0.1.0" 'ինչպե ՞ ս ։,er:» Ja! «,tu viens?,l'"'"'homme. Non!,' \
    "$(cut -f 1 early.tsv | "$softalign" translate "$old" 2>err | tr '\n' ,)"
grep -q "^note: '$old' is a model of 0.1.0: " err || fail "no note of its rules: $(cat err)"
"$softalign" align "$old" early.tsv --csv early.csv 2>err || fail "align: $(cat err)"
same "tokens of a model of 0.1.0" 'ինչպե՞ս ։ </s>' "$(tail -n +2 early.csv/0001.csv | cut -d , -f 1 | xargs)"

finish
