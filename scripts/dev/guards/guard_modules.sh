#!/bin/bash
# The rules that no compiler checks: which module may include which, that no two files depend on each
# other, that mechanisms of attention are known to their own files, which file owns an outside library or a dangerous call, how long files and functions may be.
# Checks the tree in the current folder and names every violation.
set -u
export LC_ALL=C
guards=$(dirname "$0")

# What a module may include besides itself and the public header. A name in capitals is a row above it, and its modules.
declare -A may_include=()
while IFS=$'\t' read -r module modules _; do
    for group in "${!may_include[@]}"; do
        [[ $group != [A-Z]* ]] || modules=${modules//$group/${may_include[$group]}}
    done
    [[ $module == '#'* ]] || may_include[$module]=$modules
done <"$guards/modules.tsv"

check_includes() {
    local file line header module
    grep -rHnoE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+' src |
        while IFS=: read -r file line header; do
            module=${file#src/} module=${module%%/*}
            [ -n "${may_include[$module]+known}" ] || continue # check_tree names the folder
            case $header in
            *[\"\<]softalign.h) continue ;;
            *[\"\<]*/*) header=${header#*[\"<]} ;;
            *\"*)
                echo "$file:$line: write the module before ${header#*\"}"
                continue
                ;;
            *) continue ;;
            esac
            [ -d "src/${header%%/*}" ] || continue # a header of the system, as <sys/stat.h>
            case " $module ${may_include[$module]} " in *" ${header%%/*} "*) continue ;; esac
            echo "$file:$line: $module may not include $header"
        done
}

# Edges are includes and uses of functions and tables that another file defines. A source and its
# header count as one file, by their path without the ending. So do the core of attention, its tables
# and the parts of their rows, which name each other.
check_circles() {
    {
        awk -f "$guards/uses.awk" pass=1 "$once" pass=2 "$once"
        grep -rHoE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+\.h"' src |
            sed -E 's|^([^:]*)\.[ch]:[^"]*"(.*)\.h"|\1 src/\2|' | awk '$1 != $2'
    } | sed -E 's#src/attention/(parts/[a-z0-9_]+|normalizer|parts|score|table)( |$)#src/attention/attention\2#g' |
        awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | awk '
        / loop:$/ { if (circle) print "files depend on each other:" circle; circle = ""; next }
        { circle = circle " " $2 }
        END { if (circle) print "files depend on each other:" circle }'
}

# The folders below $1 that are no module; the others are passed over: $2 ...
unknown_folders() {
    local below=$1 folder
    shift
    for folder in "$below"/*/; do
        folder=${folder%/}
        case " ${!may_include[*]} $* " in *" ${folder##*/} "*) continue ;; esac
        echo "$folder: no module is called ${folder##*/}"
    done
}

check_tree() {
    unknown_folders src
    unknown_folders tests golden cli learn lessons python fuzz torture support
    find src -mindepth 2 -type d ! -path src/attention/parts ! -path src/web/system ! -path "src/page/*" | sed 's/$/: no second level of folders inside a module/'
    find src -maxdepth 1 -type f | sed 's/$/: every source belongs to a module/'
    find tests -maxdepth 1 -type f ! -name CMakeLists.txt ! -name README.md |
        sed 's/$/: every test belongs to the folder of its module/'
    # Tests become programs in one folder, so their names must differ too.
    find src tests -name '*.[ch]' | sed 's/\.[ch]$//' | sort -u | awk -F / '
        ($1, $NF) in path { print $0 ": another file is called " path[$1, $NF] }
        { path[$1, $NF] = $0 }'
}

# No file of attention, model, train and inference but the table of parts, parts.[ch] and parts/ names a part.
check_parts() {
    awk '
        FILENAME ~ /\.tsv$/ {
            split($0, field, "\t")
            files[++count] = field[1]
            parts[count] = field[2]
            next
        }
        { match($0, /^[^:]*:[0-9]+:/); place = substr($0, 1, RLENGTH); text = tolower(substr($0, RLENGTH + 1)) }
        FNR == 1 { reading++ }
        reading == 1 {
            if ($0 ~ /^src\/attention\/table\.c:/ && match(text, /^ *&sa_[a-z0-9_]+_part,$/)) {
                gsub(/^ *&sa_|_part,$/, "", text)
                names[text]
            }
            next
        }
        !/^src\/(attention|model|train|inference)\// || /^src\/attention\/(parts[.\/]|table\.c)/ { next }
        {
            file = place
            gsub(/^src\/|\.[ch]:.*/, "", file)
            for (name in names) {
                if (text !~ "(^|[^a-z0-9])" name "([^a-z0-9]|$)") continue
                for (i = 1; i <= count; i++)
                    if (file ~ "^(" files[i] ")$" && name ~ "^(" parts[i] ")$") break
                if (i > count) print place " " name " is a part: only src/attention/parts knows it"
            }
        }' "$guards/may_name.tsv" "$code" "$code"
}

# `typedef struct X X;` declares a type that is defined elsewhere.
check_type_names() {
    awk '
        { match($0, /^[^:]*:[0-9]+:/); place = substr($0, 1, RLENGTH); text = substr($0, RLENGTH + 1) }
        text ~ /^typedef (struct|union) / && $3 ";" == $4 { next }
        text !~ /^(typedef [^{]*;|} [A-Za-z0-9_]+;|(static )?(const )?(struct|union|enum) [A-Za-z0-9_]+ {)$/ { next }
        {
            file = substr($0, 1, index($0, ":") - 1)
            name = text
            sub(/ *(__attribute__.*|{|;)$/, "", name)
            if (!sub(/.*\(\*/, "", name)) sub(/\(.*/, "", name)
            sub(/\).*/, "", name)
            sub(/.*[^A-Za-z0-9_]/, "", name)
            if (name in first && first[name] != file)
                print place " another type is called " name " in " first[name]
            else
                first[name] = file
        }' "$once"
}

# Code that matches PATTERN may stand only in files that match OWNERS.
owned() { # PATTERN OWNERS MESSAGE
    grep -E "^[^:]*:[0-9]+:(.*[^A-Za-z0-9_])?($1)" "$code" | grep -vE "^($2):" |
        sed -E "s|^([^:]*:[0-9]+):.*|\\1: $3|"
}

check_owners() {
    local pattern owners message
    while IFS=$'\t' read -r pattern owners message; do
        [[ $pattern == '#'* ]] || owned "$pattern" "$owners" "$message"
    done <"$guards/owners.tsv"
}

check_lengths() {
    # The public header is one file, whatever its length: it is the manual. So is the Python module.
    # src/paper, which is read from top to bottom, has at most 900.
    find src tests scripts -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \) \
        -not -path 'tests/golden/*' -not -path scripts/python/softalign.py -exec awk '
            FNR > 600 + 300 * (FILENAME ~ /^src.paper/) && !told[FILENAME]++ { print FILENAME ":" FNR ": a file has at most " FNR - 1 " lines" }
        ' {} +
    find include src tests -name '*.[ch]' -exec awk -f "$guards/code.awk" {} + |
        awk -f "$guards/functions.awk" | awk -F : '$4 > 60 {
            print $1 ":" $2 ": " $3 " has " $4 " lines; a function has at most 60"
        }'
}

# The brackets keep this file from matching itself.
check_words() {
    local texts=(src include tests scripts corpora CMakeLists.txt CMakePresets.json README.md)
    grep -IrnswE '[T]ODO|[F]IXME|[X]XX' "${texts[@]}" |
        sed -E 's|^([^:]*:[0-9]+):.*|\1: a mark of unfinished work|'
    grep -IrnsE '(^|[^A-Za-z0-9_.})])/(home|root|work|Users)/' "${texts[@]}" |
        sed -E 's|^([^:]*:[0-9]+):.*|\1: a path of one machine|'
}

code=$(mktemp)
once=$(mktemp) # without the second forms of files of base and tensor, for the playground
trap 'rm -f "$code" "$once"' EXIT
# src/paper is a program of its own that uses nothing of the others, so it prints, exits and allocates.
find include src -name '*.[ch]' -not -path 'src/paper/*' | sort | xargs awk -f "$guards/code.awk" >"$code"
grep -vE '^src/web/system/plain_[a-z]+\.c:' "$code" >"$once"
[ -s "$code" ] || {
    echo "no sources in $PWD"
    exit 1
}

! {
    check_includes
    check_circles
    check_tree
    check_parts
    check_type_names
    check_owners
    check_lengths
    check_words
} | grep '^'
