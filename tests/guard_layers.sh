#!/bin/bash
# The rules of the house that no compiler checks: which room may include which, which file owns an
# outside library or a dangerous call, how long files and functions may be. Checks the tree in the
# current folder and names every violation.
set -u
export LC_ALL=C
guards=$(dirname "$0")/../scripts/guards

# What a room may include besides itself and the public header.
numeric="base math nn attn model train"
declare -A may_include=(
    [base]=""
    [math]="base"
    [nn]="base math"
    [attn]="base math nn"
    [model]="base math nn attn"
    [train]="base math nn attn model"
    [lab]="$numeric"
    [text]="base"
    [eval]="base"
    [report]="base eval text/utf8.h"
    [cli]="base text eval report"
    [public functions]="$numeric lab text eval report"
)

room_of() { # src/ROOM/FILE -> ROOM
    local inner=${1#src/}
    case $inner in
    */*) echo "${inner%%/*}" ;;
    *) echo "public functions" ;;
    esac
}

check_includes() {
    local file line header room allowed
    grep -rHnoE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<][^">]+' src |
        while IFS=: read -r file line header; do
            room=$(room_of "$file")
            if [ -z "${may_include[$room]+known}" ]; then
                echo "$file:$line: no room is called $room"
                continue
            fi
            allowed=" $room ${may_include[$room]} "
            case $header in
            *\"softalign.h | *'<softalign.h') continue ;;
            *[\"\<]*/*) header=${header#*[\"<]} ;;
            *\"*)
                header=${header#*\"}
                [ "$room" = "public functions" ] && [ -e "src/$header" ] && continue
                echo "$file:$line: write the room before $header"
                continue
                ;;
            *) continue ;;
            esac
            [ -d "src/${header%%/*}" ] || continue
            case $allowed in *" ${header%%/*} "* | *" $header "*) continue ;; esac
            echo "$file:$line: $room may not include $header"
        done
}

check_folders() {
    find src -mindepth 2 -type d | sed 's/$/: no second level of folders inside a room/'
}

# Code that matches PATTERN may stand only in files that match OWNERS.
owned() { # PATTERN OWNERS MESSAGE
    grep -E "^[^:]*:[0-9]+:(.*[^A-Za-z0-9_])?($1)" "$code" | grep -vE "^($2):" |
        sed -E "s|^([^:]*:[0-9]+):.*|\\1: $3|"
}

check_owners() {
    local nobody='none'
    owned 'include *<cblas\.h>' 'src/math/blas\.c' '<cblas.h> belongs to src/math/blas.c'
    owned 'include *<utf8proc\.h>' 'src/text/utf8\.c' '<utf8proc.h> belongs to src/text/utf8.c'
    owned 'include *<(cairo[a-z-]*|pango/[a-z-]*)\.h>' 'src/report/paint\.c' \
        'cairo and pango belong to src/report/paint.c'
    owned 'include *<jansson\.h>' 'src/(base|cli)/[^:]*' \
        '<jansson.h> belongs to src/base and src/cli'
    owned '(exit|_exit|_Exit|quick_exit) *\(' 'src/cli/[^:]*' 'only src/cli may exit'
    owned '(printf|vprintf|puts|putchar|perror) *\(|stderr([^A-Za-z0-9_]|$)' 'src/cli/[^:]*' \
        'only src/cli may print'
    owned '(fprintf|vfprintf|fputs|fputc|putc|fwrite) *\(.*stdout' 'src/cli/[^:]*' \
        'only src/cli may print'
    owned '(malloc|calloc|realloc|reallocarray|aligned_alloc|posix_memalign|alloca) *\(' \
        'src/base/(memory|arena)\.c' 'memory comes from base/memory or an arena'
    owned '(strdup|strndup|asprintf|vasprintf) *\(' "$nobody" \
        'memory comes from base/memory or an arena'
    owned '(system|popen) *\(' "$nobody" 'no shell is ever started'
    owned 'setlocale *\(' "$nobody" 'the locale belongs to the host program'
}

check_lengths() {
    # The public header is one file, whatever its length: it is the manual.
    find src tests scripts -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' \) \
        -not -path 'tests/golden/*' -exec awk '
            FNR > 400 && !told[FILENAME]++ { print FILENAME ":401: a file has at most 400 lines" }
        ' {} +
    find include src tests -name '*.[ch]' -exec awk -f "$guards/code.awk" {} + |
        awk -f "$guards/functions.awk" | awk -F : '$4 > 60 {
            print $1 ":" $2 ": " $3 " has " $4 " lines; a function has at most 60"
        }'
}

# The brackets keep this file from matching itself.
check_words() {
    local texts=(src include tests scripts corpora CMakeLists.txt CMakePresets.json README.md)
    grep -rnswE '[T]ODO|[F]IXME|[X]XX' "${texts[@]}" |
        sed -E 's|^([^:]*:[0-9]+):.*|\1: a mark of unfinished work|'
    grep -rnsE '(^|[^A-Za-z0-9_.})])/(home|root|work|Users)/' "${texts[@]}" |
        sed -E 's|^([^:]*:[0-9]+):.*|\1: a path of one machine|'
}

code=$(mktemp)
trap 'rm -f "$code"' EXIT
find include src -name '*.[ch]' -exec awk -f "$guards/code.awk" {} + >"$code"
[ -s "$code" ] || {
    echo "no sources in $PWD"
    exit 1
}

violations=$(
    check_includes
    check_folders
    check_owners
    check_lengths
    check_words
)
[ -z "$violations" ] && exit 0
echo "$violations"
exit 1
