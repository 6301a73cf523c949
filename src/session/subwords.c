#include "session/subwords.h"

bool sa_session_cut_again(sa_session *session, int64_t epoch, sa_error *error) {
    const sa_settings *settings = &session->settings;
    return settings->bpe_dropout <= 0 ||
           sa_dataset_cut_again(&session->data, &session->train, &session->model.source,
                                &session->model.target, settings->bpe_dropout, settings->max_len,
                                settings->seed, epoch, error);
}

int sa_session_longest(const sa_session *session, int length) {
    const sa_settings *settings = &session->settings;
    return settings->bpe_dropout > 0 ? sa_dataset_bound(length, settings->max_len) : length;
}
