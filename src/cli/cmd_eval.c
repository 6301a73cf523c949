#include "base/number.h"
#include "cli/cli.h"
#include "metrics/linking.h"
#include "report/pair_scores.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

typedef struct command_options {
    const char *per_sentence, *train, *columns;
    bool by_length, heads, diagnose, json;
    cli_model_options model;
    sa_search search;
    sa_metrics metrics;
    sa_link_options linking;
} command_options;

static const sa_option table[] = {
    {"by-length", SA_SWITCH(RUN(by_length)), "also report figures by source length"},
    {"per-sentence", CLI_TEXT(OUTPUT, RUN(per_sentence), NULL, "FILE"),
     "write one line per pair: log-probability of the target TAB its length, EOS included"},
    {"heads", SA_SWITCH(RUN(heads)),
     "also report what each head of the decoder's self-attention does, and the loss without it "
     "(Olsson et al. 2022)"},
    {"diagnose", SA_SWITCH(RUN(diagnose)),
     "print diagnostics of the model, its vocabulary and the pairs; always part of --json"},
    {"train", CLI_TEXT(INPUT, RUN(train), NULL, "PAIRS"),
     "training pairs of the model; the diagnostics count how many evaluation pairs occur in them"},
    {CLI_COLUMNS(columns)},
    {"reference-length", SA_SWITCH(RUN(search.reference_length)),
     "end each translation at the length of its reference in tokens, not where the model would "
     "(Newman et al. 2020)"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};

/* The scores of all pairs, or of pairs whose sources have some length. */
typedef struct scored {
    const char *name;
    sa_eval_result scores;
} scored;

typedef struct evaluation {
    command_options *options;
    sa_model *model;
    sa_corpus corpus, train;
    sa_sentence_result *each; /* [corpus.count] */
    sa_head_scores heads;     /* empty if not wanted */
    sa_diagnosis diagnosis;   /* empty if not wanted */
    scored all, band[SA_LENGTH_BANDS + 1];
    int bands; /* bands that have pairs, if wanted */
} evaluation;

/* ---- Text ------------------------------------------------------------------------------------ */

static void add_finding(const evaluation *work, const sa_finding *finding, sa_buffer *out) {
    sa_buffer_addf(out, "\n%s: %.3f (threshold %.3f)\n  ", finding->name, finding->figure,
                   finding->threshold);
    cli_wrap(out, finding->measure, 2);
    sa_buffer_adds(out, "    ");
    cli_wrap(out, finding->lesson, 4);
    for (size_t i = 0; i < finding->case_count; i++) {
        const sa_diagnosis_case *one = &finding->cases[i];
        const sa_sentence_result *result = &work->each[one->index];
        sa_buffer_addf(out, "    line %zu: %+.1f words", work->corpus.pairs[one->index].line,
                       one->words);
        if (one->source)
            sa_buffer_addf(out, "; '%s' receives weight %.2f, with the reference %.2f", one->source,
                           one->coverage.weight, one->coverage.expected);
        sa_buffer_addf(out, "\n      translation  %s\n      reference    %s\n", result->translation,
                       result->reference);
    }
}

static void add_rows(const evaluation *work, sa_buffer *out) {
    const sa_column columns[] = {
        {.title = "sentences", .width = 10},
        {.title = "words", .width = 9},
        {.title = "loss", .width = 8, .decimals = 4},
        {.title = "perplexity", .width = 11, .decimals = 3},
        {.title = "BLEU", .width = 8, .decimals = 2},
        {.title = "exact", .width = 9, .decimals = 1, .unit = " %"},
        {.title = "AER", .width = 7, .decimals = 3},
        {0},
    };
    sa_table_titles("source words", 12, columns, out);
    for (int i = 0; i <= work->bands; i++) {
        const scored *one = i < work->bands ? &work->band[i] : &work->all;
        const sa_eval_result *s = &one->scores;
        const double values[] = {(double)s->sentences,
                                 (double)s->target_words,
                                 s->loss,
                                 s->perplexity,
                                 s->bleu,
                                 100 * s->exact,
                                 s->aer};
        sa_table_row(one->name, 12, columns, values, out);
    }
}

static void add_links(const sa_eval_result *all, sa_buffer *out) {
    const double rates[] = {all->precision, all->recall, all->aer_before, all->aer_after};
    static const char *const names[] = {"links: precision", ", recall", "; AER a word earlier",
                                        ", a word later"};
    if (isnan(all->aer)) return;
    for (int i = 0; i < 4; i++)
        sa_buffer_addf(out, isnan(rates[i]) ? "%s -" : "%s %.3f", names[i], rates[i]);
    sa_buffer_adds(out, "\n");
    const bool before = sa_aer_is_off_by_one(all->aer, all->aer_before);
    if (before || sa_aer_is_off_by_one(all->aer, all->aer_after))
        sa_buffer_addf(out, "The attention seems off by one: its rows fit the target word %s.\n",
                       before ? "before" : "after");
}

static void add_attention(const sa_eval_result *all, sa_buffer *out) {
    if (!isnan(all->rep)) sa_buffer_addf(out, "repetitions (REP) %.2f", all->rep);
    if (!isnan(all->rep) && !isnan(all->drop))
        sa_buffer_addf(out, ", dropped source words (DROP) %.2f", all->drop);
    if (!isnan(all->rep)) sa_buffer_adds(out, "\n");
    if (isnan(all->entropy)) return;
    sa_buffer_addf(out, "attention: entropy %.3f, coverage %.1f %%", all->entropy,
                   100 * all->coverage);
    if (!isnan(all->end_weight)) /* rows have weight */
        sa_buffer_addf(out, ", on </s> %.1f %%", 100 * all->end_weight);
    if (fabs(all->row_sum - 1) > 0.0005) sa_buffer_addf(out, ", rows sum to %.3f", all->row_sum);
    if (all->zeros >= 0.0005) sa_buffer_addf(out, ", exact zeros %.1f %%", 100 * all->zeros);
    if (!isnan(all->monotonicity))
        sa_buffer_addf(out, ", monotone %.1f %%", 100 * all->monotonicity);
    sa_buffer_adds(out, "\n");
    if (!isnan(all->latency))
        sa_buffer_addf(out,
                       "latency: %.1f of %.1f source words are read before a target word (%.1f "
                       "%%)\n",
                       all->latency, all->source_length, 100 * all->latency / all->source_length);
}

/* The scores of a head; layer and head are counts. */
static const sa_column head_columns[] = {
    {"layer", "layer", 7},
    {"head", "head", 6},
    {"prefix_matching", "prefix_matching", 17, 4},
    {"previous_word", "previous_word", 15, 4},
    {"copying", "copying", 9, 4},
    {"copying_trace", "copying_trace", 15, 4},
    {"loss_without", "loss_without", 14, 4},
    {"loss_repeated_without", "loss_repeated_without", 23, 4},
    {0},
};

enum { ROLE = 12 }; /* columns */

/* Adds a row of text for each head or, if `each` is not NULL, an object to that list. */
static void add_head_rows(const sa_head_scores *scores, sa_buffer *out, json_t *each) {
    for (const sa_head_score *one = scores->each; one < scores->each + scores->count; one++) {
        const double values[] = {
            one->layer,   one->head,          one->prefix_matching, one->previous_word,
            one->copying, one->copying_trace, one->loss_without,    one->loss_repeated_without};
        if (each)
            json_array_append_new(
                each, sa_table_json(json_pack("{s:s}", "role", one->role), head_columns, values));
        else
            sa_table_row(*one->role ? one->role : "-", ROLE, head_columns, values, out);
    }
}

static void add_heads(const sa_head_scores *scores, sa_buffer *out) {
    sa_buffer_addf(out, "loss after new words %.4f, after repeated ones ", scores->loss_new);
    sa_buffer_addf(out, isnan(scores->loss_repeated) ? "-\n" : "%.4f\n", scores->loss_repeated);
    sa_table_titles("role", ROLE, head_columns, out);
    add_head_rows(scores, out, NULL);
}

static json_t *json_heads(const sa_head_scores *scores) {
    json_t *each = json_array();
    add_head_rows(scores, NULL, each);
    return json_pack("{s:o, s:o, s:o}", "loss_new", sa_json_number(scores->loss_new),
                     "loss_repeated", sa_json_number(scores->loss_repeated), "each", each);
}

static bool print_text(const evaluation *work, sa_error *error) {
    const scored *all = &work->all;
    const sa_diagnosis *diagnosis = &work->diagnosis;
    sa_buffer out = {0};
    add_rows(work, &out);
    sa_buffer_addf(&out, "chrF %.2f, tokens in place %.1f %%\n", all->scores.chrf,
                   100 * all->scores.tokens);
    add_attention(&all->scores, &out);
    add_links(&all->scores, &out);
    if (work->options->heads) add_heads(&work->heads, &out);
    if (!work->options->diagnose) return cli_print(&out, error);
    if (!sa_settings_has_attention(sa_model_settings(work->model)))
        sa_buffer_adds(&out, "diagnosis: the model has no attention by design; only words and "
                             "translations were examined\n");
    if (!diagnosis->count) sa_buffer_adds(&out, "diagnosis: no problems found\n");
    for (size_t i = 0; i < diagnosis->count; i++) add_finding(work, &diagnosis->findings[i], &out);
    return cli_print(&out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_finding(const evaluation *work, const sa_finding *finding) {
    json_t *object = json_pack("{s:s, s:s, s:o, s:f, s:s}", "name", finding->name, "measure",
                               finding->measure, "figure", sa_json_number(finding->figure),
                               "threshold", finding->threshold, "lesson", finding->lesson);
    json_t *cases = finding->case_count ? json_array() : NULL;
    for (size_t k = 0; k < finding->case_count; k++) {
        const sa_diagnosis_case *one = &finding->cases[k];
        const sa_sentence_result *result = &work->each[one->index];
        json_t *sentence =
            json_pack("{s:I, s:f, s:s, s:s}", "line",
                      (json_int_t)work->corpus.pairs[one->index].line, "words", one->words,
                      "translation", result->translation, "reference", result->reference);
        json_array_append_new(cases, sentence);
        if (one->source)
            json_object_update_new(sentence,
                                   json_pack("{s:s, s:i, s:o, s:o}", "source", one->source,
                                             "position", one->coverage.position, "weight",
                                             sa_json_number(one->coverage.weight), "due",
                                             sa_json_number(one->coverage.expected)));
    }
    if (cases) json_object_set_new(object, "sentences", cases);
    return object;
}

static bool print_json(const evaluation *work, sa_error *error) {
    json_t *object = sa_eval_json(&work->all.scores), *findings = json_array();
    json_t *bands = work->options->by_length ? json_object() : NULL;
    for (int i = 0; i < work->bands; i++)
        json_object_set_new(bands, work->band[i].name, sa_eval_json(&work->band[i].scores));
    for (size_t i = 0; i < work->diagnosis.count; i++)
        json_array_append_new(findings, json_finding(work, &work->diagnosis.findings[i]));
    if (bands) json_object_set_new(object, "by_length", bands);
    if (work->options->heads) json_object_set_new(object, "heads", json_heads(&work->heads));
    json_object_set_new(object, "diagnosis", findings);
    return cli_print_json(object, error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool open_work(evaluation *work, const char *const *words, sa_error *error) {
    command_options *options = work->options;
    if (!cli_pairs_open(&work->corpus, words[1], options->columns, false, error)) return false;
    if (options->train && !cli_corpus_open(&work->train, options->train, options->columns, error))
        return false;
    if (options->metrics.tokenize == SA_METRIC_TOKENIZER_13A &&
        sa_targets_lack_spaces(&work->corpus))
        cli_note("note: " SA_UNSPACED_NOTE);
    options->search.nbest = 1;
    work->model = cli_model_open(words[0], &options->model, &options->search.override, error);
    if (work->model && !cli_note_gold(&work->corpus, sa_model_settings(work->model), error))
        return false;
    work->each = work->model ? sa_new(work->corpus.count, sizeof *work->each, error) : NULL;
    return work->each;
}

/* Computes the scores of the pairs whose source length is in the band, or of all pairs (NULL); of
 * no pairs, only their number. */
static bool fill(const evaluation *work, const sa_length_band *band, scored *out, sa_error *error) {
    size_t count = 0, *chosen = sa_new(work->corpus.count, sizeof *chosen, error);
    *out = (scored){.name = band ? band->name : "all"};
    for (size_t i = 0; chosen && i < work->corpus.count; i++)
        if (!band || sa_length_band_contains(band, work->each[i].source_words)) chosen[count++] = i;
    const bool good =
        chosen && (!count || sa_eval_summarize(&work->options->metrics, &work->corpus, work->each,
                                               chosen, count, &out->scores, error));
    free(chosen);
    return good;
}

static bool evaluate(evaluation *work, sa_error *error) {
    const command_options *options = work->options;
    const sa_corpus *train = options->train ? &work->train : NULL;
    size_t cut = 0, first = 0;
    if (!sa_evaluate(work->model, &work->corpus, &options->search, &options->linking, work->each,
                     error))
        return cli_pairs_fail(work->corpus.name, error);
    for (size_t i = work->corpus.count; i-- > 0;)
        if (!work->each[i].complete) cut++, first = work->corpus.pairs[i].line;
    cli_note_cut(cut, first, options->search.max_ratio);
    if (options->heads && !sa_score_heads(work->model, &work->corpus, &work->heads, error))
        return cli_pairs_fail(work->corpus.name, error);
    if ((options->diagnose || options->json) &&
        !sa_diagnose(work->model, &work->corpus, work->each, train, &work->diagnosis, error))
        return false;
    bool good = fill(work, NULL, &work->all, error);
    const sa_length_band *band = sa_length_bands;
    for (; good && options->by_length && band->name; band++) {
        good = fill(work, band, &work->band[work->bands], error);
        work->bands += good && work->band[work->bands].scores.sentences;
    }
    return good && (options->json ? print_json : print_text)(work, error);
}

static bool save_sentences(const evaluation *work, sa_error *error) {
    sa_buffer out = {0};
    for (size_t i = 0; i < work->corpus.count; i++) {
        cli_add_skipped(&work->corpus, i, &out);
        sa_number_add(&out, work->each[i].log_probability);
        sa_buffer_addf(&out, "\t%d\n", work->each[i].words);
    }
    cli_add_skipped(&work->corpus, work->corpus.count, &out);
    return cli_save(work->options->per_sentence, &out, error);
}

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
    if (options->train && !options->diagnose && !options->json)
        return sa_fail(error, SA_USAGE, "--train needs --diagnose");
    evaluation work = {.options = options};
    const bool good = open_work(&work, call->words, error) && evaluate(&work, error) &&
                      (!options->per_sentence || save_sentences(&work, error));
    if (work.each) sa_sentence_results_release(work.each, work.corpus.count);
    free(work.each);
    sa_head_scores_release(&work.heads), sa_diagnosis_release(&work.diagnosis);
    sa_model_close(work.model);
    sa_corpus_close(&work.corpus), sa_corpus_close(&work.train);
    return good;
}

static const char *diagnostic(size_t i, const char **text, const char **none) {
    return sa_diagnostic_name(i, text, NULL);
}

const cli_command cli_eval = {
    .name = "eval",
    .words = "MODEL PAIRS",
    .summary = "evaluate a model: loss, perplexity, BLEU, chrF, AER",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Model", cli_model_rows, AT(model)},
             {"Search", sa_search_options, AT(search)},
             {"Metrics", sa_metrics_options, AT(metrics)},
             {"Links", sa_linking_options, AT(linking)}},
    .run = run,
    .items = "Problems that --diagnose finds",
    .item = diagnostic,
};
