# scripts/assignment: hand-outs without their solutions, and a grader that gives each submission what it deserves. (The
# other wrong solutions are in scripts/assignment check.)
. tests/support/cli.sh
need python3 gcc make
assignment=$root/scripts/assignment
chmod 755 "$scratch" && mkdir boxes # where as root another user works
export TMPDIR=$scratch/boxes
bare=()
bwrap --unshare-user --ro-bind / / true 2>/dev/null || {
    echo "bubblewrap is missing or forbidden: foreign code runs with limits alone"
    bare=(--bare)
}

# ---- Hand-outs

"$assignment" list >list || fail "list"
same "assignments" "softmax score gru beam" "$(cut -d ' ' -f 1 list | xargs)"
for name in softmax score gru beam; do
    "$assignment" hand-out $name "$name" 2>err || fail "hand-out $name: $(cat err)"
    # No line of the solution is in it, but for lines that stand elsewhere, too.
    awk -v mark="solution: $name" 'index($0, mark) { inside = 1 }
        { print > (inside ? "cut" : "left") } /end \*\// { inside = 0 }' "$root/src/paper/rnnsearch.c"
    sed 's|/\*.*||; s/^ *//; s/ *$//' cut | grep -E '.{25}' | while IFS= read -r line; do
        grep -qF -- "$line" left || printf '%s\n' "$line"
    done >solution
    [ "$(wc -l <solution)" -ge 4 ] || fail "$name: the solution has $(wc -l <solution) lines"
    grep -rFn -f solution "$name" && fail "$name: the hand-out holds its solution"
    grep -rnE 'solution: [a-z]' "$name" && fail "$name: marks are left"
    [ -s "$name/sheet.md" ] && grep -q '<h1>' "$name/sheet.html" || fail "$name: no sheet"
    make -s -C "$name" rnnsearch 2>err || fail "make $name: $(cat err)"
done
make -s -C score check >out 2>&1 && fail "the empty hand-out passes its public checks"
cp "$root/src/paper/rnnsearch.c" score
make -s -C score check >out 2>&1 || fail "public checks: $(cat out)"
"$assignment" hand-out score score 2>err && fail "an existing folder is written to"
grep -q 'score is not empty' err || fail "a full folder: $(cat err)"

# ---- Grades

# grade CODE NAME DIR OPTION...: to the file out
grade() {
    local code=$1
    shift
    "$assignment" grade "$@" --seed 5 "${bare[@]}" >out 2>err
    local got=$?
    [ $got -eq "$code" ] || fail "grade $*: exit $got, expected $code: $(cat out err)"
}
grade 0 score score --json
grep -q '"points": 100,' out || fail "score: $(cat out)"
sed 's/ds_prev\[k\] += ds\[k\] \* (1 - z);/;/' "$root/src/paper/rnnsearch.c" >gru/rnnsearch.c
grade 1 gru gru
grep -q '  25 of 100  points' out && grep -q 'a term is missing' out || fail "gru: $(cat out)"
grade 0 gru gru --enough 25 --gradescope
grep -q '"score": 25,' out || fail "--gradescope: $(cat out)"
grade 1 beam beam
grep -q 'Nothing is written yet' out && grep -q '   0 of 100  points' out || fail "an empty one: $(cat out)"
grade 4 beam nowhere
mkdir linked && ln -s "$root/src/paper/rnnsearch.c" linked
grade 4 beam linked
grade 2 nothing score
if [ "$(id -u)" -eq 0 ]; then
    python=$(python3 -c 'import sys; print(sys.executable)')
    mkdir few && ln -s "$(command -v gcc)" "$(command -v as)" "$(command -v ld)" few
    PATH=$PWD/few "$python" "$assignment" grade score score >out 2>err
    [ $? -eq 2 ] && grep -q 'not run as root' err || fail "as root without bubblewrap: $(cat out err)"
fi

# ---- What the grader must not believe

for how in "" --bare; do
    [ -z "$how" ] || [ ${#bare[@]} -eq 0 ] || continue
    "$assignment" check forged --seed 5 $how "${bare[@]}" >out 2>&1 || fail "check forged $how: $(cat out)"
done
[ -z "$(ls boxes)" ] || fail "boxes are left: $(ls boxes)"

# ---- As Gradescope runs it: a bare folder, where the zip is unpacked

mkdir -p service/submission service/results
"$assignment" gradescope softmax service/softmax.zip || fail "gradescope"
(cd service && python3 -m zipfile -e softmax.zip source && cp source/run_autograder . && sh ./run_autograder) || fail "the autograder"
cp "$root/src/paper/rnnsearch.c" service/submission
(cd service && sh ./run_autograder) || fail "the autograder"
grep -q '"score": 100' service/results/results.json || fail "Gradescope: $(cat service/results/results.json)"
finish
