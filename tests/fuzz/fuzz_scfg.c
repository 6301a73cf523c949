/* Synchronous grammars: any text is refused with a message, or derives sentences whose links fit
 * their words. */
#include "fuzz.h"
#include "synth/scfg.h"

static void draw(sa_grammar *grammar, uint64_t seed) {
    enum { DRAWS = 20 };
    sa_rng rng = sa_rng_seed(seed, 0);
    sa_draft draft = {.rng = &rng};
    for (int i = 0; i < DRAWS; i++) {
        sa_draft_clear(&draft);
        if (!sa_grammar_draw(grammar, &draft)) continue;
        ck_assert(draft.source.count > 0 && draft.target.count > 0);
        for (int k = 0; k < SA_DRAFT_WORDS * SA_DRAFT_WORDS; k++)
            ck_assert(!draft.link[k] || (k / SA_DRAFT_WORDS < draft.source.count &&
                                         k % SA_DRAFT_WORDS < draft.target.count));
        for (int k = 0; k < draft.source.count; k++)
            ck_assert(fuzz_is_utf8(draft.source.words[k], strlen(draft.source.words[k])));
    }
}

static void count(sa_grammar *grammar) {
    uint64_t sum = 0;
    const int longest = sa_grammar_count(grammar, SA_TRAIN, 0, 12, &sum, NULL);
    ck_assert(longest >= -1 && longest <= 12);
    for (int i = 0; i <= longest; i++) ck_assert_uint_le(grammar->count[i], SA_GRAMMAR_MANY);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 1 << 14 };
    if (size > MOST) return 0;
    sa_error error = {0};
    char name[64];
    snprintf(name, sizeof name, "%s", fuzz_file(0, data, size));
    sa_grammar *grammar = sa_grammar_read(name, NULL, &error);
    if (!grammar) {
        fuzz_expect_error(&error, SA_DATA, SA_LIMIT);
        return 0;
    }
    sa_buffer out = {0};
    draw(grammar, size);
    count(grammar);
    ck_assert(sa_grammar_check(grammar, 1, &out, &error));
    ck_assert(fuzz_is_utf8(out.text, out.size));
    sa_buffer_release(&out);
    sa_grammar_free(grammar);
    return 0;
}
