#!/bin/bash
# The recipes of corpora/FIGURES.md that can run here: those of PyTorch and NumPy, and the command after them.
. "$(dirname "$0")/../support/cli.sh"
need python3
SOFTALIGN_LIBRARY=$(dirname "$softalign")/libsoftalign.so.0.2
export SOFTALIGN_LIBRARY SOFTALIGN_COMMAND=$softalign PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/scripts/python
ran=0
for library in torch numpy; do
    for python in python3 /usr/bin/python3 ""; do
        [ -z "$python" ] || ! "$python" -c "import $library" 2>/dev/null || break
    done
    [ "$python" ] || {
        lacks "Python's $library"
        continue
    }
    blocks "python $library" "$root/corpora/FIGURES.md" >recipe.py
    [ "$(grep -c softalign.draw recipe.py)" -ge 2 ] || [ $library = numpy ] || fail "FIGURES.md has no recipe for $library"
    "$python" recipe.py >out 2>&1 || fail "$library: $(cat out)"
    ran=1
done
if [ -e weights.npy ]; then
    blocks text "$root/corpora/FIGURES.md" | grep '^softalign align --matrix' >command
    PATH=$(dirname "$softalign"):$PATH bash -e command 2>err || fail "$(cat err)"
    [ -s figures/0001.svg ] && [ -s page.html ] || fail "the command draws nothing"
fi
[ $ran = 0 ] || [ ! -e attention.svg ] || grep -q '<svg' attention.svg || fail "attention.svg is no picture"
finish
