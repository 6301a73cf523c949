#include "cli/model_argument.h"
#include "base/error.h"
#include "cli/output.h"

#include <stdio.h>

static void note_one_thread(int threads) {
    if (sa_blas_one_thread() && threads != 1) cli_note("note: %s", sa_blas_one_thread());
}

static void note_emulation(void) {
    static bool noted; /* once for all models of an ensemble */
    if (sa_bf16_emulated() && !noted) cli_note("note: %s", sa_bf16_emulated());
    noted = true;
}

static void note_denormals(const sa_model *model, const char *path) {
    if (sa_model_denormals(model))
        cli_note("note: '%s': %zu denormal numbers are read as zero", path,
                 sa_model_denormals(model));
}

bool cli_pairs_open(sa_corpus *corpus, const char *path, sa_error *error) {
    if (!sa_corpus_open(corpus, path, error)) return false;
    if (corpus->note) cli_note("note: %s", corpus->note);
    return true;
}

bool cli_pairs_fail(const char *path, sa_error *error) {
    const sa_error without = *error;
    size_t line;
    int size;
    if (sscanf(without.text, "line %zu%n", &line, &size) == 1)
        sa_fail(error, without.code, "%s:%zu%s", path, line, without.text + size);
    return false;
}

sa_model *cli_model_open(const char *path, int threads, int precision, int max_len,
                         const char *force_attention, sa_attention_override *override,
                         sa_error *error) {
    sa_model *model = sa_model_open(path, threads, error);
    if (!model) return NULL;
    const sa_settings *settings = sa_model_settings(model);
    sa_model_set_max_len(model, max_len, error);
    sa_model_set_precision(model, precision, error);
    if (force_attention && !sa_settings_has_attention(settings))
        sa_fail(error, SA_USAGE, "the model has no attention: its decoder is '%s'",
                sa_decoder_info((size_t)settings->decoder, NULL, NULL));
    else if (!force_attention || sa_attention_override_parse(override, force_attention, error)) {
        note_one_thread(threads);
        note_denormals(model, path);
        if (precision == SA_PRECISION_BF16) note_emulation();
        return model;
    }
    sa_model_close(model);
    return NULL;
}
