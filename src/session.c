#include "session.h"
#include "base/file.h"
#include "base/save.h"
#include "math/blas.h"
#include "merging.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sa_session_note(const sa_session *session, const char *format, ...) {
    char text[512];
    if (!session->training->report) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sa_progress progress = {.kind = SA_NOTE, .note = text};
    session->training->report(session->training->context, &progress);
}

/* Far beyond every training, and far below what an int64_t counts to. */
#define MOST_COUNTED ((int64_t)1 << 53)

/* What a kept validation is in the file: its loss, BLEU and chrF. */
enum { KEPT_FIGURES = sizeof(sa_validation) / sizeof(double) };

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool read_pairs(sa_session *session, sa_error *error) {
    const sa_training *training = session->training;
    if (!sa_corpus_open(&session->train, training->train, error)) return false;
    const size_t count = session->train.count;
    session->held = sa_new(count, sizeof(bool), error);
    session->kept = sa_new(count, sizeof(bool), error);
    if (!session->held || !session->kept) return false;
    session->check_corpus = &session->train;
    if (training->valid) {
        session->check_corpus = &session->valid;
        if (!sa_corpus_open(&session->valid, training->valid, error)) return false;
    }
    const size_t held = training->valid ? 0 : sa_hold_out(&session->train, session->held);
    for (size_t i = 0; i < count; i++) session->kept[i] = !session->held[i] || held == count;
    return true;
}

static bool encode_pairs(sa_session *session, sa_error *error) {
    const sa_model *model = &session->model;
    const bool *held = session->training->valid ? NULL : session->held;
    return sa_dataset_make(&session->data, &session->train, session->kept, &model->source,
                           &model->target, session->settings.max_len, error) &&
           sa_dataset_make(&session->check, session->check_corpus, held, &model->source,
                           &model->target, 0, error);
}

/* --guided-alignment: what the words of the training pairs are linked to. */
static bool read_links(sa_session *session, sa_error *error) {
    const sa_training *training = session->training;
    const sa_corpus *corpus = &session->train;
    if (session->settings.guided_alignment <= 0) return true;
    if (training->alignments && !sa_corpus_align(&session->train, training->alignments, error))
        return false;
    if (!corpus->gold) return sa_fail_unaligned(corpus, error);
    session->gold = sa_gold_make(&session->model.source, &session->model.target, corpus,
                                 corpus->pairs, session->data.pair, session->data.count, error);
    session->trainer.gold = session->gold;
    return session->gold != NULL;
}

static void tell_about_merges(const sa_session *session) {
    const size_t wanted = (size_t)session->settings.bpe_merges;
    const size_t source = session->model.source.bpe.count, target = session->model.target.bpe.count;
    sa_session_note(session, "sub-words: %zu source and %zu target merges (%s)", source, target,
                    sa_bpe_name((size_t)session->settings.bpe));
    if (source < wanted || target < wanted)
        sa_session_note(session,
                        "note: the pairs are too few for %zu merges (--bpe-merges): no other two "
                        "symbols stand side by side twice",
                        wanted);
}

static void tell_about_pairs(const sa_session *session) {
    const sa_vocab *vocab[] = {&session->model.source.vocab, &session->model.target.vocab};
    static const char *const special[] = {"<unk>", "</s>", "<s>"};
    sa_session_note(
        session,
        "training: %zu pairs (%zu lines with an empty side, %zu pairs above %d tokens left out)",
        session->data.count, session->train.empty, session->data.too_long,
        session->settings.max_len);
    sa_session_note(session, "validation: %zu pairs (%s)", session->check.count,
                    session->training->valid ? session->valid.name
                                             : "held out of the training pairs");
    sa_session_note(session, "vocabulary: %zu source and %zu target words", vocab[0]->words.count,
                    vocab[1]->words.count);
    if (session->model.source.tokenizer->pieces) tell_about_merges(session);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < SA_SPECIALS; i++)
            if (sa_vocab_find(vocab[side], special[i], strlen(special[i])) != SA_UNKNOWN)
                sa_session_note(session,
                                "note: the text contains '%s', which is read as an ordinary word",
                                special[i]);
}

/* ---- A fresh start and a resumed one --------------------------------------------------------- */

static bool start_fresh(sa_session *session, sa_error *error) {
    sa_coder source = {0}, target = {0};
    if (session->settings.shards == 0) session->settings.shards = sa_cores();
    if (!sa_coders_build(&source, &target, &session->train, session->kept, &session->settings,
                         error) ||
        !sa_model_init(&session->model, &session->settings, &source, &target, error) ||
        !sa_params_start(&session->model.plan, session->model.values, session->settings.init,
                         (uint64_t)session->settings.seed, error))
        return false;
    session->figure[SA_FIGURE_BEST] = INFINITY;
    session->figure[SA_FIGURE_BLEU] = session->figure[SA_FIGURE_CHRF] = -1;
    session->figure[SA_FIGURE_RATE] = 1;
    sa_buffer_adds(
        &session->log,
        "epoch,step,seconds,updating,words,words_per_second,train_loss,train_perplexity,"
        "gradient_norm,valid_loss,valid_perplexity,valid_bleu,valid_chrf,guided_loss,best\n");
    return true;
}

/* Takes the rows of the log that belong to the saved state; what a stop added is dropped. */
static bool read_log(sa_session *session, sa_error *error) {
    sa_file file;
    if (!sa_file_read(&file, session->log_path.text, SA_FILE_LIMIT, error)) return false;
    size_t at = 0;
    for (int64_t line = 0; line <= session->at[SA_AT_ROWS] && at < file.size; line++) {
        const char *end = memchr(file.data + at, '\n', file.size - at);
        if (!end) break;
        at = (size_t)(end - file.data) + 1;
    }
    sa_buffer_add(&session->log, file.data, at);
    sa_file_release(&file);
    return !session->log.failed || sa_fail_memory(error, at);
}

static bool check_place(const sa_session *session, const char *file, sa_error *error) {
    const int64_t *at = session->at;
    for (int i = 0; i < SA_AT_COUNT; i++) {
        const bool hash = i == SA_AT_TRAIN || i == SA_AT_VALID;
        const int64_t most = i == SA_AT_EPOCH || i == SA_AT_BAD ? INT_MAX - 1 : MOST_COUNTED;
        if (!hash && (at[i] < 0 || at[i] > most))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.at': number %d is an impossible count", file, i);
    }
    for (int i = 0; i < SA_FIGURE_COUNT; i++)
        if (isnan(session->figure[i]) || (isinf(session->figure[i]) && i != SA_FIGURE_BEST))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'training.figures' is not finite at number %d", file, i);
    if (!(session->figure[SA_FIGURE_RATE] > 0 && session->figure[SA_FIGURE_RATE] <= 1))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.figures' holds an impossible rate",
                       file);
    if (at[SA_AT_TRAIN] != (int64_t)session->data.hash ||
        at[SA_AT_POSITION] > (int64_t)session->data.count)
        return sa_fail(error, SA_DATA, "%s: the training pairs have changed since '%s' was saved",
                       session->train.name, file);
    if (at[SA_AT_VALID] != (int64_t)session->check.hash)
        return sa_fail(error, SA_DATA, "%s: the validation pairs have changed since '%s' was saved",
                       session->check_corpus->name, file);
    return true;
}

/* The optimiser's memories must be finite, and the mean of squares cannot be negative. */
static bool check_memories(const sa_session *session, const char *file, sa_error *error) {
    for (size_t i = 0; i < session->model.plan.size; i++) {
        const bool first = isfinite(session->trainer.first[i]);
        const sa_real second = session->trainer.second[i];
        if (first && isfinite(second) && second >= 0) continue;
        return sa_fail(error, SA_DATA, "%s: tensor 'optimizer.%s' is damaged at number %zu", file,
                       first ? "second" : "first", i);
    }
    return true;
}

static bool read_kept(sa_session *session, const sa_container *file, sa_error *error) {
    sa_kept *kept = &session->average;
    const size_t size = kept->room * kept->size;
    if (!kept->room) return true;
    if (!sa_tensor_copy(file, "average.weights", SA_F32, size, kept->weights, error) ||
        !sa_tensor_copy(file, "average.validations", SA_F64, kept->room * KEPT_FIGURES, kept->past,
                        error))
        return false;
    for (size_t i = 0; i < size; i++)
        if (!isfinite(kept->weights[i]))
            return sa_fail(error, SA_DATA, "%s: tensor 'average.weights' is damaged at number %zu",
                           file->name, i);
    for (size_t i = 0; i < kept->room * KEPT_FIGURES; i++)
        if (!isfinite(((const double *)kept->past)[i]))
            return sa_fail(error, SA_DATA,
                           "%s: tensor 'average.validations' is damaged at number %zu", file->name,
                           i);
    return true;
}

/* The best model lies in a file of its own. When it cannot be used, the next validation makes it
 * anew, however good that is. */
static void look_for_best(sa_session *session) {
    sa_container file;
    sa_error why;
    if (!session->at[SA_AT_ROWS]) return;
    if (sa_container_open(&file, session->best_path.text, &why)) {
        sa_container_close(&file);
        return;
    }
    session->best = (sa_validation){INFINITY, -1, -1};
    sa_session_note(session, "note: the best model is lost: %s", why.text);
}

static bool read_state(sa_session *session, const sa_container *file, sa_error *error) {
    sa_trainer *trainer = &session->trainer;
    const size_t size = session->model.plan.size;
    if (!sa_container_find(file, "training.at"))
        return sa_fail(error, SA_DATA, "%s: tensor 'training.at' is missing: no training saved it",
                       file->name);
    if (!sa_tensor_copy(file, "training.at", SA_I64, SA_AT_COUNT, session->at, error) ||
        !sa_tensor_copy(file, "training.figures", SA_F64, SA_FIGURE_COUNT, session->figure,
                        error) ||
        !sa_tensor_copy(file, "optimizer.first", SA_F32, size, trainer->first, error) ||
        !sa_tensor_copy(file, "optimizer.second", SA_F32, size, trainer->second, error) ||
        !check_place(session, file->name, error) || !check_memories(session, file->name, error) ||
        !read_kept(session, file, error))
        return false;
    trainer->step = session->at[SA_AT_STEP];
    trainer->applied = session->at[SA_AT_APPLIED];
    trainer->bad = (int)session->at[SA_AT_BAD];
    trainer->decay = session->figure[SA_FIGURE_RATE];
    session->first_step = trainer->step;
    sa_batcher_seek(&session->batcher, session->at[SA_AT_EPOCH],
                    (size_t)session->at[SA_AT_POSITION]);
    if (session->model.flushed)
        sa_session_note(session, "note: '%s': %zu denormal numbers are read as zero", file->name,
                        session->model.flushed);
    const char *core = sa_container_text(file, "core");
    if (core && strcmp(core, sa_blas_core()) != 0)
        sa_session_note(session,
                        "note: '%s' was trained on another kind of processor (%s, here %s): "
                        "the last bits may differ",
                        file->name, core, sa_blas_core());
    return read_log(session, error);
}

static bool open_machinery(sa_session *session, sa_error *error) {
    sa_model *model = &session->model;
    return encode_pairs(session, error) &&
           sa_trainer_open(&session->trainer, &session->settings, &model->sizes, model->values,
                           session->data.longest_source, session->data.longest_target, model->pool,
                           error) &&
           read_links(session, error) &&
           sa_batcher_open(&session->batcher, session->data.source, session->data.target,
                           session->data.count, session->settings.batch,
                           session->settings.batch_tokens, session->settings.seed, error) &&
           sa_kept_open(&session->average, &session->settings, model->plan.size, error);
}

static bool resume(sa_session *session, sa_error *error) {
    sa_container file;
    if (!sa_container_open(&file, session->last_path.text, error)) return false;
    bool good = sa_model_read(&session->model, &file, session->settings.threads, error);
    if (good) { /* the run's own options are this run's, all else is the file's */
        const sa_settings asked = session->settings;
        session->settings = session->model.settings;
        session->settings.threads = asked.threads;
        session->settings.epochs = asked.epochs;
        session->settings.steps = asked.steps;
        session->settings.max_time = asked.max_time;
        if (session->settings.shards < 1)
            good = sa_fail(error, SA_DATA, "%s: the number of shards is missing", file.name);
    }
    good = good && open_machinery(session, error) && read_state(session, &file, error);
    sa_container_close(&file);
    return good;
}

/* ---- Open, save, close ----------------------------------------------------------------------- */

static bool name_files(sa_session *session, sa_error *error) {
    const char *out = session->training->out;
    sa_buffer_addf(&session->best_path, "%s/best.safetensors", out);
    sa_buffer_addf(&session->last_path, "%s/last.safetensors", out);
    sa_buffer_addf(&session->average_path, "%s/average.safetensors", out);
    sa_buffer_addf(&session->log_path, "%s/log.csv", out);
    return (!session->best_path.failed && !session->last_path.failed &&
            !session->average_path.failed && !session->log_path.failed) ||
           sa_fail_memory(error, strlen(out));
}

bool sa_session_open(sa_session *session, const sa_training *training, sa_error *error) {
    *session = (sa_session){
        .training = training,
        .settings = *training->settings,
        .lock = -1,
        .begin = sa_now() - training->spent.seconds,
        .spent = training->spent,
    };
    if (!name_files(session, error) || !read_pairs(session, error)) return false;
    if (!sa_lock_open(&session->lock, training->out, error)) {
        session->lock = -1;
        return false;
    }
    const bool good = training->resume
                          ? resume(session, error)
                          : start_fresh(session, error) && open_machinery(session, error);
    if (!good) return false;
    session->at[SA_AT_TRAIN] = (int64_t)session->data.hash;
    session->at[SA_AT_VALID] = (int64_t)session->check.hash;
    session->best =
        (sa_validation){session->figure[SA_FIGURE_BEST], session->figure[SA_FIGURE_BLEU],
                        session->figure[SA_FIGURE_CHRF]};
    if (training->resume) look_for_best(session);
    tell_about_pairs(session);
    sa_session_note(session, "model: %zu weights, %d shards, %d threads%s",
                    session->model.plan.size, session->settings.shards,
                    sa_pool_threads(session->model.pool), training->resume ? ", resumed" : "");
    session->since = sa_now();
    return true;
}

sa_effort sa_session_spent(const sa_session *session) {
    sa_effort spent = session->spent;
    spent.seconds = sa_now() - session->begin;
    return spent;
}

static bool save_log(const sa_session *session, sa_error *error) {
    const sa_buffer *log = &session->log;
    if (log->failed) return sa_fail_memory(error, log->size);
    return sa_save(session->log_path.text, &(sa_piece){log->text, log->size}, 1, error);
}

bool sa_session_save(sa_session *session, sa_error *error) {
    const int size = (int)session->model.plan.size;
    const sa_trainer *trainer = &session->trainer;
    session->at[SA_AT_STEP] = trainer->step;
    session->at[SA_AT_APPLIED] = trainer->applied;
    session->at[SA_AT_BAD] = trainer->bad;
    session->at[SA_AT_EPOCH] = session->batcher.epoch;
    session->at[SA_AT_POSITION] = (int64_t)session->batcher.position;
    const sa_kept *kept = &session->average;
    const sa_tensor state[] = {
        {.name = "optimizer.first",
         .type = SA_F32,
         .rank = 1,
         .shape = {size},
         .data = trainer->first},
        {.name = "optimizer.second",
         .type = SA_F32,
         .rank = 1,
         .shape = {size},
         .data = trainer->second},
        {.name = "training.at",
         .type = SA_I64,
         .rank = 1,
         .shape = {SA_AT_COUNT},
         .data = session->at},
        {.name = "training.figures",
         .type = SA_F64,
         .rank = 1,
         .shape = {SA_FIGURE_COUNT},
         .data = session->figure},
        {.name = "average.weights", /* from here on: with --average only */
         .type = SA_F32,
         .rank = 2,
         .shape = {(int)kept->room, size},
         .data = kept->weights},
        {.name = "average.validations",
         .type = SA_F64,
         .rank = 2,
         .shape = {(int)kept->room, KEPT_FIGURES},
         .data = kept->past},
    };
    const size_t count = sizeof state / sizeof *state - (kept->room ? 0 : 2);
    return save_log(session, error) &&
           sa_model_write(&session->model, session->last_path.text, state, count, error);
}

void sa_session_close(sa_session *session) {
    sa_batcher_close(&session->batcher);
    sa_kept_close(&session->average);
    sa_trainer_close(&session->trainer);
    sa_model_release(&session->model);
    sa_gold_release(session->gold, session->data.count);
    sa_dataset_release(&session->data);
    sa_dataset_release(&session->check);
    if (session->train.owned) sa_corpus_close(&session->train);
    if (session->valid.owned) sa_corpus_close(&session->valid);
    free(session->held), free(session->kept);
    sa_buffer_release(&session->best_path);
    sa_buffer_release(&session->last_path);
    sa_buffer_release(&session->average_path);
    sa_buffer_release(&session->log_path);
    sa_buffer_release(&session->log);
    if (session->lock >= 0) sa_lock_close(session->lock);
}
