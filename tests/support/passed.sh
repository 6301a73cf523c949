# Sourced by tests that train for long: one that has passed on this machine is not run again with the same program,
# libraries, processor, arguments and files. ~/.cache/softalign-tests has an empty file for each of them; whoever deletes
# it runs them all again.

# Ends the test if it has passed before. FOLDER-OR-FILE: what it reads beside the program, itself included.
unless_passed() { # PROGRAM ARGUMENTS FOLDER-OR-FILE...
    local key
    key=$({
        printf '%s\n' "$2"
        sha256sum <"$1"
        ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | xargs stat -L --format '%n %s %Y'
        grep -m 1 '^model name' /proc/cpuinfo
        find "${@:3}" -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
    } | sha256sum)
    passed_note=${XDG_CACHE_HOME:-$HOME/.cache}/softalign-tests/${key%% *}
    [ ! -e "$passed_note" ] || { echo "has passed with the same program and files: $passed_note" && exit 0; }
}

# The test has passed.
passed() {
    { mkdir -p "${passed_note%/*}" && : >"$passed_note"; } 2>/dev/null || true
}
