#!/bin/bash
# A table of words that is malformed does not become a program: scripts/dev/embed says what is wrong.
set -u
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/src/synth"

# The table with an edit (of sed), and what is said about it.
expect() {
    rm -f "$folder/words_table.c"
    sed -E "$1" src/synth/words.tsv >"$folder/src/synth/words.tsv"
    cmp -s src/synth/words.tsv "$folder/src/synth/words.tsv" && [ "$1" != '' ] && echo "no edit: $1" && exit 1
    said=$(scripts/dev/embed --root "$folder" "$folder" words 2>&1)
    case $said in
    *"$2"*) ;;
    *) echo "'$1' gives '$said', not '$2'" && exit 1 ;;
    esac
    [ "$1" = '' ] || [ ! -e "$folder/words_table.c" ] || { echo "'$1' is accepted" && exit 1; }
}

expect '' ''
[ -s "$folder/words_table.c" ] || { echo 'the table itself is refused' && exit 1; }
expect 's/^(cat\t.*)animal/\1anmial/' "words.tsv: unknown word ANMIAL, in the list 'noun': cat"
expect 's/^(cat\t.*)animal/\1feminine/' "words.tsv: unknown word FEMININE, in the list 'noun': cat"
expect 's/^(cat\t.*)\t-$/\1/' "words.tsv: 7 columns instead of 8, in the list 'noun': cat"
expect 's/^cat\t/cat\t-\t/' "words.tsv: 9 columns instead of 8, in the list 'noun': cat"
expect 's/^cat\tcats/cat\t/' "words.tsv: empty or too long, in the list 'noun': cat"
expect 's/^cat\tcats/cat\taaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/' "words.tsv: empty or too long, in the list 'noun'"
expect 's/^cat\tcats/cat\tca"ts/' "words.tsv: a quote or backslash, in the list 'noun'"
expect 's/^english\tplural/english\tplurals/' "words.tsv: unknown column plurals, in the list 'noun'"
expect 's/^\[adjective\]/[noun]/' "words.tsv: a second list of that name, in the list 'noun'"
expect 's/^\[name\]/[name]\nenglish\n[other]/' "words.tsv: no words, in the list 'name'"
expect 's/^\[transitive\]//' "words.tsv: no list before"
