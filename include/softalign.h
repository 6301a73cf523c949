/* softalign trains small neural translation models on a CPU, with hand-written gradients, and shows
 * what attention does inside them. Read this header from top to bottom: errors, settings, pairs,
 * training, models, translation, alignment, evaluation. Two more headers build on it:
 *
 *   softalign/lab.h      settings as fields, attention on your own numbers, the equations of a
 *                        model in numbers, gradient check, proof, overrides, attributions
 *   softalign/report.h   options and choices described, links, heads, diagnosis, comparison of
 *                        models, word aligners, HTML pages
 *
 * A complete program, which trains a model and translates a sentence:
 *
 *     #include <softalign.h>
 *     #include <stdio.h>
 *
 *     int main(void) {
 *         sa_error error = {0};
 *         sa_train_result trained;
 *         sa_settings *settings = sa_settings_new(&error);
 *         sa_train_options training = {settings, .train = "pairs.tsv", .out = "model"};
 *         bool good = settings && sa_settings_set(settings, "steps", "2000", &error) &&
 *                     sa_train(&training, &trained, &error);
 *         sa_settings_free(settings);
 *
 *         sa_model *model = good ? sa_model_open("model/best.safetensors", 0, &error) : NULL;
 *         sa_search search;
 *         sa_search_init(&search);
 *         const char *source = "a small sentence";
 *         sa_translation found;
 *         if (model && sa_translate(model, &source, 1, &search, &found, &error)) {
 *             puts(found.text);
 *             sa_translations_release(&found, 1);
 *         }
 *         sa_model_close(model);
 *         if (error.code) fprintf(stderr, "%s\n", error.text);
 *         return error.code;
 *     }
 *
 * Errors. A function that can fail returns false or NULL and fills in the sa_error passed last,
 * which may be NULL. SA_USAGE names an argument that must not be NULL, an unknown choice or a
 * number out of range. Other functions do nothing, or return NULL, 0 or false, for such a NULL.
 * `context` is passed through unchanged; it may be NULL.
 *
 * Ownership. A pointer to const is borrowed. What you pass must outlive the call, or the struct
 * that holds it. What you get lives as long as the object that it came from, or until the callback
 * returns. Everything else belongs to the object or struct that holds it; its comment names the
 * function that frees it. After a failure there is nothing to free.
 *
 * Structs. Set a struct that you allocate to zero, or call its sa_..._init. It ends in `reserved`,
 * from which later versions take new fields. Its size never changes and zero in a new field means
 * the old behavior, so you need not recompile your program. A struct without `reserved` never
 * changes if you allocate it, and grows only at its end if the library does.
 *
 * Text is UTF-8. The library never prints and never exits. Only one thread at a time may use an
 * object; after fork(), the child may use only objects that it opened itself. The library sets
 * OpenBLAS to one thread (it runs threads of its own) for the whole process, and sa_compare and
 * sa_page_... wrap jansson's allocation functions to notice failures. */
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

#define SA_VERSION_MAJOR 0
#define SA_VERSION_MINOR 2
#define SA_VERSION_PATCH 0
/* For comparisons: 0.2.0 is 200, 1.2.3 is 10203. */
#define SA_VERSION_NUMBER (SA_VERSION_MAJOR * 10000 + SA_VERSION_MINOR * 100 + SA_VERSION_PATCH)

/* Return the version of the linked library, as "0.2.0" and as SA_VERSION_NUMBER. */
const char *sa_version(void);
int sa_version_number(void);

/* ---- Errors ------------------------------------------------------------------------------- */

/* What failed; these are also the exit codes of the command. */
typedef enum sa_code {
    SA_OK = 0,
    SA_CHECK = 1,    /* a check failed: a gradient, an invariant */
    SA_USAGE = 2,    /* an option or argument is wrong */
    SA_DATA = 3,     /* a corpus or model file is damaged or inconsistent */
    SA_OPEN = 4,     /* a file cannot be opened */
    SA_IO = 5,       /* reading or writing failed midway */
    SA_BUSY = 6,     /* the output folder holds a training, or one is writing to it */
    SA_LIMIT = 7,    /* out of memory, or beyond a size limit */
    SA_DIVERGED = 8, /* training produced numbers that are not finite */
} sa_code;

typedef struct sa_error {
    sa_code code;
    char text[512]; /* one line without line end, safe to print: "x.tsv:12: no tab ..." */
} sa_error;

/* ---- Settings ----------------------------------------------------------------------------- */

/* Everything that shapes a model and its training: the options of `softalign train`, whose help
 * explains them. softalign/lab.h has a field for each. */
typedef struct sa_settings sa_settings;

/* Returns the defaults, which suit a toy corpus on a laptop. Free them with sa_settings_free. */
sa_settings *sa_settings_new(sa_error *error);
void sa_settings_free(sa_settings *settings);

/* Sets one option from text, as `--name value` does; "yes" or "no" for a switch. SA_USAGE names the
 * option and what it allows. */
bool sa_settings_set(sa_settings *settings, const char *name, const char *value, sa_error *error);

/* Sets every option of a preset, such as "bahdanau2015". */
bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error);

/* Return the name of preset i, NULL after the last; and what a preset sets, an option per line with
 * its place in the paper, and how it deviates from the paper; NULL: there is no such preset. */
const char *sa_preset_name(size_t i);
const char *sa_preset_text(const char *name);

/* Copies the options that determine weights and tokens from another model, as
 * sa_train_options.init_from requires. */
void sa_settings_take_shape(sa_settings *settings, const sa_settings *model);

/* Returns whether a model with these settings attends: decoders with a fixed context do not. */
bool sa_settings_has_attention(const sa_settings *settings);

/* ---- Pairs of sentences -------------------------------------------------------------------- */

typedef struct sa_pair {
    const char *source, *target; /* normalized to NFC, without line ends */
    const char *gold;            /* its alignment in Pharaoh format; NULL: none */
    size_t line;                 /* in its file, from 1 */
    const char *id;              /* its fourth column; NULL: none */
    size_t row;                  /* in its file, header excluded: usually its line */
    uint64_t reserved[2];
} sa_pair;

typedef struct sa_corpus {
    sa_pair *pairs;
    size_t count;
    size_t lines;        /* rows read: lines, where each pair has its own */
    size_t empty;        /* rows skipped because a side was empty */
    bool gold;           /* every pair has an alignment */
    const char *note;    /* for the user: why third columns are not read as alignments; or NULL */
    const char *remarks; /* for the user: the format found, and what looks wrong; or NULL */
    const char *name;    /* the path by which it was opened */
    void *owned;         /* the text of the pairs */
    uint64_t reserved[8];
} sa_corpus;

/* Reads a file of pairs, two parallel files "SRC,TGT", or "-" (standard input). Formats are
 * tab-separated, CSV, JSON lines, TMX and lines of "source ||| target", recognized by the file's
 * name or content; gzip by its bytes. `path` must outlive the corpus. */
bool sa_corpus_open(sa_corpus *corpus, const char *path, sa_error *error);
void sa_corpus_close(sa_corpus *corpus);

/* Does the same, choosing the columns of source and target, and perhaps of word links and
 * identifiers: numbers from 1, names of the header, keys of JSON or languages of TMX, as "2,4" or
 * "en,fr". NULL: the columns that a header names, or the first two. */
bool sa_corpus_open_columns(sa_corpus *corpus, const char *path, const char *columns,
                            sa_error *error);

/* Replaces the alignment of every pair with the one on its line in a file. Formats are Pharaoh
 * ("0-0 1-2"; an empty line: no links) and NAACL 2003, whose lines name the sentence ("1 3 2 S").
 * SA_DATA names the line that cannot be read, or gives both line counts if they differ. */
bool sa_corpus_read_alignments(sa_corpus *corpus, const char *path, sa_error *error);

/* Writes the pairs of `softalign corpus` with their alignments to the file `path`: those of a task
 * or of the grammar in a file (the other one is NULL). split: 0 train, 1 valid, 2 test. The same
 * arguments give the same bytes on every machine. SA_USAGE: there are fewer pairs. */
bool sa_corpus_generate(const char *task, const char *grammar, size_t pairs, uint64_t seed,
                        int split, const char *path, sa_error *error);

/* ---- Training ------------------------------------------------------------------------------ */

/* What a training has used so far. */
typedef struct sa_train_cost {
    double seconds;  /* since its start, validations included */
    double updating; /* of these, seconds spent on updates */
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
    double seconds_left;     /* until the nearest predictable limit; negative: unknown */
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
    double validated; /* fraction done, 0 .. 1 */
} sa_progress;

typedef struct sa_train_options {
    const sa_settings *settings;
    const char *train;      /* path of the training pairs, as for sa_corpus_open */
    const char *columns;    /* for all files of pairs, as for sa_corpus_open_columns; or NULL */
    const char *alignments; /* path of their alignments; NULL: the alignments in the pairs */
    const char *valid; /* path; NULL: 5 % of the training pairs, chosen by a hash of the source, at
                          most as many as the setting hold-out says */
    const char *init_from;     /* path of a model to start from, with its words and shape. SA_USAGE:
                                  the settings differ (sa_settings_take_shape). NULL: random */
    const char *embeddings[2]; /* paths of source and target word vectors to start from, in the
                                  format of word2vec, fastText or GloVe; or NULL */
    const char *out; /* folder for best.safetensors, last.safetensors, log.csv, film/ and, with the
                        settings average and keep, average.safetensors and checkpoints/ */
    const sa_pair *snapshot_pairs; /* [snapshot_count] their attention is recorded before the first
                                      update and at every validation, as out/film/PAIR/UPDATE.csv,
                                      of several heads also in head-1/ ... SA_USAGE: no attention */
    size_t snapshot_count;
    bool resume;    /* continue from out/last.safetensors; only settings of the run may differ */
    bool overwrite; /* replace the training in `out`; without this or resume: SA_BUSY */
    sa_train_cost spent; /* before this run: reports, results and max-time count from there */
    bool pausing; /* a stop writes no average.safetensors: resuming then leaves the files of an
                     uninterrupted training. Without this a run of sa_compare is SA_BUSY */
    void (*report)(void *context, const sa_progress *progress); /* or NULL */
    void *context;
    const volatile sig_atomic_t *stop; /* when not 0: drop the current update or validation, save,
                                          return. Not read while pairs are loaded. May be NULL */
    const char *glossaries; /* words, separated by spaces, that subwords leave whole, also within
                               others; or NULL */
    uint64_t reserved[7];
} sa_train_options;

typedef struct sa_train_result {
    int64_t steps;
    int epochs;
    sa_train_cost spent;
    double best_loss, best_bleu, best_chrf; /* of the best validation; best_loss INFINITY: there was
                                               none, and best.safetensors has the last weights */
    const char *reason; /* why it ended: "epochs", "steps", "time", "patience", "stopped" */
    size_t valid_pairs; /* of the validations */
    uint64_t reserved[7];
} sa_train_result;

/* Trains a model and writes it to options->out. Refuses a folder that holds a training, changing
 * nothing, unless it is to be resumed or overwritten. If a save fails, as on a full disk, the
 * training goes on and the next validation tries again; SA_IO: the last save failed, too. Fills in
 * *result even after a failure. */
bool sa_train(const sa_train_options *options, sa_train_result *result, sa_error *error);

/* ---- Models -------------------------------------------------------------------------------- */

typedef struct sa_model sa_model;

/* Reads a model file and verifies its checksum. `threads`: 0 for one per core. */
sa_model *sa_model_open(const char *path, int threads, sa_error *error);
void sa_model_close(sa_model *model);

/* Return the settings that the model was trained with, and the number of its weights. */
const sa_settings *sa_model_settings(const sa_model *model);
size_t sa_model_parameters(const sa_model *model);

/* Sets the longest sentence that the model reads, in tokens without EOS, 1 to 1000000; initially
 * SA_MAX_LEN. Attention takes memory proportional to the product of both lengths. With a longer
 * sentence sa_align, sa_evaluate and sa_explain fail with SA_LIMIT, which names its line, before
 * they compute anything. sa_translate leaves its translation empty. */
enum { SA_MAX_LEN = 1000 };
bool sa_model_set_max_len(sa_model *model, int max_len, sa_error *error);

/* Writes the model whose weights are the mean of the weights in `count` model files. SA_USAGE names
 * a file whose model, text or vocabulary differs from the first. */
bool sa_average_models(const char *const *models, int count, const char *path, sa_error *error);

/* ---- Translation --------------------------------------------------------------------------- */

/* What replaces the attention weights; 0: nothing. See softalign/lab.h. */
typedef struct sa_attention_override {
    int kind;  /* SA_OVERRIDE_... */
    int shift; /* of SA_OVERRIDE_SHIFT */
} sa_attention_override;

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
    bool reference_length; /* in sa_evaluate: outputs have as many tokens as the references */
    bool no_unknown;       /* never generate the unknown word */
    bool sample;           /* sample instead of searching */
    double temperature;    /* of the sampling */
    int top_k;             /* sample from the k most probable words; 0: all */
    double top_p;          /* sample from the fewest words with this much probability */
    int64_t seed;          /* of the sampling */
    bool weights;          /* return tokens and attention weights */
    bool replace_unknown; /* replace unknown words by the source word with the largest weight ... */
    const sa_corpus *dictionary;    /* ... or by its target in the first of these pairs; or NULL */
    int batch;                      /* sentences decoded together */
    sa_attention_override override; /* SA_OVERRIDE_GOLD has no effect in sa_translate; sa_evaluate
                                       needs pairs with alignments for it, else SA_DATA */
    const char *const *target_prefix; /* [count] words that each translation begins with, as if it
                                         generated them; "": none. Or NULL */
    uint64_t reserved[7];
} sa_search;

/* Sets the defaults: greedy search. */
void sa_search_init(sa_search *search);

/* Sets one option of `softalign translate` by its name, as sa_settings_set does. */
bool sa_search_set(sa_search *search, const char *name, const char *value, sa_error *error);

typedef struct sa_translation {
    char *text;             /* detokenized */
    double log_probability; /* sum over its tokens, EOS included */
    double score;           /* what the search compares */
    int words;              /* tokens, EOS included */
    bool complete;          /* ends in EOS; false: cut off at the longest output */
    bool resplit;           /* its text is split into other tokens than the model wrote */
    int source_words;       /* source tokens, EOS excluded */
    bool too_long;          /* the source has too many tokens: the translation is empty */
    int unknown_source;     /* source tokens that the (first) model does not know */
    /* with sa_search.weights only: */
    int sources;                   /* source words, EOS included */
    const char **target, **source; /* [words], [sources] */
    double *weights; /* [words * sources] row t: the attention weights when token t was generated,
                        the mean over heads and models; NULL: no attention */
    uint64_t reserved[8];
} sa_translation;

/* Translates `count` sentences to translations [count * search->nbest]. A sentence that is empty or
 * longer than sa_model_set_max_len allows gives empty text; missing n-best entries have text NULL.
 * Free them with sa_translations_release. SA_USAGE: the model cannot do what `search` asks for;
 * SA_DIVERGED: it gives no probabilities (also in sa_align and sa_evaluate). */
bool sa_translate(sa_model *model, const char *const *sources, size_t count,
                  const sa_search *search, sa_translation *translations, sa_error *error);
void sa_translations_release(sa_translation *translations, size_t count);

/* Does the same with 1 to 16 models, averaging their probabilities. SA_USAGE names the model whose
 * target vocabulary or tokenization differs from the first. */
bool sa_translate_ensemble(sa_model *const *models, int model_count, const char *const *sources,
                           size_t count, const sa_search *search, sa_translation *translations,
                           sa_error *error);

/* ---- Alignment ----------------------------------------------------------------------------- */

/* Where a model attends: from the decoder to the source, or within the encoder or decoder of a
 * Transformer. */
typedef enum sa_attention_site {
    SA_SITE_CROSS,
    SA_SITE_ENCODER,
    SA_SITE_DECODER,
    SA_SITE_PREFIX, /* only in pages: attributions with target_prefix */
} sa_attention_site;

/* Which row of weights belongs to a target word: the row that predicts it, or the next, which has
 * read it in a Transformer, luong and cgru (Chen et al. 2020, "Accurate word alignment induction
 * from neural machine translation"). EOS, which nothing reads, keeps its own. */
enum { SA_ALIGN_OUTPUT, SA_ALIGN_INPUT };

/* All zero: cross-attention, the mean over layers, no override, and the rows that predict. */
typedef struct sa_align_options {
    sa_attention_site site;
    int layer; /* from 1; 0: the mean over layers */
    sa_attention_override override;
    int at; /* SA_ALIGN_... */
    const char
        *methods; /* attributions to compute instead (softalign/lab.h), separated by commas, each
                     shown as a head; only for cross-attention without override. NULL: none */
    int steps;    /* steps of integrated gradients; less than 1: 50 */
    bool target_prefix; /* attribute to earlier target words, too: the target words except EOS
                           follow the source columns */
    uint64_t reserved[8];
} sa_align_options;

/* The attention weights of a pair whose target is predicted by teacher forcing. Rows are queries,
 * columns keys: target and source words, ending in "</s>" (EOS). Within the encoder both are source
 * words. Within the decoder both are the target words that it reads, from "<s>" (BOS) on, and row t
 * predicts the word after word t. */
typedef struct sa_alignment {
    int targets, sources; /* rows and columns */
    int heads, layers;
    const char *const *target, *const *source; /* [targets], [sources] the words as in the text */
    const double *weights;  /* matrices [targets * sources], first the mean over heads; read the
                               others with sa_alignment_weights. NULL: none */
    double log_probability; /* of the target, EOS included */
    const double *token_log_probabilities;  /* [targets] of each target token; NULL except for
                                               cross-attention */
    const double *generation_probabilities; /* [targets] p_gen: near 1 where the token is generated,
                                               near 0 where it is copied; NULL except for the
                                               cross-attention of a model that copies */
    const bool *target_unknown, *source_unknown; /* [targets], [sources] words that the model reads
                                                    as <unk>; NULL: not known */
    double gap; /* of integrated gradients: how far the row sums are from F(x) - F(0) over all rows,
                   as a share of it */
    const char *method[10]; /* [heads] the names of the attributions; NULL: attention weights */
    uint64_t reserved[8];
} sa_alignment;

/* Returns the matrix of a head (from 1; 0: the mean over heads) in a layer (from 1; 0: the layer
 * that was chosen, or the mean over layers). The heads of a layer are adjacent, and so are the
 * layers; `layers` 0 means one. NULL: there are no weights, or you asked for the mean over heads in
 * one of several layers, which is not stored. */
const double *sa_alignment_weights(const sa_alignment *alignment, int layer, int head);

/* Receives the alignment of pair `index`. To stop, it fills in the error and returns false. */
typedef bool sa_alignment_each(void *context, size_t index, const sa_alignment *alignment,
                               sa_error *error);

/* Calls `each` with every pair in order. `options` may be NULL: all zero. SA_USAGE: the model has
 * no attention, or none at that site or layer. SA_DATA: a pair has no alignment, with
 * SA_OVERRIDE_GOLD. */
bool sa_align(sa_model *model, const sa_align_options *options, const sa_pair *pairs, size_t count,
              sa_alignment_each *each, void *context, sa_error *error);

/* Copies an alignment, so that it outlives the call of `each`. Free the copy with
 * sa_alignment_release. */
bool sa_alignment_copy(const sa_alignment *alignment, sa_alignment *copy, sa_error *error);
void sa_alignment_release(sa_alignment *words);

/* ---- Evaluation ---------------------------------------------------------------------------- */

/* How texts are compared, and how weights become links: options of `softalign score`, for which
 * softalign/report.h has fields. NULL: the defaults. */
typedef struct sa_metrics sa_metrics;
typedef struct sa_link_options sa_link_options;

/* The result of one pair. */
typedef struct sa_sentence_result {
    double log_probability;  /* of the reference, teacher-forced, EOS included */
    int words, source_words; /* target tokens with EOS; source tokens without */
    char *translation;       /* detokenized */
    char *reference;         /* in lower case if the model lowercases */
    bool exact, complete;    /* it equals the reference, white space aside; it ends in EOS */
    int unknown_source, unknown_target;  /* unknown words */
    struct sa_sentence_details *details; /* links, attention, length: softalign/report.h */
    uint64_t reserved[8];
} sa_sentence_result;

/* Evaluates every pair, and fills in results [corpus->count]; free them with
 * sa_sentence_results_release. `linking` may be NULL. */
bool sa_evaluate(sa_model *model, const sa_corpus *corpus, const sa_search *search,
                 const sa_link_options *linking, sa_sentence_result *results, sa_error *error);
void sa_sentence_results_release(sa_sentence_result *results, size_t count);

typedef struct sa_eval_result {
    size_t sentences;
    int64_t target_words;    /* EOS included */
    double loss, perplexity; /* teacher-forced, per target token */
    double bleu, chrf;       /* 0 .. 100, as sacreBLEU computes them */
    double exact;            /* fraction of translations equal to the reference */
    double tokens;           /* fraction of reference tokens found at the same position */
    double wer, per;         /* 100 - 100 exact, the word error rate where sentences are words
                                (SIGMORPHON); edits per 100 reference tokens */
    /* NaN without gold alignments or attention: */
    double aer, precision, recall;
    double aer_before, aer_after; /* with the links moved; lower than aer: they are off by one */
    /* NaN without attention, or if there is nothing to count: */
    double entropy;       /* mean of the rows, in nats: 0 .. ln S */
    double coverage;      /* fraction of source words whose weights sum to at least 1/2 */
    double end_weight;    /* fraction of the weight on the source's EOS while words are generated */
    double row_sum;       /* mean sum of a target word's weights: below 1 with a null key */
    double zeros;         /* fraction of the weights that are exactly 0 */
    double latency;       /* of monotonic attention: mean number of source words, EOS included, read
                             before a target word; NaN for attention that reads all of them first */
    double source_length; /* mean number of source words in its sentence; NaN as above */
    double monotonicity;  /* fraction of target words except the first whose most attended source
                             word is not before the preceding word's, where both have one */
    /* in percent, as in Malaviya et al. 2018: */
    double rep;  /* repetitions, divided by the tokens of the references */
    double drop; /* dropped source words, divided by all source words; NaN without attention */
    uint64_t reserved[8];
} sa_eval_result;

/* Sums up the `count` pairs whose indices are in `chosen` (NULL: the first `count`). `metrics` may
 * be NULL. */
bool sa_eval_summarize(const sa_metrics *metrics, const sa_corpus *corpus,
                       const sa_sentence_result *results, const size_t *chosen, size_t count,
                       sa_eval_result *summary, sa_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
