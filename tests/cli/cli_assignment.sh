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
same "assignments" "softmax score gru beam heads scale aligner grammar fault" "$(cut -d ' ' -f 1 list | xargs)"
# split_paper NAME: writes what NAME leaves out of $file to cut, and the rest of it to left
split_paper() {
    awk -v mark="solution: $1" 'index($0, mark) { inside = 1 }
        { print > (inside ? "cut" : "left") } /end \*\// { inside = 0 }' "$root/src/paper/$file"
}
# holds_no_solution NAME: no line of cut stands in the folder, but for lines that stand in left, too.
holds_no_solution() {
    local name=$1
    sed 's|/\*.*||; s/^ *//; s/ *$//' cut | grep -E '.{25}' | grep -v '{$' | while IFS= read -r line; do
        grep -qF -- "$line" left || printf '%s\n' "$line"
    done >solution
    [ "$(wc -l <solution)" -ge 2 ] || fail "$name: the solution has $(wc -l <solution) lines"
    grep -rFn -f solution "$name" && fail "$name: the hand-out holds its solution"
}
for name in softmax score gru beam heads; do
    file=rnnsearch.c
    [ $name != heads ] || file=transformer.c
    "$assignment" hand-out $name "$name" 2>err || fail "hand-out $name: $(cat err)"
    split_paper "$name"
    holds_no_solution "$name"
    grep -rnE 'solution: [a-z]' "$name" && fail "$name: marks are left"
    [ -s "$name/sheet.md" ] && grep -q '<h1>' "$name/sheet.html" || fail "$name: no sheet"
    gcc -std=gnu11 -fsyntax-only "$name/checks.c" 2>err || fail "$name does not compile: $(cat err)"
done
public() { make -s -C score check CFLAGS='-std=gnu11 -g' FAST=-O0 >out 2>&1; }
public && fail "the empty hand-out passes its public checks"
cp "$root/src/paper/rnnsearch.c" score
public || fail "public checks: $(cat out)"
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
grade 0 beam beam --enough 0 --gradescope
grep -q '"score": 0,' out && grep -q '"max_score": 45,' out || fail "--gradescope: $(cat out)"
grade 1 beam beam
grep -q 'Nothing is written yet' out && grep -q '   0 of 100  points' out || fail "an empty one: $(cat out)"
grade 4 beam nowhere
mkdir linked && ln -s "$root/src/paper/rnnsearch.c" linked
grade 4 beam linked
mkdir linked-above && ln -s "$root" linked-above/softalign # to the solutions
grade 4 softmax linked-above --library
grep -q 'linked-above has no file softalign/src/' err || fail "a link to the grader's own tree: $(cat out err)"
grade 2 nothing score
# fails CODE WORDS NAME DIR: the grade ends with the code, and says the words.
fails() {
    local code=$1 words=$2
    shift 2
    grade "$code" "$@"
    cat out err | tr -s ' \n' ' ' | grep -qF -- "$words" || fail "grade $*: no '$words': $(cat out err)"
    grep -q "$(printf '\033')" out err && fail "grade $*: it writes to the terminal"
}
paper=$root/src/paper/rnnsearch.c mark=$(printf '\357\273\277') # of the byte order
mkdir -p below/hw1 copy wide control && cp "$paper" below/hw1 && cp "$paper" 'copy/RNNsearch (1).c'
fails 4 'below has no file rnnsearch.c, but hw1/rnnsearch.c: rename or move it' score below
fails 4 'but RNNsearch (1).c' score copy
iconv -f UTF-8 -t UTF-16 "$paper" >wide/rnnsearch.c
fails 4 'save it as UTF-8' score wide
(printf %s "$mark" && sed 's/$/\r/' "$paper") >copy/rnnsearch.c
grade 0 score copy
(printf '%s#define M\n' "$mark" && cat "$paper") >control/rnnsearch.c
fails 1 "without '#define M'" score control
printf '#\033[2J\033[H 100 of 100  points\n' >control/rnnsearch.c
fails 1 '#?[2J?[H 100 of 100' softmax control
python3 -c 'print(r"\"" * 500000)' >control/rnnsearch.c # half an hour, if the time is quadratic
fails 1 'it does not compile' softmax control
python=$(python3 -c 'import sys; print(sys.executable)')
mkdir few && ln -s "$(command -v gcc)" "$(command -v as)" "$(command -v ld)" few
PATH=$PWD/few "$python" "$assignment" grade score score >out 2>err
[ $? -eq 2 ] && grep -q 'could read the solutions' err || fail "without bubblewrap: $(cat out err)"

# ---- In the library's files: no file of the copy holds a solution of either source. (scripts/assignment check grades them.)

"$assignment" hand-out beam library --library 2>err && fail "a hand-out of beam in the library"
grep -q "beam is not made in the library's files" err || fail "beam --library: $(cat err)"
file=rnnsearch.c
for name in softmax score gru; do
    rm -rf "$name"
    (cd "$root/scripts/dev" && python3 -B -c '
import sys
from pathlib import Path
from homework import library, tree
name, scratch = sys.argv[1], Path(sys.argv[2])
tree.copy_tree(scratch / name, library.library_with_holes(name))
faults = "src/lab/gradient_faults.c"  # its wrong scores share lines with the right ones
sources = {file: library.read(library.ROOT / file) for file in [*library.files_with_holes(name), faults]}
bodies = [library.body_of(sources[file], function)[2] for file, function, _ in library.holes_of(name)]
for file, code in sources.items():
    for body in bodies:
        code = code.replace(body, "")
    sources[file] = code
(scratch / "cut").write_text("".join(bodies))
(scratch / "left").write_text("".join(sources.values()))' $name "$scratch") || fail "the library with holes for $name"
    holds_no_solution $name
    split_paper $name
    holds_no_solution $name
    python3 "$name/scripts/dev/embed" made presets diagnostics grammars help models >out 2>&1 ||
        fail "$name: a text that the program holds is not in the copy: $(cat out)"
    grep -q 'Hole 1' "$name/src/paper/rnnsearch.c" || fail "$name: rnnsearch.c has no hole"
    grep -rnE 'solution: [a-z]' "$name" && fail "$name: marks are left"
done

# ---- Assignments without a program

"$assignment" check scale fault aligner --quick --seed 5 "${bare[@]}" >out 2>&1 || fail "check scale fault aligner: $(cat out)"
"$assignment" hand-out scale scale --number 12 2>err || fail "hand-out scale: $(cat err)"
"$softalign" attend --attention scaled-dot --query scale/query-64.csv --keys scale/keys-64.csv \
    --values scale/keys-64.csv >out 2>err || fail "the numbers of scale: $(cat err)"
python3 -c '
import statistics, sys
row = [float(x) for x in sys.stdin.readlines()[1].split(",")]
print(f"variance-scaled-64\t{statistics.pvariance(row)}")' <out >>scale/answers.tsv
grade 1 scale scale
grep -q 'variance-raw-4 is not a number' out || fail "scale: $(cat out)"
grep -q 'variance-scaled-64' out && fail "scale: attend has another variance: $(cat out)"
mkdir fault && printf '12\n' >fault/number.txt && printf 'fault: ...\n' >fault/answer.txt
grade 1 fault fault
grep -q 'Nothing is written yet' out || fail "fault: $(cat out)"

# ---- The aligner's hand-out, and a leaderboard

"$assignment" hand-out aligner class/empty || fail "hand-out aligner"
grep -rnE 'STRENGTH|prior\(' class/empty && fail "the aligner's hand-out holds its solution"
"$softalign" align-words class/empty/pairs.tsv --model 1 --pharaoh links.txt >/dev/null 2>err || fail "align-words: $(cat err)"
class/empty/score links.txt class/empty/gold.txt >out || fail "score"
grep -qE 'recall 0\.[78][0-9]+, AER 0\.[12]' out || fail "Model 1 of softalign: $(cat out)"
mkdir class/good class/twin && cp "$root/corpora/assignments/aligner/solution.py" class/good/align
printf '#!/bin/sh\nsed s/.*/0-0/\n' >class/twin/align
printf 'align:\n\tprintf "#!/bin/sh\\nsed s/.*/0-0/" >align; chmod +x align\n' >class/Makefile && mkdir class/made && mv class/Makefile class/made
mkdir -p "class/deep/$(printf 'd/%.0s' $(seq 900))" # and no align
"$assignment" leaderboard class --seed 5 "${bare[@]}" >out 2>err || fail "leaderboard: $(cat err)"
same "leaderboard" "1:good 2:(Model 1) 3:(the diagonal) 4:made 4:twin 6:empty -:deep: the folder has no file align" \
    "$(tail -n +2 out | awk '{ printf "%s%s:%s", (NR > 1 ? " " : ""), $1, $5; for (i = 6; i <= NF; i++) printf " %s", $i }')"

"$assignment" list >/dev/full 2>err
same "a full disk" "5 scripts/assignment: No space left on device" "$? $(cat err)"

mkdir class/bom class/dos class/full class/none && printf '%s#!/bin/sh\n' "$mark" >class/bom/align
fails 1 'a mark of the byte order' aligner class/bom
printf '#!/bin/sh\r\n' >class/dos/align
fails 1 'the ends of lines of Windows' aligner class/dos
printf 'align:\n\ttrue\n' >class/none/Makefile
fails 1 'make has made no align' aligner class/none
printf 'align:\n\tfor i in 1 2 3 4; do head -c 30000000 /dev/zero >f$$i || exit; done; echo cat >align\n' >class/full/Makefile
[ ${#bare[@]} -gt 0 ] || fails 1 'No space left' aligner class/full

# ---- The grammar's hand-out: the grader derives what softalign derives, links included

"$assignment" hand-out grammar lumi || fail "hand-out grammar"
same "pairs of the table" 24 "$(cut -f 2 lumi/table.tsv | grep -c .)"
"$softalign" corpus --grammar "$root/corpora/assignments/grammar/solution.scfg" --pairs 400 >derived.tsv 2>err || fail "$(cat err)"
PYTHONPATH=$root/scripts/dev:$root/corpora/assignments/grammar PYTHONDONTWRITEBYTECODE=1 python3 - derived.tsv >out <<'END' || fail "grammar: $(cat out)"
import sys

import check

wanted = check.right()
assert len(wanted) == 864
for line in open(sys.argv[1], encoding="utf-8"):
    source, target, links = line.rstrip("\n").split("\t")
    found = wanted[tuple(source.split()), tuple(target.split())]
    assert sorted(links.split()) == sorted(f"{s}{'-' if sure else 'p'}{t}" for s, t, sure in found), line
END

# What does not depend on the language of a sheet.
shape() { sed -n 's/^#.*/heading/p; /^```/,/^```/p; s/^|.*/row/p' "$root/corpora/assignments/$1" | sed 's/  *#.*//'; }

# The teacher's page names what the tables have.
for name in softmax score gru beam aligner grammar; do
    tail -n +2 "$root/corpora/assignments/$name/wrong.tsv" | while IFS=$'\t' read -r mistake points says _; do
        grep -qF "| $mistake | $points | $says |" "$root/corpora/assignments/README.md" || echo "$name: $mistake"
    done
done >missing
[ ! -s missing ] || fail "not on the teacher's page: $(cat missing)"

"$assignment" page teacher.html --lang fr || fail "page"
grep -q '<h1>Le softmax' teacher.html || fail "the page: no French"
for name in softmax score gru beam scale aligner grammar fault; do
    for language in de fr; do # the same heads, code and points in every language
        diff <(shape "$name/sheet.md") <(shape "$name/sheet.$language.md") >out || fail "$name/sheet.$language.md: $(cat out)"
    done
done
for name in softmax score gru beam scale aligner grammar fault; do
    grep -q "<section id=\"$name\"" teacher.html && grep -q "href=\"#$name\"" teacher.html || fail "the page: no $name"
done

# ---- What the grader must not believe

"$assignment" check forged --seed 5 "${bare[@]}" >out 2>&1 || fail "check forged: $(cat out)"
[ ${#bare[@]} -gt 0 ] || "$assignment" check forged --quick --bare --seed 5 >out 2>&1 || fail "check forged --bare: $(cat out)"
[ -z "$(ls boxes)" ] || fail "boxes are left: $(ls boxes)"

# ---- As Gradescope runs it: a bare folder, where the zip is unpacked

mkdir -p service/submission service/results
"$assignment" gradescope beam service/beam.zip || fail "gradescope"
(cd service && python3 -m zipfile -e beam.zip source && cp source/run_autograder . && sh ./run_autograder) || fail "the autograder"
cp "$root/src/paper/rnnsearch.c" service/submission
(cd service && sh ./run_autograder) || fail "the autograder"
grep -q '"score": 100' service/results/results.json || fail "Gradescope: $(cat service/results/results.json)"
same "what others read of the solutions" "" "$(find service/source/src service/source/scripts -perm /077)"
mkdir without && ln -s "$(python3 -c 'import sys; print(sys.executable)')" without/python3
for tool in sh chmod mv tail tr; do ln -s "$(command -v $tool)" without; done
(cd service && PATH=$scratch/without sh ./run_autograder) && fail "the autograder succeeds without a compiler"
python3 -c '
import json
found = json.load(open("service/results/results.json"))
assert "score" not in found and "cc cannot be run" in found["output"], found' || fail "what Gradescope says where the grader fails"

PYTHONPATH=$root/scripts/dev python3 -B "$root/tests/python/grader.py" "$scratch" || fail "the units of the grader"
finish
