#include "train/start.h"
#include "base/file.h"
#include "base/memory.h"
#include "config/settings.h"
#include "data/corpus.h"
#include "data/scripts.h"
#include "inference/gold_links.h"
#include "inference/model_file.h"
#include "tensor/bf16.h"
#include "tensor/blas.h"
#include "train/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The folder ------------------------------------------------------------------------------ */

static bool look_for(const char *folder, const char *name, bool *there, sa_error *error) {
    char *path = sa_path_join(folder, name, error);
    if (!path) return false;
    errno = 0;
    *there = !sa_file_missing(path);
    const bool unseen = *there && errno;
    if (unseen) sa_fail_errno(error, SA_OPEN, "open", path);
    free(path);
    return !unseen;
}

/* What a training leaves in its folder: files, and the folder of the film behind them. */
static const char *const entries[] = {"last.safetensors", "best.safetensors", "average.safetensors",
                                      "log.csv", "film"};
enum { ENTRIES = sizeof entries / sizeof *entries, FILES = ENTRIES - 1 };

bool sa_training_find(const char *folder, const char **found, sa_error *error) {
    bool there = false;
    *found = NULL;
    for (size_t i = 0; !there && i < ENTRIES; i++) {
        if (!look_for(folder, entries[i], &there, error)) return false;
        if (there) *found = entries[i];
    }
    return true;
}

bool sa_training_remove(const char *folder, sa_error *error) {
    return sa_directory_remove(folder, entries, FILES, error);
}

/* Another training in a run of sa_compare would make the record of the run wrong. */
static bool check_record(const sa_train_options *training, sa_error *error) {
    bool compared = false;
    return training->pausing ||
           (look_for(training->out, "run.json", &compared, error) &&
            (!compared ||
             sa_fail(error, SA_BUSY, "'%s' is a run of 'compare' (run.json): choose another {out}",
                     training->out)));
}

static bool check_folder(const sa_train_options *training, sa_error *error) {
    const char *found;
    if (!check_record(training, error)) return false;
    if (training->resume || training->overwrite) return true;
    return sa_training_find(training->out, &found, error) &&
           (!found || sa_fail(error, SA_BUSY,
                              "'%s' holds a training (%s): {resume} continues it, {overwrite} "
                              "replaces it",
                              training->out, found));
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool read_pairs(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    if (!sa_corpus_open(&session->train, training->train, error)) return false;
    const size_t count = session->train.count;
    session->trained_on = sa_new(count, sizeof(bool), error);
    bool *held_out = session->trained_on ? sa_new(count, sizeof(bool), error) : NULL;
    if (!held_out) return false;
    const size_t held = training->valid ? 0 : sa_corpus_hold_out(&session->train, held_out);
    const bool good = training->valid
                          ? sa_corpus_open(&session->valid, training->valid, error)
                          : sa_corpus_select(&session->valid, &session->train, held_out, error);
    for (size_t i = 0; i < count; i++) session->trained_on[i] = !held_out[i] || held == count;
    free(held_out);
    return good;
}

static bool encode_pairs(sa_session *session, sa_error *error) {
    const sa_model *model = &session->model;
    return sa_dataset_build(&session->data, &session->train, session->trained_on, &model->source,
                            &model->target, session->settings.max_len, model->settings.copy,
                            error) &&
           sa_dataset_build(&session->valid_data, &session->valid, NULL, &model->source,
                            &model->target, 0, model->settings.copy, error);
}

/* --guided-alignment: the links of the training pairs. */
static bool read_links(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    const sa_corpus *corpus = &session->train;
    if (session->settings.guided_alignment <= 0) return true;
    if (training->alignments &&
        !sa_corpus_read_alignments(&session->train, training->alignments, error))
        return false;
    if (!corpus->gold) return sa_fail_unaligned(corpus, error);
    session->gold = sa_gold_make(&session->model.source, &session->model.target, corpus,
                                 corpus->pairs, session->data.pair, session->data.count, error);
    session->trainer.gold = session->gold;
    return session->gold != NULL;
}

static void note_merges(const sa_session *session) {
    const size_t wanted = (size_t)session->settings.bpe_merges;
    const size_t source = session->model.source.bpe.count, target = session->model.target.bpe.count;
    sa_session_note(session, "sub-words: %zu source and %zu target merges (%s)", source, target,
                    sa_bpe_name((size_t)session->settings.bpe));
    if (source < wanted || target < wanted)
        sa_session_note(session,
                        "note: the pairs are too few for %zu merges ({bpe_merges}): no other two "
                        "symbols stand side by side twice",
                        wanted);
}

static void note_pairs(const sa_session *session) {
    const sa_vocab *vocab[] = {&session->model.source.vocab, &session->model.target.vocab};
    static const char *const special[] = {"<unk>", "</s>", "<s>"};
    sa_session_note(
        session,
        "training: %zu pairs (%zu lines with an empty side, %zu pairs above %d tokens left out)",
        session->data.count, session->train.empty, session->data.too_long,
        session->settings.max_len);
    sa_session_note(session, "validation: %zu pairs (%s)", session->valid_data.count,
                    session->training->valid ? session->valid.name
                                             : "held out of the training pairs");
    sa_session_note(session, "vocabulary: %zu source and %zu target words", vocab[0]->words.count,
                    vocab[1]->words.count);
    if (session->model.source.tokenizer->subword) note_merges(session);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < SA_SPECIAL_TOKENS; i++)
            if (sa_vocab_find(vocab[side], special[i], strlen(special[i])) != SA_UNK)
                sa_session_note(session,
                                "note: the text contains '%s', which is read as an ordinary word",
                                special[i]);
}

/* ---- A fresh start and a resumed one --------------------------------------------------------- */

static bool start_fresh(sa_session *session, sa_error *error) {
    sa_text_codec source = {0}, target = {0};
    const sa_exchange *exchange = session->exchange;
    if (session->settings.shards == 0)
        session->settings.shards = exchange ? sa_threads_for(exchange->cores) : sa_cpu_count();
    if (!sa_text_codecs_build(&source, &target, &session->train, session->trained_on,
                              &session->settings, error) ||
        !sa_model_init(&session->model, &session->settings, &source, &target, NULL, error) ||
        !sa_params_init(&session->model.plan, session->model.values, session->settings.init,
                        (uint64_t)session->settings.seed, error))
        return false;
    session->figures.best_loss = INFINITY;
    session->figures.best_bleu = session->figures.best_chrf = -1;
    session->figures.lr_factor = 1;
    sa_buffer_adds(&session->log, SA_LOG_HEADER);
    return true;
}

/* If the file of the best model cannot be read, the next validation replaces it, whatever its
 * figures. */
static void check_best_model(sa_session *session) {
    sa_container file;
    sa_error why;
    if (!session->counts.validations) return;
    if (sa_container_open(&file, session->best_path.text, 1, &why)) {
        sa_container_close(&file);
        return;
    }
    session->best = (sa_validation){INFINITY, -1, -1};
    sa_session_note(session, "note: the best model is lost: %s", why.text);
}

static bool open_trainer(sa_session *session, sa_error *error) {
    sa_model *model = &session->model;
    return encode_pairs(session, error) &&
           sa_model_fits_in_file(model, (size_t)session->settings.average, error) &&
           sa_trainer_open(&session->trainer, &session->settings, &model->sizes, model->values,
                           session->data.longest_source, session->data.longest_target, model->pool,
                           session->exchange, error) &&
           read_links(session, error) &&
           sa_batcher_open(&session->batcher, session->data.source, session->data.target,
                           session->data.count, session->settings.batch,
                           session->settings.batch_tokens, session->settings.seed, error) &&
           sa_averaging_open(&session->averaging, &session->settings, model->plan.size, error);
}

static bool resume(sa_session *session, sa_error *error) {
    sa_container file;
    if (!sa_container_open(&file, session->last_path.text, session->settings.threads, error))
        return false;
    bool good =
        sa_model_read(&session->model, &file, session->settings.threads, error) &&
        sa_settings_check_resumable(sa_container_metadata(&file, "settings"), file.name, error);
    if (good) { /* options of SA_SCOPE_RUN are from this run, all others from the file */
        sa_settings asked = session->settings;
        session->settings = session->model.settings;
        if (asked.shards == 0) asked.shards = session->settings.shards;
        const sa_option *row = sa_settings_find_difference(&asked, &session->settings);
        if (session->settings.shards < 1)
            good = sa_fail(error, SA_DATA, "%s: the number of shards is missing", file.name);
        else if (row)
            good = sa_settings_fail_difference(row, &session->settings, file.name,
                                               "which resuming cannot change", error);
        session->settings.threads = asked.threads;
        session->settings.epochs = asked.epochs;
        session->settings.steps = asked.steps;
        session->settings.max_time = asked.max_time;
    }
    good = good && open_trainer(session, error) && sa_checkpoint_read(session, &file, error);
    sa_container_close(&file);
    return good;
}

/* ---- Open and close -------------------------------------------------------------------------- */

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

static void note_model(const sa_session *session) {
    const sa_exchange *exchange = session->exchange;
    const int shards = session->settings.shards, threads = sa_pool_threads(session->model.pool);
    const int all = threads * (exchange ? exchange->size : 1);
    char where[96] = "", idle[64] = "", format[64];
    if (exchange) snprintf(where, sizeof where, "%s, each with ", exchange->where);
    if (shards < all)
        snprintf(idle, sizeof idle,
                 sa_name_options(format, sizeof format, " (updates use %d: see {shards})"), shards);
    sa_session_note(session, "model: %zu weights, %d shards, %s%d threads%s%s",
                    session->model.plan.size, shards, where, threads, idle,
                    session->training->resume ? ", resumed" : "");
}

bool sa_session_open(sa_session *session, const sa_train_options *training, sa_error *error) {
    *session = (sa_session){
        .training = training,
        .exchange = sa_session_processes,
        .settings = *training->settings,
        .lock = SA_UNLOCKED,
        .begin = sa_clock_seconds() - training->spent.seconds,
        .spent = training->spent,
    };
    if (training->resume && training->overwrite)
        return sa_fail(error, SA_USAGE, "a training is either resumed or overwritten");
    const bool leads = sa_exchange_leads(session->exchange);
    if (session->exchange && session->settings.threads == 0)
        session->settings.threads = session->exchange->threads;
    if (!name_files(session, error) || !read_pairs(session, error)) return false;
    if (leads && (!sa_directory_lock_open(&session->lock, training->out, error) ||
                  !check_folder(training, error)))
        return false;
    const bool good = training->resume
                          ? resume(session, error)
                          : start_fresh(session, error) && open_trainer(session, error);
    if (!good) return false;
    session->counts.train_hash = (int64_t)session->data.hash;
    session->counts.valid_hash = (int64_t)session->valid_data.hash;
    session->best = (sa_validation){session->figures.best_loss, session->figures.best_bleu,
                                    session->figures.best_chrf};
    if (training->resume) check_best_model(session);
    note_pairs(session);
    note_model(session);
    if (session->settings.metrics.tokenize == SA_METRIC_TOKENIZER_13A &&
        sa_targets_lack_spaces(&session->valid))
        sa_session_note(session, "note: " SA_UNSPACED_NOTE);
    if (sa_blas_flavor_note() && session->settings.threads != 1)
        sa_session_note(session, "note: %s", sa_blas_flavor_note());
    if (session->settings.precision == SA_PRECISION_BF16 && sa_bf16_emulated())
        sa_session_note(session, "note: %s", sa_bf16_emulated());
    session->report_time = sa_clock_seconds();
    return true;
}
