# Films: frames are the matrices that align writes, one before the first update and one at every
# validation, and the film belongs to its training whatever interrupted it.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 200 >mono.tsv
"$softalign" corpus mono --pairs 3 --split test >probe.tsv
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --shards 2 --patience 0 --epochs 0 --max-time 0"

train() {
    "$softalign" train --train mono.tsv $sizes "$@" >out 2>err || fail "train $*: $(cat err)"
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
"$softalign" align headed/last.safetensors probe.tsv --head 2 --limit 1 --terminal >terminal
"$softalign" film headed --pair 1 --head 2 | awk '/^update 20/ { here = 1; getline; next } here' | cmp - terminal ||
    fail "the last frame of head 2 is not align's picture"
"$softalign" film headed --svg heads && "$softalign" film headed --head max --svg most || fail "film of heads"
same "matrices" "2 0" "$(grep -c '>head [12]<' heads/0001.svg) $(grep -c '>head ' most/0001.svg)"
expect 2 "--head 3: the model has 2" film headed --head 3
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
"$softalign" film both/luong-dot-s1 >out
same "frames of a run" 9 "$(grep -c '^update\|^before' out)"

# ---- Playing

"$softalign" film whole >out 2>err || fail "film: $(cat err)"
same "frames played" 15 "$(grep -c '^update\|^before' out)"
same "captions" "before the first update|update 10: validation loss $(awk -F , '$2 == 10 { printf "%.3f, BLEU %.2f", $10, $12 }' whole/log.csv)" \
    "$(grep '^update\|^before' out | sed 2q | paste -sd '|')"
grep -q $'\x1b' out && fail "escapes in a pipe"
"$softalign" film whole --pair 2 >out
same "frames of one pair" 5 "$(grep -c '^update\|^before' out)"
"$softalign" align whole/last.safetensors probe.tsv --terminal >terminal
"$softalign" film whole --pair 1 | awk '/^update 35/ { here = 1; getline; next } here' >played
head -n "$(wc -l <played)" terminal | cmp - played || fail "the last frame is not align's picture"

"$softalign" film whole --svg moving --speed 2 --colormap ink || fail "film --svg"
same "pictures" "0001.svg 0002.svg 0003.svg" "$(ls moving | xargs)"
[ -s out ] || fail "nothing played"
if command -v python3 >/dev/null; then
    python3 - <<'END' || fail "a moving picture"
import csv, xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse("moving/0001.svg").getroot()
frames = [list(csv.reader(open(f"whole/film/0001/000000{step}.csv")))
          for step in ("00", "10", "20", "30", "35")]
changes = lambda shape: shape.find(svg + "animate")
cells = list(root.iter(svg + "rect"))[1:][:(len(frames[0]) - 1) * (len(frames[0][0]) - 1)]
assert any(changes(cell) is not None for cell in cells)
still = lambda cell: [cell.get("fill")] * (5 + 8)
shades = [still(r) if changes(r) is None else changes(r).get("values").split(";") for r in cells]
weights = [[float(x) for row in frame[1:] for x in row[1:]] for frame in frames]
for i, shade in enumerate(shades):  # in ink a weight of 1 is black
    seen = [255 - int(color[1:3], 16) for color in shade]
    assert all(abs(seen[k] - 255 * weights[min(k, 4)][i]) <= 0.501 for k in range(len(seen)))
    assert len(seen) == 5 + 8 and cells[i].get("fill") == shade[-1]
    assert changes(cells[i]) is None or changes(cells[i]).get("dur") == "6.5s"
captions = [t for t in root.iter(svg + "text") if changes(t) is not None]
assert [t.get("visibility") for t in captions] == ["hidden"] * 4 + [None]
for k, text in enumerate(captions):
    shown = changes(text).get("values").split(";")
    assert shown == ["visible" if min(i, 4) == k else "hidden" for i in range(13)]
END
fi

# A picture of each frame, all equally large, the last as the moving picture ends.
if "$softalign" film whole --pair 2 --png stills --pdf stills --colormap ink >played 2>err; then
    [ -s played ] && fail "stills are played, too"
    same "stills" "0002 $(seq -s ' ' -f '%04g.pdf' 5) $(seq -s ' ' -f '%04g.png' 5)" \
        "$(ls stills) $(ls stills/0002/*.pdf | xargs -n 1 basename | xargs) $(ls stills/0002/*.png | xargs -n 1 basename | xargs)"
    size() { head -c 24 "$1" | tail -c 8 | od -An -tx1 | tr -d ' '; }
    for still in stills/0002/*.png; do
        same "size of $still" "$(size stills/0002/0005.png)" "$(size "$still")"
    done
    same "width of a still" $((2 * $(sed -n 's/^<svg.* width="\([0-9]*\)".*/\1/p' moving/0002.svg))) \
        $((16#$(size stills/0002/0001.png | cut -c 1-8)))
    cmp -s stills/0002/0001.png stills/0002/0005.png && fail "nothing moves"
else
    same "the message" 1 "$(grep -c 'built without pangocairo' err)"
fi

# ---- What is no film

mkdir empty
expect 4 "'empty' has no film: 'train --snapshots PAIRS' records one" film empty
expect 2 "--pair 4: the film has 3" film whole --pair 4
expect 2 "--speed '0': expected a number from 0.1 to 60" film whole --speed 0
expect 2 "--head 'all': expected a number, mean or max" film whole --head all
sed -i '1s/,</,x</' whole/film/0002/00000020.csv
expect 3 "whole/film/0002/00000020.csv: its tokens differ from those of 'whole/film/0002/00000000.csv'" film whole
echo ",a" >whole/film/0002/00000020.csv
"$softalign" film whole >out 2>err
same "a damaged frame" 3 $?
grep -q "whole/film/0002/00000020.csv: no numbers" err || fail "a damaged frame: $(cat err)"
finish
