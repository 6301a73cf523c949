/* command: a row per command of the program, and what all of them use to read their arguments. */
#ifndef SA_CLI_COMMAND_H
#define SA_CLI_COMMAND_H

#include "base/option.h"

/* A table of option rows that fill the struct lying `at` bytes into the command's own. */
typedef struct cli_option_set {
    const char *title;
    const sa_option *rows;
    size_t at;
} cli_option_set;

typedef struct cli_command {
    const char *name;
    const char *words;          /* what is not an option: "MODEL [FILE]" */
    int least, most;            /* how many words */
    const char *summary;        /* one line */
    const char *details;        /* paragraphs, each a line and its end */
    const char *example;        /* shell lines that run as they stand, one after the other */
    const cli_option_set *sets; /* ends with NULL rows */
    /* Does the work; the arguments are those behind the command's name. An error without text has
     * been dealt with and only gives the exit code. */
    bool (*run)(int count, char **arguments, sa_error *error);
    const char *items; /* title of what the words or options choose from; NULL: nothing */
    /* The name of such a thing, NULL after the last. The first line of *text explains it. */
    const char *(*item)(size_t row, const char **text);
} cli_command;

extern const cli_command cli_corpus, cli_train, cli_translate, cli_align, cli_eval, cli_score,
    cli_compare, cli_attend, cli_explain, cli_gradcheck, cli_prove, cli_inspect, cli_bpe, cli_clean,
    cli_film, cli_average, cli_help;

extern const cli_command *const cli_commands[]; /* in the order of the help; ends with NULL */

/* The command of that name; else NULL and SA_USAGE with the nearest name. */
const cli_command *cli_find(const char *name, sa_error *error);

/* Reads the arguments into the command's struct, which holds the defaults already, and its words
 * (room for `most`, those not given NULL). A switch stands alone or is given as --name=no. SA_USAGE
 * names an unknown, repeated or wrong option or word, or a missing one. */
bool cli_read(const cli_command *command, int count, char **arguments, void *fields,
              const char **words, sa_error *error);

/* The same for a command with settings and --preset (whose fields these are): whatever the order,
 * single options go before the preset. Without one, a family of models may have its own. */
bool cli_read_preset(const cli_command *command, int count, char **arguments, void *fields,
                     sa_settings *settings, const char *const *preset, sa_error *error);

#endif
