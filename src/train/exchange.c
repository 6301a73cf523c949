#include "train/exchange.h"

int sa_exchange_first(const sa_exchange *exchange, int count, int rank) {
    const int64_t size = exchange ? exchange->size : 1;
    return (int)(((int64_t)count * rank + size - 1) / size);
}

bool sa_exchange_leads(const sa_exchange *exchange) {
    return !exchange || exchange->rank == 0;
}

void sa_exchange_words(const sa_exchange *exchange, uint64_t word, uint64_t words[]) {
    words[exchange ? exchange->rank : 0] = word;
    if (exchange) exchange->gather(words, sizeof *words, exchange->size);
}

bool sa_exchange_agree(sa_exchange *exchange, bool good, sa_error *error) {
    uint64_t codes[SA_MAX_PROCESSES];
    if (!exchange || exchange->ended) return good;
    sa_exchange_words(exchange, good ? 0 : (uint64_t)error->code, codes);
    int first = 0;
    while (first < exchange->size && !codes[first]) first++;
    if (first == exchange->size) return true;
    exchange->ended = true;
    if (first != exchange->rank) *error = (sa_error){.code = (sa_code)codes[first]};
    return false;
}

int sa_exchange_odd(const uint64_t words[], int count) {
    int usual = 0;
    for (int i = 0, most = 0; i < count; i++) {
        int equal = 0;
        for (int k = 0; k < count; k++) equal += words[k] == words[i];
        if (equal > most) most = equal, usual = i;
    }
    for (int i = 0; i < count; i++)
        if (words[i] != words[usual]) return i;
    return -1;
}
