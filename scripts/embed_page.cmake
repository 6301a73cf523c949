# Joins the parts of the report (src/report/page*) into one page, allows its script and style by
# their hashes, and writes what stands before and behind the data as two C arrays.
#
#   cmake -DFOLDER=src/report -DOUT=page_text.c -P embed_page.cmake

cmake_minimum_required(VERSION 3.25)

# The SHA-256 of a text as base64, as a Content-Security-Policy wants it.
function(hash_of text result)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  set(base64 "")
  foreach(at RANGE 0 63 6) # three bytes, or the last two, are four digits
    string(SUBSTRING "${hex}00" ${at} 6 three)
    math(EXPR number "0x${three}")
    foreach(shift 18 12 6 0)
      math(EXPR place "(${number} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${place} 1 digit)
      string(APPEND base64 "${digit}")
    endforeach()
  endforeach()
  string(SUBSTRING "${base64}" 0 43 base64)
  set(${result} "${base64}=" PARENT_SCOPE)
endfunction()

function(add_array name text)
  file(WRITE ${OUT}.part "${text}")
  file(READ ${OUT}.part bytes HEX)
  file(REMOVE ${OUT}.part)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "0x..," 16 row)
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT} "const unsigned char ${name}[] = {\n${bytes}0x00};\n")
endfunction()

set(script "")
foreach(part dom data chart matrix viewer list film place)
  file(READ ${FOLDER}/page_${part}.js text)
  string(APPEND script "${text}")
endforeach()
file(READ ${FOLDER}/page.js text)
string(APPEND script "${text}")
file(READ ${FOLDER}/page.css style)
file(READ ${FOLDER}/page.html page)

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@script-hash@" "${script_hash}" page "${page}")
string(REPLACE "@style-hash@" "${style_hash}" page "${page}")
string(REPLACE "@style@" "${style}" page "${page}")
string(REPLACE "@script@" "${script}" page "${page}")
string(FIND "${page}" "@data@" at)
math(EXPR behind "${at} + 6")
string(SUBSTRING "${page}" 0 ${at} before)
string(SUBSTRING "${page}" ${behind} -1 after)

file(WRITE ${OUT} "/* Made from src/report/page*: change those. */\n#include \"report/page.h\"\n\n")
add_array(sa_page_before "${before}")
add_array(sa_page_after "${after}")
