# Of the scores and weights that attend printed into files SCORE-D.csv: the variance of all scores, the mean
# entropy of a row of weights, and the mean Frobenius norm of the Jacobian of its softmax,
# diag(alpha) - alpha alpha^T.
BEGIN { print "score,d,variance,entropy,gradient" }

FNR == 1 {
    if (NR > 1) show()
    count = sum = squares = rows = entropy = gradient = 0
    name = FILENAME
}
/^#/ { block = $1 }
!NF || /^#/ { next }

block == "# scores" {
    for (j = 1; j <= NF; j++) {
        count++
        sum += $j
        squares += $j * $j
    }
}

block == "# weights" {
    second = third = 0
    for (j = 1; j <= NF; j++) {
        if ($j > 0) entropy -= $j * log($j)
        second += $j ^ 2
        third += $j ^ 3
    }
    slope = second - 2 * third + second ^ 2 # not below 0, but for rounding
    if (slope > 0) gradient += sqrt(slope)
    rows++
}

END { show() }

function show() {
    sub(/.csv$/, "", name)
    sub(/-[0-9]*$/, ",&", name)
    sub(/,-/, ",", name)
    printf "%s,%.4g,%.4g,%.4g\n", name, squares / count - (sum / count) ^ 2, entropy / rows, gradient / rows
}
