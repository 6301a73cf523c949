#include "synth/synth.h"

#include "data/tokens.h"
#include "synth/grammar.h"

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
    sa_rng rng;
    sa_draft draft;
    sa_buffer source; /* of the current draft, as written */
    sa_strings seen;  /* the hashes of the sources */
    sa_synth_flush *flush;
} corpus_generator;

/* Makes one pair; *fresh: it belongs to this split and is new. */
static bool draw(corpus_generator *generator, bool *fresh, sa_error *error) {
    *fresh = false;
    sa_draft_clear(&generator->draft);
    generator->task->draw(&generator->draft);
    generator->source.size = 0;
    sa_draft_write_source(&generator->draft, &generator->source);
    if (generator->source.failed) return sa_fail_memory(error, generator->source.capacity);
    uint64_t hash = sa_hash(generator->source.text, generator->source.size);
    const size_t seen = generator->seen.count;
    /* Eight tenths of the sources are for training, one each for validation and test. */
    const uint64_t tenth = (hash >> 32) % 10;
    const sa_split split = tenth < 8 ? SA_TRAIN : tenth == 8 ? SA_VALID : SA_TEST;
    if (split == generator->draft.split &&
        sa_strings_add(&generator->seen, (const char *)&hash, sizeof hash, error) < 0)
        return false;
    *fresh = generator->seen.count > seen;
    return true;
}

/* Samples until there are enough pairs, or until a long run of draws gave nothing new, which means
 * that more than nine tenths of the split are used up. */
static bool draw_at_random(corpus_generator *generator, sa_buffer *out, sa_error *error) {
    enum { FLUSH = 1 << 16 }; /* bytes */
    generator->draft.rng = &generator->rng;
    for (int misses = 0; generator->made < generator->wanted && misses < 2000; misses++) {
        bool fresh;
        if (!draw(generator, &fresh, error)) return false;
        if (!fresh) continue;
        sa_draft_write(&generator->draft, out);
        if (generator->flush && out->size >= FLUSH && !generator->flush(out, error)) return false;
        generator->made++;
        misses = -1;
    }
    return true;
}

/* A line in a buffer. */
typedef struct line_span {
    size_t start, size;
} line_span;

/* Enumerates the grammar; the lines not made yet go to `lines`, their line_spans to `spans`. */
static bool enumerate(corpus_generator *generator, sa_buffer *lines, sa_buffer *spans,
                      sa_error *error) {
    generator->draft.rng = NULL;
    do {
        bool fresh;
        if (!draw(generator, &fresh, error)) return false;
        if (!fresh) continue;
        line_span line = {.start = lines->size};
        sa_draft_write(&generator->draft, lines);
        line.size = lines->size - line.start;
        sa_buffer_add(spans, (const char *)&line, sizeof line);
    } while (sa_draft_advance(&generator->draft));
    if (lines->failed || spans->failed) return sa_fail_memory(error, lines->capacity);
    return true;
}

/* A small grammar is almost used up: finds all remaining sentences and samples from them. */
static bool draw_from_the_rest(corpus_generator *generator, sa_buffer *out, sa_error *error) {
    sa_buffer lines = {0}, spans = {0};
    bool done = enumerate(generator, &lines, &spans, error);
    line_span *list = (void *)spans.text;
    const size_t count = spans.size / sizeof *list;
    if (done && generator->made + count < generator->wanted)
        done = sa_fail(error, SA_USAGE, "%s has only %zu different %s pairs, not %zu",
                       generator->task->name, generator->made + count,
                       sa_splits[generator->draft.split], generator->wanted);
    for (size_t i = 0; done && generator->made < generator->wanted; i++, generator->made++) {
        const size_t other = i + sa_rng_below(&generator->rng, (uint32_t)(count - i));
        const line_span line = list[other];
        list[other] = list[i];
        sa_buffer_add(out, lines.text + line.start, line.size);
    }
    sa_buffer_release(&spans);
    sa_buffer_release(&lines);
    return done;
}

bool sa_synth_write(const sa_task *task, size_t pairs, uint64_t seed, sa_split split,
                    sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    if (pairs > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "%zu pairs are too many: a toy corpus has at most %zu",
                       pairs, SA_SYNTH_LIMIT);
    corpus_generator generator = {.task = task, .wanted = pairs, .flush = flush};
    generator.draft.split = split;
    generator.rng = sa_rng_seed(seed, (uint64_t)split);
    bool done = draw_at_random(&generator, out, error);
    if (done && generator.made < pairs) done = draw_from_the_rest(&generator, out, error);
    if (done && out->failed) done = sa_fail_memory(error, out->capacity);
    sa_buffer_release(&generator.source);
    sa_strings_release(&generator.seen);
    return done;
}
