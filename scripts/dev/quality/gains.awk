# The plot of QUALITY.md: what each idea of later years adds to RNNsearch in BLEU, with 95 % intervals, oldest first.
#
#   awk -F TAB -f svg.awk -f gains.awk STATE >ingredients.svg

BEGIN {
    rows = split("layers:2014: second layers (Zaremba);bpe:2016: byte-pair encoding (Sennrich);" \
        "norm:2016: layer normalization (Ba);state:2016: dropout of states (Gal);cgru:2017: conditional GRU (Sennrich);" \
        "tied:2017: tied embeddings (Press);heads:2017: four heads (Vaswani);all:the first four and tied embeddings", row, ";")
    for (r = 1; r <= rows; r++) {
        name[r] = substr(row[r], 1, index(row[r], ":") - 1)
        label[name[r]] = substr(row[r], index(row[r], ":") + 1)
    }
    title["valid"] = "validation pairs"
    title["test"] = "test 2016"
    color["valid"] = "#7fb0e0"
    color["test"] = "#1f5fa8"
}

$1 == "multi30k" && $2 in label {
    for (i = split($14, pair, " "); i; i--) {
        split(pair[i], value, "=")
        figure[$2, $4, value[1]] = value[2]
    }
    if (figure[$2, $4, "delta.low"] < from) from = int(figure[$2, $4, "delta.low"] - 1)
    if (figure[$2, $4, "delta.high"] > to) to = int(figure[$2, $4, "delta.high"] + 1)
    if (!index(commits, $7)) commits = commits (commits == "" ? "" : ", ") $7
    if ($8 > date) date = $8
}

function line(x, y, x2, y2, stroke, width) {
    printf "<path d=\"M%.1f %gL%.1f %g\" stroke=\"%s\" stroke-width=\"%g\"/>\n", x, y, x2, y2, stroke, width
}
function dot(x, y, set) { printf "<circle cx=\"%.1f\" cy=\"%g\" r=\"5\" fill=\"%s\"/>\n", x, y, color[set] }
function at(gain) { return 280 + (gain - from) / (to - from) * 470 }

# The gain of a row on one set of pairs: a point on its interval, and the number beside it, away from zero.
function gain(y, row, set,    low, high, value) {
    if (!((row, set, "delta") in figure)) return
    value = figure[row, set, "delta"]
    low = at(figure[row, set, "delta.low"])
    high = at(figure[row, set, "delta.high"])
    line(low, y, high, y, color[set], 3)
    dot(at(value), y, set)
    text_at(value < 0 ? low - 8 : high + 8, y + 4, 12, value < 0 ? "end" : "start", "#24292f", sprintf("%+.2f", value))
}

function legend(x, set) {
    dot(x, 20, set)
    text_at(x + 10, 24.5, 12, "start", "#24292f", title[set])
}

END {
    bottom = 50 + 40 * rows
    begin_picture(bottom + 62, "What each idea of later years adds to RNNsearch in BLEU", \
        "RNNsearch (2015) with one more idea: gain in BLEU, 95 % interval")
    legend(585, "valid")
    legend(725, "test")
    for (x = from; x <= to; x++) {
        line(at(x), 44, at(x), bottom, x ? "#e1e4e8" : "#57606a", x ? 1 : 2)
        text_at(at(x), bottom + 17, 12, "middle", "#57606a", x ? sprintf("%+d", x) : 0)
    }
    for (r = 1; r <= rows; r++) {
        text_at(14, 40 * r + 29, 13, "start", "#24292f", label[name[r]], name[r] == "all" ? bold() : "")
        gain(40 * r + 16, name[r], "valid")
        gain(40 * r + 32, name[r], "test")
    }
    text_at(14, bottom + 48, 12, "start", "#57606a", "Multi30k, German to English, beam of 5, paired bootstrap, one seed; softalign " commits ", " date)
    print "</svg>"
}
