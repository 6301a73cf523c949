#include "base/utf8.h"
#include "cli/cli.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "report/explanation.h"

typedef struct command_options {
    sa_explain_options job;
    int digits, max_len;
    bool all, wide, json;
    const char *roles; /* pairs, or NULL */
    const char *html;  /* page of the lens, or NULL */
} command_options;

static const sa_option rows[] = {
    {"step", SA_INT(RUN(job.step), 1, 1, 1000000, "I"),
     "target position to explain, from 1; EOS is the last"},
    {"site", SA_WORDS(RUN(job.site), SA_SITE_ENCODER, "cross", "encoder", "decoder"),
     "Transformer: attention to explain; decoder: its masked self-attention"},
    {"layer", SA_INT(RUN(job.layer), 1, 1, 1000000, "L"), "Transformer: layer to explain"},
    {"all", SA_SWITCH(RUN(all)), "explain all steps"},
    {"roles", CLI_TEXT(INPUT, RUN(roles), NULL, "PAIRS"),
     "name the heads by what they attend to in these pairs, as `eval --heads` does"},
    {"lens", SA_SWITCH(RUN(job.lens)),
     "Transformer: show what each sublayer of the decoder would write"},
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"), "with --lens: HTML page"},
    {"digits", SA_INT(RUN(digits), 4, 0, 17, "N"), "digits after the decimal point"},
    {"wide", SA_SWITCH(RUN(wide)), "print long vectors in full"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object in full precision"},
    {"max-len", SA_INT(RUN(max_len), SA_MAX_LEN, 1, 1000000, "N"), CLI_MAX_LEN},
    {0},
};

/* ---- Roles of heads -------------------------------------------------------------------------- */

typedef struct role_work {
    sa_corpus corpus;
    sa_align_options view;
    bool linked; /* gold links are between the tokens that attend and those attended to */
    sa_head_roles *sums;
    int layers, heads;
} role_work;

static bool add_roles(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    role_work *work = context;
    const sa_pair *pair = &work->corpus.pairs[index];
    const int S = alignment->sources - 1, T = alignment->targets - 1;
    sa_link *gold = NULL;
    size_t golds = 0;
    work->layers = alignment->layers > 1 ? alignment->layers : 1, work->heads = alignment->heads;
    const size_t count = (size_t)work->layers * (size_t)work->heads;
    if (!work->sums) work->sums = sa_new(count, sizeof *work->sums, error);
    const bool good =
        work->sums &&
        (!work->linked || !pair->gold ||
         sa_links_parse_gold(&work->corpus, pair, S, T, &gold, &golds, error)) &&
        sa_head_roles_add_pair(work->sums, alignment, work->view.site, gold, golds, error);
    free(gold);
    return good;
}

/* Sets *roles to the names of what the heads of the layer to explain do in the pairs of a file. */
static bool find_roles(sa_model *model, const command_options *options, json_t **roles,
                       sa_error *error) {
    const sa_settings *settings = sa_model_settings(model);
    const bool recurrent = settings->model == SA_MODEL_RECURRENT;
    role_work work = {.view.site = recurrent ? SA_SITE_CROSS : options->job.site};
    const int layer = recurrent ? 1 : options->job.layer;
    work.linked = work.view.site == SA_SITE_CROSS && !sa_has_subwords(settings);
    const bool good = cli_pairs_open(&work.corpus, options->roles, NULL, false, error) &&
                      (sa_align(model, &work.view, work.corpus.pairs, work.corpus.count, add_roles,
                                &work, error) ||
                       cli_pairs_fail(work.corpus.name, error));
    if (good && layer <= work.layers)
        *roles = sa_page_roles(work.sums + (layer - 1) * work.heads, (size_t)work.heads);
    free(work.sums);
    sa_corpus_close(&work.corpus);
    return good;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a number, a list, or a list of rows. */
static json_t *json_numbers(const sa_explain_value *line) {
    if (line->shape == SA_SHAPE_NUMBER) return sa_json_number(*line->numbers);
    return line->shape == SA_SHAPE_MATRIX ? sa_json_matrix(line->numbers, line->rows, line->cols)
                                          : sa_json_vector(line->numbers, line->rows * line->cols);
}

/* Returns the object's value at that key, made if missing. */
static json_t *child(json_t *object, const char *key, json_t *(*make)(void)) {
    json_t *found = json_object_get(object, key);
    if (!found) json_object_set_new(object, key, found = make());
    return found;
}

/* Returns the last object of the list, or a new one for a new step. */
static json_t *step_object(json_t *all, const sa_explain_pair *pair, int step) {
    json_t *list = child(all, "steps", json_array);
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    if (last && json_integer_value(json_object_get(last, "step")) == step) return last;
    const char *word = pair->target[step - 1], *before = step > 1 ? pair->target[step - 2] : "<s>";
    json_array_append_new(
        list, json_pack("{s:i, s:s, s:s}", "step", step, "word", word, "previous_word", before));
    return json_array_get(list, json_array_size(list) - 1);
}

static void each_json(void *context, const sa_explain_pair *pair, const sa_explain_value *line) {
    json_t *all = context, *object = all;
    if (!line) return;
    if (!json_object_size(all)) {
        json_object_set_new(all, "source", sa_json_words(pair->source, pair->sources));
        json_object_set_new(all, "target", sa_json_words(pair->target, pair->targets));
        json_object_set_new(all, "forced", json_boolean(pair->forced));
    }
    if (line->step) object = step_object(all, pair, line->step);
    if (line->head) {
        json_t *heads = child(object, "heads", json_array);
        while (json_array_size(heads) < (size_t)line->head)
            json_array_append_new(heads, json_object());
        object = json_array_get(heads, (size_t)line->head - 1);
    }
    if (line->about == SA_ROWS_VOCABULARY && !json_object_get(all, "vocabulary"))
        json_object_set_new(all, "vocabulary", sa_json_words(line->row, line->rows));
    json_object_set_new(object, line->name, json_numbers(line));
}

static bool print_json(sa_model *model, sa_explain_options *job, json_t *roles, sa_error *error) {
    json_t *all = json_object();
    job->each = each_json, job->context = all;
    if (sa_explain(model, job, error)) {
        if (roles) json_object_set(all, "roles", roles);
        return cli_print_json(all, error);
    }
    json_decref(all);
    return false;
}

/* ---- The lens -------------------------------------------------------------------------------- */

/* What each sublayer of a Transformer's decoder would write, as text and for the page: at first
 * three empty lists, the rest 0. */
typedef struct lens_text {
    json_t *words, *sublayers;
    json_t *cells;          /* word after word, [most probable word, its probability, rank of the
                               word that is written from 1, KL] of each sublayer */
    sa_buffer titles, rows; /* the text: a line for each word, a column for each sublayer */
    int step;               /* of the last value */
} lens_text;

/* Adds a text that is cut or padded to this many columns. */
static void add_text(sa_buffer *out, const char *text, int columns) {
    char fit[256];
    const int used = sa_utf8_fit(text, columns, fit, sizeof fit);
    sa_buffer_adds(out, fit);
    sa_buffer_pad(out, columns - used);
}

static void each_lens(void *lens, const sa_explain_pair *pair, const sa_explain_value *line) {
    enum { LABEL = 14, WORD = 7, NUMBER = 5 };
    lens_text *it = lens;
    int best = 0, rank = 1;
    if (!line) return;
    if (line->shape == SA_SHAPE_NUMBER) {
        json_array_append_new(json_array_get(it->cells, json_array_size(it->cells) - 1),
                              sa_json_number(*line->numbers));
        return;
    }
    if (line->step != it->step) {
        sa_buffer_addf(&it->rows, "\n%2d ", it->step = line->step);
        add_text(&it->rows, pair->target[it->step - 1], LABEL - 4);
        sa_buffer_adds(&it->rows, " ");
        json_array_append_new(it->words, json_string(pair->target[it->step - 1]));
    }
    if (!it->titles.size) sa_buffer_pad(&it->titles, LABEL);
    if (it->step == 1) add_text(&it->titles, line->letters, WORD + NUMBER);
    if (it->step == 1) json_array_append_new(it->sublayers, json_string(line->letters));
    for (int i = 0; i < line->rows; i++) {
        if (line->numbers[i] > line->numbers[best]) best = i;
        rank += line->numbers[i] > line->numbers[line->chosen];
    }
    add_text(&it->rows, line->row[best], WORD);
    sa_buffer_addf(&it->rows, "%3.0f  ", 100 * line->numbers[best]);
    json_array_append_new(it->cells, json_pack("[s, o, i]", line->row[best],
                                               sa_json_number(line->numbers[best]), rank));
}

static bool print_lens(sa_model *model, const char *path, command_options *options,
                       sa_error *error) {
    sa_html_report page;
    cli_begin_page(&page, "explain", "The logit lens on", path, "", sa_model_settings(model));
    json_t *data = json_pack("{s:[], s:[], s:[]}", "words", "sublayers", "cells");
    lens_text lens = {json_object_get(data, "words"), json_object_get(data, "sublayers"),
                      json_object_get(data, "cells")};
    json_object_set_new(page.data, "lens", data);
    sa_html_report_fact(&page, "source", options->job.source);
    options->job.each = each_lens, options->job.context = &lens;
    bool good = sa_explain(model, &options->job, error);
    sa_buffer_addf(&lens.titles, "%s\n", good ? lens.rows.text : "");
    good = good && cli_print(&lens.titles, error);
    if (good && options->html)
        good = cli_end_page(&page, true, &(sa_page_text){0}, options->html, error);
    else
        sa_html_report_release(&page);
    sa_buffer_release(&lens.titles), sa_buffer_release(&lens.rows);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    if (options->all && options->job.step != 1)
        return sa_fail(error, SA_USAGE, "--step and --all exclude each other");
    if (options->job.lens && (options->all || options->job.step != 1 || options->roles ||
                              options->job.layer != 1 || options->job.site != SA_SITE_ENCODER))
        return sa_fail(error, SA_USAGE,
                       "--lens excludes --step, --all, --roles, --layer and --site");
    if (options->html && (!options->job.lens || options->json))
        return sa_fail(error, SA_USAGE, "--html is for --lens without --json");
    if (options->all || options->job.lens) options->job.step = 0;
    options->job.source = call->words[1];
    if (!sa_file_missing(call->words[1]))
        cli_note("note: '%s' is read as a sentence, not as a file", call->words[1]);
    options->job.target = call->words[2];
    sa_explanation text = {.digits = options->digits, .wide = options->wide};
    options->job.each = sa_explanation_add, options->job.context = &text;
    sa_model *model = cli_model_open_alone(call->words[0], options->max_len, error);
    const bool good =
        model && (!options->roles || find_roles(model, options, &text.roles, error)) &&
        (options->json ? print_json(model, &options->job, text.roles, error)
         : options->job.lens
             ? print_lens(model, call->words[0], options, error)
             : sa_explain(model, &options->job, error) && cli_print(&text.out, error));
    json_decref(text.roles);
    sa_explanation_release(&text);
    sa_model_close(model);
    return good;
}

const cli_command cli_explain = {
    .name = "explain",
    .words = "MODEL SOURCE [TARGET]",
    .summary = "show one decoder step in numbers, equation by equation",
    .texts = 2 | 4,
    .size = sizeof(command_options),
    .sets = {{"Options", rows, 0}},
    .run = run,
};
