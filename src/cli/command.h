/* command: describes a command, and parses its arguments. */
#pragma once

#include "base/option.h"

/* For option tables, in addition to base/option.h: RUN is a field of the struct for which the file
 * defines AT(field), its offset; CLI_TEXT is an option of kind TEXT, INPUT, OUTPUT or FOLDER, with
 * the names of its choices or files. */
#define RUN(field) SA_SCOPE_RUN, AT(field)
#define CLI_TEXT(kind, place, names, unit) SA_OPTION_##kind, place, 0, 0, 0, names, NULL, 0, unit
/* A folder, and the names of the files written into it, with wildcards. */
#define CLI_FOLDER(place, ...) SA_OPTION_FOLDER, place, 0, 0, 0, NULL, __VA_ARGS__, "DIR"

/* Options with offsets that begin `at` bytes into the command's struct. */
typedef struct cli_option_set {
    const char *title;
    const sa_option *options;
    size_t at;
    const char *const *zero; /* options whose default is 0 in this command; ends with NULL */
    void *own;               /* the struct of the options; NULL: the command's */
} cli_option_set;

/* Returns the default of an option of the set. */
double cli_default_of(const cli_option_set *set, const sa_option *option);

/* The options of a command that has only --json. */
typedef struct cli_json_options {
    bool json;
} cli_json_options;
extern const sa_option cli_json_rows[];

typedef struct cli_command cli_command;

enum { CLI_WORDS = 128, CLI_SETS = 7 }; /* more than any command has */

/* A command line and what parsing it has given. */
typedef struct cli_call {
    const cli_command *command;
    int count;
    char **arguments;             /* [count] after the command's name */
    void *options;                /* the command's struct, initialized to the defaults */
    const char *words[CLI_WORDS]; /* NULL: not given */
} cli_call;

struct cli_command {
    const char *name;
    const char *words;             /* the arguments that are not options: "MODEL [FILE]" */
    int most;                      /* most words where "..." leaves the number open */
    unsigned texts;                /* bit i: word i is not a file name */
    const char *summary;           /* one line; help.md has the paragraphs and the example */
    size_t size;                   /* of the struct of its options */
    cli_option_set sets[CLI_SETS]; /* NULL options end the list */
    /* Returns whether a result goes to standard output, apart from options with the value "-".
     * NULL: yes */
    bool (*prints)(const void *options);
    /* Runs the command after cli_read. An error without text only sets the exit code. */
    bool (*run)(cli_call *call, sa_error *error);
    const char *first; /* options that the help shows first; NULL: none */
    const char *items; /* title of a list in the help, such as the presets; NULL: none */
    /* Returns the name of an item, NULL after the last. The first line of *text explains it. */
    const char *(*item)(size_t i, const char **text);
};

extern const cli_command cli_corpus, cli_train, cli_translate, cli_align, cli_attribute, cli_eval,
    cli_score, cli_compare, cli_attend, cli_explain, cli_gradcheck, cli_prove, cli_inspect, cli_bpe,
    cli_align_words, cli_clean, cli_film, cli_average, cli_annotations, cli_models, cli_help;

/* The commands in the order of the help, ending with NULL; main may set others. */
extern const cli_command *const *cli_commands;

/* Returns the command; NULL and SA_USAGE, which suggests the nearest name, if there is none. */
const cli_command *cli_find(const char *name, sa_error *error);

/* Returns the i-th set of a command's options, NULL after the last, which all commands have. */
const cli_option_set *cli_option_set_at(const cli_command *command, size_t i);

/* Returns the i-th option of all these sets and its set, NULL after the last. */
const sa_option *cli_option_at(const cli_command *command, size_t i, const cli_option_set **set);

/* `item` of the commands that list the scores of attention. */
const char *cli_attention_item(size_t i, const char **formula);

/* `prints` of the commands whose results are files. */
bool cli_prints_nothing(const void *options);

/* Returns the largest number of words that a command takes. */
int cli_most_words(const cli_command *command);

/* Fills in the defaults of a command's options. */
void cli_options_init(const cli_command *command, void *options);

/* Parses the arguments into the options and words of the call; options that do not occur keep their
 * values. A switch is --name or --name=no. SA_USAGE names an argument that is unknown, repeated,
 * invalid or missing, a file that would be both read and replaced or written twice, or two results
 * on standard output. Two paths are the same file if they resolve to the same path or inode. */
bool cli_read(cli_call *call, sa_error *error);

/* Fails with SA_USAGE if the command's words include an option that was not given. */
bool cli_check_needed(const cli_call *call, sa_error *error);

/* Initializes the settings, which are part of the options, from a preset and reads the arguments
 * again, so that single options override it in any order. preset NULL: the default of the model
 * family. */
bool cli_read_preset(cli_call *call, sa_settings *settings, const char *preset, sa_error *error);

/* Runs the command that the arguments of main name, and returns the exit code. `agree`, if not
 * NULL, decides whether the command succeeded. */
int cli_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error));
