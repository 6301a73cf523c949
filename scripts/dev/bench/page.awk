# The page of results: every processor's figures beside the others', as tables.tsv says.
#
#   awk -v tables=FILE -v causes=FILE -f results.awk -f page.awk PROCESSOR.csv...

# ---- Tables: columns and rows that nobody fills are left out ------------------------------------------

function begin(title) {
    heading = title
    rows = columns = 0
    delete text_at
    delete filled
}
function put(column, text) {
    if (text == "") return
    text_at[rows, p, column] = text
    filled[rows]
    filled[p, column]
}
function end(labels,    r, c, first, line, rule) {
    for (p = 1; p <= processors; p++) {
        first = name[p] # in the first of its columns
        for (c = 1; c <= columns; c++)
            if ((p, c) in filled) {
                line = line " | " first (first == "" || column[c] == "" ? "" : ": ") column[c]
                rule = rule "---:|"
                first = ""
            }
    }
    if (line == "") return 0
    printf "\n## %s\n\n| %s%s |\n|", heading, labels, line
    for (r = gsub(/\|/, "|", labels); r >= 0; r--) printf "---|"
    print rule
    for (r = 1; r <= rows; r++) {
        if (!(r in filled)) continue
        line = "| " label[r]
        for (p = 1; p <= processors; p++)
            for (c = 1; c <= columns; c++)
                if ((p, c) in filled) line = line " | " ((r, p, c) in text_at ? text_at[r, p, c] : "-")
        print line " |"
    }
    return 1
}

function shown(x, format) {
    if (x == "") return ""
    if (format == "whole") return group(x)
    if (format == "bf16") return group(x) (in_hardware() ? "" : ", emulated")
    if (format == "times") return sprintf("%.2f x", x)
    if (format == "percent") return sprintf("%.0f %%", 100 * x)
    if (format == "ms") return sprintf("%.0f ms", 1000 * x)
    if (format == "s") return sprintf("%.2f s", x)
    return sprintf("%." format "f", x)
}

# A row of the columns' figures, or of a single one.
function fill(text, figure, format,    c, part) {
    split(key_of(figure), part, FS)
    gsub(/SCALE/, toupper(at["SCALE"]), text)
    gsub(/MOST/, most_of[part[2]], text)
    label[++rows] = text
    for (p = 1; p <= processors; p++)
        for (c = 1; c <= columns; c++)
            put(c, figure == "" ? shown(evaluate(figure_of[c]), format_of[c]) : shown(evaluate(figure), format))
}

# The rows of a table in their order, as "SCALE | ..." says; what varies in `growth` comes as it was measured.
function fill_rows(labels, text,    loop, i, f, list) {
    if (labels ~ /^what varies/) {
        sort_variations()
        for (i = 1; i <= variations; i++) {
            split(variation[i], f, " ")
            at["WHAT"] = f[1]
            at["THREADS"] = f[2]
            at["VALUE"] = f[3]
            fill(f[1] " | " (f[1] == "threads" ? f[2] : f[3]) " | " f[2])
        }
        return
    }
    if (labels == "") {
        fill(substr(text, 4))
        return
    }
    loop = labels
    sub(/ \|.*/, "", loop)
    if (!sub(/^[^|]*\| /, "", labels)) labels = ""
    if (loop ~ /^threads/) {
        for (i = loop == "threads" ? 1 : 2; i <= most_threads; i++) {
            at["THREADS"] = i
            fill_rows(labels, text " | " i)
        }
        return
    }
    split(loop == "scale" ? "tiny toy course paper" : loop == "score" ? "additive dot" : "1 64", list, " ")
    for (i = 1; i in list; i++) {
        at[toupper(loop)] = list[i]
        fill_rows(labels, text " | " (loop == "scale" ? toupper(list[i]) : list[i]))
    }
}

function sort_variations(    i, j, a, b) { # what varies as it comes, its values in their order
    for (i = 2; i <= variations; i++)
        for (j = i; j > 1; j--) {
            split(variation[j - 1], a, " ")
            split(variation[j], b, " ")
            if (place[a[1]] < place[b[1]] || (a[1] == b[1] && a[3] + 0 <= b[3] + 0)) break
            a[0] = variation[j]
            variation[j] = variation[j - 1]
            variation[j - 1] = a[0]
        }
}

# Prints the table whose lines have been read; rows of their own come once for each scale if they name it.
function finish(    i, s, f) {
    if (heading == "") return
    at["SCORE"] = "additive"
    if (!singles) fill_rows(row_names)
    for (s = 0; singles && s <= 4; s++) {
        at["SCALE"] = scale_name[s]
        for (i = 1; i <= singles; i++) {
            split(single[i], f, "\t")
            if ((f[2] f[4] ~ /SCALE/) == (s > 0)) fill(f[2], f[4], f[3])
        }
    }
    sub(/ > 1/, "", row_names)
    if (end(row_names)) printf "%s", note
    else if (otherwise != "") print "\n## " heading "\n\n" otherwise
    heading = ""
}

function read_tables(    line, f) {
    while ((getline line <tables) > 0) {
        split(line, f, "\t")
        if (f[1] == "table") {
            finish()
            begin(f[2])
            row_names = f[3]
            note = otherwise = ""
            singles = 0
        } else if (f[1] == "column") {
            column[++columns] = f[2]
            format_of[columns] = f[3]
            figure_of[columns] = f[4]
        } else if (f[1] == "row") {
            single[++singles] = line
            column[columns = 1] = ""
        } else if (f[1] == "note") note = note (note == "" ? "\n" : "") f[2] "\n"
        else if (f[1] == "else") otherwise = f[2]
    }
    finish()
}

# ---- Goals ------------------------------------------------------------------------------------------

function in_unit(x, unit) {
    if (unit == "%") return shown(x, "percent")
    return sprintf(unit == "ms" || unit == "MB" ? "%.0f %s" : "%.2f %s", x, unit)
}
function judge(x, goal, limit, want, unit,    met, text) { # of processor `p`
    met = limit ? x <= want : x >= want
    text = in_unit(x, unit)
    if (!met && text + 0 == in_unit(want, unit) + 0) text = unit == "%" ? shown(100 * x, 1) " %" : shown(x, 3) " " unit
    put(1, met ? text : "**missed: " text "**")
    if (!met) missed[++misses] = goal "\t" name[p] "\t" text "\t" run_name[p, run_read]
}

function goals(    line, f, wanted, x) {
    begin("Goals")
    column[columns = 1] = ""
    at["SCORE"] = "additive"
    at["BATCH"] = 64
    while ((getline line <tables) > 0) {
        if (split(line, f, "\t") != 6 || f[1] != "goal") continue
        label[++rows] = f[2] " | " f[3]
        split(f[3], wanted, " ")
        at["SCALE"] = f[4]
        at["THREADS"] = f[5]
        for (p = 1; p <= processors; p++) {
            x = f[6] ~ /^bf16/ && !in_hardware() ? "" : evaluate(f[6])
            if (x != "") judge(x, f[2], wanted[2] == "most", wanted[4] == "%" ? wanted[3] / 100 : wanted[3] + 0, wanted[4])
        }
    }
    close(tables)
    if (end("goal | wanted")) name_causes()
    heading = ""
}

# A line of `causes` is GOAL, WHERE and CAUSE: a goal may be named by how it begins; WHERE is a processor, one of
# its runs (PROCESSOR, COMMIT) or * for all. The first line that fits counts.
function cause_of(f,    i) {
    for (i = 1; i <= known; i++)
        if (substr(f[1], 1, length(cause_goal[i])) == cause_goal[i] && (cause_at[i] == "*" || index(f[2] ", " f[4] ",", cause_at[i] ",") == 1))
            return cause[i]
    return "No cause is written down"
}
function read_causes(    line, f) {
    while ((getline line <causes) > 0)
        if (split(line, f, "\t") == 3 && line !~ /^#/) {
            cause_goal[++known] = f[1]
            cause_at[known] = f[2]
            cause[known] = f[3]
        }
}
function name_causes(    i, f, text, texts, order_of, list, last) {
    read_causes()
    for (i = 1; i <= misses; i++) {
        split(missed[i], f, "\t")
        text = cause_of(f)
        if (!(text in list)) order_of[++texts] = text
        list[text] = list[text] (last[text] == f[1] ? "; " : "\n  - " f[1] ": ") f[2] " " f[3]
        last[text] = f[1]
    }
    if (misses) print "\nWhat was missed, by cause:\n"
    for (i = 1; i <= texts; i++) print "- " order_of[i] ":" list[order_of[i]]
}

# ---- Where it was measured --------------------------------------------------------------------------

function measured_in(r,    i, j, list, text, sizes) {
    split(parts_of[p, r], list, " ")
    for (i = 1; i in list; i++) {
        sizes = toupper(scales_of[p, r, list[i]])
        gsub(/ /, ", ", sizes)
        text = text (text == "" ? "" : ", ") list[i] (list[i] == "growth" || list[i] == "tutorial" ? "" : " (" sizes ")")
    }
    return text
}

function origins(    r) {
    print "\n## Where and when\n"
    for (p = 1; p <= processors; p++)
        for (r = 1; r <= run_count[p]; r++) {
            print "- **" name[p] "**, " about[p, r, "system"] ". softalign " run_name[p, r] ", " rounds[p, r] \
                (rounds[p, r] == 1 ? " round: " : " rounds: ") measured_in(r) "."
            print "  " about[p, r, "blas"] ". " about[p, r, "pytorch"] "."
            print "  " about[p, r, "corpus"] ". Other programs were running when " about[p, r, "disturbed"] " measurements began."
        }
}

END {
    origins()
    goals()
    read_tables()
}
