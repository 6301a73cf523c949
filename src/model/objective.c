/* The terms that training adds to the likelihood, each with its gradient: guided alignment, what
 * parts of the attention ask for (coverage), and the samples of hard attention (REINFORCE). */
#include "model/objective.h"
#include "attention/alignment_loss.h"

/* The alignment loss H_t of the first head in the last layer with cross-attention: one of several
 * heads is enough to learn the alignment (Garg et al. 2019, "Jointly learning to align and
 * translate with Transformer models"). d->alpha = weight / whole dH_t/dalpha_t */
void sa_alignment_term(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                       sa_pass *pass, const sa_output_gradients *d) {
    const sa_batch_side *side = &batch->target;
    const sa_real weight = (sa_real)regularizer.alignment_weight;
    const int later = regularizer.alignment_at == SA_ALIGN_INPUT; /* rows after that of a word */
    pass->alignment_loss = 0;
    if (!batch->gold) return;
    const int layer = sa_seq2seq_layers(w, SA_SITE_CROSS) - 1;
    const bool no_word = sa_seq2seq_attention(w)->normalizer->null_key;
    const sa_mat dalpha = sa_head_slice(d->alpha, sa_seq2seq_heads(w), 0);
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const sa_gold_alignment *gold = &batch->gold[side->order[b]];
            sa_mat alpha = sa_pass_weights(w, pass, batch, SA_SITE_CROSS, layer, 0, b, t);
            sa_mat A =
                sa_cols(sa_rows(dalpha, sa_seq2seq_target_row(w, batch, b, t), 1), 0, alpha.cols);
            const int word = t - later;
            const bool real = word >= 0 && word < side->len[b] - 1;
            const sa_real loss = sa_alignment_loss_forward(
                gold, word, no_word && real, w->transformer.sizes.settings.merged, alpha, A);
            sa_alignment_loss_backward(alpha, weight / (sa_real)batch->whole, A);
            pass->objective[side->start[t] + b] -= weight * loss;
            pass->alignment_loss += (double)loss;
        }
}

/* Subtracts what parts of a recurrent decoder's attention add to the loss of each query, averaged
 * over the heads. */
void sa_penalty_term(const sa_seq2seq *w, double weight, sa_real scale, sa_pass *pass,
                     const sa_output_gradients *d) {
    const sa_attention *attention = &w->decoder.attention;
    for (int p = 0; p < attention->parts; p++) {
        const sa_part *kind = attention->part[p].kind;
        if (!sa_rare_of(kind)->penalty) continue;
        const sa_mat loss = sa_rare_of(kind)->penalty(pass->decoder.rows.attention.part[p]),
                     dloss = d ? sa_rare_of(kind)->penalty(d->part[p]) : loss;
        const sa_real each = (sa_real)weight / (sa_real)attention->heads;
        for (int i = 0; loss.cols && i < loss.rows; i++) {
            pass->objective[i] -= each * *sa_row(loss, i);
            if (d) *sa_row(dloss, i) = scale * each;
        }
    }
}

/* Adds sum_i (A log p_i(s_i) + lambda_e H(p_i)) over the sampled words s_i, with the advantage A =
 * lambda_r (log p(y | s) - b). Without a backward pass the advantages, which are constants of the
 * gradient, keep their values, so that differences can check it. */
void sa_sampling_term(const sa_seq2seq *w, const sa_batch *batch, sa_regularizer regularizer,
                      sa_real scale, sa_pass *pass, const sa_output_gradients *d) {
    const sa_batch_side *side = &batch->target;
    const sa_real lambda_e = (sa_real)regularizer.entropy_weight;
    const int part = sa_seq2seq_sampling_part(w);
    if (part < 0) return;
    const sa_part *kind = w->decoder.attention.part[part].kind;
    const sa_mat samples = sa_rare_of(kind)->samples(pass->decoder.rows.attention.part[part]),
                 dsamples = d ? sa_rare_of(kind)->samples(d->part[part]) : samples;
    for (int b = 0; b < side->sentences; b++) {
        double R = 0;
        for (int t = 0; t < side->len[b]; t++) R += (double)pass->log_p[side->start[t] + b];
        sa_real *A = &pass->advantages[b];
        if (d) *A = (sa_real)(regularizer.reinforce_weight * (R - regularizer.baseline));
        for (int t = 0; t < side->len[b]; t++) {
            const int i = side->start[t] + b;
            pass->objective[i] += *A * sa_row(samples, i)[0] + lambda_e * sa_row(samples, i)[1];
            if (!d) continue;
            sa_row(dsamples, i)[0] = -scale * *A;
            sa_row(dsamples, i)[1] = -scale * lambda_e;
        }
    }
}

sa_regularizer sa_regularizer_of(const sa_settings *settings, sa_rng *rng) {
    return (sa_regularizer){
        .dropout = {.words = settings->word_dropout,
                    .all = settings->dropout,
                    .state = settings->dropout_state,
                    .layers = settings->dropout_layers,
                    .noise = 1},
        .smoothing = settings->label_smoothing,
        .alignment_weight = settings->guided_alignment,
        .alignment_at = settings->guided_at,
        .penalty_weight = settings->coverage_weight,
        .reinforce_weight = settings->reinforce_weight,
        .entropy_weight = settings->entropy_weight,
        .rng = rng,
    };
}
