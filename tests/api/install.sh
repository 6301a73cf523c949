#!/bin/bash
# What `cmake --install` puts in place is all that a user and a program need, wherever the tree is moved.
# usage: install.sh BUILD PROGRAM CC
. "$(dirname "$0")/scratch.sh"
build=$1

# As README.md says.
typed=$(sed -n 's/^| this clone | `\([^`]*\)`.*/\1/p' "$here/../../README.md")
typed=${typed/build\/release/\"$build\"}
eval "${typed/DIR/first}" >install.log 2>&1 && [ -d first ] || fail "$typed: $(tail -5 install.log)"
mv first moved
root=$work/moved
for file in bin/softalign include/softalign.h include/softalign/{lab,report}.h share/man/man1/softalign-train.1 share/man/man3/softalign.3 \
    share/man/man5/softalign-model.5 share/softalign/corpora/phrases.en-fr.tsv share/softalign/scripts/demo \
    share/softalign/scripts/dev/quality/QUALITY.md share/softalign/scripts/dev/pictures/{heads,ingredients}.svg; do
    [ -s "$root/$file" ] || fail "$file is not installed"
done
find moved -name 'libsoftalign.so.*' -o -name softalign -type f -perm -1 | xargs readelf -d |
    grep -E 'RPATH|RUNPATH' && fail "a path is built in"
grep -rlI "$build" moved && fail "the files above name the build folder"

# A lesson runs from there with the program beside it, and writes to the folder of its user.
mkdir student
chmod -R a-w "$root/share"
(cd student && "$root/share/softalign/scripts/lessons/01-soft-look-up" >lesson.log 2>&1) ||
    fail "the installed lesson: $(tail -n 5 student/lesson.log)"
[ -s student/lessons/01-soft-look-up/page.html ] || fail "the installed lesson makes no page"
chmod -R u+w "$root/share"

bash "$here/consumers.sh" "$root" "${@:2}"
