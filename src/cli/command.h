/* command: the row of a command, and the parser of its arguments. */
#pragma once

#include "base/option.h"

/* For rows of options, beside those of base/option.h: a field of the struct for which the file
 * defines AT(field), its offset; and a text of the kind TEXT, INPUT, OUTPUT or FOLDER, with the
 * names of its choices or files. */
#define RUN(field) SA_SCOPE_RUN, AT(field)
#define CLI_TEXT(kind, place, names, unit) SA_OPTION_##kind, place, 0, 0, 0, names, NULL, 0, unit
/* A folder, and a list of the names of the files written into it, with wildcards. */
#define CLI_FOLDER(place, ...) SA_OPTION_FOLDER, place, 0, 0, 0, NULL, __VA_ARGS__, "DIR"

/* Option rows whose offsets begin `at` bytes into the command's struct. */
typedef struct cli_option_set {
    const char *title;
    const sa_option *rows;
    size_t at;
    const char *const *zero; /* rows whose default is 0 in this command; ends with NULL */
    void *own;               /* a struct of the rows' own; NULL: the command's */
} cli_option_set;

/* The default of a row of the set. */
double cli_default_of(const cli_option_set *set, const sa_option *row);

typedef struct cli_command cli_command;

enum { CLI_WORDS = 128, CLI_SETS = 7 }; /* beyond those of all commands */

/* A command line and what was read from it. */
typedef struct cli_call {
    const cli_command *command;
    int count;
    char **arguments;             /* [count] behind the command's name */
    void *options;                /* the command's struct, which begins with the defaults */
    const char *words[CLI_WORDS]; /* NULL: not given */
} cli_call;

struct cli_command {
    const char *name;
    const char *words;             /* the arguments that are not options: "MODEL [FILE]" */
    int most;                      /* number of words where "..." leaves it open */
    unsigned texts;                /* bit i: word i is no file name */
    const char *summary;           /* one line; help.md has the paragraphs and the example */
    size_t size;                   /* of the struct of its options */
    cli_option_set sets[CLI_SETS]; /* ends with NULL rows */
    /* Whether a result goes to standard output, whatever the options whose value is "-". NULL: yes
     */
    bool (*prints)(const void *options);
    /* The call was read. An error without text only gives the exit code. */
    bool (*run)(cli_call *call, sa_error *error);
    const char *first; /* the options that the help shows before all others; NULL: none */
    const char *items; /* title of a list in the help, such as the presets; NULL: none */
    /* The name of an item, NULL after the last. The first line of *text explains it. */
    const char *(*item)(size_t row, const char **text);
};

extern const cli_command cli_corpus, cli_train, cli_translate, cli_align, cli_attribute, cli_eval,
    cli_score, cli_compare, cli_attend, cli_explain, cli_gradcheck, cli_prove, cli_inspect, cli_bpe,
    cli_align_words, cli_clean, cli_film, cli_average, cli_annotations, cli_help;

/* Those of softalign, unless main sets others; in the order of the help, ends with NULL. */
extern const cli_command *const *cli_commands;

/* NULL and SA_USAGE, suggesting the nearest name, when there is no such command. */
const cli_command *cli_find(const char *name, sa_error *error);

/* The i-th set of a command's options, at last those that all commands have; then NULL. */
const cli_option_set *cli_option_set_at(const cli_command *command, size_t i);

/* The i-th option over all these sets, and its set; then NULL. */
const sa_option *cli_option_at(const cli_command *command, size_t i, const cli_option_set **set);

/* The option of that name, its set and its number over all these sets; NULL: none. */
const sa_option *cli_option_find(const cli_command *command, const char *argument,
                                 const cli_option_set **set, size_t *number);

/* The `item` of commands that list the scores of attention. */
const char *cli_attention_item(size_t row, const char **formula);

/* The `prints` of commands whose results are files. */
bool cli_prints_nothing(const void *options);

/* The most words of a command. */
int cli_most_words(const cli_command *command);

/* Fills in the defaults of a command's options. */
void cli_options_init(const cli_command *command, void *options);

/* Parses the arguments into the options and words of the call; what is not given stays. A switch
 * stands alone, or as --name=no. SA_USAGE names the argument that is unknown, repeated, invalid or
 * missing, or the file that a run would replace although it is read or written otherwise, or two
 * results on standard output. Files are the same when their paths lead to the same place, or to the
 * same inode. */
bool cli_read(cli_call *call, sa_error *error);

/* SA_USAGE: an option that stands among the command's words was not given. */
bool cli_check_needed(const cli_call *call, sa_error *error);

/* Starts the settings, which are part of the options, from a preset and reads the arguments again:
 * single options override it, in any order. preset: NULL is the model family's default. */
bool cli_read_preset(cli_call *call, sa_settings *settings, const char *preset, sa_error *error);

/* What main does: runs the command that the arguments name, and returns the exit code. `agree`, if
 * not NULL, decides whether it succeeded. */
int cli_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error));
