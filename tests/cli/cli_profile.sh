# train --profile: every part has its line, the parts make up the updates, and no bit changes.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 400 >mono.tsv
options="--train mono.tsv --embed 16 --hidden 32 --attn 16 --maxout 16 --steps 400 --shards 2"
"$softalign" train $options --threads 2 --out plain 2>plain.err || fail "train: $(cat plain.err)"
grep -qE 'encoder forward|updates:' plain.err && fail "a profile that nobody asked for"

for decoder in bahdanau luong fixed; do
    for threads in 1 2; do
        "$softalign" train $options --decoder $decoder --threads $threads --profile --out profiled \
            $([ $decoder = luong ] && echo --input-feeding) 2>err || fail "train: $(cat err)"
        for part in 'building the batch' 'encoder forward' 'decoder forward' \
            'read-out and loss, forward and backward' 'decoder backward' 'encoder backward' \
            'adding up the gradients' 'clip and optimizer'; do
            grep -qE "^$part +[0-9.]*[1-9][0-9]* s +[0-9.]+ %$" err ||
                fail "$decoder, $threads threads: no time in '$part': $(cat err)"
        done
        awk -v threads=$threads '
            / s +[0-9.]+ %$/ { sum += $(NF - 3); if ($(NF - 3) < -0.0005) bad = 1 }
            /^updates: / { updates = threads * $2 }
            END { exit !(!bad && sum > 0.8 * updates && sum < updates + 0.006) }' err ||
            fail "$decoder, $threads threads: the parts are not the whole: $(cat err)"
        [ $decoder = bahdanau ] && { cmp -s plain/last.safetensors profiled/last.safetensors ||
            fail "$threads threads: measuring changes the model"; }
        rm -r profiled
    done
done
finish
