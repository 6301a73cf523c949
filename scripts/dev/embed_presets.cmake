# Writes the presets of src/config/presets.txt as a C table.
#
#   cmake -DIN=src/config/presets.txt -DOUT=presets.c -P embed_presets.cmake

cmake_minimum_required(VERSION 3.25)

file(READ ${IN} text)
string(FIND "${text}" "\n= " first)
string(SUBSTRING "${text}" ${first} -1 text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
string(REGEX REPLACE "\n     \"= ([a-z0-9-]+)\\\\n\"" "},\n    {\"\\1\"," text "${text}")
string(FIND "${text}" "{" first) # behind the end of a preset that there is not
string(SUBSTRING "${text}" ${first} -1 text)
file(WRITE ${OUT} "/* Made from src/config/presets.txt: change that. */\n#include \"config/settings.h\"\n
#include <stddef.h>\n\nconst sa_preset sa_presets[] = {\n    ${text}\"},\n    {NULL, NULL},\n};\n")
