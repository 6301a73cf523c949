#include "metrics/symmetrize.h"
#include "base/memory.h"
#include "metrics/aer.h"

#include <stdlib.h>

enum { INTERSECTION, UNION, GROW_DIAG };

const char *sa_symmetrization_name(size_t row) {
    static const char *const names[] = {
        [INTERSECTION] = "intersection", [UNION] = "union", [GROW_DIAG] = "grow-diag", NULL};
    return names[row];
}

const int sa_symmetrization_neighbors[8][2] = {{-1, 0},  {0, -1}, {1, 0},  {0, 1},
                                               {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

/* The union, sorted, and which of its links and words are accepted. */
typedef struct symmetrization {
    sa_link *links;
    size_t count;
    bool *accepted;          /* [count] */
    bool *sources, *targets; /* whether the word has an accepted link */
} symmetrization;

static void accept_link(symmetrization *all, size_t i) {
    all->accepted[i] = true;
    all->sources[all->links[i].source] = all->targets[all->links[i].target] = true;
}

/* Both lists are sorted. */
static void merge(symmetrization *all, const sa_link *a, size_t a_count, const sa_link *b,
                  size_t b_count, int method) {
    for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
        const int order = i == a_count ? 1 : k == b_count ? -1 : sa_link_compare(&a[i], &b[k]);
        const sa_link *link = order <= 0 ? &a[i] : &b[k];
        all->links[all->count] = (sa_link){.source = link->source, .target = link->target};
        if (order == 0 || method == UNION) accept_link(all, all->count);
        all->count++;
        i += order <= 0;
        k += order >= 0;
    }
}

static int by_order(const void *a, const void *b) {
    return sa_link_compare(a, b);
}

/* Accepts the neighbors of link i that are eligible; accepted ones are not, as both words have
 * links. */
static bool grow_neighbors(symmetrization *all, size_t i) {
    bool grown = false;
    for (size_t k = 0; k < sizeof sa_symmetrization_neighbors / sizeof *sa_symmetrization_neighbors;
         k++) {
        const sa_link near = {.source = all->links[i].source + sa_symmetrization_neighbors[k][0],
                              .target = all->links[i].target + sa_symmetrization_neighbors[k][1]};
        const sa_link *found = bsearch(&near, all->links, all->count, sizeof near, by_order);
        if (!found || (all->sources[near.source] && all->targets[near.target])) continue;
        accept_link(all, (size_t)(found - all->links));
        grown = true;
    }
    return grown;
}

static void grow(symmetrization *all) {
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < all->count; i++)
            if (all->accepted[i] && grow_neighbors(all, i)) grown = true;
    }
}

static bool count_words(const sa_link *links, size_t count, size_t *words, sa_error *error) {
    for (size_t i = 0; i < count; i++) {
        const int far = links[i].source > links[i].target ? links[i].source : links[i].target;
        if (far >= 1 << 20)
            return sa_fail(error, SA_LIMIT, "link %d-%d: no sentence has so many words",
                           links[i].source, links[i].target);
        if ((size_t)far >= *words) *words = (size_t)far + 1;
    }
    return true;
}

bool sa_symmetrize(int method, sa_link *forward, size_t forward_count, sa_link *backward,
                   size_t backward_count, sa_link **links, size_t *count, sa_error *error) {
    size_t words = 0;
    symmetrization all = {0};
    if (!count_words(forward, forward_count, &words, error) ||
        !count_words(backward, backward_count, &words, error))
        return false;
    forward_count = sa_links_deduplicate(forward, forward_count);
    backward_count = sa_links_deduplicate(backward, backward_count);
    all.links = sa_new(forward_count + backward_count, sizeof *all.links, error);
    all.accepted = sa_new(forward_count + backward_count, sizeof *all.accepted, error);
    all.sources = sa_new(words, sizeof *all.sources, error);
    all.targets = sa_new(words, sizeof *all.targets, error);
    const bool good = all.links && all.accepted && all.sources && all.targets;
    if (good) {
        merge(&all, forward, forward_count, backward, backward_count, method);
        if (method == GROW_DIAG) grow(&all);
        *count = 0;
        for (size_t i = 0; i < all.count; i++)
            if (all.accepted[i]) all.links[(*count)++] = all.links[i];
        *links = all.links;
    } else {
        free(all.links);
    }
    free(all.accepted), free(all.sources), free(all.targets);
    return good;
}
