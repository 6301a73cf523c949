# What the README shows is true: in a fresh copy of the tree, in a folder whose name must be quoted, every block of
# commands runs, one after the other, and none writes over a file of another. The README's program, which the build
# compiles, prints a translation and where the model looked. (cli_lessons.sh does the same with corpora/LESSONS.md.)
. tests/support/cli.sh
mkdir "x y's é %" && cd "x y's é %" || exit 1

# Code blocks: "sh" are run, "sh no_run" cannot be, "text" and "c" are no commands; python_module runs
# "python".
for file in README.md corpora/LESSONS.md; do
    same "kinds of code blocks in $file" "" "$(awk '/^```/ && (inside = !inside)' "$root/$file" |
        grep -vx '```\(c\|python\|text\|sh\|sh no_run\)')"
done
same "blocks that are not run" "" "$(blocks 'sh no_run' "$root/README.md" "$root/corpora/LESSONS.md")"
# What the rows of the table say to type is run by api_install, scripts/package --try, web_npm, python_wheel, python_pyodide.
same "rows of README's table of installing" "this clone,Debian 12,any Node,Python, Linux,Pyodide" \
    "$(sed -n '/^## Use/,/^## Read/s/^| \([^|]*\) | `.*/\1/p' "$root/README.md" | paste -s -d ,)"

# What a user brings: a spreadsheet and sentences. scripts/test only says that it was called.
. "$root/tests/support/brief.sh"
{ echo en,it && sed -n '1,24s/^\([^\t]*\)\t\([^\t]*\).*/"\1","\2"/p' "$root/corpora/reorder.sample.tsv"; } >softalign/sheet.csv
cut -f 1 "$root/corpora/reorder.sample.tsv" | head -n 3 >softalign/sentences.txt
printf '#!/bin/sh\necho tested\n' >softalign/scripts/test && chmod +x softalign/scripts/test

{ echo "cd softalign" && blocks sh "$root/README.md"; } >commands
[ "$(grep -c 'softalign ' commands)" -ge 14 ] || fail "the README has $(grep -c 'softalign ' commands) commands"
shown commands
for file in build/demo/matrices/0001.csv matrices/0001.csv figures/0001.svg toy-csv/0009.csv translations.txt history/table.csv; do
    [ -s "softalign/$file" ] || fail "no block writes $file"
done
shown_again demo

# Where CMake cannot build, nothing is written.
for name in 'a"b' 'a;b' 'a#b' 'a\b' 'a|b' 'a<b' 'a>b' 'a[b]' $'a\nb'; do
    mkdir "$name" && mv softalign/scripts "$name"
    for script in demo lessons/01-soft-look-up; do
        "$name/scripts/$script" >out 2>err
        same "exit of $script in '$name'" 2 $?
        grep -qF "${script##*/}: CMake cannot build in '$PWD/a" err || fail "$script in '$name': $(cat err)"
    done
    [ "$(ls "$name")" = scripts ] || fail "$script in '$name' writes $(ls "$name")"
    mv "$name/scripts" softalign
done

# ---- The presets, the tree and the program

cmake -S "$root" -B release --preset release >out 2>&1 && ninja -C release -t query all >targets
same "what the release preset builds" "libsoftalign.a softalign manual" \
    "$(sed 's/^ *//' targets | grep -x 'libsoftalign.a\|softalign\|manual\|tests\|bench' | xargs)"

for module in "$root"/src/*/; do
    grep -qE "(^|  )src/$(basename "$module") " "$root/src/README.md" || fail "the map does not show ${module#"$root/"}"
done

program=$(dirname "$softalign")/tests/example
model=softalign/reorder/best.safetensors
"$program" $model "the sad cat finds a dog ." >out 2>err || fail "the program: $(cat err)"
same "translation" "$(echo "the sad cat finds a dog ." | "$softalign" translate $model)" "$(head -n 1 out)"
tail -n +2 out >links
[ -s links ] || fail "the program prints no words"
grep -vE '^.+ <- .+ \([01]\.[0-9]{2}\)$' links && fail "the program prints other lines"
"$program" none.safetensors a 2>err && fail "the program finds a model that is not there"
same "message" "cannot open 'none.safetensors': No such file or directory" "$(cat err)"

finish
