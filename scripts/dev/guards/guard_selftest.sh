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
    mkdir -p src/{base,config,tensor,layers,attention/parts,model,train,lab,data,synth,metrics,aligner} \
        src/{report,inference,compare,api,cli} include scripts/dev/{guards,bench,pictures} \
        tests/{base,golden,cli,learn,lessons,fuzz,torture,support}
    cp "$guards/../../../.clang-format" .
    awk '/^== / { file = $2; next } { print >file }' "$guards/clean_tree.txt"
    printf '#!/bin/bash\n# Not counted.\n\necho\n' >scripts/one
    printf 'part,scale,threads,attention,who,quantity,median\nspeed,toy,1,additive,ours,words_per_second,10\n' \
        >scripts/dev/bench/one.csv
    "$guards/../bench/page.sh" scripts/dev/bench
    bash "$guards/guard_budget.sh" --update >/dev/null || complain 'guard_budget.sh --update fails'
}

expect_clean() { # GUARD
    local report
    report=$(bash "$guards/$1") || complain "$1 finds fault with a clean tree: $report"
}

# Puts CODE into FILE, expects GUARD to fail with MESSAGE, takes it out again.
expect_found() { # GUARD FILE CODE MESSAGE
    local report saved= folder=
    [ -e "$2" ] && saved=$(cat "$2")
    [[ $2 != */* || -d ${2%/*} ]] || folder=${2%/*}
    [ -z "$folder" ] || mkdir -p "$folder"
    printf '%b\n' "$3" >"$2"
    if report=$(bash "$guards/$1" 2>&1); then
        complain "$1 passes, planted in $2: $4"
    elif ! grep -qF -- "$4" <<<"$report"; then
        complain "$1 fails for another reason; expected '$4' but got: $report"
    fi
    if [ -n "$saved" ]; then printf '%s\n' "$saved" >"$2"; else rm "$2"; fi
    [ -z "$folder" ] || rmdir "$folder"
}

# The rows of planted.tsv: the first ones at once, where bad.c becomes bad1.c, bad2.c ...
plant_rows() {
    local guard file code message row=0 report expected=() planted=()
    while IFS=$'\t' read -r guard file code message && [ "$guard" != '# ----' ]; do
        [[ $guard != '#'* ]] || continue
        row=$((row + 1))
        planted+=("${file//bad./bad$row.}") expected+=("${message//bad./bad$row.}")
        mkdir -p "${file%/*}"
        printf '%b\n' "$code" >"${planted[-1]}"
    done
    report=$(bash "$guards/guard_modules.sh") && complain 'guard_modules.sh passes with all that is planted'
    for message in "${expected[@]}"; do
        grep -qF -- "$message" <<<"$report" || complain "guard_modules.sh does not find: $message"
    done
    rm "${planted[@]}"
    find src tests -type d -empty -delete
    while IFS=$'\t' read -r guard file code message; do
        [[ " ${skipped[*]} " == *" $guard "* ]] || expect_found "$guard" "$file" "$code" "$message"
    done
}

long_function() { # BODY-LINES
    echo 'int f(int x)'
    echo '{'
    yes '    x++;' | head -n "$1"
    echo '}'
}

plant_sizes() {
    expect_found guard_modules.sh src/layers/bad.c "$(yes 'int x;' | head -n 601)" \
        'src/layers/bad.c:601: a file has at most 600 lines'
    expect_found guard_modules.sh tests/base/check_bad.c "$(long_function 58)" \
        'tests/base/check_bad.c:1: f has 61 lines; a function has at most 60'
    long_function 57 >src/layers/long.c
    expect_clean guard_modules.sh
    rm src/layers/long.c
    expect_found guard_links.sh README.md "$(printf '%0111d' 0)" 'README.md:1: 111 characters; a line has at most 110'
    expect_found guard_links.sh README.md "$(seq 251)" 'README.md:251: the README has at most 250 lines'
}

grow_clean_tree
skipped=()
for guard in "$guards"/guard_{modules,equations,links,names,budget,results,format}.sh; do
    report=$(bash "$guard" 2>&1)
    case $? in
    0) ;;
    77) skipped+=("${guard##*/}") ;;
    *) complain "${guard##*/} finds fault with a clean tree: $report" ;;
    esac
done
plant_rows <"$guards/planted.tsv"
plant_sizes
bash "$guards/guard_budget.sh" | grep -qE '^src/layers +[0-9]+ .* comments [1-9]' || complain 'guard_budget.sh counts no comments'
[ "$failures" -eq 0 ]
