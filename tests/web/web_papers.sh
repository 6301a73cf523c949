# The annotated papers in a browser: names and lines light up, numbers follow the step and the training, and a changed line
# of the C file is in the page. (guard_papers.sh checks that texts and code fit.)
. tests/support/cli.sh
need "$chromium" node clang wasm-ld
[ -d "${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules/temml" ] || {
    echo "npm's temml is missing (scripts/setup --playground): skipped"
    exit 77
}
"$root/scripts/papers" "$scratch/papers" >out 2>&1 || fail "scripts/papers: $(cat out)"
for page in {paper,equations}-{2015,2017} papers; do
    [ "$(stat -c %s "papers/$page.html")" -le 1000000 ] || fail "$page: $(cat out)"
done
node "$root/tests/web/papers.js" papers || fail "papers.js"
# Pages of lessons link to them; a hand-out for students, to those without code.
mkdir -p lessons/12-history
(cd lessons/12-history && "$root/scripts/lessons/page-notes" 12-history >notes.md && "$root/scripts/lessons/page-notes" 12-history questions >questions.md)
grep -qF '(../../papers/paper-2017.html)' lessons/12-history/notes.md || fail "no link from a lesson's page to the annotated papers"
grep -qF '(../../papers/equations-2017.html)' lessons/12-history/questions.md && ! grep -qF paper-2017 lessons/12-history/questions.md ||
    fail "the links of a hand-out"
axe=${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules/axe-core/axe.min.js
if [ -e "$axe" ]; then
    node "$root/tests/web/page_axe.js" "$axe" papers/{paper-*,papers,equations-2015}.html || fail "page_axe.js"
fi
finish
