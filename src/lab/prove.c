/* prove: the invariances, which of them must hold for which model, and the job. */
#include "base/memory.h"
#include "lab/invariance.h"
#include "lab/lab.h"

#include <stdlib.h>

#define ROUNDING 1e-8 /* what recurrences make of double's, far from any float's */

/* ---- What may be asked of which model -------------------------------------------------------- */

static const char *no_attention(const sa_lab_subject *subject) {
    return sa_lab_attention(subject) ? NULL : "the decoder has no attention";
}

static bool sees_words(const sa_lab_subject *subject) {
    const sa_attention *attention = sa_lab_attention(subject);
    return attention && attention->score->key != SA_KEY_NONE;
}

static const char *content_free_note(const sa_lab_subject *subject) {
    return !sees_words(subject) ? "this score is blind to the source: no word can move a weight"
                                : NULL;
}

static const char *window_note(const sa_lab_subject *subject) {
    const sa_attention *attention = sa_lab_attention(subject);
    return attention && attention->window == SA_WINDOW_LOCAL_P
               ? "at most 1: the window's Gaussian takes a share away"
               : NULL;
}

static bool recurrent_encoder(const sa_lab_subject *subject) {
    const sa_sizes *sizes = &subject->run.sizes;
    return sizes->model == SA_MODEL_RECURRENT && sizes->encoder.kind != SA_ENCODER_NONE;
}

static bool positioned(const sa_lab_subject *subject) {
    const sa_sizes *sizes = &subject->run.sizes;
    return sizes->model == SA_MODEL_TRANSFORMER ? sizes->transformer.positions
                                                : sizes->encoder.positions;
}

static const char *position_based(const sa_attention *attention) {
    if (attention && attention->score->query == SA_QUERY_POSITIONS)
        return "the score is about places, not words";
    if (attention && attention->window != SA_WINDOW_NONE)
        return "the window is about places, not words";
    return NULL;
}

static const char recurrent_note[] = "the encoder is recurrent";

static const char *order_matters(const sa_lab_subject *subject) {
    if (recurrent_encoder(subject)) return recurrent_note;
    if (positioned(subject)) return "the embeddings carry positions";
    return position_based(sa_lab_attention(subject));
}

/* A transformer's encoder attends as its decoder does; others do not attend. */
static const char *encoder_order_matters(const sa_lab_subject *subject) {
    if (recurrent_encoder(subject)) return recurrent_note;
    const bool attends = subject->run.sizes.model == SA_MODEL_TRANSFORMER;
    return attends && !positioned(subject) ? position_based(sa_lab_attention(subject)) : NULL;
}

static const char *positions_note(const sa_lab_subject *subject) {
    return positioned(subject) ? "the embeddings carry positions, which must break it" : NULL;
}

/* ---- The table ------------------------------------------------------------------------------- */

static const struct invariance {
    const char *name, *meaning;
    double allowed;
    bool (*above)(const sa_lab_subject *); /* whether the figure must be above `least` instead */
    double least;
    const char *(*excuse)(const sa_lab_subject *); /* why it need not hold for such a model */
    bool shown;                                    /* the figure is found nevertheless */
    const char *(*note)(const sa_lab_subject *);   /* something to know about it */
    bool (*measure)(sa_lab_subject *, double *worst, sa_error *);
} rows[] = {
    {"row-sums", "The weights of every head are not negative and sum to 1 for every target word.",
     1e-12, .excuse = no_attention, .note = window_note, .measure = sa_measure_row_sums},
    {"batching",
     "One by one the pairs have the weights, the log p and (summed) the gradient that they have in "
     "one batch.",
     ROUNDING, .measure = sa_measure_batching},
    {"padding",
     "There is no padding: where it would stand are words of other pairs. Longer pairs before and "
     "behind a pair change neither its weights nor its log p, nor do other words in them.",
     ROUNDING, .measure = sa_measure_padding},
    {"padding-gradient",
     "The gradient of one pair's loss by the words of the longer pairs beside it is exactly zero.",
     0, .measure = sa_measure_padding_gradient},
    {"annotations",
     "With the query held fixed, other annotations give other weights (for location and uniform: "
     "they do not).",
     0, sees_words, 1e-14, .excuse = no_attention, .note = content_free_note,
     .measure = sa_measure_annotations},
    {"permutation",
     "Without recurrence and positions, source words that change places take their weights along, "
     "and log p stays.",
     ROUNDING, .excuse = order_matters, .shown = true, .measure = sa_measure_permutation},
    {"encoder-permutation",
     "Without recurrence and positions, they take along what the encoder makes of them, and the "
     "weights by which they look at each other. Positions break this.",
     ROUNDING, positioned, ROUNDING, .excuse = encoder_order_matters, .shown = true,
     .note = positions_note, .measure = sa_measure_encoder_permutation},
    {"causality",
     "Other target words from position t on change neither the weights up to t nor any p(y_i) up "
     "to t, for every t.",
     ROUNDING, .measure = sa_measure_causality},
    {"writing",
     "Written word by word, with what is kept of the words before (states, cached keys and "
     "values), "
     "every word has the log p and the weights that it has in a pass over the whole target.",
     1e-12, .measure = sa_measure_decoding},
};

enum { ROWS = sizeof rows / sizeof *rows };

const char *sa_lab_check_name(size_t i, const char **meaning) {
    if (i >= ROWS) return NULL;
    if (meaning) *meaning = rows[i].meaning;
    return rows[i].name;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static bool check_invariance(const struct invariance *row, sa_lab_subject *subject,
                             sa_proof_check *check, sa_error *error) {
    const char *excuse = row->excuse ? row->excuse(subject) : NULL;
    const bool above = row->above && row->above(subject);
    double worst = -INFINITY;
    if ((!excuse || row->shown) && !row->measure(subject, &worst, error)) return false;
    const bool measured = worst != -INFINITY;
    if (!excuse && !measured) excuse = "no source is long enough";
    *check = (sa_proof_check){.name = row->name,
                              .meaning = row->meaning,
                              .worst = measured ? worst : NAN,
                              .allowed = above ? row->least : row->allowed,
                              .above = above,
                              .skipped = excuse,
                              .note = excuse      ? excuse
                                      : row->note ? row->note(subject)
                                                  : NULL};
    check->ok = excuse || (above ? worst > check->allowed : worst <= check->allowed);
    return true;
}

static bool check_all(const sa_lab_prove_job *proof, sa_lab_subject *subject, sa_error *error) {
    sa_proof_check failed = {0};
    for (int i = 0; i < ROWS; i++) {
        sa_proof_check check;
        if (!check_invariance(&rows[i], subject, &check, error)) return false;
        if (proof->each) proof->each(proof->context, &check);
        if (!check.ok && !failed.name) failed = check;
    }
    return !failed.name ||
           sa_fail(error, SA_CHECK, "%s does not hold: %.3g, %s %g: %s", failed.name, failed.worst,
                   failed.above ? "must be above" : "allowed", failed.allowed, failed.meaning);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Lengths of the pairs that are drawn; no two share both. */
static const int lengths[][2] = {{3, 4}, {8, 1}, {1, 7}, {5, 4}, {3, 2}, {2, 6}};
enum { DRAWN = sizeof lengths / sizeof *lengths };

/* A location score sees so many places: a longer source belongs to the proof. 0: no such score. */
static int max_positions_of(const sa_settings *settings) {
    const bool attends = settings->model == SA_MODEL_TRANSFORMER ||
                         sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
    const bool location = attends && sa_scores[settings->attention].query == SA_QUERY_POSITIONS;
    return location ? settings->max_len + 1 : 0;
}

typedef struct drawn_pairs {
    sa_sentence *source, *target;
    int32_t *ids;
    int count;
} drawn_pairs;

static void draw_pair(const sa_lab_prove_job *proof, sa_rng *rng, int S, int T, int32_t **ids,
                      drawn_pairs *all) {
    all->source[all->count] = sa_lab_draw_sentence(rng, *ids, S, proof->source_words);
    all->target[all->count++] = sa_lab_draw_sentence(rng, *ids + S, T, proof->target_words);
    *ids += S + T;
}

/* The job's pairs, or drawn ones, and one more with a source that no location score sees whole. */
static bool pairs_open(const sa_lab_prove_job *proof, sa_rng *rng, drawn_pairs *all,
                       sa_error *error) {
    enum { TARGET = 3, ROOM = 64 };
    const int max_positions = max_positions_of(proof->settings),
              given = proof->source ? proof->count : 0;
    *all = (drawn_pairs){
        .source = sa_new((size_t)given + DRAWN + 1, sizeof(sa_sentence), error),
        .target = sa_new((size_t)given + DRAWN + 1, sizeof(sa_sentence), error),
        .ids = sa_new((size_t)max_positions + ROOM, sizeof(int32_t), error),
        .count = given,
    };
    if (!all->source || !all->target || !all->ids) return false;
    int32_t *ids = all->ids;
    for (int p = 0; p < given; p++)
        all->source[p] = proof->source[p], all->target[p] = proof->target[p];
    for (int p = 0; !given && p < DRAWN; p++)
        draw_pair(proof, rng, lengths[p][0], lengths[p][1], &ids, all);
    if (max_positions) draw_pair(proof, rng, max_positions + 2, TARGET, &ids, all);
    return true;
}

static void pairs_close(drawn_pairs *all) {
    free(all->source), free(all->target), free(all->ids);
}

/* ---- The job --------------------------------------------------------------------------------- */

bool sa_lab_prove(const sa_lab_prove_job *proof, sa_error *error) {
    sa_lab_subject subject = {.rng = sa_rng_seed(proof->seed, 1)};
    drawn_pairs drawn;
    bool good = pairs_open(proof, &subject.rng, &drawn, error);
    if (good) {
        subject.pairs = (sa_lab_pairs){drawn.source, drawn.target, drawn.count, proof->source_words,
                                       proof->target_words};
        sa_lab_pairs first = subject.pairs;
        first.count = 1;
        good = sa_lab_run_open(&subject.run, proof->settings, &first, error);
        if (good) {
            subject.run.regularizer.dropout = (sa_dropout){0};
            sa_lab_run_load(&subject.run, proof->values);
            good = check_all(proof, &subject, error);
        }
        sa_lab_run_close(&subject.run);
    }
    pairs_close(&drawn);
    return good;
}
