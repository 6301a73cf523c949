#include "model/attention_sizes.h"
#include "base/error.h"

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state, int annotation) {
    const int heads = settings->heads;
    int value = settings->value_size ? settings->value_size : annotation / heads;
    if (value < 1) value = 1; /* more heads than numbers */
    return (sa_attention_sizes){
        .score = &sa_scores[settings->attention],
        .state = state,
        .annotation = annotation,
        .size = settings->attn,
        .max_positions = settings->max_len + 1, /* EOS has a position too */
        .heads = heads,
        .value = value,
        .window = settings->window,
        .window_size = settings->window_size,
    };
}

bool sa_attention_sizes_check(const sa_attention_sizes *sizes, sa_error *error) {
    if (sizes->score->key != SA_KEY_IDENTITY) return true;
    if (sizes->heads > 1)
        return sa_fail(error, SA_USAGE,
                       "--attention %s has no projections, so it cannot have %d heads",
                       sizes->score->name, sizes->heads);
    return sizes->annotation == sizes->state ||
           sa_fail(error, SA_USAGE,
                   "--attention %s compares annotations of %d numbers with states of %d: it needs "
                   "--encoder uni",
                   sizes->score->name, sizes->annotation, sizes->state);
}
