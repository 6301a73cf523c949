#include "text/coder.h"
#include "base/settings.h"
#include "text/utf8.h"
#include "text/word.h"

#include <stdlib.h>
#include <string.h>

enum { JOINT, SEPARATE };

const char *sa_bpe_name(size_t row) {
    static const char *const names[] = {[JOINT] = "joint", [SEPARATE] = "separate", NULL};
    return names[row];
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

/* Bytes of the same number of characters at the start of another spelling. */
static size_t as_many(const char *spelling, size_t size, const char *text, size_t bytes) {
    size_t at = 0;
    for (size_t i = 0; i < bytes; i += sa_bpe_character(text + i, bytes - i))
        at += at < size ? sa_bpe_character(spelling + at, size - at) : 0;
    return at;
}

/* Appends the pieces of a word to `written`, which has room, and to the tokens. spelling: the word
 * as it is shown; its characters answer to those of the word one by one, or it is the word. */
static bool add_pieces(sa_cutter *cutter, sa_token word, sa_token spelling, char **written,
                       sa_tokens *tokens, sa_error *error) {
    size_t count;
    const uint32_t *sizes = sa_cutter_cut(cutter, word.text, word.size, &count, error);
    if (!sizes) return false;
    for (size_t i = 0; i < count; i++) {
        const size_t shown = as_many(spelling.text, spelling.size, word.text, sizes[i]);
        char *end = mempcpy(*written, spelling.text, shown);
        if (i + 1 < count) end = mempcpy(end, SA_PIECE_MARK, sizeof SA_PIECE_MARK - 1);
        if (!sa_tokens_add(tokens, *written, (size_t)(end - *written), error)) return false;
        *written = end;
        word.text += sizes[i];
        spelling.text += shown, spelling.size -= shown;
    }
    return true;
}

static size_t count_characters(const char *text, size_t size) {
    size_t count = 0;
    for (size_t at = 0; at < size; count++) at += sa_bpe_character(text + at, size - at);
    return count;
}

/* The pieces of a word in the user's spelling, where those of the lower-case word end. (Very rarely
 * a lower-case word has another number of characters, and its own pieces are lost.) */
static bool add_own_pieces(sa_cutter *cutter, sa_token word, char **written, sa_tokens *tokens,
                           sa_error *error) {
    char *lower = sa_utf8_normalise(word.text, word.size, true, error);
    if (!lower) return false;
    const sa_token read = {lower, strlen(lower)};
    const bool alike = read.size <= SA_TOKEN_MAX && count_characters(read.text, read.size) ==
                                                        count_characters(word.text, word.size);
    const bool good = add_pieces(cutter, alike ? read : word, word, written, tokens, error);
    free(lower);
    return good;
}

/* Cuts words; the pieces are written into one block of memory. */
static bool cut_words(const sa_coder *coder, sa_cutter *cutter, const sa_tokens *words, bool own,
                      sa_tokens *tokens, char **block, sa_error *error) {
    size_t bytes = 0;
    sa_cutter once = {0};
    for (size_t i = 0; i < words->count; i++)
        bytes += words->token[i].size * sizeof SA_PIECE_MARK; /* a mark for every byte at most */
    char *written = *block = sa_new(bytes + 1, 1, error);
    bool good = written;
    if (!cutter) sa_cutter_init(cutter = &once, &coder->bpe);
    for (size_t i = 0; good && i < words->count; i++)
        good = own ? add_own_pieces(cutter, words->token[i], &written, tokens, error)
                   : add_pieces(cutter, words->token[i], words->token[i], &written, tokens, error);
    sa_cutter_close(&once);
    if (good) return true;
    free(*block);
    *block = NULL;
    return false;
}

/* ---- Coders ---------------------------------------------------------------------------------- */

bool sa_coder_same(const sa_coder *one, const sa_coder *other) {
    if (one->tokenizer != other->tokenizer || one->lowercase != other->lowercase ||
        one->bpe.count != other->bpe.count)
        return false;
    sa_buffer ours = {0}, theirs = {0};
    sa_bpe_write(&one->bpe, &ours), sa_bpe_write(&other->bpe, &theirs);
    const bool same = !ours.failed && !theirs.failed && ours.size == theirs.size &&
                      memcmp(ours.text, theirs.text, ours.size) == 0;
    sa_buffer_release(&ours), sa_buffer_release(&theirs);
    return same;
}

bool sa_coder_split(const sa_coder *coder, sa_cutter *cutter, const char *text, bool lower,
                    sa_tokens *tokens, char **owned, sa_error *error) {
    sa_tokens words = {0};
    char *lowered = lower ? sa_utf8_normalise(text, strlen(text), true, error) : NULL;
    *owned = lowered;
    if (lower && !lowered) return false;
    if (lower) text = lowered;
    if (!coder->tokenizer->pieces)
        return coder->tokenizer->split(text, strlen(text), tokens, error);
    const bool own = coder->lowercase && !lower;
    const bool good = coder->tokenizer->split(text, strlen(text), &words, error) &&
                      cut_words(coder, cutter, &words, own, tokens, owned, error);
    if (!good) *owned = NULL;
    sa_tokens_release(&words);
    free(lowered);
    return good;
}

bool sa_coder_encode(const sa_coder *coder, sa_cutter *cutter, const char *text, int32_t **ids,
                     int *len, sa_error *error) {
    sa_tokens tokens = {0};
    char *owned;
    bool good = sa_coder_split(coder, cutter, text, coder->lowercase, &tokens, &owned, error);
    *ids = good ? sa_new(tokens.count + 1, sizeof **ids, error) : NULL;
    good = good && *ids;
    if (good) {
        for (size_t i = 0; i < tokens.count; i++)
            (*ids)[i] = sa_vocab_find(&coder->vocab, tokens.token[i].text, tokens.token[i].size);
        (*ids)[tokens.count] = SA_END;
        *len = (int)tokens.count + 1;
    }
    sa_tokens_release(&tokens);
    free(owned);
    return good;
}

void sa_coder_decode(const sa_coder *coder, const int32_t *ids, int len, sa_buffer *out) {
    sa_token *token = sa_new((size_t)len, sizeof *token, NULL);
    size_t count = 0;
    for (int i = 0; token && i < len; i++)
        if (ids[i] != SA_END) token[count++] = sa_vocab_word(&coder->vocab, ids[i]);
    if (token) coder->tokenizer->join(token, count, coder->spaced_marks, out);
    out->failed |= !token;
    free(token);
}

void sa_coder_release(sa_coder *coder) {
    sa_bpe_release(&coder->bpe);
    sa_vocab_release(&coder->vocab);
}

/* ---- Merges from pairs ----------------------------------------------------------------------- */

static bool count_words(sa_word_counts *counts, const sa_coder *coder, const char *text,
                        sa_error *error) {
    sa_tokens words = {0};
    char *lowered = coder->lowercase ? sa_utf8_normalise(text, strlen(text), true, error) : NULL;
    bool good = !coder->lowercase || lowered;
    if (lowered) text = lowered;
    good = good && coder->tokenizer->split(text, strlen(text), &words, error);
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

/* As the authors' program learns by default: pairs of symbols that occur twice or more. */
static bool learn_merges(sa_coder *coder[2], const sa_corpus *corpus, const bool *use,
                         const sa_settings *settings, sa_error *error) {
    enum { LEAST = 2 };
    const bool joint = settings->bpe == JOINT;
    const size_t merges = (size_t)settings->bpe_merges;
    sa_word_counts counts[2] = {0};
    bool good = true;
    for (size_t i = 0; good && i < corpus->count; i++)
        if (!use || use[i])
            good = count_words(&counts[0], coder[0], corpus->pairs[i].source, error) &&
                   count_words(&counts[!joint], coder[1], corpus->pairs[i].target, error);
    good = good && sa_bpe_learn(&coder[0]->bpe, &counts[0], merges, LEAST, error) &&
           (joint ? copy_merges(&coder[1]->bpe, &coder[0]->bpe, error)
                  : sa_bpe_learn(&coder[1]->bpe, &counts[1], merges, LEAST, error));
    sa_word_counts_release(&counts[0]), sa_word_counts_release(&counts[1]);
    return good;
}

bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: no pairs left: every one has a side above %d tokens (--max-len)",
                   corpus->name, max_len);
}

/* ---- Vocabularies from pairs ----------------------------------------------------------------- */

/* The tokens of a whole side, and the texts they point into. */
typedef struct pile {
    sa_tokens tokens;
    sa_cutter cutter;
    char **owned;
    size_t count, room;
    int64_t marks;
} pile;

static bool add_text(pile *all, const sa_coder *coder, const char *text, sa_error *error) {
    if (!sa_reserve(&all->owned, &all->room, all->count + 1, sizeof *all->owned, error))
        return false;
    all->marks += sa_spaced_marks(text, strlen(text));
    const bool good = sa_coder_split(coder, &all->cutter, text, coder->lowercase, &all->tokens,
                                     &all->owned[all->count], error);
    if (good)
        all->count++;
    else
        free(all->owned[all->count]);
    return good;
}

static void pile_release(pile *all) {
    for (size_t i = 0; i < all->count; i++) free(all->owned[i]);
    free(all->owned);
    sa_cutter_close(&all->cutter);
    sa_tokens_release(&all->tokens);
}

/* Adds both sides of a pair unless one is too long. */
static bool add_pair(pile side[2], const sa_coder *source, const sa_coder *target,
                     const sa_pair *pair, size_t max_len, sa_error *error) {
    const size_t before[2] = {side[0].tokens.count, side[1].tokens.count};
    if (!add_text(&side[0], source, pair->source, error) ||
        !add_text(&side[1], target, pair->target, error))
        return false;
    if (side[0].tokens.count - before[0] > max_len || side[1].tokens.count - before[1] > max_len) {
        side[0].tokens.count = before[0];
        side[1].tokens.count = before[1];
    }
    return true;
}

/* Both sides get the tokens of both. */
static bool share_tokens(pile side[2], sa_error *error) {
    const size_t own[2] = {side[0].tokens.count, side[1].tokens.count};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < own[1 - i]; k++) {
            const sa_token token = side[1 - i].tokens.token[k];
            if (!sa_tokens_add(&side[i].tokens, token.text, token.size, error)) return false;
        }
    return true;
}

bool sa_coders_build(sa_coder *source, sa_coder *target, const sa_corpus *corpus, const bool *use,
                     const sa_settings *settings, sa_error *error) {
    sa_coder *coder[2] = {source, target};
    pile side[2] = {0};
    for (int i = 0; i < 2; i++)
        *coder[i] = (sa_coder){.tokenizer = &sa_tokenizers[settings->tokenizer],
                               .lowercase = settings->lowercase};
    bool good = !source->tokenizer->pieces || learn_merges(coder, corpus, use, settings, error);
    for (int i = 0; i < 2; i++) sa_cutter_init(&side[i].cutter, &coder[i]->bpe);
    for (size_t i = 0; good && i < corpus->count; i++)
        if (!use || use[i])
            good =
                add_pair(side, source, target, &corpus->pairs[i], (size_t)settings->max_len, error);
    if (good && !side[0].tokens.count) good = sa_fail_too_long(corpus, settings->max_len, error);
    if (good && settings->tie == SA_TIE_THREE) good = share_tokens(side, error);
    for (int i = 0; i < 2; i++) {
        good = good && sa_vocab_build(&coder[i]->vocab, &side[i].tokens, settings->min_freq,
                                      settings->vocab, error);
        coder[i]->spaced_marks = side[i].marks > 0;
    }
    pile_release(&side[0]), pile_release(&side[1]); /* shared tokens point into either */
    if (!good) sa_coder_release(source), sa_coder_release(target);
    return good;
}
