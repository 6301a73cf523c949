/* merging: sa_alignment_merge of softalign.h, and links between words for models of pieces. */
#include "inference/token_words.h"
#include "inference/encoding.h"
#include "metrics/merge_weights.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tokens of texts ------------------------------------------------------------------------- */

static bool token_words(const sa_text_codec *codec, const char *text, sa_token_words *out,
                        sa_error *error) {
    sa_tokens tokens = {0};
    char *owned = NULL;
    const char **list = NULL;
    bool good =
        sa_text_codec_split(codec, NULL, text, codec->lowercase, &tokens, &owned, error) &&
        sa_reserve(&tokens.token, &tokens.capacity, tokens.count + 1, sizeof *tokens.token, error);
    if (good) {
        tokens.token[tokens.count++] = sa_vocab_token(&codec->vocab, SA_EOS);
        list = sa_token_texts(tokens.token, tokens.count, error);
    }
    out->word = list ? sa_new(tokens.count, sizeof *out->word, error) : NULL;
    out->tokens = (int)tokens.count;
    good = good && out->word;
    if (good) out->words = sa_subword_word_indices(list, out->tokens, out->word);
    free(list);
    free(owned);
    sa_tokens_release(&tokens);
    return good;
}

static bool pair_words(const sa_text_codec *from, const sa_text_codec *to, const sa_pair *pair,
                       sa_token_words *source, sa_token_words *target, sa_error *error) {
    *source = *target = (sa_token_words){0};
    if (token_words(from, pair->source, source, error) &&
        token_words(to, pair->target, target, error))
        return true;
    sa_token_words_release(source), sa_token_words_release(target);
    return false;
}

bool sa_token_words_make(const sa_model *model, const sa_pair *pair, sa_token_words *source,
                         sa_token_words *target, sa_error *error) {
    return pair_words(&model->source, &model->target, pair, source, target, error);
}

void sa_token_words_release(sa_token_words *words) {
    free(words->word);
    *words = (sa_token_words){0};
}

/* ---- Links ----------------------------------------------------------------------------------- */

bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error) {
    sa_link *all = NULL;
    size_t number = 0, room = 0;
    bool good = true;
    for (size_t i = 0; i < *count; i++)
        for (int s = 0; s < source->tokens - 1; s++)
            for (int t = 0; t < target->tokens - 1 && source->word[s] == (*links)[i].source; t++) {
                if (target->word[t] != (*links)[i].target) continue;
                good = good && sa_reserve(&all, &room, number + 1, sizeof *all, error);
                if (good) all[number++] = (sa_link){s, t, (*links)[i].possible};
            }
    if (!good) {
        free(all);
        return false;
    }
    free(*links);
    *links = all;
    *count = number;
    return true;
}

/* Links stand between words; of a model of pieces they go to all pieces of a word. */
static bool read_gold(const sa_text_codec *from, const sa_text_codec *to, const sa_corpus *corpus,
                      const sa_pair *pair, sa_gold_alignment *gold, sa_error *error) {
    sa_token_words source, target;
    sa_link *links = NULL;
    const bool pieces = from->tokenizer->pieces;
    if (!pair_words(from, to, pair, &source, &target, error)) return false;
    const int S = pieces ? source.words : source.tokens, T = pieces ? target.words : target.tokens;
    const bool good =
        (corpus ? sa_links_parse_gold(corpus, pair, S - 1, T - 1, &links, &gold->count, error)
                : sa_links_parse(pair->gold, &links, &gold->count, error)) &&
        (!pieces || sa_links_of_subwords(&source, &target, &links, &gold->count, error));
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

bool sa_fail_unaligned(const sa_corpus *corpus, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: --guided-alignment wants the links of every pair: in a third column, or in "
                   "a file named by --alignments",
                   corpus->name);
}

void sa_gold_release(sa_gold_alignment *gold, size_t count) {
    for (size_t i = 0; gold && i < count; i++) free((sa_link *)(uintptr_t)gold[i].links);
    free(gold);
}

/* ---- Alignments ------------------------------------------------------------------------------ */

/* The words that pieces make, terminated, in one block of memory. */
static const char **join_pieces(const char *const *piece, int count, const int *word, int words,
                                sa_error *error) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strlen(piece[i]) + 1;
    const char **list = sa_new(1, (size_t)words * sizeof *list + bytes, error);
    char *at = list ? (char *)(list + words) : NULL;
    for (int i = 0; list && i < count; i++) {
        const bool begins = !i || word[i] != word[i - 1];
        const bool ends = i + 1 == count || word[i + 1] != word[i];
        const size_t size = strlen(piece[i]);
        const bool marked = sa_subword_continues(piece[i], size);
        if (begins) list[word[i]] = at;
        at = mempcpy(at, piece[i], size - (marked ? sizeof SA_SUBWORD_MARK - 1 : 0));
        if (ends) *at++ = 0;
    }
    return list;
}

static bool merge_weights(const sa_alignment *pieces, const int *target, const int *source,
                          sa_alignment *words, sa_error *error) {
    const size_t before = (size_t)pieces->targets * (size_t)pieces->sources;
    const size_t size = (size_t)words->targets * (size_t)words->sources;
    const size_t blocks = pieces->heads > 1 ? (size_t)pieces->heads + 1 : 1;
    double *merged = sa_new(size * blocks, sizeof *merged, error);
    if (!merged) return false;
    words->weights = merged;
    words->head_weights = merged + (blocks > 1 ? size : 0);
    sa_merge_weights(pieces->weights, pieces->targets, pieces->sources, target, source, merged);
    for (size_t k = 0; k + 1 < blocks; k++)
        sa_merge_weights(pieces->head_weights + k * before, pieces->targets, pieces->sources,
                         target, source, merged + (k + 1) * size);
    return true;
}

bool sa_alignment_merge(const sa_alignment *pieces, sa_alignment *words, sa_error *error) {
    int *target = sa_new((size_t)pieces->targets, sizeof *target, error);
    int *source = target ? sa_new((size_t)pieces->sources, sizeof *source, error) : NULL;
    *words = *pieces;
    words->target = words->source = NULL;
    words->weights = words->head_weights = words->layer_weights = NULL;
    bool good = source;
    if (good) {
        words->targets = sa_subword_word_indices(pieces->target, pieces->targets, target);
        words->sources = sa_subword_word_indices(pieces->source, pieces->sources, source);
        words->target = join_pieces(pieces->target, pieces->targets, target, words->targets, error);
        words->source = join_pieces(pieces->source, pieces->sources, source, words->sources, error);
        good = words->target && words->source &&
               (!pieces->weights || merge_weights(pieces, target, source, words, error));
    }
    free(target);
    free(source);
    if (!good) sa_alignment_release(words);
    return good;
}

void sa_alignment_release(sa_alignment *words) {
    free((void *)(uintptr_t)words->target);
    free((void *)(uintptr_t)words->source);
    free((void *)(uintptr_t)words->weights);
    *words = (sa_alignment){0};
}
