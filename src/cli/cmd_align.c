#include "base/save.h"
#include "cli/command.h"
#include "cli/figures.h"
#include "cli/model.h"
#include "cli/output.h"
#include "report/matrix.h"

#include <stdlib.h>
#include <string.h>

typedef struct align_options {
    const char *csv, *tidy, *pharaoh, *force_attention;
    bool terminal;
    int head, limit, threads;
} align_options;

#define AT(field) offsetof(align_options, field)

static const sa_option rows[] = {
    {"csv", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(csv), 0, 0, 0, NULL, "DIR",
     "write a heatmap per pair: DIR/0001.csv ...; made when missing"},
    {"tidy", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(tidy), 0, 0, 0, NULL, "FILE",
     "write one long table for R, pandas and spreadsheets; - is standard output"},
    {"pharaoh", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(pharaoh), 0, 0, 0, NULL, "FILE",
     "write a line of links per pair; - is standard output"},
    {"terminal", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(terminal), 0, 0, 1, NULL, NULL,
     "show the matrices in grey blocks; so it is when nothing else is wanted"},
    {"force-attention", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(force_attention), 0, 0, 0, NULL, "WAY",
     "look elsewhere: uniform, shuffle, shift:N, one-hot or gold weights instead of the model's "
     "own"},
    {"head", SA_OPTION_INT, SA_SCOPE_RUN, AT(head), 0, 0, 64, NULL, "N",
     "of several heads only this one; 0: their mean, and in the long table each"},
    {"limit", SA_OPTION_INT, SA_SCOPE_RUN, AT(limit), 0, 0, 1000000000, NULL, "N",
     "only the first pairs; 0: all"},
    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, 256, NULL, "N",
     "threads that work; 0: one per core"},
    {0},
};
static const cli_set sets[] = {{"Options", rows, 0}, {0}};

/* What is made of the matrices as they come. */
typedef struct outputs {
    const align_options *options;
    sa_buffer tidy, pharaoh, picture;
} outputs;

/* ---- One pair -------------------------------------------------------------------------------- */

/* One head as if it were the only one. */
static bool choose_head(sa_alignment *alignment, int head, sa_error *error) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    if (head > alignment->heads)
        return sa_fail(error, SA_USAGE, "--head %d: the model has %d", head, alignment->heads);
    alignment->weights = alignment->head_weights += (size_t)(head - 1) * size;
    alignment->heads = 1;
    return true;
}

static bool each(void *context, size_t index, const sa_alignment *whole, sa_error *error) {
    outputs *out = context;
    const align_options *options = out->options;
    sa_alignment alignment = *whole;
    if (options->head && !choose_head(&alignment, options->head, error)) return false;
    if (options->tidy) sa_matrix_tidy(&alignment, index + 1, &out->tidy);
    if (options->pharaoh) sa_matrix_pharaoh(&alignment, &out->pharaoh);
    if (options->terminal) sa_matrix_terminal(&alignment, &out->picture);
    return (!options->terminal || cli_print(&out->picture, error)) &&
           (!options->csv || cli_save_matrix(options->csv, index, &alignment, error));
}

/* ---- All pairs ------------------------------------------------------------------------------- */

static bool align(const char *const *words, const align_options *options, outputs *out,
                  sa_error *error) {
    sa_corpus corpus;
    if (!sa_corpus_open(&corpus, words[1], error)) return false;
    size_t count = corpus.count, limit = (size_t)options->limit;
    if (limit && limit < count) count = limit;
    sa_model *model = cli_model_open(words[0], options->threads, options->force_attention, error);
    bool good = model && (!options->csv || cli_make_folder(options->csv, error)) &&
                sa_align(model, corpus.pairs, count, each, out, error) &&
                (!options->tidy || cli_save(options->tidy, &out->tidy, error)) &&
                (!options->pharaoh || cli_save(options->pharaoh, &out->pharaoh, error));
    sa_model_close(model);
    sa_corpus_close(&corpus);
    return good;
}

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

static bool read_options(int count, char **arguments, align_options *options, const char **words,
                         sa_error *error) {
    sa_options_init(rows, options);
    if (!cli_read(&cli_align, count, arguments, options, words, error)) return false;
    if (!options->csv && !options->tidy && !options->pharaoh) options->terminal = true;
    if (options->terminal + is_standard(options->tidy) + is_standard(options->pharaoh) > 1)
        return sa_fail(error, SA_USAGE, "align: only one result can go to standard output");
    return cli_spare(words[0], options->tidy, error) && cli_spare(words[1], options->tidy, error) &&
           cli_spare(words[0], options->pharaoh, error) &&
           cli_spare(words[1], options->pharaoh, error);
}

static bool run(int count, char **arguments, sa_error *error) {
    align_options options;
    const char *words[2];
    if (!read_options(count, arguments, &options, words, error)) return false;
    outputs out = {.options = &options};
    bool good = align(words, &options, &out, error);
    sa_buffer_release(&out.tidy);
    sa_buffer_release(&out.pharaoh);
    sa_buffer_release(&out.picture);
    return good;
}

const cli_command cli_align = {
    .name = "align",
    .words = "MODEL PAIRS",
    .least = 2,
    .most = 2,
    .summary = "where the model looks while it writes each given translation",
    .details =
        "The model is made to write the given targets word by word, and the attention weights of "
        "every word are written down. In a heatmap CSV columns are source words, rows target "
        "words, "
        "end marks (</s>) included; a row sums to 1 (less under a predictive window). The long "
        "table "
        "has the columns sentence,head,t,target,s,source,weight: sentences count from 1, words "
        "from "
        "0, several heads from 1, a single one is 0. A link "
        "'i-j' "
        "says that target word j looks most at source word i, counted from 0, end marks left "
        "out.\n",
    .example = "  softalign align mono/best.safetensors unseen.tsv --limit 1\n"
               "  softalign align mono/best.safetensors unseen.tsv --csv matrices --pharaoh -\n",
    .sets = sets,
    .run = run,
};
