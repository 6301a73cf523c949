/* preset: a paper's settings as the command line would give them. A line that begins with "--" is
 * one option and its value, then its place in the paper; other lines are notes for the reader. */
#include "base/nearest.h"
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

typedef struct preset {
    const char *name, *text;
} preset;

static const preset presets[] = {
    {"bahdanau2015",
     "Bahdanau, Cho and Bengio (2015), arXiv 1409.0473: RNNsearch-50\n"
     "--decoder bahdanau      A.2.2  c_i from s_{i-1}, in both gates and the candidate\n"
     "--attention additive    A.1.2  e = v_a' tanh(W_a s + U_a h)\n"
     "--heads 1               A.1.2  one alignment model\n"
     "--window none           A.1.2  the softmax runs over the whole source\n"
     "--encoder bi            A.2.1  h_j = [forward_j ; backward_j]\n"
     "--layers 1              A.2.1  one layer each way\n"
     "--positions none        A.2.1  bare embeddings\n"
     "--reverse-source no     A.2.1  both orders are read\n"
     "--cell gru              A.1.1  gated hidden unit\n"
     "--update new            A.1.1  s = (1-z) . s' + z . s~\n"
     "--reset before          A.1.1  s~ = tanh(W x + U [r . s'])\n"
     "--start backward        A.2.2  s_0 = tanh(W_s backward_1)\n"
     "--readout previous      A.2.2  t~_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i\n"
     "--input-feeding no      A.2.2  the word alone\n"
     "--embed 620             A.2.3  m\n"
     "--hidden 1000           A.2.3  n\n"
     "--attn 1000             A.2.3  n'\n"
     "--maxout 500            A.2.3  l\n"
     "--init paper            B.1    orthogonal U; W_a, U_a from N(0, 0.001^2); v_a, biases 0\n"
     "--tokenizer word        4.1    deviation: our own rules, not those of Moses\n"
     "--lowercase no          4.1    the case is kept\n"
     "--min-freq 1            4.1    only the rank of a word decides\n"
     "--vocab 30000           4.1    all other words are unknown\n"
     "--max-len 50            4.2    sentences of up to 50 words\n"
     "--optimizer adadelta    B.2    rho 0.95, epsilon 1e-6\n"
     "--lr 1                  B.2    adadelta's own steps\n"
     "--lr-decay 1            B.2    it stays\n"
     "--clip 1                B.2    L2 norm of the gradient\n"
     "--dropout 0             B.2    none\n"
     "--batch 80              B.2    1,600 pairs fetched, sorted by length, cut into 20 batches\n"
     "--patience 0            4.2    deviation: the paper trains for 5 days; here the limits of\n"
     "                               the run (--epochs, --steps, --max-time) end it\n"
     "Deviation: y_0 is a learned row of the target embedding; the authors' code feeds zeros.\n"
     "Biases stand where the authors' code has them; the paper's equations leave them out.\n"},
};

const char *sa_preset_name(size_t row) {
    return row < sizeof presets / sizeof *presets ? presets[row].name : NULL;
}

const char *sa_preset_text(const char *name) {
    for (size_t i = 0; sa_preset_name(i); i++)
        if (strcmp(presets[i].name, name) == 0) return presets[i].text;
    return NULL;
}

bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error) {
    const char *line = sa_preset_text(name);
    if (!line) {
        sa_nearest nearest = {.wanted = name};
        for (size_t i = 0; sa_preset_name(i); i++) sa_nearest_offer(&nearest, sa_preset_name(i));
        char hint[128];
        return sa_fail(error, SA_USAGE, "unknown preset '%s'%s", name,
                       sa_nearest_hint(&nearest, hint, sizeof hint));
    }
    for (; *line; line += strcspn(line, "\n") + 1) {
        char option[32], value[32];
        if (sscanf(line, "--%31s %31s", option, value) == 2 &&
            !sa_settings_set(settings, option, value, error))
            return false;
    }
    return true;
}
