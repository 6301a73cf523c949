/* The dump of a gradient check: all weights with their gradients, the batch, and the dropout
 * masks. (scripts/dev/compare-gradients compares dumps with PyTorch.) */
#include "base/container.h"
#include "base/sentence.h"
#include "config/settings.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <softalign/lab.h>

#include <math.h>

enum { B = 0, SOURCE = -1, TARGET = -2 }; /* rows of a mask: sentences, or words of a side */

typedef struct expected {
    const char *name;
    int rows;
} expected;

static const struct model {
    const char *options[24];
    expected masks[16];
} models[] = {
    {{"dropout", "0"}, {{0}}},
    {{"layers", "2", "decoder", "cgru", "dropout", "0.2", "dropout-state", "0.3", "word-dropout",
      "0.1", "guided-alignment", "0.5", "hidden", "3"},
     {{"mask.source.words", SOURCE},
      {"mask.source.E", SOURCE},
      {"mask.encoder.forward", B},
      {"mask.encoder.backward", B},
      {"mask.encoder.2.forward", B},
      {"mask.encoder.2.backward", B},
      {"mask.annotations", SOURCE},
      {"mask.target.words", TARGET},
      {"mask.target.E", TARGET},
      {"mask.decoder", B},
      {"mask.decoder.second", B},
      {"mask.readout", TARGET}}},
    {{"layers", "2", "decoder-layers", "3", "decoder-init", "last", "dropout-layers", "0.2",
      "dropout-state", "0.3"},
     {{"mask.encoder.forward", B},
      {"mask.encoder.backward", B},
      {"mask.encoder.2.forward", B},
      {"mask.encoder.2.backward", B},
      {"mask.encoder.2.x", SOURCE},
      {"mask.decoder", B},
      {"mask.decoder.2", B},
      {"mask.decoder.2.x", TARGET},
      {"mask.decoder.3", B},
      {"mask.decoder.3.x", TARGET},
      {0}}},
    {{"encoder", "none", "word-dropout", "0.1", "copy", "yes"},
     {{"mask.source.words", SOURCE}, {"mask.target.words", TARGET}}},
    {{"model", "transformer", "attention", "scaled-dot", "embed", "4", "attn", "4", "layers", "2",
      "dropout", "0.2", "word-dropout", "0.1"},
     {{"mask.source.words", SOURCE},
      {"mask.source.E", SOURCE},
      {"mask.encoder.1.self", SOURCE},
      {"mask.encoder.1.feedforward", SOURCE},
      {"mask.encoder.2.self", SOURCE},
      {"mask.encoder.2.feedforward", SOURCE},
      {"mask.target.words", TARGET},
      {"mask.target.E", TARGET},
      {"mask.decoder.1.self", TARGET},
      {"mask.decoder.1.cross", TARGET},
      {"mask.decoder.1.feedforward", TARGET},
      {"mask.decoder.2.self", TARGET},
      {"mask.decoder.2.cross", TARGET},
      {"mask.decoder.2.feedforward", TARGET}}},
};
enum { MODELS = sizeof models / sizeof *models, COPYING = 3 };

static sa_container file;
static int parameters[MODELS];

static void count(void *context, const sa_gradient_result *gradient) {
    ck_assert_msg(gradient->ok, "gradient of %s", gradient->name);
    ++*(int *)context;
}

static const char *dump_of(int model) {
    char name[16];
    snprintf(name, sizeof name, "%d", model);
    return scratch_path(name);
}

static void dump_models(void) {
    scratch_make();
    for (int model = 0; model < MODELS; model++) {
        const char *const *option = models[model].options;
        sa_error error;
        sa_settings settings;
        sa_settings_init(&settings);
        settings.embed = settings.hidden = settings.attn = settings.maxout = settings.ffn = 4;
        for (; *option; option += 2)
            ck_assert_msg(sa_settings_set(&settings, option[0], option[1], &error), "%s",
                          error.text);
        const sa_gradcheck_options check = {.settings = &settings,
                                            .dump = dump_of(model),
                                            .each = count,
                                            .context = &parameters[model]};
        ck_assert_msg(sa_check_gradients(&check, &error), "%s", error.text);
    }
}

static void open_dump(int model) {
    sa_error error;
    ck_assert_msg(sa_container_open(&file, dump_of(model), 1, NULL, &error), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(sa_container_metadata(&file, "settings"), "\"model\""));
}

static const sa_tensor *find(const char *name, sa_dtype type, int rank) {
    const sa_tensor *tensor = sa_container_find(&file, name);
    ck_assert_msg(tensor, "no %s", name);
    ck_assert_int_eq(tensor->type, type);
    ck_assert_int_eq(tensor->rank, rank);
    return tensor;
}

static int32_t integer(const sa_tensor *tensor, int i) {
    int32_t number;
    memcpy(&number, (const char *)tensor->data + (size_t)i * sizeof number, sizeof number);
    return number;
}

static double real(const sa_tensor *tensor, int i) {
    double number;
    memcpy(&number, (const char *)tensor->data + (size_t)i * sizeof number, sizeof number);
    return number;
}

/* The number of words on a side. */
static int words_of(const char *side) {
    char name[32];
    snprintf(name, sizeof name, "%s.len", side);
    const sa_tensor *lengths = find(name, SA_I32, 1);
    int words = 0;
    for (int b = 0; b < lengths->shape[0]; b++) words += integer(lengths, b);
    snprintf(name, sizeof name, "%s.ids", side);
    ck_assert_int_eq(find(name, SA_I32, 1)->shape[0], words);
    return words;
}

/* ---- Weights --------------------------------------------------------------------------------- */

START_TEST(every_weight_has_its_gradient) {
    open_dump(_i);
    int gradients = 0;
    for (size_t i = 0; i < file.count; i++) {
        const sa_tensor *gradient = &file.tensors[i];
        if (strncmp(gradient->name, "gradient.", 9) != 0) continue;
        const sa_tensor *weight = find(gradient->name + 9, SA_F64, gradient->rank);
        ck_assert_mem_eq(weight->shape, gradient->shape, sizeof weight->shape);
        gradients++;
    }
    ck_assert_int_eq(gradients, parameters[_i]);
    ck_assert_double_gt(real(find("loss", SA_F64, 1), 0), 0);
    sa_container_close(&file);
}
END_TEST

static bool is_read(const sa_tensor *ids, int word) {
    int i = 0;
    while (i < ids->shape[0] && integer(ids, i) != word) i++;
    return i < ids->shape[0];
}

/* Exactly the embeddings of the batch's words have a gradient. */
START_TEST(gradients_belong_to_the_batch) {
    open_dump(0);
    const sa_tensor *E = find("gradient.source.E", SA_F64, 2), *ids = find("source.ids", SA_I32, 1);
    for (int word = 0; word < E->shape[0]; word++) {
        bool learns = false;
        for (int k = 0; k < E->shape[1]; k++) learns |= real(E, word * E->shape[1] + k) != 0;
        ck_assert_int_eq(learns, is_read(ids, word));
    }
    sa_container_close(&file);
}
END_TEST

/* ---- Masks and links ------------------------------------------------------------------------- */

static bool is_mask(const sa_tensor *tensor) {
    return strncmp(tensor->name, "mask.", 5) == 0;
}

START_TEST(masks_are_all_there) {
    open_dump(_i);
    const int sentences = find("source.len", SA_I32, 1)->shape[0];
    const int source = words_of("source"), target = words_of("target");
    int masks = 0;
    for (const expected *mask = models[_i].masks; mask->name; mask++, masks++) {
        const int rows = mask->rows == B ? sentences : mask->rows == SOURCE ? source : target;
        ck_assert_int_eq(find(mask->name, SA_F64, 2)->shape[0], rows);
    }
    for (size_t i = 0; i < file.count; i++) masks -= is_mask(&file.tensors[i]);
    ck_assert_int_eq(masks, 0);
    sa_container_close(&file);
}
END_TEST

/* Inverted dropout: what remains is scaled to keep the mean. */
START_TEST(masks_drop_or_enlarge) {
    open_dump(_i);
    int dropped = 0, kept = 0;
    for (size_t i = 0; i < file.count; i++) {
        const sa_tensor *mask = &file.tensors[i];
        if (!is_mask(mask)) continue;
        const bool state = mask->shape[0] == find("source.len", SA_I32, 1)->shape[0];
        const double share = strstr(mask->name, ".words") ? 0.1 : state ? 0.3 : 0.2;
        for (int k = 0; k < mask->shape[0] * mask->shape[1]; k++) {
            const bool drops = real(mask, k) == 0;
            dropped += drops, kept += !drops;
            if (!drops) ck_assert_double_eq_tol(real(mask, k), 1 / (1 - share), 1e-12);
        }
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_gt(kept, dropped);
    sa_container_close(&file);
}
END_TEST

/* Each mask has its own draws. */
START_TEST(no_mask_is_there_twice) {
    open_dump(_i);
    for (size_t i = 0; i < file.count; i++)
        for (size_t k = 0; k < i; k++) {
            const sa_tensor *one = &file.tensors[i], *other = &file.tensors[k];
            if (!is_mask(one) || !is_mask(other) || one->size != other->size) continue;
            ck_assert_msg(memcmp(one->data, other->data, one->size) != 0, "%s is %s", one->name,
                          other->name);
        }
    sa_container_close(&file);
}
END_TEST

/* Whether number k of this word is read anywhere, where neither of the masks drops it. The decoder
 * reads a word one row later than it predicts it. */
static bool number_is_read(const char *side, int word, int k) {
    char name[32];
#define OF(before, after) (snprintf(name, sizeof name, before "%s" after, side), name)
    const sa_tensor *lengths = find(OF("", ".len"), SA_I32, 1);
    const sa_tensor *ids = find(OF("", ".ids"), SA_I32, 1);
    const sa_tensor *words = find(OF("mask.", ".words"), SA_F64, 2);
    const sa_tensor *E = sa_container_find(&file, OF("mask.", ".E"));
#undef OF
    const int late = *side == 't';
    bool found = false;
    for (int pair = 0, row = 0; pair < lengths->shape[0]; row += integer(lengths, pair++))
        for (int t = late; t < integer(lengths, pair); t++)
            found |= integer(ids, row + t - late) == word && real(words, row + t) != 0 &&
                     (!E || real(E, (row + t) * E->shape[1] + k) != 0);
    return found;
}

/* So the rows of the masks are in the order of the words: what a mask drops has no gradient. */
START_TEST(what_is_dropped_has_no_gradient) {
    static const char *const sides[] = {"source", "target"};
    int dropped = 0;
    open_dump(_i);
    for (int side = 0; side < 2; side++) {
        char name[32];
        snprintf(name, sizeof name, "gradient.%s.E", sides[side]);
        const sa_tensor *E = find(name, SA_F64, 2);
        for (int word = 3; word < 10; word++) /* those of the pairs; all have an end */
            for (int k = 0; k < E->shape[1]; k++) {
                const bool reads = number_is_read(sides[side], word, k);
                ck_assert_msg((real(E, word * E->shape[1] + k) != 0) == reads,
                              "%s: number %d of word %d", name, k, word);
                dropped += !reads;
            }
    }
    ck_assert_int_gt(dropped, 0);
    sa_container_close(&file);
}
END_TEST

/* Noise of scores is no dropout: it is drawn for every target word and place, as wide as it is
 * asked for. */
START_TEST(noise_is_there) {
    static const char *const widths[] = {"1", "3"};
    double drawn[2][256], squares = 0;
    int rows = 0, cols = 0;
    for (int k = 0; k < 2; k++) {
        sa_error error;
        sa_settings settings;
        sa_settings_init(&settings);
        settings.embed = settings.hidden = settings.attn = settings.maxout = 2;
        ck_assert(sa_settings_set(&settings, "attention", "monotonic", &error));
        ck_assert(sa_settings_set(&settings, "monotonic-noise", widths[k], &error));
        const sa_gradcheck_options check = {.settings = &settings, .dump = dump_of(MODELS)};
        ck_assert_msg(sa_check_gradients(&check, &error), "%s", error.text);
        open_dump(MODELS);
        const sa_tensor *noise = find("mask.attention", SA_F64, 2);
        rows = noise->shape[0], cols = noise->shape[1];
        ck_assert_int_eq(rows, words_of("target"));
        ck_assert_int_le(rows * cols, 256);
        for (int i = 0; i < rows * cols; i++) drawn[k][i] = real(noise, i);
        sa_container_close(&file);
    }
    ck_assert_int_eq(cols, 5); /* the words of the longest source */
    for (int i = 0; i < rows * cols; i++) {
        ck_assert_double_eq_tol(drawn[1][i], 3 * drawn[0][i], 1e-12);
        squares += drawn[0][i] * drawn[0][i];
    }
    ck_assert_double_eq_tol(sqrt(squares / (rows * cols)), 2, 0.4);
}
END_TEST

/* The four pairs of a check, words with repeats and one that is unknown (0), and what a model that
 * copies reads of them: words beyond its vocabulary from 12 on. */
static void integers_are(const char *name, const int32_t *wanted, int size) {
    const sa_tensor *found = find(name, SA_I32, 1);
    ck_assert_int_eq(found->shape[0], size);
    for (int i = 0; i < size; i++)
        ck_assert_msg(integer(found, i) == wanted[i], "%s: number %d is %d, not %d", name, i,
                      integer(found, i), wanted[i]);
}

START_TEST(the_pairs_are_those_that_are_read) {
    enum { WORDS = 13, PAIRS = 4 };
    static const int32_t lengths[2][PAIRS] = {{5, 1, 3, 4}, {2, 4, 1, 6}},
                         ids[2][WORDS] = {{3, 4, 5, 6, SA_EOS, SA_EOS, 7, SA_UNK, SA_EOS, 8, 3, 9,
                                           SA_EOS},
                                          {3, SA_EOS, 4, 5, 6, SA_EOS, SA_EOS, 7, 8, SA_UNK, 9, 3,
                                           SA_EOS}},
                         extended[2][WORDS] = {
                             {3, 12, 12, 13, SA_EOS, SA_EOS, 7, 12, SA_EOS, 12, 3, 9, SA_EOS},
                             {12, SA_EOS, 4, 5, 6, SA_EOS, SA_EOS, 7, 12, SA_UNK, 9, 3, SA_EOS}};
    for (int model = 0; model < MODELS; model++) {
        open_dump(model);
        const bool copies = model == COPYING;
        integers_are("source.len", lengths[0], PAIRS),
            integers_are("target.len", lengths[1], PAIRS);
        integers_are("source.ids", ids[0], WORDS), integers_are("target.ids", ids[1], WORDS);
        if (copies) integers_are("source.extended", extended[0], WORDS);
        if (copies) integers_are("target.extended", extended[1], WORDS);
        ck_assert(copies == (sa_container_find(&file, "source.extended") != NULL));
        ck_assert(copies == (sa_container_find(&file, "target.extended") != NULL));
        ck_assert((model == 1) == (sa_container_find(&file, "links") != NULL));
        sa_container_close(&file);
    }
}
END_TEST

/* Rows of pair, target word, source word, and whether the link is only possible. */
START_TEST(links_are_those_of_the_pairs) {
    static const int32_t wanted[][4] = {{0, 0, 0, 0}, {0, 0, 2, 0}, {1, 1, 0, 0}, {1, 2, 0, 0},
                                        {3, 0, 2, 0}, {3, 0, 1, 1}, {3, 3, 3, 1}, {3, 4, 0, 0},
                                        {3, 4, 1, 0}, {3, 4, 2, 0}};
    open_dump(1);
    const sa_tensor *all = find("links", SA_I32, 2);
    ck_assert_int_eq(all->shape[0], 10);
    for (int i = 0; i < 40; i++) ck_assert_int_eq(integer(all, i), wanted[i / 4][i % 4]);
    sa_container_close(&file);
}
END_TEST

START_TEST(links_lie_inside_their_pairs) {
    open_dump(1);
    const sa_tensor *links = find("links", SA_I32, 2);
    ck_assert_int_eq(links->shape[1], 4);
    for (int i = 0; i < links->shape[0]; i++) {
        const int pair = integer(links, 4 * i);
        ck_assert_int_lt(pair, find("source.len", SA_I32, 1)->shape[0]);
        ck_assert_int_lt(integer(links, 4 * i + 1), integer(find("target.len", SA_I32, 1), pair));
        ck_assert_int_lt(integer(links, 4 * i + 2), integer(find("source.len", SA_I32, 1), pair));
        ck_assert(integer(links, 4 * i + 3) == 0 || integer(links, 4 * i + 3) == 1);
    }
    sa_container_close(&file);
}
END_TEST

START_TEST(missing_folder) {
    sa_error error;
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = settings.hidden = settings.attn = settings.maxout = 2;
    const sa_gradcheck_options check = {.settings = &settings, .dump = scratch_path("none/dump")};
    ck_assert(!sa_check_gradients(&check, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/none"));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("dump of a gradient check", &tests);
    tcase_add_unchecked_fixture(tests, dump_models, scratch_remove);
    tcase_add_loop_test(tests, every_weight_has_its_gradient, 0, MODELS);
    tcase_add_test(tests, gradients_belong_to_the_batch);
    tcase_add_loop_test(tests, masks_are_all_there, 0, MODELS);
    tcase_add_loop_test(tests, masks_drop_or_enlarge, 1, MODELS);
    tcase_add_loop_test(tests, no_mask_is_there_twice, 1, MODELS);
    tcase_add_loop_test(tests, what_is_dropped_has_no_gradient, 1, 2);
    tcase_add_loop_test(tests, what_is_dropped_has_no_gradient, 3, MODELS);
    tcase_add_test(tests, noise_is_there);
    tcase_add_test(tests, the_pairs_are_those_that_are_read);
    tcase_add_test(tests, links_are_those_of_the_pairs);
    tcase_add_test(tests, links_lie_inside_their_pairs);
    tcase_add_test(tests, missing_folder);
    return suite_run(suite);
}
