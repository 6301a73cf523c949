# Joins the parts of the report (src/page) and the rows of the history into one page, allows its script and style by
# their hashes, and writes what stands before and behind the data as two C arrays.
#
#   cmake -DFOLDER=src/page -DOUT=page_text.c -P embed_page.cmake

cmake_minimum_required(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/embed_text.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/hash_of.cmake)

function(add_text name text)
  file(WRITE ${OUT}.part "${text}")
  add_array(${name} ${OUT}.part)
  file(REMOVE ${OUT}.part)
endfunction()

set(script "")
foreach(part dom report/data chart matrix player report/viewer report/history report/list report/film report/place
    report/scatter report/main)
  file(READ ${FOLDER}/${part}.js text)
  string(APPEND script "${text}\n")
endforeach()
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/report/report.html page)

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@script-hash@" "${script_hash}" page "${page}")
string(REPLACE "@style-hash@" "${style_hash}" page "${page}")
string(REPLACE "@style@" "${style}" page "${page}")
file(READ ${CMAKE_CURRENT_LIST_DIR}/../lessons/history.tsv history)
string(REPLACE "@history@" "${history}" page "${page}")
string(REPLACE "@script@" "${script}" page "${page}")
string(FIND "${page}" "@data@" at)
math(EXPR behind "${at} + 6")
string(SUBSTRING "${page}" 0 ${at} before)
string(SUBSTRING "${page}" ${behind} -1 after)

file(WRITE ${OUT} "/* Made from src/page: change those. */\n#include \"report/html_report.h\"\n\n")
add_text(sa_page_before "${before}")
add_text(sa_page_after "${after}")
