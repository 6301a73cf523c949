#!/bin/bash
# What comments name exists: every sa_ or SA_ name stands in the code too, or, where it ends in _* or
# _, begins a name that does; every .c or .h file is in the tree
# (d.c and the like are members of a struct).
set -u
export LC_ALL=C
guards=$(dirname "$0")

sources=$(find src include tests -name '*.[ch]')
[ -n "$sources" ] || {
    echo "no sources in $PWD"
    exit 1
}

# FILE:LINE:NAME for every word in the comments that PATTERN matches.
named() { # PATTERN
    awk -v keep=comments -f "$guards/code.awk" $sources | awk -v pattern="$1" '{
        match($0, /^[^:]*:[0-9]+:/)
        place = substr($0, 1, RLENGTH)
        text = " " substr($0, RLENGTH + 1) " "
        while (match(text, "[^A-Za-z0-9_./]" pattern "[^A-Za-z0-9_]")) {
            print place substr(text, RSTART + 1, RLENGTH - 2)
            text = substr(text, RSTART + RLENGTH - 1)
        }
    }'
}

! {
    awk -f "$guards/code.awk" $sources | grep -oE '\b(sa|SA)_[A-Za-z0-9_]+' | sort -u |
        awk -F : 'NR == FNR { known[$0]; for (i = 3; i < length($0); i++) begins[substr($0, 1, i)]; next }
            !($3 in known) && !($3 ~ /_$/ && $3 in begins) {
                print $1 ":" $2 ": nothing is called " $3
            }' - <(named '(sa|SA)_[A-Za-z0-9_]+')
    { tr ' ' '\n' <<<"$sources"; grep -rhoE '#include <[^>]+>' src include tests | tr -d '<>'; } |
        sed 's|.*[ /]||' | sort -u |
        awk -F : 'NR == FNR { known[$0]; next }
            { name = $3; sub(/.*\//, "", name) }
            !(name in known) { print $1 ":" $2 ": there is no file " $3 }' \
            - <(named '[A-Za-z0-9_][A-Za-z0-9_/.]+\\.[ch]')
} | grep '^'
