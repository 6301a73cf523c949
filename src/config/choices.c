/* choices: what can be chosen, with its name, formula and citation; and the version. */
#include "attention/parts.h"
#include "config/settings.h"
#include "layers/recurrent.h"
#include "model/decoder.h"

#include <string.h>

const char *sa_version(void) {
    return SOFTALIGN_VERSION;
}

int sa_version_number(void) {
    return SA_VERSION_NUMBER;
}

/* Returns the name of entry i of a table whose entries begin with name, formula and citation. */
static const char *show(const void *table, size_t stride, size_t i, const char **formula,
                        const char **citation) {
    const char *title[3];
    if (!sa_row_name(table, stride, i)) return NULL;
    memcpy(title, (const char *)table + i * stride, sizeof title);
    if (formula) *formula = title[1];
    if (citation) *citation = title[2];
    return title[0];
}

#define INFO(name, table)                                                                          \
    const char *name(size_t i, const char **formula, const char **citation) {                      \
        return show(table, sizeof *(table), i, formula, citation);                                 \
    }
INFO(sa_attention_info, sa_scores)
INFO(sa_normalizer_info, sa_normalizers)
INFO(sa_position_info, sa_position_kinds)
INFO(sa_coverage_info, sa_coverages)
INFO(sa_decoder_info, sa_decoder_kinds)
INFO(sa_cell_info, sa_cells)

const sa_formulas sa_formula_tables[] = {
    {"decoder", "Decoders (--decoder), with state s_i, context c_i and tokens y_i",
     sa_decoder_info},
    {"attention", "Scores (--attention), with the decoder's state s and annotations h_j",
     sa_attention_info},
    {"normalizer", "Normalizers (--normalizer), with scores e_j and weights alpha_j",
     sa_normalizer_info},
    {"coverage", "Coverage (--coverage), with the weights alpha of earlier target words",
     sa_coverage_info},
    {"positions", "Positions (--positions), of word t, and of query i, key j and score e_ij",
     sa_position_info},
    {"cell", "Cells (--cell; for gru also --reset and --update), with previous state s'",
     sa_cell_info},
    {0}};
