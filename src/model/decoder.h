/* decoder: the recurrent decoders, from the fixed context vector to the conditional GRU, as rows of
 * one table. They differ in what a step does (decoders.c); everything around it they share. */
#ifndef SA_MODEL_DECODER_H
#define SA_MODEL_DECODER_H

#include "base/profile.h"
#include "model/readout.h"
#include "model/source.h"

typedef struct sa_decoder sa_decoder;
typedef struct sa_decoder_rows sa_decoder_rows;
typedef struct sa_decoder_drows sa_decoder_drows;

/* A step: target position i (from 1) for rows about sentences which[l] (NULL: l). */
typedef struct sa_step {
    const sa_source *source;
    const int *which;
    int i;
    sa_attention_scratch scratch;
    sa_mat workspace;            /* [L x n] backward only */
    const sa_override *override; /* what replaces the weights, or NULL; forward only */
    sa_mat mask, second_mask;    /* dropout of the cells' states; training only */
} sa_step;

typedef enum sa_query_state {
    SA_QUERY_STATE_NONE,
    SA_QUERY_STATE_PREVIOUS,
    SA_QUERY_STATE_MIDDLE,
    SA_QUERY_STATE_CURRENT
} sa_query_state;

typedef struct sa_decoder_kind {
    const char *name, *formula, *citation;
    sa_query_state
        query_state;      /* the state that is the attention's query; nobody: it has no attention */
    bool context_in_cell; /* the context enters the cell that reads the word */
    bool second;          /* a second cell reads the context */
    const sa_output *output;
    bool sees_word, sees_context; /* the read-out does */
    bool sees_previous;           /* with --readout-state auto: it sees s_{i-1}, not s_i */
    int initial;                  /* with --decoder-init auto */
    /* From previous, gates (W x + b) and, for a second cell, second_gates (b): the rest. */
    void (*forward)(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows);
    /* From d.s: d.a (and d.second_a, d.attention) are written, d.c, d.previous and dsource are
     * added to. */
    void (*backward)(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                     sa_decoder_drows d, sa_source *dsource, sa_decoder *dw);
} sa_decoder_kind;

extern const sa_decoder_kind sa_decoder_kinds[]; /* ends with a NULL name */

/* For the option rows: the name of a decoder, NULL after the last. */
const char *sa_decoder_name(size_t row);

typedef struct sa_decoder_sizes {
    const sa_decoder_kind *kind;
    const sa_cell *cell;
    bool context_in_reset; /* C c stands inside the reset product (Cho et al. 2014) */
    bool sees_previous;    /* the read-out sees s_{i-1} */
    bool tied;             /* E is the read-out's W_o, too */
    bool input_feeding;    /* t_{i-1} is joined to the word (Luong et al. 2015, section 3.3) */
    bool normalized;       /* layer normalisation in the cells */
    bool state_dropout;    /* training needs rooms to drop parts of states */
    int words, m, n, l;
    sa_attention_sizes attention;
    sa_source_sizes source;
} sa_decoder_sizes;

struct sa_decoder { /* weights, or their gradients */
    sa_decoder_sizes sizes;
    sa_attention attention; /* heads 0: none */
    sa_source_weights source;
    sa_mat E;            /* [Ky x m] */
    sa_recurrent cell;   /* reads the word */
    sa_recurrent second; /* reads the context; only some have it */
    sa_readout readout;
};

/* Everything that one step, or all of them step by step, reads and leaves behind; R rows. */
struct sa_decoder_rows {
    sa_mat input;                 /* [R x m (+ l)] E y_{i-1}, or [E y_{i-1} ; t_{i-1}] */
    sa_state previous, middle, s; /* [R x n] s_{i-1}, s'_i (a second cell's), s_i */
    sa_attention_rows attention;
    sa_mat c;                               /* [R x context] */
    sa_mat gates, cell_cache;               /* of the cell */
    sa_mat second_gates, second_cell_cache; /* of the second */
};

/* Derivatives by them. a and c keep all rows for the weights, the states only the running step's.
 */
struct sa_decoder_drows {
    sa_mat input, readout_state; /* seen [R x n]: by the state that the read-out saw */
    sa_mat c, a, second_a;
    sa_attention_rows attention;
    sa_state s, middle, previous; /* [B x n] */
};

/* Buffers for the packed weights of a step. */
typedef struct sa_decoder_packed {
    sa_recurrent_packed cell, second;
    sa_mat W_a;
    sa_readout_packed readout;
} sa_decoder_packed;

typedef struct sa_decoder_cache {
    sa_decoder_rows rows; /* M rows, step by step */
    sa_source source;
    const int32_t *inputs; /* [M] y_{i-1} */
    sa_readout_cache readout;
    sa_attention_scratch scratch;
    sa_decoder_packed packed;
    sa_mat word_mask, x_mask, workspace; /* training only: so is the next */
    sa_state_dropout drop, second_drop;
    sa_mat dinput; /* [M x m (+ l)] d.input, which stays when the way back is done */
    sa_decoder_drows d;
    sa_source dsource;
    const sa_override *override; /* for sa_decoder_forward; NULL after the layout */
    sa_profile *profile;         /* likewise */
} sa_decoder_cache;

bool sa_decoder_attends(const sa_decoder_sizes *sizes);

void sa_decoder_bind(sa_binder *binder, const sa_decoder_sizes *sizes, sa_decoder *w);

/* Rooms for `rows` rows over sentences of at most `steps` source words. */
sa_decoder_rows sa_decoder_rows_layout(sa_arena *arena, const sa_decoder *w, int rows, int steps);
/* Rows first .. first+count-1 of all of them. */
sa_decoder_rows sa_decoder_rows_slice(sa_decoder_rows all, int first, int count);
void sa_decoder_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                       const sa_encoder_cache *encoder, bool training, sa_decoder_cache *cache);
/* What only sa_decoder_backward writes and reads. */
void sa_decoder_backward_layout(sa_arena *arena, const sa_batch *batch, const sa_decoder *w,
                                const sa_encoder_cache *encoder, sa_decoder_cache *cache);

/* The state that the read-out sees, and the one that asks. */
sa_mat sa_decoder_readout_state(const sa_decoder *w, sa_decoder_rows rows);
sa_mat sa_decoder_query(const sa_decoder *w, sa_decoder_rows rows);
/* E y_{i-1} among a row's inputs. */
sa_mat sa_decoder_word_input(const sa_decoder *w, sa_mat input);

/* One step on its own, from input and previous to the read-out's t: as in a search. */
void sa_decoder_step_forward(const sa_decoder *w, const sa_step *step, sa_decoder_rows rows,
                             sa_dropout dropout, sa_rng *rng, sa_readout_cache *readout);

/* All steps with the right words as inputs, up to the read-out's t. */
void sa_decoder_forward(const sa_decoder *w, const sa_batch *batch, const sa_encoder_cache *encoder,
                        sa_dropout dropout, sa_rng *rng, sa_decoder_cache *cache);

/* From the read-out's dt: fills encoder->dannotations and dlast_memory. dw is added to. */
void sa_decoder_backward(const sa_decoder *w, const sa_batch *batch, sa_dropout dropout,
                         sa_decoder_cache *cache, sa_encoder_cache *encoder, sa_decoder *dw);

#endif
