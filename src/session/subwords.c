#include "session/subwords.h"

/* Links and copied words belong to subwords that stay. */
bool sa_bpe_dropout_check(const sa_settings *settings, sa_error *error) {
    if (settings->bpe_dropout <= 0) return true;
    if (!sa_tokenizers[settings->tokenizer].subword)
        return sa_fail(error, SA_USAGE, "--bpe-dropout needs --tokenizer bpe or space-bpe");
    if (settings->guided_alignment <= 0 && !settings->copy) return true;
    return sa_fail(error, SA_USAGE, "--bpe-dropout does not go with %s, which needs fixed subwords",
                   settings->copy ? "--copy" : "--guided-alignment");
}

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
