# How the attributions of three seeds agree: files of `attribute --jsonl`, one for each seed, with the methods of
# `names` (separated by commas). Prints for each method: Kendall's tau-b of its scores and occlusion's in the rows of
# target words, over source words (both without EOS), the same of its scores with two seeds, and the Jensen-Shannon
# divergence, of attention between two seeds, of adversarial weights from attention; means over rows and seeds.
FNR == 1 { seeds++ }

{
    sub(/.*"heads": *\[\[\[/, "")
    sub(/\]\]\].*/, "")
    methods = split($0, matrix, /\]\],\[\[/)
    for (k = 1; k <= methods; k++) {
        rows[FNR] = split(matrix[k], row, /\],\[/) - 1
        for (t = 1; t <= rows[FNR]; t++) scores[seeds, FNR, k, t] = row[t]
    }
    pairs = FNR
}

function sign(x) { return (x > 0) - (x < 0) }

# Between two rows, as numbers separated by commas, the last of which is EOS's; NaN where one has equal scores alone.
function tau(one, other,    n, i, j, x, y, a, b, same, apart, ties) {
    n = split(one, x, ",") - 1
    split(other, y, ",")
    same = apart = ties = 0
    for (i = 2; i <= n; i++)
        for (j = 1; j < i; j++) {
            a = sign(x[i] - x[j])
            b = sign(y[i] - y[j])
            same += a * b
            apart += a * a
            ties += b * b
        }
    return apart * ties ? same / sqrt(apart * ties) : 2
}

function divergence(one, other,    n, i, p, q, middle, sum) {
    n = split(one, p, ",")
    split(other, q, ",")
    for (i = 1; i <= n; i++) {
        middle = (p[i] + q[i]) / 2
        if (p[i] > 0) sum += p[i] * log(p[i] / middle) / 2
        if (q[i] > 0) sum += q[i] * log(q[i] / middle) / 2
    }
    return sum
}

function compared(k, pair, t,    seed, other, value) {
    for (seed = 1; seed <= seeds; seed++) {
        other = seed % seeds + 1
        value = tau(scores[seed, pair, k, t], scores[seed, pair, occlusion, t])
        if (value < 2) { with_occlusion[k] += value; of_occlusion[k]++ }
        value = tau(scores[seed, pair, k, t], scores[other, pair, k, t])
        if (value < 2) { with_seed[k] += value; of_seed[k]++ }
        if (k == 1) { apart[k] += divergence(scores[seed, pair, 1, t], scores[other, pair, 1, t]); of_apart[k]++ }
        if (k == adversarial) { apart[k] += divergence(scores[seed, pair, 1, t], scores[seed, pair, k, t]); of_apart[k]++ }
    }
}

END {
    split(names, name, ",")
    for (k = 1; k <= methods; k++) {
        if (name[k] == "occlusion") occlusion = k
        if (name[k] == "adversarial") adversarial = k
    }
    for (k = 1; k <= methods; k++) {
        for (pair = 1; pair <= pairs; pair++)
            for (t = 1; t <= rows[pair]; t++) compared(k, pair, t)
        printf "%s\t%.3f\t%.3f\t%s\n", name[k], with_occlusion[k] / of_occlusion[k], with_seed[k] / of_seed[k],
            k in apart ? sprintf("%.3f", apart[k] / of_apart[k]) : "-"
    }
}
