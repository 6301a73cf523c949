/* scripts: the script of a letter. */
#ifndef SA_DATA_SCRIPTS_H
#define SA_DATA_SCRIPTS_H

#include <softalign.h>

/* Scripts in the order of sa_script_name; letters of all others are SA_SCRIPT_OTHER. Kana count as
 * Han, because Japanese mixes both. */
enum { SA_SCRIPT_OTHER = 0, SA_SCRIPT_LATIN = 1, SA_SCRIPTS = 16 };

/* "other", "latin", "greek", "cyrillic" ...; NULL after the last. */
const char *sa_script_name(size_t row);

int sa_script_find(uint32_t code);

/* Adds the letters of a text (valid UTF-8) to counts [SA_SCRIPTS]; a Han or Hangul character counts
 * as three letters. */
void sa_script_count(const char *text, size_t size, size_t *counts);

/* Whether most letters of the targets belong to scripts that put no spaces between words (Han and
 * kana, Thai, Lao, Khmer, Burmese, Tibetan), and there are none: text that is segmented has them.
 */
bool sa_targets_lack_spaces(const sa_corpus *corpus);

/* What to tell the user then. */
#define SA_UNSPACED_NOTE                                                                           \
    "there are no spaces between the words of the targets: BLEU takes whole clauses for words; "   \
    "--tokenize char counts characters"

#endif
