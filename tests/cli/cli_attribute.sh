# attribute: scores in every form that align writes, and what they must be. (grad_attribution tests the equations.)
. tests/support/cli.sh
train_tiny
model=tiny/best.safetensors
printf 'a cat sees a dog.\tun chat voit un chien.\t0-0 1-1\nthe dog sleeps.\tle chien dort.\t0-0\n' >pairs.tsv
numbers() { tail -n +2 "$1" | cut -d , -f 2-; }

# attention is what align shows.
"$softalign" align $model pairs.tsv --csv aligned --pharaoh aligned.txt --jsonl aligned.json --quiet || fail "align"
"$softalign" attribute $model pairs.tsv --method attention --csv same --pharaoh same.txt --jsonl same.json --quiet ||
    fail "attribute --method attention"
diff -r aligned same && cmp aligned.txt same.txt && cmp aligned.json same.json || fail "attention is not what align shows"

# Each method of a list is a head with its name, in its order; the first is what one matrix shows, whatever the threads.
"$softalign" attribute $model pairs.tsv --method gradient --csv gradient --threads 1 --quiet || fail "gradient"
"$softalign" attribute $model pairs.tsv --method occlusion --csv occlusion --quiet || fail "occlusion"
"$softalign" attribute $model pairs.tsv --method occlusion,attention,gradient --csv both --tidy both.csv --npy arrays \
    --html page.html --svg drawn --threads 3 --quiet || fail "a list"
diff -r occlusion both || fail "a list does not show its first method"
head_of() { awk -F , -v head="$1" '$1 == 1 && $2 == head { print $7 }' both.csv; }
for head in occlusion:occlusion attention:aligned gradient:gradient; do
    numbers "${head#*:}/0001.csv" | tr , '\n' | diff - <(head_of "${head%:*}") >/dev/null || fail "head $head in the long table"
done
head -c 128 arrays/0001.npy | grep -aq "'shape': (3, 7, 7" || fail "npy of three methods"
grep -q 'Attributions of' page.html || fail "the page's title"
grep -q '"methods":\["occlusion","attention","gradient"\]' page.html || fail "the page does not name the methods"
for method in occlusion attention gradient; do
    grep -q ">$method[<,]" drawn/0002.svg || fail "the picture does not name $method"
done
"$softalign" attribute $model pairs.tsv --method occlusion,gradient --jsonl - --quiet | head -n 1 |
    grep -q '"methods": *\["occlusion", *"gradient"\]' || fail "JSON lines do not name the methods"

# AER is that of score, of each method.
cut -f 3 pairs.tsv >gold.txt
"$softalign" attribute $model pairs.tsv --method occlusion,attention --pharaoh first.txt 2>err || fail "links of occlusion"
for file in first.txt:occlusion aligned.txt:attention; do
    "$softalign" score --alignments "${file%:*}" gold.txt >table
    same "AER of ${file#*:}" "$(awk 'NR == 2 { printf "%.4f, precision %.4f, recall %.4f", $5, $6, $7 }' table)" \
        "$(sed -n "s/^${file#*:}: AER //p" err)"
done

# Contrastive: the difference of occlusion in the row where two targets part is what <unk> in place of a word does to the
# difference of log p.
printf 'a cat sees\tun chat voit\na cat sees\tun chien voit\n' >parting.tsv
contrast() { awk -F , '$3 == 1 && $6 != "</s>" { d[$5] += $1 == 1 ? $7 : -$7 } END { for (j in d) print j, d[j] }' | sort -n; }
"$softalign" attribute $model parting.tsv --method occlusion --tidy - --quiet | contrast >contrasted
for pair in "a cat sees" "zork cat sees" "a zork sees" "a cat zork"; do
    sed "s/^a cat sees/$pair/" parting.tsv | "$softalign" align $model - --tidy - --quiet |
        awk -F , '$3 == 1 && $5 == 0 { d += $1 == 1 ? log($11) : -log($11) } END { print d }'
done >differences
awk 'NR == FNR { d[FNR] = $1; next } { e = d[1] - d[FNR + 1] - $2; if (e * e > 1e-8) bad = 1; if ($2 * $2 > 1e-6) some++ }
    END { exit bad || !some || FNR != 3 }' differences contrasted ||
    fail "contrastive: $(paste differences contrasted)"

# Earlier target words are columns after those of the source; what follows a word has no part in it.
methods=gradient,input-x-gradient,integrated-gradients,occlusion
check_prefix() { # NAME MODEL
    "$softalign" attribute "$2" pairs.tsv --method gradient --csv "$1.alone" --quiet || fail "gradient of $1"
    "$softalign" attribute "$2" pairs.tsv --method $methods --target-prefix --csv "$1.prefix" --html "$1.html" --quiet ||
        fail "--target-prefix of $1"
    same "columns of $1" ",a,cat,sees,a,dog,.,</s>,un,chat,voit,un,chien,." "$(head -n 1 "$1.prefix/0001.csv")"
    diff "$1.alone/0001.csv" <(cut -d , -f 1-8 "$1.prefix/0001.csv") || fail "columns of the source of $1"
    tail -n +2 "$1.prefix/0001.csv" | awk -F , '{ for (j = 9; j <= NF; j++) if (($j > 0) != (j - 8 < NR)) exit 1 }' ||
        fail "words that follow, of $1"
    grep -q '"site":"prefix"' "$1.html" || fail "the page's axes, of $1"
}
check_prefix recurrent $model
expect 2 "--pharaoh excludes --target-prefix" \
    attribute $model pairs.tsv --method occlusion --target-prefix --pharaoh -
expect 2 "--target-prefix: --method attention covers source words only" attribute $model pairs.tsv --method attention --target-prefix

# Occlusion is the difference of two forward passes: a word that the model does not know is <unk>.
printf 'a zork sees a dog.\tun chat voit un chien.\n' >unknown.tsv
"$softalign" align $model unknown.tsv --jsonl unknown.json --quiet || fail "align of an unknown word"
log_p() { sed -n '1s/.*"log_probability": *\(-[0-9.e-]*\).*/\1/p' "$1"; }
awk -F , -v with="$(log_p aligned.json)" -v without="$(log_p unknown.json)" 'NR > 1 { sum += $3 }
    END { apart = sum - (with - without); exit !(NR == 8 && apart ^ 2 < 1e-8) }' occlusion/0001.csv ||
    fail "occlusion is not the difference of two passes"

# Integrated gradients share out log p(x) - log p(0); the note says how closely.
gap() { sed -n 's/.*miss up to \([0-9.e-]*\) % of.*/\1/p' err; }
for steps in 4 100; do
    "$softalign" attribute $model pairs.tsv --method integrated-gradients --steps $steps --csv steps$steps 2>err ||
        fail "integrated-gradients"
    gap >gap$steps
done
awk -v few="$(cat gap4)" -v many="$(cat gap100)" 'BEGIN { exit !(few > 0 && many > 0 && many < 1 && many <= few) }' ||
    fail "the gap with 4 and 100 steps: $(cat gap4 gap100)"

# Models without attention have the rest; layers are a Transformer's.
"$softalign" train --train pairs.tsv --out fixed --decoder fixed --embed 8 --hidden 8 --steps 1 --quiet || fail "train"
"$softalign" attribute fixed/best.safetensors pairs.tsv --method input-x-gradient,occlusion --csv fixed.csv --quiet ||
    fail "a model without attention"
expect 2 "the model has no attention: its decoder is 'fixed'" attribute fixed/best.safetensors pairs.tsv --method attention

expect 2 "method 'flow' was removed" attribute fixed/best.safetensors pairs.tsv --method flow
for options in "--model transformer" "--model decoder"; do
    "$softalign" train --train pairs.tsv --out deep --overwrite $options --embed 8 --attn 8 --ffn 8 --heads 2 --steps 3 \
        --quiet || fail "train $options"
    "$softalign" attribute deep/best.safetensors pairs.tsv --method rollout,norms,gradient,value-zeroing --csv deep.csv \
        --pharaoh deep.txt --tidy deep.tidy --quiet || fail "layers: $options"
    check_prefix "${options##* }" deep/best.safetensors
    numbers deep.csv/0001.csv | awk -F , -v most="$options" '{ sum = 0; for (j = 1; j <= NF; j++) sum += $j
        if (sum > 1.00001 || (most ~ /transformer/ && sum < 0.99999)) exit 1 }' || fail "rollout: $options"
    same "lines of links" 2 "$(wc -l <deep.txt)"
done
"$softalign" attribute deep/best.safetensors pairs.tsv --method attention --align-at input --csv input --quiet || fail "--align-at"
"$softalign" align deep/best.safetensors pairs.tsv --align-at input --csv read --quiet
diff -r input read || fail "--align-at input is not that of align"

# Refusals.
for attention in deltanet differential; do
    "$softalign" train --train pairs.tsv --out negative --overwrite --model decoder --attention $attention --embed 8 --attn 8 \
        --ffn 8 --heads 2 --steps 1 --quiet || fail "train --attention $attention"
    "$softalign" attribute negative/best.safetensors pairs.tsv --method rollout >out 2>err
    same "the code of a rollout of $attention" 2 $?
    grep -q "^softalign: --method rollout divides rows of weights by their sums, which must be positive: weights are" err ||
        fail "a rollout of $attention: $(cat err)"
done
layers="reads the layers of a Transformer or decoder-only model"
expect 2 "attribute: --method LIST is missing: softalign attribute MODEL PAIRS --method LIST" attribute $model pairs.tsv
expect 2 "--method norms $layers" attribute $model pairs.tsv --method gradient,norms
"$softalign" train --train pairs.tsv --out shaw --model decoder --positions shaw --embed 8 --attn 8 --ffn 8 --heads 2 --steps 1 \
    --quiet || fail "train --positions shaw"
expect 2 "--method norms reads sums of weighted values, which relative vectors would change" attribute shaw/best.safetensors pairs.tsv \
    --method norms
expect 2 "--layer and --align-at apply only to the methods attention and norms" attribute deep/best.safetensors pairs.tsv --method gradient --layer 1
expect 2 "--layer and --align-at apply only to the methods attention and norms" attribute deep/best.safetensors pairs.tsv --method rollout \
    --align-at input
expect 2 "--layer 8: the model has 4" attribute deep/best.safetensors pairs.tsv --method norms --layer 8
expect 2 "method 'adversarial' was removed" attribute $model pairs.tsv --method adversarial
expect 2 "--method gradient: named twice" attribute $model pairs.tsv --method gradient,gradient
expect 2 "unknown method ''" attribute $model pairs.tsv --method gradient,
expect 2 "unknown method 'gradiant' (did you mean 'gradient'?)" attribute $model pairs.tsv --method gradiant
finish
