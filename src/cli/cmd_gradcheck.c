#include "cli/cli.h"

#include <math.h>
#include <stdio.h>

typedef struct command_options {
    sa_gradcheck_options job;
    const char *preset, *html;
    bool list, json;
    sa_settings settings;
    sa_page_text page;
} command_options;

static const char *fault_name(size_t i) {
    return sa_gradient_fault_name(i, NULL, NULL);
}

static const sa_option rows[] = {
    {"preset", CLI_TEXT(TEXT, RUN(preset), sa_preset_name, "NAME"),
     "start from the settings of a paper; full-size models take very long"},
    {"dump", CLI_TEXT(OUTPUT, RUN(job.dump), NULL, "FILE"),
     "write weights, batch, loss and gradients in double precision"},
    {"break", CLI_TEXT(TEXT, RUN(job.broken), fault_name, "TERM"),
     "inject a gradient fault: omit one term of a backward pass, which the check must detect"},
    {"list", SA_SWITCH(RUN(list)), "list the gradient faults of --break"},
    {"html", CLI_TEXT(OUTPUT, RUN(html), NULL, "FILE"),
     "write an HTML page: how many digits of each tensor's gradient are right"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* ---- Results --------------------------------------------------------------------------------- */

typedef struct gradient_tally {
    json_t *parameters; /* NULL: print text */
    json_t *bars;       /* of the page: name, digits, verdict */
    double worst;
    sa_error error; /* of printing */
} gradient_tally;

static void print_gradient(gradient_tally *results, const sa_gradient_result *gradient) {
    if (results->error.code) return;
    sa_buffer line = {0};
    char shape[32];
    if (json_array_size(results->bars) == 1)
        sa_buffer_addf(&line, "%-24s %12s %10s %10s\n", "parameter", "shape", "tensor", "element");
    if (gradient->rows)
        snprintf(shape, sizeof shape, "%d x %d", gradient->rows, gradient->cols);
    else
        snprintf(shape, sizeof shape, "%d", gradient->cols);
    sa_buffer_addf(&line, "%-24s %12s ", gradient->name, shape);
    if (isfinite(gradient->worst))
        sa_buffer_addf(&line, "%10.1e %10.1e", gradient->worst, gradient->worst_element);
    else
        sa_buffer_addf(&line, "%10s %10s", "NaN", "NaN");
    sa_buffer_addf(&line, "  %s\n", !gradient->ok ? "WRONG" : gradient->zero ? "ok (zero)" : "ok");
    cli_print(&line, &results->error);
}

static void each(void *context, const sa_gradient_result *gradient) {
    gradient_tally *results = context;
    const double digits = gradient->worst > 1e-16 ? fmax(-log10(gradient->worst), 0) : 16;
    json_array_append_new(results->bars, json_pack("[s, f, b]", gradient->name, digits,
                                                   gradient->ok)); /* digits of a double: 16 */
    double worst = fmax(gradient->worst, gradient->worst_element);
    if (!(worst <= results->worst)) results->worst = worst;
    if (results->parameters)
        json_array_append_new(results->parameters,
                              json_pack("{s:s, s:o, s:b}", "name", gradient->name, "worst",
                                        sa_json_number(worst), "ok", gradient->ok));
    else
        print_gradient(results, gradient);
}

static bool check(command_options *options, sa_error *error) {
    gradient_tally results = {.bars = json_array()};
    if (options->json) results.parameters = json_array();
    sa_gradcheck_options *job = &options->job;
    job->settings = &options->settings;
    job->each = each, job->context = &results;
    bool good = sa_check_gradients(job, error);
    bool checked = good || error->code == SA_CHECK;
    if (good && !results.error.code && !options->json) {
        sa_buffer line = {0};
        sa_buffer_addf(&line, "all %zu gradients are right: errors of at most %.1e\n",
                       json_array_size(results.bars), results.worst);
        cli_print(&line, &results.error);
    }
    if (checked && job->dump) cli_note("wrote %s", job->dump);
    if (checked && options->json)
        cli_print_json(json_pack("{s:o, s:b, s:O}", "worst", sa_json_number(results.worst), "ok",
                                 good, "parameters", results.parameters),
                       &results.error);
    if (checked && options->html && !results.error.code) {
        sa_html_report page;
        char title[256];
        snprintf(title, sizeof title,
                 "Gradients by backward pass and by differences of the loss%s%s",
                 job->broken ? ", without " : "", job->broken ? job->broken : "");
        sa_html_report_init(&page, "gradcheck", title, 1);
        json_object_set(page.data, "bars", results.bars);
        cli_end_page(&page, true, &options->page, options->html, &results.error);
    }
    json_decref(results.parameters);
    json_decref(results.bars);
    if (checked && results.error.code) *error = results.error;
    return good && !results.error.code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool print_faults(sa_error *error) {
    sa_buffer out = {0};
    const char *dropped, *options;
    for (size_t i = 0; sa_gradient_fault_name(i, &dropped, &options); i++)
        sa_buffer_addf(&out, "%-22s %s%s%s%s\n", sa_gradient_fault_name(i, NULL, NULL), dropped,
                       *options ? "  [" : "", options, *options ? "]" : "");
    return cli_print(&out, error);
}

/* Without a preset, chooses sizes small enough to check every weight in a second, unless options
 * give others. */
static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    sa_settings *settings = &options->settings;
    if (!cli_read_preset(call, settings, options->preset, error)) return false;
    if (!options->preset) {
        settings->embed = 5, settings->hidden = 6, settings->attn = 4, settings->maxout = 3;
        settings->ffn = 7;
        if (!cli_read(call, error)) return false;
    }
    if (!sa_page_text_check(&options->page, options->html, error)) return false;
    return options->list ? print_faults(error) : check(options, error);
}

const cli_command cli_gradcheck = {
    .name = "gradcheck",
    .words = "",
    .summary = "check every gradient against finite differences",
    .size = sizeof(command_options),
    .sets = {{"Options", rows, 0},
             {"Page", sa_page_text_options, AT(page)},
             {"Settings", sa_settings_options, AT(settings)}},
    .items = "Scores (--attention)",
    .item = sa_attention_info,
    .run = run,
};
