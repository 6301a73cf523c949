# Films: frames are the matrices that align writes, one before the first update and one at every
# validation, and the film belongs to its training whatever interrupted it.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 200 >mono.tsv
"$softalign" corpus mono --pairs 3 --split test >probe.tsv
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --shards 2 --patience 0 --epochs 0 --max-time 0"

train() {
    "$softalign" train --train mono.tsv $sizes "$@" >out 2>err || fail "train $*: $(cat err)"
}

# The captions of a page's frames, a line each.
captions() {
    grep -o '"captions":\[[^]]*\]' "$1" | sed 's/.*\["//; s/"\]$//; s/","/\n/g'
}

train --snapshots probe.tsv --valid-every 10 --steps 35 --out whole
same "scenes" "0001 0002 0003" "$(ls whole/film | xargs)"
for scene in 0001 0002 0003; do
    same "frames" "00000000.csv 00000010.csv 00000020.csv 00000030.csv 00000035.csv" \
        "$(ls whole/film/$scene | xargs)"
    cp whole/film/$scene/00000035.csv $scene.csv
done
"$softalign" align whole/last.safetensors probe.tsv --csv last
for scene in 0001 0002 0003; do
    cmp $scene.csv last/$scene.csv || fail "the last frame is not what align writes"
done
awk -F , 'NR > 1 { for (i = 2; i <= NF; i++) if ($i > 2 / (NF - 1)) exit 1 }' \
    whole/film/0001/00000000.csv || fail "the film does not start from nearly equal weights"

# Of several heads each has its frames.
train --snapshots probe.tsv --valid-every 10 --steps 20 --heads 2 --out headed
"$softalign" align headed/last.safetensors probe.tsv --csv mean
for head in 1 2; do
    same "frames of a head" "00000000.csv 00000010.csv 00000020.csv" \
        "$(ls headed/film/0003/head-$head | xargs)"
    "$softalign" align headed/last.safetensors probe.tsv --head $head --csv head-$head
    cmp headed/film/0003/head-$head/00000020.csv head-$head/0003.csv ||
        fail "the last frame of head $head is not what align writes"
done
cmp headed/film/0003/00000020.csv mean/0003.csv || fail "the last frame is not the mean of the heads"
"$softalign" film headed --html heads.html || fail "film of heads"
same "frames of heads" 3 "$(captions heads.html | wc -l)"
grep -q '"heads":2,"steps":\[0,10,20\]' heads.html || fail "the page of a film lacks its heads"
rm headed/film/0001/head-2/00000010.csv
expect 4 "cannot open 'headed/film/0001/head-2/00000010.csv': No such file or directory" film headed
train --snapshots probe.tsv --valid-every 10 --steps 20 --out headed --overwrite
same "what is left of the frames of heads" "" "$(find headed/film -name 'head-*')"

# ---- It stays that of its training

train --snapshots probe.tsv --valid-every 10 --steps 17 --out parts
same "a stop shows in the film" "00000000.csv 00000010.csv 00000017.csv" \
    "$(ls parts/film/0001 | xargs)"
cp parts/film/0001/00000010.csv parts/film/0001/00000040.csv
train --resume --snapshots probe.tsv --steps 35 --out parts
diff -r whole/film parts/film || fail "a resumed training makes another film"
cmp whole/last.safetensors parts/last.safetensors || fail "filming changes the training"
echo mine >parts/film/0002/note.txt
train --steps 5 --out parts --overwrite
same "what a training without a film leaves of an older one" "parts/film parts/film/0002 parts/film/0002/note.txt" \
    "$(find parts/film | sort | xargs)"
# An overwritten training stays, film included, until the new one writes its first file; then it
# goes as a whole.
train --snapshots probe.tsv --valid-every 10 --steps 10 --out old
before=$(find old -type f ! -name .lock | sort | xargs cksum)
"$softalign" train --train mono.tsv $sizes --optimizer sgd --lr 1e9 --clip 0 --steps 9 --overwrite --out old 2>err
same "a training that diverges before its first save" 8 $?
same "what it leaves of the old one" "$before" "$(find old -type f ! -name .lock | sort | xargs cksum)"
(ulimit -f 4 && "$softalign" train --train mono.tsv $sizes --seed 2 --steps 9 --valid-every 9 --snapshots probe.tsv --out old \
    --overwrite) 2>err && fail "a model larger than the limit of a file is saved"
same "models beside a new film" "" "$(find old -name '*.safetensors' -o -name log.csv)"
expect 4 "cannot open 'old/last.safetensors': No such file or directory" train --train mono.tsv --out old --resume
expect 2 "--snapshots: the model has no attention to record" \
    train --train mono.tsv --decoder fixed --snapshots probe.tsv --out never
[ ! -e never ] || fail "a refused training left a folder"

"$softalign" compare --train mono.tsv --test probe.tsv --models fixed,luong:dot $sizes --steps 20 \
    --valid-every 10 --snapshots probe.tsv --out both >out 2>err || fail "compare: $(cat err)"
same "films of a comparison" "both/luong-dot-s1/film" "$(ls -d both/*/film)"
"$softalign" film both/luong-dot-s1 2>err || fail "film of a run: $(cat err)"
same "frames of a run" 3 "$(captions both/luong-dot-s1/film.html | wc -l)"

# ---- Playing

"$softalign" film whole >out 2>err || fail "film: $(cat err)"
same "what film says" "wrote whole/film.html" "$(cat out err)"
same "frames played" '"steps":[0,10,20,30,35]' "$(grep -o '"steps":\[0[^]]*\]' whole/film.html)"
same "captions" "before the first update|update 10: validation loss $(awk -F , '$2 == 10 { printf "%.3f, BLEU %.2f", $10, $12 }' whole/log.csv)" \
    "$(captions whole/film.html | sed 2q | paste -sd '|')"
"$softalign" film whole --html - >page.html 2>err || fail "film --html -"
same "where else the page goes" "$(cksum <whole/film.html)" "$(cksum <page.html)"

# Any frame is a matrix that align draws.
"$softalign" align --matrix whole/film/0002/00000020.csv --svg still 2>err && [ -s still/0001.svg ] || fail "a frame as a picture: $(cat err)"

# ---- What is no film

mkdir empty
expect 4 "'empty' has no film: 'train --snapshots PAIRS' records one" film empty
expect 2 "film: there is no '--png': 'align --matrix DIR/film/0001/00000010.csv --png FOLDER' draws a frame" film whole --png stills
expect 2 "film: unknown option '--svg'" film whole --svg moving
sed -i '1s/,</,x</' whole/film/0002/00000020.csv
expect 3 "whole/film/0002/00000020.csv: its tokens differ from those of 'whole/film/0002/00000000.csv'" film whole
echo ",a" >whole/film/0002/00000020.csv
"$softalign" film whole >out 2>err
same "a damaged frame" 3 $?
grep -q "whole/film/0002/00000020.csv: no numbers" err || fail "a damaged frame: $(cat err)"
finish
