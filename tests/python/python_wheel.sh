#!/bin/bash
# The wheel: installed into an empty environment without a network, it runs its README's program, the module's test and
# the command there. Beside it, the wheel for Pyodide, where what builds it is installed: under Node if a folder of npm
# packages (NODE_PATH) has pyodide.
. tests/support/cli.sh
need python3 strip
[[ $(uname -m) == x86_64 ]] && command -v dpkg >/dev/null || {
    echo "the wheel is built on Debian, for x86-64: skipped"
    exit 77
}
(cd "$root" && scripts/wheel "$scratch/made" >"$scratch/log" 2>&1) || {
    cat log
    exit 1
}
wheel=$(ls made/softalign-*-py3-none-manylinux_2_35_x86_64.whl)
"$softalign" corpus reorder --pairs 300 >pairs.tsv && "$softalign" corpus reorder --pairs 20 --split test >unseen.tsv
awk '/^```/ { inside = $0 == "```python"; next } inside' "$root/scripts/python/README.md" >readme.py
if python3 -m venv "an émpty environment" >log 2>&1; then
    env="$PWD/an émpty environment"
    "$env/bin/pip" install --no-index --no-deps --disable-pip-version-check "$wheel" >log 2>&1 || fail "pip: $(cat log)"
    python=$env/bin/python PATH=$env/bin:$PATH
    same "the command's version" "$("$softalign" --version | head -n 1)" "$(command softalign --version | head -n 1)"
    command softalign corpus reorder --pairs 300 | cmp - pairs.tsv || fail "another corpus"
    command softalign nonsense 2>err
    same "the command's exit code" 2 $?
else
    lacks "python3-venv"
    mkdir unpacked && python3 -m zipfile -e "$wheel" unpacked
    export PYTHONPATH=$PWD/unpacked
    python=python3
fi
cd "$scratch" && env -u SOFTALIGN_LIBRARY "$python" readme.py >out 2>err || fail "the README's program: $(cat err)"
grep -q 'BLEU' out && grep -q ' = \[\[' out || fail "the README's program prints: $(cat out)"
# All but glibc is the wheel's own.
"$python" -c 'import softalign; print(open("/proc/self/maps").read())' | grep -oE '/[^ ]*\.so[.0-9]*$' | sort -u >maps
for library in openblas gfortran jansson utf8proc deflate; do
    grep -q "softalign\.libs/lib$library" maps || fail "lib$library is not the wheel's: $(cat maps)"
done

# The wheel for Pyodide.
if (cd "$root" && scripts/wheel --pyodide "$scratch/made" >"$scratch/log" 2>&1); then
    mkdir any && python3 -m zipfile -e made/softalign-*-any.whl any
    PYTHONPATH=$PWD/any python3 -c 'import softalign' 2>err
    same "the exit of a system's Python" 1 $?
    tail -n 1 err | grep -q 'this wheel is for Pyodide.*manylinux' || fail "a system's Python says: $(cat err)"
    if node -e 'require.resolve("pyodide")' 2>/dev/null; then
        node "$root/tests/python/pyodide.cjs" made/softalign-*-any.whl readme.py pairs.tsv unseen.tsv >out 2>err ||
            fail "Pyodide: $(cat out err)"
    else
        lacks "the npm package pyodide"
    fi
else
    grep -q 'scripts/setup --playground --wheel' log || fail "scripts/wheel --pyodide: $(cat log)"
    lacks "emscripten or the sources of libraries"
fi
finish
