/* Word alignments: links as text, combined from both directions, and evaluated by AER. The input
 * is a byte of choices, a line for each direction and one of gold links; or a file of links. */
#include "data/corpus.h"
#include "fuzz.h"
#include "metrics/linking.h"

typedef struct linked {
    sa_link *links;
    size_t count;
} linked;

static void release(linked *links) {
    free(links->links);
    *links = (linked){0};
}

/* Links survive writing and reading. */
static void write_again(const linked *links) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "");
    for (size_t i = 0; i < links->count; i++)
        sa_buffer_addf(&text, "%s%d%c%d", i ? " " : "", links->links[i].source,
                       links->links[i].possible ? 'p' : '-', links->links[i].target);
    linked again = {0};
    ck_assert(sa_links_parse(text.text, &again.links, &again.count, NULL));
    ck_assert_uint_eq(again.count, links->count);
    for (size_t i = 0; i < again.count; i++) {
        ck_assert_int_eq(sa_link_compare(&again.links[i], &links->links[i]), 0);
        ck_assert(again.links[i].possible == links->links[i].possible);
    }
    release(&again);
    sa_buffer_release(&text);
}

static bool read_links(fuzz_input *input, int base, linked *links) {
    char *line = fuzz_line(input);
    sa_error error = {0};
    *links = (linked){0};
    const bool good = sa_links_parse_line(line, base, &links->links, &links->count, &error);
    if (good)
        write_again(links);
    else
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
    for (size_t i = 0; good && i < links->count; i++) {
        ck_assert_int_ge(links->links[i].source, 0);
        ck_assert_int_ge(links->links[i].target, 0);
    }
    free(line);
    return good;
}

static linked copy_of(const linked *links) {
    linked copy = {malloc((links->count + 1) * sizeof(sa_link)), links->count};
    if (copy.count) memcpy(copy.links, links->links, copy.count * sizeof(sa_link));
    return copy;
}

/* The number of links in both; both are sorted. */
static size_t shared(const linked *one, const linked *other) {
    size_t count = 0;
    for (size_t i = 0; i < one->count; i++)
        for (size_t k = 0; k < other->count; k++)
            count += sa_link_compare(&one->links[i], &other->links[k]) == 0;
    return count;
}

static linked settled(const linked *links) {
    linked copy = copy_of(links);
    copy.count = sa_links_deduplicate(copy.links, copy.count);
    for (size_t i = 1; i < copy.count; i++)
        ck_assert_int_lt(sa_link_compare(&copy.links[i - 1], &copy.links[i]), 0);
    ck_assert_uint_eq(shared(&copy, &copy), copy.count);
    return copy;
}

/* Every method gives links between intersection and union, and only those with a final step ask
 * which direction comes first. */
static void combine(const linked *forward, const linked *backward) {
    const linked one = settled(forward), other = settled(backward);
    const size_t both = shared(&one, &other), any = one.count + other.count - both;
    for (int way = 0; sa_symmetrizations[way]; way++) {
        linked f = copy_of(forward), b = copy_of(backward), made = {0}, turned = {0};
        sa_error error = {0};
        if (sa_symmetrize(way, f.links, f.count, b.links, b.count, &made.links, &made.count,
                          &error)) {
            ck_assert_uint_le(both, made.count);
            ck_assert_uint_le(made.count, any);
            ck_assert_uint_eq(shared(&made, &one) + shared(&made, &other) - both, made.count);
            ck_assert(sa_symmetrize(way, b.links, b.count, f.links, f.count, &turned.links,
                                    &turned.count, &error));
            if (!strstr(sa_symmetrizations[way], "final")) {
                ck_assert_uint_eq(shared(&made, &turned), made.count);
                ck_assert_uint_eq(turned.count, made.count);
            }
        } else {
            fuzz_expect_error(&error, SA_LIMIT, SA_LIMIT);
        }
        release(&f), release(&b), release(&made), release(&turned);
    }
    free(one.links), free(other.links);
}

static void expect_share(double rate) {
    ck_assert_msg(!(rate < 0 || rate > 1), "%g", rate); /* or not a number */
}

static void judge(const linked *links, const linked *gold) {
    linked a = copy_of(links), g = copy_of(gold);
    sa_aer aer = {0}, same = {0};
    sa_aer_add(&aer, a.links, a.count, g.links, g.count);
    ck_assert_uint_le(aer.links, links->count);
    ck_assert_uint_le(aer.sure, gold->count);
    ck_assert_uint_le(aer.links_sure, aer.sure);
    ck_assert_uint_le(aer.links_sure, aer.links_possible);
    ck_assert_uint_le(aer.links_possible, aer.links);
    expect_share(sa_aer_rate(&aer));
    expect_share(sa_aer_precision(&aer));
    expect_share(sa_aer_recall(&aer));
    ck_assert((sa_aer_rate(&aer) != sa_aer_rate(&aer)) == (aer.links + aer.sure == 0));
    release(&a);
    a = copy_of(gold);
    sa_aer_add(&same, a.links, a.count, g.links, g.count);
    if (same.links + same.sure) ck_assert_double_eq(sa_aer_rate(&same), 0);
    sa_aer_sum(&same, &aer);
    expect_share(sa_aer_rate(&same));
    release(&a), release(&g);
}

static void shift(const linked *links, int targets) {
    sa_aer aer[3] = {{0}, {0}, {0}};
    sa_error error;
    ck_assert(sa_aer_add_shifted(aer, links->links, links->count, targets, NULL, 0, &error));
    for (int i = 0; i < 3; i++) ck_assert_uint_le(aer[i].links, links->count);
}

/* Bytes as weights: no link leaves the words, includes EOS or has a weight of 0. */
static void link_weights(fuzz_input input, unsigned choices) {
    enum { SIDE = 8 };
    double weights[SIDE * SIDE];
    const int targets = 1 + (int)(choices & 7), sources = 1 + (int)(choices >> 3 & 7);
    for (int i = 0; i < SIDE * SIDE; i++) weights[i] = fuzz_byte(&input) / 255.;
    for (int way = 0; way < 2; way++) {
        const sa_link_options linking = {.links = way, .threshold = 0.5};
        size_t count;
        sa_link *links = sa_linking_extract(&linking, weights, targets, sources, &count, NULL);
        ck_assert_uint_le(count, (size_t)(targets * sources));
        for (size_t i = 0; i < count; i++) {
            ck_assert(links[i].source >= 0 && links[i].source < sources - 1);
            ck_assert(links[i].target >= 0 && links[i].target < targets - 1);
            ck_assert(weights[links[i].target * sources + links[i].source] > 0);
        }
        free(links);
    }
}

/* A file is read as it is, or, in NAACL's format, as so many lines of links. */
static void read_file(fuzz_input input, unsigned choices) {
    const int base = choices & 1;
    const size_t lines = choices >> 1 & 7;
    sa_text_lines reader;
    sa_error error = {0};
    if (!sa_link_file_open(&reader, fuzz_file(0, input.at, input.size), lines, base, NULL,
                           &error)) {
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
        return;
    }
    const bool turned = reader.file.size != input.size ||
                        (input.size && memcmp(reader.file.data, input.at, input.size) != 0);
    size_t count = 0;
    while (turned && sa_text_lines_next(&reader, &error)) {
        linked links = {0};
        ck_assert(sa_links_parse_line(reader.line, base, &links.links, &links.count, &error));
        release(&links);
        count++;
    }
    ck_assert(!reader.failed && (!turned || !lines || count == lines));
    sa_text_lines_close(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    const unsigned choices = fuzz_byte(&input);
    enum { MOST = 1024 }; /* the comparison is quadratic */
    if (size > MOST) return 0;
    linked forward = {0}, backward = {0}, gold = {0};
    link_weights(input, choices);
    read_file(input, choices);
    if (read_links(&input, choices & 1, &forward)) {
        if (read_links(&input, choices & 1, &backward)) {
            combine(&forward, &backward);
            if (read_links(&input, choices & 1, &gold)) judge(&forward, &gold);
        }
        shift(&forward, (int)(choices >> 4));
    }
    release(&forward), release(&backward), release(&gold);
    return 0;
}
