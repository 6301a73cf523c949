# Writes the gradient faults of src/lab/gradient_faults.tsv as a C table, while cmake configures:
# ROOT is the project's folder, FAULT_TABLE becomes the file that is written.

set(FAULT_TABLE ${CMAKE_CURRENT_BINARY_DIR}/gradient_faults_table.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ROOT}/src/lab/gradient_faults.tsv)
file(STRINGS ${ROOT}/src/lab/gradient_faults.tsv rows ENCODING UTF-8 REGEX "^[^#]")
list(TRANSFORM rows REPLACE "\tscore ([A-Z_]+) ([A-Z_]+) ([A-Z_]+)"
  "\tscore \\1 \\3, .other = &sa_scores[SA_ATTENTION_\\2],")
list(TRANSFORM rows REPLACE "\tscore ([A-Z_]+) ([A-Z_]+),?"
  "\t.score = &sa_scores[SA_ATTENTION_\\1], .result = SA_FAULT_\\2,")
list(TRANSFORM rows REPLACE "\tpart ([a-z0-9_]+) ([A-Z]+) ([A-Z]+)"
  "\t.part = &sa_\\1_part, .place = SA_PLACE_\\2, .result = SA_FAULT_\\3,")
list(TRANSFORM rows REPLACE "^([^\t]+)\t([^\t]+)\t?([^\t]*)\t?(.*)$" "    {\"\\1\", \"\\2\", \"\\3\", \\4},")
list(JOIN rows "\n" rows)
file(CONFIGURE OUTPUT ${FAULT_TABLE} @ONLY CONTENT "/* Made from src/lab/gradient_faults.tsv: change that. */
#include \"lab/gradient_faults.h\"\n\n#include <stddef.h>\n
const sa_gradient_fault sa_gradient_faults[] = {\n${rows}\n    {NULL, NULL, NULL},\n};\n")
