#include "lab/lab_pass.h"
#include "tensor/vec.h"

static void layout(sa_lab_pass *pass, sa_arena *arena, const sa_sentence *source,
                   const sa_sentence *target, int count) {
    pass->batch = sa_batch_build(arena, source, target, count);
    sa_pass_layout(arena, pass->w, &pass->batch, true, &pass->cache);
}

bool sa_lab_pass_open(sa_lab_pass *pass, const sa_seq2seq *w, const sa_sentence *source,
                      const sa_sentence *target, int count, sa_error *error) {
    *pass = (sa_lab_pass){.w = w};
    layout(pass, &pass->arena, source, target, count); /* the dry run */
    if (!sa_arena_init(&pass->arena, pass->arena.used, error)) return false;
    layout(pass, &pass->arena, source, target, count);
    sa_seq2seq_loss(w, &pass->batch, (sa_regularizer){0}, &pass->cache, NULL);
    return true;
}

void sa_lab_pass_close(sa_lab_pass *pass) {
    sa_arena_release(&pass->arena);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

static const sa_readout_cache *readout_of(const sa_lab_pass *pass) {
    return sa_pass_readout(pass->w, &pass->cache);
}

/* Returns the row of target position t of sentence b. */
static int row_of(const sa_lab_pass *pass, int b, int t) {
    return sa_seq2seq_target_row(pass->w, &pass->batch, b, t);
}

void sa_lab_pass_gradient(sa_lab_pass *pass, double scale, sa_seq2seq *dw) {
    const sa_seq2seq *w = pass->w;
    const sa_output_gradients d = sa_pass_gradients(w, &pass->cache);
    sa_pass_losses(w, &pass->batch, (sa_regularizer){0}, (sa_real)scale, &pass->cache, &d, dw);
    sa_pass_backward(w, &pass->batch, (sa_dropout){0}, &pass->cache, &d, dw);
}

/* Returns the pair's place among the targets of the batch. */
static int batch_index(sa_lab_view view) {
    return sa_batch_index(&view.pass->batch.target, view.pair);
}

/* ---- Comparing ------------------------------------------------------------------------------- */

double sa_lab_nan_max(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

double sa_lab_largest(sa_mat x) {
    double most = 0;
    for (int i = 0; i < x.rows; i++)
        for (int k = 0; k < x.cols; k++) most = sa_lab_nan_max(most, fabs(sa_row(x, i)[k]));
    return most;
}

static double relative_difference(double x, double y) {
    return fabs(x - y) / fmax(1, fabs(y));
}

double sa_lab_max_difference(const double *x, const double *y, int size) {
    double most = 0;
    for (int i = 0; i < size; i++) most = sa_lab_nan_max(most, relative_difference(x[i], y[i]));
    return most;
}

int sa_lab_target_row(sa_lab_view view, int t) {
    return view.pass->batch.target.start[t] + batch_index(view);
}

sa_mat sa_lab_readout_row(sa_lab_view view, int t) {
    const sa_lab_pass *pass = view.pass;
    return sa_rows(readout_of(pass)->t, row_of(pass, batch_index(view), t), 1);
}

sa_mat sa_lab_weights(sa_lab_view view, sa_attention_site site, int layer, int k, int t) {
    const sa_lab_pass *pass = view.pass;
    return sa_pass_weights(pass->w, &pass->cache, &pass->batch, site, layer, k, batch_index(view),
                           t);
}

double sa_lab_site_difference(sa_lab_view one, sa_lab_view other, sa_attention_site site, int rows,
                              const int *row, const int *column) {
    const sa_seq2seq *w = one.pass->w;
    double most = 0;
    for (int layer = 0; layer < sa_seq2seq_layers(w, site); layer++)
        for (int k = 0; k < sa_seq2seq_heads(w); k++)
            for (int t = 0; t < rows; t++) {
                const sa_mat a = sa_lab_weights(one, site, layer, k, t),
                             b = sa_lab_weights(other, site, layer, k, row ? row[t] : t);
                for (int j = 0; j < a.cols; j++)
                    most = sa_lab_nan_max(most,
                                          relative_difference(a.x[j], b.x[column ? column[j] : j]));
            }
    return most;
}

double sa_lab_weight_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    const double cross = sa_lab_site_difference(one, other, SA_SITE_CROSS, steps, NULL, column);
    const double target = sa_lab_site_difference(one, other, SA_SITE_DECODER, steps, NULL, NULL);
    const sa_batch *batch = &one.pass->batch;
    const int S = batch->source.len[sa_batch_source_index(batch, batch_index(one))];
    const double source = sa_lab_site_difference(one, other, SA_SITE_ENCODER, S, column, column);
    return sa_lab_nan_max(sa_lab_nan_max(cross, target), source);
}

double sa_lab_log_p_difference(sa_lab_view one, sa_lab_view other, int steps) {
    const double *a = one.pass->cache.log_p, *b = other.pass->cache.log_p;
    double most = 0;
    for (int t = 0; t < steps; t++)
        most = sa_lab_nan_max(most, relative_difference(a[sa_lab_target_row(one, t)],
                                                        b[sa_lab_target_row(other, t)]));
    return most;
}

double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    return sa_lab_nan_max(sa_lab_weight_difference(one, other, steps, column),
                          sa_lab_log_p_difference(one, other, steps));
}
