/* The logit lens of sa_lab_explain: readouts computed again from the vectors of the layers, and
 * layers that change nothing. */
#include "support/explained_values.h"
#include "support/suite.h"

enum { LAYERS = 3 };

/* The settings of a Transformer with an encoder (0, 1) or decoder-only (2, 3), pre or post norm. */
static void choose(int number) {
    settings = small_of(number < 2 ? SA_MODEL_TRANSFORMER : SA_MODEL_DECODER_ONLY);
    settings.layers = LAYERS;
    settings.norm = number % 2;
}

static const struct line *lens(int step, const char *prefix, int layer, const char *sublayer) {
    char name[48];
    if (layer)
        snprintf(name, sizeof name, "%s %d %s", prefix, layer, sublayer);
    else
        snprintf(name, sizeof name, "%s %s", prefix, sublayer);
    return find(step, 0, name);
}

/* p = softmax(W_o LN(x) + b_y) */
static void read_out(const double *x, int size, double p[K]) {
    double y[WIDE], mean = 0, variance = 0, sum = 0;
    const sa_param *g = param("decoder.", "norm.g"), *b = param("decoder.", "norm.b");
    for (int k = 0; k < size; k++) mean += x[k] / size;
    for (int k = 0; k < size; k++) variance += (x[k] - mean) * (x[k] - mean) / size;
    for (int k = 0; k < size; k++)
        y[k] = g ? weight(g, 0, k) * (x[k] - mean) / sqrt(variance + 1e-5) + weight(b, 0, k) : x[k];
    memset(p, 0, K * sizeof *p);
    add_product("", param("", "readout.W_o") ? "readout.W_o" : "target.E", y, p);
    add_bias("", "readout.b_y", p);
    for (int k = 0; k < K; k++) sum += p[k] = exp(p[k]);
    for (int k = 0; k < K; k++) p[k] /= sum;
}

static void forget(void) {
    for (int i = 0; i < count; i++) free(lines[i].number);
    count = 0;
}

/* What is read after a layer is the readout of its vectors, and KL is that of the words. */
START_TEST(layers_are_read) {
    double *x[LAYERS + 1], end[K], p[K];
    choose(_i);
    draw_weights();
    const bool pre = settings.norm == SA_NORM_PRE;
    ck_assert_int_eq(param("decoder.", "norm.g") != NULL, pre);
    ck_assert(
        explain_drawn(&(sa_explain_options){.site = SA_SITE_DECODER, .annotations = true}, NULL));
    const int size = settings.embed;
    ck_assert_int_eq(count, LAYERS + 1);
    for (int l = 0; l <= LAYERS; l++)
        x[l] = copy_of(lines[l].number, T * (size_t)size * sizeof **x);
    forget();
    ck_assert(explain_drawn(&(sa_explain_options){.lens = true}, NULL));
    ck_assert_int_eq(count,
                     T * 2 * (1 + LAYERS * (settings.model == SA_MODEL_DECODER_ONLY ? 2 : 3)));
    for (int i = 1; i <= T; i++) {
        const struct line *last = lens(i, "p", LAYERS, "feed");
        memcpy(end, last->number, sizeof end);
        ck_assert_double_eq(*lens(i, "KL", LAYERS, "feed")->number, 0);
        for (int l = 0; l <= LAYERS; l++) {
            const struct line *of = lens(i, "p", l, l ? "feed" : "words");
            double divergence = 0;
            ck_assert_int_eq(of->head.about, SA_ROWS_VOCABULARY);
            ck_assert_int_eq(of->head.chosen, target_ids[i - 1]);
            /* the last annotations are normalized, as the others are here */
            if (l < LAYERS || !pre) {
                read_out(x[l] + (i - 1) * size, size, p);
                same("p", i, of->number, p, K);
            }
            for (int k = 0; k < K; k++) divergence += end[k] * log(end[k] / of->number[k]);
            same("KL", i, lens(i, "KL", l, l ? "feed" : "words")->number, &divergence, 1);
        }
    }
    for (int l = 0; l <= LAYERS; l++) free(x[l]);
}
END_TEST

/* What is read within a layer is the readout of what attention leaves there, as the explanation of
 * that layer has it. */
START_TEST(sublayers_are_read) {
    static const char *const names[] = {"self", "cross"};
    static const sa_attention_site sites[] = {SA_SITE_DECODER, SA_SITE_CROSS};
    double y[WIDE], p[K];
    choose(_i);
    draw_weights();
    const int size = settings.embed, sublayers = settings.model == SA_MODEL_DECODER_ONLY ? 1 : 2;
    for (int place = 0; place < LAYERS * sublayers * T; place++) {
        const int layer = 1 + place / T / sublayers, k = place / T % sublayers, i = 1 + place % T;
        const sa_explain_options of_layer = {.step = i, .layer = layer, .site = sites[k]},
                                 of_lens = {.step = i, .lens = true};
        forget();
        ck_assert(explain_drawn(&of_layer, NULL));
        memcpy(y, get(0, 0, "y"), (size_t)size * sizeof *y);
        read_out(y, size, p);
        forget();
        ck_assert(explain_drawn(&of_lens, NULL));
        same("p", i, lens(i, "p", layer, names[k])->number, p, K);
    }
}
END_TEST

static void plant_zero(const char *name) {
    const sa_param *p = param("", name);
    if (p) memset(values + p->offset, 0, (size_t)p->rows * (size_t)p->cols * sizeof *values);
}

/* Layers above the first that add nothing: the words have settled after the first, to the bit. */
START_TEST(layers_that_add_nothing) {
    static const char *const outputs[] = {"self.W_o", "cross.W_o", "feedforward.W_2"};
    char name[64];
    choose(2 * _i + SA_NORM_PRE);
    draw_weights();
    for (int l = 2; l <= LAYERS; l++) {
        for (int k = 0; k < 3; k++) {
            snprintf(name, sizeof name, "decoder.%d.%s", l, outputs[k]);
            plant_zero(name);
        }
        snprintf(name, sizeof name, "decoder.%d.feedforward.b_2", l);
        const sa_param *b = param("", name);
        memset(values + b->offset, 0, (size_t)b->cols * sizeof *values);
    }
    ck_assert(explain_drawn(&(sa_explain_options){.lens = true}, NULL));
    for (int i = 1; i <= T; i++) {
        ck_assert_double_gt(*lens(i, "KL", 0, "words")->number, 1e-6);
        ck_assert_double_gt(*lens(i, "KL", 1, "self")->number, 1e-6);
        ck_assert_double_eq(*lens(i, "KL", 1, "feed")->number, 0);
        for (int l = 2; l <= LAYERS; l++) {
            ck_assert_double_eq(*lens(i, "KL", l, "self")->number, 0);
            ck_assert_int_eq(lens(i, "KL", l, "cross") != NULL, _i == 0);
            ck_assert_double_eq(*lens(i, "KL", l, "feed")->number, 0);
        }
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("explain_lens", &tests);
    tcase_add_checked_fixture(tests, numbers_open, release);
    tcase_add_loop_test(tests, layers_are_read, 0, 4);
    tcase_add_loop_test(tests, sublayers_are_read, 0, 4);
    tcase_add_loop_test(tests, layers_that_add_nothing, 0, 2);
    return suite_run(suite);
}
