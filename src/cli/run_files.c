#include "cli/run_files.h"
#include "base/file.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 512 }; /* beyond all options and words */

typedef struct run_file {
    sa_option_kind kind;  /* input, output or folder */
    const sa_option *row; /* NULL: a word, or the command's own result on standard output */
    const char *path;     /* as given */
    char *real;           /* where it leads; NULL: standard input or output */
} run_file;

typedef struct run_files {
    const cli_command *command;
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

static bool add_options(run_files *files, const cli_option_set *set, const void *fields,
                        sa_error *error) {
    const char *base = (const char *)fields + set->at;
    for (const sa_option *row = set->rows; row->name; row++) {
        if (!sa_option_is_text(row) || row->kind == SA_OPTION_TEXT) continue;
        const char *path = *(const char *const *)(const void *)(base + row->offset);
        if (path && !(row->kind == SA_OPTION_INPUT
                          ? add_input(files, row, path, error)
                          : add(files, (run_file){row->kind, row, path, NULL}, path, error)))
            return false;
    }
    return true;
}

static bool add_all(run_files *files, const void *fields, const char *const *words,
                    sa_error *error) {
    const cli_command *command = files->command;
    for (const cli_option_set *set = command->sets; set->rows; set++)
        if (!add_options(files, set, fields, error)) return false;
    for (int i = 0; i < command->most && words[i]; i++)
        if (!(command->texts >> i & 1) && !add_input(files, NULL, words[i], error)) return false;
    return (command->prints && !command->prints(fields)) ||
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

/* Devices and pipes are no files that could be lost. */
static bool is_file(const struct stat *file) {
    return S_ISREG(file->st_mode);
}

static bool find(const run_file *file, struct stat *about) {
    return file->real ? stat(file->real, about) == 0 : fstat(STDOUT_FILENO, about) == 0;
}

static bool are_same(const run_file *one, const run_file *other) {
    struct stat a, b;
    const bool known = find(one, &a), also = find(other, &b);
    if (known && also) return is_file(&a) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
    for (size_t i = 0; (pattern = folder->row->choice(i)); i++) {
        if (other->kind != SA_OPTION_FOLDER) {
            if (name_matches(folder->real, pattern, other->real)) return true;
            continue;
        }
        for (size_t k = 0; (theirs = other->row->choice(k)); k++)
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

static bool check(const run_files *files, sa_error *error) {
    const char *name = files->command->name;
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

bool cli_run_files_check(const cli_command *command, const void *fields, const char *const *words,
                         sa_error *error) {
    run_files files = {.command = command};
    const bool good = add_all(&files, fields, words, error) && check(&files, error);
    for (size_t i = 0; i < files.count; i++) free(files.file[i].real);
    return good;
}
