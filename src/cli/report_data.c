#include "cli/report_data.h"
#include "analysis/attention_statistics.h"
#include "base/file.h"
#include "cli/film_frames.h"
#include "cli/output.h"
#include "config/settings.h"
#include "report/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that may be no UTF-8, as paths may. */
static json_t *json_text(const char *text) {
    char safe[1024];
    json_t *exact = json_string(text);
    return exact ? exact : json_string(sa_escape(safe, sizeof safe, text, strlen(text)));
}

void cli_report_init(cli_report *page, const char *command, const char *title, size_t models) {
    *page = (cli_report){.data = json_object(), .sentences = json_array(), .models = models};
    json_object_set_new(page->data, "version", json_string(sa_version()));
    json_object_set_new(page->data, "command", json_string(command));
    json_object_set_new(page->data, "title", json_text(title));
    json_object_set_new(page->data, "sentences", page->sentences);
    static const char *const lists[] = {"facts",   "models",   "film",
                                        "columns", "matrices", "signatures"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        json_object_set_new(page->data, lists[i], json_array());
    json_object_set_new(page->data, "files", json_object());
}

void cli_report_release(cli_report *page) {
    json_decref(page->data);
    *page = (cli_report){0};
}

void cli_report_fact(cli_report *page, const char *name, const char *value) {
    json_t *fact = json_array();
    json_array_append_new(fact, json_string(name));
    json_array_append_new(fact, json_text(value));
    json_array_append_new(json_object_get(page->data, "facts"), fact);
}

void cli_report_file(cli_report *page, const char *name, const sa_buffer *text) {
    json_object_set_new(json_object_get(page->data, "files"), name,
                        json_string(text->size ? text->text : ""));
}

bool cli_report_add_file(cli_report *page, const char *folder, const char *name, sa_error *error) {
    sa_file file;
    char *path = cli_path(folder, name, error);
    const bool good = path && sa_file_read(&file, path, SA_FILE_LIMIT, error);
    if (good) {
        cli_report_file(page, name, &(sa_buffer){.text = file.data, .size = file.size});
        sa_file_release(&file);
    }
    free(path);
    return good;
}

/* Bytes that there is room for: all models' matrices, single heads, all models' films. */
enum { MOST_DENSE = 2400000, MOST_HEADS = 1200000, MOST_FILM = 800000 };

/* ---- Models ---------------------------------------------------------------------------------- */

static json_t *json_settings(const sa_settings *settings) {
    json_t *all = json_object();
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        sa_buffer value = {0};
        sa_option_format(row, sa_option_get(row, settings), &value);
        json_object_set_new(all, row->name, cli_json_buffer(&value));
    }
    json_object_del(all, "threads"); /* it changes no result */
    return all;
}

void cli_report_model(cli_report *page, const char *name, const sa_settings *settings) {
    const size_t left = page->models - json_array_size(json_object_get(page->data, "models"));
    page->model = json_object();
    page->matrices = NULL;
    page->attention = (sa_attention_stats){0};
    page->head_budget =
        page->heads + (MOST_HEADS - page->heads) / left; /* what it leaves is for others */
    json_object_set_new(page->model, "name", json_text(name));
    json_object_set_new(page->model, "settings",
                        settings ? json_settings(settings) : json_object());
    json_object_set_new(page->model, "seeds", json_array());
    json_array_append_new(json_object_get(page->data, "models"), page->model);
    json_array_append_new(json_object_get(page->data, "matrices"), json_null());
    json_array_append_new(json_object_get(page->data, "film"), json_null());
}

void cli_report_seed(cli_report *page, int64_t seed) {
    json_array_append_new(json_object_get(page->model, "seeds"), json_integer(seed));
}

/* Sets what a list has for the model added last. */
static void set_last(cli_report *page, const char *list, json_t *value) {
    json_t *all = json_object_get(page->data, list);
    json_array_set_new(all, json_array_size(all) - 1, value);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static json_t *json_packed(const double *weights, size_t count) {
    sa_buffer text = {0};
    sa_page_encode_weights(weights, count, &text);
    return cli_json_buffer(&text);
}

static json_t *json_words(const sa_alignment *alignment) {
    return json_pack("{s:o, s:o}", "source", cli_json_words(alignment->source, alignment->sources),
                     "target", cli_json_words(alignment->target, alignment->targets));
}

static json_t *json_gold(const sa_link *gold, size_t golds) {
    json_t *list = json_array();
    for (size_t i = 0; i < golds; i++)
        json_array_append_new(
            list, json_pack("[i, i, b]", gold[i].source, gold[i].target, gold[i].possible));
    return list;
}

/* The sentence's words, the same for all models; where a model reads others, they are its own. */
static void name_words(cli_report *page, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds, json_t *entry) {
    json_t *words = json_words(alignment);
    if (index == json_array_size(page->sentences)) {
        json_object_set_new(words, "gold", json_gold(gold, golds));
        json_array_append_new(page->sentences, words);
        return;
    }
    const json_t *known = json_array_get(page->sentences, index);
    if (json_equal(json_object_get(known, "source"), json_object_get(words, "source")) &&
        json_equal(json_object_get(known, "target"), json_object_get(words, "target")))
        json_decref(words);
    else
        json_object_set_new(entry, "words", words);
}

static json_t *json_attention_stats(const sa_attention_stats *gaze) {
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "entropy",
                     cli_json_number(sa_attention_stats_entropy(gaze)), "evenness",
                     cli_json_number(sa_attention_stats_norm_entropy(gaze)), "coverage",
                     cli_json_number(sa_attention_stats_coverage(gaze)), "end",
                     cli_json_number(sa_attention_stats_eos_weight(gaze)), "onward",
                     cli_json_number(sa_attention_stats_monotonicity(gaze)));
}

/* Whether a further sentence is shown: of later models as many as of the first. */
static bool fits(cli_report *page, size_t index, size_t size) {
    const size_t known = json_array_size(page->sentences);
    if (index < known) return true;
    const size_t dense = page->dense + 2 * size;
    if (index > known || index >= CLI_REPORT_SENTENCES || dense * page->models > MOST_DENSE)
        return false;
    page->dense = dense;
    return true;
}

/* Every head of every layer, if there is room. */
static void add_heads(cli_report *page, const sa_alignment *alignment, size_t count,
                      json_t *entry) {
    json_t *packed = json_packed(sa_alignment_weights(alignment, 1, 1), count);
    const size_t size = json_string_length(packed);
    if (page->heads + size <= page->head_budget) {
        page->heads += size;
        json_object_set(entry, "heads", packed);
    }
    json_decref(packed);
}

void cli_report_matrix(cli_report *page, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds) {
    const int T = alignment->targets, S = alignment->sources;
    const size_t size = (size_t)T * (size_t)S;
    const int layers = alignment->layers > 1 ? alignment->layers : 1;
    const size_t heads = (size_t)layers * (size_t)alignment->heads;
    if (index >= page->offered) page->offered = index + 1;
    if (!fits(page, index, size)) return;
    if (!page->matrices) {
        set_last(page, "matrices", page->matrices = json_array());
        json_object_set_new(page->model, "layers", json_integer(layers));
        json_object_set_new(page->model, "heads", json_integer(alignment->heads));
    }
    json_t *entry = json_object();
    name_words(page, index, alignment, gold, golds, entry);
    json_object_set_new(entry, "mean", json_packed(alignment->weights, size));
    if (heads > 1) add_heads(page, alignment, heads * size, entry);
    json_array_append_new(page->matrices, entry);
    sa_attention_stats_add(&page->attention, alignment->weights,
                           sa_alignment_weights(alignment, 0, 1), alignment->heads, T, S);
    json_object_set_new(page->model, "gaze", json_attention_stats(&page->attention));
}

/* ---- Films ----------------------------------------------------------------------------------- */

enum { SCENES = 20 };

/* Bytes that a frame of all scenes takes at most. */
static size_t frame_size(const cli_film_frames *film) {
    size_t size = 0;
    for (size_t i = 0; i < film->count; i++) {
        const sa_number_table *matrix = &film->scenes[i].frames->matrix;
        size += 2 * (size_t)matrix->rows * (size_t)matrix->cols;
    }
    return size;
}

/* Every how many frames one is shown, so that all find room. */
static size_t frame_stride(const cli_report *page, const cli_film_frames *film) {
    return 1 + film->scenes->count * frame_size(film) * page->models / MOST_FILM;
}

/* How many heads are shown: all, if there is room. */
static int heads_shown(cli_report *page, const cli_film_frames *film, size_t stride) {
    const int heads = film->scenes->frames->heads;
    const size_t frames = film->scenes->count / stride + 2;
    const size_t size = frames * (size_t)heads * frame_size(film);
    if (page->heads + size > page->head_budget) return 0;
    page->heads += size;
    return heads;
}

/* Whether frame i of so many is shown: the first and the last one always are. */
static bool is_shown(size_t i, size_t count, size_t stride) {
    return i % stride == 0 || i + 1 == count;
}

/* `heads`: of several heads their number, if they are shown. */
static json_t *json_scene(const cli_film_pair *scene, size_t stride, int heads) {
    json_t *weights = json_array(), *each = json_array();
    for (size_t i = 0; i < scene->count; i++) {
        const cli_frame *frame = &scene->frames[i];
        const size_t size = (size_t)frame->matrix.rows * (size_t)frame->matrix.cols;
        if (!is_shown(i, scene->count, stride)) continue;
        json_array_append_new(weights, json_packed(frame->matrix.numbers, size));
        if (heads)
            json_array_append_new(each, json_packed(frame->weights + size, (size_t)heads * size));
    }
    const sa_alignment first = cli_frame_alignment(scene->frames);
    json_t *object = json_words(&first);
    json_object_set_new(object, "weights", weights);
    json_object_set_new(object, "heads", each);
    return object;
}

/* Scenes with other frames than the first one belong to another training, and are left out. */
static json_t *json_film(cli_report *page, const cli_film_frames *film) {
    const cli_film_pair *first = film->scenes;
    const size_t stride = frame_stride(page, film);
    const int heads = heads_shown(page, film, stride);
    json_t *steps = json_array(), *captions = json_array(), *scenes = json_array();
    for (size_t i = 0; i < first->count; i++) {
        if (!is_shown(i, first->count, stride)) continue;
        json_array_append_new(steps, json_integer(first->frames[i].step));
        json_array_append_new(captions, json_string(first->frames[i].caption));
    }
    for (size_t i = 0; i < film->count; i++)
        if (film->scenes[i].count == first->count &&
            film->scenes[i].frames->heads == first->frames->heads)
            json_array_append_new(scenes, json_scene(&film->scenes[i], stride, heads));
    return json_pack("{s:i, s:o, s:o, s:o}", "heads", heads, "steps", steps, "captions", captions,
                     "scenes", scenes);
}

bool cli_report_film(cli_report *page, const char *out, sa_error *error) {
    cli_film_frames film;
    if (!cli_film_frames_read(&film, out, SCENES, error)) return false;
    if (film.count) set_last(page, "film", json_film(page, &film));
    cli_film_frames_release(&film);
    return true;
}

/* ---- The file -------------------------------------------------------------------------------- */

static void add_shown_fact(cli_report *page) {
    char text[64];
    const size_t shown = json_array_size(page->sentences);
    if (shown == page->offered) return;
    snprintf(text, sizeof text, "%zu of %zu", shown, page->offered);
    cli_report_fact(page, "sentences shown", text);
}

void cli_report_write(cli_report *page, sa_buffer *out) {
    add_shown_fact(page);
    char *json = json_dumps(page->data, JSON_COMPACT | JSON_ENSURE_ASCII);
    cli_report_release(page);
    out->failed |= !json;
    if (json) sa_page_write(json, out);
    free(json);
}
