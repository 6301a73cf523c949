# gradcheck: all gradients are right, and every planted fault is noticed and named.
. tests/support/cli.sh

# Every row of the table, as the message about a wrong name lists them.
attentions=$("$softalign" gradcheck --attention '?' 2>&1 | sed 's/.*expected //; s/,/ /g; s/ or / /')
for attention in $attentions; do
    case $attention in
    raw-dot) options='--encoder uni' ;; # annotations as wide as states
    differential) options='--model transformer --heads 2' ;;
    *) options= ;;
    esac
    expect 0 "" gradcheck --attention $attention --dropout 0.2 --embed 4 --hidden 3 --maxout 2 $options
    same "wrong gradients with $attention" 0 "$(grep -c WRONG out)"
done
expect 0 "" gradcheck
grep -q '^attention.U_a  *4 x 12 ' out || fail "no attention.U_a of the right shape: $(cat out)"
expect 0 "" gradcheck --hidden 3 --embed 2
grep -q '^attention.U_a  *4 x 6 ' out || fail "--hidden 3 is not heard: $(cat out)"
# Few pairs of maxout inputs are kept: weights that are far from kinks must be found none the less.
for seed in 6 12 18; do
    expect 0 "" gradcheck --dropout 0.9 --reset after --seed $seed
done
for seed in 4 5; do # the few words that are left are ten times as large
    expect 0 "" gradcheck --word-dropout 0.9 --reset after --seed $seed
done
# Large weights in the objective, and windows so wide that their gradient is weak, leave it to rounding.
expect 0 "" gradcheck --attention hard --reinforce-weight 1000 --seed 1
for seed in 1 4; do
    expect 0 "" gradcheck --window local-p --window-size 1000 --seed $seed
done
expect 0 "" gradcheck --attention monotonic --monotonic-noise 100 --seed 4
# A norm of three nearly equal numbers bends the loss within a step of the usual size.
expect 0 "" gradcheck --decoder luong --attention linear --heads 4 --value-size 3 --window local-m --window-size 1 \
    --coverage linguistic --encoder uni --layers 2 --positions learned --update old --reset after --cell-norm \
    --decoder-init copy --input-feeding --tie three-way --embed 2 --hidden 3 --attn 4 --maxout 2 --max-len 3 \
    --normalizer sparsemax
expect 0 "" gradcheck --model transformer
grep -q '^encoder.1.feedforward.W_1  *7 x 5 ' out || fail "a transformer of its preset's sizes: $(cat out)"

# Leaving out a term is noticed, where the term is used: every fifth (grad_every_model has them all), or with EVERY=1 each.
"$softalign" gradcheck --list >terms
[ "$(wc -l <terms)" -ge 10 ] || fail "only $(wc -l <terms) terms"
noticed=0
while read -r term dropped; do
    [ -n "$dropped" ] || fail "$term: what is dropped?"
    before=$failures options=
    case $dropped in *']') options=${dropped##*[} options=${options%]} ;; esac
    case " $options" in *" --layers "*) layers="" ;; *) layers="--layers 1" ;; esac
    "$softalign" gradcheck --break $term --dropout 0.2 --embed 4 --hidden 3 --maxout 2 --ffn 3 $layers $options >out 2>err
    same "gradcheck --break $term $options" 1 $?
    grep -q '^softalign: gradient of ' err || fail "--break $term: $(cat err)"
    grep -q WRONG out || fail "--break $term: no parameter is marked"
    noticed=$((noticed + (failures == before)))
done < <(sed -n "1~${EVERY:-5}p" terms | tee tried)
echo "terms left out and found: $noticed/$(wc -l <tried)"
expect 2 "this model has no term 'lstm.forget'; one has it with --cell lstm" gradcheck --break lstm.forget

# For programs.
expect 0 "" gradcheck --json
grep -q '"ok": true' out || fail "--json says $(cat out)"
"$softalign" gradcheck --json --break gru.reset >out 2>err
same "gradcheck --json --break" 1 $?
grep -q '"ok": false' out || fail "--json --break says $(cat out)"
finish
