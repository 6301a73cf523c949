# The HTML report in a real browser: it opens from the disk in silence, does what it says by mouse
# and by keyboard, and shows the numbers of the CSV files.
. tests/support/cli.sh
. "$root/tests/support/report.sh"

"$softalign" corpus mono --pairs 200 >mono.tsv
"$softalign" corpus mono --pairs 200 --split test >unseen.tsv
head -n 2 unseen.tsv >probe.tsv
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --shards 2 --patience 0 --epochs 0 --max-time 0"

# matrices FOLDER PAIRS: of the models of a comparison that have attention, in FOLDER/matrices/MODEL
matrices() {
    local run
    mkdir "$1/matrices"
    for run in "$1"/*-s1; do
        "$softalign" align "$run/best.safetensors" "$2" --csv "$1/matrices/$(basename "$run" -s1)" 2>err ||
            grep -q 'no attention' err || fail "align $run: $(cat err)"
    done
}

# ---- Eight models, 200 sentences, 50 frames

models="bahdanau:additive luong:general bahdanau:dot bahdanau:general luong:concat luong:dot luong:general:4 transformer"
"$softalign" compare --train mono.tsv --test unseen.tsv --models "$(echo $models | tr ' ' ,)" $sizes \
    --steps 50 --valid probe.tsv --valid-every 1 --snapshots probe.tsv --out compared --html compared.html \
    >out 2>err || fail "compare: $(tail -n 1 err)"
"$softalign" align compared/luong-general-4-s1/best.safetensors unseen.tsv --limit 3 --head 2 --csv head2
"$softalign" align compared/transformer-s1/best.safetensors unseen.tsv --limit 3 --layer 1 --csv layer1
matrices compared unseen.tsv
report whole compared.html compared unseen.tsv transformer luong:general:4 $models

# ---- Sentences that are too many, or too long

"$softalign" corpus mono --pairs 201 --split test >more.tsv
"$softalign" align compared/transformer-s1/best.safetensors more.tsv --html more.html
grep -q '"sentences shown","200 of 201"' more.html || fail "201 sentences are shown without a word"
for i in $(seq 1200); do echo -n "word "; done >long.txt
paste long.txt long.txt >long.tsv
"$softalign" align compared/bahdanau-dot-s1/best.safetensors long.tsv --max-len 3000 --html long.html
grep -q '"sentences shown","0 of 1"' long.html || fail "a page of $(wc -c <long.html) bytes"
report opens long.html settings

# ---- What the other commands write

"$softalign" train --train mono.tsv $sizes --steps 5 --snapshots probe.tsv --out tiny --html train.html \
    >out 2>err || fail "train: $(tail -n 1 err)"
report opens train.html films viewer curves gazes settings files
"$softalign" film tiny --html film.html && report opens film.html films
"$softalign" train --train mono.tsv $sizes --decoder fixed --steps 5 --out fixed --html fixed.html 2>err &&
    report opens fixed.html curves settings files

printf 'الكلب يرى القطة\tthe dog sees the cat\n' >arabic.tsv
"$softalign" align tiny/best.safetensors arabic.tsv --html arabic.html && report leftward arabic.html

# ---- The detail beside a matrix

"$softalign" corpus reorder --pairs 300 >reorder.tsv
"$softalign" corpus reorder --pairs 12 --split test >moved.tsv
"$softalign" train --model transformer --layers 2 --heads 2 --train reorder.tsv --embed 16 --attn 16 --ffn 32 --steps 60 --shards 2 --out heads 2>err ||
    fail "train: $(tail -n 1 err)"
"$softalign" align "$PWD/heads/best.safetensors" moved.tsv --html detail.html --all-heads heads.npy --jsonl moved.jsonl
report detail detail.html heads.npy moved.jsonl moved.tsv
"$softalign" attribute "$PWD/heads/best.safetensors" moved.tsv --method attention,occlusion,rollout --html methods.html --quiet
report attributions methods.html attention occlusion rollout
shown=$("$softalign" inspect heads/best.safetensors | grep -E '^  (decoder|encoder|cell|reverse-source|hidden) ' | xargs)
same "settings of a Transformer that it does not have" "" "$shown"
printf 'كل@@ الكلاب every@@\tevery@@ wwwwww@@ @@@@@@@@\n' >subwords.tsv
for i in 1 2 3 4; do cat subwords.tsv; done >four.tsv
"$softalign" train --train four.tsv --tokenizer space --min-freq 1 --steps 2 --epochs 0 --out cut 2>err || fail "train: $(tail -n 1 err)"
"$softalign" align cut/best.safetensors subwords.tsv --html cut.html && report labels cut.html rtl
"$softalign" align tiny/best.safetensors probe.tsv --html ltr.html && report labels ltr.html ltr

# ---- Words as points

printf 'the king finds the horse\t-\nking\t-\nthe horse finds the king\t-\n' >kings.tsv
"$softalign" annotations heads/best.safetensors kings.tsv --html words.html || fail "annotations --html"
report opens words.html annotations files
"$softalign" annotations compared/transformer-s1/best.safetensors kings.tsv --nearest king --html kings.html >out
for layer in 0 1 2; do "$softalign" annotations compared/transformer-s1/best.safetensors kings.tsv --layer $layer --format jsonl; done | grep '"king"' >kings.jsonl
report scatter kings.html kings.jsonl

# ---- The logit lens

"$softalign" explain heads/best.safetensors "the sad cat finds a dog." "the cat sad a dog finds." --lens --html lens.html >lens.txt || fail "explain --lens"
report opens lens.html lens settings
report lens lens.html lens.txt 'the sad cat finds a dog.'

# ---- Title, notes, and what a page opens at

printf '# My "lesson" </title>\n\nSee *this* and `that` <b>.\n\nQuestion: why?\nAnswer: because <i>of</i>\nthat.\n' >notes.md
printf "\nExercise: do it.\n\nSolution: so.\n\n\`\`\`\necho '<b>'  # a line\n\`\`\`\n\n[the next one](../next/page.html)\n" >>notes.md
expect_page() { # FIGURE SECTION COMMAND...
    local figure=$1 section=$2
    shift 2
    "$softalign" "$@" --html noted.html --notes notes.md --open-at "figure=$figure" >out 2>err ||
        fail "$1 with notes: $(tail -n 1 err)"
    report lesson noted.html 'My "lesson" </title>' "$section"
}
expect_page film films film tiny
for figure in lengths bars; do
    expect_page $figure $figure compare --train mono.tsv --test probe.tsv --out two --models fixed,bahdanau:additive,transformer \
        $sizes --steps 5
done
printf '[2017](../papers/paper-2017.html)\n' | cat notes.md - >annotated.md
"$softalign" compare --train mono.tsv --test unseen.tsv --out two --models fixed,bahdanau:additive,transformer $sizes --steps 5 \
    --html history.html --notes annotated.md >out 2>err || fail "compare: $(tail -n 1 err)"
matrices two unseen.tsv
report history history.html two fixed bahdanau:additive transformer
"$softalign" align "$PWD/compared/transformer-s1/best.safetensors" "$PWD/unseen.tsv" --html placed.html \
    --open-at figure=attention,sentence=2,layer=2,head=3,word=2
report place placed.html
grep -q '"title":"Attention of transformer-s1/best on 200 sentences"' placed.html || fail "the title of a page"
for page in placed.html train.html compared.html; do
    ! grep -qF "$PWD" $page || fail "$page names a folder of this disk"
done
"$softalign" align tiny/best.safetensors unseen.tsv --limit 1 --html titled.html --title 'A <b>title</b>'
grep -qF '"title":"A \u003cb\u003etitle\u003c/b\u003e"' titled.html || fail "--title"

for case in "figure=nothing: expected table, bars, lengths, curves, film or attention" \
    "sentence=x: expected a number from 1"; do
    expect 2 "--open-at $case" align tiny/best.safetensors unseen.tsv --limit 3 --html other.html --open-at "${case%%:*}"
done
expect 2 "--open-at 'where': expected figure, sentence, word, layer, head, update or column" \
    align tiny/best.safetensors unseen.tsv --html other.html --open-at where=1
expect 2 "--open-at 'sentence': expected NAME=VALUE" align tiny/best.safetensors unseen.tsv --html other.html --open-at sentence
expect 2 "--title, --notes and --open-at need --html FILE" align tiny/best.safetensors unseen.tsv --notes notes.md
expect 4 "cannot open 'missing.md': No such file or directory" align tiny/best.safetensors unseen.tsv --html other.html --notes missing.md
expect 2 "'notes.md' is an input: choose another output" align tiny/best.safetensors unseen.tsv --html notes.md --notes notes.md
while IFS='|' read -r text message; do
    printf "$text" >bad.md
    expect 3 "$message" align tiny/best.safetensors unseen.tsv --html other.html --notes bad.md
done <<'TEXT'
see\n\nAnswer: x|bad.md:3: an answer without a question
[x](javascript:alert(1))|bad.md:1: a link must lead to a file next to the page or to https://
# a\n# b|bad.md:2: notes have one heading, '# TITLE'
```\ncode|bad.md:2: ``` begins code that does not end
\377|bad.md:1: not UTF-8 at byte 1: 0xFF (perhaps an 8-bit code like Latin-1)
TEXT
[ ! -e other.html ] || fail "a refused page was written"

# ---- Tables of numbers and gradients as pages

printf ',a,b\nq,1,0\nr,0,1\n' >query.csv
printf '1000\n2000\n' >values.csv
"$softalign" attend --query query.csv --keys query.csv --values values.csv --attention raw-dot --html attend.html >out &&
    report opens attend.html viewer steps gazes files
grep -q '"r \\u2192 1731.06"' attend.html || fail "the answers of attend's page"
printf '%s\n' 0 1 2 >places.csv
printf '%s\n' 1 -1 >two.csv
"$softalign" attend --attention gaussian --bandwidth 1 --degree 1 --query two.csv --keys places.csv --values places.csv \
    --html regression.html >out && report opens regression.html regression viewer steps gazes files &&
    report regression regression.html
"$softalign" gradcheck --break attention.query --html gradients.html --embed 2 --hidden 2 --attn 2 --maxout 2 >out 2>err
[ $? -eq 1 ] && report opens gradients.html bars || fail "gradcheck: $(tail -n 1 err)"

# ---- What it does not overwrite

expect 2 "'mono.tsv' is an input: choose another output" \
    train --train mono.tsv --out other --html mono.tsv
expect 2 "'unseen.tsv' is an input: choose another output" \
    compare --train mono.tsv --test unseen.tsv --models fixed --out other --html unseen.tsv
expect 2 "compare: only one result can go to standard output" \
    compare --train mono.tsv --test unseen.tsv --models fixed --out other --html -
[ ! -e other ] || fail "a refused command left a folder"

finish_report
