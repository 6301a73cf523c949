# A signal drops the step or validation that is running, saves and ends with 128 + its number; ignored
# ones stay ignored. A second one ends at once.
. tests/support/cli.sh
"$softalign" corpus mono --pairs 500 >mono.tsv
sizes="--embed 8 --hidden 8 --attn 4 --maxout 4 --epochs 0 --patience 0"

# Starts a training in the background (a shell ignores SIGINT there: `env` sets it back) and waits
# for its first step.
start() {
    rm -f err
    env --default-signal=INT,HUP "$softalign" train --train mono.tsv --out "$1" $sizes \
        --max-time 600 2>err &
    pid=$!
    for wait in $(seq 1200); do
        grep -q '^epoch' err 2>/dev/null && return
        sleep 0.05
    done
    fail "no training after a minute: $(cat err)"
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
for moment in $(seq 2 2 24); do
    signal=$((moment % 3 + 1)) # HUP, INT, and, for 3, TERM
    [ $signal -ne 3 ] || signal=15
    rm -rf any
    env --default-signal=INT,HUP "$softalign" train $few --out any 2>err &
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

# Starts a training of which one update takes long, and a signal comes within the first.
start_slow() { # OUT OPTION...
    rm -f err
    env --default-signal=INT,HUP "$softalign" train --train mono.tsv --embed 300 --hidden 500 --attn 300 --maxout 300 \
        --batch 500 --shards 1 --threads 1 --max-time 0 --out "$@" 2>err &
    pid=$!
    for wait in $(seq 1200); do
        grep -q '^model: ' err 2>/dev/null && break
        sleep 0.05
    done
    sleep 0.05
}

# The update is dropped, and the weights that it began with are saved: first the state, then the model.
start_slow slow
kill -s TERM $pid
wait $pid
same "exit after a signal within an update" 143 $?
grep -q '^ended (stopped) after 0 steps' err || fail "the update is not dropped: $(cat err)"
same "what a signal saves" "last best" "$(sed -n 's/^saved slow.\(.*\).safetensors$/\1/p' err | paste -sd ' ')"
count

# So is a validation that takes long, which resuming makes first.
"$softalign" corpus mono --pairs 40000 --seed 2 >long.tsv
head -n 10000 long.tsv >valid.tsv
long="--train few.tsv --valid valid.tsv $sizes --max-time 0 --steps 4 --valid-every 4"
rm -f err
env --default-signal=INT,HUP "$softalign" train $long --out dropped 2>err &
pid=$!
for wait in $(seq 1200); do # until it has computed for a third of a second, however long that takes
    [ "$(awk '{ print $14 + $15 }' /proc/$pid/stat)" -lt 33 ] || break
    sleep 0.05
done
kill -s TERM $pid
wait $pid
same "exit after a signal within a validation" 143 $?
grep -q '^ended (stopped) after 4 steps.*; nothing validated$' err || fail "the validation is not dropped: $(cat err)"
"$softalign" train $long --out dropped --resume 2>err || fail "resuming a dropped validation: $(cat err)"
"$softalign" train $long --out undropped 2>err || fail "train: $(cat err)"
cmp dropped/last.safetensors undropped/last.safetensors || fail "a dropped validation is not made again"
same "rows of the log" 2 "$(wc -l <dropped/log.csv)"
count

# A time limit counts the validation: where that does not fit, the weights are saved without.
cat long.tsv{,,,} >longer.tsv
"$softalign" train --train few.tsv --valid longer.tsv --out late --embed 8 --hidden 8 --attn 4 --maxout 4 --epochs 0 \
    --patience 0 --valid-every 1000000 --max-time 0.5 2>err || fail "--max-time: $(cat err)"
grep -q '^note: the last weights are saved, but not validated; nor were others' err ||
    fail "a validation beyond --max-time: $(cat err)"
"$softalign" inspect late/best.safetensors >/dev/null || fail "no best model after --max-time"
count

# The second signal does not wait, and harms no model.
for signal in INT:130 TERM:143 HUP:129; do
    start_slow twice --overwrite
    kill -s ${signal%:*} $pid
    sleep 0.01
    kill -s ${signal%:*} $pid
    wait $pid
    same "exit after a second SIG${signal%:*}" ${signal#*:} $?
    [ ! -e twice/last.safetensors ] || "$softalign" inspect twice/last.safetensors >/dev/null ||
        fail "a second SIG${signal%:*} harms the model"
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
    env --default-signal=INT,HUP "$softalign" $name $arguments </dev/null >out 2>err &
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
env --default-signal=INT,HUP "$softalign" train --train many.tsv --out learning --tokenizer bpe --bpe-merges 20000 \
    --steps 1 $sizes 2>err &
pid=$!
for wait in $(seq 1200); do
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
for wait in $(seq 1200); do grep -q '^epoch' err 2>/dev/null && break || sleep 0.05; done
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
