# Turns the public headers into the Markdown of a manual page: comments at the margin are its text, a
# comment with dashes is a heading, and everything else stands as it is written.

function end_code(    i) {
    while (code_count && code[code_count] == "") code_count--
    if (code_count) {
        print "\n```"
        for (i = 1; i <= code_count; i++) print code[i]
        print "```\n"
    }
    code_count = 0
}

function add_code(line) {
    if (line != "" || (code_count && code[code_count] != "")) code[++code_count] = line
}

# A line too long for a page: its comment goes below it.
function add_wrapped(line,    at, count, word, i, text) {
    if (length(line) <= 78 || !(at = index(line, "/*"))) {
        add_code(line)
        return
    }
    text = substr(line, 1, at - 1)
    sub(/ +$/, "", text)
    if (text != "") add_code(text)
    count = split(substr(line, at), word, " ")
    text = "        " word[1]
    for (i = 2; i <= count; i++) {
        if (length(text) + length(word[i]) + 1 > 78 && word[i] != "*/") {
            add_code(text)
            text = "           " word[i]
        } else {
            text = text " " word[i]
        }
    }
    add_code(text)
}

# One line of a comment at the margin, without its stars. What is set in further is a formula.
function comment(line) {
    sub(/^(\/\*| \*\/| \*) ?/, "", line)
    sub(/ *\*\/$/, "", line)
    if (line == "" && code_count) {
        add_code("")
        return
    }
    if (line ~ /^  +[^ ]/) {
        add_code(line)
        return
    }
    end_code()
    gsub(/sa_[a-z0-9_]*[a-z0-9]|SA_[A-Z]+/, "`&`", line)
    print line
}

BEGIN {
    print "# softalign 3\n\n## NAME\n\nsoftalign - small neural translation models on a CPU, as a library\n"
    print "## SYNOPSIS\n\n```\n#include <softalign.h>\n```\n\n## DESCRIPTION\n"
}

FNR == 1 {
    end_code()
    started = 0
    if (NR > 1) print "\n## HEADER <SOFTALIGN/" (FILENAME ~ /lab/ ? "LAB" : "REPORT") ".H>\n"
}
/^#ifndef SOFTALIGN_/ { started = 1 }
in_comment { comment($0); if (/\*\//) in_comment = 0; next }
/^#(ifdef __cplusplus|if|else|endif|pragma|define SOFTALIGN_[A-Z_]*H$)/ { skipping = /__cplusplus/; next }
skipping { next }
/^\/\* -----* / {
    end_code()
    gsub(/^\/\* -+ | -+ *\*\/$/, "")
    print "\n## " toupper($0) "\n"
    next
}
/^\/\*/ { end_code(); print ""; comment($0); in_comment = !/\*\//; next }
started && open_comment != "" {
    sub(/^ +/, "")
    open_comment = open_comment " " $0
    if (/\*\//) { add_wrapped(open_comment); open_comment = "" }
    next
}
started && /\/\*/ && !/\*\// { open_comment = $0; next }
started { add_wrapped($0) }

END { end_code() }
