# What corpora/LESSONS.md shows is true: in a fresh copy of the tree, in a folder whose name must be quoted, all lessons
# and every block of commands run, one after the other, and none writes over a file of another. So do the commands that
# the lessons print, which write what the lessons wrote.
. tests/support/cli.sh
mkdir "x y's é %" && cd "x y's é %" || exit 1
. "$root/tests/support/brief.sh"

# Lesson 22 draws as many curves as in its short form, and lesson 23 has as few students.
sed -i "s/\(draws\|seeds\)=\$(brief .* \([0-9]*\))$/\1=\2/" softalign/scripts/lessons/2[23]-*
same "lessons 22 and 23, shorter" "draws=20 seeds=1" "$(grep -hoE '(draws|seeds)=[0-9]+$' softalign/scripts/lessons/2[23]-* | xargs)"

{
    echo "cd softalign"
    blocks sh "$root/corpora/LESSONS.md" | sed "1a cp -r build/lessons ../written" # its first block runs the lessons
} >commands
[ "$(grep -c 'softalign ' commands)" -ge 20 ] || fail "LESSONS.md has $(grep -c 'softalign ' commands) commands"
shown commands
for file in {02-bottleneck/wide,05-luong-bahdanau/longer,12-history/seeds}/table.csv; do
    [ -s "softalign/build/lessons/$file" ] || fail "no block writes $file"
done
grep -qx 1100 commands.out || fail "attend does not look up 1100"

# ---- The lessons' own commands, pasted, in other folders

mv softalign/build/lessons exercises
sed -n '/^\$ mkdir -p .*lessons/,$s/^\$ //p' commands.err >pasted
shown pasted
diff -rq -x .lock -x log.csv -x run.json -x 'table.*' -x curves.csv -x page.html -x reorder.html softalign/build/lessons written |
    grep -v '^Only in written/[^/]*: [a-z0-9-]*\.svg$' >differences # charts are no command's
[ -s differences ] && fail "the lessons' commands do not write what the lessons wrote: $(cat differences)"
shown_again lessons/01-soft-look-up

# Lesson 9 and its page look at the sentence that LESSONS.md draws.
sentence=$(head -n 1 written/09-self-attention/senses.txt)
same "the sentence at which the page of lesson 9 opens" "$sentence" \
    "$(sed -n 10p written/09-self-attention/unseen.tsv | cut -f 1)"
same "the words of the picture in LESSONS.md" "${sentence%.} . </s>" \
    "$(blocks text "$root/corpora/LESSONS.md" | awk '/░|▒|▓|█|·/ { print $1 }' | xargs)"
picture='softalign align model/best.safetensors senses.tsv --site encoder --layer . --head . --limit 1 --terminal'
for commands in pasted "$root/corpora/LESSONS.md"; do
    grep -qx "$picture" "$commands" || fail "$commands does not draw the picture of lesson 9"
done

# The README's table of the history has rows of the one that lesson 12 makes, in their order.
history() { awk -F ' [|] ' '/^[|] [12][0-9][0-9][0-9] / { print $1, $2, $3 }' "$1"; }
same "lines of the README's table of the history" 10 "$(history "$root/README.md" | wc -l)"
history written/12-history/table.md | grep -Fxf <(history "$root/README.md") >rows
diff rows <(history "$root/README.md") >differences ||
    fail "README.md has other rows of the history than the lesson makes: $(cat differences)"

finish
