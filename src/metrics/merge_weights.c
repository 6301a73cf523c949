#include "metrics/merge_weights.h"

#include <string.h>

void sa_merge_weights(const double *weights, int rows, int cols, const int *row_word,
                      const int *col_word, double *out) {
    const size_t words = (size_t)col_word[cols - 1] + 1;
    memset(out, 0, sizeof *out * ((size_t)row_word[rows - 1] + 1) * words);
    for (int first = 0, next; first < rows; first = next) {
        double *row = out + (size_t)row_word[first] * words;
        for (next = first; next < rows && row_word[next] == row_word[first]; next++)
            for (int s = 0; s < cols; s++)
                row[col_word[s]] += weights[(size_t)next * (size_t)cols + (size_t)s];
        for (size_t j = 0; j < words; j++) row[j] /= next - first;
    }
}
