# The catalogue of faults: each row of golden/faults.tsv is a bad input or a hostile surrounding, with
# what must come of it: the exit code, and the message with its file and line, or what a success
# says among other things. No file may be changed, and a failure may leave nothing behind.
. tests/support/cli.sh
mkdir tree bin
ln -s "$softalign" bin/softalign
export PATH=$scratch/bin:$PATH
chmod 755 . tree
cd tree || exit 1

# ---- What the cases read ----

small() { # train ...: few weights, few steps
    softalign "$@" --embed 4 --hidden 4 --attn 4 --maxout 4 --steps 2 --shards 1
}
as_nobody() { # root may read and write all
    if [ "$(id -u)" -eq 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
export -f small as_nobody

corpora() {
    softalign corpus mono --pairs 60 >pairs.tsv
    cut -f 1 pairs.tsv >60.src
    cut -f 2 pairs.tsv | head -n 59 >59.trg
    cut -f 2 pairs.tsv | head -c -1 >nolf.trg
    printf 'a b\tc d\n' >pair.tsv
    printf '1,0\n0,1\n' >numbers.csv
    printf 'a\tb\n' >one-word.tsv
    printf 'qqq zzz\txxx yyy\nq\tx\n' >unknown.tsv
    cp pair.tsv forbidden.tsv
    : >empty.tsv
    printf '\n\n \n' >blank.tsv
    printf '\xef\xbb\xbf' >bom.tsv
    printf 'a\tb\nno tab\n' >notab.tsv
    printf 'a b\tc d\t0-0\na b\tc d\t0:0\n' >gold.tsv
    printf 'a b\tc d\tCC-BY\ta\na b\tc d\n' >columns.tsv
    printf 'a\tb\r\na c\tb d\r\na c\tb d\r\n' >crlf.tsv
    printf 'a\tb\rc\td\n' >cr.tsv
    printf '\xef\xbb\xbfa\tb\nc\td\n' >bom-first.tsv
    printf 'a\tb\nc\xef\xbb\xbf\td\n' >bom-within.tsv
    iconv -f UTF-8 -t UTF-16LE pair.tsv >utf16le.tsv
    iconv -f UTF-8 -t UTF-16BE pair.tsv >utf16be.tsv
    iconv -f UTF-8 -t UTF-32LE pair.tsv >utf32le.tsv
    printf 'caf\xe9\tb\n' >latin1.tsv
    printf 'a\t\x80\n' >continuation.tsv
    printf 'a\t\xc0\x80\n' >overlong.tsv
    printf 'a\tb\n\xed\xa0\x80\tb\n' >surrogate.tsv
    printf 'a\t\xf4\x90\x80\x80\n' >too-high.tsv
    printf 'a\tb\xe2\x82' >cut.tsv
    printf 'a\tb\0c\n' >nul.tsv
    head -c 1100000 /dev/zero | tr '\0' x >long-line.tsv
    (head -c 1000000 /dev/zero | tr '\0' x; printf '\tb\n') >long-word.tsv
    printf 'a\tb\nc\td' >no-end.tsv
    printf 'a\tb\n\tc\nd\t\n' >half.tsv
    printf 'a a\tb\na a a a\tb\n' >four.tsv
    yes $'a b\ta b' | head -n 20000 >same.tsv
    (printf 'a'; printf '\xcc\x81%.0s' {1..100000}; printf '\tb\n') >marks.tsv
    printf '\xef\xbf\xbf \xee\x80\x80 \xf3\xa0\x81\x81\tb\n' >odd.tsv
    printf 'a\xc2\xa0b\xe2\x80\xa8c\xc2\x85d\te\n' >separators.tsv
    printf 'caf\xc3\xa9\tb\ncafe\xcc\x81\tb\n' >composed.tsv
    printf '<s> <unk> x\t</s> <pad>\n' >special.tsv
    printf '<0x-1> <0xZZ> <0x1>\t<0x00>\n' >byte-tokens.tsv
    printf '=cmd|x <script> "\t@SUM(1) ]]>\n' >payload.tsv
    printf '\x1b[2J \xe2\x80\xae\tb\n' >escape.tsv
    (printf 'a %.0s' {1..3000}; printf '\t'; printf 'b %.0s' {1..3000}; echo) >wide.tsv
    (yes a | head -n 500000 | tr '\n' ' '; printf '\tb\n') >million.tsv
    printf 'a\nb\n' >two
    printf '\n\n' >two-empty
    echo aaaaaaaa >eight
    truncate -s 5G 5gib.tsv
}

packed() {
    gzip -nc pair.tsv >packed.tsv
    cp pair.tsv plain.gz
    gzip -nc pairs.tsv >whole.gz
    head -c 60 whole.gz >short.gz
    head -c 5 whole.gz >five.gz
    spoil whole.gz crc.gz $(($(stat -c %s whole.gz) - 8))
    spoil whole.gz flipped.gz 300
    cat packed.tsv packed.tsv >two.gz
    (cat packed.tsv; echo junk) >junk.gz
    head -c 100000000 /dev/zero | gzip >bomb.gz
}

spoil() { # FROM TO BYTE: with another bit there
    cp "$1" "$2"
    local byte=$(od -An -tu1 -j "$3" -N 1 "$1")
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of="$2" bs=1 seek="$3" conv=notrunc 2>/dev/null
}

models() {
    softalign train --train pairs.tsv --out trained --embed 4 --hidden 4 --attn 4 --maxout 4 \
        --steps 5 --shards 1 --seed 1 2>/dev/null
    cp trained/best.safetensors model.safetensors
    mkdir alone && cp model.safetensors alone/last.safetensors
    local size=$(stat -c %s model.safetensors) header='{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    for bytes in 0 7 8 3000; do head -c $bytes model.safetensors >model.$bytes; done
    head -c -1 model.safetensors >model.cut
    (cat model.safetensors; echo) >model.tail
    cat model.safetensors model.safetensors >model.glued
    spoil model.safetensors model.flipped $((size - 1000))
    sed 's/"version":"1"/"version":"2"/' model.safetensors >future
    printf '\0\0\0\0\0\0\0\0{}' >length-0
    printf '\0\0\0\0\0\0\0\x80{}' >length-2-63
    printf '\0\0\0\0\0\0\0\2{}' >swapped
    (printf '\xa0\x86\1\0\0\0\0\0{"a":'; printf '[%.0s' {1..99995}) >deep
    printf "\\x$(printf %x ${#header})\0\0\0\0\0\0\0%s\0\0\0\0" "$header" >foreign
    printf 'PK\3\4\24\0\0\0\10\0archive/data.pkl' >torch.safetensors
    cp model.safetensors 1tib && truncate -s 1T 1tib
}

seal() { # FILE: its last tensor becomes the checksum of what stands before, the CRC-32 that gzip writes, too
    head -c -4 "$1" >unsealed
    (cat unsealed; gzip -nc unsealed | tail -c 8 | head -c 4) >"$1"
    rm unsealed
}

# Trainings with hard attention, whose baseline of rewards is a number of last.safetensors; and one whose settings
# contradict each other.
baselines() {
    local file name at
    small train --train pairs.tsv --out hard --attention hard --seed 1 2>/dev/null
    file=hard/last.safetensors
    at=$(grep -aoE '"training.baseline":[^}]*' $file | grep -oE '\[[0-9]+,' | tail -n 1 | tr -d '[,')
    at=$((8 + $(od -An -tu8 -N 8 $file) + at))
    for name in nan infinite flipped lost; do mkdir $name && cp $file $name; done
    printf '\0\0\0\0\0\0\xf8\x7f' | dd of=nan/last.safetensors bs=1 seek=$at conv=notrunc 2>/dev/null
    printf '\0\0\0\0\0\0\xf0\xff' | dd of=infinite/last.safetensors bs=1 seek=$at conv=notrunc 2>/dev/null
    spoil $file flipped/last.safetensors $at
    sed -i 's/"training.baseline"/"training.baselinE"/' lost/last.safetensors
    cp -r trained against
    sed -i 's/\\"heads\\": 1,/\\"heads\\": 7,/' against/last.safetensors
    for name in hard nan infinite lost against; do seal $name/last.safetensors; done
}

merges() {
    printf '#version: 0.2\na b\na b\n' >twice.bpe
    printf '#version: 0.2\na b\nabc d\n' >unknown.bpe
    printf '#version: 0.2\na a\naa aa\naaaa aaaa\n' >self.bpe
}

corpora
packed
models
baselines
merges
mkdir folder forbidden
mkfifo pipe
ln -s nowhere dangling
ln -s loop loop
chmod 700 forbidden
chmod 600 forbidden.tsv
[ "$(id -u)" -eq 0 ] || chmod 0 forbidden forbidden.tsv

# ---- The cases ----

# Names, kinds, rights and bytes of all (of files with holes the size) but the owners' names in locks.
state() {
    find . ! -name .lock ! -type d -printf '%p %y %m %l %s\n' -o -type d -printf '%p %m\n' 2>/dev/null | sort
    find . -type f ! -name .lock -readable -size -9M -exec cksum {} + 2>/dev/null | sort
}

# What a case of exit 0 made lies in `new`; of a failure there may be a locked folder without files.
tidy() { # CODE
    [ "$1" -eq 0 ] && rm -rf new
    [ -d new ] && rm -f new/.lock && rmdir new
}

# Whether a failure said what was expected, or began so where that ends in *.
said() { # EXPECTED GOT
    [ "$2" = "${1:+softalign: $1}" ] || [[ $1 == *\* && $2 == "softalign: ${1%\*}"* ]]
}

run() { # ID CODE COMMAND MESSAGE
    bash -c "$3" >../out 2>../err </dev/null
    local code=$? last='' line
    while IFS= read -r line || [ "$line" ]; do last=$line; done <../err
    [ $code -eq "$2" ] || fail "$1: $3: exit $code, expected $2: $last"
    tidy "$2"
    if [ "$2" -eq 0 ]; then
        cat ../out ../err | grep -qF -- "$4" || fail "$1: $3: '$4' is not said"
    else
        said "$4" "$last" || fail "$1: $3: said '$last', expected '$4'"
    fi
}

# Fails if a file has changed. Asked after each tenth case.
unchanged() { # CASE
    [ "$(state)" = "$before" ] || fail "$1, or one of the nine cases before: changed files: $(diff <(echo "$before") <(state))"
}

before=$(state)
cases=0 good=0 kinds=
while IFS=$'\t' read -r id code command message; do
    # a sanitizer needs far more memory and stack than the program
    [[ $command == *ulimit\ -[vs]* ]] && grep -q __asan_init "$softalign" && continue
    known=$failures
    run "$id" "$code" "$command" "$message"
    cases=$((cases + 1))
    [ $((cases % 10)) -ne 0 ] || unchanged "$id: $command"
    good=$((good + (failures == known)))
    kinds+="$id "
done <"$root/tests/golden/faults.tsv"
unchanged "the last case"
echo "catalogue: $good/$cases ($(tr ' ' '\n' <<<"$kinds" | sort -u | grep -c .) of its entries)"
[ $cases -ge 100 ] || fail "only $cases cases"
finish
