#include "synth/synth.h"

#include "data/tokens.h"
#include "synth/grammar.h"

#include <string.h>

const char *const sa_splits[] = {"train", "valid", "test", NULL};

const sa_task sa_tasks[] = {
    {"phrases", "everyday English-French sentences, the demo's corpus", 8000, sa_synth_phrases},
    {"mono", "English-French word for word, in the same order", 10000, sa_synth_mono},
    {"reorder", "the same with adjectives after nouns, the verb last, the adverb first", 10000,
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
    {"context", "sentences of introductory articles: bank, apple, monitor, mouse, it", 10000,
     sa_synth_context},
    {"recall", "pairs of a key and its value, then keys: the values that belong to them", 10000,
     sa_synth_recall},
    {"assign", "assignments to variables: the last value of one (--tokenizer space)", 10000,
     sa_synth_assign},
    {"trigger", "the more frequent sign before a trigger; everywhere else nothing", 10000,
     sa_synth_trigger},
    {"induction", "random words that begin again, to be continued", 10000, sa_synth_induction},
    {0},
};

const sa_task *sa_task_find(const char *name) {
    for (const sa_task *task = sa_tasks; task->name; task++)
        if (!strcmp(task->name, name)) return task;
    return NULL;
}

/* ---- Making a corpus ------------------------------------------------------------------------ */

typedef struct corpus_generator {
    const sa_task *task;
    size_t wanted, made;
    sa_draft draft;
    sa_buffer source; /* of the current draft, as written */
    sa_strings seen;  /* the hashes of the sources */
    sa_synth_flush *flush;
} corpus_generator;

/* Makes one pair; *fresh: whether it belongs to this split and is new. */
static bool draw(corpus_generator *generator, bool *fresh, sa_error *error) {
    *fresh = false;
    sa_draft_clear(&generator->draft);
    generator->task->draw(&generator->draft);
    generator->source.size = 0;
    sa_draft_write_source(&generator->draft, &generator->source);
    if (generator->source.failed) return sa_fail_memory(error, generator->source.capacity);
    uint64_t hash = sa_hash(generator->source.text, generator->source.size);
    const size_t seen = generator->seen.count;
    /* Eight tenths of the sources are for training, one tenth each for validation and test. */
    const uint64_t tenth = (hash >> 32) % 10;
    const sa_split split = tenth < 8 ? SA_TRAIN : tenth == 8 ? SA_VALID : SA_TEST;
    if (split == generator->draft.split &&
        sa_strings_add(&generator->seen, (const char *)&hash, sizeof hash, error) < 0)
        return false;
    *fresh = generator->seen.count > seen;
    return true;
}

/* Samples until there are enough pairs; a long run of draws without a new pair means that the
 * grammar has hardly any left. */
static bool draw_all(corpus_generator *generator, sa_buffer *out, sa_error *error) {
    enum { FLUSH = 1 << 16 /* bytes */, MISSES = 10000 };
    for (int misses = 0; generator->made < generator->wanted; misses++) {
        bool fresh;
        if (misses == MISSES)
            return sa_fail(error, SA_USAGE, "%s: found only %zu different %s pairs, not %zu",
                           generator->task->name, generator->made,
                           sa_splits[generator->draft.split], generator->wanted);
        if (!draw(generator, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&generator->draft, out);
        if (generator->flush && out->size >= FLUSH && !generator->flush(out, error)) return false;
        generator->made++;
        misses = -1;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}

bool sa_synth_write(const sa_task *task, size_t pairs, uint64_t seed, sa_split split,
                    sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    if (pairs > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "%zu pairs are too many: a toy corpus has at most %zu",
                       pairs, SA_SYNTH_LIMIT);
    corpus_generator generator = {.task = task, .wanted = pairs, .flush = flush};
    sa_rng rng = sa_rng_seed(seed, (uint64_t)split);
    generator.draft.split = split, generator.draft.rng = &rng;
    const bool done = draw_all(&generator, out, error);
    sa_buffer_release(&generator.source);
    sa_strings_release(&generator.seen);
    return done;
}
