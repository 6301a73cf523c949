# Prints FILE:LINE:TEXT for every line of C sources, where TEXT is the code alone: no comments,
# string and character literals emptied. So rules about code do not stumble over prose.
# With -v keep=comments the other way round: TEXT is what stands in comments; with -v keep=kind it is
# "code", "comment" or, of a blank line, "".
FNR == 1 { inside = 0 }

{
    rest = $0
    code = comment = ""
    while (rest != "") {
        if (inside) {
            end = index(rest, "*/")
            comment = comment (end ? substr(rest, 1, end - 1) " " : rest)
            rest = end ? substr(rest, end + 2) : ""
            inside = !end
        } else if (match(rest, /"|'|\/\*|\/\//)) {
            opening = substr(rest, RSTART, RLENGTH)
            code = code substr(rest, 1, RSTART - 1)
            rest = substr(rest, RSTART)
            if (opening == "/*") {
                inside = 1
                rest = substr(rest, 3)
            } else if (opening == "//") {
                comment = comment substr(rest, 3)
                rest = ""
            } else {
                literal = opening == "\"" ? "^\"([^\"\\\\]|\\\\.)*\"" : "^'([^'\\\\]|\\\\.)*'"
                code = code opening opening
                rest = match(rest, literal) ? substr(rest, RLENGTH + 1) : ""
            }
        } else {
            code = code rest
            rest = ""
        }
    }
    if (keep == "comments") text = comment
    else if (keep == "kind") text = code ~ /[^ \t]/ ? "code" : NF ? "comment" : ""
    else text = code
    print FILENAME ":" FNR ":" text
}
