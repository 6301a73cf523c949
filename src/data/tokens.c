#include "data/tokens.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int sa_token_compare(sa_token a, sa_token b) {
    const int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Bytes of the longest run of grapheme clusters that fits into a token; if not even one does (very
 * many combining marks), of code points. Looks at most one code point beyond the limit, so that
 * splitting takes linear time. size > SA_TOKEN_MAX. */
static size_t fitting_prefix(const char *text, size_t size) {
    const size_t reach = size < SA_TOKEN_MAX + 4 ? size : SA_TOKEN_MAX + 4;
    size_t part = 0, next;
    while ((next = sa_utf8_grapheme_size(text + part, reach - part)) + part <= SA_TOKEN_MAX)
        part += next;
    if (part) return part;
    for (part = SA_TOKEN_MAX; ((unsigned char)text[part] & 0xc0) == 0x80;) part--;
    return part;
}

bool sa_tokens_add(sa_tokens *tokens, const char *text, size_t size, sa_error *error) {
    if (!sa_reserve(&tokens->token, &tokens->capacity, tokens->count + 1, sizeof *tokens->token,
                    error))
        return false;
    tokens->token[tokens->count++] = (sa_token){text, size};
    return true;
}

bool sa_tokens_push_split(sa_tokens *tokens, const char *text, size_t size, sa_error *error) {
    while (size) {
        const size_t part = size > SA_TOKEN_MAX ? fitting_prefix(text, size) : size;
        if (!sa_tokens_add(tokens, text, part, error)) return false;
        text += part, size -= part;
    }
    return true;
}

void sa_tokens_release(sa_tokens *tokens) {
    free(tokens->token);
    *tokens = (sa_tokens){0};
}
