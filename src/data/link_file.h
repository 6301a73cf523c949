/* link_file: files of word alignments, in Pharaoh format or that of the shared task of NAACL 2003.
 */
#pragma once

#include "base/file.h"

/* Opens a file with a line of links in Pharaoh format for each sentence. One in NAACL's format
 * ("sentence source target [S|P] [confidence]" by sentence, counted from 1, 0 for no word; usually
 * named .wa) is read as such lines, whose positions count from `base`: `lines` of them, or with 0
 * up to its last sentence. SA_DATA names a line that is not of its format, or whose sentence is
 * beyond or before that of the line above. */
bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       sa_error *error);
