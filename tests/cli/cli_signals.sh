# A signal finishes the step, saves and ends with 128 + its number; ignored ones stay ignored. A second
# one ends at once.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 500 >mono.tsv
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --epochs 0 --patience 0"

# Starts a training in the background (a shell ignores SIGINT there: `env` sets it back) and waits
# for its first step.
start() {
    rm -f err
    env --default-signal=INT "$softalign" train --train mono.tsv --out "$1" $sizes \
        --max-time "${2:-60}" 2>err &
    pid=$!
    for wait in $(seq 200); do
        grep -q '^epoch' err 2>/dev/null && return
        sleep 0.05
    done
    fail "no training after 10 s: $(cat err)"
}

cases=0 good=0
# Counts a case: good when nothing has failed since `before` was noted.
count() {
    cases=$((cases + 1))
    good=$((good + (failures == before)))
    before=$failures
}
before=0

for signal in INT:130 TERM:143 HUP:129; do
    out=out-${signal%:*}
    start $out
    kill -s ${signal%:*} $pid
    wait $pid
    same "exit after SIG${signal%:*}" ${signal#*:} $?
    "$softalign" inspect $out/last.safetensors >/dev/null || fail "no whole model after SIG$signal"
    "$softalign" train --train mono.tsv --out $out --resume --max-time 1 2>err ||
        fail "no resuming after SIG$signal: $(cat err)"
    count
done

# At any moment: before the first update, within one, in a validation, in a save. What was saved is
# whole, and going on gives the weights of a training that nobody stopped.
"$softalign" corpus mono --pairs 60 >few.tsv
few="--train few.tsv --embed 8 --hidden 8 --attn 4 --maxout 4 --shards 2 --steps 60 --valid-every 2 --epochs 0 \
    --patience 0 --max-time 0"
started=$(date +%s%N)
"$softalign" train $few --out whole 2>err || fail "train: $(cat err)"
took=$((($(date +%s%N) - started) / 1000)) # microseconds
for moment in $(seq 1 24); do
    signal=$((moment % 3 + 1)) # HUP, INT, and, for 3, TERM
    [ $signal -ne 3 ] || signal=15
    rm -rf any
    env --default-signal=INT "$softalign" train $few --out any 2>err &
    pid=$!
    sleep "$(printf '0.%06d' $((took * moment / 25 % 1000000)))"
    kill -s $signal $pid 2>/dev/null
    wait $pid 2>/dev/null
    state=$?
    [ $state -eq $((128 + signal)) ] || [ $state -eq 0 ] || fail "signal $signal at $moment: exit $state: $(cat err)"
    again=--overwrite
    [ ! -e any/last.safetensors ] || again=--resume
    "$softalign" train $few --out any $again 2>err || fail "going on after signal $signal: $(cat err)"
    same "left after signal $signal at $moment" "" "$(find any -name '.softalign-*')"
    "$softalign" inspect any/best.safetensors >/dev/null || fail "no best model after signal $signal"
    cmp any/last.safetensors whole/last.safetensors || fail "another model after signal $signal at $moment of 25"
    count
done

# The second signal does not wait for the end of an update that takes long, and harms no older model.
mkdir twice
cp out-INT/last.safetensors twice/
cp out-INT/last.safetensors old.safetensors
for signal in INT:130 TERM:143 HUP:129; do
    rm -f err
    env --default-signal=INT "$softalign" train --train mono.tsv --out twice --overwrite --embed 1000 --hidden 3000 \
        --init uniform --attn 1000 --batch 400 --threads 1 2>err &
    pid=$!
    for wait in $(seq 200); do
        grep -q '^model: ' err 2>/dev/null && break
        sleep 0.05
    done
    sleep 0.5
    kill -s ${signal%:*} $pid
    sleep 0.3
    kill -0 $pid 2>/dev/null || fail "the first SIG${signal%:*} does not wait for the update"
    kill -s ${signal%:*} $pid
    wait $pid
    same "exit after a second SIG${signal%:*}" ${signal#*:} $?
    cmp twice/last.safetensors old.safetensors || fail "a second SIG${signal%:*} harms the old model"
    count
done

# A killed training leaves whole files or none, and its folder is free again.
start killed
kill -KILL $pid
wait $pid 2>/dev/null
"$softalign" train --train mono.tsv --out killed --overwrite $sizes --max-time 1 2>err ||
    fail "the folder of a killed training: $(cat err)"
count

# Before the first update there is nothing to save: while pairs are read, a signal ends any command at
# once. (A pipe that nobody writes to takes as long to read as a test needs.)
mkfifo pipe
exec 9<>pipe
while read -r name arguments; do
    # shellcheck disable=SC2086
    env --default-signal=INT "$softalign" $name $arguments </dev/null >out 2>err &
    pid=$!
    sleep 0.3
    kill -s TERM $pid
    for wait in $(seq 100); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
    done
    kill -s KILL $pid 2>/dev/null && fail "$name does not hear SIGTERM while it reads"
    wait $pid 2>/dev/null
    same "exit of $name after SIGTERM while it reads" 143 $?
    same "left by $name" "" "$(find . -name '.softalign-*')"
    count
done <<'COMMANDS'
train --train pipe --out reading
train --train mono.tsv --valid pipe --out reading
train --train mono.tsv --snapshots pipe --out reading
compare --train pipe --test mono.tsv --models bahdanau --out comparing
eval killed/best.safetensors pipe
score pipe mono.tsv
clean pipe --out cleaned.tsv
bpe learn pipe
COMMANDS
exec 9>&-

# So it does while sub-words are learned, between the lock of the folder and the first line.
"$softalign" corpus phrases --pairs 20000 | awk -F '\t' '{ print $1 NR "\t" $2 NR * 7919 }' >many.tsv
env --default-signal=INT "$softalign" train --train many.tsv --out learning --tokenizer bpe --bpe-merges 20000 \
    --steps 1 $sizes 2>err &
pid=$!
for wait in $(seq 400); do
    grep -q "pid $pid" learning/.lock 2>/dev/null && break
    sleep 0.01
done
kill -s TERM $pid
wait $pid
same "exit after SIGTERM while sub-words are learned" 143 $?
[ ! -e learning/last.safetensors ] || fail "sub-words were learned to the end before SIGTERM was heard"
count

# Under nohup a hang-up is nothing.
rm -f err
(trap '' HUP && exec "$softalign" train --train mono.tsv --out hup $sizes --max-time 2 2>err) &
pid=$!
for wait in $(seq 200); do grep -q '^epoch' err 2>/dev/null && break || sleep 0.05; done
kill -HUP $pid
wait $pid
same "exit after an ignored SIGHUP" 0 $?
count

# Two trainings in one folder.
start busy
"$softalign" train --train mono.tsv --out busy $sizes --max-time 1 2>second
same "exit of a second training" 6 $?
grep -q "^softalign: 'busy' is locked by " second || fail "a second training: $(cat second)"
kill -TERM $pid
wait $pid
count
echo "signals: $good/$cases"
finish
