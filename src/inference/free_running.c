#include "inference/free_running.h"
#include "inference/ensemble.h"

#include <string.h>

typedef struct free_run {
    sa_ensemble ensemble;
    int longest;           /* words of the longest target */
    sa_continuation *rows; /* [count] */
    int *index;            /* [count] 0, 1 .. */
} free_run;

static void layout(free_run *run, sa_arena *arena, const sa_sentence *sources, int count) {
    sa_ensemble_layout(arena, &run->ensemble, &sources, count, count, run->longest);
    run->rows = sa_arena_alloc(arena, (size_t)count, sizeof *run->rows);
    run->index = sa_arena_alloc(arena, (size_t)count, sizeof *run->index);
}

static bool open_free_run(free_run *run, sa_arena *arena, const sa_sentence *sources,
                          const sa_sentence *targets, int count, sa_error *error) {
    sa_arena dry = {0};
    for (int b = 0; b < count; b++)
        if (targets[b].len > run->longest) run->longest = targets[b].len;
    layout(run, &dry, sources, count);
    if (!sa_arena_init(arena, dry.used, error)) return false;
    layout(run, arena, sources, count);
    sa_ensemble_begin(&run->ensemble);
    for (int b = 0; b < count; b++) {
        run->index[b] = b;
        run->rows[b] = (sa_continuation){.sentence = b, .row = b, .word = SA_BOS};
    }
    return true;
}

static int32_t argmax_word(const sa_real *logits, int words) {
    int32_t best = SA_UNK;
    for (int32_t word = 0; word < words; word++)
        if (word != SA_BOS && logits[word] > logits[best]) best = word;
    return best;
}

static bool decode_freely(free_run *run, const sa_sentence *targets, int count, double *log_p,
                          sa_error *error) {
    const int *order = run->ensemble.states[0].batch.source.order;
    const int few = sa_ensemble_logit_rows(&run->ensemble);
    memset(log_p, 0, sizeof *log_p * (size_t)count);
    for (int t = 0; t < run->longest; t++) {
        if (!sa_ensemble_step(&run->ensemble, t + 1, run->rows, count, error)) return false;
        for (int at = 0; at < count; at += few) {
            const int some = count - at < few ? count - at : few;
            const sa_mat logits = sa_ensemble_logits(&run->ensemble, run->index + at, some);
            for (int b = at; b < at + some; b++) {
                const sa_sentence *target = &targets[order[b]];
                const sa_real *row = sa_row(logits, b - at);
                if (t < target->len)
                    log_p[order[b]] += (double)row[sa_sentence_extended(target)[t]] -
                                       run->ensemble.log_sum_exp[b - at];
                run->rows[b].word = argmax_word(row, sa_ensemble_words(&run->ensemble, b));
            }
        }
    }
    return true;
}

bool sa_free_running(const sa_seq2seq *w, const sa_sentence *sources, const sa_sentence *targets,
                     int count, const sa_override *override, double *log_p, sa_error *error) {
    free_run run = {0};
    sa_arena arena = {0};
    const bool good = sa_ensemble_open(&run.ensemble, &w, 1, override, error) &&
                      open_free_run(&run, &arena, sources, targets, count, error) &&
                      decode_freely(&run, targets, count, log_p, error);
    sa_ensemble_release(&run.ensemble);
    sa_arena_release(&arena);
    return good;
}
