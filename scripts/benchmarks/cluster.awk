# The page CLUSTER.md of what scripts/bench-cluster measured, and of what a cluster would do by a model; with
# -v plot=1 its plot.
#
#   awk [-v plot=1] -f cluster.awk cluster.tsv

BEGIN { FS = "\t" }
/^#/ { where = substr($0, 3); next }
NR == 1 { next }
{
    if (!($1 in known)) network[++networks] = $1
    known[$1]
    if (!($2 in counted)) count[++counts] = $2
    counted[$2]
    if (!($3 in of_size)) size[++sizes] = $3
    of_size[$3]
    median[$1, $2, $3] = $4
    slow[$1, $2, $3] = $5
}

# ---- The model: seconds. It is described in the page. --------------------------------------------------------

function assume() {
    work = 3e10 # words a second of one core, times the weights
    crowded = 0.8 # of that, when all cores of a node work
    update = 5e-9 # seconds per weight: sum over the threads, clip, optimizer
    pair = 13 # words
    spread = 0.45 # of the lengths: their deviation over their mean
    split("1 10 100", gigabit, " ")
    latency[1] = 50e-6
    latency[2] = 20e-6
    latency[3] = 3e-6
    host[1] = host[2] = of_host("loopback") # seconds per byte that a process sends
    host[3] = of_host("memory")
}

# Of two processes, which have a core each: per byte, beside what is written and read by both at once.
function of_host(name,    bytes) {
    bytes = 1e7
    return (name, 2, bytes) in median ? median[name, 2, bytes] / bytes : 3e-9
}

function more(a, b) { return a > b ? a : b }

# Link k, W weights, P nodes.
function exchange(k, W, P,    bytes, block, twice, per_byte) {
    if (P == 1) return 0
    bytes = 4 * W
    block = bytes / 64 # no more than 256 KB, no less than 64
    block = block > 262144 ? 262144 : more(65536, block)
    twice = P > 2 ? 2 : 1 # between others, a process sends the sum up and the result down
    per_byte = more(8e-9 / gigabit[k], host[k])
    return twice * bytes * per_byte + 2 * (P - 1) * (latency[k] + block * per_byte)
}
# The slowest of all shards, one for each core, against their mean.
function imbalance(B, shards,    pairs) {
    pairs = B / pair / shards
    if (pairs < 1) return 1 / pairs # some have none at all
    return 1 + spread * sqrt(2 * log(shards) / pairs)
}
function compute(W, P, B, cores) {
    return B / (P * cores * crowded) / (work / W) + update * W
}
function waiting(W, P, B, cores) {
    return (imbalance(B, P * cores) - 1) * B / (P * cores * crowded) / (work / W)
}
function step(k, W, P, B, cores) {
    return compute(W, P, B, cores) + waiting(W, P, B, cores) + exchange(k, W, P)
}
function speedup(k, W, P, B, cores) { return step(k, W, 1, B, cores) / step(k, W, P, B, cores) }

# The least batch, in steps of 2^(1/4), from which P nodes are `wanted` times as fast as one.
function least(k, W, P, cores, wanted,    B, i) {
    for (i = 0; i <= 60; i++) {
        B = 500 * 2 ^ (i / 4)
        if (speedup(k, W, P, B, cores) >= wanted) return B
    }
    return 0
}

# The least and the largest of what the model says of the measured links.
function share(largest,    i, j, x, found) {
    for (i = 1; i <= counts; i++)
        for (j = 2; j <= sizes; j++) {
            if (!(("1gbit", count[i], size[j]) in median)) continue
            x = exchange(1, size[j] / 4, count[i]) / median["1gbit", count[i], size[j]]
            if (found == "" || (largest ? x > found : x < found)) found = x
        }
    return found
}

# ---- The page --------------------------------------------------------------------------------------------------

function rounded(x) { # two digits
    if (x >= 1e6) return sprintf(x >= 1e7 ? "%.0f M" : "%.1f M", x / 1e6)
    if (x >= 1e4) return sprintf("%.0f,000", x / 1e3)
    if (x >= 1e3) return sprintf("%.0f,%d00", int(x / 1e3), x % 1e3 / 100)
    return sprintf("%.0f", x)
}
function milliseconds(s) { return s >= 0.1 ? sprintf("%.0f", 1e3 * s) : sprintf("%.1f", 1e3 * s) }
function title_of(name) {
    if (name == "memory") return "shared memory"
    if (name == "loopback") return "TCP, loopback"
    sub(/gbit/, " Gbit/s", name)
    sub(/\+/, ", delay ", name)
    return name
}

function measured(    i, k, j) {
    print "| network | processes | 1 MB | 10 MB | 100 MB |\n|---|---:|---:|---:|---:|"
    for (i = 1; i <= networks; i++)
        for (k = 1; k <= counts; k++) {
            if (!((network[i], count[k], size[1]) in median)) continue
            printf "| %s | %d |", title_of(network[i]), count[k]
            for (j = 1; j <= sizes; j++)
                printf (network[i], count[k], size[j]) in median ? " " milliseconds(median[network[i], count[k], size[j]]) " |" : " - |"
            print ""
        }
}

function table_of_pay(cores,    m, k, P) {
    printf "| weights | nodes | 1 Gbit/s: faster than one | half of the ideal speedup | 10 Gbit/s | half | 100 Gbit/s | half |\n"
    print "|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (m = 1; m <= 3; m++)
        for (P = 2; P <= 64; P *= 2) {
            printf "| %s | %d |", name_of(weights[m]), P
            for (k = 1; k <= 3; k++)
                printf " %s | %s |", batch(least(k, weights[m], P, cores, 1)), batch(least(k, weights[m], P, cores, more(1, P / 2)))
            print ""
        }
}
function batch(B) { return B ? rounded(B) : "over 15 M" }
function name_of(W) { return sprintf(W < 1e6 ? "%.2f M" : "%.1f M", W / 1e6) }

function table_of_steps(W, cores,    b, k, P) {
    print "| words of a batch | nodes | computing | waiting | 1 Gbit/s | faster | 10 Gbit/s | faster | 100 Gbit/s | faster |"
    print "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for (b = 1; b <= 3; b++)
        for (P = 1; P <= 64; P *= P == 1 ? 2 : P == 2 ? 4 : 8) {
            printf "| %s | %d | %s | %s |", rounded(batches[b]), P, milliseconds(compute(W, P, batches[b], cores)), milliseconds(waiting(W, P, batches[b], cores))
            for (k = 1; k <= 3; k++)
                printf " %s | %.2f x |", milliseconds(exchange(k, W, P)), speedup(k, W, P, batches[b], cores)
            print ""
        }
}

# ---- The plot --------------------------------------------------------------------------------------------------

function text(x, y, size, anchor, fill, what, rest) {
    printf "<text x=\"%g\" y=\"%g\" font-size=\"%g\" text-anchor=\"%s\" fill=\"%s\"%s>%s</text>\n", x, y, size, anchor, fill, rest, what
}
function across(P) { return left + 190 * log(P) / log(64) }
function up(s) { return bottom - 190 * (log(s < 1 / 16 ? 1 / 16 : s) + log(16)) / (log(64) + log(16)) }
function line(k, b,    P, points) {
    for (P = 1; P <= 64; P *= 2) points = points sprintf("%.1f,%.1f ", across(P), up(speedup(k, weights[2], P, batches[b], 16)))
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", points, color[b]
    text(left + 194, up(speedup(k, weights[2], 64, batches[b], 16)) + 4, 11, "start", color[b], rounded(batches[b]))
}
function draw(    k, b, P, s) {
    split("#b35900 #6f42c1 #1f5fa8", color, " ")
    print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"830\" height=\"310\" viewBox=\"0 0 830 310\" font-family=\"sans-serif\">"
    print "<title>Several nodes against one, predicted for batches of three sizes and links of three speeds</title>"
    print "<rect x=\"0.5\" y=\"0.5\" width=\"829\" height=\"309\" fill=\"#ffffff\" rx=\"8\" stroke=\"#d0d7de\"/>"
    text(14, 24, 14, "start", "#24292f", "Times as fast as one node, predicted: 2.6 M weights, 16 cores a node", " font-weight=\"bold\"")
    bottom = 255
    for (k = 1; k <= 3; k++) {
        left = 40 + 268 * (k - 1)
        text(left, 50, 13, "start", "#24292f", gigabit[k] " Gbit/s", " font-weight=\"bold\"")
        for (s = 1 / 16; s <= 64; s *= 4) {
            printf "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"%s\"/>\n", left, up(s), left + 190, up(s), s == 1 ? "#767d84" : "#e4e7ea"
            text(left - 5, up(s) + 4, 11, "end", "#57606a", s < 1 ? "1/" 1 / s : s)
        }
        for (P = 1; P <= 64; P *= 2) text(across(P), bottom + 15, 11, "middle", "#57606a", P)
        printf "<line x1=\"%g\" y1=\"%.1f\" x2=\"%g\" y2=\"%.1f\" stroke=\"#767d84\" stroke-dasharray=\"3 4\"/>\n", left, up(1), left + 190, up(64)
        for (b = 1; b <= 3; b++) line(k, b)
    }
    text(14, 295, 12, "start", "#57606a", "Nodes, from left to right; beside the lines the words of a batch; dashed: as many times as nodes; grey: one node")
    print "</svg>"
}

# ---- All -------------------------------------------------------------------------------------------------------

END {
    assume()
    split("262144 2600000 26000000", weights, " ")
    split("2000 32000 512000", batches, " ")
    if (plot) {
        draw()
        exit
    }
    print "# What several machines gain\n"
    print "Made by `scripts/bench-cluster`. The cost of the gradient exchange in `softalign-mpi train` was measured on one machine;"
    print "the speed of a cluster is predicted: no cluster was measured. None of this applies to `softalign-mpi compare`, which"
    print "exchanges nothing: N processes make it N times as fast, until the longest training sets the time.\n"
    print "## In short\n"
    printf "- **A batch of 2,000 words with 2.6 M weights over 1 Gbit/s does not pay off with any number of nodes.** One node of 16\n"
    printf "  cores computes it in %s ms; exchanging 10 MB of gradients takes %s ms with one other node, %s ms or\n", milliseconds(step(1, 2.6e6, 1, 2000, 16)), milliseconds(exchange(1, 2.6e6, 2)), milliseconds(exchange(1, 2.6e6, 4))
    printf "  more with several. Two nodes are %.1f times slower than one, eight %.1f times.\n", 1 / speedup(1, 2.6e6, 2, 2000, 16), 1 / speedup(1, 2.6e6, 8, 2000, 16)
    printf "- With 10 Gbit/s the same batch is still slower on eight nodes than on one (%.2f x); with 100 Gbit/s it is %.2f x,\n  because one thread per node cannot move and add more than 10 Gbit/s deliver.\n", speedup(2, 2.6e6, 8, 2000, 16), speedup(3, 2.6e6, 8, 2000, 16)
    printf "- It pays off when the batch is large: from %s words on two nodes of 16 cores at 1 Gbit/s, %s at 10, %s at 100. How\n", batch(least(1, 2.6e6, 2, 16, 1)), batch(least(2, 2.6e6, 2, 16, 1)), batch(least(3, 2.6e6, 2, 16, 1))
    print "  large a batch can get before a model learns less from each word is another question, not answered here."
    print "- This hardly depends on the size of the model: computing and exchange both grow with the weights. It depends on the"
    print "  cores: nodes of 4 cores gain from batches a quarter as large.\n"
    print "![Times as fast as one node, by nodes, links and batches](../pictures/cluster.svg)\n"
    print "## Measured\n"
    print "Median milliseconds of one exchange; 1 MB of single-precision numbers is 250,000 weights. " where "."
    print "All processes shared the machine, with real-time priority over other programs (`chrt -r 50 scripts/bench-cluster`):"
    print "with more processes than cores, these are times of the processor, not of a network. \"1 Gbit/s\" is TCP between network namespaces whose links `tc` limits; each process"
    print "has its own link, and a process between two others sends the sum up and the result down, so 100 MB take at least"
    print "0.8 s with two processes and 1.6 s with more.\n"
    measured()
    print ""
    printf "The model below predicts %.2f to %.2f of the times measured at 1 Gbit/s with 10 and 100 MB: it assumes a processor for each\n", share(0), share(1)
    print "process, which this machine does not have. Either a cluster uses its links better than this, or it is slower than predicted.\n"
    if (!("1gbit+0.5ms" in known))
        print "Network delay was not measured: the kernel of this machine has no `netem`. The script measures it where there is one.\n"
    print "## The model\n"
    print "An update takes `computing + waiting + exchange`, with W weights, P nodes of c cores, a batch of B target words:\n"
    print "- `computing = B / (P c 0.8) / (3e10 / W) + 5e-9 W`. A core trains 3e10 / W words a second (COURSE has 6.0 M weights and"
    print "  6,600 words a second on a core of the Xeon, PAPER 38 M and 740, see [RESULTS.md](RESULTS.md)), 0.8 of that when all cores"
    print "  work. Every node sums the gradients of its threads, clips and updates all weights: 5 ns a weight, an estimate."
    print "- `waiting = (slowest - 1)` times the first term of computing. One shard for each core; the slowest of n shards with k pairs"
    print "  each takes `1 + 0.45 sqrt(2 ln n / k)` times the mean, since the deviation of sentence lengths is 0.45 of their mean (13)."
    printf "- `exchange = 4 W b m + 2 (P - 1) (latency + block b)`: b seconds a byte, the larger of the link's and of the host's\n"
    printf "  own (%.1f ns with TCP, %.1f ns without, measured above with two processes and 10 MB; for 100 Gbit/s the\n", 1e9 * host[1], 1e9 * host[3]
    print "  latter, as with InfiniBand); m is 1 for two nodes and 2 for more; blocks of 64 to 256 KB; latencies 50, 20"
    print "  and 3 microseconds. None of it overlaps with computing.\n"
    print "Not in the model: links that several nodes share, other traffic, nodes of unequal speed, validation by the first process"
    print "while the others wait.\n"
    print "## Predicted: one update of 2.6 M weights\n"
    print "Milliseconds, with 16 cores per node; \"faster\" is relative to one node.\n"
    table_of_steps(2.6e6, 16)
    print "\n## Predicted: the batch size from which it pays off\n"
    print "Target words of the smallest batch with which the nodes are faster than one node at all, and with which they reach at least"
    print "half of the ideal speedup.\n"
    for (i = 1; i <= 2; i++) {
        cores = i == 1 ? 16 : 4
        print "Nodes of " cores " cores:\n"
        table_of_pay(cores)
        if (i == 1) print ""
    }
}
