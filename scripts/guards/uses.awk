# Reads what code.awk prints of sources, then once more with names of definitions known (-v pass is
# set between them): prints "USER OWNER" for every source that names a function or table of another
# source. A source and its header count as one file: its path without the ending.
function stem(path) {
    sub(/\.[ch]$/, "", path)
    return path
}

{
    match($0, /^[^:]*:[0-9]+:/)
    file = substr($0, 1, index($0, ":") - 1)
    text = substr($0, RLENGTH + 1)
}

# A definition begins in the first column and is no declaration.
pass == 1 {
    if (file != last) depth = 0
    last = file
    if (depth == 0 && file ~ /\.c$/ && text !~ /^(static|typedef|extern|[ \t#}])/ &&
        match(text, /(sa|cli)_[A-Za-z0-9_]+[ \t]*(\(|\[[A-Za-z0-9_ +]*\] = )/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_].*/, "", name)
        owner[name] = stem(file)
    }
    depth += gsub(/{/, "{", text) - gsub(/}/, "}", text)
    next
}

{
    while (match(text, /(sa|cli)_[A-Za-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (file ~ /\.c$/ && name in owner && owner[name] != stem(file) && !told[file, name]++)
            print stem(file), owner[name]
    }
}
