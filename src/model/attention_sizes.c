#include "model/attention_sizes.h"
#include "base/error.h"

sa_attention_sizes sa_attention_sizes_of(const sa_settings *settings, int state, int annotation) {
    const sa_score *score = &sa_scores[settings->attention];
    const int heads = settings->heads;
    int value = settings->value_size ? settings->value_size : annotation / heads;
    if (value < 1) value = 1; /* more heads than numbers */
    return (sa_attention_sizes){
        .score = score,
        .normalizer = score->weights      ? &sa_no_normalizer
                      : score->normalizer ? score->normalizer
                                          : &sa_normalizers[settings->normalizer],
        .exponent = settings->entmax_alpha,
        .state = state,
        .annotation = annotation,
        .size = settings->attn,
        .filters = settings->location_filters,
        .filter_width = settings->location_width,
        .coverage = settings->coverage != SA_COVERAGE_NONE,
        .coverage_loss = sa_coverages[settings->coverage].loss,
        .fertility = sa_coverages[settings->coverage].fertility,
        .max_fertility = settings->max_fertility,
        .max_positions = settings->max_len + 1, /* EOS has a position too */
        .heads = heads,
        .kv_heads = settings->kv_heads,
        .value = value,
        .window = settings->window,
        .window_size = settings->window_size,
    };
}

/* A score that compares vectors without a projection. */
static bool check_widths(const sa_attention_sizes *sizes, sa_error *error) {
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

bool sa_positions_check(const sa_position_kind *kind, const sa_attention_sizes *sizes,
                        sa_error *error) {
    if (!kind->bias && !kind->rotation && !kind->vector) return true;
    if (!sizes)
        return sa_fail(error, SA_USAGE,
                       "--positions %s is part of self-attention, which a recurrent model has none "
                       "of: it needs --model transformer",
                       kind->name);
    if (kind->vector && sizes->score->key == SA_KEY_NONE)
        return sa_fail(error, SA_USAGE,
                       "--positions %s adds vectors to keys, which --attention %s does not read",
                       kind->name, sizes->score->name);
    if (!kind->rotation) return true;
    if (sizes->normalizer->learned_key)
        return sa_fail(error, SA_USAGE,
                       "--positions %s rotates keys by their positions, and the key that "
                       "--normalizer %s learns has none",
                       kind->name, sizes->normalizer->name);
    const sa_score *score = sizes->score;
    if (!score->rotates || score->key == SA_KEY_IDENTITY)
        return sa_fail(error, SA_USAGE,
                       "--positions %s rotates projected queries and keys whose product is the "
                       "score, which --attention %s is not",
                       kind->name, score->name);
    const int width = score->key == SA_KEY_PROJECTED ? sizes->size / sizes->heads : sizes->state;
    return width % 2 == 0 ||
           sa_fail(error, SA_USAGE,
                   "--positions %s rotates pairs of numbers, but a head compares %d: %s",
                   kind->name, width,
                   score->key == SA_KEY_PROJECTED ? "--attn / --heads must be even"
                                                  : "--embed must be even");
}

/* A score with two maps, whose difference may be negative. */
static bool check_maps(const sa_settings *settings, const sa_attention_sizes *sizes,
                       sa_error *error) {
    const char *name = sizes->score->name;
    const int width = sizes->size / sizes->heads;
    if (sizes->score->directions && width < 2)
        return sa_fail(error, SA_USAGE,
                       "--attention %s compares directions, and one number has only its sign: "
                       "--attn / --heads must be at least 2",
                       name);
    if (!sizes->score->maps) return true;
    if (!sizes->transformer)
        return sa_fail(error, SA_USAGE,
                       "--attention %s learns one lambda for each layer of a Transformer and "
                       "normalizes what its heads sum up: it needs --model transformer",
                       name);
    if (width % sizes->score->maps != 0)
        return sa_fail(
            error, SA_USAGE,
            "--attention %s compares the two halves of a query and key: --attn / --heads "
            "must be even, but is %d",
            name, width);
    if (sizes->value < 2)
        return sa_fail(error, SA_USAGE,
                       "--attention %s normalizes the output of each head, and of one number that "
                       "leaves the sign: --value-size, or --embed / --heads, must be at least 2",
                       name);
    if (settings->copy)
        return sa_fail(error, SA_USAGE,
                       "--copy copies by probabilities, but the weights of --attention %s may be "
                       "negative",
                       name);
    return settings->guided_alignment == 0 ||
           sa_fail(error, SA_USAGE,
                   "--guided-alignment needs the logarithm of every weight: those of --attention "
                   "%s may be negative",
                   name);
}

/* A score that makes the weights itself, or goes on from target step to target step. */
static bool check_score(const sa_settings *settings, const sa_attention_sizes *sizes,
                        sa_error *error) {
    const sa_score *score = sizes->score;
    if ((score->state || score->location_aware) && sizes->transformer)
        return sa_fail(error, SA_USAGE,
                       "--attention %s continues from target word to target word, but a "
                       "Transformer attends from all of them at once: it needs --model recurrent",
                       score->name);
    if (score->location_aware && sizes->filter_width % 2 == 0)
        return sa_fail(error, SA_USAGE,
                       "--location-width %d: a filter reaches equally far to both sides of a word, "
                       "so its width is odd",
                       sizes->filter_width);
    if (!score->weights) return true;
    if (settings->normalizer != SA_NORMALIZER_SOFTMAX)
        return sa_fail(error, SA_USAGE,
                       "--normalizer %s has no scores to normalize: --attention %s makes weights "
                       "that may have any sum",
                       sa_normalizer_name((size_t)settings->normalizer), score->name);
    if (settings->copy)
        return sa_fail(error, SA_USAGE,
                       "--copy copies by probabilities, but the weights of --attention %s may have "
                       "any sum",
                       score->name);
    return settings->guided_alignment == 0 ||
           sa_fail(error, SA_USAGE,
                   "--guided-alignment compares distributions: the weights of --attention %s may "
                   "have any sum, and it would only make them larger",
                   score->name);
}

/* What is passed on from target step to target step. */
static bool check_coverage(const sa_settings *settings, const sa_attention_sizes *sizes,
                           sa_error *error) {
    const char *name = sa_coverage_name((size_t)settings->coverage);
    if (!sizes->coverage) return true;
    if (sizes->transformer)
        return sa_fail(error, SA_USAGE,
                       "--coverage %s adds up weights from target word to target word, but a "
                       "Transformer attends from all of them at once: it needs --model recurrent",
                       name);
    return sizes->score->key != SA_KEY_NONE ||
           sa_fail(error, SA_USAGE,
                   "--coverage %s is added to the keys, which --attention %s does not read", name,
                   sizes->score->name);
}

/* A score that draws a word instead of weighing all. */
static bool check_draws(const sa_settings *settings, const sa_attention_sizes *sizes,
                        sa_error *error) {
    const char *name = sizes->score->name;
    if (!sizes->normalizer->draw) return true;
    if (sizes->transformer)
        return sa_fail(error, SA_USAGE,
                       "--attention %s draws one source word for each target word, but in a "
                       "Transformer every layer attends, and to target words, too: it needs "
                       "--model recurrent",
                       name);
    return settings->window != SA_WINDOW_LOCAL_P ||
           sa_fail(error, SA_USAGE,
                   "--attention %s has weights of 0 and 1: the Gaussian of --window %s would learn "
                   "nothing from them",
                   name, sa_window_name((size_t)settings->window));
}

/* A score that makes its weights itself, from those of the step before. */
static bool check_recurrence(const sa_settings *settings, const sa_attention_sizes *sizes,
                             sa_error *error) {
    const char *name = sizes->score->name;
    if (sizes->score->normalizer && settings->normalizer != SA_NORMALIZER_SOFTMAX)
        return sa_fail(error, SA_USAGE,
                       "--attention %s makes weights of its scores itself, without --normalizer %s",
                       name, sa_normalizer_name((size_t)settings->normalizer));
    if (!sizes->normalizer->step_forward) return true;
    if (sizes->transformer)
        return sa_fail(error, SA_USAGE,
                       "--attention %s continues from where the previous target word has read, but "
                       "a Transformer attends from all of them at once: it needs --model recurrent",
                       name);
    if (sizes->heads > 1)
        return sa_fail(error, SA_USAGE,
                       "--attention %s reads the source once, from left to right: %d heads would "
                       "read at different words",
                       name, sizes->heads);
    if (settings->window != SA_WINDOW_NONE)
        return sa_fail(error, SA_USAGE,
                       "--attention %s continues from the word it has read, which may lie outside "
                       "--window %s",
                       name, sa_window_name((size_t)settings->window));
    return !sizes->coverage ||
           sa_fail(error, SA_USAGE,
                   "--attention %s never goes back to a word that is covered: --coverage %s would "
                   "tell it nothing",
                   name, sa_coverage_name((size_t)settings->coverage));
}

/* What has no gradient where a weight is exactly 0. */
static bool check_zeros(const sa_settings *settings, const sa_attention_sizes *sizes,
                        sa_error *error) {
    if (!sizes->normalizer->sparse) return true;
    if (settings->guided_alignment > 0)
        return sa_fail(error, SA_USAGE,
                       "--guided-alignment needs the logarithm of every weight: --%s %s makes "
                       "weights of 0, where it is infinite and has no gradient",
                       sizes->score->normalizer ? "attention" : "normalizer",
                       sizes->normalizer->name);
    return !settings->copy ||
           sa_fail(
               error, SA_USAGE,
               "--copy needs a weight above 0 on the word to be copied: --%s %s makes weights of "
               "0, where the loss is infinite and has no gradient",
               sizes->score->normalizer ? "attention" : "normalizer", sizes->normalizer->name);
}

bool sa_attention_sizes_check(const sa_settings *settings, const sa_attention_sizes *sizes,
                              sa_error *error) {
    if (sizes->normalizer->learned_key && sizes->score->key == SA_KEY_NONE)
        return sa_fail(error, SA_USAGE,
                       "--normalizer %s learns a key, but --attention %s reads none: --normalizer "
                       "null needs none",
                       sizes->normalizer->name, sizes->score->name);
    if (sizes->kv_heads && sizes->heads % sizes->kv_heads != 0)
        return sa_fail(error, SA_USAGE,
                       "--kv-heads %d: each key/value head serves equally many heads, but %d does "
                       "not divide --heads %d",
                       sizes->kv_heads, sizes->kv_heads, sizes->heads);
    return check_maps(settings, sizes, error) && check_recurrence(settings, sizes, error) &&
           check_draws(settings, sizes, error) && check_score(settings, sizes, error) &&
           check_zeros(settings, sizes, error) && check_widths(sizes, error) &&
           check_coverage(settings, sizes, error);
}
