# The four patches of EXTENDING.md, a score, a normalizer, a kind of position and a part, are applied to a copy of
# the tree, which is built and whose gradient check must pass for the new rows, and must still find broken ones.
# The copy is built by the commands that built the program; what no patch touches is not compiled again.
. tests/support/cli.sh
need patch ninja
build=$(dirname "$softalign")

cp -r "$root"/{src,include,scripts} .
mkdir build corpora
cp -r "$root"/corpora/{grammars,models} corpora # which the program holds
cp -r "$build"/{CMakeFiles,made} build
sed -n '/<!-- patch -->/,/<!-- \/patch -->/p' "$root/src/attention/EXTENDING.md" >patches
same "patches in EXTENDING.md" 4 "$(grep -c '^<!-- patch' patches)"
grep -v '^<!--\|^```' patches >rows.patch
patch -s -p1 <rows.patch || fail "the patches do not apply"
# A new file is compiled and linked as its neighbor is.
neighbor=src/attention/parts/head_norm.c added=$(sed -n '/^--- .dev.null/ { n; s|^+++ b/||p }' rows.patch)
same "new files" src/attention/parts/gated_output.c "$added"
(cd "$build" && ninja -t commands softalign_command) |
    sed -E "s|$build|$PWD/build|g; s|$root|$PWD|g; s|['\"]($PWD[^'\" ]*)['\"]|\1|g
        \# -c .*$neighbor\$# { p; s|$neighbor|$added|g; b }
        s|([^ ]*)$neighbor\.o|& \1$added.o|g" >commands

# rebuild FILE...: compiles these and links the program
rebuild() {
    local file
    {
        for file; do grep " -c $PWD/$file\$" commands || echo "echo no command compiles $file && false"; done >compile
        grep -v -- -DSA_DOUBLE compile
        grep double_names commands | grep -v ' -c ' # of what the single objects define, for the double ones
        grep -- -DSA_DOUBLE compile
        grep -v ' -c .*\.c$' commands
    } >again
    # Some commands change the folder.
    (cd build && while read -r command; do sh -c "$command" </dev/null || exit; done <../again) >log 2>&1
}
rebuild $(sed -n 's|^+++ b/\(.*\.c\)$|\1|p' rows.patch | sort -u) || fail "the patches do not build: $(tail log)"
[ $failures -eq 0 ] || finish

softalign=$PWD/build/softalign
transformer="--model transformer --heads 2 --layers 1"
for options in '--attention distance' '--attention distance --heads 2' \
    '--attention distance --decoder luong --window local-p --window-size 1' \
    '--attention distance --normalizer sharp --decoder cgru' '--normalizer sharp --guided-alignment 1' \
    "$transformer --normalizer sharp --positions harmonic" "$transformer --attention distance --positions harmonic" \
    '--attention gated' '--attention gated --heads 2 --decoder luong' "$transformer --attention gated"; do
    expect 0 "" gradcheck $options
done
for row in distance sharp harmonic gated; do
    "$softalign" help train | grep -q $row || fail "the help does not know $row"
done

"$softalign" corpus copy --pairs 40 >pairs.tsv
"$softalign" train --train pairs.tsv --out model $transformer --normalizer sharp --positions harmonic --steps 5 \
    2>err || fail "train: $(cat err)"
expect 0 "" prove model/best.safetensors pairs.tsv
grep -q '^causality .*<= .*ok$' out || fail "prove: $(cat out)"

printf '1,2\n' >numbers.csv
expect 2 "--attention gated needs a model: it has parameters that are learned, reads what came before, or draws words" \
    attend --query numbers.csv --keys numbers.csv --values numbers.csv --attention gated

# spoil FILE SCRIPT OPTION...: with a wrong backward pass the check fails
spoil() {
    cp "$1" kept
    sed -i "$2" "$1"
    cmp -s "$1" kept && fail "$1 was not spoilt"
    rebuild "$1" || fail "the spoilt patch does not build: $(tail log)"
    "$softalign" gradcheck "${@:3}" >out 2>err && fail "a wrong gradient is not noticed: $*"
    grep -q "gradient of" err || fail "a wrong gradient gives: $(cat err)"
    mv kept "$1"
}
spoil src/attention/score.c '/^static void distance_backward/,/^}/ s/+=/-=/' --attention distance
spoil src/attention/normalizer.c '/^static void sharp_backward/,/^}/ s/sa_scale(2/sa_scale(3/' --normalizer sharp
gate=src/attention/parts/gated_output.c
spoil $gate '/^static void output_backward/,/^}/ s/\[l\] +=/[l] -=/' --attention gated
spoil $gate '/^static void gate_backward/,/^}/ s/(1 - /(1 + /' --attention gated
finish
