#include "report/html_report.h"
#include "base/file.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "metrics/attention_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a string for a text that may not be UTF-8, such as a path. */
static json_t *json_text(const char *text) {
    char safe[1024];
    json_t *exact = json_string(text);
    return exact ? exact : json_string(sa_escape(safe, sizeof safe, text, strlen(text)));
}

void sa_page_name(const char *path, char name[SA_PAGE_NAME]) {
    static const char ending[] = ".safetensors";
    *name = 0;
    for (const char *end; *path; path = end) {
        end = path + strcspn(path, ",");
        const char *begin = end;
        int parts = 0;
        while (begin > path && begin[-1] == '/') begin--;
        while (begin > path && !(begin[-1] == '/' && ++parts == 2)) begin--;
        size_t size = (size_t)(end - begin);
        const size_t cut = sizeof ending - 1;
        while (begin[0] == '.' && begin[1] == '/' && size > 2) begin += 2, size -= 2;
        if (size > cut && strncmp(end - cut, ending, cut) == 0) size -= cut;
        while (size > 1 && begin[size - 1] == '/') size--;
        const size_t used = strlen(name);
        snprintf(name + used, SA_PAGE_NAME - used, "%.*s%s", (int)size, begin, *end ? "," : "");
        end += *end != 0;
    }
}

void sa_html_report_init(sa_html_report *report, const char *command, const char *title,
                         size_t models) {
    json_t *data =
        json_pack("{s:s, s:s, s:o, s:[], s:[], s:[], s:[], s:[], s:[], s:[], s:{}}", "version",
                  sa_version(), "command", command, "title", json_text(title), "sentences", "facts",
                  "models", "film", "columns", "matrices", "signatures", "files");
    *report = (sa_html_report){
        .data = data, .sentences = json_object_get(data, "sentences"), .models = models};
}

void sa_html_report_site(sa_html_report *report, sa_attention_site site) {
    static const char *const names[] = {"cross", "encoder", "decoder", "prefix"}; /* in order */
    json_object_set_new(report->data, "site", json_string(names[site]));
    report->site = site;
}

void sa_html_report_release(sa_html_report *report) {
    json_decref(report->data);
    free(report->roles);
    *report = (sa_html_report){0};
}

void sa_html_report_fact(sa_html_report *report, const char *name, const char *value) {
    json_array_append_new(json_object_get(report->data, "facts"),
                          json_pack("[o, o]", json_text(name), json_text(value)));
}

void sa_html_report_fact_file(sa_html_report *report, const char *name, const char *path) {
    char text[SA_PAGE_NAME];
    sa_page_name(path, text);
    if (*text) sa_html_report_fact(report, name, text);
}

bool sa_html_report_add_file(sa_html_report *report, const char *folder, const char *name,
                             sa_error *error) {
    sa_file file;
    char path[SA_PATH_SIZE];
    if (!sa_file_read(&file, sa_path_in(path, folder, name), SA_FILE_LIMIT, error)) return false;
    json_object_set_new(json_object_get(report->data, "files"), name,
                        json_string(file.size ? file.data : ""));
    sa_file_release(&file);
    return true;
}

/* Bytes that the matrices and the single heads of all models may take. */
enum { MAX_DENSE = 2400000, MAX_HEADS = 1200000 };

/* ---- Models ---------------------------------------------------------------------------------- */

static json_t *json_settings(const sa_settings *settings, bool *failed) {
    json_t *all = json_object();
    for (const sa_option *option = sa_settings_options; option->name; option++) {
        if (sa_settings_ignores(settings, option)) continue;
        sa_buffer value = {0};
        sa_option_format(option, sa_option_get(option, settings), &value);
        json_object_set_new(all, option->name, sa_json_buffer(&value, failed));
    }
    json_object_del(all, "threads"); /* it changes no result */
    return all;
}

void sa_html_report_model(sa_html_report *report, const char *name, const sa_settings *settings,
                          size_t seeds) {
    const size_t left = report->models - json_array_size(json_object_get(report->data, "models"));
    report->model = json_pack("{s:o, s:o, s:[], s:b}", "name", json_text(name), "settings",
                              settings ? json_settings(settings, &report->failed) : json_object(),
                              "seeds", "null_key", !settings || sa_settings_has_null_key(settings));
    report->matrices = NULL;
    report->attention = (sa_attention_stats){0};
    free(report->roles), report->roles = NULL;
    report->head_budget = report->heads + (MAX_HEADS - report->heads) / left;
    for (size_t i = 0; settings && i < seeds; i++)
        json_array_append_new(json_object_get(report->model, "seeds"),
                              json_integer(settings->seed + (json_int_t)i));
    json_array_append_new(json_object_get(report->data, "models"), report->model);
    json_array_append_new(json_object_get(report->data, "matrices"), json_null());
    json_array_append_new(json_object_get(report->data, "film"), json_null());
}

/* ---- Matrices -------------------------------------------------------------------------------- */

/* Codes: 0 to 1000 are weights, those above ZEROS count zeros, those above NEGATIVE are weights
 * below 0. */
enum { THOUSANDTHS = 1000, ZEROS = 1024, NEGATIVE = 3072 };

static void add_number(int number, sa_buffer *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    sa_buffer_add(out, (const char[]){digits[number / 64], digits[number % 64]}, 2);
}

json_t *sa_page_weights(const double *weights, size_t count, bool *failed) {
    sa_buffer text = {0};
    int zeros = 0;
    for (size_t i = 0; i < count; i++) {
        const int part = (int)lround(fmin(fmax(weights[i], -1), 1) * THOUSANDTHS);
        if (!part && zeros < NEGATIVE - ZEROS) {
            zeros++;
            continue;
        }
        if (zeros) add_number(ZEROS + zeros, &text);
        zeros = !part;
        if (part) add_number(part > 0 ? part : NEGATIVE - part, &text);
    }
    if (zeros) add_number(ZEROS + zeros, &text);
    return sa_json_buffer(&text, failed);
}

json_t *sa_page_step(const sa_attend_step *step) {
    json_t *numbers = json_array();
    for (int i = 0; i < step->rows; i++)
        json_array_append_new(
            numbers, sa_json_vector(step->numbers + (ptrdiff_t)i * step->stride, step->cols));
    return json_pack("{s:s, s:s?, s:i, s:o}", "name", step->name, "formula", step->formula, "head",
                     step->head, "numbers", numbers);
}

/* Stores the tokens with the sentence, or with the model's entry if they differ from the first
 * model's. */
static void add_tokens(sa_html_report *report, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds, json_t *entry) {
    json_t *words =
        json_pack("{s:o, s:o}", "source", sa_json_words(alignment->source, alignment->sources),
                  "target", sa_json_words(alignment->target, alignment->targets));
    if (index == json_array_size(report->sentences)) {
        json_t *links = json_array();
        for (size_t i = 0; i < golds; i++)
            json_array_append_new(
                links, json_pack("[i, i, b]", gold[i].source, gold[i].target, gold[i].possible));
        json_object_set_new(words, "gold", links);
        json_array_append_new(report->sentences, words);
        return;
    }
    const json_t *known = json_array_get(report->sentences, index);
    if (json_equal(json_object_get(known, "source"), json_object_get(words, "source")) &&
        json_equal(json_object_get(known, "target"), json_object_get(words, "target")))
        json_decref(words);
    else
        json_object_set_new(entry, "words", words);
}

static json_t *json_attention_stats(const sa_attention_stats *stats) {
    sa_eval_result figures;
    sa_attention_figures(stats, &figures);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "entropy",
                     sa_json_number(figures.entropy), "normalized_entropy",
                     sa_json_number(sa_attention_normalized_entropy(stats)), "coverage",
                     sa_json_number(figures.coverage), "end", sa_json_number(figures.end_weight),
                     "onward", sa_json_number(figures.monotonicity), "zeros",
                     sa_json_number(figures.zeros), "sum", sa_json_number(figures.row_sum));
}

/* Returns whether this sentence is shown; later models show the same sentences as the first one. */
static bool fits(sa_html_report *report, size_t index, size_t size) {
    const size_t known = json_array_size(report->sentences);
    if (index < known) return true;
    const size_t dense = report->dense + 2 * size;
    if (index > known || index >= SA_HTML_REPORT_SENTENCES || dense * report->models > MAX_DENSE)
        return false;
    report->dense = dense;
    return true;
}

/* Adds every head of every layer if the budget allows it. */
static void add_heads(sa_html_report *report, const sa_alignment *alignment, size_t count,
                      json_t *entry) {
    json_t *packed = sa_page_weights(sa_alignment_weights(alignment, 1, 1), count, &report->failed);
    const size_t size = json_string_length(packed);
    if (report->heads + size <= report->head_budget) {
        report->heads += size;
        json_object_set(entry, "heads", packed);
    }
    json_decref(packed);
}

json_t *sa_page_roles(const sa_head_roles *roles, size_t heads) {
    json_t *names = json_array();
    char name[SA_ROLE_NAME];
    for (size_t k = 0; k < heads; k++) {
        sa_head_roles_name(&roles[k], name);
        json_array_append_new(names, json_string(name));
    }
    return names;
}

/* Adds the roles of the heads, as far as the sentences up to this one tell. */
static void add_roles(sa_html_report *report, const sa_alignment *alignment, size_t heads,
                      const sa_link *gold, size_t golds) {
    if (!report->roles)
        report->roles = sa_new(heads, sizeof *report->roles, NULL), report->role_count = heads;
    if (heads != report->role_count) return; /* pairs of several models */
    if (report->roles &&
        sa_head_roles_add_pair(report->roles, alignment, report->site, gold, golds, NULL))
        json_object_set_new(report->model, "roles", sa_page_roles(report->roles, heads));
    else
        report->failed = true;
}

/* Adds attributions, those of each method divided by the largest, which "scales" holds. */
static void add_scores(sa_html_report *report, const sa_alignment *alignment, size_t size,
                       json_t *entry) {
    const size_t count = (size_t)alignment->heads * size;
    double *share = sa_new(count, sizeof *share, NULL);
    json_t *scales = json_array();
    for (int h = 0; share && h < alignment->heads; h++) {
        const double *score = sa_alignment_weights(alignment, 1, h + 1);
        double most = 0;
        for (size_t i = 0; i < size; i++) most = fmax(most, fabs(score[i]));
        for (size_t i = 0; i < size; i++)
            share[(size_t)h * size + i] = most > 0 ? score[i] / most : 0;
        json_array_append_new(scales, sa_json_number(most));
    }
    json_object_set_new(entry, "scales", scales);
    if (share) json_object_set_new(entry, "heads", sa_page_weights(share, count, &report->failed));
    report->failed |= !share;
    free(share);
}

static void add_probabilities(sa_html_report *report, const sa_alignment *alignment,
                              json_t *entry) {
    const size_t count = (size_t)alignment->targets;
    double *p = sa_new(count, sizeof *p, NULL);
    report->failed |= !p;
    for (size_t t = 0; p && t < count; t++) p[t] = exp(alignment->token_log_probabilities[t]);
    if (p) json_object_set_new(entry, "p", sa_page_weights(p, count, &report->failed));
    if (alignment->generation_probabilities)
        json_object_set_new(
            entry, "gate",
            sa_page_weights(alignment->generation_probabilities, count, &report->failed));
    const double loss = -alignment->log_probability / alignment->targets;
    json_object_set_new(entry, "loss", sa_json_number(round(loss * 1e4) / 1e4));
    free(p);
}

void sa_html_report_matrix(sa_html_report *report, size_t index, const sa_alignment *alignment,
                           const sa_link *gold, size_t golds) {
    const int T = alignment->targets, S = alignment->sources;
    const size_t size = (size_t)T * (size_t)S;
    const int layers = alignment->layers > 1 ? alignment->layers : 1;
    const size_t heads = (size_t)layers * (size_t)alignment->heads;
    if (index >= report->offered) report->offered = index + 1;
    if (!fits(report, index, size)) return;
    if (!report->matrices) {
        json_t *all = json_object_get(report->data, "matrices");
        json_array_set_new(all, json_array_size(all) - 1, report->matrices = json_array());
        json_object_set_new(report->model, "layers", json_integer(layers));
        json_object_set_new(report->model, "heads", json_integer(alignment->heads));
        if (*alignment->method)
            json_object_set_new(report->model, "methods",
                                sa_json_words(alignment->method, alignment->heads));
    }
    json_t *entry = json_object();
    add_tokens(report, index, alignment, gold, golds, entry);
    if (*alignment->method) {
        add_scores(report, alignment, size, entry);
        json_array_append_new(report->matrices, entry);
        return;
    }
    json_object_set_new(entry, "mean", sa_page_weights(alignment->weights, size, &report->failed));
    if (heads > 1) add_heads(report, alignment, heads * size, entry);
    if (heads > 1) add_roles(report, alignment, heads, gold, golds);
    if (alignment->token_log_probabilities) add_probabilities(report, alignment, entry);
    json_array_append_new(report->matrices, entry);
    sa_attention_stats_add(&report->attention, alignment->weights,
                           sa_alignment_weights(alignment, 0, 1), alignment->heads, T, S);
    json_object_set_new(report->model, "gaze", json_attention_stats(&report->attention));
}

bool sa_html_report_translate(sa_html_report *report, sa_model *model, const sa_pair *pairs,
                              sa_error *error) {
    const size_t count = json_array_size(report->matrices);
    sa_search search;
    sa_metrics metrics = sa_model_settings(model)->metrics;
    if (!count) return true;
    sa_search_init(&search);
    metrics.effective_order = true; /* as is usual for single sentences */
    sa_translation *found = sa_new(count, sizeof *found, error);
    const char **sources = found ? sa_new(count, sizeof *sources, error) : NULL;
    for (size_t i = 0; sources && i < count; i++) sources[i] = pairs[i].source;
    bool good = sources && sa_translate(model, sources, count, &search, found, error);
    for (size_t i = 0; good && i < count; i++) {
        const char *text = found[i].text, *reference = pairs[i].target;
        const char *const *references[] = {&reference};
        sa_metric_values values;
        json_t *entry = json_array_get(report->matrices, i);
        good = sa_compute_metrics(&metrics, &text, references, 1, 1, &values, error);
        if (!good) break;
        json_object_set_new(entry, "translation", json_string(text));
        json_object_set_new(entry, "bleu", sa_json_number(values.bleu));
    }
    if (found) sa_translations_release(found, count);
    free(found), free(sources);
    return good;
}

typedef struct corpus_matrices {
    sa_html_report *report;
    const sa_corpus *corpus;
    bool words; /* tokens are whole words, as in the gold links */
} corpus_matrices;

static bool add_pair(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    const corpus_matrices *to = context;
    const sa_pair *pair = &to->corpus->pairs[index];
    sa_link *gold = NULL;
    size_t golds = 0;
    if (pair->gold && to->words &&
        !sa_links_parse_gold(to->corpus, pair, alignment->sources - 1, alignment->targets - 1,
                             &gold, &golds, error))
        return false;
    sa_html_report_matrix(to->report, index, alignment, gold, golds);
    free(gold);
    return true;
}

bool sa_html_report_align(sa_html_report *report, sa_model *model, const sa_corpus *corpus,
                          sa_error *error) {
    corpus_matrices to = {report, corpus, !sa_has_subwords(sa_model_settings(model))};
    const size_t most = SA_HTML_REPORT_SENTENCES;
    report->offered = corpus->count;
    return sa_align(model, NULL, corpus->pairs, corpus->count < most ? corpus->count : most,
                    add_pair, &to, error) &&
           sa_html_report_translate(report, model, corpus->pairs, error);
}

/* ---- The file -------------------------------------------------------------------------------- */

void sa_page_write(const char *json, sa_buffer *out) {
    sa_buffer_adds(out, (const char *)sa_page_before);
    while (*json) { /* these occur only in strings, where JSON allows escapes */
        const size_t plain = strcspn(json, "<>&");
        sa_buffer_add(out, json, plain);
        json += plain;
        if (*json) sa_buffer_addf(out, "\\u%04x", (unsigned)*json++);
    }
    sa_buffer_adds(out, (const char *)sa_page_after);
}

void sa_html_report_write(sa_html_report *report, sa_buffer *out) {
    char text[64];
    const size_t shown = json_array_size(report->sentences);
    snprintf(text, sizeof text, "%zu of %zu", shown, report->offered);
    if (shown != report->offered) sa_html_report_fact(report, "sentences shown", text);
    char *json = json_dumps(report->data, JSON_COMPACT | JSON_ENSURE_ASCII);
    out->failed |= !json || report->failed || sa_json_short();
    sa_html_report_release(report);
    if (json) sa_page_write(json, out);
    free(json);
}
