#include "cli/command.h"
#include "cli/output.h"
#include "synth/synth.h"

typedef struct corpus_options {
    int pairs;
    int64_t seed;
    int split;
} corpus_options;

#define AT(field) offsetof(corpus_options, field)

static const sa_option table[] = {
    {"pairs", SA_INT(RUN(pairs), 0, 0, SA_SYNTH_LIMIT, "N"),
     "number of sentence pairs; 0: the task's default"},
    {"seed", SA_INT64(RUN(seed), 1, 0, 9007199254740991.0, "N"), "random seed"},
    {"split", SA_OPTION_CHOICE, RUN(split), 0, 0, 0, NULL, sa_splits, sizeof *sa_splits, "NAME",
     "data split; splits share no sentence, whatever the seeds"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const corpus_options *options = call->options;
    const char *name = call->words[0];
    const sa_task *task = sa_task_find(name);
    if (!task) {
        sa_nearest nearest = {.wanted = name};
        for (task = sa_tasks; task->name; task++) sa_nearest_consider(&nearest, task->name);
        return sa_fail(error, SA_USAGE, "unknown task '%s'%s; 'softalign help corpus' lists all",
                       name, sa_nearest_hint(&nearest));
    }
    sa_buffer out = {0};
    const size_t pairs = options->pairs ? (size_t)options->pairs : task->pairs;
    const bool good = sa_synth_write(task, pairs, (uint64_t)options->seed, (sa_split)options->split,
                                     cli_print, &out, error) &&
                      cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

static const char *item(size_t i, const char **text) {
    *text = sa_tasks[i].summary;
    return sa_tasks[i].name;
}

const cli_command cli_corpus = {
    .name = "corpus",
    .words = "TASK",
    .summary = "write a toy corpus with planted alignments",
    .texts = 1,
    .size = sizeof(corpus_options),
    .sets = {{"Options", table, 0}},
    .run = run,
    .items = "Tasks",
    .item = item,
};
