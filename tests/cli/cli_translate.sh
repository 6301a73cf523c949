# translate: lines in, lines out, in every form that text comes in.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors

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

# Empty lines stay where they are.
(echo && head -n 1 source.txt && echo && echo '  ' && head -n 1 source.txt) |
    "$softalign" translate $model >out
(echo && head -n 1 file && echo && echo && head -n 1 file) | cmp - out || fail "empty lines"
same "nothing" "" "$(: | "$softalign" translate $model)"

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
[ -z "$(grep -vE '^[0-9]+ \|\|\| .* \|\|\| -?[0-9]+\.[0-9]{6}$' nbest)" ] || fail "n-best form"
awk -F ' [|][|][|] ' 'NR > 1 && $1 == last && $3 > score { exit 1 } { last = $1; score = $3 }' nbest ||
    fail "n-best order"
head -n 3 source.txt | "$softalign" translate $model --beam 4 | diff - \
    <(awk -F ' [|][|][|] ' 'NR == 1 || $1 != last { print $2 } { last = $1 }' nbest) ||
    fail "the first of the n best is not the translation"

# Threads change nothing.
"$softalign" translate $model source.txt --threads 3 --beam 3 >three
"$softalign" translate $model source.txt --threads 1 --beam 3 | cmp - three || fail "threads"
finish
