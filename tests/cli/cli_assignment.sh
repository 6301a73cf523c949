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
same "assignments" "softmax score gru beam scale fault" "$(cut -d ' ' -f 1 list | xargs)"
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

# ---- Assignments without a program

"$assignment" check scale fault --quick --seed 5 >out 2>&1 || fail "check scale fault: $(cat out)"
"$assignment" hand-out scale scale --number 12 2>err || fail "hand-out scale: $(cat err)"
"$softalign" attend --attention scaled-dot --query scale/query-64.csv --keys scale/keys-64.csv \
    --values scale/keys-64.csv >out 2>err || fail "the numbers of scale: $(cat err)"
python3 -c '
import statistics, sys
row = [float(x) for x in sys.stdin.readlines()[1].split(",")]
print(f"variance-scaled-64\t{statistics.pvariance(row)}")' <out >>scale/answers.tsv
grade 1 scale scale
grep -q 'variance-raw-4 is no number' out || fail "scale: $(cat out)"
grep -q 'variance-scaled-64' out && fail "scale: attend has another variance: $(cat out)"
mkdir fault && printf '12\n' >fault/number.txt && printf 'fault: ...\n' >fault/answer.txt
grade 1 fault fault
grep -q 'Nothing is written yet' out || fail "fault: $(cat out)"

# The teacher's page names what the tables have.
for name in softmax score gru beam; do
    tail -n +2 "$root/corpora/assignments/$name/wrong.tsv" | while IFS=$'\t' read -r mistake points says _; do
        grep -qF "| $mistake | $points | $says |" "$root/corpora/assignments/README.md" || echo "$name: $mistake"
    done
done >missing
[ ! -s missing ] || fail "not on the teacher's page: $(cat missing)"

# ---- What the grader must not believe

"$assignment" check forged --seed 5 "${bare[@]}" >out 2>&1 || fail "check forged: $(cat out)"
[ ${#bare[@]} -gt 0 ] || "$assignment" check forged --quick --bare --seed 5 >out 2>&1 || fail "check forged --bare: $(cat out)"
[ -z "$(ls boxes)" ] || fail "boxes are left: $(ls boxes)"

# ---- As Gradescope runs it: a bare folder, where the zip is unpacked

mkdir -p service/submission service/results
"$assignment" gradescope softmax service/softmax.zip || fail "gradescope"
(cd service && python3 -m zipfile -e softmax.zip source && cp source/run_autograder . && sh ./run_autograder) || fail "the autograder"
cp "$root/src/paper/rnnsearch.c" service/submission
(cd service && sh ./run_autograder) || fail "the autograder"
grep -q '"score": 100' service/results/results.json || fail "Gradescope: $(cat service/results/results.json)"
finish
