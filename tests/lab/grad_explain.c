/* sa_lab_explain: states and probabilities computed again from the weights and the values before
 * them, in plain loops, for every model. (grad_explain_attention.c does the same for the
 * attention.) */
#include "model/seq2seq.h"
#include "support/explained_values.h"
#include "support/suite.h"

/* ---- A cell ---------------------------------------------------------------------------------- */

typedef struct cell {
    const char *part, *prime;
    int step;
    const double *x, *c, *previous, *state;
    bool second;
} cell;

static const double *of_cell(const cell *at, const char *name) {
    char whole[32];
    snprintf(whole, sizeof whole, "%s%s", name, at->prime);
    for (int i = 0; i < count; i++) /* the r of monotonic attention is a single number */
        if (lines[i].head.step == at->step && lines[i].head.cols == settings.hidden &&
            strcmp(lines[i].name, whole) == 0)
            return lines[i].number;
    ck_abort_msg("no %s in step %d", whole, at->step);
    return NULL;
}

/* out += LN(x) for the numbers first .. first+n-1, with mean and variance of all of x. */
static void add_normal(const char *part, const char *name, const double *x, int size, int first,
                       int n, double *out) {
    char gain[16], bias[16];
    double mean = 0, variance = 0;
    snprintf(gain, sizeof gain, "%s.norm.g", name), snprintf(bias, sizeof bias, "%s.norm.b", name);
    for (int k = 0; k < size; k++) mean += x[k] / size;
    for (int k = 0; k < size; k++) variance += (x[k] - mean) * (x[k] - mean) / size;
    for (int k = 0; k < n; k++)
        out[k] += weight(param(part, gain), 0, k) * (x[first + k] - mean) / sqrt(variance + 1e-5) +
                  weight(param(part, bias), 0, k);
}

/* out += W_z x for the letter W and the suffix _z; with --cell-norm normalized, the gates of a
 * cell together and the candidate of a GRU alone. */
static void add_term(const cell *at, char letter, const char *suffix, const double *x,
                     double *out) {
    static const char *const gates[][5] = {{"_z", "_r"}, {"_i", "_f", "_o", ""}, {""}};
    const int n = settings.hidden;
    const char *const *joint = gates[settings.cell], *const alone[] = {suffix, NULL};
    int own = 0, members = 0;
    double p[4 * WIDE] = {0};
    char name[8];
    snprintf(name, sizeof name, "%c%s", letter, suffix);
    if (!param(at->part, name)) return;
    if (!settings.cell_norm) {
        add_product(at->part, name, x, out);
        return;
    }
    while (joint[own] && strcmp(joint[own], suffix) != 0) own++;
    if (!joint[own]) joint = alone, own = 0;
    for (; joint[members]; members++) {
        char member[8];
        snprintf(member, sizeof member, "%c%s", letter, joint[members]);
        add_product(at->part, member, x, p + members * n);
    }
    add_normal(at->part, name, p, members * n, own * n, n, out);
}

/* a_NAME = W x + U state + C c + b, and NAME = activation(a_NAME) */
static void check_gate(const cell *at, const char *name, const char *suffix, const double *state,
                       double (*activation)(double), const double *result) {
    const int n = settings.hidden;
    double a[WIDE] = {0};
    char tensor[8], inside[16];
    const double *const by[] = {at->x, state, at->c};
    for (int k = 0; k < 3; k++)
        if (by[k]) add_term(at, "WUC"[k], suffix, by[k], a);
    snprintf(tensor, sizeof tensor, "b%s", suffix);
    add_bias(at->part, tensor, a);
    snprintf(inside, sizeof inside, "a_%s", name);
    same(inside, at->step, of_cell(at, inside), a, n);
    for (int k = 0; k < n; k++) a[k] = activation(a[k]);
    same(name, at->step, result, a, n);
}

/* The candidate whose reset gate comes after U. */
static void check_after(const cell *at) {
    const int n = settings.hidden;
    const bool sum = settings.reset == SA_RESET_SUM;
    const double *r = of_cell(at, "r");
    double u[WIDE] = {0}, a[WIDE] = {0};
    add_term(at, 'U', "", at->previous, u);
    if (at->c) add_term(at, 'C', "", at->c, sum ? u : a);
    if (at->x) add_term(at, 'W', "", at->x, a);
    add_bias(at->part, "b", at->second ? u : a);
    same("u", at->step, of_cell(at, "u"), u, n);
    for (int k = 0; k < n; k++) a[k] += r[k] * u[k];
    same("a_s~", at->step, of_cell(at, "a_s~"), a, n);
    for (int k = 0; k < n; k++) a[k] = tanh(a[k]);
    same("s~", at->step, of_cell(at, "s~"), a, n);
}

static void check_gru(const cell *at) {
    const int n = settings.hidden;
    const bool old = settings.update == SA_UPDATE_OLD;
    check_gate(at, "z", "_z", at->previous, sigma, of_cell(at, "z"));
    check_gate(at, "r", "_r", at->previous, sigma, of_cell(at, "r"));
    const double *z = of_cell(at, "z"), *r = of_cell(at, "r"), *candidate = of_cell(at, "s~");
    double rs[WIDE], s[WIDE];
    for (int k = 0; k < n; k++) rs[k] = r[k] * at->previous[k];
    if (settings.reset == SA_RESET_BEFORE) {
        same("r.s", at->step, of_cell(at, "r.s"), rs, n);
        check_gate(at, "s~", "", rs, tanh, candidate);
    } else {
        check_after(at);
    }
    for (int k = 0; k < n; k++) {
        const double share = old ? 1 - z[k] : z[k];
        s[k] = (1 - share) * at->previous[k] + share * candidate[k];
    }
    same("s", at->step, at->state, s, n);
}

static void check_lstm(const cell *at, const double *memory) {
    static const char *const gates[] = {"i", "f", "o"};
    const int n = settings.hidden;
    double m[WIDE], s[WIDE], squashed[WIDE];
    for (int g = 0; g < 3; g++) {
        char suffix[4];
        snprintf(suffix, sizeof suffix, "_%s", gates[g]);
        check_gate(at, gates[g], suffix, at->previous, sigma, of_cell(at, gates[g]));
    }
    check_gate(at, "g", "", at->previous, tanh, of_cell(at, "g"));
    for (int k = 0; k < n; k++) {
        m[k] = of_cell(at, "f")[k] * memory[k] + of_cell(at, "i")[k] * of_cell(at, "g")[k];
    }
    double seen[WIDE] = {0};
    if (settings.cell_norm)
        add_normal(at->part, "m", m, n, 0, n, seen);
    else
        memcpy(seen, m, sizeof seen);
    for (int k = 0; k < n; k++) squashed[k] = tanh(seen[k]);
    for (int k = 0; k < n; k++) s[k] = of_cell(at, "o")[k] * squashed[k];
    same("m", at->step, of_cell(at, "m"), m, n);
    same("tanh(m)", at->step, of_cell(at, "tanh(m)"), squashed, n);
    same("s", at->step, at->state, s, n);
}

static void check_cell(const cell *at, const char *memory) {
    if (settings.cell == SA_CELL_GRU) check_gru(at);
    if (settings.cell == SA_CELL_LSTM) check_lstm(at, get(at->step, 0, memory));
    if (settings.cell == SA_CELL_RNN) check_gate(at, "s", "", at->previous, tanh, at->state);
}

/* ---- A step ---------------------------------------------------------------------------------- */

/* With copying: log P of the reference token, of which the vocabulary gives p. What a null key has
 * of the weights is generated, too. */
static double mixed(int i, double p) {
    const double *alpha = get(i, 0, "alpha");
    const double gate = *get(i, 0, "p_gen");
    const struct line *lacking = find(i, 0, "rest");
    double copied = 0, rest = 1;
    for (int j = 0; j < S; j++) copied += source_ids[j] == target_ids[i - 1] ? alpha[j] : 0;
    for (int j = 0; j < S; j++) rest -= alpha[j];
    same("copied", i, get(i, 0, "copied"), &copied, 1);
    ck_assert_int_eq(lacking != NULL, sa_normalizers[settings.normalizer].null_key);
    if (lacking) same("rest", i, lacking->number, &rest, 1);
    const double P = (gate + (1 - gate) * rest) * p + (1 - gate) * copied;
    same("P", i, get(i, 0, "P"), &P, 1);
    return log(P);
}

static void check_log_p(int i, double log_p) {
    const double total = i > 1 ? *get(i - 1, 0, "total") + log_p : log_p;
    same("log_p", i, get(i, 0, "log_p"), &log_p, 1);
    same("total", i, get(i, 0, "total"), &total, 1);
}

/* A pointer network has the weights alone, at least 1e-30. */
static void check_pointer(int i) {
    const double *alpha = get(i, 0, "alpha");
    double P = 0;
    for (int j = 0; j < S; j++) P += source_ids[j] == target_ids[i - 1] ? alpha[j] : 0;
    same("copied", i, get(i, 0, "copied"), &P, 1);
    if (P == 0) P = 1e-30;
    same("P", i, get(i, 0, "P"), &P, 1);
    check_log_p(i, log(P));
    ck_assert(!find(i, 0, "t") && !find(i, 0, "p_gen"));
}

static void check_words(int i, const double *t) {
    double logits[K] = {0}, sum = 0, total = 0;
    if (settings.tie == SA_TIE_NONE)
        add_product("readout.", "W_o", t, logits);
    else
        add_product("target.", "E", t, logits);
    add_bias("readout.", "b_y", logits);
    same("logits", i, get(i, 0, "logits"), logits, K);
    for (int k = 0; k < K; k++) sum += exp(logits[k]);
    const double *p = get(i, 0, "p");
    for (int k = 0; k < K; k++) total += p[k];
    ck_assert_double_le(fabs(total - 1), 1e-12);
    double log_p = logits[target_ids[i - 1]] - log(sum);
    if (settings.copy) log_p = mixed(i, exp(log_p));
    ck_assert_int_eq(find(i, 0, "p")->head.chosen, target_ids[i - 1]);
    check_log_p(i, log_p);
}

/* A value of a layer of the decoder: "s", or "s^2" in the second. */
static const double *of_layer(int i, const char *letter, int layer, const char *suffix) {
    char name[32];
    if (layer > 1)
        snprintf(name, sizeof name, "%s^%d%s", letter, layer, suffix);
    else
        snprintf(name, sizeof name, "%s%s", letter, suffix);
    return get(i, 0, name);
}

static void check_readout(int i, const sa_decoder_kind *kind, const double *x, const double *c) {
    const bool previous = settings.readout_state == SA_READOUT_AUTO
                              ? kind->sees_previous
                              : settings.readout_state == SA_READOUT_PREVIOUS;
    const int l = settings.maxout, units = kind->maxout ? 2 : 1;
    double sums[WIDE] = {0}, t[WIDE];
    const int last = settings.decoder_layers;
    const double *u = previous ? of_layer(i, "s", last, "_previous") : of_layer(i, "s", last, "");
    add_product("readout.", "U_o", u, sums);
    add_product("readout.", "V_o", x, sums);
    if (c) add_product("readout.", "C_o", c, sums);
    add_bias("readout.", "b_o", sums);
    same("t~", i, get(i, 0, "t~"), sums, units * l);
    for (int k = 0; k < l; k++)
        t[k] = units == 1 ? tanh(sums[k]) : fmax(sums[2 * k], sums[2 * k + 1]);
    same("t", i, get(i, 0, "t"), t, l);
    double z = 0;
    if (settings.copy) {
        add_product("copy.", "w_h", c, &z);
        add_product("copy.", "w_s", u, &z);
        add_product("copy.", "w_x", x, &z);
        add_bias("copy.", "b", &z);
        z = sigma(z);
        same("p_gen", i, get(i, 0, "p_gen"), &z, 1);
    }
    check_words(i, t);
}

/* out = tanh(W x + b); `inside` is the name of W x + b. */
static void check_tanh(int step, const char *part, const char *letter, const double *x,
                       const char *inside, const double *out) {
    const int n = settings.hidden;
    char name[8];
    double a[WIDE] = {0};
    snprintf(name, sizeof name, "b_%s", letter);
    add_product(part, *letter == 's' ? "W_s" : letter, x, a);
    add_bias(part, name, a);
    if (inside) same(inside, step, get(step, 0, inside), a, n);
    for (int k = 0; k < n; k++) a[k] = tanh(a[k]);
    same("tanh", step, out, a, n);
}

/* s_0 and the fixed context, from the summary of the source. */
static void check_start(void) {
    const struct line *summary = find(1, 0, "summary");
    const double *s_0 = get(1, 0, "s_previous"), *h = get(0, 0, "h");
    const int A = find(0, 0, "h")->head.cols, n = settings.hidden;
    if (param("decoder.", "V"))
        check_tanh(0, "decoder.", "V", get(0, 0, "summary"), "a_c", get(0, 0, "c"));
    if (!param("decoder.", "W_s")) same("s_0", 1, s_0, h + (S - 1) * A, n);
    for (int layer = 1; param("decoder.", "W_s") && layer <= settings.decoder_layers; layer++) {
        char part[32] = "decoder.";
        if (layer > 1) snprintf(part, sizeof part, "decoder.%d.", layer);
        check_tanh(1, part, "s", summary ? summary->number : get(0, 0, "c"),
                   layer > 1 ? NULL : "a_s_0", of_layer(1, "s", layer, "_previous"));
    }
    if (summary && strcmp(summary->letters, "backward_1") == 0)
        same("backward_1", 1, summary->number, h + (settings.reverse_source ? S - 2 : 0) * A + n,
             n);
}

static void check_upper_layer(int i, int layer, const double *c) {
    const int n = settings.hidden;
    char part[32], prime[16], memory[32];
    snprintf(part, sizeof part, "decoder.%d.", layer), snprintf(prime, sizeof prime, "^%d", layer);
    snprintf(memory, sizeof memory, "m^%d_previous", layer);
    const double *below = of_layer(i, "s", layer - 1, ""), *s = of_layer(i, "s", layer, ""),
                 *before = of_layer(i, "s", layer, "_previous");
    if (i > 1) same("s_previous", i, before, of_layer(i - 1, "s", layer, ""), n);
    check_cell(&(cell){part, prime, i, below, c, before, s, false}, memory);
}

static void check_step(int i) {
    const sa_decoder_kind *kind = &sa_decoder_kinds[settings.decoder];
    const int m = settings.embed, n = settings.hidden, l = settings.maxout;
    const bool attends = kind->query_state != SA_QUERY_STATE_NONE,
               fixed = !attends && kind->context_in_cell;
    const double *c = attends ? get(i, 0, "c") : fixed ? get(0, 0, "c") : NULL;
    const double *before = get(i, 0, "s_previous");
    double x[WIDE];
    for (int k = 0; k < m; k++)
        x[k] = weight(param("target.", "E"), i > 1 ? target_ids[i - 2] : SA_BOS, k);
    same("x", i, get(i, 0, "x"), x, m);
    if (i > 1) same("s_previous", i, before, get(i - 1, 0, "s"), n);
    for (int k = 0; settings.input_feeding && k < l; k++)
        x[m + k] = i > 1 ? get(i - 1, 0, "t")[k] : 0;
    if (settings.input_feeding) same("t_previous", i, get(i, 0, "t_previous"), x + m, l);
    const double *middle = kind->context_cell ? get(i, 0, "s'") : NULL, *s = get(i, 0, "s");
    check_cell(&(cell){"decoder.", middle ? "'" : "", i, x, kind->context_in_cell ? c : NULL,
                       before, middle ? middle : s, false},
               "m_previous");
    if (middle) check_cell(&(cell){"decoder.second.", "", i, NULL, c, middle, s, true}, "m'");
    for (int layer = 2; layer <= settings.decoder_layers; layer++)
        check_upper_layer(i, layer, kind->context_in_cell ? c : NULL);
    if (kind->points)
        check_pointer(i);
    else
        check_readout(i, kind, x, c);
}

/* ---- The tests ------------------------------------------------------------------------------- */

START_TEST(every_model_is_recomputed) {
    settings = variant_settings(_i);
    settings.dropout = 0.5; /* used only in training */
    ck_assert(explain(0, NULL));
    check_start();
    for (int i = 1; i <= T; i++) check_step(i);
}
END_TEST

/* All symbols of an equation are replaced, and no name occurs twice. */
START_TEST(every_cell_is_explained) {
    settings = small_settings();
    ck_assert(
        sa_option_set(sa_option_find(sa_settings_options, "decoder"), &settings, "cgru", NULL));
    settings.cell = _i % 3, settings.update = _i / 3 % 2, settings.reset = _i / 6 % 3;
    settings.cell_norm = _i / 18;
    settings.decoder_layers = 2;
    ck_assert(explain(1, NULL));
    check_step(1);
    for (int i = 0; i < count; i++) {
        ck_assert_ptr_null(strpbrk(lines[i].equation, "PQM"));
        ck_assert_uint_lt(strlen(lines[i].equation), 90);
        for (int k = 0; k < i; k++)
            ck_assert_msg(lines[k].head.step != lines[i].head.step ||
                              lines[k].head.head != lines[i].head.head ||
                              strcmp(lines[k].name, lines[i].name) != 0,
                          "%s twice", lines[i].name);
    }
}
END_TEST

START_TEST(what_no_word_gets_is_generated) {
    settings = small_settings();
    settings.copy = true, settings.normalizer = SA_NORMALIZER_NULL;
    ck_assert(explain(0, NULL));
    for (int i = 1; i <= T; i++) check_step(i);
}
END_TEST

START_TEST(one_step) {
    settings = small_settings();
    ck_assert(explain(2, NULL));
    for (int i = 0; i < count; i++) ck_assert(lines[i].head.step == 0 || lines[i].head.step == 2);
}
END_TEST

START_TEST(a_loss_that_is_not_finite) {
    settings = small_settings();
    sa_error error = {0};
    enlarge = INFINITY;
    ck_assert(!explain(0, &error));
    enlarge = 1;
    ck_assert_int_eq(error.code, SA_DIVERGED);
    ck_assert_int_eq(count, 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("explain", &tests);
    tcase_add_checked_fixture(tests, numbers_open, release);
    tcase_add_loop_test(tests, every_model_is_recomputed, 0, count_variants() + 1);
    tcase_add_loop_test(tests, every_cell_is_explained, 0, 3 * 2 * 3 * 2);
    tcase_add_test(tests, what_no_word_gets_is_generated);
    tcase_add_test(tests, one_step);
    tcase_add_test(tests, a_loss_that_is_not_finite);
    return suite_run(suite);
}
