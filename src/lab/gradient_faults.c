#include "lab/gradient_faults.h"
#include "attention/parts.h"
#include "base/memory.h"
#include "tensor/vec.h"

#include <stdlib.h>
#include <string.h>

#define GATES(letter) "W_" letter " U_" letter " C_" letter
#define NORMS "norm.g"

const sa_gradient_fault sa_gradient_faults[] = {
    {"additive.key", "dk_j += da_j", "", .change = SA_FAULT_KEY,
     .score = &sa_scores[SA_ATTENTION_ADDITIVE]},
    {"additive.query", "dq_i += da_j", "", .change = SA_FAULT_QUERY,
     .score = &sa_scores[SA_ATTENTION_ADDITIVE]},
    {"additive.v_a", "dv_a += de_ij t_j", "", .change = SA_FAULT_V_A,
     .score = &sa_scores[SA_ATTENTION_ADDITIVE]},
    {"attention.keys", "dh_j += U_a' dk_j, dU_a", "", "U_a W_k", "U_a W_k"},
    {"attention.normalizer", "de = alpha . (dalpha - sum alpha dalpha), or as --normalizer", "",
     .change = SA_FAULT_NORMALIZER},
    {"attention.output", "do += W_c' dc_i (several heads)", "--heads 2", "W_c self.W_o cross.W_o"},
    {"attention.query", "ds_{i-1} += W_a' dq_i", "", "W_a W_q"},
    {"attention.value-projection", "dh_j += W_v' dv_j, dW_v (several heads)", "--heads 2", "W_v",
     "W_v"},
    {"attention.values", "dh_j += alpha_ij dc_i", "", .change = SA_FAULT_VALUES},
    {"cell.bias", "db += sum da", "", NULL,
     "b_z b_r b_i b_f forward.b_o backward.b_o decoder.b_o forward.b backward.b decoder.b"},
    {"cell.input", "dx += da W", "",
     "W_z W_r W_i W_f forward.W_o backward.W_o decoder.W_o forward.W backward.W decoder.W"},
    {"cell.norm", "the gradient through the normalization of a product, or of m", "--cell-norm",
     NORMS, "norm.g norm.b"},
    {"copy.gate", "dz of the gate, all of it", "--copy", "copy.w_h copy.w_s copy.w_x",
     "copy.w_h copy.w_s copy.w_x copy.b"},
    {"coverage.weights", "dw_c += sum_j C_{i-1,j} dk_ij", "--coverage linguistic", NULL, "w_c"},
    {"decoder.context", "dc_i += C' da_i", "", "C_z C_r C_i C_f decoder.C_o C"},
    {"decoder.init", "dh_1 += W_s' ds_0", "", "W_s"},
    {"differential.lambda", "dlambda, all of it",
     "--model transformer --attention differential --heads 2", NULL,
     "lambda_q1 lambda_k1 lambda_q2 lambda_k2"},
    {"dot.key", "dk += de' q (in scaled-dot and general too)", "--attention dot",
     .change = SA_FAULT_KEY, .score = &sa_scores[SA_ATTENTION_DOT],
     .other = &sa_scores[SA_ATTENTION_SCALED_DOT]},
    {"dot.query", "dq += de k (in scaled-dot and general too)", "--attention dot",
     .change = SA_FAULT_QUERY, .score = &sa_scores[SA_ATTENTION_DOT],
     .other = &sa_scores[SA_ATTENTION_SCALED_DOT]},
    {"dropout.mask", "dx = dx . mask", "--dropout 0.3", .change = SA_FAULT_MASK},
    {"dropout.words", "dx_t = mask_t dx_t", "--word-dropout 0.3", .change = SA_FAULT_WORD_MASK},
    {"embedding.words", "dE_y += dx", "", NULL, "source.E target.E"},
    {"encoder.carry", "dh_{j-1} += the gradient through h_j", "", .change = SA_FAULT_ENCODER_CARRY},
    {"gru.candidate", "ds' and da_r through s~ = tanh(a + U [r . s'])", "", "U", .cell = "gru"},
    {"gru.carry", "ds' += ds . (1 - z)", "", .change = SA_FAULT_CARRY, .cell = "gru"},
    {"gru.gates", "ds' += U_z' da_z + U_r' da_r", "", "U_z U_r", .cell = "gru"},
    {"gru.reset", "da_r, all of it", "", GATES("r"), GATES("r") " b_r", .cell = "gru"},
    {"gru.update", "da_z, all of it", "", GATES("z"), GATES("z") " b_z", .cell = "gru"},
    {"layernorm.gain", "dg += dy . normal", "--model transformer", NULL, NORMS},
    {"linear.bias", "db += sum dy", "", NULL, "b_s readout.b_o b_y b_1 b_2"},
    {"linear.input", "dx += dy W", "", "W_s W_1 W_2", .change = SA_FAULT_READOUT},
    {"linear.weight", "dW += dy' x", "", NULL, "W_s readout.U_o readout.W_o W_1 W_2"},
    {"loss.target", "- 1 at the reference token", "", .change = SA_FAULT_TARGET},
    {"lstm.carry", "dm' += dm . f", "--cell lstm", .change = SA_FAULT_CARRY, .cell = "lstm"},
    {"lstm.forget", "da_f, all of it", "--cell lstm", GATES("f"), GATES("f") " b_f",
     .cell = "lstm"},
    {"position.learned", "dP_t += dx_t", "--positions learned", NULL, "P"},
    {"readout.maxout", "dt~, all of it", "", "readout.U_o readout.V_o readout.C_o",
     "readout.U_o readout.V_o readout.C_o readout.b_o"},
    {"readout.state", "ds += U_o' dt~", "", "readout.U_o"},
    {"rnn.state", "ds' += U' da", "--cell rnn", "U", .cell = "rnn"},
    {"t5.bias", "dB_r += the sum of de_ij with j - i in bucket r",
     "--model transformer --positions t5", NULL, "source.B target.B"},
    {NULL, NULL, NULL},
};

const sa_gradient_fault *sa_gradient_fault_find(const char *name) {
    const sa_gradient_fault *fault = sa_gradient_faults;
    while (fault->name && strcmp(fault->name, name) != 0) fault++;
    return fault->name ? fault : NULL;
}

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Returns whether a tensor's name, or its end after a dot, is one of the names. */
static bool is_named(const char *tensor, const char *names) {
    for (const char *one = names; one && *one;) {
        const size_t size = strcspn(one, " "), whole = strlen(tensor);
        const char *end = tensor + (whole < size ? 0 : whole - size);
        if (whole >= size && memcmp(end, one, size) == 0 && (end == tensor || end[-1] == '.'))
            return true;
        one += size + (one[size] == ' ');
    }
    return false;
}

static bool has_named(const sa_params *plan, const char *names) {
    for (int i = 0; i < plan->count; i++)
        if (is_named(plan->item[i].name, names)) return true;
    return false;
}

static void zero_named(const sa_params *plan, const char *names, sa_real *buffer) {
    for (int i = 0; i < plan->count; i++)
        if (is_named(plan->item[i].name, names)) sa_zero(sa_param_mat(&plan->item[i], buffer));
}

/* Returns the buffer of weights or gradients that contains b_y. */
static sa_real *buffer_of(const sa_seq2seq *w, const sa_params *plan) {
    int i = 0;
    while (!is_named(plan->item[i].name, "b_y")) i++;
    return sa_seq2seq_readout(w)->b_y.x - plan->item[i].offset;
}

/* ---- Changed entries ------------------------------------------------------------------------- */

/* The fault of the backward pass that runs in this thread. */
static _Thread_local const sa_planted_fault *planted_here;

/* Returns zeros of the shape of a result, to take its place; the caller frees them. */
static sa_mat lost_like(sa_mat result) {
    sa_mat lost = result;
    lost.x = sa_new((size_t)result.rows * (size_t)result.ld + 1, sizeof *lost.x, NULL);
    sa_require(lost.x);
    return lost;
}

static void broken_score(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                         sa_mat dv_a, sa_mat scratch) {
    const sa_fault_change change = planted_here->fault->change;
    sa_mat *result = change == SA_FAULT_QUERY ? &dq : change == SA_FAULT_KEY ? &dk : &dv_a;
    *result = lost_like(*result);
    planted_here->fault->score->backward(v_a, q, k, de, dq, dk, dv_a, scratch);
    free(result->x);
}

static void broken_normalizer(sa_real alpha, sa_mat p, sa_mat dp, sa_real *dalpha) {}

static void broken_scored(sa_real alpha, sa_mat z, sa_mat p, sa_mat dp, sa_real *dalpha) {}

static void broken_cell(const sa_recurrent *w, sa_state previous, sa_mat gates, sa_mat cache,
                        sa_state dstate, sa_mat da, sa_state dprevious, sa_mat scratch,
                        sa_recurrent *dw) {
    sa_state own = dprevious;
    sa_mat *carried = w->cell->has_m ? &own.m : &own.s;
    *carried = lost_like(*carried);
    dw->cell->backward(w, previous, gates, cache, dstate, da, own, scratch, dw);
    free(carried->x);
}

static void broken_encoder_cell(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                sa_mat scratch, sa_recurrent *dw) {
    dw->cell->backward(w, previous, gates, cache, dstate, da, dprevious, scratch, dw);
    sa_state_zero(dprevious);
}

/* A part that takes away what the context passes to the values. */
typedef struct lost_values {
    sa_mat kept;
} lost_values;

static void take_values(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    ((lost_values *)(uintptr_t)sa_part_own(w, part))->kept = d->v;
    d->v = lost_like(d->v);
}

static void give_values(const sa_attention *w, int part, sa_head *head, sa_head *d) {
    free(d->v.x);
    d->v = ((const lost_values *)sa_part_own(w, part))->kept;
}

static const sa_part lost_values_part = {
    .name = "lost values",
    .backward = {[SA_PLACE_OUTPUT] = take_values, [SA_PLACE_WEIGHTS] = give_values},
};

static bool breaks_score(const sa_gradient_fault *fault, const sa_attention *w) {
    return fault->score && w->heads &&
           (w->score->backward == fault->score->backward ||
            (fault->other && w->score->backward == fault->other->backward));
}

static void change_attention(sa_planted_fault *planted, sa_attention *w) {
    const sa_gradient_fault *fault = planted->fault;
    if (!w->heads) return;
    if (breaks_score(fault, w)) {
        planted->score = *w->score;
        planted->score.backward = broken_score;
        w->score = &planted->score;
    }
    if (fault->change == SA_FAULT_NORMALIZER) {
        planted->normalizer = *w->normalizer;
        planted->normalizer.backward = broken_normalizer;
        if (w->normalizer->scored_backward) planted->normalizer.scored_backward = broken_scored;
        w->normalizer = &planted->normalizer;
    }
    if (fault->change == SA_FAULT_VALUES) sa_part_add(w, &lost_values_part, w->parts);
}

static void change_cell(sa_planted_fault *planted, sa_cell_backward *backward, sa_recurrent *w) {
    if (!w->cell) return;
    planted->cell = *w->cell;
    planted->cell.backward = backward;
    w->cell = &planted->cell;
}

static void change_stack(sa_planted_fault *planted, sa_stack *w) {
    for (int i = 0; i < w->layers; i++) {
        change_attention(planted, &w->layer[i].self.attention);
        change_attention(planted, &w->layer[i].cross.attention);
    }
}

static void change_entries(sa_planted_fault *planted) {
    sa_seq2seq *w = &planted->w;
    const sa_fault_change change = planted->fault->change;
    change_attention(planted, &w->decoder.attention);
    change_stack(planted, &w->transformer.encoder);
    change_stack(planted, &w->transformer.decoder);
    if (change != SA_FAULT_CARRY && change != SA_FAULT_ENCODER_CARRY) return;
    sa_cell_backward *backward = change == SA_FAULT_CARRY ? broken_cell : broken_encoder_cell;
    for (int layer = 0; layer < w->encoder.layers; layer++)
        for (int d = 0; d < w->encoder.directions; d++)
            change_cell(planted, backward, &w->encoder.layer[layer][d]);
    if (change == SA_FAULT_ENCODER_CARRY) return;
    change_cell(planted, backward, &w->decoder.context_cell);
    for (int k = 0; k < w->decoder.sizes.layers; k++)
        change_cell(planted, backward, &w->decoder.layer[k]);
}

/* ---- The broken passes ----------------------------------------------------------------------- */

/* Adds `scale` at the reference words of d = W_o t + b_y, and so to dt, dW_o and db_y. */
static void add_targets(const sa_seq2seq *w, const sa_batch *batch, sa_real scale, sa_mat outputs,
                        sa_mat dt, sa_seq2seq *dw) {
    const sa_batch_side *side = &batch->target;
    const sa_mat W_o = sa_seq2seq_readout(w)->W_o.mat;
    const sa_readout *d = sa_seq2seq_readout(dw);
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const int y = side->ids[side->start[t] + b],
                      row = sa_seq2seq_target_row(w, batch, b, t);
            sa_axpy(scale, sa_row(W_o, y), sa_row(dt, row), W_o.cols);
            sa_axpy(scale, sa_row(outputs, row), sa_row(d->W_o.mat, y), W_o.cols);
            d->b_y.x[y] += scale;
        }
}

static const sa_settings *settings_of(const sa_planted_fault *planted) {
    return planted->sizes.recurrent ? &planted->sizes.decoder.settings
                                    : &planted->sizes.transformer.settings;
}

static void broken_backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout,
                            sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw) {
    sa_planted_fault *planted = (sa_planted_fault *)(uintptr_t)w->fault;
    const sa_gradient_fault *fault = planted->fault;
    const sa_params *plan = &planted->plan;
    const sa_settings *settings = settings_of(planted);
    if (fault->change == SA_FAULT_TARGET)
        add_targets(w, batch, (sa_real)((1 - settings->label_smoothing) / batch->whole),
                    sa_pass_readout(w, pass)->t, d->t, dw);
    memcpy(planted->values, buffer_of(w, plan), plan->size * sizeof *planted->values);
    zero_named(plan, fault->weights, planted->values);
    sa_seq2seq_bind_buffer(&planted->sizes, planted->values, &planted->w);
    change_entries(planted);
    if (fault->change == SA_FAULT_MASK)
        dropout =
            (sa_dropout){.words = dropout.words, .state = dropout.state, .noise = dropout.noise};
    if (fault->change == SA_FAULT_WORD_MASK) dropout.words = 0;
    if (fault->change == SA_FAULT_READOUT) sa_zero(d->t);
    planted_here = planted;
    sa_pass_backward(&planted->w, batch, dropout, pass, d, dw);
    zero_named(plan, fault->gradients, buffer_of(dw, plan));
}

/* ---- Planting -------------------------------------------------------------------------------- */

/* Returns whether models of these sizes have the term. */
static bool has_term(const sa_planted_fault *planted) {
    const sa_gradient_fault *fault = planted->fault;
    const sa_seq2seq *w = &planted->w;
    const sa_settings *settings = settings_of(planted);
    const sa_cell *cell = planted->sizes.decoder.cell;
    const sa_regularizer regularizer = sa_regularizer_of(settings, NULL);
    const sa_dropout p = regularizer.dropout;
    if (fault->cell && !(w->recurrent && strcmp(cell->name, fault->cell) == 0)) return false;
    if (has_named(&planted->plan, fault->weights) || has_named(&planted->plan, fault->gradients))
        return true;
    switch (fault->change) {
    case SA_FAULT_TENSORS:
        return false;
    case SA_FAULT_NORMALIZER:
    case SA_FAULT_VALUES:
        return sa_seq2seq_heads(w) > 0;
    case SA_FAULT_CARRY:
        return true;
    case SA_FAULT_ENCODER_CARRY:
        return w->encoder.layers > 0;
    case SA_FAULT_TARGET:
    case SA_FAULT_READOUT:
        return true;
    case SA_FAULT_MASK:
        return p.embeddings > 0 || p.annotations > 0 || p.readout > 0 || p.layers > 0 ||
               p.sublayers > 0;
    case SA_FAULT_WORD_MASK:
        return p.words > 0;
    default:
        return breaks_score(fault, sa_seq2seq_attention(w));
    }
}

sa_planted_fault *sa_gradient_fault_plant(const sa_gradient_fault *fault, const sa_sizes *sizes,
                                          sa_error *error) {
    sa_planted_fault *planted = sa_new(1, sizeof *planted, error);
    if (!planted) return NULL;
    planted->fault = fault;
    planted->sizes = *sizes;
    planted->instead.backward = broken_backward;
    sa_seq2seq_plan(sizes, &planted->plan);
    planted->values = sa_new(planted->plan.size, sizeof *planted->values, error);
    if (planted->values) sa_seq2seq_bind_buffer(sizes, planted->values, &planted->w);
    if (planted->values && has_term(planted)) return planted;
    if (planted->values)
        sa_fail(error, SA_USAGE, "this model has no term '%s'%s%s", fault->name,
                *fault->options ? "; one has it with " : "", fault->options);
    sa_planted_fault_free(planted);
    return NULL;
}

void sa_planted_fault_free(sa_planted_fault *planted) {
    if (planted) free(planted->values);
    free(planted);
}
