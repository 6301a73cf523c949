#include "analysis/length_balance.h"

#include <math.h>
#include <string.h>

enum { RUN = 4 }; /* longest run whose repetition is looked for */

static bool same_runs(const char *const *one, const char *const *other, int size) {
    for (int i = 0; i < size; i++)
        if (strcmp(one[i], other[i]) != 0) return false;
    return true;
}

int sa_balance_repeated(const char *const *words, int count) {
    int repeated = 0;
    for (int at = 1; at < count;) {
        int size = RUN;
        while (size &&
               (at < size || at + size > count || !same_runs(words + at - size, words + at, size)))
            size--;
        repeated += size;
        at += size ? size : 1;
    }
    return repeated;
}

static double total(const sa_written *text, int sources, int j) {
    double sum = 0;
    for (int t = 0; t < text->targets; t++)
        sum += text->weights[(size_t)t * (size_t)sources + (size_t)j];
    return sum;
}

static double excess(const sa_look *look) {
    return look->weight - look->due;
}

static void compare_weights(const sa_written *own, const sa_written *reference, int sources,
                            sa_balance *balance) {
    for (int j = 0; j < sources - 1; j++) {
        const double weight = total(own, sources, j), due = total(reference, sources, j);
        const sa_look look = {j, weight, due};
        if (j == 0 || weight - due > excess(&balance->most)) balance->most = look;
        if (j == 0 || weight - due < excess(&balance->least)) balance->least = look;
    }
}

sa_balance sa_balance_of(const sa_written *own, const sa_written *reference, int sources) {
    sa_balance balance = {.words = own->targets - own->ended,
                          .reference = reference->targets - reference->ended,
                          .most = {.place = -1},
                          .least = {.place = -1}};
    const int repeated = sa_balance_repeated(own->words, balance.words) -
                         sa_balance_repeated(reference->words, balance.reference);
    if (repeated > 0) balance.repeated = repeated;
    if (own->weights && reference->weights) compare_weights(own, reference, sources, &balance);
    return balance;
}

double sa_balance_over(const sa_balance *balance) {
    const double words = balance->words - balance->reference;
    return fmax(fmax(0, words), fmax(balance->repeated, excess(&balance->most)));
}

double sa_balance_under(const sa_balance *balance) {
    const double words = balance->reference - balance->words;
    return fmax(0, fmax(words, -excess(&balance->least)));
}

bool sa_balance_off(double words, int reference) {
    return words >= 2 && words >= 0.25 * reference;
}
