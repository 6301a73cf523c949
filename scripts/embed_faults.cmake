# Writes the gradient faults of src/lab/gradient_faults.tsv as a C table, while cmake configures:
# ROOT is the project's folder, FAULT_TABLE becomes the file that is written.

set(FAULT_TABLE ${CMAKE_CURRENT_BINARY_DIR}/gradient_faults_table.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ROOT}/src/lab/gradient_faults.tsv)
file(STRINGS ${ROOT}/src/lab/gradient_faults.tsv rows ENCODING UTF-8 REGEX "^[^#]")
list(TRANSFORM rows REPLACE "^([^\t]+)\t([^\t]+)\t?([^\t]*)$" "    {\"\\1\", \"\\2\", \"\\3\"},")
list(JOIN rows "\n" rows)
file(CONFIGURE OUTPUT ${FAULT_TABLE} @ONLY CONTENT "/* Made from src/lab/gradient_faults.tsv: change that. */
#include \"lab/gradient_faults.h\"\n\n#include <stddef.h>\n
const sa_gradient_fault sa_gradient_faults[] = {\n${rows}\n    {NULL, NULL, NULL},\n};\n")
