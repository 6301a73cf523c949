#include "lab/trial.h"
#include "math/vec.h"

static void layout(sa_lab_trial *trial, sa_arena *arena, const sa_sentence *source,
                   const sa_sentence *target, int count) {
    trial->batch = sa_batch_make(arena, source, target, count);
    sa_pass_layout(arena, trial->w, &trial->batch, true, &trial->pass);
}

static void spoil(sa_mat x) {
    for (int i = 0; i < x.rows; i++)
        for (int j = 0; j < x.cols; j++) sa_row(x, i)[j] = (sa_real)NAN;
}

bool sa_lab_trial_open(sa_lab_trial *trial, const sa_seq2seq *w, const sa_sentence *source,
                       const sa_sentence *target, int count, sa_error *error) {
    *trial = (sa_lab_trial){.w = w};
    sa_arena dry = {0};
    layout(trial, &dry, source, target, count);
    if (!sa_arena_init(&trial->arena, dry.used, error)) return false;
    layout(trial, &trial->arena, source, target, count);
    spoil(trial->pass.decoder.rows.attention.alpha);
    sa_seq2seq_loss(w, &trial->batch, 0, NULL, &trial->pass, NULL);
    return true;
}

void sa_lab_trial_close(sa_lab_trial *trial) {
    sa_arena_release(&trial->arena);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

static void backward(sa_lab_trial *trial, sa_seq2seq *dw) {
    sa_pass *pass = &trial->pass;
    sa_decoder_backward(&trial->w->decoder, &trial->batch, 0, &pass->decoder, &pass->encoder,
                        &dw->decoder);
    sa_encoder_backward(&trial->w->encoder, &trial->batch, 0, &pass->encoder, &dw->encoder);
}

static void words_backward(sa_lab_trial *trial, double scale, sa_seq2seq *dw) {
    sa_vocabulary_loss(&trial->w->decoder.readout, trial->batch.target.ids, (sa_real)scale,
                       &trial->pass.decoder.readout, trial->pass.log_p, &dw->decoder.readout);
}

void sa_lab_trial_gradient(sa_lab_trial *trial, double scale, sa_seq2seq *dw) {
    words_backward(trial, scale, dw);
    backward(trial, dw);
}

/* The pair's place among the targets. */
static int place_of(sa_lab_view view) {
    int b = 0;
    while (view.trial->batch.target.order[b] != view.pair) b++;
    return b;
}

void sa_lab_trial_gradient_of(sa_lab_view view, sa_seq2seq *dw) {
    sa_lab_trial trial = *view.trial; /* the rooms are shared */
    const sa_side *side = &trial.batch.target;
    const int own = place_of(view);
    words_backward(&trial, 1, dw);
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->live[t]; b++)
            if (b != own) sa_zero(sa_rows(trial.pass.decoder.readout.dt, side->start[t] + b, 1));
    backward(&trial, dw);
}

/* The largest number in the rows of all sentences but `own`, step by step. */
static double largest_but(const sa_side *side, int own, sa_mat dx) {
    double most = 0;
    for (int t = 0; t < side->steps; t++)
        for (int b = 0; b < side->live[t]; b++)
            for (int k = 0; b != own && k < dx.cols; k++)
                most = sa_lab_worse(most, fabs(sa_row(dx, side->start[t] + b)[k]));
    return most;
}

double sa_lab_strangers_gradient(sa_lab_view view) {
    const sa_lab_trial *trial = view.trial;
    const int own = place_of(view), source = trial->batch.source_of[own];
    const sa_mat dx = sa_decoder_word(&trial->w->decoder, trial->pass.decoder.d.input);
    return sa_lab_worse(largest_but(&trial->batch.source, source, trial->pass.encoder.dx),
                        largest_but(&trial->batch.target, own, dx));
}

/* ---- Comparing ------------------------------------------------------------------------------- */

double sa_lab_worse(double a, double b) {
    return isnan(a) || b <= a ? a : b;
}

static double apart(double x, double y) {
    return fabs(x - y) / fmax(1, fabs(y));
}

double sa_lab_apart(const double *x, const double *y, int size) {
    double most = 0;
    for (int i = 0; i < size; i++) most = sa_lab_worse(most, apart(x[i], y[i]));
    return most;
}

int sa_lab_row(sa_lab_view view, int t) {
    return view.trial->batch.target.start[t] + place_of(view);
}

int sa_lab_sources(sa_lab_view view) {
    const sa_batch *batch = &view.trial->batch;
    return batch->source.len[batch->source_of[place_of(view)]];
}

sa_mat sa_lab_weights(sa_lab_view view, int t, int k) {
    const sa_lab_trial *trial = view.trial;
    return sa_attention_head(trial->pass.decoder.rows.attention.alpha, sa_lab_row(view, t),
                             trial->w->decoder.attention.heads, k, sa_lab_sources(view));
}

double sa_lab_weights_apart(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    double most = 0;
    for (int k = 0; k < one.trial->w->decoder.attention.heads; k++)
        for (int t = 0; t < steps; t++) {
            const sa_mat a = sa_lab_weights(one, t, k), b = sa_lab_weights(other, t, k);
            for (int j = 0; j < a.cols; j++)
                most = sa_lab_worse(most, apart(a.x[j], b.x[column ? column[j] : j]));
        }
    return most;
}

double sa_lab_words_apart(sa_lab_view one, sa_lab_view other, int steps) {
    const double *a = one.trial->pass.log_p, *b = other.trial->pass.log_p;
    double most = 0;
    for (int t = 0; t < steps; t++)
        most = sa_lab_worse(most, apart(a[sa_lab_row(one, t)], b[sa_lab_row(other, t)]));
    return most;
}
