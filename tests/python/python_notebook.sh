#!/bin/bash
# corpora/lesson-3.ipynb runs from top to bottom, here with shorter trainings.
. "$(dirname "$0")/../support/cli.sh"
need jupyter
kernel=$(jupyter --paths | sed -n 's|^ *\(/.*\)|\1/kernels/python3|p' | xargs -d '\n' ls -d 2>/dev/null)
[ "$kernel" ] && jupyter nbconvert --version >out 2>&1 || {
    echo "jupyter has no nbconvert or no kernel for Python: skipped"
    exit 77
}
mkdir bin
ln -s "$softalign" bin/softalign
PATH=$PWD/bin:$PATH
SOFTALIGN_LIBRARY=$(dirname "$softalign")/libsoftalign.so.0.2
export PATH SOFTALIGN_LIBRARY PYTHONPATH=$root/scripts/python PYTHONDONTWRITEBYTECODE=1 JUPYTER_PLATFORM_DIRS=1
export HOME=$PWD/home IPYTHONDIR=$PWD/ipython

sed -E 's/(steps|valid_every)=[0-9]+/\1=4/g; s/--pairs 4000/--pairs 200/; s/--pairs 200 --split/--pairs 12 --split/' \
    "$root/corpora/lesson-3.ipynb" >lesson.ipynb
jupyter nbconvert --to html --execute lesson.ipynb >out 2>&1 || fail "$(tail -n 20 out)"
# Two trainings, an alignment and a comparison show themselves.
same "frames of the notebook" 4 "$(grep -o '<iframe srcdoc=' lesson.html | wc -l)"
grep -q '0\.[0-9]* after one update, 0\.[0-9]* at the end' lesson.html || fail "the notebook measures nothing"
grep -q '"outputs": \[$' "$root/corpora/lesson-3.ipynb" && fail "the notebook holds outputs: strip them"
finish
