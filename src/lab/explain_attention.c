/* explain_attention: one query of an attention, in the order of attention.c. The formulas are those
 * of the score, the normalizer and the parts, in the letters of the model; the pass has traced what
 * parts add to Bahdanau et al. 2015. Around it, one word in a layer of a Transformer: attention at
 * one of its sites, the residual connections, the feed-forward network. */
#include "lab/explainer.h"

#include <stdio.h>
#include <string.h>

static const char heads_place[] = "Vaswani et al. 2017, section 3.2.2";

/* ---- Formulas -------------------------------------------------------------------------------- */

static bool has(const sa_attention_view *view, const sa_part *part) {
    return sa_part_find(view->w, part) >= 0;
}

/* Appends a formula in the letters of the model. */
static void write_formula(const sa_attention_view *view, const char *place, const char *formula) {
    static const char *const names[][2] = {{"W_a", "U_a"}, {"W_q", "W_k"}, {"R_i W_q", "R_j W_k"}};
    const sa_score *score = view->w->score;
    const bool two = view->maps > 1, turns = has(view, &sa_rotation_part);
    const char *const *maps = names[view->layer + turns];
    const bool turned = turns && score->query == SA_QUERY_IDENTITY;
    char query[SA_NAME], weight[SA_NAME] = "alpha_ij";
    snprintf(query, sizeof query, turned ? "(R_i %s)" : "%s", view->state);
    if (has(view, &sa_predicted_window_part))
        snprintf(weight, sizeof weight, two ? "A_ij" : "%s_j(e_ij)", view->w->normalizer->name);
    view->out->symbols = (const sa_explainer_symbol[]){
        {"s", query},
        {"h_j", view->word},
        {"W_a", maps[view->layer && score->key == SA_KEY_STATE_SIZED]},
        {"U_a", has(view, &sa_latent_part) ? "W_uk W_dkv" : maps[1]},
        {"e", "e_i"},
        {"e_j", two ? "e1_ij" : "e_ij"},
        {"e_k", two ? "e1_ik" : "e_ik"},
        {"e_0", "e_i0"},
        {"f_j", "f_ij"},
        {"p_j", "p_ij"},
        {"q_j", "q_ij"},
        {"pi_j", weight},
        {"alpha_j", two ? "A1_ij" : weight},
        {0}};
    sa_explainer_write(view->out, place, "%s", formula);
    view->out->symbols = NULL;
}

/* ---- Queries, keys and values ---------------------------------------------------------------- */

void sa_explain_memory(sa_explainer *out, const sa_attention *w, const sa_memory *memory) {
    for (int k = 0; k < w->heads; k++) {
        out->line.head = w->heads > 1 ? k + 1 : 0;
        const bool latent = sa_part_find(w, &sa_latent_part) >= 0;
        if (w->key_width && w->score->key != SA_KEY_IDENTITY)
            sa_explainer_value(out, SA_SHAPE_MATRIX, latent ? "latent" : "k",
                               latent                                ? "W_dkv h_j"
                               : w->score->key == SA_KEY_STATE_SIZED ? "W_a h_j"
                                                                     : "U_a h_j",
                               sa_kv_head_slice(w, memory->keys, k));
        if (w->value_width)
            sa_explainer_value(out, SA_SHAPE_MATRIX, "v", "W_v h_j",
                               sa_kv_head_slice(w, memory->values, k));
    }
    out->line.head = 0;
}

/* Shows q, k and v by the projections of the score: of general and raw-dot the query is the vector
 * itself, and some scores read no keys. */
static void explain_projections(const sa_attention_view *view) {
    const sa_score *score = view->w->score;
    const sa_head *at = &view->at;
    sa_explainer *out = view->out;
    const bool turns = has(view, &sa_rotation_part), keys = at->k.cols > 0;
    const bool latent = has(view, &sa_latent_part);
    const char *query = score->query == SA_QUERY_IDENTITY ? "" : "W_q ",
               *key = score->key == SA_KEY_IDENTITY ? "" : "W_k ";
    sa_explainer_write(out, heads_place, "q_i = %s%s%s, ", turns ? "R_i " : "", query, view->state);
    if (latent) sa_explainer_write(out, NULL, "c_j = W_dkv %s", view->word);
    if (keys && !latent)
        sa_explainer_write(out, NULL, "k_j = %s%s%s, ", turns ? "R_j " : "", key, view->word);
    if (!latent) sa_explainer_write(out, NULL, "v_j = W_v %s", view->word);
    if (out->model->sizes.settings.head_projection == SA_HEAD_PROJECTION_SPLIT)
        sa_explainer_write(out, NULL, ", of the head's share of %s and %s", view->state,
                           view->word);
    sa_explainer_vector(out, "q", "q_i", at->q);
    if (keys)
        sa_explainer_value(out, SA_SHAPE_MATRIX, latent ? "latent" : "k", latent ? "c_j" : "k_j",
                           at->k);
    if (!latent) sa_explainer_value(out, SA_SHAPE_MATRIX, "v", "v_j", at->v);
}

/* ---- The score ------------------------------------------------------------------------------- */

/* Shows the score's own parameters under the names of their tensors: "v_a", "log_h". */
static void explain_own(const sa_attention_view *view) {
    const sa_lab_model *model = view->out->model;
    const sa_mat own = view->at.v_a;
    for (int i = 0; own.cols && i < model->plan->count; i++) {
        const sa_param *param = &model->plan->item[i];
        const char *name = strrchr(param->name, '.') + 1;
        const ptrdiff_t size = (ptrdiff_t)sa_param_size(param);
        const ptrdiff_t start = own.x - model->values - (ptrdiff_t)param->offset;
        const ptrdiff_t end = start + own.cols < size ? start + own.cols : size;
        const ptrdiff_t first = start > 0 ? start : 0;
        if (first < end)
            sa_explainer_vector(view->out, name, name,
                                sa_cols(own, (int)(first - start), (int)(end - first)));
    }
}

/* Returns whether a head (-1: all) of the attention has traced this for the query. */
static bool is_of(const sa_attention_view *view, const sa_shown *one, int head) {
    const sa_head *own = &one->head;
    return own->memory == view->memory && own->index == head && own->i <= view->i &&
           view->i < own->i + own->q.rows;
}

/* Returns the query's row of what was traced. */
static sa_mat row_of(const sa_attention_view *view, const sa_shown *one) {
    return sa_rows(one->copy, view->i - one->head.i, 1);
}

/* Shows the scores of one map, or of both. */
static void explain_scores(sa_attention_view *view) {
    static const char of_halves[] =
        "e1_ij = q1_i' k1_j / sqrt(d), e2_ij = q2_i' k2_j / sqrt(d), of "
        "half the numbers each";
    static const char *const names[] = {"e", "e_2"}, *const labels[] = {"e1_ij", "e2_ij"};
    const sa_score *score = view->w->score;
    sa_explainer *out = view->out;
    const sa_shown *one = out->shown, *null = NULL;
    char label[SA_NAME];
    write_formula(view, score->citation, view->maps > 1 ? of_halves : score->formula);
    if (score->query == SA_QUERY_PROJECTED && !view->layer) {
        snprintf(label, sizeof label, "W_a %s", view->state);
        sa_explainer_vector(out, "q", label, view->at.q);
    }
    explain_own(view);
    for (int m = 0; m < view->maps; one++) {
        const char *name = one->traced.name;
        if (!is_of(view, one, view->at.index) || !name) continue;
        if (strcmp(name, "e_0") == 0) null = one;
        if (one->traced.citation || strcmp(name, "e") != 0) continue;
        const sa_mat e = row_of(view, one);
        const double e_0 = null ? *row_of(view, null).x : 0;
        for (int j = 0; j < e.cols; j++) e.x[j] += e_0;
        if (m == 0) view->e = e, view->e_0 = e_0, view->exponent = one->exponent;
        sa_explainer_value(out, SA_SHAPE_COLUMN, names[m], view->maps > 1 ? labels[m] : "e_ij", e);
        m++;
    }
}

/* ---- The weights ----------------------------------------------------------------------------- */

/* Returns the columns that the query sees. */
static sa_mat seen(const sa_attention_view *view, sa_mat row) {
    const sa_span *span = view->at.spans;
    return span ? sa_cols(row, span->first, span->count) : row;
}

/* Returns the numbers for the words that the query sees, and NaN for the others. */
static sa_mat seen_row(const sa_attention_view *view, sa_mat x) {
    const sa_mat row = sa_mat_alloc(&view->out->arena, 1, x.cols);
    for (int j = 0; j < row.cols; j++) row.x[j] = (sa_real)NAN;
    sa_copy_mat(seen(view, x), seen(view, row));
    return row;
}

/* Writes the normalizer's formula, over what the query sees. */
static void write_normalizer(const sa_attention_view *view, bool shifted) {
    const sa_normalizer *normalizer = view->w->normalizer;
    const char *over = ", over ";
    write_formula(view, normalizer->citation, normalizer->formula);
    const int prefix = view->prefix; /* 1, or the length of a full prefix */
    const char *source = has(view, &sa_merged_part) ? "S + " : "";
    if (prefix == 1) sa_explainer_write(view->out, NULL, "%sj <= %si", over, source);
    if (prefix > 1) sa_explainer_write(view->out, NULL, "%sj <= max(i, %d)", over, prefix);
    if (prefix) over = ", ";
    for (int p = 0; p < view->w->parts; p++)
        if (view->w->part[p].kind->span) {
            sa_explainer_write(view->out, NULL, "%s%s", over, view->w->part[p].kind->formula);
            over = ", ";
        }
    if (shifted) sa_explainer_write(view->out, NULL, ", less max in every exp");
}

/* Shows what the normalizer makes of the scores: exponentials and their sum, if dividing gives the
 * weights, or its number and the distances from its kinks. */
static void explain_normalizer(sa_attention_view *view) {
    sa_explainer *out = view->out;
    const sa_normalizer *normalizer = view->w->normalizer;
    const sa_mat powers = seen_row(view, view->e);
    double shift;
    view->weights = seen_row(view, sa_explainer_traced(out, "pi(e)", view->at.alpha));
    view->sum = sa_explainer_exp(seen(view, powers), &shift);
    if (normalizer->null_key)
        view->sum += exp((normalizer->learned ? (double)view->exponent : view->e_0) - shift);
    const sa_mat weights = seen(view, view->weights), shares = seen(view, powers);
    for (int j = 0; j < weights.cols; j++)
        if (view->maps > 1 || !(fabs(weights.x[j] * view->sum - shares.x[j]) <= 1e-9 * view->sum))
            view->sum = 0;
    write_normalizer(view, view->sum > 0 && shift != 0);
    if (view->sum > 0) {
        sa_explainer_value(out, SA_SHAPE_COLUMN, "exp", shift != 0 ? "exp(e_ij-max)" : "exp(e_ij)",
                           powers);
        return;
    }
    if (normalizer->exponent) sa_explainer_number(out, "a", "a", view->exponent);
    if (normalizer->kinks) {
        const sa_mat above = seen_row(view, view->e);
        normalizer->kinks(view->exponent, seen(view, above));
        sa_explainer_value(out, SA_SHAPE_COLUMN, "above", "above 0", above);
    }
}

/* Shows alpha, and what the normalizer has divided by. */
static void explain_weights(const sa_attention_view *view) {
    sa_explainer *out = view->out;
    const bool null_key = view->w->normalizer->null_key, shares = view->sum > 0;
    const sa_mat all = seen(view, view->weights);
    sa_explainer_value(out, SA_SHAPE_COLUMN, "alpha", "alpha_ij", view->at.alpha);
    if (shares) sa_explainer_number(out, "sum", null_key ? "sum + null" : "sum of exp", view->sum);
    if (null_key)
        sa_explainer_number(out, "null", shares ? "null key" : "no word",
                            1 - sa_sum(all.x, all.cols));
}

/* ---- What was traced ------------------------------------------------------------------------- */

/* Shows a quantity of a part. */
static void explain_part(const sa_attention_view *view, const sa_shown *one) {
    sa_explainer *out = view->out;
    const sa_traced *own = &one->traced;
    const bool table = own->shape == SA_SHAPE_TABLE, whole = table || own->shape == SA_SHAPE_MATRIX;
    const bool column = own->shape == SA_SHAPE_COLUMN && own->x.cols == 1;
    const sa_explain_rows words = out->words;
    if (own->formula && out->equation.size) sa_explainer_write(out, NULL, "; ");
    if (own->formula) write_formula(view, own->citation, own->formula);
    if (!own->name) return;
    sa_mat x = whole || column || own->x.rows == 1 ? one->copy : row_of(view, one);
    if (table) out->words = SA_ROWS_UNNAMED;
    if (own->shape == SA_SHAPE_COLUMN && view->weights.cols && view->maps == 1)
        x = seen_row(view, x);
    sa_explainer_value(out, table ? SA_SHAPE_MATRIX : (sa_explain_shape)own->shape, own->name,
                       own->letters, x);
    out->words = words;
}

/* Shows what a head (-1: all) has traced for the query, in this order. */
static void explain_trace(sa_attention_view *view, int head) {
    const sa_explainer *out = view->out;
    for (size_t n = 0; n < out->count; n++) {
        const sa_shown *one = &out->shown[n];
        const char *name = one->traced.name;
        if (!is_of(view, one, head) || one->head.unit) continue;
        if (one->traced.citation)
            explain_part(view, one);
        else if (strcmp(name, "e") == 0)
            explain_scores(view);
        else if (strcmp(name, "pi(e)") == 0 && !view->weights.cols)
            explain_normalizer(view);
        else if (strcmp(name, "alpha") == 0)
            explain_weights(view);
    }
}

/* ---- From top to bottom ---------------------------------------------------------------------- */

static void explain_head(sa_attention_view *view, int k) {
    const sa_attention *w = view->w;
    sa_explainer *out = view->out;
    out->line.head = w->heads > 1 ? k + 1 : 0;
    sa_arena_rewind(&out->arena, 0); /* discard the previous head's values */
    view->weights = (sa_mat){0};
    if (view->layer) explain_projections(view);
    explain_trace(view, k);
    if (!w->output_width) return;
    if (!out->equation.size)
        sa_explainer_write(out, heads_place, "o_i = sum_j alpha_ij %s",
                           view->layer ? "v_j" : "(W_v h_j)");
    const sa_mat o = sa_rows(view->rows.head_outputs, view->row, 1);
    sa_explainer_vector(out, "o", "o_i", sa_head_slice(o, w->heads, k));
}

void sa_explain_attention(sa_explainer *out, sa_attention_view view) {
    const sa_attention *w = view.w;
    const sa_query_block block = {view.row, 1, 0, view.i, view.prefix};
    view.out = out, view.maps = has(&view, &sa_two_maps_part) ? 2 : 1;
    explain_trace(&view, -1);
    for (int k = 0; k < w->heads; k++) {
        view.at = sa_head_view(w, view.memory, block, view.rows, view.scratch, k);
        explain_head(&view, k);
    }
    out->line.head = 0;
    const char *letter = view.layer ? "W_o" : "W_c";
    if (!w->output_width)
        sa_explainer_write(out, "Bahdanau et al. 2015, equation 5",
                           has(&view, &sa_output_gate_part) ? "c_i = o_i, v_j = h_j"
                                                            : "c_i = sum_j alpha_ij h_j");
    else if (w->heads == 1)
        sa_explainer_write(out, heads_place, "c_i = %s o_i", letter);
    else
        sa_explainer_write(out, heads_place, "c_i = %s [o_i of head 1 ; .. ; o_i of head %d]",
                           letter, w->heads);
    sa_explainer_vector(out, "c", "c_i", view.c);
}

/* ---- A layer of a Transformer ---------------------------------------------------------------- */

static const char layer_place[] = "Vaswani et al. 2017, section 3.1";

/* Explains what queries are made from, and within a stack keys and values, too. */
static void explain_words(sa_explainer *out, const sa_stack *stack, int layer, bool cross, sa_mat x,
                          sa_mat normal, bool pre) {
    const bool written = out->words == SA_ROWS_TARGET && !out->model->pass.cache.transformer.prefix;
    sa_explainer_section(out, "The words");
    if (cross)
        sa_explainer_write(out, layer_place, "x_j: what masked self-attention left");
    else if (layer)
        sa_explainer_write(out, layer_place, "x_j: what layer %d left", layer);
    else
        sa_explainer_write(out, "Vaswani et al. 2017, sections 3.4 and 3.5",
                           "x_j = sqrt(%d) E %s%s", x.cols, written ? "y_{j-1}" : "w_j",
                           stack->positions.kind->encoding ? " + PE(j)" : "");
    sa_explainer_value(out, SA_SHAPE_MATRIX, "x", "x_j", x);
    if (!pre) return;
    sa_explainer_write(out, "Xiong et al. 2020", "a_j = LayerNorm(x_j)");
    sa_explainer_value(out, SA_SHAPE_MATRIX, "a", "a_j", normal);
}

void sa_explain_layer(sa_explainer *out, sa_attention_site site, int layer, int row) {
    const sa_transformer *model = &out->model->w.transformer;
    const sa_transformer_cache *pass = &out->pass->transformer;
    const bool joined = model->sizes.decoder_only;
    const bool encodes = !joined && site == SA_SITE_ENCODER;
    const bool merged = model->sizes.settings.merged && !encodes;
    const bool cross = model->decoder.cross && site == SA_SITE_CROSS;
    const sa_stack *stack = encodes ? &model->encoder : &model->decoder;
    const sa_stack_cache *all = encodes ? &pass->encoder : &pass->decoder;
    if (joined && site != SA_SITE_ENCODER) row += pass->prefix[0] - 1;
    const sa_transformer_layer *w = &stack->layer[layer];
    const sa_layer_cache *cache = &all->layer[layer];
    const sa_attention_sublayer_cache *own = cross ? &cache->cross : &cache->self;
    const sa_mat x = layer ? all->layer[layer - 1].feed.residual.y : all->x;
    const bool pre = w->self.residual.norm == SA_NORM_PRE;
    const char *word = pre ? "a_j" : "x_j";
    out->words = encodes ? SA_ROWS_SOURCE : SA_ROWS_TARGET;
    explain_words(out, stack, layer, cross, cross ? cache->self.residual.y : x, own->residual.in,
                  pre);
    if (cross || merged) {
        word = cross ? "h_j" : pre ? "[h ; a]_j" : "[h ; x]_j";
        out->words = SA_ROWS_SOURCE;
        sa_explainer_write(out, layer_place, "h_j: what the encoder left");
        sa_explainer_value(out, SA_SHAPE_MATRIX, "h", "h_j", pass->encoder.out);
        if (!cross) out->words = SA_ROWS_TARGET;
    }
    const char *title = cross ? "Cross-attention" : merged ? "Merged attention" : "Self-attention";
    sa_explainer_section(out, title);
    const sa_mat y = sa_rows(own->residual.y, row, 1);
    const sa_query_block block = sa_queries_of(cross ? &all->cross : &all->self, &own->memory, 0);
    sa_explain_attention(
        out, (sa_attention_view){
                 .w = cross ? &w->cross.attention : &w->self.attention,
                 .memory = &own->memory,
                 .rows = own->rows,
                 .scratch = &all->attention[sa_stack_workspace(stack, layer, cross)].scratch,
                 .row = row,
                 .i = block.i + row,
                 .state = pre ? "a_i" : "x_i",
                 .word = word,
                 .layer = true,
                 .prefix = block.prefix,
                 .c = sa_explainer_traced(out, "c", y),
             });
    sa_explainer_write(out, layer_place, "y_i = %s", pre ? "x_i + c_i" : "LayerNorm(x_i + c_i)");
    sa_explainer_vector(out, "y", "y_i", y);
    if (stack->cross && !cross) return; /* cross-attention follows */
    const sa_mat z = sa_rows(cache->feed.residual.y, row, 1);
    sa_explainer_section(out, "Feed-forward network");
    if (pre) {
        sa_explainer_write(out, "Xiong et al. 2020", "b_i = LayerNorm(y_i)");
        sa_explainer_vector(out, "b", "b_i", sa_rows(cache->feed.residual.in, row, 1));
    }
    sa_explainer_write(out, "Vaswani et al. 2017, equation 2",
                       "f_i = W_2 max(0, W_1 %s_i + b_1) + b_2", pre ? "b" : "y");
    sa_explainer_vector(out, "max", "max(0, ..)", sa_rows(cache->feed.inner, row, 1));
    sa_explainer_vector(out, "f", "f_i", sa_explainer_traced(out, "f", z));
    sa_explainer_write(out, layer_place, "z_i = %s", pre ? "y_i + f_i" : "LayerNorm(y_i + f_i)");
    sa_explainer_vector(out, "z", "z_i", z);
}
