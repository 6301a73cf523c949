#!/bin/bash
# Compiles as it is told, unless the build of the tests has compiled the same file with the same words: then it copies that
# object, for a new folder, since it does not tell the headers. CMake calls it if CMAKE_C_COMPILER_LAUNCHER says so.
#   compiled.sh COMPILER WORD...      with $COMPILED, the file of lines "words TAB object"
#   compiled.sh --table FOLDER        prints such lines for a folder that CMake has configured
# Neither warnings as errors nor folders and threads of libraries that no such file includes make a difference.
if [ "$1" = --table ]; then
    exec python3 - "$(realpath "$2")" <<'TABLE'
import json, os, shlex, sys
folder = sys.argv[1]
for each in json.load(open(f"{folder}/compile_commands.json", encoding="utf-8")):
    words, kept, made = shlex.split(each["command"]), [], ""
    while words:
        word = words.pop(0)
        if word == "-isystem":
            words.pop(0)
        elif word == "-o":
            made = words.pop(0)
        elif word not in ("-Werror", "-pthread"):
            kept.append(word.replace(folder, "BUILD"))
    print(" ".join(kept), os.path.join(folder, made), sep="\t")
TABLE
fi
given=("$@") kept=()
while [ $# -gt 0 ]; do
    case $1 in
    -o) object=$2 && shift ;;
    -MT | -isystem) shift ;;
    -MF) needs=$2 && shift ;;
    -MD | -Werror | -pthread) ;;
    *) kept+=("${1//"$PWD"/BUILD}") && source=$1 ;;
    esac
    shift
done
while IFS=$'\t' read -r words made; do
    if [ "$words" = "${kept[*]}" ] && [ -e "$made" ]; then
        cp "$made" "$object" && printf '%s: %s\n' "$object" "$source" >"$needs" && exit
    fi
done < <(grep -F -- " $source	" "$COMPILED")
exec "${given[@]}"
