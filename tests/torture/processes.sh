#!/bin/bash
# Trainings by several processes, killed at random moments and finished by other numbers of
# processes: what they end with must be what one process that nobody disturbs makes, bit by bit.
#
#   tests/torture/processes.sh SOFTALIGN KILLS
#
# Prints "processes killed: N/N". DIR (build/torture-processes) keeps which cases are done, so the same
# command goes on after an interruption; it is removed at the end.
set -uo pipefail
softalign=$(realpath "$1") wanted=$2
mpi=$(dirname "$softalign")/softalign-mpi
dir=${DIR:-build/torture-processes}
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "processes killed: softalign-mpi or mpirun is missing: skipped"
    exit 0
fi
mkdir -p "$dir"
cd "$dir" || exit 1
[ "$(cat program 2>/dev/null)" = "$(sha256sum "$mpi")" ] || rm -rf ./*
sha256sum "$mpi" >program
touch passed

small=(--train mono.tsv --embed 16 --hidden 16 --attn 8 --maxout 8 --shards 5 --valid-every 5 --steps 60
    --max-time 0 --patience 0)
kinds=(bahdanau hard transformer)
options_of() { # KIND
    case $1 in
    bahdanau) options=(train "${small[@]}" --dropout 0.1 --average 3) ;;
    hard) options=(train "${small[@]}" --attention hard) ;;
    transformer) options=(train "${small[@]}" --model transformer --layers 1 --heads 2 --ffn 16) ;;
    esac
}

# What the files of a training hold.
figures() { # FOLDER
    (
        cd "$1" || exit
        find . -name '*.safetensors' -exec sha256sum {} +
    ) | sort
}

if [ ! -e whole ]; then
    "$softalign" corpus mono --pairs 260 >mono.tsv
    for kind in "${kinds[@]}"; do
        options_of "$kind"
        rm -rf "whole.$kind"
        "$softalign" "${options[@]}" --out "whole.$kind" --threads 1 >log 2>&1 || {
            cat log
            exit 1
        }
        figures "whole.$kind" >"whole.$kind.figures"
    done
    touch whole
fi

# All processes below one, itself included.
below() { # PID
    local child
    echo "$1"
    for child in $(pgrep -P "$1"); do below "$child"; done
}

# Of what mpirun has started, or mpirun itself.
kill_one() { # MPIRUN
    local victim signal=KILL
    victim=$(below "$1" | shuf -n 1)
    [ "$((RANDOM % 4))" -ne 0 ] || signal=TERM
    echo "$signal to $victim of $(below "$1" | tr '\n' ' ')" >>log
    kill -$signal "$victim" 2>>log
}

# Starts and kills, once or twice, and finishes.
one_case() { # NUMBER KILLS
    local kind=${kinds[$1 / 2 % ${#kinds[@]}]} kills=$2 again=() job left
    RANDOM=$1
    options_of "$kind"
    rm -rf run log
    for (( ; kills > 0; kills--)); do
        again=()
        [ ! -e run/last.safetensors ] || again=(--resume)
        mpirun -q -n $((2 + RANDOM % 3)) "$mpi" "${options[@]}" --out run --threads 1 "${again[@]}" >>log 2>&1 </dev/null &
        job=$!
        sleep "$((RANDOM % 4)).$((RANDOM % 10))"
        left=$(below $job)
        kill_one $job
        wait $job 2>/dev/null
        for job in $left; do # processes without an mpirun end by themselves
            for _ in $(seq 200); do
                kill -0 "$job" 2>/dev/null || break
                sleep 0.1
            done
            ! kill -0 "$job" 2>/dev/null || {
                echo "process $job goes on for 20 s" >>log
                return 1
            }
        done
        for job in run/*.safetensors; do
            [ ! -e "$job" ] || "$softalign" inspect "$job" >/dev/null 2>>log || return 1
        done
    done
    again=()
    [ ! -e run/last.safetensors ] || again=(--resume)
    mpirun -q -n $((1 + RANDOM % 4)) "$mpi" "${options[@]}" --out run --threads $((1 + RANDOM % 2)) "${again[@]}" >>log 2>&1 </dev/null || return 1
    [ -z "$(find run -name '.softalign-*')" ] || return 1
    figures run | diff "whole.$kind.figures" - >>log
}

# passed: a line "CASE KILLS" for each.
kills=0 good=0
for ((number = 1; kills < wanted; number++)); do
    count=$((1 + number % 2))
    kills=$((kills + count))
    if grep -q "^$number " passed; then
        good=$((good + count))
    elif one_case "$number" "$count"; then
        echo "$number $count" >>passed
        good=$((good + count))
    else
        echo "case $number:"
        cat log
        rm -rf "failed.$number"
        cp -r run "failed.$number"
    fi
done
echo "processes killed: $good/$kills"
[ "$good" -eq "$kills" ] || exit 1
cd .. && rm -rf "$OLDPWD"
