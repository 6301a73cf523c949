/* wording: the user's texts as the models' numbers, and the user's own words for them. */
#ifndef SA_WORDING_H
#define SA_WORDING_H

#include "base/batch.h"
#include "data/dataset.h"

/* Encodes a side of pairs or plain texts; each text is at *(const char **)(first + i * stride).
 * NULL on failure. */
sa_sentence *sa_encode_texts(const sa_text_codec *codec, const char *const *first, size_t stride,
                             size_t count, sa_error *error);
void sa_sentences_release(sa_sentence *sentences, size_t count);

/* The user's own words of one side, terminated, the end mark last. One block of memory, freed with
 * free(). */
const char **sa_surface_words(const sa_text_codec *codec, const char *text,
                              const sa_sentence *sentence, sa_error *error);

/* Copies of some tokens, terminated, in one block likewise. */
const char **sa_token_texts(const sa_token *token, size_t count, sa_error *error);

/* The reference as the model is able to write it: in lower case when that is how it reads. Freed
 * with free(); NULL on failure. */
char *sa_coder_reference(const sa_text_codec *codec, const char *text, sa_error *error);

#endif
