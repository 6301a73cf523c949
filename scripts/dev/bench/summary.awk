# From what scripts/bench measured to a CSV file: the median of the rounds of every figure.
#
#   awk -v commit=NAME -v date=DATE -f summary.awk FACTS records.tsv
#
# A record is PART ROUND SCALE THREADS ATTENTION WHO QUANTITY VALUE; a line of FACTS is NAME TEXT.

function median(list, count,    i, j, x, sorted) {
    for (i = 1; i <= count; i++) {
        x = list[i] + 0
        for (j = i; j > 1 && sorted[j - 1] > x; j--) sorted[j] = sorted[j - 1]
        sorted[j] = x
    }
    lowest = sorted[1]
    highest = sorted[count]
    return (sorted[int((count + 1) / 2)] + sorted[int(count / 2) + 1]) / 2
}

function fact(name, text) {
    gsub(/,/, ";", text)
    print "about,all,0,none,run," name "," text ",,,," commit "," date
}

BEGIN { print "part,scale,threads,attention,who,quantity,median,lowest,highest,rounds,commit,date" }
FNR == NR {
    name = $1
    sub(/^[^ ]+ /, "")
    fact(name, $0)
    next
}
/^#/ { next }
{
    key = $1 "," $3 "," $4 "," $5 "," $6 "," $7
    if (!(key in number)) order[++keys] = key
    value[key, ++number[key]] = $8
    if ($7 == "others") measured++
    if ($7 == "others" && $8 > 0) disturbed++
}
END {
    fact("disturbed", disturbed + 0 " of " measured + 0)
    for (i = 1; i <= keys; i++) {
        key = order[i]
        for (j = 1; j <= number[key]; j++) list[j] = value[key, j]
        middle = median(list, number[key])
        print key "," middle "," lowest "," highest "," number[key] "," commit "," date
    }
}
