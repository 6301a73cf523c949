/* initialize: what a new training begins with: random weights, those of another model, vectors of
 * words from a file. */
#include "base/number.h"
#include "config/settings.h"
#include "inference/model.h"
#include "train/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Another model --------------------------------------------------------------------------- */

bool sa_initial_model_open(sa_session *session, sa_model *from, sa_error *error) {
    const char *path = session->training->init_from;
    sa_settings same = session->settings;
    sa_container file;
    if (!sa_container_open(&file, path, 1, NULL, error)) return false;
    session->checksum = file.checksum;
    const bool good = sa_model_read(from, &file, 1, error);
    sa_container_close(&file);
    if (!good) return false;
    sa_settings_take_shape(&same, &from->trained);
    const sa_option *row = sa_settings_find_difference(&session->settings, &same);
    return !row ||
           sa_settings_fail_difference(row, &same, path, "which --init-from cannot change", error);
}

/* Words are appended to a vocabulary, so that those of the other model are the first rows. */
static bool copy_weights(const sa_session *session, const sa_model *from, sa_error *error) {
    const sa_model *model = &session->model;
    const char *path = session->training->init_from;
    const int source = sa_seq2seq_embedding(&from->plan, 0)->rows;
    const int target = sa_seq2seq_embedding(&from->plan, 1)->rows;
    const sa_sizes sizes = sa_sizes_of(&model->settings, source, target);
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    if (plan.size != from->plan.size)
        return sa_fail(error, SA_USAGE,
                       "{max_len} %d: '%s' has weights for the positions of its %d tokens",
                       session->settings.max_len, path, from->trained.max_len);
    for (int i = 0; i < plan.count; i++)
        memcpy(model->values + model->plan.item[i].offset, from->values + plan.item[i].offset,
               sa_param_size(&plan.item[i]) * sizeof(sa_real));
    sa_session_note(session,
                    "weights of '%s': all %zu are kept; %d source and %d target words are new, "
                    "with %zu weights; optimizer and schedule start anew",
                    path, plan.size, sa_seq2seq_embedding(&model->plan, 0)->rows - source,
                    sa_seq2seq_embedding(&model->plan, 1)->rows - target,
                    model->plan.size - plan.size);
    return true;
}

/* ---- Vectors of words ------------------------------------------------------------------------ */

static bool is_number(const char *text, const char *end) {
    bool digits = false;
    for (; text < end && strchr("0123456789+-.eE", *text); text++)
        digits |= *text >= '0' && *text <= '9';
    return text == end && digits;
}

/* Cuts a line "WORD X1 ... Xm" behind the word, which may have spaces in it, and returns the
 * numbers. */
static char *cut_word(char *line, size_t size, int *count) {
    char *end = line + size, *space;
    for (char *tab = line; (tab = strchr(tab, '\t'));) *tab = ' ';
    while (end > line && end[-1] == ' ') *--end = 0;
    for (*count = 0;
         (space = memrchr(line, ' ', (size_t)(end - line))) && is_number(space + 1, end); ++*count)
        end = space;
    if (!*count) return end;
    *end = 0;
    return end + 1;
}

static bool read_vector(char *numbers, sa_real *row, int m) {
    for (int k = 0; k < m; k++) {
        double number;
        numbers[strcspn(numbers, " ")] = 0;
        if (!sa_number_parse(numbers, &number) || !isfinite((sa_real)number)) return false;
        row[k] = (sa_real)number;
        numbers += strlen(numbers) + 1;
    }
    return true;
}

/* How the vector of a token was found. */
enum { BY_WORD = 1, BY_TOKEN };

/* Sets the rows of the token that is spelled so, and of those that are this word with marks of
 * spaces; the first line for a word counts. */
static bool set_rows(const sa_vocab *vocab, const char *word, char *numbers, sa_mat E,
                     char *found) {
    static const char *const marks[] = {"", SA_JOINED, SA_SPACED};
    char token[SA_SUBWORD_MAX + 8];
    for (int i = 0; i < 9; i++) {
        const char by = i ? BY_WORD : BY_TOKEN;
        const size_t size =
            (size_t)snprintf(token, sizeof token, "%s%s%s", marks[i / 3], word, marks[i % 3]);
        const int32_t id = size < sizeof token ? sa_vocab_find(vocab, token, size) : SA_UNK;
        if (id == SA_UNK || found[id] >= by) continue;
        if (!read_vector(numbers, sa_row(E, id), E.cols)) return false;
        found[id] = by;
    }
    return true;
}

/* Reads the vectors of the vocabulary's words; a first line "WORDS m" is that of word2vec and
 * fastText. */
static bool read_vectors(sa_text_lines *file, const sa_vocab *vocab, sa_mat E, char *found,
                         sa_error *error) {
    const char *name = file->file.name;
    char *line, more;
    size_t size;
    bool failed = false;
    while (sa_lines_next(&file->lines, &line, &size, &failed, error)) {
        const size_t number = file->lines.number;
        long long all, width;
        int count;
        if (number == 1 && sscanf(line, "%lld %lld %c", &all, &width, &more) == 2) {
            if (width == E.cols) continue;
            return sa_fail(error, SA_DATA, "%s:1: its vectors have %lld numbers, {embed} is %d",
                           name, width, E.cols);
        }
        char *numbers = cut_word(line, size, &count);
        const char *last = strrchr(line, ' ');
        if (count != E.cols)
            return sa_fail(error, SA_DATA,
                           "%s:%zu: expected a word and %d finite numbers ({embed}); there are %d "
                           "behind '%.40s'",
                           name, number, E.cols, count, last ? last + 1 : line);
        if (!set_rows(vocab, line, numbers, E, found))
            return sa_fail(error, SA_DATA, "%s:%zu: a number of '%.40s' is not finite", name,
                           number, line);
    }
    return !failed;
}

/* Sets the embeddings of a side's words that the file has. */
static bool read_embeddings(const sa_session *session, int side, const char *path,
                            sa_error *error) {
    static const char *const names[] = {"source", "target"};
    const sa_model *model = &session->model;
    const sa_mat E = sa_param_mat(sa_seq2seq_embedding(&model->plan, side), model->values);
    const sa_vocab *vocab = side ? &model->target.vocab : &model->source.vocab;
    sa_text_lines file;
    int count = 0;
    char *found = sa_new((size_t)E.rows, 1, error);
    if (!found || !sa_text_lines_open(&file, path, error)) {
        free(found);
        return false;
    }
    bool good = read_vectors(&file, vocab, E, found, error);
    sa_text_lines_close(&file);
    for (int id = 0; id < E.rows; id++) count += found[id] > 0;
    free(found);
    if (good && !count)
        good = sa_fail(error, SA_DATA, "%s: none of the %s words is in it", path, names[side]);
    if (good)
        sa_session_note(session, "%s embeddings: %d of %d words found in '%s'%s", names[side],
                        count, E.rows - SA_SPECIAL_TOKENS, path,
                        session->settings.freeze_embeddings & 1 << side ? "; frozen" : "");
    return good;
}

/* ---- All of it ------------------------------------------------------------------------------- */

bool sa_session_initialize(const sa_session *session, const sa_model *from, sa_error *error) {
    const sa_settings *settings = &session->settings;
    const sa_model *model = &session->model;
    const char *const *vectors = session->training->embeddings;
    if (!sa_params_init(&model->plan, model->values, settings->init, (uint64_t)settings->seed,
                        error) ||
        (from->values && !copy_weights(session, from, error)))
        return false;
    for (int side = 0; side < 2; side++)
        if (vectors[side] && !read_embeddings(session, side, vectors[side], error)) return false;
    return true;
}
