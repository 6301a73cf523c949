#include "config/settings.h"
#include "attention/score.h"
#include "attention/window.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/thread.h"
#include "data/text_codec.h"
#include "decoding/ranking.h"
#include "layers/residual.h"
#include "model/seq2seq.h"
#include "train/optimizer.h"
#include "train/schedule.h"

#include <string.h>

/* The largest whole number that every reader of JSON keeps, less one: what lies above would be
 * rounded down to it unseen. */
#define WHOLE 9007199254740991.0

#define AT(field) offsetof(sa_settings, field)

const sa_option sa_settings_options[] = {
    {"model", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(model), 0, 0, 0, sa_model_name, "NAME",
     "the family: recurrent networks, or attention alone (Vaswani et al. 2017)"},
    {"decoder", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(decoder), 0, 0, 0, sa_decoder_name, "NAME",
     "how the target is written, from the fixed context vector to the conditional GRU"},
    {"attention", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(attention), 0, 0, 0, sa_compat_name, "NAME",
     "how a decoder state is compared with an annotation"},
    {"heads", SA_OPTION_INT, SA_SCOPE_MODEL, AT(heads), 1, 1, 64, NULL, "N",
     "attentions side by side, each with its own maps; they share out the n' units"},
    {"values", SA_OPTION_INT, SA_SCOPE_MODEL, AT(values), 0, 0, 8192, NULL, "N",
     "numbers of a value per head, with several heads; 0: an annotation's, shared out"},
    {"window", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(window), 0, 0, 0, sa_window_name, "NAME",
     "local attention: only near the own position, or near a predicted one"},
    {"window-size", SA_OPTION_INT, SA_SCOPE_MODEL, AT(window_size), 10, 1, 1000, NULL, "N",
     "positions on each side of a window's centre (D)"},
    {"encoder", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(encoder), 0, 0, 0, sa_encoder_name, "NAME",
     "who reads the source: layers from both ends, from the front, or none (bare embeddings)"},
    {"layers", SA_OPTION_INT, SA_SCOPE_MODEL, AT(layers), 1, 1, SA_LAYERS, NULL, "N",
     "layers of the encoder, each reading the one below; of a transformer's decoder, too"},
    {"positions", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(positions), 0, 0, 0, sa_position_name,
     "NAME",
     "vectors of the positions, added to the source embeddings; in a transformer to the target's, "
     "too"},
    {"reverse-source", SA_OPTION_SWITCH, SA_SCOPE_MODEL, AT(reverse_source), 0, 0, 1, NULL, NULL,
     "read the source's words from the last to the first; matrices keep the words' own order"},
    {"cell", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(cell), 0, 0, 0, sa_cell_name, "NAME",
     "recurrent unit of encoder and decoder"},
    {"update", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(update), 0, 0, 0, sa_update_name, "NAME",
     "gru: z is the share of the new state (2015) or of the old one (2014, toolkits)"},
    {"reset", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(reset), 0, 0, 0, sa_reset_name, "NAME",
     "gru: r acts before U (2015), after U (toolkits), or on the sum U s + C c (2014)"},
    {"cell-norm", SA_OPTION_SWITCH, SA_SCOPE_MODEL, AT(cell_norm), 0, 0, 1, NULL, NULL,
     "layer normalisation of W x, U s and C c in every cell, and of an LSTM's memory (Ba et al. "
     "2016)"},
    {"start", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(start), 0, 0, 0, sa_initial_name, "NAME",
     "s_0 from backward_1, both last states, the mean of h, or a copy of forward_S; auto: as the "
     "decoder's paper; always the mean with --encoder none"},
    {"readout", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(readout), 0, 0, 0, sa_readout_name, "NAME",
     "the read-out sees s_{i-1} or s_i; auto: as the decoder's paper"},
    {"input-feeding", SA_OPTION_SWITCH, SA_SCOPE_MODEL, AT(input_feeding), 0, 0, 1, NULL, NULL,
     "join the read-out's last vector to the next input word"},
    {"embed", SA_OPTION_INT, SA_SCOPE_MODEL, AT(embed), 64, 1, 8192, NULL, "N",
     "numbers per word embedding (m)"},
    {"hidden", SA_OPTION_INT, SA_SCOPE_MODEL, AT(hidden), 128, 1, 8192, NULL, "N",
     "units of each recurrent layer (n)"},
    {"attn", SA_OPTION_INT, SA_SCOPE_MODEL, AT(attn), 64, 1, 8192, NULL, "N",
     "units of the alignment model (n')"},
    {"maxout", SA_OPTION_INT, SA_SCOPE_MODEL, AT(maxout), 64, 1, 8192, NULL, "N",
     "maxout units of the read-out (l)"},
    {"ffn", SA_OPTION_INT, SA_SCOPE_MODEL, AT(ffn), 256, 1, 65536, NULL, "N",
     "transformer: units of the feed-forward networks"},
    {"norm", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(norm), 0, 0, 0, sa_norm_name, "NAME",
     "transformer: layer normalisation before each sub-layer, or after it (2017)"},
    {"tie", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(tie), 0, 0, 0, sa_tie_name, "NAME",
     "the target embedding is the last matrix, too; three-way: and the source's, with one "
     "vocabulary for both sides"},
    {"init", SA_OPTION_CHOICE, SA_SCOPE_MODEL, AT(init), 0, 0, 0, sa_init_name, "NAME",
     "how weights start; 'paper' leaves short trainings at uniform attention for long"},

    {"tokenizer", SA_OPTION_CHOICE, SA_SCOPE_TEXT, AT(tokenizer), 0, 0, 0, sa_tokenizer_name,
     "NAME",
     "what is cut out of a text as one token; space-bpe: for text that is cut into tokens already"},
    {"bpe-merges", SA_OPTION_INT, SA_SCOPE_TEXT, AT(bpe_merges), 2000, 1, 1000000, NULL, "N",
     "bpe, space-bpe: merges learned at most, from frequent pairs of characters to whole words"},
    {"bpe", SA_OPTION_CHOICE, SA_SCOPE_TEXT, AT(bpe), 0, 0, 0, sa_bpe_name, "NAME",
     "bpe, space-bpe: merges of both sides together, so that equal words are cut alike, or of each "
     "alone"},
    {"lowercase", SA_OPTION_SWITCH, SA_SCOPE_TEXT, AT(lowercase), 0, 0, 1, NULL, NULL,
     "read all text in lower case"},
    {"min-freq", SA_OPTION_INT, SA_SCOPE_TEXT, AT(min_freq), 1, 1, 1000000, NULL, "N",
     "words seen less often are unknown words"},
    {"vocab", SA_OPTION_INT, SA_SCOPE_TEXT, AT(vocab), 0, 0, 10000000, NULL, "N",
     "most frequent words kept on each side; 0: all"},
    {"max-len", SA_OPTION_INT, SA_SCOPE_TEXT, AT(max_len), 50, 1, 1000, NULL, "N",
     "training leaves out pairs with a side of more tokens"},

    {"optimizer", SA_OPTION_CHOICE, SA_SCOPE_TRAINING, AT(optimizer), 1, 0, 0, sa_optimizer_name,
     "NAME", "how gradients become updates"},
    {"lr", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(lr), 0, 0, 1e9, NULL, "X",
     "learning rate; 0: the optimizer's own (adadelta 1, adam 0.002, sgd 0.1)"},
    {"lr-decay", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(lr_decay), 0.5, 0.01, 1, NULL, "X",
     "validations that are not the best multiply the learning rate by this; 1: it stays"},
    {"lr-patience", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(lr_patience), 1, 1, 1000000, NULL, "N",
     "so many validations in a row do so that are not the best"},
    {"schedule", SA_OPTION_CHOICE, SA_SCOPE_TRAINING, AT(schedule), 0, 0, 0, sa_schedule_name,
     "NAME",
     "the learning rate falls after validations that are not the best (by --lr-decay), never, or "
     "with the square root of the updates since the warm-up"},
    {"warmup", SA_OPTION_INT64, SA_SCOPE_TRAINING, AT(warmup), 0, 0, WHOLE, NULL, "N",
     "updates over which the learning rate rises from 0"},
    {"momentum", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(momentum), 0.9, 0, 0.999, NULL, "X",
     "share of the last update that sgd repeats"},
    {"beta1", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(beta1), 0.9, 0, 0.9999, NULL, "X",
     "adam: share of the mean gradient that is kept"},
    {"beta2", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(beta2), 0.999, 0, 0.99999, NULL, "X",
     "adam: share of the mean squared gradient that is kept"},
    {"epsilon", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(epsilon), 1e-8, 1e-12, 1, NULL, "X",
     "adam: what keeps the divisor from 0"},
    {"clip", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(clip), 1, 0, 1e9, NULL, "X",
     "largest L2 norm of the gradient; 0: unbounded"},
    {"dropout", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(dropout), 0, 0, 0.9, NULL, "X",
     "share of embeddings, annotations and read-out units (transformer: of embeddings and what "
     "each sub-layer adds) left out at random"},
    {"dropout-embeddings", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(dropout_embeddings), -1, -1, 0.9,
     NULL, "X", "the share of embeddings alone; below 0: as --dropout"},
    {"dropout-annotations", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(dropout_annotations), -1, -1, 0.9,
     NULL, "X", "the share of annotations alone; below 0: as --dropout"},
    {"dropout-readout", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(dropout_readout), -1, -1, 0.9, NULL,
     "X", "the share of read-out units alone; below 0: as --dropout"},
    {"dropout-state", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(dropout_state), 0, 0, 0.9, NULL, "X",
     "share of the recurrent state that U does not see, the same units in all steps of a sentence "
     "(Gal and Ghahramani 2016)"},
    {"word-dropout", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(word_dropout), 0, 0, 0.9, NULL, "X",
     "share of source and target words read as nothing: the whole embedding is zero (Sennrich et "
     "al. 2016)"},
    {"l2", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(l2), 0, 0, 1, NULL, "X",
     "X times the sum of all squared weights (biases left out) is added to the loss"},
    {"weight-decay", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(weight_decay), 0, 0, 1, NULL, "X",
     "every update shrinks the weights (biases left out) by X times the learning rate"},
    {"label-smoothing", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(label_smoothing), 0, 0, 0.9, NULL,
     "X", "share of the probability that all words get alike in what is learned"},
    {"guided-alignment", SA_OPTION_REAL, SA_SCOPE_TRAINING, AT(guided_alignment), 0, 0, 1000, NULL,
     "X",
     "X times the cross-entropy between the pairs' alignments and the attention (last layer, first "
     "head) is added to the loss"},
    {"batch", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(batch), 32, 1, 65536, NULL, "N",
     "sentence pairs per update"},
    {"batch-tokens", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(batch_tokens), 0, 0, 1000000, NULL, "N",
     "instead, as many pairs per update as have at most N tokens a side, end marks included; 0: "
     "--batch"},
    {"shards", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(shards), 0, 0, SA_THREADS, NULL, "N",
     "pieces a batch is cut into, whatever the threads; 0: one per core"},
    {"seed", SA_OPTION_INT64, SA_SCOPE_TRAINING, AT(seed), 1, 0, WHOLE, NULL, "N",
     "start of every random choice"},
    {"valid-every", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(valid_every), 0, 0, 1000000000, NULL, "N",
     "updates between validations; 0: one validation per epoch"},
    {"criterion", SA_OPTION_CHOICE, SA_SCOPE_TRAINING, AT(criterion), 0, 0, 0, sa_criterion_name,
     "NAME",
     "by which figure a validation is the best so far: for best.safetensors, --patience and "
     "--lr-decay"},
    {"patience", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(patience), 10, 0, 1000000, NULL, "N",
     "validations without a better one that end the training; 0: none do"},
    {"average", SA_OPTION_INT, SA_SCOPE_TRAINING, AT(average), 0, 0, 100, NULL, "N",
     "average.safetensors: the mean of the weights at N validations; 0: none"},
    {"average-of", SA_OPTION_CHOICE, SA_SCOPE_TRAINING, AT(average_of), 0, 0, 0, sa_average_name,
     "NAME", "at the last ones, or at those that were the best by --criterion"},

    {"threads", SA_OPTION_INT, SA_SCOPE_RUN, AT(threads), 0, 0, SA_THREADS, NULL, "N",
     "threads that work; 0: one per core; never changes a result"},
    {"epochs", SA_OPTION_INT, SA_SCOPE_RUN, AT(epochs), 100, 0, 1000000, NULL, "N",
     "stop after so many passes over the pairs; 0: no limit"},
    {"steps", SA_OPTION_INT64, SA_SCOPE_RUN, AT(steps), 0, 0, WHOLE, NULL, "N",
     "stop after so many updates; 0: no limit"},
    {"max-time", SA_OPTION_REAL, SA_SCOPE_RUN, AT(max_time), 60, 0, 1e8, NULL, "SECONDS",
     "stop after so many seconds of this run; 0: no limit"},
    {0},
};

#undef AT
#define AT(field) offsetof(sa_search, field)

const sa_option sa_search_options[] = {
    {"beam", SA_OPTION_INT, SA_SCOPE_RUN, AT(beam), 1, 1, 1000, NULL, "N",
     "translations followed at once; 1: greedy"},
    {"normalize", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(normalize), 0, 0, 0, sa_normalizer_name,
     "NAME",
     "before it is compared, a log-probability is divided by len^A, by ((5 + len) / 6)^A, or not"},
    {"length-power", SA_OPTION_REAL, SA_SCOPE_RUN, AT(length_power), 1, 0, 10, NULL, "A",
     "the power A in it"},
    {"coverage-penalty", SA_OPTION_REAL, SA_SCOPE_RUN, AT(coverage), 0, 0, 10, NULL, "B",
     "the score gets B sum_j log min(sum_i alpha_ij, 1): source words left out cost"},
    {"min-length", SA_OPTION_INT, SA_SCOPE_RUN, AT(min_length), 0, 0, 100000, NULL, "N",
     "shortest translation, in tokens"},
    {"max-ratio", SA_OPTION_REAL, SA_SCOPE_RUN, AT(max_ratio), 3, 0, 100, NULL, "X",
     "longest translation: so many times the source's tokens, and 10 more"},
    {"no-unknown", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(no_unknown), 0, 0, 1, NULL, NULL,
     "never write the unknown word"},
    {"replace-unknown", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(replace_unknown), 0, 0, 1, NULL, NULL,
     "write the source word looked at most in the place of an unknown word"},
    {"sample", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(sample), 0, 0, 1, NULL, NULL,
     "draw the words at random instead of searching for the likeliest"},
    {"temperature", SA_OPTION_REAL, SA_SCOPE_RUN, AT(temperature), 1, 0.001, 1000, NULL, "X",
     "when drawing: below 1 the likely words gain, above 1 the unlikely"},
    {"top-k", SA_OPTION_INT, SA_SCOPE_RUN, AT(top_k), 0, 0, 10000000, NULL, "N",
     "when drawing: only from the N likeliest words; 0: all"},
    {"top-p", SA_OPTION_REAL, SA_SCOPE_RUN, AT(top_p), 1, 0, 1, NULL, "X",
     "when drawing: only from the fewest words that have this share of the probability"},
    {"sample-seed", SA_OPTION_INT64, SA_SCOPE_RUN, AT(seed), 1, 0, WHOLE, NULL, "N",
     "when drawing: another seed draws other words"},
    {"batch", SA_OPTION_INT, SA_SCOPE_RUN, AT(batch), 32, 1, 65536, NULL, "N",
     "sentences decoded together"},
    {0},
};

#undef AT

void sa_settings_init(sa_settings *settings) {
    sa_options_init(sa_settings_options, settings);
}

void sa_search_init(sa_search *search) {
    *search = (sa_search){.nbest = 1};
    sa_options_init(sa_search_options, search);
}

bool sa_settings_set(sa_settings *settings, const char *name, const char *value, sa_error *error) {
    const sa_option *row = sa_option_find(sa_settings_options, name);
    if (row) return sa_option_set(row, settings, value, error);
    sa_nearest nearest = {.wanted = name};
    for (row = sa_settings_options; row->name; row++) sa_nearest_offer(&nearest, row->name);
    char hint[128];
    return sa_fail(error, SA_USAGE, "unknown option '%s'%s", name,
                   sa_nearest_hint(&nearest, hint, sizeof hint));
}

bool sa_settings_check(const sa_settings *settings, sa_error *error) {
    if (!sa_options_check(sa_settings_options, settings, error)) return false;
    if (settings->attn % settings->heads != 0)
        return sa_fail(error, SA_USAGE,
                       "--heads %d: the --attn %d units cannot be shared out equally",
                       settings->heads, settings->attn);
    return sa_sizes_check(settings, error);
}

const sa_option *sa_settings_differ(const sa_settings *one, const sa_settings *other) {
    const sa_option *row = sa_settings_options;
    while (row->name && (row->scope == SA_SCOPE_RUN ||
                         sa_option_number(row, one) == sa_option_number(row, other)))
        row++;
    return row->name ? row : NULL;
}

/* ---- The settings of a model file ------------------------------------------------------------ */

static json_t *value_of(const sa_option *row, double number) {
    switch (row->kind) {
    case SA_OPTION_CHOICE:
        return json_string(row->choice((size_t)number));
    case SA_OPTION_SWITCH:
        return json_boolean(number != 0);
    case SA_OPTION_REAL:
        return json_real(number);
    case SA_OPTION_INT:
    case SA_OPTION_INT64:
    case SA_OPTION_TEXT:
        break;
    }
    return json_integer((json_int_t)number);
}

char *sa_settings_write(const sa_settings *settings, sa_error *error) {
    json_t *object = json_object();
    bool good = object != NULL;
    for (const sa_option *row = sa_settings_options; good && row->name; row++) {
        if (row->scope == SA_SCOPE_RUN) continue;
        json_t *value = value_of(row, sa_option_number(row, settings));
        good = json_object_set_new(object, row->name, value) == 0;
    }
    char *text = good ? json_dumps(object, 0) : NULL;
    json_decref(object);
    if (!text) sa_fail_memory(error, sizeof *settings);
    return text;
}

/* False when the value has the wrong type or lies outside the row's range. */
static bool assign(const sa_option *row, sa_settings *settings, const json_t *value) {
    switch (row->kind) {
    case SA_OPTION_CHOICE:
        return json_is_string(value) &&
               sa_option_assign(row, settings, sa_option_choice(row, json_string_value(value)));
    case SA_OPTION_SWITCH:
        return json_is_boolean(value) && sa_option_assign(row, settings, json_is_true(value));
    case SA_OPTION_REAL:
        return json_is_number(value) && sa_option_assign(row, settings, json_number_value(value));
    case SA_OPTION_INT:
    case SA_OPTION_INT64:
    case SA_OPTION_TEXT:
        break;
    }
    return json_is_integer(value) &&
           sa_option_assign(row, settings, (double)json_integer_value(value));
}

static bool read_row(const sa_option *row, sa_settings *settings, const json_t *object,
                     const char *file, sa_error *error) {
    const json_t *value = json_object_get(object, row->name);
    if (!value) return sa_fail(error, SA_DATA, "%s: settings: '%s' is missing", file, row->name);
    if (assign(row, settings, value)) return true;
    sa_buffer allowed = {0};
    sa_option_allowed(row, &allowed);
    sa_fail(error, SA_DATA, "%s: settings: '%s' must be %s", file, row->name,
            allowed.failed ? "another value" : allowed.text);
    sa_buffer_release(&allowed);
    return false;
}

static bool read_all(sa_settings *settings, json_t *object, const char *file, sa_error *error) {
    const char *key;
    const json_t *value;
    json_object_foreach(object, key, value) {
        const sa_option *row = sa_option_find(sa_settings_options, key);
        if (!row || row->scope == SA_SCOPE_RUN)
            return sa_fail(error, SA_DATA, "%s: settings: unknown key '%s'", file, key);
    }
    for (const sa_option *row = sa_settings_options; row->name; row++)
        if (row->scope != SA_SCOPE_RUN && !read_row(row, settings, object, file, error))
            return false;
    return true;
}

bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error) {
    json_t *object = sa_json_parse(text, strlen(text), 1, file, "settings", error);
    if (!object) return false;
    sa_settings read = *settings;
    const bool good = json_is_object(object)
                          ? read_all(&read, object, file, error)
                          : sa_fail(error, SA_DATA, "%s: settings: no JSON object", file);
    json_decref(object);
    if (good) *settings = read;
    return good;
}
