# Writes a text as a C array that ends with a 0.
#
#   cmake -DTEXT=src/cli/help.md -DNAME=cli_help_text -DOUT=help_text.c -P embed_text.cmake

cmake_minimum_required(VERSION 3.25)

# Appends the array `name` with the bytes of the file `text` to the file OUT.
function(add_array name text)
  file(READ ${text} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REPEAT "0x..," 16 row)
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  file(APPEND ${OUT} "const unsigned char ${name}[] = {\n${bytes}0x00};\n")
endfunction()

if(TEXT)
  file(WRITE ${OUT} "/* Made from ${TEXT}: change that. */\nextern const unsigned char ${NAME}[];\n")
  add_array(${NAME} ${TEXT})
endif()
