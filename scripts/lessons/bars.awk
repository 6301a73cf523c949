# Lines of "label TAB figure" (none below 0) as bars: on standard output, and as a picture in `file`.
{
    label[NR] = $1
    figure[NR] = $2
    if ($2 > most) most = $2
    if (length($1) > widest) widest = length($1)
}

END {
    if (!most) most = 1
    print "  " title
    for (i = 1; i <= NR; i++) {
        bar = ""
        for (k = 0; k < int(40 * figure[i] / most + 0.5); k++) bar = bar "█"
        printf "  %" widest "s  %s %s\n", label[i], bar, shown(figure[i])
    }
    high = 44 + 26 * NR
    left = 20 + 8 * widest
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" " \
        "font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n" \
        "<text x=\"10\" y=\"24\" font-weight=\"bold\">%s</text>\n", \
        left + 480, high, left + 480, high, markup(title) > file
    for (i = 1; i <= NR; i++)
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>" \
            "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\" fill=\"#36648b\"/>" \
            "<text x=\"%.1f\" y=\"%d\">%s</text>\n", \
            left - 8, 30 + 26 * i, markup(label[i]), left, 16 + 26 * i, 400 * figure[i] / most, \
            left + 6 + 400 * figure[i] / most, 30 + 26 * i, shown(figure[i]) > file
    print "</svg>" > file
}

function markup(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    return text
}

# Three digits, and none of what is next to nothing.
function shown(x) {
    return sprintf(x == int(x) || x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : "%.3f", x)
}
