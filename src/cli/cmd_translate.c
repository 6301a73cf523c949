#include "base/number.h"
#include "base/settings.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"

#include <stdlib.h>

enum { BATCHES = 16 }; /* read at once from a file, so that sentences of one length meet */

typedef struct translate_options {
    sa_search search;
    int threads;
} translate_options;

#define AT(field) offsetof(translate_options, field)

static const sa_option rows[] = {
    {"nbest", SA_OPTION_INT, SA_SCOPE_RUN, AT(search.nbest), 1, 1, 1000, NULL, "N",
     "write so many translations of each sentence, as 'index ||| text ||| score'"},
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "threads that work; 0: one per core"},
    {0},
};
static const cli_set sets[] = {
    {"Options", rows, 0},
    {"Search", sa_search_options, AT(search)},
    {0},
};

/* Lines come in, lines go out. */
typedef struct task {
    sa_model *model;
    sa_search search;
    cli_input input;
    size_t room;
    const char **lines;  /* [room] */
    sa_translation *out; /* [room * nbest] */
    size_t index;        /* of the next sentence, from 0 */
    sa_buffer text;
} task;

static void write_nbest(task *work, const sa_translation *translation, size_t index) {
    sa_buffer_addf(&work->text, "%zu ||| %s ||| ", index, translation->text);
    sa_number_add_fixed(&work->text, translation->score, 6);
    sa_buffer_adds(&work->text, "\n");
}

static bool write_block(task *work, size_t count, sa_error *error) {
    const int nbest = work->search.nbest;
    for (size_t i = 0; i < count; i++, work->index++) {
        const sa_translation *each = work->out + i * (size_t)nbest;
        if (nbest == 1)
            sa_buffer_addf(&work->text, "%s\n", each->text);
        else
            for (int k = 0; k < nbest && each[k].text; k++)
                write_nbest(work, &each[k], work->index);
    }
    return cli_print(&work->text, error);
}

static bool translate_block(task *work, size_t count, sa_error *error) {
    if (!sa_translate(work->model, work->lines, count, &work->search, work->out, error))
        return false;
    bool good = write_block(work, count, error);
    sa_translations_release(work->out, count * (size_t)work->search.nbest);
    return good;
}

static bool translate_all(task *work, sa_error *error) {
    for (size_t count = 1; count;)
        if (!cli_input_next(&work->input, work->lines, work->room, &count, error) ||
            (count && !translate_block(work, count, error)))
            return false;
    return true;
}

static bool open_work(task *work, const char *const *words, int threads, sa_error *error) {
    work->model = sa_model_open(words[0], threads, error);
    if (!work->model || !cli_input_open(&work->input, words[1], error)) return false;
    work->room = (size_t)work->search.batch * BATCHES;
    work->lines = sa_new(work->room, sizeof *work->lines, error);
    work->out = work->lines
                    ? sa_new(work->room, (size_t)work->search.nbest * sizeof *work->out, error)
                    : NULL;
    return work->out != NULL;
}

static void close_work(task *work) {
    free(work->lines);
    free(work->out);
    sa_buffer_release(&work->text);
    cli_input_close(&work->input);
    sa_model_close(work->model);
}

static bool run(int count, char **arguments, sa_error *error) {
    translate_options options;
    sa_search_init(&options.search);
    sa_options_init(rows, &options);
    const char *words[2];
    if (!cli_read(&cli_translate, count, arguments, &options, words, error)) return false;
    if (options.search.nbest > options.search.beam)
        return sa_fail(error, SA_USAGE, "--nbest %d needs --beam %d or more", options.search.nbest,
                       options.search.nbest);
    task work = {.search = options.search};
    bool good = open_work(&work, words, options.threads, error) && translate_all(&work, error);
    close_work(&work);
    return good;
}

const cli_command cli_translate = {
    .name = "translate",
    .words = "MODEL [FILE]",
    .least = 1,
    .most = 2,
    .summary = "one sentence a line in, one translation a line out",
    .details =
        "Reads FILE, or standard input, and writes a line for every line, in their order; an "
        "empty line gives an empty line. What is typed or piped in is answered at once.\n",
    .example = "  cut -f 1 unseen.tsv | head -n 3 | softalign translate mono/best.safetensors\n",
    .sets = sets,
    .run = run,
};
