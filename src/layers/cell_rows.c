/* cell_rows: the table of recurrent cells that --cell and the tests iterate over. */
#include "layers/recurrent.h"

/* A GRU with the reset gate after U needs U s' alone, for the gate to multiply: one block more, in
 * front. */
#define BEFORE                                                                                     \
    .gates = {{"z", "sigma", 0}, {"r", "sigma", 1}, {"s~", "tanh", 2, SA_READS_RESET}},            \
    .blocks = 3, .gated_blocks = 3, .grouped_blocks = 2, .suffix = {"_z", "_r", ""}, .cache = 1,   \
    .forward = sa_gru_before_forward, .backward = sa_gru_before_backward,                          \
    .weights_backward = sa_gru_before_weights_backward
#define AFTER                                                                                      \
    .gates = {{"z", "sigma", 1},                                                                   \
              {"r", "sigma", 2},                                                                   \
              {"u", NULL, 0},                                                                      \
              {"s~", "tanh", 3, SA_READS_PRODUCT}},                                                \
    .blocks = 4, .gated_blocks = 3, .first_gate = 1, .grouped_blocks = 2,                          \
    .suffix = {"", "_z", "_r", ""}, .forward = sa_gru_after_forward,                               \
    .backward = sa_gru_after_backward, .weights_backward = sa_whole_weights_backward

#define NEW "s = (1 - z) . s_before + z . s~"
#define OLD "s = z . s_before + (1 - z) . s~"

const sa_cell sa_cells[] = {
    {"gru", "s = (1-z) . s' + z . tanh(W x + U [r . s'])", "Bahdanau et al. 2015, A.1.1", BEFORE,
     .update = NEW},
    {"gru", "s = z . s' + (1-z) . tanh(W x + U [r . s'])", "Cho et al. 2014, section 2.3", BEFORE,
     .update = OLD, .keeps_old = true},
    {"gru", "s = (1-z) . s' + z . tanh(W x + r . (U s'))", "reset after U, as in cuDNN", AFTER,
     .update = NEW},
    {"gru", "s = z . s' + (1-z) . tanh(W x + r . (U s'))", "dl4mt, Nematus, Marian", AFTER,
     .update = OLD, .keeps_old = true},
    {"lstm", "m = f . m' + i . g, s = o . tanh(m)", "Hochreiter and Schmidhuber 1997; Gers 2000",
     .gates = {{"i", "sigma", 0}, {"f", "sigma", 1}, {"o", "sigma", 2}, {"g", "tanh", 3}},
     .memory_update = "m = f . m_before + i . g", .update = "s = o . tanh(m)", .blocks = 4,
     .gated_blocks = 4, .grouped_blocks = 4, .suffix = {"_i", "_f", "_o", ""}, .memory = 1,
     .cache = 1, .forward = sa_lstm_forward, .backward = sa_lstm_backward,
     .weights_backward = sa_whole_weights_backward},
    {"rnn", "s = tanh(W x + U s')", "Elman 1990", .gates = {{"s", "tanh", 0}}, .blocks = 1,
     .gated_blocks = 1, .grouped_blocks = 1, .suffix = {""}, .forward = sa_rnn_forward,
     .backward = sa_rnn_backward, .weights_backward = sa_whole_weights_backward},
    {.name = NULL},
};

const sa_cell *sa_cell_find(int kind, bool keeps_old, bool reset_after) {
    return &sa_cells[kind == SA_CELL_GRU ? 2 * reset_after + keeps_old : 3 + kind];
}
