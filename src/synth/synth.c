#include "synth/synth.h"

#include "base/file.h"
#include "base/option.h"
#include "synth/grammar.h"
#include "synth/scfg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sa_splits[] = {"train", "valid", "test", NULL};

const sa_task sa_tasks[] = {
    {"phrases", "everyday English-French sentences, the demo's corpus", 8000, sa_synth_phrases},
    {"mono", "English-French word for word, in the same order", 10000, NULL, sa_grammar_mono},
    {"reorder", "the same with adjectives after nouns, the verb last, the adverb first", 10000,
     NULL, sa_grammar_reorder},
    {"length", "a list of words translated in reverse; tests are longer than training", 10000,
     sa_synth_length},
    {"dates", "dates in 12 formats to 1997-03-04, character by character", 10000, sa_synth_dates},
    {"reverse", "a list of numbers from 0 to 49 reversed", 10000, sa_synth_reverse},
    {"copy", "sentences with names never seen before, to be copied", 10000, sa_synth_copy},
    {"fertility", "one word to many and many to one: potato, pomme de terre", 10000, NULL,
     sa_grammar_fertility},
    {"agree", "verb and adjective agree with a noun far before them", 10000, NULL,
     sa_grammar_agree},
    {"sense", "ambiguous words, each decided by another word of the sentence", 10000, NULL,
     sa_grammar_sense},
    {"context", "sentences of introductory articles: bank, apple, monitor, mouse, it", 10000, NULL,
     sa_grammar_context},
    {"recall", "pairs of a key and its value, then keys: the values that belong to them", 10000,
     sa_synth_recall},
    {"assign", "assignments to variables: the last value of one (--tokenizer space)", 10000,
     sa_synth_assign},
    {"trigger", "the more frequent sign before a trigger; everywhere else nothing", 10000,
     sa_synth_trigger},
    {"induction", "random words that begin again, to be continued", 10000, sa_synth_induction},
    {0},
};

/* Returns the toy's task, or one for a grammar of the user. */
static bool find_task(const sa_toy *toy, sa_task *found, sa_error *error) {
    if (!toy->task == !toy->grammar)
        return sa_fail(error, SA_USAGE,
                       "a corpus has either a task or a grammar: "
                       "softalign corpus TASK, or softalign corpus --grammar FILE");
    *found = (sa_task){.name = toy->grammar, .pairs = 10000};
    if (toy->grammar) return true;
    sa_nearest nearest = {.wanted = toy->task};
    for (const sa_task *task = sa_tasks; task->name; task++) {
        if (!strcmp(task->name, toy->task)) return *found = *task, true;
        sa_nearest_consider(&nearest, task->name);
    }
    return sa_fail(error, SA_USAGE, "unknown task '%s'%s; 'softalign help corpus' lists all",
                   toy->task, sa_nearest_hint(&nearest));
}

/* ---- Making a corpus ------------------------------------------------------------------------ */

typedef struct corpus_generator {
    const sa_toy *toy;
    sa_task task;
    sa_grammar *grammar; /* or NULL */
    size_t wanted, made;
    sa_draft draft;
    sa_buffer source; /* of the current draft, as written */
    sa_strings seen;  /* the hashes of the sources */
    sa_synth_flush *flush;
} corpus_generator;

/* Makes one pair; *fresh: whether it belongs to this split and is new. */
static bool draw(corpus_generator *generator, bool *fresh, sa_error *error) {
    sa_draft *draft = &generator->draft;
    const sa_toy *toy = generator->toy;
    *fresh = false;
    sa_draft_clear(draft);
    if (!generator->grammar)
        generator->task.draw(draft);
    else if (!sa_grammar_draw(generator->grammar, draft))
        return true;
    const int words = draft->source.count;
    if (words < toy->min_words || (toy->max_words && words > toy->max_words)) return true;
    generator->source.size = 0;
    sa_draft_write_source(draft, &generator->source);
    if (generator->source.failed) return sa_fail_memory(error, generator->source.capacity);
    uint64_t hash = sa_hash(generator->source.text, generator->source.size);
    const size_t seen = generator->seen.count;
    /* Eight tenths of the sources are for training, one tenth each for validation and test. */
    const uint64_t tenth = (hash >> 32) % 10;
    const sa_split split = tenth < 8 ? SA_TRAIN : tenth == 8 ? SA_VALID : SA_TEST;
    if (split == draft->split &&
        sa_strings_add(&generator->seen, (const char *)&hash, sizeof hash, error) < 0)
        return false;
    *fresh = generator->seen.count > seen;
    return true;
}

/* Fails with what was found, and how many derivations the grammar has. */
static bool fail_found(const corpus_generator *generator, sa_error *error) {
    char all[64] = "";
    int longest = generator->toy->max_words ? generator->toy->max_words : SA_DRAFT_WORDS;
    uint64_t sum = 0, *ways = NULL;
    if (generator->grammar) ways = sa_grammar_count(generator->grammar, &longest, error);
    for (int i = generator->toy->min_words; ways && i <= longest && sum < SA_GRAMMAR_MANY; i++)
        sum += ways[i];
    if (ways) snprintf(all, sizeof all, "; all splits have %" PRIu64, sum);
    free(ways);
    return sa_fail(error, SA_USAGE, "%s: found only %zu different %s pairs, not %zu%s",
                   generator->task.name, generator->made, sa_splits[generator->draft.split],
                   generator->wanted, all);
}

/* Samples until there are enough pairs; a long run of draws without a new pair means that the
 * grammar has hardly any left. */
static bool draw_all(corpus_generator *generator, sa_buffer *out, sa_error *error) {
    enum { FLUSH = 1 << 16 /* bytes */, MISSES = 10000 };
    for (int misses = 0; generator->made < generator->wanted; misses++) {
        bool fresh;
        if (misses == MISSES) return fail_found(generator, error);
        if (!draw(generator, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&generator->draft, out);
        if (generator->flush && out->size >= FLUSH && !generator->flush(out, error)) return false;
        generator->made++;
        misses = -1;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}

bool sa_synth_write(const sa_toy *toy, sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    corpus_generator generator = {.toy = toy, .flush = flush};
    sa_rng rng = sa_rng_seed(toy->seed, (uint64_t)toy->split);
    if (!find_task(toy, &generator.task, error) ||
        !sa_within(toy->split, 0, SA_TEST, "split", error))
        return false;
    generator.wanted = toy->pairs ? toy->pairs : generator.task.pairs;
    if (generator.wanted > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "%zu pairs are too many: a toy corpus has at most %zu",
                       toy->pairs, SA_SYNTH_LIMIT);
    generator.draft.split = (sa_split)toy->split, generator.draft.rng = &rng;
    if (!generator.task.draw) {
        generator.grammar =
            sa_grammar_read(generator.task.name, (const char *)generator.task.grammar, error);
        if (!generator.grammar) return false;
    }
    const bool done = draw_all(&generator, out, error);
    sa_grammar_free(generator.grammar);
    sa_buffer_release(&generator.source);
    sa_strings_release(&generator.seen);
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
    sa_task task;
    if (!find_task(toy, &task, error)) return false;
    if (task.draw) return sa_fail(error, SA_USAGE, "the task '%s' has no grammar", task.name);
    sa_grammar *grammar = sa_grammar_read(task.name, (const char *)task.grammar, error);
    const bool good = grammar && sa_grammar_check(grammar, toy->seed, out, error);
    sa_grammar_free(grammar);
    return good;
}
