#include "metrics/by_length.h"

#include <limits.h>

const sa_length_band sa_length_bands[SA_LENGTH_BANDS + 1] = {
    {0, 2, "1-2"},     {3, 5, "3-5"},        {6, 10, "6-10"},
    {11, 15, "11-15"}, {16, 20, "16-20"},    {21, 30, "21-30"},
    {31, 40, "31-40"}, {41, INT_MAX, "41+"}, {0, 0, NULL},
};

int sa_length_band_contains(const sa_length_band *band, int words) {
    return words >= band->min && words <= band->max;
}
