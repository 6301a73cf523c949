#include "data/text_codec.h"
#include "base/utf8.h"
#include "data/word_tokenizer.h"

#include <stdlib.h>
#include <string.h>

const char *sa_bpe_name(size_t row) {
    static const char *const names[] = {
        [SA_BPE_JOINT] = "joint", [SA_BPE_SEPARATE] = "separate", NULL};
    return names[row];
}

/* ---- Subwords -------------------------------------------------------------------------------- */

/* The size of the first characters of `spelling` that correspond to `bytes` bytes of `text`. */
static size_t matching_size(const char *spelling, size_t size, const char *text, size_t bytes) {
    size_t at = 0;
    for (size_t i = 0; i < bytes; i += sa_bpe_character_size(text + i, bytes - i))
        at += at < size ? sa_bpe_character_size(spelling + at, size - at) : 0;
    return at;
}

/* Writes the subwords of a word to `written`, which is large enough, and appends them to the
 * tokens. spelling: the word as written by the user, with the same number of characters. */
static bool add_subwords(sa_bpe_segmenter *segmenter, sa_token word, sa_token spelling,
                         char **written, sa_tokens *tokens, sa_error *error) {
    size_t count;
    const uint32_t *sizes = sa_bpe_segmenter_apply(segmenter, word.text, word.size, &count, error);
    if (!sizes) return false;
    for (size_t i = 0; i < count; i++) {
        const size_t shown = matching_size(spelling.text, spelling.size, word.text, sizes[i]);
        char *end = mempcpy(*written, spelling.text, shown);
        if (i + 1 < count) end = mempcpy(end, SA_SUBWORD_MARK, sizeof SA_SUBWORD_MARK - 1);
        if (!sa_tokens_add(tokens, *written, (size_t)(end - *written), error)) return false;
        *written = end;
        word.text += sizes[i];
        spelling.text += shown, spelling.size -= shown;
    }
    return true;
}

/* Adds the subwords of the lower-case word, in the user's spelling. (Where lower case changes the
 * number of characters, which is very rare, the word itself is segmented.) */
static bool add_cased_subwords(sa_bpe_segmenter *segmenter, sa_token word, char **written,
                               sa_tokens *tokens, sa_error *error) {
    char *lower = sa_utf8_normalize(word.text, word.size, true, error);
    if (!lower) return false;
    const sa_token read = {lower, strlen(lower)};
    const bool same_length =
        read.size <= SA_TOKEN_MAX && sa_bpe_count_characters(read) == sa_bpe_count_characters(word);
    const bool good =
        add_subwords(segmenter, same_length ? read : word, word, written, tokens, error);
    free(lower);
    return good;
}

/* Segments words; the subwords are written into one block of memory. */
static bool segment_words(const sa_text_codec *codec, sa_bpe_segmenter *segmenter,
                          const sa_tokens *words, bool original_case, sa_tokens *tokens,
                          char **block, sa_error *error) {
    size_t bytes = 0;
    sa_bpe_segmenter once = {0};
    for (size_t i = 0; i < words->count; i++)
        bytes += words->token[i].size * sizeof SA_SUBWORD_MARK; /* at most one mark per byte */
    char *written = *block = sa_new(bytes + 1, 1, error);
    bool good = written;
    if (!segmenter) sa_bpe_segmenter_init(segmenter = &once, &codec->bpe);
    for (size_t i = 0; good && i < words->count; i++)
        good = original_case
                   ? add_cased_subwords(segmenter, words->token[i], &written, tokens, error)
                   : add_subwords(segmenter, words->token[i], words->token[i], &written, tokens,
                                  error);
    sa_bpe_segmenter_release(&once);
    if (good) return true;
    free(*block);
    *block = NULL;
    return false;
}

/* ---- Encoding and decoding ------------------------------------------------------------------- */

bool sa_text_codec_equal(const sa_text_codec *one, const sa_text_codec *other) {
    return one->tokenizer == other->tokenizer && one->lowercase == other->lowercase &&
           sa_bpe_equal(&one->bpe, &other->bpe);
}

bool sa_text_codec_split(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                         bool lower, sa_tokens *tokens, char **owned, sa_error *error) {
    sa_tokens words = {0};
    char *lowered = lower ? sa_utf8_normalize(text, strlen(text), true, error) : NULL;
    *owned = lowered;
    if (lower && !lowered) return false;
    if (lower) text = lowered;
    if (!codec->tokenizer->subword)
        return codec->tokenizer->split(text, strlen(text), tokens, error);
    const bool original_case = codec->lowercase && !lower;
    const bool good = codec->tokenizer->split(text, strlen(text), &words, error) &&
                      segment_words(codec, segmenter, &words, original_case, tokens, owned, error);
    if (!good) *owned = NULL;
    sa_tokens_release(&words);
    free(lowered);
    return good;
}

bool sa_text_codec_encode(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                          int32_t **ids, int *len, sa_error *error) {
    sa_tokens tokens = {0};
    char *owned;
    bool good =
        sa_text_codec_split(codec, segmenter, text, codec->lowercase, &tokens, &owned, error);
    *ids = good ? sa_new(tokens.count + 1, sizeof **ids, error) : NULL;
    good = good && *ids;
    if (good) {
        for (size_t i = 0; i < tokens.count; i++)
            (*ids)[i] = sa_vocab_find(&codec->vocab, tokens.token[i].text, tokens.token[i].size);
        (*ids)[tokens.count] = SA_EOS;
        *len = (int)tokens.count + 1;
    }
    sa_tokens_release(&tokens);
    free(owned);
    return good;
}

void sa_text_codec_decode(const sa_text_codec *codec, const int32_t *ids, int len, sa_buffer *out) {
    sa_token *token = sa_new((size_t)len, sizeof *token, NULL);
    size_t count = 0;
    for (int i = 0; token && i < len; i++)
        if (ids[i] != SA_EOS) token[count++] = sa_vocab_token(&codec->vocab, ids[i]);
    if (token) codec->tokenizer->join(token, count, codec->spaced_marks, out);
    out->failed |= !token;
    free(token);
}

void sa_text_codec_release(sa_text_codec *codec) {
    sa_bpe_release(&codec->bpe);
    sa_vocab_release(&codec->vocab);
}

/* ---- Merges from pairs ----------------------------------------------------------------------- */

static bool count_words(sa_word_counts *counts, const sa_text_codec *codec, const char *text,
                        sa_error *error) {
    sa_tokens words = {0};
    char *lowered = codec->lowercase ? sa_utf8_normalize(text, strlen(text), true, error) : NULL;
    bool good = !codec->lowercase || lowered;
    if (lowered) text = lowered;
    good = good && codec->tokenizer->split(text, strlen(text), &words, error);
    for (size_t i = 0; good && i < words.count; i++)
        good = sa_word_counts_add(counts, words.token[i].text, words.token[i].size, error);
    sa_tokens_release(&words);
    free(lowered);
    return good;
}

static bool copy_merges(sa_bpe *to, const sa_bpe *from, sa_error *error) {
    sa_buffer text = {0};
    sa_bpe_write(from, &text);
    const bool good = text.failed ? sa_fail_memory(error, text.size)
                                  : sa_bpe_read(to, text.text, text.size, "merges", error);
    sa_buffer_release(&text);
    return good;
}

/* As in subword-nmt, pairs of symbols must occur at least twice. */
static bool learn_merges(sa_text_codec *codec[2], const sa_corpus *corpus, const bool *use,
                         const sa_settings *settings, sa_error *error) {
    enum { MIN_FREQUENCY = 2 };
    const bool joint = settings->bpe == SA_BPE_JOINT;
    const size_t merges = (size_t)settings->bpe_merges;
    sa_word_counts counts[2] = {0};
    bool good = true;
    for (size_t i = 0; good && i < corpus->count; i++)
        if (!use || use[i])
            good = count_words(&counts[0], codec[0], corpus->pairs[i].source, error) &&
                   count_words(&counts[!joint], codec[1], corpus->pairs[i].target, error);
    good = good && sa_bpe_learn(&codec[0]->bpe, &counts[0], merges, MIN_FREQUENCY, error) &&
           (joint ? copy_merges(&codec[1]->bpe, &codec[0]->bpe, error)
                  : sa_bpe_learn(&codec[1]->bpe, &counts[1], merges, MIN_FREQUENCY, error));
    sa_word_counts_release(&counts[0]), sa_word_counts_release(&counts[1]);
    return good;
}

bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: no pairs left: every one has a side above %d tokens (--max-len)",
                   corpus->name, max_len);
}

/* ---- Vocabularies from pairs ----------------------------------------------------------------- */

/* Counts of one side. */
typedef struct side_counts {
    const sa_text_codec *codec;
    sa_bpe_segmenter segmenter;
    sa_word_counts *tokens; /* shared by both sides with --tie three-way */
    sa_tokens line;         /* of the current sentence */
    int64_t marks;          /* sum of sa_word_count_spaced_marks */
} side_counts;

static bool count_line(side_counts *one, sa_error *error) {
    for (size_t i = 0; i < one->line.count; i++)
        if (!sa_word_counts_add(one->tokens, one->line.token[i].text, one->line.token[i].size,
                                error))
            return false;
    return true;
}

/* Counts the tokens of a pair unless a side is too long. */
static bool count_pair(side_counts sides[2], const sa_pair *pair, size_t max_len, sa_error *error) {
    const char *const text[2] = {pair->source, pair->target};
    char *owned[2] = {NULL, NULL};
    bool good = true;
    for (int i = 0; good && i < 2; i++) {
        side_counts *each = &sides[i];
        each->line.count = 0;
        each->marks += sa_word_count_spaced_marks(text[i], strlen(text[i]));
        good = sa_text_codec_split(each->codec, &each->segmenter, text[i], each->codec->lowercase,
                                   &each->line, &owned[i], error);
    }
    if (good && sides[0].line.count <= max_len && sides[1].line.count <= max_len)
        good = count_line(&sides[0], error) && count_line(&sides[1], error);
    free(owned[0]), free(owned[1]);
    return good;
}

bool sa_text_codecs_build(sa_text_codec *source, sa_text_codec *target, const sa_corpus *corpus,
                          const bool *use, const sa_settings *settings, sa_error *error) {
    sa_text_codec *codec[2] = {source, target};
    sa_word_counts counts[2] = {0};
    side_counts sides[2] = {0};
    for (int i = 0; i < 2; i++)
        *codec[i] = (sa_text_codec){.tokenizer = &sa_tokenizers[settings->tokenizer],
                                    .lowercase = settings->lowercase};
    bool good = !source->tokenizer->subword || learn_merges(codec, corpus, use, settings, error);
    for (int i = 0; i < 2; i++) {
        sides[i] = (side_counts){.codec = codec[i],
                                 .tokens = &counts[settings->tie == SA_TIE_THREE ? 0 : i]};
        sa_bpe_segmenter_init(&sides[i].segmenter, &codec[i]->bpe);
    }
    for (size_t i = 0; good && i < corpus->count; i++)
        if (!use || use[i])
            good = count_pair(sides, &corpus->pairs[i], (size_t)settings->max_len, error);
    if (good && !counts[0].words.count) good = sa_fail_too_long(corpus, settings->max_len, error);
    for (int i = 0; i < 2; i++) {
        good = good && sa_vocab_build(&codec[i]->vocab, sides[i].tokens, settings->min_freq,
                                      settings->vocab, error);
        codec[i]->spaced_marks = sides[i].marks > 0;
        sa_bpe_segmenter_release(&sides[i].segmenter);
        sa_tokens_release(&sides[i].line);
    }
    sa_word_counts_release(&counts[0]), sa_word_counts_release(&counts[1]);
    if (!good) sa_text_codec_release(source), sa_text_codec_release(target);
    return good;
}
