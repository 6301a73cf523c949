# Joins the parts of the playground (src/page) and its
# module into one HTML file that allows its script and style by their hashes.
#
#   cmake -DMODULE=softalign.wasm -DOUT=playground.html -P embed_playground.cmake

cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/hash_of.cmake)
set(SOURCES ${CMAKE_CURRENT_LIST_DIR}/../../src/page)

# The text of some files, one after the other.
function(join result)
  set(whole "")
  foreach(name ${ARGN})
    file(READ ${SOURCES}/${name} text)
    string(APPEND whole "${text}\n")
  endforeach()
  set(${result} "${whole}" PARENT_SCOPE)
endfunction()

join(style page.css playground/playground.css)
join(worker playground/module.js playground/worker.js)
join(script dom.js playground/texts.js playground/texts_tour.js playground/engine.js playground/state.js
  chart.js matrix.js player.js playground/watch.js playground/past.js playground/pairs.js
  playground/training.js playground/settings.js playground/inside.js playground/files.js playground/tour.js playground/stage.js playground/main.js)
join(page playground/playground.html)
execute_process(COMMAND gzip -9nc ${MODULE} COMMAND base64 -w 0 OUTPUT_VARIABLE module COMMAND_ERROR_IS_FATAL ANY)

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@script-hash@" "${script_hash}" page "${page}")
string(REPLACE "@style-hash@" "${style_hash}" page "${page}")
foreach(part style worker module script)
  string(REPLACE "@${part}@" "${${part}}" page "${page}")
endforeach()
file(WRITE ${OUT} "${page}")
