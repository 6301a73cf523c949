#!/bin/bash
# The wheel: installed into an empty environment without a network, it runs its README's program, the command and the
# module's whole test there.
. tests/support/cli.sh
need python3 strip
[[ $(uname -m) == x86_64 ]] && command -v dpkg >/dev/null || {
    echo "the wheel is built on Debian, for x86-64: skipped"
    exit 77
}
installing "Python, Linux"
# Of its files all but two have been compiled with the same words for the tests; those that are texts are compiled again.
"$root/tests/support/compiled.sh" --table "${softalign%/*}" >compiled || fail "what the build has compiled is unknown"
rm -rf "${softalign%/*}/wheel"
(cd "$root" && export SOFTALIGN_BUILD=${softalign%/*}/wheel COMPILED=$scratch/compiled &&
    CMAKE_C_COMPILER_LAUNCHER=$root/tests/support/compiled.sh eval "$build" >"$scratch/log" 2>&1) || {
    cat log
    exit 1
}
"$softalign" corpus reorder --pairs 300 >pairs.tsv && "$softalign" corpus reorder --pairs 20 --split test >unseen.tsv
blocks python "$root/scripts/python/README.md" >readme.py
if python3 -m venv "an émpty environment" >log 2>&1; then
    env="$PWD/an émpty environment"
    python=$env/bin/python PATH=$env/bin:$PATH
    PIP_NO_INDEX=1 PIP_NO_DEPS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 eval "$install" >log 2>&1 || fail "$install: $(cat log)"
    same "the command's version" "$("$softalign" --version | head -n 1)" "$(command softalign --version | head -n 1)"
    command softalign corpus reorder --pairs 300 | cmp - pairs.tsv || fail "another corpus"
    command softalign nonsense 2>err
    same "the command's exit code" 2 $?
else
    lacks "python3-venv"
    mkdir unpacked && python3 -m zipfile -e made/*linux*.whl unpacked
    export PYTHONPATH=$PWD/unpacked
    python=python3
fi
unset SOFTALIGN_LIBRARY
"$python" readme.py >out 2>err || fail "the README's program: $(cat err)"
grep -q 'BLEU' out && grep -q ' = \[\[' out || fail "the README's program prints: $(cat out)"
SOFTALIGN_COMMAND=$(type -P softalign || echo "$softalign") "$python" "$root/tests/python/module.py" >out 2>&1 || fail "the module: $(cat out)"
tail -n 3 out
# All but glibc is the wheel's own.
"$python" -c 'import softalign; print(open("/proc/self/maps").read())' | grep -oE '/[^ ]*\.so[.0-9]*$' | sort -u >maps
for library in openblas gfortran jansson utf8proc deflate; do
    grep -q "softalign\.libs/lib$library" maps || fail "lib$library is not the wheel's: $(cat maps)"
done
# The bill of materials of a release names the packages of all these.
sed -n 's/^    ("\([^"]*\)", .*/\1/p' "$root/scripts/dev/sbom" >parts
python3 -m zipfile -l made/*linux*.whl | grep -o 'lib[a-z0-9_]*\.so\.[0-9]* ' | grep -v softalign >held
[ "$(wc -l <held)" -ge 8 ] || fail "the wheel holds $(cat held)"
for library in $(cat held); do
    dpkg -S "*/$library" | sed 's/:.*//' | grep -xFf parts >/dev/null || fail "scripts/dev/sbom does not name what has $library"
done
finish
