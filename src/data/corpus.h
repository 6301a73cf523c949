/* corpus: word alignments and selections of corpora (opening them: softalign.h). */
#pragma once

#include "base/batch.h"
#include "base/file.h"

/* Opens pairs. sources: only these are needed; targets may be missing, and are "" then. */
bool sa_corpus_open_any(sa_corpus *corpus, const char *path, const char *columns, bool sources,
                        sa_error *error);

/* Copies the pairs that `use` marks, so that the text of the others can be freed; name, note and
 * counts of lines stay the same. SA_LIMIT: out of memory. Close it with sa_corpus_close. */
bool sa_corpus_select(sa_corpus *part, const sa_corpus *corpus, const bool *use, sa_error *error);

/* Returns a hash of all texts in order; with `gold`, also of the alignments. */
uint64_t sa_corpus_hash(const sa_corpus *corpus, bool gold);

/* ---- Word alignments ------------------------------------------------------------------------- */

/* Pharaoh format: "0-0 1-2 2p1". Each link is a source and a target position, counted from 0; '-'
 * marks a sure link, 'p' a possible one.
 *
 * Parses the links of a line in their order; blank text has none. SA_DATA names the malformed link;
 * the caller adds file and line. Free *links with free(). */
bool sa_links_parse(const char *text, sa_link **links, size_t *count, sa_error *error);

/* Returns the size of the number and tab at the beginning of a line, or 0. */
size_t sa_line_number_size(const char *line);

/* Parses a line of an alignment file, which may begin with a number and a tab and whose positions
 * count from `base`. SA_DATA, also if a position is below `base`. */
bool sa_links_parse_line(const char *line, int base, sa_link **links, size_t *count,
                         sa_error *error);

/* Parses the gold links of a pair of the corpus with `sources` and `targets` tokens. SA_DATA, with
 * file and line: a link is beyond them. Free *links with free(). */
bool sa_links_parse_gold(const sa_corpus *corpus, const sa_pair *pair, int sources, int targets,
                         sa_link **links, size_t *count, sa_error *error);

/* Opens a file with a line of links in Pharaoh format for each sentence. A file in NAACL's format
 * ("sentence source target [S|P] [confidence]" by sentence, counted from 1, 0 for no word; usually
 * named .wa) is turned into such lines, whose positions count from `base`: `lines` of them or, with
 * 0, up to its last sentence; then *open_end is set, since later sentences may have no links.
 * open_end may be NULL. SA_DATA names a line that does not have that format, or whose
 * sentence is beyond `lines` or before the sentence of the line above. */
bool sa_link_file_open(sa_text_lines *reader, const char *path, size_t lines, int base,
                       bool *open_end, sa_error *error);
