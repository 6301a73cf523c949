# Turns the Markdown of a manual page into roff (man macros).
#
#   awk -v date=YYYY-MM-DD -v version=0.2.0 [-v notes=FILE] -f roff.awk PAGE.md
#
# Understood: "# NAME SECTION" first, "##" and "###" headings, paragraphs, "- " items, definition lists (a
# term, then a line that begins with ": "), tables, blocks fenced by ```, `literal` and *argument*. NOTES
# holds what a person wrote about the page: what stands before its first heading joins the DESCRIPTION,
# the rest stands before the EXAMPLE.

function die(why) {
    print FILENAME ":" FNR ": " why >"/dev/stderr"
    failed = 1
    exit 1
}

# Characters that roff would take for something else.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text
}

function verbatim(text) {
    text = plain(text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    return text
}

# Prose: options are bold wherever they stand; `literal` is bold, *argument* italic.
function prose(text,    out, before, found) {
    gsub(/\]\([^)]*\)/, "]", text)
    while (match(text, /`[^`]+`|\*[A-Za-z][^* ]*\*|--[a-z][a-z0-9]*(-[a-z0-9]+)*/)) {
        before = substr(text, 1, RSTART - 1)
        found = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        out = out plain(before)
        if (found ~ /^`/)
            out = out "\\fB" verbatim(substr(found, 2, length(found) - 2)) "\\fP"
        else if (found ~ /^\*/)
            out = out "\\fI" verbatim(substr(found, 2, length(found) - 2)) "\\fP"
        else
            out = out "\\fB" verbatim(found) "\\fP"
    }
    return out plain(text)
}

# A line must not begin like a request.
function put(line) { print (line ~ /^[.']/ ? "\\&" : "") line }

# The bytes of a line, with room for what mandoc makes of each that is not ASCII.
function bytes(text) { return length(text) + 4 * gsub(/[\200-\377]/, "", text) }

function fill(text,    count, word, i, line) {
    count = split(text, word, " ")
    line = word[1]
    for (i = 2; i <= count; i++) {
        if (bytes(line) + bytes(word[i]) + 1 > 78) {
            put(line)
            line = word[i]
        } else {
            line = line " " word[i]
        }
    }
    if (count) put(line)
}

# Ends what the lines so far belong to. The first paragraph below a heading needs no .PP.
function flush(    text) {
    if (paragraph != "") {
        if (in_item) {
            print in_item
            if (term != "") put(prose(term))
        } else if (!fresh) {
            print ".PP"
        }
        fill(prose(paragraph))
        fresh = in_item = 0
    }
    paragraph = term = ""
}

function end_table(    i, j, line) {
    if (!table_rows) return
    if (!fresh) print ".PP"
    print ".EX"
    for (i = 1; i <= table_rows; i++) {
        line = ""
        for (j = 1; j <= table_cols; j++)
            line = line (j < table_cols ? sprintf("%-" (width[j] + 2) "s", cell[i, j]) : cell[i, j])
        sub(/ +$/, "", line)
        put(verbatim(line))
    }
    print ".EE"
    table_rows = table_cols = fresh = 0
    delete width
}

function table_line(line,    count, part, i) {
    if (line ~ /^\|[-|: ]+$/) return
    gsub(/`/, "", line)
    sub(/^\| */, "", line)
    sub(/ *\|$/, "", line)
    count = split(line, part, / *\| */)
    table_rows++
    if (count > table_cols) table_cols = count
    for (i = 1; i <= count; i++) {
        cell[table_rows, i] = part[i]
        if (length(part[i]) > width[i]) width[i] = length(part[i])
    }
}

function heading(line) {
    flush()
    end_table()
    if (line ~ /^# /) {
        split(line, title, " ")
        section = title[3]
        printf ".TH %s %s %s \"softalign %s\"\n.nh\n.ad l\n", toupper(title[2]), section, date, version
    } else {
        print (line ~ /^## / ? ".SH " : ".SS ") (line ~ / .* / ? "\"" : "") \
            verbatim(substr(line, index(line, " ") + 1)) (line ~ / .* / ? "\"" : "")
    }
    fresh = 1
}

function line_of(line) {
    if (fenced) {
        if (line ~ /^```/) {
            fenced = 0
            print ".EE"
        } else {
            put(line == "" ? "\\&" : verbatim(line))
        }
    } else if (line ~ /^```/) {
        flush()
        end_table()
        if (!fresh) print ".PP"
        print ".EX"
        fenced = 1
        fresh = 0
    } else if (line ~ /^#+ /) {
        heading(line)
    } else if (line == "") {
        flush()
        end_table()
    } else if (line ~ /^\|/) {
        flush()
        table_line(line)
    } else if (line ~ /^: /) {
        term = paragraph
        paragraph = substr(line, 3)
        in_item = ".TP"
    } else if (line ~ /^- /) {
        flush()
        paragraph = substr(line, 3)
        in_item = ".IP \\(bu 2"
    } else {
        sub(/^ +/, "", line)
        paragraph = paragraph (paragraph == "" ? "" : " ") line
    }
}

# The lines of NOTES: those before its first heading, or those from there on.
function insert_notes(after,    i) {
    for (i = 1; i <= note_count; i++)
        if ((i >= first_heading) == after) line_of(note[i])
    line_of("")
}

BEGIN {
    fresh = 1
    while (notes != "" && (getline text <notes) > 0) {
        note[++note_count] = text
        if (text ~ /^## / && !first_heading) first_heading = note_count
    }
    if (notes != "" && !note_count) {
        print notes ": no text" >"/dev/stderr"
        failed = 1
        exit 1
    }
    if (!first_heading) first_heading = note_count + 1
}

NR == 1 && !/^# / { die("no title") }
/^## / && described && !inserted++ { insert_notes(0) }
/^## DESCRIPTION$/ { described = 1 }
/^## EXAMPLE$/ { insert_notes(1) }
{ line_of($0) }

END {
    if (failed) exit 1
    if (fenced) die("a block does not end")
    flush()
    end_table()
}
