#!/bin/bash
# The guards can fail: a small clean tree passes them, and one planted violation of each rule is
# found, by its file, line and message.
set -u
export LC_ALL=C
guards=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree" || exit 1
failures=0

complain() {
    echo "$1"
    failures=$((failures + 1))
}

# Clean code that comes close: forbidden words in prose, strings and longer names.
grow_clean_tree() {
    mkdir -p include src/{base,config,tensor,layers,attention/parts,model,train,lab} \
        src/{data,synth,metrics,analysis,report,inference,compare,api,cli} \
        tests/{base,golden,cli,learn,lessons,fuzz,torture,support} scripts
    cp "$guards/../../.clang-format" .
    echo 'int sa_version(void);' >include/softalign.h
    echo '#include <cblas.h>' >src/tensor/blas.c
    printf '#include "base/utf8.h"\n#include <utf8proc.h>\n' >src/base/utf8.c
    echo 'int sa_utf8_length(const char *text);' >src/base/utf8.h
    echo '#include "base/utf8.h"' >src/report/matrix.c
    echo '#include <jansson.h>' >src/base/json.c
    printf '#include <cairo.h>\n#include <pango/pangocairo.h>\n' >src/report/paint.c
    printf 'void *sa_new(int n) {\n    return malloc(n);\n}\n' >src/base/memory.c
    printf 'typedef struct sa_option {\n    int x;\n} sa_option;\n' >src/base/option.h
    printf '#include "inference/model.h"\n\nint sa_align(void) {\n    return sa_version();\n}\n' \
        >src/api/api_align.c
    printf 'int sa_version(void) {\n    return 1;\n}\n' >src/api/version.c
    echo 'int main(void);' >tests/base/check_utf8.c
    echo 'typedef struct sa_option sa_option;' >src/layers/cell.h
    # Rows and parts of attention name each other; others name sinks, not the part sink.
    printf 'const sa_part *const sa_parts[] = {\n    &sa_sink_part,\n    NULL,\n};\n' >src/attention/table.c
    printf '#include "attention/score.h"\n\nconst sa_part sa_sink_part = {sa_score_forward};\n' >src/attention/parts/sink.c
    printf 'void sa_score_forward(void) {}\n\nconst sa_score sa_scores[] = {\n    {&sa_sink_part},\n};\n' \
        >src/attention/score.c
    printf '/* A sink. */\nint sinks(void) {\n    return 1;\n}\n' >src/model/clean.c
    cat >src/layers/gru.c <<'CODE'
/* A.1.1: malloc(1), exit(1) and printf("") are only words here; sa_gru_forward, the sa_gru_* of
 * gru.c, <sys/stat.h> and layers/cell.h exist; d.c is a member. */
#include "layers/cell.h"
#include <softalign.h>
#include <sys/stat.h>

// setlocale() and "an open quote are prose
int sa_gru_forward(const char *text) {
    return text[0] == '"' && text[1] == '\'' ? my_exit("exit(1); \" system(") : 0;
}

int sa_gru_backward(void) {
    return 0;
}

static const int table[] = {1, 2};
CODE
    cat >README.md <<TABLE
<!-- equations -->
| equation | file | function |
|---|---|---|
| A.1.1 hidden unit | [\`src/layers/gru.c\`](src/layers/gru.c) | \`sa_gru_forward\` |
<!-- /equations -->
TABLE
}

expect_clean() { # GUARD
    local report
    report=$(bash "$guards/$1") || complain "$1 finds fault with a clean tree: $report"
}

# Puts CODE into FILE, expects GUARD to fail with MESSAGE, takes it out again.
expect_found() { # GUARD FILE CODE MESSAGE
    local report saved= folder=
    [ -e "$2" ] && saved=$(cat "$2")
    [ -d "${2%/*}" ] || folder=${2%/*}
    mkdir -p "${2%/*}/" 2>/dev/null
    printf '%s\n' "$3" >"$2"
    if report=$(bash "$guards/$1" 2>&1); then
        complain "$1 passes, planted in $2: $4"
    elif ! grep -qF -- "$4" <<<"$report"; then
        complain "$1 fails for another reason; expected '$4' but got: $report"
    fi
    if [ -n "$saved" ]; then printf '%s\n' "$saved" >"$2"; else rm "$2"; fi
    [ -z "$folder" ] || rmdir "$folder"
}

planted() { expect_found guard_modules.sh "$1" "$2" "$1:1: $3"; }
found() { expect_found guard_modules.sh "$@"; }

# All rows at once, each in a file of its own: bad.c becomes bad1.c, bad2.c ...
plant_rows() {
    local file code message row=0 report expected=() planted=()
    while IFS=$'\t' read -r file code message; do
        [[ $file != '#'* ]] || continue
        row=$((row + 1))
        planted+=("${file//bad./bad$row.}") expected+=("${message//bad./bad$row.}")
        mkdir -p "${file%/*}"
        printf '%s\n' "$code" >"${planted[-1]}"
    done <"$guards/planted.tsv"
    report=$(bash "$guards/guard_modules.sh") && complain 'guard_modules.sh passes with all that is planted'
    for message in "${expected[@]}"; do
        grep -qF -- "$message" <<<"$report" || complain "guard_modules.sh does not find: $message"
    done
    rm "${planted[@]}"
    find src tests -type d -empty -delete
}

circle() { found "$1" "$2" "files depend on each other: $3"; }

plant_circles() {
    circle src/layers/cell.h '#include "layers/gru.h"' 'src/layers/cell src/layers/gru'
    circle src/layers/cell.c 'static int x = sa_gru_forward("");' 'src/layers/cell src/layers/gru'
    circle src/api/version.c 'int sa_version(void) { return sa_align(); }' \
        'src/api/api_align src/api/version'
    # A circle of three, and one through a table.
    printf '#include "layers/one.h"\n' >src/layers/two.c
    printf '#include "layers/two.h"\n\nconst sa_row sa_rows[] = {\n    {"x"},\n};\n' >src/layers/three.c
    circle src/layers/one.c 'int x = sizeof sa_rows;' \
        'src/layers/one src/layers/three src/layers/two'
    rm src/layers/two.c src/layers/three.c
}

long_function() { # BODY-LINES
    echo 'int f(int x)'
    echo '{'
    yes '    x++;' | head -n "$1"
    echo '}'
}

plant_sizes_and_words() {
    found src/layers/bad.c "$(yes 'int x;' | head -n 601)" \
        'src/layers/bad.c:601: a file has at most 600 lines'
    found tests/base/check_bad.c "$(long_function 58)" \
        'tests/base/check_bad.c:1: f has 61 lines; a function has at most 60'
    long_function 57 >src/layers/long.c
    expect_clean guard_modules.sh
    rm src/layers/long.c
    # The parts are joined here so that this file itself holds none of the words.
    planted src/layers/bad.c "/* TO""DO: later */" 'a mark of unfinished work'
    planted scripts/bad "# FIX""ME" 'a mark of unfinished work'
    planted src/layers/bad.h "// X""XX" 'a mark of unfinished work'
    planted tests/cli/bad.sh "cd /ho""me/someone/softalign" 'a path of one machine'
    planted src/layers/bad.c "// see \"/wo""rk/notes\"" 'a path of one machine'
}

plant_names() {
    expect_clean guard_names.sh
    misnamed src/layers/bad.c '/* as sa_gru_upward does */' 'nothing is called sa_gru_upward'
    misnamed include/bad.h '// SA_NONE: no attention' 'nothing is called SA_NONE'
    misnamed tests/base/bad.h '/* the rows sa_lstm_* */' 'nothing is called sa_lstm_'
    misnamed src/layers/bad.c '/* see model/lstm.c. */' 'there is no file model/lstm.c'
    misnamed src/layers/bad.c '/* <cblas_none.h> */' 'there is no file cblas_none.h'
}

misnamed() { expect_found guard_names.sh "$1" "$2" "$1:1: $3"; }

equation() { # ROW MESSAGE
    expect_found guard_equations.sh ./README.md "<!-- equations -->
| equation | file | function |
|---|---|---|
$1
<!-- /equations -->" "$2"
}

plant_equations() {
    equation '' 'README.md has no table of equations'
    equation '| A.1.1 | src/layers/none.c | f |' 'README.md:4: there is no file src/layers/none.c'
    equation '| A.1.1 | src/layers/gru.c | sa_gru |' \
        'README.md:4: src/layers/gru.c does not define sa_gru'
    equation '| A.1.1 | src/layers/gru.c | my_exit |' 'src/layers/gru.c does not define my_exit'
    equation '| A.1.1 | src/layers/gru.c | sa_gru_forward, g |' 'src/layers/gru.c does not define g'
    equation '| A.1.1 | src/layers/gru.c | |' 'README.md:4: no function'
    printf '/* A.1.1 */\nint f_forward(void) {\n    return 0;\n}\n' >src/layers/one.c
    equation '| A.1.1 | src/layers/one.c | f_forward |' \
        'README.md:4: src/layers/one.c does not define f_backward'
    rm src/layers/one.c
    equation '| A.1 | src/layers/gru.c | sa_gru_forward |' 'no comment in src/layers/gru.c names A.1'
    equation '| A.1.12 | src/layers/gru.c | sa_gru_forward |' \
        'no comment in src/layers/gru.c names A.1.12'
    equation '| gate | src/layers/gru.c | sa_gru_forward |' "'gate' names no place in a paper"
}

link() { expect_found guard_links.sh ./README.md "$1" "README.md:1: $2"; }

plant_links() {
    link '[a](src/none.c)' 'there is no src/none.c'
    link 'as `src/none.c` does' 'there is no src/none.c'
    link '[a](#first)' 'README.md has no heading #first'
    link "$(printf '%0111d' 0)" '111 characters; a line has at most 110'
    expect_found guard_links.sh ./README.md "$(seq 251)" 'README.md:251: the README has at most 250 lines'
    expect_found guard_links.sh ./OTHER.md $'text\n[a](README.md#none)' 'OTHER.md:2: ./README.md has no heading #none'
    printf '# One `two`, 3!\n' >OTHER.md
    printf '[a](OTHER.md#one-two-3) `[b](none)` [c](https://example.org/none)\n' >THIRD.md
    expect_clean guard_links.sh
    rm OTHER.md THIRD.md
}

plant_format() {
    bash "$guards/guard_format.sh" >/dev/null 2>&1
    [ $? -ne 77 ] || return 0
    expect_clean guard_format.sh
    expect_found guard_format.sh src/layers/bad.c 'int  x ;' 'src/layers/bad.c:1:4: error'
}

plant_results() {
    mkdir -p scripts/benchmarks scripts/pictures
    printf 'part,scale,threads,attention,who,quantity,median\nspeed,toy,1,additive,ours,words_per_second,10\n' \
        >scripts/benchmarks/one.csv
    "$guards/../benchmarks/page.sh" scripts/benchmarks
    expect_clean guard_results.sh
    expect_found guard_results.sh scripts/benchmarks/one.csv \
        $'part\nspeed,toy,1,additive,ours,words_per_second,20' 'scripts/benchmarks/RESULTS.md:1: not made of the CSV files'
    rm -r scripts/benchmarks scripts/pictures
}

plant_budget() {
    mkdir -p scripts/guards
    printf '#!/bin/bash\n# Not counted.\n\necho\n' >scripts/one
    bash "$guards/guard_budget.sh" --update >/dev/null || complain 'guard_budget.sh --update fails'
    expect_clean guard_budget.sh
    expect_found guard_budget.sh src/layers/bad.c $'// no code\n\nint x; // code' 'src/layers: 1 lines above its budget'
    expect_found guard_budget.sh src/layers/bad.c 'int x;' 'src: 1 lines above its budget'
    expect_found guard_budget.sh src/attic/bad.c 'int x;' 'src/attic: 1 lines above its budget'
    expect_found guard_budget.sh scripts/bad $'#!/usr/bin/awk -f\n# no code\nEND {}' 'scripts: 2 lines above its budget'
    expect_found guard_budget.sh scripts/bad.h '/* code: */ int x;' 'scripts: 1 lines above its budget'
    bash "$guards/guard_budget.sh" | grep -qE '^src/layers +[0-9]+ .* comments [1-9]' || complain 'guard_budget.sh counts no comments'
    rm -r scripts/guards scripts/one
}

grow_clean_tree
expect_clean guard_modules.sh
expect_clean guard_equations.sh
expect_clean guard_links.sh
plant_rows
plant_circles
plant_sizes_and_words
plant_names
plant_equations
plant_links
plant_format
plant_results
plant_budget
[ "$failures" -eq 0 ]
