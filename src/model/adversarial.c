/* adversarial: see attribution.h. The weights of a target word are moved toward others, each in a
 * copy of the pair, as far as its prediction stays what it is: toward a weight of 1 on each of the
 * source words, toward equal weights, and toward permutations of themselves. */
#include "attention/parts.h"
#include "model/attributed.h"

#include <math.h>

enum { COPIES = 32, PERMUTATIONS = 8, HALVINGS = 8 };

typedef struct search {
    sa_override forced; /* first, so that `move` finds the rest */
    const sa_attributed *job;
    sa_arena arena;
    sa_seq2seq w;
    sa_batch batch;
    sa_pass pass;
    int t, first;         /* the target word, and what copy 1 moves toward */
    double share[COPIES]; /* how far a copy is on its way; copy 0 does not move */
    sa_mat logits, most;  /* [COPIES x ..] of the target word */
    double log_sum[COPIES];
} search;

static void move(const sa_override *forced, int c, int i, sa_mat alpha, sa_mat scratch) {
    const search *all = (const search *)forced;
    const int S = alpha.cols, k = all->first + c - 1;
    if (!c || i - 1 != all->t) return;
    sa_copy_mat(alpha, scratch);
    if (k > S) sa_override_shuffle((uint64_t)k, scratch);
    for (int j = 0; j < S; j++) {
        const sa_real to = k > S ? scratch.x[j] : k == S ? 1 / (sa_real)S : j == k;
        alpha.x[j] += (sa_real)all->share[c] * (to - alpha.x[j]);
    }
}

static void layout(search *all) {
    sa_sentence source[COPIES], target[COPIES];
    for (int c = 0; c < COPIES; c++) source[c] = *all->job->source, target[c] = *all->job->target;
    all->batch = sa_batch_build(&all->arena, source, target, COPIES);
    sa_pass_layout(&all->arena, &all->w, &all->batch, false, &all->pass);
    all->logits = sa_mat_alloc(&all->arena, COPIES, sa_seq2seq_words(&all->w));
    all->most =
        sa_mat_alloc(&all->arena, COPIES, sa_vocabulary_stretches(sa_seq2seq_readout(&all->w)));
}

/* The total variation of p(y_t) of copy c from that of copy 0. */
static double variation(const search *all, int c) {
    const sa_real *own = sa_row(all->logits, 0), *moved = sa_row(all->logits, c);
    double sum = 0;
    for (int k = 0; k < all->logits.cols; k++)
        sum +=
            fabs(exp((double)own[k] - all->log_sum[0]) - exp((double)moved[k] - all->log_sum[c]));
    return sum / 2;
}

/* The weight of source word j in copy c, the mean over layers and heads. */
static double weight(const search *all, int c, int j) {
    const int heads = sa_seq2seq_heads(&all->w);
    const int count = heads * sa_seq2seq_layers(&all->w, SA_SITE_CROSS);
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += (double)sa_pass_weights(&all->w, &all->pass, &all->batch, SA_SITE_CROSS, k / heads,
                                       k % heads, c, all->t)
                   .x[j];
    return sum / count;
}

/* The Jensen-Shannon divergence, in nats, of the weights of copy c from those of copy 0. */
static double divergence(const search *all, int c) {
    double sum = 0;
    for (int j = 0; j < all->job->source->len; j++) {
        const double p = weight(all, 0, j), q = weight(all, c, j), middle = (p + q) / 2;
        if (p > 0) sum += p * log(p / middle) / 2;
        if (q > 0) sum += q * log(q / middle) / 2;
    }
    return sum;
}

/* Every copy goes as far as it may. Returns the greatest divergence, whose weights are `row`, or
 * `best` if none is greater. */
static double advance(search *all, double best, double *row) {
    const sa_mat t = sa_pass_readout(&all->w, &all->pass)->t;
    const int at = sa_seq2seq_target_row(&all->w, &all->batch, 0, all->t),
              next = sa_seq2seq_target_row(&all->w, &all->batch, 1, all->t);
    const sa_mat own = {sa_row(t, at), COPIES, t.cols, t.ld * (next - at)}; /* of word t */
    double step = 0.5;
    for (int c = 0; c < COPIES; c++) all->share[c] = 1;
    for (int i = 0; i <= HALVINGS; i++, step /= 2) {
        sa_pass_forward(&all->w, &all->batch, (sa_dropout){0}, NULL, &all->pass);
        sa_vocabulary_forward(sa_seq2seq_readout(&all->w), own, all->logits, all->most,
                              all->log_sum);
        for (int c = 0; c < COPIES; c++) {
            const bool within = variation(all, c) <= 0.01;
            const double apart = within ? divergence(all, c) : 0;
            all->share[c] = fmin(1, all->share[c] + (within ? step : -step));
            if (apart <= best) continue;
            best = apart;
            for (int j = 0; j < all->job->source->len; j++) row[j] = weight(all, c, j);
        }
    }
    return best;
}

bool sa_adversarial(const sa_attributed *job, double *scores, sa_error *error) {
    search all = {.forced.replace = move, .job = job, .w = *job->w};
    const int S = job->source->len;
    sa_seq2seq_override(&all.w, &all.forced);
    layout(&all); /* the dry run */
    if (!sa_arena_init(&all.arena, all.arena.used, error)) return false;
    layout(&all);
    for (; all.t < job->target->len; all.t++) {
        double best = -1; /* that of copy 0 is 0 */
        for (all.first = 0; all.first < S + 1 + PERMUTATIONS; all.first += COPIES - 1)
            best = advance(&all, best, scores + all.t * S);
    }
    sa_arena_release(&all.arena);
    return true;
}
