/* Inference. The input is two bytes of choices, a line of source text, one of target text and
 * one of links, a zero byte, and a model file with any checksum. Whatever its weights,
 * translation, alignment, evaluation and explanation end, with possible results. */
#include "attention/parts.h"
#include "data/corpus.h"
#include "model_file.h"

#include <math.h>

enum { MOST = 1 << 15, TEXT = 96 };

/* ---- What can be true ------------------------------------------------------------------------ */

static bool is_log(double log_p) {
    return isfinite(log_p) && log_p <= 1e-3;
}

/* Rows of attention sum to 1, or to less or to anything where a part of the attention says so. */
static void expect_rows(const sa_model *model, const double *weights, int rows, int columns) {
    const sa_seq2seq *w = &model->w;
    const sa_attention *attention = sa_seq2seq_attends(w) ? sa_seq2seq_attention(w) : NULL;
    bool any = false, less = sa_settings_has_null_key(&model->settings);
    for (int p = 0; attention && p < attention->parts; p++) {
        any |= sa_rare_of(attention->part[p].kind)->any_sum != NULL;
        less |= sa_rare_of(attention->part[p].kind)->lacks != NULL;
    }
    for (int t = 0; t < rows; t++) {
        double sum = 0;
        for (int s = 0; s < columns; s++) {
            const double weight = weights[t * columns + s];
            ck_assert_msg(isfinite(weight) && (any || (weight >= 0 && weight <= 1 + 1e-3)),
                          "a weight is %g", weight);
            sum += weight;
        }
        ck_assert_msg(any || (sum <= 1 + 1e-3 && (less || sum >= 1 - 1e-3)), "a row sums to %g",
                      sum);
    }
}

static void expect_text(const char *text) {
    ck_assert(fuzz_is_utf8(text, strlen(text)) && !strpbrk(text, "\r\n"));
}

/* ---- Translating ----------------------------------------------------------------------------- */

static sa_search choose(unsigned one, unsigned other) {
    sa_search search;
    sa_search_init(&search);
    search.max_ratio = 1;
    search.beam = 1 + (int)(one & 3);
    search.nbest = 1 + (int)(one >> 2 & 1);
    search.sample = one & 8;
    search.no_unknown = one & 16;
    search.replace_unknown = one & 32;
    search.min_length = (int)(one >> 6);
    search.weights = true;
    search.length_penalty = (int)(other & 1);
    search.coverage = other & 2 ? 0.5 : 0;
    search.top_k = (int)(other >> 2 & 3);
    search.top_p = other & 16 ? 0.5 : 1;
    search.length_power = other & 32 ? 0 : 1;
    return search;
}

static void expect_translation(const sa_model *model, const sa_translation *out, bool empty) {
    expect_text(out->text);
    if (empty) {
        ck_assert_str_eq(out->text, "");
        return;
    }
    ck_assert_msg(is_log(out->log_probability), "log p is %g", out->log_probability);
    ck_assert(!isnan(out->score) && out->words >= 1 && out->sources >= 2);
    for (int t = 0; t < out->words; t++) expect_text(out->target[t]);
    for (int s = 0; s < out->sources; s++) expect_text(out->source[s]);
    ck_assert(out->complete == (strcmp(out->target[out->words - 1], "</s>") == 0) ||
              !out->complete); /* a word may have this spelling */
    if (out->weights) expect_rows(model, out->weights, out->words, out->sources);
}

static void translate(sa_model *model, const char *source, bool empty, sa_search search) {
    sa_translation out[2] = {0};
    sa_error error = {0};
    if (!sa_translate(model, &source, 1, &search, out, &error)) {
        fuzz_expect_error(&error, SA_DIVERGED, SA_USAGE);
        return;
    }
    ck_assert(out[0].text != NULL);
    for (int i = 0; i < search.nbest; i++)
        if (out[i].text) expect_translation(model, &out[i], empty);
    if (search.nbest > 1 && out[1].text && !search.sample && !empty)
        ck_assert_double_ge(out[0].score, out[1].score);
    sa_translations_release(out, (size_t)search.nbest);
}

/* ---- Aligning and judging -------------------------------------------------------------------- */

typedef struct seen {
    const sa_model *model;
    double log_p;
} seen;

static bool look(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    seen *all = context;
    sa_alignment words;
    ck_assert_uint_eq(index, 0);
    ck_assert_msg(is_log(alignment->log_probability), "log p is %g", alignment->log_probability);
    expect_rows(all->model, alignment->weights, alignment->targets, alignment->sources);
    for (int k = 0; k < alignment->heads; k++)
        expect_rows(all->model, sa_alignment_weights(alignment, 0, k + 1), alignment->targets,
                    alignment->sources);
    ck_assert(sa_alignment_merge(alignment, &words, error));
    ck_assert(words.targets <= alignment->targets && words.sources <= alignment->sources);
    expect_rows(all->model, words.weights, words.targets, words.sources);
    sa_alignment_release(&words);
    all->log_p = alignment->log_probability;
    return true;
}

static void judge(sa_model *model, sa_pair *pair, const sa_search *search, const seen *aligned) {
    const sa_corpus corpus = {
        .pairs = pair, .count = 1, .lines = 1, .gold = pair->gold, .name = "pairs"};
    sa_sentence_result each = {0};
    sa_eval_result scores;
    sa_error error = {0};
    if (!sa_evaluate(model, &corpus, search, NULL, &each, &error)) {
        ck_assert_msg(error.code == SA_DIVERGED || error.code == SA_DATA || error.code == SA_USAGE,
                      "%s", error.text);
        return;
    }
    ck_assert(is_log(each.log_probability));
    if (!isnan(aligned->log_p))
        ck_assert(fabs(each.log_probability - aligned->log_p) <= 1e-4 * (1 + fabs(aligned->log_p)));
    if (sa_eval_summarize(NULL, &corpus, &each, NULL, 1, &scores, &error)) {
        ck_assert(scores.bleu >= 0 && scores.bleu <= 100 + 1e-9);
        ck_assert(scores.chrf >= 0 && scores.chrf <= 100 + 1e-9);
        ck_assert(isnan(scores.aer) || (scores.aer >= 0 && scores.aer <= 1));
        ck_assert(scores.loss >= -1e-3);
    } else {
        ck_assert_int_eq(error.code, SA_DIVERGED); /* a perplexity beyond numbers */
    }
    sa_sentence_results_release(&each, 1);
}

static void count_line(void *context, const sa_explain_pair *pair, const sa_explain_value *line) {
    ck_assert(pair->sources > 1 && (!line || (line->rows > 0 && line->cols > 0)));
    ++*(size_t *)context;
}

static void explain(sa_model *model, const sa_pair *pair, unsigned choices) {
    size_t lines = 0;
    sa_error error = {0};
    const sa_explain_options explaining = {.source = pair->source,
                                           .target = choices & 1 ? pair->target : NULL,
                                           .step = 1,
                                           .layer = 1,
                                           .site = (sa_attention_site)(choices / 4 % 3),
                                           .each = count_line,
                                           .context = &lines};
    if (sa_explain(model, &explaining, &error))
        ck_assert_uint_gt(lines, 1);
    else
        fuzz_expect_error(&error, SA_USAGE, SA_DIVERGED);
}

/* ---- The target ------------------------------------------------------------------------------ */

/* The place of the zero byte after the texts. */
static size_t texts_end(const uint8_t *data, size_t size) {
    const uint8_t *end = size > 2 ? memchr(data + 2, 0, size - 2) : NULL;
    return end ? (size_t)(end - data) : size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    const size_t end = texts_end(data, size), model = end + 1;
    if (seed % 4 == 0 || model >= size) return LLVMFuzzerMutate(data, size, capacity);
    if (seed % 4 != 1)
        return model + model_mutate(data + model, size - model, capacity - model, seed / 4);
    uint8_t text[TEXT];
    if (end > sizeof text) return LLVMFuzzerMutate(data, size, capacity);
    memcpy(text, data, end);
    const size_t most =
        sizeof text < capacity - (size - end) ? sizeof text : capacity - (size - end);
    const size_t changed = LLVMFuzzerMutate(text, end, most);
    memmove(data + changed, data + end, size - end);
    memcpy(data, text, changed);
    return changed + size - end;
}

/* A text as read from a file, or NULL. */
static char *read_text(fuzz_input *input) {
    const fuzz_input part = fuzz_until(input, '\n');
    if (!fuzz_is_utf8(part.at, part.size) || (part.size && memchr(part.at, '\r', part.size)))
        return NULL;
    return sa_utf8_normalize(part.at, part.size, false, NULL);
}

static bool is_blank(const char *text) {
    for (size_t size = strlen(text), length; size; text += length, size -= length)
        if (sa_utf8_char_class(text, size, &length) != SA_CHAR_SPACE) return false;
    return true;
}

static void work(sa_model *model, sa_pair *pair, unsigned one, unsigned other) {
    sa_search search = choose(one, other);
    sa_align_options view = {0};
    seen all = {model, NAN};
    sa_error error = {0};
    static const char *const ways[] = {"none", "uniform", "shuffle", "shift:1", "one-hot"};
    const char *way = ways[(other >> 6) % 4];
    if (other & 32) ck_assert(sa_attention_override_parse(&view.override, way, &error));
    if (sa_settings_has_attention(&model->settings)) search.override = view.override;
    const bool blank = is_blank(pair->source);
    if (!blank || model->source.tokenizer != &sa_tokenizers[SA_TOKENIZER_CHAR])
        translate(model, pair->source, blank, search);
    if (blank || is_blank(pair->target)) return;
    if (!sa_align(model, &view, pair, 1, look, &all, &error))
        fuzz_expect_error(&error, SA_DIVERGED, SA_USAGE);
    judge(model, pair, &search, &all);
    explain(model, pair, other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const size_t end = texts_end(data, size);
    if (size > MOST || end == size || end > TEXT) return 0;
    fuzz_input input = {(const char *)data, end};
    const unsigned one = fuzz_byte(&input), other = fuzz_byte(&input);
    char *source = read_text(&input), *target = read_text(&input), *gold = fuzz_line(&input);
    char *bytes = fuzz_copy((fuzz_input){(const char *)data + end + 1, size - end - 1});
    model_sign(bytes, size - end - 1);
    sa_model *model =
        source && target ? sa_model_open(fuzz_file(0, bytes, size - end - 1), 1, NULL) : NULL;
    sa_link *links = NULL;
    size_t count;
    const bool linked = *gold && sa_links_parse(gold, &links, &count, NULL);
    if (model && model->plan.size <= MODEL_WEIGHTS)
        work(model, &(sa_pair){source, target, linked ? gold : NULL, 1}, one, other);
    sa_model_close(model);
    free(links), free(source), free(target), free(gold), free(bytes);
    return 0;
}
