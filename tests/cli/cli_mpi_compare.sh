# softalign-mpi compare: the table of one process, whatever becomes of the others.
. tests/support/cli.sh
. "$root/tests/support/mpi.sh"

"$softalign" corpus mono --pairs 260 >mono.tsv
"$softalign" corpus mono --pairs 40 --seed 2 >unseen.tsv
comparing="compare --train mono.tsv --test unseen.tsv --embed 8 --hidden 8 --steps 60 --valid-every 20 --shards 2 \
    --matrices 2 --models fixed,bahdanau:additive,luong:general:2,cgru,luong:dot,bahdanau:dot,luong:concat,transformer"

# compared DIR: it holds what `one` does, but for times.
compared() {
    local name
    for name in one "$1"; do cut -d, -f1-3,5-12,14- $name/table.csv >"$name.figures"; done
    cmp one.figures "$1.figures" || fail "$1: another table"
    diff -r one "$1" -x '*.csv' -x table.md -x table.tex -x run.json -x .lock -x .claims >diff || fail "$1: $(cat diff)"
    diff -r one/matrices "$1/matrices" >diff || fail "$1: $(cat diff)"
}

# begin_comparing DIR OPTION...: in the background, until a model has been saved; $job is mpirun.
begin_comparing() {
    mpirun --oversubscribe -q -n 3 "${@:2}" "$mpi" $comparing --out "$1" >out 2>err </dev/null &
    job=$!
    for _ in $(seq 600); do
        ! compgen -G "$1/*/last.safetensors" >found || return
        sleep 0.05
    done
    fail "no model is saved: $(cat err)"
}

"$softalign" $comparing --out one >out 2>err || fail "compare: $(cat err)"
mpi 3 $comparing --out three --html three.html || fail "three processes compare: $(cat err)"
compared three
grep -q ' by another process, 60 updates, ' err || fail "nothing is said of other processes: $(cat err)"
same "lines of the table" 10 "$(wc -l <out)"
[ -s three.html ] || fail "no page"
refused 3 6 "--steps: 'three/fixed-s1' was trained with --steps 60, choose another --out, or --overwrite" ${comparing/60/61} --out three

# Processes that were not started alike.
both="compare --out unequal --train mono.tsv --test unseen.tsv --embed 4 --hidden 4 --steps 4 --valid-every 2 --models fixed,cgru"
unequal "other --models or --seeds than the rest" "$both" "${both/fixed,}"
unequal "other --models or --seeds than the rest" "$both" "$both --seeds 2"
unequal "other training pairs than the rest" "$both" "${both/mono/unseen}"
unequal "other validation pairs than the rest" "$both --valid mono.tsv" "$both --valid unseen.tsv"
unequal "other test pairs than the rest" "$both" "${both/unseen/mono}"
unequal "another --dropout than the rest" "$both" "$both --dropout 0.5"

# A process dies. With --enable-recovery another goes on with its training, otherwise the same command does.
begin_comparing recovered --enable-recovery
kill -KILL "$(pgrep -P "$job" | tail -n 1)"
wait "$job"
compared recovered
begin_comparing killed
kill -KILL "$(pgrep -P "$job" | tail -n 1)"
wait "$job" && fail "a process died, and mpirun did not see it"
begin_comparing killed # found at once
kill -TERM "$job"
wait "$job"
mpi 2 $comparing --out killed || fail "compare goes on: $(cat err)"
compared killed

finish
