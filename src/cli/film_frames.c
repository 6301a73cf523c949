#include "cli/film_frames.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "cli/output.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---------------------------------------------------------------------------------- */

/* The updates that the name of a frame tells ("00000120.csv"), or -1. */
static int64_t step_of(const char *name) {
    char digits[32];
    int64_t step;
    const size_t size = strspn(name, "0123456789");
    if (size >= sizeof digits || strcmp(name + size, ".csv") != 0) return -1;
    snprintf(digits, sizeof digits, "%.*s", (int)size, name);
    return sa_integer_parse(digits, &step) ? step : -1;
}

/* The head whose folder has this name ("head-2"), or 0; no model has a thousand. */
static int head_of(const char *name) {
    static const char prefix[] = "head-";
    int64_t head;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        !sa_integer_parse(name + sizeof prefix - 1, &head))
        return 0;
    return head > 0 && head < 1000 ? (int)head : 0;
}

static bool add_frame(cli_film_pair *scene, const char *folder, const char *name, int64_t step,
                      sa_error *error) {
    if (!sa_reserve(&scene->frames, &scene->capacity, scene->count + 1, sizeof *scene->frames,
                    error))
        return false;
    cli_frame *frame = &scene->frames[scene->count];
    *frame = (cli_frame){.path = cli_path(folder, name, error), .step = step};
    if (!frame->path) return false;
    scene->count++;
    return true;
}

static int by_step(const void *a, const void *b) {
    const int64_t x = ((const cli_frame *)a)->step, y = ((const cli_frame *)b)->step;
    return (x > y) - (x < y);
}

static bool same_words(const char *const *one, const char *const *other, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(one[i], other[i]) != 0) return false;
    return true;
}

static bool same_labels(const sa_number_table *frame, const sa_number_table *first) {
    return frame->rows == first->rows && frame->cols == first->cols &&
           same_words(frame->row, first->row, first->rows) &&
           same_words(frame->column, first->column, first->cols);
}

static bool read_frame(sa_number_table *matrix, const char *path, const cli_frame *first,
                       sa_error *error) {
    if (!sa_number_table_open(matrix, path, error)) return false;
    if (!matrix->row || !matrix->column)
        return sa_fail(error, SA_DATA, "%s: not a heatmap: words are missing", path);
    if (!same_labels(matrix, &first->matrix))
        return sa_fail(error, SA_DATA, "%s: its words are not those of '%s'", path, first->path);
    return true;
}

/* The same frame of a head, in the folder of that head, to `weights`. */
static bool read_head(const char *folder, int head, const cli_frame *frame, double *weights,
                      sa_error *error) {
    const char *name = strrchr(frame->path, '/') + 1;
    sa_buffer inner = {0};
    sa_number_table matrix = {0};
    sa_buffer_addf(&inner, "head-%d/%s", head, name);
    char *path = inner.failed ? NULL : cli_path(folder, inner.text, error);
    bool good = path || sa_fail_memory(error, inner.size);
    good = good && read_frame(&matrix, path, frame, error);
    if (good)
        memcpy(weights, matrix.numbers,
               (size_t)matrix.rows * (size_t)matrix.cols * sizeof *weights);
    sa_number_table_close(&matrix);
    free(path);
    sa_buffer_release(&inner);
    return good;
}

static bool read_heads(const char *folder, int heads, cli_frame *frame, sa_error *error) {
    const size_t size = (size_t)frame->matrix.rows * (size_t)frame->matrix.cols;
    if (!heads) return true;
    frame->weights = sa_new((size_t)(1 + heads) * size, sizeof *frame->weights, error);
    bool good = frame->weights != NULL;
    if (good) memcpy(frame->weights, frame->matrix.numbers, size * sizeof *frame->weights);
    for (int head = 1; good && head <= heads; head++)
        good = read_head(folder, head, frame, frame->weights + (size_t)head * size, error);
    frame->heads = heads;
    return good;
}

static bool read_frames(cli_film_pair *scene, const char *folder, sa_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < scene->count; i++) {
        cli_frame *frame = &scene->frames[i];
        good = read_frame(&frame->matrix, frame->path, scene->frames, error) &&
               read_heads(folder, scene->heads, frame, error);
    }
    return good;
}

/* ---- Captions -------------------------------------------------------------------------------- */

static bool name_frames(cli_film_frames *film, sa_error *error) {
    for (size_t i = 0; i < film->count; i++)
        for (size_t k = 0; k < film->scenes[i].count; k++) {
            cli_frame *frame = &film->scenes[i].frames[k];
            sa_buffer caption = {0};
            sa_buffer_addf(&caption, frame->step ? "update %lld" : "before the first update",
                           (long long)frame->step);
            frame->caption = caption.text;
            if (caption.failed) return sa_fail_memory(error, caption.size);
        }
    return true;
}

/* A figure of the log with so many decimals; nothing when the log has none. */
static void add_figure(const char *name, const char *cell, int decimals, sa_buffer *out) {
    double value;
    if (out->failed || !sa_number_parse(cell, &value)) return;
    sa_buffer_addf(out, "%s %s ", strchr(out->text, ':') ? "," : ":", name);
    sa_number_add_fixed(out, value, decimals);
}

/* Adds what a row of the log says to the frames of its step. */
static bool add_log_row(void *context, const char *const *cells, sa_error *error) {
    cli_film_frames *film = context;
    int64_t step;
    if (!sa_integer_parse(cells[CLI_LOG_STEP], &step)) return true;
    for (size_t i = 0; i < film->count; i++)
        for (size_t k = 0; k < film->scenes[i].count; k++) {
            cli_frame *frame = &film->scenes[i].frames[k];
            sa_buffer caption = {0};
            if (frame->step != step) continue;
            sa_buffer_addf(&caption, "update %lld", (long long)step);
            add_figure("validation loss", cells[CLI_LOG_VALID_LOSS], 3, &caption);
            add_figure("BLEU", cells[CLI_LOG_VALID_BLEU], 2, &caption);
            free(frame->caption);
            frame->caption = caption.text;
            if (caption.failed) return sa_fail_memory(error, caption.size);
        }
    return true;
}

static bool read_log(cli_film_frames *film, const char *out, sa_error *error) {
    char *path = cli_path(out, "log.csv", error);
    if (!path) return false;
    const bool good = sa_file_missing(path) || cli_log_read(path, add_log_row, film, error);
    free(path);
    return good;
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

static bool list_frames(cli_film_pair *scene, const char *folder, DIR *list, sa_error *error) {
    errno = 0;
    for (struct dirent *entry; (entry = readdir(list)); errno = 0) {
        const int64_t step = step_of(entry->d_name);
        if (step >= 0 && !add_frame(scene, folder, entry->d_name, step, error)) return false;
        const int head = head_of(entry->d_name);
        if (head > scene->heads) scene->heads = head;
    }
    if (errno) return sa_fail_errno(error, SA_IO, "read", folder);
    if (scene->count) qsort(scene->frames, scene->count, sizeof *scene->frames, by_step);
    return true;
}

static void release(cli_film_pair *scene) {
    for (size_t i = 0; i < scene->count; i++) {
        sa_number_table_close(&scene->frames[i].matrix);
        free(scene->frames[i].weights);
        free(scene->frames[i].caption);
        free(scene->frames[i].path);
    }
    free(scene->frames);
}

/* Adds the scene of a folder; *more is false when there is none. */
static bool add_scene(cli_film_frames *film, const char *folder, bool *more, sa_error *error) {
    cli_film_pair scene = {0};
    DIR *list = opendir(folder);
    *more = false;
    if (!list) return errno == ENOENT || sa_fail_errno(error, SA_OPEN, "open", folder);
    bool good = list_frames(&scene, folder, list, error);
    closedir(list);
    *more = scene.count > 0;
    good = good && read_frames(&scene, folder, error) &&
           (!*more || sa_reserve(&film->scenes, &film->capacity, film->count + 1,
                                 sizeof *film->scenes, error));
    if (good && *more)
        film->scenes[film->count++] = scene;
    else
        release(&scene);
    return good;
}

bool cli_film_frames_read(cli_film_frames *film, const char *out, size_t most, sa_error *error) {
    bool good = true;
    *film = (cli_film_frames){0};
    for (bool more = true; good && more && film->count < most;) {
        char name[32];
        snprintf(name, sizeof name, "film/%04zu", film->count + 1);
        char *folder = cli_path(out, name, error);
        good = folder && add_scene(film, folder, &more, error);
        free(folder);
    }
    good = good && name_frames(film, error) && read_log(film, out, error);
    if (!good) cli_film_frames_release(film);
    return good;
}

void cli_film_frames_release(cli_film_frames *film) {
    for (size_t i = 0; i < film->count; i++) release(&film->scenes[i]);
    free(film->scenes);
    *film = (cli_film_frames){0};
}

sa_alignment cli_frame_alignment(const cli_frame *frame) {
    const sa_number_table *matrix = &frame->matrix;
    return (sa_alignment){
        .targets = matrix->rows,
        .sources = matrix->cols,
        .heads = frame->heads ? frame->heads : 1,
        .target = matrix->row,
        .source = matrix->column,
        .weights = frame->heads ? frame->weights : matrix->numbers,
    };
}
