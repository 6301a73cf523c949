#include "train/processes.h"
#include "base/rng.h"

#include <string.h>

bool sa_processes_validate(sa_session *session, sa_validation *out, sa_error *error) {
    sa_exchange *exchange = session->exchange;
    const bool good = !sa_exchange_leads(exchange) || sa_validate(&session->model, &session->valid,
                                                                  &session->valid_data, out, error);
    if (!sa_exchange_agree(exchange, good, error)) return false;
    if (exchange) exchange->gather(out, sizeof *out, 1);
    return true;
}

void sa_processes_stop(const sa_session *session, bool *stop, bool *late) {
    enum { STOP = 1, LATE = 2 };
    const sa_exchange *exchange = session->exchange;
    uint64_t words[SA_MAX_PROCESSES];
    if (!exchange) return;
    sa_exchange_words(exchange, (*stop ? STOP : 0) | (*late ? LATE : 0), words);
    for (int i = 0; i < exchange->size; i++) *stop |= (words[i] & STOP) != 0;
    *late = (words[0] & LATE) != 0;
}

/* ---- The weights ----------------------------------------------------------------------------- */

static int equal_words(const uint64_t words[], int count, uint64_t word) {
    int equal = 0;
    for (int i = 0; i < count; i++) equal += words[i] == word;
    return equal;
}

int sa_processes_odd(const uint64_t words[], int count) {
    int usual = 0;
    for (int i = 1; i < count; i++)
        if (equal_words(words, count, words[i]) > equal_words(words, count, words[usual]))
            usual = i;
    for (int i = 0; i < count; i++)
        if (words[i] != words[usual]) return i;
    return -1;
}

static uint64_t hash_weights(const sa_model *model) {
    uint64_t hash = model->plan.size;
    for (size_t i = 0; i < model->plan.size; i++) {
        uint32_t bits;
        memcpy(&bits, &model->values[i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u; /* FNV-1a by words */
    }
    return hash;
}

bool sa_processes_compare(const sa_session *session, sa_error *error) {
    sa_exchange *exchange = session->exchange;
    uint64_t words[SA_MAX_PROCESSES];
    if (!exchange) return true;
    sa_exchange_words(exchange, hash_weights(&session->model), words);
    const int odd = sa_processes_odd(words, exchange->size);
    const bool good =
        odd < 0 || sa_fail(error, SA_CHECK,
                           "process %d on '%s' has other weights than the rest after update %lld: "
                           "its memory or processor may be faulty; {resume} goes on from the last "
                           "validation",
                           odd, exchange->hosts[odd], (long long)session->trainer.step);
    return sa_exchange_agree(exchange, good, error);
}

bool sa_processes_check(const sa_session *session, sa_error *error) {
    enum { EVERY = 100 };
    return session->trainer.step % EVERY != 0 || sa_processes_compare(session, error);
}
