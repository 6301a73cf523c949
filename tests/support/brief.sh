# Sourced by the tests that run what the documents show: softalign in the folder of the test becomes a copy of the tree
# with a program that trains for a few updates on few pairs.

mkdir -p softalign/scripts/dev softalign/corpora bin
cp -r "$root"/scripts/{lessons,demo,setup} softalign/scripts
cp "$root"/scripts/dev/{usage.sh,packages.tsv} softalign/scripts/dev
cp -r "$root"/corpora/* softalign/corpora

# What fails (gradcheck --break) must fail, and no file may be there already that is written. Few sentences are
# translated, enough for one of six words, and fewer proved.
cat >small <<'SMALL'
#!/bin/sh
set -f
name=$1 given=$* left=$#
while [ $left -gt 0 ]; do
    option=$1 two=2
    case $option in
    --steps | --pairs | --limit)
        case $name$option in
        prove--limit) most=2 ;;
        *--limit) most=$2 ;;
        *--steps) most=3 ;;
        *) most=24 ;;
        esac
        value=$(($2 < most ? $2 : most))
        ;;
    --test) # eight sentences
        value=$2.few
        head -n 8 "$2" >"$value"
        ;;
    --out | --csv | --svg | --html | --tidy | --weights)
        value=$2
        [ ! -e "$2" ] || { [ -d "$2" ] && [ -z "$(ls -A "$2")" ]; } || { echo "$2 is written again" >&2 && exit 99; }
        ;;
    *) two=1 value= ;;
    esac
    shift $two
    set -- "$@" "$option" ${value:+"$value"}
    left=$((left - two))
done
case $name in
train | compare) set -- "$@" --threads 1 ;;
esac
case $name:$given in
train:*--steps* | compare:*--steps* | corpus:*--pairs*) ;;
train:* | compare:*) set -- "$@" --steps 3 ;;
corpus:*) set -- "$@" --pairs 24 ;;
gradcheck:*--break*) ! "$softalign" "$@" && exit ;;
esac
exec "$softalign" "$@"
SMALL
export softalign
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

# shown_again SCRIPT: what is in its folder, perhaps by a student, stays, unless --overwrite is given.
shown_again() {
    local before
    before=$(find "softalign/build/$1" | sort)
    "softalign/scripts/$1" >out 2>err
    same "exit of a second $1" 6 $?
    grep -q "/$1' holds files, .*--overwrite" err || fail "a second $1: $(cat err)"
    same "files after a second $1" "$before" "$(find "softalign/build/$1" | sort)"
    PATH=$PWD/bin:$PATH "softalign/scripts/$1" --overwrite >out 2>err || fail "$1 --overwrite: $(cat err)"
}
