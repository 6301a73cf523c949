# Prints "USER OWNER" for every source file that names a function or table which another source file
# defines, both as paths without their ending. Reads what code.awk prints twice: with pass=1 it
# collects the definitions, with pass=2 it finds their uses.
function stem(path) {
    sub(/\.[ch]$/, "", path)
    return path
}

{
    match($0, /^[^:]*:[0-9]+:/)
    path = substr($0, 1, index($0, ":") - 1)
    text = substr($0, RLENGTH + 1)
}

path !~ /\.c$/ { next }

# What the public header declares is defined in src all the same, so only sources are read. A
# definition begins in the first column, outside braces.
pass == 1 {
    if (path != last) depth = 0
    last = path
    if (depth == 0 && text !~ /^(static|typedef|extern|[ \t#}])/ &&
        match(text, /(sa|cli)_[A-Za-z0-9_]+[ \t]*(\(|(\[[^\]]*\])* = )/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/[^A-Za-z0-9_].*/, "", name)
        owner[name] = stem(path)
    }
    depth += gsub(/{/, "{", text) - gsub(/}/, "}", text)
    next
}

{
    user = stem(path)
    while (match(text, /(sa|cli)_[A-Za-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (name in owner && owner[name] != user && !seen[user, owner[name]]++) print user, owner[name]
    }
}
