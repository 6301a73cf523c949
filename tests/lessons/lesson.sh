#!/bin/bash
# A lesson runs, makes its pictures, and measures what it claims (the file `claims`).
#   lesson.sh COMMAND LESSON [OPTION...]
set -uo pipefail
command=$1 lesson=$2
shift 2
. tests/support/passed.sh
shared=(scripts/lessons/*.* scripts/lessons/{notes,page-notes,riddles} scripts/dev/usage.sh corpora tests/lessons tests/support/passed.sh)
unless_passed "$command" "$*" scripts/lessons/"$lesson" "${shared[@]}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/lessons/"$lesson" --softalign "$command" --out "$scratch/lessons" "$@" >"$scratch/shown" 2>"$scratch/log" || {
    tail -n 20 "$scratch/shown" "$scratch/log"
    echo "FAILED: lesson $lesson"
    exit 1
}
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

grep '^measured  ' "$scratch/shown"
while read -r _ picture; do
    [ -s "$picture" ] || fail "no picture $picture"
done < <(grep '^look  ' "$scratch/shown" || echo "look none")
grep -q '^What to see: ' "$scratch/shown" && grep -q '^What to ask: ' "$scratch/shown" ||
    fail "nothing to see or to ask"

figure() { awk -v name="$1" '/^measured  / && $2 == name { print $3 }' "$scratch/shown"; }
claims=0
while read -r _ name relation bound; do
    claims=$((claims + 1))
    got=$(figure "$name")
    [[ $bound =~ ^[0-9] ]] || bound=$(figure "$bound")
    awk -v got="$got" -v bound="$bound" -v relation="$relation" 'BEGIN {
        if (got !~ /^[0-9]/ || bound !~ /^[0-9]/) exit 1
        exit !(relation == "<" ? got + 0 < bound + 0 : relation == ">" ? got + 0 > bound + 0 : got + 0 == bound + 0)
    }' || fail "$name is '$got', claimed: $relation $bound"
done < <(awk -v lesson="$lesson" '$1 == lesson' tests/lessons/claims)
[ $claims -gt 0 ] || fail "tests/lessons/claims has no line for $lesson"
[ $failures -eq 0 ] && passed
