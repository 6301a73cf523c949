#include "synth/synth.h"

#include "synth/tasks.h"

#include <stdlib.h>
#include <string.h>

const char *const sa_splits[] = {"train", "valid", "test", NULL};

const sa_task sa_tasks[] = {
    {"phrases", "everyday English-French sentences, the demo's corpus", 8000, sa_synth_phrases},
    {"mono", "English-French word for word, in the same order", 10000, sa_synth_mono},
    {"reorder", "the same with adjectives behind, the verb last, the adverb first", 10000,
     sa_synth_reorder},
    {"length", "a list of words translated in reverse; tests are longer than training", 10000,
     sa_synth_length},
    {"dates", "dates in 12 formats to 1997-03-04, character by character", 10000, sa_synth_dates},
    {"reverse", "a list of numbers from 0 to 49 reversed", 10000, sa_synth_reverse},
    {"copy", "sentences with names never seen before, to be copied", 10000, sa_synth_copy},
    {"fertility", "one word to many and many to one: potato, pomme de terre", 10000,
     sa_synth_fertility},
    {"agree", "verb and adjective agree with a noun far before them", 10000, sa_synth_agree},
    {"sense", "ambiguous words, each decided by another word of the sentence", 10000,
     sa_synth_sense},
    {0},
};

const sa_task *sa_task_find(const char *name) {
    for (const sa_task *task = sa_tasks; task->name; task++)
        if (!strcmp(task->name, name)) return task;
    return NULL;
}

/* ---- The sources already used, by their hashes --------------------------------------------- */

typedef struct hash_set {
    uint64_t *slots; /* 0: free */
    size_t room, count;
} hash_set;

/* Enters a hash; *fresh tells whether it was new. */
static bool enter(hash_set *set, uint64_t hash, bool *fresh, sa_error *error) {
    if (2 * set->count >= set->room) {
        hash_set larger = {.room = set->room ? 2 * set->room : 1024, .count = set->count};
        larger.slots = sa_new(larger.room, sizeof *larger.slots, error);
        if (!larger.slots) return false;
        for (size_t i = 0; i < set->room; i++) {
            if (!set->slots[i]) continue;
            size_t at = set->slots[i] % larger.room;
            while (larger.slots[at]) at = (at + 1) % larger.room;
            larger.slots[at] = set->slots[i];
        }
        free(set->slots);
        *set = larger;
    }
    size_t at = hash % set->room;
    while (set->slots[at] && set->slots[at] != hash) at = (at + 1) % set->room;
    *fresh = !set->slots[at];
    set->slots[at] = hash;
    set->count += *fresh;
    return true;
}

/* ---- Making a corpus ------------------------------------------------------------------------ */

typedef struct corpus_maker {
    const sa_task *task;
    sa_split split;
    size_t wanted, made;
    sa_rng rng;
    sa_draft draft;
    sa_buffer source; /* of the current draft, as written */
    hash_set seen;
} corpus_maker;

/* Eight of ten sources are for training, one each for validation and test. */
static sa_split split_of(uint64_t hash) {
    uint64_t tenth = (hash >> 32) % 10;
    return tenth < 8 ? SA_TRAIN : tenth == 8 ? SA_VALID : SA_TEST;
}

/* Makes one pair; *fresh tells whether it is of this split and new. */
static bool draw(corpus_maker *maker, bool *fresh, sa_error *error) {
    sa_draft_clear(&maker->draft);
    maker->task->draw(&maker->draft, maker->split);
    maker->source.size = 0;
    sa_draft_write_source(&maker->draft, &maker->source);
    if (maker->source.failed) return sa_fail_memory(error, maker->source.capacity);
    uint64_t hash = sa_hash(maker->source.text, maker->source.size);
    *fresh = false;
    return split_of(hash) != maker->split || enter(&maker->seen, hash, fresh, error);
}

/* Draws at random until there are enough pairs, or until so many draws in a row gave nothing new
 * that more than nine tenths of the split must be used up. */
static bool draw_at_random(corpus_maker *maker, sa_buffer *out, sa_error *error) {
    maker->draft.rng = &maker->rng;
    for (int misses = 0; maker->made < maker->wanted && misses < 2000; misses++) {
        bool fresh;
        if (!draw(maker, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&maker->draft, out);
        maker->made++;
        misses = -1;
    }
    return true;
}

/* Walks through the whole grammar; the lines not made yet go to `lines`, their ends to `ends`. */
static bool walk(corpus_maker *maker, sa_buffer *lines, sa_buffer *ends, sa_error *error) {
    maker->draft.rng = NULL;
    do {
        bool fresh;
        if (!draw(maker, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&maker->draft, lines);
        sa_buffer_add(ends, (const char *)&lines->size, sizeof lines->size);
    } while (sa_draft_advance(&maker->draft));
    if (lines->failed || ends->failed) return sa_fail_memory(error, lines->capacity);
    return true;
}

/* Takes what is missing from the lines in random order. */
static void take(corpus_maker *maker, const sa_buffer *lines, const size_t *end, uint32_t *order,
                 size_t count, sa_buffer *out) {
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = 0; maker->made < maker->wanted; i++, maker->made++) {
        size_t other = i + sa_rng_below(&maker->rng, (uint32_t)(count - i));
        uint32_t line = order[other];
        order[other] = order[i];
        size_t start = line ? end[line - 1] : 0;
        sa_buffer_add(out, lines->text + start, end[line] - start);
    }
}

/* A small grammar nears its end: find all that is left, and choose among it. */
static bool draw_from_the_rest(corpus_maker *maker, sa_buffer *out, sa_error *error) {
    sa_buffer lines = {0}, ends = {0};
    uint32_t *order = NULL;
    bool done = walk(maker, &lines, &ends, error);
    size_t count = ends.size / sizeof(size_t);
    if (done && maker->made + count < maker->wanted)
        done =
            sa_fail(error, SA_USAGE, "%s has only %zu different %s pairs, not %zu",
                    maker->task->name, maker->made + count, sa_splits[maker->split], maker->wanted);
    if (done) done = (order = sa_new(count, sizeof *order, error)) != NULL;
    if (done) take(maker, &lines, (const size_t *)(const void *)ends.text, order, count, out);
    free(order);
    sa_buffer_release(&ends);
    sa_buffer_release(&lines);
    return done;
}

bool sa_synth_write(const sa_task *task, size_t pairs, uint64_t seed, sa_split split,
                    sa_buffer *out, sa_error *error) {
    if (pairs > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "%zu pairs are too many: a toy corpus has at most %zu",
                       pairs, SA_SYNTH_LIMIT);
    corpus_maker maker = {.task = task, .split = split, .wanted = pairs};
    maker.rng = sa_rng_seed(seed, (uint64_t)split);
    bool done = draw_at_random(&maker, out, error);
    if (done && maker.made < pairs) done = draw_from_the_rest(&maker, out, error);
    if (done && out->failed) done = sa_fail_memory(error, out->capacity);
    sa_buffer_release(&maker.source);
    free(maker.seen.slots);
    return done;
}
