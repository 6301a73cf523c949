/* alignment: sa_align, sa_alignment_merge and sa_alignment_copy of softalign.h. */
#include "data/encoding.h"
#include "data/tokens.h"
#include "inference/attribution.h"
#include "inference/model.h"
#include "metrics/linking.h"

#include <stdlib.h>
#include <string.h>

/* The words of one side, and which of them are <unk>; BOS and EOS are not. */
typedef struct side {
    const char **words;
    bool *unknown;
} side;

/* read: the words that the decoder reads, BOS first, no EOS, instead of those that are
 * predicted. */
static bool read_side(const sa_text_codec *codec, const char *text, const sa_sentence *sentence,
                      bool read, side *out, sa_error *error) {
    out->words = sa_surface_words(codec, text, sentence, error);
    if (!out->words) return false;
    out->unknown = sa_new((size_t)sentence->len, sizeof *out->unknown, error);
    for (int i = sentence->len - 1; out->unknown && i >= 0; i--) {
        const int from = read ? i - 1 : i;
        out->words[i] = from < 0 ? "<s>" : out->words[from];
        out->unknown[i] = from >= 0 && sentence->ids[from] == SA_UNK;
    }
    return out->unknown;
}

/* Joins the words of one side and the first words of the other, which keep their spellings. */
static bool join_sides(const side *one, int count, const side *other, int others, side *both,
                       sa_error *error) {
    const size_t first = (size_t)count, rest = (size_t)others;
    both->words = sa_new(first + rest, sizeof *both->words, error);
    both->unknown = both->words ? sa_new(first + rest, sizeof *both->unknown, error) : NULL;
    if (!both->unknown) return false;
    memcpy(mempcpy(both->words, one->words, first * sizeof *both->words), other->words,
           rest * sizeof *both->words);
    memcpy(mempcpy(both->unknown, one->unknown, first), other->unknown, rest);
    return true;
}

typedef struct align_task {
    sa_model *model;
    const sa_align_options *options;
    const sa_attribution *method[SA_ATTRIBUTIONS];
    int methods; /* 0: attention */
    sa_alignment_each *each;
    void *context;
    /* of a chunk of the pairs: */
    sa_sentence *source, *target;
    sa_alignment *results;
} align_task;

/* Reports pair i of the chunk, which is number `index` of all. */
static bool report(const align_task *task, const sa_pair *pair, size_t i, size_t index,
                   sa_error *error) {
    const sa_attention_site site = task->options->site;
    const sa_sentence *source = &task->source[i], *target = &task->target[i];
    sa_alignment alignment = task->results[i];
    side left = {0}, right = {0}, both = {0};
    const side *rows = site == SA_SITE_ENCODER ? &left : &right;
    const side *columns = site == SA_SITE_DECODER ? &right : &left;
    bool good = read_side(&task->model->source, pair->source, source, false, &left, error) &&
                read_side(&task->model->target, pair->target, target, site == SA_SITE_DECODER,
                          &right, error);
    if (good && task->options->target_prefix) {
        good = join_sides(&left, source->len, &right, target->len - 1, &both, error);
        columns = &both;
    }
    if (good && site == SA_SITE_DECODER && task->model->w.transformer.sizes.decoder_only)
        right.words[0] = left.words[source->len - 1]; /* the source's EOS takes the place of BOS */
    alignment.target = rows->words, alignment.target_unknown = rows->unknown;
    alignment.source = columns->words, alignment.source_unknown = columns->unknown;
    good = good && task->each(task->context, index, &alignment, error);
    free(left.words), free(left.unknown);
    free(right.words), free(right.unknown);
    free(both.words), free(both.unknown);
    return good;
}

/* ---- Attributions instead of weights --------------------------------------------------------- */

/* Computes the matrices of one pair, the first in place of the mean over heads. The weights of its
 * result, if any, are those of attention. */
static bool attribute_pair(void *context, int i, sa_error *error) {
    const align_task *task = context;
    sa_alignment *result = &task->results[i];
    const int T = task->target[i].len, methods = task->methods;
    const int columns = task->source[i].len + (task->options->target_prefix ? T - 1 : 0);
    sa_alignment attention = {.weights = result->weights};
    const size_t size = (size_t)T * (size_t)columns;
    sa_attributed job = {.w = &task->model->w,
                         .sizes = &task->model->sizes,
                         .parameters = task->model->plan.size,
                         .source = &task->source[i],
                         .target = &task->target[i],
                         .options = task->options,
                         .gap = &result->gap};
    result->targets = T, result->sources = columns, result->heads = methods, result->layers = 1;
    for (int k = 0; k < methods; k++) result->method[k] = task->method[k]->name;
    double *scores = sa_new(sa_alignment_size(result), sizeof *scores, error);
    bool good = scores;
    for (int k = 0; good && k < methods; k++) {
        double *own = methods > 1 ? scores + (size_t)(k + 1) * size : scores;
        job.method = task->method[k];
        if (!job.method->score)
            memcpy(own, attention.weights, size * sizeof *own);
        else
            good = job.method->score(&job, own, error);
    }
    if (good && methods > 1) memcpy(scores, scores + size, size * sizeof *scores);
    result->weights = scores;
    sa_alignment_release(&attention);
    return good;
}

/* ---- Chunks of the pairs --------------------------------------------------------------------- */

/* Aligns pairs, few enough for all their matrices to be in memory. */
static bool align_chunk(align_task *task, const sa_pair *pairs, size_t first, size_t count,
                        sa_error *error) {
    sa_model *model = task->model;
    const sa_text_codec *const codec[] = {&model->source, &model->target};
    const bool encoded = sa_encode_pairs(codec, model->max_len, model->settings.copy, pairs + first,
                                         count, &task->source, &task->target, error);
    task->results = encoded ? sa_new(count, sizeof *task->results, error) : NULL;
    sa_override override = {0};
    bool good =
        task->results &&
        sa_override_open(&override, task->options->override, model, pairs + first, count, error) &&
        sa_teacher_force(model, task->source, task->target, count, &override,
                         sa_seq2seq_attends(&model->w) ? task->options : NULL, task->results,
                         error) &&
        (!task->methods || sa_tasks_run(model->pool, (int)count, attribute_pair, task, error));
    for (size_t i = 0; good && i < count; i++)
        good = report(task, &pairs[first + i], i, first + i, error);
    for (size_t i = 0; task->results && i < count; i++) sa_alignment_release(&task->results[i]);
    free(task->results);
    sa_override_close(&override, count);
    sa_sentences_release(task->source, count);
    sa_sentences_release(task->target, count);
    return good;
}

bool sa_align_at_check(const sa_model *model, int at, sa_error *error) {
    return at == SA_ALIGN_OUTPUT ||
           (at == SA_ALIGN_INPUT && sa_model_reads_before(&model->settings)) ||
           sa_fail(error, SA_USAGE, "--align-at input needs a Transformer, luong or cgru");
}

/* Checks the methods; attends: whether one of them reads the attention that align shows. */
static bool check_methods(const align_task *task, bool *attends, sa_error *error) {
    const sa_model *model = task->model;
    const sa_align_options *options = task->options;
    const sa_attribution *const *list = task->method;
    const sa_attention *attention = sa_seq2seq_attention(&model->w),
                       *self = &model->w.transformer.decoder.layer[0].self.attention;
    *attends = false;
    for (int k = 0; k < task->methods; k++) {
        if (list[k]->layers && model->w.recurrent)
            return sa_fail(error, SA_USAGE,
                           "--method %s reads the layers of a Transformer or decoder-only model",
                           list[k]->name);
        if (list[k]->joint && model->settings.merged)
            return sa_fail(error, SA_USAGE, "--method %s: --merged attends to both sides at once",
                           list[k]->name);
        for (int p = 0; list[k]->sums && p < attention->parts; p++)
            if (attention->part[p].kind->forward[SA_PLACE_OUTPUT])
                return sa_fail(error, SA_USAGE,
                               "--method %s reads sums of weighted values, which %s would change",
                               list[k]->name, attention->part[p].kind->name);
        for (int p = 0; list[k]->shares && p < attention->parts + self->parts; p++) {
            const sa_part *part = p < attention->parts ? attention->part[p].kind
                                                       : self->part[p - attention->parts].kind;
            if (sa_rare_of(part)->any_sum)
                return sa_fail(error, SA_USAGE,
                               "--method %s divides rows of weights by their sums, which must be "
                               "positive: %s",
                               list[k]->name, sa_rare_of(part)->any_sum);
        }
        if (options->target_prefix && !list[k]->prefix &&
            !(list[k]->joint && model->w.transformer.sizes.decoder_only))
            return sa_fail(error, SA_USAGE,
                           "--target-prefix: --method %s covers source words only%s", list[k]->name,
                           list[k]->joint ? ", except in a decoder-only model" : "");
        *attends = *attends || !list[k]->score || list[k]->sums;
    }
    if (!*attends && (options->layer || options->at))
        return sa_fail(error, SA_USAGE,
                       "--layer and --align-at apply only to the methods attention and norms");
    if (options->site != SA_SITE_CROSS || options->override.kind)
        return sa_fail(error, SA_USAGE,
                       "attributions cover source words, with the model's own weights");
    return true;
}

static bool check_options(align_task *task, sa_error *error) {
    const sa_model *model = task->model;
    const sa_align_options *options = task->options;
    static const char *const sites[] = {"cross", "encoder", "decoder"}; /* in order */
    const size_t site = options->site;
    bool attends = true;
    task->methods = sa_attributions_read(options->methods, task->method, error);
    if (options->methods && (!task->methods || !check_methods(task, &attends, error))) return false;
    if (options->target_prefix && !options->methods)
        return sa_fail(error, SA_USAGE,
                       "--target-prefix applies to attributions: choose some with --method");
    if (!attends) return true;
    if (!sa_settings_has_attention(&model->settings)) return sa_fail_no_attention(model, error);
    if (site >= sizeof sites / sizeof *sites)
        return sa_fail(error, SA_USAGE, "there is no attention site %zu", site);
    const int layers = sa_seq2seq_layers(&model->w, options->site);
    if (!layers)
        return sa_fail(error, SA_USAGE, "--site %s: the model has no attention there", sites[site]);
    if (options->layer < 0 || options->layer > layers)
        return sa_fail(error, SA_USAGE, "--layer %d: the model has %d", options->layer, layers);
    return sa_align_at_check(model, options->at, error) &&
           (options->at == SA_ALIGN_OUTPUT || options->site == SA_SITE_CROSS ||
            sa_fail(error, SA_USAGE,
                    "--align-at input links source and target: it needs --site cross")) &&
           sa_override_check(options->override, error);
}

bool sa_align(sa_model *model, const sa_align_options *options, const sa_pair *pairs, size_t count,
              sa_alignment_each *each, void *context, sa_error *error) {
    enum { CHUNK = 512 };
    const sa_align_options usual = {0};
    if (!options) options = &usual;
    if (!sa_given(model, "model", error) || !sa_given_pairs(pairs, count, "pairs", error))
        return false;
    if (!each) return sa_fail(error, SA_USAGE, "'each' is NULL");
    align_task task = {.model = model, .options = options, .each = each, .context = context};
    bool good = check_options(&task, error) && sa_check_lengths(model, NULL, pairs, count, error);
    for (size_t first = 0, size; good && first < count; first += size) {
        size = count - first < CHUNK ? count - first : CHUNK;
        size = sa_alignments_together(&pairs[first].source, &pairs[first].target, sizeof *pairs,
                                      size, model->max_len);
        good = align_chunk(&task, pairs, first, size, error);
    }
    return good;
}

/* ---- From subwords to words ------------------------------------------------------------------ */

/* Returns the words that subwords make, terminated, in one block of memory; merge: without their
 * marks. */
static const char **join_subwords(const char *const *subword, int count, const int *word, int words,
                                  bool merge, sa_error *error) {
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strlen(subword[i]) + 1;
    const char **list = sa_new(1, (size_t)words * sizeof *list + bytes, error);
    char *at = list ? (char *)(list + words) : NULL;
    for (int i = 0; list && i < count; i++) {
        const bool begins = !i || word[i] != word[i - 1];
        const bool ends = i + 1 == count || word[i + 1] != word[i];
        const size_t size = strlen(subword[i]);
        const bool marked = merge && sa_subword_continues(subword[i], size);
        if (begins) list[word[i]] = at;
        at = mempcpy(at, subword[i], size - (marked ? sizeof SA_SUBWORD_MARK - 1 : 0));
        if (ends) *at++ = 0;
    }
    return list;
}

/* Merges every matrix, in the order of memory. */
static bool merge_weights(const sa_alignment *subwords, const int *target, const int *source,
                          sa_alignment *words, sa_error *error) {
    const size_t from = (size_t)subwords->targets * (size_t)subwords->sources,
                 to = (size_t)words->targets * (size_t)words->sources;
    const size_t matrices = sa_alignment_size(subwords) / from;
    double *merged = sa_new(matrices * to, sizeof *merged, error);
    words->weights = merged;
    for (size_t i = 0; merged && i < matrices; i++)
        sa_merge_weights(subwords->weights + i * from, subwords->targets, subwords->sources, target,
                         source, merged + i * to);
    return merged;
}

/* Gives a word the sum over its subwords (log p, by the chain rule), or their mean, as for
 * weights. */
static bool merge_numbers(const double *subwords, int count, const int *word, int words, bool mean,
                          const double **out, sa_error *error) {
    if (!subwords) return true;
    double *merged = sa_new((size_t)words, sizeof *merged, error);
    for (int i = 0, length; merged && i < count; i += length) {
        double sum = 0;
        for (length = 0; i + length < count && word[i + length] == word[i]; length++)
            sum += subwords[i + length];
        merged[word[i]] = mean ? sum / length : sum;
    }
    *out = merged;
    return merged;
}

/* Marks a word as unknown if one of its subwords is. */
static bool merge_unknown(const bool *subwords, int count, const int *word, int words,
                          const bool **out, sa_error *error) {
    if (!subwords) return true;
    bool *merged = sa_new((size_t)words, sizeof *merged, error);
    for (int i = 0; merged && i < count; i++) merged[word[i]] |= subwords[i];
    *out = merged;
    return merged;
}

/* Makes all that an alignment owns; after a failure, releases what it owns by then. */
static bool make(const sa_alignment *from, bool merge, sa_alignment *to, sa_error *error) {
    const int T = from->targets, S = from->sources;
    int *target = sa_new((size_t)T + (size_t)S, sizeof *target, error);
    *to = *from;
    to->target = to->source = NULL;
    to->weights = to->token_log_probabilities = to->generation_probabilities = NULL;
    to->target_unknown = to->source_unknown = NULL;
    if (!target) return false;
    int *source = target + T;
    to->targets = sa_subword_word_indices(from->target, T, merge, target);
    to->sources = sa_subword_word_indices(from->source, S, merge, source);
    to->target = join_subwords(from->target, T, target, to->targets, merge, error);
    to->source = join_subwords(from->source, S, source, to->sources, merge, error);
    const bool good =
        to->target && to->source &&
        (!from->weights || merge_weights(from, target, source, to, error)) &&
        merge_numbers(from->token_log_probabilities, T, target, to->targets, false,
                      &to->token_log_probabilities, error) &&
        merge_numbers(from->generation_probabilities, T, target, to->targets, true,
                      &to->generation_probabilities, error) &&
        merge_unknown(from->target_unknown, T, target, to->targets, &to->target_unknown, error) &&
        merge_unknown(from->source_unknown, S, source, to->sources, &to->source_unknown, error);
    free(target);
    if (!good) sa_alignment_release(to);
    return good;
}

bool sa_alignment_merge(const sa_alignment *subwords, sa_alignment *words, sa_error *error) {
    return sa_given_alignment(subwords, "subwords", error) && sa_given(words, "words", error) &&
           make(subwords, true, words, error);
}

bool sa_alignment_copy(const sa_alignment *alignment, sa_alignment *copy, sa_error *error) {
    return sa_given_alignment(alignment, "alignment", error) && sa_given(copy, "copy", error) &&
           make(alignment, false, copy, error);
}
