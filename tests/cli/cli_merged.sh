# Merged attention on the command line: both groups of weights, the source's share, the same translations with and
# without a cache's batch, and what it refuses.
. tests/support/cli.sh
need python3
"$softalign" corpus reorder --pairs 80 >pairs.tsv
cut -f 1 pairs.tsv | head -n 6 >source.txt
small="--model transformer --merged --embed 8 --attn 8 --ffn 12 --heads 2 --layers 2"
"$softalign" train --train pairs.tsv --out merged $small --steps 20 --max-time 0 --guided-alignment 0.5 >out 2>err ||
    fail "train: $(cat err)"
model=merged/best.safetensors

# ---- What it shows -----------------------------------------------------------------------------------

for site in cross decoder; do
    "$softalign" align $model pairs.tsv --limit 3 --site $site --layer 2 --head 1 --csv $site >out 2>err || fail "align: $(cat err)"
done
"$softalign" explain $model "$(sed -n 1p source.txt)" "$(cut -f 2 pairs.tsv | sed -n 1p)" --layer 2 --site cross --step 2 --json >explained ||
    fail explain
python3 - <<'END' || fail "the weights of both sides"
import csv, glob, json


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        head, *rest = csv.reader(file)
    return head[1:], [[float(x) for x in row[1:]] for row in rest]


paths = sorted(glob.glob("cross/*.csv"))
assert len(paths) == 3, paths
for path in paths:
    source, read = rows(path), rows(path.replace("cross", "decoder"))
    assert source[0][-1] == "</s>" and read[0][0] == "<s>", (source[0], read[0])
    for t, both in enumerate(zip(source[1], read[1], strict=True)):
        share = sum(both[0])
        assert 0 < share < 1 and abs(share + sum(both[1]) - 1) < 2e-5 * len(both[0] + both[1]), (path, t, share)
        assert not any(both[1][t + 1:])
explained = json.load(open("explained", encoding="utf-8"))
g = explained["heads"][0]["g"]
assert abs(g - sum(rows(paths[0])[1][1])) < 1e-4, g
END
"$softalign" explain $model "$(sed -n 1p source.txt)" --layer 1 --site decoder --step 1 >out || fail "explain"
grep -q "Merged attention" out && grep -q "g_i = sum_j alpha_ij, j <= S" out && grep -q "j <= S + i" out || fail "explain: $(cat out)"
for command in "prove $model pairs.tsv --limit 4" "eval $model pairs.tsv --heads" "attribute $model pairs.tsv --limit 2 --method norms,occlusion"; do
    # shellcheck disable=SC2086
    "$softalign" $command >out 2>err || fail "$command: $(cat out err)"
done

# ---- The same translations ---------------------------------------------------------------------------

"$softalign" translate $model source.txt --beam 3 >once || fail translate
"$softalign" translate $model source.txt --beam 3 --batch 1 --threads 1 >alone || fail translate
cmp -s once alone || fail "another batch, other translations"

# ---- Refusals ----------------------------------------------------------------------------------------

expect 2 "--merged makes one of a decoder's two attentions: it needs --model transformer" gradcheck --merged
expect 2 "--merged makes one of a decoder's two attentions: it needs --model transformer" \
    gradcheck --model decoder --tie three-way --merged
# shellcheck disable=SC2086
while IFS='|' read -r option message; do expect 2 "$message" gradcheck $small $option; done <<'END'
--positions rope|--positions rope measures distances in one sentence, and --merged attends to two
--window sliding|--window sliding is a part of one sentence, and --merged attends to two
--attention deltanet|--merged weighs the words of two sentences against each other, and --attention deltanet weighs places, reads a memory or takes a difference
--normalizer sigmoid|--merged divides a weight of 1 among the words of two sentences, and --normalizer sigmoid looks at one word or one sentence
END
expect 2 "--method rollout: --merged attends to both sides at once" attribute $model pairs.tsv --method rollout
expect 2 "--force-attention replaces the weights of cross-attention, which a decoder-only model has none of, like one that merges it with self-attention" \
    translate $model source.txt --force-attention uniform
finish
