#include "cli/cli.h"
#include "synth/synth.h"

typedef sa_toy command_options;

static const sa_option table[] = {
    {"grammar", CLI_TEXT(INPUT, RUN(grammar), NULL, "FILE"),
     "a grammar of your own instead of a task, or - for standard input"},
    {"check", SA_SWITCH(RUN(check)),
     "describe the grammar instead: its size, what looks wrong, five sentences"},
    {"pairs", SA_INT64(RUN(pairs), 0, 0, SA_SYNTH_LIMIT, "N"),
     "number of sentence pairs; 0: 10,000"},
    {"seed", SA_INT64(RUN(seed), 1, 0, 9007199254740991.0, "N"), "random seed"},
    {"split", SA_OPTION_CHOICE, RUN(split), 0, 0, 0, NULL, sa_splits, sizeof *sa_splits, "NAME",
     "data split, about eight sentences of ten for train, one each for valid and test; splits "
     "share no sentence, whatever the seeds"},
    {"min-words", SA_INT(RUN(min_words), 0, 0, SA_DRAFT_WORDS, "N"), "least words of a source"},
    {"max-words", SA_INT(RUN(max_words), 0, 0, SA_DRAFT_WORDS, "N"),
     "most words of a source; 0: no limit"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    sa_toy *toy = call->options;
    toy->task = call->words[0];
    sa_buffer out = {0};
    const bool good = sa_synth_write(toy, cli_print, &out, error) && cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

const cli_command cli_corpus = {
    .name = "corpus",
    .words = "[TASK]",
    .summary = "write a toy corpus with planted alignments",
    .texts = 1,
    .size = sizeof(sa_toy),
    .sets = {{"Options", table, 0}},
    .run = run,
    .items = "Tasks",
    .item = sa_task_info,
};
