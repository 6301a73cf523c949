#include "metrics/linking.h"

enum { ARGMAX, THRESHOLD };

static const char *name(size_t row) {
    static const char *const names[] = {[ARGMAX] = "argmax", [THRESHOLD] = "threshold", NULL};
    return names[row];
}

#define AT(field) offsetof(sa_linking, field)

const sa_option sa_linking_options[] = {
    {"links", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(links), ARGMAX, 0, 0, name, "NAME",
     "what attention says is aligned: each target word to its largest weight, or all weights from "
     "--threshold on"},
    {"threshold", SA_OPTION_REAL, SA_SCOPE_RUN, AT(threshold), 0.3, 0, 1, NULL, "X",
     "the smallest weight that is a link"},
    {0},
};

#undef AT

void sa_linking_init(sa_linking *linking) {
    sa_options_init(sa_linking_options, linking);
}

size_t sa_linking_room(int targets, int sources) {
    return (size_t)targets * (size_t)sources;
}

static size_t largest(const double *row, int sources, int target, sa_link *links) {
    int most = 0;
    for (int s = 1; s < sources; s++)
        if (row[s] > row[most]) most = s;
    *links = (sa_link){.source = most, .target = target};
    return 1;
}

static size_t at_least(double threshold, const double *row, int sources, int target,
                       sa_link *links) {
    size_t count = 0;
    for (int s = 0; s < sources; s++)
        if (row[s] >= threshold) links[count++] = (sa_link){.source = s, .target = target};
    return count;
}

size_t sa_linking_make(const sa_linking *linking, const double *weights, int targets, int sources,
                       int shift, sa_link *links) {
    const int words = sources - 1; /* without the end mark */
    size_t count = 0;
    for (int t = 0; words > 0 && t < targets - 1; t++) {
        if (t - shift < 0 || t - shift >= targets) continue;
        const double *row = weights + (size_t)(t - shift) * (size_t)sources;
        count += linking->links == ARGMAX
                     ? largest(row, words, t, links + count)
                     : at_least(linking->threshold, row, words, t, links + count);
    }
    return count;
}
