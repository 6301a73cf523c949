#include "synth/synth.h"

#include "base/file.h"
#include "base/option.h"
#include "synth/scfg.h"
#include "synth/tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sa_splits[] = {"train", "valid", "test", NULL};

const sa_task sa_tasks[] = {
    {"phrases", "everyday English-French sentences, the demo's corpus", NULL, sa_grammar_phrases},
    {"mono", "English-French word for word, in the same order", NULL, sa_grammar_mono},
    {"reorder", "the same with adjectives after nouns, the verb last, the adverb first", NULL,
     sa_grammar_reorder},
    {"length", "a list of words translated in reverse; tests are longer than training",
     sa_synth_length},
    {"dates", "dates in 12 formats to 1997-03-04, character by character", sa_synth_dates},
    {"reverse", "a list of numbers from 0 to 49 reversed", sa_synth_reverse},
    {"copy", "sentences with names never seen before, to be copied", NULL, sa_grammar_copy},
    {"fertility", "one word to many and many to one: potato, pomme de terre", NULL,
     sa_grammar_fertility},
    {"agree", "verb and adjective agree with a noun far before them", NULL, sa_grammar_agree},
    {"sense", "ambiguous words, each decided by another word of the sentence", NULL,
     sa_grammar_sense},
    {"context", "sentences of introductory articles: bank, apple, monitor, mouse, it", NULL,
     sa_grammar_context},
    {"recall", "pairs of a key and its value, then keys: the values that belong to them",
     sa_synth_recall},
    {"assign", "assignments to variables: the last value of one (--tokenizer space)",
     sa_synth_assign},
    {"trigger", "the more frequent sign before a trigger; everywhere else nothing",
     sa_synth_trigger},
    {"induction", "random words that begin again, to be continued", sa_synth_induction},
    {0},
};

/* ---- Making a corpus ------------------------------------------------------------------------ */

typedef struct generator {
    const sa_toy *toy;
    sa_task task;
    sa_grammar *grammar; /* or NULL */
    size_t wanted, made;
    sa_draft draft;
    sa_buffer source; /* of the current draft, as written */
    sa_strings seen;  /* the hashes of the sources */
} generator;

/* Finds the toy's task, or makes one of the user's grammar, and reads the grammar. */
static bool open_toy(generator *own, const sa_toy *toy, sa_error *error) {
    if (!toy->task == !toy->grammar)
        return sa_fail(error, SA_USAGE,
                       "a corpus has either a task or a grammar: "
                       "softalign corpus TASK, or softalign corpus --grammar FILE");
    sa_nearest nearest = {.wanted = toy->task};
    *own = (generator){.toy = toy, .task = {.name = toy->grammar}};
    for (const sa_task *task = sa_tasks; toy->task && task->name && !own->task.name; task++) {
        if (!strcmp(task->name, toy->task)) own->task = *task;
        sa_nearest_consider(&nearest, task->name);
    }
    if (!own->task.name)
        return sa_fail(error, SA_USAGE, "unknown task '%s'%s; 'softalign help corpus' lists all",
                       toy->task, sa_nearest_hint(&nearest));
    if (!own->task.draw)
        own->grammar = sa_grammar_read(own->task.name, (const char *)own->task.grammar, error);
    return own->task.draw || own->grammar;
}

/* Draws a pair; *fresh: whether it belongs to this split and is new. */
static bool draw(generator *own, bool *fresh, sa_error *error) {
    sa_draft *draft = &own->draft;
    const sa_toy *toy = own->toy;
    *fresh = false;
    sa_draft_clear(draft);
    if (own->task.draw)
        own->task.draw(draft);
    else if (!sa_grammar_draw(own->grammar, draft))
        return true;
    const int words = draft->source.count;
    if (words < toy->min_words || (toy->max_words && words > toy->max_words)) return true;
    own->source.size = 0;
    sa_draft_write_side(draft, &draft->source, &own->source);
    if (own->source.failed) return sa_fail_memory(error, own->source.capacity);
    /* Eight tenths of the sources are for training, one tenth each for validation and test. */
    const uint64_t hash = sa_hash(own->source.text, own->source.size), tenth = (hash >> 32) % 10;
    if ((tenth < 8 ? SA_TRAIN : tenth == 8 ? SA_VALID : SA_TEST) != draft->split) return true;
    const size_t seen = own->seen.count;
    if (sa_strings_add(&own->seen, (const char *)&hash, sizeof hash, error) < 0) return false;
    *fresh = own->seen.count > seen;
    return true;
}

/* Fails with what was found, and how many derivations the grammar has. */
static bool fail_found(const generator *own, sa_error *error) {
    const int most = own->toy->max_words ? own->toy->max_words : SA_DRAFT_WORDS;
    const int longest = own->grammar ? sa_grammar_count(own->grammar, most, error) : -1;
    char all[64] = "";
    uint64_t sum = 0;
    for (int i = own->toy->min_words; i <= longest && sum < SA_GRAMMAR_MANY; i++)
        sum += own->grammar->count[i];
    if (longest >= 0) snprintf(all, sizeof all, "; all splits have %" PRIu64, sum);
    return sa_fail(error, SA_USAGE, "%s: found only %zu different %s pairs, not %zu%s",
                   own->task.name, own->made, sa_splits[own->draft.split], own->wanted, all);
}

/* Samples until there are enough pairs; a long run of draws without a new pair means that the
 * grammar has hardly any left. */
static bool draw_all(generator *own, sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    enum { FLUSH = 1 << 16 /* bytes */, MISSES = 10000 };
    for (int misses = 0; own->made < own->wanted; misses++) {
        bool fresh;
        if (misses == MISSES) return fail_found(own, error);
        if (!draw(own, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&own->draft, out);
        if (flush && out->size >= FLUSH && !flush(out, error)) return false;
        own->made++;
        misses = -1;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}

bool sa_synth_write(const sa_toy *toy, sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    generator own;
    sa_rng rng = sa_rng_seed(toy->seed, (uint64_t)toy->split);
    if (!sa_within(toy->split, 0, SA_TEST, "split", error)) return false;
    if (toy->pairs > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "%zu pairs are too many: a toy corpus has at most %zu",
                       toy->pairs, SA_SYNTH_LIMIT);
    if (!open_toy(&own, toy, error)) return false;
    own.wanted = toy->pairs ? toy->pairs : SA_SYNTH_PAIRS;
    own.draft.split = (sa_split)toy->split, own.draft.rng = &rng;
    const bool done = draw_all(&own, flush, out, error);
    sa_grammar_free(own.grammar);
    sa_buffer_release(&own.source);
    sa_strings_release(&own.seen);
    return done;
}

bool sa_corpus_generate(const char *task, const char *grammar, size_t pairs, uint64_t seed,
                        int split, const char *path, sa_error *error) {
    const sa_toy toy = {task, grammar, pairs, seed, split, 0, 0};
    sa_buffer out = {0};
    const bool good = sa_given(path, "path", error) && sa_synth_write(&toy, NULL, &out, error) &&
                      sa_save_text(path, &out, error);
    sa_buffer_release(&out);
    return good;
}

bool sa_synth_check(const sa_toy *toy, sa_buffer *out, sa_error *error) {
    generator own;
    if (!open_toy(&own, toy, error)) return false;
    const bool good = own.grammar
                          ? sa_grammar_check(own.grammar, toy->seed, out, error)
                          : sa_fail(error, SA_USAGE, "the task '%s' has no grammar", own.task.name);
    sa_grammar_free(own.grammar);
    return good;
}
