# attend: what the textbooks draw, and what it says when tables do not fit.
. tests/support/cli.sh

# The weights 0.9, 0.1, 0 of a fuzzy look-up, and an exact one.
printf '1000\n2000\n3000\n' >values.csv
printf '0.9,0.1,0\n0,0,1\n' >given.csv
expect 0 "" attend --given-weights given.csv --values values.csv
same "fuzzy look-up" "# weights
0.9,0.1,0
0,0,1

# outputs
1100
3000" "$(cat out)"
printf '1,0,0\n0,1,0\n0,0,1\n' >keys.csv
printf '0,1000,0\n' >query.csv
expect 0 "" attend --query query.csv --keys keys.csv --values values.csv --attention dot
same "exact look-up" "# scores
0,1000,0

# weights
0,1,0

# outputs
2000" "$(cat out)"

# Self-attention, with words and without a look ahead.
printf ',x,y\nthe,1,0\ncat,0,2\n' >words.csv
printf ',x,y\nthe,1,0\ncat,0,0\n' >pair.csv
expect 0 "" attend --self pair.csv --causal --weights w.csv
same "causal self-attention" "# scores
,the,cat
the,0.7071067811865475,-inf
cat,0,0

# weights
,the,cat
the,1,0
cat,0.5,0.5

# outputs
,x,y
the,1,0
cat,0.5,0" "$(cat out)"
sed -n '/# weights/,/^$/p' out | sed '1d;$d' | cmp - w.csv || fail "--weights differs: $(cat w.csv)"
expect 0 "" attend --given-weights w.csv --values pair.csv
same "weights given back" "cat,0.5,0" "$(tail -n 1 out)"

# Two heads that look at one column each, joined crosswise by W^O; a set without positions.
printf 'swapped,0,1\nkept,1,0\n' >W.csv
expect 0 "" attend --self words.csv --heads 2 --project-output W.csv
same "blocks" "# scores, head 1|# weights, head 1|# scores, head 2|# weights, head 2|# contexts|# outputs|" \
    "$(grep '^#' out | tr '\n' '|')"
same "contexts" "$(sed -n '/# contexts/,/^$/p' out | awk -F, '/the/ { print $3 "," $2 }')" \
    "$(sed -n '/# outputs/,$p' out | awk -F, '/the/ { print $2 "," $3 }')"
same "named by W^O" ",swapped,kept" "$(sed -n '/# outputs/,$p' out | sed -n 2p)"
"$softalign" attend --self words.csv --heads 2 --weights mean.csv >out
same "mean" "$(sed -n '/# weights/,/^$/p' out | awk -F, '/the/ { sum += $2 } END { print sum / 2 }')" \
    "$(awk -F, '/^the/ { print $2 + 0 }' mean.csv)"
printf ',x,y\ncat,0,2\nthe,1,0\n' >turned.csv
for positions in none sinusoidal; do
    for file in words turned; do
        "$softalign" attend --self $file.csv --positions $positions | sed '1,/# outputs/d' |
            sort >$file.$positions
    done
done
cmp -s words.none turned.none || fail "self-attention without positions is not one of a set"
cmp -s words.sinusoidal turned.sinusoidal && fail "positions change nothing"

expect 2 "--positions learned: there is no model that learned them" attend --self words.csv --positions learned

# Scores of all kinds, and notes.
for attention in dot scaled-dot general uniform location; do
    expect 0 "" attend --self words.csv --attention $attention
done
"$softalign" attend --self words.csv --attention additive >out 2>err || fail "additive: $(cat err)"
same "note" "note: without --vector, v_a is all ones" "$(cat err)"
printf '1\n1\n' >ones.csv
cp out before
expect 0 "" attend --self words.csv --attention concat --vector ones.csv
cmp -s out before || fail "concat with ones differs from additive"
printf '1,1,1\n' >heavy.csv
"$softalign" attend --values values.csv --given-weights heavy.csv >out 2>err || fail "heavy"
same "note" "note: row 1 of the given weights does not sum to 1" "$(cat err)"

# Kernel regression: between the nearest neighbor and the mean of a zigzag that rises.
seq 0 7 >x.csv
printf '%s\n' 0 3 0 5 2 7 4 9 >y.csv
printf '1.4\n' >at.csv
kernel="--attention gaussian --query at.csv --keys x.csv --values y.csv"
expect 0 "" attend $kernel --bandwidth 1e-9
same "nearest neighbor" 3 "$(tail -n 1 out)"
expect 0 "" attend $kernel --bandwidth 1e9
same "mean" 3.75 "$(tail -n 1 out)"
expect 0 "" attend $kernel --bandwidth fit
same "fitted" "# bandwidth
h,leave-one-out error" "$(head -n 2 out)"
h=$(sed -n '3s/,.*//p' out) # by awk, E(h) rises to both sides
cat >left_out.awk <<'END'
{ x[NR] = $1; y[NR] = $2 }
END {
    for (i = 1; i <= NR; i++) {
        sum = f = 0
        for (j = 1; j <= NR; j++)
            if (j != i) { a = exp(-(x[i] - x[j]) ^ 2 / (2 * h * h)); sum += a; f += a * y[j] }
        E += (y[i] - f / sum) ^ 2 / NR
    }
    printf "%.9f\n", E
}
END
left_out() { paste x.csv y.csv | awk -v h="$1" -f left_out.awk; }
same "leave-one-out error" "$(left_out "$h")" "$(sed -n 3p out | awk -F, '{ printf "%.9f", $2 }')"
for by in 0.5 0.98 1.02 2; do
    awk -v a="$(left_out "$(awk "BEGIN { print $h * $by }")")" -v b="$(left_out "$h")" \
        'BEGIN { exit !(a > b) }' || fail "h $h: $by times as wide is no worse"
done
expect 0 "" attend $kernel --bandwidth fit --json
grep -q '"leave_one_out"' out || fail "--json without the error"
printf '2\n3\n4\n' >line.csv # y = 3 - x / 2 at 2, 3, 4
printf '2\n1.5\n1\n' >on_line.csv
line="--attention gaussian --query at.csv --keys line.csv --values on_line.csv --degree 1"
expect 0 "" attend $line --bandwidth 1
same "local line beyond the points" 2.3 "$(tail -n 1 out | awk '{ printf "%.12g", $1 }')"
expect 0 "" attend $line --bandwidth 1 --steps
same "weights of both degrees" "# weights of degree 0: # weights: " "$(sed -n 's/^\(# weights[^:]*: \).*/\1/p' out | tr -d '\n')"
expect 0 "" attend $line --bandwidth fit
same "error of a line" 0 "$(sed -n '3s/.*,//p' out | awk '{ printf "%.9f", $1 }' | sed 's/0\.0*$/0/')"
expect 2 "--degree '2': expected a whole number from 0 to 1" attend --self line.csv --degree 2
printf '5\n5\n5\n' >equal.csv
head -n 3 y.csv >three.csv
expect 0 "" attend --attention gaussian --query at.csv --keys equal.csv --values three.csv --bandwidth fit
same "h of equal keys" 10 "$(sed -n '3s/,.*//p' out | awk '{ printf "%.6g", $1 }')"

# Every step of two heads over four words, with a mask: the golden numbers are those of a script of lists and loops.
printf 'I,1,0,1,0\nlike,0,2,0,2\ngreen,1,1,1,1\napples,0,1,2,0\n' >X.csv
printf '1,0,1,0\n0,1,0,1\n1,1,0,0\n0,0,1,-1\n' >W_q.csv
printf '0,0.5,0,-0.5\n' >b_q.csv
printf '0,1,0,1\n1,0,0,1\n0,1,1,0\n1,0,-1,0\n' >W_k.csv
printf 'v1,2,0,0,1\nv2,0,1,1,0\nv3,1,0,0,0\nv4,0,0,1,1\n' >W_v.csv
printf 'o1,1,0,0,1\no2,0,1,0,-1\no3,0.5,0,1,0\no4,0,0.5,0,1\n' >W_o.csv
printf '1,1,0,1\n1,1,1,0\n0,1,1,1\n1,0,0,1\n' >mask.csv
heads="--self X.csv --heads 2 --project-query W_q.csv --bias-query b_q.csv --project-keys W_k.csv"
heads+=" --project-values W_v.csv --project-output W_o.csv"
expect 0 "" attend $heads --mask mask.csv --steps
rounded() {
    awk -F, -v OFS=, '/^#/ || !NF { print; next }
        { for (i = 1; i <= NF; i++) if ($i ~ /^-?[0-9]/) { $i = sprintf("%.4f", $i); sub(/^-0.0000/, "0.0000", $i) }; print }'
}
rounded <out | diff - "$root/tests/golden/attend_steps.txt" || fail "--steps"
expect 0 "" attend $heads --mask mask.csv --steps --html steps.html
grep -q '"steps":\[{"name":"X",' steps.html || fail "a page without steps"
expect 0 "" attend $heads --mask mask.csv
same "results" "$(grep -c '^#' out)" 6

# A triangle of ones is --causal; what attend prints as scores can be given back.
printf '1,0,0,0\n1,1,0,0\n1,1,1,0\n1,1,1,1\n' >triangle.csv
"$softalign" attend --self X.csv --causal >causal
expect 0 "" attend --self X.csv --mask triangle.csv
cp out triangle.out
sed 's/1/True/g; s/0/False/g' triangle.csv >truths.csv
sed 's/0/-inf/g; s/1/0/g' triangle.csv >added.csv
for mask in truths added; do
    expect 0 "" attend --self X.csv --mask $mask.csv
    cmp out triangle.out || fail "the mask $mask.csv"
done
cmp -s out causal || fail "a triangle is not --causal"
sed -n '/# scores/,/^$/p' out | sed '1d;$d' >scores.csv
expect 0 "" attend --attention location --query scores.csv --values X.csv
cmp -s out causal || fail "scores given back: $(cat out)"
titles() { grep '^#' out | sed 's/^# //; s/ (.*//; s/:.*//' | tr '\n' ' '; }
for row in "additive:hidden layer hidden layer hidden layer hidden layer scores" "cosine:cosines scores" \
    "gaussian:distances scores" "dot:scores" "uniform:scores" "linear:scores"; do
    "$softalign" attend --self X.csv --attention "${row%%:*}" --steps >out 2>err || fail "$row: $(cat err)"
    same "steps of $row" "X Q K V ${row#*:} weights row sums outputs " "$(titles | sed 's/v_a //; s/X Q V/X Q K V/')"
done
expect 0 "" attend --self X.csv --positions rope --steps
same "rotated" "X Q K V Q K V QK' scores weights row sums outputs " "$(titles)"
expect 0 "" attend --self X.csv --positions alibi --steps
same "biased" "X Q K V QK' scores before bias and mask scores weights row sums outputs " "$(titles)"
expect 0 "" attend --given-weights given.csv --values values.csv --steps
same "given weights" "X of values V weights row sums outputs " "$(titles)"

printf '1,0,0,0\n0,0,0,0\n1,1,1,0\n1,1,1,1\n' >blind.csv
expect 3 "query 2 sees no key" attend --self X.csv --mask blind.csv
printf '0,1,1,1\n1,1,1,1\n1,1,1,0\n1,1,1,1\n' >late.csv
expect 3 "query 1 sees no key" attend --self X.csv --mask late.csv --causal
printf '0,1\n-inf,-inf\n' >hidden.csv
expect 3 "query 2 sees no key" attend --attention location --query hidden.csv --values words.csv
printf '0,-inf,1,1\n' >minus.csv
expect 3 "minus.csv:1:2: '-inf' is not a finite number" attend --query minus.csv --keys X.csv --values X.csv
printf '1,0,0,0\n1,0.5,0,0\n1,1,1,0\n1,1,1,1\n' >half.csv
expect 3 "--mask: row 2 has a 0.5: it may have 1 and 0" attend --self X.csv --mask half.csv
expect 3 "--mask words.csv is 2 x 2, the map of queries and keys is 4 x 4: a mask has a row for every query and a column for every key" \
    attend --self X.csv --mask words.csv
expect 2 "--bandwidth fit predicts every value from all others by one kernel: without --heads, --causal, --mask and --positions" \
    attend --self X.csv --attention gaussian --bandwidth fit --mask mask.csv

# The words of a sentence as a model embeds them: those of its annotations before the first layer.
"$softalign" corpus mono --pairs 60 >mono.tsv
"$softalign" train --train mono.tsv --out model --embed 4 --hidden 4 --attn 4 --maxout 4 --steps 2 >out 2>err || fail "$(cat err)"
printf 'a king sleeps.\tx\n' >king.tsv
"$softalign" annotations model/best.safetensors king.tsv --layer 0 | sed 's/^0,1,[0-9]*,//; /^layer/d' >annotations.csv
expect 0 "" attend --words "a king sleeps." --model model/best.safetensors --steps
same "embeddings" "$(cut -d , -f 1 annotations.csv | tr '\n' ' ')" \
    "$(sed -n '/^# X/,/^$/p' out | sed '1d;$d' | cut -d , -f 1 | tr '\n' ' ')"
cp out embedded
expect 0 "" attend --self annotations.csv --steps
awk -F, 'FNR == NR { line[FNR] = $0; next }
    { split(line[FNR], was, ","); for (i = 2; i <= NF; i++) if (($i - was[i]) ^ 2 > 1e-12) exit 1 }' embedded out ||
    fail "--words differs from its annotations: $(diff embedded out)"
expect 2 "attend: --words and --model need each other" attend --words "a king"
expect 2 "attend: --words excludes --keys" attend --words "a king" --model model/best.safetensors --keys X.csv
expect 4 "cannot open 'none': No such file or directory" attend --words "a king" --model none

# For programs.
expect 0 "" attend --self words.csv --causal --steps --json
if has python3; then
    python3 - <<'END' || fail "--json says $(cat out)"
import json
found = json.load(open("out"))
assert list(found) == ["queries", "keys", "scores", "weights", "contexts", "outputs", "steps"]
steps = {step["name"]: step for step in found["steps"]}
assert steps["scores"]["numbers"] == found["scores"][0] and steps["mask"]["numbers"] == [[1, 0], [1, 1]]
assert steps["row sums"] == {"name": "row sums", "formula": "sum_j alpha_ij", "head": 0, "numbers": [[1], [1]]}
assert found["queries"] == found["keys"] == ["the", "cat"]
assert found["scores"][0][0][1] is None and found["weights"][0][0] == [1, 0]
assert found["contexts"] == found["outputs"] and found["outputs"][0] == [1, 0]
END
fi

# What cannot be.
expect 2 "attend: --values CSV is missing (or --self CSV)" attend
expect 2 "attend: --self excludes --keys" attend --self words.csv --keys keys.csv
expect 2 "--query is missing" attend --keys keys.csv --values values.csv
expect 2 "attend: only one result can go to standard output" attend --self words.csv --weights -
expect 2 "'words.csv' is an input: choose another output" \
    attend --self words.csv --weights words.csv
expect 2 "--heads 3: --self words.csv is 2 x 2; its 2 columns are not divisible by 3" \
    attend --self words.csv --heads 3
expect 2 "attend: there is no '--head': what it prints has the weights of every head" attend --self words.csv --head 2
expect 3 "--query query.csv is 1 x 3, --keys words.csv is 2 x 2: a query and a key are compared: as many columns" \
    attend --query query.csv --keys words.csv --values words.csv
expect 4 "cannot open 'none.csv': No such file or directory" attend --self none.csv
for more in "--heads 2" --causal "--mask words.csv" "--bandwidth 1" "--query words.csv" "--keys words.csv" \
    "--project-query words.csv" "--project-keys words.csv" "--positions rope"; do
    read -ra more <<<"$more"
    expect 2 "--given-weights takes the place of query, keys and their projections, heads, --positions, --causal, --mask, --bandwidth and --degree" \
        attend --given-weights words.csv --values words.csv "${more[@]}"
done
printf '1,2\n3,4\n5,6\n' >three.csv
expect 2 "--heads 2: --query words.csv is 2 x 2; its 3 columns once projected are not divisible by 2" \
    attend --query words.csv --project-query three.csv --keys words.csv --values words.csv --heads 2
expect 3 "--project-query words.csv is 2 x 2, --bias-query query.csv is 1 x 3: a bias has one number for every row of the projection" \
    attend --query words.csv --project-query words.csv --bias-query query.csv --keys words.csv \
    --values words.csv
printf '1e308,1e308\n1e308,1e308\n' >huge.csv
expect 3 "the numbers are too large: sums of products leave the range of double precision" \
    attend --query huge.csv --keys huge.csv --values huge.csv
printf '1,2\n3,nan\n' >bad.csv
expect 3 "bad.csv:2:2: 'nan' is not a finite number" attend --self bad.csv
finish
