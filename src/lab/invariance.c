#include "lab/invariance.h"

const sa_attention *sa_lab_attention(const sa_proof_setup *setup) {
    const sa_seq2seq *w = &setup->model.w;
    return sa_seq2seq_attends(w) ? w->family->attention(w) : NULL;
}

sa_sentence sa_lab_draw_sentence(sa_rng *rng, int32_t *ids, int len, int words) {
    for (int i = 0; i < len - 1; i++) { /* neither EOS nor BOS */
        const int32_t word = (int32_t)sa_rng_below(rng, (uint32_t)words - SA_SPECIAL_TOKENS + 1);
        ids[i] = word ? word + SA_SPECIAL_TOKENS - 1 : SA_UNK;
    }
    ids[len - 1] = SA_EOS;
    return (sa_sentence){ids, len};
}

bool sa_lab_open_all(const sa_proof_setup *setup, sa_lab_pass *pass, sa_error *error) {
    return sa_lab_pass_open(pass, &setup->model.w, setup->pairs.source, setup->pairs.target,
                            setup->pairs.count, error);
}

bool sa_lab_open_single(const sa_proof_setup *setup, int p, sa_lab_pass *pass, sa_error *error) {
    return sa_lab_pass_open(pass, &setup->model.w, setup->pairs.source + p, setup->pairs.target + p,
                            1, error);
}

double sa_lab_view_difference(sa_lab_view one, sa_lab_view other, int steps, const int *column) {
    return sa_lab_nan_max(sa_lab_weight_difference(one, other, steps, column),
                          sa_lab_log_p_difference(one, other, steps));
}
