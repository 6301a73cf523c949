#!/bin/bash
# The notebooks of the lessons run from top to bottom, here with shorter trainings.
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

# A notebook is named LESSON: with how many pages that show themselves, and a line that it prints.
while IFS='|' read -r lesson frames line; do
    notebook=$root/corpora/lesson-$lesson.ipynb
    sed -E 's/(steps|valid_every)=[0-9]+/\1=4/g; s/(corpus [a-z]+)( --pairs 4000)? >/\1 --pairs 200 >/; s/--pairs [0-9]+ --split/--pairs 12 --split/' "$notebook" >lesson.ipynb
    jupyter nbconvert --to html --execute lesson.ipynb >out 2>&1 || { fail "$notebook: $(tail -n 20 out)" && continue; }
    same "frames of lesson $lesson" "$frames" "$(grep -o '<iframe srcdoc=' lesson.html | wc -l)"
    grep -qE "$line" lesson.html || fail "lesson $lesson measures nothing"
    ! grep -q '"outputs": \[$' "$notebook" || fail "$notebook holds outputs: strip them"
done <<'LESSONS'
2|2|^$
3|4|0\.[0-9]* after one update, 0\.[0-9]* at the end
6|0|shift:1: BLEU [0-9]
10|1|one head: BLEU [0-9.]+, AER [01]\.
12|1|bahdanau:scaled-dot
LESSONS
finish
