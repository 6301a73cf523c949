/* play: what the files of the playground share: its handle, results and options. */
#pragma once

#include "base/json.h"
#include "base/option.h"
#include "lab/gradient_faults.h"
#include "train/session.h"
#include "web/playground.h"

/* A measurement of the held-out pairs that is under way. */
typedef struct web_measuring web_measuring;

struct web_play {
    bool trains; /* it was made by web_open */
    sa_session session;
    sa_settings settings; /* as they were asked for; with the next, of the session */
    sa_train_options training;
    char folder[32];    /* where the session saves, in memory */
    sa_model loaded;    /* without a training */
    sa_corpus held_out; /* the held-out pairs; its array belongs to the handle, not the texts */
    json_t *notes;      /* list of the session's notes */
    json_t *validation; /* of the last step; NULL: none was due */
    web_measuring *measuring;  /* NULL: none */
    sa_planted_fault *planted; /* in the trainer; NULL: none */
};

static inline sa_model *web_model(web_play *play) {
    return play->trains ? &play->session.model : &play->loaded;
}

/* ---- Results --------------------------------------------------------------------------------- */

/* The error of the running call, which it empties. */
sa_error *web_begin(void);

/* The result of a call: it stays until the next one. NULL if memory ran out. */
const char *web_give(sa_buffer *result);
/* The same of JSON, which is released; NULL: the call has failed. */
const char *web_give_json(json_t *value);

/* ---- Options --------------------------------------------------------------------------------- */

/* Rows and the struct that they belong to; a list ends with NULL rows. */
typedef struct web_option_set {
    const sa_option *rows;
    void *fields;
} web_option_set;

/* Reads options as the command does; texts among their values point into `words`, a copy of the
 * text that the caller frees. */
bool web_options_read(const char *text, const web_option_set *sets, char **words, sa_error *error);

/* Settings from options, `preset` among them. */
bool web_settings_read(const char *options, sa_settings *settings, sa_error *error);

/* {"settings", "command", "attention"} */
json_t *web_settings_json(const sa_settings *settings);
