# axe-core finds nothing on any page: the playground and its stage, hand-outs, reports, slides, the history.
. tests/support/cli.sh
need "$chromium" node
axe=${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules/axe-core/axe.min.js
[ -s "$axe" ] || {
    echo "npm's axe-core is missing (scripts/setup --tests): skipped"
    exit 77
}
build_playground
"$softalign" corpus reorder --pairs 200 >pairs.tsv
"$softalign" corpus reorder --pairs 6 --split test >unseen.tsv
few() { "$softalign" compare --train pairs.tsv --test unseen.tsv --steps 3 --threads 1 "$@" >out 2>err || fail "compare: $(cat err)"; }
few --models fixed,bahdanau:additive,transformer --seeds 2 --out models --html models.html
few --models fixed-init,fixed,bahdanau:additive,luong:general --out history --html history.html
"$softalign" attribute builtin:reorder unseen.tsv --method attention,occlusion --html attributions.html 2>err || fail "$(cat err)"
"$softalign" align builtin:transformer unseen.tsv --html heads.html 2>err || fail "$(cat err)"
node "$root/tests/web/page_axe.js" "$axe" playground.html playground/first-steps.html playground/stop-2.html playground/stop-2-de.html models.html \
    history.html attributions.html heads.html >out || fail "$(cat out)"
finish
