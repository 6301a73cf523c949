/* link_file: files of word alignments, in Pharaoh format or in the format of the shared task at
 * NAACL 2003. */
#pragma once

#include "base/file.h"

/* Opens a file with a line of links in Pharaoh format for each sentence. A file in NAACL's format
 * ("sentence source target [S|P] [confidence]" by sentence, counted from 1, 0 for no word; usually
 * named .wa) is turned into such lines, whose positions count from `base`: `lines` of them or, with
 * 0, up to its last sentence; then *open_end is set, since later sentences may have no links.
 * open_end may be NULL. SA_DATA names a line that does not have that format, or whose
 * sentence is beyond `lines` or before the sentence of the line above. */
bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       bool *open_end, sa_error *error);
