/* corpus: some pairs of an opened corpus as a corpus of their own. */
#ifndef SA_DATA_CORPUS_H
#define SA_DATA_CORPUS_H

#include "softalign.h"

/* Copies the pairs that `use` marks, so that the others' text can be freed: the same name, note and
 * numbers of lines. SA_LIMIT: out of memory. Freed by sa_corpus_close. */
bool sa_corpus_select(sa_corpus *part, const sa_corpus *corpus, const bool *use, sa_error *error);

#endif
