# What the README shows is true: the commands of its first hour run, on few pairs and for a few updates, and
# its program, which the build compiles, prints a translation and where the model looked.
. tests/support/cli.sh

part() { sed -n "/^<!-- $1 -->\$/,/^<!-- \/$1 -->\$/p" "$root/README.md" | grep -v '^<!--\|^```'; }

ln -s "$softalign" softalign
part 'first hour' | sed -e 's|^export PATH=[^ ]*|export PATH=$PWD:$PATH|' \
    -e 's/--pairs 500/--pairs 20/' -e 's/corpus reorder >/corpus reorder --pairs 400 >/' \
    -e 's/softalign train /&--steps 5 /' \
    -e 's/softalign compare /&--steps 5 /' -e 's/--break [a-z.]*/& || [ $? -eq 1 ]/' >hour
[ "$(grep -c softalign hour)" -ge 15 ] || fail "the first hour has $(grep -c softalign hour) commands"
bash -e -o pipefail hour >out 2>err || fail "the first hour: $(tail -n 3 err)"
for file in matrices/0009.csv figures/0009.svg translations.txt history/table.md; do
    [ -s "$file" ] || fail "the first hour writes no $file"
done
grep -q 1100 out || fail "attend does not look up 1100"

for module in "$root"/src/*/; do
    grep -qE "(^|  )src/$(basename "$module") " "$root/README.md" || fail "the map does not show ${module#"$root/"}"
done

program=$(dirname "$softalign")/tests/readme_program
"$program" reorder/best.safetensors "the sad cat finds a dog ." >out 2>err || fail "the program: $(cat err)"
same "translation" "$(echo "the sad cat finds a dog ." | "$softalign" translate reorder/best.safetensors)" "$(head -n 1 out)"
tail -n +2 out >links
[ -s links ] || fail "the program prints no words"
grep -vE '^.+ <- .+ \([01]\.[0-9]{2}\)$' links && fail "the program prints other lines"
"$program" none.safetensors a 2>err && fail "the program finds a model that is not there"
same "message" "cannot open 'none.safetensors': No such file or directory" "$(cat err)"

finish
