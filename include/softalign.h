/* softalign trains small neural translation models on a CPU, with hand-written gradients, and shows
 * what attention does inside them.
 *
 * This header is the whole public interface. Its sections stand in the order in which a program
 * meets them; where to begin:
 *
 *   train a model          sa_settings_init, sa_settings_set or sa_settings_preset; sa_train
 *   open it                sa_model_open
 *   translate              sa_search_init, sa_translate
 *   see its attention      sa_corpus_open, sa_align; on a page: sa_page_open
 *   evaluate it            sa_corpus_open, sa_evaluate, sa_eval_summarize; sa_diagnose
 *   compare several        sa_compare
 *   follow its equations   sa_explain; sa_check_gradients, sa_prove
 *   without a model        sa_attend, sa_aligner_train, sa_compute_metrics
 *
 * The manual pages of the commands say what each option means, with formulas and citations.
 *
 * Errors. A function that can fail returns false or NULL and fills in the sa_error passed last,
 * which may be NULL. Where a NULL is not said to be allowed, such a function answers it with
 * SA_USAGE, naming the argument, and any other function does nothing or returns NULL, 0 or false.
 * SA_USAGE also answers a choice that there is not and a number out of range, naming the field.
 * What `context` points to, and whether it does, is the caller's affair.
 *
 * Ownership. A pointer to const is borrowed: what you pass must outlive the call (or the struct
 * that holds it), what you get lives as long as the object it came from, or until the callback
 * returns. All else belongs to the object or struct that holds it and is freed by the function
 * named in its comment, sa_..._close or sa_..._release; after a failure there is nothing to free.
 *
 * Text is UTF-8. The library never prints and never exits. It has no state outside its objects but
 * a random key for hashes, the number of OpenBLAS threads, which it sets to one for the whole
 * process (the threads are its own), and the functions that jansson allocates with, which
 * sa_compare and sa_page_... wrap to notice failures. An object may be used by one thread at a
 * time; after fork(), the child may use only objects that it opened itself. */
#ifndef SOFTALIGN_H
#define SOFTALIGN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Version ------------------------------------------------------------------------------ */

#define SA_VERSION_MAJOR 0
#define SA_VERSION_MINOR 2
#define SA_VERSION_PATCH 0
/* For comparisons: 0.2.0 is 200, 1.2.3 is 10203. */
#define SA_VERSION_NUMBER (SA_VERSION_MAJOR * 10000 + SA_VERSION_MINOR * 100 + SA_VERSION_PATCH)

/* The version of the library that is linked, as in "0.2.0". */
const char *sa_version(void);

/* The same as a number, to be compared with SA_VERSION_NUMBER. */
int sa_version_number(void);

/* The version of OpenBLAS, which multiplies the matrices, and the kernels it chose for this
 * processor, as in "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64"; where
 * another library does that: "a CBLAS library". */
const char *sa_blas_version(void);

/* The file that this library was loaded from; NULL: the dynamic linker cannot tell. */
const char *sa_blas_library(void);

/* Why one thread computes, however many are asked for, as a line for the user: OpenBLAS was loaded
 * in a flavor that gives several threads wrong or changing products. The same holds for threads of
 * your own. NULL: any number computes. */
const char *sa_blas_one_thread(void);

/* Why SA_PRECISION_BF16 is slower than float32 here, as a line for the user: this processor has no
 * instruction for it, and the same bits are computed without. NULL: it has one. */
const char *sa_bf16_emulated(void);

/* ---- Errors ------------------------------------------------------------------------------- */

/* What failed; also the exit codes of the command. */
typedef enum sa_code {
    SA_OK = 0,
    SA_CHECK = 1,    /* a check failed: a gradient, an invariant */
    SA_USAGE = 2,    /* an option or argument is wrong */
    SA_DATA = 3,     /* a corpus or model file is damaged or inconsistent */
    SA_OPEN = 4,     /* a file cannot be opened */
    SA_IO = 5,       /* reading or writing failed midway */
    SA_BUSY = 6,     /* the output folder holds a training, or one is writing to it */
    SA_LIMIT = 7,    /* out of memory, or beyond a size limit */
    SA_DIVERGED = 8, /* training left the finite numbers */
} sa_code;

typedef struct sa_error {
    sa_code code;
    char text[512]; /* one line without line end, safe to print: "x.tsv:12: no tab ..." */
} sa_error;

/* ---- Settings ----------------------------------------------------------------------------- */

/* The choices of the options below. The value of a choice is its position among the names of its
 * option; later versions add choices behind these and renumber none. */
enum { SA_MODEL_RECURRENT, SA_MODEL_TRANSFORMER, SA_MODEL_DECODER };
enum {
    SA_DECODER_BAHDANAU,
    SA_DECODER_FIXED,
    SA_DECODER_FIXED_INIT,
    SA_DECODER_LUONG,
    SA_DECODER_CGRU,
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

/* The largest `max_len`, and the longest sentence that a model reads unless sa_model_set_max_len
 * allows more. */
enum { SA_MAX_LEN = 1000 };

enum {
    SA_METRIC_TOKENIZER_13A,
    SA_METRIC_TOKENIZER_NONE,
    SA_METRIC_TOKENIZER_CHAR,
    SA_METRIC_TOKENIZER_ZH
};
enum { SA_SMOOTHING_EXP, SA_SMOOTHING_FLOOR, SA_SMOOTHING_ADD_K, SA_SMOOTHING_NONE };

/* How texts are compared, one field for each option of `softalign score`: of sa_compute_metrics,
 * and of the validations of a training. The figures are those of sacreBLEU 2.6. */
typedef struct sa_metrics {
    int tokenize;         /* SA_METRIC_TOKENIZER_... */
    int smooth;           /* SA_SMOOTHING_... of BLEU */
    double smooth_value;  /* of floor and add-k; 0: their defaults */
    bool effective_order; /* BLEU up to the longest n-gram in the text */
    bool lowercase;
    int chrf_order, chrf_word_order; /* longest n-grams of characters, of words */
    int chrf_beta;                   /* weight of recall over precision */
    bool chrf_whitespace;            /* white space counts as a character */
    bool chrf_eps;                   /* the mean of the F-scores of all orders */
} sa_metrics;

/* Everything that shapes a model and its training: one field for each option of `softalign train`,
 * whose help says more. */
typedef struct sa_settings {
    /* the model; each family ignores the options of the other */
    int model;             /* SA_MODEL_... */
    int decoder;           /* SA_DECODER_... */
    int attention;         /* SA_ATTENTION_..., the score function */
    int normalizer;        /* SA_NORMALIZER_..., from scores to weights */
    double entmax_alpha;   /* of SA_NORMALIZER_ENTMAX; SA_ENTMAX_ALPHA_LEARNED: learned per head */
    int heads;             /* H */
    int kv_heads;          /* G, which the H heads share; 0: H */
    int head_projection;   /* SA_HEAD_PROJECTION_..., what each head projects; Transformer */
    bool smeared_keys;     /* each key is mixed with that of the word before */
    int attention_gate;    /* SA_GATE_..., what weighs the outputs of heads */
    int value_size;        /* d_v of each of several heads; 0: annotation size / heads */
    int window;            /* SA_WINDOW_..., what a query may see */
    int window_size;       /* D */
    int coverage;          /* SA_COVERAGE_..., what earlier target words add to the score */
    double max_fertility;  /* N of SA_COVERAGE_LINGUISTIC */
    int location_filters;  /* K of SA_ATTENTION_LOCATION_AWARE */
    int location_width;    /* 2r + 1 of the same */
    int encoder;           /* SA_ENCODER_... */
    int layers;            /* of the encoder; Transformer: of the decoder, too; decoder-only: all */
    int decoder_layers;    /* of a recurrent decoder */
    bool decoder_residual; /* residual connections from its third layer on */
    int positions;         /* SA_POSITIONS_...; t5, alibi, rope and shaw: of a Transformer */
    int shaw_distance;     /* k of SA_POSITIONS_SHAW */
    bool reverse_source;   /* read the source from its last word to its first */
    int cell;              /* SA_CELL_... */
    int update, reset;     /* SA_UPDATE_..., SA_RESET_...: forms of the GRU */
    bool cell_norm;        /* layer normalization in the recurrent cells */
    int decoder_init;      /* SA_INITIAL_...: what s_0 is computed from */
    int readout_state;     /* SA_READOUT_...: the state that the read-out sees */
    bool input_feeding;
    bool copy;  /* pointer-generator: source words may be copied (See et al. 2017) */
    int embed;  /* m, embedding size */
    int hidden; /* n, units of each recurrent layer */
    int attn;   /* n', units of the attention score */
    int maxout; /* l, units of the read-out */
    int ffn;    /* inner units of a Transformer's feed-forward networks */
    int norm;   /* SA_NORM_..., Transformer */
    int prefix; /* SA_PREFIX_..., decoder-only: what a source word sees of its sentence */
    int tie;    /* SA_TIE_..., embeddings */
    int init;   /* SA_INIT_... */
    /* the text */
    int tokenizer;                          /* SA_TOKENIZER_... */
    int source_tokenizer, target_tokenizer; /* of one side: 1 + SA_TOKENIZER_...; 0: tokenizer */
    int bpe_merges;                         /* at most */
    int bpe;                                /* SA_BPE_... */
    bool lowercase;
    int min_freq; /* rarer words are unknown */
    int vocab;    /* vocabulary size of each side; 0: all words */
    int max_len;  /* longest side in tokens; training skips longer pairs */
    /* the training */
    int precision;   /* SA_PRECISION_..., of the products of weights */
    int optimizer;   /* SA_OPTIMIZER_... */
    double lr;       /* learning rate; 0: the optimizer's default */
    double lr_decay; /* factor of the learning rate after ... */
    int lr_patience; /* ... this many validations without improvement */
    int schedule;    /* SA_SCHEDULE_... */
    int64_t warmup;  /* updates over which the learning rate rises from 0 */
    double momentum;
    double beta1, beta2, epsilon; /* of Adam */
    int freeze_embeddings;        /* SA_FREEZE_...: which keep their first values */
    double clip;                  /* largest L2 norm of the gradient; 0: none */
    double dropout;               /* probabilities; see the help */
    double dropout_embeddings, dropout_annotations, dropout_readout; /* negative: as dropout */
    double dropout_state;    /* of recurrent connections, one mask per sentence */
    double dropout_layers;   /* between recurrent layers */
    double monotonic_noise;  /* deviation of the noise on the scores of SA_ATTENTION_MONOTONIC */
    double word_dropout;     /* of whole words */
    double l2;               /* penalty on the squared weights */
    double weight_decay;     /* decoupled */
    double label_smoothing;  /* probability spread over the vocabulary */
    double guided_alignment; /* weight of the alignment loss */
    int guided_at;           /* SA_ALIGN_...: whose weights it draws to the links of a word */
    double coverage_weight;  /* of the coverage loss, with SA_COVERAGE_LOSS */
    double reinforce_weight, entropy_weight; /* of the two terms that train SA_ATTENTION_HARD */
    int batch;                               /* pairs per update */
    int batch_tokens;                        /* tokens per update and side; 0: as batch says */
    int shards;                              /* of a batch, on which bits depend; 0: one per core */
    int64_t seed;
    int valid_every;    /* updates between validations; 0: one epoch */
    int hold_out;       /* pairs held out for validation at most; 0: 5 % of any number */
    int criterion;      /* SA_CRITERION_...: what makes a validation better */
    int patience;       /* validations without improvement before training ends; 0: no limit */
    int average;        /* validations whose mean weights are a model, too; 0: none */
    int average_of;     /* SA_AVERAGE_... */
    sa_metrics metrics; /* how translations of the validation pairs are scored; its lowercase is no
                           setting: with the one above references are in lower case, too */
    /* the run: never stored in the model file */
    int threads; /* 0: one per core */
    int epochs;
    int64_t steps;   /* 0: no limit */
    double max_time; /* seconds; 0: no limit */
} sa_settings;

/* The defaults, which suit a toy corpus on a laptop. */
void sa_settings_init(sa_settings *settings);

/* The size of the struct in the library that is linked, in bytes. Other languages need not mirror
 * it: they fill in this much memory by name, and read it by sa_settings_option. */
size_t sa_settings_size(void);

/* Sets one option from text, as `--name value` does; "yes" or "no" for a switch. SA_USAGE names the
 * option and what it allows. */
bool sa_settings_set(sa_settings *settings, const char *name, const char *value, sa_error *error);

/* Whether a model with these settings attends: decoders with a fixed context vector do not. */
bool sa_settings_has_attention(const sa_settings *settings);

/* Whether its normalizer has a null key, so that the weights of a word may sum to less than 1. */
bool sa_settings_has_null_key(const sa_settings *settings);

/* What decoding holds in memory, in bytes. */
typedef struct sa_cache_size {
    size_t state;       /* of each hypothesis, however long it is */
    size_t source_word; /* keys and values of each source word */
    size_t target_word; /* and of each target word of a hypothesis; recurrent models: 0 */
} sa_cache_size;

/* The cache of a model with these settings; all 0 if they are not valid. */
sa_cache_size sa_settings_cache_size(const sa_settings *settings);

/* Sets every option of a preset, such as "bahdanau2015". */
bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error);

/* Sets the options that determine weights and tokens as those of another model are: what
 * sa_train_options.init_from demands. */
void sa_settings_take_shape(sa_settings *settings, const sa_settings *model);

/* The name of preset i; NULL after the last. */
const char *sa_preset_name(size_t i);

/* What a preset sets, an option on each line with its place in the paper, and its deviations; NULL:
 * there is no such preset. */
const char *sa_preset_text(const char *name);

/* The name of score function i, the choices of `attention`; NULL after the last. Sets its formula
 * and its citation; either may be NULL. */
const char *sa_attention_info(size_t i, const char **formula, const char **citation);

/* The same of the normalizers, which turn scores into weights. */
const char *sa_normalizer_info(size_t i, const char **formula, const char **citation);

/* The same of the positions. */
const char *sa_position_info(size_t i, const char **formula, const char **citation);

/* The same of coverage, which tells the score how much earlier target words have covered. */
const char *sa_coverage_info(size_t i, const char **formula, const char **citation);

/* The same of the decoders. */
const char *sa_decoder_info(size_t i, const char **formula, const char **citation);

/* The same of the recurrent cells, each form of the GRU a row of its own. */
const char *sa_cell_info(size_t i, const char **formula, const char **citation);

/* ---- Options ------------------------------------------------------------------------------ */

typedef enum sa_option_kind {
    SA_OPTION_INT,    /* int */
    SA_OPTION_INT64,  /* int64_t, below 2^53: every JSON reader can hold it */
    SA_OPTION_REAL,   /* double */
    SA_OPTION_SWITCH, /* bool */
    SA_OPTION_CHOICE, /* int: the position of a name */
    SA_OPTION_TEXT,   /* const char *, not copied; NULL until set */
    SA_OPTION_INPUT,  /* the same: a file that is read, or two as "A,B"; "-": standard input */
    SA_OPTION_OUTPUT, /* a file that is written; "-": standard output */
    SA_OPTION_FOLDER, /* a folder that files are written into; the choices are their names, with
                         wildcards */
} sa_option_kind;

/* What an option belongs to. All but SA_SCOPE_RUN are stored in the model file. */
typedef enum sa_scope {
    SA_SCOPE_MODEL,
    SA_SCOPE_TEXT,
    SA_SCOPE_TRAINING,
    SA_SCOPE_RUN,
    SA_SCOPE_METRICS,
} sa_scope;

/* An option: a field of a struct, what it may hold, and what it means. */
typedef struct sa_option {
    const char *name; /* as on the command line, without dashes */
    sa_option_kind kind;
    sa_scope scope;
    size_t offset;                   /* of the field in its struct */
    double default_value;            /* of a number, switch or choice */
    double min, max;                 /* range of a number, inclusive */
    const char *(*choice)(size_t i); /* see sa_option_choice; NULL: the names are the choices */
    const void *names;   /* a list of words, or a table of structs that begin with one, up
                            to NULL; or NULL: there are no choices */
    size_t stride;       /* bytes from one to the next */
    const char *value;   /* placeholder for the value in the help: "N", "FILE" */
    const char *help;    /* meaning and unit */
    const char *heading; /* above it in lists, where it begins a group; or NULL */
} sa_option;

/* The name of choice i, NULL after the last; of a real number: a word that stands for the number i,
 * outside the range; of text: a word that it may be, others may be right, too. */
const char *sa_option_choice(const sa_option *option, size_t i);

/* Option i of sa_settings; NULL after the last. They are grouped by scope. */
const sa_option *sa_settings_option(size_t i);

/* Option i of sa_search; NULL after the last. */
const sa_option *sa_search_option(size_t i);

/* Option i of sa_metrics; NULL after the last. */
const sa_option *sa_metrics_option(size_t i);

/* Option i of sa_link_options; NULL after the last. */
const sa_option *sa_link_option(size_t i);

/* ---- Pairs of sentences -------------------------------------------------------------------- */

typedef struct sa_pair {
    const char *source, *target; /* normalized to NFC, without line ends */
    const char *gold;            /* its alignment in Pharaoh format; NULL: none */
    size_t line;                 /* in its file, from 1 */
    const char *id;              /* its fourth column; NULL: none */
    size_t row;                  /* among the file's rows, a header left out: mostly its line */
} sa_pair;

typedef struct sa_corpus {
    sa_pair *pairs;
    size_t count;
    size_t lines;     /* rows read: lines, where a pair has a line of its own */
    size_t empty;     /* of them, skipped because a side was empty */
    bool gold;        /* every pair has an alignment */
    const char *note; /* for the user: why third columns are not read as alignments; NULL: they are,
                         or there are none */
    const char *remarks; /* for the user, on a line: the format that was recognized, and what looks
                            wrong; NULL: nothing */
    const char *name;    /* the path it was opened by */
    void *owned;         /* the text of the pairs */
} sa_corpus;

/* Reads a file of pairs, or "SRC,TGT" (two files with equal numbers of lines), or "-" (standard
 * input). A file is tab-separated, CSV, JSON lines, TMX or has lines of "source ||| target", by the
 * end of its name or by its content; gzip is recognized by its bytes. `path` must outlive the
 * corpus. Freed by sa_corpus_close.
 */
bool sa_corpus_open(sa_corpus *corpus, const char *path, sa_error *error);

/* The same with the columns of source and target, and perhaps of word links and identifiers:
 * numbers from 1 or names of a header, "2,4" or "en,fr"; of JSON keys, of TMX languages. NULL: the
 * first two, or those that a header tells. */
bool sa_corpus_open_columns(sa_corpus *corpus, const char *path, const char *columns,
                            sa_error *error);
void sa_corpus_close(sa_corpus *corpus);

/* Replaces the alignment of every pair by the one on its line of a file in Pharaoh format ("0-0
 * 1-2"; an empty line: no links), as word aligners write it, or of a file in the format of NAACL
 * 2003, whose lines name the sentence ("1 3 2 S"). SA_DATA names the file and the line that cannot
 * be read, or the two numbers of lines. */
bool sa_corpus_read_alignments(sa_corpus *corpus, const char *path, sa_error *error);

/* ---- Training ------------------------------------------------------------------------------ */

/* What a training has taken so far. */
typedef struct sa_train_cost {
    double seconds;  /* from its start, validations included */
    double updating; /* seconds of these spent on updates */
    int64_t words;   /* target tokens trained on, EOS included */
} sa_train_cost;

typedef enum sa_progress_kind {
    SA_PROGRESS_STEP,
    SA_PROGRESS_VALIDATION,
    SA_PROGRESS_NOTE,
    SA_PROGRESS_VALIDATING, /* a validation that takes long */
} sa_progress_kind;

typedef struct sa_progress {
    sa_progress_kind kind;
    int epoch;         /* from 1 */
    double epoch_part; /* fraction of the epoch's pairs seen, 0 .. 1 */
    int64_t step;      /* updates so far */
    sa_train_cost spent;
    double seconds_left;     /* until the nearest limit that can be predicted; negative: unknown */
    double loss;             /* natural log per target token, EOS included, since the last report */
    double words_per_second; /* target tokens */
    double gradient_norm;    /* before clipping */
    /* SA_PROGRESS_VALIDATION: */
    double guided_loss; /* alignment loss per target token since the last one; NaN: not guided */
    double valid_loss, valid_perplexity, valid_bleu, valid_chrf;
    bool best; /* so far */
    /* SA_PROGRESS_NOTE: */
    const char *note; /* a line for the user */
    /* SA_PROGRESS_VALIDATING: */
    double validated; /* fraction of it that is done, 0 .. 1 */
} sa_progress;

typedef struct sa_train_options {
    const sa_settings *settings;
    const char *train;      /* path of the training pairs, as for sa_corpus_open */
    const char *columns;    /* of all files of pairs, as for sa_corpus_open_columns, or NULL */
    const char *alignments; /* path of their alignments; NULL: those in the pairs */
    const char *valid; /* path; NULL: 5 % of the training pairs, by a hash of the source, at most
                          settings->hold_out */
    const char *init_from; /* path of a model whose weights, vocabularies, merges and spaces a new
                              training begins with; words of the pairs that it lacks are appended,
                              as far as settings->min_freq and vocab allow. Its settings of
                              SA_SCOPE_MODEL and, but for these two and max_len, of SA_SCOPE_TEXT
                              are demanded: SA_USAGE. NULL: random weights */
    const char *embeddings[2]; /* paths of vectors of source and target words, which a new training
                                  begins with: lines of word2vec, fastText or GloVe; or NULL */
    const char *out; /* folder for best.safetensors, last.safetensors, log.csv, film/ and, with
                        settings->average, average.safetensors */
    const sa_pair *snapshot_pairs; /* [snapshot_count] their attention is recorded before the first
                                      update and at every validation, as the heatmaps
                                      out/film/0001/00000000.csv ...: a folder for each pair, a file
                                      for each update, of several heads also head-1/ ... in it.
                                      SA_USAGE: the model has no attention */
    size_t snapshot_count;
    bool resume;    /* from out/last.safetensors; only settings of the run may differ */
    bool overwrite; /* replace the training that `out` holds; without this or resume: SA_BUSY */
    sa_train_cost spent; /* before this run: reports, results and max_time count from there */
    bool pausing;        /* a stop writes no average.safetensors, so that after resuming the files
                            are those of a training that was never stopped; only then may `out` be a
                            run of sa_compare. Otherwise: SA_BUSY */
    void (*report)(void *context, const sa_progress *progress); /* may be NULL */
    void *context;                                              /* passed to report */
    const volatile sig_atomic_t *stop; /* non-zero: drop the update or validation that is running,
                                          save, return; may be NULL. Not looked at while pairs are
                                          read */
    bool diagnose; /* the best model at the end, on 200 validation pairs at most */
} sa_train_options;

typedef struct sa_train_result {
    int64_t steps;
    int epochs;
    sa_train_cost spent;
    double best_loss, best_bleu, best_chrf; /* of the best validation; best_loss INFINITY: none was
                                               made, and best.safetensors has the last weights */
    const char *reason; /* why it ended: "epochs", "steps", "time", "patience", "stopped" */
    /* With options->diagnose, the worst finding as in sa_finding; NULL: there is none, or the
     * training was stopped. */
    const char *worst;   /* its brief */
    double worst_figure; /* its figure */
} sa_train_result;

/* Trains a model and writes it to options->out. A folder that holds files of a training is refused
 * unless it is to be resumed or overwritten, and nothing in it is changed. When a save fails, as on
 * a full disk, the training goes on and the next validation tries again; SA_IO: so did the last
 * save. *result is filled in also after a failure. */
bool sa_train(const sa_train_options *options, sa_train_result *result, sa_error *error);

/* ---- Models -------------------------------------------------------------------------------- */

typedef struct sa_model sa_model;

/* Reads a model file and verifies its checksum. `threads`: 0 for one per core. Freed by
 * sa_model_close. */
sa_model *sa_model_open(const char *path, int threads, sa_error *error);
void sa_model_close(sa_model *model);

/* The settings that it was trained with. */
const sa_settings *sa_model_settings(const sa_model *model);

/* The number of weights. */
size_t sa_model_parameters(const sa_model *model);

/* The number of weights that were denormal in the file and are zero in memory: denormals slow
 * matrix products down a hundredfold. */
size_t sa_model_denormals(const sa_model *model);

/* How sa_translate, sa_align and sa_evaluate multiply by the model's weights: SA_PRECISION_FLOAT32,
 * as at first whatever the model was trained with, or SA_PRECISION_BF16. */
bool sa_model_set_precision(sa_model *model, int precision, sa_error *error);

/* The longest sentence that the model reads, in tokens without EOS, 1 to 1000000; at first
 * SA_MAX_LEN. The memory of an attention matrix grows with the product of both lengths. With a
 * longer sentence sa_align, sa_evaluate and sa_explain fail before they compute anything: SA_LIMIT
 * names its line. sa_translate leaves its translation empty. */
bool sa_model_set_max_len(sa_model *model, int max_len, sa_error *error);

/* Writes the model whose weights are the mean of those in `count` model files, such as checkpoints
 * of one training. SA_USAGE names a file whose model, text or vocabulary differs from the first. */
bool sa_average_models(const char *const *models, int count, const char *path, sa_error *error);

/* ---- Attention overrides -------------------------------------------------------------------- */

/* What replaces the attention weights that a model computes. */
typedef enum sa_override_kind {
    SA_OVERRIDE_NONE,    /* nothing */
    SA_OVERRIDE_UNIFORM, /* 1 / S for every source word */
    SA_OVERRIDE_SHUFFLE, /* the model's weights in a random order, one order for each length */
    SA_OVERRIDE_SHIFT,   /* the model's weights moved `shift` positions to the right, cyclically */
    SA_OVERRIDE_ONE_HOT, /* all weight on the largest */
    SA_OVERRIDE_GOLD,    /* equal weights on the words linked in the pair's alignment, by sure links
                            if there are any; target words without links keep the model's weights */
    SA_OVERRIDE_EXPECTED, /* the weights of training; only SA_ATTENTION_MONOTONIC and
                             SA_ATTENTION_HARD have others */
} sa_override_kind;

/* All zero: none. */
typedef struct sa_attention_override {
    sa_override_kind kind;
    int shift; /* of SA_OVERRIDE_SHIFT */
} sa_attention_override;

/* The names of those kinds, NULL after the last; "shift:1" stands for any number. */
const char *sa_attention_override_name(size_t i);
/* Reads "none", "uniform", "shuffle", "shift:2", "one-hot", "gold" or "expected". */
bool sa_attention_override_parse(sa_attention_override *override, const char *text,
                                 sa_error *error);

/* ---- Translation --------------------------------------------------------------------------- */

enum { SA_LENGTH_PENALTY_AVERAGE, SA_LENGTH_PENALTY_GNMT, SA_LENGTH_PENALTY_NONE };

typedef struct sa_search {
    int beam;              /* beam size; 1: greedy */
    int nbest;             /* translations of each sentence, 1 to 1000; without sampling at most the
                              beam size */
    int length_penalty;    /* SA_LENGTH_PENALTY_... */
    double length_power;   /* its exponent */
    double coverage;       /* weight of the coverage penalty (Wu et al. 2016, equation 14) */
    double max_ratio;      /* longest output: max_ratio * source tokens (EOS included) + 10 */
    int min_length;        /* shortest output in tokens, without EOS */
    bool reference_length; /* in sa_evaluate: outputs of as many tokens as the references */
    bool no_unknown;       /* never generate the unknown word */
    bool sample;           /* sample instead of searching */
    double temperature;    /* of the sampling */
    int top_k;             /* sample from the k most probable words; 0: all */
    double top_p;          /* sample from the fewest words with this much probability */
    int64_t seed;          /* of the sampling */
    bool weights;          /* return tokens and attention weights */
    bool replace_unknown;  /* replace unknown words by the source word with the largest weight, */
    const sa_corpus *dictionary; /* or by the target that the first of these pairs with it gives it;
                                    NULL: none */
    int batch;                   /* sentences decoded together */
    sa_attention_override override; /* SA_OVERRIDE_GOLD has no effect in sa_translate, and needs
                                       pairs with alignments in sa_evaluate (else SA_DATA) */
} sa_search;

/* The defaults: greedy search. */
void sa_search_init(sa_search *search);

/* Sets one option by its name, as sa_settings_set does: those of sa_search_option. */
bool sa_search_set(sa_search *search, const char *name, const char *value, sa_error *error);

typedef struct sa_translation {
    char *text;             /* detokenized */
    double log_probability; /* sum over its tokens, EOS included */
    double score;           /* what the search compares */
    int words;              /* tokens, EOS included */
    bool complete;          /* ends in EOS; false: cut off at the longest output */
    int source_words;       /* source tokens, EOS excluded */
    bool too_long;          /* these are too many: the translation was left empty */
    int unknown_source;     /* of these, those that the (first) model does not know */
    /* with sa_search.weights only: */
    int sources;                   /* source words, EOS included */
    const char **target, **source; /* [words], [sources] */
    double *weights; /* [words * sources] row t: the attention weights when token t was
                        generated, the mean over heads and models; NULL: no attention */
} sa_translation;

/* Translates `count` sentences to translations [count * search->nbest]. An empty sentence, or one
 * beyond sa_model_set_max_len, gives empty text; n-best entries that are missing have text NULL.
 * Freed by sa_translations_release. SA_USAGE: the model cannot do what `search` asks for;
 * SA_DIVERGED: it gives no probabilities (also in sa_align and sa_evaluate). */
bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *translations, sa_error *error);

/* The same by 1 to 16 models, whose probabilities are averaged. SA_USAGE names the model whose
 * target vocabulary or tokenization differs from the first. */
bool sa_translate_ensemble(sa_model *const *models, int model_count, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *translations,
                           sa_error *error);
void sa_translations_release(sa_translation *translations, size_t count);

/* ---- Alignment ----------------------------------------------------------------------------- */

/* Where a model attends: from the decoder to the source, or within the encoder or decoder of a
 * Transformer. */
typedef enum sa_attention_site {
    SA_SITE_CROSS,
    SA_SITE_ENCODER,
    SA_SITE_DECODER,
    SA_SITE_PREFIX, /* of pages alone: attributions with target_prefix */
} sa_attention_site;

/* Which row of the weights of a Transformer or decoder-only model is that of a target word: the
 * one that predicts it, or the one that has read it (Chen et al. 2020, "Accurate word alignment
 * induction from neural machine translation"), which is the next. EOS, which nothing reads, keeps
 * its own. */
enum { SA_ALIGN_OUTPUT, SA_ALIGN_INPUT };

/* All zero: cross-attention, the mean over layers, no override, rows that predict. */
typedef struct sa_align_options {
    sa_attention_site site;
    int layer; /* from 1; 0: the mean over layers */
    sa_attention_override override;
    int at;              /* SA_ALIGN_... */
    const char *methods; /* what the matrices are instead: sa_attribution_name, separated by commas;
                            each is a head. Only cross-attention without override has them. NULL:
                            attention */
    int steps;           /* of integrated gradients; less than 1: 50 */
    bool target_prefix;  /* attributions to earlier target words, too: behind the columns of the
                            source words stand the target words but EOS */
} sa_align_options;

/* Attribution i, a way to say which words made a target word; NULL after the last. */
const char *sa_attribution_name(size_t i);
enum { SA_ATTRIBUTIONS = 10 };

/* Attention weights of a pair whose target is predicted by teacher forcing. Rows are queries,
 * columns keys: target and source words, ending in "</s>" (EOS). Within the encoder both are source
 * words; within the decoder both are the target words it reads, from "<s>" (BOS) on, and row t is
 * where the word after it is predicted. */
typedef struct sa_alignment {
    int targets, sources; /* rows and columns */
    int heads, layers;
    const char *const *target, *const *source; /* [targets], [sources] the words as in the text */
    const double *weights;  /* all matrices [targets * sources], the mean over heads first; read the
                               others by sa_alignment_weights. NULL: none */
    double log_probability; /* of the target, EOS included */
    const double *token_log_probabilities;  /* [targets] of each target token, whose sum that is;
                                               NULL but for cross-attention */
    const double *generation_probabilities; /* [targets] p_gen: near 1 where the token is generated,
                                               near 0 where it is copied; NULL but for the
                                               cross-attention of a model with copying */
    const bool *target_unknown, *source_unknown; /* [targets], [sources] to the model, which reads
                                                    <unk> there; NULL: not known */
    double gap; /* of integrated gradients: how far the sums of rows are from F(x) - F(0), over all
                   rows, as a share of it */
    const char *method[SA_ATTRIBUTIONS]; /* [heads] the attributions; NULL: weights of attention */
} sa_alignment;

/* The matrix of one head (from 1; 0: the mean over heads) in one layer (from 1; 0: the layer that
 * was chosen, or the mean over layers). The heads of a layer lie one after the other, and so do the
 * layers. NULL: there are no weights, or the mean over the heads of one of several layers is asked
 * for, which is not stored. */
const double *sa_alignment_weights(const sa_alignment *alignment, int layer, int head);

/* Calls `each` with every pair in order; if it returns false, having filled in the error, the work
 * ends and sa_align returns false, too.
 * `options` may be NULL: all zero. SA_USAGE: the model has no attention
 * (sa_settings_has_attention), or none at that site or layer. SA_DATA: SA_OVERRIDE_GOLD, and a pair
 * has no alignment. */
bool sa_align(sa_model *model, const sa_align_options *options, const sa_pair *pairs, size_t count,
              bool (*each)(void *context, size_t index, const sa_alignment *alignment,
                           sa_error *error),
              void *context, sa_error *error);

/* The alignment between words from one between subwords ("low@@", "er"): the row of a target word
 * is the mean of its subwords' rows, the column of a source word the sum of its subwords' columns,
 * so that rows still sum to 1, and its log-probability the sum of theirs; it is unknown if one of
 * them is. EOS stays a word of its own. Freed by sa_alignment_release. */
bool sa_alignment_merge(const sa_alignment *subwords, sa_alignment *words, sa_error *error);

/* A copy of an alignment, which outlives the call of `each`. Freed by sa_alignment_release. */
bool sa_alignment_copy(const sa_alignment *alignment, sa_alignment *copy, sa_error *error);
void sa_alignment_release(sa_alignment *words);

/* ---- Word aligners --------------------------------------------------------------------------- */

/* The ancestors of attention: each target word is generated by one source word or by the empty
 * word, with probabilities t(target word | source word) and of positions that expectation
 * maximization learns from pairs alone (Brown et al. 1993 and what followed, see --model). */
typedef struct sa_aligner sa_aligner;

enum { SA_ALIGNER_MODEL1, SA_ALIGNER_MODEL2, SA_ALIGNER_HMM, SA_ALIGNER_DIAGONAL };

typedef struct sa_aligner_options {
    int model; /* SA_ALIGNER_... */
    int iterations, threads;
    double alpha; /* of the Dirichlet prior, 1e-6 to 0.999; 0: "auto", 1: "none" */
} sa_aligner_options;

/* Option i of sa_aligner_options; NULL after the last. */
const sa_option *sa_aligner_option(size_t i);

/* The defaults. */
void sa_aligner_options_init(sa_aligner_options *options);

/* Sets one option by its name, as sa_settings_set does: those of sa_aligner_option. */
bool sa_aligner_options_set(sa_aligner_options *options, const char *name, const char *value,
                            sa_error *error);

/* Learns from a corpus. Of `settings` only the options of the text count (tokenizer, bpe,
 * bpe_merges, lowercase, min_freq, vocab, max_len); NULL: the defaults, as for `options`. Pairs
 * with a side of more than max_len tokens are left out. report (may be NULL) gets the perplexity of
 * the target words, without EOS, before each iteration, from 1, those of Model 1 included. SA_DATA:
 * no pair is left; SA_LIMIT: memory. NULL on failure; freed by sa_aligner_free. */
sa_aligner *sa_aligner_train(const sa_corpus *corpus, const sa_settings *settings,
                             const sa_aligner_options *options,
                             void (*report)(void *context, int iteration, double perplexity),
                             void *context, sa_error *error);

/* Calls `each` with every pair in order, as sa_align does. weights: p(a_j = i | source, target)
 * over the source words and the empty word, which has no column: a row sums to 1 minus its weight
 * (sa_link_options.null_key). EOS is aligned with EOS. A word that was not in the corpus is
 * generated by the empty word, with t = 1e-9. SA_LIMIT: a side has more than max_len tokens. */
bool sa_aligner_align(const sa_aligner *aligner, const sa_pair *pairs, size_t count,
                      bool (*each)(void *context, size_t index, const sa_alignment *alignment,
                                   sa_error *error),
                      void *context, sa_error *error);

/* Calls `each` with every t(target | source) of at least `least`, by source word in the order of
 * frequency, then by decreasing probability; the empty word comes first and is "". */
bool sa_aligner_lexicon_each(const sa_aligner *aligner, double least,
                             bool (*each)(void *context, const char *source, const char *target,
                                          double probability, sa_error *error),
                             void *context, sa_error *error);

void sa_aligner_free(sa_aligner *aligner);

/* ---- Metrics ------------------------------------------------------------------------------- */

/* The defaults of sacreBLEU. */
void sa_metrics_init(sa_metrics *metrics);

/* Sets one option by its name, as sa_settings_set does: those of sa_metrics_option. */
bool sa_metrics_set(sa_metrics *metrics, const char *name, const char *value, sa_error *error);

typedef struct sa_metric_values {
    double bleu, chrf; /* 0 .. 100 */
    double exact;      /* fraction of sentences equal to a reference, white space aside */
    double tokens;     /* fraction of reference tokens found at the same position */
    double per;        /* insertions, deletions and replacements per 100 reference tokens: the
                          phone error rate where tokens are phones */
} sa_metric_values;

/* Scores `count` hypotheses, each against `reference_count` references: references[r][i] belongs to
 * hypotheses[i]. All must be valid UTF-8. */
bool sa_compute_metrics(const sa_metrics *metrics, const char *const *hypotheses,
                        const char *const *const *references, size_t reference_count, size_t count,
                        sa_metric_values *values, sa_error *error);

/* ---- Evaluation ---------------------------------------------------------------------------- */

enum { SA_LINKS_ARGMAX, SA_LINKS_THRESHOLD };

/* How attention weights become links. */
typedef struct sa_link_options {
    int links;        /* SA_LINKS_... */
    double threshold; /* the smallest weight that is a link */
    bool null_key; /* sa_settings_has_null_key: what a row lacks to 1 is the weight of the null key,
                      and a word with more weight there than on any word has no link to it */
    int at;        /* SA_ALIGN_..., in sa_evaluate */
    bool whole;    /* the last row and column are words, too, not EOS */
} sa_link_options; /* EOS has no part in links, and a weight of 0 is none */

/* The defaults: the largest weight of each target word on a source word. */
void sa_link_options_init(sa_link_options *options);

/* Sets one option by its name, as sa_settings_set does: those of sa_link_option. */
bool sa_link_options_set(sa_link_options *options, const char *name, const char *value,
                         sa_error *error);

/* The counts behind the alignment error rate: |A|, |S|, |A and S|, |A and P|. */
typedef struct sa_link_counts {
    size_t links, sure, links_sure, links_possible;
} sa_link_counts;

/* Statistics of the attention weights alpha [T x S] of a pair, the mean over heads, teacher-forced;
 * the last row and column are EOS. Those of several pairs are sums. */
typedef struct sa_attention_stats {
    size_t rows, words;       /* T; without the last, that of EOS */
    size_t cells, zeros;      /* T S; those whose weight is exactly 0 */
    double entropy;           /* - sum_tj alpha_tj ln alpha_tj (nats) */
    double head_entropy;      /* mean over the heads */
    double max_entropy;       /* T ln S: that of equal weights */
    double weight;            /* sum of the weights of the rows before the last */
    double eos_weight;        /* of these, on the last column */
    size_t sources, covered;  /* source words; those with sum_t alpha_tj >= 1/2 */
    size_t steps, monotone;   /* target words that, as the preceding one, have weight on a source
                                 word; those whose most attended one is not before that of the
                                 preceding target word */
    double long_rows, column; /* in pairs of at least 4 words a side: target words; their weight on
                                 the most attended source word of the pair */
    size_t online;            /* target words of a model that reads the source while it writes */
    double read, available;   /* source words, EOS included, read before them; in their sentences */
    /* words that occur exactly once on each side; those that attention aligns with each other when
     * its links are moved to the preceding target word, are unchanged, or are moved to the next */
    size_t identical, aligned[3];
} sa_attention_stats;

/* The sum of a source word's weights over all rows, that of EOS included. */
typedef struct sa_source_coverage {
    int position;    /* of the word, from 0; -1: no attention */
    double weight;   /* with the model's translation as the target */
    double expected; /* with the reference as the target */
} sa_source_coverage;

/* A translation compared with its reference: too many words, too few words. */
typedef struct sa_length_balance {
    int words, reference; /* tokens, without EOS */
    int repeated;         /* immediately repeated tokens, minus those of the reference */
    /* Malaviya et al. 2018: of every bigram that occurs at least twice, how often more it occurs
     * than in the reference, plus twice that of every bigram of two equal tokens */
    int repetitions;
    int dropped; /* source words with a weight below 0.2, though at least 0.2 is expected */
    /* the source words with the largest and the smallest weight - expected */
    sa_source_coverage over, under;
} sa_length_balance;

/* The result of one pair. */
typedef struct sa_sentence_result {
    double log_probability;       /* of the reference, teacher-forced, EOS included */
    double free_log_probability;  /* the same, each token predicted after the model's own tokens */
    int words, source_words;      /* target tokens with EOS; source tokens without */
    char *translation;            /* detokenized */
    char *reference;              /* in lower case if the model's is */
    bool exact;                   /* the translation is the reference, white space aside */
    sa_link_counts links;         /* of the attention against the pair's alignment */
    sa_link_counts before;        /* the same with every link moved to the target word before, or
                                     dropped where there is none */
    sa_link_counts after;         /* and to the target word after */
    sa_attention_stats attention; /* zero: no attention */
    sa_length_balance balance;
    int unknown_source, unknown_target; /* unknown words */
} sa_sentence_result;

/* Evaluates every pair: results [corpus->count], freed by sa_sentence_results_release. `linking`
 * may be NULL: the defaults. */
bool sa_evaluate(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                 const sa_link_options *linking, sa_sentence_result *results, sa_error *error);
void sa_sentence_results_release(sa_sentence_result *results, size_t count);

typedef struct sa_eval_result {
    size_t sentences;
    int64_t target_words;             /* EOS included */
    double loss, perplexity;          /* teacher-forced, per target token */
    double free_perplexity;           /* free-running */
    double bleu, chrf, exact, tokens; /* as in sa_metric_values; exact after the model's own
                                         tokenization */
    double wer, per;                  /* 100 - 100 exact, the word error rate where sentences are
                                         words (SIGMORPHON); per as in sa_metric_values */
    /* NaN without gold alignments or attention: */
    double aer, precision, recall;
    double aer_before, aer_after; /* with the links moved; lower than aer: they are off by one */
    /* NaN without attention, or if there is nothing to count: */
    double entropy;    /* mean of the rows, in nats: 0 .. ln S */
    double coverage;   /* fraction of source words whose weights sum to at least 1/2 */
    double end_weight; /* fraction of the weight on the source's EOS while words are generated */
    double row_sum;    /* mean sum of the weights of a target word: less than 1 with a null key or a
                          local-p window */
    double zeros;      /* fraction of the weights that are exactly 0 */
    double latency; /* SA_ATTENTION_MONOTONIC: mean number of source words, EOS included, that are
                       read before a target word; NaN for attention that reads them all first */
    double source_length; /* mean number of source words of its sentence; NaN as above */
    double monotonicity;  /* fraction of target words but the first whose most attended source word
                             is not before that of the preceding word, where both have one */
    /* of sa_length_balance, in percent, as in Malaviya et al. 2018: */
    double rep;  /* repetitions, divided by the tokens of the references */
    double drop; /* dropped source words, divided by all source words; NaN without attention */
} sa_eval_result;

/* The figures of the `count` pairs whose indices `chosen` lists (NULL: of the first `count`).
 * `metrics` may be NULL: the defaults. */
bool sa_eval_summarize(const sa_metrics *metrics, const sa_corpus *corpus,
                       const sa_sentence_result *results, const size_t *chosen, size_t count,
                       sa_eval_result *summary, sa_error *error);

/* A head of the decoder's self-attention, and what it does with words that stood before (Olsson et
 * al. 2022). Rows are those that predict target words; the row of word x_i, which the decoder reads
 * after x_0 .. x_{i-1}, is repeated if an x_{j-1} = x_i with j < i. A decoder-only model reads the
 * source, EOS and the target, any other BOS and the target. */
typedef struct sa_head_score {
    int layer, head;        /* from 1 */
    double prefix_matching; /* sum_{j < i: x_{j-1} = x_i} alpha_ij, the mean of repeated rows */
    double previous_word;   /* alpha_{i,i-1}, the mean of all rows but x_0's */
    /* C = W_E W_v' W_o' W_U': what attending to a word adds to the logit of each, normalization
     * and residual connections aside; of the 1,000 most frequent words */
    double copying;       /* fraction of words w with C_ww = max_u C_wu */
    double copying_trace; /* mean of C_ww, divided by the standard deviation of C */
    /* per target word, when the head adds nothing: */
    double loss_without, loss_repeated_without;
} sa_head_score;

typedef struct sa_head_scores {
    /* per target word, of the whole model; NaN where there is nothing to count: */
    double loss, loss_new,
        loss_repeated;   /* all; in rows that are not repeated; in those that are */
    sa_head_score *each; /* by layer, then head */
    size_t count;
} sa_head_scores;

/* Freed by sa_head_scores_release. SA_USAGE: the decoder has no self-attention. The model's weights
 * change meanwhile, and are what they were afterwards. */
bool sa_score_heads(sa_model *model, const sa_corpus *corpus, sa_head_scores *scores,
                    sa_error *error);
void sa_head_scores_release(sa_head_scores *scores);

/* ---- Diagnosis ------------------------------------------------------------------------------ */

/* A pair that shows a finding. */
typedef struct sa_diagnosis_case {
    size_t index;                /* in the corpus */
    double words;                /* tokens too many; negative: too few */
    sa_source_coverage coverage; /* of the source word with too much or too little weight */
    const char *source;          /* that word; NULL: no attention */
} sa_diagnosis_case;

/* A problem of a model, its vocabulary or its pairs. */
typedef struct sa_finding {
    const char *name;         /* "off by one" */
    const char *measure;      /* what the figure is */
    double figure, threshold; /* the figure is at least the threshold */
    const char *brief; /* the finding after its figure in percent: "75 % of the attention is ..." */
    const char *lesson;             /* what it means, what to try, what to read */
    const sa_diagnosis_case *cases; /* the worst, worst first */
    size_t case_count;
} sa_finding;

typedef struct sa_diagnosis {
    sa_finding *findings; /* in the order of sa_diagnostic_name */
    size_t count;
    void *owned;
} sa_diagnosis;

/* Runs all diagnostics on the results of sa_evaluate. `train`: the pairs the model was trained on,
 * to look for those of `corpus` among them; may be NULL. Freed by sa_diagnosis_release. */
bool sa_diagnose(sa_model *model, const sa_corpus *corpus, const sa_sentence_result *results,
                 const sa_corpus *train, sa_diagnosis *diagnosis, sa_error *error);
void sa_diagnosis_release(sa_diagnosis *diagnosis);

/* The name of diagnostic i; NULL after the last. Sets its measure and its threshold; either may be
 * NULL. */
const char *sa_diagnostic_name(size_t i, const char **measure, double *threshold);

/* ---- Comparison ----------------------------------------------------------------------------- */

/* Several models that are trained on the same batches, as by `softalign compare`, whose help says
 * more. */
typedef struct sa_compare_options {
    const char *train, *test; /* paths of pairs, as for sa_corpus_open */
    const char *columns;      /* of all files of pairs, as for sa_corpus_open_columns, or NULL */
    const char *valid;        /* path; NULL: 5 % of the training pairs */
    const char *snapshots;    /* path of the pairs whose attention is recorded; NULL: none */
    const char *models;       /* "fixed,bahdanau:additive,luong:general:4,transformer,decoder" */
    const char *out;          /* folder for table.csv, spread.csv, table.md, table.tex, curves.csv,
                                 bylength.csv, matrices/ and a folder for each training. What it holds is
                                 resumed, or not trained again */
    const sa_settings *settings;     /* what the list leaves out; its seed is that of the first
                                        training of each model */
    const sa_settings *transformer;  /* the same of Transformers; NULL: those of their preset, with
                                        the seed and limits of `settings` */
    const sa_settings *decoder_only; /* the same of decoder-only models */
    int seeds;                       /* trainings of each model, at least 1 */
    int matrices;     /* test pairs whose heatmaps are written, for every model with attention */
    bool overwrite;   /* train again what `out` holds with other settings or pairs; else: SA_BUSY */
    const char *html; /* file for the report; NULL: none */
    const char *title, *notes, *open_at; /* of the report, as the command's; may be NULL */
    void (*report)(void *context, const sa_progress *progress); /* NULL as its progress: a training
                                                                   has ended. May be NULL itself */
    void *context;
    const volatile sig_atomic_t *stop; /* as in sa_train_options; may be NULL */
} sa_compare_options;

typedef struct sa_compare_result {
    bool stopped; /* by `stop`: there are no results yet, and the same call resumes */
    char *table;  /* the medians of every model, as a table of text; NULL: stopped */
    char *json;   /* all runs and their medians as one JSON object */
} sa_compare_result;

/* Trains, evaluates and compares the models. Freed by sa_compare_result_release. SA_DIVERGED names
 * a training without scores; the files are written and *result is filled in all the same. */
bool sa_compare(const sa_compare_options *options, sa_compare_result *result, sa_error *error);
void sa_compare_result_release(sa_compare_result *result);

/* ---- Pages ---------------------------------------------------------------------------------- */

/* A page that shows models, like those of `softalign align --html`: one HTML file that loads
 * nothing, in which texts stay text. In a frame of another page, such as a notebook, it leaves out
 * what belongs to a window of its own. */
typedef struct sa_page sa_page;

/* Begins a page that will show `models` models. Freed by sa_page_close, which is all that can be
 * done with it after SA_LIMIT. */
sa_page *sa_page_open(const char *title, int models, sa_error *error);
void sa_page_close(sa_page *page);

/* Adds a line about what the page was made of. */
bool sa_page_add_fact(sa_page *page, const char *name, const char *value, sa_error *error);

/* Begins a model; what is added next is its. `settings` may be NULL. */
bool sa_page_add_model(sa_page *page, const char *name, const sa_settings *settings,
                       sa_error *error);

/* Adds the attention on the next sentence; every model has the same sentences, in the same order.
 * `site` is that of all of them. `gold` are the sentence's links in Pharaoh format; NULL: none. A
 * page has room for about 200 sentences, and names how many of those added it shows. */
bool sa_page_add_alignment(sa_page *page, const sa_alignment *alignment, sa_attention_site site,
                           const char *gold, sa_error *error);

/* Adds the learning curves and the recorded attention in the folder of a training; of a page with
 * one model. */
bool sa_page_add_training(sa_page *page, const char *folder, sa_error *error);

/* Completes the page, to which nothing can be added any more, and returns its text. */
const char *sa_page_html(sa_page *page, sa_error *error);

/* ---- A decoder step in numbers -------------------------------------------------------------- */

/* The pair that is explained. */
typedef struct sa_explain_pair {
    bool forced;                                    /* the target was given, not generated */
    int sources, targets;                           /* tokens, EOS included */
    const char *const *source, *const *target;      /* as in the text, EOS as "</s>" */
    const int *source_token_ids, *target_token_ids; /* 0: unknown */
} sa_explain_pair;

typedef enum sa_explain_part {
    SA_EXPLAIN_SOURCE,  /* computed once for the sentence */
    SA_EXPLAIN_STEP,    /* of one target token */
    SA_EXPLAIN_WEIGHTS, /* a tensor of the model */
} sa_explain_part;

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
    SA_ROWS_TARGET,     /* the words that a decoder reads: "<s>" (BOS) and the target's, or, of a
                           decoder-only model, the source's and the target's */
} sa_explain_rows;

/* The numbers of one symbol of an equation. All texts are ASCII. */
typedef struct sa_explain_value {
    sa_explain_part part;
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
    bool whole;            /* they are counts */
    sa_explain_rows about;
    const char *const *row; /* [rows] the words that the rows stand for, or NULL */
    int chosen;             /* the row of the token that is generated here; -1: none */
    int terms;              /* of a column: each number is the sum of this many terms; 0: not so */
    const double *term;     /* [rows * terms] */
    double divisor;         /* of the sum */
} sa_explain_value;

typedef struct sa_explain_options {
    const char *source;
    const char *target; /* NULL: the greedy translation */
    int step;  /* from 1; 0: all. Transformer: must be given; within the encoder a source token */
    int layer; /* of a Transformer, from 1 */
    sa_attention_site site; /* of that layer; the steps of recurrent models have cross-attention */
    bool weights;           /* hand out the weights of a step, too */
    bool annotations;       /* hand out the annotations of a side instead: see below */
    /* Called with every value, at the end with NULL. */
    void (*each)(void *context, const sa_explain_pair *pair, const sa_explain_value *value);
    void *context;
} sa_explain_options;

/* Runs the model in double precision and hands out the numbers of its equations, in their order: of
 * decoder steps, or of one token at one attention site of a Transformer's layer, to which the
 * feed-forward network that follows belongs. The pair lives until sa_explain returns, a value
 * during its call. SA_USAGE: the source is empty, a text is not UTF-8, or there is no such step,
 * layer or site.
 *
 * With `annotations` the values are the vectors of all words before and after each layer, a matrix
 * for each: first the embedded words, with their positions if the model adds some, then what the
 * layers leave. At SA_SITE_ENCODER the words are the source's, and the last matrix has the
 * annotations that the decoder attends to; at SA_SITE_DECODER they are those that it reads of the
 * target, and the vectors of a recurrent one are its states. SA_USAGE: there is no such site. */
bool sa_explain(sa_model *model, const sa_explain_options *options, sa_error *error);

/* ---- Attention on your own numbers --------------------------------------------------------- */

/* A matrix, row after row. */
typedef struct sa_table {
    const char *name;      /* its file, for messages; may be NULL */
    int rows, cols;        /* at least 1 */
    const double *numbers; /* [rows * cols]; NULL: not given */
} sa_table;

/* A projection x -> W x + b of every row x; without W: x itself. */
typedef struct sa_projection {
    sa_table W; /* [out x in] */
    sa_table b; /* `out` numbers in a row or a column; not given: zero; needs W */
} sa_projection;

/* The width h of a kernel. */
enum { SA_BANDWIDTH_FIT = -1 };
#define SA_BANDWIDTH_MIN 1e-100 /* 1 / h^2 stays finite */
#define SA_BANDWIDTH_MAX 1e100

/* What a step is, and so what its rows are. */
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
    const char *formula; /* "X W_q'"; NULL: it is given, or a part of one before */
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
 * Each of several heads attends with its slice of the columns of q, k, v and v_a; c_i concatenates
 * the heads. "scaled-dot" with all projections and biases is the usual multi-head attention.
 * "general" is s' W_a h, W_a the keys' projection: each head compares the whole query with its
 * slice of the keys. "location" takes q_i itself as the scores, one for each position, which may be
 * -INFINITY, and keys beyond its last number have weight 0; "location" and "uniform" need no keys.
 */
typedef struct sa_attend_options {
    int attention;       /* SA_ATTENTION_... */
    int normalizer;      /* SA_NORMALIZER_... */
    double entmax_alpha; /* of SA_NORMALIZER_ENTMAX, from 1.01 to 2 */
    int heads;
    int positions;    /* SA_POSITIONS_...: of row t of query, keys and (encodings) values */
    bool causal;      /* query i attends to keys 0 .. i */
    double bandwidth; /* of "gaussian", the width h of the kernel; 0: the one that training starts
                         with; SA_BANDWIDTH_FIT: that with which each value is predicted best from
                         the others (leave-one-out), of one head */
    sa_table query, keys, values; /* [Q x ..], [S x ..], [S x ..] */
    sa_projection query_projection, keys_projection, values_projection, output_projection;
    sa_table v_a;     /* of "additive" and "concat": as many numbers as k_j has, in a row or a
                         column; not given: all 1. Of "gaussian", "cosine" and "qk-norm": log h, b or g,
                         a number for each head; not given: those that training starts with */
    sa_table weights; /* [Q x S] alpha itself, instead of query, keys and scores */
    sa_table mask;    /* [Q x S] 1 where a query may attend to a key, else 0; not given: all 1 */
    /* Called with every step, in their order; or NULL. A step lives during its call. */
    void (*each)(void *context, const sa_attend_step *step);
    void *context;
} sa_attend_options;

typedef struct sa_attend_result {
    int queries, keys, heads;
    int context, output;        /* sizes of c_i and of output_i */
    bool default_v_a;           /* v_a was needed and not given */
    double bandwidth, left_out; /* with SA_BANDWIDTH_FIT: h, and the mean squared error of values
                                   that are predicted from the others; else 0 */
    double *scores;   /* [heads * queries * keys] e; -INFINITY where a query may not attend; NULL:
                         weights were given */
    double *weights;  /* [heads * queries * keys] alpha; 0 where a query may not attend */
    double *contexts; /* [queries * context] c */
    double *outputs;  /* [queries * output] */
} sa_attend_result;

/* Computes that attention. Freed by sa_attend_result_release. SA_DATA names two tables whose shapes
 * do not fit, or says that the numbers are too large for double; SA_USAGE: something is missing, or
 * the columns cannot be split among the heads. */
bool sa_attend(const sa_attend_options *options, sa_attend_result *result, sa_error *error);
void sa_attend_result_release(sa_attend_result *result);

/* ---- The gradient check --------------------------------------------------------------------- */

/* The check of one tensor: a is the gradient of the backward pass, n the numeric one, g that of the
 * whole model. */
typedef struct sa_gradient_result {
    const char *name;
    int rows, cols;
    double worst; /* ||a-n|| / max(||a||, ||n||, 1e-4 max|g|): 1 missing, 2 wrong sign; INFINITY:
                     a number is NaN or infinite */
    double worst_element; /* max of |a-n| / max(|a|, |n|, 1e-4 max|g|) */
    bool zero;            /* the gradient is zero, and so are the differences */
    bool ok;
} sa_gradient_result;

typedef struct sa_gradcheck_options {
    const sa_settings *settings;
    const sa_corpus *corpus; /* pairs for the batch; NULL: a built-in batch of ragged lengths */
    const char *broken;      /* the backward term to leave out, or NULL */
    const char *dump;        /* file for weights, batch, loss and gradients as F64, or NULL */
    void (*each)(void *context, const sa_gradient_result *result); /* called with every tensor; may
                                                                      be NULL */
    void *context;
} sa_gradcheck_options;

/* Compares every gradient with fourth-order central differences, in double precision. SA_CHECK: a
 * relative error exceeds 1e-6. SA_USAGE: this model has no backward term `broken`. */
bool sa_check_gradients(const sa_gradcheck_options *options, sa_error *error);

/* The name of backward term i, which `broken` may leave out; NULL after the last. Sets what the
 * term is, and options of `softalign gradcheck` whose model has it; either may be NULL. */
const char *sa_gradient_fault_name(size_t i, const char **dropped, const char **options);

/* ---- The proof that attention is attention -------------------------------------------------- */

/* One check of a model, over all pairs. */
typedef struct sa_proof_check {
    const char *name;    /* "row-sums" */
    const char *meaning; /* what must hold, and how it is tested */
    double worst;        /* the largest figure found; NaN: nothing was measured */
    double allowed;
    bool above;       /* the figure must exceed what is allowed; false: it may not */
    bool skipped;     /* the check does not apply to this model or these pairs */
    bool ok;          /* it holds, or was skipped */
    const char *note; /* why it was skipped, or NULL */
} sa_proof_check;

typedef struct sa_prove_options {
    const sa_corpus *corpus; /* NULL: random sentences of words that the model knows */
    int limit;    /* pairs to test at most, at least 1; longer ones than max_len are skipped */
    int64_t seed; /* of the random sentences */
    void (*each)(void *context, const sa_proof_check *check); /* called with every check; may be
                                                                 NULL */
    void *context;
} sa_prove_options;

/* Checks in double precision, with the model's own weights, the invariants of attention whatever
 * the weights are, and that batches and gradients are those of their sentences. SA_CHECK names the
 * first check that does not hold and its figure; SA_DATA: no pair is short enough. */
bool sa_prove(const sa_model *model, const sa_prove_options *options, sa_error *error);

/* The name of check i; NULL after the last. Sets what it means; may be NULL. */
const char *sa_proof_check_name(size_t i, const char **meaning);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
