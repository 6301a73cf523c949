/* film: reads the log of a training and the attention recorded during it, which a page plays. */
#include "report/film.h"
#include "base/file.h"
#include "base/number.h"
#include "data/csv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- The log --------------------------------------------------------------------------------- */

static const char *const column_names[SA_LOG_COLUMNS] = {
    [SA_LOG_STEP] = "step",
    [SA_LOG_SECONDS] = "seconds",
    [SA_LOG_TRAIN_LOSS] = "train_loss",
    [SA_LOG_VALID_LOSS] = "valid_loss",
    [SA_LOG_VALID_BLEU] = "valid_bleu",
};

/* Finds the columns of the log in its first row. SA_DATA: one is missing. */
static bool find_columns(const sa_records *log, size_t columns[SA_LOG_COLUMNS], sa_error *error) {
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) {
        for (columns[k] = 0; columns[k] < log->cells; columns[k]++)
            if (strcmp(log->cell[columns[k]], column_names[k]) == 0) break;
        if (columns[k] == log->cells)
            return sa_fail(error, SA_DATA, "%s:1: a column is missing", log->text.file.name);
    }
    return true;
}

static bool read_rows(sa_records *log, sa_log_row row, void *context, sa_error *error) {
    size_t columns[SA_LOG_COLUMNS];
    const char *wanted[SA_LOG_COLUMNS];
    bool failed = false;
    sa_csv_next(log, &failed, error);
    if (failed || !find_columns(log, columns, error)) return false;
    while (sa_csv_next(log, &failed, error)) {
        for (size_t k = 0; k < SA_LOG_COLUMNS; k++)
            wanted[k] = columns[k] < log->cells ? log->cell[columns[k]] : "";
        if (!row(context, wanted, error)) return false;
    }
    return !failed;
}

bool sa_training_log_read(const char *folder, bool required, sa_log_row row, void *context,
                          sa_error *error) {
    sa_records log = {.separator = ','};
    char path[SA_PATH_SIZE];
    sa_path_in(path, folder, "log.csv");
    if (!required && sa_file_missing(path)) return true;
    const bool good =
        sa_text_lines_open(&log.text, path, error) && read_rows(&log, row, context, error);
    sa_records_close(&log);
    return good;
}

/* ---- Reading a film -------------------------------------------------------------------------- */

enum { PAIRS = 20 }; /* most pairs on a page */

typedef struct film_frame {
    int64_t step;    /* updates before it */
    char *caption;   /* "update 120: validation loss 1.234, BLEU 45.67" */
    double *weights; /* [(1 + heads) * rows * cols], the mean of the heads first */
} film_frame;

/* The frames of one pair, by step. */
typedef struct film_scene {
    sa_number_table first; /* the first frame: all frames have its tokens */
    film_frame *frames;    /* [count] */
    size_t count, capacity;
    int heads; /* 0: only the mean was recorded */
} film_scene;

typedef struct film_scenes {
    film_scene scenes[PAIRS];
    size_t count;
} film_scenes;

static size_t size_of(const film_scene *scene) {
    return (size_t)scene->first.rows * (size_t)scene->first.cols;
}

/* Returns the number of updates in the name of a frame ("00000120.csv"), or -1. */
static int64_t step_of(const char *name) {
    char *end;
    errno = 0;
    const long long step = strtoll(name, &end, 10);
    return *name >= '0' && *name <= '9' && strcmp(end, ".csv") == 0 && !errno ? step : -1;
}

/* Returns the head whose folder has this name ("head-2"), or 0. */
static int head_of(const char *name) {
    int64_t head;
    return strncmp(name, "head-", 5) == 0 && sa_integer_parse(name + 5, &head) && head > 0 &&
                   head < 1000
               ? (int)head
               : 0;
}

static int by_step(const void *a, const void *b) {
    const int64_t x = ((const film_frame *)a)->step, y = ((const film_frame *)b)->step;
    return (x > y) - (x < y);
}

/* Lists the frames of a folder and counts its heads. The folder need not exist. */
static bool list_frames(film_scene *scene, const char *folder, sa_error *error) {
    DIR *list = opendir(folder);
    bool good = true;
    if (!list) return errno == ENOENT || sa_fail_errno(error, SA_OPEN, "open", folder);
    errno = 0;
    for (struct dirent *entry; good && (entry = readdir(list)); errno = 0) {
        const film_frame frame = {.step = step_of(entry->d_name)};
        const int head = head_of(entry->d_name);
        if (head > scene->heads) scene->heads = head;
        good = frame.step < 0 || sa_append(&scene->frames, &scene->count, &scene->capacity, &frame,
                                           sizeof frame, error);
    }
    if (good && errno) good = sa_fail_errno(error, SA_IO, "read", folder);
    closedir(list);
    if (scene->count) qsort(scene->frames, scene->count, sizeof *scene->frames, by_step);
    return good;
}

static bool same_words(const char *const *words, const char *const *first, int count) {
    int i = 0;
    while (i < count && strcmp(words[i], first[i]) == 0) i++;
    return i == count;
}

/* Reads the mean (head 0) or a head of a frame into its place in the frame's weights. */
static bool read_head(film_scene *scene, const char *folder, film_frame *frame, int head,
                      sa_error *error) {
    sa_number_table matrix = {0}, *first = &scene->first;
    char inner[32] = "";
    if (head) snprintf(inner, sizeof inner, "head-%d/", head);
    char *path = sa_format(error, "%s/%s%08lld.csv", folder, inner, (long long)frame->step);
    bool good = path && sa_number_table_open(&matrix, path, false, error) &&
                ((matrix.row && matrix.column) ||
                 sa_fail(error, SA_DATA, "%s: not a heatmap: tokens are missing", path));
    if (good && !first->numbers) *first = matrix, matrix = (sa_number_table){0};
    const sa_number_table *read = matrix.numbers ? &matrix : first;
    if (good && !(read->rows == first->rows && read->cols == first->cols &&
                  same_words(read->row, first->row, first->rows) &&
                  same_words(read->column, first->column, first->cols)))
        good = sa_fail(error, SA_DATA, "%s: its tokens differ from those of '%s/%08lld.csv'", path,
                       folder, (long long)scene->frames->step);
    const size_t size = size_of(scene), all = (size_t)(1 + scene->heads) * size;
    if (good && !frame->weights)
        good = (frame->weights = sa_new(all, sizeof *frame->weights, error)) != NULL;
    if (good) memcpy(frame->weights + (size_t)head * size, read->numbers, size * sizeof(double));
    sa_number_table_close(&matrix);
    free(path);
    return good;
}

/* Reads the frames of the pairs in OUT/film/0001 ..., up to the first pair without frames. */
static bool read_film(film_scenes *film, const char *out, sa_error *error) {
    for (; film->count < PAIRS; film->count++) {
        film_scene *scene = &film->scenes[film->count];
        char *folder = sa_format(error, "%s/film/%04zu", out, film->count + 1);
        bool good = folder && list_frames(scene, folder, error);
        for (size_t i = 0; good && i < scene->count; i++)
            for (int head = 0; good && head <= scene->heads; head++)
                good = read_head(scene, folder, &scene->frames[i], head, error);
        free(folder);
        if (!good || !scene->count) return good;
    }
    return true;
}

static void release(film_scenes *film) {
    for (size_t p = 0; p < PAIRS; p++) {
        film_scene *scene = &film->scenes[p];
        for (size_t i = 0; i < scene->count; i++)
            free(scene->frames[i].caption), free(scene->frames[i].weights);
        free(scene->frames);
        sa_number_table_close(&scene->first);
    }
}

/* ---- Captions -------------------------------------------------------------------------------- */

/* Appends a value of the log, unless the cell is empty. */
static void add_figure(const char *name, const char *cell, int decimals, sa_buffer *out) {
    double value;
    if (out->failed || !sa_number_parse(cell, &value)) return;
    sa_buffer_addf(out, "%s %s ", strchr(out->text, ':') ? "," : ":", name);
    sa_number_add_fixed(out, value, decimals);
}

/* Puts the validation in a row of the log into the caption of the first pair's frame of that step;
 * without cells, gives every frame a caption. */
static bool name_frames(void *context, const char *const *cells, sa_error *error) {
    film_scene *scene = context;
    int64_t step;
    if (cells && !sa_integer_parse(cells[SA_LOG_STEP], &step)) return true;
    for (size_t k = 0; k < scene->count; k++) {
        film_frame *frame = &scene->frames[k];
        sa_buffer caption = {0};
        if (cells && frame->step != step) continue;
        sa_buffer_addf(&caption, cells || frame->step ? "update %lld" : "before the first update",
                       (long long)frame->step);
        if (cells) add_figure("validation loss", cells[SA_LOG_VALID_LOSS], 3, &caption);
        if (cells) add_figure("BLEU", cells[SA_LOG_VALID_BLEU], 2, &caption);
        free(frame->caption);
        frame->caption = caption.text;
        if (caption.failed) return sa_fail_memory(error, caption.size);
    }
    return true;
}

/* ---- For the page ---------------------------------------------------------------------------- */

/* Returns whether a frame is shown, as the first and the last one always are. */
static bool is_shown(size_t i, const film_scene *scene, size_t stride) {
    return i % stride == 0 || i + 1 == scene->count;
}

static json_t *json_scene(const film_scene *scene, size_t stride, int heads, bool *failed) {
    const sa_number_table *first = &scene->first;
    const size_t size = size_of(scene);
    json_t *weights = json_array(), *each = json_array();
    for (size_t i = 0; i < scene->count; i++) {
        const double *x = scene->frames[i].weights;
        if (!is_shown(i, scene, stride)) continue;
        json_array_append_new(weights, sa_page_weights(x, size, failed));
        if (heads)
            json_array_append_new(each, sa_page_weights(x + size, (size_t)heads * size, failed));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "source", sa_json_words(first->column, first->cols),
                     "target", sa_json_words(first->row, first->rows), "weights", weights, "heads",
                     each);
}

/* Returns the films. Leaves out pairs whose frames are not those of the first pair: they belong to
 * another training. */
static json_t *json_film(sa_html_report *report, const film_scenes *film) {
    const film_scene *first = film->scenes;
    size_t size = 0; /* upper bound of the bytes of one frame of all pairs */
    for (size_t i = 0; i < film->count; i++) size += 2 * size_of(&film->scenes[i]);
    /* One frame in this many is shown, which keeps the film within its budget. */
    const size_t stride = 1 + first->count * size * report->models / SA_PAGE_FILM;
    const size_t bytes = (first->count / stride + 2) * (size_t)first->heads * size;
    const int heads = report->heads + bytes > report->head_budget ? 0 : first->heads;
    if (heads) report->heads += bytes;
    json_t *steps = json_array(), *captions = json_array(), *scenes = json_array();
    for (size_t i = 0; i < first->count; i++) {
        if (!is_shown(i, first, stride)) continue;
        json_array_append_new(steps, json_integer(first->frames[i].step));
        json_array_append_new(captions, json_string(first->frames[i].caption));
    }
    for (const film_scene *scene = first; scene < first + film->count; scene++)
        if (scene->count == first->count && scene->heads == first->heads)
            json_array_append_new(scenes, json_scene(scene, stride, heads, &report->failed));
    return json_pack("{s:i, s:o, s:o, s:o}", "heads", heads, "steps", steps, "captions", captions,
                     "scenes", scenes);
}

bool sa_html_report_film(sa_html_report *report, const char *folder, sa_error *error) {
    film_scenes *film = sa_new(1, sizeof *film, error);
    if (!film) return false;
    const bool good = read_film(film, folder, error) && name_frames(film->scenes, NULL, error) &&
                      sa_training_log_read(folder, false, name_frames, film->scenes, error);
    json_t *all = json_object_get(report->data, "film");
    if (good && film->count)
        json_array_set_new(all, json_array_size(all) - 1, json_film(report, film));
    release(film);
    free(film);
    return good;
}
