# Sourced by every lesson. A lesson works in a folder of its own, shows its commands, measures what it
# claims, and ends with pictures and with a paragraph for the class. The commands that it shows make
# every file but charts: what is computed behind them is only drawn or printed.
set -euo pipefail
export LC_ALL=C.UTF-8
lessons=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
here=$(printf %q "$lessons") # in the words of a shell, for lines that are shown and run
name=$(basename "$0")

more_usage="

Usage: $0 [--short] [--no-answers] [--list] [--overwrite] [--softalign PROGRAM] [--out DIR]

  --short              fewer updates: seconds, and the claim still shows (what the tests run)
  --no-answers         the page has the questions and the exercise only: a hand-out for students
  --list               print the commands up to what is measured, and run none
  --softalign PROGRAM  use this program; if not given, build/release/softalign, which a lesson
                       of a clone builds, or the installed one
  --out DIR            where the lesson makes its own folder, DIR/$name; if not given,
                       build/lessons of the clone, or lessons in this folder
  --overwrite          delete what is in that folder; else the lesson refuses it"
. "$lessons/../dev/usage.sh"

short=no questions='' overwrite=no list=no command='' out=''
while [ $# -gt 0 ]; do
    case $1 in
    --short) short=yes ;;
    --no-answers) questions=' questions' ;;
    --overwrite) overwrite=yes ;;
    --list) list=yes ;;
    --softalign | --out)
        [ $# -ge 2 ] || wrong_usage "$1 needs a value"
        if [ "$1" = --out ]; then out=$(realpath -m "$2"); else command=$(realpath -m "$2"); fi
        shift
        ;;
    *) unknown "$1" ;;
    esac
    shift
done

. "$lessons/show.sh"
if [ $list = yes ]; then
    listing=$(mktemp -d) command=softalign
    out=$listing
    trap 'rm -rf "$listing"' EXIT
    exec 3>&1 >/dev/null 2>&1
    set +eu
    title() { [ "$1" != Measured ] || exit 0; }
    softalign() { run "softalign$(quoted "$@")"; }
    run() { printf '%s\n' "$1" >&3; }
fi
out=${out:-$PWD/${results}lessons}/$name
new_folder "$out" ", --out DIR takes another"
[ -n "$command" ] || { build_softalign && command=$(realpath "$program"); }
shown=softalign
cd "$out"
title "Lesson $name"
printf '$ mkdir -p%s && cd%s && export PATH=%s:$PATH\n' "$(quoted "$out")" "$(quoted "$out")" \
    "$(quoted "$(dirname "$command")" | cut -c 2-)" >&2
run "$here/page-notes $name$questions > notes.md"

# brief FULL SHORT: the one or, with --short, the other.
brief() { if [ "$short" = yes ]; then echo "$2"; else echo "$1"; fi; }

# updates N [OPTION...]: as settings of a training, so that it makes N whatever the machine.
updates() { echo "--steps $* --epochs 0 --patience 0 --max-time 0 --shards 2"; }

# json NAME FILE: a figure of a JSON object that softalign wrote.
json() { sed -n "s/.*\"$1\": *\([-0-9.e]*\).*/\1/p" "$2"; }

# band HISTORY MODEL WORDS: BLEU of sources of that many words ("11-15"), of a comparison.
band() { awk -F , -v model="$2" -v words="$3" '$1 == model && $3 == words { print $5 }' "$1/bylength.csv"; }

# measured NAME FIGURE WHAT...: a line of the lesson's result, which the tests read.
measured() {
    local name=$1 figure
    figure=$(awk -v x="$2" 'BEGIN { printf x ~ /^-?[0-9]+$/ ? "%d" : "%.4g", x }')
    shift 2
    printf 'measured  %-18s %10s  %s\n' "$name" "$figure" "$*"
}

# bars FILE TITLE: lines of "label TAB figure" as bars, on the screen and as an SVG picture.
bars() {
    python3 "$lessons/bars.py" "$1" "$2"
}

# look FILE...: what to open.
look() {
    local file
    title "Look at"
    for file; do printf 'look  %s\n' "$out/$file"; done
}

# What to see: standard input; and what to ask the class: the questions of the lesson's page.
tell() {
    title "For the class"
    { cat && printf 'What to ask: ' && sed -n 's/^Question: //p' notes.md | paste -sd ' '; } | fold -s -w 80
}
