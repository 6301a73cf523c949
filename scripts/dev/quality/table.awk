# A Markdown table of what a part's rows measured, one line for each row and set of pairs: means over seeds, with
# the least and the greatest of them in brackets.
#
#   awk -F TAB -v corpus=NAME -v columns=FIGURE:TITLE,... -f table.awk ROWS STATE
#
# ROWS has a line for each row: its name and the last change of numerics that concerns it.

BEGIN {
    count = split(columns, column, ",")
    printf "| model | pairs | seeds |"
    for (i = 1; i <= count; i++) {
        split(column[i], pair, ":")
        figure[i] = pair[1]
        printf " %s |", pair[2]
    }
    printf " updates | minutes (threads) | weights | commit |\n|---|---|---"
    for (i = 1; i <= count + 4; i++) printf "|---"
    print "|"
}

/^#/ { next }

FILENAME == ARGV[1] {
    row[++rows] = $1
    newest[$1] = $2
    next
}

$1 == corpus {
    key = $2 SUBSEP $4
    if (!(key in seeds)) sets[$2] = sets[$2] " " $4
    seeds[key]++
    minutes[key] += $10 / 60
    threads[key] = $9
    updates[key] = $11
    weights[key] = $12
    commits[key] = commits[key] (index(commits[key], $7) ? "" : (commits[key] == "" ? "" : ", ") $7)
    old[key] = old[key] || $6 < newest[$2]
    for (i = split($14, pair, " "); i; i--) {
        split(pair[i], value, "=")
        at = key SUBSEP value[1]
        sum[at] += value[2]
        known[at]++
        shown[at] = value[2]
        if (known[at] == 1 || value[2] + 0 < least[at] + 0) least[at] = value[2]
        if (known[at] == 1 || value[2] + 0 > most[at] + 0) most[at] = value[2]
    }
}

function million(n) { return n == "-" ? "-" : sprintf("%.1f M", n / 1e6) }

function cell(at) {
    if (!known[at]) return "-"
    if (known[at] == 1) return shown[at]
    return sprintf("%.2f (%s to %s)", sum[at] / known[at], least[at], most[at])
}

END {
    for (r = 1; r <= rows; r++) {
        if (!(row[r] in sets)) {
            empty++
            continue
        }
        split("valid dev test descriptions summaries help europarl hansards tales", order, " ")
        for (s = 1; s in order; s++) {
            key = row[r] SUBSEP order[s]
            if (!(key in seeds)) continue
            printf "| `%s` | %s | %d |", row[r], order[s], seeds[key]
            for (i = 1; i <= count; i++) printf " %s |", cell(key SUBSEP figure[i])
            printf " %s | %.0f (%s) | %s | %s |\n", updates[key], minutes[key] / seeds[key], threads[key],
                million(weights[key]), commits[key] (old[key] ? ", older numerics" : "")
        }
    }
    if (empty) printf "\n%d of %d rows ha%s not been measured yet.\n", empty, rows, empty == 1 ? "s" : "ve"
}
