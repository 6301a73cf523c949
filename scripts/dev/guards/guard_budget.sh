#!/bin/bash
# How much code there is: lines that are neither blank nor comment, of the C sources of each module and of all
# (without src/paper, which is for reading), and of the C, shell, awk and Python of scripts. budget.tsv beside this
# file says how much there may be. A number there rises only by a commit whose message explains it.
# Prints lines, budget and the share of comments; checks the tree in the current folder.
#
#   scripts/dev/guards/guard_budget.sh --update      writes today's numbers into the table
set -u
export LC_ALL=C
guards=$(dirname "$0")
budget=scripts/dev/guards/budget.tsv

# The counted files of scripts: by their ending, or by the program in their first line.
counted_scripts() {
    find scripts -type f -size +0 -exec awk '
        FILENAME ~ /\.([ch]|sh|bash|fish|awk|py)$/ || /^#(!.*(sh|awk|python3?)|compdef)( |$)/ { print FILENAME }
        { nextfile }' {} +
}

# Prints PLACE TAB code or comment for every line that is not blank, where PLACE is src/MODULE or scripts.
kinds() {
    # shellcheck disable=SC2016
    local place='{ place = $1; if (!sub(/^scripts.*/, "scripts", place) && match(place, /^src\/[^\/]*/)) place = substr(place, 1, RLENGTH) }'
    {
        find src -name '*.[ch]' -not -path 'src/paper/*'
        counted_scripts | grep '\.[ch]$'
    } | xargs awk -v keep=kind -f "$guards/code.awk" | awk -F : "$place"' $3 { print place "\t" $3 }'
    # A string in three quotes that begins a line is a docstring of Python, so a comment.
    counted_scripts | grep -v '\.[ch]$' | xargs -r awk '
        FNR == 1 { open = docstring = 0 }
        NF {
            if (!open) docstring = /^[ \t]*"""/
            if (gsub(/"""/, "&") % 2) open = !open
            print "scripts\t" (docstring || /^[ \t]*#/ && !open && FNR > 1 ? "comment" : "code")
        }'
}

counts=$(kinds | awk -F '\t' '
    { n[$1, $2]++; places[$1] }
    $1 != "scripts" { n["src", $2]++; places["src"] }
    END { for (place in places) print place "\t" n[place, "code"] + 0 "\t" n[place, "comment"] + 0 }' | sort)
[ "${1-}" != --update ] || cut -f 1,2 <<<"$counts" >"$budget"

awk -F '\t' '
    FNR == NR { may[$1] = $2; next }
    {
        printf "%-16s %6d lines of code, budget %6d, comments %4.1f %%\n", $1, $2, may[$1], 100 * $3 / ($2 + $3)
        if ($2 > may[$1]) over[$1] = $2 - may[$1]
    }
    END {
        for (place in over) {
            print place ": " over[place] " lines above its budget in scripts/dev/guards/budget.tsv"
            status = 1
        }
        exit status
    }' <(cat "$budget" 2>/dev/null || echo none) - <<<"$counts"
