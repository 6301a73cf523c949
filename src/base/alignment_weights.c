#include "base/alignment_weights.h"

#include <stdlib.h>
#include <string.h>

static size_t matrix_size(const sa_alignment *alignment) {
    return (size_t)alignment->targets * (size_t)alignment->sources;
}

/* The number of matrices for each head after the first. */
static size_t head_matrices(const sa_alignment *alignment) {
    return alignment->heads > 1 ? (size_t)alignment->heads : 0;
}

size_t sa_alignment_size(const sa_alignment *alignment) {
    const size_t layers = alignment->layers > 1 ? (size_t)alignment->layers : 0;
    return matrix_size(alignment) *
           (1 + head_matrices(alignment) + layers * (size_t)alignment->heads);
}

/* At most, as a token has a byte. */
static size_t tokens_at_most(const char *const *side, size_t offset, int max_len) {
    const char *text;
    memcpy(&text, (const char *)side + offset, sizeof text);
    return strnlen(text, (size_t)max_len) + 1;
}

size_t sa_alignments_together(const char *const *source, const char *const *target, size_t stride,
                              size_t count, int max_len) {
    const size_t most = (size_t)1 << 26; /* numbers: 512 MiB where each token is a byte */
    size_t together = 0, numbers = 0;
    while (together < count && numbers < most) {
        numbers += tokens_at_most(source, together * stride, max_len) *
                   tokens_at_most(target, together * stride, max_len);
        together++;
    }
    return together;
}

const double *sa_alignment_weights(const sa_alignment *alignment, int layer, int head) {
    if (!alignment || layer < 0 || head < 0 || layer > alignment->layers || head > alignment->heads)
        return NULL;
    const size_t heads = head_matrices(alignment);
    size_t matrix = heads ? (size_t)head : 0;
    if (!alignment->weights) return NULL;
    if (layer && alignment->layers > 1) {
        if (!head && heads) return NULL;
        matrix = 1 + heads + (size_t)((layer - 1) * alignment->heads + (head ? head - 1 : 0));
    }
    return alignment->weights + matrix * matrix_size(alignment);
}

void sa_alignment_release(sa_alignment *alignment) {
    if (!alignment) return;
    free((void *)(uintptr_t)alignment->target);
    free((void *)(uintptr_t)alignment->source);
    free((void *)(uintptr_t)alignment->weights);
    free((void *)(uintptr_t)alignment->token_log_probabilities);
    free((void *)(uintptr_t)alignment->generation_probabilities);
    free((void *)(uintptr_t)alignment->target_unknown);
    free((void *)(uintptr_t)alignment->source_unknown);
    *alignment = (sa_alignment){0};
}
