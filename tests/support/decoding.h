/* Token ids as text. */
#ifndef SUPPORT_DECODING_H
#define SUPPORT_DECODING_H

#include "data/text_codec.h"

/* Appends the detokenized text of token ids, without EOS. */
static inline void decode_ids(const sa_text_codec *codec, const int32_t *ids, int len,
                              sa_buffer *out) {
    sa_token tokens[256];
    size_t count = 0;
    for (int i = 0; i < len; i++)
        if (ids[i] != SA_EOS) tokens[count++] = sa_vocab_token(&codec->vocab, ids[i]);
    sa_tokenizer_join(codec->tokenizer, tokens, count, &codec->spacing, out);
}

#endif
