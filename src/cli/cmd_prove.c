#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"

#include <math.h>
#include <stdio.h>

typedef struct prove_options {
    sa_prove_options job;
    const char *columns;
    bool json;
} prove_options;

#define AT(field) offsetof(prove_options, field)

static const sa_option rows[] = {
    {"limit", SA_INT(RUN(job.limit), 32, 1, 65536, "N"),
     "maximum number of pairs; those too long for the model's --max-len do not count"},
    {"seed", SA_INT64(RUN(job.seed), 1, 0, 9007199254740991, "N"),
     "random seed of the generated sentences and word substitutions"},
    {CLI_COLUMNS(columns)},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* ---- Results --------------------------------------------------------------------------------- */

typedef struct proof_tally {
    json_t *checks; /* NULL: print text */
    int held, skipped, failed;
    sa_error error; /* of printing */
} proof_tally;

static const char *number(char text[16], double value) {
    if (isnan(value))
        snprintf(text, 16, "-");
    else
        snprintf(text, 16, value != 0 && isfinite(value) ? "%.1e" : "%g", value);
    return text;
}

static void print_check(proof_tally *results, const sa_proof_check *check) {
    if (results->error.code) return;
    sa_buffer line = {0};
    char worst[16], allowed[16];
    if (results->held + results->skipped + results->failed == 0)
        sa_buffer_addf(&line, "%-20s %9s %11s  verdict\n", "check", "worst", "allowed");
    sa_buffer_addf(&line, "%-20s %9s %2s%9s  ", check->name,
                   isnan(check->worst) && !check->skipped ? "nan" : number(worst, check->worst),
                   check->skipped ? ""
                   : check->above ? ">"
                                  : "<=",
                   check->skipped ? "-" : number(allowed, check->allowed));
    sa_buffer_addf(&line, "%s%s%s\n",
                   check->skipped ? "does not apply"
                   : check->ok    ? "ok"
                                  : "FAILED",
                   check->note ? ": " : "", check->note ? check->note : "");
    cli_print(&line, &results->error);
}

static void each(void *context, const sa_proof_check *check) {
    proof_tally *results = context;
    if (results->checks)
        json_array_append_new(results->checks,
                              json_pack("{s:s, s:o, s:b, s:f, s:b, s:b, s:s?}", "name", check->name,
                                        "worst", sa_json_number(check->worst), "ok", check->ok,
                                        "allowed", check->allowed, "above", check->above, "skipped",
                                        check->skipped, "note", check->note));
    else
        print_check(results, check);
    results->held += check->ok && !check->skipped;
    results->skipped += check->skipped;
    results->failed += !check->ok;
}

static void print_end(proof_tally *results, bool pairs) {
    sa_buffer out = {0};
    if (results->failed)
        sa_buffer_addf(&out, "%d of %d checks failed", results->failed,
                       results->held + results->failed);
    else
        sa_buffer_addf(&out, "All %d checks that apply hold", results->held);
    sa_buffer_addf(&out, " for this model on %s.\n", pairs ? "these pairs" : "random sentences");
    cli_print(&out, &results->error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool prove(const sa_model *model, prove_options *options, sa_error *error) {
    proof_tally results = {.checks = options->json ? json_array() : NULL};
    options->job.each = each, options->job.context = &results;
    bool good = sa_prove(model, &options->job, error);
    const bool checked = good || error->code == SA_CHECK;
    if (checked && options->json)
        cli_print_json(json_pack("{s:b, s:O}", "ok", good, "checks", results.checks),
                       &results.error);
    else if (checked && !results.error.code)
        print_end(&results, options->job.corpus != NULL);
    json_decref(results.checks);
    if (checked && results.error.code) *error = results.error;
    return good && !results.error.code;
}

static bool run(cli_call *call, sa_error *error) {
    prove_options *options = call->options;
    sa_corpus corpus = {0};
    sa_model *model =
        cli_model_open(call->words[0], 1, SA_PRECISION_FLOAT32, SA_MAX_LEN, NULL, NULL, error);
    bool good = model && (!call->words[1] ||
                          cli_corpus_open(&corpus, call->words[1], options->columns, error));
    if (call->words[1]) options->job.corpus = &corpus;
    good = good && prove(model, options, error);
    sa_corpus_close(&corpus);
    sa_model_close(model);
    return good;
}

const cli_command cli_prove = {
    .name = "prove",
    .words = "MODEL [PAIRS]",
    .summary = "check the invariants of batching, gradients and attention",
    .size = sizeof(prove_options),
    .sets = {{"Options", rows, 0}},
    .items = "Checks",
    .item = sa_proof_check_name,
    .run = run,
};
