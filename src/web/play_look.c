/* play_look: what a model does with a sentence. */
#include "base/memory.h"
#include "base/utf8.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "inference/model.h"
#include "report/explanation.h"
#include "report/figure.h"
#include "report/html_report.h"
#include "report/matrix.h"
#include "web/play.h"

#include <stdlib.h>
#include <string.h>

typedef struct view_options {
    sa_align_options job;
    const char *force_attention;
} view_options;

#define VIEW(field) SA_SCOPE_RUN, offsetof(view_options, field)

static const sa_option view_rows[] = {
    {"site", SA_WORDS(VIEW(job.site), SA_SITE_CROSS, "cross", "encoder", "decoder"), NULL},
    {"layer", SA_INT(VIEW(job.layer), 0, 0, SA_MAX_LAYERS, "N"), NULL},
    {"force-attention", SA_OPTION_TEXT, VIEW(force_attention), 0, 0, 0, NULL, NULL, 0, "WAY", NULL},
    {0}};
static const sa_option *const force_row = &view_rows[2];

/* ---- A translation --------------------------------------------------------------------------- */

const char *web_translate(web_play *play, const char *source, const char *options,
                          const char *links) {
    sa_error *error = web_begin();
    sa_model *model = &play->session.model;
    sa_search search;
    view_options view = {0};
    const web_option_set sets[] = {{sa_search_options, &search}, {force_row, &view}, {0}};
    sa_link *forced = NULL;
    sa_gold_alignment gold = {0};
    sa_translation found = {0};
    char *words = NULL, *text = sa_utf8_text("source", source, error);
    const char *const sources[] = {text};
    json_t *result = NULL;
    sa_search_init(&search);
    search.nbest = 1;
    search.weights = true;
    bool good = text && web_options_read(options, sets, &words, error) &&
                (!view.force_attention ||
                 sa_attention_override_parse(&search.override, view.force_attention, error)) &&
                (!links || sa_links_parse(links, &forced, &gold.count, error));
    gold.links = forced;
    good = good &&
           sa_translate_sources(&model, 1, sources, (sa_references){.gold = links ? &gold : NULL},
                                1, &search, &found, error);
    if (good)
        result =
            json_pack("{s:s?, s:o, s:b, s:b, s:i, s:o, s:o, s:o}", "text", found.text,
                      "log_probability", sa_json_number(found.log_probability), "complete",
                      found.complete, "too_long", found.too_long, "unknown_source",
                      found.unknown_source, "source", sa_json_words(found.source, found.sources),
                      "target", sa_json_words(found.target, found.words), "weights",
                      sa_json_matrix(found.weights, found.words, found.sources));
    sa_translations_release(&found, 1);
    free(forced), free(words), free(text);
    return web_give_json(result);
}

/* Returns the greedy translation as text; the caller frees it. */
static char *translate(sa_model *model, const char *source, sa_error *error) {
    sa_search search;
    sa_translation found = {0};
    sa_search_init(&search);
    search.beam = search.nbest = 1;
    char *text = NULL;
    if (sa_translate(model, &source, 1, &search, &found, error)) {
        text = found.text;
        found.text = NULL;
    }
    sa_translations_release(&found, 1);
    return text;
}

/* ---- A matrix -------------------------------------------------------------------------------- */

/* Passes a pair, in NFC, to the sink; target NULL: the greedy translation. */
static bool align(web_play *play, const char *source, const char *target, const char *links,
                  const sa_align_options *job, sa_alignment_each *sink, void *context,
                  sa_error *error) {
    char *from = sa_utf8_text("source", source, error), *to = NULL;
    if (from)
        to = target ? sa_utf8_text("target", target, error)
                    : translate(&play->session.model, from, error);
    const sa_pair pair = {.source = from, .target = to, .gold = links};
    const bool good = to && sa_align(&play->session.model, job, &pair, 1, sink, context, error);
    free(from), free(to);
    return good;
}

static json_t *all_heads(const sa_alignment *alignment) {
    json_t *layers = json_array();
    for (int layer = 1; layer <= alignment->layers; layer++)
        json_array_append_new(layers, sa_json_matrices(sa_alignment_weights(alignment, layer, 1),
                                                       alignment->heads, alignment->targets,
                                                       alignment->sources));
    return layers;
}

static bool alignment_json(void *context, size_t index, const sa_alignment *alignment,
                           sa_error *error) {
    json_t **result = context;
    const int T = alignment->targets, S = alignment->sources;
    const double *log_p = alignment->token_log_probabilities;
    *result = json_pack("{s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:o}", "source",
                        sa_json_words(alignment->source, S), "target",
                        sa_json_words(alignment->target, T), "log_probability",
                        sa_json_number(alignment->log_probability), "token_log_probabilities",
                        log_p ? sa_json_vector(log_p, T) : json_null(), "heads", alignment->heads,
                        "layers", alignment->layers, "weights",
                        sa_json_matrix(alignment->weights, T, S), "each", all_heads(alignment));
    return true;
}

const char *web_align(web_play *play, const char *source, const char *target, const char *options,
                      const char *links) {
    sa_error *error = web_begin();
    view_options view = {0};
    char *words = NULL;
    json_t *result = NULL;
    const web_option_set sets[] = {{view_rows, &view}, {0}};
    if (web_options_read(options, sets, &words, error) &&
        (!view.force_attention ||
         sa_attention_override_parse(&view.job.override, view.force_attention, error)))
        align(play, source, target, links, &view.job, alignment_json, &result, error);
    free(words);
    return web_give_json(result);
}

static bool add_csv(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    sa_matrix_csv(alignment, false, context);
    return true;
}

static bool add_svg(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    sa_drawing drawing = {0};
    const bool good = sa_figure_draw(alignment, &(sa_figure){0}, &drawing, error);
    if (good) sa_drawing_svg(&drawing, context);
    sa_drawing_release(&drawing);
    return good;
}

const char *web_picture(web_play *play, const char *source, const char *target, const char *form) {
    sa_error *error = web_begin();
    sa_buffer out = {0};
    const bool csv = form && strcmp(form, "csv") == 0;
    const bool good =
        csv || (form && strcmp(form, "svg") == 0)
            ? align(play, source, target, NULL, NULL, csv ? add_csv : add_svg, &out, error)
            : sa_fail(error, SA_USAGE, "a picture is csv or svg");
    return web_give(good, &out);
}

/* ---- A step in numbers ----------------------------------------------------------------------- */

typedef struct step_options {
    sa_explain_options job;
    int digits;
    bool all, wide, steps;
} step_options;

#define STEP(field) SA_SCOPE_RUN, offsetof(step_options, field)

static const sa_option explain_rows[] = {
    {"step", SA_INT(STEP(job.step), 1, 1, 1000000, "I"), NULL},
    {"site", SA_WORDS(STEP(job.site), SA_SITE_ENCODER, "cross", "encoder", "decoder"), NULL},
    {"layer", SA_INT(STEP(job.layer), 1, 1, 1000000, "L"), NULL},
    {"all", SA_SWITCH(STEP(all)), NULL},
    {"digits", SA_INT(STEP(digits), 4, 0, 17, "N"), NULL},
    {"wide", SA_SWITCH(STEP(wide)), NULL},
    {"steps", SA_SWITCH(STEP(steps)), NULL},
    {0}};

static void add_step(void *context, const sa_explain_pair *pair, const sa_explain_value *x) {
    if (!x || x->about == SA_ROWS_VOCABULARY) return;
    const sa_attend_step step = {x->letters, x->equation, x->head, SA_ATTEND_NUMBERS,
                                 x->rows,    x->cols,     x->cols, x->numbers};
    json_array_append_new(context, sa_page_step(&step));
}

const char *web_explain(web_play *play, const char *source, const char *target,
                        const char *options) {
    sa_error *error = web_begin();
    step_options chosen = {.job = {.source = source, .target = target}};
    char *words = NULL;
    sa_options_init(explain_rows, &chosen);
    const bool read = web_options_read(
        options, (const web_option_set[]){{explain_rows, &chosen}, {0}}, &words, error);
    free(words);
    if (!read) return NULL;
    sa_explanation text = {.digits = chosen.digits, .wide = chosen.wide};
    if (chosen.all) chosen.job.step = 0;
    json_t *steps = json_array();
    chosen.job.each = chosen.steps ? add_step : sa_explanation_add;
    chosen.job.context = chosen.steps ? (void *)steps : &text;
    const char *result = NULL;
    if (sa_explain(&play->session.model, &chosen.job, error))
        result = chosen.steps ? web_give_json(json_incref(steps)) : web_give(true, &text.out);
    sa_explanation_release(&text);
    json_decref(steps);
    return result;
}
