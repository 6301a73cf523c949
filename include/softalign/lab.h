/* softalign/lab.h: for programs that look inside a model or change it. Sections: settings as
 * fields, weights, overrides and attributions, attention on your own numbers, a decoder step in
 * numbers, the gradient check, the proof. softalign.h explains errors, ownership and structs. */
#ifndef SOFTALIGN_LAB_H
#define SOFTALIGN_LAB_H

#include <softalign.h>
#include <softalign/report.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Settings as fields ------------------------------------------------------------------- */

/* The choices of the options below. The value of a choice is its position among the names of its
 * option. Later versions append choices and never renumber them. */
enum { SA_MODEL_RECURRENT, SA_MODEL_TRANSFORMER, SA_MODEL_DECODER_ONLY };
enum {
    SA_DECODER_BAHDANAU,
    SA_DECODER_FIXED,
    SA_DECODER_FIXED_INIT,
    SA_DECODER_LUONG,
    SA_DECODER_CGRU,
    SA_DECODER_POINTER,
};
enum {
    SA_ATTENTION_ADDITIVE,
    SA_ATTENTION_SCALED_DOT,
    SA_ATTENTION_DOT,
    SA_ATTENTION_GENERAL,
    SA_ATTENTION_RAW_DOT,
    SA_ATTENTION_CONCAT,
    SA_ATTENTION_LOCATION,
    SA_ATTENTION_UNIFORM,
    SA_ATTENTION_GAUSSIAN,
    SA_ATTENTION_COSINE,
    SA_ATTENTION_QK_NORM,
    SA_ATTENTION_LINEAR,
    SA_ATTENTION_MONOTONIC,
    SA_ATTENTION_GRAVES,
    SA_ATTENTION_LOCATION_AWARE,
    SA_ATTENTION_DIFFERENTIAL,
    SA_ATTENTION_HARD,
    SA_ATTENTION_RETNET,
    SA_ATTENTION_GLA,
    SA_ATTENTION_DELTANET,
    SA_ATTENTION_GATED_DELTANET,
    SA_ATTENTION_KDA,
};
enum {
    SA_NORMALIZER_SOFTMAX,
    SA_NORMALIZER_NULL,
    SA_NORMALIZER_SPARSEMAX,
    SA_NORMALIZER_ENTMAX,
    SA_NORMALIZER_NULL_KEY,
    SA_NORMALIZER_SINK,
    SA_NORMALIZER_SSMAX,
    SA_NORMALIZER_STICK_BREAKING,
    SA_NORMALIZER_SOFTPICK,
    SA_NORMALIZER_SIGMOID,
    SA_NORMALIZER_SELECTIVE,
};
enum { SA_ENTMAX_ALPHA_LEARNED };
enum { SA_GATE_NONE, SA_GATE_HEADWISE, SA_GATE_ELEMENTWISE };
enum { SA_COVERAGE_NONE, SA_COVERAGE_LINGUISTIC, SA_COVERAGE_LOSS };
enum { SA_WINDOW_NONE, SA_WINDOW_LOCAL_M, SA_WINDOW_LOCAL_P, SA_WINDOW_SLIDING };
enum { SA_HEAD_PROJECTION_FULL, SA_HEAD_PROJECTION_SPLIT };
enum { SA_ENCODER_BI, SA_ENCODER_UNI, SA_ENCODER_NONE };
enum {
    SA_POSITIONS_NONE,
    SA_POSITIONS_SINUSOIDAL,
    SA_POSITIONS_LEARNED,
    SA_POSITIONS_T5,
    SA_POSITIONS_ALIBI,
    SA_POSITIONS_ROPE,
    SA_POSITIONS_SHAW,
    SA_POSITIONS_FORGETTING,
};
enum { SA_CELL_GRU, SA_CELL_LSTM, SA_CELL_RNN };
enum { SA_PRECISION_FLOAT32, SA_PRECISION_BF16 };
enum { SA_UPDATE_NEW, SA_UPDATE_OLD };
enum { SA_RESET_BEFORE, SA_RESET_AFTER, SA_RESET_SUM };
enum {
    SA_INITIAL_AUTO,
    SA_INITIAL_BACKWARD,
    SA_INITIAL_LAST,
    SA_INITIAL_MEAN,
    SA_INITIAL_COPY,
};
enum { SA_READOUT_AUTO, SA_READOUT_PREVIOUS, SA_READOUT_CURRENT };
enum { SA_NORM_PRE, SA_NORM_POST };
enum { SA_PREFIX_CAUSAL, SA_PREFIX_FULL };
enum { SA_TIE_NONE, SA_TIE_TWO, SA_TIE_THREE };
enum { SA_INIT_XAVIER, SA_INIT_PAPER, SA_INIT_UNIFORM };
enum {
    SA_TOKENIZER_WORD,
    SA_TOKENIZER_CHAR,
    SA_TOKENIZER_SPACE,
    SA_TOKENIZER_BPE,
    SA_TOKENIZER_SPACE_BPE,
};
enum { SA_BPE_JOINT, SA_BPE_SEPARATE };
enum { SA_OPTIMIZER_ADADELTA, SA_OPTIMIZER_ADAM, SA_OPTIMIZER_SGD };
enum {
    SA_SCHEDULE_PLATEAU,
    SA_SCHEDULE_CONSTANT,
    SA_SCHEDULE_INVERSE_SQRT,
    SA_SCHEDULE_LINEAR,
    SA_SCHEDULE_COSINE,
};
/* Bits: 1 is the source, 2 the target. */
enum { SA_FREEZE_NONE, SA_FREEZE_SOURCE, SA_FREEZE_TARGET, SA_FREEZE_BOTH };
enum { SA_CRITERION_LOSS, SA_CRITERION_BLEU, SA_CRITERION_CHRF };
enum { SA_AVERAGE_LAST, SA_AVERAGE_BEST };

/* The most layers of an encoder or decoder. */
enum { SA_MAX_LAYERS = 8 };

/* One field for each option of `softalign train`, whose help says more. */
struct sa_settings {
    /* the model; each family ignores the options of the others */
    int model;            /* SA_MODEL_... */
    int decoder;          /* SA_DECODER_... */
    int attention;        /* SA_ATTENTION_..., the score function */
    int normalizer;       /* SA_NORMALIZER_..., from scores to weights */
    double entmax_alpha;  /* of SA_NORMALIZER_ENTMAX; SA_ENTMAX_ALPHA_LEARNED: learned per head */
    int heads;            /* H */
    int kv_heads;         /* G, which the H heads share; 0: H */
    int latent;           /* numbers from which keys and values of all heads are made; 0: none */
    int head_projection;  /* SA_HEAD_PROJECTION_..., what each head projects; Transformer */
    bool smeared_keys;    /* each key is mixed with the key of the word before */
    int attention_gate;   /* SA_GATE_..., what weighs the outputs of heads */
    bool exclusive;       /* self-attention leaves out what points along a word's own value */
    bool merged;          /* the decoder of a Transformer attends to both sides with one softmax */
    int value_size;       /* d_v of each of several heads; 0: annotation size / heads */
    int window;           /* SA_WINDOW_..., what a query may see */
    int window_size;      /* D */
    int hybrid;           /* N: every N-th layer of a Transformer is full attention; 0: as all */
    int coverage;         /* SA_COVERAGE_..., what earlier target words add to the score */
    double max_fertility; /* N of SA_COVERAGE_LINGUISTIC */
    int location_filters; /* K of SA_ATTENTION_LOCATION_AWARE */
    int location_width;   /* 2r + 1 of the same */
    int encoder;          /* SA_ENCODER_... */
    int layers;           /* of the encoder; Transformer: of the decoder, too; decoder-only: all */
    int decoder_layers;   /* of a recurrent decoder */
    int positions;        /* SA_POSITIONS_...; t5, alibi, rope and shaw: of a Transformer */
    int shaw_distance;    /* k of SA_POSITIONS_SHAW */
    bool reverse_source;  /* read the source from its last word to its first */
    int cell;             /* SA_CELL_... */
    int update, reset;    /* SA_UPDATE_..., SA_RESET_...: forms of the GRU */
    bool cell_norm;       /* layer normalization in the recurrent cells */
    int decoder_init;     /* SA_INITIAL_...: what s_0 is computed from */
    int readout_state;    /* SA_READOUT_...: the state that the readout sees */
    bool input_feeding;
    bool copy;  /* pointer-generator: source words may be copied (See et al. 2017) */
    int embed;  /* m, embedding size */
    int hidden; /* n, units of each recurrent layer */
    int attn;   /* n', units of the attention score */
    int maxout; /* l, units of the readout */
    int ffn;    /* inner units of a Transformer's feed-forward networks */
    int norm;   /* SA_NORM_..., Transformer */
    int prefix; /* SA_PREFIX_..., decoder-only: what a source word sees of its sentence */
    int tie;    /* SA_TIE_..., embeddings */
    int init;   /* SA_INIT_... */
    /* the text */
    int tokenizer;                          /* SA_TOKENIZER_... */
    int source_tokenizer, target_tokenizer; /* of one side: 1 + SA_TOKENIZER_...; 0: tokenizer */
    int bpe_merges;                         /* the most merges */
    int bpe;                                /* SA_BPE_... */
    bool lowercase;
    int min_freq; /* rarer words are unknown */
    int vocab;    /* vocabulary size of each side; 0: all words */
    int max_len;  /* longest side in tokens; training skips longer pairs */
    /* the training */
    int precision;   /* SA_PRECISION_..., of products with weights */
    int optimizer;   /* SA_OPTIMIZER_... */
    double lr;       /* learning rate; 0: the optimizer's default */
    double lr_decay; /* factor of the learning rate after ... */
    int lr_patience; /* ... this many validations without improvement */
    int schedule;    /* SA_SCHEDULE_... */
    int64_t warmup;  /* updates over which the learning rate rises from 0 */
    double momentum;
    double beta1, beta2, epsilon; /* of Adam */
    int freeze_embeddings;        /* SA_FREEZE_...: the embeddings that keep their initial values */
    double clip;                  /* largest L2 norm of the gradient; 0: none */
    double dropout;               /* probabilities; see the help */
    double dropout_state;         /* of recurrent connections, one mask per sentence */
    double dropout_layers;        /* between recurrent layers */
    double monotonic_noise;  /* deviation of the noise on the scores of SA_ATTENTION_MONOTONIC */
    double word_dropout;     /* of whole words */
    double weight_decay;     /* decoupled */
    double label_smoothing;  /* probability spread over the vocabulary */
    double guided_alignment; /* weight of the alignment loss */
    int guided_at;          /* SA_ALIGN_...: the row whose weights it draws toward a word's links */
    double coverage_weight; /* of the coverage loss, with SA_COVERAGE_LOSS */
    double reinforce_weight, entropy_weight; /* of the two terms that train SA_ATTENTION_HARD */
    int batch;                               /* pairs per update */
    int batch_tokens;                        /* tokens per update and side; 0: as `batch` says */
    int shards; /* parts of a batch; the bits of results depend on it; 0: one per core */
    int64_t seed;
    int valid_every; /* updates between validations; 0: one epoch */
    int hold_out;    /* the most pairs held out for validation; 0: always 5 % */
    int criterion;   /* SA_CRITERION_...: what makes a validation better */
    int patience;    /* validations without improvement before training ends; 0: no limit */
    int average; /* number of validations whose weights are averaged into one more model; 0: none */
    int average_of;     /* SA_AVERAGE_... */
    sa_metrics metrics; /* how translations of the validation pairs are scored; no option sets
                           `lowercase` here: the setting above lowercases references, too */
    /* the run: never stored in the model file */
    int threads; /* 0: one per core */
    int epochs;
    int64_t steps;   /* 0: no limit */
    double max_time; /* seconds; 0: no limit */
    int keep;        /* number of newest validations whose models stay in checkpoints/; 0: none */
    uint64_t reserved[7];
};

/* Sets the defaults. */
void sa_settings_init(sa_settings *settings);

/* Returns the size of the struct, for languages that fill it in with sa_settings_option. */
size_t sa_settings_size(void);

/* ---- Weights ------------------------------------------------------------------------------ */

/* Returns the number of weights that were denormal in the file and are zero in memory: denormals
 * slow matrix products down a hundredfold. */
size_t sa_model_denormals(const sa_model *model);

/* Returns whether a model of version 0.1.0 splits its texts by today's rules, not by those that it
 * was trained with. */
bool sa_model_is_early(const sa_model *model);

/* Sets how sa_translate, sa_align and sa_evaluate multiply by the model's weights:
 * SA_PRECISION_FLOAT32 (initially, however the model was trained) or SA_PRECISION_BF16. */
bool sa_model_set_precision(sa_model *model, int precision, sa_error *error);

/* ---- Overrides and attributions ----------------------------------------------------------- */

/* What replaces the attention weights that a model computes: sa_attention_override.kind. */
typedef enum sa_override_kind {
    SA_OVERRIDE_NONE,    /* nothing */
    SA_OVERRIDE_UNIFORM, /* 1 / S for every source word */
    SA_OVERRIDE_SHUFFLE, /* the model's weights in a random order, one for each length */
    SA_OVERRIDE_SHIFT,   /* the model's weights moved `shift` positions to the right, cyclically */
    SA_OVERRIDE_ONE_HOT, /* all weight on the word with the largest */
    SA_OVERRIDE_GOLD,    /* equal weights on the words linked in the pair's alignment, by sure links
                            if there are any; target words without links keep the model's weights */
    SA_OVERRIDE_EXPECTED, /* the weights of training, where they differ: SA_ATTENTION_MONOTONIC and
                             SA_ATTENTION_HARD */
} sa_override_kind;

/* Returns the name of override i; NULL after the last. "shift:1" stands for any number. */
const char *sa_attention_override_name(size_t i);

/* Reads "none", "uniform", "shuffle", "shift:2", "one-hot", "gold" or "expected". */
bool sa_attention_override_parse(sa_attention_override *override, const char *text,
                                 sa_error *error);

/* Returns the name of attribution i, a way of telling which words made a target word; NULL after
 * the last. They are the methods of sa_align_options. */
const char *sa_attribution_name(size_t i);
enum { SA_ATTRIBUTIONS = 8 };

/* ---- Attention on your own numbers --------------------------------------------------------- */

/* A matrix, row by row. */
typedef struct sa_table {
    const char *name;      /* its file, for messages; may be NULL */
    int rows, cols;        /* at least 1 */
    const double *numbers; /* [rows * cols]; NULL: not given */
} sa_table;

/* A projection x -> W x + b of every row x; without W, x itself. */
typedef struct sa_projection {
    sa_table W; /* [out x in] */
    sa_table b; /* `out` numbers in a row or a column; not given: zero; needs W */
} sa_projection;

/* For sa_attend_options.bandwidth, the width h of a kernel. */
enum { SA_BANDWIDTH_FIT = -1 };
#define SA_BANDWIDTH_MIN 1e-100 /* 1 / h^2 stays finite */
#define SA_BANDWIDTH_MAX 1e100

/* What a step is, and so what its rows stand for. */
typedef enum sa_attend_about {
    SA_ATTEND_NUMBERS, /* of a projection or bias */
    SA_ATTEND_QUERIES,
    SA_ATTEND_KEYS,
    SA_ATTEND_MAP, /* queries by keys */
    /* Results: the bandwidth h and its error; scores and weights, by keys; contexts; outputs. */
    SA_ATTEND_BANDWIDTH,
    SA_ATTEND_RESULT,
    SA_ATTEND_CONTEXTS,
    SA_ATTEND_OUTPUTS,
} sa_attend_about;

/* A matrix on the way from the tables to the outputs. */
typedef struct sa_attend_step {
    const char *name;    /* "X", "W_q", "Q", "scores" */
    const char *formula; /* "X W_q'"; NULL: given, or a slice of an earlier one */
    int head;            /* from 1; 0: there is one head, or all share the step */
    sa_attend_about about;
    int rows, cols, stride; /* stride: numbers from one row to the next */
    const double *numbers;
} sa_attend_step;

/* One attention in double precision, computed by the code that trains (Vaswani et al. 2017, section
 * 3.2; Bahdanau et al. 2015, A.1.2):
 *
 *   q_i, k_j, v_j   the rows of query, keys, values, projected
 *   e_ij            = f(q_i, k_j), the score
 *   alpha_i         = softmax(e_i), over the keys that query i may attend to
 *   c_i             = sum_j alpha_ij v_j
 *   output_i        = c_i, projected
 *
 * Each head attends with its slice of the columns of q, k, v and v_a; c_i concatenates the heads.
 * "scaled-dot" with all projections and biases is the usual multi-head attention. "general" is
 * s' W_a h with W_a the projection of the keys: each head compares the whole query with its slice
 * of the keys. "location" takes q_i itself as the scores, one for each position, which may be
 * -INFINITY; keys beyond its last number have weight 0. "location" and "uniform" need no keys. */
typedef struct sa_attend_options {
    int attention;       /* SA_ATTENTION_... */
    int normalizer;      /* SA_NORMALIZER_... */
    double entmax_alpha; /* of SA_NORMALIZER_ENTMAX, above 1 and at most 2 */
    int heads;
    int positions;    /* SA_POSITIONS_...: of row t of query, keys and (encodings) values */
    bool causal;      /* query i attends to keys 0 .. i */
    double bandwidth; /* of "gaussian", the width h of the kernel; 0: the one that training starts
                         with; SA_BANDWIDTH_FIT: the one that predicts each value best from the
                         others (leave-one-out), with one head only */
    sa_table query, keys, values; /* [Q x ..], [S x ..], [S x ..] */
    sa_projection query_projection, keys_projection, values_projection, output_projection;
    sa_table v_a; /* of "additive" and "concat": as many numbers as k_j has, in a row or a column;
                     not given: all 1. For "gaussian", "cosine" and "qk-norm": log h, b or g, a
                     number for each head; not given: the values training starts with */
    sa_table weights; /* [Q x S] alpha itself, instead of query, keys and scores */
    sa_table mask;    /* [Q x S] 1 where a query may attend to a key, else 0; not given: all 1 */
    /* Called with every step, in order; or NULL. A step lives during its call. */
    void (*each)(void *context, const sa_attend_step *step);
    void *context;
    int degree; /* 1: alpha becomes the weights of a local line, the least squares weighted by alpha
                   (Cleveland 1979), whose mean of the keys is q_i; may be negative. 0: alpha */
    uint64_t reserved[7];
} sa_attend_options;

typedef struct sa_attend_result {
    int queries, keys, heads;
    int context, output;        /* sizes of c_i and of output_i */
    bool default_v_a;           /* v_a was needed and not given */
    double bandwidth, left_out; /* with SA_BANDWIDTH_FIT: h, and the mean squared error of values
                                   predicted from the others; else 0 */
    double *scores;   /* [heads * queries * keys] e; -INFINITY where a query may not attend; NULL:
                         weights were given */
    double *weights;  /* [heads * queries * keys] alpha; 0 where a query may not attend */
    double *contexts; /* [queries * context] c */
    double *outputs;  /* [queries * output] */
    uint64_t reserved[8];
} sa_attend_result;

/* Computes that attention. Free the result with sa_attend_result_release. SA_DATA names two tables
 * whose shapes do not fit, or reports numbers too large for double. SA_USAGE: something is missing,
 * or the columns cannot be split among the heads. */
bool sa_attend(const sa_attend_options *options, sa_attend_result *result, sa_error *error);
void sa_attend_result_release(sa_attend_result *result);

/* ---- A decoder step in numbers -------------------------------------------------------------- */

/* The pair that is explained. */
typedef struct sa_explain_pair {
    bool forced;                                    /* the target was given, not generated */
    int sources, targets;                           /* tokens, EOS included */
    const char *const *source, *const *target;      /* as in the text, EOS as "</s>" */
    const int *source_token_ids, *target_token_ids; /* 0: unknown */
} sa_explain_pair;

typedef enum sa_explain_shape {
    SA_SHAPE_NUMBER,
    SA_SHAPE_VECTOR, /* one row */
    SA_SHAPE_COLUMN, /* one number in each row */
    SA_SHAPE_MATRIX,
} sa_explain_shape;

/* What the rows of a value stand for. */
typedef enum sa_explain_rows {
    SA_ROWS_UNNAMED,
    SA_ROWS_SOURCE,     /* source words */
    SA_ROWS_VOCABULARY, /* the target vocabulary, special tokens included */
    SA_ROWS_TARGET,     /* the words that a decoder reads: "<s>" (BOS) and the target's, in merged
                           attention after the source's; or, of a decoder-only model, the source's
                           and the target's */
} sa_explain_rows;

/* The numbers of one symbol of an equation. All texts are ASCII. */
typedef struct sa_explain_value {
    int step;             /* i, from 1; 0: outside the steps */
    int head;             /* from 1; 0: there is one head, or all share the value */
    const char *section;  /* title of the section that begins here, or NULL */
    const char *equation; /* "c_i = sum_j alpha_ij h_j"; NULL: as before */
    const char *citation; /* of the equation, or NULL */
    const char *name;     /* a short key, unique in its step and head: "alpha", "s~" */
    const char *letters;  /* "alpha_ij" */
    sa_explain_shape shape;
    int rows, cols;
    const double *numbers; /* [rows * cols] */
    sa_explain_rows about;
    const char *const *row; /* [rows] the words that the rows stand for, or NULL */
    int chosen;             /* the row of the token that is generated here; -1: none */
} sa_explain_value;

typedef struct sa_explain_options {
    const char *source;
    const char *target; /* NULL: the greedy translation */
    int step;  /* from 1; 0: all. Transformer: must be given; within the encoder a source token */
    int layer; /* of a Transformer, from 1 */
    sa_attention_site site; /* of that layer; the steps of recurrent models have cross-attention */
    bool annotations;       /* pass the annotations of a side instead: see below */
    /* Called with every value, and at the end with NULL. */
    void (*each)(void *context, const sa_explain_pair *pair, const sa_explain_value *value);
    void *context;
    bool lens; /* of a Transformer, pass what each sublayer of the decoder would write: see below */
    uint64_t reserved[7];
} sa_explain_options;

/* Runs the model in double precision and passes the numbers of its equations to `each`, in order:
 * the equations of decoder steps, or of one token at one attention site of a Transformer's layer,
 * including the feed-forward network that follows. The pair lives until sa_explain returns, a value
 * during its call. SA_USAGE: the source is empty, a text is not UTF-8, or the step, layer or site
 * does not exist.
 *
 * With `annotations` the values are the vectors of all words before and after each layer, one
 * matrix for each: first the embedded words, with their positions if the model adds any, then the
 * output of each layer. At SA_SITE_ENCODER the words are the source's, and the last matrix has the
 * annotations that the decoder attends to. At SA_SITE_DECODER they are the target words that it
 * reads; the vectors of a recurrent decoder are its states. SA_USAGE: the site does not exist.
 *
 * With `lens` the steps of a Transformer, `step` or all, have two values for the embedded word and
 * after each sublayer of the decoder, called "p 1 self" and "KL 1 self": the probabilities of the
 * vocabulary if the readout followed at once (the logit lens), and their divergence from those of
 * the last layer, in nats. */
bool sa_explain(sa_model *model, const sa_explain_options *options, sa_error *error);

/* Returns the weights of tensor i of the model [rows x cols], which live as long as it, and sets
 * its name in softalign-model(5) and its shape: rows is 0 for a vector. NULL: there is none. */
const float *sa_model_tensor(const sa_model *model, size_t i, const char **name, int *rows,
                             int *cols);

/* ---- The gradient check --------------------------------------------------------------------- */

/* The check of one tensor: a is the gradient of the backward pass, n the numeric one, g the
 * gradient of the whole model. */
typedef struct sa_gradient_result {
    const char *name;
    int rows, cols;
    double worst; /* ||a-n|| / max(||a||, ||n||, 1e-4 max|g|): 1 missing, 2 wrong sign; INFINITY:
                     a number is NaN or infinite */
    double worst_element; /* max of |a-n| / max(|a|, |n|, 1e-4 max|g|) */
    bool zero;            /* the gradient is zero, and so are the numeric differences */
    bool ok;
} sa_gradient_result;

typedef struct sa_gradcheck_options {
    const sa_settings *settings;
    const char *broken; /* the backward term to leave out, or NULL */
    const char *dump;   /* file for weights, batch, loss and gradients as F64, or NULL */
    /* Called with every tensor; may be NULL. */
    void (*each)(void *context, const sa_gradient_result *result);
    void *context;
    uint64_t reserved[8];
} sa_gradcheck_options;

/* Compares every gradient with fourth-order central differences, in double precision, on a built-in
 * batch of ragged lengths. SA_CHECK: a
 * relative error exceeds 1e-6. SA_USAGE: this model has no backward term `broken`. */
bool sa_check_gradients(const sa_gradcheck_options *options, sa_error *error);

/* Returns the name of backward term i, which `broken` may leave out; NULL after the last. Sets what
 * the term is, and options of `softalign gradcheck` with which the model has it; either may be
 * NULL. */
const char *sa_gradient_fault_name(size_t i, const char **dropped, const char **options);

/* ---- The proof that attention is attention -------------------------------------------------- */

/* One check of a model, over all pairs. */
typedef struct sa_proof_check {
    const char *name;    /* "row-sums" */
    const char *meaning; /* what must hold, and how that is tested */
    double worst;        /* the largest figure found; NaN: nothing was measured */
    double allowed;
    bool above;       /* the figure must exceed what is allowed; false: it must not */
    bool skipped;     /* the check does not apply to this model or these pairs */
    bool ok;          /* it holds, or was skipped */
    const char *note; /* why it was skipped, or NULL */
} sa_proof_check;

typedef struct sa_prove_options {
    const sa_corpus *corpus;
    int limit;    /* the most pairs to test, at least 1; pairs longer than max_len are skipped */
    int64_t seed; /* of the words and annotations that take the place of others */
    /* Called with every check; may be NULL. */
    void (*each)(void *context, const sa_proof_check *check);
    void *context;
    uint64_t reserved[8];
} sa_prove_options;

/* Checks in double precision, with the model's own weights, what holds for attention whatever the
 * weights are, and that the results and gradients of a batch equal those of its sentences. SA_CHECK
 * names the first check that fails and its figure; SA_DATA: no pair is short enough. */
bool sa_prove(const sa_model *model, const sa_prove_options *options, sa_error *error);

/* Returns the name of check i; NULL after the last. Sets what it means; `meaning` may be NULL. */
const char *sa_proof_check_name(size_t i, const char **meaning);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
