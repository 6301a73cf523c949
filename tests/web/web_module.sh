#!/bin/bash
# softalign.wasm against a native program with the same plain products (SOFTALIGN_PLAIN), bit by bit, and against the
# command with OpenBLAS. Skipped where the packages of scripts/setup --playground are missing.
set -eu
command=$1
here=$(dirname "$0")

for program in clang wasm-ld node; do
    command -v $program >/dev/null || {
        echo "skipped: there is no $program (scripts/setup --playground installs it)"
        exit 77
    }
done
[ -d "${SOFTALIGN_PACKAGES:-build/packages}/jansson" ] || {
    echo "skipped: scripts/setup --playground has not fetched the sources of the libraries"
    exit 77
}
scripts/playground
# Not optimized: that changes no bits, and compiles in half the time.
cmake -G Ninja -B build/plain -DSOFTALIGN_PLAIN=ON -DSOFTALIGN_PANGOCAIRO=OFF -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_C_FLAGS_DEBUG=-O0 >/dev/null
cmake --build build/plain --target native_play >/dev/null

size=$(wc -c <build/playground.html)
[ "$size" -le 1200000 ] || {
    echo "the page has $size bytes, more than 1.2 MB"
    exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node "$here/compare_module.mjs" build/web/softalign.wasm build/plain/native_play "$command" "$work"
