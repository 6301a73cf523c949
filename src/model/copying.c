/* Copies source words: computes what the pointer-generator (layers/loss.h) mixes with the
 * vocabulary from the weights of the last layer's cross-attention, averaged over its heads, for the
 * loss of a batch and for decoding. A pointer network generates nothing: its p_gen is 0. */
#include "model/decode.h"
#include "model/objective.h"

#include <tgmath.h>

int sa_extended_words(const sa_seq2seq *w, const sa_sentence *source) {
    const int32_t *extended = sa_sentence_extended(source);
    int words = sa_seq2seq_words(w);
    for (int j = 0; sa_seq2seq_readout(w)->copies && j < source->len; j++)
        if (extended[j] >= words) words = extended[j] + 1;
    return words;
}

/* ---- Where the weights point ----------------------------------------------------------------- */

/* The weights of one target word: row `row` of alpha, over source b of the batch. */
typedef struct pointer {
    const sa_attention *attention;
    const sa_batch_side *source;
    sa_mat alpha; /* all heads side by side */
    int row, b;
} pointer;

static int32_t word_at(const pointer *at, int j) {
    return at->source->extended[at->source->start[j] + at->b];
}

static sa_mat head_of(const pointer *at, int k) {
    return sa_attention_head(at->alpha, at->row, at->attention->heads, k, at->source->len[at->b]);
}

/* Returns the mixture of a word, without what its forward function computes. words: the size of the
 * vocabulary; 0: nothing is generated, and a word that is not in the source has a weight of 0. z:
 * of the copy gate, or empty */
static sa_mixture point(const pointer *at, int32_t word, int words, sa_mat z) {
    const bool lacks = sa_attention_lacks(at->attention);
    const int heads = at->attention->heads;
    sa_mixture mixture = {
        .z = z.cols ? (double)*z.x : -INFINITY, .known = word < words, .in_source = !words};
    double sum = 0;
    for (int j = 0; j < at->source->len[at->b]; j++) {
        const bool same = word_at(at, j) == word;
        if (!same && !lacks) continue;
        double weight = 0;
        for (int k = 0; k < heads; k++) weight += (double)head_of(at, k).x[j];
        sum += weight /= heads; /* the mean */
        mixture.in_source = mixture.in_source || same;
        if (same) mixture.alpha += weight;
    }
    if (lacks) mixture.rest = fmax(0, 1 - sum);
    return mixture;
}

static void point_backward(const pointer *at, int32_t word, const sa_mixture *mixture) {
    const int heads = at->attention->heads;
    for (int k = 0; k < heads; k++) {
        const sa_mat dalpha = head_of(at, k);
        for (int j = 0; j < dalpha.cols; j++) {
            const double same = word_at(at, j) == word ? mixture->dalpha : 0;
            dalpha.x[j] += (sa_real)((same - mixture->drest) / heads);
        }
    }
}

/* ---- A pass over a batch --------------------------------------------------------------------- */

static int last_layer(const sa_seq2seq *w) {
    return sa_seq2seq_layers(w, SA_SITE_CROSS) - 1;
}

/* alpha [M x H S], z [M x 1] -> the mixture of each reference token */
void sa_copying_forward(const sa_seq2seq *w, const sa_batch *batch, const sa_pass *pass) {
    const sa_batch_side *side = &batch->target;
    const sa_readout_cache *readout = sa_pass_readout(w, pass);
    const int words = sa_seq2seq_readout(w)->W_o.mat.rows, layer = last_layer(w);
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const int row = sa_seq2seq_target_row(w, batch, b, t);
            const pointer at = {sa_seq2seq_attention(w), &batch->source,
                                sa_pass_all_weights(w, pass, batch, SA_SITE_CROSS, layer, b, t), 0,
                                sa_batch_source_index(batch, b)};
            readout->mixtures[row] = point(&at, side->extended[side->start[t] + b], words,
                                           sa_rows(readout->copy_gate, row, 1));
        }
}

void sa_copying_backward(const sa_seq2seq *w, const sa_batch *batch, double scale,
                         const sa_pass *pass, const sa_output_gradients *d) {
    const sa_batch_side *side = &batch->target;
    const sa_readout_cache *readout = sa_pass_readout(w, pass);
    for (int b = 0; b < side->sentences; b++)
        for (int t = 0; t < side->len[b]; t++) {
            const int row = sa_seq2seq_target_row(w, batch, b, t);
            const pointer at = {sa_seq2seq_attention(w), &batch->source, d->alpha, row,
                                sa_batch_source_index(batch, b)};
            sa_mixture_backward(&readout->mixtures[row], scale);
            if (d->copy_gate.cols) *sa_row(d->copy_gate, row) = (sa_real)readout->mixtures[row].dz;
            point_backward(&at, side->extended[side->start[t] + b], &readout->mixtures[row]);
        }
}

/* ---- Decoding, word by word ------------------------------------------------------------------ */

/* The words that are not in the source keep their logits: log P = log g + log p; those that cannot
 * be generated have the probability of a weight of 0. */
void sa_copying_decode(const sa_seq2seq *w, const sa_batch *batch, const sa_decode_cache *cache,
                       int l, int b, sa_real *logits, double *log_sum_exp) {
    const int words = sa_seq2seq_readout(w)->W_o.mat.rows;
    const pointer at = {sa_seq2seq_attention(w), &batch->source,
                        sa_decode_weights(w, cache, last_layer(w)), l, b};
    const sa_mat z = sa_rows(cache->readout.copy_gate, l, 1);
    sa_mixture absent = point(&at, SA_BOS, words, z); /* a word that no source has */
    absent.in_source = !words;
    const double least = sa_mixture_forward(&absent, 0), shift = words ? *log_sum_exp - least : 0;
    for (int k = words; k < sa_seq2seq_words(w); k++) logits[k] = (sa_real)least;
    for (int j = 0; j < batch->source.len[b]; j++) {
        const int32_t word = word_at(&at, j);
        int before = 0;
        while (word_at(&at, before) != word) before++;
        if (before < j) continue;
        sa_mixture mixture = point(&at, word, words, z);
        const double log_p = mixture.known ? (double)logits[word] - *log_sum_exp : 0;
        logits[word] = (sa_real)(sa_mixture_forward(&mixture, log_p) + shift);
        if ((double)logits[word] > shift) /* log P is at most 0, even after rounding */
            logits[word] = nextafter(logits[word], (sa_real)-INFINITY);
    }
    *log_sum_exp = shift;
}
