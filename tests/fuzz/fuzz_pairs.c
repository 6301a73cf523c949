/* Sentence pairs from files: of a format by the end of the name or by the content, or two in
 * parallel, plain or gzip, with alignments in a separate file. The input is a byte of choices, then
 * the texts of the files, separated by zero bytes. */
#include "base/file.h"
#include "data/corpus.h"
#include "fuzz.h"

#include <zlib.h>

enum { TWO = 1, PACKED = 2, MEMBERS = 4, RAW = 8, ALIGNED = 16, FORMAT = 32, MOST = 1 << 14 };

static const struct {
    const char *ending, *columns;
} formats[] = {{"", NULL},  {".csv", NULL},      {".jsonl", NULL},  {".tmx", NULL},
               {"", "2,1"}, {".csv", "2,1,3,4"}, {".jsonl", "b,a"}, {".tmx", "en,fr"}};

/* ---- Packing --------------------------------------------------------------------------------- */

static void add_member(sa_buffer *out, const char *bytes, size_t size) {
    unsigned char packed[2 * MOST];
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)size};
    enum { GZIP = 15 + 16, LEVEL = 1, MEMORY = 1 };
    ck_assert(deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK);
    stream.next_out = packed, stream.avail_out = sizeof packed;
    ck_assert(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    sa_buffer_add(out, (const char *)packed, stream.total_out);
    deflateEnd(&stream);
}

static const char *file_of(int slot, fuzz_input text, unsigned choices) {
    sa_buffer packed = {0};
    const size_t half = choices & MEMBERS ? text.size / 2 : text.size;
    if (!(choices & PACKED)) return fuzz_file(slot, text.at, text.size);
    add_member(&packed, text.at, half);
    if (half < text.size) add_member(&packed, text.at + half, text.size - half);
    const char *path = fuzz_file(slot, packed.text, packed.size);
    sa_buffer_release(&packed);
    return path;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static char named[80];

static void remove_name(void) {
    unlink(named);
}

/* The file under a name that ends so. */
static const char *name_of(const char *path, const char *ending) {
    if (!*named) atexit(remove_name);
    unlink(named);
    snprintf(named, sizeof named, "%s%s", fuzz_scratch(), ending);
    ck_assert(symlink(path, named) == 0);
    return named;
}

/* ---- What must hold of a corpus -------------------------------------------------------------- */

static void expect_text(const char *text) {
    const size_t size = strlen(text);
    ck_assert(size > 0 && fuzz_is_utf8(text, size) && !strpbrk(text, "\r\n"));
    char *again = sa_utf8_normalize(text, size, false, NULL);
    ck_assert_str_eq(again, text);
    free(again);
}

static void expect_corpus(const sa_corpus *corpus) {
    ck_assert_uint_gt(corpus->count, 0);
    ck_assert_uint_eq(corpus->count + corpus->empty, corpus->lines);
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        expect_text(pair->source);
        expect_text(pair->target);
        ck_assert(pair->row > (i ? corpus->pairs[i - 1].row : 0) && pair->row <= corpus->lines);
        ck_assert(pair->line >= (i ? corpus->pairs[i - 1].line : 1));
        ck_assert(!corpus->gold || pair->gold);
        sa_link *links = NULL;
        size_t count;
        if (corpus->gold) ck_assert(sa_links_parse(pair->gold, &links, &count, NULL));
        free(links);
    }
}

static void expect_same(const sa_corpus *one, const sa_corpus *other, bool gold) {
    ck_assert_uint_eq(one->count, other->count);
    ck_assert(!gold || one->gold == other->gold);
    for (size_t i = 0; i < one->count; i++) {
        ck_assert_str_eq(one->pairs[i].source, other->pairs[i].source);
        ck_assert_str_eq(one->pairs[i].target, other->pairs[i].target);
        if (gold && one->gold) ck_assert_str_eq(one->pairs[i].gold, other->pairs[i].gold);
    }
}

/* Whether the pairs would be taken for another format if they were tab-separated. */
static bool may_mislead(const sa_corpus *corpus) {
    if (corpus->remarks) return true;
    for (size_t i = 0; i < corpus->count; i++)
        if (strpbrk(corpus->pairs[i].source, "\t\"{[<") || strpbrk(corpus->pairs[i].target, "\t\""))
            return true;
    return false;
}

/* Pairs survive writing and reading, tab-separated unless a text has tabs. */
static void write_again(const sa_corpus *corpus) {
    sa_buffer left = {0}, right = {0};
    sa_corpus again;
    sa_error error = {0};
    const bool tabs = may_mislead(corpus);
    sa_buffer_adds(&left, "\xef\xbb\xbf"), sa_buffer_adds(&right, "\xef\xbb\xbf");
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        sa_buffer_addf(&left, tabs ? "%s\n" : "%s\t", pair->source);
        sa_buffer_adds(tabs ? &right : &left, pair->target);
        if (corpus->gold && !tabs) sa_buffer_addf(&left, "\t%s", pair->gold);
        sa_buffer_adds(tabs ? &right : &left, "\n");
    }
    char path[80];
    snprintf(path, sizeof path, "%s", fuzz_file(2, left.text, left.size));
    if (tabs) snprintf(path + strlen(path), 40, ",%s", fuzz_file(3, right.text, right.size));
    if (sa_corpus_open(&again, path, &error)) {
        if (!again.remarks || tabs) expect_same(corpus, &again, !tabs);
        sa_corpus_close(&again);
    } else { /* all that there is was a header */
        ck_assert_msg(!tabs && corpus->count == 1, "%s", error.text);
    }
    sa_buffer_release(&left), sa_buffer_release(&right);
}

/* ---- The target ------------------------------------------------------------------------------ */

static bool open_corpus(sa_corpus *corpus, fuzz_input *input, unsigned choices) {
    static char paths[2][80]; /* paths must outlive their corpus, and two are open at once */
    char *path = paths[choices & PACKED ? 0 : 1];
    sa_error error = {0};
    const fuzz_input first = fuzz_until(input, 0);
    snprintf(path, sizeof *paths, "%s", file_of(0, first, choices));
    if (choices & TWO)
        snprintf(path + strlen(path), 40, ",%s", file_of(1, fuzz_until(input, 0), choices));
    else if (*formats[choices / FORMAT].ending)
        strcpy(path, name_of(path, formats[choices / FORMAT].ending));
    const char *columns = formats[choices / FORMAT].columns;
    if (sa_corpus_open_columns(corpus, path, columns, &error)) return true;
    fuzz_expect_error(&error, SA_DATA, error.code == SA_USAGE ? SA_USAGE : SA_LIMIT);
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    const unsigned choices = fuzz_byte(&input);
    sa_corpus corpus, plain;
    sa_error error = {0};
    if (size > MOST) return 0;
    fuzz_input whole = input;
    if (choices & RAW) { /* the bytes as a gzip stream */
        if (sa_corpus_open(&corpus, fuzz_file(0, input.at, input.size), &error)) {
            expect_corpus(&corpus);
            sa_corpus_close(&corpus);
        } else {
            fuzz_expect_error(&error, SA_DATA, error.code == SA_USAGE ? SA_USAGE : SA_LIMIT);
        }
        return 0;
    }
    if (!open_corpus(&corpus, &input, choices)) return 0;
    expect_corpus(&corpus);
    write_again(&corpus);
    if (choices & PACKED) {
        ck_assert(open_corpus(&plain, &whole, choices & ~(unsigned)(PACKED | MEMBERS)));
        expect_same(&corpus, &plain, true);
        sa_corpus_close(&plain);
    }
    if (choices & ALIGNED) {
        if (sa_corpus_read_alignments(&corpus, fuzz_file(2, input.at, input.size), &error))
            expect_corpus(&corpus);
        else
            fuzz_expect_error(&error, SA_DATA, SA_DATA);
    }
    sa_corpus_close(&corpus);
    return 0;
}
