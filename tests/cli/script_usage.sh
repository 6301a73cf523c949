# Every script that is run answers --help with its usage, and with 2 what it does not know, before it builds,
# installs or writes anything.
. tests/support/cli.sh

# What would build, install or run something leaves a trace instead.
mkdir bin
for program in apt-get cc clang cmake ctest gcc gmake lintian llvm-profdata make mpirun ninja sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/started"\nexit 1\n' $program "$PWD" >bin/$program
done
chmod +x bin/*
PATH=$PWD/bin:$PATH

# usage_of CODE SCRIPT ARGUMENT...: the exit code, and where the usage is.
usage_of() {
    local code=$1 script=$2 said=out silent=err
    shift 2
    [ "$code" -eq 0 ] || said=err silent=out
    timeout 20 "$root/scripts/$script" "$@" >out 2>err </dev/null
    local got=$?
    [ $got -eq "$code" ] || fail "scripts/$script $*: exit $got, expected $code: $(head -n 3 err)"
    [ ! -s $silent ] || fail "scripts/$script $*: on the other output: $(head -n 3 $silent)"
    [ ! -e started ] || fail "scripts/$script $* starts $(cat started)"
    grep -qE "(^|[ /])${script##*/} ?" $said || fail "scripts/$script $*: no usage: $(head -n 3 $said)"
    rm -f started
}

# Left out: what make, autopkgtest, Slurm and npm run, and guards, whose argument is the program.
(cd "$root/scripts" && find . -type f -perm -u+x ! -path './dev/guards/*' ! -path './node/*' ! -path './dev/debian/*' ! -name '*.sbatch') |
    sed 's|^\./||' | sort >scripts
[ "$(wc -l <scripts)" -ge 40 ] || fail "scripts: $(cat scripts)"
while read -r script; do
    usage_of 0 "$script" --help
    usage_of 2 "$script" --nosuchoption
done <scripts

# Arguments that only look right.
while read -r -a words; do
    usage_of 2 "${words[@]}"
done <<'WORDS'
bench --rounds
dev/compare-gradients nosuchprogram
dev/corpus-debian out --language english
dev/corpus-debian out --parts all
dev/corpus-tatoeba
dev/corpus-tatoeba one two three
dev/coverage --missed check_
dev/coverage -R
demo --overwrite twice
dev/pictures/draw one two
dev/fuzz nosuchtarget
dev/fuzz --seconds some
dev/all-gradients 0
lessons/02-bottleneck short
lessons/page-notes 99-none
dev/lint gcc nosuchpart
dev/manual/build softalign
dev/measure nosuchpart
dev/measure years --only rows
dev/measure --list --only plain
package --twice --try
dev/path train
playground one two
dev/portability all
dev/same-bits
dev/same-bits HEAD one two
setup mpi
setup --tests --nosuchpurpose
dev/torture --only nosuchpart
dev/torture --only
WORDS
finish
