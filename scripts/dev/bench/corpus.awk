# A corpus of meaningless words with the lengths and the vocabulary of a real one, for measuring
# where there is no such text: sources of 13 words on average, targets one longer, as in Multi30k's
# English and French; words as frequent as Zipf's law has them, each of them at least twice.
#
#   awk -v pairs=29000 -v source_words=5917 -v target_words=6478 -f corpus.awk
#
# Also: -v words=N gives every sentence exactly N words; -v seed=N other random numbers.

function uniform() { # the minimal standard generator: the same numbers in every awk
    state = (state * 16807) % 2147483647
    return state / 2147483647
}

function normal() {
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform())
}

function bounded(x, least, most) {
    x = int(x + 0.5)
    return x < least ? least : x > most ? most : x
}

# share[side, i]: the probability of the words up to i
function prepare(side, count,    i, sum) {
    for (i = 1; i <= count; i++) share[side, i] = sum += i ^ -1.07
    for (i = 1; i <= count; i++) share[side, i] /= sum
    size[side] = count
    every[side] = int(pairs * (words ? words : 13) / (2 * count)) # a word in turn, not drawn
    if (every[side] < 1) every[side] = 1
}

function word(side,    low, high, middle, x) {
    if (++written[side] % every[side] == 0)
        return side 1 + given[side]++ % size[side]
    x = uniform()
    low = 1
    high = size[side]
    while (low < high) {
        middle = int((low + high) / 2)
        if (share[side, middle] < x) low = middle + 1
        else high = middle
    }
    return side low
}

function sentence(side, count,    i, text) {
    text = word(side)
    for (i = 2; i <= count; i++) text = text " " word(side)
    return text
}

BEGIN {
    state = 1000 + (seed ? seed : 1)
    for (i = 0; i < 10; i++) uniform()
    prepare("s", source_words)
    prepare("t", target_words)
    for (i = 1; i <= pairs; i++) {
        source = words ? words : bounded(exp(2.52 + 0.31 * normal()), 4, 40)
        target = words ? words : bounded(source + 1 + (1 + 0.075 * source) * normal(), 2, 48)
        print sentence("s", source) "\t" sentence("t", target)
    }
}
