#include "analysis/overlap.h"
#include "base/rng.h"
#include "compare/compare.h"

#include <string.h>

static uint64_t join(uint64_t hash, const char *text) {
    return sa_hash_mix(hash ^ (text ? sa_hash(text, strlen(text)) : 0));
}

/* Of all texts in order, and of the gold alignments where they matter. */
static uint64_t hash_of(const sa_corpus *corpus, bool gold) {
    uint64_t hash = corpus->count;
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        hash = join(join(hash, pair->source), pair->target);
        if (gold) hash = join(hash, pair->gold);
    }
    return hash;
}

/* The hash of the pairs at `path`, and how many of the test pairs occur among them. */
static bool read_pairs(const char *path, const sa_corpus *test, uint64_t *hash, size_t *shared,
                       sa_error *error) {
    sa_corpus corpus;
    *hash = *shared = 0;
    if (!path) return true;
    if (!sa_corpus_open(&corpus, path, error)) return false;
    *hash = hash_of(&corpus, false);
    const bool good = sa_overlap_count(test, &corpus, NULL, shared, error);
    sa_corpus_close(&corpus);
    return good;
}

bool sa_compare_data_open(sa_compare_data *data, const char *train, const char *valid,
                          const char *test, const char *snapshot_pairs, sa_error *error) {
    data->train = train;
    data->valid = valid;
    if (!sa_corpus_open(&data->test, test, error) ||
        !read_pairs(train, &data->test, &data->train_hash, &data->train_shared, error) ||
        !read_pairs(valid, &data->test, &data->valid_hash, &data->valid_shared, error) ||
        (snapshot_pairs && !sa_corpus_open(&data->snapshot_pairs, snapshot_pairs, error)))
        return false;
    data->test_hash = hash_of(&data->test, true);
    return true;
}
