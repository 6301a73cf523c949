#include "decoding/search.h"
#include "base/memory.h"
#include "decoding/ranking.h"
#include "tensor/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A live hypothesis: one row of the decoder. Its words hang together backwards through the trail.
 */
typedef struct hypothesis {
    sa_continued at;
    int last; /* place of its last word in the trail; -1 at the start */
    double log_p;
    sa_rng rng; /* sampling only */
} hypothesis;

/* A word, and the place in the trail of the one before it. */
typedef struct written {
    int32_t word;
    int before;
} written;

typedef struct searching {
    const sa_search *search;
    int beam, words, longest; /* S of the longest source */
    bool weights;             /* where hypotheses looked is kept */
    const int *source_len, *order;
    sa_arena arena;
    sa_ensemble ensemble;
    hypothesis *live, *next; /* [rows] sentence after sentence */
    int live_count;
    sa_continued *continued;  /* [rows] */
    sa_candidate *candidates; /* [words] sampling only */
    int *open;                /* [B] how many hypotheses a sentence may still keep */
    sa_real *sums;            /* [longest] */
    written *trail;
    size_t trail_count, trail_room, looked_room;
    sa_real *looked; /* [trail_count * longest] where each word of the trail looked */
    sa_found *found;
    int *found_count; /* [B] */
} searching;

/* The most words of an output, for a source of S words. */
static double longest_output(const sa_search *search, int S) {
    return search->max_ratio * S + 10;
}

/* ---- Rooms ----------------------------------------------------------------------------------- */

static void layout(searching *run, sa_arena *arena, const sa_sentence *const *sources, int count) {
    const size_t rows = (size_t)(count * run->beam);
    int longest = 0;
    for (int b = 0; b < count; b++)
        if (sources[0][b].len > longest) longest = sources[0][b].len;
    sa_ensemble_layout(arena, &run->ensemble, sources, count, (int)rows,
                       (int)ceil(longest_output(run->search, longest)));
    const sa_side *side = &run->ensemble.voice[0].batch.source;
    run->source_len = side->len, run->order = side->order, run->longest = side->steps;
    run->live = sa_arena_take(arena, rows, sizeof *run->live);
    run->next = sa_arena_take(arena, rows, sizeof *run->next);
    run->continued = sa_arena_take(arena, rows, sizeof *run->continued);
    run->open = sa_arena_take(arena, (size_t)count, sizeof *run->open);
    run->sums = sa_arena_take(arena, (size_t)run->longest, sizeof *run->sums);
    run->found_count = sa_arena_take(arena, (size_t)count, sizeof *run->found_count);
    const size_t drawn = run->search->sample ? (size_t)run->words : 0;
    run->candidates = sa_arena_take(arena, drawn, sizeof *run->candidates);
}

static bool open_search(searching *run, const sa_sentence *const *sources, int count,
                        sa_error *error) {
    sa_arena dry = {0};
    layout(run, &dry, sources, count);
    if (!sa_arena_init(&run->arena, dry.used, error)) return false;
    layout(run, &run->arena, sources, count);
    return true;
}

/* One hypothesis for every sentence, or as many as are drawn of it. A sentence's samples depend on
 * the seed and its words alone. */
static void start(searching *run, const sa_sentence *sources, int count) {
    const int each = run->search->sample ? run->search->nbest : 1;
    sa_ensemble_start(&run->ensemble);
    run->live_count = 0;
    for (int b = 0; b < count; b++) {
        const sa_sentence *source = &sources[run->order[b]];
        const uint64_t own =
            sa_hash((const char *)source->ids, sizeof *source->ids * (size_t)source->len);
        for (int k = 0; k < each; k++)
            run->live[run->live_count++] =
                (hypothesis){.at = {.sentence = b, .row = b, .word = SA_START},
                             .last = -1,
                             .rng = sa_rng_seed((uint64_t)run->search->seed, own + (uint64_t)k)};
        run->open[b] = run->beam;
        run->found_count[b] = 0;
    }
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

/* Whether a word may come next, as number `step` (from 0) of its sentence. */
static bool allowed(const searching *run, int32_t word, int step) {
    return word != SA_START && !(word == SA_UNKNOWN && run->search->no_unknown) &&
           !(word == SA_END && step < run->search->min_length);
}

/* No logit up to this makes a continuation better than the worst of a full list. A little low, for
 * a float is rounded: the few logits in between are compared one by one. NaN, so that all are,
 * where rounding is larger than that margin or a number is NaN. */
static sa_real bar_of(double log_p, double norm, double worst) {
    const double least = worst - log_p + norm;
    const sa_real bar = (sa_real)(least - 1e-6 * fabs(least));
    return log_p + ((double)bar - norm) <= worst ? bar : (sa_real)NAN;
}

/* The best `open` continuations of the live hypotheses first .. last-1, all of one sentence. */
static int continue_beam(searching *run, sa_mat logits, int step, int first, int last,
                         hypothesis *best) {
    const int room = run->open[run->live[first].at.sentence], words = run->words;
    int count = 0;
    for (int l = first; l < last; l++) {
        const sa_real *row = sa_row(logits, l);
        const double log_p = run->live[l].log_p, norm = run->ensemble.norm[l];
        hypothesis next = run->live[l];
        next.at.row = l;
        for (int32_t word = 0;; word++) {
            const sa_real bar =
                count < room ? (sa_real)NAN : bar_of(log_p, norm, best[room - 1].log_p);
            word += sa_first_above(row + word, words - word, bar);
            if (word == words) break;
            if (!allowed(run, word, step)) continue;
            next.at.word = word;
            next.log_p = log_p + ((double)row[word] - norm);
            offer(best, &count, room, next);
        }
    }
    return count;
}

/* One word drawn for each of them. */
static int continue_samples(searching *run, sa_mat logits, int step, int first, int last,
                            hypothesis *drawn) {
    const sa_search *search = run->search;
    for (int l = first; l < last; l++) {
        const sa_real *row = sa_row(logits, l);
        int count = 0;
        for (int32_t word = 0; word < run->words; word++)
            if (allowed(run, word, step))
                run->candidates[count++] =
                    (sa_candidate){word, (double)row[word] - run->ensemble.norm[l]};
        hypothesis next = run->live[l];
        const int place = sa_sample(run->candidates, count, search->temperature, search->top_k,
                                    search->top_p, &next.rng);
        next.at.row = l;
        next.at.word = run->candidates[place].word;
        next.log_p += run->candidates[place].log_p;
        drawn[l - first] = next;
    }
    return last - first;
}

/* ---- Finished hypotheses --------------------------------------------------------------------- */

/* Where the hypothesis looked, all its steps: rows of `longest` become rows of S; and their sums.
 */
static sa_real *gather_weights(searching *run, const hypothesis *end, int len, int S,
                               sa_error *error) {
    sa_real *weights = sa_new((size_t)len * (size_t)S, sizeof *weights, error);
    memset(run->sums, 0, sizeof *run->sums * (size_t)S);
    for (int at = end->last; weights && at >= 0; at = run->trail[at].before) {
        const sa_real *row = run->looked + (size_t)at * (size_t)run->longest;
        memcpy(weights + (size_t)--len * (size_t)S, row, sizeof *row * (size_t)S);
        sa_axpy(1, row, run->sums, S);
    }
    return weights;
}

static double score_of(const searching *run, double log_p, int len, int S) {
    const sa_search *search = run->search;
    const double divisor = sa_normalizers[search->normalize].divisor(len, search->length_power);
    const double covered = search->coverage > 0 ? sa_coverage(run->sums, S) : 0;
    return log_p / divisor + search->coverage * covered;
}

/* Puts a translation into its sentence's list, best first; what falls out is freed. */
static void enlist(searching *run, int b, sa_found found) {
    const int room = run->search->nbest;
    sa_found *list = run->found + (ptrdiff_t)run->order[b] * room;
    int count = run->found_count[b];
    if (count == room && !better(found.score, list[room - 1].score)) {
        free(found.ids), free(found.weights);
        return;
    }
    if (count == room)
        free(list[room - 1].ids), free(list[room - 1].weights);
    else
        run->found_count[b] = ++count;
    int at = count - 1;
    for (; at > 0 && better(found.score, list[at - 1].score); at--) list[at] = list[at - 1];
    list[at] = found;
}

/* Puts a hypothesis that ends here among the sentence's translations. */
static bool keep(searching *run, const hypothesis *end, bool complete, sa_error *error) {
    const int b = end->at.sentence, S = run->source_len[b];
    sa_found found = {.log_p = end->log_p, .complete = complete};
    for (int at = end->last; at >= 0; at = run->trail[at].before) found.len++;
    found.ids = sa_new((size_t)found.len, sizeof *found.ids, error);
    if (!found.ids) return false;
    int place = found.len;
    for (int at = end->last; at >= 0; at = run->trail[at].before)
        found.ids[--place] = run->trail[at].word;
    if (run->weights && !(found.weights = gather_weights(run, end, found.len, S, error))) {
        free(found.ids);
        return false;
    }
    found.score = score_of(run, end->log_p, found.len, S);
    enlist(run, b, found);
    return true;
}

static bool write_word(searching *run, hypothesis *h, sa_error *error) {
    const size_t S = (size_t)run->longest, here = run->trail_count;
    if (!sa_reserve(&run->trail, &run->trail_room, here + 1, sizeof *run->trail, error))
        return false;
    if (run->weights) {
        if (!sa_reserve(&run->looked, &run->looked_room, (here + 1) * S, sizeof *run->looked,
                        error))
            return false;
        memset(run->looked + here * S, 0, sizeof *run->looked * S);
        sa_ensemble_weights(&run->ensemble, h->at.row, run->source_len[h->at.sentence],
                            run->looked + here * S);
    }
    run->trail[run->trail_count++] = (written){h->at.word, h->last};
    h->last = (int)here;
    return true;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* The continuations of one sentence: those that ended are kept, the others live on in best. */
static bool settle(searching *run, hypothesis *best, int count, int step, int *going,
                   sa_error *error) {
    *going = 0;
    for (int i = 0; i < count; i++) {
        hypothesis h = best[i];
        const int b = h.at.sentence;
        const bool ended = h.at.word == SA_END;
        const double longest = longest_output(run->search, run->source_len[b]);
        if (!write_word(run, &h, error)) return false;
        if (ended) run->open[b]--;
        if (ended || step + 1 >= longest) {
            if (!keep(run, &h, ended, error)) return false;
        } else {
            best[(*going)++] = h;
        }
    }
    return true;
}

/* From the words' scores to the next step's hypotheses. */
static bool choose(searching *run, sa_mat logits, int step, sa_error *error) {
    int next_count = 0;
    for (int first = 0, last; first < run->live_count; first = last) {
        const int b = run->live[first].at.sentence;
        int going;
        for (last = first; last < run->live_count && run->live[last].at.sentence == b;) last++;
        hypothesis *best = run->next + next_count;
        const int count = run->search->sample
                              ? continue_samples(run, logits, step, first, last, best)
                              : continue_beam(run, logits, step, first, last, best);
        if (!settle(run, best, count, step, &going, error)) return false;
        next_count += going;
    }
    hypothesis *swap = run->live;
    run->live = run->next, run->next = swap;
    run->live_count = next_count;
    return true;
}

static bool advance(searching *run, int step, sa_error *error) {
    sa_mat logits;
    for (int l = 0; l < run->live_count; l++) run->continued[l] = run->live[l].at;
    return sa_ensemble_step(&run->ensemble, step + 1, run->continued, run->live_count, &logits,
                            error) &&
           choose(run, logits, step, error);
}

int sa_search_rows(const sa_search *search) {
    return search->sample ? search->nbest : search->beam;
}

bool sa_search_batch(const sa_seq2seq *const *w, int models, const sa_sentence *const *sources,
                     int count, const sa_search *search, const sa_override *override,
                     sa_found *found, sa_error *error) {
    const size_t all = (size_t)count * (size_t)search->nbest;
    searching run = {.search = search,
                     .beam = sa_search_rows(search),
                     .words = sa_seq2seq_words(w[0]),
                     .weights = search->weights || search->coverage > 0,
                     .found = found};
    memset(found, 0, sizeof *found * all);
    bool good = sa_ensemble_open(&run.ensemble, w, models, override, error) &&
                open_search(&run, sources, count, error);
    if (good) start(&run, sources[0], count);
    for (int step = 0; good && run.live_count; step++) good = advance(&run, step, error);
    sa_ensemble_release(&run.ensemble);
    sa_arena_release(&run.arena);
    free(run.trail);
    free(run.looked);
    for (size_t i = 0; !good && i < all; i++) {
        free(found[i].ids), free(found[i].weights);
        found[i] = (sa_found){0};
    }
    return good;
}
