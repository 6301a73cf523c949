# log.csv: a row per validation, in which the words are those the updates learned from, and the
# seconds of the updates grow within those of the whole run.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 100 >mono.tsv
"$softalign" train --train mono.tsv --valid mono.tsv --tokenizer space --embed 8 --hidden 8 --attn 4 \
    --maxout 4 --batch 30 --epochs 3 --out log 2>err || fail "train: $(cat err)"

words=$(cut -f 2 mono.tsv | awk '{ sum += NF + 1 } END { print sum }') # an end mark each
same "words of three epochs" "$words $((2 * words)) $((3 * words))" \
    "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { printf "%s%s", space, $at["words"]; space = " " }' log/log.csv)"
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { now = $at["updating"]; if (!(now > last && now < $at["seconds"] + 0.01)) exit 1; last = now }' \
    log/log.csv || fail "the seconds of updates: $(cat log/log.csv)"
finish
