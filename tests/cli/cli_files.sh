# The world's mistakes: wrong paths, broken corpora and models, full disks, closed outputs. Each gives
# one clear line and its exit code, and leaves what was there as it was.
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
before=$(find . -name '*.tsv' -o -name '*.safetensors' | sort | xargs cksum)

# Paths.
missing="No such file or directory"
expect 4 "cannot open 'none.tsv': $missing" train --train none.tsv --out other
expect 4 "cannot open 'none.tsv': $missing" train --train tiny.tsv --valid none.tsv --out other
expect 4 "cannot open 'a.en': $missing" train --train a.en,a.fr --out other
expect 4 "cannot open '.': Is a directory" eval $model .
expect 4 "cannot open 'none': $missing" translate none
expect 4 "cannot open 'none.txt': $missing" translate $model none.txt
expect 4 "cannot open 'none': $missing" inspect none
expect 4 "cannot open '.': not a regular file" inspect .
expect 4 "cannot open 'none/last.safetensors': $missing" train --train tiny.tsv --out none --resume
[ ! -e other ] && [ ! -e none ] || fail "a failed training left a folder"
expect 4 "cannot create 'a/b': $missing" train --train tiny.tsv --out a/b
expect 4 "cannot open 'tiny.tsv': Not a directory" train --train tiny.tsv --out tiny.tsv

# Corpora.
printf 'a b\tc d\nno tab here\n' >broken.tsv
expect 3 "broken.tsv:2: no tab; expected source TAB target" train --train broken.tsv --out other
expect 3 "broken.tsv:2: no tab; expected source TAB target" eval $model broken.tsv
expect 3 "broken.tsv:2: no tab; expected source TAB target" align $model broken.tsv
printf 'a\tb\t0-0\na\tb\t0:0\n' >gold.tsv
"$softalign" eval $model gold.tsv >out 2>err
same "a broken alignment" 3 $?
grep -q "^softalign: gold.tsv:2: alignment: " err || fail "a broken alignment: $(cat err)"
: >empty.tsv
expect 3 "empty.tsv: no sentence pairs (0 lines, 0 with an empty side)" eval $model empty.tsv
printf 'a\tb\n\xff\tb\n' >latin.tsv
"$softalign" eval $model latin.tsv >out 2>err
same "a corpus that is not UTF-8" 3 $?
grep -q "^softalign: latin.tsv:2: not UTF-8 at byte 1: 0xFF" err || fail "not UTF-8: $(cat err)"

# Models.
expect 3 "tiny.tsv: not a safetensors file but text" translate tiny.tsv
head -c 1000 $model >short
"$softalign" inspect short >out 2>err
same "a truncated model" 3 $?
size=$(stat -c %s $model)
for at in 9 $((size / 2)) $((size - 1)); do
    cp $model altered
    byte=$(od -An -tu1 -j $at -N 1 altered)
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of=altered bs=1 seek=$at conv=notrunc 2>/dev/null
    for command in "inspect altered" "translate altered" "align altered tiny.tsv"; do
        "$softalign" $command >out 2>err </dev/null
        same "$command, byte $at altered" 3 $?
        same "lines on standard error" 1 "$(wc -l <err)"
        same "lines on standard output" 0 "$(wc -l <out)"
    done
done

# Options against files.
expect 2 "--hidden: 'tiny/last.safetensors' was trained with --hidden 8, which resuming cannot change" \
    train --train tiny.tsv --out tiny --resume --hidden 9
expect 2 "'tiny.tsv' is an input: choose another output" \
    align $model tiny.tsv --tidy tiny.tsv
expect 2 "'$model' is an input: choose another output" \
    align $model tiny.tsv --pharaoh $model
expect 2 "'tiny.tsv' is an input: choose another output" \
    eval $model tiny.tsv --per-sentence tiny.tsv

# No output replaces an input or another output, by whatever name; nothing is written before that
# is known.
cut -f 3 tiny.tsv >links
ln tiny.tsv hard.tsv
ln -s tiny.tsv soft.tsv
mkdir used && cp $model used/0001.npy
refuse() { # MESSAGE ARGUMENT...
    expect 2 "$@"
    same "files after $2" "$listed" "$(ls -R . | grep -v '^\(out\|err\)$' | cksum)"
}
listed=$(ls -R . | grep -v '^\(out\|err\)$' | cksum)
again="is an input: choose another output"
refuse "'links' $again" train --train tiny.tsv --alignments links --guided-alignment 1 --html links --out other
refuse "'hard.tsv' $again" train --train tiny.tsv --html hard.tsv --out other
refuse "'soft.tsv' $again" train --train a,b --valid tiny.tsv --html soft.tsv --out other
refuse "'tiny/log.csv' $again" train --train tiny/log.csv --out ./tiny --overwrite
refuse "'used/0001.npy' $again" align used/0001.npy tiny.tsv --npy used
for file in best.safetensors last.safetensors log.csv film/0001/1.csv; do
    refuse "--out and --html both write 'other/$file'" train --train tiny.tsv --out other --html other/$file
done
for file in table.csv fixed-s1/best.safetensors; do
    refuse "--out and --html both write 'other/$file'" \
        compare --train tiny.tsv --test tiny.tsv --models fixed --out ./other --html other/$file
done
refuse "--tidy and --pharaoh both write 'other'" align $model tiny.tsv --tidy other --pharaoh ./other
refuse "--all-heads and --npy both write 'used'" align $model tiny.tsv --npy used --all-heads tiny/../used
refuse "--out and --dropped both write 'other'" clean tiny.tsv --out other --dropped other
refuse "clean: only one result can go to standard output" clean tiny.tsv --dropped -
refuse "eval: only one result can go to standard output" eval $model tiny.tsv --per-sentence -
refuse "source and target are the same file 'links'" train --train links,./links --out other
refuse "translate: standard input can be only one of the files" \
    translate $model - --replace-unknown --dictionary -
expect 0 "" align $model tiny.tsv --limit 1 --csv used --npy used --pharaoh /dev/null --tidy /dev/null
same "what was written" "wrote used/0001.csv wrote used/0001.npy wrote /dev/null wrote /dev/null" "$(xargs <err)"

# A link is followed to the file or device that it leads to.
ln -s used/each through
ln -s /dev/stdout so
ln -s loop loop
expect 0 "" eval $model tiny.tsv --per-sentence through
[ -L through ] && same "lines behind a link" 200 "$(wc -l <used/each)"
"$softalign" eval $model tiny.tsv --per-sentence so 2>/dev/null | tail -n 200 | cmp - used/each ||
    fail "what goes through a link to standard output"
[ -L so ] || fail "a link to a device is replaced"
expect 4 "cannot open 'loop': Too many levels of symbolic links" eval $model tiny.tsv --per-sentence loop

# Outputs.
full="cannot write 'standard output': No space left on device"
for command in "help" "corpus mono" "inspect $model" "eval $model tiny.tsv" "align $model tiny.tsv" \
    "translate $model tiny.tsv" "gradcheck" "prove $model tiny.tsv"; do
    "$softalign" $command >/dev/full 2>err
    same "$command to a full disk" "5 softalign: $full" "$? $(grep -v ^note: err)"
    "$softalign" $command >&- 2>err
    same "$command to a closed output" 5 $?
done
expect 5 "cannot write '/dev/full': No space left on device" \
    align $model tiny.tsv --tidy /dev/full
[ -c /dev/full ] || fail "/dev/full was replaced by a file"
expect 4 "cannot open 'none/': $missing" align $model tiny.tsv --tidy none/tidy.csv
yes 'a b c' | head -n 20000 | "$softalign" translate $model 2>err | head -n 1 >out
same "translate into a closed pipe" 5 "${PIPESTATUS[2]}"
same "its standard error" "" "$(grep -v ^note: err)"
"$softalign" translate $model <&- >out 2>err
same "a closed standard input" 5 $?
"$softalign" translate $model none.txt 2>&-
same "a closed standard error" 4 $?
(ulimit -f 1 && "$softalign" corpus mono >limited 2>err)
same "a limit of file size" 5 $?
(ulimit -f 1 && "$softalign" align $model tiny.tsv --tidy limited.csv 2>err)
same "a limit of file size for a table" 5 $?
[ ! -e limited.csv ] || fail "a table that does not fit was left behind"

# What reaches a terminal: words of a file or a model and names of files are made safe; to a file
# the text goes as it is.
hostile=$'\e]0;title\a \xe2\x80\xaeedoc\xe2\x81\xa9 a'
printf '%s\t%s\n' "$hostile" "$hostile" >hostile.tsv
"$softalign" train --train hostile.tsv --out hostile --tokenizer space --min-freq 1 --valid hostile.tsv --steps 150 \
    --lr 0.01 --valid-every 150 2>/dev/null
cut -f 1 hostile.tsv >hostile.txt
on_terminal() { # NAME COMMAND
    script -qec "$2" /dev/null </dev/null >"$1"
    LC_ALL=C grep -qP '\x1b(?!\[K)|\x07|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xc2[\x80-\x9f]' "$1" &&
        fail "$2: harm reaches the terminal: $(cat -A "$1")"
    true
}
"$softalign" translate hostile/best.safetensors hostile.txt >translated
cmp -s translated hostile.txt || fail "translate changes words for a file: $(cat -A translated)"
if has script; then
    on_terminal screen "'$softalign' translate hostile/best.safetensors hostile.txt"
    grep -qF '\x1B]0;title\x07 \u{202E}edoc\u{2069} a' screen ||
        fail "translate to a terminal: $(cat -A screen)"
    on_terminal screen "'$softalign' corpus mono --pairs 3000"
    same "tabs of a corpus on a terminal" 6000 "$(tr -cd '\t' <screen | wc -c)"
    on_terminal screen "'$softalign' eval tiny/best.safetensors hostile.tsv --diagnose"
    grep -qF 'reference    \x1B]0;title' screen || fail "eval --diagnose to a terminal: $(cat -A screen)"
    on_terminal screen "'$softalign' explain hostile/best.safetensors \"\$(cat hostile.txt)\" --all"
    evil=$'a\e]0;title\a\nb'
    on_terminal screen "'$softalign' align $model tiny.tsv --limit 1 --tidy '$evil'"
    grep -qF 'wrote a\x1B]0;title\x07\x0Ab' screen || fail "the name of what was written: $(cat -A screen)"
    on_terminal screen "'$softalign' train --train tiny.tsv --valid '$evil' --steps 1 --out '$evil'"
    on_terminal screen "'$softalign' corpus mono --pairs 2"
    grep -q $'\t' screen || fail "tabs of a table are escaped on a terminal"
fi

same "the files" "$before" "$(find . -name 'tiny*.tsv' -o -path ./tiny/'*.safetensors' | sort | xargs cksum)"
same "temporary files" "" "$(find . -name '*.tmp*')"
finish
