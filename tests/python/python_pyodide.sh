#!/bin/bash
# The wheel for Pyodide: its README's program, the notebooks and the module's test under Node and in Chromium. Anywhere
# else it says what it is for.
. tests/support/cli.sh
need python3 node
modules=${SOFTALIGN_PACKAGES:-$root/build/packages}/node_modules
[ -d "$modules/pyodide" ] && [ -e "${EMSCRIPTEN_HEADERS:-/usr/share/emscripten/cache/sysroot/include}/stdio.h" ] || {
    echo "emscripten or npm's pyodide is missing (scripts/setup --playground --wheel): skipped"
    exit 77
}
installing Pyodide
(cd "$root" && eval "$build" >"$scratch/log" 2>&1) || {
    cat log
    exit 1
}
mv made/*-any.whl any.whl
python3 -m zipfile -e any.whl any
PYTHONPATH=$PWD/any python3 -c 'import softalign' 2>err
same "the exit of a system's Python" 1 $?
tail -n 1 err | grep -q 'this wheel is for Pyodide.*manylinux' || fail "a system's Python says: $(cat err)"

"$softalign" corpus reorder --pairs 300 | tee pairs.tsv >train.tsv && "$softalign" corpus reorder --pairs 20 --split test >unseen.tsv
blocks python "$root/scripts/python/README.md" >readme.py
notebook own-pairs.ipynb
notebook lesson-3.ipynb
echo '<!doctype html><title>Pyodide</title>' >page.html
ln -s "$modules/pyodide" pyodide
ln -s "$root/tests" tests
for place in node "$chromium"; do
    has "$place" || continue
    node tests/python/pyodide.cjs . "$place" own-pairs.ipynb lesson-3.ipynb >out 2>err || fail "Pyodide, $place: $(cat err)"
    grep -E '^(Pyodide |import softalign:|Ran )' out
    for shown in 'own-pairs.ipynb shows 2 pages' 'lesson-3.ipynb shows 4 pages' 'OK (skipped=[0-9]*)'; do
        grep -qx "$shown" out || fail "Pyodide, $place: no '$shown': $(tail -n 20 out)"
    done
done
finish
