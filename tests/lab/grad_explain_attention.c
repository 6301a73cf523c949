/* sa_lab_explain: the attention of every step computed again from the weights, in plain loops,
 * for every model. */
#include "attention/parts.h"
#include "support/entmax.h"
#include "support/explained_values.h"
#include "support/suite.h"

static int annotation_width(void) {
    return find(0, 0, "h")->head.cols;
}

/* The key/value head that serves this head. */
static int shared(int head) {
    return settings.kv_heads ? head * settings.kv_heads / settings.heads : head;
}

/* out += W W_dkv h with the rows of a head, if the model has latents. */
static void add_latent(const char *name, int head, const double *h, double *out) {
    double latent[WIDE] = {0};
    const sa_param *W = param("attention.", name);
    if (!W) return;
    add_product("attention.", "W_dkv", h, latent);
    add_rows("attention.", name, head * (W->rows / settings.heads), W->rows / settings.heads,
             latent, out);
}

/* The score of query s and annotation h, whose key has what earlier weights add to it, or of the
 * learned null key if h is NULL, by the name of its row; NaN for a row unknown to this test. */
static double score(const char *name, int head, const double *s, const double *h, int j,
                    const double *earlier) {
    const int H = settings.heads, own = settings.attn / H, n = settings.hidden;
    double q[WIDE] = {0}, k[WIDE] = {0}, e = 0;
    const bool general = strcmp(name, "general") == 0, raw = strcmp(name, "raw-dot") == 0;
    if (strcmp(name, "uniform") == 0) return 0;
    if (strcmp(name, "location") == 0) {
        const int places = settings.max_len + 1;
        if (j < places) add_rows("attention.", "W_a", head * places + j, 1, s, &e);
        return e;
    }
    if (earlier) memcpy(k, earlier, sizeof k);
    if (general) add_rows("attention.", "W_a", shared(head) * n, n, h, k);
    if (general || raw) {
        for (int d = 0; d < n; d++) e += s[d] * (raw ? h[d] + k[d] : k[d]);
        return e;
    }
    add_rows("attention.", "W_a", head * own, own, s, q);
    if (h) add_rows("attention.", "U_a", shared(head) * own, own, h, k);
    add_latent("W_uk", head, h, k);
    for (int d = 0; !h && d < own; d++)
        k[d] = weight(param("attention.", "k_0"), 0, head * own + d);
    if (strcmp(name, "monotonic") == 0) {
        double square = 0;
        for (int d = 0; d < own; d++) {
            const double v = weight(param("attention.", "v_a"), 0, d);
            e += v * tanh(q[d] + k[d] + weight(param("attention.", "b_a"), 0, d));
            square += v * v;
        }
        return weight(param("attention.", "g"), 0, 0) * e / sqrt(square) +
               weight(param("attention.", "r"), 0, 0);
    }
    const bool additive = strcmp(name, "additive") == 0 || strcmp(name, "concat") == 0 ||
                          strcmp(name, "location-aware") == 0 || strcmp(name, "hard") == 0;
    for (int d = 0; d < own; d++)
        e += additive ? weight(param("attention.", "v_a"), 0, head * own + d) * tanh(q[d] + k[d])
                      : q[d] * k[d];
    if (strcmp(name, "scaled-dot") == 0) return e / sqrt(own);
    return additive || strcmp(name, "dot") == 0 ? e : NAN;
}

/* The normalizer's number, which a head may have learned. */
static double exponent_of(int head) {
    const char *name = sa_normalizers[settings.normalizer].learned;
    if (name) return weight(param("attention.", name), 0, head);
    const bool learned = settings.entmax_alpha == SA_ENTMAX_ALPHA_LEARNED;
    return learned ? 1 + sigma(weight(param("attention.", "a"), 0, head)) : settings.entmax_alpha;
}

/* What is explained on the way to alpha over the scores e of `words` words from `first`. */
static void check_normalizer(int i, int head, const double *e, double e_0, int first, int words,
                             const double *alpha) {
    const sa_normalizer *row = &sa_normalizers[settings.normalizer];
    const double exponent = exponent_of(head ? head - 1 : 0);
    double sum = 0, rest = 1, above[S];
    for (int j = 0; j < words; j++) rest -= alpha[first + j];
    if (row->null_key) same("null", i, get(i, head, "null"), &rest, 1);
    if (row->exponent) same("a", i, get(i, head, "a"), &exponent, 1);
    if (row->learned) e_0 = exponent;
    if (row->scored_backward || row->any_sum) return; /* no shares of exponentials */
    if (row->kinks) {
        const double a = row->exponent ? exponent : 2, tau = entmax(a, e + first, words, above);
        for (int j = 0; j < words; j++) above[j] = e[first + j] - tau / (a - 1);
        same("above", i, get(i, head, "above") + first, above, words);
        return;
    }
    for (int j = first; j < first + words; j++) {
        const double power = exp(e[j]);
        same("exp", i, get(i, head, "exp") + j, &power, 1);
        sum += power;
    }
    if (row->null_key) sum += exp(e_0);
    same("sum", i, get(i, head, "sum"), &sum, 1);
}

/* alpha_ij by the equations of the window; also compares what leads there, and the Gaussian. */
static void weights_of(const double *e, int i, int head, const double *s, double *alpha) {
    const char *score_name = SA_NAME(sa_scores, (size_t)settings.attention);
    const bool location = strcmp(score_name, "location") == 0;
    const int seen = location && settings.max_len + 1 < S ? settings.max_len + 1 : S;
    const int D = settings.window_size;
    const bool none = settings.window == SA_WINDOW_NONE,
               predictive = settings.window == SA_WINDOW_LOCAL_P;
    double p = fmin(i, seen), hidden[WIDE] = {0}, a = 0;
    if (predictive) {
        add_product("attention.", "W_p", s, hidden);
        for (int d = 0; d < settings.attn; d++)
            a += weight(param("attention.", "v_p"), 0, d) * tanh(hidden[d]);
        p = seen * sigma(a);
    }
    if (!none) same("p_i", i, get(i, 0, "p_i"), &p, 1);
    const char *name = SA_NAME(sa_normalizers, (size_t)settings.normalizer),
               *column = sa_normalizers[settings.normalizer].kinks ? "above" : "exp";
    int first = S, words = 0;
    for (int j = 0; j < S; j++) {
        const bool in = j < seen && (none || fabs(j + 1 - p) <= D);
        alpha[j] = 0;
        const struct line *shown = find(i, head, column);
        ck_assert(!shown || in == !isnan(shown->number[j]));
        if (in && j < first) first = j;
        words += in;
    }
    const bool learned = sa_normalizers[settings.normalizer].part == &sa_null_key_part;
    const double e_0 = learned ? score(score_name, head ? head - 1 : 0, s, NULL, 0, NULL) : 0;
    if (learned) same("e_0", i, get(i, head, "e_0"), &e_0, 1);
    double less[S];
    for (int j = 0; j < S; j++) less[j] = e[j] - e_0;
    ck_assert(
        normalize(name, exponent_of(head ? head - 1 : 0), less + first, words, alpha + first));
    check_normalizer(i, head, e, e_0, first, words, alpha);
    for (int j = first; predictive && j < first + words; j++) {
        const double gauss = exp(-(j + 1 - p) * (j + 1 - p) / (2 * D / 2.0 * D / 2.0));
        same("normalized", i, get(i, head, name) + j, &alpha[j], 1);
        same("gauss", i, get(i, head, "gauss") + j, &gauss, 1);
        alpha[j] *= gauss;
    }
}

/* Of monotonic attention, as it decodes: from left to right, from the word of the step before. */
static void selected_of(const double *e, int i, double *alpha) {
    static double previous[S];
    double q = 0;
    for (int j = 0; i == 1 && j < S; j++) previous[j] = j == 0;
    same("previous", i, get(i, 0, "previous"), previous, S);
    for (int j = 0; j < S; j++) {
        const double p = e[j] > 0, probability = sigma(e[j]);
        q += previous[j];
        same("sigma", i, get(i, 0, "sigma") + j, &probability, 1);
        same("selected", i, get(i, 0, "selected") + j, &p, 1);
        same("reached", i, get(i, 0, "reached") + j, &q, 1);
        alpha[j] = p * q;
        q *= 1 - p;
    }
    double rest = 1;
    for (int j = 0; j < S; j++) previous[j] = alpha[j], rest -= alpha[j];
    same("null", i, get(i, 0, "null"), &rest, 1);
}

/* Of hard attention, as it decodes: 1 at the most probable word. */
static void largest_of(int i, int head, double *alpha) {
    int s = 0;
    same("probability", i, get(i, head, "probability"), alpha, S);
    for (int j = 0; j < S; j++) s = alpha[j] > alpha[s] ? j : s;
    for (int j = 0; j < S; j++) alpha[j] = j == s;
}

/* W_a s and U_a h_j (or W_a h_j), where they are explained. */
static void check_maps(int i, int head, const double *s) {
    const int H = settings.heads, A = annotation_width(), at = H > 1 ? head + 1 : 0;
    const struct line *q = find(i, at, "q"), *k = find(0, at, "k");
    const bool general = sa_scores[settings.attention].key == SA_KEY_STATE_SIZED;
    double own[WIDE] = {0};
    if (q) add_rows("attention.", "W_a", head * q->head.cols, q->head.cols, s, own);
    if (q) same("q", i, q->number, own, q->head.cols);
    for (int j = 0; k && j < S; j++) {
        double key[WIDE] = {0};
        add_rows("attention.", general ? "W_a" : "U_a", shared(head) * k->head.cols, k->head.cols,
                 get(0, 0, "h") + j * A, key);
        same("k", 0, k->number + j * k->head.cols, key, k->head.cols);
    }
}

/* The score's own vector, of which each head has a part. */
static void check_own(int i, int head) {
    const struct line *v_a = find(i, settings.heads > 1 ? head + 1 : 0, "v_a");
    const sa_param *param_v_a = param("attention.", "v_a");
    ck_assert((v_a != NULL) == (param_v_a != NULL));
    if (!v_a) return;
    const int size = param_v_a->cols / settings.heads;
    double own[WIDE] = {0};
    ck_assert(v_a->head.rows == 1 && v_a->head.cols == size);
    for (int k = 0; k < size; k++) own[k] = weight(param_v_a, 0, head * size + k);
    same("v_a", i, v_a->number, own, size);
}

/* C_{i-1,j} from the weights that are explained, and Phi_j; head as in the lines. */
static double covered(int i, int head, const double *h, int j) {
    double C = 0, a = 0, Phi = 1;
    for (int before = 1; before < i; before++) C += get(before, head, "alpha")[j];
    if (sa_coverages[settings.coverage].fertility) {
        const sa_param *U_f = param("attention.", "U_f");
        for (int d = 0; d < annotation_width(); d++) a += weight(U_f, 0, d) * h[d];
        Phi = settings.max_fertility * sigma(a);
        same("Phi", i, get(i, head, "Phi") + j, &Phi, 1);
    }
    C /= Phi;
    same("C", i, get(i, head, "C") + j, &C, 1);
    return C;
}

/* The weight that word j had in the step before i. */
static double before(int i, int head, int j) {
    if (j < 0 || j >= S) return 0;
    return i == 1 ? j == 0 : get(i - 1, head, "alpha")[j];
}

/* W_f f_j + b_a of `units` units of a head: k. */
static void add_located(int i, int head, int j, int units, double *k) {
    const sa_param *F = param("attention.", "F"), *b_a = param("attention.", "b_a");
    const int at = settings.heads > 1 ? head + 1 : 0, r = F->cols / 2;
    double f[WIDE] = {0};
    for (int l = 0; l < F->rows; l++)
        for (int o = -r; o <= r; o++) f[l] += weight(F, l, o + r) * before(i, at, j - o);
    same("filtered", i, get(i, at, "filtered") + j * F->rows, f, F->rows);
    add_rows("attention.", "W_f", head * units, units, f, k);
    for (int d = 0; d < units; d++) k[d] += weight(b_a, 0, head * units + d);
}

/* What the weights before step i add to the key of annotation h of word j. */
static void earlier_of(int i, int head, const double *h, int j, double k[WIDE]) {
    const int at = settings.heads > 1 ? head + 1 : 0;
    const sa_param *w_c = param("attention.", "w_c");
    const int units = w_c ? w_c->cols / settings.heads : settings.attn / settings.heads;
    const double C = w_c ? covered(i, at, h, j) : 0;
    for (int d = 0; d < units; d++) k[d] = w_c ? C * weight(w_c, 0, head * units + d) : 0;
    if (sa_scores[settings.attention].part == &sa_location_aware_part)
        add_located(i, head, j, units, k);
}

/* Annotation j as the keys see it: mixed with the one before, where keys are, as all that makes
 * keys is linear; and the key that is explained. */
static void smeared_of(int i, int head, const double *h, int j, double *mixed) {
    const int A = annotation_width(), own = settings.attn / settings.heads;
    double k[WIDE] = {0};
    memcpy(mixed, h + j * A, sizeof *mixed * (size_t)A);
    if (!settings.smeared_keys) return;
    const double share = sigma(weight(param("attention.", "smear"), 0, head));
    for (int d = 0; j && d < A; d++)
        mixed[d] = share * h[j * A + d] + (1 - share) * h[(j - 1) * A + d];
    add_rows("attention.", "U_a", shared(head) * own, own, mixed, k);
    same("smeared", i, get(i, settings.heads > 1 ? head + 1 : 0, "smeared") + j * own, k, own);
}

/* Returns the size of a head's output. */
static int width_of(int heads) {
    return heads > 1 ? param("attention.", "W_c")->cols / heads : annotation_width();
}

static void check_head(int i, int head, const double *s, double *o) {
    const char *name = SA_NAME(sa_scores, (size_t)settings.attention);
    const int H = settings.heads, A = annotation_width(), at = H > 1 ? head + 1 : 0;
    const double *h = get(0, 0, "h");
    const struct line *e = find(i, at, "e");
    check_maps(i, head, s);
    check_own(i, head);
    double alpha[S], own[S];
    for (int j = 0; j < S; j++) {
        double earlier[WIDE] = {0}, mixed[WIDE];
        earlier_of(i, head, h + j * A, j, earlier);
        smeared_of(i, head, h, j, mixed);
        own[j] = score(name, head, s, mixed, j, earlier);
        if (!isnan(own[j])) same("e", i, &e->number[j], &own[j], 1);
    }
    const sa_part *part = sa_scores[settings.attention].part;
    if (part == &sa_monotonic_part)
        selected_of(e->number, i, alpha);
    else if (sa_rare_of(part)->any_sum) /* the score makes the weights */
        memcpy(alpha, e->number, sizeof alpha);
    else
        weights_of(e->number, i, at, s, alpha);
    if (part == &sa_hard_part) largest_of(i, at, alpha);
    same("alpha", i, get(i, at, "alpha"), alpha, S);
    const struct line *v = H > 1 ? find(0, at, "v") : find(0, 0, "h");
    const int width = width_of(H);
    for (int k = 0; k < width; k++) {
        o[k] = 0;
        for (int j = 0; v && j < S; j++) o[k] += alpha[j] * v->number[j * width + k];
    }
    for (int j = 0; j < S; j++) {
        double latent[WIDE] = {0};
        add_latent("W_uv", head, h + j * A, latent);
        for (int k = 0; k < width; k++) o[k] += alpha[j] * latent[k];
    }
    const sa_param *W_g = param("attention.", "W_g");
    if (W_g) {
        const int gates = W_g->rows / H;
        double g[WIDE] = {0};
        add_rows("attention.", "W_g", head * gates, gates, s, g);
        for (int k = 0; k < gates; k++) g[k] = sigma(g[k]);
        same("gate", i, get(i, at, "gate"), g, gates);
        for (int k = 0; k < width; k++) o[k] *= g[gates > 1 ? k : 0];
    }
    if (H > 1) same("o", i, get(i, at, "o"), o, width);
}

static void check_attention(int i, const double *s) {
    const int H = settings.heads, A = annotation_width();
    const int width = width_of(H);
    double o[WIDE], c[WIDE] = {0};
    for (int head = 0; head < H; head++) check_head(i, head, s, o + head * width);
    if (H > 1) add_product("attention.", "W_c", o, c);
    same("c", i, get(i, 0, "c"), H > 1 ? c : o, A);
}

/* ---- The tests ------------------------------------------------------------------------------- */

START_TEST(every_attention_is_recomputed) {
    static const char *const query_state[] = {[SA_QUERY_STATE_PREVIOUS] = "s_previous",
                                              [SA_QUERY_STATE_PROPOSAL] = "s'",
                                              [SA_QUERY_STATE_CURRENT] = "s"};
    settings = variant_settings(_i);
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings.decoder];
    ck_assert(explain(0, NULL));
    for (int i = 1; i <= T && kind->query_state != SA_QUERY_STATE_NONE; i++)
        check_attention(i, get(i, 0, query_state[kind->query_state]));
}
END_TEST

/* Weights so large that exp(e) overflows. */
START_TEST(large_scores_stay_finite) {
    settings = small_settings();
    ck_assert(sa_settings_set(&settings, "attention", "dot", NULL));
    enlarge = 200;
    ck_assert(explain(0, NULL));
    enlarge = 1;
    for (int i = 1; i <= T; i++)
        for (int j = 0; j < S; j++) {
            ck_assert(isfinite(get(i, 0, "exp")[j]));
            const double alpha = get(i, 0, "exp")[j] / *get(i, 0, "sum");
            same("alpha", i, get(i, 0, "alpha") + j, &alpha, 1);
        }
}
END_TEST

/* All numbers of a tensor of the attention. */
static void plant(const char *name, float number) {
    const sa_param *own = param("attention.", name);
    for (int k = 0; k < own->cols; k++) values[own->offset + (size_t)k] = number;
}

/* Scores above 20 are less their largest before exp, and so is that of the null key. All scores are
 * the sum of v_a here: b_a is so large that every tanh is 1. */
START_TEST(scores_above_20_are_shifted) {
    const double e = _i ? 20.5 : 19.5, shift = _i ? e : 0, power = exp(e - shift),
                 sum = S * power + exp(-shift);
    settings = small_settings();
    settings.attention = SA_ATTENTION_LOCATION_AWARE, settings.normalizer = SA_NORMALIZER_NULL;
    draw_weights();
    plant("b_a", 40), plant("v_a", (float)(e / settings.attn));
    ck_assert(explain_drawn(&(sa_explain_options){.step = 1}, NULL));
    for (int j = 0; j < S; j++) {
        same("e", 1, get(1, 0, "e") + j, &e, 1);
        same("exp", 1, get(1, 0, "exp") + j, &power, 1);
    }
    same("sum", 1, get(1, 0, "sum"), &sum, 1);
    const struct line *exponentials = find(1, 0, "exp");
    ck_assert_str_eq(exponentials->letters, _i ? "exp(e_ij-max)" : "exp(e_ij)");
    ck_assert_int_eq(strstr(exponentials->equation, ", less max in every exp") != NULL, _i);
}
END_TEST

START_TEST(norms_of_a_transformer) {
    const sa_explain_options options = {.step = 2, .layer = 1, .site = SA_SITE_CROSS};
    settings = small_of(SA_MODEL_TRANSFORMER);
    settings.norm = _i;
    ck_assert(explain_with(&options, NULL));
    const bool pre = _i == SA_NORM_PRE;
    ck_assert_int_eq(find(0, 0, "b") != NULL, pre);
    const struct line *y = find(0, 0, pre ? "b" : "y"), *f = find(0, 0, "f");
    const sa_param *W_1 = param("decoder.1.", "feedforward.W_1");
    double inner[WIDE] = {0}, outer[WIDE] = {0};
    ck_assert_ptr_nonnull(W_1);
    add_product("decoder.1.", "feedforward.W_1", y->number, inner);
    add_bias("decoder.1.", "feedforward.b_1", inner);
    for (int k = 0; k < W_1->rows; k++) inner[k] = fmax(0, inner[k]);
    same("max", 2, get(0, 0, "max"), inner, W_1->rows);
    add_product("decoder.1.", "feedforward.W_2", inner, outer);
    add_bias("decoder.1.", "feedforward.b_2", outer);
    same("f", 2, f->number, outer, f->head.cols);
    const double *x = get(0, 0, "x") + settings.embed, *c = get(0, 0, "c");
    double sum[WIDE];
    for (int k = 0; k < settings.embed; k++) sum[k] = x[k] + c[k];
    if (pre) same("y", 2, get(0, 0, "y"), sum, settings.embed);
    for (int k = 0; k < settings.embed; k++) sum[k] += outer[k];
    if (pre) same("z", 2, get(0, 0, "z"), sum, settings.embed);
}
END_TEST

/* The output of a layer is what the next one reads. */
START_TEST(annotations_of_a_transformer) {
    enum { LAYERS = 3 };
    double *vectors[LAYERS + 1];
    settings = small_of(SA_MODEL_TRANSFORMER);
    settings.layers = LAYERS;
    const int size = S * settings.embed;
    ck_assert(
        explain_with(&(sa_explain_options){.site = SA_SITE_ENCODER, .annotations = true}, NULL));
    ck_assert_int_eq(count, LAYERS + 1);
    for (int i = 0; i <= LAYERS; i++) {
        ck_assert_int_eq(lines[i].head.rows * lines[i].head.cols, size);
        vectors[i] = copy_of(lines[i].number, (size_t)size * sizeof(double));
    }
    for (int layer = 1; layer <= LAYERS; layer++) {
        const sa_explain_options options = {.step = 1, .layer = layer, .site = SA_SITE_ENCODER};
        release();
        numbers_open();
        ck_assert(explain_with(&options, NULL));
        same("x", layer, get(0, 0, "x"), vectors[layer - 1], size);
    }
    for (int i = 0; i <= LAYERS; i++) free(vectors[i]);
}
END_TEST

/* Before layer 1 the embeddings, in the order of the sentence; after the last what the decoder
 * sees. */
START_TEST(annotations_of_a_recurrent_encoder) {
    double *vectors;
    settings = small_of(SA_MODEL_RECURRENT);
    settings.reverse_source = _i;
    ck_assert(
        explain_with(&(sa_explain_options){.site = SA_SITE_ENCODER, .annotations = true}, NULL));
    ck_assert_int_eq(count, 2);
    const int size = lines[1].head.rows * lines[1].head.cols;
    ck_assert_int_eq(lines[0].head.rows, S);
    for (int j = 0; j < S; j++)
        for (int k = 0; k < settings.embed; k++)
            ck_assert_double_eq(lines[0].number[j * settings.embed + k],
                                weight(param("source.", "E"), source_ids[j], k));
    vectors = copy_of(lines[1].number, (size_t)size * sizeof(double));
    release();
    numbers_open();
    ck_assert(explain(0, NULL));
    same("h", 0, get(0, 0, "h"), vectors, size);
    free(vectors);
}
END_TEST

/* Cross-attention at the second word: queries of its state, keys and values of the source. */
START_TEST(heads_of_a_transformer) {
    const sa_explain_options options = {.step = 2, .layer = 1, .site = SA_SITE_CROSS};
    settings = small_of(SA_MODEL_TRANSFORMER);
    settings.heads = _i;
    ck_assert(explain_with(&options, NULL));
    const struct line *states = find(0, 0, "a"), *words = find(0, 0, "h");
    for (int number = 1; number <= settings.heads; number++) {
        const int head = settings.heads > 1 ? number : 0; /* one alone has no number */
        const int n = find(0, head, "v")->head.cols, first = (number - 1) * n;
        double q[WIDE] = {0}, o[WIDE] = {0}, e[S], alpha[S], sum = 0;
        add_rows("decoder.1.cross.", "W_q", first, n, states->number + states->head.cols, q);
        same("q", 2, get(0, head, "q"), q, n);
        for (int j = 0; j < S; j++) {
            const double *h = words->number + j * words->head.cols;
            double k[WIDE] = {0}, v[WIDE] = {0};
            add_rows("decoder.1.cross.", "W_k", first, n, h, k);
            add_rows("decoder.1.cross.", "W_v", first, n, h, v);
            same("k", 2, get(0, head, "k") + j * n, k, n);
            same("v", 2, get(0, head, "v") + j * n, v, n);
            e[j] = 0;
            for (int d = 0; d < n; d++) e[j] += q[d] * k[d] / sqrt(n);
            sum += exp(e[j]);
        }
        for (int j = 0; j < S; j++) {
            alpha[j] = exp(e[j]) / sum;
            for (int d = 0; d < n; d++) o[d] += alpha[j] * get(0, head, "v")[j * n + d];
        }
        same("e", 2, get(0, head, "e"), e, S);
        same("alpha", 2, get(0, head, "alpha"), alpha, S);
        same("o", 2, get(0, head, "o"), o, n);
        ck_assert_str_eq(find(0, head, "v")->letters, "v_j");
        ck_assert_str_eq(find(0, head, "v")->equation, ""); /* q has that of all three */
    }
}
END_TEST

/* Merged attention at the second word: the source's words, then those up to its own, with the same
 * projections; and what weight the source has. */
START_TEST(both_sides_of_merged_attention) {
    const sa_explain_options options = {
        .step = 2, .layer = 1, .site = _i ? SA_SITE_DECODER : SA_SITE_CROSS};
    settings = small_of(SA_MODEL_TRANSFORMER);
    settings.heads = 2, settings.merged = true;
    ck_assert(explain_with(&options, NULL));
    const struct line *states = find(0, 0, "a"), *words = find(0, 0, "h");
    const int m = settings.embed, seen = S + 2;
    ck_assert_int_eq(words->head.about, SA_ROWS_SOURCE);
    ck_assert_int_eq(states->head.rows, T);
    for (int head = 1; head <= settings.heads; head++) {
        const struct line *keys = find(0, head, "k");
        const int n = keys->head.cols, first = (head - 1) * n;
        double q[WIDE] = {0}, o[WIDE] = {0}, e[S + T], alpha[S + T] = {0}, sum = 0, g = 0;
        ck_assert_int_eq(keys->head.about, SA_ROWS_TARGET);
        ck_assert_int_eq(keys->head.rows, S + T);
        add_rows("decoder.1.self.", "W_q", first, n, states->number + m, q);
        for (int j = 0; j < seen; j++) {
            const double *x = j < S ? words->number + j * m : states->number + (j - S) * m;
            double k[WIDE] = {0}, v[WIDE] = {0};
            add_rows("decoder.1.self.", "W_k", first, n, x, k);
            add_rows("decoder.1.self.", "W_v", first, n, x, v);
            same("k", 2, keys->number + j * n, k, n);
            same("v", 2, get(0, head, "v") + j * n, v, n);
            e[j] = 0;
            for (int d = 0; d < n; d++) e[j] += q[d] * k[d] / sqrt(n);
            sum += exp(e[j]);
        }
        for (int j = 0; j < seen; j++) {
            alpha[j] = exp(e[j]) / sum;
            g += j < S ? alpha[j] : 0;
            for (int d = 0; d < n; d++) o[d] += alpha[j] * get(0, head, "v")[j * n + d];
        }
        same("e", 2, get(0, head, "e"), e, seen);
        same("alpha", 2, get(0, head, "alpha"), alpha, S + T);
        same("g", 2, get(0, head, "g"), &g, 1);
        same("o", 2, get(0, head, "o"), o, n);
    }
    ck_assert_ptr_nonnull(find(0, 0, "f")); /* the feed-forward network follows at once */
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("explain: attention", &tests);
    tcase_add_checked_fixture(tests, numbers_open, release);
    tcase_add_loop_test(tests, every_attention_is_recomputed, 0, count_variants() + 1);
    tcase_add_test(tests, large_scores_stay_finite);
    tcase_add_loop_test(tests, scores_above_20_are_shifted, 0, 2);
    tcase_add_loop_test(tests, heads_of_a_transformer, 1, 3);
    tcase_add_loop_test(tests, both_sides_of_merged_attention, 0, 2);
    tcase_add_loop_test(tests, norms_of_a_transformer, 0, 2);
    tcase_add_test(tests, annotations_of_a_transformer);
    tcase_add_loop_test(tests, annotations_of_a_recurrent_encoder, 0, 2);
    return suite_run(suite);
}
