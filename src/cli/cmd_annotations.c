#include "cli/cli.h"
#include "report/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CSV, NPY, JSONL };

typedef struct command_options {
    const char *nearest, *html, *columns;
    int site, layer, format, count, max_len;
} command_options;

static const sa_option table[] = {
    {"site", SA_WORDS(RUN(site), 0, "encoder", "decoder"), "words of the source, or of the target"},
    {"layer", SA_INT(RUN(layer), -1, -1, SA_MAX_LAYERS, "N"),
     "layer that has read them; 0: before the first; -1: every layer (npy: the last)"},
    {"format", SA_WORDS(RUN(format), CSV, "csv", "npy", "jsonl"),
     "a row of CSV or a line of JSON per word, or one NumPy array [word, number]"},
    {"nearest", CLI_TEXT(TEXT, RUN(nearest), NULL, "WORD"),
     "list every occurrence of a word, and the others nearest to it before and after each layer"},
    {"count", SA_INT(RUN(count), 3, 1, 1000000, "N"), "with --nearest: how many"},
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "write a page that draws the words, or the occurrences of one, by two principal components"},
    {CLI_COLUMNS(columns)},
    {"max-len", SA_INT(RUN(max_len), SA_MAX_LEN, 1, 1000000, "N"), CLI_MAX_LEN},
    {0},
};

typedef struct occurrence {
    const sa_pair *pair;
    int position; /* from 1 */
} occurrence;

/* All words of the sentences, or the occurrences of one. */
typedef struct words {
    const command_options *options;
    const sa_corpus *corpus;
    const sa_pair *pair; /* the pair that is read */
    int layer;
    occurrence *at; /* [count] */
    size_t count, capacity;
    int layers, width[SA_MAX_LAYERS + 1];
    sa_buffer x[SA_MAX_LAYERS + 1]; /* doubles, a vector for each word */
    sa_buffer out;                  /* CSV or JSON lines */
} words;

static const double *vector_of(const words *all, size_t i, int layer) {
    return (const double *)(const void *)all->x[layer].text + i * (size_t)all->width[layer];
}

static void add_row(words *all, int position, const char *word, const double *x, int width) {
    if (all->options->format == CSV) {
        sa_buffer_addf(&all->out, "%d,%zu,%d,", all->layer, all->pair->row, position);
        sa_grid_csv(&(sa_grid){1, width, x, &word, NULL, false}, &all->out);
    }
    if (all->options->format == JSONL)
        sa_json_add(json_pack("{s:i, s:I, s:i, s:s, s:o}", "layer", all->layer, "sentence",
                              (json_int_t)all->pair->row, "position", position, "word", word,
                              "vector", sa_json_vector(x, width)),
                    JSON_COMPACT, &all->out);
}

/* Takes the vectors of the next layer of a sentence; after the last, value is NULL. */
static void take(void *context, const sa_explain_pair *pair, const sa_explain_value *value) {
    words *all = context;
    const command_options *options = all->options;
    if (!value) return;
    const int width = all->width[all->layer] = value->cols;
    for (int t = 0; t < value->rows; t++) {
        const double *x = value->numbers + (ptrdiff_t)t * width;
        if (options->nearest && strcmp(value->row[t], options->nearest) != 0) continue;
        const occurrence here = {all->pair, t + 1};
        if (!all->layer &&
            !sa_append(&all->at, &all->count, &all->capacity, &here, sizeof here, NULL))
            all->out.failed = true;
        sa_buffer_add(&all->x[all->layer], (const char *)x, sizeof *x * (size_t)width);
        if (options->layer < 0 || options->layer == all->layer)
            add_row(all, t + 1, value->row[t], x, width);
    }
    all->layers = all->layer++;
}

static bool read_words(words *all, sa_model *model, sa_error *error) {
    const bool decoder = all->options->site;
    for (size_t i = 0; i < all->corpus->count; i++) {
        const sa_pair *pair = &all->corpus->pairs[i];
        const sa_explain_options job = {.source = pair->source,
                                        .target = decoder ? pair->target : "",
                                        .site = decoder ? SA_SITE_DECODER : SA_SITE_ENCODER,
                                        .annotations = true,
                                        .each = take,
                                        .context = all};
        all->pair = pair, all->layer = 0;
        if (!sa_explain(model, &job, error))
            return sa_fail(error, error->code, "line %zu: %s", pair->line, error->text);
    }
    for (int layer = 0; layer <= all->layers; layer++) all->out.failed |= all->x[layer].failed;
    return !all->out.failed || sa_fail_memory(error, all->out.size);
}

/* ---- The occurrences of one word ------------------------------------------------------------- */

/* Returns the cosine of a - mean and b - mean, or NaN if one of them is 0. */
static double centered_cosine(const double *a, const double *b, const double *mean, int size) {
    double ab = 0, aa = 0, bb = 0;
    for (int d = 0; d < size; d++) {
        ab += (a[d] - mean[d]) * (b[d] - mean[d]);
        aa += (a[d] - mean[d]) * (a[d] - mean[d]);
        bb += (b[d] - mean[d]) * (b[d] - mean[d]);
    }
    return ab / sqrt(aa * bb);
}

/* Appends the line of occurrence i. cosine [count]: workspace. */
static void add_nearest(const words *all, size_t i, int layer, const double *mean, double *cosine,
                        sa_buffer *out) {
    enum { TAKEN = -2 };
    const int width = all->width[layer];
    const sa_pair *pair = all->at[i].pair;
    for (size_t j = 0; j < all->count; j++) {
        cosine[j] =
            centered_cosine(vector_of(all, i, layer), vector_of(all, j, layer), mean, width);
        if (j == i || isnan(cosine[j])) cosine[j] = TAKEN;
    }
    sa_buffer_addf(out, "layer %d  %zu:%d", layer, pair->line, all->at[i].position);
    for (int k = 0; k < all->options->count; k++) {
        size_t best = 0;
        for (size_t j = 1; j < all->count; j++)
            if (cosine[j] > cosine[best]) best = j;
        if (cosine[best] == TAKEN) break;
        sa_buffer_addf(out, "  %zu:%d %.2f", all->at[best].pair->line, all->at[best].position,
                       cosine[best]);
        cosine[best] = TAKEN;
    }
    sa_buffer_addf(out, "  %s\n", all->options->site ? pair->target : pair->source);
}

static bool list_nearest(const words *all, sa_buffer *out, sa_error *error) {
    for (int layer = 0; layer <= all->layers; layer++) {
        const int width = all->width[layer], only = all->options->layer;
        if (only >= 0 && layer != only) continue;
        double *mean = sa_new((size_t)width + all->count, sizeof *mean, error);
        if (!mean) return false;
        const double *first = vector_of(all, 0, layer); /* equal vectors have it as their mean */
        memcpy(mean, first, (size_t)width * sizeof *mean);
        for (size_t i = 1; i < all->count; i++)
            for (int d = 0; d < width; d++)
                mean[d] += (vector_of(all, i, layer)[d] - first[d]) / (double)all->count;
        for (size_t i = 0; i < all->count; i++) add_nearest(all, i, layer, mean, mean + width, out);
        free(mean);
    }
    return true;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool save_page(words *all, const char *model, sa_error *error) {
    sa_html_report page;
    json_t *labels = json_array();
    cli_begin_page(&page, "annotations", "Annotations of", model, "", NULL);
    json_object_set_new(json_object_get(page.data, "files"), "annotations.csv",
                        sa_json_buffer(&all->out, &page.failed));
    for (size_t i = 0; !all->options->site && i < all->corpus->count; i++)
        json_array_append_new(labels, json_string(all->corpus->pairs[i].target));
    json_object_set_new(page.data, "labels", labels);
    return cli_end_page(&page, true, &(sa_page_text){0}, all->options->html, error);
}

static bool show(words *all, const char *model, sa_error *error) {
    const command_options *options = all->options;
    const int layer = options->layer < 0 ? all->layers : options->layer;
    const sa_alignment vectors = {(int)all->count, all->width[layer], 1, 1,
                                  .weights = vector_of(all, 0, layer)};
    sa_buffer list = {0};
    if (options->format && (options->nearest || options->html))
        return sa_fail(error, SA_USAGE, "--format excludes --nearest and --html");
    if (layer > all->layers)
        return sa_fail(error, SA_USAGE, "--layer %d: the model has %d", layer, all->layers);
    if (options->nearest && all->count < 2)
        return sa_fail(error, SA_DATA, "--nearest: '%s' occurs %s", options->nearest,
                       all->count ? "once" : "nowhere");
    if (options->format == NPY) sa_matrix_npy(&vectors, 0, &all->out);
    const bool good = (!options->nearest || list_nearest(all, &list, error)) &&
                      (!options->html || save_page(all, model, error)) &&
                      cli_print(options->nearest ? &list : &all->out, error);
    sa_buffer_release(&list);
    return good;
}

static bool run(cli_call *call, sa_error *error) {
    const command_options *options = call->options;
    sa_corpus corpus;
    if (!cli_pairs_open(&corpus, call->words[1], options->columns, !options->site, error))
        return false;
    words all = {.options = options, .corpus = &corpus};
    sa_model *model = cli_model_open_alone(call->words[0], options->max_len, error);
    const bool good = model &&
                      (read_words(&all, model, error) || cli_pairs_fail(call->words[1], error)) &&
                      show(&all, call->words[0], error);
    for (int layer = 0; layer <= all.layers; layer++) sa_buffer_release(&all.x[layer]);
    sa_buffer_release(&all.out);
    free(all.at);
    sa_model_close(model);
    sa_corpus_close(&corpus);
    return good;
}

const cli_command cli_annotations = {
    .name = "annotations",
    .words = "MODEL PAIRS",
    .summary = "write the vectors of words before and after each layer",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0}},
    .run = run,
};
