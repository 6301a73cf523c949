/* play_training: a model, its training, its files and the figures of its held-out pairs. Each call
 * measures some of the pairs, so that training can go on in between, but always with the weights of
 * the first call, which are kept until all pairs are measured. */
#include "base/memory.h"
#include "data/encoding.h"
#include "inference/model.h"
#include "report/html_report.h"
#include "report/pair_scores.h"
#include "train/session.h"
#include "web/play.h"
#include "web/system/plain_system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of texts while they are read, for messages. */
static const char train_name[] = "pairs", valid_name[] = "held-out pairs", model_name[] = "file";

static bool put(const char *name, const void *bytes, size_t size, sa_error *error) {
    return sa_save(name, &(sa_chunk){bytes, size}, 1, error);
}

/* ---- Figures of the held-out pairs ----------------------------------------------------------- */

/* Sums of the weights on sure gold links: on all of them, and on those that cross another sure
 * one. */
typedef struct gold_sums {
    const sa_gold_alignment *gold; /* of each pair of the part; NULL: none */
    sa_head_roles *roles;          /* [heads] of all layers */
    size_t heads;
    double weight, moved;
    int links, moved_links;
} gold_sums;

struct web_measuring {
    json_int_t step;
    size_t next; /* pairs measured so far */
    sa_corpus pairs;
    sa_real *values; /* the weights at the first call */
    sa_sentence_result *each;
    gold_sums sums;
};

static void end_measuring(web_measuring *all) {
    if (!all) return;
    sa_sentence_results_release(all->each, all->next);
    free(all->each), free(all->values), free(all->sums.roles), free(all);
}

static web_measuring *begin(web_play *play, int most, sa_error *error) {
    const sa_model *model = &play->session.model;
    if (!play->held_out.count) {
        sa_fail(error, SA_USAGE, "this model has no held-out pairs");
        return NULL;
    }
    web_measuring *all = sa_new(1, sizeof *all, error);
    if (!all) return NULL;
    all->step = (json_int_t)play->session.trainer.step;
    all->pairs = play->held_out;
    if (most > 0 && (size_t)most < all->pairs.count) all->pairs.count = (size_t)most;
    all->each = sa_new(all->pairs.count, sizeof *all->each, error);
    all->sums.heads =
        (size_t)(sa_seq2seq_layers(&model->w, SA_SITE_CROSS) * sa_seq2seq_heads(&model->w));
    all->sums.roles = sa_new(all->sums.heads + 1, sizeof *all->sums.roles, error);
    all->values =
        all->each && all->sums.roles ? sa_new(model->plan.size, sizeof *all->values, error) : NULL;
    if (all->values) memcpy(all->values, model->values, model->plan.size * sizeof *all->values);
    if (all->values) return all;
    end_measuring(all);
    return NULL;
}

/* ---- Gold links ------------------------------------------------------------------------------ */

static bool crosses(const sa_gold_alignment *gold, const sa_link *link) {
    for (size_t i = 0; i < gold->count; i++) {
        const sa_link *other = &gold->links[i];
        if (other->possible) continue;
        if ((other->source - link->source) * (other->target - link->target) < 0) return true;
    }
    return false;
}

static bool add_gold(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    gold_sums *sums = context;
    const sa_gold_alignment none = {0}, *gold = sums->gold ? &sums->gold[index] : &none;
    for (size_t i = 0; i < gold->count; i++) {
        const sa_link *link = &gold->links[i];
        if (link->possible) continue;
        const double weight = alignment->weights[link->target * alignment->sources + link->source];
        sums->weight += weight, sums->links++;
        if (crosses(gold, link)) sums->moved += weight, sums->moved_links++;
    }
    return sa_head_roles_add_pair(sums->roles, alignment, SA_SITE_CROSS, gold->links, gold->count,
                                  error);
}

static bool measure_attention(sa_model *model, const sa_corpus *part, gold_sums *sums,
                              sa_error *error) {
    sa_gold_alignment *gold = part->gold ? sa_gold_make(&model->source, &model->target, part,
                                                        part->pairs, NULL, part->count, error)
                                         : NULL;
    sums->gold = gold;
    const bool good = (gold || !part->gold) &&
                      sa_align(model, NULL, part->pairs, part->count, add_gold, sums, error);
    sa_gold_release(gold, part->count);
    return good;
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* Measures pairs with the weights of the first call. */
static bool measure_part(web_measuring *all, sa_model *model, int pairs, sa_error *error) {
    sa_search search;
    sa_search_init(&search);
    sa_corpus part = all->pairs;
    part.pairs += all->next, part.count -= all->next;
    if (pairs > 0 && (size_t)pairs < part.count) part.count = (size_t)pairs;
    if (!sa_evaluate(model, &part, &search, NULL, all->each + all->next, error)) return false;
    all->next += part.count;
    const bool wanted = all->sums.heads && (all->pairs.gold || all->sums.heads > 1);
    return !wanted || measure_attention(model, &part, &all->sums, error);
}

static void swap(sa_real *one, sa_real *other, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const sa_real kept = one[i];
        one[i] = other[i], other[i] = kept;
    }
}

const char *web_validate(web_play *play, int most, int pairs) {
    sa_error *error = web_begin();
    sa_model *model = &play->session.model;
    json_t *result = NULL;
    if (!play->measuring && !(play->measuring = begin(play, most, error))) return NULL;
    web_measuring *all = play->measuring;
    swap(model->values, all->values, model->plan.size);
    const bool good = measure_part(all, model, pairs, error);
    swap(model->values, all->values, model->plan.size);
    if (good && all->next < all->pairs.count) return web_give_json(json_null());
    sa_eval_result found;
    if (good && sa_eval_summarize(&model->settings.metrics, &all->pairs, all->each, NULL,
                                  all->pairs.count, &found, error)) {
        result = sa_eval_json(&found);
        json_object_update_new(result,
                               json_pack("{s:I, s:o, s:o, s:i, s:o, s:i}", "step", all->step,
                                         "roles", sa_page_roles(all->sums.roles, all->sums.heads),
                                         "gold", sa_json_number(all->sums.weight / all->sums.links),
                                         "links", all->sums.links, "moved",
                                         sa_json_number(all->sums.moved / all->sums.moved_links),
                                         "moved_links", all->sums.moved_links));
    }
    end_measuring(all);
    play->measuring = NULL;
    return web_give_json(result);
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
    play->session.lock = SA_UNLOCKED;
    return play;
}

/* Puts a state and its log, whose figures are in the state, where the session looks for them. */
static bool put_state(const web_play *play, const void *state, size_t size, sa_error *error) {
    char name[SA_PATH_SIZE];
    return put(sa_path_in(name, play->folder, "last.safetensors"), state, size, error) &&
           put(sa_path_in(name, play->folder, "log.csv"), SA_LOG_HEADER, strlen(SA_LOG_HEADER),
               error);
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
        good = sa_session_open(&play->session, &play->training, error);
        if (good)
            play->held_out =
                sa_dataset_pairs(&play->session.valid_data, &play->session.valid, SIZE_MAX, error);
        good = good && play->held_out.pairs;
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
    if (sa_container_read(&container, model_name, file, size, error)) {
        const bool good = sa_model_read(&play->session.model, &container, 1, error);
        sa_container_close(&container);
        if (good) return play;
    }
    web_close(play);
    return NULL;
}

void web_close(web_play *play) {
    if (!play) return;
    sa_session_close(&play->session);
    sa_training_remove(play->folder, NULL);
    end_measuring(play->measuring);
    sa_planted_fault_free(play->planted);
    free(play->held_out.pairs);
    json_decref(play->notes);
    json_decref(play->validation);
    free(play);
}

const char *web_about(web_play *play) {
    web_begin();
    const sa_model *model = &play->session.model;
    json_t *all = web_settings_json(&model->trained);
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

static const sa_gradient_fault *broken; /* chosen by web_break, or NULL */

/* Leaves the chosen term out of the next updates, if the model has such a term. */
static void plant(web_play *play) {
    sa_trainer *trainer = &play->session.trainer;
    if (broken == (play->planted ? play->planted->fault : NULL)) return;
    sa_planted_fault_free(play->planted);
    play->planted = broken ? sa_gradient_fault_plant(broken, &trainer->sizes, NULL) : NULL;
    trainer->w.fault = play->planted ? &play->planted->instead : NULL;
}

/* Makes updates, and the validations that are due between them. */
static bool make_updates(web_play *play, int updates, sa_error *error) {
    sa_session *session = &play->session;
    session->report_loss = 0;
    session->report_words = 0;
    plant(play);
    for (int i = 0; i < updates; i++) {
        if (!sa_session_step(session, error)) return false;
        if (sa_session_validation_due(session) && !sa_session_validate(session, true, error))
            return false;
    }
    return true;
}

static bool trains(const web_play *play, sa_error *error) {
    return play->trains ||
           sa_fail(error, SA_USAGE, "this model was loaded without pairs to train on");
}

const char *web_step(web_play *play, int updates) {
    sa_error *error = web_begin();
    sa_session *session = &play->session;
    if (!trains(play, error)) return NULL;
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
    broken = term ? sa_gradient_fault_find(term) : NULL;
    if (term && !broken) {
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
    sa_buffer copy = {0};
    if (!(state ? trains(play, error) && sa_checkpoint_write(&play->session, error)
                : sa_model_write(&play->session.model, model_name, NULL, 0, error)))
        return NULL;
    const sa_buffer *file = web_file_find(state ? play->session.path[SA_LAST] : model_name);
    sa_buffer_add(&copy, file->text, file->size);
    web_file_remove(model_name);
    return web_give(true, &copy);
}
