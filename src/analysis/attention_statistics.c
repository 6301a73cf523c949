#include "analysis/attention_statistics.h"
#include "analysis/entropy.h"

#include <math.h>
#include <string.h>

enum {
    LONG = 4
}; /* words of a side, from which on one column should not have most of the weight */

static double column_sum(const double *weights, int rows, int sources, int j) {
    double sum = 0;
    for (int t = 0; t < rows; t++) sum += weights[(size_t)t * (size_t)sources + (size_t)j];
    return sum;
}

/* The most attended source word, the end mark left out; of equals the first. */
static int most_attended(const double *weights, int sources, int t) {
    const double *row = weights + (size_t)t * (size_t)sources;
    int most = 0;
    for (int j = 1; j < sources - 1; j++)
        if (row[j] > row[most]) most = j;
    return most;
}

static void add_columns(sa_gaze *gaze, const double *weights, int targets, int sources) {
    double most = 0;
    for (int j = 0; j < sources - 1; j++) {
        const double words = column_sum(weights, targets - 1, sources, j);
        const double all = words + weights[(size_t)(targets - 1) * (size_t)sources + (size_t)j];
        if (words > most) most = words;
        gaze->covered += all >= 0.5;
        gaze->weight += words;
    }
    const double end = column_sum(weights, targets - 1, sources, sources - 1);
    gaze->sources += (size_t)sources - 1;
    gaze->weight += end, gaze->end += end;
    if (targets - 1 < LONG || sources - 1 < LONG) return;
    gaze->column += most;
    gaze->rows_of_long += targets - 1;
}

void sa_gaze_add(sa_gaze *gaze, const double *weights, const double *heads, int head_count,
                 int targets, int sources) {
    gaze->rows += (size_t)targets;
    gaze->entropy += sa_entropy_sum(weights, targets, sources);
    gaze->heads_entropy += sa_entropy_sum(heads, head_count * targets, sources) / head_count;
    gaze->widest += targets * log(sources);
    add_columns(gaze, weights, targets, sources);
    for (int t = 1; sources > 1 && t < targets - 1; t++) {
        gaze->steps++;
        gaze->onward +=
            most_attended(weights, sources, t) >= most_attended(weights, sources, t - 1);
    }
}

/* Where a word stands among others, -1: not once. */
static int only_place(const char *word, const char *const *words, int count) {
    int place = -1;
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) {
            if (place >= 0) return -1;
            place = i;
        }
    return place;
}

void sa_gaze_twins(sa_gaze *gaze, const double *weights, const char *const *target, int targets,
                   const char *const *source, int sources) {
    for (int t = 0; t < targets - 1; t++) {
        const int twin = only_place(target[t], source, sources - 1);
        if (twin < 0 || only_place(target[t], target, targets - 1) < 0) continue;
        gaze->twins++;
        for (int shift = -1; shift <= 1; shift++)
            if (t - shift >= 0) /* row t - shift speaks for word t, as in eval/linking */
                gaze->met[shift + 1] += most_attended(weights, sources, t - shift) == twin;
    }
}

void sa_gaze_sum(sa_gaze *gaze, const sa_gaze *other) {
    gaze->rows += other->rows;
    gaze->entropy += other->entropy, gaze->heads_entropy += other->heads_entropy;
    gaze->widest += other->widest;
    gaze->weight += other->weight, gaze->end += other->end;
    gaze->sources += other->sources, gaze->covered += other->covered;
    gaze->steps += other->steps, gaze->onward += other->onward;
    gaze->rows_of_long += other->rows_of_long, gaze->column += other->column;
    gaze->twins += other->twins;
    for (int i = 0; i < 3; i++) gaze->met[i] += other->met[i];
}

/* ---- Figures --------------------------------------------------------------------------------- */

static double ratio(double part, double whole) {
    return whole > 0 ? part / whole : NAN;
}

double sa_gaze_entropy(const sa_gaze *gaze) {
    return ratio(gaze->entropy, (double)gaze->rows);
}
double sa_gaze_evenness(const sa_gaze *gaze) {
    return ratio(gaze->heads_entropy, gaze->widest);
}
double sa_gaze_coverage(const sa_gaze *gaze) {
    return ratio((double)gaze->covered, (double)gaze->sources);
}
double sa_gaze_end(const sa_gaze *gaze) {
    return ratio(gaze->end, gaze->weight);
}
double sa_gaze_onward(const sa_gaze *gaze) {
    return ratio((double)gaze->onward, (double)gaze->steps);
}
double sa_gaze_column(const sa_gaze *gaze) {
    return ratio(gaze->column, gaze->rows_of_long);
}
