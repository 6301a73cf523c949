# What the README and corpora/LESSONS.md show is true: in a fresh copy of the tree, in a folder whose name must be
# quoted, every block of commands runs,
# one after the other, and none writes over a file of another. So do the commands that the lessons print, which
# write what the lessons wrote. The README's program, which the build compiles, prints a translation and where the
# model looked.
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

# ---- A copy of the tree with a program that trains for a few updates on few pairs

mkdir -p softalign/scripts/dev softalign/corpora bin
cp -r "$root"/scripts/{lessons,demo,setup} softalign/scripts
cp "$root"/scripts/dev/{usage.sh,packages.tsv} softalign/scripts/dev
cp -r "$root"/corpora/* softalign/corpora

# Lesson 22 draws as many curves as in its short form.
sed -i 's/^draws=$(brief [0-9]* \([0-9]*\))$/draws=\1/' softalign/scripts/lessons/22-*
grep -qx 'draws=[0-9]*' softalign/scripts/lessons/22-* || fail "lesson 22 has no line of draws"

# What fails (gradcheck --break) must fail, and no file may be there already that is written. Few sentences are
# translated, enough for one of six words, and fewer proved.
cat >small <<SMALL
#!/bin/bash
set -f
command=$(printf %q "$softalign")
SMALL
cat >>small <<'SMALL'
given=("$@") arguments=() pairs=24
while [ $# -gt 0 ]; do
    arguments+=("$1")
    case $1 in
    --steps | --pairs | --limit)
        case ${given[0]}$1 in
        prove--limit) most=2 ;;
        *--limit) most=$2 ;;
        *--steps) most=3 ;;
        *) most=$pairs ;;
        esac
        arguments+=($(($2 < most ? $2 : most)))
        shift
        ;;
    --test) # eight sentences
        head -n 8 "$2" >"$2.few"
        arguments+=("$2.few")
        shift
        ;;
    --out | --csv | --svg | --html | --tidy | --weights)
        [ ! -e "$2" ] || { [ -d "$2" ] && [ -z "$(ls -A "$2")" ]; } || { echo "$2 is written again" >&2 && exit 99; }
        ;;
    esac
    shift
done
case ${given[0]} in
train | compare) arguments+=(--threads 1) ;;
esac
case ${given[0]}:${given[*]} in
train:*--steps* | compare:*--steps* | corpus:*--pairs*) ;;
train:* | compare:*) arguments+=(--steps 3) ;;
corpus:*) arguments+=(--pairs 24) ;;
gradcheck:*--break*) ! "$command" "${arguments[@]}" && exit ;;
esac
exec "$command" "${arguments[@]}"
SMALL
chmod +x small

# The build: of what the presets would make, the command is enough here.
cat >bin/cmake <<'CMAKE'
#!/bin/sh
[ "$*" != "--build --preset release" ] || { mkdir -p build/release && cp ../small build/release/softalign; }
CMAKE
chmod +x bin/cmake

# shown FILE: runs it as one would paste it, but stops at an error, and where a file would be written again.
shown() {
    { echo "set -eC -o pipefail; trap 'sed -n \${LINENO}p \"\$run\" >&2' ERR" && cat "$1"; } >run
    run=$PWD/run PATH=$PWD/bin:$PATH bash run >"$1.out" 2>"$1.err" || fail "$1 ends at: $(tail -n 4 "$1.err")"
}

# What a user brings: a spreadsheet and sentences. scripts/test only says that it was called.
{ echo en,it && sed -n '1,24s/^\([^\t]*\)\t\([^\t]*\).*/"\1","\2"/p' "$root/corpora/reorder.sample.tsv"; } >softalign/sheet.csv
cut -f 1 "$root/corpora/reorder.sample.tsv" | head -n 3 >softalign/sentences.txt
printf '#!/bin/sh\necho tested\n' >softalign/scripts/test && chmod +x softalign/scripts/test

{
    echo "cd softalign"
    blocks sh "$root/README.md"
    blocks sh "$root/corpora/LESSONS.md" | sed '1a cp -r build/lessons ../written' # its first block runs the lessons
} >commands
[ "$(grep -c 'softalign ' commands)" -ge 35 ] || fail "the documents have $(grep -c 'softalign ' commands) commands"
shown commands
for file in build/demo/matrices/0001.csv matrices/0001.csv figures/0001.svg toy-csv/0009.csv translations.txt history/table.csv \
    build/lessons/{02-bottleneck/wide,05-luong-bahdanau/longer,12-history/seeds}/table.csv; do
    [ -s "softalign/$file" ] || fail "no block writes $file"
done
grep -qx 1100 commands.out || fail "attend does not look up 1100"

# ---- The lessons' own commands, pasted, in other folders

mv softalign/build/lessons exercises
sed -n '/^\$ mkdir -p .*lessons/,$s/^\$ //p' commands.err >pasted
shown pasted
diff -rq -x .lock -x log.csv -x run.json -x 'table.*' -x curves.csv -x page.html -x reorder.html softalign/build/lessons written |
    grep -v '^Only in written/[^/]*: [a-z0-9-]*\.svg$' >differences # charts are no command's
[ -s differences ] && fail "the lessons' commands do not write what the lessons wrote: $(cat differences)"

# What is in their folders, perhaps by a student, stays.
for again in lessons/01-soft-look-up demo; do
    before=$(find softalign/build/$again | sort)
    softalign/scripts/$again >out 2>err
    same "exit of a second $again" 6 $?
    grep -q "/$again' holds files, .*--overwrite" err || fail "a second $again: $(cat err)"
    same "files after a second $again" "$before" "$(find softalign/build/$again | sort)"
done
PATH=$PWD/bin:$PATH softalign/scripts/lessons/01-soft-look-up --overwrite >out 2>err || fail "--overwrite: $(cat err)"

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
