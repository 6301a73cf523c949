/* encoding: texts as token ids, tokens as words, and alignments of words as links of tokens. */
#pragma once

#include "data/text_codec.h"

/* Encodes `count` texts; text i is at *(const char **)((const char *)first + i * stride), so that
 * one side of an array of pairs can be given. A text of more than max_len tokens gets its length,
 * but no ids. Free them with sa_sentences_release. */
sa_sentence *sa_encode_texts(const sa_text_codec *codec, int max_len, const char *const *first,
                             size_t stride, size_t count, sa_error *error);
/* Encodes both sides of pairs, with extended ids if `copy`. codec: of the source and of the target.
 * Release them with sa_sentences_release, even after a failure. */
bool sa_encode_pairs(const sa_text_codec *const codec[2], int max_len, bool copy,
                     const sa_pair *pairs, size_t count, sa_sentence **source, sa_sentence **target,
                     sa_error *error);
void sa_sentences_release(sa_sentence *sentences, size_t count);

/* Adds the extended ids that copying needs to encoded source texts and, where there are targets
 * (NULL: none), to theirs. Words are compared by spelling. Source words that the target vocabulary
 * lacks are numbered from its size on, the same number for the same word; target words found in
 * neither are SA_UNK. codec: of the source and of the target. */
bool sa_extend_texts(const sa_text_codec *const codec[2], const char *const *source_text,
                     const char *const *target_text, size_t stride, size_t count,
                     sa_sentence *source, sa_sentence *target, sa_error *error);

/* Returns the tokens of a sentence as the text spells them, EOS last. They are one block of memory;
 * free it with free(). */
const char **sa_surface_words(const sa_text_codec *codec, const char *text,
                              const sa_sentence *sentence, sa_error *error);

/* Returns the word of an id: a word of the vocabulary or, beyond it, one of the source that was
 * copied from, whose `words` are as the text spells them. */
sa_token sa_word_of(const sa_vocab *vocab, int32_t id, const sa_sentence *source,
                    const char *const *words);

/* Returns terminated copies of tokens. They are one block of memory; free it with free(). */
const char **sa_token_texts(const sa_token *token, size_t count, sa_error *error);

/* Returns a reference as the model could generate it: in lower case if the codec lowercases. Free
 * it with free(). */
char *sa_reference_text(const sa_text_codec *codec, const char *text, sa_error *error);

/* ---- Subwords and words ---------------------------------------------------------------------- */

/* The word of each token of a text, EOS included. */
typedef struct sa_token_words {
    int *word; /* [tokens] */
    int tokens, words;
} sa_token_words;

/* Fills in the words of both sides of a pair; free each with sa_token_words_release. */
bool sa_token_words_make(const sa_text_codec *from, const sa_text_codec *to, const sa_pair *pair,
                         sa_token_words *source, sa_token_words *target, sa_error *error);
void sa_token_words_release(sa_token_words *words);

/* Replaces links between words by links between all their subwords; links to positions without a
 * word are dropped. */
bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error);

/* ---- Gold alignments ------------------------------------------------------------------------- */

/* Returns the links of pairs[which[i]] (which NULL: of pairs[i]), all of which have an alignment,
 * between the tokens of the codecs. With a corpus, SA_DATA names a link outside its sentences;
 * without (NULL) such links are kept. Free them with sa_gold_release. */
sa_gold_alignment *sa_gold_make(const sa_text_codec *source, const sa_text_codec *target,
                                const sa_corpus *corpus, const sa_pair *pairs, const size_t *which,
                                size_t count, sa_error *error);
void sa_gold_release(sa_gold_alignment *gold, size_t count);

/* Sets *sentences to those in which the tokenizers of the settings split more than blanks do, if no
 * link reaches beyond the words between blanks in any; 0: they are few, or links count tokens. */
bool sa_gold_counts_blanks(const sa_corpus *corpus, const sa_settings *settings, size_t *sentences,
                           sa_error *error);
#define SA_GOLD_COUNTS_BLANKS                                                                      \
    "%s: its links seem to count words between blanks; in %zu sentences the model has more "       \
    "tokens, such as punctuation: use --tokenizer space, or put blanks there"
