#!/bin/bash
# The shared library offers the functions that the public headers declare, and nothing else; the version
# script names them all. The static one has them, and no name of another prefix.
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
names() { # OPTION LIBRARY
    "$nm" "$1" --defined-only --format=posix "$2" | awk '!/:$/ && NF > 1 && $2 !~ /[wA]/ { sub(/@.*/, "", $1); print $1 }' | sort -u
}
for library; do
    case $library in
    *.so*) compare "$library" "$(names --dynamic "$library")" ;;
    *)
        names=$(names --extern-only "$library")
        compare "$library" "$(comm -12 <(echo "$declared") <(echo "$names"))"
        grep -v '^sa_' <<<"$names" && echo "$library: the names above have another prefix" && failed=1
        ;;
    esac
done
exit $failed
