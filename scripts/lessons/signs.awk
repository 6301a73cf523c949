# From the long table of `softalign align --site encoder --tidy` of `trigger`: the weight that rows of signs put on the
# first word, on `!` and on </s>, each in the head with the most, and the sum of their weights and of those of `!`, the
# mean of the heads.
BEGIN { FS = "," }
NR == 1 || $4 == "</s>" { next }
{
    asks = $4 == "!"
    sum[asks] += $7
    rows[asks] += $5 == 0
    if (asks) next
    if ($5 == 0) on[$2, "first"] += $7
    if ($6 == "!" || $6 == "</s>") on[$2, $6] += $7
    heads = $2 > heads ? $2 : heads
}
END {
    split("first ! </s>", place, " ")
    for (p = 1; p <= 3; p++) {
        most = 0
        for (head = 1; head <= heads; head++) if (on[head, place[p]] > most) most = on[head, place[p]]
        printf "%.2f\t", most * heads / rows[0]
    }
    printf "%.2f\t%.2f\n", sum[0] / rows[0], sum[1] / rows[1]
}
