/* explain: the forward pass of one pair, step by step, in the order of model/decoder.c. */
#include "lab/explainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns "s_i", or "s^2_i" in the second layer. */
static const char *name_of(char name[SA_NAME], const char *letter, int layer, const char *index) {
    if (layer > 1)
        snprintf(name, SA_NAME, "%s^%d%s", letter, layer, index);
    else
        snprintf(name, SA_NAME, "%s%s", letter, index);
    return name;
}

/* Returns the name of the context; one serves all steps of Cho et al. 2014. */
static const char *context_name(const sa_recurrent_decoder *w) {
    return w->source.b_V.cols ? "c" : "c_i";
}

/* ---- One step of a cell ------------------------------------------------------------------------
 * Gate by gate, in the order of its table entry (layers/cells.c). How the weights are bound tells
 * which of them a gate has. */

typedef struct cell_step {
    const sa_recurrent *w;
    const sa_recurrent_rows *rows;
    const char *prime; /* follows the letters of the results: "'", "^2" or "" */
} cell_step;

/* Shows a value whose key is its letter: "z'". */
static void show_value(sa_explainer *out, const cell_step *step, const char *letter,
                       const char *letters, sa_mat x) {
    char key[2 * SA_NAME];
    snprintf(key, sizeof key, "%s%s", letter, step->prime);
    sa_explainer_vector(out, key, letters, x);
}

/* Writes "W_z x + U_z s_before + C_z c + b_z". */
static void write_terms(sa_explainer *out, const sa_recurrent *w, const sa_gate_equation *gate) {
    static const char *const read[] = {"s_before", "[r . s_before]", NULL};
    const struct {
        const char *letter, *x;
        bool there;
        int first; /* of the blocks that it fills */
    } terms[] = {{"W", "x", w->W.mat.cols > 0, w->cell->first_gate},
                 {"U", read[gate->reads], gate->reads != SA_READS_PRODUCT, 0},
                 {"C", "c", w->C.mat.cols > 0, w->context_block},
                 {"b", NULL, true, w->bias_block}};
    const char *plus = "", *suffix = w->cell->suffix[gate->block];
    const bool normalized = w->norm[SA_BY_U].g.cols;
    for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
        const int filled = gate->block - terms[k].first;
        if (!terms[k].there || filled < 0 || filled >= w->cell->gated_blocks) continue;
        const char *open = normalized && terms[k].x ? "LN(" : "";
        sa_explainer_write(out, NULL, "%s%s%s%s", plus, open, terms[k].letter, suffix);
        if (terms[k].x) sa_explainer_write(out, NULL, " %s%s", terms[k].x, *open ? ")" : "");
        plus = " + ";
    }
    if (gate->reads == SA_READS_PRODUCT) sa_explainer_write(out, NULL, "%sr . u", plus);
}

static void explain_gate(sa_explainer *out, const cell_step *step, const sa_gate_equation *gate) {
    const int n = step->w->n, first = gate->block * n;
    const char *activation = gate->activation;
    char key[SA_NAME], label[SA_NAME];
    sa_explainer_write(out, step->w->cell->citation, "%s = ", gate->letter);
    if (activation) sa_explainer_write(out, NULL, "%s(", activation);
    write_terms(out, step->w, gate);
    if (activation) sa_explainer_write(out, NULL, ")");
    if (gate->reads == SA_READS_RESET)
        show_value(out, step, "r.s", "r . s_before", sa_cols(step->rows->cache, 0, n));
    if (activation) {
        snprintf(key, sizeof key, "a_%s", gate->letter);
        snprintf(label, sizeof label, "inside %s", activation);
        show_value(out, step, key, label,
                   sa_cols(sa_explainer_traced(out, label, step->rows->gates), first, n));
    }
    if (strcmp(gate->letter, "s") != 0)
        show_value(out, step, gate->letter, gate->letter, sa_cols(step->rows->gates, first, n));
}

/* Explains the cell of a layer, from 1; 0: the second cell of layer 1, which reads the state of the
 * first. */
static void explain_state(sa_explainer *out, int number) {
    static const char *const letters[] = {"m",  "s", "m_before", "s_before", "z", "r",
                                          "s~", "u", "i",        "f",        "o", "g"};
    enum { LETTERS = sizeof letters / sizeof *letters };
    const sa_recurrent_decoder *w = out->decoder;
    const sa_decoder_layer_rows *layer = &out->step.layer[number ? number - 1 : 0];
    const bool between = w->sizes.kind->context_cell && number == 1, upper = number > 1;
    char title[SA_NAME], below[SA_NAME], before[SA_NAME] = "'_i", prime[SA_NAME] = "'";
    char name[LETTERS][2 * SA_NAME], normal[3 * SA_NAME];
    if (number) name_of(before, "", number, "_{i-1}");
    if (!between) name_of(prime, "", number, "");
    const char *input = upper                             ? name_of(below, "s", number - 1, "_i")
                        : w->sizes.settings.input_feeding ? "[E y_{i-1} ; t_{i-1}]"
                                                          : "E y_{i-1}";
    const cell_step step = {number ? &w->layer[number - 1] : &w->context_cell,
                            number ? &layer->cell : &out->step.context_cell, prime};
    const sa_state state = between ? out->step.context_cell.previous : layer->s;
    const sa_cell *cell = step.w->cell;
    sa_explainer_symbol symbols[LETTERS + 3] = {[LETTERS] = {"x", input}, {"c", context_name(w)}};
    for (int k = 0; k < LETTERS; k++) {
        const bool earlier = strchr(letters[k], '_');
        snprintf(name[k], 2 * SA_NAME, "%.*s%s%s", earlier ? 1 : 2, letters[k],
                 earlier ? before : prime, earlier ? "" : "_i");
        symbols[k] = (sa_explainer_symbol){letters[k], name[k]};
    }
    out->symbols = symbols;
    snprintf(title, sizeof title, "The new state of layer %d", number);
    sa_explainer_section(out, upper ? title : between ? "The state between" : "The new state");
    for (int g = 0; g < 4 && cell->gates[g].letter; g++) explain_gate(out, &step, &cell->gates[g]);
    if (cell->m_update) {
        sa_explainer_write(out, cell->citation, "%s", cell->m_update);
        show_value(out, &step, "m", "m", state.m);
        snprintf(normal, sizeof normal, "LN(%s)", name[0]);
        if (step.w->norm[SA_BY_U].g.cols) symbols[0].to = normal;
    }
    if (cell->update) sa_explainer_write(out, cell->citation, "%s", cell->update);
    if (cell->m_update) /* the cache has tanh(m), or tanh(LN(m)) */
        show_value(out, &step, "tanh(m)", "tanh(m)", sa_cols(step.rows->cache, 0, step.w->n));
    show_value(out, &step, "s", "s", state.s);
    out->symbols = NULL;
}

/* ---- The source ------------------------------------------------------------------------------ */

static const char cho[] = "Cho et al. 2014, section 2.2";

/* Returns the letters of the summary of the source that a decoder gets: model/encoder.h. */
static const char *summary_letters(int initial, const sa_sizes *sizes) {
    const bool both = sizes->settings.encoder == SA_ENCODER_BI;
    if (initial == SA_INITIAL_CONTEXT) return "c";
    if (initial == SA_INITIAL_MEAN || sizes->settings.encoder == SA_ENCODER_NONE)
        return "mean_j h_j";
    if (initial == SA_INITIAL_BACKWARD && both) return "backward_1";
    return initial == SA_INITIAL_LAST && both ? "[forward_S ; backward_1]" : "forward_S";
}

static void explain_source(sa_explainer *out) {
    const sa_recurrent_decoder *w = out->decoder;
    const sa_source *source = &out->pass->decoder.source;
    const sa_settings *settings = &out->model->sizes.settings;
    static const char *const annotations[][2] = {
        [SA_ENCODER_BI] = {"h_j = [forward_j ; backward_j]", "Bahdanau et al. 2015, A.2.1"},
        [SA_ENCODER_UNI] = {"h_j = forward_j", cho},
        [SA_ENCODER_NONE] = {"h_j = E x_j"}};
    const bool none = settings->encoder == SA_ENCODER_NONE;
    sa_explainer_section(out, "The source");
    sa_explainer_write(out, annotations[settings->encoder][1], "%s",
                       annotations[settings->encoder][0]);
    if (!none && settings->layers > 1)
        sa_explainer_write(out, NULL, " of layer %d", settings->layers);
    if (none && settings->positions)
        sa_explainer_write(out, "Vaswani et al. 2017, section 3.5", " + position j");
    sa_explainer_value(out, SA_SHAPE_MATRIX, "h", "h_j", out->pass->encoder.annotations);
    sa_explain_memory(out, &w->attention, &source->memory);
    if (!w->source.b_V.cols) return;
    const char *summary = summary_letters(SA_INITIAL_LAST, &w->source.sizes);
    sa_explainer_write(out, cho, "c = tanh(V %s + b_V)", summary);
    sa_explainer_vector(out, "summary", summary, source->context_input);
    sa_explainer_vector(out, "a_c", "inside tanh",
                        sa_explainer_traced(out, "inside tanh", source->c));
    sa_explainer_vector(out, "c", "c", source->c);
}

/* Explains s_0, from the summary of the source. */
static void explain_initial(sa_explainer *out) {
    static const char *const places[] = {
        [SA_INITIAL_BACKWARD] = "Bahdanau et al. 2015, A.2.2",
        [SA_INITIAL_LAST] = NULL,
        [SA_INITIAL_MEAN] = "dl4mt; Nematus (Sennrich et al. 2017)",
        [SA_INITIAL_COPY] = "Sutskever et al. 2014; Luong et al. 2015",
        [SA_INITIAL_CONTEXT] = cho};
    const sa_source_weights *w = &out->decoder->source;
    const sa_source *source = &out->pass->decoder.source;
    const bool maps = w->W_s[0].mat.cols > 0, context = w->sizes.initial == SA_INITIAL_CONTEXT;
    const char *letters = summary_letters(w->sizes.initial, &w->sizes);
    sa_explainer_write(out, places[w->sizes.initial],
                       maps ? "s_0 = tanh(W_s %s + b_s)" : "s_0 = %s", letters);
    if (out->decoder->sizes.layers > 1)
        sa_explainer_write(out, NULL,
                           maps ? ", with W_s and b_s of each layer"
                                : ", of the encoder's layer of the same number");
    if (!maps) return;
    const sa_mat summary = context ? source->c : source->encoder_summary;
    if (!context) sa_explainer_vector(out, "summary", letters, summary);
    sa_explainer_vector(out, "a_s_0", "inside tanh",
                        sa_explainer_traced(out, "inside tanh", source->s0[0].s));
}

static void explain_before(sa_explainer *out) {
    const sa_recurrent_decoder *w = out->decoder;
    const sa_mat input = out->step.input;
    const int m = w->sizes.m;
    const char *index = out->i > 1 ? "_{i-1}" : "_0";
    sa_explainer_section(out, "The word and the state before");
    sa_explainer_vector(out, "x", "E y_{i-1}", sa_decoder_word_input(w, input));
    if (w->sizes.settings.input_feeding)
        sa_explainer_vector(out, "t_previous", out->i > 1 ? "t_{i-1}" : "t_0",
                            sa_cols(input, m, input.cols - m));
    if (out->i == 1) explain_initial(out);
    for (int layer = 1; layer <= w->sizes.layers; layer++) {
        const sa_state previous = out->step.layer[layer - 1].cell.previous;
        char key[SA_NAME], name[SA_NAME];
        sa_explainer_vector(out, name_of(key, "s", layer, "_previous"),
                            name_of(name, "s", layer, index), previous.s);
        if (previous.m.cols)
            sa_explainer_vector(out, name_of(key, "m", layer, "_previous"),
                                name_of(name, "m", layer, index), previous.m);
    }
}

/* ---- Attention ------------------------------------------------------------------------------- */

static void explain_attention(sa_explainer *out, const char *state) {
    sa_explainer_section(out, "Attention");
    sa_explain_attention(out, (sa_attention_view){
                                  .w = &out->decoder->attention,
                                  .memory = &out->pass->decoder.source.memory,
                                  .rows = out->step.attention,
                                  .scratch = &out->pass->decoder.scratch,
                                  .i = out->i,
                                  .state = state,
                                  .word = "h_j",
                                  .c = out->step.c,
                              });
}

/* ---- The readout ---------------------------------------------------------------------------- */

static const char readout_place[] = "Bahdanau et al. 2015, A.2.2";

/* Returns the name of the state that the readout sees. */
static const char *readout_name(char name[SA_NAME], const sa_recurrent_decoder *w) {
    const int last = w->sizes.layers;
    return name_of(name, "s", last, w->sizes.sees_previous ? "_{i-1}" : "_i");
}

/* Explains t~_i and t_i. */
static void explain_hidden(sa_explainer *out, const sa_readout_cache *cache) {
    const sa_readout *w = &out->decoder->readout;
    const bool maxout = w->maxout;
    char state[SA_NAME];
    sa_explainer_write(out, maxout ? readout_place : "Luong et al. 2015, equation 5", "%sU_o %s%s",
                       maxout ? "t~_i = " : "t_i = tanh(", readout_name(state, out->decoder),
                       w->V_o.mat.x ? " + V_o E y_{i-1}" : "");
    if (w->C_o.mat.x) sa_explainer_write(out, NULL, " + C_o %s", context_name(out->decoder));
    sa_explainer_write(out, NULL, maxout ? " + b_o" : " + b_o)");
    sa_explainer_vector(out, "t~", maxout ? "t~_i" : "inside tanh",
                        sa_explainer_traced(out, "t~", cache->sums));
    if (maxout)
        sa_explainer_write(out, readout_place, "t_i = the greater of each two neighbors in t~_i");
    sa_explainer_vector(out, "t", "t_i", cache->t);
}

/* Explains the gate, what it copies, and the mixture of that with p(y_i). */
static void explain_copying(sa_explainer *out, const sa_readout_cache *cache) {
    const sa_mixture *mixture = &cache->mixtures[out->i - 1];
    const bool lacks = mixture->rest > 0, gated = cache->copy_gate.cols;
    const char *place = gated ? "See et al. 2017, section 2.2" : "Vinyals et al. 2015, section 2.3";
    char name[SA_NAME];
    if (gated) {
        sa_explainer_write(out, place, "p_gen = sigma(w_h' c_i + w_s' %s + w_x' E y_{i-1} + b)",
                           readout_name(name, out->decoder));
        sa_explainer_number(out, "p_gen", "p_gen", sa_copy_gate_probability(*cache->copy_gate.x));
    }
    sa_explainer_number(out, "copied", "sum of alpha_ij, x_j = y_i",
                        mixture->in_source ? mixture->alpha : 0);
    if (lacks) sa_explainer_number(out, "rest", "what all alpha_ij lack", mixture->rest);
    sa_explainer_write(out, place, "P(y_i) = %s",
                       !gated  ? "sum"
                       : lacks ? "(p_gen + (1 - p_gen) rest) p(y_i) + (1 - p_gen) sum"
                               : "p_gen p(y_i) + (1 - p_gen) sum");
    sa_explainer_number(out, "P", "P(y_i)", exp(out->pass->log_p[out->i - 1]));
}

/* Shows a number for each word of the vocabulary. */
static void vocabulary(sa_explainer *out, const char *name, const char *letters, sa_mat x,
                       int chosen) {
    out->line.about = SA_ROWS_VOCABULARY;
    out->line.chosen = chosen;
    sa_explainer_value(out, SA_SHAPE_COLUMN, name, letters, x);
}

static void explain_vocabulary(sa_explainer *out, const sa_readout_cache *cache) {
    const sa_readout *w = &out->decoder->readout;
    const int word = out->job->pair.target->ids[out->i - 1];
    const sa_mat x = sa_mat_alloc(&out->arena, 1, w->W_o.mat.rows);
    double shift;
    explain_hidden(out, cache);
    sa_linear_forward(w->W_o, w->b_y, cache->t, x);
    sa_explainer_write(out, w->maxout ? readout_place : "Luong et al. 2015, equation 6",
                       "p(y_i) = softmax(W_o t_i + b_y)");
    vocabulary(out, "logits", "W_o t_i + b_y", x, word);
    const double sum = sa_explainer_exp(x, &shift);
    vocabulary(out, "exp_logits", shift != 0 ? "exp(..-max)" : "exp(..)", x, word);
    sa_scale(1 / sum, x);
    vocabulary(out, "p", "p(y_i)", x, word);
    sa_explainer_number(out, "sum_words", "sum of exp", sum);
}

static void explain_words(sa_explainer *out, const sa_readout_cache *cache) {
    const double *log_p = out->pass->log_p;
    const bool copies = cache->mixtures;
    double total = 0;
    for (int i = 0; i < out->i; i++) total += log_p[i];
    if (!out->decoder->sizes.kind->points) explain_vocabulary(out, cache);
    if (copies) explain_copying(out, cache);
    sa_explainer_number(out, "log_p", copies ? "log P(y_i)" : "log p(y_i)", log_p[out->i - 1]);
    sa_explainer_number(out, "total", copies ? "log P(y_1..i)" : "log p(y_1..i)", total);
}

/* ---- The step -------------------------------------------------------------------------------- */

static void explain_step(sa_explainer *out) {
    const sa_recurrent_decoder *w = out->decoder;
    const sa_decoder_kind *kind = w->sizes.kind;
    const sa_readout_cache readout = sa_readout_slice(&out->pass->decoder.readout, out->i - 1, 1);
    char state[SA_NAME];
    explain_before(out);
    if (kind->query_state == SA_QUERY_STATE_PREVIOUS) explain_attention(out, "s_{i-1}");
    explain_state(out, 1);
    if (kind->query_state == SA_QUERY_STATE_PROPOSAL) explain_attention(out, "s'_i");
    if (kind->context_cell) explain_state(out, 0);
    for (int layer = 2; layer <= w->sizes.layers; layer++) explain_state(out, layer);
    if (kind->query_state == SA_QUERY_STATE_CURRENT)
        explain_attention(out, name_of(state, "s", w->sizes.layers, "_i"));
    sa_explainer_section(out, "The read-out");
    explain_words(out, &readout);
}

/* ---- The lens ----------------------------------------------------------------------------------
 * What a Transformer's decoder would write if it ended after a sublayer, whose vector x goes to the
 * readout at once (the logit lens, nostalgebraist 2020). */

/* Returns log softmax(W_o LayerNorm(x) + b_y) [1 x Ky]; the norm is that with which the stack ends,
 * if it has one.    x [1 x m] */
static sa_mat read_out(sa_explainer *out, sa_mat x) {
    const sa_transformer *w = &out->model->w.transformer;
    const sa_layernorm *last = &w->decoder.last;
    const sa_mat log_p = sa_mat_alloc(&out->arena, 1, w->vocabulary.W_o.mat.rows);
    const sa_mat p = sa_mat_alloc(&out->arena, 1, log_p.cols);
    const sa_mat normal = sa_mat_alloc(&out->arena, 1, x.cols);
    const sa_layernorm_cache cache = sa_layernorm_layout(&out->arena, 1, x.cols);
    if (last->g.cols) sa_layernorm_forward(last, x, &cache, 0, normal);
    sa_linear_forward(w->vocabulary.W_o, w->vocabulary.b_y, last->g.cols ? normal : x, log_p);
    sa_copy_mat(log_p, p);
    const sa_real sum = sa_softmax_row(p.x, p.cols);
    for (int k = 0; k < p.cols; k++) log_p.x[k] -= sum;
    return log_p;
}

/* Shows p after a sublayer, and KL(p_end || p), what the sublayers above change. */
static void show_words(sa_explainer *out, const char *sublayer, sa_mat x, sa_mat end) {
    const size_t used = out->arena.used;
    const sa_mat p = read_out(out, x);
    char name[SA_NAME];
    double divergence = 0;
    for (int k = 0; k < p.cols; k++) {
        divergence += exp(end.x[k]) * (end.x[k] - p.x[k]);
        p.x[k] = exp(p.x[k]);
    }
    snprintf(name, sizeof name, "p %s", sublayer);
    vocabulary(out, name, sublayer, p, out->job->pair.target->ids[out->i - 1]);
    snprintf(name, sizeof name, "KL %s", sublayer);
    sa_explainer_number(out, name, "KL(p_end || p)", divergence);
    out->arena.used = used;
}

static void explain_lens(sa_explainer *out) {
    const sa_transformer *w = &out->model->w.transformer;
    const sa_transformer_cache *pass = &out->pass->transformer;
    const int row = out->i - 1 + (w->sizes.decoder_only ? pass->prefix[0] - 1 : 0);
    const sa_layer_cache *layer = pass->decoder.layer, *end = layer + w->sizes.layers;
    char name[SA_NAME / 2];
    sa_arena_rewind(&out->arena, 0);
    const sa_mat last = read_out(out, sa_rows(end[-1].feed.residual.y, row, 1));
    show_words(out, "words", sa_rows(pass->decoder.x, row, 1), last);
    for (int l = 1; layer < end; layer++, l++) {
        snprintf(name, sizeof name, "%d self", l);
        show_words(out, name, sa_rows(layer->self.residual.y, row, 1), last);
        snprintf(name, sizeof name, "%d cross", l);
        if (w->decoder.cross) show_words(out, name, sa_rows(layer->cross.residual.y, row, 1), last);
        snprintf(name, sizeof name, "%d feed", l);
        show_words(out, name, sa_rows(layer->feed.residual.y, row, 1), last);
    }
}

/* ---- Annotations ----------------------------------------------------------------------------- */

/* Returns the vectors of the words of a side before layer 1 (layer 0) or after a layer; without
 * columns if there is no such layer. */
static sa_mat annotations(sa_explainer *out, bool decoder, int layer) {
    const sa_seq2seq *w = &out->model->w;
    const sa_pass *pass = out->pass;
    const sa_encoder_cache *encoder = &pass->encoder;
    const bool joined = w->transformer.sizes.decoder_only;
    const sa_stack_cache *stack =
        decoder || joined ? &pass->transformer.decoder : &pass->transformer.encoder;
    const int last = !w->recurrent ? w->transformer.sizes.layers
                     : decoder     ? w->decoder.sizes.layers
                                   : w->encoder.layers;
    if (layer > last) return (sa_mat){0};
    if (!w->recurrent && layer == last) return stack->out;
    if (!w->recurrent) return layer ? stack->layer[layer - 1].feed.residual.y : stack->x;
    if (decoder && layer) return pass->decoder.rows.layer[layer - 1].s.s;
    if (decoder) return sa_decoder_word_input(&w->decoder, pass->decoder.rows.input);
    if (layer == last) return encoder->annotations;
    const sa_mat read = layer ? encoder->h[layer - 1] : encoder->x,
                 x = sa_mat_alloc(&out->arena, read.rows, read.cols);
    for (int t = 0; t < x.rows; t++)
        sa_copy_mat(sa_rows(read, sa_encoder_read_position(&w->encoder.sizes, x.rows, t), 1),
                    sa_rows(x, t, 1));
    return x;
}

static void explain_annotations(sa_explainer *out, bool decoder) {
    const int S = out->job->pair.source->len, T = out->job->pair.target->len;
    out->words = decoder ? SA_ROWS_TARGET : SA_ROWS_SOURCE;
    for (int layer = 0;; layer++) {
        sa_explainer_section(out, "Annotations");
        sa_mat x = annotations(out, decoder, layer);
        if (!x.cols) return;
        if (out->model->w.transformer.sizes.decoder_only)
            x = decoder ? sa_rows(x, S - 1, T) : sa_rows(x, 0, S);
        sa_explainer_value(out, SA_SHAPE_MATRIX, "h", "h_j", x);
    }
}

/* ---- The job --------------------------------------------------------------------------------- */

static void explain_steps(sa_explainer *out, const sa_lab_explain_job *job) {
    const sa_decoder_rows *rows = &out->pass->decoder.rows;
    out->decoder = &out->model->w.decoder;
    if (out->model->w.recurrent) explain_source(out);
    for (out->i = 1; out->i <= job->pair.target->len; out->i++) {
        if (job->options->step && job->options->step != out->i) continue;
        if (!out->model->w.recurrent) {
            explain_lens(out);
            continue;
        }
        out->step = sa_decoder_rows_slice(rows, out->i - 1, 1);
        explain_step(out);
    }
}

static void explain(sa_explainer *out, const sa_lab_explain_job *job) {
    if (job->options->annotations)
        explain_annotations(out, job->options->site == SA_SITE_DECODER);
    else if (out->model->w.recurrent || job->options->lens)
        explain_steps(out, job);
    else
        sa_explain_layer(out, job->options->site, job->options->layer - 1, job->options->step - 1);
}

bool sa_lab_explain(const sa_lab_explain_job *job, sa_error *error) {
    sa_lab_model *model = sa_new(1, sizeof *model, error); /* too large for small stacks */
    sa_explainer out = {0};
    bool good = model && sa_lab_model_open(model, job->settings, &job->pair, error) &&
                sa_explainer_open(&out, job, model, error);
    if (good) {
        model->regularizer = (sa_regularizer){0}; /* what training adds */
        sa_lab_model_load(model, job->values);
        sa_seq2seq_set_decoding(&model->w, true); /* as it decodes */
        sa_tracing = &out.tracer;
        const double loss = sa_lab_model_loss(model, false);
        sa_tracing = NULL;
        good = sa_explainer_check(&out, error) &&
               (isfinite(loss) || sa_fail(error, SA_DIVERGED, "%s", ""));
    }
    if (good) explain(&out, job);
    good = good && sa_explainer_check(&out, error);
    sa_explainer_close(&out);
    if (model) sa_lab_model_close(model);
    free(model);
    return good;
}
