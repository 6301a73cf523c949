#include "lab/gradient_faults.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define GATES(letter) "W_" letter " U_" letter " C_" letter

const sa_gradient_fault sa_gradient_faults[] = {
    {"additive.v_a", "dv_a += de_ij t_j", "", NULL, "v_a"},
    {"attention.keys", "dh_j += U_a' dk_j, dU_a", "", "U_a W_k", "U_a W_k"},
    {"attention.output", "do += W_c' dc_i (several heads)", "--heads 2", "W_c self.W_o cross.W_o"},
    {"attention.query", "ds_{i-1} += W_a' dq_i", "", "W_a W_q"},
    {"attention.value-projection", "dh_j += W_v' dv_j, dW_v (several heads)", "--heads 2", "W_v",
     "W_v"},
    {"cell.bias", "db += sum da", "", NULL,
     "b_z b_r b_i b_f forward.b_o backward.b_o decoder.b_o forward.b backward.b decoder.b"},
    {"cell.candidate", "ds' through U of the candidate (and of the gates of an rnn)", "", "U"},
    {"cell.input", "dx += da W", "",
     "W_z W_r W_i W_f forward.W_o backward.W_o decoder.W_o forward.W backward.W decoder.W"},
    {"copy.gate", "dz of the gate, all of it", "--copy", "copy.w_h copy.w_s copy.w_x",
     "copy.w_h copy.w_s copy.w_x copy.b"},
    {"coverage.weights", "dw_c += sum_j C_{i-1,j} dk_ij", "--coverage linguistic", NULL, "w_c"},
    {"decoder.context", "dc_i += C' da_i", "", "C_z C_r C_i C_f decoder.C_o C"},
    {"decoder.init", "dh_1 += W_s' ds_0", "", "W_s"},
    {"embedding.words", "dE_y += dx", "", NULL, "source.E target.E"},
    {"encoder.carry", "dh_{j-1} += the gradient through h_j", "", .carry = true},
    {"gru.gates", "ds' += U_z' da_z + U_r' da_r", "", "U_z U_r"},
    {"gru.reset", "da_r, all of it", "", GATES("r"), GATES("r") " b_r"},
    {"gru.update", "da_z, all of it", "", GATES("z"), GATES("z") " b_z"},
    {"layernorm.gain", "dg += dy . normal", "--model transformer", NULL, "norm.g"},
    {"linear.bias", "db += sum dy", "", NULL, "b_s readout.b_o b_y b_1 b_2"},
    {"linear.weight", "dW += dy' x", "", NULL, "W_s readout.U_o readout.W_o W_1 W_2"},
    {"loss.target", "- 1 at the reference token", "", .target = true},
    {"lstm.forget", "da_f, all of it", "--cell lstm", GATES("f"), GATES("f") " b_f"},
    {"readout.state", "ds += U_o' dt~", "", "readout.U_o"},
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

/* Returns the buffer of weights or gradients that contains the target's embedding. */
static sa_real *buffer_of(const sa_seq2seq *w, const sa_params *plan) {
    const sa_mat E = w->recurrent ? w->decoder.E : w->transformer.target_E;
    return E.x - sa_seq2seq_embedding(plan, 1)->offset;
}

/* ---- The broken passes ----------------------------------------------------------------------- */

/* Takes the place of a cell's backward pass, and loses what the state before gets. */
static void backward_without_carry(const sa_recurrent *w, sa_state previous, sa_mat gates,
                                   sa_mat cache, sa_state dstate, sa_mat da, sa_state dprevious,
                                   sa_mat scratch, sa_recurrent *dw) {
    dw->cell->backward(w, previous, gates, cache, dstate, da, dprevious, scratch, dw);
    sa_state_zero(dprevious);
}

static void lose_carry(sa_planted_fault *planted) {
    const sa_encoder *encoder = &planted->w.encoder;
    planted->cell = *encoder->layer[0][0].cell;
    planted->cell.backward = backward_without_carry;
    for (int layer = 0; layer < encoder->layers; layer++)
        for (int d = 0; d < encoder->directions; d++)
            planted->w.encoder.layer[layer][d].cell = &planted->cell;
}

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

static void broken_backward(const sa_seq2seq *w, const sa_batch *batch, sa_dropout dropout,
                            sa_pass *pass, const sa_output_gradients *d, sa_seq2seq *dw) {
    sa_planted_fault *planted = (sa_planted_fault *)(uintptr_t)w->fault;
    const sa_gradient_fault *fault = planted->fault;
    const sa_params *plan = &planted->plan;
    const sa_settings *settings = &planted->sizes.settings;
    if (fault->target)
        add_targets(w, batch, (sa_real)((1 - settings->label_smoothing) / batch->whole),
                    sa_pass_readout(w, pass)->t, d->t, dw);
    memcpy(planted->values, buffer_of(w, plan), plan->size * sizeof *planted->values);
    zero_named(plan, fault->weights, planted->values);
    sa_seq2seq_bind_buffer(&planted->sizes, planted->values, &planted->w);
    if (fault->carry) lose_carry(planted);
    sa_pass_backward(&planted->w, batch, dropout, pass, d, dw);
    zero_named(plan, fault->gradients, buffer_of(dw, plan));
}

/* ---- Planting -------------------------------------------------------------------------------- */

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
    const bool has = (fault->target && has_named(&planted->plan, "b_y")) ||
                     (fault->carry && planted->w.encoder.layers) ||
                     has_named(&planted->plan, fault->weights) ||
                     has_named(&planted->plan, fault->gradients);
    if (planted->values && has) return planted;
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
