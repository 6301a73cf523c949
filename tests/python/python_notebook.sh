#!/bin/bash
# The notebooks run from top to bottom, here with shorter trainings.
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

# A notebook: with how many pages that show themselves, and a line that it prints.
table='own-pairs|2|expected: le chien noir
lesson-2|2|^$
lesson-3|4|0\.[0-9]* after one update, 0\.[0-9]* at the end
lesson-6|0|shift:1: BLEU [0-9]
lesson-10|1|one head: BLEU [0-9.]+, AER [01]\.
lesson-12|1|bahdanau:scaled-dot'
same "notebooks" "$(cd "$root/corpora" && echo *.ipynb)" "$(sed 's/|.*/.ipynb/' <<<"$table" | sort | paste -sd ' ')"
for name in "$root"/corpora/*.ipynb; do
    notebook "${name##*/}"
    ! grep -q '"outputs": \[$' "$name" || fail "$name holds outputs: strip them"
done
jupyter nbconvert --to html --execute *.ipynb >out 2>&1 || fail "$(tail -n 20 out)"
while IFS='|' read -r name frames line; do
    same "frames of $name" "$frames" "$(grep -o '<iframe srcdoc=' $name.html | wc -l)"
    grep -qE "$line" $name.html || fail "$name measures nothing"
done <<<"$table"
finish
