#!/bin/bash
# scripts/python/softalign.py: under Python with NumPy and without, against the command, bit by bit.
. "$(dirname "$0")/../support/cli.sh"
need python3
SOFTALIGN_LIBRARY=$(dirname "$softalign")/libsoftalign.so.0.2
export SOFTALIGN_LIBRARY SOFTALIGN_COMMAND=$softalign PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/scripts/python
[ -e "$SOFTALIGN_LIBRARY" ] || {
    echo "libsoftalign.so.0.2 is not beside $softalign: skipped"
    exit 77
}
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' || {
    echo "the module needs Python 3.9, and this is $(python3 --version): skipped"
    exit 77
}
"$softalign" corpus reorder --pairs 300 >pairs.tsv &&
    "$softalign" corpus reorder --pairs 20 --split test >unseen.tsv || exit 1

"$softalign" train --train pairs.tsv --out reorder --embed 8 --hidden 8 --attn 4 --maxout 4 --steps 5 >out 2>err ||
    fail "$(cat err)"
blocks python "$root/README.md" >readme.py
[ -s readme.py ] || fail "README.md has no program in Python"

tests() { # PYTHON
    "$@" readme.py >out 2>&1 || fail "README's program: $(cat out)"
    for file in module copies draw; do
        "$@" "$root/tests/python/$file.py" >out 2>&1 || fail "$* $file.py: $(cat out)"
        tail -n 3 out
    done
}

# Whichever Python has NumPy; then the first one with NumPy out of reach.
for python in python3 /usr/bin/python3 ""; do
    [ -z "$python" ] || ! "$python" -c 'import numpy' 2>/dev/null || break
done
if [ "$python" ]; then
    tests "$python"
else
    lacks "NumPy"
fi
mkdir blocked && echo 'raise ImportError("blocked")' >blocked/numpy.py
tests env PYTHONPATH="$PWD/blocked:$PYTHONPATH" python3

cc=$(command -v cc || command -v gcc || command -v clang) && {
    python3 "$root/tests/python/layout.py" "$cc" "$root/include" || fail "the structs of the module are others"
}
finish
