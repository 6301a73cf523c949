# The annotated papers: every function of the C files has its text, every gradient its equation, and the other way round.
set -u
cd "$(dirname "$0")/../../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

scripts/papers --check || fail "texts and code do not fit"
mkdir -p "$scratch/scripts" "$scratch/src"
cp scripts/papers "$scratch/scripts"
# fault FILE SED WORDS: what a changed file must be refused for
fault() {
    rm -rf "$scratch/src/paper"
    cp -r src/paper "$scratch/src"
    sed -i "$2" "$scratch/src/paper/$1"
    ! cmp -s "src/paper/$1" "$scratch/src/paper/$1" || fail "nothing to change in $1: $2"
    "$scratch/scripts/papers" --check >"$scratch/said" 2>&1 && fail "$1 passes with $2"
    grep -qF "$3" "$scratch/said" || fail "$1 with $2: $(cat "$scratch/said")"
}
fault rnnsearch.c 's/^static void update(/static void renew(/' 'does not tell of renew'
fault rnnsearch.md 's/^## B.2 Training | update/## B.2 Training | update renew/' 'tells of renew, which rnnsearch.c does not have'
fault rnnsearch.md '/^## A.1.2 The score/,/^join/s/^\$\$.*//' 'score_backward has lost its equation'
fault transformer.c 's/softmax_backward(alpha, dalpha, S, de);/(void)dalpha;/' 'joins softmax_backward(alpha, dalpha, S, de);'
fault transformer.md 's/@alpha{/@alphas{/' 'no name alphas in its table'
exit $((failures > 0))
