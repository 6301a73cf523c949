#include "report/matrix_file.h"
#include "metrics/linking.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 4 };

/* Adds a last dimension; returns false if there are too many dimensions or numbers. */
static bool widen(sa_matrix_file *file, size_t dim) {
    if (*file->dim > 1 || !dim || dim > INT_MAX / 8 / file->size) return false;
    memmove(file->dim, file->dim + 1, (RANK - 1) * sizeof *file->dim);
    file->dim[RANK - 1] = dim;
    file->size *= dim;
    return true;
}

/* ---- Formats --------------------------------------------------------------------------------- */

/* Copies the numbers from nested lists of these dimensions and advances *to. */
static bool add_numbers(const json_t *value, const size_t *dim, int rank, double **to) {
    if (!rank) *(*to)++ = json_number_value(value);
    if (!rank) return json_is_number(value);
    bool good = json_array_size(value) == *dim;
    for (size_t i = 0; good && i < *dim; i++)
        good = add_numbers(json_array_get(value, i), dim + 1, rank - 1, to);
    return good;
}

/* Reads a line of any length: a sentence may have many weights. */
static bool read_line(sa_matrix_file *file, sa_error *error) {
    sa_lines *lines = &file->text.lines;
    const char *line = lines->file->data + lines->at;
    const size_t left = lines->file->size - lines->at;
    const char *end = memchr(line, '\n', left);
    const size_t size = end ? (size_t)(end - line) : left;
    lines->at += size + (end != NULL);
    json_decref(file->record);
    file->record = sa_json_parse(line, size, RANK + 2, file->place, "JSON", error);
    const json_t *value = json_object_get(file->record, "heads");
    if (!json_is_array(value)) value = json_object_get(file->record, "weights");
    int rank = 0;
    for (const json_t *in = value; json_is_array(in); in = json_array_get(in, 0), rank++)
        if (!widen(file, json_array_size(in))) break;
    double *to = file->numbers = sa_new(file->size, sizeof *to, error);
    return file->record && to &&
           ((rank >= 2 && add_numbers(value, file->dim + RANK - rank, rank, &to)) ||
            sa_fail(error, SA_DATA, "%s: expected \"weights\", rows of equally many numbers",
                    file->place));
}

/* Reads NumPy's format, of which report/matrix.c writes version 1. */
static bool read_array(sa_matrix_file *file, sa_error *error) {
    sa_file *array = &file->text.file;
    const unsigned char *bytes = (const unsigned char *)array->data;
    const size_t prefix = bytes[6] > 1 ? 12 : 10,
                 begin = array->size > prefix ? prefix + bytes[8] + 256u * bytes[9] : SIZE_MAX;
    size_t width = 0;
    if (begin < array->size) {
        array->data[begin - 1] = 0;
        char *header = array->data + prefix, *shape = strstr(header, "'shape': (");
        if (shape && strstr(header, "'fortran_order': False"))
            width = strstr(header, "'<f8'") ? 8 : strstr(header, "'<f4'") ? 4 : 0;
        while (width && strspn(shape += strcspn(shape, "0123456789)"), "0123456789"))
            if (!widen(file, strtoul(shape, &shape, 10))) width = 0;
    }
    if (!width || array->size - begin != width * file->size)
        return sa_fail(error, SA_DATA,
                       "%s: expected a NumPy array [layer, head, target, source], [head, target, "
                       "source] or [target, source] of float32 or float64, in C order",
                       array->name);
    file->numbers = sa_new(file->size, sizeof *file->numbers, error);
    bool good = file->numbers;
    for (size_t i = 0; good && i < file->size; i++) {
        float single = 0;
        memcpy(width == 8 ? (void *)&file->numbers[i] : &single, bytes + begin + i * width, width);
        if (width == 4) file->numbers[i] = (double)single;
        good = isfinite(file->numbers[i]) ||
               sa_fail(error, SA_DATA, "%s: number %zu is not finite", array->name, i + 1);
    }
    return good;
}

static bool read_table(sa_matrix_file *file, sa_error *error) {
    sa_number_table *table = &file->table;
    table->source.text = file->text;
    file->text = (sa_text_lines){0};
    table->source.text.lines.file = &table->source.text.file;
    if (!sa_number_table_read(table, false, error)) return false;
    file->numbers = table->numbers, table->numbers = NULL;
    json_object_set_new(file->record, "source", sa_json_words(table->column, table->cols));
    json_object_set_new(file->record, "target", sa_json_words(table->row, table->rows));
    return widen(file, (size_t)table->rows) && widen(file, (size_t)table->cols);
}

/* ---- Alignments ------------------------------------------------------------------------------ */

/* Returns the words of a side: the given ones, those of the record, or positions. */
static const char **words_of(const sa_matrix_file *file, const char *side, const char *given,
                             size_t count, sa_error *error) {
    json_t *words = json_object_get(file->record, side);
    if (given || !words || json_is_null(words))
        json_object_set_new(file->record, side, words = json_array());
    for (; given && *(given += strspn(given, " ")); given += strcspn(given, " "))
        json_array_append_new(words, json_stringn(given, strcspn(given, " ")));
    for (size_t i = 0; !given && i < count && json_array_size(words) == i; i++)
        json_array_append_new(words, json_sprintf("%zu", i));
    const char **list = sa_new(count, sizeof *list, error);
    size_t i = json_array_size(words) == count ? 0 : count + 1;
    while (list && i < count && (list[i] = json_string_value(json_array_get(words, i)))) i++;
    if (!list || i == count) return list;
    free(list);
    sa_fail(error, SA_DATA, "%s: expected %zu %s words", file->place, count, side);
    return NULL;
}

/* Sets the weights: the means, then each head of each layer. */
static bool set_weights(sa_matrix_file *file, sa_error *error) {
    sa_alignment *to = &file->alignment;
    const size_t size = file->dim[2] * file->dim[3], H = file->dim[1];
    const size_t maps = file->layer ? H : H * file->dim[0];
    const double *x = file->numbers + (file->layer ? H * size * (size_t)(file->layer - 1) : 0);
    double *weights = sa_new(sa_alignment_size(to), sizeof *weights, error);
    to->weights = weights;
    if (weights) memcpy(weights + sa_alignment_size(to) - maps * size, x, maps * size * sizeof *x);
    for (size_t k = 0; weights && maps > 1 && k < maps * size; k++) {
        weights[k % size] += x[k] / (double)maps;
        if (H > 1 && to->layers > 1) weights[size + k % (H * size)] += x[k] / (double)to->layers;
    }
    return weights;
}

/* Releases the sentence read last. */
static void release(sa_matrix_file *file) {
    sa_alignment_release(&file->alignment);
    json_decref(file->record);
    free(file->place), free(file->numbers);
    file->record = NULL, file->place = NULL, file->numbers = NULL;
}

bool sa_matrix_file_next(sa_matrix_file *file, sa_error *error) {
    sa_pair *pair = &file->corpus.pairs[file->read++];
    release(file);
    const char *begin = file->text.file.data + file->text.lines.at;
    file->size = 1;
    for (int i = 0; i < RANK; i++) file->dim[i] = 1;
    file->record = json_object();
    file->place = sa_format(error, "%s:%zu", file->corpus.name, pair->line);
    if (!file->place || !(file->read > 1 || *begin == '{'       ? read_line
                          : strncmp(begin, "\x93NUMPY", 6) == 0 ? read_array
                                                                : read_table)(file, error))
        return false;
    if ((size_t)file->layer > file->dim[0])
        return sa_fail(error, SA_USAGE, "{layer} %d: %s has %zu layer%s", file->layer, file->place,
                       *file->dim, *file->dim == 1 ? "" : "s");
    file->alignment = (sa_alignment){.targets = (int)file->dim[2],
                                     .sources = (int)file->dim[3],
                                     .heads = (int)file->dim[1],
                                     .layers = file->layer ? 1 : (int)file->dim[0],
                                     .log_probability = NAN};
    pair->gold = file->gold ? file->gold : json_string_value(json_object_get(file->record, "gold"));
    return set_weights(file, error) &&
           (file->alignment.source = words_of(file, "source", file->source, file->dim[3], error)) &&
           (file->alignment.target = words_of(file, "target", file->target, file->dim[2], error));
}

/* ---- The file -------------------------------------------------------------------------------- */

bool sa_matrix_file_open(sa_matrix_file *file, const char *path, sa_error *error) {
    if (!sa_text_lines_open(&file->text, path, error)) return false;
    const sa_file *bytes = &file->text.file;
    size_t at = file->text.lines.at, count = 1;
    for (const bool json = bytes->data[at] == '{'; json && at + 1 < bytes->size; at++)
        count += bytes->data[at] == '\n';
    file->corpus = (sa_corpus){.name = bytes->name, .count = count};
    file->corpus.pairs = sa_new(count, sizeof *file->corpus.pairs, error);
    for (size_t i = 0; file->corpus.pairs && i < count; i++)
        file->corpus.pairs[i] = (sa_pair){.source = "", .target = "", .line = i + 1, .row = i + 1};
    return file->corpus.pairs;
}

void sa_matrix_file_close(sa_matrix_file *file) {
    release(file);
    sa_text_lines_close(&file->text);
    sa_number_table_close(&file->table);
    free(file->corpus.pairs);
}
