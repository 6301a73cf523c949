# Writes the problems of src/metrics/diagnostics.txt, which explains its lines, as a C table, and
# the names of its rows.
#
#   cmake -DIN=src/metrics/diagnostics.txt -DOUT=diagnostics_table.c -DROWS=diagnostic_rows.h -P embed_diagnostics.cmake

cmake_minimum_required(VERSION 3.25)

file(READ ${IN} text)
string(FIND "${text}" "\n= " first)
string(SUBSTRING "${text}" ${first} -1 text)
string(REGEX REPLACE "([\"\\])" "\\\\\\1" text "${text}")
set(rows "")
set(names "")
set(lesson "")
while(text MATCHES "^\n+= ([^\n]+)\nfrom ([0-9.]+) ?([a-z]*)\n([^\n]+)\n([^\n]+)\n([^=]*)")
  string(LENGTH "${CMAKE_MATCH_0}" size)
  set(name "${CMAKE_MATCH_1}")
  set(least ${CMAKE_MATCH_2})
  string(TOUPPER "SA_CASE_${CMAKE_MATCH_3}" cases)
  set(measure "${CMAKE_MATCH_4}")
  set(brief "\"${CMAKE_MATCH_5}\"")
  string(STRIP "${CMAKE_MATCH_6}" own)
  if(own)
    string(REPLACE "\n" " \"\n     \"" lesson "${own}")
  endif()
  string(SUBSTRING "${text}" ${size} -1 text)
  string(PREPEND text "\n")
  string(REGEX REPLACE "_$" "_NONE" cases ${cases})
  string(REPLACE "\"-\"" NULL brief "${brief}")
  string(TOUPPER "${name}" row)
  string(REGEX REPLACE "[^A-Z]+" "_" row "${row}")
  string(APPEND names "    SA_DIAGNOSTIC_${row},\n")
  string(APPEND rows "    [SA_DIAGNOSTIC_${row}] =\n    {\"${name}\", \"${measure}\",\n"
    "     ${least}, ${cases}, ${brief},\n     \"${lesson}\"},\n")
endwhile()
if(NOT text MATCHES "^\n*$")
  message(FATAL_ERROR "diagnostics.txt: not a problem: ${text}")
endif()
file(WRITE ${ROWS} "/* Made from src/metrics/diagnostics.txt: change that. */\n"
  "enum {\n${names}    SA_DIAGNOSTICS,\n};\n")
file(WRITE ${OUT} "/* Made from src/metrics/diagnostics.txt: change that. */\n#include \"metrics/diagnostics.h\"\n
const sa_diagnostic sa_diagnostics[SA_DIAGNOSTICS] = {\n${rows}};\n")
