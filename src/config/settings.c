#include "config/settings.h"
#include "attention/parts.h"
#include "base/thread.h"
#include "data/text_codec.h"
#include "layers/optimizer.h"
#include "metrics/metrics.h"
#include "model/decode.h"

#include <stdio.h>
#include <string.h>

#define MAX_JSON_INTEGER 9007199254740991.0 /* 2^53 - 1: every JSON reader reads it exactly */

/* The scope and the offset of an option's field. */
#define MODEL(field) SA_SCOPE_MODEL, offsetof(sa_settings, field)
#define TEXT(field) SA_SCOPE_TEXT, offsetof(sa_settings, field)
#define TRAINING(field) SA_SCOPE_TRAINING, offsetof(sa_settings, field)
#define SCORES(field) SA_SCOPE_METRICS, offsetof(sa_settings, metrics.field)
#define RUN(field) SA_SCOPE_RUN, offsetof(sa_settings, field)
#define SEARCH(field) SA_SCOPE_RUN, offsetof(sa_search, field)

const sa_option sa_settings_options[] = {
    {"model", SA_CHOICE(MODEL(model), 0, sa_model_kinds),
     "model family: recurrent encoder-decoder, Transformer (Vaswani et al. 2017), or decoder-only "
     "Transformer (decoder; Radford et al. 2018)",
     "Model"},
    {"decoder", SA_CHOICE(MODEL(decoder), 0, sa_decoder_kinds),
     "decoder architecture, from a fixed context vector to the conditional GRU"},
    {"attention", SA_CHOICE(MODEL(attention), 0, sa_scores), "attention score function",
     "Attention"},
    {"normalizer", SA_CHOICE(MODEL(normalizer), 0, sa_normalizers),
     "from scores to weights; null, null-key, sink: softmax with a key that is not a word; "
     "sparsemax, entmax, softpick: exact zeros"},
    {"entmax-alpha", SA_OPTION_REAL, MODEL(entmax_alpha), 1.5, 1.01, 2, NULL, SA_LIST("learned"),
     "X",
     "entmax: alpha, from near softmax (1) to sparsemax (2); learned: each head learns its own"},
    {"heads", SA_INT(MODEL(heads), 1, 1, 64, "N"),
     "number of attention heads; the n' attention units are split among them"},
    {"kv-heads", SA_INT(MODEL(kv_heads), 0, 0, 64, "N"),
     "number of key/value heads, each shared by equally many heads (Ainslie et al. 2023; 1: "
     "Shazeer 2019); 0: as --heads"},
    {"latent", SA_INT(MODEL(latent), 0, 0, 8192, "N"),
     "keys and values come from N numbers of each word (MLA; DeepSeek-AI 2024); 0: from the word"},
    {"head-projection", SA_WORDS(MODEL(head_projection), 0, "full", "split"),
     "Transformer: each head projects all numbers of a word (full), or only its own share of them "
     "(split)"},
    {"smeared-keys", SA_SWITCH(MODEL(smeared_keys)),
     "mix each key with that of the word before, in a proportion that each head learns (Olsson et "
     "al. 2022)"},
    {"attention-gate", SA_WORDS(MODEL(attention_gate), 0, "none", "headwise", "elementwise"),
     "weigh the output of each head by a gate of the query's vector, one number per head or one "
     "for each number of its output (Qiu et al. 2025)"},
    {"exclusive", SA_SWITCH(MODEL(exclusive)),
     "Transformer: take from what a word gathers the part along its own value (XSA; Zhai 2026)"},
    {"merged", SA_SWITCH(MODEL(merged)),
     "Transformer: one softmax over source and written words in the decoder (Zhang et al. 2025)"},
    {"value-size", SA_INT(MODEL(value_size), 0, 0, 8192, "N"),
     "value size per head (d_v), with several heads; 0: annotation size divided by the heads"},
    {"window", SA_WORDS(MODEL(window), 0, "none", "local-m", "local-p", "sliding"),
     "local attention (Luong et al. 2015): monotonic alignment (local-m) or predictive alignment "
     "(local-p); sliding: in a Transformer's self-attention, words at most D apart (Beltagy et al. "
     "2020)"},
    {"window-size", SA_INT(MODEL(window_size), 10, 1, 1000, "N"),
     "half-width D of the attention window, in positions"},
    {"hybrid", SA_INT(MODEL(hybrid), 0, 0, SA_MAX_LAYERS, "N"),
     "Transformer: scaled dot products with all words in every N-th layer of self-attention and in "
     "cross-attention, --attention and --window in the others; 0: these in all layers"},
    {"coverage", SA_CHOICE(MODEL(coverage), 0, sa_coverages),
     "tell the score how much of each source word earlier target words have covered: divided by "
     "its fertility (linguistic; Tu et al. 2016), or with a loss on covering it again (loss; "
     "See et al. 2017)"},
    {"max-fertility", SA_REAL(MODEL(max_fertility), 2, 0.1, 100, "N"),
     "linguistic coverage: maximum fertility of a source word, in target words"},
    {"location-filters", SA_INT(MODEL(location_filters), 10, 1, 1000, "N"),
     "location-aware attention: number of filters over the weights of the previous target word "
     "(Chorowski et al. 2015)"},
    {"location-width", SA_INT(MODEL(location_width), 7, 1, 999, "N"),
     "location-aware attention: width 2r + 1 of the filters, an odd number of source words"},
    {"encoder", SA_WORDS(MODEL(encoder), 0, "bi", "uni", "none"),
     "encoder: bidirectional, unidirectional, or none (embeddings only)", "Encoder and decoder"},
    {"layers", SA_INT(MODEL(layers), 1, 1, SA_MAX_LAYERS, "N"),
     "number of encoder layers; Transformer: of encoder and decoder; decoder-only: of all"},
    {"decoder-layers", SA_INT(MODEL(decoder_layers), 1, 1, SA_MAX_LAYERS, "N"),
     "number of recurrent decoder layers"},
    {"positions", SA_CHOICE(MODEL(positions), 0, sa_position_kinds),
     "positions: encodings added to the source embeddings (Transformer: to the target embeddings "
     "as well); or, in a Transformer's self-attention, biases of the scores (t5, alibi, "
     "forgetting), rotations of queries and keys (rope) or vectors added to keys and values "
     "(shaw)"},
    {"shaw-distance", SA_INT(MODEL(shaw_distance), 16, 1, 1000, "K"),
     "shaw: the largest distance with its own vectors (Shaw et al. 2018); larger distances share "
     "those of K"},
    {"reverse-source", SA_SWITCH(MODEL(reverse_source)),
     "feed the source to the encoder in reverse order; matrices keep the original order"},
    {"cell", SA_WORDS(MODEL(cell), 0, "gru", "lstm", "rnn"),
     "recurrent cell of encoder and decoder"},
    {"update", SA_WORDS(MODEL(update), 0, "new", "old"),
     "gru: z weights the new state (Bahdanau et al. 2015) or the old state (Cho et al. 2014, most "
     "toolkits)"},
    {"reset", SA_WORDS(MODEL(reset), 0, "before", "after", "sum"),
     "gru: apply r before U (2015), after U (most toolkits), or to the sum U s + C c (2014)"},
    {"cell-norm", SA_SWITCH(MODEL(cell_norm)),
     "layer normalization of W x, U s and C c in every cell, and of the LSTM cell state (Ba et al. "
     "2016)"},
    {"decoder-init", SA_WORDS(MODEL(decoder_init), 0, "auto", "backward", "last", "mean", "copy"),
     "initial decoder state s_0: from backward_1, both final encoder states, the mean annotation, "
     "or a copy of forward_S; auto: as in the decoder's paper; with --encoder none always the "
     "mean"},
    {"readout-state", SA_WORDS(MODEL(readout_state), 0, "auto", "previous", "current"),
     "decoder state seen by the readout layer: previous (s_{i-1}) or current (s_i); auto: as in "
     "the decoder's paper"},
    {"input-feeding", SA_SWITCH(MODEL(input_feeding)),
     "concatenate the previous readout vector with the next input embedding (Luong et al. 2015)"},
    {"copy", SA_SWITCH(MODEL(copy)),
     "pointer-generator (See et al. 2017): p_gen p(w) + (1 - p_gen) times the attention on the "
     "source words equal to w; unknown words can be copied; --decoder pointer: p_gen is 0"},
    {"embed", SA_INT(MODEL(embed), 64, 1, 8192, "N"), "embedding size (m)", "Sizes and weights"},
    {"hidden", SA_INT(MODEL(hidden), 128, 1, 8192, "N"), "hidden size of each recurrent layer (n)"},
    {"attn", SA_INT(MODEL(attn), 64, 1, 8192, "N"), "attention size (n')"},
    {"maxout", SA_INT(MODEL(maxout), 64, 1, 8192, "N"),
     "number of maxout units in the readout layer (l)"},
    {"ffn", SA_INT(MODEL(ffn), 256, 1, 65536, "N"),
     "Transformer: inner size of the feed-forward layers"},
    {"norm", SA_WORDS(MODEL(norm), 0, "pre", "post"),
     "Transformer: layer normalization before (pre) or after (post) each sub-layer"},
    {"prefix", SA_WORDS(MODEL(prefix), 0, "causal", "full"),
     "decoder-only: a source word sees those before it (causal), or its whole sentence (full; "
     "Raffel et al. 2020)"},
    {"tie", SA_WORDS(MODEL(tie), 0, "none", "two-way", "three-way"),
     "embedding tying: target input and output (two-way), or source as well with a joint "
     "vocabulary (three-way)"},
    {"init", SA_WORDS(MODEL(init), 0, "xavier", "paper", "uniform"),
     "weight initialization; 'paper' keeps attention near uniform for a long time in short "
     "trainings"},

    {"tokenizer", SA_CHOICE(TEXT(tokenizer), 0, sa_tokenizers),
     "tokenizer; space-bpe: BPE on text that is tokenized already", "Text and vocabulary"},
    {"source-tokenizer", SA_CHOICE_BY(TEXT(source_tokenizer), 0, sa_side_tokenizer_name),
     "tokenizer of the source; auto: as --tokenizer"},
    {"target-tokenizer", SA_CHOICE_BY(TEXT(target_tokenizer), 0, sa_side_tokenizer_name),
     "tokenizer of the target; auto: as --tokenizer"},
    {"bpe-merges", SA_INT(TEXT(bpe_merges), 2000, 1, 1000000, "N"),
     "bpe, space-bpe: maximum number of BPE merge operations"},
    {"bpe", SA_WORDS(TEXT(bpe), 0, "joint", "separate"),
     "bpe, space-bpe: learn merges on both sides jointly, or on each side separately"},
    {"lowercase", SA_SWITCH(TEXT(lowercase)), "lowercase all text"},
    {"min-freq", SA_INT(TEXT(min_freq), 1, 1, 1000000, "N"),
     "minimum word frequency; rarer words become <unk>"},
    {"vocab", SA_INT(TEXT(vocab), 0, 0, 10000000, "N"),
     "maximum vocabulary size per side; 0: unlimited"},
    {"max-len", SA_INT(TEXT(max_len), 50, 1, SA_MAX_LEN, "N"),
     "maximum sentence length in training, in tokens per side; longer pairs are skipped"},

    {"precision", SA_WORDS(TRAINING(precision), 0, "float32", "bf16"),
     "matrix products with weights: float32, or operands rounded to bf16 (Kalamkar et al. 2019); "
     "sums, weights and everything else stay float32",
     "Optimization"},
    {"optimizer", SA_CHOICE(TRAINING(optimizer), 1, sa_optimizers), "optimizer"},
    {"lr", SA_REAL(TRAINING(lr), 0, 0, 1e9, "X"),
     "learning rate; 0: the optimizer's default (adadelta 1, adam 0.002, sgd 0.1)"},
    {"lr-decay", SA_REAL(TRAINING(lr_decay), 0.5, 0.01, 1, "X"),
     "factor applied to the learning rate after --lr-patience validations without improvement; 1: "
     "no decay"},
    {"lr-patience", SA_INT(TRAINING(lr_patience), 1, 1, 1000000, "N"),
     "consecutive validations without improvement before the learning rate decays"},
    {"schedule", SA_CHOICE(TRAINING(schedule), 0, sa_schedules),
     "learning rate schedule: decay on plateau (--lr-decay), constant, inverse square root of the "
     "updates after warm-up, or linear or cosine decay to zero over --steps"},
    {"warmup", SA_INT64(TRAINING(warmup), 0, 0, MAX_JSON_INTEGER, "N"),
     "updates of linear learning rate warm-up"},
    {"momentum", SA_REAL(TRAINING(momentum), 0.9, 0, 0.999, "X"), "momentum of sgd"},
    {"beta1", SA_REAL(TRAINING(beta1), 0.9, 0, 0.9999, "X"),
     "adam: decay rate of the first moment estimate"},
    {"beta2", SA_REAL(TRAINING(beta2), 0.999, 0, 0.99999, "X"),
     "adam: decay rate of the second moment estimate"},
    {"epsilon", SA_REAL(TRAINING(epsilon), 1e-8, 1e-12, 1, "X"),
     "adam: constant added to the denominator"},
    {"freeze-embeddings",
     SA_WORDS(TRAINING(freeze_embeddings), 0, "none", "source", "target", "both"),
     "embeddings that are not trained: they stay as --source-embeddings, --target-embeddings or "
     "--init-from set them"},
    {"clip", SA_REAL(TRAINING(clip), 1, 0, 1e9, "X"),
     "maximum L2 norm of the gradient; 0: no clipping"},
    {"dropout", SA_REAL(TRAINING(dropout), 0, 0, 0.9, "X"),
     "dropout probability for embeddings, annotations and readout; Transformer: for embeddings "
     "and sub-layer outputs",
     "Regularization and further losses"},
    {"dropout-state", SA_REAL(TRAINING(dropout_state), 0, 0, 0.9, "X"),
     "dropout probability for recurrent connections, one mask per sentence (Gal and Ghahramani "
     "2016)"},
    {"dropout-layers", SA_REAL(TRAINING(dropout_layers), 0, 0, 0.9, "X"),
     "dropout probability between recurrent layers, of encoder and decoder (Zaremba et al. 2014)"},
    {"monotonic-noise", SA_REAL(TRAINING(monotonic_noise), 1, 0, 100, "X"),
     "monotonic attention: standard deviation of the noise added to scores in training, which "
     "drives them away from 0 (Raffel et al. 2017, section 2.5)"},
    {"word-dropout", SA_REAL(TRAINING(word_dropout), 0, 0, 0.9, "X"),
     "probability of dropping a source or target word: its embedding becomes zero (Sennrich et al. "
     "2016)"},
    {"weight-decay", SA_REAL(TRAINING(weight_decay), 0, 0, 1, "X"),
     "decoupled weight decay (without biases), multiplied by the learning rate"},
    {"label-smoothing", SA_REAL(TRAINING(label_smoothing), 0, 0, 0.9, "X"),
     "label smoothing: probability mass spread uniformly over the vocabulary"},
    {"guided-alignment", SA_REAL(TRAINING(guided_alignment), 0, 0, 1000, "X"),
     "weight of the alignment loss: cross-entropy between the pairs' alignments and the attention "
     "(last layer, first head; Chen et al. 2016)"},
    {"guided-at", SA_WORDS(TRAINING(guided_at), SA_ALIGN_OUTPUT, "output", "input"),
     "the weights that learn the links of a word, as align --align-at shows them: of the row that "
     "predicts it, or of the next, which has read it (Transformers, luong, cgru)"},
    {"coverage-weight", SA_REAL(TRAINING(coverage_weight), 1, 0, 1000, "X"),
     "coverage loss: weight of sum_j min(alpha_ij, sum_i' alpha_i'j), i' < i"},
    {"reinforce-weight", SA_REAL(TRAINING(reinforce_weight), 1, 0, 1000, "X"),
     "hard attention: weight of (log p(y | s) - b) log p(s), the gradient estimate from the "
     "sampled words (Xu et al. 2015, section 4.1)"},
    {"entropy-weight", SA_REAL(TRAINING(entropy_weight), 0.1, 0, 1000, "X"),
     "hard attention: weight of the entropy of the probabilities of the words"},
    {"batch", SA_INT(TRAINING(batch), 32, 1, 65536, "N"), "batch size in sentence pairs",
     "Batches"},
    {"batch-tokens", SA_INT(TRAINING(batch_tokens), 0, 0, 1000000, "N"),
     "batch size as the maximum number of tokens per side, EOS included; 0: use --batch"},
    {"shards", SA_INT(TRAINING(shards), 2, 0, SA_MAX_THREADS, "N"),
     "shards per batch, each for one thread; they change the result; 0: one per core"},
    {"seed", SA_INT64(TRAINING(seed), 1, 0, MAX_JSON_INTEGER, "N"), "random seed"},
    {"valid-every", SA_INT(TRAINING(valid_every), 0, 0, 1000000000, "N"),
     "updates between validations; 0: validate once per epoch", "Validation and early stopping"},
    {"hold-out", SA_INT(TRAINING(hold_out), 1000, 0, 1000000000, "N"),
     "maximum number of training pairs held out when --valid is not given; 0: always 5 %"},
    {"criterion", SA_WORDS(TRAINING(criterion), 0, "loss", "bleu", "chrf"),
     "validation metric that selects best.safetensors and drives --patience and --lr-decay"},
    {"patience", SA_INT(TRAINING(patience), 10, 0, 1000000, "N"),
     "early stopping: validations without improvement before training ends; 0: never"},
    {"average", SA_INT(TRAINING(average), 0, 0, 100, "N"),
     "number of checkpoints whose mean is written to average.safetensors; 0: none"},
    {"average-of", SA_WORDS(TRAINING(average_of), 0, "last", "best"),
     "checkpoints to average: the last ones, or the best by --criterion"},
    SA_METRICS_ROWS(SCORES),
    {"threads", SA_INT(RUN(threads), 0, 0, SA_MAX_THREADS, "N"),
     "number of threads; 0: one per core; does not change results", "Limits of a run"},
    {"epochs", SA_INT(RUN(epochs), 100, 0, 1000000, "N"), "maximum number of epochs; 0: no limit"},
    {"steps", SA_INT64(RUN(steps), 0, 0, MAX_JSON_INTEGER, "N"),
     "maximum number of updates; 0: no limit"},
    {"max-time", SA_REAL(RUN(max_time), 60, 0, 1e8, "SECONDS"),
     "maximum training time of this run in seconds; 0: no limit"},
    {"keep", SA_INT(RUN(keep), 0, 0, 1000000, "N"),
     "keep the models of the newest N validations as DIR/checkpoints/UPDATES.safetensors; 0: only "
     "the best and the last one"},
    {0},
};

const sa_option sa_search_options[] = {
    {"beam", SA_INT(SEARCH(beam), 1, 1, 1000, "N"), "beam size; 1: greedy search"},
    {"length-penalty", SA_WORDS(SEARCH(length_penalty), 0, "average", "gnmt", "none"),
     "length penalty: divide log-probabilities by len^A (average), by ((5 + len) / 6)^A (gnmt; Wu "
     "et al. 2016), or not at all (none)"},
    {"length-power", SA_REAL(SEARCH(length_power), 1, 0, 10, "A"),
     "exponent A of the length penalty"},
    {"coverage-penalty", SA_REAL(SEARCH(coverage), 0, 0, 10, "B"),
     "weight B of the coverage penalty B sum_j log min(sum_i alpha_ij, 1) (Wu et al. 2016)"},
    {"min-length", SA_INT(SEARCH(min_length), 0, 0, 100000, "N"),
     "minimum translation length in tokens"},
    {"max-ratio", SA_REAL(SEARCH(max_ratio), 3, 0, 100, "X"),
     "maximum translation length: X times the source length plus 10 tokens"},
    {"no-unknown", SA_SWITCH(SEARCH(no_unknown)), "never generate <unk>"},
    {"replace-unknown", SA_SWITCH(SEARCH(replace_unknown)),
     "replace each <unk> by the source word with the largest attention weight"},
    {"sample", SA_SWITCH(SEARCH(sample)),
     "sample from the output distribution instead of searching"},
    {"temperature", SA_REAL(SEARCH(temperature), 1, 0.001, 1000, "X"),
     "sampling: softmax temperature"},
    {"top-k", SA_INT(SEARCH(top_k), 0, 0, 10000000, "N"),
     "sampling: only from the k most probable words; 0: all"},
    {"top-p", SA_REAL(SEARCH(top_p), 1, 0, 1, "X"),
     "sampling: nucleus probability; only from the smallest set of words with this mass"},
    {"sample-seed", SA_INT64(SEARCH(seed), 1, 0, MAX_JSON_INTEGER, "N"), "sampling: random seed"},
    {"batch", SA_INT(SEARCH(batch), 32, 1, 65536, "N"), "sentences decoded in one batch"},
    {0},
};

const sa_option *sa_settings_option(size_t i) {
    return sa_option_at(sa_settings_options, i);
}

const sa_option *sa_search_option(size_t i) {
    return sa_option_at(sa_search_options, i);
}

void sa_settings_init(sa_settings *settings) {
    if (settings) *settings = (sa_settings){0};
    sa_options_init(sa_settings_options, settings);
}

sa_settings *sa_settings_new(sa_error *error) {
    sa_settings *settings = sa_new(1, sizeof *settings, error);
    sa_settings_init(settings);
    return settings;
}

void sa_settings_free(sa_settings *settings) {
    free(settings);
}

size_t sa_settings_size(void) {
    return sizeof(sa_settings);
}

void sa_search_init(sa_search *search) {
    if (search) *search = (sa_search){.nbest = 1};
    sa_options_init(sa_search_options, search);
}

bool sa_settings_set(sa_settings *settings, const char *name, const char *value, sa_error *error) {
    return sa_given(settings, "settings", error) &&
           sa_options_set(sa_settings_options, settings, name, value, error);
}

bool sa_search_set(sa_search *search, const char *name, const char *value, sa_error *error) {
    return sa_given(search, "search", error) &&
           sa_options_set(sa_search_options, search, name, value, error);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

/* Fails with SA_USAGE for a reason that a numeric module gives, naming settings by their fields in
 * braces: "{heads}" is the option, "{heads:}" and "{heads:4}" are the option with its present and
 * with this value, "{:heads}" is only the value. "{weights:}" is the option that makes weights. */
static bool refuse_for(const sa_settings *settings, const char *reason, sa_error *error) {
    const sa_part *own = sa_scores[settings->attention].part;
    sa_buffer out = {0};
    for (size_t size; size = strcspn(reason, "{"), reason[size]; reason = strchr(reason, '}') + 1) {
        char name[64] = "", value[64] = "", colon = 0;
        sa_buffer_add(&out, reason, size);
        reason += size + 1;
        const bool alone = *reason == ':';
        sscanf(reason + alone, "%63[a-z0-9_]%c%63[a-z0-9-]", name, &colon, value);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        if (strcmp(name, "weights") == 0)
            strcpy(name, own && (own->normalizer || sa_rare_of(own)->any_sum) ? "attention"
                                                                              : "normalizer");
        const sa_option *option = sa_option_find(sa_settings_options, name);
        sa_require(option);
        if (!alone) sa_buffer_addf(&out, colon == ':' ? "--%s " : "--%s", name);
        sa_buffer_adds(&out, value);
        if ((alone || colon == ':') && !*value)
            sa_option_format(option, sa_option_get(option, settings), &out);
    }
    sa_buffer_adds(&out, reason);
    out.failed ? sa_fail_memory(error, 0) : sa_fail(error, SA_USAGE, "%s", out.text);
    sa_buffer_release(&out);
    return false;
}

bool sa_settings_check(const sa_settings *settings, sa_error *error) {
    if (!sa_options_check(sa_settings_options, settings, error)) return false;
    const char *reason = sa_settings_refusal(settings);
    return !reason || refuse_for(settings, reason, error);
}

bool sa_settings_has_attention(const sa_settings *settings) {
    return settings && SA_NAME(sa_model_kinds, settings->model) &&
           SA_NAME(sa_decoder_kinds, (size_t)settings->decoder) && sa_model_attends(settings);
}

bool sa_settings_has_null_key(const sa_settings *settings) {
    if (!sa_settings_has_attention(settings) || !SA_NAME(sa_scores, (size_t)settings->attention) ||
        !SA_NAME(sa_normalizers, (size_t)settings->normalizer))
        return false;
    return sa_attention_sizes_of(settings, 1, 1).normalizer->null_key;
}

sa_cache_size sa_settings_cache_size(const sa_settings *settings) {
    return settings && sa_settings_check(settings, NULL) ? sa_decode_cache_size(settings)
                                                         : (sa_cache_size){0};
}

sa_settings sa_settings_of_use(const sa_settings *settings) {
    sa_settings use = *settings;
    for (const sa_option *option = sa_settings_options; option->name; option++)
        if (option->scope == SA_SCOPE_TRAINING)
            sa_option_set_number(option, &use, option->default_value);
    return use;
}

const sa_option *sa_settings_find_difference(const sa_settings *one, const sa_settings *other) {
    const sa_option *option = sa_settings_options;
    while (option->name && (option->scope == SA_SCOPE_RUN ||
                            sa_option_get(option, one) == sa_option_get(option, other)))
        option++;
    return option->name ? option : NULL;
}

bool sa_settings_fail_difference(const sa_option *option, const sa_settings *stored,
                                 const char *path, const char *why, sa_error *error) {
    sa_buffer value = {0};
    const double number = sa_option_get(option, stored);
    const char *zero = number == 0 ? strstr(option->help, "; 0: ") : NULL;
    sa_option_add_argument(option, number, &value);
    if (zero) sa_buffer_addf(&value, " (%s)", zero + 2);
    sa_fail(error, SA_USAGE, "--%s: '%s' was trained with %s, %s", option->name, path,
            value.failed ? "another value" : value.text, why);
    sa_buffer_release(&value);
    return false;
}

/* Returns whether the list contains the option's name, between spaces. */
static bool is_in(const sa_option *option, const char *list) {
    char name[64];
    snprintf(name, sizeof name, " %s ", option->name);
    return strstr(list, name);
}

bool sa_settings_ignores(const sa_settings *settings, const sa_option *option) {
    static const char recurrent[] =
        " decoder encoder reverse-source cell update reset cell-norm decoder-init readout-state "
        "input-feeding hidden maxout decoder-layers dropout-layers ";
    static const char *const others[] = {[SA_MODEL_RECURRENT] = " ffn norm prefix ",
                                         [SA_MODEL_TRANSFORMER] = " prefix ",
                                         [SA_MODEL_DECODER_ONLY] = ""};
    const bool ignored = settings->model != SA_MODEL_RECURRENT && is_in(option, recurrent);
    return ignored || is_in(option, others[settings->model]);
}

void sa_settings_take_shape(sa_settings *settings, const sa_settings *model) {
    for (const sa_option *option = sa_settings_options; settings && model && option->name; option++)
        if (option->scope == SA_SCOPE_MODEL ||
            (option->scope == SA_SCOPE_TEXT && !is_in(option, " min-freq vocab max-len ")))
            sa_option_set_number(option, settings, sa_option_get(option, model));
}

bool sa_settings_is_common(const sa_option *option) {
    if (is_in(option, " seed batch batch-tokens hold-out ")) return true;
    return option->scope == SA_SCOPE_TEXT || option->scope == SA_SCOPE_RUN ||
           option->scope == SA_SCOPE_METRICS;
}

/* ---- Presets --------------------------------------------------------------------------------- */

const char *sa_preset_name(size_t i) {
    return SA_NAME(sa_presets, i);
}

const char *sa_preset_default(int model) {
    return sa_model_kinds[model].preset;
}

const char *sa_preset_text(const char *name) {
    const sa_preset *preset = sa_presets;
    while (name && preset->name && strcmp(preset->name, name) != 0) preset++;
    return name ? preset->text : NULL;
}

bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error) {
    if (!sa_given(settings, "settings", error) || !sa_given(name, "name", error)) return false;
    const char *line = sa_preset_text(name);
    if (!line)
        return sa_fail(error, SA_USAGE, "unknown preset '%s'%s; 'softalign help train' lists all",
                       name, sa_nearest_hint_in(&(sa_nearest){.wanted = name}, sa_preset_name));
    for (; *line; line += strcspn(line, "\n") + 1) {
        char option[32], value[32];
        if (sscanf(line, "--%31s %31s", option, value) == 2 &&
            !sa_settings_set(settings, option, value, error))
            return false;
    }
    return true;
}

/* ---- The settings of a model file, as JSON --------------------------------------------------- */

json_t *sa_settings_json(const sa_option *option, double number) {
    const char *word = sa_option_word(option, number);
    if (word) return json_string(word);
    if (option->kind == SA_OPTION_SWITCH) return json_boolean(number != 0);
    return option->kind == SA_OPTION_REAL ? json_real(number) : json_integer((json_int_t)number);
}

char *sa_settings_write(const sa_settings *settings, sa_error *error) {
    json_t *object = json_object();
    bool good = object != NULL;
    for (const sa_option *option = sa_settings_options; good && option->name; option++) {
        if (option->scope == SA_SCOPE_RUN) continue;
        json_t *value = sa_settings_json(option, sa_option_get(option, settings));
        good = json_object_set_new(object, option->name, value) == 0;
    }
    char *text = good ? json_dumps(object, 0) : NULL;
    json_decref(object);
    if (!text) sa_fail_memory(error, sizeof *settings);
    return text;
}

/* Returns what a key or choice of the first model files is called now, or its name. */
static const char *present_name(const char *name) {
    static const char *const now[][2] = {{"start", "decoder-init"},
                                         {"values", "value-size"},
                                         {"readout", "readout-state"},
                                         {"monotone", "local-m"},
                                         {"predictive", "local-p"}};
    for (size_t i = 0; i < sizeof now / sizeof *now; i++)
        if (strcmp(name, now[i][0]) == 0) return now[i][1];
    return name;
}

/* Sets the option; returns false if the value has the wrong type or is out of range. */
static bool assign(const sa_option *option, sa_settings *settings, const json_t *value) {
    const char *word = json_string_value(value);
    if (word && sa_option_choice(option, 0))
        return sa_option_set_number(option, settings,
                                    sa_option_find_choice(option, present_name(word)));
    if (option->kind == SA_OPTION_SWITCH)
        return json_is_boolean(value) &&
               sa_option_set_number(option, settings, json_is_true(value));
    const bool fits =
        option->kind == SA_OPTION_REAL ? json_is_number(value) : json_is_integer(value);
    return fits && option->kind != SA_OPTION_CHOICE &&
           sa_option_set_number(option, settings, json_number_value(value));
}

/* Options of earlier versions, and the values at which they did nothing. */
static const struct {
    const char *key, *name;
    double off;
} retired[] = {{"r-drop", "R-Drop", 0},
               {"bpe-dropout", "BPE-dropout", 0},
               {"l2", "an L2 penalty", 0},
               {"dropout-embeddings", "--dropout-embeddings", -1},
               {"dropout-annotations", "--dropout-annotations", -1},
               {"dropout-readout", "--dropout-readout", -1},
               {"decoder-residual", "--decoder-residual", 0}};
enum { RETIRED = sizeof retired / sizeof *retired };

bool sa_settings_check_resumable(const char *text, const char *file, sa_error *error) {
    json_t *object = sa_json_parse(text, strlen(text), 1, file, "settings", error);
    bool good = object;
    for (int i = 0; good && i < RETIRED; i++) {
        const json_t *value = json_object_get(object, retired[i].key);
        if (json_is_number(value) && json_number_value(value) > retired[i].off)
            good =
                sa_fail(error, SA_USAGE,
                        "'%s' was trained with %s, which this program no longer has: its training "
                        "cannot be resumed",
                        file, retired[i].name);
    }
    json_decref(object);
    return good;
}

static bool read_key(const char *key, const json_t *value, sa_settings *settings, const char *file,
                     sa_error *error) {
    const sa_option *option = sa_option_find(sa_settings_options, present_name(key));
    for (int i = 0; i < RETIRED; i++)
        if (strcmp(retired[i].key, key) == 0 && !json_is_true(value)) return true;
    if (!option || option->scope == SA_SCOPE_RUN)
        return sa_fail(error, SA_DATA, "%s: settings: unknown key '%s'", file, key);
    if (assign(option, settings, value)) return true;
    sa_buffer range = {0};
    sa_option_format_range(option, false, &range);
    sa_fail(error, SA_DATA, "%s: settings: '%s' must be %s", file, key,
            range.failed ? "another value" : range.text);
    sa_buffer_release(&range);
    return false;
}

bool sa_settings_read(sa_settings *settings, const char *text, const char *file, sa_error *error) {
    json_t *object = sa_json_parse(text, strlen(text), 1, file, "settings", error);
    if (!object) return false;
    sa_settings read = *settings;
    const char *key;
    const json_t *value;
    bool good =
        json_is_object(object) || sa_fail(error, SA_DATA, "%s: settings: no JSON object", file);
    for (const sa_option *option = sa_settings_options; option->name; option++)
        if (option->scope != SA_SCOPE_RUN)
            sa_option_set_number(option, &read, option->default_value);
    read.hold_out = 0; /* as in trainings by earlier versions, which do not store it */
    json_object_foreach(object, key, value) good = good && read_key(key, value, &read, file, error);
    json_decref(object);
    if (good) *settings = read;
    return good;
}

bool sa_settings_read_file(sa_settings *settings, const sa_container *file, sa_error *error) {
    sa_error why;
    const char *text = sa_container_metadata(file, "settings");
    if (!text) return sa_fail(error, SA_DATA, "%s: no settings: not a model file", file->name);
    return sa_settings_read(settings, text, file->name, error) &&
           (sa_settings_check(settings, &why) ||
            sa_fail(error, SA_DATA, "%s: settings: %s", file->name, why.text));
}
