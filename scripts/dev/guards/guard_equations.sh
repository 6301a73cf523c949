#!/bin/bash
# README.md's table "where is equation X?" tells the truth: every function it names is defined in the
# file it names, with its backward pass if it is a forward pass, and a comment in that file names the
# equation's place in the paper.
set -u
export LC_ALL=C
guards=$(dirname "$0")
begin='<!-- equations -->' end='<!-- /equations -->'

# LINE TAB EQUATION TAB FILE TAB FUNCTIONS, without the table's head, its rule and any markup.
rows() {
    awk -v begin="$begin" -v end="$end" '
        index($0, end) { inside = 0 }
        inside && /^\|/ && ++row > 2 {
            gsub(/`/, "")
            gsub(/\]\([^()]*\)/, "")
            gsub(/\[/, "")
            gsub(/ *\| */, "\t")
            sub(/^\t/, "")
            print FNR "\t" $0
        }
        index($0, begin) { inside = 1 }
    ' README.md
}

check_row() { # LINE EQUATION FILE FUNCTIONS
    local place name
    [ -f "$3" ] || {
        echo "README.md:$1: there is no file $3"
        return
    }
    place=$(grep -oE '[A-Z]\.[0-9]+(\.[0-9]+)*|([Ss]ection|[Ee]quation|[Ff]igure) [0-9]+(\.[0-9]+)*' \
        <<<"$2" | head -n 1)
    if [ -z "$place" ]; then
        echo "README.md:$1: '$2' names no place in a paper, such as A.1.2"
    elif ! awk -v keep=comments -f "$guards/code.awk" "$3" |
        grep -qE "(^|[^A-Za-z0-9.])${place//./\\.}(\$|[^0-9.]|\.(\$|[^0-9]))"; then
        echo "README.md:$1: no comment in $3 names $place"
    fi
    [ -n "$4" ] || echo "README.md:$1: no function"
    for name in ${4//,/ }; do
        [[ $name != *_forward ]] || set -- "$@" "${name%_forward}_backward"
    done
    for name in ${4//,/ } "${@:5}"; do
        awk -f "$guards/code.awk" "$3" | awk -f "$guards/functions.awk" |
            grep -q "^[^:]*:[0-9]*:$name:" || echo "README.md:$1: $3 does not define $name"
    done
}

table=$(rows 2>/dev/null)
[ -n "$table" ] || {
    echo "README.md has no table of equations between $begin and $end"
    exit 1
}
! while IFS=$'\t' read -r line equation file functions rest; do
    check_row "$line" "$equation" "$file" "$functions"
done <<<"$table" | grep '^'
