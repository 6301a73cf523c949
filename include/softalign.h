/* softalign: small neural translation models on a CPU, with hand-written gradients, and what
 * attention does inside them.
 *
 * This is the whole public interface, in reading order: errors, settings, pairs of sentences,
 * training, models, translation, alignment, metrics, evaluation, diagnosis, one step in numbers,
 * attention on numbers of one's own, the gradient laboratory, the proof that attention is
 * attention.
 *
 * Conventions. All text is UTF-8. A function that can fail returns false or NULL and fills in the
 * sa_error given last (NULL is allowed). What a function hands out is freed by the function named
 * beside it. The library never prints, never exits, and keeps no state outside the objects (but a
 * random key for hashes); one object may be used by one thread at a time. (OpenBLAS is set to one
 * thread for the whole process: the threads are the library's own.) A process that fork() makes has
 * none of those threads: there, only objects that were opened there may be used. */
#ifndef SOFTALIGN_H
#define SOFTALIGN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ------------------------------------------------------------------------------- */

/* What failed; the numbers are the exit codes of the command. */
typedef enum sa_code {
    SA_OK = 0,
    SA_CHECK = 1,    /* a check failed: a gradient, an invariant */
    SA_USAGE = 2,    /* an option or argument is wrong */
    SA_DATA = 3,     /* a corpus or model file is damaged or says something impossible */
    SA_OPEN = 4,     /* a file cannot be opened */
    SA_IO = 5,       /* reading or writing failed midway */
    SA_BUSY = 6,     /* the output folder belongs to another training */
    SA_LIMIT = 7,    /* memory or a size limit */
    SA_DIVERGED = 8, /* training left the finite numbers */
} sa_code;

typedef struct sa_error {
    sa_code code;
    char text[512]; /* one line without "softalign:", safe to print: "x.tsv:12: no tab ..." */
} sa_error;

/* "0.1.0" */
const char *sa_version(void);

/* What multiplies matrices here: the version of OpenBLAS and the kernels that it chose for this
 * processor, as in "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64". */
const char *sa_blas_version(void);
/* The file that the products come from, as the dynamic linker found it; NULL: it cannot tell. */
const char *sa_blas_library(void);

/* ---- Settings ----------------------------------------------------------------------------- */

/* What the choices of some options are called in programs. */
enum { SA_MODEL_RECURRENT, SA_MODEL_TRANSFORMER };                /* model */
enum { SA_TIE_NONE, SA_TIE_TWO, SA_TIE_THREE };                   /* tie */
enum { SA_CRITERION_LOSS, SA_CRITERION_BLEU, SA_CRITERION_CHRF }; /* criterion */
enum { SA_AVERAGE_LAST, SA_AVERAGE_BEST };                        /* average_of */
enum { SA_MAX_LAYERS = 8 }; /* most layers of an encoder or decoder */

/* Everything that shapes a model and its training, one field per option of `softalign train`.
 * Choices are the position of the chosen name in the option's list. */
typedef struct sa_settings {
    /* the model */
    int model; /* recurrent or transformer; each ignores what is the other's */
    int decoder;
    int attention;       /* the compatibility function */
    int heads;           /* H */
    int value_size;      /* d_v of each of several heads; 0: an annotation's numbers shared out */
    int window;          /* local attention */
    int window_size;     /* D */
    int encoder;         /* bi, uni, none */
    int layers;          /* of the encoder; of a transformer's decoder, too */
    int positions;       /* added to the embeddings */
    bool reverse_source; /* read from the last word to the first */
    int cell;
    int update, reset; /* forms of the gated unit */
    bool cell_norm;    /* layer normalisation in the recurrent cells */
    int decoder_init;  /* what s_0 is made of */
    int readout_state; /* which state the read-out sees */
    bool input_feeding;
    int embed;  /* m  width of the word embeddings */
    int hidden; /* n  units of each recurrent layer */
    int attn;   /* n' units of the alignment model */
    int maxout; /* l  units of the read-out */
    int ffn;    /* units of a transformer's feed-forward networks */
    int norm;   /* where a transformer normalises: before a sub-layer or after it */
    int tie;    /* which embeddings are shared with each other and the last matrix */
    int init;   /* how weights start */
    /* the text */
    int tokenizer;
    int bpe_merges; /* sub-words: merges learned at most */
    int bpe;        /* of both sides together, or of each alone */
    bool lowercase;
    int min_freq; /* rarer words are unknown */
    int vocab;    /* most frequent words kept a side; 0: all */
    int max_len;  /* training leaves out pairs with a longer side (in tokens) */
    /* the training */
    int optimizer;
    double lr;       /* 0: the optimizer's own */
    double lr_decay; /* the learning rate is multiplied by it after .. */
    int lr_patience; /* .. so many validations in a row that are not the best */
    int schedule;    /* what becomes of the learning rate */
    int64_t warmup;  /* updates over which it rises from 0 */
    double momentum;
    double beta1, beta2, epsilon; /* of adam */
    double clip;                  /* largest L2 norm of the gradient; 0: unbounded */
    double dropout;               /* of embeddings, annotations and read-out, or of sub-layers */
    double dropout_embeddings, dropout_annotations, dropout_readout; /* below 0: as dropout */
    double
        dropout_state;   /* of what recurrent weights meet; the same units all through a sentence */
    double word_dropout; /* of source and target words, each as a whole */
    double l2;           /* times the sum of all squared matrix weights: part of the loss */
    double weight_decay; /* share of its learning rate by which every update shrinks matrices */
    double label_smoothing;  /* share of each word's probability given to all words alike */
    double guided_alignment; /* weight of the loss of looking elsewhere than the pairs' links say */
    int batch;               /* sentences per update */
    int batch_tokens;        /* words of an update on either side; 0: so many sentences */
    int shards;              /* pieces a batch is cut into; 0: one per core */
    int64_t seed;
    int valid_every; /* updates between validations; 0: once an epoch */
    int criterion;   /* which validation is the better one: loss, BLEU or chrF */
    int patience;    /* validations without a better one before training stops; 0: never */
    int average;     /* the mean of the weights at so many validations is a model, too; 0: none */
    int average_of;  /* the last ones, or the best */
    /* the run: never stored in the model file */
    int threads; /* 0: one per core */
    int epochs;
    int64_t steps;   /* 0: no limit */
    double max_time; /* seconds; 0: no limit */
} sa_settings;

/* The defaults, right for a toy corpus on a laptop. */
void sa_settings_init(sa_settings *settings);

/* Sets one option from text, as `--name value` does; "yes" and "no" for switches. Fails with
 * SA_USAGE, naming the option and what is allowed. */
bool sa_settings_set(sa_settings *settings, const char *name, const char *value, sa_error *error);

/* Whether a model with these settings attends: the decoders with a fixed vector do not. */
bool sa_settings_has_attention(const sa_settings *settings);

/* Applies a named preset ("bahdanau2015"). Appends nothing, prints nothing: see sa_preset_text. */
bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error);

/* What a preset sets, one line each, with the paper's places and the deviations; NULL: unknown. */
const char *sa_preset_text(const char *name);

/* The compatibility functions that `attention` chooses from: the name of number i, its formula and
 * where it comes from (either may be NULL); NULL after the last. */
const char *sa_attention_info(size_t i, const char **formula, const char **citation);
/* The same of the decoders, and of the recurrent cells in all their forms. */
const char *sa_decoder_info(size_t i, const char **formula, const char **citation);
const char *sa_cell_info(size_t i, const char **formula, const char **citation);

/* ---- Pairs of sentences -------------------------------------------------------------------- */

typedef struct sa_pair {
    const char *source, *target; /* NFC, without line ends */
    const char *gold;            /* alignment in Pharaoh form, or NULL */
    size_t line;                 /* where it stood, counted from 1 */
} sa_pair;

typedef struct sa_corpus {
    sa_pair *pairs;
    size_t count;
    size_t lines;     /* lines read */
    size_t empty;     /* lines left out because a side was empty */
    bool gold;        /* every pair carries an alignment */
    const char *name; /* the path it came from */
    void *owned;      /* the text behind the pairs */
} sa_corpus;

/* Reads PAIRS: a tab-separated file, or "SRC,TGT" (two files with equal lines), or "-" for standard
 * input; gzip is recognised by its bytes. `path` must outlive the corpus, which is freed by
 * sa_corpus_close. */
bool sa_corpus_open(sa_corpus *corpus, const char *path, sa_error *error);
void sa_corpus_close(sa_corpus *corpus);
/* Gives every pair the alignment on its line of a file in Pharaoh form ("0-0 1-2"; an empty line:
 * no links), as aligners write it, in the place of its own. SA_DATA names the file and line that
 * does not read as one, or says that the files have different numbers of lines. */
bool sa_corpus_read_alignments(sa_corpus *corpus, const char *path, sa_error *error);

/* ---- Training ------------------------------------------------------------------------------ */

/* What a training has taken so far. */
typedef struct sa_train_cost {
    double seconds;  /* from its start, validations included */
    double updating; /* of these, the seconds that updates took */
    int64_t words;   /* target words learned from, end marks included */
} sa_train_cost;

typedef struct sa_progress {
    enum { SA_PROGRESS_STEP, SA_PROGRESS_VALIDATION, SA_PROGRESS_NOTE } kind;
    int epoch;         /* from 1 */
    double epoch_part; /* share of the epoch's pairs seen, 0..1 */
    int64_t step;      /* updates so far */
    sa_train_cost spent;
    double seconds_left; /* to the nearest known limit; < 0: unknown */
    double loss;         /* natural log per target word, end mark included, since the last report */
    double guided_loss;  /* SA_PROGRESS_VALIDATION: that of guided alignment per target word, since
                            the  last one; not a number without */
    double words_per_second;                                     /* target words */
    double gradient_norm;                                        /* before clipping */
    double valid_loss, valid_perplexity, valid_bleu, valid_chrf; /* SA_PROGRESS_VALIDATION only */
    bool best;        /* SA_PROGRESS_VALIDATION: the best so far */
    const char *note; /* SA_PROGRESS_NOTE: a line for the user */
} sa_progress;

/* Where the time of the updates went: a row for each part of the model. */
enum { SA_PROFILE_ENTRIES = 8 };
typedef struct sa_profile_entry {
    const char *name;
    double seconds; /* of all threads together */
} sa_profile_entry;

typedef struct sa_train_options {
    const sa_settings *settings;
    const char *train; /* PAIRS */
    const char
        *alignments;   /* of the training pairs, for sa_corpus_read_alignments; NULL: their own */
    const char *valid; /* PAIRS, or NULL: 5 % of the training pairs by a hash of the source */
    const char *out;   /* folder for best.safetensors, last.safetensors, log.csv, film; with
                          settings->average, average.safetensors */
    const sa_pair *snapshot_pairs; /* [probe_count] pairs whose attention is filmed: written down
                              before the first update and at every validation, as the heatmaps
                              out/film/0001/00000000.csv ..., a folder per pair, the updates in the
                              name; those of several heads in head-1 ... of it. SA_USAGE: the model
                              has no attention */
    size_t snapshot_count;
    bool resume;         /* go on from out/last.safetensors */
    sa_train_cost spent; /* what it took before this run; all that is told counts from there, and
                        max_time, too */
    bool pausing; /* a stop only saves, without a validation: going on later gives the files of
                     a training that was never stopped */
    void (*report)(void *context, const sa_progress *progress); /* may be NULL */
    void *context;
    const volatile sig_atomic_t
        *stop; /* non-zero: finish the update, save and return; may be NULL */
    sa_profile_entry
        *parts; /* [SA_PROFILE_ENTRIES] filled in at the end; NULL: nothing is measured */
} sa_train_options;

typedef struct sa_train_result {
    int64_t steps;
    int epochs;
    sa_train_cost spent;
    double best_loss, best_bleu, best_chrf; /* of the validation that was the best */
    const char *reason; /* why it ended: "epochs", "steps", "time", "patience", "stopped" */
} sa_train_result;

bool sa_train(const sa_train_options *training, sa_train_result *outcome, sa_error *error);

/* ---- Models -------------------------------------------------------------------------------- */

typedef struct sa_model sa_model;

/* Reads a model file; every byte is checked. `threads`: 0 for one per core. */
sa_model *sa_model_open(const char *path, int threads, sa_error *error);
void sa_model_close(sa_model *model);
const sa_settings *sa_model_settings(const sa_model *model);

/* Writes to `path` the model whose weights are the mean of those of `count` model files, such as
 * checkpoints of one training. SA_USAGE names the file whose settings of model or text, or whose
 * words, are not those of the first. */
bool sa_average_models(const char *const *models, int count, const char *path, sa_error *error);

/* How many numbers were learned. */
size_t sa_model_parameters(const sa_model *model);
/* How many numbers of its file were too small for a float's full precision (denormal) and are zero
 * now: they would slow every product down a hundredfold. */
size_t sa_model_denormals(const sa_model *model);

/* ---- Attention: which is shown, and what takes its place ----------------------------------- */

/* Where a model attends: from the decoder to the source, or within the encoder or decoder of a
 * Transformer. */
typedef enum sa_attention_site {
    SA_SITE_CROSS,
    SA_SITE_ENCODER,
    SA_SITE_DECODER,
} sa_attention_site;

/* What replaces the weights that the model computes. */
typedef enum sa_override_kind {
    SA_OVERRIDE_NONE,    /* nothing does */
    SA_OVERRIDE_UNIFORM, /* 1 / S for every source word */
    SA_OVERRIDE_SHUFFLE, /* the model's weights in a random order, one order for each sentence */
    SA_OVERRIDE_SHIFT,   /* the model's weights, moved `shift` positions to the right, cyclically */
    SA_OVERRIDE_ONE_HOT, /* all weight on the source word with the largest */
    SA_OVERRIDE_GOLD,    /* equal weights on a target word's links in the pair's alignment; a word
                            without links keeps the model's */
} sa_override_kind;

/* All zero: nothing is replaced. */
typedef struct sa_attention_override {
    sa_override_kind kind;
    int shift; /* of SA_OVERRIDE_SHIFT */
} sa_attention_override;

/* Reads "none", "uniform", "shuffle", "shift:2", "one-hot" or "gold"; SA_USAGE: anything else. */
bool sa_attention_override_parse(sa_attention_override *override, const char *text,
                                 sa_error *error);

/* ---- Translation --------------------------------------------------------------------------- */

typedef struct sa_search {
    int beam;             /* 1: greedy */
    int nbest;            /* translations wanted of each sentence; of a beam at most its size */
    int length_penalty;   /* what a log-probability is divided by before it is compared */
    double length_power;  /* the power in it */
    double coverage;      /* weight of the coverage penalty (Wu et al. 2016, equation 14) */
    double max_ratio;     /* longest output: ratio * source words (end mark included) + 10 */
    int min_length;       /* shortest output, in words without the end mark */
    bool no_unknown;      /* never write the unknown word */
    bool sample;          /* draw the words at random instead of searching */
    double temperature;   /* of the sampling */
    int top_k;            /* only from the likeliest words; 0: all */
    double top_p;         /* only from the fewest that have so much of the probability */
    int64_t seed;         /* of the sampling */
    bool weights;         /* keep tokens and attention in each translation */
    bool replace_unknown; /* by the source word that was attended most, */
    const struct sa_corpus *dictionary; /* or by what it is paired with here; NULL: none */
    int batch;                          /* sentences decoded together */
    sa_attention_override override;     /* what replaces the attention weights; SA_OVERRIDE_GOLD in
                                           sa_evaluate only */
} sa_search;

void sa_search_init(sa_search *search);

typedef struct sa_translation {
    char *text;             /* detokenised */
    double log_probability; /* sum over its words, end mark included */
    double score;           /* what the search compared */
    int words;              /* end mark included */
    bool complete;          /* it ended by itself, not at the longest output */
    /* The rest only with sa_search.weights. */
    int sources;                               /* source words, end mark included */
    const char *const *target, *const *source; /* [words], [sources] */
    double *weights; /* [words * sources] row t: where it looked when it wrote word t, the mean of
                        heads and models; NULL without attention */
} sa_translation;

/* Translates `count` sentences; `out` has room for count * nbest. An empty sentence gives empty
 * text. Missing n-best entries have text NULL. Freed by sa_translations_release; after a failure
 * there is nothing to free. SA_USAGE: `search` asks for what it cannot; SA_DIVERGED: the model
 * gives no probabilities (so in sa_align and sa_evaluate too). */
bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *out, sa_error *error);

/* The same by several models (at most 16), whose probabilities are averaged. They must know the
 * same target words and read and write alike; SA_USAGE says which does not. */
bool sa_translate_ensemble(sa_model *const *models, int number, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *out,
                           sa_error *error);
void sa_translations_release(sa_translation *translations, size_t count);

/* ---- Alignment ----------------------------------------------------------------------------- */

/* The attention of one forced decoding. Both sides end in the end mark, shown as "</s>". Rows are
 * the words that looked, columns those looked at: target and source, or, where a transformer's
 * encoder or decoder looks at its own words, that side's twice; of the target then those that
 * enter, from "<s>" to the one before the end mark, and row t is what the word behind it was
 * written from. */
typedef struct sa_alignment {
    int targets, sources;                      /* rows and columns: words, end marks included */
    int heads, layers;                         /* one layer where subwords were merged */
    const char *const *target, *const *source; /* [targets], [sources] the user's own words */
    const double *weights; /* all matrices [targets * sources], one after the other; NULL: none. The
                              first is the mean over heads; see sa_alignment_weights */
    double log_probability;
} sa_alignment;

/* The matrix [targets * sources] of one head (from 1; 0: the mean over heads) in one layer (from 1;
 * 0: the layer that was chosen, or the mean over layers). Row t: the weights while target word t is
 * predicted. The heads of a layer, and the layers, follow each other in memory. NULL: there are no
 * weights, or the mean over the heads of one layer among several is asked for. */
const double *sa_alignment_weights(const sa_alignment *alignment, int layer, int head);

/* All zero: cross-attention, the mean over layers, as the model computes it. */
typedef struct sa_align_options {
    sa_attention_site site;
    int layer; /* from 1; 0: the mean over layers */
    sa_attention_override override;
} sa_align_options;

/* Calls `each` for every pair in order; a false return ends the work and is handed on. `options`
 * may be NULL: all zero. SA_USAGE: the model has no attention (sa_settings_has_attention), or no
 * such site or layer. SA_DATA: SA_OVERRIDE_GOLD, and a pair has no alignment. */
bool sa_align(sa_model *model, const sa_align_options *options, const sa_pair *pairs, size_t count,
              bool (*each)(void *context, size_t index, const sa_alignment *alignment,
                           sa_error *error),
              void *context, sa_error *error);

/* The same between words where the model reads and writes sub-words ("low@@", "er"): the row of a
 * target word is the mean of its sub-words' rows, the column of a source word the sum of its
 * sub-words' columns, so that rows still sum to 1. End marks stay words of their own. `pieces` may
 * have no weights (NULL); of tokens that are words already nothing changes. Freed by
 * sa_alignment_release. */
bool sa_alignment_merge(const sa_alignment *pieces, sa_alignment *words, sa_error *error);
void sa_alignment_release(sa_alignment *words);

/* ---- Metrics ------------------------------------------------------------------------------- */

/* How texts are compared, one field per option of `softalign score`; the figures are those of
 * sacreBLEU 2.6. Choices are the position of the chosen name in the option's list. */
typedef struct sa_metrics {
    int tokenize;         /* 13a, none, char */
    int smooth;           /* exp, floor, add-k, none */
    double smooth_value;  /* of floor and add-k; 0: their own */
    bool effective_order; /* BLEU of as many orders as there are words */
    bool lowercase;
    int chrf_order, chrf_word_order; /* longest n-grams of characters, of words */
    int chrf_beta;                   /* recall counts so many times as much as precision */
    bool chrf_whitespace;            /* white space is a character */
    bool chrf_eps;                   /* the mean of the F-scores of all orders */
} sa_metrics;

void sa_metrics_init(sa_metrics *metrics);

typedef struct sa_metric_values {
    double bleu, chrf; /* 0 .. 100 */
    double exact;      /* share of sentences equal to a reference, white space aside */
    double tokens;     /* share of reference tokens that stand at the same place */
} sa_metric_values;

/* Scores `count` sentences against `reference_count` references of each: references[r][i] belongs
 * to hypotheses[i]. All are valid UTF-8. */
bool sa_compute_metrics(const sa_metrics *metrics, const char *const *hypotheses,
                        const char *const *const *references, size_t reference_count, size_t count,
                        sa_metric_values *figures, sa_error *error);

/* ---- Evaluation ---------------------------------------------------------------------------- */

/* What is behind AER: |A|, |S|, |A and S|, |A and P|. */
typedef struct sa_link_counts {
    size_t links, sure, links_sure, links_possible;
} sa_link_counts;

/* What the attention of a pair adds up to while its target is written, teacher-forced. alpha
 * [T x S] are its weights, the mean of all heads; the last row and column belong to the end marks.
 * The figures of several pairs are made of their sums. */
typedef struct sa_attention_stats {
    size_t rows;         /* T */
    double entropy;      /* - sum_tj alpha_tj ln alpha_tj (nats) */
    double head_entropy; /* mean over the heads */
    double max_entropy;  /* T ln S: that of equal weights */
    double weight,
        eos_weight;           /* of the rows before the last: sum of all weights, of those on EOS */
    size_t sources, covered;  /* source words; those with sum_t alpha_tj >= 1/2 */
    size_t steps, monotone;   /* target words after the first; those whose most attended source word
                                 is not before that of the preceding target word */
    double long_rows, column; /* in pairs of at least 4 words a side: target words; their weight on
                                 the most attended source word of the pair */
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
    /* the source words with the largest and the smallest weight - expected */
    sa_source_coverage over, under;
} sa_length_balance;

typedef struct sa_sentence_result { /* of one pair */
    double log_probability;         /* of the reference, teacher-forced, end mark included */
    double free_log_probability;    /* the same when each word is predicted after the model's own */
    int words, source_words;        /* target words with the end mark; source words without it */
    char *translation;              /* detokenised */
    char *reference;                /* in lower case when the model reads so */
    bool exact;                     /* the translation is the reference, white space aside */
    size_t links, sure, links_sure,
        links_possible;           /* the counts behind AER: |A|, |S|, |A and S|, |A and P| */
    sa_link_counts before, after; /* the same with each link moved to the target word before it,
                                     after it */
    sa_attention_stats attention; /* zero without attention */
    sa_length_balance balance;
    int unknown_source, unknown_target; /* words that the model does not know */
} sa_sentence_result;

typedef struct sa_eval_result {
    size_t sentences;
    int64_t target_words;
    double free_perplexity; /* free-running; loss and perplexity are teacher-forced */
    double loss, perplexity, bleu, chrf, exact;
    double tokens; /* share of the references' tokens at the same place in the translation */
    /* NaN without gold alignments, or without attention: */
    double aer, precision, recall;
    double aer_before,
        aer_after; /* with the links moved: lower than aer when they are off by one */
    /* Of the attention (sa_attention_stats); NaN without it, or when there is nothing to count: */
    double entropy;      /* of a row, in nats: 0 .. ln S */
    double coverage;     /* share of source words whose weights in all rows, the end mark's too, add
                            up to at least 1/2 */
    double end_weight;   /* share of the weight that goes to the source's end mark while a word (not
                            the end mark) is written */
    double monotonicity; /* share of target words, the first of each pair left out, whose most
                            attended source word is that of the word before or stands behind it;
                            end marks left out, of equals the first */
} sa_eval_result;

/* How links are made of attention weights; the choice is the position of the name in the option's
 * list. */
typedef struct sa_link_options {
    int links;        /* argmax, threshold */
    double threshold; /* the smallest weight that is a link */
} sa_link_options;

void sa_link_options_init(sa_link_options *linking);

/* Evaluates every pair: results [corpus->count], freed by sa_sentence_results_release. `linking`
 * may be NULL: as sa_link_options_init sets it. */
bool sa_evaluate(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                 const sa_link_options *linking, sa_sentence_result *results, sa_error *error);
/* The figures over the pairs whose index `chosen` lists (NULL: all of count). */
bool sa_eval_summarize(const sa_corpus *corpus, const sa_sentence_result *each,
                       const size_t *chosen, size_t count, sa_eval_result *scores, sa_error *error);
/* The same with other settings of the metrics. */
bool sa_eval_summarize_with(const sa_metrics *metrics, const sa_corpus *corpus,
                            const sa_sentence_result *each, const size_t *chosen, size_t count,
                            sa_eval_result *scores, sa_error *error);
void sa_sentence_results_release(sa_sentence_result *each, size_t count);

/* ---- Diagnosis ------------------------------------------------------------------------------ */

/* A pair that shows what a finding means. */
typedef struct sa_diagnosis_case {
    size_t index;                /* in the corpus */
    double words;                /* so many too many; below 0: too few */
    sa_source_coverage coverage; /* at the source word with too much, or too little weight */
    const char *source;          /* that word; NULL: no attention */
} sa_diagnosis_case;

/* Something that is wrong with a model, its words or its pairs. */
typedef struct sa_finding {
    const char *name;               /* "off by one" */
    const char *measure;            /* what the figure is, in words */
    double figure, threshold;       /* the figure is at least the threshold */
    const char *lesson;             /* what it means, what to try, what to read */
    const sa_diagnosis_case *cases; /* the worst, worst first */
    size_t case_count;
} sa_finding;

typedef struct sa_diagnosis {
    sa_finding *findings; /* in the order of sa_diagnostic_name */
    size_t count;         /* 0: nothing was found */
    void *owned;
} sa_diagnosis;

/* Looks for everything there is a row for in what sa_evaluate said of all pairs. `train`: the pairs
 * the model learned from, to be looked for among those of `corpus`; may be NULL. Freed by
 * sa_diagnosis_release. */
bool sa_diagnose(sa_model *model, const sa_corpus *corpus, const sa_sentence_result *each,
                 const sa_corpus *train, sa_diagnosis *diagnosis, sa_error *error);
void sa_diagnosis_release(sa_diagnosis *diagnosis);

/* The name, the measure and the threshold of number i of all that can be found; NULL after the
 * last. */
const char *sa_diagnostic_name(size_t i, const char **measure, double *threshold);

/* ---- One step in numbers -------------------------------------------------------------------- */

/* The pair that is explained. */
typedef struct sa_explain_pair {
    bool forced;                               /* the target was given, not found by the model */
    int sources, targets;                      /* words, end marks included */
    const char *const *source, *const *target; /* the user's own words, the end mark as "</s>" */
    const int *source_token_ids, *target_token_ids; /* their numbers in the model; 0: unknown */
} sa_explain_pair;

typedef enum sa_explain_part {
    SA_EXPLAIN_SOURCE,  /* made once for the sentence */
    SA_EXPLAIN_STEP,    /* one target word */
    SA_EXPLAIN_WEIGHTS, /* what the model has learned: the tensor `name` */
} sa_explain_part;

typedef enum sa_explain_shape {
    SA_SHAPE_NUMBER, /* one */
    SA_SHAPE_VECTOR, /* one row */
    SA_SHAPE_COLUMN, /* a number in every row */
    SA_SHAPE_MATRIX,
} sa_explain_shape;

typedef enum sa_explain_rows {
    SA_ROWS_UNNAMED,
    SA_ROWS_SOURCE,     /* a row for every source word */
    SA_ROWS_VOCABULARY, /* a row for every word of the target vocabulary, special symbols included
                         */
} sa_explain_rows;

/* Numbers of one letter. All texts are ASCII. */
typedef struct sa_explain_value {
    sa_explain_part part;
    int step;             /* i, from 1; 0 outside steps */
    int head;             /* from 1; 0: there is one head, or it belongs to all */
    const char *section;  /* title of the section that begins here, or NULL */
    const char *equation; /* "c_i = sum_j alpha_ij h_j"; NULL: it belongs to the one before */
    const char *citation; /* where the equation stands; NULL with no equation, or of our own */
    const char *name;     /* a short key, the only one in its step and head: "alpha", "s~" */
    const char *letters;  /* "alpha_ij" */
    sa_explain_shape shape;
    int rows, cols;
    const double *numbers; /* [rows * cols] */
    bool whole;            /* they count something */
    sa_explain_rows about;
    const char *const *row; /* [rows] the words the rows are about, or NULL */
    int chosen;             /* the row of the word that is written here, or -1 */
    int terms;              /* of a column: each number is the sum of so many terms, or 0 */
    const double *term;     /* [rows * terms] */
    double divisor;         /* ... divided by this */
} sa_explain_value;

typedef struct sa_explain_options {
    const char *source;
    const char *target; /* forced; NULL: the greedy translation */
    int step;           /* from 1; 0: all. Of a transformer: the source word, one alone */
    int layer;          /* of a transformer's encoder, from 1; else without meaning */
    bool weights;       /* hand out the weights of a step, too */
    /* Called line by line, and with NULL when there are no more. */
    void (*each)(void *context, const sa_explain_pair *pair, const sa_explain_value *line);
    void *context;
} sa_explain_options;

/* Runs the model in double precision and hands out, in the order of the equations, the numbers that
 * it left behind: of a decoder step, or of a source word in a layer of a transformer's encoder.
 * Pair and words hold until it returns, a line only during its call. SA_USAGE: the source is empty,
 * a text is not UTF-8, or there is no such step or layer. */
bool sa_explain(sa_model *model, const sa_explain_options *explaining, sa_error *error);

/* ---- Attention on your own numbers --------------------------------------------------------- */

/* A matrix of numbers, row after row. */
typedef struct sa_table {
    const char *name;      /* the file it came from, for messages; may be NULL */
    int rows, cols;        /* at least 1 */
    const double *numbers; /* [rows * cols]; NULL: not given */
} sa_table;

/* A projection x -> W x + b of every row x; W not given: x itself. */
typedef struct sa_projection {
    sa_table W; /* [out x in] */
    sa_table b; /* `out` numbers in a row or a column; not given: zero; needs W */
} sa_projection;

/* One attention, in double precision, computed by the code that trains (Vaswani et al. 2017,
 * section 3.2, and Bahdanau et al. 2015, A.1.2):
 *
 *   q_i, k_j, v_j   the rows of query, keys, values, by their projections
 *   e_ij            = f(q_i, k_j), the compatibility function
 *   alpha_i         = softmax(e_i), over the keys that query i may see
 *   c_i             = sum_j alpha_ij v_j
 *   output_i        = c_i, by its projection
 *
 * Several heads cut q, k, v and v_a into slices of columns and attend each with its own; c_i joins
 * them. So "scaled-dot" with all projections and biases is the usual multi-head attention.
 * "general" is s' W_a h with W_a the keys' projection: each head compares the whole query with its
 * slice of the keys. "location" takes q_i itself as the scores, position by position, and keys
 * behind its last number have weight 0; it and "uniform" need no keys. */
typedef struct sa_attend_options {
    int attention; /* the compatibility function, as in sa_settings */
    int heads;
    int positions; /* as in sa_settings: row t of query, keys and values gets its vector added */
    bool causal;   /* query i sees keys 0 .. i only */
    sa_table query, keys, values; /* [Q x ..], [S x ..], [S x ..] */
    sa_projection query_projection, keys_projection, values_projection, output_projection;
    sa_table v_a;     /* of "additive" and "concat": as many numbers as k_j has, in a row or a
                         column; not given: all 1 */
    sa_table weights; /* [Q x S] alpha itself: there is no query, no key and no score then */
} sa_attend_options;

typedef struct sa_attend_result {
    int queries, keys, heads;
    int context, output; /* numbers of c_i and of output_i */
    bool default_v_a;    /* v_a was needed and not given */
    double *scores;      /* [heads * queries * keys] e; NaN where a query may not look; NULL when
                            the weights were given */
    double *weights;     /* [heads * queries * keys] alpha, 0 where a query may not look */
    double *contexts;    /* [queries * context] c */
    double *outputs;     /* [queries * output] */
} sa_attend_result;

/* Attends. SA_DATA names both tables and their shapes when two do not fit, or says that the numbers
 * are too large for double; SA_USAGE: something is missing, or the heads cannot share the columns.
 * Freed by sa_attend_result_release; after a failure there is nothing to free. */
bool sa_attend(const sa_attend_options *attending, sa_attend_result *attended, sa_error *error);
void sa_attend_result_release(sa_attend_result *attended);

/* ---- The gradient laboratory ---------------------------------------------------------------- */

typedef struct sa_gradient_result {
    const char *name;
    int rows, cols;
    double worst;         /* ||a-n|| / max(||a||, ||n||) over the tensor */
    double worst_element; /* max of |a-n| / max(|a|, |n|, 1e-4 max|g|) */
    bool zero;            /* the gradient is zero, as central differences say */
    bool ok;
} sa_gradient_result;

typedef struct sa_gradcheck_options {
    const sa_settings *settings;
    const char
        *train; /* PAIRS to take the batch from, or NULL: a built-in batch of ragged lengths */
    const char *broken; /* the backward term to leave out, or NULL */
    const char *dump;   /* file for weights, batch, loss and gradients in F64, or NULL */
    void (*each)(void *context, const sa_gradient_result *gradient); /* called tensor by tensor */
    void *context;
} sa_gradcheck_options;

/* Compares every hand-written gradient with fourth-order central differences, in double. Fails with
 * SA_CHECK when a relative error exceeds 1e-6; with SA_USAGE when this model has no term `broken`.
 */
bool sa_check_gradients(const sa_gradcheck_options *check, sa_error *error);

/* The backward terms that `broken` may name: number i, in *dropped what goes missing, in *options
 * those of `softalign gradcheck` for a model that has the term (either may be NULL); NULL after the
 * last. */
const char *sa_gradient_fault_name(size_t i, const char **dropped, const char **options);

/* ---- What must hold of attention ------------------------------------------------------------ */

/* One check of a model, over all pairs. */
typedef struct sa_proof_check {
    const char *name;    /* "row-sums" */
    const char *meaning; /* what must hold, and how it is tried */
    double worst;        /* the largest figure found; NaN when nothing was measured */
    double allowed;
    bool above;       /* the figure must be above what is allowed; else it may be at most that */
    bool skipped;     /* it need not hold for this model or these pairs: `note` says why */
    bool ok;          /* it holds, or was skipped */
    const char *note; /* or NULL */
} sa_proof_check;

typedef struct sa_prove_options {
    const sa_corpus *corpus; /* pairs to try it on; NULL: random sentences of the model's words */
    int limit;               /* only the first so many that fit --max-len, at least 1 */
    int64_t seed;            /* of random words */
    void (*each)(void *context, const sa_proof_check *check); /* called check by check */
    void *context;
} sa_prove_options;

/* Checks in double, with the model's own weights, what must hold whatever they are if its attention
 * is attention, and that its batches and gradients are those of its sentences. Fails with SA_CHECK,
 * naming the first check that does not hold and its figure; SA_DATA: no pair fits. */
bool sa_prove(const sa_model *model, const sa_prove_options *proving, sa_error *error);

/* The checks: name of number i and what it means (may be NULL); NULL after the last. */
const char *sa_proof_check_name(size_t i, const char **meaning);

#ifdef __cplusplus
}
#endif

#endif
