#include "base/nearest.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/run_files.h"
#include "config/preset.h"
#include "config/settings.h"

#include <string.h>

enum { ROWS = 128, NAME = 64 }; /* limits of a command's options and of a name */

typedef struct argument_reader {
    const cli_command *command;
    int count, at;
    char **arguments;
    char *fields;
    bool seen[ROWS]; /* by the row's number over all sets */
    const char **words;
    int word_count;
} argument_reader;

double cli_default_of(const cli_option_set *set, const sa_option *row) {
    for (const cli_default *own = set->defaults; own && own->name; own++)
        if (strcmp(own->name, row->name) == 0) return own->value;
    return row->default_value;
}

const cli_option_set *cli_option_set_at(const cli_command *command, size_t i) {
    static const cli_option_set messages = {"Messages", cli_messages_options, 0, NULL, &cli_said};
    size_t own = 0;
    while (own < i && command->sets[own].rows) own++;
    if (command->sets[own].rows) return &command->sets[own];
    return own == i ? &messages : NULL;
}

bool cli_fail_missing(const cli_command *command, const char *what, sa_error *error) {
    return sa_fail(error, SA_USAGE, "%s: %s is missing: %s %s %s", command->name, what, cli_name,
                   command->name, command->words);
}

static bool has_option(const argument_reader *reader, const char *name) {
    const cli_option_set *set;
    for (size_t i = 0; (set = cli_option_set_at(reader->command, i)); i++)
        if (sa_option_find(set->rows, name)) return true;
    return false;
}

static bool unknown(const argument_reader *reader, const char *argument, const char *name,
                    sa_error *error) {
    const char *now = sa_option_renamed(name);
    if (now && has_option(reader, now))
        return sa_fail(error, SA_USAGE, "%s: '--%s' is called '--%s' now", reader->command->name,
                       name, now);
    const cli_option_set *set;
    sa_nearest nearest = {.wanted = name, .prefix = "--"};
    for (size_t i = 0; (set = cli_option_set_at(reader->command, i)); i++)
        for (const sa_option *row = set->rows; row->name; row++)
            sa_nearest_consider(&nearest, row->name);
    char hint[128];
    return sa_fail(error, SA_USAGE, "%s: unknown option '%s'%s", reader->command->name, argument,
                   sa_nearest_hint(&nearest, hint, sizeof hint));
}

/* The row of that name, its number over all sets, and its struct. */
static const sa_option *find(const argument_reader *reader, const char *name, int *number,
                             void **fields) {
    const cli_option_set *set;
    *number = 0;
    for (size_t i = 0; (set = cli_option_set_at(reader->command, i)); i++) {
        for (const sa_option *row = set->rows; row->name; row++, ++*number) {
            if (strcmp(row->name, name) != 0) continue;
            sa_require(*number < ROWS);
            *fields = set->own ? set->own : reader->fields + set->at;
            return row;
        }
    }
    return NULL;
}

/* The text after "=", or the next argument, or "yes" for a switch; NULL when there is none. */
static const char *value_of(argument_reader *reader, const sa_option *row, const char *equals) {
    if (equals) return equals + 1;
    if (row->kind == SA_OPTION_SWITCH) return "yes";
    if (reader->at + 1 == reader->count) return NULL;
    const char *next = reader->arguments[reader->at + 1];
    if (strncmp(next, "--", 2) == 0) return NULL; /* rather a forgotten value than one */
    reader->at++;
    return next;
}

static bool read_option(argument_reader *reader, sa_error *error) {
    const char *argument = reader->arguments[reader->at];
    const char *equals = strchr(argument, '=');
    char name[NAME];
    size_t size = equals ? (size_t)(equals - argument) : strlen(argument);
    if (strncmp(argument, "--", 2) != 0 || size - 2 >= sizeof name)
        return unknown(reader, argument, argument, error);
    memcpy(name, argument + 2, size - 2);
    name[size - 2] = 0;

    int number;
    void *fields;
    const sa_option *row = find(reader, name, &number, &fields);
    if (!row) return unknown(reader, argument, name, error);
    if (reader->seen[number]) return sa_fail(error, SA_USAGE, "--%s is given twice", row->name);
    reader->seen[number] = true;
    const char *value = value_of(reader, row, equals);
    if (!value) return sa_fail(error, SA_USAGE, "--%s needs a value (%s)", row->name, row->value);
    return sa_option_set(row, fields, value, error);
}

static bool read_word(argument_reader *reader, sa_error *error) {
    const char *word = reader->arguments[reader->at];
    if (reader->word_count == reader->command->most)
        return sa_fail(error, SA_USAGE, "%s: '%s' is one argument too many", reader->command->name,
                       word);
    reader->words[reader->word_count++] = word;
    return true;
}

bool cli_read(const cli_command *command, int count, char **arguments, void *fields,
              const char **words, sa_error *error) {
    const char *none[1]; /* for a command without words */
    argument_reader reader = {.command = command,
                              .count = count,
                              .arguments = arguments,
                              .fields = fields,
                              .words = words ? words : none};
    for (int i = 0; i < command->most; i++) reader.words[i] = NULL;
    bool only_words = false; /* after "--" */
    for (; reader.at < count; reader.at++) {
        const char *argument = arguments[reader.at];
        if (!only_words && strcmp(argument, "--") == 0)
            only_words = true;
        else if (only_words || argument[0] != '-' || !argument[1] ? !read_word(&reader, error)
                                                                  : !read_option(&reader, error))
            return false;
    }
    if (cli_said.quiet && cli_said.verbose)
        return sa_fail(error, SA_USAGE, "--quiet and --verbose exclude each other");
    if (reader.word_count < command->least)
        return sa_fail(error, SA_USAGE, "an argument is missing: %s %s %s", cli_name, command->name,
                       command->words);
    return cli_run_files_check(command, fields, reader.words, error);
}

bool cli_read_preset(const cli_command *command, int count, char **arguments, void *fields,
                     sa_settings *settings, const char *const *preset, sa_error *error) {
    if (!cli_read(command, count, arguments, fields, NULL, error)) return false;
    const char *name = *preset ? *preset : sa_preset_default(settings->model);
    return !name || (sa_settings_preset(settings, name, error) &&
                     cli_read(command, count, arguments, fields, NULL, error));
}
