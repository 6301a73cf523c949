#include "metrics/induction.h"

bool sa_is_repeated(const int32_t *words, int i) {
    for (int j = 1; j < i; j++)
        if (words[j - 1] == words[i]) return true;
    return false;
}

void sa_induction_add(sa_induction *sum, const double *alpha, const int32_t *words, int i, int from,
                      int to) {
    for (int j = from; j < to && j < i; j++) {
        if (j > 0 && words[j - 1] == words[i]) sum->prefix += alpha[j - from];
        if (j == i - 1) sum->previous += alpha[j - from];
    }
    if (i == 0 || i < from || i >= to) return;
    sum->repeated += sa_is_repeated(words, i);
    sum->rows++;
}
