#include "metrics/attention_statistics.h"
#include "metrics/linking.h"

#include <math.h>
#include <string.h>

enum { MIN_LENGTH = 4 }; /* words a side; in shorter pairs one column may well have most weight */

double sa_entropy_sum(const double *weights, int targets, int sources) {
    double sum = 0;
    for (int t = 0; t < targets; t++) {
        const double *row = weights + (size_t)t * (size_t)sources;
        double all = 0;
        for (int j = 0; j < sources; j++) all += row[j];
        const double whole = all > 1 + 1e-6 ? all : 1;
        for (int j = 0; j < sources; j++)
            if (row[j] > 0)                                  /* ignores negative weights */
                sum -= row[j] / whole * log(row[j] / whole); /* x ln x -> 0 with x */
    }
    return sum;
}

double sa_attention_column_sum(const double *weights, int rows, int sources, int j) {
    double sum = 0;
    for (int t = 0; t < rows; t++) sum += weights[(size_t)t * (size_t)sources + (size_t)j];
    return sum;
}

static void add_columns(sa_attention_stats *attention, const double *weights, int targets,
                        int sources) {
    double most = 0;
    for (int j = 0; j < sources - 1; j++) {
        const double words = sa_attention_column_sum(weights, targets - 1, sources, j);
        const double all = words + weights[(size_t)(targets - 1) * (size_t)sources + (size_t)j];
        if (words > most) most = words;
        attention->covered += all >= 0.5;
        attention->weight += words;
    }
    const double end = sa_attention_column_sum(weights, targets - 1, sources, sources - 1);
    attention->sources += (size_t)sources - 1;
    attention->weight += end, attention->eos_weight += end;
    attention->words += (size_t)targets - 1;
    if (targets - 1 < MIN_LENGTH || sources - 1 < MIN_LENGTH) return;
    attention->column += most;
    attention->long_rows += targets - 1;
}

void sa_attention_stats_add(sa_attention_stats *attention, const double *weights,
                            const double *heads, int head_count, int targets, int sources) {
    const size_t cells = (size_t)targets * (size_t)sources;
    attention->rows += (size_t)targets;
    attention->cells += cells;
    for (size_t i = 0; i < cells; i++) attention->zeros += weights[i] == 0;
    attention->entropy += sa_entropy_sum(weights, targets, sources);
    attention->head_entropy += sa_entropy_sum(heads, head_count * targets, sources) / head_count;
    attention->max_entropy += targets * log(sources);
    add_columns(attention, weights, targets, sources);
    for (int t = 1; t < targets - 1; t++) {
        const double *row = weights + (size_t)t * (size_t)sources;
        const int now = sa_most_attended(row, sources - 1),
                  before = sa_most_attended(row - sources, sources - 1);
        attention->steps += now >= 0 && before >= 0;
        attention->monotone += now >= before && before >= 0;
    }
}

/* Returns the number of source words up to the last one that has weight; all of them if the row
 * lacks weight. */
static int read_for(const double *row, int sources) {
    int last = 0;
    double sum = 0;
    for (int j = 0; j < sources; j++) {
        if (row[j] > 0) last = j + 1;
        sum += row[j];
    }
    return sum < 1 - 1e-6 ? sources : last;
}

void sa_attention_stats_add_read(sa_attention_stats *attention, const double *weights, int targets,
                                 int sources) {
    int read = 0;
    for (int t = 0; t < targets - 1; t++) {
        const int own = read_for(weights + (size_t)t * (size_t)sources, sources);
        read = own > read ? own : read;
        attention->online++;
        attention->read += read, attention->available += sources;
    }
}

/* Returns the position of a word that occurs exactly once, or -1. */
static int unique_position(const char *word, const char *const *words, int count) {
    int position = -1;
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) {
            if (position >= 0) return -1;
            position = i;
        }
    return position;
}

void sa_attention_stats_add_identical(sa_attention_stats *attention, const double *weights,
                                      const char *const *target, int targets,
                                      const char *const *source, int sources) {
    for (int t = 0; t < targets - 1; t++) {
        const int source_position = unique_position(target[t], source, sources - 1);
        if (source_position < 0 || unique_position(target[t], target, targets - 1) < 0) continue;
        attention->identical++;
        for (int row = t - 1; row <= t + 1; row++) /* the row's link, moved to word t */
            if (row >= 0 && row < targets - 1)
                attention->aligned[t - row + 1] +=
                    source_position ==
                    sa_most_attended(weights + (size_t)row * (size_t)sources, sources - 1);
    }
}

void sa_attention_stats_sum(sa_attention_stats *attention, const sa_attention_stats *other) {
    attention->rows += other->rows, attention->words += other->words;
    attention->cells += other->cells, attention->zeros += other->zeros;
    attention->entropy += other->entropy, attention->head_entropy += other->head_entropy;
    attention->max_entropy += other->max_entropy;
    attention->weight += other->weight, attention->eos_weight += other->eos_weight;
    attention->sources += other->sources, attention->covered += other->covered;
    attention->steps += other->steps, attention->monotone += other->monotone;
    attention->long_rows += other->long_rows, attention->column += other->column;
    attention->online += other->online;
    attention->read += other->read, attention->available += other->available;
    attention->identical += other->identical;
    for (int i = 0; i < 3; i++) attention->aligned[i] += other->aligned[i];
}

/* ---- Figures --------------------------------------------------------------------------------- */

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

void sa_attention_figures(const sa_attention_stats *attention, sa_eval_result *figures) {
    figures->entropy = ratio(attention->entropy, (double)attention->rows);
    figures->coverage = ratio((double)attention->covered, (double)attention->sources);
    figures->end_weight = ratio(attention->eos_weight, attention->weight);
    figures->row_sum = ratio(attention->weight, (double)attention->words);
    figures->zeros = ratio((double)attention->zeros, (double)attention->cells);
    figures->latency = ratio(attention->read, (double)attention->online);
    figures->source_length = ratio(attention->available, (double)attention->online);
    figures->monotonicity = ratio((double)attention->monotone, (double)attention->steps);
}

double sa_attention_normalized_entropy(const sa_attention_stats *attention) {
    return ratio(attention->head_entropy, attention->max_entropy);
}

double sa_attention_max_column(const sa_attention_stats *attention) {
    return ratio(attention->column, attention->long_rows);
}
