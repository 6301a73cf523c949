/* The hidden Markov model (Vogel, Ney and Tillmann 1996): where a word was found tells where to
 * look for the next, as in location-aware attention. With i' = a_{j-1} and the empty word of Och
 * and Ney (2003), after which i' is still the last word that was not empty:
 *
 *   p(i | i', I) = (1 - p_0) ((1 - w) c(i - i') / Z(i') + w / I),   Z(i') = sum_l c(l - i')
 *   p(null | i') = p_0
 *
 * where the first word has (1 - p_0) / I. Below f_j(i) is the forward probability of word i, n_j(i)
 * the forward probability of the empty word after word i. */
#include "aligner/aligner_kind.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct chain {
    int I, J;
    double p0, leap;     /* leap: (1 - p_0) w / I */
    double *jump;        /* [I x I] p(i | i', I) - leap, of i' i */
    double *expected;    /* [I x I] the expected counts of the jumps, without the factor jump */
    double *word, *null; /* [J x I] f and n, scaled to sum to 1 */
    double *b, *ahead;   /* [I] backward probabilities b_j(i), and t(f_j | e_i) b_j(i) */
} chain;

static size_t scratch_of(size_t I, size_t J) {
    return 2 * I * (I + J + 1);
}

/* Returns the index of the parameter of a jump. */
static int jump_of(int d) {
    return SA_JUMP_MOST + (d < -SA_JUMP_MOST ? -SA_JUMP_MOST : d > SA_JUMP_MOST ? SA_JUMP_MOST : d);
}

/* Returns sum_l c(l - from). */
static double normalizer(const sa_aligner_model *model, int from, int I) {
    double Z = 0;
    for (int i = 0; i < I; i++) Z += model->parameters[jump_of(i - from)];
    return Z;
}

static chain chain_of(const sa_aligner_model *model, int I, int J, double *scratch) {
    const size_t square = (size_t)I * (size_t)I, states = (size_t)J * (size_t)I;
    const double real = 1 - model->null, w = model->smoothing;
    const chain h = {.I = I,
                     .J = J,
                     .p0 = model->null,
                     .leap = real * w / I,
                     .jump = scratch,
                     .expected = scratch + square,
                     .word = scratch + 2 * square,
                     .null = scratch + 2 * square + states,
                     .b = scratch + 2 * square + 2 * states,
                     .ahead = scratch + 2 * square + 2 * states + I};
    memset(h.expected, 0, square * sizeof *h.expected);
    for (int from = 0; from < I; from++) {
        const double scale = real * (1 - w) / normalizer(model, from, I);
        for (int i = 0; i < I; i++)
            h.jump[from * I + i] = scale * model->parameters[jump_of(i - from)];
    }
    return h;
}

/* Fills f_j, n_j and log p(f_j | f_1..f_{j-1}). */
static void forward(const chain *h, const double *t, double *log_p) {
    const int I = h->I;
    for (int j = 0; j < h->J; j++, t += I + 1) {
        double *word = h->word + (size_t)j * (size_t)I, *null = h->null + (size_t)j * (size_t)I;
        double sum = 0;
        for (int i = 0; i < I; i++) word[i] = j ? h->leap : (1 - h->p0) / I;
        for (int from = 0; from < I; from++) {
            const double mass = j ? word[from - I] + null[from - I] : 1.0 / I;
            for (int i = 0; j && i < I; i++) word[i] += mass * h->jump[from * I + i];
            null[from] = mass * h->p0 * t[I];
        }
        for (int i = 0; i < I; i++) sum += null[i] + (word[i] *= t[i]);
        for (int i = 0; i < I; i++) word[i] /= sum, null[i] /= sum;
        log_p[j] = log(sum);
    }
}

/* Computes b_{j-1} from b_j, and the expected jumps between them;
 * scale: 1 / p(f_j | f_1..f_{j-1}). */
static void step_back(const chain *h, int j, const double *t, double scale) {
    const int I = h->I;
    const double *word = h->word + (size_t)(j - 1) * (size_t)I;
    const double *null = h->null + (size_t)(j - 1) * (size_t)I;
    double all = 0;
    for (int i = 0; i < I; i++) all += h->ahead[i] = t[i] * h->b[i] * scale;
    for (int from = 0; from < I; from++) {
        const double mass = word[from] + null[from];
        double sum = h->leap * all + h->p0 * t[I] * h->b[from] * scale;
        for (int i = 0; i < I; i++) {
            sum += h->jump[from * I + i] * h->ahead[i];
            h->expected[from * I + i] += mass * h->ahead[i];
        }
        h->b[from] = sum;
    }
}

/* Replaces t with the posteriors, from the last word to the first. */
static void backward(const chain *h, double *p, const double *log_p) {
    const int I = h->I;
    for (int i = 0; i < I; i++) h->b[i] = 1;
    for (int j = h->J - 1; j >= 0; j--) {
        double *row = p + (size_t)j * (size_t)(I + 1), empty = 0;
        double *word = h->word + (size_t)j * (size_t)I, *null = h->null + (size_t)j * (size_t)I;
        for (int i = 0; i < I; i++) word[i] *= h->b[i], empty += null[i] * h->b[i];
        if (j) step_back(h, j, row, exp(-log_p[j]));
        memcpy(row, word, (size_t)I * sizeof *word);
        row[I] = empty;
    }
}

/* Infers the posteriors; counts [2 SA_JUMPS]: the expected jumps n(d), and the sums by which the
 * M-step divides them. */
static void infer(const sa_aligner_model *model, int I, int J, double *p, double *log_p,
                  double *scratch, double *counts) {
    if (I == 0) { /* there is only the empty word */
        for (int j = 0; j < J; j++) log_p[j] = log(p[j]), p[j] = 1;
        return;
    }
    const chain h = chain_of(model, I, J, scratch);
    forward(&h, p, log_p);
    backward(&h, p, log_p);
    for (int from = 0; from < I; from++) {
        double departures = 0;
        for (int i = 0; i < I; i++) {
            const double n = h.expected[from * I + i] * h.jump[from * I + i];
            counts[jump_of(i - from)] += n;
            departures += n;
        }
        departures /= normalizer(model, from, I);
        for (int i = 0; i < I; i++) counts[SA_JUMPS + jump_of(i - from)] += departures;
    }
}

static void start(sa_aligner_model *model) {
    for (int d = -SA_JUMP_MOST; d <= SA_JUMP_MOST; d++)
        model->parameters[jump_of(d)] = 1.0 / (1 + abs(d - 1));
}

/* The usual M-step, c(d) = n(d), may lower the likelihood, as Z(i') differs between words. With
 * N(i'), the expected jumps from i', and -log Z >= 1 - log Z_old - Z / Z_old, this one never does:
 *
 *   c(d) = n(d) / sum_{I, i': 1 <= i' + d <= I} N(i') / Z_old(i') */
static void maximize(sa_aligner_model *model) {
    for (int k = 0; k < SA_JUMPS; k++)
        if (model->counts[SA_JUMPS + k] > 0)
            model->parameters[k] = fmax(model->counts[k] / model->counts[SA_JUMPS + k], 1e-12);
}

const sa_aligner_kind sa_aligner_hmm = {
    .title = "the HMM",
    .null = 0.1,
    .smoothing = 0.2,
    .alpha = 0.01,
    .after = &sa_aligner_diagonal,
    .size = (size_t)2 * SA_JUMPS,
    .start = start,
    .infer = infer,
    .scratch = scratch_of,
    .maximize = maximize,
};
