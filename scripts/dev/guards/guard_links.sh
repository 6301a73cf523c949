#!/bin/bash
# Every relative link in a Markdown file leads to a file of the tree, every anchor to a heading, and every
# path that a text names exists or is made by a patch in it; README.md has at most 250 lines of at most
# 110 characters.
set -u
export LC_ALL=C.UTF-8

# The anchors of a file's headings: lower case, spaces as dashes, without punctuation.
anchors() {
    awk '/^```/ { fenced = !fenced } !fenced && /^#+ /' "$1" |
        sed -E 's/^#+ +//; s/[^[:alnum:] _-]//g; s/ /-/g' | tr '[:upper:]' '[:lower:]'
}

# LINE TAB TARGET of each link outside blocks of code.
links() {
    awk '
        /^ *```/ { fenced = !fenced }
        fenced { next }
        {
            gsub(/`[^`]*`/, "")
            while (match($0, /\]\([^()]*\)/)) {
                print FNR "\t" substr($0, RSTART + 2, RLENGTH - 3)
                $0 = substr($0, RSTART + RLENGTH)
            }
        }' "$1"
}

check_links() { # FILE
    local folder line target path
    folder=$(dirname "$1")
    while IFS=$'\t' read -r line target; do
        [[ $target =~ ^(https?:|mailto:) ]] && continue
        path=$folder/${target%%#*}
        [ -n "${target%%#*}" ] || path=$1
        if [ ! -e "$path" ]; then
            echo "$1:$line: there is no ${target%%#*}"
        elif [[ $target == *#* ]] && ! anchors "$path" | grep -qxF -- "${target#*#}"; then
            echo "$1:$line: $path has no heading #${target#*#}"
        fi
    done < <(links "$1")
}

check_paths() { # FILE
    grep -noE '(^|[ (`/"])(src|include|tests|scripts|corpora)/[A-Za-z0-9_./*-]+' "$1" |
        sed -E 's/:[ (`\/"]/:/; s/[.-]+$//' | while IFS=: read -r line path; do
        [[ $path == *\** ]] || [ -e "$path" ] ||
            grep -A 1 '^--- /dev/null$' "$1" | grep -qxF "+++ b/$path" || echo "$1:$line: there is no $path"
    done
}

! {
    find . -name '*.md' -not -path './build/*' -not -path './.git/*' | sed 's|^\./||' | sort |
        while read -r file; do
            check_links "$file"
            check_paths "$file"
        done
    awk 'length > 110 { print "README.md:" FNR ": " length " characters; a line has at most 110" }
         END { if (FNR > 250) print "README.md:251: the README has at most 250 lines" }' README.md
} | grep '^'
