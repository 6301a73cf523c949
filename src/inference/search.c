#include "inference/search.h"
#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- How hypotheses are compared, and words sampled ------------------------------------------ */

/* Returns what log p of a hypothesis of `len` words is divided by. */
static double length_penalty(const sa_search *search, int len) {
    if (search->length_penalty == SA_LENGTH_PENALTY_NONE) return 1;
    const bool average = search->length_penalty == SA_LENGTH_PENALTY_AVERAGE;
    /* equation 14 of Wu et al. 2016 */
    return pow(average ? len : (5.0 + len) / 6, search->length_power);
}

/* Returns sum_j log(min(sum_i alpha_ij, 1)), from the sums over i [S] (Wu et al. 2016, equation
 * 14). */
static double coverage_penalty(const sa_real *sums, int S) {
    double penalty = 0;
    for (int j = 0; j < S; j++) {
        const double seen = (double)sums[j];
        if (seen < 1) penalty += log(seen > 1e-30 ? seen : 1e-30); /* not minus infinity */
    }
    return penalty;
}

/* Sorts the more likely first, NaN last, and ties by token id, so that the order does not depend on
 * qsort. */
static int by_log_p(const void *a, const void *b) {
    const sa_candidate *one = a, *other = b;
    const int order = (one->log_p < other->log_p || isnan(one->log_p)) -
                      (one->log_p > other->log_p || isnan(other->log_p));
    if (order) return order;
    return (one->word > other->word) - (one->word < other->word);
}

int sa_sample(sa_candidate *list, int count, double temperature, int top_k, double top_p,
              sa_rng *rng) {
    double sum = 0, mass = 0;
    int most = top_k && top_k < count ? top_k : count, last = 0;
    qsort(list, (size_t)count, sizeof *list, by_log_p);
    for (int i = 0; i < most; i++) sum += exp((list[i].log_p - list[0].log_p) / temperature);
    while (last < most && mass < top_p * sum)
        mass += exp((list[last++].log_p - list[0].log_p) / temperature);
    double left = sa_rng_uniform(rng) * mass;
    for (int i = 0; i < last; i++) {
        left -= exp((list[i].log_p - list[0].log_p) / temperature);
        if (left < 0) return i;
    }
    return last ? last - 1 : 0;
}

/* ---- The state of a search ------------------------------------------------------------------- */

/* One row of the decoder. Its words are found through the backpointers of the history. */
typedef struct live_hypothesis {
    sa_continuation at;
    int last; /* index of its last word in the history; -1 at the start */
    double log_p;
    sa_rng rng; /* sampling only */
} live_hypothesis;

typedef struct backpointer {
    int32_t word;
    int before; /* index of the word before */
} backpointer;

typedef struct search_state {
    const sa_search *search;
    sa_ensemble *ensemble;
    int beam, longest, steps; /* S of the longest source; the most words of an output */
    bool weights;             /* attention weights are stored */
    const int *source_len, *order;
    sa_outlines outlines; /* in the caller's order */
    sa_arena arena;
    live_hypothesis *live, *next; /* [rows] sentence after sentence */
    int live_count;
    int *first;  /* [B+1] the first row of each sentence, in the current step */
    int *counts; /* [B] continuations found for each sentence: next[b * beam ..], best first */
    int *picked; /* [logit rows] rows that wait for their logits */
    int waiting; /* how many */
    sa_candidate *candidates; /* [the most words] sampling only */
    int *unfinished;          /* [B] the size of the beam minus the finished hypotheses */
    sa_real *sums;            /* [longest] */
    backpointer *history;
    size_t history_count, history_capacity, step_weights_capacity;
    sa_real *step_weights; /* [history_count x longest] of each word of the history */
    sa_hypothesis *found;
} search_state;

/* Returns how many words are given of the output of sentence k, in the caller's order. */
static int given_words(const search_state *run, int k) {
    const int *lengths = run->outlines.lengths;
    const int words = run->outlines.prefixes ? run->outlines.prefixes[k].len - 1 : 0;
    return lengths && words >= lengths[k] ? lengths[k] - 1 : words;
}

/* Returns the largest number of words of the output of sentence k, whose source has S words; after
 * given words there is one more. */
static double longest_output(const search_state *run, int k, int S) {
    if (run->outlines.lengths) return run->outlines.lengths[k];
    return fmax(run->search->max_ratio * S + 10, given_words(run, k) + 1);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static void layout(search_state *run, sa_arena *arena, const sa_sentence *const *sources,
                   int count) {
    const size_t rows = (size_t)(count * run->beam);
    sa_ensemble_layout(arena, run->ensemble, sources, count, (int)rows, run->steps);
    const sa_batch_side *side = &run->ensemble->states[0].batch.source;
    run->source_len = side->len, run->order = side->order, run->longest = side->steps;
    run->live = sa_arena_alloc(arena, rows, sizeof *run->live);
    run->next = sa_arena_alloc(arena, rows, sizeof *run->next);
    run->first = sa_arena_alloc(arena, (size_t)count + 1, sizeof *run->first);
    run->counts = sa_arena_alloc(arena, (size_t)count, sizeof *run->counts);
    run->picked = sa_arena_alloc(arena, (size_t)run->ensemble->logit_rows, sizeof *run->picked);
    run->unfinished = sa_arena_alloc(arena, (size_t)count, sizeof *run->unfinished);
    run->sums = sa_arena_alloc(arena, (size_t)run->longest, sizeof *run->sums);
    const sa_decode_state *widest = &run->ensemble->states[run->ensemble->widest];
    const size_t drawn = run->search->sample ? (size_t)widest->logits.cols : 0;
    run->candidates = sa_arena_alloc(arena, drawn, sizeof *run->candidates);
}

/* Begins with one hypothesis for every sentence, or with one for each of its samples, which depend
 * only on the seed and the words of the sentence. */
static void begin(search_state *run, const sa_sentence *sources, int count) {
    const int each = run->search->sample ? run->search->nbest : 1;
    sa_ensemble_begin(run->ensemble);
    run->live_count = 0;
    for (int b = 0; b < count; b++) {
        const sa_sentence *source = &sources[run->order[b]];
        const uint64_t own =
            sa_hash((const char *)source->ids, sizeof *source->ids * (size_t)source->len);
        for (int k = 0; k < each; k++)
            run->live[run->live_count++] = (live_hypothesis){
                .at = {.sentence = b, .row = b, .word = SA_BOS},
                .last = -1,
                .rng = sa_rng_seed((uint64_t)run->search->seed, own + (uint64_t)k)};
        run->unfinished[b] = run->beam;
    }
}

/* ---- Continuations --------------------------------------------------------------------------- */

/* Returns whether a is better than b; NaN is worse than any number. Ties keep their order. */
static bool better(double a, double b) {
    return a > b || (isnan(b) && !isnan(a));
}

/* Inserts a candidate into best[0 .. *count-1], a sorted list of at most `capacity`. */
static void insert_candidate(live_hypothesis *best, int *count, int capacity,
                             live_hypothesis candidate) {
    if (*count == capacity && !better(candidate.log_p, best[capacity - 1].log_p)) return;
    int at = *count < capacity ? (*count)++ : capacity - 1;
    for (; at > 0 && better(candidate.log_p, best[at - 1].log_p); at--) best[at] = best[at - 1];
    best[at] = candidate;
}

/* Returns whether a word may be number `step` (from 0) of its sentence b. */
static bool allowed(const search_state *run, int32_t word, int b, int step) {
    const int k = run->order[b], *lengths = run->outlines.lengths;
    if (step < given_words(run, k))
        return word == sa_sentence_extended(&run->outlines.prefixes[k])[step];
    if (lengths && (word == SA_EOS) != (step + 1 == lengths[k])) return false;
    return word != SA_BOS && !(word == SA_UNK && run->search->no_unknown) &&
           !(word == SA_EOS && step < run->search->min_length && !lengths);
}

/* Returns a threshold: no logit up to it makes a continuation better than the worst of a full list.
 * It is lower by a margin for rounding; logits within the margin are compared one by one. Returns
 * NaN, so that all are compared, if the margin does not suffice or a number is NaN. */
static sa_real pruning_threshold(double log_p, double log_sum_exp, double worst) {
    const double least = worst - log_p + log_sum_exp;
    const sa_real threshold = (sa_real)(least - 1e-6 * fabs(least));
    return log_p + ((double)threshold - log_sum_exp) <= worst ? threshold : (sa_real)NAN;
}

/* Returns the first word from `word` on whose logit is above the threshold or NaN; `words` if there
 * is none. */
static int find_above(const sa_real *logits, const sa_real *most, int word, int words,
                      sa_real threshold) {
    while (most && word < words) {
        const int stretch = word / SA_VOCABULARY_STRETCH,
                  next = (stretch + 1) * SA_VOCABULARY_STRETCH, end = next < words ? next : words;
        if (!(most[stretch] <= threshold)) {
            word += sa_find_above(logits + word, end - word, threshold);
            if (word < end) return word;
        }
        word = end;
    }
    return word + sa_find_above(logits + word, words - word, threshold);
}

/* Adds the best continuations of live hypothesis l to the list of its sentence; row i has the
 * logits of l. */
static void continue_beam(search_state *run, sa_mat logits, int i, int step, int l) {
    const int b = run->live[l].at.sentence, capacity = run->unfinished[b];
    const int words = run->ensemble->words[b];
    live_hypothesis *best = run->next + (ptrdiff_t)b * run->beam, next = run->live[l];
    const sa_real *row = sa_row(logits, i),
                  *most = run->ensemble->bounded ? sa_row(run->ensemble->states->most, i) : NULL;
    const double log_p = run->live[l].log_p, log_sum_exp = run->ensemble->log_sum_exp[i];
    int *count = &run->counts[b];
    next.at.row = l;
    for (int32_t word = 0;; word++) {
        const sa_real threshold =
            *count < capacity ? (sa_real)NAN
                              : pruning_threshold(log_p, log_sum_exp, best[capacity - 1].log_p);
        word = find_above(row, most, word, words, threshold);
        if (word == words) break;
        if (!allowed(run, word, b, step)) continue;
        next.at.word = word;
        next.log_p = log_p + ((double)row[word] - log_sum_exp);
        insert_candidate(best, count, capacity, next);
    }
}

/* Continues the hypothesis with one sampled word. */
static void continue_sample(search_state *run, sa_mat logits, int i, int step, int l) {
    const sa_search *search = run->search;
    const int b = run->live[l].at.sentence, words = run->ensemble->words[b];
    const sa_real *row = sa_row(logits, i);
    int count = 0;
    for (int32_t word = 0; word < words; word++)
        if (allowed(run, word, b, step))
            run->candidates[count++] =
                (sa_candidate){word, (double)row[word] - run->ensemble->log_sum_exp[i]};
    live_hypothesis next = run->live[l];
    const int chosen = sa_sample(run->candidates, count, search->temperature, search->top_k,
                                 search->top_p, &next.rng);
    next.at.row = l;
    next.at.word = run->candidates[chosen].word;
    next.log_p += run->candidates[chosen].log_p;
    run->next[(ptrdiff_t)b * run->beam + run->counts[b]++] = next;
}

static void continue_picked(search_state *run, int step) {
    if (!run->waiting) return;
    const sa_mat logits = sa_ensemble_logits(run->ensemble, run->picked, run->waiting);
    for (int i = 0; i < run->waiting; i++)
        (run->search->sample ? continue_sample : continue_beam)(run, logits, i, step,
                                                                run->picked[i]);
    run->waiting = 0;
}

/* Returns whether a hypothesis is no better than the worst of a full list, which none of its
 * continuations can then enter. */
static bool is_hopeless(const search_state *run, int l) {
    const int b = run->live[l].at.sentence, capacity = run->unfinished[b];
    return !run->search->sample && run->ensemble->bounded && run->counts[b] == capacity &&
           !better(run->live[l].log_p, run->next[b * (ptrdiff_t)run->beam + capacity - 1].log_p);
}

/* If one product does not take all rows, computes the logits of a few at a time: of the best
 * hypothesis of every sentence, then of the second best; those that turn out to be hopeless need
 * none. */
static void continue_all(search_state *run, int step) {
    const int few = run->ensemble->logit_rows;
    int sentences = 0;
    for (int l = 0; l < run->live_count; l++) {
        const int b = run->live[l].at.sentence;
        if (!l || b != run->live[l - 1].at.sentence) run->first[sentences++] = l;
        run->counts[b] = 0;
    }
    run->first[sentences] = run->live_count;
    run->waiting = 0;
    if (run->live_count <= few) {
        for (int l = 0; l < run->live_count; l++) run->picked[run->waiting++] = l;
        continue_picked(run, step);
        return;
    }
    for (int k = 0; k < run->beam; k++)
        for (int at = 0; at < sentences; at++) {
            const int l = run->first[at] + k;
            if (l >= run->first[at + 1] || is_hopeless(run, l)) continue;
            run->picked[run->waiting++] = l;
            if (run->waiting == few) continue_picked(run, step);
        }
    continue_picked(run, step);
}

/* ---- Finished hypotheses --------------------------------------------------------------------- */

static void release(sa_hypothesis *hypothesis) {
    free(hypothesis->ids), free(hypothesis->weights);
    *hypothesis = (sa_hypothesis){0};
}

/* Inserts a translation into its sentence's list, best first, and frees the one that falls out. */
static void add_finished(search_state *run, int b, sa_hypothesis found) {
    const int capacity = run->search->nbest;
    sa_hypothesis *list = run->found + (ptrdiff_t)run->order[b] * capacity;
    int count = 0;
    while (count < capacity && list[count].ids) count++;
    if (count == capacity && !better(found.score, list[--count].score)) {
        release(&found);
        return;
    }
    release(&list[count]);
    for (; count > 0 && better(found.score, list[count - 1].score); count--)
        list[count] = list[count - 1];
    list[count] = found;
}

/* Fills in the words of a hypothesis, its attention weights [len x S] and its score, which may
 * depend on the sum of the weights. */
static bool finish_hypothesis(search_state *run, const live_hypothesis *end, bool complete,
                              sa_error *error) {
    const sa_search *search = run->search;
    const int b = end->at.sentence;
    const size_t S = (size_t)run->source_len[b];
    sa_hypothesis found = {.log_p = end->log_p, .complete = complete};
    for (int at = end->last; at >= 0; at = run->history[at].before) found.len++;
    found.ids = sa_new((size_t)found.len, sizeof *found.ids, error);
    if (run->weights) found.weights = sa_new((size_t)found.len * S, sizeof *found.weights, error);
    if (!found.ids || (run->weights && !found.weights)) {
        release(&found);
        return false;
    }
    memset(run->sums, 0, sizeof *run->sums * S);
    for (int at = end->last, t = found.len - 1; at >= 0; at = run->history[at].before, t--) {
        found.ids[t] = run->history[at].word;
        if (!run->weights) continue;
        const sa_real *row = run->step_weights + (size_t)at * (size_t)run->longest;
        memcpy(found.weights + (size_t)t * S, row, sizeof *row * S);
        sa_axpy(1, row, run->sums, (int)S);
    }
    const double covered = search->coverage > 0 ? coverage_penalty(run->sums, (int)S) : 0;
    found.score = end->log_p / length_penalty(search, found.len) + search->coverage * covered;
    add_finished(run, b, found);
    return true;
}

/* Appends the newest word of a hypothesis to the history. */
static bool append_word(search_state *run, live_hypothesis *h, sa_error *error) {
    const size_t S = (size_t)run->longest, here = run->history_count;
    if (!sa_reserve(&run->history, &run->history_capacity, here + 1, sizeof *run->history, error))
        return false;
    if (run->weights) {
        if (!sa_reserve(&run->step_weights, &run->step_weights_capacity, (here + 1) * S,
                        sizeof *run->step_weights, error))
            return false;
        memset(run->step_weights + here * S, 0, sizeof *run->step_weights * S);
        sa_ensemble_weights(run->ensemble, h->at.row, run->source_len[h->at.sentence],
                            run->step_weights + here * S);
    }
    run->history[run->history_count++] = (backpointer){h->at.word, h->last};
    h->last = (int)here;
    return true;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* Stores the continuations of each sentence that end; the others stay live. */
static bool advance(search_state *run, int step, sa_error *error) {
    for (int l = 0; l < run->live_count; l++) sa_ensemble_set(run->ensemble, l, run->live[l].at);
    if (!sa_ensemble_step(run->ensemble, step + 1, run->live_count, error)) return false;
    continue_all(run, step);
    int going = 0; /* never more than what is still to be read */
    for (int l = 0; l < run->live_count; l++) {
        const int b = run->live[l].at.sentence;
        const double longest = longest_output(run, run->order[b], run->source_len[b]);
        if (l && b == run->live[l - 1].at.sentence) continue;
        for (int i = 0; i < run->counts[b]; i++) {
            live_hypothesis h = run->next[(ptrdiff_t)b * run->beam + i];
            const bool ended = h.at.word == SA_EOS;
            if (!append_word(run, &h, error)) return false;
            run->unfinished[b] -= ended;
            if (!ended && step + 1 < longest)
                run->next[going++] = h;
            else if (!finish_hypothesis(run, &h, ended, error))
                return false;
        }
    }
    live_hypothesis *swap = run->live;
    run->live = run->next, run->next = swap;
    run->live_count = going;
    return true;
}

int sa_search_rows(const sa_search *search) {
    return search->sample ? search->nbest : search->beam;
}

/* search of paper/rnnsearch.c, generalized */
bool sa_search_batch(sa_ensemble *ensemble, const sa_sentence *const *sources, sa_outlines outlines,
                     int count, const sa_search *search, sa_hypothesis *found, sa_error *error) {
    const size_t all = (size_t)count * (size_t)search->nbest;
    search_state run = {.search = search,
                        .ensemble = ensemble,
                        .outlines = outlines,
                        .beam = sa_search_rows(search),
                        .weights = search->weights || search->coverage > 0,
                        .found = found};
    memset(found, 0, sizeof *found * all);
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, longest_output(&run, k, sources[0][k].len));
    run.steps = (int)ceil(most);
    bool good = sa_ensemble_check(ensemble, run.steps, error);
    if (good) layout(&run, &run.arena, sources, count); /* the dry run */
    good = good && sa_arena_init(&run.arena, run.arena.used, error);
    if (good) layout(&run, &run.arena, sources, count);
    if (good) begin(&run, sources[0], count);
    for (int step = 0; good && run.live_count; step++)
        good = !sa_stopping() && advance(&run, step, error);
    sa_arena_release(&run.arena);
    free(run.history);
    free(run.step_weights);
    for (size_t i = 0; !good && i < all; i++) release(&found[i]);
    return good;
}
