# Sourced by the tests of the command line, whose first argument is the command's path. They work in
# a scratch folder that is removed at the end.
set -u
export LC_ALL=C
root=$PWD
softalign=$(realpath "$1")
scratch=$(mktemp -d)
trap '[[ $BASHPID != $$ ]] || rm -rf "$scratch"' EXIT # a background job that is killed before its exec runs it, too
cd "$scratch" || exit 1
failures=0 skipped=0
chromium=${CHROMIUM:-chromium-headless-shell} # has no windows, and starts in half the time

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# lacks WHAT: a test that leaves out a part counts as skipped, however the rest ends, unless it fails.
lacks() {
    echo "$1 is missing (scripts/setup --tests): skipped"
    skipped=77
}

# has PROGRAM: whether it is installed.
has() {
    command -v "$1" >/dev/null || ! lacks "$1"
}

# need PROGRAM...: skips the test where one is missing.
need() {
    local program
    for program; do has "$program" || exit 77; done
}

# blocks INFO FILE...: the lines of their blocks of code of that kind.
blocks() {
    awk -v info="\`\`\`$1" '/^```/ { if (inside) inside = 0; else { inside = 1; wanted = $0 == info; next } }
        inside && wanted' "${@:2}"
}

# notebook NAME: a notebook of corpora, with shorter trainings.
notebook() {
    sed -E 's/(steps|valid_every)=[0-9]+/\1=4/g; s/(corpus [a-z]+)( --pairs 4000)? >/\1 --pairs 200 >/; s/--pairs [0-9]+ --split/--pairs 12 --split/' \
        "$root/corpora/$1" >"$1"
}

# installing WHO: what a row of the README's table says to type: $build, in the tree, and $install; with the scratch
# folder's `made` in place of the tree's `build`.
installing() {
    local typed
    typed=$(sed -n "s/^| $1 | \([^|]*\) |.*/\1/p" "$root/README.md" | tr -d '\`' | sed "s|build/|$scratch/made/|g")
    [ "$typed" ] || fail "README.md does not say how '$1' installs softalign"
    build="${typed%%; *} $scratch/made" install=${typed#*; }
}

# playground.html and its folder, or skips the test where what builds them is missing. They are built once for all tests,
# until one of the files that they are made of changes.
build_playground() {
    need clang wasm-ld
    local packages=${SOFTALIGN_PACKAGES:-$root/build/packages} made=$root/build/web-tested key
    [ -d "$packages/jansson" ] || {
        echo "the sources of the playground's libraries are missing (scripts/setup --playground): skipped"
        exit 77
    }
    mkdir -p "$made"
    exec 8>"$made/lock"
    flock 8
    key=$(cd "$root" && find src include corpora/models scripts/{papers,playground,dev,lessons} "$packages"/node_modules/temml/dist \
        -type f -not -path '*/__pycache__/*' -print0 2>/dev/null | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
    [ "$(cat "$made/key" 2>/dev/null)" = "$key" ] || {
        rm -rf "$made"/{key,playground}
        "$root/scripts/playground" "$made/playground.html" >out 2>err || {
            fail "scripts/playground: $(cat err)"
            finish
        }
        echo "$key" >"$made/key"
    }
    cp -r "$made"/playground{,.html} .
    exec 8>&-
}

# expect CODE MESSAGE ARGUMENT...: the exit code, and the one line on standard error ("": none but
# what was written). Standard output goes to the file `out`.
expect() {
    local code=$1 message=$2 got line said=
    shift 2
    "$softalign" "$@" >out 2>err </dev/null
    got=$?
    [ $got -eq "$code" ] || fail "softalign $*: exit $got, expected $code: $(cat err)"
    while IFS= read -r line || [ "$line" ]; do
        [[ $line == @("wrote "|"note: translations cut ")* ]] || said+=${said:+$'\n'}$line
    done <err
    [ "$said" = "${message:+softalign: $message}" ] ||
        fail "softalign $*: said '$(cat err)', expected '${message:+softalign: $message}'"
}

# same WHAT EXPECTED GOT
same() {
    [ "$2" = "$3" ] || fail "$1: '$3', expected '$2'"
}

# A model of a few words, made once: tiny.tsv and tiny/best.safetensors.
train_tiny() {
    "$softalign" corpus mono --pairs 200 >tiny.tsv 2>err &&
        "$softalign" train --train tiny.tsv --out tiny --embed 8 --hidden 8 --attn 4 --maxout 4 \
            --steps 20 >out 2>err || {
        cat err
        exit 1
    }
}

# payload_pairs: the words of golden/payloads.txt as a corpus, eight in a sentence. (Those that a
# line of a corpus cannot hold are left to check_injection.)
payload_pairs() {
    grep -v '\\x0[9AD]' "$root/tests/golden/payloads.txt" | while IFS= read -r line; do
        printf '%b\n' "$line"
    done | while IFS= read -r payload; do
        iconv -f UTF-8 -t UTF-16 <<<"$payload" >/dev/null 2>&1 && printf '%s\n' "$payload"
    done >words
    [ "$(wc -l <words)" -ge 200 ] || fail "payloads: $(wc -l <words)" >&2
    paste -d ' ' - - - - - - - - <words >lines
    paste lines <(tac lines)
}

finish() {
    [ $failures -eq 0 ] || exit 1
    exit $skipped
}
