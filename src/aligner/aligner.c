#include "aligner/aligner.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const sa_aligner_kind *const sa_aligner_kinds[] = {
    [SA_ALIGNER_MODEL1] = &sa_aligner_model1,
    [SA_ALIGNER_MODEL2] = &sa_aligner_model2,
    [SA_ALIGNER_HMM] = &sa_aligner_hmm,
    [SA_ALIGNER_DIAGONAL] = &sa_aligner_diagonal,
    [SA_ALIGNER_FERTILITY] = &sa_aligner_fertility,
};

enum { FIRST_ITERATIONS = 5 }; /* for the model that learns the lexicon for another one */

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(field) SA_SCOPE_RUN, offsetof(sa_aligner_options, field)
enum { AUTO, NONE }; /* the words that --alpha takes */

const sa_option sa_aligner_option_rows[] = {
    {"model", SA_WORDS(AT(model), SA_ALIGNER_HMM, "1", "2", "hmm", "diagonal", "fertility"),
     "what it knows of positions: nothing (1), a table (2), the position of the word before (hmm), "
     "or the distance from the diagonal; fertility: as hmm, and how many words a word becomes"},
    {"iterations", SA_INT(AT(iterations), 5, 0, 1000000, "N"),
     "iterations of expectation maximization; before those of 2 come 5 of 1, and before those of "
     "hmm 5 of diagonal; of fertility, 1000 N / sqrt(pairs) passes, and before them a quarter as "
     "many without fertility and without jumps"},
    {"samplers", SA_INT(AT(samplers), 8, 0, 100, "N"),
     "fertility: samplers that start apart, whose probabilities are averaged; 0: 8"},
    {"seed", SA_INT64(AT(seed), 1, 0, 9007199254740991, "N"), "fertility: random seed"},
    {"alpha", SA_OPTION_REAL, AT(alpha), AUTO, 1e-6, 0.999, NULL, SA_LIST("auto", "none"), "X",
     "Dirichlet prior of the translation probabilities, by variational Bayes; none: maximum "
     "likelihood; auto: 0.01 for hmm and diagonal, none for 1 and 2"},
    {"threads", SA_INT(AT(threads), 0, 0, SA_MAX_THREADS, "N"),
     "number of threads; 0: one per core"},
    {0},
};

const sa_option *sa_aligner_option(size_t i) {
    return sa_option_at(sa_aligner_option_rows, i);
}

void sa_aligner_options_init(sa_aligner_options *options) {
    if (options) *options = (sa_aligner_options){0};
    sa_options_init(sa_aligner_option_rows, options);
}

bool sa_aligner_options_set(sa_aligner_options *options, const char *name, const char *value,
                            sa_error *error) {
    return sa_given(options, "options", error) &&
           sa_options_set(sa_aligner_option_rows, options, name, value, error);
}

/* ---- A pair ---------------------------------------------------------------------------------- */

typedef struct workspace {
    size_t *entry;   /* [cells] indices in the lexicon */
    double *p;       /* [cells] posteriors */
    double *log_p;   /* [J] */
    double *scratch; /* scratch of `infer`, or a table */
    double *counts;  /* [size] the counts of `infer` */
} workspace;

/* Allocates for `cells` cells in total, and pairs of at most I and J words, including the empty
 * word. */
static bool workspace_init(workspace *work, const sa_aligner_kind *kind, size_t cells, size_t I,
                           size_t J, sa_error *error) {
    const size_t scratch = kind->scratch ? kind->scratch(I, J) : I * J;
    work->entry = sa_new(cells, sizeof *work->entry, error);
    work->p = work->entry ? sa_new(cells + J + scratch + kind->size, sizeof *work->p, error) : NULL;
    if (!work->p) return false;
    work->log_p = work->p + cells;
    work->scratch = work->log_p + J;
    work->counts = work->scratch + scratch;
    return true;
}

static void workspace_release(workspace *work) {
    free(work->entry);
    free(work->p);
}

/* Fills in t(f_j | e_i), the empty word last. */
static void look_up(const sa_lexicon *lexicon, const sa_sentence *source, const sa_sentence *target,
                    size_t *entry, double *t) {
    const int S = source->len;
    for (int j = 0; j < target->len - 1; j++, entry += S, t += S) {
        double sum = 0;
        for (int i = 0; i < S; i++) {
            entry[i] = sa_lexicon_find(lexicon, source->ids[i], target->ids[j]);
            t[i] = lexicon->t[entry[i]];
            sum += t[i];
        }
        if (!(sum > 0)) t[S - 1] = 1e-9;
    }
}

/* Returns the table for a shape among `tables`; NULL: no pair of the corpus has this shape. */
static double *table_of(const sa_aligner_model *model, double *tables, int I, int J) {
    const uint64_t shape = (uint64_t)I << 32 | (uint32_t)J;
    if (!model->shapes) return NULL;
    const uint64_t *s =
        bsearch(&shape, model->shapes, model->shape_count, sizeof shape, sa_keys_compare);
    return s ? tables + model->table[s - model->shapes] : NULL;
}

/* Infers the posteriors for independent a_j:
 * p(a_j = i | f, e) = p(a_j = i) t(f_j | e_i) / p(f_j | e). */
static void infer_each(const sa_aligner_model *model, int I, int J, double *p, double *log_p,
                       double *scratch) {
    const double *prior = table_of(model, model->parameters, I, J);
    if (!prior) {
        model->kind->prior(model, I, J, scratch);
        prior = scratch;
    }
    for (int j = 0; j < J; j++, p += I + 1, prior += I + 1) {
        double sum = 0;
        for (int i = 0; i <= I; i++) sum += p[i] *= prior[i];
        for (int i = 0; i <= I; i++) p[i] /= sum;
        log_p[j] = log(sum);
    }
}

static void infer(const sa_aligner_model *model, const sa_sentence *source,
                  const sa_sentence *target, const workspace *work, size_t *entry, double *p) {
    const int I = source->len - 1, J = target->len - 1;
    look_up(&model->lexicon, source, target, entry, p);
    if (model->kind->infer)
        model->kind->infer(model, I, J, p, work->log_p, work->scratch, work->counts);
    else
        infer_each(model, I, J, p, work->log_p, work->scratch);
}

/* ---- Expectation maximization ---------------------------------------------------------------- */

/* The number of tasks of an iteration, the same for every thread count. */
enum { TASKS = SA_MAX_THREADS };

typedef struct learning {
    sa_aligner_model *model;
    const sa_aligner_pairs *pairs;
    double *counts; /* counts of the lexicon */
    workspace *work;
    int together; /* tasks of a block; each has a workspace, and so have those of the block before,
                     whose counts are added at the same time */
    int first;    /* task of the block that is inferred */
    double sums[TASKS];
} learning;

/* Returns the first pair of a task. */
static size_t first_of(const learning *run, int task) {
    return run->pairs->count * (size_t)task / TASKS;
}

static size_t cells_of(const sa_aligner_pairs *pairs, size_t p) {
    if (!pairs->source[p].ids || !pairs->target[p].ids) return 0;
    return (size_t)pairs->source[p].len * (size_t)(pairs->target[p].len - 1);
}

/* Runs the E-step of a task. */
static void expect(learning *run, int task) {
    const sa_aligner_pairs *pairs = run->pairs;
    const workspace *work = &run->work[task % (2 * run->together)];
    size_t cell = 0;
    run->sums[task] = 0;
    memset(work->counts, 0, run->model->kind->size * sizeof *work->counts);
    for (size_t p = first_of(run, task); p < first_of(run, task + 1); p++) {
        const size_t cells = cells_of(pairs, p);
        if (!cells) continue;
        infer(run->model, &pairs->source[p], &pairs->target[p], work, work->entry + cell,
              work->p + cell);
        for (int j = 0; j < pairs->target[p].len - 1; j++) run->sums[task] += work->log_p[j];
        cell += cells;
    }
}

/* Adds the expected counts of a task, one task after the other. */
static void add_counts(learning *run, int task) {
    sa_aligner_model *model = run->model;
    const workspace *work = &run->work[task % (2 * run->together)];
    size_t cell = 0;
    for (size_t p = first_of(run, task); p < first_of(run, task + 1); p++) {
        const size_t cells = cells_of(run->pairs, p);
        double *table = !model->kind->tables || !cells
                            ? NULL
                            : table_of(model, model->counts, run->pairs->source[p].len - 1,
                                       run->pairs->target[p].len - 1);
        for (size_t k = 0; k < cells; k++, cell++) {
            run->counts[work->entry[cell]] += work->p[cell];
            if (table) table[k] += work->p[cell];
        }
    }
    for (size_t k = 0; k < model->kind->size; k++) model->counts[k] += work->counts[k];
}

/* Adds the counts of the block before, or runs the E-step of a task of this block. */
static void run_block(void *context, int i) {
    learning *run = context;
    const int task = run->first + i - 1, before = run->first - run->together;
    if (i > 0 && task < TASKS) expect(run, task);
    for (int done = before; i == 0 && before >= 0 && done < run->first && done < TASKS; done++)
        add_counts(run, done);
}

/* Runs one iteration. Returns the perplexity that the target words had before it. */
static double iterate(learning *run, double alpha, sa_pool *pool) {
    sa_aligner_model *model = run->model;
    double log_probability = 0, words = 0;
    memset(run->counts, 0, model->lexicon.row[model->lexicon.sources] * sizeof *run->counts);
    memset(model->counts, 0, model->size * sizeof *model->counts);
    for (run->first = 0; run->first - run->together < TASKS; run->first += run->together)
        sa_pool_run(pool, run->together + 1, run_block, run);
    for (int task = 0; task < TASKS; task++) log_probability += run->sums[task];
    for (size_t p = 0; p < run->pairs->count; p++)
        if (cells_of(run->pairs, p)) words += run->pairs->target[p].len - 1;
    sa_lexicon_maximize(&model->lexicon, run->counts, alpha);
    if (model->kind->maximize) model->kind->maximize(model);
    return exp(-log_probability / words);
}

/* Lists the shapes of the pairs and the positions where their tables begin. */
static bool find_shapes(sa_aligner_model *model, const sa_aligner_pairs *pairs, sa_error *error) {
    size_t count = 0;
    model->shapes = sa_new(pairs->count, sizeof *model->shapes, error);
    if (!model->shapes) return false;
    for (size_t p = 0; p < pairs->count; p++)
        if (cells_of(pairs, p))
            model->shapes[count++] =
                (uint64_t)(pairs->source[p].len - 1) << 32 | (uint32_t)(pairs->target[p].len - 1);
    model->shape_count = sa_keys_deduplicate(model->shapes, count);
    model->table = sa_new(model->shape_count, sizeof *model->table, error);
    for (size_t s = 0; model->table && s < model->shape_count; s++) {
        model->table[s] = model->size;
        model->size += ((size_t)(model->shapes[s] >> 32) + 1) * (uint32_t)model->shapes[s];
    }
    return model->table != NULL;
}

/* Allocates memory for the largest task and the longest pair. */
static bool init_work(learning *run, const sa_aligner_kind *kind, int threads, sa_error *error) {
    const sa_aligner_model *model = run->model;
    size_t most = 0, J = 0, I = 0;
    for (int task = 0; task < TASKS; task++) {
        size_t cells = 0;
        for (size_t p = first_of(run, task); p < first_of(run, task + 1); p++) {
            if (!cells_of(run->pairs, p)) continue;
            cells += cells_of(run->pairs, p);
            if ((size_t)run->pairs->source[p].len > I) I = (size_t)run->pairs->source[p].len;
            if ((size_t)run->pairs->target[p].len > J) J = (size_t)run->pairs->target[p].len;
        }
        if (cells > most) most = cells;
    }
    run->together = 4 * threads;
    run->counts = sa_new(model->lexicon.row[model->lexicon.sources], sizeof *run->counts, error);
    run->work = run->counts ? sa_new(2 * (size_t)run->together, sizeof *run->work, error) : NULL;
    bool good = run->work;
    for (int k = 0; good && k < 2 * run->together; k++)
        good = workspace_init(&run->work[k], kind, most, I, J, error);
    return good;
}

static void release_positions(sa_aligner_model *model) {
    free(model->parameters), free(model->counts);
    free(model->shapes), free(model->table);
    model->parameters = model->counts = NULL;
    model->shapes = NULL, model->table = NULL;
    model->shape_count = 0;
}

/* Begins to learn a kind; the lexicon stays as it is. */
static bool begin(sa_aligner_model *model, const sa_aligner_kind *kind,
                  const sa_aligner_pairs *pairs, sa_error *error) {
    release_positions(model);
    model->kind = kind;
    model->size = kind->size;
    if (kind->tables && !find_shapes(model, pairs, error)) return false;
    model->parameters = sa_new(model->size, sizeof *model->parameters, error);
    if (model->parameters) model->counts = sa_new(model->size, sizeof *model->counts, error);
    if (!model->counts) return false;
    if (kind->start) kind->start(model);
    sa_aligner_fill_tables(model);
    return true;
}

int sa_aligner_iterations(const sa_aligner_options *options, size_t pairs) {
    const sa_aligner_kind *kind = sa_aligner_kinds[options->model];
    return kind->passes ? kind->passes(options, pairs)
                        : options->iterations + (kind->after ? FIRST_ITERATIONS : 0);
}

bool sa_aligner_learn(sa_aligner_model *model, const sa_aligner_options *options,
                      const sa_aligner_pairs *pairs, int32_t sources, int32_t targets,
                      sa_aligner_report *report, void *context, sa_error *error) {
    const sa_aligner_kind *kind = sa_aligner_kinds[options->model];
    const sa_aligner_kind *stages[] = {kind->after, kind};
    const int iterations[] = {FIRST_ITERATIONS, options->iterations};
    const double alpha = options->alpha == AUTO   ? kind->alpha
                         : options->alpha == NONE ? 0
                                                  : options->alpha;
    learning run = {.model = model, .pairs = pairs};
    int done = 0;
    *model = (sa_aligner_model){.null = kind->null, .smoothing = kind->smoothing, .tension = 4};
    bool good = sa_lexicon_init(&model->lexicon, pairs->source, pairs->target, pairs->count,
                                sources, targets, error);
    if (good && kind->learn) {
        model->kind = kind;
        return kind->learn(model, options, pairs, targets, report, context, error);
    }
    sa_pool *pool = good ? sa_pool_open(options->threads, error) : NULL;
    good = pool && init_work(&run, kind, sa_pool_threads(pool), error);
    for (int k = 0; good && k < 2; k++) {
        if (!stages[k]) continue;
        good = begin(model, stages[k], pairs, error);
        for (int i = 0; good && i < iterations[k]; i++) {
            const double perplexity = iterate(&run, alpha, pool);
            if (report) report(context, ++done, perplexity);
        }
    }
    sa_pool_close(pool);
    for (int k = 0; run.work && k < 2 * run.together; k++) workspace_release(&run.work[k]);
    free(run.work), free(run.counts);
    return good;
}

bool sa_aligner_weights(const sa_aligner_model *model, const sa_sentence *source,
                        const sa_sentence *target, double *weights, double *log_p,
                        sa_error *error) {
    const size_t S = (size_t)source->len, T = (size_t)target->len;
    workspace work = {0};
    bool good;
    memset(weights, 0, T * S * sizeof *weights);
    memset(log_p, 0, T * sizeof *log_p);
    if (model->kind->weigh) {
        good = model->kind->weigh(model, source, target, weights, log_p, error);
    } else if ((good = workspace_init(&work, model->kind, S * T, S, T, error))) {
        infer(model, source, target, &work, work.entry, weights);
        memcpy(log_p, work.log_p, T * sizeof *log_p);
    }
    for (size_t j = 0; j < T; j++) weights[j * S + S - 1] = j + 1 == T;
    workspace_release(&work);
    return good;
}

void sa_aligner_model_release(sa_aligner_model *model) {
    sa_lexicon_release(&model->lexicon);
    release_positions(model);
    if (model->kind && model->kind->release) model->kind->release(model);
}
