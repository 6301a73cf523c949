#include "data/encoding.h"
#include "base/utf8.h"
#include "data/corpus.h"
#include "data/tokens.h"

#include <stdlib.h>
#include <string.h>

void sa_sentences_release(sa_sentence *sentences, size_t count) {
    for (size_t i = 0; sentences && i < count; i++) {
        free((int32_t *)(uintptr_t)sentences[i].ids);
        free((int32_t *)(uintptr_t)sentences[i].extended);
    }
    free(sentences);
}

/* Returns text i of a list such as sa_encode_texts gets, in NFC, as in a corpus, so that a
 * combining accent makes the same word. */
static char *text_at(const char *const *first, size_t stride, size_t i, sa_error *error) {
    const char *text;
    memcpy(&text, (const char *)first + i * stride, sizeof text);
    return sa_utf8_normalize(text, strlen(text), false, error);
}

sa_sentence *sa_encode_texts(const sa_text_codec *codec, int max_len, const char *const *first,
                             size_t stride, size_t count, sa_error *error) {
    sa_sentence *sentences = sa_new(count, sizeof *sentences, error);
    sa_bpe_segmenter segmenter = {.bpe = &codec->bpe};
    bool good = sentences;
    for (size_t i = 0; good && i < count; i++) {
        sa_sentence *one = &sentences[i];
        char *nfc = text_at(first, stride, i, error);
        good = nfc &&
               sa_text_codec_encode(codec, &segmenter, nfc, &codec->vocab, NULL, false, one, error);
        free(nfc);
        if (one->len - 1 > max_len) free((int32_t *)(uintptr_t)one->ids), one->ids = NULL;
    }
    sa_bpe_segmenter_release(&segmenter);
    if (good) return sentences;
    sa_sentences_release(sentences, count);
    return NULL;
}

bool sa_encode_pairs(const sa_text_codec *const codec[2], int max_len, bool copy,
                     const sa_pair *pairs, size_t count, sa_sentence **source, sa_sentence **target,
                     sa_error *error) {
    const size_t size = sizeof *pairs;
    *target = NULL;
    *source = sa_encode_texts(codec[0], max_len, &pairs->source, size, count, error);
    if (!*source) return false;
    *target = sa_encode_texts(codec[1], max_len, &pairs->target, size, count, error);
    return *target && (!copy || sa_extend_texts(codec, &pairs->source, &pairs->target, size, count,
                                                *source, *target, error));
}

bool sa_extend_texts(const sa_text_codec *const codec[2], const char *const *source_text,
                     const char *const *target_text, size_t stride, size_t count,
                     sa_sentence *source, sa_sentence *target, sa_error *error) {
    sa_bpe_segmenter segmenter[2] = {{.bpe = &codec[0]->bpe}, {.bpe = &codec[1]->bpe}};
    const sa_vocab *vocab = &codec[1]->vocab;
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        if (!source[i].ids || (target && !target[i].ids)) continue; /* too long */
        sa_strings more = {0};
        sa_sentence from = {0}, to = {0};
        char *left = text_at(source_text, stride, i, error);
        char *right = left && target ? text_at(target_text, stride, i, error) : NULL;
        good =
            left &&
            sa_text_codec_encode(codec[0], &segmenter[0], left, vocab, &more, true, &from, error) &&
            (!target || (right && sa_text_codec_encode(codec[1], &segmenter[1], right, vocab, &more,
                                                       false, &to, error)));
        source[i].extended = from.ids;
        if (target) target[i].extended = to.ids;
        sa_strings_release(&more);
        free(left), free(right);
    }
    for (int i = 0; i < 2; i++) sa_bpe_segmenter_release(&segmenter[i]);
    return good;
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

sa_token sa_word_of(const sa_vocab *vocab, int32_t id, const sa_sentence *source,
                    const char *const *words) {
    int j = 0;
    if (id < sa_vocab_size(vocab)) return sa_vocab_token(vocab, id);
    while (sa_sentence_extended(source)[j] != id) j++;
    return (sa_token){words[j], strlen(words[j])};
}

const char **sa_surface_words(const sa_text_codec *codec, const char *text,
                              const sa_sentence *sentence, sa_error *error) {
    const size_t count = (size_t)sentence->len;
    sa_tokens tokens = {0};
    const bool split = sa_text_codec_split(codec, NULL, text, false, &tokens, error);
    const bool same = tokens.count + 1 == count; /* lowercasing can change where words end */
    sa_token *word = split ? sa_new(count, sizeof *word, error) : NULL;
    for (size_t i = 0; word && i < count; i++)
        word[i] = same && i + 1 < count ? tokens.token[i]
                                        : sa_vocab_token(&codec->vocab, sentence->ids[i]);
    const char **words = word ? sa_token_texts(word, count, error) : NULL;
    free(word);
    sa_tokens_release(&tokens);
    return words;
}

char *sa_reference_text(const sa_text_codec *codec, const char *text, sa_error *error) {
    return codec->lowercase ? sa_utf8_normalize(text, strlen(text), true, error)
                            : sa_copy(text, strlen(text), error);
}

/* ---- Subwords and words ---------------------------------------------------------------------- */

static bool split(const sa_text_codec *codec, const char *text, sa_token_words *out,
                  sa_error *error) {
    sa_tokens tokens = {0};
    const char **list = NULL;
    const sa_token end = sa_vocab_token(&codec->vocab, SA_EOS);
    bool good = sa_text_codec_split(codec, NULL, text, codec->lowercase, &tokens, error) &&
                sa_tokens_add(&tokens, end.text, end.size, error);
    if (good) list = sa_token_texts(tokens.token, tokens.count, error);
    out->word = list ? sa_new(tokens.count, sizeof *out->word, error) : NULL;
    out->tokens = (int)tokens.count;
    good = good && out->word;
    if (good)
        out->words =
            sa_subword_word_indices(list, out->tokens, codec->tokenizer->subword, out->word);
    free(list);
    sa_tokens_release(&tokens);
    return good;
}

bool sa_token_words_make(const sa_text_codec *from, const sa_text_codec *to, const sa_pair *pair,
                         sa_token_words *source, sa_token_words *target, sa_error *error) {
    *source = *target = (sa_token_words){0};
    if (split(from, pair->source, source, error) && split(to, pair->target, target, error))
        return true;
    sa_token_words_release(source), sa_token_words_release(target);
    return false;
}

void sa_token_words_release(sa_token_words *words) {
    free(words->word);
    *words = (sa_token_words){0};
}

bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error) {
    sa_link *all = NULL;
    size_t found = 0, capacity = 0;
    bool good = true;
    for (size_t i = 0; i < *count; i++)
        for (int s = 0; s < source->tokens - 1; s++)
            for (int t = 0; t < target->tokens - 1 && source->word[s] == (*links)[i].source; t++) {
                if (target->word[t] != (*links)[i].target) continue;
                const sa_link link = {s, t, (*links)[i].possible};
                good = good && sa_append(&all, &found, &capacity, &link, sizeof link, error);
            }
    free(good ? *links : all);
    if (good) *links = all, *count = found;
    return good;
}

/* ---- Gold alignments ------------------------------------------------------------------------- */

/* Reads the gold links; a link of a word becomes links of all its subwords. */
static bool read_gold(const sa_text_codec *from, const sa_text_codec *to, const sa_corpus *corpus,
                      const sa_pair *pair, sa_gold_alignment *gold, sa_error *error) {
    sa_token_words source, target;
    sa_link *links = NULL;
    const bool subwords = from->tokenizer->subword || to->tokenizer->subword;
    if (!sa_token_words_make(from, to, pair, &source, &target, error)) return false;
    const bool good =
        (corpus ? sa_links_parse_gold(corpus, pair, source.words - 1, target.words - 1, &links,
                                      &gold->count, error)
                : sa_links_parse(pair->gold, &links, &gold->count, error)) &&
        (!subwords || sa_links_of_subwords(&source, &target, &links, &gold->count, error));
    gold->links = links;
    sa_token_words_release(&source), sa_token_words_release(&target);
    return good;
}

sa_gold_alignment *sa_gold_make(const sa_text_codec *source, const sa_text_codec *target,
                                const sa_corpus *corpus, const sa_pair *pairs, const size_t *which,
                                size_t count, sa_error *error) {
    sa_gold_alignment *all = sa_new(count, sizeof *all, error);
    bool good = all;
    for (size_t i = 0; good && i < count; i++)
        good = read_gold(source, target, corpus, &pairs[which ? which[i] : i], &all[i], error);
    if (good) return all;
    sa_gold_release(all, count);
    return NULL;
}

static bool count_words(const sa_tokenizer *tokenizer, const char *text, int *count,
                        sa_error *error) {
    sa_tokens tokens = {0};
    const bool good = tokenizer->split(text, strlen(text), &tokens, error);
    *count = (int)tokens.count;
    sa_tokens_release(&tokens);
    return good;
}

bool sa_gold_counts_blanks(const sa_corpus *corpus, const sa_settings *settings, size_t *sentences,
                           sa_error *error) {
    enum { FEW = 3 };
    size_t found = 0;
    *sentences = 0;
    for (size_t i = 0; i < corpus->count && corpus->gold; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        sa_link *links = NULL;
        size_t count = 0;
        bool splits = false, good = sa_links_parse(pair->gold, &links, &count, error),
             reaches = false;
        for (int side = 0; good && side < 2; side++) {
            int words = 0, blanks = 0;
            const char *text = side ? pair->target : pair->source;
            good = count_words(sa_tokenizer_of(settings, side), text, &words, error) &&
                   count_words(&sa_tokenizers[SA_TOKENIZER_SPACE], text, &blanks, error);
            splits = splits || words > blanks;
            for (size_t k = 0; k < count; k++)
                reaches = reaches || (side ? links[k].target : links[k].source) >= blanks;
        }
        found += splits && count;
        free(links);
        if (!good || reaches) return good;
    }
    if (found >= FEW) *sentences = found;
    return true;
}

void sa_gold_release(sa_gold_alignment *gold, size_t count) {
    for (size_t i = 0; gold && i < count; i++) free((sa_link *)(uintptr_t)gold[i].links);
    free(gold);
}
