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
     "--decoder bahdanau      A.2.2  c_i from the query s_{i-1}, in both gates and the candidate\n"
     "--attention additive    A.1.2  e = v_a' tanh(W_a s + U_a h)\n"
     "--heads 1               A.1.2  one alignment model\n"
     "--window none           A.1.2  the softmax runs over the whole source\n"
     "--encoder bi            A.2.1  h_j = [forward_j ; backward_j]\n"
     "--layers 1              A.2.1  one layer each way\n"
     "--positions none        A.2.1  bare embeddings\n"
     "--reverse-source no     A.2.1  both directions are read\n"
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
    {"cho2014",
     "Cho et al. (2014), arXiv 1406.1078: RNN encoder-decoder, one vector for the source\n"
     "--decoder fixed         2.2    c = tanh(V h_S), in both gates and the candidate\n"
     "--encoder uni           2.2    one layer reads the source from its first word\n"
     "--layers 1              2.2    one layer\n"
     "--positions none        2.2    bare embeddings\n"
     "--reverse-source no     2.2    the words' own order\n"
     "--cell gru              2.3    gated hidden unit\n"
     "--update old            2.3    eq. 7: h = z . h' + (1-z) . h~: z keeps the OLD state\n"
     "--reset sum             A.1.2  decoder: r . (U s' + C c); encoder (2.3, eq. 8): U [r . h']\n"
     "--start auto            A.1.2  s_0 = tanh(V' c)\n"
     "--readout current       A.1.2  maxout(O_h s_i + O_y y_{i-1} + O_c c)\n"
     "--input-feeding no      A.1.2  the word alone\n"
     "--embed 100             A.1    matrices of rank 100\n"
     "--hidden 1000           4.1.1  n\n"
     "--maxout 500            A.1.2  l\n"
     "--init paper            A.1    recurrent matrices orthogonal, all others N(0, 0.01^2)\n"
     "--tokenizer word        4.1    deviation: our own rules\n"
     "--lowercase no          4.1    the case is kept\n"
     "--min-freq 1            4.1    only the rank of a word decides\n"
     "--vocab 15000           4.1    all other words are unknown\n"
     "--max-len 50            -      deviation: the paper trains on phrase pairs, which are short\n"
     "--optimizer adadelta    4.1.1  rho 0.95, epsilon 1e-6\n"
     "--lr 1                  4.1.1  adadelta's own steps\n"
     "--lr-decay 1            4.1.1  it stays\n"
     "--clip 1                -      deviation: the paper names no clipping\n"
     "--dropout 0             4.1.1  none\n"
     "--batch 64              4.1.1  phrase pairs per update\n"
     "--patience 0            4.1.1  deviation: the paper trains for 3 days; the run's limits end "
     "it\n"
     "Deviation: the read-out's matrices O are not factored; y_0 is a learned row.\n"
     "Biases stand where the authors' code has them; the paper's equations leave them out.\n"},
    {"sutskever2014",
     "Sutskever, Vinyals and Le (2014), arXiv 1409.3215: sequence to sequence\n"
     "--decoder fixed-init    2      the source reaches the decoder only through s_0\n"
     "--encoder uni           2      one direction\n"
     "--layers 4              3.4    deviation: the decoder has one layer, not four\n"
     "--positions none        2      bare embeddings\n"
     "--reverse-source yes    3.3    the source is read from its last word to its first\n"
     "--cell lstm             2      long short-term memory\n"
     "--start copy            2      s_0 and its memory are the encoder's last ones\n"
     "--readout current       2      deviation: a maxout layer before the softmax, as in the other "
     "decoders\n"
     "--input-feeding no      2      the word alone\n"
     "--embed 1000            3.4    m\n"
     "--hidden 1000           3.4    n\n"
     "--maxout 500            -      deviation: see readout\n"
     "--init uniform          3.4    deviation: from +-0.1; the paper has +-0.08\n"
     "--tokenizer word        3.1    deviation: our own rules\n"
     "--lowercase no          3.1    the case is kept\n"
     "--min-freq 1            3.1    only the rank of a word decides\n"
     "--vocab 80000           3.1    target words; deviation: of the source too (160,000 there)\n"
     "--max-len 100           -      deviation: the paper names no limit\n"
     "--optimizer sgd         3.4    without momentum\n"
     "--lr 0.7                3.4    halved every half epoch after the fifth;\n"
     "--lr-decay 0.5          3.4    deviation: here after a validation without a better loss\n"
     "--momentum 0            3.4    none\n"
     "--clip 5                3.4    L2 norm of the gradient\n"
     "--dropout 0             3.4    none\n"
     "--batch 128             3.4    sentences\n"
     "--patience 0            3.4    deviation: 7.5 epochs there; the run's limits end it\n"
     "Deviation: one network, not an ensemble of five.\n"},
    {"luong2015",
     "Luong, Pham and Manning (2015), arXiv 1508.04025: global attention, dot, input feeding\n"
     "--decoder luong         3      s_i, then c_i from the query s_i, then h~_i = tanh(W_c [c_i ; "
     "s_i]) (eq. 5)\n"
     "--attention raw-dot     3.1    e = s' h\n"
     "--heads 1               3.1    one alignment\n"
     "--window none           3.1    global; local-m and local-p (3.2): --window monotone, "
     "predictive\n"
     "--encoder uni           3      one direction\n"
     "--layers 4              4.1    deviation: the decoder has one layer, not four\n"
     "--positions none        3      bare embeddings\n"
     "--reverse-source yes    4.1    the source is read from its last word to its first\n"
     "--cell lstm             2      long short-term memory\n"
     "--start copy            3      s_0 and its memory are the encoder's last ones\n"
     "--readout current       3      h~_i sees s_i\n"
     "--input-feeding yes     3.3    h~_{i-1} is joined to the next word\n"
     "--embed 1000            4.1    m\n"
     "--hidden 1000           4.1    n\n"
     "--attn 1000             3.2    units of the predicted centre, where one is asked for\n"
     "--maxout 1000           3      numbers of h~\n"
     "--init uniform          4.1    from +-0.1\n"
     "--tokenizer word        4.1    deviation: our own rules\n"
     "--lowercase no          4.1    the case is kept\n"
     "--min-freq 1            4.1    only the rank of a word decides\n"
     "--vocab 50000           4.1    all other words are unknown\n"
     "--max-len 50            4.1    sentences of up to 50 words\n"
     "--optimizer sgd         4.1    without momentum\n"
     "--lr 1                  4.1    halved every epoch after the fifth (with dropout: eighth);\n"
     "--lr-decay 0.5          4.1    deviation: here after a validation without a better loss\n"
     "--momentum 0            4.1    none\n"
     "--clip 5                4.1    L2 norm of the gradient\n"
     "--dropout 0.2           4.1    deviation: of embeddings, annotations and h~, not between "
     "LSTM layers\n"
     "--batch 128             4.1    sentences\n"
     "--patience 0            4.1    deviation: 10 or 12 epochs there; the run's limits end it\n"
     "Deviation: biases b_o and b_y stand in h~ and the softmax.\n"},
    {"dl4mt",
     "the dl4mt tutorial, session 2 (Cho, Firat et al.), also Nematus and Marian: the conditional "
     "GRU\n"
     "--decoder cgru          cgru   s'_i = GRU(y_{i-1}, s_{i-1}), c_i from s'_i, s_i = GRU(c_i, "
     "s'_i)\n"
     "--attention additive    cgru   deviation: no bias inside tanh(W_a s' + U_a h)\n"
     "--heads 1               cgru   one alignment model\n"
     "--window none           cgru   the softmax runs over the whole source\n"
     "--encoder bi            cgru   h_j = [forward_j ; backward_j]\n"
     "--layers 1              cgru   one layer each way\n"
     "--positions none        cgru   bare embeddings\n"
     "--reverse-source no     cgru   both directions are read\n"
     "--cell gru              code   gated hidden unit\n"
     "--update old            code   s = z . s' + (1-z) . s~\n"
     "--reset after           code   s~ = tanh(W x + b + r . (U s')), in the second unit r . (U s' "
     "+ b)\n"
     "--start mean            cgru   s_0 = tanh(W mean_j h_j + b)\n"
     "--readout current       cgru   tanh(W s_i + W y_{i-1} + W c_i), no maxout\n"
     "--input-feeding no      cgru   the word alone\n"
     "--embed 512             code   dim_word\n"
     "--hidden 1024           code   dim\n"
     "--attn 2048             code   as wide as an annotation\n"
     "--maxout 512            code   the read-out is as wide as an embedding\n"
     "--init paper            code   U orthogonal, others N(0, 0.01^2); deviation: W_a, U_a N(0, "
     "0.001^2)\n"
     "--tokenizer word        code   deviation: our own rules\n"
     "--lowercase no          code   the case is kept\n"
     "--min-freq 1            code   only the rank of a word decides\n"
     "--vocab 30000           code   n-words\n"
     "--max-len 50            code   maxlen\n"
     "--optimizer adadelta    code   rho 0.95, epsilon 1e-6\n"
     "--lr 1                  code   adadelta's own steps\n"
     "--lr-decay 1            code   it stays\n"
     "--clip 1                code   clip-c\n"
     "--dropout 0             code   use-dropout off\n"
     "--batch 32              code   batch_size\n"
     "--patience 10           code   validations without a better loss\n"
     "cgru: the tutorial's note docs/cgru; code: its session2/nmt.py and training script.\n"},
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
