#include "inference/encoding.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

void sa_sentences_release(sa_sentence *sentences, size_t count) {
    for (size_t i = 0; sentences && i < count; i++) free((int32_t *)(uintptr_t)sentences[i].ids);
    free(sentences);
}

sa_sentence *sa_encode_texts(const sa_text_codec *codec, int max_len, const char *const *first,
                             size_t stride, size_t count, sa_error *error) {
    sa_sentence *sentences = sa_new(count, sizeof *sentences, error);
    sa_bpe_segmenter segmenter;
    bool good = sentences;
    sa_bpe_segmenter_init(&segmenter, &codec->bpe);
    for (size_t i = 0; good && i < count; i++) {
        const char *text;
        int32_t *ids = NULL;
        memcpy(&text, (const char *)first + i * stride, sizeof text);
        /* NFC, as in a corpus: a combining accent makes the same word */
        char *nfc = sa_utf8_normalize(text, strlen(text), false, error);
        good = nfc && sa_text_codec_encode(codec, &segmenter, nfc, &ids, &sentences[i].len, error);
        free(nfc);
        if (good && sentences[i].len - 1 > max_len) {
            free(ids);
            ids = NULL;
        }
        sentences[i].ids = ids;
    }
    sa_bpe_segmenter_release(&segmenter);
    if (good) return sentences;
    sa_sentences_release(sentences, count);
    return NULL;
}

static bool check_length(const sa_model *model, const char *side, const sa_text_codec *codec,
                         const char *name, const char *text, size_t line, sa_error *error) {
    if (!text || strlen(text) <= (size_t)model->max_len) return true; /* a token has a byte */
    sa_sentence *read = sa_encode_texts(codec, model->max_len, &text, 0, 1, error);
    if (!read) return false;
    const bool good = read->ids;
    const int tokens = read->len - 1;
    sa_sentences_release(read, 1);
    if (good) return true;
    sa_buffer where = {0};
    if (line) sa_buffer_addf(&where, name ? "%s:%zu: " : "%sline %zu: ", name ? name : "", line);
    sa_fail(error, SA_LIMIT, "%sthe %s has %d tokens, more than --max-len %d",
            where.text && !where.failed ? where.text : "", side, tokens, model->max_len);
    sa_buffer_release(&where);
    return false;
}

bool sa_check_lengths(const sa_model *model, const char *name, const sa_pair *pairs, size_t count,
                      sa_error *error) {
    for (size_t i = 0; i < count; i++)
        if (!check_length(model, "source", &model->source, name, pairs[i].source, pairs[i].line,
                          error) ||
            !check_length(model, "target", &model->target, name, pairs[i].target, pairs[i].line,
                          error))
            return false;
    return true;
}

const char **sa_token_texts(const sa_token *token, size_t count, sa_error *error) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += token[i].size + 1;
    const char **words = sa_new(1, count * sizeof *words + bytes, error);
    char *at = words ? (char *)(words + count) : NULL;
    for (size_t i = 0; words && i < count; i++) {
        words[i] = memcpy(at, token[i].text, token[i].size);
        at += token[i].size + 1;
    }
    return words;
}

const char **sa_surface_words(const sa_text_codec *codec, const char *text,
                              const sa_sentence *sentence, sa_error *error) {
    const size_t count = (size_t)sentence->len;
    sa_tokens tokens = {0};
    char *owned;
    const bool split = sa_text_codec_split(codec, NULL, text, false, &tokens, &owned, error);
    const bool same = tokens.count + 1 == count; /* lowercasing can change where words end */
    sa_token *word = split ? sa_new(count, sizeof *word, error) : NULL;
    for (size_t i = 0; word && i < count; i++)
        word[i] = same && i + 1 < count ? tokens.token[i]
                                        : sa_vocab_token(&codec->vocab, sentence->ids[i]);
    const char **words = word ? sa_token_texts(word, count, error) : NULL;
    free(word);
    free(owned);
    sa_tokens_release(&tokens);
    return words;
}

char *sa_reference_text(const sa_text_codec *codec, const char *text, sa_error *error) {
    return codec->lowercase ? sa_utf8_normalize(text, strlen(text), true, error)
                            : sa_copy(text, strlen(text), error);
}
