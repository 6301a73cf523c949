/* Vectors of words. The input is a file; with the words of a small vocabulary it gives finite
 * numbers, and the number of rows that are set, or an error. */
#include "data/word_vectors.h"
#include "fuzz.h"

#include <math.h>

enum { M = 2, ROWS = SA_SPECIAL_TOKENS + 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char words[] = "a\n1\n￭a\nb c\na@@\n";
    float rows[ROWS * M];
    size_t found, set = 0;
    sa_vocab vocab;
    sa_error error = {0};
    ck_assert(sa_vocab_read(&vocab, words, sizeof words - 1, "m", "words", NULL));
    for (int i = 0; i < ROWS * M; i++) rows[i] = NAN;
    const char *path = fuzz_file(0, data, size);
    const bool good = sa_word_vectors_read(path, &vocab, M, rows, &found, &error);
    if (!good) fuzz_expect_error(&error, SA_DATA, SA_LIMIT);
    for (int i = 0; good && i < ROWS; i++) {
        ck_assert(isnan(rows[M * i]) == isnan(rows[M * i + 1]) && !isinf(rows[M * i]));
        set += !isnan(rows[M * i]);
    }
    ck_assert(!good || found == set);
    sa_strings_release(&vocab);
    return 0;
}
