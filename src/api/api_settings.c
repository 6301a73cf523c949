/* api_settings: the version and the choices of softalign.h. */
#include "attention/normalizer.h"
#include "attention/parts.h"
#include "attention/score.h"
#include "layers/position.h"
#include "layers/recurrent.h"
#include "model/decoder.h"
#include "tensor/bf16.h"

const char *sa_version(void) {
    return SOFTALIGN_VERSION;
}

int sa_version_number(void) {
    return SA_VERSION_NUMBER;
}

const char *sa_bf16_emulated(void) {
    return sa_bf16_native() ? NULL
                            : "bf16 is emulated, which is slower than float32: this processor has "
                              "no AVX512_BF16";
}

size_t sa_settings_size(void) {
    return sizeof(sa_settings);
}

/* What an info function gives of a row. */
static const char *show(const char *name, const char *row_formula, const char *row_citation,
                        const char **formula, const char **citation) {
    if (formula) *formula = row_formula;
    if (citation) *citation = row_citation;
    return name;
}

const char *sa_attention_info(size_t i, const char **formula, const char **citation) {
    if (!sa_score_name(i)) return NULL;
    return show(sa_scores[i].name, sa_scores[i].formula, sa_scores[i].citation, formula, citation);
}

const char *sa_normalizer_info(size_t i, const char **formula, const char **citation) {
    if (!sa_normalizer_name(i)) return NULL;
    return show(sa_normalizers[i].name, sa_normalizers[i].formula, sa_normalizers[i].citation,
                formula, citation);
}

const char *sa_position_info(size_t i, const char **formula, const char **citation) {
    if (!sa_position_name(i)) return NULL;
    return show(sa_position_kinds[i].name, sa_position_kinds[i].formula,
                sa_position_kinds[i].citation, formula, citation);
}

const char *sa_coverage_info(size_t i, const char **formula, const char **citation) {
    if (!sa_coverage_name(i)) return NULL;
    return show(sa_coverages[i].name, sa_coverages[i].formula, sa_coverages[i].citation, formula,
                citation);
}

const char *sa_decoder_info(size_t i, const char **formula, const char **citation) {
    if (!sa_decoder_name(i)) return NULL;
    return show(sa_decoder_kinds[i].name, sa_decoder_kinds[i].formula, sa_decoder_kinds[i].citation,
                formula, citation);
}

const char *sa_cell_info(size_t i, const char **formula, const char **citation) {
    size_t known = 0;
    while (sa_cells[known].name) known++;
    if (i >= known) return NULL;
    return show(sa_cells[i].name, sa_cells[i].formula, sa_cells[i].citation, formula, citation);
}
