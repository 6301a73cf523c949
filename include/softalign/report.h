/* softalign/report.h: for programs that describe models and compare them. Sections: options and
 * choices, metrics, links and statistics of attention, heads, diagnosis, comparison of models, word
 * aligners, pages, the machine. softalign.h explains errors, ownership and structs. */
#ifndef SOFTALIGN_REPORT_H
#define SOFTALIGN_REPORT_H

#include <softalign.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- Options and choices ------------------------------------------------------------------- */

typedef enum sa_option_kind {
    SA_OPTION_INT,    /* int */
    SA_OPTION_INT64,  /* int64_t, below 2^53: every JSON reader can hold it */
    SA_OPTION_REAL,   /* double */
    SA_OPTION_SWITCH, /* bool */
    SA_OPTION_CHOICE, /* int: the position of a name */
    SA_OPTION_TEXT,   /* const char *, not copied; NULL until set */
    SA_OPTION_INPUT,  /* the same: a file to read, or two files as "A,B"; "-": standard input */
    SA_OPTION_OUTPUT, /* a file to write; "-": standard output */
    SA_OPTION_FOLDER, /* a folder to write files into; the choices are their names, with wildcards
                       */
} sa_option_kind;

/* What an option belongs to. A model file stores all but SA_SCOPE_RUN. */
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
    const char *(*choice)(size_t i); /* see sa_option_choice; NULL: `names` has the choices */
    const void *names;   /* a list of words, or a table of structs that begin with one, ended by
                            NULL; or NULL: there are no choices */
    size_t stride;       /* bytes from one entry to the next */
    const char *value;   /* placeholder for the value in the help: "N", "FILE" */
    const char *help;    /* meaning and unit */
    const char *heading; /* shown above the option in lists, if it begins a group; or NULL */
} sa_option;

/* Returns the name of choice i; NULL after the last. For a real number it is a word that stands for
 * the number i, outside the range; for text, one of the words allowed. */
const char *sa_option_choice(const sa_option *option, size_t i);

/* Return option i of the struct; NULL after the last. Settings are grouped by scope. */
const sa_option *sa_settings_option(size_t i);
const sa_option *sa_search_option(size_t i);
const sa_option *sa_metrics_option(size_t i);
const sa_option *sa_link_option(size_t i);
const sa_option *sa_aligner_option(size_t i);

/* Return the name of choice i of attention (a score function), normalizer, positions, coverage or
 * decoder, or of a recurrent cell, where each form of the GRU counts; NULL after the last. Set its
 * formula and its citation; either may be NULL. */
const char *sa_attention_info(size_t i, const char **formula, const char **citation);
const char *sa_normalizer_info(size_t i, const char **formula, const char **citation);
const char *sa_position_info(size_t i, const char **formula, const char **citation);
const char *sa_coverage_info(size_t i, const char **formula, const char **citation);
const char *sa_decoder_info(size_t i, const char **formula, const char **citation);
const char *sa_cell_info(size_t i, const char **formula, const char **citation);

/* Returns whether the normalizer has a null key, so that a word's weights may sum to less than 1.
 */
bool sa_settings_has_null_key(const sa_settings *settings);

/* The memory that decoding needs, in bytes. */
typedef struct sa_cache_size {
    size_t state;       /* for each hypothesis, however long it is */
    size_t source_word; /* keys and values for each source word */
    size_t target_word; /* and for each target word of a hypothesis; recurrent models: 0 */
} sa_cache_size;

/* Returns the size of the cache of a model with these settings; all 0 if they are invalid. */
sa_cache_size sa_settings_cache_size(const sa_settings *settings);

/* ---- Metrics ------------------------------------------------------------------------------- */

enum {
    SA_METRIC_TOKENIZER_13A,
    SA_METRIC_TOKENIZER_NONE,
    SA_METRIC_TOKENIZER_CHAR,
    SA_METRIC_TOKENIZER_ZH
};
enum { SA_SMOOTHING_EXP, SA_SMOOTHING_FLOOR, SA_SMOOTHING_ADD_K, SA_SMOOTHING_NONE };

/* How texts are compared: the options of `softalign score`. Figures are as sacreBLEU 2.6 computes
 * them. */
struct sa_metrics {
    int tokenize;         /* SA_METRIC_TOKENIZER_... */
    int smooth;           /* SA_SMOOTHING_... of BLEU */
    double smooth_value;  /* for floor and add-k; 0: their defaults */
    bool effective_order; /* BLEU up to the longest n-gram in the text */
    bool lowercase;
    int chrf_order, chrf_word_order; /* longest n-grams of characters, of words */
    int chrf_beta;                   /* weight of recall over precision */
    bool chrf_whitespace;            /* white space counts as a character */
    bool chrf_eps;                   /* the mean of the F-scores of all orders */
    uint64_t reserved[4];
};

/* Sets the defaults, which are sacreBLEU's. */
void sa_metrics_init(sa_metrics *metrics);

/* Sets one option by its name, as sa_settings_set does. */
bool sa_metrics_set(sa_metrics *metrics, const char *name, const char *value, sa_error *error);

typedef struct sa_metric_values {
    double bleu, chrf; /* 0 .. 100 */
    double exact;      /* fraction of sentences equal to a reference, white space aside */
    double tokens;     /* fraction of reference tokens found at the same position */
    double per;        /* insertions, deletions and replacements per 100 reference tokens: the
                          phone error rate where tokens are phones */
    uint64_t reserved[8];
} sa_metric_values;

/* Scores `count` hypotheses, each against `reference_count` references: references[r][i] belongs to
 * hypotheses[i]. All must be valid UTF-8. */
bool sa_compute_metrics(const sa_metrics *metrics, const char *const *hypotheses,
                        const char *const *const *references, size_t reference_count, size_t count,
                        sa_metric_values *values, sa_error *error);

/* ---- Links and statistics of attention ----------------------------------------------------- */

/* Turns an alignment of subwords ("low@@", "er") into an alignment of words. Averages the rows of a
 * target word and adds up the columns of a source word, so that rows still sum to 1; adds up
 * log-probabilities. A word is unknown if one of its subwords is. EOS stays a word of its own. Free
 * `words` with sa_alignment_release. */
bool sa_alignment_merge(const sa_alignment *subwords, sa_alignment *words, sa_error *error);

enum { SA_LINKS_ARGMAX, SA_LINKS_THRESHOLD };

/* How attention weights become links. EOS is left out, and a weight of 0 makes no link. */
struct sa_link_options {
    int links;        /* SA_LINKS_... */
    double threshold; /* the smallest weight that makes a link */
    bool null_key;    /* 1 minus the sum of a row is the weight of a null key, as
                         sa_settings_has_null_key says: a word with more weight there than on any
                         source word has no link */
    int at;           /* SA_ALIGN_..., in sa_evaluate */
    bool whole;       /* the last row and column are words, too, not EOS */
    uint64_t reserved[4];
};

/* Sets the defaults: links each target word to the source word with its largest weight. */
void sa_link_options_init(sa_link_options *options);

/* Sets one option by its name, as sa_settings_set does. */
bool sa_link_options_set(sa_link_options *options, const char *name, const char *value,
                         sa_error *error);

/* The counts of the alignment error rate: |A|, |S|, |A and S|, |A and P|. */
typedef struct sa_link_counts {
    size_t links, sure, links_sure, links_possible;
} sa_link_counts;

/* Statistics of the attention weights alpha [T x S] of a pair, teacher-forced, the mean over heads;
 * the last row and column are EOS. The statistics of several pairs are sums. */
typedef struct sa_attention_stats {
    size_t rows, words;       /* T; without EOS */
    size_t cells, zeros;      /* T S; how many of these weights are exactly 0 */
    double entropy;           /* - sum_tj alpha_tj ln alpha_tj (nats) */
    double head_entropy;      /* mean over the heads */
    double max_entropy;       /* T ln S: the entropy of equal weights */
    double weight;            /* sum of the weights in all rows except the last */
    double eos_weight;        /* how much of that is in the last column */
    size_t sources, covered;  /* source words; how many have sum_t alpha_tj >= 1/2 */
    size_t steps, monotone;   /* target words that, like the word before, have weight on a source
                                 word; how many attend most to a source word that is not before
                                 the previous one's */
    double long_rows, column; /* in pairs with at least 4 words on each side: target words; their
                                 weight on the most attended source word of the pair */
    size_t online;            /* target words of a model that reads the source while it writes */
    double read, available;   /* source words, EOS included, read before them; in their sentences */
    /* words that occur exactly once on each side; how many of them attention aligns with each other
     * when its links move to the target word before, stay, or move to the word after */
    size_t identical, aligned[3];
} sa_attention_stats;

/* The sum of a source word's weights over all rows, EOS included. */
typedef struct sa_source_coverage {
    int position;    /* of the word, from 0; -1: no attention */
    double weight;   /* with the model's translation as the target */
    double expected; /* with the reference as the target */
} sa_source_coverage;

/* A translation compared with its reference: too many words, too few words. */
typedef struct sa_length_balance {
    int words, reference; /* tokens, without EOS */
    int repeated;         /* immediately repeated tokens, beyond the reference's */
    int repetitions; /* Malaviya et al. 2018: bigrams that occur at least twice, beyond their count
                        in the reference, plus twice the same for pairs of equal tokens */
    int dropped;     /* source words with a weight below 0.2, though at least 0.2 is expected */
    /* the source words with the largest and the smallest value of weight - expected */
    sa_source_coverage over, under;
} sa_length_balance;

/* What sa_sentence_result holds about links, attention and length. */
typedef struct sa_sentence_details {
    sa_link_counts links;         /* of the attention against the pair's alignment */
    sa_link_counts before;        /* the same with every link moved to the target word before, or
                                     dropped where there is none */
    sa_link_counts after;         /* and to the target word after */
    sa_attention_stats attention; /* zero: no attention */
    sa_length_balance balance;
} sa_sentence_details;

/* ---- Heads --------------------------------------------------------------------------------- */

/* A head of the decoder's self-attention, and what it does with words that occurred before (Olsson
 * et al. 2022). Each row predicts a target word. The decoder reads word x_i after x_0 .. x_{i-1};
 * its row is repeated if an x_{j-1} = x_i with j < i. A decoder-only model reads the source, EOS
 * and the target; any other decoder reads BOS and the target. */
typedef struct sa_head_score {
    int layer, head;        /* from 1 */
    double prefix_matching; /* sum_{j < i: x_{j-1} = x_i} alpha_ij, mean over the repeated rows */
    double previous_word;   /* alpha_{i,i-1}, mean over all rows but those of x_0 and x_1 */
    /* C = W_E W_v' W_o' W_U': what attending to a word adds to the logit of each word, without
     * normalization and residual connections; for the 1,000 most frequent words */
    double copying;       /* fraction of words w with C_ww = max_u C_wu */
    double copying_trace; /* mean of C_ww, divided by the standard deviation of C */
    /* per target word, when the head adds nothing: */
    double loss_without, loss_repeated_without;
    char role[24]; /* a description of the weights, not of what they cause: "previous", "same",
                      "induction", "duplicate" (word), "first" (of the decoder's words), two of them
                      with a "+", "diffuse" or "mixed"; "": there are fewer than 50 rows */
    uint64_t reserved[1];
} sa_head_score;

typedef struct sa_head_scores {
    /* of the whole model, per target word: in all rows, in rows that are not repeated, in repeated
     * rows; NaN: there are none */
    double loss, loss_new, loss_repeated;
    sa_head_score *each; /* by layer, then head */
    size_t count;
    uint64_t reserved[4];
} sa_head_scores;

/* Scores every head. Changes the model's weights while it runs, then restores them. Free the scores
 * with sa_head_scores_release. SA_USAGE: the decoder has no self-attention. */
bool sa_score_heads(sa_model *model, const sa_corpus *corpus, sa_head_scores *scores,
                    sa_error *error);
void sa_head_scores_release(sa_head_scores *scores);

/* ---- Diagnosis ----------------------------------------------------------------------------- */

/* A pair that shows a finding. */
typedef struct sa_diagnosis_case {
    size_t index;                /* in the corpus */
    double words;                /* tokens too many; negative: too few */
    sa_source_coverage coverage; /* of the source word with too much or too little weight */
    const char *source;          /* that word; NULL: no attention */
    uint64_t reserved[2];
} sa_diagnosis_case;

/* A problem of a model, its vocabulary or its pairs. */
typedef struct sa_finding {
    const char *name;               /* "off by one" */
    const char *measure;            /* what the figure is */
    double figure, threshold;       /* the figure is at least the threshold */
    const char *lesson;             /* what it means, what to try, what to read */
    const sa_diagnosis_case *cases; /* the worst, worst first */
    size_t case_count;
    uint64_t reserved[4];
} sa_finding;

typedef struct sa_diagnosis {
    sa_finding *findings; /* in the order of sa_diagnostic_name */
    size_t count;
    void *owned;
    uint64_t reserved[4];
} sa_diagnosis;

/* Runs all diagnostics on the results of sa_evaluate. `train`: the pairs that the model was trained
 * on, to look for pairs of `corpus` among them; may be NULL. Free the diagnosis with
 * sa_diagnosis_release. */
bool sa_diagnose(sa_model *model, const sa_corpus *corpus, const sa_sentence_result *results,
                 const sa_corpus *train, sa_diagnosis *diagnosis, sa_error *error);
void sa_diagnosis_release(sa_diagnosis *diagnosis);

/* Returns the name of diagnostic i; NULL after the last. Sets its measure and its threshold; either
 * may be NULL. */
const char *sa_diagnostic_name(size_t i, const char **measure, double *threshold);

/* ---- Comparison ---------------------------------------------------------------------------- */

/* Several models, trained on the same batches: the options of `softalign compare`, whose help says
 * more. */
typedef struct sa_compare_options {
    const char *train, *test; /* paths of pairs, as for sa_corpus_open */
    const char *columns;      /* for all files of pairs, as for sa_corpus_open_columns, or NULL */
    const char *valid;        /* path; NULL: 5 % of the training pairs */
    const char *snapshots;    /* path of the pairs whose attention is recorded; NULL: none */
    const char *models;       /* "fixed,bahdanau:additive,luong:general:4,transformer,decoder" */
    const char *out; /* folder for table.csv, table.tex, curves.csv, bylength.csv and a folder
                        for each training; trainings found in it are resumed or not
                        repeated */
    const sa_settings *settings; /* what the list of models leaves out; each model is first trained
                                    with its seed */
    const sa_settings *transformer;  /* the same for Transformers; NULL: their preset, with the seed
                                        and limits of `settings` */
    const sa_settings *decoder_only; /* the same for decoder-only models */
    int seeds;                       /* trainings of each model, at least 1 */
    bool overwrite;   /* train again what `out` holds with other settings or pairs; else SA_BUSY */
    const char *html; /* file for the report; NULL: none */
    const char *title, *notes, *open_at; /* for the report, as in the command; may be NULL */
    void (*report)(void *context, const sa_progress *progress); /* a NULL progress: a training has
                                                                   ended. May be NULL itself */
    void *context;
    const volatile sig_atomic_t *stop; /* as in sa_train_options; may be NULL */
    const char *table_columns; /* of table.tex: "parameters,bleu,aer,p", which is NULL, too */
    uint64_t reserved[7];
} sa_compare_options;

typedef struct sa_compare_result {
    bool stopped; /* `stop` ended it: there are no results yet, and the same call resumes */
    char *table;  /* the medians of every model, as a table of text; NULL: stopped */
    char *json;   /* all runs and their medians as one JSON object */
    uint64_t reserved[8];
} sa_compare_result;

/* Trains, evaluates and compares the models. Free the result with sa_compare_result_release.
 * SA_DIVERGED names a training without scores; the files are written and *result is filled in all
 * the same. */
bool sa_compare(const sa_compare_options *options, sa_compare_result *result, sa_error *error);
void sa_compare_result_release(sa_compare_result *result);

/* ---- Word aligners ------------------------------------------------------------------------- */

/* The ancestors of attention: one source word, or the empty word, generates each target word, with
 * probabilities t(target word | source word) and probabilities of positions, which expectation
 * maximization learns from nothing but pairs (Brown et al. 1993 and what followed, see `softalign
 * help align-words`). */
typedef struct sa_aligner sa_aligner;

enum {
    SA_ALIGNER_MODEL1,
    SA_ALIGNER_MODEL2,
    SA_ALIGNER_HMM,
    SA_ALIGNER_DIAGONAL,
    SA_ALIGNER_FERTILITY
};

typedef struct sa_aligner_options {
    int model; /* SA_ALIGNER_... */
    int iterations, threads;
    double alpha; /* of the Dirichlet prior, 1e-6 to 0.999; 0: "auto", 1: "none" */
    int64_t seed; /* of SA_ALIGNER_FERTILITY, */
    int samplers; /* number of samplers, whose weights are averaged; 0: 8 */
    uint64_t reserved[2];
} sa_aligner_options;

/* Sets the defaults. */
void sa_aligner_options_init(sa_aligner_options *options);

/* Sets one option by its name, as sa_settings_set does. */
bool sa_aligner_options_set(sa_aligner_options *options, const char *name, const char *value,
                            sa_error *error);

/* Learns from a corpus. Of `settings`, only the options of the text count (tokenizer, bpe,
 * bpe-merges, lowercase, min-freq, vocab, max-len). Both may be NULL: the defaults. Leaves out
 * pairs with a side of more than max-len tokens. Before each iteration, counted from 1 and
 * including those of Model 1, it calls `report` (may be NULL) with the perplexity of the target
 * words, EOS excluded. SA_DATA: no pair is left; SA_LIMIT: out of memory. Free the aligner with
 * sa_aligner_free. */
sa_aligner *sa_aligner_train(const sa_corpus *corpus, const sa_settings *settings,
                             const sa_aligner_options *options,
                             void (*report)(void *context, int iteration, double perplexity),
                             void *context, sa_error *error);

/* Calls `each` with every pair in order, as sa_align does. The weights are p(a_j = i | source,
 * target) over the source words. The empty word has no column: its weight is 1 minus the sum of the
 * row (sa_link_options.null_key). EOS is aligned with EOS. The empty word generates a word that was
 * not in the corpus, with t = 1e-9. SA_LIMIT: a side has more than max-len tokens. */
bool sa_aligner_align(const sa_aligner *aligner, const sa_pair *pairs, size_t count,
                      sa_alignment_each *each, void *context, sa_error *error);

/* Calls `each` with every t(target | source) of at least `least`: source words by frequency,
 * beginning with the empty word, as ""; for each, the most probable target words first. */
bool sa_aligner_lexicon_each(const sa_aligner *aligner, double least,
                             bool (*each)(void *context, const char *source, const char *target,
                                          double probability, sa_error *error),
                             void *context, sa_error *error);

void sa_aligner_free(sa_aligner *aligner);

/* ---- Pages --------------------------------------------------------------------------------- */

/* A page that shows a model, like a page of `softalign align --html`: one HTML file that loads
 * nothing, in which texts stay text. In a frame of another page, such as a notebook, it leaves out
 * what only a window of its own needs. */
typedef struct sa_page sa_page;

/* Begins a page about the model of this name; `settings` may be NULL. Close it with sa_page_close,
 * the only function to call after SA_LIMIT. */
sa_page *sa_page_open(const char *title, const char *model, const sa_settings *settings,
                      sa_error *error);
void sa_page_close(sa_page *page);

/* Adds the attention on the next sentence; all have the same `site`. `gold`: the sentence's links
 * in Pharaoh format; NULL: none. A page has room for about 200 sentences, and says how many of the
 * added ones it shows. */
bool sa_page_add_alignment(sa_page *page, const sa_alignment *alignment, sa_attention_site site,
                           const char *gold, sa_error *error);

/* Adds the learning curves and the recorded attention in a training's folder. */
bool sa_page_add_training(sa_page *page, const char *folder, sa_error *error);

/* Completes the page, to which nothing more can be added, and returns its text. */
const char *sa_page_html(sa_page *page, sa_error *error);

/* Draws every head, as the path ends in .svg, .png or .pdf, or writes the mean over heads as the
 * heatmap CSV of `softalign align --csv`. SA_USAGE: another ending, or this build cannot paint. */
bool sa_alignment_save(const sa_alignment *alignment, sa_attention_site site, const char *path,
                       sa_error *error);

/* ---- The machine --------------------------------------------------------------------------- */

/* Returns the version of OpenBLAS, which multiplies the matrices, and the kernels it chose for this
 * processor, as in "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64"; for another
 * library, "a CBLAS library". */
const char *sa_blas_version(void);

/* Returns the file from which this library was loaded; NULL if the dynamic linker cannot tell. */
const char *sa_blas_library(void);

/* Returns, as a line for the user, why only one thread computes, however many you ask for: OpenBLAS
 * was loaded in a build that gives wrong or changing products to several threads, including your
 * own. NULL: any number can compute. */
const char *sa_blas_one_thread(void);

/* Returns, as a line for the user, why SA_PRECISION_BF16 is slower than float32 here: this
 * processor lacks the instruction, so other code computes the same bits. NULL: it has the
 * instruction. */
const char *sa_bf16_emulated(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
