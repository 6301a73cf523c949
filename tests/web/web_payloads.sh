# Markup, formulas and escape sequences in a corpus stay text on every page of a report.
. tests/support/cli.sh
. "$root/tests/support/report.sh"

payload_pairs >bad.tsv
evil='<img src=x onerror=pwned=1>'
"$softalign" train --train bad.tsv --tokenizer space --min-freq 1 --steps 2 --out "$evil" \
    --snapshots bad.tsv --html trained.html 2>err || fail "train with payloads: $(tail -n 1 err)"
"$softalign" align "$evil/best.safetensors" bad.tsv --html bad.html --jsonl bad.jsonl ||
    fail "align with payloads"
"$softalign" film "$evil" --html filmed.html || fail "film with payloads"
report safe bad.html bad.jsonl
report safe trained.html bad.jsonl
report safe filmed.html bad.jsonl
cp bad.tsv "$evil.tsv"
"$softalign" compare --train "$evil.tsv" --test "$evil.tsv" --tokenizer space --min-freq 1 --steps 2 --epochs 0 \
    --models bahdanau:additive:encoder=none:positions=learned,luong:dot:2 --snapshots bad.tsv --out "$evil.compared" --html compared-bad.html \
    >out 2>err || fail "compare with payloads: $(tail -n 1 err)"
report safe compared-bad.html bad.jsonl
"$softalign" train --model transformer --train bad.tsv --tokenizer space --min-freq 1 --embed 8 --attn 8 --ffn 8 --steps 2 --out "$evil.lens" 2>err &&
    "$softalign" explain "$evil.lens/best.safetensors" "$(cut -f 1 bad.tsv | head -n 1)" "$(cut -f 2 bad.tsv | head -n 1)" --lens --html lens-bad.html >out || fail "lens with payloads"
report safe lens-bad.html bad.jsonl

finish_report
