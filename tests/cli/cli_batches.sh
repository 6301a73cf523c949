# translate with a beam: batches of 1, 7 and 64 sentences give the same texts and scores.
. tests/support/cli.sh

# all_batches MODEL FILE LINES: the n best of every sentence at each size of a batch.
all_batches() {
    for batch in 1 7 64; do
        "$softalign" translate "$1" "$2" --beam 4 --nbest 2 --batch $batch >batch.$batch 2>err ||
            fail "batches of $batch: $(cat err)"
    done
    same "lines of $2" "$3" "$(wc -l <batch.1)"
    for batch in 7 64; do
        paste -d '\n' batch.1 batch.$batch | awk -F ' [|][|][|] ' '
            { sub("logp= ", "", $3) }
            NR % 2 { place = $1; text = $2; log_p = $3; score = $4; next }
            function differ(x, y) { return (x - y) ^ 2 > (1e-5 * x) ^ 2 + 1e-12 }
            $1 != place || $2 != text || differ(log_p, $3) || differ(score, $4) {
                print place ": " text " " log_p " " score " / " $0; bad++ }
            END { exit bad > 0 }' >differences ||
            fail "$2: batches of 1 and $batch differ: $(head -n 3 differences)"
    done
}

"$softalign" corpus reorder --pairs 1000 >toy.tsv
"$softalign" corpus reorder --pairs 300 --split test | cut -f 1 >toy.txt
"$softalign" train --train toy.tsv --out toy --hidden 32 --steps 150 --shards 2 2>err || fail "train: $(cat err)"
all_batches toy/best.safetensors toy.txt 600

tatoeba=$root/../shared/data/tatoeba/eng-fra.2019-04-07.tsv.gz
if [ -r "$tatoeba" ]; then
    gzip -dc "$tatoeba" | cut -f 1,2 | awk 'NR > 1 && NR % 20 == 0' >pairs.tsv
    awk 'NR % 8 == 0' pairs.tsv | head -n 1000 | cut -f 1 >tatoeba.txt
    "$softalign" train --train pairs.tsv --out tatoeba --hidden 64 --vocab 1000 --steps 150 --shards 2 \
        --valid-every 150 2>err || fail "train: $(cat err)"
    all_batches tatoeba/best.safetensors tatoeba.txt 2000
else
    echo "skipped: no $tatoeba"
fi
finish
