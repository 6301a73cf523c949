/* play_training: a model, its training, and its files. */
#include "inference/model.h"
#include "lab/gradient_faults.h"
#include "train/session.h"
#include "web/memory_files.h"
#include "web/play.h"
#include "web/playground.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of texts while they are read, for messages. */
static const char train_name[] = "pairs", valid_name[] = "held-out pairs", model_name[] = "file";

static bool put(const char *name, const void *bytes, size_t size, sa_error *error) {
    return sa_save(name, &(sa_chunk){bytes, size}, 1, error);
}

/* ---- A model --------------------------------------------------------------------------------- */

/* Keeps the session's notes, and the figures of its validations for the next web_step. */
static void report(void *context, const sa_progress *progress) {
    web_play *play = context;
    if (progress->kind == SA_PROGRESS_NOTE) {
        json_array_append_new(play->notes, json_string(progress->note));
    } else if (progress->kind == SA_PROGRESS_VALIDATION) {
        json_decref(play->validation);
        play->validation =
            json_pack("{s:o, s:o, s:o, s:b}", "loss", sa_json_number(progress->valid_loss), "bleu",
                      sa_json_number(progress->valid_bleu), "chrf",
                      sa_json_number(progress->valid_chrf), "best", progress->best);
    }
}

static web_play *new_play(sa_error *error) {
    static int plays;
    web_play *play = sa_new(1, sizeof *play, error);
    if (!play) return NULL;
    snprintf(play->folder, sizeof play->folder, "training %d", ++plays);
    play->notes = json_array();
    return play;
}

static bool list_held_out(web_play *play, sa_error *error) {
    const sa_dataset *data = &play->session.valid_data;
    play->held_out = play->session.valid;
    play->held_out.count = data->count;
    play->held_out.pairs = sa_new(data->count, sizeof *play->held_out.pairs, error);
    for (size_t i = 0; play->held_out.pairs && i < data->count; i++)
        play->held_out.pairs[i] = play->session.valid.pairs[data->pair[i]];
    return play->held_out.pairs;
}

/* Where the session keeps its state. */
static void name_state(const web_play *play, char *name, size_t capacity) {
    snprintf(name, capacity, "%s/last.safetensors", play->folder);
}

/* Puts a state where the session looks for it, with the log that belongs to it: only its figures
 * are in the state. */
static bool put_state(const web_play *play, const void *state, size_t size, sa_error *error) {
    char name[64];
    name_state(play, name, sizeof name);
    if (!put(name, state, size, error)) return false;
    snprintf(name, sizeof name, "%s/log.csv", play->folder);
    return put(name, SA_LOG_HEADER, strlen(SA_LOG_HEADER), error);
}

static bool open_training(web_play *play, const char *train, const char *valid, const void *state,
                          size_t size, sa_error *error) {
    play->training = (sa_train_options){.settings = &play->settings,
                                        .train = train_name,
                                        .valid = valid ? valid_name : NULL,
                                        .out = play->folder,
                                        .resume = state,
                                        .report = report,
                                        .context = play};
    bool good = put(train_name, train, strlen(train), error) &&
                (!valid || put(valid_name, valid, strlen(valid), error)) &&
                (!state || put_state(play, state, size, error));
    if (good) {
        play->trains = true;
        good =
            sa_session_open(&play->session, &play->training, error) && list_held_out(play, error);
    }
    web_file_remove(train_name);
    web_file_remove(valid_name);
    return good;
}

web_play *web_open(const char *options, const char *train, const char *valid, const void *state,
                   size_t size) {
    sa_error *error = web_begin();
    web_play *play = new_play(error);
    if (!play) return NULL;
    if (!train)
        sa_fail(error, SA_USAGE, "there are no pairs");
    else if (web_settings_read(options, &play->settings, error) &&
             open_training(play, train, valid, state, size, error))
        return play;
    web_close(play);
    return NULL;
}

web_play *web_load(const void *file, size_t size) {
    sa_error *error = web_begin();
    sa_container container;
    web_play *play = new_play(error);
    if (!play) return NULL;
    if (put(model_name, file, size, error) &&
        sa_container_open(&container, model_name, 1, NULL, error)) {
        web_file_remove(model_name);
        const bool good = sa_model_read(&play->loaded, &container, 1, error);
        sa_container_close(&container);
        if (good) return play;
    }
    web_file_remove(model_name);
    web_close(play);
    return NULL;
}

void web_close(web_play *play) {
    static const char *const files[] = {"last", "best", "average"};
    char name[64];
    if (!play) return;
    if (play->trains)
        sa_session_close(&play->session);
    else
        sa_model_release(&play->loaded);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s/%s.safetensors", play->folder, files[i]);
        web_file_remove(name);
    }
    snprintf(name, sizeof name, "%s/log.csv", play->folder);
    web_file_remove(name);
    web_measuring_end(play->measuring);
    free(play->held_out.pairs);
    json_decref(play->notes);
    json_decref(play->validation);
    free(play);
}

const char *web_about(web_play *play) {
    web_begin();
    const sa_model *model = web_model(play);
    json_t *all = web_settings_json(&model->settings);
    json_object_update_new(all, json_pack("{s:I, s:I, s:i, s:i, s:i, s:i, s:I, s:I, s:b, s:O}",
                                          "step", (json_int_t)play->session.trainer.step,
                                          "parameters", (json_int_t)model->plan.size, "heads",
                                          model->settings.heads, "layers", model->settings.layers,
                                          "source_words", sa_vocab_size(&model->source.vocab),
                                          "target_words", sa_vocab_size(&model->target.vocab),
                                          "pairs", (json_int_t)play->session.data.count, "held_out",
                                          (json_int_t)play->held_out.count, "gold",
                                          play->held_out.gold, "notes", play->notes));
    return web_give_json(all);
}

const char *web_pair(const web_play *play, int i) {
    sa_error *error = web_begin();
    if (i < 0 || (size_t)i >= play->held_out.count) {
        sa_fail(error, SA_USAGE, "there are %zu held-out pairs", play->held_out.count);
        return NULL;
    }
    const sa_pair *pair = &play->held_out.pairs[i];
    return web_give_json(json_pack("{s:s, s:s, s:s?}", "source", pair->source, "target",
                                   pair->target, "gold", pair->gold));
}

/* ---- Training -------------------------------------------------------------------------------- */

/* Updates, with the validations that are due between them. */
static bool make_updates(web_play *play, int updates, sa_error *error) {
    sa_session *session = &play->session;
    session->report_loss = 0;
    session->report_words = 0;
    for (int i = 0; i < updates; i++) {
        if (!sa_session_step(session, error)) return false;
        if (sa_session_validation_due(session) && !sa_session_validate(session, true, error))
            return false;
    }
    return true;
}

static bool fail_untrained(sa_error *error) {
    return sa_fail(error, SA_USAGE, "this model was loaded without pairs to train on");
}

const char *web_step(web_play *play, int updates) {
    sa_error *error = web_begin();
    sa_session *session = &play->session;
    if (!play->trains) fail_untrained(error);
    if (!play->trains || error->code) return NULL;
    const double before = session->spent.updating;
    if (!make_updates(play, updates, error)) return NULL;
    const double seconds = session->spent.updating - before;
    const int64_t words = session->report_words;
    json_t *validation = play->validation ? play->validation : json_null();
    play->validation = NULL;
    return web_give_json(json_pack(
        "{s:I, s:I, s:f, s:o, s:I, s:f, s:o, s:o, s:o, s:s?}", "step",
        (json_int_t)session->trainer.step, "epoch", (json_int_t)session->batcher.epoch + 1,
        "epoch_part", (double)session->batcher.position / (double)session->data.count, "loss",
        sa_json_number(words ? session->report_loss / (double)words : NAN), "words",
        (json_int_t)words, "seconds", seconds, "words_per_second",
        sa_json_number((double)words / seconds), "gradient_norm",
        sa_json_number(session->gradient_norm), "validation", validation, "done",
        sa_session_reason_to_stop(session)));
}

const char *web_break(const char *term) {
    sa_error *error = web_begin();
    if (!sa_gradient_fault_inject(term)) {
        sa_fail(error, SA_USAGE, "there is no backward term '%s'", term);
        return NULL;
    }
    return web_give_json(json_pack("{s:s?}", "term", term));
}

static void add_gradient(void *context, const sa_gradient_result *result) {
    json_array_append_new(context, json_pack("{s:s, s:i, s:i, s:o, s:b}", "name", result->name,
                                             "rows", result->rows, "cols", result->cols, "worst",
                                             sa_json_number(result->worst), "ok", result->ok));
}

const char *web_gradcheck(const char *options, const char *term) {
    sa_error *error = web_begin();
    sa_settings settings;
    if (!web_settings_read(options, &settings, error)) return NULL;
    json_t *tensors = json_array();
    const sa_gradcheck_options check = {
        .settings = &settings, .broken = term, .each = add_gradient, .context = tensors};
    const bool good = sa_check_gradients(&check, error);
    if (!good && error->code != SA_CHECK) {
        json_decref(tensors);
        return NULL;
    }
    return web_give_json(json_pack("{s:b, s:s?, s:o}", "ok", good, "error",
                                   good ? NULL : error->text, "tensors", tensors));
}

/* ---- Saving ---------------------------------------------------------------------------------- */

const void *web_save(web_play *play, int state) {
    sa_error *error = web_begin();
    char name[64];
    sa_buffer copy = {0};
    name_state(play, name, sizeof name);
    if (state && !play->trains) fail_untrained(error);
    if ((state && !play->trains) ||
        !(state ? sa_checkpoint_write(&play->session, error)
                : sa_model_write(web_model(play), model_name, NULL, 0, error)))
        return NULL;
    const sa_buffer *file = web_file_find(state ? name : model_name);
    sa_buffer_add(&copy, file->text, file->size);
    web_file_remove(model_name);
    return web_give(&copy);
}
