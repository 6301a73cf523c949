# The npm package, installed from its file without a network: the command against a native one with the same products
# (SOFTALIGN_PLAIN), byte by byte, and against OpenBLAS; locks, signals, full disks; the examples of its README.
. tests/support/cli.sh
need clang wasm-ld node
[ -d "${SOFTALIGN_PACKAGES:-$root/build/packages}/zlib" ] || {
    echo "skipped: scripts/setup --playground has not fetched the sources of the libraries"
    exit 77
}
native=$softalign
installing "any Node"
(cd "$root" && eval "$build" && scripts/npm "$scratch/again" >/dev/null &&
    cmake -G Ninja -B build/plain -DSOFTALIGN_PLAIN=ON -DSOFTALIGN_PANGOCAIRO=OFF -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_C_FLAGS_DEBUG=-O0 >/dev/null &&
    cmake --build build/plain --target softalign_command >"$scratch/log") || {
    cat log
    exit 1
}
plain=$root/build/plain/softalign
cmp made/*.tgz again/*.tgz || fail "two packages of the same sources differ"
mkdir "an émpty folder" && cd "an émpty folder" || exit 1
if has npm; then
    npm_config_offline=true npm_config_audit=false npm_config_fund=false eval "$install" >../log 2>&1 || fail "$install: $(cat ../log)"
else # what it does
    mkdir -p node_modules/.bin && tar -xf ../made/softalign-*.tgz -C node_modules &&
        mv node_modules/package node_modules/softalign && ln -s ../softalign/cli.mjs node_modules/.bin/softalign
fi
door=$PWD/node_modules/.bin/softalign
softalign=$door
PATH=$PWD/node_modules/.bin:$PATH

# Every command, in a folder whose name has a space and an accent.
"$native" corpus reorder --pairs 240 --seed 5 >pairs.tsv
softalign corpus reorder --pairs 240 --seed 5 | cmp - pairs.tsv || fail "another corpus"
sizes="--hidden 12 --embed 10 --attn 8 --maxout 8 --ffn 20 --batch 16 --shards 2 --valid-every 5 --max-time 0"
while IFS= read -r model; do
    options="--train pairs.tsv --steps 15 $sizes --overwrite $model"
    for program in native plain door; do
        "${!program}" train $options --out $program >out 2>err || fail "$program: train $options: $(cat err)"
    done
    for file in best last; do
        cmp plain/$file.safetensors door/$file.safetensors || fail "other bits than natively: $model"
    done
    cut -d , -f 1,2,7- plain/log.csv | cmp - <(cut -d , -f 1,2,7- door/log.csv) || fail "another log: $model"
    awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "train_loss") at = i }
        FNR == NR { loss[FNR] = $at; next }
        FNR > 1 && (loss[FNR] - $at) ^ 2 > 1e-8 { exit 1 }' native/log.csv door/log.csv ||
        fail "the losses are more than 1e-4 from OpenBLAS's: $model"
done <<'MODELS'
--dropout 0.2
--decoder luong --attention general --input-feeding --tokenizer bpe --bpe-merges 40
--model transformer --heads 2 --norm post
MODELS
head -n 40 pairs.tsv >few.tsv
mkdir "a b" && gzip -c few.tsv >"a b/pärs.tsv.gz"
cut -f 1 few.tsv >source.txt
model=plain/best.safetensors
while IFS= read -r words; do
    for program in plain door; do
        rm -rf tables
        eval "'${!program}' $words" >$program.out 2>$program.err || fail "$program $words: $(cat $program.err)"
        rm -rf $program.files
        [ ! -e tables ] || mv tables $program.files
    done
    cmp plain.out door.out || fail "another result natively: $words"
    [ ! -e plain.files ] || diff -r plain.files door.files || fail "other files natively: $words"
done <<'COMMANDS'
help train
translate $model source.txt --beam 3 --nbest 2
translate $model <source.txt
translate "$PWD/$model" <(head -n 3 source.txt)
align $model "a b/pärs.tsv.gz" --limit 9 --csv tables --svg tables --terminal
eval $model - --diagnose <"a b/pärs.tsv.gz"
score source.txt ../"an émpty folder/source.txt"
attend --query <(echo 1,2) --keys <(printf '1,0\n0,1\n') --values <(printf '1\n2\n')
explain $model "the sad cat"
attribute $model few.tsv --method attention,gradient --limit 2
annotations $model few.tsv
gradcheck --hidden 3 --embed 3 --attn 3 --maxout 2 | sed "s/[0-9.]*e-.*//"
prove $model few.tsv --limit 2
inspect $model
align-words few.tsv --model hmm
bpe learn source.txt --merges 20
clean pairs.tsv --max-len 6 --out -
average $model $model --out tables
COMMANDS
softalign compare --train few.tsv --test few.tsv --models fixed,bahdanau --steps 3 $sizes --out compared >out 2>err ||
    fail "compare: $(cat err)"

# What is wrong is said as natively.
expect 4 "cannot open 'none.tsv': No such file or directory" inspect none.tsv
expect 2 "unknown command 'trian' (did you mean 'train'?); 'softalign help' lists all" trian
softalign align $model few.tsv --png tables 2>err && fail "PNG is painted"
grep -q "built without pangocairo, which PNG and PDF need" err || fail "PNG: $(cat err)"
expect 4 "cannot create 'none/run': No such file or directory" train --train pairs.tsv --out none/run
softalign corpus mono >/dev/full 2>err
same "a full disk" "5 softalign: cannot write 'standard output': No space left on device" "$? $(cat err)"
expect 5 "cannot write '/dev/full': No space left on device" align $model few.tsv --threads 1 --tidy /dev/full
softalign corpus mono | head -n 1 >out
same "a reader that goes away" 5 "${PIPESTATUS[0]}"
mkdir sealed && chmod a-w sealed
if [ ! -w sealed ]; then
    expect 4 "cannot write into 'sealed': Permission denied" train --train pairs.tsv --out sealed
fi

# A folder has one training; Ctrl-C saves it, and after a kill it goes on with the bits of one that never stopped.
long="--train pairs.tsv --out stopped $sizes --epochs 0 --patience 0"
start() {
    env --default-signal=INT "$door" train $long --steps 1000000 "$@" 2>log &
    pid=$!
    for wait in $(seq 400); do
        grep -q '^epoch' log && return
        sleep 0.05
    done
    fail "no training: $(cat log)"
}
node "$root/tests/web/node_locks.mjs" "$root" || fail "the locks of folders"
expect 2 'usage: softalign playground [--port N] [--no-open], N from 0 to 65535' playground --port 70000 --no-open
start
expect 6 "'stopped' is locked by pid $pid on $(uname -n)" train $long --resume
kill -INT $pid
wait $pid
same "exit after Ctrl-C" 130 $?
[ ! -e stopped/.locked ] || fail "a training that was stopped leaves its lock"
start --resume
kill -KILL $pid
wait $pid 2>/dev/null
steps=$(awk -F , 'END { print $2 + 100 }' stopped/log.csv)
softalign train $long --steps $steps --resume 2>err || fail "after a kill: $(cat err)"
softalign train ${long/stopped/whole} --steps $steps 2>err || fail "without a stop: $(cat err)"
cmp stopped/last.safetensors whole/last.safetensors || fail "a training that went on has other bits"
same "what is left" "" "$(find . -name '.softalign-*')"

# A command that has nothing to save ends at once.
mkfifo pipe
exec 9<>pipe
env --default-signal=INT "$door" eval $model pipe 2>err &
pid=$!
sleep 1
kill -TERM $pid
wait $pid
same "exit of a command that reads" 143 $?
exec 9>&-

# The README's examples, the demo and the playground.
readme=node_modules/softalign/README.md
blocks sh $readme >readme.sh
blocks js $readme >readme.mjs
if has npm; then bash -e readme.sh >out 2>err || fail "the README's commands: $(cat err)"; fi
node readme.mjs >out 2>err || fail "the README's program: $(cat err)"
same "a model that was saved and loaded" true "$(tail -n 1 out)"
softalign demo --seconds 3 >out 2>err || fail "demo: $(cat err)"
grep -q '=> ' out && [ -s demo/matrices/0001.csv ] || fail "the demo shows no translations: $(cat out)"
expect 2 "the folder demo exists; softalign demo --overwrite deletes it" demo

# The lessons: what a shell makes of their commands, here with shorter trainings.
lessons=$PWD/node_modules/softalign/lessons
softalign lessons >out
same "lessons" "$(cd "$root/scripts/lessons" && echo [0-9]*)" "$(cd "$lessons" && echo *.txt | sed 's/\.txt//g')"
same "lessons that are named" "$(ls "$lessons"/*.txt | wc -l)" "$(grep -c '^[0-9]*\. [A-Z]' out)"
same "programs that lessons need" "cat cut echo head paste printf softalign tee" \
    "$(sed "s/'[^']*'//g" "$lessons"/*.txt | tr '|' '\n' | awk '!($1 in seen) { seen[$1]; print $1 }' | sort | paste -sd ' ')"
sed -i -E 's/--(steps|valid-every) [0-9]+/--\1 2/g; s/--pairs [0-9]+/--pairs 40/' "$lessons"/{09,21}*.txt
softalign lessons 21 >out 2>err && [ -s lessons/21-your-own-language/1-order.scfg ] || fail "lesson 21: $(cat err)"
softalign lessons 9 >out 2>err || fail "lesson 9: $(cat err)"
mkdir -p shell/bin && ln -s "$plain" shell/bin/softalign && cp "$lessons/09"*.md shell/notes.md
(cd shell && PATH=$PWD/bin:$PATH bash -e "$lessons/09"*.txt >out 2>err) || fail "lesson 9 in a shell: $(cat shell/err)"
diff -r -x .lock -x .locked -x bin -x out -x err -x log.csv -x '*.html' lessons/09* shell || fail "lesson 9 has other files in a shell"
grep -q '^Question: ' out || fail "lesson 9 asks nothing: $(cat out)"
expect 2 "the folder lessons/09-self-attention exists; --overwrite deletes it" lessons 9
browser=
has "$chromium" && browser=$chromium
node "$root/tests/web/check_npm.mjs" "$PWD/node_modules/softalign" "$door" $browser || fail "the library"
finish
