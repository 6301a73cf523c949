# transformer: src/paper/transformer.c alone, and against softalign. (grad_transformer compares its gradients.)
. tests/support/cli.sh
paper=transformer search="--length-penalty gnmt --length-power 0.6" updates=6000
broken='dn\[k\] - mean - u->normal\[k\] \* along	dn[k] - mean
add_scaled(de\[j\] / root((real)d_k), u->q	add_scaled(de[j], u->q
k_j, v_j, when all have attended to them \*/	*/ if (l)
inner\[k\] > 0 ? dinner\[k\] : 0;	inner[k];
mask\[k\] \* dx\[k\];	dx[k];
u->dk, dx);	u->dk, u->dv);'

# ---- What both files have is the same, line for line

text() { # FUNCTION FILE: without the marks of homework
    awk -v name=" \\\\*?$1\\\\(" '/^(static|int main)/ { inside = $0 ~ name } inside; /^}/ { inside = 0 }' "$root/src/paper/$2.c" |
        sed -E 's, */\* (solution: [a-z]+|end) \*/,,'
}
for name in die allocate take forget dot add_scaled multiply_forward multiply_backward softmax softmax_backward \
    insert read_line split read_pairs by_bytes collect_words number_words transfer add_tensor model_file \
    save_model validate translate finish_output print_cell print_csv print_heatmap align main; do
    [ "$(text $name transformer | wc -l)" -gt 2 ] || fail "transformer.c has no $name"
    diff <(text $name rnnsearch) <(text $name transformer) >differences || fail "$name differs: $(cat differences)"
done
apart=$(diff "$root/src/paper/rnnsearch.c" "$root/src/paper/transformer.c" | grep -c '^>')
[ $((100 * apart)) -le $((60 * $(wc -l <"$root/src/paper/transformer.c"))) ] || fail "$apart lines differ"
. "$root/tests/support/paper.sh"
