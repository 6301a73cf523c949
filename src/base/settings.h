/* settings: the rows of sa_settings and sa_search, and the settings of a model file.
 *
 * Names of choices come from the tables of the rooms that implement them, so that a new score,
 * optimiser or tokenizer is known to the command line without a word here. */
#ifndef SA_BASE_SETTINGS_H
#define SA_BASE_SETTINGS_H

#include "base/option.h"

enum { SA_LAYERS = 8 }; /* of an encoder or decoder, at most */

/* Positions in the lists of --model, --tie, --criterion and --average-of. */
enum { SA_MODEL_RECURRENT, SA_MODEL_TRANSFORMER };
enum { SA_TIE_NONE, SA_TIE_TWO, SA_TIE_THREE };
enum { SA_CRITERION_LOSS, SA_CRITERION_BLEU, SA_CRITERION_CHRF };
enum { SA_AVERAGE_LAST, SA_AVERAGE_BEST };

/* The name of a row, NULL after the last: defined where the tables are. */
const char *sa_compat_name(size_t row);     /* attn/compat */
const char *sa_window_name(size_t row);     /* attn/window */
const char *sa_decoder_name(size_t row);    /* model/decoders */
const char *sa_normalizer_name(size_t row); /* model/rank */
const char *sa_encoder_name(size_t row);    /* model/encoder */
const char *sa_initial_name(size_t row);    /* model/initial */
const char *sa_readout_name(size_t row);    /* model/seq2seq: so are the next two */
const char *sa_update_name(size_t row);
const char *sa_reset_name(size_t row);
const char *sa_cell_name(size_t row);  /* nn/cell */
const char *sa_model_name(size_t row); /* model/seq2seq: so is the next */
const char *sa_positions_choice(size_t row);
const char *sa_norm_name(size_t row);     /* nn/residual */
const char *sa_tie_name(size_t row);      /* model/transformer */
const char *sa_schedule_name(size_t row); /* train/schedule: so are the next two */
const char *sa_criterion_name(size_t row);
const char *sa_average_name(size_t row);
const char *sa_position_name(size_t row);  /* nn/position */
const char *sa_init_name(size_t row);      /* nn/params */
const char *sa_optimizer_name(size_t row); /* train/optimizer */
const char *sa_tokenizer_name(size_t row); /* text/tokenizer */
const char *sa_bpe_name(size_t row);       /* text/coder */

extern const sa_option sa_settings_options[]; /* of sa_settings, grouped by scope */
extern const sa_option sa_search_options[];   /* of sa_search, without nbest */

/* Whether the sizes that follow from allowed settings fit together: model/seq2seq. */
bool sa_sizes_check(const sa_settings *settings, sa_error *error);

/* Whether every setting is allowed and they fit together; SA_USAGE says what does not. */
bool sa_settings_check(const sa_settings *settings, sa_error *error);

/* All settings but the run's own as one JSON object, in the order of the rows. NULL when memory
 * runs out. Freed with free(). */
char *sa_settings_write(const sa_settings *settings, sa_error *error);

/* Reads them back; the run's own stay as they are. Strict: SA_DATA names `file` and the key when
 * one is unknown, missing, of the wrong type or out of range. */
bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error);

/* The first option not of the run in which the two differ, or NULL. */
const sa_option *sa_settings_differ(const sa_settings *one, const sa_settings *other);

/* The preset that a family starts from when none is named; NULL: the defaults. */
const char *sa_family_preset(int model);

/* The name of a preset, NULL after the last. */
const char *sa_preset_name(size_t row);

#endif
