#include "cli/cli.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sa_option cli_json_rows[] = {
    {"json", SA_SWITCH(ONLY), "print one JSON object"},
    {0},
};

const cli_option_set *cli_option_set_at(const cli_command *command, size_t i) {
    static const sa_option rows[] = {
        {"quiet", SA_SWITCH(ONLY), "print nothing on standard error except errors"},
        {0},
    };
    static const cli_option_set messages = {"Messages", rows, 0, NULL, &cli_quiet};
    size_t own = 0;
    while (own < i && command->sets[own].options) own++;
    if (command->sets[own].options) return &command->sets[own];
    return own == i ? &messages : NULL;
}

const sa_option *cli_option_at(const cli_command *command, size_t i, const cli_option_set **set) {
    for (size_t k = 0; (*set = cli_option_set_at(command, k)); k++)
        for (const sa_option *option = (*set)->options; option->name; option++)
            if (!i--) return option;
    return NULL;
}

/* Counts the words before the first option, without "..."; words in brackets are optional. */
static int count_words(const char *words, bool optional) {
    int count = 0;
    for (; *words && strncmp(words, "--", 2) != 0; words += strspn(words, " ")) {
        count += *words != '.' && (optional || *words != '[');
        words += strcspn(words, " ");
    }
    return count;
}

int cli_most_words(const cli_command *command) {
    return command->most ? command->most : count_words(command->words, true);
}

void cli_options_init(const cli_command *command, void *options) {
    for (const cli_option_set *set = command->sets; set->options; set++) {
        void *fields = (char *)options + set->at;
        sa_options_init(set->options, fields);
        for (const char *const *name = set->zero; name && *name; name++)
            sa_option_set_number(sa_option_find(set->options, *name), fields, 0);
    }
}

static const char *text_of(const cli_call *call, const cli_option_set *set,
                           const sa_option *option) {
    const void *field = (const char *)call->options + set->at + option->offset;
    return *(const char *const *)field;
}

bool cli_check_needed(const cli_call *call, sa_error *error) {
    const cli_command *command = call->command;
    const cli_option_set *set;
    const sa_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i, &set)); i++) {
        char text[64];
        snprintf(text, sizeof text, "--%s %s", option->name, option->value ? option->value : "");
        if (strstr(command->words, text) && !text_of(call, set, option))
            return sa_fail(error, SA_USAGE, "%s: %s is missing: %s %s %s", command->name, text,
                           cli_name, command->name, command->words);
    }
    return true;
}

/* ---- Files: what a run reads and writes, compared before it writes anything ------------------ */

enum { FILES = 512 }; /* more than all options and words */

typedef struct run_file {
    sa_option_kind kind;     /* input, output or folder */
    const sa_option *option; /* NULL: a word */
    const char *path;        /* as given */
    char *real;              /* resolved */
} run_file;

typedef struct run_files {
    run_file file[FILES];
    size_t count;
    int inputs, outputs; /* that are standard input and output */
} run_files;

static bool add(run_files *files, run_file file, const char *path, sa_error *error) {
    const bool standard = strcmp(path, "-") == 0;
    if (standard && file.kind == SA_OPTION_FOLDER)
        return sa_fail(error, SA_USAGE, "--%s -: expected a folder", file.option->name);
    files->inputs += standard && file.kind == SA_OPTION_INPUT;
    files->outputs += standard && file.kind == SA_OPTION_OUTPUT;
    file.real = standard ? NULL : sa_path_resolve(path, error);
    sa_require(files->count < FILES);
    if (file.real) files->file[files->count++] = file;
    return standard || file.real;
}

/* Adds a file; an input may be two as "A,B". */
static bool add_option(run_files *files, sa_option_kind kind, const sa_option *option,
                       const char *path, sa_error *error) {
    const run_file file = {kind, option, path, NULL};
    const char *comma = kind == SA_OPTION_INPUT ? strchr(path, ',') : NULL;
    if (!comma || !sa_file_missing(path)) return add(files, file, path, error);
    char *first = sa_copy(path, (size_t)(comma - path), error);
    const bool good = first && add(files, file, first, error) && add(files, file, comma + 1, error);
    free(first);
    return good;
}

static bool add_all(run_files *files, const cli_call *call, sa_error *error) {
    const cli_command *command = call->command;
    const cli_option_set *set;
    const sa_option *option;
    for (size_t i = 0; (option = cli_option_at(command, i, &set)); i++) {
        if (!sa_option_is_text(option) || option->kind == SA_OPTION_TEXT) continue;
        const char *path = text_of(call, set, option);
        if (path && !add_option(files, option->kind, option, path, error)) return false;
    }
    for (int i = 0; i < cli_most_words(command) && call->words[i]; i++)
        if (!(command->texts >> i & 1) &&
            !add_option(files, SA_OPTION_INPUT, NULL, call->words[i], error))
            return false;
    files->outputs += !command->prints || command->prints(call->options);
    return true;
}

bool cli_prints_nothing(const void *fields) {
    return false;
}

/* ---- Conflicts ------------------------------------------------------------------------------- */

/* Returns whether two paths lead to the same file. Devices and pipes cannot be overwritten. */
static bool are_same(const run_file *one, const run_file *other) {
    return (strcmp(one->real, other->real) == 0 || sa_file_same(one->real, other->real)) &&
           (sa_file_is_regular(one->real) || sa_file_missing(one->real));
}

/* Returns whether the folder's files would replace the other file, or files of the other folder. */
static bool writes_over(const run_file *folder, const run_file *other) {
    const size_t length = strlen(folder->real);
    const bool two = other->kind == SA_OPTION_FOLDER;
    const char *pattern, *theirs, *rest = other->real + length;
    if (strncmp(other->real, folder->real, length) != 0 || *rest != (two ? 0 : '/')) return false;
    for (size_t i = 0; (pattern = sa_option_choice(folder->option, i)); i++) {
        if (!two && fnmatch(pattern, rest + 1, 0) == 0) return true;
        for (size_t k = 0; two && (theirs = sa_option_choice(other->option, k)); k++)
            if (strcmp(pattern, theirs) == 0) return true;
    }
    return false;
}

/* Fails with SA_USAGE if one of the two files, of which at most one is an input, would replace the
 * other. */
static bool check_two(const run_file *one, const run_file *other, sa_error *error) {
    const bool swaps = one->kind == SA_OPTION_INPUT ||
                       (other->kind == SA_OPTION_FOLDER && one->kind != SA_OPTION_FOLDER);
    const run_file *output = swaps ? other : one, *rest = swaps ? one : other;
    const bool folder = output->kind == SA_OPTION_FOLDER;
    const char *path = folder ? rest->path : output->path;
    if (!(folder ? writes_over : are_same)(output, rest)) return true;
    if (rest->kind == SA_OPTION_INPUT)
        return sa_fail(error, SA_USAGE, "'%s' is an input: choose another output", path);
    return sa_fail(error, SA_USAGE, "--%s and --%s both write '%s'", one->option->name,
                   other->option->name, path);
}

static bool check_all(const run_files *files, const char *name, sa_error *error) {
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < i; k++) {
            const run_file *one = &files->file[k], *other = &files->file[i];
            const bool reads = one->kind == SA_OPTION_INPUT && other->kind == SA_OPTION_INPUT;
            if (!reads && !check_two(one, other, error)) return false;
        }
    if (files->inputs > 1)
        return sa_fail(error, SA_USAGE, "%s: standard input can be only one of the files", name);
    return files->outputs < 2 ||
           sa_fail(error, SA_USAGE, "%s: only one result can go to standard output", name);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

enum { ROWS = 128, NAME = 64 }; /* limits of a command's options and of a name */

typedef struct argument_reader {
    cli_call *call;
    int at;
    bool seen[ROWS]; /* by the number of the option over all sets */
} argument_reader;

/* Returns whether an argument, after its "--", is the option: "name" or "name=value". */
static bool is_named(const sa_option *option, const char *argument) {
    const size_t size = strlen(option->name);
    return strncmp(argument, option->name, size) == 0 && (!argument[size] || argument[size] == '=');
}

/* Returns the option with this name, its set and its number over all sets; NULL: there is none. */
static const sa_option *find_option(const cli_command *command, const char *argument,
                                    const cli_option_set **set, size_t *number) {
    const sa_option *option;
    for (*number = 0; (option = cli_option_at(command, *number, set)); ++*number)
        if (is_named(option, argument)) break;
    return option;
}

/* Returns the option that other toolkits call by this name, such as "batch_size"; NULL: there is
 * none. A line of the list in help.md is "ours: theirs theirs ...". */
static const sa_option *find_elsewhere(const cli_command *command, const char *name) {
    char word[NAME + 1], ours[NAME];
    const cli_option_set *set;
    size_t number;
    snprintf(word, sizeof word, " %s", name + strspn(name, "-"));
    for (char *c = word; *c; c++)
        if (*c == '_') *c = '-';
    const char *at = strstr((const char *)cli_help_text, "\n## Names in other toolkits\n");
    while ((at = strstr(at + 1, word)) != NULL) {
        const char *line = at;
        while (line[-1] != '\n') line--;
        snprintf(ours, sizeof ours, "%.*s", (int)strcspn(line, ":"), line);
        const sa_option *option = find_option(command, ours, &set, &number);
        if (option && strchr(" \n", at[strlen(word)])) return option;
    }
    return NULL;
}

/* Returns what to use in place of an option of earlier versions or other programs, up to the end of
 * the line; NULL: there is nothing. A line of the list in help.md is "COMMAND OPTION: text", that
 * of all commands "softalign OPTION: text". */
static const char *find_instead(const char *command, const char *name) {
    char line[2 * NAME];
    snprintf(line, sizeof line, "\n%s %s: ", command, name);
    const char *found = strstr((const char *)cli_help_text, line);
    return found ? found + strlen(line) : NULL;
}

static bool unknown(const cli_command *command, const char *argument, sa_error *error) {
    const bool dashes = strncmp(argument, "--", 2) == 0;
    const cli_option_set *set;
    const sa_option *option;
    char name[NAME];
    snprintf(name, sizeof name, "%.*s", dashes ? (int)strcspn(argument, "=") - 2 : NAME,
             dashes ? argument + 2 : argument);
    const char *instead = find_instead(command->name, name);
    if (!instead) instead = find_instead("softalign", name);
    if (instead)
        return sa_fail(error, SA_USAGE, "%s: there is no '--%s': %.*s", command->name, name,
                       (int)strcspn(instead, "\n"), instead);
    option = find_elsewhere(command, name);
    sa_nearest nearest = {.wanted = name, .prefix = "--", .name = option ? option->name : NULL};
    for (size_t i = 0; (option = cli_option_at(command, i, &set)); i++)
        sa_nearest_consider(&nearest, option->name);
    return sa_fail(error, SA_USAGE, "%s: unknown option '%s'%s", command->name, argument,
                   command->texts && !dashes ? " (a text that begins with a dash goes after --)"
                                             : sa_nearest_hint(&nearest));
}

static bool read_option(argument_reader *reader, sa_error *error) {
    const cli_call *call = reader->call;
    const char *argument = call->arguments[reader->at];
    const char *equals = strchr(argument, '=');
    const cli_option_set *set;
    const sa_option *option = NULL;
    size_t number;
    if (strncmp(argument, "--", 2) == 0)
        option = find_option(call->command, argument + 2, &set, &number);
    if (!option) return unknown(call->command, argument, error);
    sa_require(number < ROWS);
    if (reader->seen[number]) return sa_fail(error, SA_USAGE, "--%s is given twice", option->name);
    reader->seen[number] = true;
    const char *value = equals ? equals + 1 : option->kind == SA_OPTION_SWITCH ? "yes" : NULL;
    if (!value && reader->at + 1 < call->count) {
        value = call->arguments[reader->at + 1];
        if (strncmp(value, "--", 2) == 0)
            value = NULL; /* the user has probably forgotten the value */
        reader->at += value != NULL;
    }
    if (!value)
        return sa_fail(error, SA_USAGE, "--%s needs a value (%s)", option->name, option->value);
    return sa_option_set(option, set->own ? set->own : (char *)call->options + set->at, value,
                         error);
}

bool cli_read(cli_call *call, sa_error *error) {
    const cli_command *command = call->command;
    argument_reader reader = {.call = call};
    bool only_words = false; /* after "--" */
    int words = 0;
    memset(call->words, 0, sizeof call->words);
    for (; reader.at < call->count; reader.at++) {
        const char *argument = call->arguments[reader.at];
        if (!only_words && strcmp(argument, "--") == 0) {
            only_words = true;
        } else if (!only_words && argument[0] == '-' && argument[1]) {
            if (!read_option(&reader, error)) return false;
        } else if (words == cli_most_words(command)) {
            return sa_fail(
                error, SA_USAGE, "%s: '%s' is one argument too many%s", command->name, argument,
                strncmp(command->words, "--train ", 8) ? "" : "; pairs go after --train");
        } else {
            call->words[words++] = argument;
        }
    }
    if (words < count_words(command->words, false))
        return sa_fail(error, SA_USAGE, "an argument is missing: %s %s %s", cli_name, command->name,
                       command->words);
    run_files files = {.count = 0};
    const bool good = add_all(&files, call, error) && check_all(&files, command->name, error);
    for (size_t i = 0; i < files.count; i++) free(files.file[i].real);
    return good;
}

bool cli_read_preset(cli_call *call, sa_settings *settings, const char *preset, sa_error *error) {
    const char *name = preset ? preset : sa_preset_default(settings->model);
    return !name || (sa_settings_preset(settings, name, error) && cli_read(call, error));
}
