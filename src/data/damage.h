/* damage: detects text in a wrong encoding and other broken characters. */
#ifndef SA_DATA_DAMAGE_H
#define SA_DATA_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text is not UTF-8 or contains a control character, the replacement character U+FFFD, or
 * UTF-8 that was decoded as Latin-1 or Windows-1252: "Ã©" for "é", "â€™" for "’". */
bool sa_encoding_is_broken(const char *text, size_t size);

#endif
