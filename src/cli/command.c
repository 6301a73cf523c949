/* command: what happens around a command. What OpenBLAS needs when it is loaded, which is before
 * main: without the memory that it wants it waits forever, without its threads it interrupts the
 * process, and told to use kernels of another processor it runs into an illegal instruction. Then
 * the choice of the command and the parser of its arguments. */
#include "cli/command.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/option.h"
#include "base/thread.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "config/preset.h"
#include "config/settings.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the buffer that each OpenBLAS thread maps; upper bounds of the libraries, of their data,
 * and of the stacks. */
static const rlim_t buffer = (rlim_t)128 << 20, libraries = (rlim_t)256 << 20,
                    data = (rlim_t)16 << 20, thread_stack = (rlim_t)16 << 20,
                    stack = (rlim_t)512 << 10;

static struct sigaction interrupt; /* what SIGINT does outside this file */
static bool core_type_set;         /* OPENBLAS_CORETYPE */

/* ---- Memory ---------------------------------------------------------------------------------- */

static const char *value_of(const char *name, char **environment) {
    const size_t size = strlen(name);
    for (; *environment; environment++)
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
            return *environment + size + 1;
    return NULL;
}

static void fail(const char *text, sa_code code) {
    (void)!write(STDERR_FILENO, text, strlen(text));
    _exit((int)code);
}

static void require(rlim_t least, int resource, const char *what) {
    char text[256];
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= least) return;
    snprintf(text, sizeof text,
             "softalign: %s is limited to %llu bytes; at least %llu are needed\n", what,
             (unsigned long long)limit.rlim_cur, (unsigned long long)least);
    fail(text, SA_LIMIT);
}

/* ---- Signals --------------------------------------------------------------------------------- */

/* OpenBLAS raises SIGINT when a thread cannot be started. */
static void on_interrupt(int number, siginfo_t *info, void *context) {
    (void)context;
    if (info->si_code == SI_TKILL && info->si_pid == getpid())
        fail("softalign: OpenBLAS cannot start its threads (see ulimit -u); with "
             "OPENBLAS_NUM_THREADS=1 it starts none\n",
             SA_LIMIT);
    sigaction(number, &interrupt, NULL);
    raise(number);
}

static void on_illegal_instruction(int number) {
    if (core_type_set)
        fail("softalign: illegal instruction: OPENBLAS_CORETYPE selects kernels that this "
             "processor cannot run\n",
             SA_USAGE);
    signal(number, SIG_DFL); /* the instruction is executed again */
}

/* ---- Before and after OpenBLAS is loaded ----------------------------------------------------- */

static void check_limits(int count, char **arguments, char **environment) {
    (void)count, (void)arguments;
    const char *value = value_of("OPENBLAS_NUM_THREADS", environment);
    const int cores = sa_cpu_count(), asked = value ? atoi(value) : 0;
    const rlim_t threads = (rlim_t)(asked > 0 && asked < cores ? asked : cores); /* of OpenBLAS */
    require(stack, RLIMIT_STACK, "the stack (ulimit -s)");
    require(libraries + buffer * threads, RLIMIT_AS, "the address space (ulimit -v)");
    require(data + (buffer + thread_stack) * (threads - 1), RLIMIT_DATA, "data (ulimit -d)");
    core_type_set = value_of("OPENBLAS_CORETYPE", environment) != NULL;
    signal(SIGILL, on_illegal_instruction);
    struct sigaction action = {.sa_sigaction = on_interrupt, .sa_flags = SA_SIGINFO};
    sigaction(SIGINT, &action, &interrupt);
}

/* The loader calls these before the constructors of the libraries. */
__attribute__((section(".preinit_array"), used)) static void (*const start)(int, char **,
                                                                            char **) = check_limits;

/* OpenBLAS' own threads would spin on the other cores for a while: all threads are softalign's, so
 * they are ended as OpenBLAS ends them before a fork. Not in its build with OpenMP, which starts
 * none, nor with another BLAS. */
enum { BUILT_WITH_THREADS = 1 }; /* what openblas_get_parallel tells */
extern int openblas_get_parallel(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));

__attribute__((constructor)) static void after_openblas(void) {
    sigaction(SIGINT, &interrupt, NULL);
    if (!openblas_get_parallel || openblas_get_parallel() != BUILT_WITH_THREADS) return;
    if (!openblas_set_num_threads || !blas_thread_shutdown_) return;
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}

/* ---- Options --------------------------------------------------------------------------------- */

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

const sa_option *cli_option_at(const cli_command *command, size_t i, const cli_option_set **set) {
    for (size_t k = 0; (*set = cli_option_set_at(command, k)); k++)
        for (const sa_option *row = (*set)->rows; row->name; row++)
            if (!i--) return row;
    return NULL;
}

void cli_options_init(const cli_command *command, void *options) {
    for (const cli_option_set *set = command->sets; set->rows; set++) {
        void *fields = (char *)options + set->at;
        sa_options_init(set->rows, fields);
        for (const cli_default *own = set->defaults; own && own->name; own++)
            sa_option_set_number(sa_option_find(set->rows, own->name), fields, own->value);
    }
}

static const char *text_of(const cli_call *call, const cli_option_set *set, const sa_option *row) {
    const void *field = (const char *)call->options + set->at + row->offset;
    return *(const char *const *)field;
}

bool cli_check_needed(const cli_call *call, sa_error *error) {
    const cli_command *command = call->command;
    const cli_option_set *set;
    const sa_option *row;
    for (size_t i = 0; (row = cli_option_at(command, i, &set)); i++) {
        char option[64];
        snprintf(option, sizeof option, "--%s %s", row->name, row->value ? row->value : "");
        if (strstr(command->words, option) && !text_of(call, set, row))
            return sa_fail(error, SA_USAGE, "%s: %s is missing: %s %s %s", command->name, option,
                           cli_name, command->name, command->words);
    }
    return true;
}

/* ---- Files: what a run reads and writes, compared before anything is written ----------------- */

enum { FILES = 512 }; /* beyond all options and words */

typedef struct run_file {
    sa_option_kind kind;  /* input, output or folder */
    const sa_option *row; /* NULL: a word, or the command's own result on standard output */
    const char *path;     /* as given */
    char *real;           /* where it leads; NULL: standard input or output */
} run_file;

typedef struct run_files {
    run_file file[FILES];
    size_t count;
} run_files;

/* ---- What there is --------------------------------------------------------------------------- */

static bool add(run_files *files, run_file file, const char *path, sa_error *error) {
    const bool standard = file.kind != SA_OPTION_FOLDER && strcmp(path, "-") == 0;
    file.real = standard ? NULL : sa_path_resolve(path, error);
    sa_require(files->count < FILES);
    if (standard || file.real) files->file[files->count++] = file;
    return standard || file.real;
}

/* A file, or two as "A,B". */
static bool add_input(run_files *files, const sa_option *row, const char *path, sa_error *error) {
    const run_file input = {SA_OPTION_INPUT, row, path, NULL};
    const char *comma = strchr(path, ',');
    if (!comma || !sa_file_missing(path)) return add(files, input, path, error);
    char *first = sa_copy(path, (size_t)(comma - path), error);
    const bool good =
        first && add(files, input, first, error) && add(files, input, comma + 1, error);
    free(first);
    return good;
}

static bool add_all(run_files *files, const cli_call *call, sa_error *error) {
    const cli_command *command = call->command;
    const cli_option_set *set;
    const sa_option *row;
    for (size_t i = 0; (row = cli_option_at(command, i, &set)); i++) {
        if (!sa_option_is_text(row)) continue;
        const char *path = text_of(call, set, row);
        if (path && row->kind != SA_OPTION_TEXT &&
            !(row->kind == SA_OPTION_INPUT
                  ? add_input(files, row, path, error)
                  : add(files, (run_file){row->kind, row, path, NULL}, path, error)))
            return false;
    }
    for (int i = 0; i < command->most && call->words[i]; i++)
        if (!(command->texts >> i & 1) && !add_input(files, NULL, call->words[i], error))
            return false;
    return (command->prints && !command->prints(call->options)) ||
           add(files, (run_file){SA_OPTION_OUTPUT, NULL, "-", NULL}, "-", error);
}

bool cli_prints_nothing(const void *fields) {
    (void)fields;
    return false;
}

/* ---- What excludes what ---------------------------------------------------------------------- */

static bool is_standard(const run_file *file, sa_option_kind kind) {
    return !file->real && file->kind == kind;
}

static bool find_file(const run_file *file, struct stat *about) {
    return file->real ? stat(file->real, about) == 0 : fstat(STDOUT_FILENO, about) == 0;
}

/* Devices and pipes are no files that could be lost. */
static bool are_same(const run_file *one, const run_file *other) {
    struct stat a, b;
    const bool known = find_file(one, &a), also = find_file(other, &b);
    if (known && also) return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return !known && !also && one->real && other->real && strcmp(one->real, other->real) == 0;
}

static bool name_matches(const char *folder, const char *pattern, const char *path) {
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) == 0 && path[length] == '/' &&
        fnmatch(pattern, path + length + 1, 0) == 0)
        return true;
    char *whole = strpbrk(pattern, "*[") ? NULL : sa_path_join(folder, pattern, NULL);
    const bool same = whole && sa_file_same(whole, path);
    free(whole);
    return same;
}

/* Whether files in a folder get the names of the other, a file or a folder. */
static bool writes_over(const run_file *folder, const run_file *other) {
    const char *pattern, *theirs;
    for (size_t i = 0; (pattern = sa_option_choice(folder->row, i)); i++) {
        if (other->kind != SA_OPTION_FOLDER) {
            if (name_matches(folder->real, pattern, other->real)) return true;
            continue;
        }
        for (size_t k = 0; (theirs = sa_option_choice(other->row, k)); k++)
            if (strcmp(pattern, theirs) == 0 && strcmp(folder->real, other->real) == 0) return true;
    }
    return false;
}

static bool clash(const run_file *one, const run_file *other) {
    if (one->kind == SA_OPTION_FOLDER && other->real) return writes_over(one, other);
    if (other->kind == SA_OPTION_FOLDER && one->real) return writes_over(other, one);
    return one->kind != SA_OPTION_FOLDER && other->kind != SA_OPTION_FOLDER && are_same(one, other);
}

static const char *title(const run_file *file, char text[64]) {
    if (!file->real) return "standard output";
    snprintf(text, 64, "--%s", file->row->name);
    return text;
}

static bool refuse(const run_file *one, const run_file *other, sa_error *error) {
    char first[64], second[64];
    const bool reads = other->kind == SA_OPTION_INPUT;
    const run_file *input = one->kind == SA_OPTION_INPUT ? one : reads ? other : NULL;
    const run_file *output = input == one ? other : one;
    if (output->kind == SA_OPTION_FOLDER || !output->real) output = input == one ? one : other;
    return input ? sa_fail(error, SA_USAGE, "'%s' is an input: choose another output", output->path)
                 : sa_fail(error, SA_USAGE, "%s and %s both write '%s'", title(one, first),
                           title(other, second), output->path);
}

static bool check_all(const run_files *files, const char *name, sa_error *error) {
    int inputs = 0, outputs = 0;
    for (size_t i = 0; i < files->count; i++) {
        const run_file *one = &files->file[i];
        inputs += is_standard(one, SA_OPTION_INPUT);
        outputs += is_standard(one, SA_OPTION_OUTPUT);
        for (size_t k = 0; k < i; k++) {
            const run_file *other = &files->file[k];
            const bool read = one->kind == SA_OPTION_INPUT && other->kind == SA_OPTION_INPUT;
            if (read || is_standard(one, SA_OPTION_INPUT) || is_standard(other, SA_OPTION_INPUT) ||
                (!one->real && !other->real))
                continue;
            if (clash(other, one)) return refuse(other, one, error);
        }
    }
    if (inputs > 1)
        return sa_fail(error, SA_USAGE, "%s: standard input can be only one of the files", name);
    return outputs < 2 ||
           sa_fail(error, SA_USAGE, "%s: only one result can go to standard output", name);
}

/* ---- Arguments ------------------------------------------------------------------------------- */

enum { ROWS = 128, NAME = 64 }; /* limits of a command's options and of a name */

typedef struct argument_reader {
    cli_call *call;
    int at;
    bool seen[ROWS]; /* by the row's number over all sets */
} argument_reader;

/* The row of that name, its set and its number over all sets. */
static const sa_option *find(const cli_command *command, const char *name,
                             const cli_option_set **set, size_t *number) {
    const sa_option *row;
    for (*number = 0; (row = cli_option_at(command, *number, set)); ++*number)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

static bool unknown(const cli_command *command, const char *argument, const char *name,
                    sa_error *error) {
    const char *now = sa_option_renamed(name, NULL);
    const cli_option_set *set;
    const sa_option *row;
    size_t number;
    if (now && find(command, now, &set, &number))
        return sa_fail(error, SA_USAGE, "%s: '--%s' is called '--%s' now", command->name, name,
                       now);
    sa_nearest nearest = {.wanted = name, .prefix = "--"};
    for (size_t i = 0; (row = cli_option_at(command, i, &set)); i++)
        sa_nearest_consider(&nearest, row->name);
    char hint[128];
    return sa_fail(error, SA_USAGE, "%s: unknown option '%s'%s", command->name, argument,
                   sa_nearest_hint(&nearest, hint, sizeof hint));
}

static bool read_option(argument_reader *reader, sa_error *error) {
    const cli_call *call = reader->call;
    const char *argument = call->arguments[reader->at];
    const char *equals = strchr(argument, '=');
    char name[NAME];
    size_t size = equals ? (size_t)(equals - argument) : strlen(argument), number;
    if (strncmp(argument, "--", 2) != 0 || size - 2 >= sizeof name)
        return unknown(call->command, argument, argument, error);
    memcpy(name, argument + 2, size - 2);
    name[size - 2] = 0;

    const cli_option_set *set;
    const sa_option *row = find(call->command, name, &set, &number);
    if (!row) return unknown(call->command, argument, name, error);
    sa_require(number < ROWS);
    if (reader->seen[number]) return sa_fail(error, SA_USAGE, "--%s is given twice", row->name);
    reader->seen[number] = true;
    const char *value = equals ? equals + 1 : row->kind == SA_OPTION_SWITCH ? "yes" : NULL;
    if (!value && reader->at + 1 < call->count) {
        value = call->arguments[reader->at + 1];
        if (strncmp(value, "--", 2) == 0) value = NULL; /* rather a forgotten value than one */
        reader->at += value != NULL;
    }
    if (!value) return sa_fail(error, SA_USAGE, "--%s needs a value (%s)", row->name, row->value);
    return sa_option_set(row, set->own ? set->own : (char *)call->options + set->at, value, error);
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
        } else if (words == command->most) {
            return sa_fail(error, SA_USAGE, "%s: '%s' is one argument too many", command->name,
                           argument);
        } else {
            call->words[words++] = argument;
        }
    }
    if (cli_said.quiet && cli_said.verbose)
        return sa_fail(error, SA_USAGE, "--quiet and --verbose exclude each other");
    if (words < command->least)
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

/* ---- The command ----------------------------------------------------------------------------- */

static bool asks_for_help(int count, char **arguments) {
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0) return true;
    return false;
}

/* What is to be run, by the words behind the program's name. NULL: it is done, or an error. */
static const cli_command *choose(int *count, char ***words, sa_error *error) {
    const char *name = *count ? **words : NULL;
    if (!name) {
        sa_fail(error, SA_USAGE, "a command is missing; '%s help' lists all", cli_name);
    } else if (strcmp(name, "--version") == 0) {
        sa_buffer out = {0};
        const char *file = sa_blas_library();
        sa_buffer_addf(&out, "%s %s\n%s\n", cli_name, sa_version(), sa_blas_version());
        if (file) sa_buffer_addf(&out, "products by %s\n", file);
        cli_print(&out, error);
    } else if (strcmp(name, "--complete") == 0) {
        cli_complete(*count - 1, *words + 1, error);
    } else if (strcmp(name, "--help") == 0) {
        *count = 0;
        return &cli_help;
    } else {
        const cli_command *command = cli_find(name, error);
        if (command && asks_for_help(*count - 1, *words + 1)) {
            *count = 1;
            return &cli_help;
        }
        --*count, ++*words;
        return command;
    }
    return NULL;
}

int cli_run(int argc, char **argv, bool (*agree)(bool good, sa_error *error)) {
    cli_output_init();
    signal(SIGPIPE, SIG_IGN); /* write reports the error instead */
    signal(SIGXFSZ, SIG_IGN);
    sa_error error = {0};
    const double begin = sa_clock_seconds();
    cli_call call = {.count = argc ? argc - 1 : 0, .arguments = argv + 1};
    const cli_command *command = call.command = choose(&call.count, &call.arguments, &error);
    bool good = error.code == SA_OK;
    if (command) {
        call.options = sa_new(command->size, 1, &error);
        if (call.options) cli_options_init(command, call.options);
        good = call.options && cli_read(&call, &error) && command->run(&call, &error);
        free(call.options);
    }
    if (agree) good = agree(good, &error);
    cli_note_cost(begin);
    if (!good && error.text[0]) cli_note_error(&error);
    if (!good) return (int)error.code;
    const int caught = *cli_signals_stop();
    return caught ? 128 + caught : 0;
}
