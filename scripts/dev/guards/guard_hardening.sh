#!/bin/bash
# The built program is as hard to abuse as its flags promise: what CMakeLists.txt asks for is read
# back from the file. A program that is built without any of it fails every line.
set -u
export LC_ALL=C
program=$(realpath "$1")

skip() {
    echo "$1: skipped"
    exit 77
}
command -v readelf >/dev/null || skip "no readelf here"
grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$(dirname "$program")/CMakeCache.txt" 2>/dev/null ||
    skip "this is not an optimized build"

# What is missing from a program, a line each.
weaknesses() { # PROGRAM
    local headers dynamic symbols
    headers=$(readelf -hlW "$1") dynamic=$(readelf -dW "$1") symbols=$(readelf -W --dyn-syms "$1")
    grep -q 'Type: *DYN' <<<"$headers" && grep -q 'FLAGS_1.* PIE' <<<"$dynamic" ||
        echo "not position-independent"
    grep -q '^ *GNU_RELRO ' <<<"$headers" || echo "no read-only relocations"
    grep -qE '\((BIND_NOW|FLAGS)\).*NOW|FLAGS_1.* NOW' <<<"$dynamic" || echo "bound lazily"
    grep -q '^ *GNU_STACK .* RW ' <<<"$headers" || echo "an executable stack"
    grep -qE '^ *LOAD .* (RWE|WE) ' <<<"$headers" && echo "memory to write and execute"
    grep -q 'TEXTREL' <<<"$dynamic" && echo "relocations in code"
    grep -q ' __stack_chk_fail' <<<"$symbols" || echo "no stack protector"
    local call
    for call in fprintf vsnprintf; do
        grep -q " __${call}_chk" <<<"$symbols" || echo "$call is not fortified"
    done
}

failures=0
while IFS= read -r weakness; do
    echo "$1: $weakness"
    failures=$((failures + 1))
done < <(weaknesses "$program")

# The test can fail.
if command -v cc >/dev/null; then
    weak=$(mktemp)
    trap 'rm -f "$weak"' EXIT
    echo 'int main(void) { return 0; }' |
        cc -x c - -o "$weak" -fno-stack-protector -no-pie -z norelro -z lazy -z execstack 2>/dev/null &&
        found=$(weaknesses "$weak" | wc -l) && [ "$found" -ne 7 ] && {
        echo "of 7 weaknesses of a weak program $found are found"
        failures=$((failures + 1))
    }
fi
exit $((failures > 0))
