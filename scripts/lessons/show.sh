# Sourced by the demo and the lessons: finds the program, and shows each command before it runs it, as it
# can be pasted. In a clone they work in its top folder, with the program that they build there, and write
# to build/; where softalign is installed, with that program, and write to the folder of the user.
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
in_clone() { [ -e "$top/scripts/setup" ]; }
if in_clone; then
    case $top in
    *[]\"\;\#\\\|\<\>[]* | *$'\n'*)
        echo "${0##*/}: CMake cannot build in '$top': move it to a path without \" ; # \\ | < > [ ] and newlines" >&2
        exit 2
        ;;
    esac
    cd "$top" || exit
    program=build/release/softalign shown=$program results=build/ corpora=corpora
else
    shown=softalign results='' corpora=$top/corpora
    program=$(PATH=$(realpath -m "$top/../../bin"):$PATH command -v softalign) || {
        echo "$(basename "$0"): softalign is not in PATH" >&2
        exit 1
    }
fi

title() { printf '\n== %s\n' "$*"; }

# In a clone: installs what is missing and builds the library, the command build/release/softalign and its manual.
build_softalign() {
    in_clone || return 0
    scripts/setup
    echo "Building ..."
    mkdir -p build
    (set -o pipefail && { cmake --preset release && cmake --build --preset release; } 2>&1 | tee build/release.log | progress) || {
        cat build/release.log >&2
        exit 1
    }
}

# Shows how much of a build is done, on a terminal: its lines begin with [DONE/ALL].
progress() {
    [ -t 1 ] || exec cat >/dev/null
    awk '$1 ~ /^\[[0-9]+\/[0-9]+\]$/ { printf "\r%s files", $1; fflush() } END { printf "\r\033[K" }'
}

# new_folder DIR: a folder that holds something, perhaps somebody's work, is deleted with $overwrite = yes only.
new_folder() {
    if [ -n "$(ls -A "$1" 2>/dev/null)" ]; then
        [ "$overwrite" = yes ] || {
            echo "$(basename "$0"): '$1' holds files, perhaps your own: --overwrite deletes all of them${2:-}" >&2
            exit 6
        }
        rm -rf "$1"
    fi
    mkdir -p "$1"
}

# quoted WORD...: as a shell reads them back.
quoted() {
    local word
    for word; do
        [[ $word =~ ^[][A-Za-z0-9_./:=,+@%-]+$ ]] || word="'${word//\'/\'\\\'\'}'"
        printf ' %s' "$word"
    done
}

# The program is $command; on the screen it is called $shown.
softalign() {
    [ "${silent:-no}" = yes ] || printf '$ %s%s\n' "$shown" "$(quoted "$@")" >&2
    "$command" "$@"
}

# run LINE: any other command.
run() {
    printf '$ %s\n' "$1" >&2
    silent=yes eval "$1"
}

# into FILE ARGUMENT...: what softalign writes with these goes to the file.
into() {
    local file=$1
    shift
    run "softalign$(quoted "$@") > $file"
}
