# eval --diagnose: every illness in a model that was trained to have it, none in a healthy one.
. tests/support/cli.sh

train() { # FOLDER PAIRS OPTION...
    local out=$1 pairs=$2
    shift 2
    "$softalign" train --train "$pairs" --out "$out" --hidden 32 --embed 32 --attn 32 --maxout 32 \
        --shards 2 --lr 0.005 --epochs 0 --max-time 0 --patience 0 "$@" 2>err ||
        fail "train $*: $(cat err)"
}
diagnose() { # FOLDER PAIRS OPTION...: the names of all findings in `names`, the text in `out`
    local model=$1/best.safetensors
    shift
    expect 0 "" eval $model "$@" --diagnose
    names=$(sed -n 's/^\([A-Za-z ,-]*\): [0-9.]* (threshold [0-9.]*)$/\1/p' out)
}
shows() { # SIGN: five pairs, worst first; their source words receive too much weight (+) or too little
    sed -n "s/^    line [0-9]*: \([+-][0-9.]*\) words; '[^']*' receives weight \([0-9.]*\), with the reference \([0-9.]*\)\$/\1 \2 \3/p" out |
        awk -v sign="$1" '
            { words = sign == "+" ? +$1 : -$1; more = sign == "+" ? $2 - $3 : $3 - $2 }
            words <= 0 || more <= 0 || NR > 1 && words > last { bad = 1 }
            { last = words }
            END { exit bad || NR != 5 }' || fail "the pairs shown: $(cat out)"
}
finds() { # NAME...: these are among the findings
    for name in "$@"; do
        grep -qxF "$name" <<<"$names" || fail "'$name' not found: $(cat out)"
    done
}
lacks() {
    for name in "$@"; do
        grep -qxF "$name" <<<"$names" && fail "'$name' found: $(cat out)"
    done
}

"$softalign" corpus mono --pairs 2000 --seed 5 >mono.tsv
"$softalign" corpus mono --pairs 100 --seed 5 --split test >unseen.tsv
cut -f 1,2 unseen.tsv >plain.tsv

# Healthy.
train healthy mono.tsv --steps 500
grep -q 'may be wrong' err && fail "advice for the healthy: $(tail -n 3 err)"
diagnose healthy unseen.tsv --train mono.tsv
same "the healthy" "diagnosis: no problems found" "$(tail -n 1 out)"
same "findings" "" "$names"
expect 0 "" eval healthy/best.safetensors unseen.tsv --json
grep -q '"diagnosis": \[\]' out || fail "no empty list: $(cat out)"
expect 0 "" eval healthy/best.safetensors unseen.tsv
grep -q 'diagnosis' out && fail "a diagnosis that nobody asked for"
grep -qE '^attention: entropy [0-9.]+, coverage [0-9.]+ %, on </s> [0-9.]+ %, monotone [0-9.]+ %$' out ||
    fail "no attention: $(cat out)"
expect 2 "--train needs --diagnose" eval healthy/best.safetensors unseen.tsv --train mono.tsv

# Attention that has not begun, and one that never can.
train begun mono.tsv --init paper --steps 3 --valid plain.tsv
same "the advice" "what may be wrong: softalign eval begun/best.safetensors plain.tsv --diagnose" "$(grep '^what may' err)"
diagnose begun unseen.tsv
finds "uniform attention"
train chosen mono.tsv --attention uniform --steps 3
diagnose chosen unseen.tsv
finds "uniform attention by choice"
lacks "uniform attention"
train fixed mono.tsv --decoder fixed --steps 3
diagnose fixed unseen.tsv
grep -q '^diagnosis: the model has no attention by design' out || fail "a fixed vector: $(cat out)"
lacks "uniform attention" "uniform attention by choice" "stuck on EOS" "off by one"

# What counts is the last key, and only the annotation of EOS knows that no other follows.
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { n = 5 + int(4 * rand()); source = "k0"; k = 0
        for (j = 0; j < n; j++)
            if (rand() < 0.5) source = source " x"
            else { k = int(6 * rand()); source = source " k" k }
        print source "\t" "n" k, "a" k, "b" k, "c" k, "d" k } }' >last.tsv
head -n 50 last.tsv >last.test.tsv
train end last.tsv --encoder uni --steps 300
diagnose end last.test.tsv
finds "stuck on EOS"

# Only the first word matters.
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { k = int(12 * rand()); source = "k" k
        for (j = 0; j < 5; j++) source = source " x" int(9 * rand())
        print source "\t" "n" k, "a" k, "b" k, "c" k, "d" k } }' >keys.tsv
head -n 50 keys.tsv >keys.test.tsv
train column keys.tsv --encoder none --steps 300
diagnose column keys.test.tsv
finds "one word takes all"

# Every target word translates the source word before the one that the gold links name.
awk 'BEGIN { srand(1); OFS = "\t"; for (i = 0; i < 2000; i++) { n = 5 + int(4 * rand())
        source = links = ""; target = "start"
        for (j = 0; j < n; j++) {
            w = int(20 * rand()); source = source " s" w; links = links " " j "-" j
            if (j < n - 1) target = target " t" w }
        print source, target, links } }' >late.tsv
head -n 50 late.tsv >late.test.tsv
train late late.tsv --encoder none --positions sinusoidal --steps 500
diagnose late late.test.tsv
finds "off by one"

# Without gold links: the words stay as they are, so it is known where to look.
awk 'BEGIN { srand(1); for (i = 0; i < 2000; i++) { source = "w" int(20 * rand())
        for (j = 0; j < 5; j++) source = source " w" int(20 * rand())
        print source "\t" source (i ? "" : " w0") } }' >same.tsv
head -n 50 same.tsv >same.test.tsv
train same same.tsv --encoder none --positions sinusoidal --steps 400
diagnose same same.test.tsv
same "findings in equal words" "" "$names"
diagnose same same.test.tsv --force-attention shift:1
finds "off by one, by identical tokens"

# Targets in which every word stands twice, and half targets.
awk -F '\t' '{ n = split($2, word, " "); line = ""
    for (i = 1; i <= n; i++) line = line word[i] " " word[i] " "; print $1 "\t" line }' mono.tsv >twice.tsv
train twice twice.tsv --steps 200
diagnose twice plain.tsv
finds "over-translation"
lacks "under-translation"
shows +
awk -F '\t' '{ n = split($2, word, " "); line = ""
    for (i = 1; i <= n / 2; i++) line = line word[i] " "; print $1 "\t" line }' mono.tsv >half.tsv
train half half.tsv --steps 200
diagnose half plain.tsv
finds "under-translation"
shows -

# A vocabulary of ten words.
train few mono.tsv --vocab 10 --steps 3
diagnose few unseen.tsv
finds "source vocabulary too small" "target vocabulary too small"

# Pairs from the training text; their sources with other targets.
head -n 50 mono.tsv >seen.tsv
diagnose healthy seen.tsv --train mono.tsv
same "findings" "sources seen in training
pairs seen in training" "$names"
paste <(cut -f 1 seen.tsv) <(tail -n 50 mono.tsv | cut -f 2) >others.tsv
diagnose healthy others.tsv --train mono.tsv
finds "sources seen in training"
lacks "pairs seen in training"
expect 0 "" eval healthy/best.safetensors others.tsv --train mono.tsv --json
grep -q '"name": "sources seen in training"' out || fail "no such finding in JSON: $(cat out)"
expect 4 "cannot open 'nothing.tsv': No such file or directory" \
    eval healthy/best.safetensors unseen.tsv --diagnose --train nothing.tsv
finish
