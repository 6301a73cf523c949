#include "cli/output.h"
#include "base/save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where memory runs out, jansson leaves pieces of JSON away unasked, and reading long strings it
 * may even write where it must not. So the command ends before: nothing is being saved while JSON
 * is read or put together. */
static _Noreturn void exit_out_of_memory(void) {
    fprintf(stderr, "softalign: out of memory for JSON\n");
    _exit(SA_LIMIT);
}

static void *allocate_for_json(size_t size) {
    void *memory = sa_new(size, 1, NULL);
    if (!memory) exit_out_of_memory();
    return memory;
}

void cli_output_init(void) {
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) /* the lowest free number is this one */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    json_set_alloc_funcs(allocate_for_json, free);
}

static bool write_all(int fd, const char *name, const sa_buffer *buffer, sa_error *error) {
    if (buffer->failed) return sa_fail_memory(error, buffer->size);
    for (size_t done = 0; done < buffer->size;) {
        ssize_t wrote = write(fd, buffer->text + done, buffer->size - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0 && errno == EPIPE) return sa_fail(error, SA_IO, "%s", "");
        if (wrote < 0) return sa_fail_errno(error, SA_IO, "write", name);
        done += (size_t)wrote;
    }
    return true;
}

bool cli_print(sa_buffer *buffer, sa_error *error) {
    bool good = write_all(STDOUT_FILENO, "standard output", buffer, error);
    buffer->size = 0;
    if (!good) sa_buffer_release(buffer);
    return good;
}

void cli_wrap(sa_buffer *out, const char *line, size_t column) {
    enum { WIDTH = 80 };
    size_t at = column;
    for (const char *end = line + strcspn(line, "\n"); line < end;) {
        size_t size = strcspn(line, " \n");
        if (at > column && at + 1 + size >= WIDTH) {
            sa_buffer_addf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            sa_buffer_adds(out, " ");
            at++;
        }
        sa_buffer_add(out, line, size);
        at += size;
        line += size + (line[size] == ' ');
    }
    sa_buffer_adds(out, "\n");
}

static void add_json(json_t *value, size_t form, sa_buffer *out) {
    char *text = json_dumps(value, form | JSON_ENSURE_ASCII);
    json_decref(value);
    out->failed |= !text;
    if (text) sa_buffer_addf(out, "%s\n", text);
    free(text);
}

void cli_add_json(json_t *value, sa_buffer *out) {
    add_json(value, JSON_INDENT(2), out);
}

void cli_add_json_line(json_t *value, sa_buffer *out) {
    add_json(value, JSON_COMPACT, out);
}

bool cli_print_json(json_t *value, sa_error *error) {
    sa_buffer out = {0};
    cli_add_json(value, &out);
    bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

const char *cli_json_text(const sa_buffer *text) {
    if (text->failed) exit_out_of_memory();
    return text->size ? text->text : "";
}

json_t *cli_json_buffer(sa_buffer *text) {
    json_t *string = json_stringn(cli_json_text(text), text->size);
    sa_buffer_release(text);
    return string;
}

json_t *cli_json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_words(const char *const *words, int count) {
    json_t *list = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(list, json_string(words[i]));
    return list;
}

json_t *cli_json_matrix(const double *x, int rows, int cols) {
    json_t *matrix = json_array();
    if (!x) return json_decref(matrix), json_null();
    for (int i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (int j = 0; j < cols; j++) json_array_append_new(row, cli_json_number(*x++));
        json_array_append_new(matrix, row);
    }
    return matrix;
}

/* A device or pipe must not be replaced by a file. */
static bool write_into(const char *path, const sa_buffer *buffer, sa_error *error) {
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return sa_fail_errno(error, SA_OPEN, "open", path);
    bool good = write_all(fd, path, buffer, error);
    return (close(fd) == 0 || !good || sa_fail_errno(error, SA_IO, "write", path)) && good;
}

char *cli_path(const char *folder, const char *name, sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/%s", folder, name);
    if (!path.failed) return path.text;
    sa_fail_memory(error, path.size);
    sa_buffer_release(&path);
    return NULL;
}

bool cli_save(const char *path, sa_buffer *buffer, sa_error *error) {
    struct stat about;
    bool good;
    if (strcmp(path, "-") == 0)
        good = cli_print(buffer, error);
    else if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        good = write_into(path, buffer, error);
    else if (buffer->failed)
        good = sa_fail_memory(error, buffer->size);
    else
        good = sa_save(path, &(sa_chunk){buffer->text, buffer->size}, 1, error);
    sa_buffer_release(buffer);
    return good;
}

static bool same_file(const char *one, const char *other) {
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool cli_refuse_overwrite(const char *input, const char *output, sa_error *error) {
    if (!input || !output) return true;
    bool same = same_file(input, output);
    const char *comma = strchr(input, ',');
    if (comma) { /* PAIRS as two files */
        char *first = sa_copy(input, (size_t)(comma - input), error);
        if (!first) return false;
        same = same || same_file(first, output) || same_file(comma + 1, output);
        free(first);
    }
    return !same || sa_fail(error, SA_USAGE, "'%s' is read: choose another file to write", output);
}
