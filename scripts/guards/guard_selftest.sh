#!/bin/bash
# The guards can fail: a small clean tree passes them, and one planted violation of each rule is
# found, by its file, line and message.
set -u
export LC_ALL=C
tests=$(cd "$(dirname "$0")" && pwd)
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
    mkdir -p include src/{base,math,nn,attn,model,train,lab,text,eval,report,cli} tests scripts
    cp "$tests/../.clang-format" .
    echo 'int sa_version(void);' >include/softalign.h
    echo '#include <cblas.h>' >src/tensor/blas.c
    echo '#include <utf8proc.h>' >src/base/utf8.c
    echo '#include "base/utf8.h"' >src/report/matrix.c
    echo '#include <jansson.h>' >src/config/settings.c
    printf '#include <cairo.h>\n#include <pango/pangocairo.h>\n' >src/report/paint.c
    printf 'void *sa_new(int n) {\n    return malloc(n);\n}\n' >src/base/memory.c
    echo '#include "model/model.h"' >src/model.c
    cat >src/layers/gru.c <<'CODE'
/* A.1.1: malloc(1), exit(1) and printf("") are only words here. */
#include "tensor/blas.h"
#include <softalign.h>
#include <sys/stat.h>

// setlocale() and "an open quote are prose
int sa_gru_forward(const char *text) {
    return text[0] == '"' && text[1] == '\'' ? my_exit("exit(1); \" system(") : 0;
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
    report=$(bash "$tests/$1") || complain "$1 finds fault with a clean tree: $report"
}

# Puts CODE into FILE, expects GUARD to fail with MESSAGE, takes it out again.
expect_found() { # GUARD FILE CODE MESSAGE
    local report saved=
    [ -e "$2" ] && saved=$(cat "$2")
    mkdir -p "$(dirname "$2")"
    printf '%s\n' "$3" >"$2"
    if report=$(bash "$tests/$1" 2>&1); then
        complain "$1 passes, planted in $2: $4"
    elif ! grep -qF -- "$4" <<<"$report"; then
        complain "$1 fails for another reason; expected '$4' but got: $report"
    fi
    if [ -n "$saved" ]; then printf '%s\n' "$saved" >"$2"; else rm "$2"; fi
}

layer() { expect_found guard_layers.sh "$1" "$2" "$1:1: $3"; }

plant_layers() {
    layer src/base/bad.c '#include "tensor/vec.h"' 'base may not include tensor/vec.h'
    layer src/math/bad.c '#include "layers/gru.h"' 'math may not include layers/gru.h'
    layer src/nn/bad.h '#include "attention/score.h"' 'nn may not include attention/score.h'
    layer src/attn/bad.c '#  include <model/encoder.h>' 'attn may not include model/encoder.h'
    layer src/model/bad.c '#include "train/trainer.h"' 'model may not include train/trainer.h'
    layer src/train/bad.c '#include "data/vocab.h"' 'train may not include data/vocab.h'
    layer src/lab/bad.c '#include "cli/options.h"' 'lab may not include cli/options.h'
    layer src/text/bad.c '#include "tensor/vec.h"' 'text may not include tensor/vec.h'
    layer src/eval/bad.c '#include "base/utf8.h"' 'eval may not include base/utf8.h'
    layer src/report/bad.c '#include "data/vocab.h"' 'report may not include data/vocab.h'
    layer src/cli/bad.c '#include "model/encoder.h"' 'cli may not include model/encoder.h'
    layer src/bad.c '#include "cli/options.h"' 'public functions may not include cli/options.h'
    layer src/nn/bad.c '#include "gru.h"' 'write the room before gru.h'
    layer src/attic/bad.c '#include <math.h>' 'no room is called attic'
    rmdir src/attic
    expect_found guard_layers.sh src/nn/deep/bad.c 'int x;' 'src/nn/deep: no second level'
    rmdir src/nn/deep
}

plant_owners() {
    layer src/nn/bad.c '#include <cblas.h>' '<cblas.h> belongs to src/tensor/blas.c'
    layer src/text/bad.c '#include <utf8proc.h>' '<utf8proc.h> belongs to src/base/utf8.c'
    layer src/text/bad.c '#include <jansson.h>' '<jansson.h> belongs to src/base and src/cli'
    layer src/report/bad.c '#include <cairo-pdf.h>' 'cairo and pango belong to src/report/paint.c'
    layer src/cli/bad.c '#include <pango/pangocairo.h>' 'cairo and pango belong to src/report/paint.c'
    layer src/base/bad.c 'void f(void) { /* */ exit(1); }' 'only src/cli may exit'
    layer src/base/bad.c 'void f(void) { _exit(1); }' 'only src/cli may exit'
    layer src/eval/bad.c 'printf("x");' 'only src/cli may print'
    layer src/eval/bad.c 'puts("x");' 'only src/cli may print'
    layer src/eval/bad.c 'fprintf(stderr, "x");' 'only src/cli may print'
    layer src/eval/bad.c 'fputs("x", stdout);' 'only src/cli may print'
    layer src/nn/bad.c 'float *x = malloc(4);' 'memory comes from base/memory or an arena'
    layer src/nn/bad.c 'x = (float *)calloc (4, 4);' 'memory comes from base/memory or an arena'
    layer src/cli/bad.c 'x = realloc(x, 4);' 'memory comes from base/memory or an arena'
    layer src/base/bad.c 'x = strdup(y);' 'memory comes from base/memory or an arena'
    layer src/cli/bad.c 'system("ls");' 'no shell is ever started'
    layer src/cli/bad.c 'FILE *f = popen("ls", "r");' 'no shell is ever started'
    layer src/cli/bad.c 'setlocale(LC_ALL, "");' 'the locale belongs to the host program'
}

long_function() { # BODY-LINES
    echo 'int f(int x)'
    echo '{'
    yes '    x++;' | head -n "$1"
    echo '}'
}

plant_sizes_and_words() {
    expect_found guard_layers.sh src/nn/bad.c "$(yes 'int x;' | head -n 401)" \
        'src/nn/bad.c:401: a file has at most 400 lines'
    expect_found guard_layers.sh tests/check_bad.c "$(long_function 58)" \
        'tests/check_bad.c:1: f has 61 lines; a function has at most 60'
    long_function 57 >src/nn/long.c
    expect_clean guard_layers.sh
    rm src/nn/long.c
    # The pieces are joined here so that this file itself holds none of them.
    layer src/nn/bad.c "/* TO""DO: later */" 'a mark of unfinished work'
    layer scripts/bad "# FIX""ME" 'a mark of unfinished work'
    layer src/nn/bad.h "// X""XX" 'a mark of unfinished work'
    layer tests/bad.sh "cd /ho""me/someone/softalign" 'a path of one machine'
    layer src/nn/bad.c "// see \"/wo""rk/notes\"" 'a path of one machine'
}

equation() { # ROW MESSAGE
    expect_found guard_equations.sh README.md "<!-- equations -->
| equation | file | function |
|---|---|---|
$1
<!-- /equations -->" "$2"
}

plant_equations() {
    equation '' 'README.md has no table of equations'
    equation '| A.1.1 | src/nn/none.c | f |' 'README.md:4: there is no file src/nn/none.c'
    equation '| A.1.1 | src/layers/gru.c | sa_gru |' 'README.md:4: src/layers/gru.c does not define sa_gru'
    equation '| A.1.1 | src/layers/gru.c | my_exit |' 'src/layers/gru.c does not define my_exit'
    equation '| A.1.1 | src/layers/gru.c | sa_gru_forward, g |' 'src/layers/gru.c does not define g'
    equation '| A.1.1 | src/layers/gru.c | |' 'README.md:4: no function'
    equation '| A.1 | src/layers/gru.c | sa_gru_forward |' 'no comment in src/layers/gru.c names A.1'
    equation '| A.1.12 | src/layers/gru.c | sa_gru_forward |' 'no comment in src/layers/gru.c names A.1.12'
    equation '| gate | src/layers/gru.c | sa_gru_forward |' "'gate' names no place in a paper"
}

plant_format() {
    bash "$scripts/guards/guard_format.sh" >/dev/null 2>&1
    [ $? -ne 77 ] || return 0
    expect_clean guard_format.sh
    expect_found guard_format.sh src/nn/bad.c 'int  x ;' 'src/nn/bad.c:1:4: error'
}

grow_clean_tree
expect_clean guard_layers.sh
expect_clean guard_equations.sh
plant_layers
plant_owners
plant_sizes_and_words
plant_equations
plant_format
[ "$failures" -eq 0 ]
