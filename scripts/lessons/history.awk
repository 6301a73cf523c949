# The table of the whole history in Markdown: history.tsv beside what `compare` measured.
#   awk -v bands="11-15 21-30" -f history.awk history.tsv COMPARISON/table.csv COMPARISON/bylength.csv
BEGIN { count = split(bands, band, " ") }

FNR == 1 { file++ }

file == 1 { # the rows: tabs between year, name, model and formula
    split($0, row, "\t")
    order[++rows] = row[3]
    year[row[3]] = row[1]
    title[row[3]] = row[2]
    formula[row[3]] = row[4]
    gsub(/\|/, "\\|", formula[row[3]])
    next
}

FNR == 1 { # the header of a CSV file
    fields = split($0, name, ",")
    for (k = 1; k <= fields; k++) column[name[k]] = k
    next
}

{ split($0, cell, ",") }

file == 2 && cell[2] == "median" {
    for (k = 1; k <= fields; k++) figure[cell[1], name[k]] = cell[k]
}

file == 3 { bleu[cell[column["model"]], cell[column["band"]]] = cell[column["bleu"]] }

function shown(number, digits, factor) {
    return number == "" ? "-" : sprintf("%." digits "f", number * factor)
}

END {
    head = "| year | attention | formula | parameters |"
    line = "|---|---|---|---:|"
    for (k = 1; k <= count; k++) {
        head = head " BLEU " band[k] " |"
        line = line "---:|"
    }
    print head " AER | zeros % | cache |"
    print line "---:|---:|---:|"
    for (i = 1; i <= rows; i++) {
        model = order[i]
        if (!((model, "parameters") in figure)) continue
        text = "| " year[model] " | " title[model] " | `" formula[model] "` | " figure[model, "parameters"] " |"
        for (k = 1; k <= count; k++) text = text " " shown(bleu[model, band[k]], 0, 1) " |"
        print text " " shown(figure[model, "aer"], 2, 1) " | " shown(figure[model, "zeros"], 0, 100) \
            " | " shown(figure[model, "cache_bytes_per_step"], 0, 1) " |"
    }
}
