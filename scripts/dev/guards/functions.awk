# Reads what code.awk prints and lists the function definitions as FILE:LINE:NAME:LENGTH, the length
# in lines from the first of the signature to the closing brace.
{
    match($0, /^[^:]*:[0-9]+:/)
    split(substr($0, 1, RLENGTH), place, ":")
    text = substr($0, RLENGTH + 1)
    if (place[1] != file) {
        file = place[1]
        depth = directive = 0
        signature = name = ""
    }
    # Braces of macros need not match.
    skip = directive || text ~ /^[ \t]*#/
    directive = skip && text ~ /\\$/
    if (skip) next

    while (match(text, /[{};]/)) {
        mark = substr(text, RSTART, 1)
        if (depth == 0) add_signature(substr(text, 1, RSTART - 1))
        text = substr(text, RSTART + 1)
        if (mark == "{" && depth++ == 0) name = function_name(signature)
        if (mark == "}" && --depth == 0 && name != "") {
            print file ":" first ":" name ":" place[2] - first + 1
            name = ""
        }
        if (depth == 0) signature = ""
    }
    if (depth == 0) add_signature(text)
}

function add_signature(text) {
    if (signature == "" && text ~ /[^ \t]/) first = place[2]
    if (text ~ /[^ \t]/) signature = signature " " text
}

# The word before the first parenthesis, or "" when the braces belong to a type or a table.
function function_name(signature) {
    gsub(/__attribute__ *\(\([^()]*(\([^()]*\))?[^()]*\)\)/, "", signature)
    if (signature ~ /=/ || !match(signature, /[A-Za-z_][A-Za-z_0-9]* *\(/)) return ""
    signature = substr(signature, RSTART, RLENGTH - 1)
    sub(/ +$/, "", signature)
    return signature
}
