/* The start of a training: its folder, its pairs, its weights or the state that it resumes, and its
 * notes for the user. */
#include "config/settings.h"
#include "data/corpus.h"
#include "data/encoding.h"
#include "data/overlap.h"
#include "data/word_vectors.h"
#include "inference/model.h"
#include "metrics/metrics.h"
#include "train/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The folder ------------------------------------------------------------------------------ */

static const char *const names[] = {[SA_LAST] = "last.safetensors",
                                    [SA_BEST] = "best.safetensors",
                                    [SA_AVERAGE] = "average.safetensors",
                                    [SA_LOG] = "log.csv",
                                    [SA_FILM] = "film"};

static bool look_for(const char *folder, const char *name, bool *there, sa_error *error) {
    char path[SA_PATH_SIZE];
    errno = 0;
    *there = !sa_file_missing(sa_path_in(path, folder, name));
    return !*there || !errno || sa_fail_errno(error, SA_OPEN, "open", path);
}

bool sa_training_find(const char *folder, const char **found, sa_error *error) {
    bool there = false;
    *found = NULL;
    for (int i = 0; !there && i <= SA_FILM; i++) {
        if (!look_for(folder, names[i], &there, error)) return false;
        if (there) *found = names[i];
    }
    return true;
}

bool sa_training_remove(const char *folder, sa_error *error) {
    return sa_directory_remove(folder, names, SA_TRAINING_FILES, error);
}

/* Refuses a run of sa_compare: another training in it would make the record of the run wrong. */
static bool check_folder(const sa_train_options *training, sa_error *error) {
    const char *out = training->out, *found;
    bool compared = false;
    if (!training->pausing && !look_for(out, "run.json", &compared, error)) return false;
    if (compared)
        return sa_fail(error, SA_BUSY,
                       "'%s' is a run of 'compare' (run.json): choose another --out", out);
    if (training->resume || training->overwrite) return true;
    return sa_training_find(out, &found, error) &&
           (!found || sa_fail(error, SA_BUSY,
                              "'%s' holds a training (%s)%s --overwrite replaces it", out, found,
                              found == names[SA_LAST]
                                  ? ": --resume continues it,"
                                  : " that --resume cannot continue, without last.safetensors:"));
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static bool read_pairs(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    if (!sa_corpus_open_columns(&session->train, training->train, training->columns, error))
        return false;
    const size_t count = session->train.count;
    session->trained_on = sa_new(count, sizeof(bool), error);
    bool *held_out = session->trained_on ? sa_new(count, sizeof(bool), error) : NULL;
    if (!held_out) return false;
    const size_t held =
        training->valid ? 0
                        : sa_corpus_hold_out(&session->settings, &session->train, held_out, error);
    const bool good =
        training->valid
            ? sa_corpus_open_columns(&session->valid, training->valid, training->columns, error)
            : held && sa_corpus_select(&session->valid, &session->train, held_out, error);
    for (size_t i = 0; i < count; i++) session->trained_on[i] = !held_out[i] || held == count;
    free(held_out);
    return good;
}

/* Reads the links of the training pairs for guided alignment. */
static bool read_links(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    sa_corpus *corpus = &session->train;
    if (session->settings.guided_alignment <= 0) return true;
    if (training->alignments && !sa_corpus_read_alignments(corpus, training->alignments, error))
        return false;
    size_t sentences;
    if (!corpus->gold)
        return sa_fail(error, SA_DATA,
                       "%s: --guided-alignment needs the links of every pair: in a third column, "
                       "or in a file named by --alignments%s%s",
                       corpus->name, corpus->note ? "; " : "", corpus->note ? corpus->note : "");
    if (!sa_gold_counts_blanks(corpus, &session->settings, &sentences, error)) return false;
    if (sentences)
        sa_session_note(session, "note: " SA_GOLD_COUNTS_BLANKS, corpus->name, sentences);
    session->gold = sa_gold_make(&session->model.source, &session->model.target, corpus,
                                 corpus->pairs, session->data.pair, session->data.count, error);
    session->trainer.gold = session->gold;
    return session->gold != NULL;
}

bool sa_training_check(const sa_train_options *training, const sa_corpus *test, bool gold,
                       sa_error *error) {
    sa_session *session = sa_new(1, sizeof *session, error); /* too large for small stacks */
    if (!session) return false;
    session->training = training, session->settings = *training->settings;
    session->lock = SA_UNLOCKED;
    sa_model *model = &session->model;
    model->max_len = SA_MAX_LEN;
    sa_gold_alignment *links = NULL; /* between the words of the test pairs */
    const bool good =
        read_pairs(session, error) &&
        sa_text_codecs_build(&model->source, &model->target, &session->train, session->trained_on,
                             &session->settings, training->glossaries, error) &&
        sa_dataset_build(&session->data, &session->train, session->trained_on, &model->source,
                         &model->target, session->settings.max_len, &session->settings, error) &&
        read_links(session, error) &&
        sa_check_lengths(model, test->name, test->pairs, test->count, error) &&
        sa_check_lengths(model, NULL, training->snapshot_pairs, training->snapshot_count, error) &&
        (!gold || (links = sa_gold_make(&model->source, &model->target, test, test->pairs, NULL,
                                        test->count, error)));
    sa_gold_release(links, test->count);
    sa_session_close(session);
    free(session);
    return good;
}

/* ---- Initial weights ------------------------------------------------------------------------- */

/* Opens training->init_from. SA_USAGE names a setting that shapes the model and is different
 * there. */
static sa_model *open_initial_model(sa_session *session, sa_error *error) {
    const char *path = session->training->init_from;
    sa_settings same = session->settings;
    sa_model *from = sa_model_open(path, 1, error);
    if (!from) return NULL;
    session->checksum = from->checksum;
    sa_settings_take_shape(&same, &from->trained);
    const sa_option *row = sa_settings_find_difference(&session->settings, &same);
    if (!row) return from;
    sa_settings_fail_difference(row, &same, path, "which --init-from cannot change", error);
    sa_model_close(from);
    return NULL;
}

/* Copies the weights of the other model. A vocabulary grows at its end, so that model's words are
 * the first rows. */
static bool copy_weights(const sa_session *session, const sa_model *from, sa_error *error) {
    const sa_model *model = &session->model;
    const char *path = session->training->init_from;
    const int source = sa_seq2seq_embedding(&from->plan, 0)->rows;
    const int target = sa_seq2seq_embedding(&from->plan, 1)->rows;
    const sa_sizes sizes = sa_sizes_of(&model->settings, source, target);
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    if (plan.size != from->plan.size)
        return sa_fail(error, SA_USAGE,
                       "--max-len %d: '%s' has weights for the positions of its %d tokens",
                       session->settings.max_len, path, from->trained.max_len);
    for (int i = 0; i < plan.count; i++)
        memcpy(model->values + model->plan.item[i].offset, from->values + plan.item[i].offset,
               sa_param_size(&plan.item[i]) * sizeof(sa_real));
    sa_session_note(session,
                    "weights of '%s': all %zu are kept; %d source and %d target words are new, "
                    "with %zu weights; optimizer and schedule start anew",
                    path, plan.size, sa_seq2seq_embedding(&model->plan, 0)->rows - source,
                    sa_seq2seq_embedding(&model->plan, 1)->rows - target,
                    model->plan.size - plan.size);
    return true;
}

/* Sets the embeddings of those words of a side that the file has. */
static bool read_embeddings(const sa_session *session, int side, const char *path,
                            sa_error *error) {
    static const char *const sides[] = {"source", "target"};
    const sa_model *model = &session->model;
    const sa_mat E = sa_param_mat(sa_seq2seq_embedding(&model->plan, side), model->values);
    const sa_vocab *vocab = side ? &model->target.vocab : &model->source.vocab;
    size_t found;
    if (!sa_word_vectors_read(path, vocab, E.cols, E.x, &found, error)) return false;
    if (!found)
        return sa_fail(error, SA_DATA, "%s: none of the %s words is in it", path, sides[side]);
    sa_session_note(session, "%s embeddings: %zu of %zu words found in '%s'%s", sides[side], found,
                    vocab->count, path,
                    session->settings.freeze_embeddings & 1 << side ? "; frozen" : "");
    return true;
}

/* Sets the weights that a new training begins with: random ones, then those of `from`, if given,
 * then the vectors of training->embeddings. */
static bool initialize(const sa_session *session, const sa_model *from, sa_error *error) {
    const sa_settings *settings = &session->settings;
    const sa_model *model = &session->model;
    const char *const *vectors = session->training->embeddings;
    if (!sa_params_init(&model->plan, model->values, settings->init, (uint64_t)settings->seed,
                        error) ||
        (from && !copy_weights(session, from, error)))
        return false;
    for (int side = 0; side < 2; side++)
        if (vectors[side] && !read_embeddings(session, side, vectors[side], error)) return false;
    return true;
}

/* Refuses pairs with a target word that the source lacks, which a pointer network cannot write. */
static bool check_copied(const sa_session *session, sa_error *error) {
    const sa_dataset *data = &session->data;
    for (size_t i = 0; i < data->count; i++) {
        const sa_sentence *source = &data->source[i], *target = &data->target[i];
        for (int t = 0, j; t < target->len; t++) {
            for (j = 0; j < source->len && source->extended[j] != target->extended[t];) j++;
            if (j == source->len)
                return sa_fail(error, SA_DATA,
                               "%s:%zu: --decoder pointer copies every word, but the source lacks "
                               "target word %d",
                               session->train.name, session->train.pairs[data->pair[i]].line,
                               t + 1);
        }
    }
    return true;
}

/* ---- A fresh start and a resumed one --------------------------------------------------------- */

/* Makes a trainer and its batches from the settings and the vocabularies. */
static bool open_trainer(sa_session *session, sa_error *error) {
    const sa_settings *settings = &session->settings;
    sa_model *model = &session->model;
    sa_dataset *data = &session->data;
    const sa_sizes sizes = sa_sizes_of(settings, sa_vocab_size(&model->source.vocab),
                                       sa_vocab_size(&model->target.vocab));
    return sa_dataset_build(data, &session->train, session->trained_on, &model->source,
                            &model->target, settings->max_len, settings, error) &&
           (!sizes.recurrent || !sizes.kind->points || check_copied(session, error)) &&
           sa_dataset_build(&session->valid_data, &session->valid, NULL, &model->source,
                            &model->target, 0, settings, error) &&
           sa_model_fits_in_file(model, (size_t)settings->average, error) &&
           sa_trainer_open(&session->trainer, settings, &sizes, model->values, data, model->pool,
                           session->exchange, error) &&
           read_links(session, error) &&
           sa_batcher_open(&session->batcher, data->source, data->target, data->count,
                           settings->batch, settings->batch_tokens, settings->seed, error) &&
           sa_averaging_open(&session->averaging, settings, model->plan.size, error);
}

static bool start_fresh(sa_session *session, sa_error *error) {
    sa_settings *settings = &session->settings;
    sa_model *model = &session->model;
    const sa_exchange *exchange = session->exchange;
    sa_text_codec source = {0}, target = {0};
    sa_model *from = NULL;
    if (session->training->init_from && !(from = open_initial_model(session, error))) return false;
    if (settings->shards == 0)
        settings->shards = exchange ? sa_threads_for(exchange->cores) : sa_cpu_count();
    session->figures = (sa_state_figures){.best = {INFINITY, -1, -1}, .lr_factor = 1};
    sa_buffer_adds(&session->log, SA_LOG_HEADER);
    if (from) source = from->source, target = from->target;
    if (from) from->source = from->target = (sa_text_codec){0};
    const bool good = sa_text_codecs_build(&source, &target, &session->train, session->trained_on,
                                           settings, session->training->glossaries, error) &&
                      sa_model_init(model, settings, &source, &target, NULL, error) &&
                      initialize(session, from, error);
    sa_model_close(from);
    return good && open_trainer(session, error);
}

/* Takes the settings of the file, except those of the run. */
static bool take_settings(sa_session *session, const sa_container *file, sa_error *error) {
    const char *text = sa_container_metadata(file, "settings");
    sa_settings asked = session->settings, *settings = &session->settings;
    if (!sa_settings_read_file(settings, file, error)) return false; /* keeps those of the run */
    if (asked.shards == 0) asked.shards = settings->shards;
    const sa_option *option = sa_settings_find_difference(&asked, settings);
    if (!sa_settings_check_resumable(text, file->name, error)) return false;
    if (settings->shards < 1)
        return sa_fail(error, SA_DATA, "%s: the number of shards is missing", file->name);
    if (option)
        return sa_settings_fail_difference(option, settings, file->name,
                                           "which resuming cannot change", error);
    return true;
}

/* Lets the next validation replace the best model, whatever its figures are, if that cannot be
 * read. */
static void check_best_model(sa_session *session) {
    sa_container file;
    sa_error why;
    if (!session->counts.validations) return;
    if (sa_container_open(&file, session->path[SA_BEST], 1, NULL, &why)) {
        sa_container_close(&file);
        return;
    }
    session->best = (sa_validation){INFINITY, -1, -1};
    sa_session_note(session, "note: the best model is lost: %s", why.text);
}

static bool resume(sa_session *session, sa_error *error) {
    const int threads = session->settings.threads;
    sa_container file;
    if (!sa_container_open(&file, session->path[SA_LAST], threads, NULL, error)) return false;
    session->checksum = file.checksum;
    const bool good = sa_model_read(&session->model, &file, threads, error) &&
                      take_settings(session, &file, error) && open_trainer(session, error) &&
                      sa_checkpoint_read(session, &file, error);
    sa_container_close(&file);
    return good;
}

/* ---- Processes ------------------------------------------------------------------------------- */

bool sa_session_same(const sa_session *session, sa_error *error) {
    const sa_exchange *exchange = session->exchange;
    const uint64_t train = sa_corpus_hash(&session->train, session->gold) + session->data.hash;
    const uint64_t valid = sa_corpus_hash(&session->valid, false) + session->valid_data.hash;
    const uint64_t state = 2 * (uint64_t)session->checksum + (isfinite(session->best.loss) != 0);
    for (const sa_option *option = sa_settings_options; option->name; option++) {
        const double value = sa_option_get(option, &session->settings);
        const uint64_t word = sa_hash((const char *)&value, sizeof value);
        char what[64];
        snprintf(what, sizeof what, "another --%s", option->name);
        if (strcmp(option->name, "threads") != 0 && !sa_exchange_same(exchange, word, what, error))
            return false;
    }
    return sa_exchange_same(exchange, train, "other training pairs or alignments", error) &&
           sa_exchange_same(exchange, valid, "other validation pairs", error) &&
           sa_exchange_same(exchange, state, "another training to be resumed", error);
}

/* ---- Notes ----------------------------------------------------------------------------------- */

static void note_pairs(const sa_session *session) {
    enum { FEW = 200, SMALL = 64 }; /* pairs; size of a state */
    const sa_settings *settings = &session->settings;
    const sa_text_codec *codec[] = {&session->model.source, &session->model.target};
    const sa_vocab *vocab[] = {&codec[0]->vocab, &codec[1]->vocab};
    const bool joint = codec[0]->tokenizer->subword && codec[1]->tokenizer->subword &&
                       settings->bpe == SA_BPE_JOINT;
    const char *const remarks[] = {session->train.remarks, session->valid.remarks};
    for (int i = 0; i < 2; i++)
        if (remarks[i]) sa_session_note(session, "note: %s", remarks[i]);
    sa_session_note(session,
                    "training: %zu pair%s (left out: %zu with an empty side, %zu above %d tokens)",
                    session->data.count, session->data.count == 1 ? "" : "s", session->train.empty,
                    session->data.too_long, session->settings.max_len);
    sa_session_note(session, "validation: %zu pair%s (%s)", session->valid_data.count,
                    session->valid_data.count == 1 ? "" : "s",
                    session->training->valid ? session->valid.name
                                             : "held out of the training pairs");
    if (session->data.count < FEW && settings->model == SA_MODEL_RECURRENT &&
        settings->hidden > SMALL)
        sa_session_note(session, "note: with so few pairs a small model with small batches learns "
                                 "more: --batch 4 --hidden 32 --embed 16");
    if (session->data.count < FEW && !session->training->valid)
        sa_session_note(session, "note: to learn so few pairs by heart, add --valid %s",
                        session->training->train);
    sa_session_note(session, "vocabulary: %zu source and %zu target words", vocab[0]->count,
                    vocab[1]->count);
    if (sa_has_subwords(settings))
        sa_session_note(session, "sub-words: %zu source and %zu target merges (%s)",
                        codec[0]->bpe.pairs.count, codec[1]->bpe.pairs.count,
                        joint ? "joint" : "separate");
    for (int i = 0; i < 2 * SA_SPECIAL_TOKENS; i++) {
        const sa_token word = sa_vocab_token(vocab[0], i % SA_SPECIAL_TOKENS);
        if (sa_vocab_find(vocab[i / SA_SPECIAL_TOKENS], word.text, word.size) != SA_UNK)
            sa_session_note(session,
                            "note: the text contains '%s', which is read as an ordinary word",
                            word.text);
    }
}

static void note_model(const sa_session *session) {
    const sa_settings *settings = &session->settings;
    const sa_exchange *exchange = session->exchange;
    const int shards = settings->shards, threads = sa_pool_threads(session->model.pool);
    char where[96] = "", idle[64] = "";
    if (exchange) snprintf(where, sizeof where, "%s, each with ", exchange->where);
    if (shards < threads * (exchange ? exchange->size : 1))
        snprintf(idle, sizeof idle, " (updates use %d: see --shards)", shards);
    sa_session_note(session, "model: %zu weights, %d shard%s, %s%d thread%s%s%s",
                    session->model.plan.size, shards, shards == 1 ? "" : "s", where, threads,
                    threads == 1 ? "" : "s", idle, session->training->resume ? ", resumed" : "");
    if (settings->metrics.tokenize == SA_METRIC_TOKENIZER_13A &&
        sa_targets_lack_spaces(&session->valid))
        sa_session_note(session, "note: " SA_UNSPACED_NOTE);
    if (sa_blas_one_thread() && settings->threads != 1)
        sa_session_note(session, "note: %s", sa_blas_one_thread());
    if (settings->precision == SA_PRECISION_BF16 && sa_bf16_emulated())
        sa_session_note(session, "note: %s", sa_bf16_emulated());
}

/* Checks that the glossaries asked for are those of the model, which may have come with its own. */
static bool check_glossaries(const sa_session *session, sa_error *error) {
    const char *list = session->training->glossaries;
    const sa_text_codec *source = &session->model.source,
                        *codec = source->tokenizer->subword ? source : &session->model.target;
    const char *own = codec->bpe.glossaries;
    sa_bpe asked = {0};
    if (!list || !sa_bpe_set_glossaries(&asked, list, codec->lowercase, error)) return !list;
    const bool same = own && strcmp(asked.glossaries, own) == 0;
    sa_bpe_release(&asked);
    return same || sa_fail(error, SA_USAGE, "--glossaries: the model has %s",
                           own ? own : "none (they are for subwords)");
}

/* ---- All of it ------------------------------------------------------------------------------- */

bool sa_session_open(sa_session *session, const sa_train_options *training, sa_error *error) {
    *session = (sa_session){
        .training = training,
        .exchange = sa_session_processes,
        .settings = *training->settings,
        .lock = SA_UNLOCKED,
        .begin = sa_clock_seconds() - training->spent.seconds,
        .spent = training->spent,
        .watch = {.stop = training->stop, .context = session},
    };
    if (training->resume && training->overwrite)
        return sa_fail(error, SA_USAGE, "a training is either resumed or overwritten");
    if (training->init_from && (training->embeddings[0] || training->embeddings[1]))
        return sa_fail(error, SA_USAGE,
                       "--init-from brings embeddings: --source-embeddings and "
                       "--target-embeddings are for random weights");
    if (session->exchange && session->settings.threads == 0)
        session->settings.threads = session->exchange->threads;
    for (int i = 0; i < SA_TRAINING_FILES; i++)
        if (!(session->path[i] = sa_format(error, "%s/%s", training->out, names[i]))) return false;
    if (!read_pairs(session, error)) return false;
    if (sa_exchange_leads(session->exchange) &&
        (!sa_directory_lock_open(&session->lock, training->out, error) ||
         !check_folder(training, error)))
        return false;
    if (!(training->resume ? resume : start_fresh)(session, error)) return false;
    if (!check_glossaries(session, error)) return false;
    session->counts.train_hash = (int64_t)session->data.hash;
    session->counts.valid_hash = (int64_t)session->valid_data.hash;
    session->best = session->figures.best;
    if (training->resume) check_best_model(session);
    note_pairs(session);
    note_model(session);
    session->report_time = sa_clock_seconds();
    return true;
}
