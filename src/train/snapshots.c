#include "inference/model.h"
#include "report/matrix.h"
#include "train/session.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Minimum digits of a pair's folder and of a frame's name. */
enum { PAIR_DIGITS = 4, STEP_DIGITS = 8 };

static const char head_folder[] = "head-";

/* ---- Frames that are there already ----------------------------------------------------------- */

/* Returns the number in a name that has at least `digits` digits and `ending`; -1: another name. */
static int64_t number_of(const char *name, size_t digits, const char *ending) {
    const size_t length = strspn(name, "0123456789");
    int64_t number = 0;
    if (length < digits || length > 18 || strcmp(name + length, ending) != 0) return -1;
    for (size_t i = 0; i < length; i++) number = 10 * number + (name[i] - '0');
    return number;
}

/* The folders of a film: its own, a pair's and a head's; and that of the checkpoints. */
typedef enum film_level { FILM, PAIR, HEAD, CHECKPOINTS } film_level;

/* Returns whether a frame or a checkpoint after this many updates belongs to the training: the log
 * has a validation there; for a checkpoint, one of the newest that are to be kept. */
static bool is_known(const sa_session *session, int64_t step, film_level level) {
    int64_t rows = 0, found = -1;
    const int keep = level == CHECKPOINTS ? session->settings.keep : 0;
    if (!keep && !session->training->resume) return false;
    if (level != CHECKPOINTS && step == 0) return true;
    const char *line = session->log.text ? strchr(session->log.text, '\n') : NULL;
    for (; line; line = strchr(line + 1, '\n')) { /* "epoch,step,..." */
        const char *comma = strchr(line + 1, ',');
        if (comma && strtoll(comma + 1, NULL, 10) == step) found = rows;
        rows += comma != NULL;
    }
    return found >= 0 && (!keep || found >= rows - keep);
}

/* Removes frames and checkpoints that do not belong to the training, and folders in which nothing
 * else is. Fails with errno set. */
static bool tidy_folder(const sa_session *session, const char *folder, film_level level) {
    const size_t prefix = sizeof head_folder - 1;
    char path[SA_PATH_SIZE];
    bool good = true;
    struct dirent *entry;
    DIR *list = opendir(folder);
    if (!list) return errno == ENOENT || errno == ENOTDIR; /* not part of the film */
    while (good && (errno = 0, entry = readdir(list))) {
        const char *name = entry->d_name;
        const int64_t step =
            number_of(name, STEP_DIGITS, level == CHECKPOINTS ? ".safetensors" : ".csv");
        const bool head = level == PAIR && strncmp(name, head_folder, prefix) == 0 &&
                          number_of(name + prefix, 1, "") >= 0;
        sa_path_in(path, folder, name);
        if (level == FILM ? number_of(name, PAIR_DIGITS, "") >= 0 : head)
            good = tidy_folder(session, path, level + 1);
        else if (level != FILM &&
                 (sa_save_is_temporary(name) || (step >= 0 && !is_known(session, step, level))))
            good = unlink(path) == 0;
    }
    const int reason = errno;
    closedir(list);
    if (level != FILM) rmdir(folder);
    errno = reason;
    return good && !reason;
}

/* ---- Checkpoints ----------------------------------------------------------------------------- */

static bool remove_stale_checkpoints(const sa_session *session, char folder[SA_PATH_SIZE],
                                     sa_error *error) {
    sa_path_in(folder, session->training->out, "checkpoints");
    return tidy_folder(session, folder, CHECKPOINTS) ||
           sa_fail_errno(error, SA_IO, "tidy up", folder);
}

bool sa_checkpoints_keep(const sa_session *session, sa_error *error) {
    const int64_t step = session->trainer.step;
    char folder[SA_PATH_SIZE];
    if (!session->settings.keep || !is_known(session, step, CHECKPOINTS)) return true;
    if (!remove_stale_checkpoints(session, folder, error)) return false;
    char *path = sa_format(error, "%s/%0*lld.safetensors", folder, STEP_DIGITS, (long long)step);
    const bool good = path && sa_directory_create(folder, error) &&
                      sa_model_write(&session->model, path, NULL, 0, error);
    free(path);
    return good;
}

/* ---- New frames ------------------------------------------------------------------------------ */

bool sa_snapshots_open(const sa_session *session, sa_error *error) {
    char film[SA_PATH_SIZE], kept[SA_PATH_SIZE];
    return (tidy_folder(session, sa_path_in(film, session->training->out, "film"), FILM) ||
            sa_fail_errno(error, SA_IO, "tidy up", film)) &&
           remove_stale_checkpoints(session, kept, error);
}

/* Saves a frame in a folder, which is created if it is missing. */
static bool save_frame(const sa_session *session, const char *folder, const sa_alignment *alignment,
                       sa_error *error) {
    char name[32];
    sa_buffer matrix = {0};
    snprintf(name, sizeof name, "%0*lld.csv", STEP_DIGITS, (long long)session->trainer.step);
    sa_matrix_csv(alignment, false, &matrix);
    const bool good =
        sa_directory_create(folder, error) && sa_save_text_in(folder, name, &matrix, error);
    sa_buffer_release(&matrix);
    return good;
}

/* Saves the heads, if there are several, to film/0001/head-1 ... of the first pair, then the mean
 * to film/0001: a frame exists once its mean does, so it is complete even after a kill. */
static bool save_frames(void *context, size_t index, const sa_alignment *alignment,
                        sa_error *error) {
    const sa_session *session = context;
    const int heads = sa_seq2seq_heads(&session->model.w);
    char film[SA_PATH_SIZE], pair[SA_PATH_SIZE], folder[SA_PATH_SIZE], name[32];
    snprintf(name, sizeof name, "%0*zu", PAIR_DIGITS, index + 1);
    sa_path_in(pair, sa_path_in(film, session->training->out, "film"), name);
    bool good = sa_directory_create(film, error) && sa_directory_create(pair, error);
    for (int head = 1; good && heads > 1 && head <= heads; head++) {
        sa_alignment own = *alignment;
        own.weights = sa_alignment_weights(alignment, 0, head);
        snprintf(name, sizeof name, "%s%d", head_folder, head);
        good = save_frame(session, sa_path_in(folder, pair, name), &own, error);
    }
    return good && save_frame(session, pair, alignment, error);
}

bool sa_snapshots_write(sa_session *session, sa_error *error) {
    const sa_train_options *training = session->training;
    return !training->snapshot_count ||
           sa_align(&session->model, NULL, training->snapshot_pairs, training->snapshot_count,
                    save_frames, session, error);
}
