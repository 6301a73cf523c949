# experiment sqrt-d: the table, the random part of its claim, and that nothing depends on threads.
. tests/support/cli.sh

expect 2 "an argument is missing: softalign experiment NAME" experiment
expect 2 "unknown experiment 'sqrtd' (did you mean 'sqrt-d'?)" experiment sqrtd

"$softalign" experiment sqrt-d --steps 0 >out 2>err || fail "sqrt-d: $(cat err)"
same "progress" "additive, d = 4" "$(head -n 1 err)"
same "columns" "attention,d,score_variance,entropy,gradient_norm,loss,loss_least,loss_most" "$(head -n 1 out)"
same "rows" 24 "$(tail -n +2 out | grep -cE '^(additive|dot|scaled-dot),[0-9]+(,[0-9.]+){3},,,$')"

# between SCORE D COLUMN LEAST MOST
between() {
    awk -F, -v score="$1" -v d="$2" -v column="$3" -v least="$4" -v most="$5" '
        $1 == score && $2 == d { found = $column >= least && $column <= most }
        END { exit !found }' out || fail "column $3 of $1, $2: $(grep "^$1,$2," out)"
}
for d in 4 8 16 32 64 128 256 512; do # q'k has variance d; over sqrt(d) it has 1
    between dot $d 3 $((d * 95 / 100)) $((d * 105 / 100 + 1))
    between scaled-dot $d 3 0.95 1.05
    between additive $d 3 0.7 1.2
done
between scaled-dot 512 4 2.33 2.39 # sixteen normal scores
between scaled-dot 512 5 0.295 0.315
between dot 512 4 0.05 0.2
between dot 512 5 0.03 0.1
falls=$(awk -F, '$1 == "dot" { print $4 }' out)
same "dot's entropy falls with d" "$falls" "$(sort -rn <<<"$falls")"

for threads in 1 3; do
    "$softalign" experiment sqrt-d --steps 2 --seeds 2 --threads $threads >out.$threads 2>err ||
        fail "two updates: $(cat err)"
done
cmp out.1 out.3 || fail "the threads change the result"
same "rows with the losses of two trainings" 24 "$(awk -F, 'NR > 1 && $7 > 1 && $7 < $8' out.1 | wc -l)"
awk -F, 'NR > 1 { far = $6 - ($7 + $8) / 2; if (far > 1e-6 || far < -1e-6) exit 1 }' out.1 ||
    fail "the median of two: $(cat out.1)"
"$softalign" experiment sqrt-d --steps 2 --seeds 2 --lr 0.1 2>err | cmp -s - out.1 &&
    fail "--lr changes nothing"
finish
