# Sourced by the tests of softalign-mpi after cli.sh.
need mpirun
mpi=$(dirname "$softalign")/softalign-mpi
[ -x "$mpi" ] || {
    echo "softalign-mpi is not built: skipped"
    exit 77
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0

# mpi COUNT ARGUMENT...: standard error goes to the file `err`.
mpi() {
    local count=$1
    shift
    mpirun --oversubscribe -q -n "$count" "$mpi" "$@" >out 2>err </dev/null
}

# unequal WHAT ARGUMENTS OTHER: two processes with these arguments. They end together before the first update, and one
# of them says WHAT ("": they train).
unequal() {
    local code=2 said
    [ -n "$1" ] || code=0
    rm -rf unequal
    # shellcheck disable=SC2086
    timeout -k 1 20 mpirun --oversubscribe -q -n 1 "$mpi" $2 : -n 1 "$mpi" $3 >out 2>err </dev/null
    same "$2, and $3" $code $?
    said=$(sed -n "s/^softalign-mpi: \(process 1 on '[^']*' has \)*//p" err)
    same "$2, and $3" "$1" "$said"
    [ $code -eq 0 ] || [ ! -e unequal/last.safetensors ] || fail "$2, and $3: trained for a while"
}

# refused COUNT CODE MESSAGE ARGUMENT...
refused() {
    mpi "$1" "${@:4}"
    local got=$?
    [ $got -eq "$2" ] || fail "$1 processes, ${*:4}: exit $got, expected $2: $(cat err)"
    same "$1 processes, ${*:4}" "softalign-mpi: $3" "$(cat err)"
}
