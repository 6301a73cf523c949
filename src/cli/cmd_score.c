#include "cli/cli.h"
#include "data/corpus.h"
#include "metrics/linking.h"
#include "report/pair_scores.h"
#include "report/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFERENCES = 16, WORDS = 1 + REFERENCES };

typedef struct command_options {
    const char *against, *reverse;
    bool confidence, json, alignments;
    int links_base, gold_base, combine;
    sa_resampling resampling;
    sa_metrics metrics;
} command_options;

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
    {"reverse", CLI_TEXT(INPUT, RUN(reverse), NULL, "FILE"),
     "alignments of the reverse direction (target-source), to be combined with LINKS"},
    {"combine", SA_CHOICE(RUN(combine), GROW_DIAG, sa_symmetrizations),
     "symmetrization of the two directions"},
    {0},
};

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct score_file {
    char **line; /* [count] valid UTF-8, in the text or static */
    size_t count, capacity;
    bool open_end; /* links may lack the last sentences, which have none */
    sa_text_lines text;
} score_file;

static const char *name_of(const score_file *file) {
    return file->text.file.name;
}

static bool add_line(score_file *file, char *line, sa_error *error) {
    return sa_append(&file->line, &file->count, &file->capacity, &line, sizeof line, error);
}

/* Reads the files; only the first path must not be NULL. SA_DATA: a file is empty or not UTF-8, or
 * has not as many lines as the first. base: the index of the first position in files of links;
 * NULL: all are texts. */
static bool read_files(score_file *files, const char *const *paths, size_t count, const int *base,
                       sa_error *error) {
    static char nothing[] = "";
    size_t lines = 0, most = 0; /* of a file with a line for each sentence; of any */
    for (size_t i = 0; i < count; i++) {
        score_file *file = &files[i];
        if (!paths[i]) continue;
        if (!(base
                  ? sa_link_file_open(&file->text, paths[i], lines, base[i], &file->open_end, error)
                  : sa_text_lines_open(&file->text, paths[i], error)))
            return false;
        while (sa_text_lines_next(&file->text, error))
            if (!add_line(file, file->text.line, error)) return false;
        if (file->text.failed) return false;
        if (!file->count) return sa_fail(error, SA_DATA, "%s: no lines", name_of(file));
        if (!lines && !file->open_end) lines = file->count;
        if (most < file->count) most = file->count;
    }
    for (score_file *file = files; file < files + count; file++) {
        while (file->open_end && file->count < most)
            if (!add_line(file, nothing, error)) return false;
        if (file->line && file->count != files->count)
            return sa_fail(error, SA_DATA,
                           "'%s' has %zu lines, '%s' has %zu: they must have one line per sentence",
                           name_of(files), files->count, name_of(file), file->count);
    }
    return true;
}

static void release_files(score_file *files, size_t count) {
    for (size_t i = 0; i < count; i++) free(files[i].line), sa_text_lines_close(&files[i].text);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* The output of a system. */
typedef struct score_system {
    const char *name;
    sa_metric_stats *each, sum; /* each: [sum.sentences] */
    double value[SA_METRIC_COUNT];
    sa_confidence_interval interval[SA_METRIC_COUNT]; /* if resampled */
} score_system;

typedef struct score_work {
    const command_options *options;
    size_t count, references;
    bool resampled;            /* bootstrap samples were drawn */
    score_system ours, theirs; /* theirs.each is NULL without --against */
    double p_value[SA_METRIC_COUNT], sacrebleu_p[SA_METRIC_COUNT]; /* of ours - theirs */
    sa_confidence_interval difference[SA_METRIC_COUNT]; /* of ours - theirs on the same samples */
} score_work;

static bool compute_stats(score_work *work, score_system *system, const score_file *file,
                          const score_file *references, sa_error *error) {
    const char *line[REFERENCES];
    system->name = name_of(file);
    system->each = sa_new(work->count, sizeof *system->each, error);
    if (!system->each) return false;
    for (size_t i = 0; i < work->count; i++) {
        for (size_t r = 0; r < work->references; r++) line[r] = references[r].line[i];
        if (!sa_metric_stats_compute(&system->each[i], &work->options->metrics, file->line[i], line,
                                     work->references, error))
            return false;
        sa_metric_stats_add(&system->sum, &system->each[i]);
    }
    const sa_metric_values values = sa_metric_values_of(&system->sum, &work->options->metrics);
    for (int m = 0; m < SA_METRIC_COUNT; m++) system->value[m] = sa_metric_value(&values, m);
    return true;
}

static void set_intervals(double *values, int count, sa_confidence_interval *interval) {
    for (int m = 0; values && m < SA_METRIC_COUNT; m++)
        interval[m] = sa_confidence_interval_of(values + m * count, count);
}

/* Draws the intervals of both systems and, with --against, the intervals and p of the differences
 * on the same samples. */
static bool resample(score_work *work, sa_error *error) {
    const sa_resampling *drawn = &work->options->resampling;
    const sa_metrics *metrics = &work->options->metrics;
    const int count = drawn->samples, size = SA_METRIC_COUNT * count;
    score_system *ours = &work->ours, *theirs = &work->theirs;
    double *one = sa_bootstrap_values(ours->each, work->count, metrics, drawn, error);
    double *other = one && theirs->each
                        ? sa_bootstrap_values(theirs->each, work->count, metrics, drawn, error)
                        : NULL;
    double *differences = other ? sa_new((size_t)size, sizeof *differences, error) : NULL;
    for (int i = 0; differences && i < size; i++) differences[i] = one[i] - other[i];
    for (int m = 0; differences && m < SA_METRIC_COUNT; m++) {
        const double *draws = differences + m * count, gap = ours->value[m] - theirs->value[m];
        work->p_value[m] = sa_bootstrap_p_value(draws, count, gap);
        work->sacrebleu_p[m] = sa_sacrebleu_p_value(draws, count, gap);
    }
    set_intervals(one, count, ours->interval), set_intervals(other, count, theirs->interval);
    set_intervals(differences, count, work->difference);
    work->resampled = one && (differences || !theirs->each);
    free(one), free(other), free(differences);
    return work->resampled;
}

static void add_signature(const score_work *work, int metric, sa_buffer *out) {
    const sa_resampling *drawn = &work->options->resampling;
    char text[64] = "";
    if (work->resampled)
        snprintf(text, sizeof text, "bs:%d|seed:%lld|", drawn->samples, (long long)drawn->seed);
    sa_metric_signature(metric, &work->options->metrics, work->references, text, out);
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

static json_t *add_values(json_t *object, const double *value) {
    for (int m = 0; m < SA_METRIC_COUNT; m++)
        json_object_set_new(object, sa_metric_list[m].key, sa_json_number(value[m]));
    return object;
}

static json_t *signatures(const score_work *work, bool *failed) {
    json_t *object = json_object();
    for (int m = SA_METRIC_BLEU; m <= SA_METRIC_CHRF; m++) {
        sa_buffer text = {0};
        add_signature(work, m, &text);
        json_object_set_new(object, sa_metric_list[m].key, sa_json_buffer(&text, failed));
    }
    return object;
}

static bool print_json(const score_work *work, sa_error *error) {
    const command_options *options = work->options;
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
                     name_of(&file[i]), count, work->count);
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
    if (numbered) cli_note("note: %s: the number that begins each line is left out", name_of(file));
    if (tab && !numbered) cli_note_tab(name_of(file), tab);
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
static bool score_texts(const command_options *options, const char *const *words, size_t count,
                        sa_error *error) {
    enum { AGAINST = WORDS, FILES };
    const char *path[FILES] = {[AGAINST] = options->against};
    score_file file[FILES] = {{0}};
    for (size_t i = 0; i < count; i++) path[i] = words[i];
    score_work work = {.options = options, .references = count - 1};
    bool good = read_files(file, path, FILES, NULL, error);
    work.count = file->count;
    for (size_t i = 0; good && i < FILES; i++) clean_lines(&file[i]);
    good = good && compute_stats(&work, &work.ours, file, file + 1, error);
    if (good) note_bleu(&work, file);
    good = good &&
           (!options->against ||
            compute_stats(&work, &work.theirs, &file[AGAINST], file + 1, error)) &&
           ((!options->confidence && !options->against) || resample(&work, error)) &&
           (options->json ? print_json : print_text)(&work, error);
    release_files(file, FILES);
    free(work.ours.each), free(work.theirs.each);
    return good;
}

/* ---- Links of a line ------------------------------------------------------------------------- */

enum { LINKS, GOLD, REVERSE, LINK_FILES };

typedef struct line_links {
    sa_link *link;
    size_t count;
} line_links;

/* Parses a line of links. SA_DATA names file and line if they are invalid. */
static bool read_links(line_links *links, const score_file *file, size_t i, int base,
                       sa_error *error) {
    return sa_links_parse_line(file->line[i], base, &links->link, &links->count, error) ||
           sa_fail(error, error->code, "%s:%zu: %s", name_of(file), i + 1, error->text);
}

/* ---- Counting links -------------------------------------------------------------------------- */

typedef struct totals {
    size_t sentences;
    sa_aer aer[3];   /* with the links moved by -1, 0, 1 */
    bool zero_based; /* a gold link has a position 0 */
} totals;

/* Returns the number of words up to the last link, but at least `words`. */
static int linked_words(const line_links *links, int words) {
    for (size_t i = 0; i < links->count; i++)
        if (links->link[i].target >= words) words = links->link[i].target + 1;
    return words;
}

/* Replaces the links with the combination of both directions. */
static bool combine(line_links *links, const score_file *reverse, size_t i,
                    const command_options *options, sa_error *error) {
    line_links back = {0}, both = {0};
    bool good = read_links(&back, reverse, i, options->links_base, error);
    for (size_t k = 0; good && k < back.count; k++)
        back.link[k] = (sa_link){back.link[k].target, back.link[k].source, false};
    if (good && !sa_symmetrize(options->combine, links->link, links->count, back.link, back.count,
                               &both.link, &both.count, error))
        good = sa_fail(error, error->code, "%s:%zu: %s", name_of(reverse), i + 1, error->text);
    free(back.link);
    if (!good) return false;
    free(links->link);
    *links = both;
    return true;
}

static bool count_line(const score_file *file, size_t i, const command_options *options,
                       totals *sum, sa_error *error) {
    line_links links = {0}, gold = {0};
    const bool good = read_links(&links, &file[LINKS], i, options->links_base, error) &&
                      read_links(&gold, &file[GOLD], i, options->gold_base, error) &&
                      (!options->reverse || combine(&links, &file[REVERSE], i, options, error)) &&
                      sa_aer_add_shifted(sum->aer, links.link, links.count,
                                         linked_words(&links, linked_words(&gold, 0)), gold.link,
                                         gold.count, error);
    for (size_t k = 0; good && k < gold.count; k++)
        sum->zero_based |= !gold.link[k].source || !gold.link[k].target;
    sum->sentences++;
    free(links.link), free(gold.link);
    return good;
}

/* ---- Error rates ----------------------------------------------------------------------------- */

static const sa_column columns[] = {
    {"sentences", "sentences", 10},
    {"links", "links", 9},
    {"sure", "sure", 9},
    {"aer", "AER", 11, 7},
    {"precision", "precision", 11, 7},
    {"recall", "recall", 11, 7},
    {0},
};

static void add_notes(const totals *sum, int gold_base, sa_buffer *out) {
    const double rate = sa_aer_rate(&sum->aer[1]);
    for (int shift = -1; shift <= 1; shift += 2) {
        const double moved = sa_aer_rate(&sum->aer[shift + 1]);
        if (sa_aer_is_off_by_one(rate, moved))
            sa_buffer_addf(out,
                           "The links look off by one: moved by %+d target words they have an AER "
                           "of %.7f.\n",
                           shift, moved);
    }
    if (!sum->zero_based && gold_base == 0 && sum->aer[1].sure)
        sa_buffer_adds(out, "No position in the gold alignment is 0: does it count from 1 "
                            "(--gold-base 1)?\n");
}

static bool print_rates(const totals *sum, const command_options *options, sa_error *error) {
    const sa_aer *one = &sum->aer[1];
    const double values[] = {(double)sum->sentences, (double)one->links,    (double)one->sure,
                             sa_aer_rate(one),       sa_aer_precision(one), sa_aer_recall(one)};
    if (options->json) {
        json_t *object = sa_table_json(json_object(), columns, values);
        json_object_set_new(object, "aer_before", sa_json_number(sa_aer_rate(&sum->aer[0])));
        json_object_set_new(object, "aer_after", sa_json_number(sa_aer_rate(&sum->aer[2])));
        return cli_print_json(object, error);
    }
    sa_buffer out = {0};
    sa_table_titles("shift", 5, columns, &out);
    sa_table_row("    0", 5, columns, values, &out);
    add_notes(sum, options->gold_base, &out);
    return cli_print(&out, error);
}

/* Scores the alignments words[0] against the gold alignments words[1]. */
static bool score_links(const command_options *options, const char *const *words, sa_error *error) {
    const char *const path[] = {words[0], words[1], options->reverse};
    score_file file[LINK_FILES] = {{0}};
    totals sum = {0};
    const int base[] = {options->links_base, options->gold_base, options->links_base};
    bool good = read_files(file, path, LINK_FILES, base, error);
    for (size_t i = 0; good && i < file->count; i++)
        good = count_line(file, i, options, &sum, error);
    good = good && print_rates(&sum, options, error);
    release_files(file, LINK_FILES);
    return good;
}

/* ---- The command ----------------------------------------------------------------------------- */

/* Checks for options that exclude each other. */
static bool check_options(const command_options *options, size_t count, sa_error *error) {
    const char *of_texts = options->against ? "against" : options->confidence ? "confidence" : NULL;
    const char *of_links = options->reverse                ? "reverse"
                           : options->links_base           ? "links-base"
                           : options->gold_base            ? "gold-base"
                           : options->combine != GROW_DIAG ? "combine"
                                                           : NULL;
    if (!options->alignments && of_links)
        return sa_fail(error, SA_USAGE, "score: --%s needs --alignments", of_links);
    if (options->alignments && count != 2)
        return sa_fail(error, SA_USAGE, "score: --alignments compares two files: LINKS GOLD");
    return !options->alignments || !of_texts ||
           sa_fail(error, SA_USAGE, "score: --%s applies to texts, not --alignments", of_texts);
}

static bool run(cli_call *call, sa_error *error) {
    command_options *options = call->options;
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
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Metrics", sa_metrics_options, AT(metrics)},
             {"Samples", sa_resampling_options, AT(resampling)},
             {"Alignments", link_table, 0}},
    .run = run,
};
