# A signal finishes the step, saves and ends with 128 + its number; ignored ones stay ignored.
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

for signal in INT:130 TERM:143 HUP:129; do
    out=out-${signal%:*}
    start $out
    kill -s ${signal%:*} $pid
    wait $pid
    same "exit after SIG${signal%:*}" ${signal#*:} $?
    "$softalign" inspect $out/last.safetensors >/dev/null || fail "no whole model after SIG$signal"
    "$softalign" train --train mono.tsv --out $out --resume --max-time 1 2>err ||
        fail "no resuming after SIG$signal: $(cat err)"
done

# Under nohup a hang-up is nothing.
rm -f err
(trap '' HUP && exec "$softalign" train --train mono.tsv --out hup $sizes --max-time 2 2>err) &
pid=$!
for wait in $(seq 200); do grep -q '^epoch' err 2>/dev/null && break || sleep 0.05; done
kill -HUP $pid
wait $pid
same "exit after an ignored SIGHUP" 0 $?

# A killed training leaves whole files or none, and its folder is free again.
start killed
kill -KILL $pid
wait $pid 2>/dev/null
"$softalign" train --train mono.tsv --out killed $sizes --max-time 1 2>err ||
    fail "the folder of a killed training: $(cat err)"

# Two trainings in one folder.
start busy
"$softalign" train --train mono.tsv --out busy $sizes --max-time 1 2>second
same "exit of a second training" 6 $?
grep -q "^softalign: 'busy' is locked by " second || fail "a second training: $(cat second)"
kill -TERM $pid
wait $pid
finish
