#include "model/freerun.h"
#include "model/ensemble.h"

typedef struct running {
    sa_ensemble ensemble;
    sa_continued *rows; /* [count] */
} running;

static void layout(running *run, sa_arena *arena, const sa_sentence *sources, int count,
                   int longest) {
    sa_ensemble_layout(arena, &run->ensemble, &sources, count, count, longest);
    run->rows = sa_arena_take(arena, (size_t)count, sizeof *run->rows);
}

static int32_t likeliest(const sa_real *logits, int words) {
    int32_t best = SA_UNKNOWN;
    for (int32_t word = 0; word < words; word++)
        if (word != SA_START && logits[word] > logits[best]) best = word;
    return best;
}

/* Step by step, each word judged and the likeliest written in its place. */
static bool write_freely(running *run, const sa_sentence *targets, int count, int longest,
                         double *log_p, sa_error *error) {
    const int *order = run->ensemble.voice[0].batch.source.order;
    for (int t = 0; t < longest; t++) {
        sa_mat logits;
        if (!sa_ensemble_step(&run->ensemble, t + 1, run->rows, count, &logits, error))
            return false;
        for (int b = 0; b < count; b++) {
            const sa_sentence *target = &targets[order[b]];
            const sa_real *row = sa_row(logits, b);
            if (t < target->len)
                log_p[order[b]] += (double)row[target->ids[t]] - run->ensemble.norm[b];
            run->rows[b].word = likeliest(row, logits.cols);
        }
    }
    return true;
}

bool sa_free_running(const sa_seq2seq *w, const sa_sentence *sources, const sa_sentence *targets,
                     int count, const sa_override *override, double *log_p, sa_error *error) {
    running run = {.ensemble = {.count = 1, .voice = {{.w = w}}, .override = override}};
    sa_arena arena = {0};
    int longest = 0;
    for (int b = 0; b < count; b++)
        if (targets[b].len > longest) longest = targets[b].len;
    layout(&run, &arena, sources, count, longest);
    if (!sa_arena_init(&arena, arena.used, error)) return false;
    layout(&run, &arena, sources, count, longest);
    sa_ensemble_start(&run.ensemble);
    for (int b = 0; b < count; b++) {
        run.rows[b] = (sa_continued){.sentence = b, .row = b, .word = SA_START};
        log_p[b] = 0;
    }
    const bool good = write_freely(&run, targets, count, longest, log_p, error);
    sa_ensemble_release(&run.ensemble);
    sa_arena_release(&arena);
    return good;
}
