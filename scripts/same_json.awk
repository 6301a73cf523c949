# What differs between two JSON files, of which the second may say more: values that changed, keys that are
# gone, lists of another length. New keys are passed over, and so are new elements of lists whose elements
# have a "name". Several values, one a line (JSON Lines), count as a list.
#   awk -v skipped='KEY|...' -f same_json.awk BEFORE AFTER
BEGIN {
    skipped = "/(" skipped ")(/|$)"
    token = "\"([^\"\\\\]|\\\\.)*\"|[][{}:,]|[^][{}:,\" \t]+"
    file = 1
    depth = elements[0] = 0
    is_list[0] = 1
}

FNR == 1 && FILENAME != ARGV[1] {
    note_length()
    file = 2
    elements[0] = 0
}

{
    for (text = $0; match(text, token); text = substr(text, RSTART + RLENGTH)) {
        word = substr(text, RSTART, RLENGTH)
        if (word == "{" || word == "[") enter(word == "[")
        else if (word == "}" || word == "]") leave()
        else if (word == ",") wants_key = !is_list[depth]
        else if (word == ":") wants_key = 0
        else if (wants_key) label[depth] = unquoted(word)
        else scalar(word)
    }
}

END {
    note_length()
    for (i = 1; i <= count; i++) {
        key = order[i]
        if (!((2, key) in value)) print key " is gone"
        else if (value[1, key] != value[2, key]) print key " " value[1, key] " | " value[2, key]
    }
}

function unquoted(string) { return substr(string, 2, length(string) - 2) }

function enter(list) {
    if (is_list[depth]) label[depth] = ++elements[depth]
    depth++
    is_list[depth] = list
    elements[depth] = named[depth] = 0
    wants_key = !list
}

function leave() {
    if (is_list[depth] && !named[depth]) note_length()
    depth--
    wants_key = 0
}

function scalar(word) {
    if (is_list[depth]) label[depth] = ++elements[depth]
    else if (label[depth] == "name" && depth > 1 && is_list[depth - 1]) {
        label[depth - 1] = unquoted(word)
        named[depth - 1] = 1
    }
    note(word)
}

function note_length() {
    label[depth] = "length"
    note(elements[depth])
}

function note(word, k, key) {
    for (k = 0; k <= depth; k++) key = key "/" label[k]
    if (key ~ skipped) return
    while ((file, key) in value) key = key "'"
    if (file == 1) order[++count] = key
    value[file, key] = word
}
