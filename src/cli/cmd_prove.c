#include "cli/cli.h"

#include <math.h>
#include <stdio.h>

typedef struct command_options {
    sa_prove_options job;
    const char *columns;
    bool json;
} command_options;

static const sa_option rows[] = {
    {"limit", SA_INT(RUN(job.limit), 32, 1, 65536, "N"),
     "maximum number of pairs; those too long for the model's --max-len do not count"},
    {"seed", SA_INT64(RUN(job.seed), 1, 0, 9007199254740991, "N"),
     "random seed of the words and annotations that take the place of others"},
    {CLI_COLUMNS(columns)},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* ---- Results --------------------------------------------------------------------------------- */

typedef struct proof_tally {
    json_t *checks;
    sa_buffer text; /* the same as a table */
    int held, failed;
} proof_tally;

static void each(void *context, const sa_proof_check *check) {
    proof_tally *all = context;
    json_array_append_new(all->checks,
                          json_pack("{s:s, s:o, s:b, s:f, s:b, s:b, s:s?}", "name", check->name,
                                    "worst", sa_json_number(check->worst), "ok", check->ok,
                                    "allowed", check->allowed, "above", check->above, "skipped",
                                    check->skipped, "note", check->note));
    const char *verdict = check->skipped ? "does not apply" : check->ok ? "ok" : "FAILED";
    const bool measured = !isnan(check->worst);
    char worst[16], allowed[16] = "-";
    snprintf(worst, sizeof worst, measured ? "%.2g" : check->skipped ? "-" : "nan", check->worst);
    if (!check->skipped)
        snprintf(allowed, sizeof allowed, "%s %.2g", check->above ? ">" : "<=", check->allowed);
    sa_buffer_addf(&all->text, "%-12s %9s %11s  %s%s%s\n", check->name, worst, allowed, verdict,
                   check->note ? ": " : "", check->note ? check->note : "");
    all->held += check->ok && !check->skipped;
    all->failed += !check->ok;
}

static bool prove(const sa_model *model, command_options *options, sa_error *error) {
    proof_tally all = {.checks = json_array()};
    options->job.each = each, options->job.context = &all;
    sa_buffer_addf(&all.text, "%-12s %9s %11s  verdict\n", "check", "worst", "allowed");
    const bool good = sa_prove(model, &options->job, error);
    if (all.failed)
        sa_buffer_addf(&all.text, "%d of %d checks failed for this model on these pairs.\n",
                       all.failed, all.held + all.failed);
    else
        sa_buffer_addf(&all.text, "All %d checks that apply hold for this model on these pairs.\n",
                       all.held);
    sa_error unprinted = {0};
    if (!good && error->code != SA_CHECK)
        sa_buffer_release(&all.text);
    else if (options->json)
        cli_print_json(json_pack("{s:b, s:O}", "ok", good, "checks", all.checks), &unprinted);
    else
        cli_print(&all.text, &unprinted);
    if (options->json) sa_buffer_release(&all.text);
    json_decref(all.checks);
    if (unprinted.code) *error = unprinted;
    return good && !unprinted.code;
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    sa_corpus corpus = {0};
    sa_model *model = cli_model_open_alone(call->words[0], SA_MAX_LEN, error);
    options->job.corpus = &corpus;
    const bool good = model && cli_corpus_open(&corpus, call->words[1], options->columns, error) &&
                      prove(model, options, error);
    sa_corpus_close(&corpus);
    sa_model_close(model);
    return good;
}

static const char *check_name(size_t i, const char **meaning, const char **none) {
    return sa_proof_check_name(i, meaning);
}

const cli_command cli_prove = {
    .name = "prove",
    .words = "MODEL PAIRS",
    .summary = "check the invariants of batching, gradients and attention",
    .size = sizeof(command_options),
    .sets = {{"Options", rows, 0}},
    .items = "Checks",
    .item = check_name,
    .run = run,
};
