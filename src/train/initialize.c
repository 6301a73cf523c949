/* initialize: what a new training begins with: random weights, those of another model, vectors of
 * words from a file. */
#include "config/settings.h"
#include "data/word_vectors.h"
#include "inference/model.h"
#include "train/session.h"

#include <string.h>

/* ---- Another model --------------------------------------------------------------------------- */

bool sa_initial_model_open(sa_session *session, sa_model *from, sa_error *error) {
    const char *path = session->training->init_from;
    sa_settings same = session->settings;
    sa_container file;
    if (!sa_container_open(&file, path, 1, NULL, error)) return false;
    session->checksum = file.checksum;
    const bool good = sa_model_read(from, &file, 1, error);
    sa_container_close(&file);
    if (!good) return false;
    sa_settings_take_shape(&same, &from->trained);
    const sa_option *row = sa_settings_find_difference(&session->settings, &same);
    if (!row) return true;
    sa_model_release(from);
    return sa_settings_fail_difference(row, &same, path, "which --init-from cannot change", error);
}

/* Words are appended to a vocabulary, so that those of the other model are the first rows. */
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
                       "{max_len} %d: '%s' has weights for the positions of its %d tokens",
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

/* ---- Vectors of words ------------------------------------------------------------------------ */

/* Sets the embeddings of a side's words that the file has. */
static bool read_embeddings(const sa_session *session, int side, const char *path,
                            sa_error *error) {
    static const char *const names[] = {"source", "target"};
    const sa_model *model = &session->model;
    const sa_mat E = sa_param_mat(sa_seq2seq_embedding(&model->plan, side), model->values);
    const sa_vocab *vocab = side ? &model->target.vocab : &model->source.vocab;
    size_t found;
    if (!sa_word_vectors_read(path, vocab, E.cols, E.x, &found, error)) return false;
    if (!found)
        return sa_fail(error, SA_DATA, "%s: none of the %s words is in it", path, names[side]);
    sa_session_note(session, "%s embeddings: %zu of %zu words found in '%s'%s", names[side], found,
                    vocab->words.count, path,
                    session->settings.freeze_embeddings & 1 << side ? "; frozen" : "");
    return true;
}

/* ---- All of it ------------------------------------------------------------------------------- */

bool sa_session_initialize(const sa_session *session, const sa_model *from, sa_error *error) {
    const sa_settings *settings = &session->settings;
    const sa_model *model = &session->model;
    const char *const *vectors = session->training->embeddings;
    if (!sa_params_init(&model->plan, model->values, settings->init, (uint64_t)settings->seed,
                        error) ||
        (from->values && !copy_weights(session, from, error)))
        return false;
    for (int side = 0; side < 2; side++)
        if (vectors[side] && !read_embeddings(session, side, vectors[side], error)) return false;
    return true;
}
