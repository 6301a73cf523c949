#!/bin/bash
# The sources are formatted as clang-format does by .clang-format, line ends are those of Unix, and no merge is left half done. Other
# versions of clang-format break a few lines differently, so only the version that they were formatted with may judge.
set -u
version=14

for tool in "clang-format-$version" clang-format; do
    "$tool" --version 2>/dev/null | grep -q "version $version\." && break
    tool=
done
[ -n "$tool" ] || {
    echo "clang-format $version is not installed: skipped"
    exit 77
}
find src include tests -name '*.[ch]' -exec "$tool" --dry-run -Werror {} +
code=$?
odd=$(git ls-files --eol 2>/dev/null | grep -v 'attr/-text') # in a clone, on Windows, too
[ -z "$odd" ] || {
    printf '.gitattributes does not keep the line ends of\n%s\n' "$odd"
    exit 1
}
git grep -nE '^(<<<<<<<|>>>>>>>) ' 2>/dev/null && exit 1
exit $code
