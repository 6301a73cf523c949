#include "cli/cli.h"
#include "data/tokenizer.h"
#include "metrics/linking.h"

#include <stdlib.h>
#include <string.h>

/* Most models of an ensemble; batches that are read together, so that a batch has sentences of
 * similar length; lines whose unknown words are noted. */
enum { MODELS = 16, BATCHES = 64, NOTED_LINES = 5 };
#define MODEL_SUFFIX ".safetensors"

typedef struct command_options {
    sa_search search;
    cli_model_options model;
    const char *dictionary, *columns, *target_prefix;
    bool jsonl;
} command_options;

static const sa_option table[] = {
    {"nbest", SA_INT(RUN(search.nbest), 1, 1, 1000, "N"),
     "write an n-best list: 'index ||| text ||| logp= X ||| score'"},
    {"dictionary", CLI_TEXT(INPUT, RUN(dictionary), NULL, "PAIRS"),
     "with --replace-unknown: translate the source word by these pairs, if they contain it; of "
     "several pairs for a word the first counts"},
    {CLI_COLUMNS(columns)},
    {"target-prefix", CLI_TEXT(TEXT, RUN(target_prefix), NULL, "TEXT"),
     "begin every translation with these words, as if the model had generated them"},
    {"jsonl", SA_SWITCH(RUN(jsonl)),
     "write one JSON object per line: tokens, scores and attention weights"},
    {0},
};

typedef struct translate_work {
    const command_options *options;
    sa_model *models[MODELS];
    int number;
    sa_corpus dictionary;
    sa_search search;  /* the options' search with override and dictionary */
    const char *units; /* what the tokens are called: "words" */
    cli_input input;
    size_t capacity;
    const char **lines;    /* [capacity] */
    const char **prefixes; /* [capacity] or NULL */
    sa_translation *out;   /* [capacity * nbest] */
    size_t index;          /* of the next sentence, from 0 */
    sa_buffer text;
    size_t unknown_lines; /* lines with unknown words */
    bool tabs_noted;
    size_t cut, first_cut;         /* translations that end at --max-ratio; line of the first */
    size_t resplit, first_resplit; /* those that are read again with other tokens */
    size_t repeated, bars;         /* texts left out of n-best lists; those with " ||| " in them */
    size_t too_long;               /* lines left empty, */
    size_t first;                  /* the first of them, from 1, */
    int tokens;                    /* and what it has */
} translate_work;

/* ---- Writing --------------------------------------------------------------------------------- */

static void write_json(translate_work *work, const sa_translation *each) {
    json_t *list = json_array();
    for (int k = 0; k < work->search.nbest && each[k].text; k++)
        json_array_append_new(
            list,
            json_pack("{s:s, s:o, s:o, s:o, s:b, s:o}", "text", each[k].text, "tokens",
                      sa_json_words(each[k].target, each[k].words), "score",
                      sa_json_number(each[k].score), "log_probability",
                      sa_json_number(each[k].log_probability), "complete", each[k].complete,
                      "weights", sa_json_matrix(each[k].weights, each[k].words, each[k].sources)));
    sa_json_add(json_pack("{s:I, s:o, s:o}", "index", (json_int_t)work->index, "source",
                          sa_json_words(each->source, each->sources), "translations", list),
                JSON_COMPACT, &work->text);
}

/* Returns whether the text, of other tokens, stands higher in the list. */
static bool is_repeated(const sa_translation *each, int k) {
    int i = 0;
    while (strcmp(each[i].text, each[k].text) != 0) i++;
    return i < k;
}

static bool write_block(translate_work *work, size_t count, sa_error *error) {
    enum { LARGE = 1 << 20 }; /* bytes of matrices that are written together */
    const int nbest = work->search.nbest;
    for (size_t i = 0; i < count; i++, work->index++) {
        const sa_translation *each = work->out + i * (size_t)nbest;
        if (each->unknown_source && work->unknown_lines++ < NOTED_LINES)
            cli_note("note: %d of %d %s of line %zu %s unknown to the model", each->unknown_source,
                     each->source_words, work->units, work->index + 1,
                     each->unknown_source > 1 ? "are" : "is");
        if (each->too_long && !work->too_long++) {
            work->first = work->index + 1;
            work->tokens = each->source_words;
        }
        if (!each->complete && !each->too_long && !work->cut++) work->first_cut = work->index + 1;
        if (each->resplit && !work->resplit++) work->first_resplit = work->index + 1;
        if (work->options->jsonl) {
            write_json(work, each);
            if (work->text.size > LARGE && !cli_print(&work->text, error)) return false;
            continue;
        }
        if (nbest == 1)
            sa_buffer_addf(&work->text, "%s\n", each->text);
        else
            for (int k = 0; k < nbest && each[k].text; k++) {
                if (is_repeated(each, k) && ++work->repeated) continue;
                if (strstr(each[k].text, " ||| ") && !work->bars++)
                    cli_note("note: a translation of line %zu has ' ||| ' in it, as between "
                             "fields; --jsonl keeps them apart",
                             work->index + 1);
                sa_buffer_addf(&work->text, "%zu ||| %s ||| logp= %.6f ||| %.6f\n", work->index,
                               each[k].text, each[k].log_probability, each[k].score);
            }
    }
    return cli_print(&work->text, error);
}

/* ---- Working --------------------------------------------------------------------------------- */

/* Translates the lines that were read, in blocks whose weights fit into memory. */
static bool translate_block(translate_work *work, size_t count, sa_error *error) {
    bool good = true;
    for (size_t first = 0, part = count; good && first < count; first += part) {
        const char *const *lines = work->lines + first;
        if (work->search.weights)
            part = sa_alignments_together(lines, lines, sizeof *lines, count - first,
                                          work->options->model.max_len);
        good = sa_translate_ensemble(work->models, work->number, lines, part, &work->search,
                                     work->out, error);
        if (!good) break;
        good = write_block(work, part, error);
        sa_translations_release(work->out, part * (size_t)work->search.nbest);
    }
    return good;
}

/* Translates all lines; fails after the last one if some were too long. */
static bool translate_all(translate_work *work, sa_error *error) {
    cli_input *input = &work->input;
    for (size_t count = 1; count;) {
        if (!cli_input_next(input, work->lines, work->capacity, &count, error)) return false;
        if (input->tab_line && !work->tabs_noted) {
            work->tabs_noted = true;
            if (input->first_column)
                cli_note("note: %s: the first column is translated", input->reader.file.name);
            else
                cli_note("note: line %zu has a tab, which is read as a space; to translate pairs, "
                         "give the first column (cut -f 1, or a file with the suffix .tsv)",
                         input->tab_line);
        }
        if (count && !translate_block(work, count, error)) return false;
    }
    if (work->repeated)
        cli_note("note: %zu texts that other tokens make, too, stand in the lists once",
                 work->repeated);
    if (work->unknown_lines > NOTED_LINES)
        cli_note("note: %zu more lines have %s unknown to the model",
                 work->unknown_lines - NOTED_LINES, work->units);
    cli_note_cut(work->cut, work->first_cut, work->search.max_ratio);
    if (work->resplit && !work->options->jsonl)
        cli_note("note: translations whose text is split into other tokens than the model wrote: "
                 "%zu, the first in line %zu; align and eval read the text, --jsonl has the tokens",
                 work->resplit, work->first_resplit);
    return !work->too_long ||
           sa_fail(error, SA_LIMIT,
                   "line %zu has %d %s, more than --max-len %d; lines left empty: %zu", work->first,
                   work->tokens, work->units, work->options->model.max_len, work->too_long);
}

static bool has_suffix(const char *path, const char *suffix) {
    const size_t size = strlen(path), tail = strlen(suffix);
    return size > tail && strcmp(path + size - tail, suffix) == 0;
}

/* Counts the models: the first argument and the following ones that end with the suffix; one more
 * argument is the text. Returns 0 on error. */
static int count_models(const char *const *words, const char **text, sa_error *error) {
    int models = 1;
    while (words[models] && (has_suffix(words[models], MODEL_SUFFIX) ||
                             strncmp(words[models], SA_BUILTIN, strlen(SA_BUILTIN)) == 0))
        models++;
    *text = words[models];
    if (*text && words[models + 1])
        return sa_fail(
            error, SA_USAGE,
            "translate: '%s' is neither a model (" MODEL_SUFFIX ") nor the last argument", *text);
    if (models > MODELS)
        return sa_fail(error, SA_USAGE, "translate: %d models; %d at most", models, MODELS);
    return models;
}

static bool open_work(translate_work *work, const char *const *words, sa_error *error) {
    const command_options *options = work->options;
    const char *text, *dictionary = options->dictionary;
    const int models = count_models(words, &text, error);
    for (; work->number < models; work->number++) {
        work->models[work->number] =
            cli_model_open(words[work->number], &options->model, &work->search.override, error);
        if (!work->models[work->number]) return false;
    }
    if (!models ||
        (dictionary && !cli_corpus_open(&work->dictionary, dictionary, options->columns, error)))
        return false;
    if (dictionary) work->search.dictionary = &work->dictionary;
    if (!cli_input_open(&work->input, text, error)) return false;
    work->input.first_column = text && (has_suffix(text, ".tsv") || has_suffix(text, ".tsv.gz"));
    static const char *const tables[] = {".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".json", ".tmx"};
    for (size_t i = 0; text && i < sizeof tables / sizeof *tables; i++)
        if (has_suffix(text, tables[i]))
            cli_note("note: the lines of %s are translated as they are; 'softalign clean %s | cut "
                     "-f 1' prints the sources of pairs",
                     text, text);
    const sa_tokenizer *tokenizer = sa_tokenizer_of(sa_model_settings(work->models[0]), 0);
    work->units = tokenizer->subword                               ? "subwords"
                  : tokenizer == &sa_tokenizers[SA_TOKENIZER_CHAR] ? "characters"
                                                                   : "words";
    work->capacity = (size_t)work->search.batch * BATCHES;
    work->lines = sa_new(work->capacity, sizeof *work->lines, error);
    if (options->target_prefix) {
        work->prefixes = sa_new(work->capacity, sizeof *work->prefixes, error);
        if (!work->prefixes) return false;
        for (size_t i = 0; i < work->capacity; i++) work->prefixes[i] = options->target_prefix;
        work->search.target_prefix = work->prefixes;
    }
    work->out = work->lines
                    ? sa_new(work->capacity, (size_t)work->search.nbest * sizeof *work->out, error)
                    : NULL;
    return work->out != NULL;
}

static bool check_options(const command_options *options, sa_error *error) {
    const sa_search *search = &options->search;
    if (search->nbest > search->beam && !search->sample)
        return sa_fail(error, SA_USAGE, "--nbest %d needs --beam %d or more", search->nbest,
                       search->nbest);
    if (options->dictionary && !search->replace_unknown)
        return sa_fail(error, SA_USAGE, "--dictionary needs --replace-unknown");
    const char *forced = options->model.force_attention;
    return !forced || strcmp(forced, "gold") != 0 ||
           sa_fail(error, SA_USAGE,
                   "--force-attention gold needs pairs with alignments: use align or eval");
}

static bool run(cli_call *call, sa_error *error) {
    const command_options *options = call->options;
    if (!check_options(options, error)) return false;
    translate_work work = {.options = options, .search = options->search};
    work.search.weights = options->jsonl;
    const bool good = open_work(&work, call->words, error) && translate_all(&work, error);
    free(work.lines), free(work.prefixes), free(work.out);
    sa_buffer_release(&work.text);
    sa_text_lines_close(&work.input.reader);
    if (work.search.dictionary) sa_corpus_close(&work.dictionary);
    for (int m = 0; m < work.number; m++) sa_model_close(work.models[m]);
    return good;
}

const cli_command cli_translate = {
    .name = "translate",
    .words = "MODEL [MODEL.safetensors ...] [FILE]",
    .most = MODELS + 2,
    .summary = "translate one sentence per line",
    .size = sizeof(command_options),
    .sets = {{"Options", table, 0},
             {"Model", cli_model_rows, AT(model)},
             {"Search", sa_search_options, AT(search)}},
    .run = run,
};
