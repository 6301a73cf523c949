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
the,0.7071067811865475,
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
"$softalign" attend --self words.csv --heads 2 --weights mean.csv >/dev/null
"$softalign" attend --self words.csv --heads 2 --weights second.csv --head 2 >out
sed -n '/# weights, head 2/,/^$/p' out | sed '1d;$d' | cmp - second.csv || fail "--head 2"
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
printf '5\n5\n5\n' >equal.csv
head -n 3 y.csv >three.csv
expect 0 "" attend --attention gaussian --query at.csv --keys equal.csv --values three.csv --bandwidth fit
same "h of equal keys" 10 "$(sed -n '3s/,.*//p' out | awk '{ printf "%.6g", $1 }')"

# For programs.
expect 0 "" attend --self words.csv --causal --json
if has python3; then
    python3 - <<'END' || fail "--json says $(cat out)"
import json
found = json.load(open("out"))
assert list(found) == ["queries", "keys", "scores", "weights", "contexts", "outputs"]
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
expect 2 "--head 2: there are 1" attend --self words.csv --head 2
expect 3 "--query query.csv is 1 x 3, --keys words.csv is 2 x 2: a query and a key are compared: as many columns" \
    attend --query query.csv --keys words.csv --values words.csv
expect 4 "cannot open 'none.csv': No such file or directory" attend --self none.csv
for more in "--heads 2" --causal "--bandwidth 1" "--query words.csv" "--keys words.csv" \
    "--project-query words.csv" "--project-keys words.csv" "--positions rope"; do
    read -ra more <<<"$more"
    expect 2 "--given-weights takes the place of query, keys and their projections, heads, --positions, --causal and --bandwidth" \
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
expect 3 "bad.csv:2:2: 'nan' is no finite number" attend --self bad.csv
finish
