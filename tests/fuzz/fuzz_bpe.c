/* Byte-pair encoding. The input is two bytes of choices, then a text to learn merges from and to
 * segment; or, if it begins with '#', a file of merges, an empty line, and words to segment; after
 * '$' the file may begin with anything. */
#include "data/bpe.h"
#include "data/text_codec.h"
#include "data/tokenizer.h"
#include "data/tokens.h"
#include "fuzz.h"

enum { MOST = 4096 };

/* Merges survive writing and reading. */
static void write_again(const sa_bpe *bpe) {
    sa_buffer text = {0};
    sa_bpe again = {0};
    sa_error error = {0};
    sa_bpe_write(bpe, &text);
    ck_assert_msg(sa_bpe_read(&again, text.text, text.size, "merges", &error), "%s", error.text);
    ck_assert(sa_bpe_equal(bpe, &again) && sa_bpe_equal(&again, bpe));
    sa_bpe_release(&again);
    sa_buffer_release(&text);
}

/* The subwords of a word are whole characters, in order. */
static void cut(sa_bpe_segmenter *segmenter, const char *word, size_t size) {
    size_t count = 0, sum = 0, again;
    const uint32_t *sizes = sa_bpe_segmenter_apply(segmenter, word, size, &count, NULL);
    ck_assert(sizes != NULL && count > 0);
    for (size_t i = 0; i < count; i++) {
        ck_assert(sizes[i] > 0 && fuzz_is_utf8(word + sum, sizes[i]));
        sum += sizes[i];
    }
    ck_assert_uint_eq(sum, size);
    sa_bpe_segmenter fresh; /* a segmenter without a cached result */
    fresh = (sa_bpe_segmenter){.bpe = segmenter->bpe};
    const uint32_t *other = sa_bpe_segmenter_apply(&fresh, word, size, &again, NULL);
    ck_assert_uint_eq(again, count);
    ck_assert_mem_eq(other, sizes, count * sizeof *sizes);
    sa_bpe_segmenter_release(&fresh);
}

/* Every word of a line. */
static void segment_words(const sa_bpe *bpe, fuzz_input text) {
    sa_bpe_segmenter segmenter;
    segmenter = (sa_bpe_segmenter){.bpe = bpe};
    while (text.size) {
        const fuzz_input word = fuzz_until(&text, ' ');
        if (word.size) cut(&segmenter, word.at, word.size);
    }
    sa_bpe_segmenter_release(&segmenter);
}

/* The text of one line. */
static bool is_text(fuzz_input text) {
    static const char never[] = {0, '\n', '\r'};
    for (size_t i = 0; text.size && i < sizeof never; i++)
        if (memchr(text.at, never[i], text.size)) return false;
    return fuzz_is_utf8(text.at, text.size);
}

/* Joining the subwords of a text gives its words. */
static void undo(const sa_bpe *bpe, const char *text, bool lower) {
    const sa_tokenizer *words = sa_tokenizers, *subwords = sa_tokenizers;
    while (!subwords->subword) subwords++;
    const sa_text_codec codec = {.tokenizer = subwords, .lowercase = lower, .bpe = *bpe};
    const sa_spacing none = {0};
    sa_tokens cut = {0}, whole = {0};
    sa_buffer one = {0}, other = {0};
    char *lowered = lower ? sa_utf8_normalize(text, strlen(text), true, NULL) : NULL;
    if (lowered) text = lowered;
    ck_assert(sa_text_codec_split(&codec, NULL, text, lower, &cut, NULL));
    ck_assert(words->split(text, strlen(text), &whole, NULL));
    bool marked = false; /* a word that looks like a subword */
    for (size_t i = 0; i < whole.count; i++)
        marked |= sa_subword_continues(whole.token[i].text, whole.token[i].size);
    sa_buffer_adds(&one, ""), sa_buffer_adds(&other, "");
    sa_tokenizer_join(subwords, cut.token, cut.count, &none, &one);
    sa_tokenizer_join(words, whole.token, whole.count, &none, &other);
    for (size_t i = 0; i < cut.count; i++) ck_assert_uint_le(cut.token[i].size, SA_SUBWORD_MAX);
    if (!marked) ck_assert_str_eq(one.text, other.text);
    sa_buffer_release(&one), sa_buffer_release(&other);
    sa_tokens_release(&cut), sa_tokens_release(&whole);
    free(lowered);
}

static void learn(const fuzz_input text, size_t merges, int64_t least) {
    sa_strings counts = {0};
    sa_bpe bpe = {0};
    for (fuzz_input rest = text; rest.size;) {
        const fuzz_input word = fuzz_until(&rest, ' ');
        if (word.size)
            ck_assert(sa_strings_count(&counts, (sa_token){word.at, word.size}, 1, NULL));
    }
    sa_error error = {0};
    ck_assert_msg(sa_bpe_learn(&bpe, &counts, merges, least, &error), "%s", error.text);
    ck_assert_uint_le(bpe.pairs.count, merges);
    write_again(&bpe);
    char *copy = fuzz_copy(text), *normal = sa_utf8_normalize(copy, text.size, false, NULL);
    segment_words(&bpe, (fuzz_input){copy, text.size});
    undo(&bpe, normal, false);
    undo(&bpe, normal, true);
    free(copy), free(normal);
    sa_strings_release(&counts);
    sa_bpe_release(&bpe);
}

static void read_merges(fuzz_input input) {
    const char *split = input.size ? memmem(input.at, input.size, "\n\n", 2) : NULL;
    const size_t size = split ? (size_t)(split - input.at) + 1 : input.size;
    const fuzz_input file = {input.at, size};
    fuzz_input rest = {input.at + size + (split != NULL), input.size - size - (split != NULL)};
    const fuzz_input words = fuzz_until(&rest, '\n');
    sa_bpe bpe = {0};
    sa_error error = {0};
    if (!sa_bpe_read(&bpe, file.at, file.size, "merges", &error)) {
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
        return;
    }
    write_again(&bpe);
    char *copy = fuzz_copy(words); /* terminated, as texts are */
    if (is_text(words)) segment_words(&bpe, (fuzz_input){copy, words.size});
    free(copy);
    sa_bpe_release(&bpe);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    if (size > MOST) return 0;
    if (size && (*data == '#' || *data == '$')) {
        if (*data == '$') fuzz_byte(&input);
        read_merges(input);
        return 0;
    }
    const size_t merges = fuzz_byte(&input);
    const int64_t least = 1 + fuzz_byte(&input) % 4;
    const fuzz_input text = fuzz_until(&input, '\n');
    if (!is_text(text)) return 0;
    learn(text, merges, least);
    return 0;
}
