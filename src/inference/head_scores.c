/* head_scores: sa_score_heads measures what each head of the decoder's self-attention attends to,
 * what it copies, and what the model loses without it. */
#include "inference/model.h"
#include "metrics/head_roles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COPIED = 1000 }; /* words that `copying` compares: the most frequent */

typedef struct head_tally {
    sa_head_roles roles;
    double loss[2];  /* without the head; [1]: of words predicted in the row of a repeated word */
    size_t words[2]; /* how many */
} head_tally;

typedef struct head_work {
    sa_model *model;
    const sa_corpus *corpus;
    const sa_stack *decoder;
    bool joined; /* it reads the source, too, as the decoder of a decoder-only model does */
    int heads;   /* of a layer */
    sa_dataset pairs;
    int32_t *words; /* what the decoder reads of a pair */
    head_tally *sums,
        *losses; /* [layers * heads + 1], the last for the whole model; losses: one of them */
    sa_attention_site site;
} head_work;

static bool align(head_work *all, sa_attention_site site, sa_alignment_each *each,
                  sa_error *error) {
    const sa_align_options view = {.site = site};
    all->site = site;
    return sa_align(all->model, &view, all->corpus->pairs, all->corpus->count, each, all, error);
}

/* Fills `words` with what the decoder reads of a pair. Returns the index of the one that predicts
 * the first target word. */
static int read_words(const head_work *all, size_t i) {
    const sa_sentence source = all->pairs.source[i], target = all->pairs.target[i];
    const int before = all->joined ? source.len : 1;
    all->words[0] = SA_BOS;
    if (all->joined) memcpy(all->words, source.ids, (size_t)before * sizeof *source.ids);
    memcpy(all->words + before, target.ids, (size_t)(target.len - 1) * sizeof *target.ids);
    return before - 1;
}

/* Adds the attention of all heads on a pair. A decoder-only model attends at two sites: to the
 * source, whose EOS is its last word, and to the words from EOS on. */
static bool add_weights(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    const head_work *all = context;
    const int first = read_words(all, index), T = alignment->targets, S = alignment->sources;
    const bool source = all->site == SA_SITE_CROSS, seen = !source && all->joined;
    const int from = source ? 0 : first + seen, to = source ? S : first + T;
    for (int number = 0; number < all->decoder->layers * all->heads; number++) {
        const double *alpha =
            sa_alignment_weights(alignment, number / all->heads + 1, number % all->heads + 1);
        for (int t = 0; t < T; t++, alpha += S) {
            const sa_head_row row = {first + t, first + t + 1, all->words, .causal = true};
            sa_head_roles_add(&all->sums[number].roles, &row, alpha + seen, from, to);
        }
    }
    return true;
}

static bool add_losses(void *context, size_t index, const sa_alignment *alignment,
                       sa_error *error) {
    const head_work *all = context;
    const int first = read_words(all, index);
    for (int t = 0; t < alignment->targets; t++) {
        const bool repeated = sa_is_repeated(all->words, first + t);
        all->losses->loss[repeated] -= alignment->token_log_probabilities[t];
        all->losses->words[repeated]++;
    }
    return true;
}

/* Adds up the losses without a head: if its columns of W_o are zero, it adds nothing to c = W_o
 * [o^1 ; .. ; o^H]. */
static bool knock_out(head_work *all, int number, sa_error *error) {
    const sa_mat W_o = all->decoder->layer[number / all->heads].self.attention.W_c.mat;
    const sa_mat own = sa_head_slice(W_o, all->heads, number % all->heads);
    sa_mat saved = {NULL, own.rows, own.cols, own.cols};
    saved.x = sa_new((size_t)own.rows * (size_t)own.cols, sizeof *saved.x, error);
    if (!saved.x) return false;
    sa_copy_mat(own, saved);
    sa_zero(own);
    all->losses = &all->sums[number];
    const bool good = align(all, SA_SITE_CROSS, add_losses, error);
    sa_copy_mat(saved, own);
    free(saved.x);
    return good;
}

/* Computes the scores C = W_E W_v' W_o' W_U' [V x V] of a head: what attending to a word adds to
 * the logit of each. */
static bool score_copying(const head_work *all, int number, sa_head_score *score, sa_error *error) {
    const sa_transformer *model = &all->model->w.transformer;
    const sa_attention *w = &all->decoder->layer[number / all->heads].self.attention;
    const int words = model->target_E.rows - SA_SPECIAL_TOKENS, V = words < COPIED ? words : COPIED;
    const int k = number % all->heads, g = k * w->kv_heads / all->heads;
    const int m = model->target_E.cols, projections = m / w->W_v.mat.cols;
    const sa_mat E = sa_rows(model->target_E, SA_SPECIAL_TOKENS, V);
    const sa_mat W_o = sa_head_slice(w->W_c.mat, all->heads, k);
    const int width = W_o.cols;
    sa_real *numbers = sa_new((size_t)V * (size_t)(width + m + V), sizeof *numbers, error);
    if (!numbers) return false;
    const sa_mat v = {numbers, V, width, width}, o = {v.x + V * width, V, m, m};
    const sa_mat C = {o.x + V * m, V, V, V};
    sa_gemm_nt(sa_head_slice(E, projections, projections > 1 ? g : 0),
               sa_rows(w->W_v.mat, g * width, width), 0, v);
    sa_gemm_nt(v, W_o, 0, o);
    sa_gemm_nt(o, sa_rows(model->vocabulary.W_o.mat, SA_SPECIAL_TOKENS, V), 0, C);
    double trace = 0, sum = 0, squares = 0;
    for (int i = 0; i < V; i++) {
        const sa_real *row = sa_row(C, i);
        bool most = true;
        for (int j = 0; j < V; j++) {
            most = most && row[j] <= row[i];
            sum += (double)row[j], squares += (double)row[j] * (double)row[j];
        }
        score->copying += most / (double)V;
        trace += (double)row[i];
    }
    const double mean = sum / V / V;
    score->copying_trace = trace / V / sqrt(squares / V / V - mean * mean);
    free(numbers);
    return true;
}

static double mean(double sum, size_t count) {
    return count ? sum / (double)count : NAN;
}

static double loss_of(const head_tally *sums) {
    return mean(sums->loss[0] + sums->loss[1], sums->words[0] + sums->words[1]);
}

static bool score_heads(head_work *all, sa_head_scores *scores, sa_error *error) {
    const int count = (int)scores->count;
    all->losses = &all->sums[count];
    bool good = align(all, SA_SITE_CROSS, add_losses, error) &&
                align(all, SA_SITE_DECODER, add_weights, error) &&
                (!all->joined || align(all, SA_SITE_CROSS, add_weights, error));
    scores->loss = loss_of(all->losses);
    scores->loss_new = mean(all->losses->loss[0], all->losses->words[0]);
    scores->loss_repeated = mean(all->losses->loss[1], all->losses->words[1]);
    for (int number = 0; good && number < count; number++) {
        const head_tally *sums = &all->sums[number];
        const sa_head_roles *roles = &sums->roles;
        sa_head_score *own = &scores->each[number];
        good = knock_out(all, number, error) && score_copying(all, number, own, error);
        own->layer = number / all->heads + 1, own->head = number % all->heads + 1;
        own->prefix_matching =
            mean(roles->weight[SA_ROLE_INDUCTION], roles->rows[SA_ROLE_INDUCTION]);
        own->previous_word = mean(roles->weight[SA_ROLE_PREVIOUS], roles->rows[SA_ROLE_PREVIOUS]);
        sa_head_roles_name(roles, own->role);
        own->loss_without = loss_of(sums);
        own->loss_repeated_without = mean(sums->loss[1], sums->words[1]);
    }
    return good;
}

bool sa_score_heads(sa_model *model, const sa_corpus *corpus, sa_head_scores *scores,
                    sa_error *error) {
    if (!sa_given(model, "model", error) || !sa_given_corpus(corpus, "corpus", error) ||
        !sa_given(scores, "scores", error))
        return false;
    if (!sa_seq2seq_layers(&model->w, SA_SITE_DECODER))
        return sa_fail(
            error, SA_USAGE,
            "--heads: the model's decoder has no self-attention; those of Transformers and "
            "of decoder-only models have");
    head_work all = {.model = model,
                     .corpus = corpus,
                     .decoder = &model->w.transformer.decoder,
                     .joined = model->w.transformer.sizes.decoder_only,
                     .heads = sa_seq2seq_heads(&model->w)};
    const size_t count = (size_t)all.heads * (size_t)all.decoder->layers;
    *scores = (sa_head_scores){.count = count, .each = sa_new(count, sizeof *scores->each, error)};
    bool good = scores->each && sa_dataset_build(&all.pairs, corpus, NULL, &model->source,
                                                 &model->target, 0, &model->settings, error);
    const size_t longest = (size_t)all.pairs.longest_source + (size_t)all.pairs.longest_target;
    good = good && (all.words = sa_new(longest, sizeof *all.words, error)) &&
           (all.sums = sa_new(count + 1, sizeof *all.sums, error));
    good = good && score_heads(&all, scores, error);
    free(all.words), free(all.sums);
    sa_dataset_release(&all.pairs);
    if (!good) sa_head_scores_release(scores);
    return good;
}

void sa_head_scores_release(sa_head_scores *scores) {
    if (!scores) return;
    free(scores->each);
    *scores = (sa_head_scores){0};
}
