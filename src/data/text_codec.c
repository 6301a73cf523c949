#include "data/text_codec.h"
#include "base/pieces.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* ---- Vocabularies ---------------------------------------------------------------------------- */

typedef struct token_count {
    sa_token token;
    int64_t frequency;
} token_count;

static int by_frequency(const void *a, const void *b) {
    const token_count *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? 1 : -1;
    return sa_token_compare(x->token, y->token);
}

bool sa_vocab_build(sa_vocab *vocab, const sa_strings *tokens, int min_freq, int max_size,
                    sa_error *error) {
    const size_t count = tokens->count, most = max_size ? (size_t)max_size : SIZE_MAX;
    bool good = true;
    token_count *types = sa_new(count, sizeof *types, error);
    if (!types) return false;
    for (size_t i = 0; i < count; i++)
        types[i] = (token_count){sa_strings_get(tokens, (int32_t)i), tokens->entry[i].value};
    if (count) qsort(types, count, sizeof *types, by_frequency);
    for (size_t i = 0; good && i < count && types[i].frequency >= min_freq; i++) {
        const sa_token word = types[i].token;
        if (sa_strings_find(vocab, word.text, word.size) >= 0) continue;
        if (vocab->count >= most) break;
        good = sa_strings_add(vocab, word.text, word.size, error) >= 0;
    }
    free(types);
    if (good && !vocab->count)
        good = sa_fail(error, SA_DATA, "no word occurs %d times or more (--min-freq)", min_freq);
    if (!good) sa_strings_release(vocab);
    return good;
}

/* Returns what is wrong with a word from a file, or NULL. */
static const char *find_problem(sa_token word) {
    size_t bad;
    if (!word.size) return "is empty";
    if (word.size > SA_SUBWORD_MAX) return "is too long";
    if (!sa_utf8_valid(word.text, word.size, &bad)) return "is not UTF-8";
    if (memchr(word.text, 0, word.size) || memchr(word.text, '\r', word.size))
        return "holds a byte that no line of text has";
    return NULL;
}

static bool add_word(sa_vocab *vocab, sa_token word, const char *file, const char *name,
                     sa_error *error) {
    const size_t number = vocab->count;
    const char *wrong = find_problem(word);
    if (wrong)
        return sa_fail(error, SA_DATA, "%s: tensor '%s': word %zu %s", file, name, number + 1,
                       wrong);
    const int32_t known = sa_strings_add(vocab, word.text, word.size, error);
    if (known >= 0 && (size_t)known < number)
        return sa_fail(error, SA_DATA, "%s: tensor '%s': words %d and %zu are the same", file, name,
                       known + 1, number + 1);
    return known >= 0;
}

bool sa_vocab_read(sa_vocab *vocab, const char *blob, size_t size, const char *file,
                   const char *name, sa_error *error) {
    *vocab = (sa_vocab){0};
    const char *end = blob + size;
    bool good = (size && end[-1] == '\n') ||
                sa_fail(error, SA_DATA, "%s: tensor '%s' does not end in a line feed", file, name);
    for (const char *at = blob, *stop; good && at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        good = add_word(vocab, (sa_token){at, (size_t)(stop - at)}, file, name, error);
    }
    if (!good) sa_strings_release(vocab);
    return good;
}

bool sa_vocab_equal(const sa_vocab *one, const sa_vocab *other) {
    const sa_buffer *a = &one->text, *b = &other->text;
    return a->size == b->size && (!a->size || memcmp(a->text, b->text, a->size) == 0);
}

int sa_vocab_size(const sa_vocab *vocab) {
    return (int)vocab->count + SA_SPECIAL_TOKENS;
}

int32_t sa_vocab_find(const sa_vocab *vocab, const char *text, size_t size) {
    const int32_t number = sa_strings_find(vocab, text, size);
    return number < 0 ? SA_UNK : number + SA_SPECIAL_TOKENS;
}

sa_token sa_vocab_token(const sa_vocab *vocab, int32_t id) {
    static const char *const specials[SA_SPECIAL_TOKENS] = {SA_UNKNOWN_WORD, "</s>", "<s>"};
    sa_require(id >= 0 && id < sa_vocab_size(vocab));
    if (id < SA_SPECIAL_TOKENS) return (sa_token){specials[id], strlen(specials[id])};
    return sa_strings_get(vocab, id - SA_SPECIAL_TOKENS);
}

/* ---- Subwords -------------------------------------------------------------------------------- */

/* Writes the subwords of a word to `written`, which is large enough, and appends them to the
 * tokens. `read`: the word as merges read it, with as many bytes but for its end. */
static bool add_subwords(sa_bpe_segmenter *segmenter, sa_token word, sa_token read, char **written,
                         sa_tokens *tokens, sa_error *error) {
    size_t count;
    const uint32_t *sizes = sa_bpe_segmenter_apply(segmenter, read.text, read.size, &count, error);
    if (!sizes) return false;
    for (size_t i = 0; i < count; i++) {
        const size_t size = i + 1 < count ? sizes[i] : word.size;
        char *end = mempcpy(*written, word.text, size);
        if (i + 1 < count) end = mempcpy(end, SA_SUBWORD_MARK, sizeof SA_SUBWORD_MARK - 1);
        if (!sa_tokens_add(tokens, *written, (size_t)(end - *written), error)) return false;
        *written = end;
        word.text += size, word.size -= size;
    }
    return true;
}

/* Returns the size of the unknown subword at the end of a longer word, or 0. */
static size_t unknown_end(sa_token word) {
    const size_t size = sizeof SA_UNKNOWN_WORD - 1;
    return word.size > size ? sa_unknown_word_size(word.text + word.size - size, size) : 0;
}

/* Adds the subwords of a word. An unknown subword at its end, as outputs have it, is segmented as a
 * character that no merge has. */
static bool segment_word(sa_bpe_segmenter *segmenter, sa_token word, char **written,
                         sa_tokens *tokens, sa_error *error) {
    const size_t end = unknown_end(word);
    if (!end) return add_subwords(segmenter, word, word, written, tokens, error);
    char *text = sa_format(error, "%.*s\uffff", (int)(word.size - end), word.text);
    const bool good = text && add_subwords(segmenter, word, (sa_token){text, strlen(text)}, written,
                                           tokens, error);
    free(text);
    return good;
}

/* Returns whether a word is one subword: the unknown word, or a word with a mark in a text with a
 * table of spaces. */
static bool is_whole(const sa_text_codec *codec, sa_token word) {
    return sa_unknown_word_size(word.text, word.size) == word.size ||
           (codec->spacing.count && sa_spacing_plain(word).size < word.size);
}

/* Segments words, unless they are whole; writes the subwords into one block of memory. */
static bool segment_words(const sa_text_codec *codec, sa_bpe_segmenter *segmenter,
                          const sa_tokens *words, sa_tokens *tokens, sa_error *error) {
    size_t bytes = 0;
    sa_bpe_segmenter once = {.bpe = &codec->bpe};
    for (size_t i = 0; i < words->count; i++)
        bytes += words->token[i].size * sizeof SA_SUBWORD_MARK; /* at most one mark per byte */
    char *written = tokens->owned = sa_new(bytes + 1, 1, error);
    bool good = written;
    if (!segmenter) segmenter = &once;
    for (size_t i = 0; good && i < words->count; i++)
        if (is_whole(codec, words->token[i])) {
            const sa_token word = words->token[i];
            good = sa_tokens_add(tokens, memcpy(written, word.text, word.size), word.size, error);
            written += word.size;
        } else
            good = segment_word(segmenter, words->token[i], &written, tokens, error);
    sa_bpe_segmenter_release(&once);
    return good;
}

/* ---- Encoding and decoding ------------------------------------------------------------------- */

bool sa_text_codec_equal(const sa_text_codec *one, const sa_text_codec *other) {
    return one->tokenizer == other->tokenizer && one->lowercase == other->lowercase &&
           sa_vocab_equal(&one->spaces, &other->spaces) && sa_bpe_equal(&one->bpe, &other->bpe);
}

/* Joins words with the unknown subwords that end them: slices of one text, without a space. */
static void join_unknown(sa_tokens *words) {
    size_t count = 0;
    for (size_t i = 0; i < words->count; i++) {
        const sa_token word = words->token[i];
        sa_token *last = count ? &words->token[count - 1] : NULL;
        const sa_char_class kind = last ? sa_kind_at(last->text, last->size) : SA_CHAR_SPACE;
        if ((kind == SA_CHAR_LETTER || kind == SA_CHAR_DIGIT) && !unknown_end(*last) &&
            last->size + word.size <= SA_TOKEN_MAX && word.text == last->text + last->size &&
            sa_unknown_word_size(word.text, word.size))
            last->size += word.size;
        else
            words->token[count++] = word;
    }
    words->count = count;
}

/* Splits a text into words with marks of spaces. A mark that would make a word unknown is left out.
 */
static bool split_words(const sa_text_codec *codec, const char *text, bool lower, sa_tokens *words,
                        sa_error *error) {
    if (lower) text = words->owned = sa_utf8_normalize(text, strlen(text), true, error);
    if (!text || !codec->tokenizer->split(text, strlen(text), words, error)) return false;
    if (codec->tokenizer->subword) join_unknown(words);
    if (!codec->spacing.count) return true;
    const char *plain = words->owned;
    if (!sa_spacing_mark(&codec->spacing, words, error)) return false;
    for (size_t i = 0; words->owned != plain && i < words->count; i++)
        if (codec->vocab.count &&
            sa_vocab_find(&codec->vocab, words->token[i].text, words->token[i].size) == SA_UNK)
            words->token[i] = sa_spacing_plain(words->token[i]);
    return true;
}

bool sa_text_codec_split(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                         bool lower, sa_tokens *tokens, sa_error *error) {
    free(tokens->owned);
    tokens->owned = NULL, tokens->count = 0;
    if (!codec->tokenizer->subword) return split_words(codec, text, lower, tokens, error);
    sa_tokens words = {0};
    const bool good = split_words(codec, text, codec->lowercase, &words, error) &&
                      segment_words(codec, segmenter, &words, tokens, error);
    sa_tokens_release(&words);
    return good;
}

bool sa_text_codec_encode(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                          const sa_vocab *vocab, sa_strings *more, bool add, sa_sentence *out,
                          sa_error *error) {
    sa_tokens tokens = {0};
    bool good = sa_text_codec_split(codec, segmenter, text, codec->lowercase, &tokens, error);
    int32_t *ids = good ? sa_new(tokens.count + 1, sizeof *ids, error) : NULL;
    good = ids;
    for (size_t i = 0; good && i < tokens.count; i++) {
        const sa_token *token = &tokens.token[i];
        ids[i] = sa_vocab_find(vocab, token->text, token->size);
        if (ids[i] != SA_UNK || !more) continue;
        const int32_t number = add ? sa_strings_add(more, token->text, token->size, error)
                                   : sa_strings_find(more, token->text, token->size);
        if (number >= 0) ids[i] = sa_vocab_size(vocab) + number;
        good = number >= 0 || !add;
    }
    if (ids) ids[tokens.count] = SA_EOS;
    out->ids = ids, out->len = (int)tokens.count + 1;
    sa_tokens_release(&tokens);
    return good;
}

void sa_text_codec_release(sa_text_codec *codec) {
    sa_strings_release(&codec->spacing), sa_strings_release(&codec->spaces);
    sa_bpe_release(&codec->bpe);
    sa_strings_release(&codec->vocab);
    *codec = (sa_text_codec){0};
}

/* ---- Spaces from pairs ----------------------------------------------------------------------- */

/* Learns the table from at most SAMPLE pairs, spread over the text: enough to see how signs are
 * written. */
static bool learn_spaces(sa_text_codec *codec, int side, const sa_corpus *corpus, const bool *use,
                         sa_error *error) {
    enum { SAMPLE = 10000 };
    static const char usual[] = "word word " SA_SPACED; /* a table needs an entry */
    const size_t step = corpus->count / SAMPLE + 1;
    sa_strings counts = {0};
    sa_tokens tokens = {0};
    bool good = true;
    if (codec->tokenizer->between) return true;
    for (size_t i = 0; good && i < corpus->count; i += step) {
        const char *text = side ? corpus->pairs[i].target : corpus->pairs[i].source;
        if (use && !use[i]) continue;
        tokens.count = 0;
        good = codec->tokenizer->split(text, strlen(text), &tokens, error) &&
               sa_spacing_count(&counts, &tokens, error);
    }
    good = good && sa_strings_count(&counts, (sa_token){usual, sizeof usual - 1}, 1, error) &&
           sa_vocab_build(&codec->spaces, &counts, 1, 0, error) &&
           sa_spacing_read(&codec->spacing, &codec->spaces, corpus->name, "spaces", error);
    sa_strings_release(&counts);
    sa_tokens_release(&tokens);
    return good;
}

/* ---- Counts of pairs ------------------------------------------------------------------------- */

typedef struct pair_counts {
    sa_text_codec *const *codec; /* [2] */
    const sa_corpus *corpus;
    const bool *use;
    bool words;              /* counts only words that become subwords, before there are merges */
    bool shared;             /* counts both sides together */
    size_t max_len;          /* leaves out pairs with a longer side */
    sa_strings (*tokens)[2]; /* [pieces] of each side, with their counts */
} pair_counts;

static bool split_side(const pair_counts *all, int side, sa_bpe_segmenter *segmenter,
                       const char *text, sa_tokens *line, sa_error *error) {
    const sa_text_codec *codec = all->codec[side];
    if (!all->words)
        return sa_text_codec_split(codec, segmenter, text, codec->lowercase, line, error);
    free(line->owned);
    line->owned = NULL, line->count = 0;
    return !codec->tokenizer->subword || split_words(codec, text, codec->lowercase, line, error);
}

static bool count_piece(void *context, int piece, size_t first, size_t count, sa_error *error) {
    const pair_counts *all = context;
    sa_strings *tokens = all->tokens[piece];
    sa_bpe_segmenter segmenter[2] = {{.bpe = &all->codec[0]->bpe}, {.bpe = &all->codec[1]->bpe}};
    sa_tokens line[2] = {0}; /* of the current pair */
    bool good = true;
    for (size_t i = first; good && i < first + count; i++) {
        const sa_pair *pair = &all->corpus->pairs[i];
        if (all->use && !all->use[i]) continue;
        good = split_side(all, 0, &segmenter[0], pair->source, &line[0], error) &&
               split_side(all, 1, &segmenter[1], pair->target, &line[1], error);
        if (line[0].count > all->max_len || line[1].count > all->max_len) continue;
        for (int side = 0; side < 2; side++)
            for (size_t k = 0; good && k < line[side].count; k++)
                good =
                    sa_strings_count(&tokens[side && !all->shared], line[side].token[k], 1, error);
    }
    for (int side = 0; side < 2; side++) {
        sa_bpe_segmenter_release(&segmenter[side]);
        sa_tokens_release(&line[side]);
    }
    return good;
}

/* Counts in pieces, and adds all counts to those of the first piece: words keep the order in which
 * they first occur. Release the counts, even after a failure. */
static bool count_pairs(pair_counts *all, int threads, sa_error *error) {
    const int pieces = sa_pieces_for(threads, all->corpus->count);
    all->tokens = sa_new((size_t)pieces, sizeof *all->tokens, error);
    bool good = all->tokens && sa_pieces_run(pieces, all->corpus->count, count_piece, all, error);
    for (int i = 2; all->tokens && i < 2 * pieces; i++) {
        sa_strings *other = &all->tokens[i / 2][i % 2];
        for (size_t k = 0; good && k < other->count; k++)
            good = sa_strings_count(&all->tokens[0][i % 2], sa_strings_get(other, (int32_t)k),
                                    other->entry[k].value, error);
        sa_strings_release(other);
    }
    return good;
}

static void release_counts(pair_counts *all) {
    for (int side = 0; all->tokens && side < 2; side++) sa_strings_release(&all->tokens[0][side]);
    free(all->tokens);
}

/* ---- Merges from pairs ----------------------------------------------------------------------- */

static bool copy_merges(sa_bpe *to, const sa_bpe *from, sa_error *error) {
    sa_buffer text = {0};
    sa_bpe_write(from, &text);
    char *merges = sa_buffer_take(&text, error);
    const bool good = merges && sa_bpe_read(to, merges, text.size, "merges", error);
    free(merges);
    return good;
}

static bool learn_merges(sa_text_codec *codec[2], const sa_corpus *corpus, const bool *use,
                         const sa_settings *settings, const char *glossaries, sa_error *error) {
    const bool cut[2] = {codec[0]->tokenizer->subword, codec[1]->tokenizer->subword};
    const bool joint = settings->bpe == SA_BPE_JOINT && cut[0] && cut[1];
    const size_t merges = (size_t)settings->bpe_merges;
    pair_counts words = {codec, corpus, use, .words = true, .shared = joint, .max_len = SIZE_MAX};
    bool good = count_pairs(&words, settings->threads, error);
    for (int side = 0; good && side < 2; side++)
        if (cut[side])
            good = (joint && side ? copy_merges(&codec[1]->bpe, &codec[0]->bpe, error)
                                  : sa_bpe_learn(&codec[side]->bpe, &words.tokens[0][side], merges,
                                                 SA_BPE_FREQUENCY, error)) &&
                   (!glossaries || sa_bpe_set_glossaries(&codec[side]->bpe, glossaries,
                                                         settings->lowercase, error));
    release_counts(&words);
    return good;
}

bool sa_fail_too_long(const sa_corpus *corpus, int max_len, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: no pairs left: every one has a side above %d tokens (--max-len)",
                   corpus->name, max_len);
}

/* ---- Vocabularies from pairs ----------------------------------------------------------------- */

/* Learns everything except the vocabularies. */
static bool learn_tokens(sa_text_codec *codec[2], const sa_corpus *corpus, const bool *use,
                         const sa_settings *settings, const char *glossaries, sa_error *error) {
    for (int i = 0; i < 2; i++) {
        codec[i]->tokenizer = sa_tokenizer_of(settings, i);
        codec[i]->lowercase = settings->lowercase;
        if (!learn_spaces(codec[i], i, corpus, use, error)) return false;
    }
    return (!codec[0]->tokenizer->subword && !codec[1]->tokenizer->subword) ||
           learn_merges(codec, corpus, use, settings, glossaries, error);
}

bool sa_text_codecs_build(sa_text_codec *source, sa_text_codec *target, const sa_corpus *corpus,
                          const bool *use, const sa_settings *settings, const char *glossaries,
                          sa_error *error) {
    sa_text_codec *codec[2] = {source, target};
    const bool shared = settings->tie == SA_TIE_THREE;
    pair_counts all = {codec, corpus, use, false, shared, (size_t)settings->max_len, NULL};
    const bool good =
        (source->tokenizer || learn_tokens(codec, corpus, use, settings, glossaries, error)) &&
        count_pairs(&all, settings->threads, error) &&
        (all.tokens[0][0].count || sa_fail_too_long(corpus, settings->max_len, error)) &&
        sa_vocab_build(&source->vocab, &all.tokens[0][0], settings->min_freq, settings->vocab,
                       error) &&
        sa_vocab_build(&target->vocab, &all.tokens[0][!shared], settings->min_freq, settings->vocab,
                       error);
    release_counts(&all);
    if (!good) sa_text_codec_release(source), sa_text_codec_release(target);
    return good;
}
