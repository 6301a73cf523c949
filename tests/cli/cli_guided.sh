# train --guided-alignment: links from a third column or a file, what is refused, the log's column.
. tests/support/cli.sh

"$softalign" corpus reorder --pairs 300 >pairs.tsv
cut -f 1 pairs.tsv >source
cut -f 2 pairs.tsv >target
cut -f 3 pairs.tsv >links
cut -f 1,2 pairs.tsv >plain.tsv
sizes="--embed 16 --hidden 16 --attn 16 --maxout 8 --shards 2 --steps 40 --valid-every 20 --max-time 0"
guided="$sizes --guided-alignment 1"

train() { # OUT ARGUMENT...
    "$softalign" train --out "$@" 2>err || fail "train $*: $(cat err)"
}

# A file of links beside two files of text says the same as the third column, and goes before it.
train column --train pairs.tsv $guided
train file --train source,target --alignments links $guided
cmp column/last.safetensors file/last.safetensors || fail "a file of links guides otherwise than a column"
sed 's/.*/0-0/' links >moved
train other --train pairs.tsv --alignments moved $guided
cmp -s column/last.safetensors other/last.safetensors && fail "the file does not go before the column"

# A resumed training has the links it began with.
resume="--train pairs.tsv --out other --resume --steps 60 --max-time 0 --alignments"
"$softalign" train $resume links 2>err
same "exit code of other links" 3 $?
grep -q "^softalign: pairs.tsv: the alignments have changed since 'other/last.safetensors' was saved" err ||
    fail "other links: $(tail -n 1 err)"
"$softalign" train $resume moved 2>err || fail "the same links: $(tail -n 1 err)"

# The third column is ignored without the option, and the log's column is empty.
train off --train pairs.tsv $sizes
train plain --train plain.tsv $sizes
cmp off/last.safetensors plain/last.safetensors || fail "links matter without --guided-alignment"
logged() { # DIR: the column of every row
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { print $at["guided_loss"] }' "$1/log.csv"
}
[ -z "$(logged off | tr -d '\n')" ] || fail "a loss of guided alignment without it: $(logged off)"
logged column | awk '{ if (!($1 > 0) || NR > 1 && $1 >= last) bad = 1; last = $1 } END { exit bad || NR != 2 }' ||
    fail "the loss of guided alignment does not fall: $(logged column)"

# Links of words go to all their sub-words; those beyond the words are refused.
train pieces --train pairs.tsv $guided --tokenizer bpe --bpe-merges 40
sed '7s/$/ 0-40/' pairs.tsv >beyond.tsv
for tokenizer in word bpe; do
    "$softalign" train --out beyond --train beyond.tsv $guided --tokenizer $tokenizer --bpe-merges 40 2>err
    same "exit code of links beyond the words" 3 $?
    grep -q '^softalign: beyond.tsv:7: link 0-40 is beyond the sentence' err || fail "$(tail -n 1 err)"
done

expect 2 "--guided-alignment: the decoder 'fixed' has no attention" \
    train --out no --train pairs.tsv $guided --decoder fixed
expect 2 "--alignments needs --guided-alignment X" \
    train --out no --train source,target --alignments links $sizes
wants="--guided-alignment needs the links of every pair: in a third column, or in a file named by --alignments"
"$softalign" train --out no --train plain.tsv $guided 2>err
same "exit code without links" 3 $?
same "message without links" "softalign: plain.tsv: $wants" "$(tail -n 1 err)"
sed 's/-/:/g' pairs.tsv >colons.tsv
"$softalign" train --out no --train colons.tsv $guided 2>err
grep -qF "softalign: colons.tsv: $wants; colons.tsv:1: no third column is read as an alignment: '" err ||
    fail "links that cannot be read: $(tail -n 1 err)"
head -n 299 links >short
"$softalign" train --out no --train source,target --alignments short $guided 2>err
same "exit code of too few links" 3 $?
same "message of too few links" "softalign: 'short' has 299 lines but 'source,target' has 300" "$(tail -n 1 err)"

# A comparison that is resumed must see the same links.
comparing="compare --out runs --train swapped.tsv --test plain.tsv --models cgru $guided"
cp pairs.tsv swapped.tsv
"$softalign" $comparing >out 2>err || fail "compare: $(cat err)"
sed -i 's/\t0-0/\t0-1/' swapped.tsv
"$softalign" $comparing >out 2>err
same "exit code of other links" 6 $?
same "message of other links" "softalign: --train: 'runs/cgru-s1' was trained with other pairs, choose another --out, or --overwrite" "$(tail -n 1 err)"
finish
