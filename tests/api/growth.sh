#!/bin/bash
# Structs grow without breaking programs: a program compiled with headers in which structs lack their last
# fields, as those of an earlier version did, does the same. And the program in the header's comment runs.
# usage: growth.sh SOFTALIGN LIBRARY INCLUDE CC
. "$(dirname "$0")/scratch.sh"
softalign=$1 library=$2 include=$3 cc=$4
link=("$library" "-Wl,-rpath,$(dirname "$library")")

# The structs without their last field, whose place is reserved.
mkdir earlier
cp -r "$include/." earlier
shrink() { # HEADER FIELD [WORDS]: how many are reserved after it
    local words=${3:-8}
    cp "earlier/$1" "$work/before"
    sed -i -zE "s/\n    $2;( +\/\*[^\n]*(\n {8,}[^\n]*)*)?\n    uint64_t reserved\[$words\];/\n    uint64_t reserved[$((words + 1))];/" "earlier/$1"
    cmp -s "earlier/$1" "$work/before" && fail "$1 has no field '$2' to leave out"
}
shrink softalign.h 'const char \*const \*target_prefix' 7
shrink softalign.h 'sa_attention_override override'
shrink softalign.h 'double \*weights'
shrink softalign.h 'struct sa_sentence_details \*details'
shrink softalign.h 'size_t valid_pairs' 7
shrink softalign/lab.h 'int keep' 7

"$softalign" corpus reorder --pairs 60 >pairs.tsv || exit 1
"$softalign" train --train pairs.tsv --out model --steps 2 --embed 4 --hidden 4 --attn 4 --maxout 4 --threads 1 \
    >/dev/null 2>&1 || fail "no model"
for headers in "$include" earlier; do
    name=$(basename "$headers")
    "$cc" -std=c17 -Wall -Werror -I"$headers" "$here/growth.c" -o "$name.run" "${link[@]}" || fail "$name: no program"
    "./$name.run" pairs.tsv model/best.safetensors "$name.out" >"$name.txt" || fail "$name: exit code $?"
done
[ "$(wc -l <include.txt)" -eq 8 ] || fail "the program says $(cat include.txt)"
diff include.txt earlier.txt || fail "a program of an earlier version finds something else"

sed -n '/^ \*     #include/,/^ \*     }$/s/^ \*\( \{5\}\)\{0,1\}//p' "$include/softalign.h" >example.c
rm -r model
"$cc" -std=c17 -Wall -Wextra -Werror -I"$include" example.c -o example "${link[@]}" || fail "the header's program"
sed 's/"2000"/"20"/' example.c >short.c
"$cc" -std=c17 -I"$include" short.c -o short "${link[@]}" && ./short >found || fail "the header's program: exit code $?"
[ "$(wc -l <found)" -eq 1 ] || fail "the header's program prints $(cat found)"
