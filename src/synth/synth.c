#include "synth/synth.h"

#include "base/file.h"
#include "base/option.h"
#include "synth/scfg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const sa_splits[] = {"train", "valid", "test", NULL};

/* ---- Making a corpus ------------------------------------------------------------------------ */

typedef struct generator {
    sa_toy toy; /* with the usual numbers where it has 0 */
    sa_task task;
    sa_grammar *grammar; /* or NULL */
    sa_draft draft;
    sa_strings seen; /* the hashes of the sources that were written */
} generator;

/* Finds the toy's task, or makes one of the user's grammar, and reads the grammar. */
static bool open_toy(generator *own, const sa_toy *toy, sa_error *error) {
    if (!toy->task == !toy->grammar)
        return sa_fail(error, SA_USAGE,
                       "a corpus has either a task or a grammar: softalign corpus TASK, or "
                       "softalign corpus --grammar FILE");
    sa_nearest nearest = {.wanted = toy->task};
    *own = (generator){.toy = *toy, .task = {.name = toy->grammar}};
    if (!toy->pairs) own->toy.pairs = SA_SYNTH_PAIRS;
    if (!toy->max_words) own->toy.max_words = SA_DRAFT_WORDS;
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

/* Fails if there are too few pairs. searched: those that were found are all; else only a large
 * grammar is judged, by how many sentences its hashes leave to the split (see belongs). */
static bool check_supply(const generator *own, bool searched, sa_error *error) {
    sa_grammar *g = own->grammar;
    const sa_split split = own->draft.split;
    char text[64] = "";
    uint64_t all = 0;
    if (g && sa_grammar_count(g, split, own->toy.min_words, own->toy.max_words, &all, error) < 0)
        return false;
    const uint64_t share = all / 10 * (split == SA_TRAIN ? 8 : 1);
    if (!searched && (all < 20000 || (size_t)own->toy.pairs <= share + all / 64)) return true;
    if (g) snprintf(text, sizeof text, "; all splits have %" PRIu64, all);
    return sa_fail(error, SA_USAGE, "%s: %s %zu different %s pairs, not %zu%s", own->task.name,
                   searched ? "found only" : "there are only about",
                   searched ? own->seen.count : (size_t)share, sa_splits[split],
                   (size_t)own->toy.pairs, text);
}

/* Returns whether a source with that hash has the length and the split. Eight tenths of
 * the sources are for training, one tenth each for validation and test. */
static bool belongs(const generator *own, uint64_t hash) {
    const int words = own->draft.source.count, tenth = (int)((hash >> 32) % 10);
    return words >= own->toy.min_words && words <= own->toy.max_words &&
           (tenth < 8 ? SA_TRAIN : tenth - 7) == (int)own->draft.split;
}

/* Samples until there are enough pairs; a long run of draws without a new pair means that the
 * grammar has hardly any left. */
static bool draw_all(generator *own, sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    enum { FLUSH = 1 << 16 /* bytes */, MISSES = 10000, REPEATS = 1000 };
    sa_draft *draft = &own->draft;
    for (int misses = 0, repeats = 0; own->seen.count < (size_t)own->toy.pairs && !out->failed;
         misses++) {
        const size_t seen = own->seen.count, before = out->size;
        if (misses == MISSES) return check_supply(own, true, error);
        sa_draft_clear(draft);
        if (own->task.draw)
            own->task.draw(draft, own->task.variant);
        else if (!sa_grammar_draw(own->grammar, draft))
            continue;
        sa_draft_write_side(draft, &draft->source, out);
        const uint64_t hash = out->failed ? 0 : sa_hash(out->text + before, out->size - before);
        out->size = before;
        if (!belongs(own, hash)) continue;
        if (sa_strings_add(&own->seen, (const char *)&hash, sizeof hash, error) < 0) return false;
        if (own->seen.count == seen) {
            if (++repeats == REPEATS && !check_supply(own, false, error)) return false;
            continue;
        }
        sa_draft_write(draft, out);
        if (flush && out->size >= FLUSH && !flush(out, error)) return false;
        misses = -1;
    }
    return !out->failed || sa_fail_memory(error, out->capacity);
}

bool sa_synth_write(const sa_toy *toy, sa_synth_flush *flush, sa_buffer *out, sa_error *error) {
    generator own;
    sa_rng rng = sa_rng_seed((uint64_t)toy->seed, (uint64_t)toy->split);
    if (!sa_within(toy->split, 0, SA_TEST, "split", error)) return false;
    if ((size_t)toy->pairs > SA_SYNTH_LIMIT)
        return sa_fail(error, SA_USAGE, "a toy corpus has at most %zu pairs", SA_SYNTH_LIMIT);
    if (!open_toy(&own, toy, error)) return false;
    own.draft.split = (sa_split)toy->split, own.draft.rng = &rng;
    const bool done = !toy->check ? draw_all(&own, flush, out, error)
                      : own.grammar
                          ? sa_grammar_check(own.grammar, (uint64_t)toy->seed, out, error)
                          : sa_fail(error, SA_USAGE, "the task '%s' has no grammar", own.task.name);
    sa_grammar_free(own.grammar);
    sa_strings_release(&own.seen);
    return done;
}

bool sa_corpus_generate(const char *task, const char *grammar, size_t pairs, uint64_t seed,
                        int split, const char *path, sa_error *error) {
    const sa_toy toy = {task, grammar, (int64_t)pairs, (int64_t)seed, split, 0, 0};
    sa_buffer out = {0};
    const bool good = sa_given(path, "path", error) && sa_synth_write(&toy, NULL, &out, error) &&
                      sa_save_text(path, &out, error);
    sa_buffer_release(&out);
    return good;
}
