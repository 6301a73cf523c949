/* Learns by Gibbs sampling how words, jumps and fertilities explain the target words, and aligns by
 * the mean of several samplers: the equations stand in fertility.h. */
#include "aligner/fertility.h"
#include "base/memory.h"
#include "base/thread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BACK = SA_GIBBS_JUMPS / 2 - 1 }; /* the farthest jump back with a count of its own */
enum { NEW_PASSES = 12 };               /* over a new pair, a third for each stage */

#define SMALLEST 1e-100 /* of the fertilities drawn: none is 0, since they divide each other */

/* ---- A link ---------------------------------------------------------------------------------- */

static int jump_of(int d) {
    return d < -BACK ? 0 : d + BACK < SA_GIBBS_JUMPS ? d + BACK : SA_GIBBS_JUMPS - 1;
}

static void count_jump(sa_gibbs *s, int d, int sign) {
    s->jump[jump_of(d)] += sign;
    s->jumps += sign;
}

void sa_gibbs_count(sa_gibbs *s, const sa_gibbs_pair *x, int j, int left, int right, int sign) {
    const int i = s->link[x->first + (size_t)j];
    s->links[x->entry[(size_t)j * (size_t)(x->I + 1) + (size_t)i]] += (uint32_t)sign;
    s->total[x->e[i]] += sign;
    count_jump(s, (i < x->I ? i + 1 : right) - left, sign);
    if (i < x->I) count_jump(s, right - i - 1, sign);
}

/* Returns F_e(phi). */
static double ratio(const double *fertility, int phi) {
    return phi + 1 < SA_GIBBS_FERTILITIES ? fertility[phi] / fertility[phi - 1] : SA_GIBBS_UNLIKELY;
}

double sa_gibbs_weigh(const sa_gibbs *s, const sa_gibbs_pair *x, int j, int left, int right,
                      double *prior) {
    const uint32_t *entry = x->entry + (size_t)j * (size_t)(x->I + 1);
    double sum = 0, all = 0;
    for (int i = 0; i <= x->I; i++) {
        double w = i < x->I ? 1 : SA_GIBBS_NULL;
        if (s->stage && i < x->I)
            w = s->jump[jump_of(i + 1 - left)] * s->jump[jump_of(right - i - 1)];
        else if (s->stage)
            w *= s->jumps * s->jump[jump_of(right - left)];
        if (s->stage == SA_GIBBS_FERTILITY && i < x->I)
            w *= ratio(s->fertility[x->e[i]], s->phi[i] + 1);
        all += w;
        sum += s->weight[i] = w * (s->links[entry[i]] + SA_GIBBS_PRIOR) / s->total[x->e[i]];
    }
    *prior = all;
    return sum;
}

/* ---- A pair ---------------------------------------------------------------------------------- */

/* Returns the position from 1 of the next word on the right that has a link, or I + 1. */
static int next_link(const sa_gibbs_pair *x, const int *link, int j) {
    while (++j < x->J)
        if (link[j] < x->I) return link[j] + 1;
    return x->I + 1;
}

/* Counts the links of each source word of the pair. */
static void count_links(const sa_gibbs_pair *x, sa_gibbs *s) {
    memset(s->phi, 0, ((size_t)x->I + 1) * sizeof *s->phi);
    for (int j = 0; j < x->J; j++) s->phi[s->link[x->first + (size_t)j]]++;
}

void sa_gibbs_visit(sa_gibbs *s, const sa_gibbs_pair *x, bool learns, double share, float *p) {
    int *link = s->link + x->first;
    count_links(x, s);
    for (int j = 0, left = 0; j < x->J; j++) {
        const int right = next_link(x, link, j);
        int i = 0;
        double prior;
        if (learns) sa_gibbs_count(s, x, j, left, right, -1);
        s->phi[link[j]]--;
        const double sum = sa_gibbs_weigh(s, x, j, left, right, &prior);
        for (double rest = sa_rng_uniform(&s->rng) * sum; i < x->I; i++)
            if ((rest -= s->weight[i]) < 0) break;
        link[j] = i;
        s->phi[i]++;
        if (learns) sa_gibbs_count(s, x, j, left, right, 1);
        if (i < x->I) left = i + 1;
        s->log_p += log(sum / prior);
        for (int k = 0; p && k <= x->I; k++) *p++ += (float)(share * s->weight[k] / sum);
        if (p) *p++ += (float)(share * log(sum / prior));
    }
}

/* ---- A pass ---------------------------------------------------------------------------------- */

typedef struct sa_fertility {
    sa_gibbs *sampler;
    int samplers;
    uint64_t seed;
    sa_gibbs_pair *pair; /* [count] ascending by their keys */
    size_t count, words; /* words: of all targets */
    uint32_t *entry;     /* of all cells, while it learns */
    float *p;            /* the means of the samplers' conditionals and log p */
    int32_t sources;
    sa_gibbs_stage stage;
    bool first, last; /* pass of the stage; of all */
} sa_fertility;

static float *p_of(const sa_fertility *all, const sa_gibbs_pair *x) {
    return all->p + (x->entry - all->entry) + x->first;
}

/* Draws all links at random, as the start, and counts their words. */
static void start(const sa_fertility *all, sa_gibbs *s) {
    for (const sa_gibbs_pair *x = all->pair; x < all->pair + all->count; x++)
        for (int j = 0; j < x->J; j++) {
            const bool null = !x->I || sa_rng_uniform(&s->rng) < SA_GIBBS_NULL;
            s->link[x->first + (size_t)j] =
                null ? x->I : (int)sa_rng_below(&s->rng, (uint32_t)x->I);
            sa_gibbs_count(s, x, j, 0, 0, 1);
        }
}

/* Counts all jumps anew: since a link that is taken away leaves its neighbors without one, the
 * counts drift. */
static void count_jumps(const sa_fertility *all, sa_gibbs *s) {
    for (int d = 0; d < SA_GIBBS_JUMPS; d++) s->jump[d] = 0.5;
    s->jumps = 0.5 * SA_GIBBS_JUMPS;
    for (const sa_gibbs_pair *x = all->pair; x < all->pair + all->count; x++)
        for (int j = -1, at = 0, next; at <= x->I; j++, at = next) {
            next = next_link(x, s->link + x->first, j);
            count_jump(s, next - at, 1);
        }
}

/* Draws P_e(x) of each source word, up to a factor, from Dirichlet(n_e(x) + 1/2). */
static void draw_fertilities(const sa_fertility *all, sa_gibbs *s) {
    for (int32_t e = 0; e < all->sources; e++)
        for (int phi = 0; phi < SA_GIBBS_FERTILITIES; phi++) s->fertility[e][phi] = 0.5;
    for (const sa_gibbs_pair *x = all->pair; x < all->pair + all->count; x++) {
        count_links(x, s);
        for (int i = 0; i < x->I; i++)
            if (s->phi[i] < SA_GIBBS_FERTILITIES) s->fertility[x->e[i]][s->phi[i]]++;
    }
    for (int32_t e = 0; e < all->sources; e++)
        for (int phi = 0; phi < SA_GIBBS_FERTILITIES; phi++)
            s->fertility[e][phi] = fmax(sa_rng_gamma(&s->rng, s->fertility[e][phi]), SMALLEST);
}

/* Runs a pass of a sampler; the last one adds its conditionals to the mean. */
static void run_pass(void *context, int task) {
    const sa_fertility *all = context;
    sa_gibbs *s = &all->sampler[task];
    if (all->first && !all->stage) start(all, s);
    if (all->first) count_jumps(all, s);
    s->stage = all->stage;
    if (s->stage == SA_GIBBS_FERTILITY) draw_fertilities(all, s);
    s->log_p = 0;
    for (const sa_gibbs_pair *x = all->pair; x < all->pair + all->count; x++)
        sa_gibbs_visit(s, x, true, 1.0 / all->samplers, all->last ? p_of(all, x) : NULL);
}

/* ---- Learning -------------------------------------------------------------------------------- */

static sa_gibbs_pair pair_of(const sa_sentence *source, const sa_sentence *target) {
    const size_t size = sizeof *source->ids;
    const uint64_t key = sa_hash_add(SA_HASH_START, source->ids, (uint64_t)source->len * size);
    return (sa_gibbs_pair){.key = sa_hash_add(key, target->ids, (uint64_t)target->len * size),
                           .e = source->ids,
                           .I = source->len - 1,
                           .J = target->len - 1};
}

/* Fills in the entries of a pair's cells. */
static void find_entries(const sa_lexicon *lexicon, const sa_gibbs_pair *x, const int32_t *f) {
    for (int j = 0; j < x->J; j++)
        for (int i = 0; i <= x->I; i++)
            x->entry[j * (x->I + 1) + i] = (uint32_t)sa_lexicon_find(lexicon, x->e[i], f[j]);
}

/* Lists the pairs and finds the entries of all cells. */
static bool list_pairs(sa_fertility *all, const sa_lexicon *lexicon, const sa_aligner_pairs *from,
                       sa_error *error) {
    size_t cells = 0;
    for (size_t p = 0; p < from->count; p++)
        if (from->source[p].ids && from->target[p].ids)
            cells += (size_t)from->source[p].len * (size_t)(from->target[p].len - 1);
    all->pair = sa_new(from->count, sizeof *all->pair, error);
    all->entry = all->pair ? sa_new(cells, sizeof *all->entry, error) : NULL;
    uint32_t *entry = all->entry;
    for (size_t p = 0; entry && p < from->count; p++) {
        if (!from->source[p].ids || !from->target[p].ids) continue;
        sa_gibbs_pair *x = &all->pair[all->count++];
        *x = pair_of(&from->source[p], &from->target[p]);
        x->entry = entry, x->first = all->words;
        find_entries(lexicon, x, from->target[p].ids);
        entry += x->J * (x->I + 1), all->words += (size_t)x->J;
    }
    all->p = all->entry ? sa_new(cells + all->words, sizeof *all->p, error) : NULL;
    if (all->p) qsort(all->pair, all->count, sizeof *all->pair, sa_keys_compare);
    return all->p;
}

static bool open_sampler(const sa_fertility *all, sa_gibbs *s, const sa_lexicon *lexicon,
                         double base, sa_error *error) {
    const size_t sources = (size_t)all->sources;
    int most = 0;
    for (size_t p = 0; p < all->count; p++)
        if (all->pair[p].I > most) most = all->pair[p].I;
    s->rng = sa_rng_seed(all->seed, (uint64_t)(s - all->sampler));
    s->links = sa_new(lexicon->row[sources] + 1, sizeof *s->links, error);
    s->total = s->links ? sa_new(sources, sizeof *s->total, error) : NULL;
    s->fertility = s->total ? sa_new(sources, sizeof *s->fertility, error) : NULL;
    s->link = s->fertility ? sa_new(all->words, sizeof *s->link, error) : NULL;
    s->weight = s->link ? sa_new((size_t)most + 1, sizeof *s->weight, error) : NULL;
    s->phi = s->weight ? sa_new((size_t)most + 1, sizeof *s->phi, error) : NULL;
    for (size_t e = 0; s->phi && e < sources; e++)
        s->total[e] = lexicon->row[e] < lexicon->row[e + 1] ? base : INFINITY;
    return s->phi;
}

/* Returns the passes, those of each stage a quarter of those of the last. */
static int passes_of(const sa_aligner_options *options, size_t pairs) {
    const double last = fmin(fmax(options->iterations * 1000 / sqrt((double)pairs), 2), 1e6);
    return (int)last + 2 * (int)fmax(last / 4, 1);
}

/* Runs all passes, all samplers side by side, so that every number of threads gives the same; the
 * last pass runs them one by one. */
static void run_passes(sa_fertility *all, sa_pool *pool, int passes, sa_aligner_report *report,
                       void *context) {
    const int before = (passes + 2) / 6; /* of each of the first two stages */
    for (int pass = 0; pass < passes; pass++) {
        double log_p = 0;
        all->stage = (sa_gibbs_stage)(pass < 2 * before ? pass / before : SA_GIBBS_FERTILITY);
        all->first = pass <= 2 * before && pass % before == 0;
        all->last = pass + 1 == passes;
        for (int k = 0; all->last && k < all->samplers; k++) run_pass(all, k);
        if (!all->last) sa_pool_run(pool, all->samplers, run_pass, all);
        for (int k = 0; k < all->samplers; k++) log_p += all->sampler[k].log_p;
        if (report) report(context, pass + 1, exp(-log_p / all->samplers / (double)all->words));
    }
}

/* Leaves the mean t(f | e) of the samplers in the lexicon. */
static void average(const sa_fertility *all, sa_lexicon *lexicon) {
    for (int32_t e = 0; e < lexicon->sources; e++)
        for (size_t c = lexicon->row[e]; c < lexicon->row[e + 1]; c++) {
            lexicon->t[c] = 0;
            for (int k = 0; k < all->samplers; k++)
                lexicon->t[c] += (all->sampler[k].links[c] + SA_GIBBS_PRIOR) /
                                 all->sampler[k].total[e] / all->samplers;
        }
}

static bool learn(sa_aligner_model *model, const sa_aligner_options *options,
                  const sa_aligner_pairs *pairs, int32_t targets, sa_aligner_report *report,
                  void *context, sa_error *error) {
    const double base = SA_GIBBS_PRIOR * (targets - SA_SPECIAL_TOKENS);
    sa_fertility *all = model->fertility = sa_new(1, sizeof *all, error);
    if (!all) return false;
    all->samplers = options->samplers ? options->samplers : 8;
    all->seed = (uint64_t)options->seed;
    all->sources = model->lexicon.sources;
    all->sampler = sa_new((size_t)all->samplers, sizeof *all->sampler, error);
    bool good = all->sampler && list_pairs(all, &model->lexicon, pairs, error);
    for (int k = 0; good && k < all->samplers; k++)
        good = open_sampler(all, &all->sampler[k], &model->lexicon, base, error);
    sa_pool *pool = good ? sa_pool_open(options->threads, error) : NULL;
    if (!pool) return false;
    run_passes(all, pool, passes_of(options, pairs->count), report, context);
    sa_pool_close(pool);
    average(all, &model->lexicon);
    return true;
}

static void release(sa_aligner_model *model) {
    sa_fertility *all = model->fertility;
    for (int k = 0; all && all->sampler && k < all->samplers; k++) {
        sa_gibbs *s = &all->sampler[k];
        free(s->links), free(s->total), free(s->fertility);
        free(s->link), free(s->weight), free(s->phi);
    }
    if (all) free(all->sampler), free(all->pair), free(all->entry), free(all->p);
    free(all);
    model->fertility = NULL;
}

/* ---- Alignments ------------------------------------------------------------------------------ */

/* Draws the links of a new pair by the counts of each sampler, which stay, and fills p with the
 * mean conditionals of the last of some passes. */
static bool draw_new(const sa_aligner_model *model, sa_gibbs_pair *x, const int32_t *f, float *p,
                     sa_error *error) {
    const sa_fertility *all = model->fertility;
    const size_t S = (size_t)x->I + 1, J = (size_t)x->J;
    x->entry = sa_new(J * S, sizeof *x->entry, error);
    int *link = x->entry ? sa_new(J + S, sizeof *link, error) : NULL;
    double *weight = link ? sa_new(S, sizeof *weight, error) : NULL;
    if (weight) find_entries(&model->lexicon, x, f);
    for (int k = 0; weight && k < all->samplers; k++) {
        sa_gibbs s = all->sampler[k];
        s.rng = sa_rng_seed(all->seed, x->key + (uint64_t)k);
        s.weight = weight, s.link = link, s.phi = link + J;
        for (size_t j = 0; j < J; j++) link[j] = x->I;
        for (int pass = 0; pass < NEW_PASSES; pass++) {
            s.stage = (sa_gibbs_stage)(3 * pass / NEW_PASSES);
            sa_gibbs_visit(&s, x, false, 1.0 / all->samplers, pass + 1 < NEW_PASSES ? NULL : p);
        }
    }
    free(x->entry), free(link), free(weight);
    return weight;
}

static bool weigh(const sa_aligner_model *model, const sa_sentence *source,
                  const sa_sentence *target, double *weights, double *log_p, sa_error *error) {
    const sa_fertility *all = model->fertility;
    const sa_lexicon *lexicon = &model->lexicon;
    sa_gibbs_pair x = pair_of(source, target);
    const sa_gibbs_pair *found = bsearch(&x, all->pair, all->count, sizeof x, sa_keys_compare);
    const size_t S = (size_t)source->len;
    float *own = NULL, *p = found ? p_of(all, found) : NULL;
    if (!found || found->I != x.I || found->J != x.J) {
        p = own = sa_new((size_t)x.J * (S + 1), sizeof *own, error);
        if (!own || !draw_new(model, &x, target->ids, own, error)) {
            free(own);
            return false;
        }
    }
    for (int j = 0; j < x.J; j++, p += S + 1, weights += S) {
        const bool unknown =
            sa_lexicon_find(lexicon, SA_EOS, target->ids[j]) == lexicon->row[lexicon->sources];
        for (size_t i = 0; i < S; i++) weights[i] = unknown ? 0 : (double)p[i];
        log_p[j] = unknown ? log(1e-9) : (double)p[S];
    }
    free(own);
    return true;
}

const sa_aligner_kind sa_aligner_fertility = {.title = "the HMM with fertility",
                                              .passes = passes_of,
                                              .learn = learn,
                                              .weigh = weigh,
                                              .release = release};
