# A page and an SVG of the same weights, or attributions of both signs, have the same colors and scales.
. tests/support/cli.sh
need "$chromium" node
"$softalign" corpus reorder --pairs 1 --split test >pair.tsv
"$softalign" align builtin:reorder pair.tsv --svg weights --html weights.html 2>err || fail "$(cat err)"
pages=(weights.html weights/0001.svg)
for method in occlusion gradient; do
    "$softalign" attribute builtin:reorder pair.tsv --method $method --svg $method --html $method.html 2>err || fail "$(cat err)"
    pages+=($method.html $method/0001.svg)
done
node "$root/tests/web/page_colors.js" "${pages[@]}" || fail "page_colors.js"
finish
