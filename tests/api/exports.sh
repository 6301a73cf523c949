#!/bin/bash
# Each library, static or shared, offers the functions that the public headers declare, and nothing
# else; the version script names them all.
# usage: exports.sh NM INCLUDE VERSION-SCRIPT LIBRARY...
set -u
export LC_ALL=C
nm=$1 include=$2 map=$3
shift 3
declared=$(sed -n '/^typedef/d; s/^[a-z].*[ *]\(sa_[a-z0-9_]*\)(.*/\1/p' "$include"/softalign.h "$include"/softalign/*.h | sort)
[ -n "$declared" ] || { echo "$include declares nothing" && exit 1; }
failed=0

compare() { # NAME FUNCTIONS
    local differences
    differences=$(diff <(echo "$declared") <(echo "$2")) && return
    printf 'declared (<) and in %s (>):\n%s\n' "$1" "$differences"
    failed=1
}

compare "$map" "$(sed -n 's/^ *\(sa_[a-z0-9_]*\);$/\1/p' "$map" | sort)"
for library; do
    case $library in
    *.so*) table=--dynamic ;;
    *) table=--extern-only ;;
    esac
    compare "$library" "$("$nm" "$table" --defined-only --format=posix "$library" |
        awk 'NF > 1 && $2 !~ /[wA]/ { sub(/@.*/, "", $1); print $1 }' | sort)"
done
exit $failed
