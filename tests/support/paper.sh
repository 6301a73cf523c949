# Sourced by cli_rnnsearch.sh and cli_transformer.sh, after they have set:
#   paper     the file of src/paper without .c
#   broken    lines of its backward functions, each a regular expression, a tab, and a wrong line for it
#   search    how softalign searches as the file does
#   updates   of a training without pairs to validate
# The file alone, by several compilers: its own check, training, search and attention against softalign with the model
# that it saves, and what it says of odd files and full disks.
file=$root/src/paper/$paper.c

# ---- Compilers

compile() { # OUT COMPILER OPTION...
    local out=$1
    shift
    "$@" "$file" -o "$out" -lm 2>said || fail "$*: $(cat said)"
    [ ! -s said ] || fail "$* warns: $(cat said)"
}

[ "$(wc -l <"$file")" -le 900 ] || fail "$file has more than 900 lines"
grep -nE '\b(sa|SA)_[a-z]' "$file" && fail "$file names the library"
# What the library's comments say of it.
find "$root/src" -name '*.[ch]' -exec cat {} + | tr '\n' ' ' | sed -E 's/ +\* +/ /g' |
    grep -oE '([a-z_]+ and )?[a-z_]+ of paper/'$paper'\.c' | sed 's/ of .*//; s/ and /\n/' >named
while read -r name; do
    grep -qE "^static .*\b$name\(" "$file" || fail "$file has no $name"
done <named
[ "$paper" != rnnsearch ] || [ "$(wc -l <named)" -ge 10 ] || fail "the library points to $(wc -l <named) functions"
warnings=(-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow)
! has gcc || compile $paper gcc -O3 "${warnings[@]}"
! has clang || compile $paper.clang clang -O2 "${warnings[@]}"
! has tcc || compile $paper.tcc tcc -Wall
! has gcc || compile sanitized gcc -O0 -g -fsanitize=address,undefined -fno-sanitize-recover=all
if command -v x86_64-w64-mingw32-gcc >/dev/null; then
    compile $paper.exe x86_64-w64-mingw32-gcc -O2 "${warnings[@]}"
else
    echo "no mingw-w64: not compiled for Windows"
fi
[ -x $paper ] || finish

# run CODE MESSAGE ARGUMENT...: the exit code of the sanitized program, and its line on standard error.
run() {
    local code=$1 message=$2
    shift 2
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 ./sanitized "$@" >out 2>err
    local got=$?
    [ $got -eq "$code" ] || fail "$paper $*: exit $got, expected $code: $(cat err)"
    [ "$(cat err)" = "${message:+$paper: $message}" ] ||
        fail "$paper $*: said '$(cat err)', expected '$message'"
}

# ---- Its own check

run 0 "" check
grep -q '^all gradients are right$' out || fail "check: $(cat out)"
for program in ./$paper.clang ./$paper.tcc; do
    [ ! -x $program ] || $program check >out || fail "$program check: $(cat out)"
done
# Wine takes its time to start.
wine=$(command -v wine /usr/lib/wine/wine64 | head -n 1) in_wine=
if [ -f $paper.exe ] && [ -n "$wine" ]; then
    WINEPREFIX=$scratch/wine WINEDEBUG=-all "$wine" $paper.exe check >wine.out 2>&1 &
    in_wine=$!
fi

# Each of these lines of a backward function, broken, is found.
while IFS=$'\t' read -r line wrong; do
    sed "s|$line|$wrong|" "$file" >broken.c
    ! cmp -s broken.c "$file" || fail "no line has $line"
    gcc -O0 broken.c -o broken -lm && ./broken check >out
    [ $? -eq 1 ] || fail "check does not find $wrong: $(cat out)"
done <<<"$broken"

# ---- Training, and softalign with the model

"$softalign" corpus mono --pairs 300 | cut -f 1,2 >mono.tsv
head -n 12 mono.tsv >train.tsv
tail -n 50 mono.tsv >unseen.tsv
cut -f 1 unseen.tsv >sources
[ "$(timeout 100 ./$paper train train.tsv model.safetensors train.tsv 2>&1 | tail -n 1 | grep -o '[0-9.]* % exact')" = "100.0 % exact" ] ||
    fail "12 pairs are not learned by heart"
for beam in 1 4; do
    "$softalign" translate model.safetensors sources --beam $beam $search --quiet >theirs
    ./$paper translate model.safetensors $beam <sources | diff - theirs || fail "other translations with a beam of $beam"
done
# alpha, but for single precision in softalign
mkdir ours
run 0 "" align model.safetensors train.tsv --csv ours
[ "$(echo ours/*.csv | wc -w)" -eq 12 ] || fail "files of 12 pairs: $(ls ours)"
"$softalign" align model.safetensors train.tsv --limit 1 --csv csv >out 2>err
paste -d , <(tr -d '"' <ours/0001.csv) csv/0001.csv | awk -F , '{
    for (i = 1; i <= NF / 2; i++) if ($i != $(i + NF / 2) && ($i - $(i + NF / 2)) ^ 2 > 1e-10) exit 1
    } END { exit NR < 3 }' || fail "other attention: $(cat ours/0001.csv csv/0001.csv)"
# Alpha is nearly uniform yet, but not blank.
./$paper align model.safetensors train.tsv | grep -q '[█▓▒░]' || fail "no heatmap"
"$softalign" eval model.safetensors train.tsv --json 2>err | grep -q '"exact": 1.0' || fail "eval: $(cat err)"
"$softalign" prove model.safetensors train.tsv --limit 2 >out 2>err || fail "prove: $(cat out err)"
"$softalign" explain model.safetensors "$(head -n 1 sources)" >out 2>err || fail "explain: $(cat err)"
"$softalign" inspect model.safetensors >out 2>err || fail "inspect: $(cat err)"
[ ! -x $paper.tcc ] || ./$paper.tcc translate model.safetensors 4 <sources | diff - theirs ||
    fail "tcc translates otherwise"

printf 'a\tb\n' >one.tsv
sed "s/ UPDATES = $updates\b/ UPDATES = 1000/" "$file" >sooner.c # as long, but for that number
! cmp -s sooner.c "$file" && gcc -O1 sooner.c -o sooner -lm || fail "$paper does not make $updates updates"
./sooner train one.tsv one.safetensors 2>&1 | tail -n 1 | grep -q "^1000 updates: .* 100.0 % exact\$" ||
    fail "training ends although there are no pairs to validate"

# ---- Full disks

for command in "translate model.safetensors" "align model.safetensors train.tsv" check; do
    # shellcheck disable=SC2086
    ./$paper $command <sources >/dev/full 2>err
    same "exit code of $command on a full disk" 5 $?
    same "$command on a full disk" "$paper: stdout: it cannot be written" "$(cat err)"
done
run 4 "none/0001.csv: it cannot be opened" align model.safetensors train.tsv --csv none
# A new model takes the place of the old one once it is whole.
cp one.safetensors old.safetensors
(
    ulimit -f 4 # blocks of 1 KiB
    trap '' XFSZ
    ./$paper train train.tsv one.safetensors train.tsv 2>err
)
same "exit code where a model does not fit" 5 $?
cmp -s one.safetensors old.safetensors || fail "the old model is lost"

# ---- Odd pairs

./sanitized nothing 2>/dev/null
[ $? -eq 2 ] || fail "an unknown command is no wrong usage"
odd() { # MESSAGE TEXT: said of pairs
    printf '%b' "$2" >odd.tsv
    run 3 "$1" align model.safetensors odd.tsv
}
odd "odd.tsv: no sentence pairs" ""
odd "odd.tsv:2: no tab between source and target" 'a\tb\nno tab\n'
odd "odd.tsv:1: a NUL, or more than 1 MiB" 'a\0\tb\n'
odd "odd.tsv:2: a NUL, or more than 1 MiB" 'a\tb\ne f\tg h\0i j'
head -c 2000000 /dev/zero | tr '\0' a >odd.tsv
run 3 "odd.tsv:1: a NUL, or more than 1 MiB" align model.safetensors odd.tsv
run 4 "missing.tsv: it cannot be opened" align model.safetensors missing.tsv
printf 'un\r\tb c\r\n\t\n%s\tx\nd\te\tthird' "$(yes w | head -n 60 | xargs)" >odd.tsv
ASAN_OPTIONS=detect_leaks=0 ./sanitized align model.safetensors odd.tsv --csv ours 2>err || fail "odd lines: $(cat err)"
same "lines of odd pairs" ',"un","</s>"' "$(sed -n 1p ours/0001.csv)"
grep -q 'skipped 2 empty/long pairs$' err || fail "two pairs left out: $(cat err)"
yes w | head -n 60 | xargs >long
run 3 "stdin:1: too many words" translate model.safetensors <long
printf '\n \nthe\n' | run 0 "" translate model.safetensors
same "blank lines" 3 "$(wc -l <out)"

# ---- Damaged models

size=$(stat -c %s model.safetensors)
sizes=$(grep -abo "\"$paper\":\"" model.safetensors | cut -d : -f 1)
for keep in 0 7 8 500 20000 $((size - 1)); do
    head -c "$keep" model.safetensors >damaged.safetensors
    said="it is damaged"
    [ "$keep" -gt 10000 ] || said="it is not a model of $paper"
    run 3 "damaged.safetensors: $said" translate damaged.safetensors <sources
done
(cat model.safetensors && printf x) >damaged.safetensors
run 3 "damaged.safetensors: it is damaged" translate damaged.safetensors <sources
for at in 0 6 $((sizes + ${#paper} + 5)) $((sizes + ${#paper} + 14)) 3000 $((size / 2)) $((size - 300)) $((size - 2)); do
    for byte in '\0' '\377' 9; do
        cp model.safetensors damaged.safetensors
        printf '%b' "$byte" | dd of=damaged.safetensors bs=1 seek="$at" conv=notrunc 2>/dev/null
        cmp -s model.safetensors damaged.safetensors && continue
        ASAN_OPTIONS=detect_leaks=0 ./sanitized translate damaged.safetensors <sources >out 2>err
        [ $? -eq 3 ] || fail "byte $at as $byte: $(cat err)"
        [ "$(wc -l <err)" -eq 1 ] || fail "byte $at as $byte: $(cat err)"
    done
done
[ -z "$in_wine" ] || wait "$in_wine" || fail "$paper.exe check: $(cat wine.out)"
finish
