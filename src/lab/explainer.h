/* explainer: passes the explanation of a forward pass to the caller value by value, each with the
 * equation it comes from. Values are those of the pass: what its caches keep, and what it traces
 * (tensor/trace.h) on its way. explain.c puts the values in order; those of an attention are in
 * explain_attention.c. */
#pragma once

#include "base/memory.h"
#include "lab/lab_model.h"
#include "tensor/trace.h"

/* What the pass has traced, its numbers then, and the head (memory NULL: none) that it is of. */
typedef struct sa_shown {
    sa_traced traced;
    sa_mat copy;
    sa_head head;     /* index -1: all */
    sa_real exponent; /* of the normalizer */
} sa_shown;

/* A symbol, a run of letters, digits, _ and ~, and what replaces it. A list ends with NULL. */
typedef struct sa_explainer_symbol {
    const char *from, *to;
} sa_explainer_symbol;

typedef struct sa_explainer {
    sa_tracer tracer; /* the first member */
    sa_shown *shown;
    size_t count, capacity;
    const sa_lab_explain_job *job;
    const sa_lab_model *model;
    const sa_pass *pass; /* of the model */
    int i;               /* target position, from 1; 0: outside the steps */
    const sa_recurrent_decoder *decoder;
    sa_decoder_rows step;               /* of the recurrent decoder */
    sa_explain_value line;              /* the next one */
    sa_explain_rows words;              /* what the rows of a column are about */
    const sa_explainer_symbol *symbols; /* of its equation and letters, or NULL */
    sa_buffer equation, letters;
    sa_arena arena; /* for values that the pass does not keep, until the section ends */
} sa_explainer;

bool sa_explainer_open(sa_explainer *out, const sa_lab_explain_job *job, const sa_lab_model *model,
                       sa_error *error);
/* Fails when memory has run out. */
bool sa_explainer_check(const sa_explainer *out, sa_error *error);
void sa_explainer_close(sa_explainer *out);

/* Begins a section: earlier matrices of the arena are no longer valid. */
void sa_explainer_section(sa_explainer *out, const char *title);

/* Returns what the pass traced last under this name for row x of its caches, which it has
 * overwritten since. */
sa_mat sa_explainer_traced(const sa_explainer *out, const char *name, sa_mat x);

/* ---- The equation of the next value ---------------------------------------------------------- */

/* Appends to the equation of the next value. place: where it is in the paper; NULL keeps the
 * previous place. */
void sa_explainer_write(sa_explainer *out, const char *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Values: their key, and what the paper calls them ---------------------------------------- */

void sa_explainer_number(sa_explainer *out, const char *name, const char *letters, double x);
void sa_explainer_vector(sa_explainer *out, const char *name, const char *letters, sa_mat x);
/* Of any other shape; a column is [1 x words] or [words x 1]. What else is known of the value
 * (about, chosen, ..) is in out->line; rows of a column or matrix are about out->words, unless
 * line.about says otherwise. */
void sa_explainer_value(sa_explainer *out, sa_explain_shape shape, const char *name,
                        const char *letters, sa_mat x);

/* Turns a row x into exp(x - shift); returns the sum. The shift is 0 where exp(x) is readable as it
 * is. */
double sa_explainer_exp(sa_mat x, double *shift);

/* ---- Subjects -------------------------------------------------------------------------------- */

enum { SA_NAME = 40 };

/* One query of an attention over the only sentence. */
typedef struct sa_attention_view {
    const sa_attention *w;
    const sa_memory *memory;
    sa_attention_rows rows;
    const sa_attention_scratch *scratch;
    int row, i;               /* the query's row; and position, from 1 */
    const char *state, *word; /* what makes the query and the keys: "s_{i-1}", "h_j" */
    bool layer;               /* of a Transformer, where tensors have the names of 2017 */
    int prefix;               /* later words are masked: see sa_head */
    sa_mat c;
    /* What sa_explain_attention fills in: */
    sa_explainer *out;
    int maps;
    sa_head at;
    sa_mat e;         /* of the first map, as the score makes it, ... */
    double e_0;       /* ... and of its null key, which the normalizer gets less; 0: it has none */
    sa_real exponent; /* the normalizer's number */
    sa_mat weights;   /* that the normalizer made, NaN where the query sees nothing; first empty */
    double sum; /* divides exponentials of the scores, which gives the weights; 0: it does not */
} sa_attention_view;

/* Keys and values, which all steps share. */
void sa_explain_memory(sa_explainer *out, const sa_attention *w, const sa_memory *memory);
void sa_explain_attention(sa_explainer *out, sa_attention_view view);

/* Explains a word (from 0) at one site of a layer (from 0) of a Transformer. */
void sa_explain_layer(sa_explainer *out, sa_attention_site site, int layer, int row);
