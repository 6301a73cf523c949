# Joins the parts of the playground (src/web/page*, with what it shares with src/report/page*) and its
# module into one HTML file that allows its script and style by their hashes.
#
#   cmake -DMODULE=softalign.wasm -DOUT=playground.html -P embed_playground.cmake

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/hash_of.cmake)
set(SOURCES ${CMAKE_CURRENT_LIST_DIR}/../src)

# The text of some files, one after the other.
function(join result)
  set(whole "")
  foreach(name ${ARGN})
    file(READ ${SOURCES}/${name} text)
    string(APPEND whole "${text}\n")
  endforeach()
  set(${result} "${whole}" PARENT_SCOPE)
endfunction()

join(style report/page.css web/page.css)
join(worker web/module.js web/worker.js)
join(script report/page_dom.js web/texts.js web/texts_tour.js web/page_worker.js web/page_state.js
  report/page_chart.js report/page_matrix.js report/page_player.js web/page_watch.js web/page_past.js web/page_pairs.js
  web/page_training.js web/page_settings.js web/page_inside.js web/page_files.js web/page_tour.js web/page_stage.js web/page.js)
join(page web/page.html)
execute_process(COMMAND gzip -9nc ${MODULE} COMMAND base64 -w 0 OUTPUT_VARIABLE module COMMAND_ERROR_IS_FATAL ANY)

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@script-hash@" "${script_hash}" page "${page}")
string(REPLACE "@style-hash@" "${style_hash}" page "${page}")
foreach(part style worker module script)
  string(REPLACE "@${part}@" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUT} "${page}")
