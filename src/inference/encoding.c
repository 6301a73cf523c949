#include "inference/encoding.h"
#include "base/utf8.h"
#include "data/extended.h"

#include <stdlib.h>
#include <string.h>

void sa_sentences_release(sa_sentence *sentences, size_t count) {
    for (size_t i = 0; sentences && i < count; i++) {
        free((int32_t *)(uintptr_t)sentences[i].ids);
        free((int32_t *)(uintptr_t)sentences[i].extended);
    }
    free(sentences);
}

/* Text i of a list as sa_encode_texts has it: NFC, as in a corpus, so that a combining accent makes
 * the same word. */
static char *text_at(const char *const *first, size_t stride, size_t i, sa_error *error) {
    const char *text;
    memcpy(&text, (const char *)first + i * stride, sizeof text);
    return sa_utf8_normalize(text, strlen(text), false, error);
}

sa_sentence *sa_encode_texts(const sa_text_codec *codec, int max_len, const char *const *first,
                             size_t stride, size_t count, sa_error *error) {
    sa_sentence *sentences = sa_new(count, sizeof *sentences, error);
    sa_bpe_segmenter segmenter;
    bool good = sentences;
    sa_bpe_segmenter_init(&segmenter, &codec->bpe);
    for (size_t i = 0; good && i < count; i++) {
        int32_t *ids = NULL;
        char *nfc = text_at(first, stride, i, error);
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

/* Of a pair whose texts are in NFC; target_text and target may be NULL. */
static bool extend_sentences(sa_extender *extender, const char *source_text,
                             const char *target_text, sa_sentence *source, sa_sentence *target,
                             sa_error *error) {
    int32_t *left = sa_new((size_t)source->len, sizeof *left, error);
    int32_t *right = target ? sa_new((size_t)target->len, sizeof *right, error) : NULL;
    source->extended = left;
    if (target) target->extended = right;
    return left && (right || !target) &&
           sa_extend_pair(extender, source_text, target_text, left, right, error);
}

bool sa_extend_texts(const sa_model *model, const char *const *source_text,
                     const char *const *target_text, size_t stride, size_t count,
                     sa_sentence *source, sa_sentence *target, sa_error *error) {
    sa_extender extender;
    bool good = true;
    if (!model->settings.copy) return true;
    sa_extender_init(&extender, &model->source, &model->target);
    for (size_t i = 0; good && i < count; i++) {
        if (!source[i].ids) continue; /* too long */
        char *left = text_at(source_text, stride, i, error);
        char *right = left && target ? text_at(target_text, stride, i, error) : NULL;
        good =
            left && (right || !target) &&
            extend_sentences(&extender, left, right, &source[i], target ? &target[i] : NULL, error);
        free(left), free(right);
    }
    sa_extender_release(&extender);
    return good;
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
    sa_fail(error, SA_LIMIT, "%sthe %s has %d tokens, more than {max_len} %d",
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
