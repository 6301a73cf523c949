#!/bin/bash
# softalign-mpi on two hosts: network namespaces of this machine, joined by a pair of virtual Ethernet devices, each with
# a host name of its own; mpirun enters them as it would by ssh. Needs the right to make namespaces.
#
#   tests/torture/hosts.sh SOFTALIGN
set -uo pipefail
softalign=$(realpath "$1")
mpi=$(dirname "$softalign")/softalign-mpi
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0
one=sa-one-$$ two=sa-two-$$
work=$(mktemp -d)
trap 'ip netns del $one 2>/dev/null; ip netns del $two 2>/dev/null; rm -rf "$work"' EXIT
if [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
    echo "two hosts: softalign-mpi or mpirun is missing: skipped"
    exit 0
fi
cd "$work" || exit 1
if ! { ip netns add $one && ip netns add $two && ip link add eth0 netns $one type veth peer name eth0 netns $two; } 2>why; then
    echo "two hosts: no network namespaces here ($(head -n 1 why)): skipped"
    exit 0
fi
for host in "$one 10.77.0.1" "$two 10.77.0.2"; do
    read -r name address <<<"$host"
    ip -n "$name" address add "$address/24" dev eth0
    ip -n "$name" link set lo up
    ip -n "$name" link set eth0 up
done

# enter ADDRESS COMMAND...: what ssh would do. The second host may see other pairs under the same name.
cat >enter <<END
#!/bin/bash
name=$one
[ "\$1" = 10.77.0.1 ] || name=$two
shift
exec ip netns exec \$name unshare --uts --mount bash -c 'hostname '\$name'
    [ '\$name' = $one ] || [ ! -e "$work/other.tsv" ] || mount --bind "$work/other.tsv" "$work/mono.tsv"
    '"\$*"
END
chmod +x enter

hosts() { # COUNT ARGUMENT...
    timeout 120 ./enter 10.77.0.1 exec mpirun -q --host 10.77.0.1:2,10.77.0.2:2 --mca plm_rsh_agent "$work/enter" --mca btl tcp,self \
        --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 --map-by node -n "$1" "$mpi" "${@:2}" >out 2>err </dev/null
}

good=0 cases=0
check() { # WHAT COMMAND...
    cases=$((cases + 1))
    if "${@:2}"; then
        good=$((good + 1))
    else
        echo "$1:"
        cat err
    fi
}

"$softalign" corpus mono --pairs 260 >mono.tsv
small=(train --train mono.tsv --embed 16 --hidden 16 --attn 8 --maxout 8 --shards 5 --valid-every 5 --threads 1
    --max-time 0 --patience 0)
"$softalign" "${small[@]}" --steps 20 --out whole 2>err || cat err

same_model() { cmp whole/last.safetensors "$1/last.safetensors" && cmp whole/best.safetensors "$1/best.safetensors"; }
trains() { # COUNT
    rm -rf run
    hosts "$1" "${small[@]}" --steps 20 --out run && grep -q "$1 processes on 2 hosts" err && same_model run
}
resumes() {
    rm -rf run
    hosts 4 "${small[@]}" --steps 10 --out run && hosts 3 "${small[@]}" --steps 20 --out run --resume && same_model run
}
other_pairs() {
    local code
    tac mono.tsv >other.tsv
    hosts 4 "${small[@]}" --steps 20 --out refused
    code=$?
    rm other.tsv
    [ $code -eq 2 ] && grep -q "^softalign-mpi: process [13] on '$two' has other training pairs" err && [ ! -e refused/last.safetensors ]
}
dies() { # a process of the second host is killed; the same command resumes
    local job
    rm -rf run
    hosts 4 "${small[@]}" --epochs 100000 --out run &
    job=$!
    for _ in $(seq 400); do
        [ ! -e run/last.safetensors ] || break
        sleep 0.05
    done
    for process in $(ip netns pids $two); do
        [ "$(cat /proc/$process/comm)" != softalign-mpi ] || break
    done
    kill -KILL "$process"
    ! wait $job || return 1
    local steps=$(($(tail -n 1 run/log.csv | cut -d, -f2) + 3))
    rm -rf whole
    "$softalign" "${small[@]}" --steps $steps --out whole 2>err && hosts 4 "${small[@]}" --steps $steps --out run --resume && same_model run
}
check "two processes" trains 2
check "three processes" trains 3
check "four processes" trains 4
check "a training that is resumed by another number" resumes
check "other pairs on the second host" other_pairs
check "a process that dies on the second host" dies
echo "two hosts: $good/$cases"
[ $good -eq $cases ]
