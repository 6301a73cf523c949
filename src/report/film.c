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

/* In the order of SA_LOG_STEP ... */
static const char *const column_names[SA_LOG_COLUMNS] = {"step", "seconds", "train_loss",
                                                         "valid_loss", "valid_bleu"};

static bool read_rows(sa_records *log, sa_log_row row, void *context, sa_error *error) {
    size_t columns[SA_LOG_COLUMNS];
    const char *wanted[SA_LOG_COLUMNS];
    sa_csv_next(log, error);
    if (log->text.failed) return false;
    for (size_t k = 0; k < SA_LOG_COLUMNS; k++) {
        for (columns[k] = 0; columns[k] < log->cells; columns[k]++)
            if (strcmp(log->cell[columns[k]], column_names[k]) == 0) break;
        if (columns[k] == log->cells)
            return sa_fail(error, SA_DATA, "%s:1: a column is missing", log->text.file.name);
    }
    while (sa_csv_next(log, error)) {
        for (size_t k = 0; k < SA_LOG_COLUMNS; k++)
            wanted[k] = columns[k] < log->cells ? log->cell[columns[k]] : "";
        if (!row(context, wanted, error)) return false;
    }
    return !log->text.failed;
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

/* ---- The frames of a pair -------------------------------------------------------------------- */

enum { PAIRS = 20, HEADS = 999 }; /* most pairs and heads on a page */

typedef struct film_scene {
    char folder[SA_PATH_SIZE];
    struct dirent **frames; /* [count] "00000120.csv", by the updates before it */
    int count, heads;       /* heads 0: only their mean was recorded */
    sa_number_table first;  /* the first frame: all frames have its tokens */
} film_scene;

static int is_frame(const struct dirent *entry) {
    const size_t digits = strspn(entry->d_name, "0123456789");
    return digits && strcmp(entry->d_name + digits, ".csv") == 0;
}

static size_t size_of(const film_scene *scene) {
    return (size_t)scene->first.rows * (size_t)scene->first.cols;
}

/* Reads frame i of a head, or of the mean (head 0). */
static bool read_frame(const film_scene *scene, int i, int head, sa_number_table *frame,
                       sa_error *error) {
    char folder[SA_PATH_SIZE], path[SA_PATH_SIZE], name[16];
    snprintf(name, sizeof name, "head-%d", head);
    sa_path_in(path, head ? sa_path_in(folder, scene->folder, name) : scene->folder,
               scene->frames[i]->d_name);
    if (!sa_number_table_open(frame, path, false, error)) return false;
    if (!frame->row || !frame->column)
        return sa_fail(error, SA_DATA, "%s: not a heatmap: tokens are missing", path);
    const sa_number_table *first = &scene->first;
    bool same = !first->numbers || (frame->rows == first->rows && frame->cols == first->cols);
    for (int k = 0; first->numbers && same && k < first->rows; k++)
        same = strcmp(frame->row[k], first->row[k]) == 0;
    for (int k = 0; first->numbers && same && k < first->cols; k++)
        same = strcmp(frame->column[k], first->column[k]) == 0;
    return same || sa_fail(error, SA_DATA, "%s: its tokens differ from those of '%s/%s'", path,
                           scene->folder, scene->frames[0]->d_name);
}

/* Lists the frames of a pair, counts its heads and reads its first frame. A pair that was not
 * recorded has no frames. */
static bool open_scene(film_scene *scene, const char *out, size_t pair, sa_error *error) {
    char name[32], head[SA_PATH_SIZE];
    snprintf(name, sizeof name, "film/%04zu", pair + 1);
    sa_path_in(scene->folder, out, name);
    scene->count = scandir(scene->folder, &scene->frames, is_frame, alphasort);
    if (scene->count < 0) {
        scene->count = 0;
        return errno == ENOENT || sa_fail_errno(error, SA_OPEN, "open", scene->folder);
    }
    for (; scene->heads < HEADS; scene->heads++) {
        snprintf(name, sizeof name, "head-%d", scene->heads + 1);
        errno = 0;
        if (sa_file_missing(sa_path_in(head, scene->folder, name))) break;
        if (errno) return sa_fail_errno(error, SA_OPEN, "open", head);
    }
    sa_number_table first = {0};
    const bool good = !scene->count || read_frame(scene, 0, 0, &first, error);
    scene->first = first;
    return good;
}

/* ---- For the page ---------------------------------------------------------------------------- */

/* Returns whether a frame is shown, as the first and the last one always are. */
static bool is_shown(int i, const film_scene *scene, size_t stride) {
    return (size_t)i % stride == 0 || i + 1 == scene->count;
}

static json_t *json_scene(const film_scene *scene, size_t stride, int heads, bool *failed,
                          sa_error *error) {
    const sa_number_table *first = &scene->first;
    const size_t size = size_of(scene);
    json_t *weights = json_array(), *each = json_array();
    double *x = sa_new((size_t)(1 + heads) * size, sizeof *x, error);
    bool good = x;
    for (int i = 0; good && i < scene->count; i++) {
        if (!is_shown(i, scene, stride)) continue;
        for (int head = 0; good && head <= heads; head++) {
            sa_number_table frame = {0};
            good = read_frame(scene, i, head, &frame, error);
            if (good) memcpy(x + (size_t)head * size, frame.numbers, size * sizeof *x);
            sa_number_table_close(&frame);
        }
        json_array_append_new(weights, sa_page_weights(x, size, failed));
        if (heads)
            json_array_append_new(each, sa_page_weights(x + size, (size_t)heads * size, failed));
    }
    free(x);
    json_t *json = json_pack(
        "{s:o, s:o, s:o, s:o}", "source", sa_json_words(first->column, first->cols), "target",
        sa_json_words(first->row, first->rows), "weights", weights, "heads", each);
    if (good && !json) sa_fail_memory(error, size);
    if (good) return json;
    json_decref(json);
    return NULL;
}

/* Appends a value of the log, unless the cell is empty. */
static void add_figure(const char *name, const char *cell, int decimals, sa_buffer *out) {
    double value;
    if (out->failed || !sa_number_parse(cell, &value)) return;
    sa_buffer_addf(out, "%s %s ", strchr(out->text, ':') ? "," : ":", name);
    sa_number_add_fixed(out, value, decimals);
}

/* Gives the frame of this step, if it is shown, the caption of a validation. */
static bool name_frame(void *context, const char *const *cells, sa_error *error) {
    const json_t *film = context, *step;
    int64_t number;
    size_t i;
    json_array_foreach(json_object_get(film, "steps"), i, step) {
        if (!sa_integer_parse(cells[SA_LOG_STEP], &number) || number != json_integer_value(step))
            continue;
        sa_buffer caption = {0};
        bool failed = false;
        sa_buffer_addf(&caption, "update %lld", (long long)number);
        add_figure("validation loss", cells[SA_LOG_VALID_LOSS], 3, &caption);
        add_figure("BLEU", cells[SA_LOG_VALID_BLEU], 2, &caption);
        json_array_set_new(json_object_get(film, "captions"), i, sa_json_buffer(&caption, &failed));
        if (failed) return sa_fail_memory(error, caption.size);
    }
    return true;
}

/* Adds the film of the scenes; leaves out pairs whose frames are not those of the first pair: they
 * belong to another training. */
static bool add_film(sa_html_report *report, const film_scene *first, size_t pairs,
                     const char *folder, json_t *film, sa_error *error) {
    size_t size = 0; /* upper bound of the bytes of one frame of all pairs */
    for (size_t i = 0; i < pairs; i++) size += 2 * size_of(&first[i]);
    /* One frame in this many is shown, which keeps the film within its budget. */
    const size_t stride = 1 + (size_t)first->count * size * report->models / SA_PAGE_FILM;
    const size_t bytes = ((size_t)first->count / stride + 2) * (size_t)first->heads * size;
    const int heads = report->heads + bytes > report->head_budget ? 0 : first->heads;
    if (heads) report->heads += bytes;
    json_object_set_new(film, "heads", json_integer(heads));
    for (int i = 0; i < first->count; i++) {
        const long long step = atoll(first->frames[i]->d_name);
        if (!is_shown(i, first, stride)) continue;
        json_array_append_new(json_object_get(film, "steps"), json_integer(step));
        json_array_append_new(json_object_get(film, "captions"),
                              step ? json_sprintf("update %lld", step)
                                   : json_string("before the first update"));
    }
    bool good = true;
    for (const film_scene *scene = first; good && scene < first + pairs; scene++) {
        if (scene->count != first->count || scene->heads != first->heads) continue;
        json_t *json = json_scene(scene, stride, heads, &report->failed, error);
        good = json;
        if (good) json_array_append_new(json_object_get(film, "scenes"), json);
    }
    return good && sa_training_log_read(folder, false, name_frame, film, error);
}

bool sa_html_report_film(sa_html_report *report, const char *folder, sa_error *error) {
    film_scene *scenes = sa_new(PAIRS, sizeof *scenes, error);
    json_t *film = json_pack("{s:i, s:[], s:[], s:[]}", "heads", 0, "steps", "captions", "scenes");
    json_t *all = json_object_get(report->data, "film");
    size_t pairs = 0;
    bool good = scenes;
    while (good && pairs < PAIRS && (good = open_scene(&scenes[pairs], folder, pairs, error)) &&
           scenes[pairs].count)
        pairs++;
    good = good && (!pairs || add_film(report, scenes, pairs, folder, film, error));
    if (good && pairs) json_array_set(all, json_array_size(all) - 1, film);
    json_decref(film);
    for (film_scene *scene = scenes; scenes && scene < scenes + PAIRS; scene++) {
        for (int i = 0; i < scene->count; i++) free(scene->frames[i]);
        free(scene->frames);
        sa_number_table_close(&scene->first);
    }
    free(scenes);
    return good;
}
