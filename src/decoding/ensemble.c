#include "decoding/ensemble.h"
#include "base/memory.h"
#include "tensor/vec.h"

#include <math.h>
#include <stdlib.h>

bool sa_ensemble_open(sa_ensemble *ensemble, const sa_seq2seq *const *w, int count,
                      const sa_override *override, sa_error *error) {
    sa_require(count > 0 && count <= SA_ENSEMBLE);
    sa_voice *voice = sa_new((size_t)count, sizeof *voice, error);
    *ensemble = (sa_ensemble){.count = voice ? count : 0, .voice = voice, .override = override};
    for (int m = 0; m < ensemble->count; m++) voice[m].w = w[m];
    return voice != NULL;
}

void sa_ensemble_release(sa_ensemble *ensemble) {
    for (int m = 0; m < ensemble->count; m++) sa_voice_release(&ensemble->voice[m]);
    free(ensemble->voice);
    *ensemble = (sa_ensemble){0};
}

void sa_ensemble_layout(sa_arena *arena, sa_ensemble *ensemble, const sa_sentence *const *sources,
                        int count, int rows, int steps) {
    for (int m = 0; m < ensemble->count; m++)
        sa_voice_layout(arena, &ensemble->voice[m], sources[m], count, rows, steps);
    ensemble->ids = sa_arena_take(arena, (size_t)rows, sizeof *ensemble->ids);
    ensemble->which = sa_arena_take(arena, (size_t)rows, sizeof *ensemble->which);
    ensemble->from = sa_arena_take(arena, (size_t)rows, sizeof *ensemble->from);
}

void sa_ensemble_start(sa_ensemble *ensemble) {
    for (int m = 0; m < ensemble->count; m++) sa_voice_start(&ensemble->voice[m]);
}

/* Row l of the first voice's logits becomes log mean_m p_m(word), from the differences to the
 * likeliest model's: so a word that none can imagine keeps a finite number. */
static void average_row(const sa_voice *voice, int count, int l) {
    const sa_mat all = voice[0].logits;
    for (int word = 0; word < all.cols; word++) {
        double log_p[SA_ENSEMBLE], most = -INFINITY, sum = 0;
        for (int m = 0; m < count; m++) {
            log_p[m] = (double)sa_row(voice[m].logits, l)[word] - voice[m].norm[l];
            most = fmax(most, log_p[m]);
        }
        for (int m = 0; m < count; m++) sum += exp(log_p[m] - most);
        sa_row(all, l)[word] = (sa_real)(most + log(sum / count));
    }
    voice[0].norm[l] = 0;
}

bool sa_ensemble_step(sa_ensemble *ensemble, int i, const sa_continued *rows, int L, sa_mat *logits,
                      sa_error *error) {
    sa_voice *voice = ensemble->voice;
    for (int l = 0; l < L; l++) {
        ensemble->ids[l] = rows[l].word;
        ensemble->which[l] = rows[l].sentence;
        ensemble->from[l] = rows[l].row;
    }
    for (int m = 0; m < ensemble->count; m++)
        if (!sa_voice_step(&voice[m], ensemble->override, i, L, ensemble->which, ensemble->from,
                           ensemble->ids, error))
            return false;
    for (int l = 0; l < L && ensemble->count > 1; l++) average_row(voice, ensemble->count, l);
    *logits = sa_rows(voice[0].logits, 0, L);
    ensemble->norm = voice[0].norm;
    return true;
}

void sa_ensemble_weights(const sa_ensemble *ensemble, int row, int S, sa_real *alpha) {
    int attending = 0;
    for (int m = 0; m < ensemble->count; m++) attending += sa_seq2seq_attends(ensemble->voice[m].w);
    for (int m = 0; m < ensemble->count; m++)
        sa_voice_weights(&ensemble->voice[m], row, S, 1 / (sa_real)attending, alpha);
}
