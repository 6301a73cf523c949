#include "metrics/linking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) SA_SCOPE_RUN, offsetof(sa_link_options, field)
#define ROUNDING 1e-9 /* of sums: uniform weights give the null key no more than a word */

const sa_option sa_linking_options[] = {
    {"links", SA_WORDS(AT(links), SA_LINKS_ARGMAX, "argmax", "threshold"),
     "link extraction: the largest weight of each target word (argmax), or all weights of at least "
     "--threshold"},
    {"threshold", SA_REAL(AT(threshold), 0.3, 0, 1, "X"), "smallest weight that becomes a link"},
    {"align-at", SA_WORDS(AT(at), SA_ALIGN_OUTPUT, "output", "input"),
     "the weights of a target word: of the row that predicts it, or of the next, which has read it "
     "(Transformers, luong, cgru; Chen et al. 2020)"},
    {0},
};

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

int sa_most_attended(const double *row, int words) {
    int most = -1;
    for (int s = 0; s < words; s++)
        if (row[s] > (most < 0 ? 0 : row[most])) most = s;
    return most;
}

sa_link *sa_linking_extract(const sa_link_options *linking, const double *weights, int targets,
                            int sources, size_t *count, sa_error *error) {
    const int end = !linking->whole, words = sources - end; /* without EOS */
    sa_link *links = sa_new((size_t)targets * (size_t)sources, sizeof *links, error);
    *count = 0;
    for (int t = 0; links && t < targets - end; t++) {
        const double *row = weights + (size_t)t * (size_t)sources;
        const int most = sa_most_attended(row, words);
        double rest = 1; /* 1 minus the sum of the row */
        for (int s = 0; s < sources; s++) rest -= row[s];
        const bool null = most < 0 || (linking->null_key && rest > row[most] + ROUNDING);
        for (int s = 0; s < words; s++)
            if (linking->links == SA_LINKS_ARGMAX ? s == most && !null
                                                  : row[s] > 0 && row[s] >= linking->threshold)
                links[(*count)++] = (sa_link){.source = s, .target = t};
    }
    return links;
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

/* ---- The weights of an alignment ------------------------------------------------------------- */

static size_t matrix_size(const sa_alignment *alignment) {
    return (size_t)alignment->targets * (size_t)alignment->sources;
}

/* Returns how many matrices of single heads follow the mean: one for each of several heads. */
static size_t head_matrices(const sa_alignment *alignment) {
    return alignment->heads > 1 ? (size_t)alignment->heads : 0;
}

size_t sa_alignment_size(const sa_alignment *alignment) {
    const size_t layers = alignment->layers > 1 ? (size_t)alignment->layers : 0;
    return matrix_size(alignment) *
           (1 + head_matrices(alignment) + layers * (size_t)alignment->heads);
}

/* Returns an upper bound of the tokens: each has at least one byte. */
static size_t tokens_at_most(const char *const *side, size_t offset, int max_len) {
    const char *text;
    memcpy(&text, (const char *)side + offset, sizeof text);
    return strnlen(text, (size_t)max_len) + 1;
}

size_t sa_alignments_together(const char *const *source, const char *const *target, size_t stride,
                              size_t count, int max_len) {
    const size_t most = (size_t)1 << 26; /* numbers: 512 MiB if each token is a byte */
    size_t together = 0, numbers = 0;
    while (together < count && numbers < most) {
        numbers += tokens_at_most(source, together * stride, max_len) *
                   tokens_at_most(target, together * stride, max_len);
        together++;
    }
    return together;
}

const double *sa_alignment_weights(const sa_alignment *alignment, int layer, int head) {
    if (!alignment || !alignment->weights || layer < 0 || head < 0 || head > alignment->heads ||
        layer > (alignment->layers ? alignment->layers : 1))
        return NULL;
    const size_t heads = head_matrices(alignment);
    size_t matrix = heads ? (size_t)head : 0;
    if (layer && alignment->layers > 1) {
        if (!head && heads) return NULL;
        matrix = 1 + heads + (size_t)((layer - 1) * alignment->heads + (head ? head - 1 : 0));
    }
    return alignment->weights + matrix * matrix_size(alignment);
}

void sa_alignment_release(sa_alignment *alignment) {
    if (!alignment) return;
    free((void *)(uintptr_t)alignment->target);
    free((void *)(uintptr_t)alignment->source);
    free((void *)(uintptr_t)alignment->weights);
    free((void *)(uintptr_t)alignment->token_log_probabilities);
    free((void *)(uintptr_t)alignment->generation_probabilities);
    free((void *)(uintptr_t)alignment->target_unknown);
    free((void *)(uintptr_t)alignment->source_unknown);
    *alignment = (sa_alignment){0};
}

/* ---- Against gold ---------------------------------------------------------------------------- */

int sa_link_compare(const void *a, const void *b) {
    const sa_link *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Compares links; of two between the same words, the sure one comes first. */
static int by_link_sure_first(const void *a, const void *b) {
    const int order = sa_link_compare(a, b);
    return order ? order : ((const sa_link *)a)->possible - ((const sa_link *)b)->possible;
}

size_t sa_links_deduplicate(sa_link *links, size_t count) {
    size_t kept = 0;
    if (count) qsort(links, count, sizeof *links, by_link_sure_first);
    for (size_t i = 0; i < count; i++)
        if (!kept || sa_link_compare(&links[kept - 1], &links[i]) != 0) links[kept++] = links[i];
    return kept;
}

void sa_aer_add(sa_aer *aer, sa_link *links, size_t link_count, sa_link *gold, size_t gold_count) {
    link_count = sa_links_deduplicate(links, link_count);
    gold_count = sa_links_deduplicate(gold, gold_count);
    aer->links += link_count;
    for (size_t k = 0; k < gold_count; k++) aer->sure += !gold[k].possible;
    for (size_t i = 0, k = 0; i < link_count && k < gold_count;) {
        const int order = sa_link_compare(&links[i], &gold[k]);
        aer->links_possible += order == 0;
        aer->links_sure += order == 0 && !gold[k].possible;
        i += order <= 0;
        k += order >= 0;
    }
}

void sa_aer_sum(sa_aer *aer, const sa_aer *other) {
    aer->links += other->links, aer->sure += other->sure;
    aer->links_sure += other->links_sure, aer->links_possible += other->links_possible;
}

static double ratio(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

double sa_aer_rate(const sa_aer *aer) {
    return 1 - ratio(aer->links_sure + aer->links_possible, aer->links + aer->sure);
}

double sa_aer_precision(const sa_aer *aer) {
    return ratio(aer->links_possible, aer->links);
}
double sa_aer_recall(const sa_aer *aer) {
    return ratio(aer->links_sure, aer->sure);
}

bool sa_aer_add_shifted(sa_aer aer[3], const sa_link *links, size_t count, int targets,
                        sa_link *gold, size_t gold_count, sa_error *error) {
    sa_link *moved = sa_new(count, sizeof *moved, error);
    for (int shift = -1; moved && shift <= 1; shift++) {
        size_t left = 0;
        for (size_t i = 0; i < count; i++) {
            const int target = links[i].target + shift;
            if (target >= 0 && target < targets)
                moved[left++] = (sa_link){.source = links[i].source, .target = target};
        }
        sa_aer_add(&aer[shift + 1], moved, left, gold, gold_count);
    }
    free(moved);
    return moved != NULL;
}

bool sa_aer_is_off_by_one(double rate, double moved) {
    return rate - moved >= SA_AER_MARGIN; /* false for NaN */
}

/* ---- Both directions ------------------------------------------------------------------------- */

enum { INTERSECTION, UNION, GROW_DIAG, FINAL, FINAL_AND };

const char *const sa_symmetrizations[] = {
    [INTERSECTION] = "intersection",     [UNION] = "union",
    [GROW_DIAG] = "grow-diag",           [FINAL] = "grow-diag-final",
    [FINAL_AND] = "grow-diag-final-and", NULL};

const int sa_symmetrization_neighbors[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                               {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

/* The links of the two directions, and which of them are accepted. */
typedef struct link_grid {
    int sources, targets;
    unsigned char *cell;   /* [sources * targets] FORWARD, BACKWARD, ACCEPTED or none of them */
    bool *source, *target; /* whether the word has an accepted link */
} link_grid;

enum { FORWARD = 1, BACKWARD = 2, ACCEPTED = 4 };

static unsigned char *cell_at(const link_grid *grid, int source, int target) {
    return &grid->cell[(size_t)source * (size_t)grid->targets + (size_t)target];
}

static bool fit_size(link_grid *grid, const sa_link *links, size_t count, sa_error *error) {
    enum { MOST = 1 << 13 }; /* words of a sentence */
    for (size_t i = 0; i < count; i++) {
        if (links[i].source >= MOST || links[i].target >= MOST)
            return sa_fail(error, SA_LIMIT, "link %d-%d: no sentence has so many words",
                           links[i].source, links[i].target);
        if (links[i].source >= grid->sources) grid->sources = links[i].source + 1;
        if (links[i].target >= grid->targets) grid->targets = links[i].target + 1;
    }
    return true;
}

static void accept_link(link_grid *grid, int source, int target) {
    *cell_at(grid, source, target) |= ACCEPTED;
    grid->source[source] = grid->target[target] = true;
}

/* Accepts the neighbors of a link that are eligible. Accepted neighbors are not: their words have
 * links. */
static bool grow_neighbors(link_grid *grid, int source, int target) {
    bool grown = false;
    for (int k = 0; k < 8; k++) {
        const int s = source + sa_symmetrization_neighbors[k][0],
                  t = target + sa_symmetrization_neighbors[k][1];
        if (s < 0 || t < 0 || s >= grid->sources || t >= grid->targets) continue;
        if (!*cell_at(grid, s, t) || (grid->source[s] && grid->target[t])) continue;
        accept_link(grid, s, t);
        grown = true;
    }
    return grown;
}

static void grow(link_grid *grid) {
    for (bool grown = true; grown;) {
        grown = false;
        for (int s = 0; s < grid->sources; s++)
            for (int t = 0; t < grid->targets; t++)
                if (*cell_at(grid, s, t) & ACCEPTED && grow_neighbors(grid, s, t)) grown = true;
    }
}

/* Accepts the links of a direction of which one word or (`both`) each word has no link so far. */
static void accept_final(link_grid *grid, int direction, bool both) {
    for (int s = 0; s < grid->sources; s++)
        for (int t = 0; t < grid->targets; t++) {
            const bool linked =
                both ? grid->source[s] || grid->target[t] : grid->source[s] && grid->target[t];
            if (*cell_at(grid, s, t) & direction && !linked) accept_link(grid, s, t);
        }
}

static void accept_links(link_grid *grid, int method) {
    for (int s = 0; s < grid->sources; s++)
        for (int t = 0; t < grid->targets; t++) {
            const int found = *cell_at(grid, s, t);
            if (method == UNION ? found : found == (FORWARD | BACKWARD)) accept_link(grid, s, t);
        }
    if (method >= GROW_DIAG) grow(grid);
    if (method < FINAL) return;
    accept_final(grid, FORWARD, method == FINAL_AND);
    accept_final(grid, BACKWARD, method == FINAL_AND);
}

bool sa_symmetrize(int method, const sa_link *forward, size_t forward_count,
                   const sa_link *backward, size_t backward_count, sa_link **links, size_t *count,
                   sa_error *error) {
    link_grid grid = {0};
    *links = NULL, *count = 0;
    if (!fit_size(&grid, forward, forward_count, error) ||
        !fit_size(&grid, backward, backward_count, error))
        return false;
    const size_t sources = (size_t)grid.sources, targets = (size_t)grid.targets;
    grid.cell = sa_new(sources * targets + sources + targets, 1, error);
    if (grid.cell) *links = sa_new(forward_count + backward_count, sizeof **links, error);
    if (*links) {
        grid.source = (bool *)grid.cell + sources * targets, grid.target = grid.source + sources;
        for (size_t i = 0; i < forward_count; i++)
            *cell_at(&grid, forward[i].source, forward[i].target) |= FORWARD;
        for (size_t i = 0; i < backward_count; i++)
            *cell_at(&grid, backward[i].source, backward[i].target) |= BACKWARD;
        accept_links(&grid, method);
        for (int s = 0; s < grid.sources; s++)
            for (int t = 0; t < grid.targets; t++)
                if (*cell_at(&grid, s, t) & ACCEPTED)
                    (*links)[(*count)++] = (sa_link){.source = s, .target = t};
    }
    free(grid.cell);
    return *links;
}
