#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/score_links.h"
#include "data/corpus.h"
#include "metrics/linking.h"
#include "report/pair_scores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCES = 16, WORDS = 1 + REFERENCES };

#define AT(field) offsetof(score_options, field)

static const sa_option table[] = {
    {"against", CLI_TEXT(INPUT, RUN(against), NULL, "FILE"),
     "hypotheses of another system: score differences and p-values (paired bootstrap)"},
    {"confidence", SA_SWITCH(RUN(confidence)), "95 % bootstrap confidence intervals of the scores"},
    {"json", SA_SWITCH(RUN(json)), "print one JSON object"},
    {0},
};
enum { GROW_DIAG = 2 }; /* index of sa_symmetrizations */
static const sa_option link_table[] = {
    {"alignments", SA_SWITCH(RUN(alignments)),
     "score word alignments: LINKS GOLD instead of texts"},
    {"links-base", SA_INT(RUN(links_base), 0, 0, 1, "N"), "index of the first position in LINKS"},
    {"gold-base", SA_INT(RUN(gold_base), 0, 0, 1, "N"), "index of the first position in GOLD"},
    {"shift", SA_SWITCH(RUN(shift)),
     "also report scores with every link moved to the previous and the next target word"},
    {"reverse", CLI_TEXT(INPUT, RUN(reverse), NULL, "FILE"),
     "alignments of the reverse direction (target-source), to be combined with LINKS"},
    {"combine", SA_CHOICE(RUN(combine), GROW_DIAG, sa_symmetrizations),
     "symmetrization of the two directions"},
    {"source", CLI_TEXT(INPUT, RUN(source), NULL, "FILE"),
     "source sentences; links beyond them are errors"},
    {"target", CLI_TEXT(INPUT, RUN(target), NULL, "FILE"),
     "target sentences; links beyond them are errors"},
    {0},
};

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The output of a system. */
typedef struct score_system {
    const char *name;
    sa_metric_stats *each, sum; /* each: [sum.sentences] */
    double value[SA_METRIC_COUNT];
    sa_confidence_interval interval[SA_METRIC_COUNT]; /* if resampled */
} score_system;

typedef struct score_work {
    const score_options *options;
    size_t count, references;
    bool resampled;            /* bootstrap samples were drawn */
    score_system ours, theirs; /* theirs.each is NULL without --against */
    double p_value[SA_METRIC_COUNT], sacrebleu_p[SA_METRIC_COUNT]; /* of ours - theirs */
    sa_confidence_interval difference[SA_METRIC_COUNT]; /* of ours - theirs on the same samples */
} score_work;

static void compute_values(const score_work *work, const sa_metric_stats *stats, double *value) {
    const sa_metric_values values = sa_metric_values_of(stats, &work->options->metrics);
    for (int m = 0; m < SA_METRIC_COUNT; m++) value[m] = sa_metric_value(&values, m);
}

static bool compute_stats(score_work *work, score_system *system, const score_file *file,
                          const score_file *references, sa_error *error) {
    const char *line[REFERENCES];
    system->name = file->name;
    system->each = sa_new(work->count, sizeof *system->each, error);
    if (!system->each) return false;
    for (size_t i = 0; i < work->count; i++) {
        for (size_t r = 0; r < work->references; r++) line[r] = references[r].line[i];
        if (!sa_metric_stats_compute(&system->each[i], &work->options->metrics, file->line[i], line,
                                     work->references, error))
            return false;
        sa_metric_stats_add(&system->sum, &system->each[i]);
    }
    compute_values(work, &system->sum, system->value);
    return true;
}

/* Draws the intervals of both systems and, with --against, the intervals and p of the differences
 * on the same samples. */
static bool resample(score_work *work, sa_error *error) {
    const sa_resampling *drawn = &work->options->resampling;
    const int count = drawn->samples;
    score_system *const systems[] = {&work->ours, &work->theirs};
    double *values[2] = {NULL}, *differences = NULL;
    const int number = work->theirs.each ? 2 : 1;
    bool good = true;
    for (int k = 0; good && k < number; k++)
        good = (values[k] = sa_bootstrap_values(systems[k]->each, work->count,
                                                &work->options->metrics, drawn, error)) != NULL;
    if (good && number == 2)
        good = (differences =
                    sa_new(SA_METRIC_COUNT * (size_t)count, sizeof *differences, error)) != NULL;
    for (int i = 0; differences && i < SA_METRIC_COUNT * count; i++)
        differences[i] = values[0][i] - values[1][i];
    for (int m = 0; good && m < SA_METRIC_COUNT; m++) {
        const int first = m * count;
        if (differences) {
            const double *const draws = differences + first;
            const double difference = work->ours.value[m] - work->theirs.value[m];
            work->p_value[m] = sa_bootstrap_p_value(draws, count, difference);
            work->sacrebleu_p[m] = sa_sacrebleu_p_value(draws, count, difference);
            work->difference[m] = sa_confidence_interval_of(differences + first, count);
        }
        for (int k = 0; k < number; k++)
            systems[k]->interval[m] = sa_confidence_interval_of(values[k] + first, count);
    }
    work->resampled = good;
    free(values[0]), free(values[1]), free(differences);
    return good;
}

static void add_signature(const score_work *work, int metric, sa_buffer *out) {
    const sa_resampling *drawn = &work->options->resampling;
    char text[64] = "";
    if (work->resampled)
        snprintf(text, sizeof text, "bs:%d|seed:%lld|", drawn->samples, (long long)drawn->seed);
    sa_metric_signature(&sa_metric_list[metric], &work->options->metrics, work->references, text,
                        out);
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Appends the n-gram precisions and lengths of BLEU, as sacreBLEU prints them. */
static void add_parts(const score_work *work, sa_buffer *out) {
    const sa_bleu *bleu = &work->ours.sum.bleu;
    double precisions[SA_BLEU_ORDER];
    sa_bleu_precisions(bleu, &work->options->metrics, precisions);
    for (int n = 0; n < SA_BLEU_ORDER; n++)
        sa_buffer_addf(out, "%s%.1f", n ? "/" : " ", precisions[n]);
    sa_buffer_addf(out, " (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)",
                   sa_bleu_brevity(bleu),
                   bleu->reference ? (double)bleu->hypothesis / (double)bleu->reference : 0,
                   (long long)bleu->hypothesis, (long long)bleu->reference);
}

/* Appends a metric's signature, " = 79.37", and its confidence interval. */
static void add_score(const score_work *work, int metric, sa_buffer *out) {
    const double whole = sa_metric_list[metric].whole;
    const sa_confidence_interval *interval = &work->ours.interval[metric];
    add_signature(work, metric, out);
    sa_buffer_addf(out, " = %.2f", whole * work->ours.value[metric]);
    if (work->resampled)
        sa_buffer_addf(out, " (μ = %.2f ± %.2f)", whole * interval->mean,
                       whole * (interval->high - interval->low) / 2);
    if (metric == SA_METRIC_BLEU) add_parts(work, out);
    sa_buffer_adds(out, whole > 1 ? " %\n" : "\n");
}

static void add_against(const score_work *work, sa_buffer *out) {
    sa_buffer_addf(out, "\nagainst '%s':\n%-8s %8s %10s %18s %8s %14s\n", work->theirs.name, "",
                   "other", "difference", "95 %", "p", "sacreBLEU's p");
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        const double whole = sa_metric_list[m].whole, other = work->theirs.value[m];
        sa_buffer_addf(out, "%-8s %8.2f %+10.2f %+8.2f to %+6.2f %8.4f %14.4f\n",
                       sa_metric_list[m].title, whole * other,
                       whole * (work->ours.value[m] - other), whole * work->difference[m].low,
                       whole * work->difference[m].high, work->p_value[m], work->sacrebleu_p[m]);
    }
}

static bool print_text(const score_work *work, sa_error *error) {
    sa_buffer out = {0};
    for (int m = 0; m < SA_METRIC_COUNT; m++) add_score(work, m, &out);
    if (work->theirs.each) add_against(work, &out);
    return cli_print(&out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *add_values(json_t *object, const double *value) {
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        add(object, sa_metric_list[m].key, sa_json_number(value[m]));
    return object;
}

static json_t *signatures(const score_work *work, bool *failed) {
    json_t *object = json_object();
    for (int m = 0; m < SA_METRIC_COUNT; m++) {
        sa_buffer text = {0};
        add_signature(work, m, &text);
        if (sa_metric_list[m].settings)
            add(object, sa_metric_list[m].key, sa_json_buffer(&text, failed));
        else
            sa_buffer_release(&text);
    }
    return object;
}

static bool print_json(const score_work *work, sa_error *error) {
    const score_options *options = work->options;
    const sa_bleu *bleu = &work->ours.sum.bleu;
    json_t *against = work->theirs.each ? add_values(json_object(), work->theirs.value) : NULL;
    bool failed = false;
    double precisions[SA_BLEU_ORDER];
    sa_bleu_precisions(bleu, &options->metrics, precisions);
    if (against)
        json_object_update_new(
            against, json_pack("{s:o, s:o, s:o, s:o}", "intervals",
                               sa_intervals_json(work->theirs.interval, SA_METRIC_COUNT),
                               "difference", sa_intervals_json(work->difference, SA_METRIC_COUNT),
                               "p", add_values(json_object(), work->p_value), "sacrebleu_p",
                               add_values(json_object(), work->sacrebleu_p)));
    json_t *object = json_pack("{s:I, s:I}", "sentences", (json_int_t)work->count, "references",
                               (json_int_t)work->references);
    json_object_update_new(
        add_values(object, work->ours.value),
        json_pack("{s:o, s:o, s:I, s:I, s:o, s:o*, s:o*}", "precisions",
                  sa_json_vector(precisions, SA_BLEU_ORDER), "brevity",
                  sa_json_number(sa_bleu_brevity(bleu)), "hypothesis_tokens",
                  (json_int_t)bleu->hypothesis, "reference_tokens", (json_int_t)bleu->reference,
                  "signatures", signatures(work, &failed), "intervals",
                  work->resampled ? sa_intervals_json(work->ours.interval, SA_METRIC_COUNT) : NULL,
                  "against", against));
    if (!failed) return cli_print_json(object, error);
    json_decref(object);
    return sa_fail_memory(error, 0);
}

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Returns whether punctuation is separated, words are split or characters are escaped. */
static bool looks_tokenized(const char *line) {
    const size_t size = strlen(line);
    return (size > 2 && strcmp(line + size - 2, " .") == 0) || strstr(line, " , ") ||
           strstr(line, "@@ ") || strstr(line, "&apos;");
}

/* Notes why BLEU is 0, and texts that look tokenized. */
static void note_bleu(const score_work *work, const score_file *file) {
    const sa_metrics *metrics = &work->options->metrics;
    const char *why = sa_bleu_zero_reason(&work->ours.sum.bleu, metrics);
    if (why) cli_note("note: BLEU is 0: %s", why);
    if (metrics->tokenize == SA_METRIC_TOKENIZER_NONE) return;
    for (size_t i = 0; i <= work->references; i++) {
        size_t count = 0;
        for (size_t k = 0; k < work->count; k++) count += looks_tokenized(file[i].line[k]);
        if (2 * count > work->count)
            cli_note("note: '%s' looks tokenized (%zu of %zu lines): scores can be compared with "
                     "others only for untokenized text",
                     file[i].name, count, work->count);
    }
}

/* Removes white space at the end of lines, as sacreBLEU does, and the number and tab that begin
 * each line if all lines have them. */
static void clean_lines(const score_file *file) {
    size_t numbers = 0, tab = 0;
    for (size_t i = file->count; i-- > 0;) {
        numbers += sa_line_number_size(file->line[i]) > 0;
        if (strchr(file->line[i], '\t')) tab = i + 1;
    }
    const bool numbered = tab && numbers == file->count;
    if (numbered) cli_note("note: %s: the number that begins each line is left out", file->name);
    if (tab && !numbered) cli_note_tab(file->name, tab);
    for (size_t i = 0; i < file->count; i++) {
        char *line = file->line[i];
        const char *next = line + (numbered ? sa_line_number_size(line) : 0);
        size_t size;
        memmove(line, next, strlen(next) + 1);
        const char *end = next = line;
        while (sa_metric_next_word(&next, &size)) end = next;
        line[end - line] = 0;
    }
}

/* Scores the file words[0] against the references words[1] ... and prints the scores. */
static bool score_texts(const score_options *options, const char *const *words, size_t count,
                        sa_error *error) {
    enum { AGAINST = WORDS, FILES };
    const char *path[FILES] = {[AGAINST] = options->against};
    score_file file[FILES] = {{0}};
    for (size_t i = 0; i < count; i++) path[i] = words[i];
    score_work work = {.options = options, .references = count - 1};
    bool good = score_files_read(file, path, FILES, NULL, error);
    work.count = file->count;
    for (size_t i = 0; good && i < FILES; i++) clean_lines(&file[i]);
    good = good && compute_stats(&work, &work.ours, file, file + 1, error);
    if (good) note_bleu(&work, file);
    good = good &&
           (!options->against ||
            compute_stats(&work, &work.theirs, &file[AGAINST], file + 1, error)) &&
           ((!options->confidence && !options->against) || resample(&work, error)) &&
           (options->json ? print_json : print_text)(&work, error);
    score_files_release(file, FILES);
    free(work.ours.each), free(work.theirs.each);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Checks for options that exclude each other. */
static bool check_options(const score_options *options, size_t count, sa_error *error) {
    const char *texts = "applies to texts, not --alignments", *links = "needs --alignments";
    const bool aligns = options->alignments;
    const struct {
        bool wrong;
        const char *option, *why;
    } checks[] = {
        {aligns && options->against, "against", texts},
        {aligns && options->confidence, "confidence", texts},
        {!aligns && options->reverse, "reverse", links},
        {!aligns && options->source, "source", links},
        {!aligns && options->target, "target", links},
        {!aligns && options->shift, "shift", links},
        {!aligns && options->links_base, "links-base", links},
        {!aligns && options->gold_base, "gold-base", links},
        {!aligns && options->combine != GROW_DIAG, "combine", links},
    };
    if (aligns && count != 2)
        return sa_fail(error, SA_USAGE, "score: --alignments compares two files: LINKS GOLD");
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (checks[i].wrong)
            return sa_fail(error, SA_USAGE, "score: --%s %s", checks[i].option, checks[i].why);
    return true;
}

static bool run(cli_call *call, sa_error *error) {
    score_options *options = call->options;
    size_t given = 0;
    while (call->words[given]) given++;
    if (!check_options(options, given, error)) return false;
    if (options->alignments) return score_links(options, call->words, error);
    return score_texts(options, call->words, given, error);
}

const cli_command cli_score = {
    .name = "score",
    .words = "HYPOTHESES REFERENCES...",
    .most = WORDS,
    .summary = "score the output of any system: BLEU, chrF, AER",
    .size = sizeof(score_options),
    .sets = {{"Options", table, 0},
             {"Metrics", sa_metrics_options, AT(metrics)},
             {"Samples", sa_resampling_options, AT(resampling)},
             {"Alignments", link_table, 0}},
    .run = run,
};
