#include "cli/head_option.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const char *cli_heads_word(size_t i) {
    static const char *const words[] = {"mean", "max", NULL};
    return words[i];
}

bool cli_heads_read(const char *text, int *head, sa_error *error) {
    char hint[128];
    int64_t number = 0;
    *head = SA_HEADS_ALL;
    if (!text) return true;
    if (strcmp(text, "mean") != 0 && strcmp(text, "max") != 0 &&
        (!sa_integer_parse(text, &number) || number < 0 || number > INT_MAX))
        return sa_fail(error, SA_USAGE, "--head '%s': expected a number, mean or max%s", text,
                       sa_nearest_hint_in(text, cli_heads_word, hint, sizeof hint));
    *head = strcmp(text, "max") == 0 ? SA_HEADS_MAX : number ? (int)number : SA_HEADS_MEAN;
    return true;
}

/* The elementwise maximum over the heads, to be freed. */
static double *largest_weights(const sa_alignment *alignment, sa_error *error) {
    const size_t size = (size_t)alignment->targets * (size_t)alignment->sources;
    double *most = sa_new(size, sizeof *most, error);
    for (int head = 1; most && head <= alignment->heads; head++) {
        const double *weights = sa_alignment_weights(alignment, 0, head);
        for (size_t i = 0; i < size; i++)
            most[i] = head == 1 ? weights[i] : fmax(most[i], weights[i]);
    }
    return most;
}

bool cli_heads_select(int head, sa_alignment *alignment, double **owned, sa_error *error) {
    *owned = NULL;
    if (head == SA_HEADS_ALL) return true;
    if (head > alignment->heads)
        return sa_fail(error, SA_USAGE, "--head %d: the model has %d", head, alignment->heads);
    if (head == SA_HEADS_MAX) {
        alignment->weights = *owned = largest_weights(alignment, error);
        if (!*owned) return false;
    } else if (head > 0) {
        alignment->weights = sa_alignment_weights(alignment, 0, head);
    }
    alignment->heads = alignment->layers = 1;
    return true;
}
