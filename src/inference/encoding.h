/* encoding: texts as token ids, and the tokens as they were spelled in the text. */
#ifndef SA_INFERENCE_ENCODING_H
#define SA_INFERENCE_ENCODING_H

#include "base/batch.h"
#include "inference/model.h"

/* Encodes `count` texts; text i is at *(const char **)((const char *)first + i * stride), so that
 * one side of an array of pairs can be given. A text of more than max_len tokens gets its length,
 * but no ids. Freed by sa_sentences_release. */
sa_sentence *sa_encode_texts(const sa_text_codec *codec, int max_len, const char *const *first,
                             size_t stride, size_t count, sa_error *error);
/* Adds the extended ids of a model that copies to its encoded source texts and, where there are
 * targets (NULL: none), to theirs; other models need none. */
bool sa_extend_texts(const sa_model *model, const char *const *source_text,
                     const char *const *target_text, size_t stride, size_t count,
                     sa_sentence *source, sa_sentence *target, sa_error *error);
void sa_sentences_release(sa_sentence *sentences, size_t count);

/* Whether the model reads sentences as long as those of the pairs, either side of which may be
 * NULL. SA_LIMIT names the first line that is too long, in the file `name` (NULL: unknown). */
bool sa_check_lengths(const sa_model *model, const char *name, const sa_pair *pairs, size_t count,
                      sa_error *error);

/* The tokens of a sentence as the text spells them, EOS last. One block of memory, freed with
 * free(). */
const char **sa_surface_words(const sa_text_codec *codec, const char *text,
                              const sa_sentence *sentence, sa_error *error);

/* Terminated copies of tokens. One block of memory, freed with free(). */
const char **sa_token_texts(const sa_token *token, size_t count, sa_error *error);

/* A reference as the model could generate it: in lower case if the codec lowercases. Freed with
 * free(). */
char *sa_reference_text(const sa_text_codec *codec, const char *text, sa_error *error);

#endif
