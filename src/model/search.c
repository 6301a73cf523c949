#include "model/search.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/vec.h"
#include "nn/embedding.h"
#include "nn/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A live hypothesis: one row of the decoder. Its words hang together backwards through the trail.
 */
typedef struct hypothesis {
    int sentence;
    int row; /* the decoder row of the step before, whose state it continues; sentence at the start
              */
    int32_t word; /* y_{i-1} */
    int last;     /* place of its last word in the trail; -1 at the start */
    double log_p;
} hypothesis;

/* A word, and the place in the trail of the one before it. */
typedef struct written {
    int32_t word;
    int before;
} written;

typedef struct searching {
    const sa_seq2seq *w;
    const sa_search *search;
    int beam, words;
    sa_arena arena;
    sa_batch batch;
    sa_encoder_cache encoder;
    sa_source source;
    sa_attention_scratch scratch;
    sa_decoder_rows rows; /* the running step */
    sa_state state;       /* s of the step before */
    sa_mat t;             /* t of the step before; input feeding only */
    sa_readout_cache readout;
    int32_t *inputs;         /* [rows] y_{i-1} */
    int *which;              /* [rows] sentence */
    hypothesis *live, *next; /* [rows] sentence after sentence */
    int live_count;
    int *open; /* [B] how many hypotheses a sentence may still keep */
    written *trail;
    size_t trail_count, trail_room;
    sa_found *found;
    int *found_count; /* [B] */
} searching;

/* ---- Rooms ----------------------------------------------------------------------------------- */

static void layout(searching *run, sa_arena *arena, const sa_sentence *sources, int count) {
    const sa_seq2seq *w = run->w;
    const sa_decoder_sizes *sizes = &w->decoder.sizes;
    const int rows = count * run->beam;
    run->batch = sa_batch_make(arena, sources, NULL, count);
    const int S = run->batch.source.steps;
    sa_encoder_layout(arena, &run->batch, &w->encoder, false, &run->encoder);
    sa_source_layout(arena, &w->decoder, count, run->encoder.first, run->encoder.annotations,
                     &run->source);
    run->scratch = sa_attention_scratch_layout(arena, &w->decoder.attention, S, false);
    run->rows = sa_decoder_rows_layout(arena, &w->decoder, rows, S);
    run->state = sa_state_take(arena, rows, sizes->n, sizes->cell->memory);
    run->t = sa_mat_take(arena, rows, sizes->feeding ? sizes->l : 0);
    sa_readout_layout(arena, rows, &w->decoder.readout, false, &run->readout);
    run->readout.logits = sa_mat_take(arena, rows, run->words); /* all rows at once */
    run->inputs = sa_arena_take(arena, (size_t)rows, sizeof *run->inputs);
    run->which = sa_arena_take(arena, (size_t)rows, sizeof *run->which);
    run->live = sa_arena_take(arena, (size_t)rows, sizeof *run->live);
    run->next = sa_arena_take(arena, (size_t)rows, sizeof *run->next);
    run->open = sa_arena_take(arena, (size_t)count, sizeof *run->open);
    run->found_count = sa_arena_take(arena, (size_t)count, sizeof *run->found_count);
}

static bool open_search(searching *run, const sa_sentence *sources, int count, sa_error *error) {
    sa_arena dry = {0};
    layout(run, &dry, sources, count);
    if (!sa_arena_init(&run->arena, dry.used, error)) return false;
    layout(run, &run->arena, sources, count);
    return true;
}

/* ---- One step -------------------------------------------------------------------------------- */

static void encode(searching *run) {
    sa_encoder_forward(&run->w->encoder, &run->batch, 0, NULL, &run->encoder);
    sa_source_forward(&run->w->decoder, &run->encoder, &run->source);
    for (int b = 0; b < run->batch.source.sentences; b++) {
        run->live[b] = (hypothesis){.sentence = b, .row = b, .word = SA_START, .last = -1};
        run->open[b] = run->beam;
        run->found_count[b] = 0;
    }
    run->live_count = run->batch.source.sentences;
    sa_state_copy(run->source.s0, sa_state_rows(run->state, 0, run->live_count));
    sa_zero(run->t); /* t_0 = 0 */
}

/* What every live hypothesis continues: its word, its state, and with input feeding its t. */
static void recall(searching *run, sa_decoder_rows rows) {
    const sa_decoder *d = &run->w->decoder;
    const int m = d->sizes.m;
    for (int l = 0; l < run->live_count; l++) {
        const int row = run->live[l].row;
        run->inputs[l] = run->live[l].word;
        run->which[l] = run->live[l].sentence;
        sa_state_copy(sa_state_rows(run->state, row, 1), sa_state_rows(rows.previous, l, 1));
        sa_copy_mat(sa_rows(run->t, row, 1),
                    sa_cols(sa_rows(rows.input, l, 1), m, rows.input.cols - m));
    }
    sa_embedding_forward(d->E, run->inputs, sa_decoder_word(d, rows.input));
}

/* log p of every word for every live hypothesis, in readout.logits; s_i in rows.s. */
static sa_mat advance(searching *run, int i) {
    const sa_decoder *d = &run->w->decoder;
    const int L = run->live_count;
    const sa_step step = {&run->source, run->which, i, run->scratch, {0}};
    sa_decoder_rows rows = sa_decoder_rows_slice(run->rows, 0, L);
    sa_readout_cache out = sa_readout_slice(&run->readout, 0, L);
    recall(run, rows);
    sa_decoder_step_forward(d, &step, rows, 0, NULL, &out);
    sa_state_copy(rows.s, sa_state_rows(run->state, 0, L));
    if (run->t.cols) sa_copy_mat(out.t, sa_rows(run->t, 0, L));
    sa_mat logits = sa_rows(out.logits, 0, L);
    sa_linear_forward(d->readout.W_o, d->readout.b_y, out.t, logits);
    return logits;
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* NaN is worse than everything; equal ones keep the order they were met in. */
static bool better(double a, double b) {
    return a > b || (isnan(b) && !isnan(a));
}

/* Puts a candidate into the falling list best[0 .. *count-1] of at most `room`. */
static void offer(hypothesis *best, int *count, int room, hypothesis candidate) {
    if (*count == room && !better(candidate.log_p, best[room - 1].log_p)) return;
    int at = *count < room ? (*count)++ : room - 1;
    for (; at > 0 && better(candidate.log_p, best[at - 1].log_p); at--) best[at] = best[at - 1];
    best[at] = candidate;
}

/* The best `open` continuations of the live hypotheses first .. last-1, all of one sentence. */
static int continue_sentence(searching *run, sa_mat logits, int first, int last, hypothesis *best) {
    const int room = run->open[run->live[first].sentence];
    int count = 0;
    for (int l = first; l < last; l++) {
        const sa_real *row = sa_row(logits, l);
        const double norm = sa_log_sum_exp(row, run->words);
        hypothesis next = run->live[l];
        next.row = l;
        for (int32_t word = 0; word < run->words; word++) {
            if (word == SA_START || (word == SA_UNKNOWN && run->search->no_unknown)) continue;
            next.word = word;
            next.log_p = run->live[l].log_p + ((double)row[word] - norm);
            if (count < room || better(next.log_p, best[room - 1].log_p))
                offer(best, &count, room, next);
        }
    }
    return count;
}

/* ---- Finished hypotheses --------------------------------------------------------------------- */

static double score_of(const searching *run, double log_p, int len) {
    return log_p / pow(len, run->search->length_power);
}

/* Puts a hypothesis that ends here among the sentence's translations, best first. */
static bool keep(searching *run, const hypothesis *end, bool complete, sa_error *error) {
    const int b = end->sentence, room = run->search->nbest;
    int len = 0;
    for (int at = end->last; at >= 0; at = run->trail[at].before) len++;
    sa_found found = {.len = len, .log_p = end->log_p, .complete = complete};
    found.score = score_of(run, end->log_p, len ? len : 1);
    sa_found *list = run->found + (ptrdiff_t)run->batch.source.order[b] * room;
    int count = run->found_count[b];
    if (count == room && !better(found.score, list[room - 1].score)) return true;
    found.ids = sa_new((size_t)len, sizeof *found.ids, error);
    if (!found.ids) return false;
    for (int at = end->last; at >= 0; at = run->trail[at].before)
        found.ids[--len] = run->trail[at].word;
    if (count == room)
        free(list[room - 1].ids);
    else
        run->found_count[b] = ++count;
    int at = count - 1;
    for (; at > 0 && better(found.score, list[at - 1].score); at--) list[at] = list[at - 1];
    list[at] = found;
    return true;
}

static bool write_word(searching *run, hypothesis *h, sa_error *error) {
    if (!sa_reserve(&run->trail, &run->trail_room, run->trail_count + 1, sizeof *run->trail, error))
        return false;
    run->trail[run->trail_count] = (written){h->word, h->last};
    h->last = (int)run->trail_count++;
    return true;
}

/* From the words' scores to the next step's hypotheses; those that ended are kept. */
static bool choose(searching *run, sa_mat logits, int step, sa_error *error) {
    int next_count = 0;
    for (int first = 0, last; first < run->live_count; first = last) {
        const int b = run->live[first].sentence;
        for (last = first; last < run->live_count && run->live[last].sentence == b;) last++;
        hypothesis *best = run->next + next_count;
        const int count = continue_sentence(run, logits, first, last, best);
        const double longest = run->search->max_ratio * run->batch.source.len[b] + 10;
        int going = 0;
        for (int i = 0; i < count; i++) {
            hypothesis h = best[i];
            const bool ended = h.word == SA_END;
            if (!write_word(run, &h, error)) return false;
            if (ended) run->open[b]--;
            if (ended || step + 1 >= longest) {
                if (!keep(run, &h, ended, error)) return false;
            } else {
                best[going++] = h;
            }
        }
        next_count += going;
    }
    hypothesis *swap = run->live;
    run->live = run->next, run->next = swap;
    run->live_count = next_count;
    return true;
}

bool sa_search_batch(const sa_seq2seq *w, const sa_sentence *sources, int count,
                     const sa_search *search, sa_found *found, sa_error *error) {
    searching run = {.w = w,
                     .search = search,
                     .beam = search->beam,
                     .words = w->decoder.readout.W_o.rows,
                     .found = found};
    memset(found, 0, sizeof *found * (size_t)count * (size_t)search->nbest);
    bool good = open_search(&run, sources, count, error);
    if (good) encode(&run);
    for (int step = 0; good && run.live_count; step++)
        good = choose(&run, advance(&run, step + 1), step, error);
    sa_arena_release(&run.arena);
    free(run.trail);
    if (!good)
        for (ptrdiff_t i = 0; i < (ptrdiff_t)count * search->nbest; i++)
            free(found[i].ids), found[i].ids = NULL;
    return good;
}
