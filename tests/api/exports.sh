#!/bin/bash
# The library offers the functions that the public header declares, and nothing else.
# usage: exports.sh LIBRARY NM HEADER
set -u
export LC_ALL=C
library=$1 nm=$2 header=$3
declared=$(sed -n 's/^[a-z].*[ *]\(sa_[a-z0-9_]*\)(.*/\1/p' "$header" | sort)
exported=$("$nm" --extern-only --defined-only --format=posix "$library" |
    awk 'NF > 1 && $2 != "w" { print $1 }' | sort)
[ -n "$declared" ] || { echo "$header declares nothing" && exit 1; }
differences=$(diff <(echo "$declared") <(echo "$exported")) && exit 0
echo "declared (<) and exported (>) functions differ:"
echo "$differences"
exit 1
