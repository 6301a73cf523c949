/* play: what the files of the playground share: its handle, results and options. */
#pragma once

#include "base/json.h"
#include "base/option.h"
#include "lab/gradient_faults.h"
#include "train/session.h"
#include "web/playground.h"

/* A running measurement of the held-out pairs. */
typedef struct web_measuring web_measuring;

struct web_play {
    bool trains;          /* made by web_open */
    sa_session session;   /* only its model, if not */
    sa_settings settings; /* as requested; this and the next belong to the session */
    sa_train_options training;
    char folder[32];           /* where the session saves, in memory */
    sa_corpus held_out;        /* the held-out pairs; the handle owns the array, not the texts */
    json_t *notes;             /* the list of the session's notes */
    json_t *validation;        /* of the last step, or NULL */
    web_measuring *measuring;  /* NULL: none */
    sa_planted_fault *planted; /* in the trainer; NULL: none */
};

/* ---- Results --------------------------------------------------------------------------------- */

/* Empties the error of the current call and returns it. */
sa_error *web_begin(void);

/* Keeps the result of a call until the next one; returns it. NULL: memory ran out, or the call was
 * not good, whose result is released. */
const char *web_give(bool good, sa_buffer *result);
/* Does the same for JSON, and releases it. NULL stands for a call that failed. */
const char *web_give_json(json_t *value);

/* ---- Options --------------------------------------------------------------------------------- */

/* Rows and the struct that they belong to; NULL rows end a list. */
typedef struct web_option_set {
    const sa_option *rows;
    void *fields;
} web_option_set;

/* Reads options as the command does. Values that are texts point into `words`, a copy of the text,
 * which the caller frees. */
bool web_options_read(const char *text, const web_option_set *sets, char **words, sa_error *error);

/* Reads settings from options, which may include a preset. */
bool web_settings_read(const char *options, sa_settings *settings, sa_error *error);

/* Returns {"settings", "command", "attention"}. */
json_t *web_settings_json(const sa_settings *settings);
