#include "metrics/linking.h"
#include "base/argument.h"

#include <string.h>

static const char *name(size_t row) {
    static const char *const names[] = {
        [SA_LINKS_ARGMAX] = "argmax", [SA_LINKS_THRESHOLD] = "threshold", NULL};
    return names[row];
}

#define FIELD(field) offsetof(sa_link_options, field)

const sa_option sa_linking_options[] = {
    {"links", SA_OPTION_CHOICE, SA_SCOPE_RUN, FIELD(links), SA_LINKS_ARGMAX, 0, 0, name, "NAME",
     "link extraction: the largest weight of each target word (argmax), or all weights of at least "
     "--threshold"},
    {"threshold", SA_OPTION_REAL, SA_SCOPE_RUN, FIELD(threshold), 0.3, 0, 1, NULL, "X",
     "smallest weight that becomes a link"},
    {0},
};

#undef FIELD

const sa_option *sa_link_option(size_t i) {
    return sa_option_at(sa_linking_options, i);
}

void sa_link_options_init(sa_link_options *linking) {
    if (!linking) return;
    *linking = (sa_link_options){.null_key = false};
    sa_options_init(sa_linking_options, linking);
}

bool sa_link_options_set(sa_link_options *options, const char *name, const char *value,
                         sa_error *error) {
    return sa_given(options, "options", error) &&
           sa_options_set(sa_linking_options, options, name, value, error);
}

size_t sa_linking_capacity(int targets, int sources) {
    return (size_t)targets * (size_t)sources;
}

/* What the row, which ends with the weight of EOS, lacks to 1. */
static double null_weight(const double *row, int words) {
    double rest = 1;
    for (int s = 0; s <= words; s++) rest -= row[s];
    return rest;
}

static size_t largest(bool null_key, const double *row, int words, int target, sa_link *links) {
    int best = 0;
    for (int s = 1; s < words; s++)
        if (row[s] > row[best]) best = s;
    if (null_key && null_weight(row, words) > row[best]) return 0;
    *links = (sa_link){.source = best, .target = target};
    return 1;
}

static size_t at_least(double threshold, const double *row, int sources, int target,
                       sa_link *links) {
    size_t count = 0;
    for (int s = 0; s < sources; s++)
        if (row[s] >= threshold) links[count++] = (sa_link){.source = s, .target = target};
    return count;
}

size_t sa_linking_extract(const sa_link_options *linking, const double *weights, int targets,
                          int sources, int shift, sa_link *links) {
    const int words = sources - 1; /* without EOS */
    size_t count = 0;
    for (int t = 0; words > 0 && t < targets - 1; t++) {
        if (t - shift < 0 || t - shift >= targets) continue;
        const double *row = weights + (size_t)(t - shift) * (size_t)sources;
        count += linking->links == SA_LINKS_ARGMAX
                     ? largest(linking->null_key, row, words, t, links + count)
                     : at_least(linking->threshold, row, words, t, links + count);
    }
    return count;
}

void sa_merge_weights(const double *weights, int rows, int cols, const int *row_word,
                      const int *col_word, double *out) {
    const size_t words = (size_t)col_word[cols - 1] + 1;
    memset(out, 0, sizeof *out * ((size_t)row_word[rows - 1] + 1) * words);
    for (int first = 0, next; first < rows; first = next) {
        double *row = out + (size_t)row_word[first] * words;
        for (next = first; next < rows && row_word[next] == row_word[first]; next++)
            for (int s = 0; s < cols; s++)
                row[col_word[s]] += weights[(size_t)next * (size_t)cols + (size_t)s];
        for (size_t j = 0; j < words; j++) row[j] /= next - first;
    }
}
