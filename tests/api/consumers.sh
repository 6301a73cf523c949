#!/bin/bash
# What others build on an installed softalign, from an install tree or from packages: in C by pkg-config and
# CMake, with either library, in C++ and in Python. Without a C++ compiler or Python that part is skipped, and the
# whole counts as skipped.
# usage: consumers.sh PREFIX PROGRAM CC
. "$(dirname "$0")/scratch.sh"
root=$1 program=$2 cc=$3 skipped=0

library=$(find "$root"/lib* -name libsoftalign.so.0.2 -print -quit 2>/dev/null)
[ "$library" ] || fail "no libsoftalign.so.0.2"
library=$(cd "$(dirname "$library")" && pwd)

# A model to open.
"$root/bin/softalign" corpus reorder --pairs 60 >pairs.tsv || exit 1
"$root/bin/softalign" train --train pairs.tsv --out model --steps 2 --embed 4 --hidden 4 --attn 4 --maxout 4 \
    --threads 1 >/dev/null 2>&1 || fail "the installed program does not train"
cut -f 1 pairs.tsv | sed -n 1p >sentence
expected=$("$root/bin/softalign" translate model/best.safetensors <sentence 2>/dev/null) || exit 1

uses() { # NAME PROGRAM
    local found
    found=$(LD_LIBRARY_PATH=$library "$2" model/best.safetensors "$(cat sentence)") || fail "$1: exit code $?"
    [ "$(sed -n 1p <<<"$found")" = "$expected" ] || fail "$1 prints '$found' for '$expected'"
    [ "$(sed -n '/ <- .* ([0-9.]*)$/p' <<<"$found")" ] || fail "$1 prints no weights"
    echo "$1: '$expected'"
}

export PKG_CONFIG_PATH=$library/pkgconfig
[ "$(pkg-config --variable=prefix softalign | xargs realpath)" = "$root" ] || fail "softalign.pc names another tree"
# shellcheck disable=SC2046
"$cc" "$program" -o shared $(pkg-config --cflags --libs softalign) || fail "pkg-config: no program"
uses "the shared library" ./shared
# shellcheck disable=SC2046
"$cc" "$program" -o static $(pkg-config --cflags softalign) "$library/libsoftalign.a" \
    $(pkg-config --static --libs-only-l softalign | sed 's/-lsoftalign//') || fail "the static library: no program"
readelf -d static | grep -q libsoftalign && fail "libsoftalign.a was not linked"
uses "the static library" ./static

mkdir project
cp "$program" project/look.c
cat >project/CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(look LANGUAGES C)
find_package(softalign 0.2 REQUIRED)
add_executable(look look.c)
target_link_libraries(look softalign::softalign)
PROJECT
cmake $(type -P make >/dev/null || echo -G Ninja) -S project -B project/build -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$root" >cmake.log 2>&1 &&
    cmake --build project/build >>cmake.log 2>&1 || fail "find_package: $(tail -20 cmake.log)"
uses "find_package" project/build/look

if cxx=$(command -v c++ || command -v g++ || command -v clang++); then
    # shellcheck disable=SC2046
    "$cxx" -std=c++17 -Wall -Wextra -Wpedantic -Werror "$here/consumer.cpp" -o consumer \
        $(pkg-config --cflags --libs softalign) || fail "C++: no program"
    LD_LIBRARY_PATH=$library ./consumer pairs.tsv trained || fail "C++: exit code $?"
    echo "C++: trained"
else
    echo "no C++ compiler here: skipped"
    skipped=77
fi

# In /usr the module is where Python looks for it.
if command -v python3 >/dev/null; then
    cat >look.py <<'PYTHON'
#!/usr/bin/env python3
import sys
import softalign

with softalign.load(sys.argv[1]) as model:
    found = model.translate(sys.argv[2], weights=True)
print(found.text)
for word, row in zip(found.target, found.weights):
    weight, source = max(zip(row, found.source))
    print(f"{word} <- {source} ({weight:.2f})")
PYTHON
    chmod +x look.py
    [ ! -d "$root/share/softalign/python" ] || export PYTHONPATH=$root/share/softalign/python
    uses "Python" ./look.py
else
    echo "no Python here: skipped"
    skipped=77
fi
exit $skipped
