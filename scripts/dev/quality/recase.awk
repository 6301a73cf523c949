# Cases and joins lower-case tokens of Moses as running text, so that a model of such tokens can be scored on raw
# references. Learns from training text alone:
#
#   paste TOKENS RAW | awk -f recase.awk >CASES        the forms of tokens inside a sentence
#   awk -f recase.awk CASES TOKENS                     a line of text for each line of tokens
#
# A token takes its most frequent form, before the next token if the two were seen together; an unknown one the
# case of the longest known word of four letters that it ends with (German compounds). A sentence begins with a
# capital letter, and tokens are joined by the rules of Moses' detokenizer: punctuation to the left, opening
# brackets to the right, quotes by turns, an apostrophe as the language writes it.

BEGIN {
    for (i = 128; i <= 158; i++) if (i != 151) small[sprintf("\303%c", i)] = sprintf("\303%c", i + 32)
    small["\305\222"] = "\305\223"
    for (c in small) capital[small[c]] = c
    learning = ARGC < 2
}

function lower(text,    c) {
    if (text ~ /[\303\305]/) for (c in small) gsub(c, small[c], text)
    return tolower(text)
}

function upper_first(text,    size, c) {
    size = text ~ /^[\303\305]/ ? 2 : 1
    c = substr(text, 1, size)
    return (c in capital ? capital[c] : toupper(c)) substr(text, size + 1)
}

function cased(word, following,    i) {
    if (word " " following in form) return form[word " " following]
    if (word in form) return form[word]
    for (i = 2; i <= length(word) - 3; i++)
        if (substr(word, i) in form)
            return form[substr(word, i)] == substr(word, i) ? word : upper_first(word)
    return word
}

function plain(text) {
    gsub(/&apos;/, "'", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&#91;/, "[", text)
    gsub(/&#93;/, "]", text)
    gsub(/&#124;/, "|", text)
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

# Every token is looked for in the raw line, from where the one before it ended.
learning {
    split($0, side, "\t")
    count = split(plain(side[1]), token, " ")
    raw = side[2]
    small_raw = lower(raw)
    for (i = 1; i <= count; i++) {
        at = index(small_raw, token[i])
        if (!at) continue
        if (i > 1 && token[i] ~ /[a-z\303\305]/) {
            seen[token[i] "\t" substr(raw, at, length(token[i]))]++
            seen[token[i] " " token[i + 1] "\t" substr(raw, at, length(token[i]))]++
        }
        raw = substr(raw, at + length(token[i]))
        small_raw = substr(small_raw, at + length(token[i]))
    }
    next
}

!learning && FNR == NR {
    split($0, side, "\t")
    form[side[1]] = side[2]
    next
}

{
    count = split(plain($0), token, " ")
    text = ""
    open = glued = 0
    begins = 1
    for (i = 1; i <= count; i++) {
        word = cased(token[i], token[i + 1])
        if (begins && word ~ /[a-z\303\305]/) {
            word = upper_first(word)
            begins = 0
        }
        left = word ~ /^[.,:;?!%)\]}]+$/ || word == "..."
        if (word == "'s" || word ~ /^'(re|ve|ll|d|m|t)$/) left = 1
        right = word ~ /^[(\[{]$/ || word ~ /[a-z\303]'$/
        if (word == "\"") {
            left = open
            right = !open
            open = !open
        }
        if (word == "'") left = right = 1
        text = text (i > 1 && !left && !glued ? " " : "") word
        glued = right
    }
    print text
}

END {
    for (pair in seen) {
        split(pair, side, "\t")
        if (seen[pair] > best[side[1]] || (seen[pair] == best[side[1]] && side[2] < form[side[1]])) {
            best[side[1]] = seen[pair]
            form[side[1]] = side[2]
        }
    }
    for (word in form) {
        split(word, side, " ")
        if (learning && (side[1] == word || form[word] != form[side[1]])) print word "\t" form[word] | "sort"
    }
}
