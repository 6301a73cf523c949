/* Weights of other programs: any bytes as the file of `align --matrix`. What is read has finite
 * weights, words and a mean that is that of its heads, and gives links within the sentence. */
#include "fuzz.h"
#include "metrics/linking.h"
#include "report/matrix_file.h"

#include <math.h>

static void expect_sentence(const sa_alignment *read) {
    const int T = read->targets, S = read->sources, maps = read->layers * read->heads;
    const size_t count = (size_t)T * (size_t)S, all = sa_alignment_size(read);
    ck_assert(T > 0 && S > 0 && read->heads > 0 && read->layers > 0);
    for (size_t i = 0; i < all; i++) ck_assert(isfinite(read->weights[i]));
    for (size_t i = 0; maps > 1 && i < count; i++) {
        double mean = 0, most = 0;
        for (size_t at = all - (size_t)maps * count + i; at < all; at += count) {
            mean += read->weights[at] / maps;
            most = fmax(most, fabs(read->weights[at]));
        }
        ck_assert_double_le(fabs(read->weights[i] - mean), 1e-12 * most);
    }
    for (int i = 0; i < T; i++) ck_assert(fuzz_is_utf8(read->target[i], strlen(read->target[i])));
    for (int i = 0; i < S; i++) ck_assert(fuzz_is_utf8(read->source[i], strlen(read->source[i])));
    for (int way = 0; way < 8; way++) {
        size_t found;
        const sa_link_options linking = {
            .links = way & 1, .whole = way & 2, .null_key = way & 4, .threshold = 0.1};
        sa_link *links = sa_linking_extract(&linking, read->weights, T, S, &found, NULL);
        for (size_t i = 0; links && i < found; i++)
            ck_assert(links[i].source < S - !linking.whole && links[i].target < T - !linking.whole);
        free(links);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 4096 };
    sa_error error = {0};
    sa_matrix_file file = {.layer = size ? *data % 3 : 0};
    if (size > MOST) return 0;
    bool good = sa_matrix_file_open(&file, fuzz_file(0, data, size), &error);
    for (size_t i = 0; good && i < file.corpus.count; i++) {
        good = sa_matrix_file_next(&file, &error);
        if (good) expect_sentence(&file.alignment);
    }
    if (!good) fuzz_expect_error(&error, SA_DATA, SA_USAGE);
    sa_matrix_file_close(&file);
    return 0;
}
