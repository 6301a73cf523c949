# Sourced by the demo and the lessons, in the top folder: builds the program and shows each command
# that it is called with, so that every step can be repeated by hand.

title() { printf '\n== %s\n' "$*"; }

# Installs what is missing and builds the library, the command build/release/softalign and its manual.
build_softalign() {
    scripts/setup
    echo "Building ..."
    mkdir -p build
    { cmake --preset release && cmake --build --preset release; } >build/release.log 2>&1 || {
        cat build/release.log >&2
        exit 1
    }
}

# The program is $command; on the screen it is called $shown.
softalign() {
    printf '$ %s\n' "$shown $*" >&2
    "$command" "$@"
}
