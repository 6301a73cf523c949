#!/bin/bash
# softalign.torch: models in PyTorch have the library's log-probabilities, weights and greedy translations.
. "$(dirname "$0")/../support/cli.sh"
SOFTALIGN_LIBRARY=$(dirname "$softalign")/libsoftalign.so.0.2
export SOFTALIGN_LIBRARY PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/scripts/python OMP_NUM_THREADS=1
[ -e "$SOFTALIGN_LIBRARY" ] || {
    echo "libsoftalign.so.0.2 is not beside $softalign: skipped"
    exit 77
}
for python in python3 /usr/bin/python3 ""; do
    [ -z "$python" ] || ! "$python" -c 'import torch' 2>/dev/null || break
done
[ "$python" ] || {
    echo "no Python has PyTorch (Debian: apt-get install python3-torch): skipped"
    exit 77
}
"$python" "$root/tests/python/torch_models.py" >out 2>err || fail "$(tail -n 5 err)"
cat out

# The module needs no PyTorch unless it is used.
mkdir blocked && echo 'raise ImportError("blocked")' >blocked/torch.py
PYTHONPATH=$PWD/blocked:$PYTHONPATH "$python" -c 'import softalign; softalign.presets()' || fail "softalign needs PyTorch"
same "without PyTorch" "ImportError: blocked" \
    "$(PYTHONPATH=$PWD/blocked:$PYTHONPATH "$python" -c 'import softalign; softalign.torch' 2>&1 | tail -n 1)"
same "another attribute" "AttributeError: module 'softalign' has no attribute 'tensor'" \
    "$("$python" -c 'import softalign; softalign.tensor' 2>&1 | tail -n 1)"
finish
