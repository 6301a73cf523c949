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

# refused COUNT CODE MESSAGE ARGUMENT...
refused() {
    mpi "$1" "${@:4}"
    local got=$?
    [ $got -eq "$2" ] || fail "$1 processes, ${*:4}: exit $got, expected $2: $(cat err)"
    same "$1 processes, ${*:4}" "softalign-mpi: $3" "$(cat err)"
}
