#include "report/matrix_file.h"
#include "metrics/attention_statistics.h"
#include "metrics/linking.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMPY "\x93NUMPY"

enum { RANK = 4, MOST = 8 /* axes, of which others have one element */ };

/* Sets the dimensions; notes which axes of one element are left out. Returns false if there are too
 * many others, or too many numbers. */
static bool set_shape(sa_matrix_file *file, const size_t *shape, int rank) {
    int left = rank;
    size_t *to = file->dim + RANK;
    file->size = 1;
    for (int i = rank - 1; i >= 0; i--) {
        const bool drops = shape[i] == 1 && left > RANK && i < rank - 2;
        if (!shape[i] || shape[i] > INT_MAX / 8 / file->size) return false;
        file->size *= shape[i];
        left -= drops;
        if (drops || to == file->dim) continue;
        *--to = shape[i];
    }
    if (left < rank && !file->note.size)
        sa_buffer_addf(&file->note, "%s: %d of %d axes have one element and are left out",
                       file->place, rank - left, rank);
    return rank >= 2 && left <= RANK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Copies the numbers from nested lists of these dimensions and advances *to. */
static bool add_numbers(const json_t *value, const size_t *dim, int rank, double **to) {
    if (!rank) *(*to)++ = json_is_true(value) ? 1 : json_number_value(value);
    if (!rank) return json_is_number(value) || json_is_boolean(value);
    bool good = json_array_size(value) == *dim;
    for (size_t i = 0; good && i < *dim; i++)
        good = add_numbers(json_array_get(value, i), dim + 1, rank - 1, to);
    return good;
}

/* Reads a line of any length: a sentence may have many weights. */
static bool read_line(sa_matrix_file *file, sa_error *error) {
    sa_text_lines *lines = &file->text;
    const char *line = lines->file.data + lines->at;
    const size_t left = lines->file.size - lines->at;
    const char *end = memchr(line, '\n', left);
    const size_t size = end ? (size_t)(end - line) : left;
    lines->at += size + (end != NULL);
    json_decref(file->record);
    file->record = sa_json_parse(line, size, MOST + 4, file->place, "JSON", error);
    if (!file->record) return false;
    json_t *best = json_array_get(json_object_get(file->record, "translations"), 0);
    json_object_update_missing(file->record, best); /* as of translate --jsonl */
    if (best) json_object_set(file->record, "target", json_object_get(best, "tokens"));
    const json_t *value = json_object_get(file->record, "heads");
    if (!json_is_array(value)) value = json_object_get(file->record, "weights");
    size_t shape[MOST];
    int rank = 0;
    for (const json_t *in = value; json_is_array(in) && rank < MOST; in = json_array_get(in, 0))
        shape[rank++] = json_array_size(in);
    const bool shaped = set_shape(file, shape, rank);
    double *to = file->numbers = shaped ? sa_new(file->size, sizeof *to, error) : NULL;
    if (shaped && !to) return false;
    return (shaped && add_numbers(value, shape, rank, &to)) ||
           sa_fail(error, SA_DATA, "%s: expected \"weights\", rows of equally many numbers",
                   file->place);
}

/* ---- NumPy ----------------------------------------------------------------------------------- */

/* An array of NumPy, of whose format report/matrix.c writes version 1, or a tensor. */
typedef struct numpy_array {
    char kind; /* f, i, u, b, or B: bfloat16 */
    int width; /* bytes of a number */
    bool big_endian, fortran;
    size_t shape[MOST + 1];
    int rank;
    const unsigned char *bytes;
} numpy_array;

static double half_number(unsigned bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                        : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

/* Returns the number at an index in memory. */
static double numpy_number(const numpy_array *array, size_t index) {
    const unsigned char *bytes = array->bytes + index * (size_t)array->width;
    const int unused = 64 - 8 * array->width;
    uint64_t bits = 0;
    for (int i = 0; i < array->width; i++)
        bits |= (uint64_t)bytes[array->big_endian ? array->width - 1 - i : i] << 8 * i;
    if (array->kind == 'i') return (double)((int64_t)(bits << unused) >> unused);
    if (array->kind == 'f' && array->width == 2) return half_number((unsigned)bits);
    if (array->kind != 'f' && array->kind != 'B') return (double)bits;
    const uint32_t low = (uint32_t)bits << (array->kind == 'B' ? 16 : 0);
    float single;
    double number;
    memcpy(&single, &low, sizeof single), memcpy(&number, &bits, sizeof number);
    return array->width < 8 ? (double)single : number;
}

static bool knows_type(const numpy_array *array) {
    const char kind = array->kind;
    const int width = array->width;
    return kind == 'f'   ? width == 2 || width == 4 || width == 8
           : kind == 'B' ? width == 2
           : kind == 'b' ? width == 1
                         : (kind == 'i' || kind == 'u') && width >= 1 && width <= 8;
}

/* Returns the place in memory of the element that is number `index` in C order. */
static size_t numpy_place(const numpy_array *array, size_t index) {
    size_t place = 0, stride = 1, rest[MOST];
    if (!array->fortran) return index;
    for (int k = array->rank - 1; k >= 0; index /= array->shape[k--])
        rest[k] = index % array->shape[k];
    for (int k = 0; k < array->rank; stride *= array->shape[k++]) place += rest[k] * stride;
    return place;
}

/* Reads the header, which ends before `begin`. SA_DATA: the numbers have another type. */
static bool read_header(const sa_file *file, char *header, numpy_array *array, sa_error *error) {
    char *type = strstr(header, "'descr': "), *shape = strstr(header, "'shape': (");
    char order = 0, end = 0;
    array->fortran = strstr(header, "'fortran_order': True");
    if (type &&
        sscanf(type, "'descr': '%c%c%d%c", &order, &array->kind, &array->width, &end) == 4 &&
        end == '\'' && shape && array->kind != 'B' && knows_type(array)) {
        array->big_endian = order == '>';
        for (shape += strlen("'shape': ("); array->rank <= MOST && strspn(shape, "0123456789");
             shape += strspn(shape, ", "))
            array->shape[array->rank++] = strtoul(shape, &shape, 10);
        return true;
    }
    const int size = type ? (int)strcspn(type + strlen("'descr': "), ",}") : 0;
    return sa_fail(error, SA_DATA,
                   "%s: its numbers are %.*s: save real ones, as by numpy.save(FILE, "
                   "w.astype('float32'))",
                   file->name, size < 40 ? size : 40, type ? type + strlen("'descr': ") : "");
}

/* Takes the array, of which `size` bytes are there. */
static bool take_numbers(sa_matrix_file *file, const numpy_array *array, size_t size,
                         sa_error *error) {
    const char *name = file->text.file.name;
    if (array->rank > MOST || !set_shape(file, array->shape, array->rank))
        return sa_fail(
            error, SA_DATA,
            "%s: an array of %d axes; expected [layer, head, target, source], [head, target, "
            "source] or [target, source] (others: one element)",
            name, array->rank);
    if (size != (size_t)array->width * file->size)
        return sa_fail(error, SA_DATA, "%s: %zu bytes of numbers, its shape needs %zu", name, size,
                       (size_t)array->width * file->size);
    file->numbers = sa_new(file->size, sizeof *file->numbers, error);
    bool good = file->numbers;
    for (size_t i = 0; good && i < file->size; i++) {
        file->numbers[i] = numpy_number(array, numpy_place(array, i));
        good = isfinite(file->numbers[i]) ||
               sa_fail(error, SA_DATA, "%s: number %zu is not finite", name, i + 1);
    }
    return good;
}

static bool read_array(sa_matrix_file *file, sa_error *error) {
    sa_file *from = &file->text.file;
    const unsigned char *bytes = (const unsigned char *)from->data;
    const size_t prefix = from->size > 6 && bytes[6] > 1 ? 12 : 10,
                 begin = from->size > prefix ? prefix + bytes[8] + 256u * bytes[9] : SIZE_MAX;
    numpy_array array = {0};
    if (begin >= from->size)
        return sa_fail(error, SA_DATA, "%s: a NumPy array that is cut off", from->name);
    array.bytes = bytes + begin;
    from->data[begin - 1] = 0;
    if (!read_header(from, from->data + prefix, &array, error)) return false;
    return take_numbers(file, &array, from->size - begin, error);
}

/* ---- safetensors ----------------------------------------------------------------------------- */

enum { LENGTH = 8 }; /* bytes of the header's length, with which the file begins */

/* Returns the size of the header; 0: this is another format. */
static size_t header_size(const sa_file *bytes) {
    uint64_t size = 0;
    if (bytes->size > LENGTH && bytes->data[LENGTH] == '{') memcpy(&size, bytes->data, LENGTH);
    return size <= bytes->size - LENGTH ? (size_t)size : 0;
}

/* Returns the tensor of the header that the user named, or the only one. */
static json_t *find_tensor(const sa_matrix_file *file, json_t *header, sa_error *error) {
    json_object_del(header, "__metadata__");
    const char *name = json_object_iter_key(json_object_iter(header));
    const size_t count = json_object_size(header);
    json_t *found = json_object_get(header, !file->inside && count == 1 ? name : file->inside);
    char shown[64];
    if (!found)
        sa_fail(error, SA_DATA, "%s: %s; it has %zu, such as '%s'", file->text.file.name,
                file->inside ? "there is no such tensor" : "which tensor? (FILE:NAME)", count,
                name ? sa_escape(shown, sizeof shown, name, strlen(name)) : "");
    return found;
}

static bool read_tensor(sa_matrix_file *file, sa_error *error) {
    const sa_file *from = &file->text.file;
    const size_t header = header_size(from);
    const char *text = from->data + LENGTH, *type;
    json_t *all = sa_json_parse(text, header, 3, from->name, "header", error), *shape;
    json_t *tensor = all ? find_tensor(file, all, error) : NULL;
    json_int_t begin, end;
    int bits = 8; /* BOOL */
    numpy_array array = {0};
    if (json_unpack(tensor, "{s:s, s:o, s:[I, I]}", "dtype", &type, "shape", &shape, "data_offsets",
                    &begin, &end) == 0 &&
        begin >= 0 && begin <= end && (size_t)end <= from->size - LENGTH - header) {
        sscanf(type, "%*[A-Z]%d", &bits);
        array = (numpy_array){.kind = strncmp(type, "BF", 2) == 0 ? 'B' : (char)(*type | ' '),
                              .width = bits / 8,
                              .rank = (int)json_array_size(shape),
                              .bytes = (const unsigned char *)text + header + begin};
        for (int i = 0; i < array.rank && i < MOST; i++)
            array.shape[i] = (size_t)json_integer_value(json_array_get(shape, (size_t)i));
    }
    const bool good = knows_type(&array);
    if (tensor && !good)
        sa_fail(error, SA_DATA, "%s: expected a tensor of real numbers", from->name);
    json_decref(all);
    return good && take_numbers(file, &array, (size_t)(end - begin), error);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static bool read_table(sa_matrix_file *file, sa_error *error) {
    sa_number_table *table = &file->table;
    table->source.text = file->text;
    file->text = (sa_text_lines){0};
    if (!sa_number_table_read(table, false, error)) return false;
    file->numbers = table->numbers, table->numbers = NULL;
    json_object_set_new(file->record, "source", sa_json_words(table->column, table->cols));
    json_object_set_new(file->record, "target", sa_json_words(table->row, table->rows));
    return set_shape(file, (const size_t[]){(size_t)table->rows, (size_t)table->cols}, 2);
}

/* ---- Alignments ------------------------------------------------------------------------------ */

/* Returns the words of a side: the given ones, those of the record, or positions. */
static const char **words_of(const sa_matrix_file *file, const char *side, const char *given,
                             size_t count, sa_error *error) {
    const json_t *own = json_object_get(file->record, side);
    if (given || !own || json_is_null(own)) json_object_set_new(file->record, side, json_array());
    json_t *words = json_object_get(file->record, side);
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
    if (weights) memcpy(weights + sa_alignment_size(to) - maps * size, x, maps * size * sizeof *x);
    for (size_t k = 0; weights && maps > 1 && k < maps * size; k++) {
        weights[k % size] += x[k] / (double)maps;
        if (H > 1 && to->layers > 1) weights[size + k % (H * size)] += x[k] / (double)to->layers;
    }
    return (to->weights = weights);
}

/* Notes the first row of any head that is no distribution, and whether the axes may be exchanged.
 */
static void check_rows(sa_matrix_file *file) {
    const size_t T = file->dim[2], S = file->dim[3], maps = file->size / T / S;
    const double least = 0.99, most = 1.01; /* rounded to 16 bits, or to two digits */
    file->weighs = true;
    for (size_t m = 0; m < maps && file->weighs; m++)
        for (size_t t = 0; t < T && file->weighs; t++) {
            const double *x = file->numbers + m * T * S, *row = x + t * S;
            double sum = 0, smallest = 0;
            for (size_t s = 0; s < S; s++) sum += row[s], smallest = fmin(smallest, row[s]);
            file->weighs = smallest >= 0 && sum >= least && sum <= most;
            if (file->weighs || file->note.size) continue;
            bool columns = true;
            for (size_t s = 0; s < S; s++) {
                const double column = sa_attention_column_sum(x, (int)T, (int)S, (int)s);
                columns = columns && column >= least && column <= most;
            }
            sa_buffer_addf(&file->note, "%s: row %zu %s", file->place, t + 1,
                           smallest < 0 ? "has negative numbers: weights are the softmax of scores"
                                        : "does not sum to 1");
            if (columns) sa_buffer_adds(&file->note, "; the columns do: are the axes exchanged?");
        }
}

/* Releases the sentence read last. */
static void release(sa_matrix_file *file) {
    sa_alignment_release(&file->alignment);
    json_decref(file->record);
    free(file->place), free(file->numbers);
    file->record = NULL, file->place = NULL, file->numbers = NULL;
}

static bool read_sentence(sa_matrix_file *file, sa_error *error) {
    sa_pair *pair = &file->corpus.pairs[file->read++];
    release(file);
    const char *begin = file->text.file.data + file->text.at;
    for (int i = 0; i < RANK; i++) file->dim[i] = 1;
    file->note.size = 0;
    file->record = json_object();
    file->place = sa_format(error, "%s:%zu", file->corpus.name, pair->line);
    if (!file->place || !(header_size(&file->text.file)                  ? read_tensor
                          : file->read > 1 || *begin == '{'              ? read_line
                          : strncmp(begin, NUMPY, sizeof NUMPY - 1) == 0 ? read_array
                                                                         : read_table)(file, error))
        return false;
    if ((size_t)file->layer > file->dim[0])
        return sa_fail(error, SA_USAGE, "--layer %d: %s has %zu layer%s", file->layer, file->place,
                       *file->dim, *file->dim == 1 ? "" : "s");
    file->alignment = (sa_alignment){.targets = (int)file->dim[2],
                                     .sources = (int)file->dim[3],
                                     .heads = (int)file->dim[1],
                                     .layers = file->layer ? 1 : (int)file->dim[0],
                                     .log_probability = NAN};
    pair->gold = file->gold ? file->gold : json_string_value(json_object_get(file->record, "gold"));
    check_rows(file);
    return set_weights(file, error) &&
           (file->alignment.source = words_of(file, "source", file->source, file->dim[3], error)) &&
           (file->alignment.target = words_of(file, "target", file->target, file->dim[2], error));
}

bool sa_matrix_file_next(sa_matrix_file *file, sa_error *error) {
    sa_json_watch();
    const bool good = read_sentence(file, error);
    return sa_json_short() ? sa_fail_memory(error, 0) : good;
}

/* ---- The file -------------------------------------------------------------------------------- */

static bool unzip(sa_matrix_file *file, sa_error *error) {
    enum { NAME = 30 }; /* the first file's: of PyTorch's, .../data.pkl */
    sa_file *bytes = &file->text.file;
    if (bytes->size > NAME && strstr(bytes->data + NAME, "/data.pkl"))
        return sa_fail(error, SA_DATA,
                       "%s: a file of PyTorch's; save its weights by numpy.save('weights.npy', "
                       "torch.load('%s').numpy())",
                       bytes->name, bytes->name);
    return sa_zip_unpack(bytes, file->inside, SA_FILE_LIMIT, error);
}

/* Reads the file, or the one called NAME in an archive FILE:NAME. A tensor called NAME is found
 * later. */
static bool read_bytes(sa_matrix_file *file, const char *path, sa_error *error) {
    sa_file *bytes = &file->text.file;
    const char *colon = strrchr(path, ':');
    file->inside = colon && sa_file_missing(path) ? colon + 1 : NULL;
    if ((file->inside && !(file->archive = sa_copy(path, (size_t)(colon - path), error))) ||
        !sa_file_read(bytes, file->inside ? file->archive : path, SA_FILE_LIMIT, error) ||
        (sa_zip_is(bytes) && !unzip(file, error)))
        return false;
    return header_size(bytes) || strncmp(bytes->data, NUMPY, sizeof NUMPY - 1) == 0 ||
           sa_text_lines_begin(&file->text, error);
}

bool sa_matrix_file_open(sa_matrix_file *file, const char *path, sa_error *error) {
    if (!read_bytes(file, path, error)) {
        sa_matrix_file_close(file);
        return false;
    }
    const sa_file *bytes = &file->text.file;
    size_t at = file->text.at, count = 1;
    for (const bool json = bytes->data[at] == '{' && !header_size(bytes);
         json && at + 1 < bytes->size; at++)
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
    sa_buffer_release(&file->note);
    free(file->corpus.pairs), free(file->archive);
    file->corpus.pairs = NULL, file->archive = NULL;
}
