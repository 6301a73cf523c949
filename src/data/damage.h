/* damage: texts that were read in the wrong encoding, or that something else has broken. */
#ifndef SA_DATA_DAMAGE_H
#define SA_DATA_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text has bytes that are no UTF-8, a control character, the replacement character
 * U+FFFD, or UTF-8 that was once taken for Latin-1 or Windows-1252: "Ã©" for "é", "â€™" for "’". */
bool sa_encoding_is_broken(const char *text, size_t size);

#endif
