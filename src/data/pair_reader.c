#include "data/pair_reader.h"
#include "data/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Formats --------------------------------------------------------------------------------- */

/* Reads a line; sets it to NULL if it is not text and the records are lenient. */
static bool next_line(const sa_records *records, sa_text_lines *file, char **line, bool *failed,
                      sa_error *error) {
    sa_error why = {0};
    size_t size;
    if (sa_text_lines_next(file, line, &size, failed, &why)) return true;
    if (*failed && records->lenient && why.code == SA_DATA) {
        *line = NULL, *failed = false;
        return true;
    }
    if (*failed && error) *error = why;
    return false;
}

static bool split_line(sa_records *records, const char *mark, bool *failed, sa_error *error) {
    char *cell;
    records->cells = 0;
    if (!next_line(records, &records->text, &cell, failed, error)) return false;
    records->line = records->text.lines.number;
    while (cell && !*failed) {
        char *end = strstr(cell, mark);
        if (end) *end = 0;
        *failed = !sa_append(&records->cell, &records->cells, &records->cell_capacity, &cell,
                             sizeof cell, error);
        cell = end ? end + strlen(mark) : NULL;
    }
    return !*failed;
}

static bool next_tabs(sa_records *records, bool *failed, sa_error *error) {
    return split_line(records, "\t", failed, error);
}

static bool next_bars(sa_records *records, bool *failed, sa_error *error) {
    return split_line(records, " ||| ", failed, error);
}

/* Fails because one file has one more line than the other, which has ended. */
static bool fail_lengths(sa_records *records, sa_text_lines *longer, const sa_text_lines *ended,
                         sa_error *error) {
    const size_t lines = ended->lines.number;
    const bool first = longer == &records->text;
    bool failed = false;
    char *line;
    size_t size;
    while (sa_lines_next(&longer->lines, &line, &size, &failed, NULL)) continue;
    const size_t all = longer->lines.number;
    return sa_fail(error, SA_DATA, "'%s' has %zu lines but '%s' has %zu: line %zu has no partner",
                   records->text.file.name, first ? all : lines, records->second.file.name,
                   first ? lines : all, lines + 1);
}

/* Reads a line from each of two files. */
static bool next_lines(sa_records *records, bool *failed, sa_error *error) {
    sa_text_lines *const file[2] = {&records->text, &records->second};
    char *line[2];
    bool more[2] = {false};
    records->cells = 0;
    for (int i = 0; !*failed && i < 2; i++)
        more[i] = next_line(records, file[i], &line[i], failed, error);
    records->line = file[0]->lines.number;
    if (!*failed && more[0] != more[1])
        *failed = !fail_lengths(records, file[more[1]], file[more[0]], error);
    if (*failed || !more[0]) return false;
    for (int i = 0; line[0] && line[1] && i < 2 && !*failed; i++)
        *failed = !sa_append(&records->cell, &records->cells, &records->cell_capacity, &line[i],
                             sizeof *line, error);
    return !*failed;
}

typedef struct sa_pair_format {
    const char *name, *endings; /* name endings of files, between spaces */
    const char *starts[4];      /* of the content; none: recognized by equal rows */
    sa_records_next *next;
    char separator; /* of CSV */
} sa_pair_format;

static const sa_pair_format two_files = {"two files", "", {"", NULL}, next_lines, 0};

static const sa_pair_format formats[] = {
    {"TMX", " .tmx ", {"<?xml", "<tmx", "<!DOCTYPE tmx"}, sa_tmx_next, 0},
    {"JSON lines", " .jsonl .ndjson .json ", {"{\"", "{ \"", "[{"}, sa_jsonl_next, 0},
    {"CSV with commas", " .csv ", {NULL}, sa_csv_next, ','},
    {"CSV with semicolons", " .csv ", {NULL}, sa_csv_next, ';'},
    {"quoted cells with tabs", " .csv ", {NULL}, sa_csv_next, '\t'},
    {"source ||| target", "", {NULL}, next_bars, 0},
    {"tabs", "", {"", NULL}, next_tabs, 0},
};

/* Returns whether a cell is a column name that files of pairs use: "source", "en", "fr_FR". */
static bool is_known(const char *name) {
    static const char known[] =
        " source src target tgt trg ar az be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl "
        "he hi hr hu hy is it ja ka kk km ko lt lv mk mn mr ms nb ne nl nn pl ps pt ro ru sk sl sq "
        "sr sv sw ta te th tl tr uk ur uz vi zh eng fra deu spa ita por nld rus zho jpn kor ara "
        "english french german spanish italian portuguese dutch russian chinese japanese korean "
        "arabic hebrew turkish polish czech ukrainian swedish danish finnish greek hungarian ";
    char word[24];
    const int size = (int)strcspn(name, "-_");
    return size > 1 && snprintf(word, sizeof word, " %.*s ", size, name) < (int)sizeof word &&
           strcasestr(known, word);
}

/* Returns how many of the cells are such names; at: positions of the first two. */
static size_t find_known(char *const *name, size_t cells, size_t at[2]) {
    size_t count = 0;
    for (size_t i = 0; i < cells; i++)
        if (is_known(name[i]) && count++ < 2) at[count - 1] = i;
    return count;
}

/* Returns whether the name ends in one of the endings, or does so before ".gz". */
static bool ends_in(const char *name, const char *endings) {
    char ending[16];
    size_t size = strlen(name);
    if (size > 3 && strcasecmp(name + size - 3, ".gz") == 0) size -= 3;
    const char *dot = memrchr(name, '.', size);
    const int length = dot ? (int)(name + size - dot) : 0;
    return length && length < 12 && snprintf(ending, sizeof ending, " %.*s ", length, dot) > 0 &&
           strcasestr(endings, ending);
}

static bool is_blank_row(const sa_records *records) {
    return records->cells == 1 && !records->name &&
           !records->cell[0][strspn(*records->cell, " \t")];
}

/* Returns whether a quotation mark begins a cell between tabs; otherwise no cell is quoted. */
static bool may_have_quotes(const char *text) {
    const char *at = text;
    while ((at = strchr(at, '"')) && at > text && at[-1] != '\n' && at[-1] != '\t') at++;
    return at;
}

/* Reads a copy of `size` bytes in the format. Returns whether all rows have the same number of
 * cells, at least two, and the file's name, its quotes or its column names show that it is CSV. */
static bool has_equal_rows(const sa_pair_format *format, const sa_records *records, size_t size,
                           bool named, sa_error *error) {
    sa_records trial = {.separator = format->separator};
    sa_file *file = &trial.text.file;
    bool failed = false, equal = true;
    size_t width = 0, known[2], names = 0;
    *file = (sa_file){sa_copy(records->text.file.data, size, error), size, records->text.file.name};
    trial.text.lines = (sa_lines){.file = file, .at = records->text.lines.at};
    while (file->data && equal && format->next(&trial, &failed, error)) {
        if (is_blank_row(&trial)) continue;
        if (!width) width = trial.cells, names = find_known(trial.cell, width, known);
        equal = trial.cells == width;
    }
    /* The part may end within a cell. */
    failed = failed && (size == records->text.file.size || trial.text.lines.at < size);
    const bool shown = format->separator == '\t' ? trial.quoted && (trial.special || !trial.bare)
                                                 : trial.quoted || names == 2;
    sa_records_close(&trial);
    return equal && !failed && width > 1 && (named || !format->separator || shown);
}

/* Tries the first lines first: nearly all files of another format fail there. */
static bool is_table(const sa_pair_format *format, const sa_records *records, bool named,
                     sa_error *error) {
    enum { PART = 1 << 16 };
    const size_t size = records->text.file.size;
    const char *end = size > PART ? memrchr(records->text.file.data, '\n', PART) : NULL;
    return (!end || has_equal_rows(format, records, (size_t)(end - records->text.file.data), true,
                                   error)) &&
           has_equal_rows(format, records, size, named, error);
}

static bool fits(const sa_pair_format *format, const sa_records *records, sa_error *error) {
    const char *text = records->text.file.data + records->text.lines.at;
    const bool named = ends_in(records->text.file.name, format->endings);
    text += strspn(text, "\r\n ");
    for (const char *const *start = format->starts; *start; start++)
        if (strncmp(text, *start, strlen(*start)) == 0) return true;
    if (named || *format->starts) return named;
    const bool tabs = text[strcspn(text, "\t\n")] == '\t';
    return tabs == (format->separator == '\t') &&
           (format->separator != '\t' || may_have_quotes(text)) &&
           is_table(format, records, false, error);
}

/* Finds the format of a file named .csv: the first separator that makes equal rows, or else the one
 * that occurs first. */
static const sa_pair_format *find_separator(const sa_pair_format *format, const sa_records *records,
                                            sa_error *error) {
    const char *text = records->text.file.data + records->text.lines.at;
    const char *first = strpbrk(text, ",;\t\n");
    const sa_pair_format *tried = format;
    for (; tried->next == sa_csv_next; tried++)
        if (is_table(tried, records, true, error)) return tried;
    for (tried = format; tried->next == sa_csv_next; tried++)
        if (first && *first == tried->separator) return tried;
    return format;
}

/* Returns the format; NULL: out of memory, or a line is too long. */
static const sa_pair_format *find_format(const sa_records *records, sa_error *error) {
    const sa_pair_format *format = formats;
    sa_error why = {0};
    while (!fits(format, records, &why)) format++;
    if (format->separator && ends_in(records->text.file.name, format->endings))
        format = find_separator(format, records, &why);
    if (why.code != SA_LIMIT) return format;
    sa_fail(error, SA_LIMIT, "%s", why.text);
    return NULL;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static bool fail_columns(const sa_pair_reader *reader, const char *what, const char *name,
                         char *const *names, sa_error *error) {
    sa_buffer list = {0};
    for (size_t i = 0; i < reader->records.cells && list.size < 256; i++)
        if (strcmp(names[i], name) != 0)
            sa_buffer_addf(&list, "%s'%s'", list.size ? ", " : "", names[i]);
    sa_fail(error, SA_USAGE, "%s: %s%s ({columns}); there are: %s", reader->records.text.file.name,
            what, name, list.size && !list.failed ? list.text : "none");
    sa_buffer_release(&list);
    return false;
}

/* Reads the numbers or names between the commas of `columns`. Registers them as names of cells if
 * rows name their cells. */
static bool read_columns(sa_pair_reader *reader, const char *columns, sa_error *error) {
    size_t count = 0;
    reader->words = sa_copy(columns, strlen(columns), error);
    if (!reader->words) return false;
    for (char *at = reader->words, *next; at; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = 0;
        if (!*at || count == SA_PAIR_TEXTS || strcmp(at, "0") == 0)
            return sa_fail(error, SA_USAGE,
                           "{columns} %s: expected two to four numbers from 1 or names with "
                           "commas between them, such as 2,4",
                           columns);
        reader->wanted[count++] = at;
        if (*reader->format->starts && !sa_pair_reader_is_plain(reader) &&
            sa_records_name(&reader->records, at, error) == SIZE_MAX)
            return false;
    }
    return count > 1 || sa_fail(error, SA_USAGE,
                                "{columns} %s: expected the columns of source and target, such as "
                                "2,4",
                                columns);
}

/* Returns the position of a column name or, if there is none, of a column number; SIZE_MAX: no such
 * column. */
static size_t find_column(char *const *name, size_t count, const char *wanted) {
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(name[i], wanted) == 0) return i;
    const bool number = !wanted[strspn(wanted, "0123456789")] && strlen(wanted) < 6;
    const size_t i = number ? (size_t)atoi(wanted) - 1 : count;
    return i < count ? i : SIZE_MAX;
}

/* Finds the columns in the first row that is not blank. *header: that row names them. */
static bool find_columns(sa_pair_reader *reader, bool *header, sa_error *error) {
    const sa_records *records = &reader->records;
    char *const *name = records->name ? records->name : records->cell;
    size_t known[2] = {0, 1};
    const size_t count = find_known(name, records->cells, known);
    if (count < 2) known[0] = 0;
    *header = !records->name && count > 1;
    if (!*reader->wanted && count != 2 && (*header || (records->name && records->cells != 2)))
        return fail_columns(reader, "which two are source and target?", "", name, error);
    for (size_t k = 0; k < SA_PAIR_TEXTS; k++) {
        const char *wanted = reader->wanted[k];
        const bool more = !*reader->wanted && !records->name && known[0] == 0 && known[1] == 1;
        reader->at[k] = k < 2 ? known[k] : more ? k : SIZE_MAX;
        if (!wanted) continue;
        reader->at[k] = find_column(name, records->cells, wanted);
        if (reader->at[k] == SIZE_MAX)
            return fail_columns(reader, "no column ", wanted, name, error);
        *header |= !records->name && strcasecmp(name[reader->at[k]], wanted) == 0;
    }
    if (records->separator) reader->width = records->cells;
    if (sa_pair_reader_is_plain(reader) && !*header) return true;
    sa_buffer_addf(&reader->note, "%s: read as %s", records->text.file.name, reader->format->name);
    if (*header || records->name)
        sa_buffer_addf(&reader->note, "; source '%s', target '%s'", name[reader->at[0]],
                       name[reader->at[1]]);
    if (*header) sa_buffer_addf(&reader->note, ", the names on line %zu", records->line);
    return true;
}

/* ---- Opening and reading --------------------------------------------------------------------- */

bool sa_pair_reader_is_plain(const sa_pair_reader *reader) {
    return reader->format->next == next_tabs;
}

static bool open_two(sa_pair_reader *reader, const char *path, const char *columns,
                     sa_error *error) {
    const char *target = strchr(path, ',') + 1;
    if (columns)
        return sa_fail(error, SA_USAGE, "{columns}: '%s' are two files without columns", path);
    const char *source = reader->words = sa_copy(path, (size_t)(target - path) - 1, error);
    if (!source) return false;
    if (strcmp(source, target) == 0 || sa_file_same(source, target))
        return sa_fail(error, SA_USAGE, "source and target are the same file '%s'", source);
    reader->format = &two_files;
    reader->begun = true, reader->at[SA_PAIR_TARGET] = 1;
    reader->at[SA_PAIR_GOLD] = reader->at[SA_PAIR_ID] = SIZE_MAX;
    return sa_text_lines_open(&reader->records.text, source, error) &&
           sa_text_lines_open(&reader->records.second, target, error);
}

static bool open_one(sa_pair_reader *reader, const char *path, const char *columns,
                     sa_error *error) {
    if (!sa_text_lines_open(&reader->records.text, path, error)) return false;
    reader->name = reader->records.text.file.name;
    reader->format = find_format(&reader->records, error);
    if (!reader->format) return false;
    reader->records.separator = reader->format->separator;
    return !columns || read_columns(reader, columns, error);
}

bool sa_pair_reader_open(sa_pair_reader *reader, const char *path, const char *columns,
                         sa_error *error) {
    const bool two = strchr(path, ',') && sa_file_missing(path);
    *reader = (sa_pair_reader){.name = path};
    if ((two ? open_two : open_one)(reader, path, columns, error)) return true;
    sa_pair_reader_close(reader);
    return false;
}

/* Sets the texts of the row; line ends and tabs in them become spaces. */
static bool take_texts(sa_pair_reader *reader, sa_error *error) {
    static char nothing[] = "";
    const sa_records *records = &reader->records;
    memset(reader->text, 0, sizeof reader->text);
    if (records->lenient && !records->cells) return true;
    for (size_t k = 0; k < SA_PAIR_TEXTS; k++) {
        char *text = reader->at[k] < records->cells ? records->cell[reader->at[k]] : NULL;
        reader->found[k] |= text != NULL;
        if (!text && reader->wanted[k] && !records->name && !is_blank_row(records))
            return sa_fail(error, SA_DATA, "%s:%zu: no column %zu ({columns})",
                           records->text.file.name, records->line, reader->at[k] + 1);
        if (!text && (records->name ? k < 2 || reader->wanted[k] : k == 0)) text = nothing;
        reader->text[k] = text;
        if (reader->format == &two_files) {
            if (text && !reader->note.size && strchr(text, '\t'))
                sa_buffer_addf(&reader->note,
                               "%s:%zu: a tab in a file of plain sentences is read as a space",
                               (k ? &records->second : &records->text)->file.name, records->line);
            continue;
        }
        while (text && !sa_pair_reader_is_plain(reader) && (text = strpbrk(text, "\t\r\n")))
            *text++ = ' ';
    }
    return true;
}

bool sa_pair_reader_next(sa_pair_reader *reader, bool *failed, sa_error *error) {
    sa_records *records = &reader->records;
    bool header = false, more = reader->format->next(records, failed, error);
    if (more && !reader->begun && records->cells && !is_blank_row(records)) {
        reader->begun = true;
        *failed = !find_columns(reader, &header, error);
        if (*failed) return false;
        if (header) more = reader->format->next(records, failed, error);
    }
    for (size_t k = 0; !more && !*failed && reader->count && k < SA_PAIR_TEXTS; k++)
        if (reader->wanted[k] && !reader->found[k])
            *failed = !fail_columns(reader, "no column ", reader->wanted[k], records->name, error);
    if (!more) return false;
    reader->count++;
    if (reader->width && records->cells != reader->width && !is_blank_row(records))
        *failed = !sa_fail(error, SA_DATA, "%s:%zu: %zu cell%s, the rows above have %zu",
                           records->text.file.name, records->line, records->cells,
                           records->cells == 1 ? "" : "s", reader->width);
    *failed = *failed || !take_texts(reader, error);
    return !*failed;
}

void sa_pair_reader_close(sa_pair_reader *reader) {
    sa_records_close(&reader->records);
    free(reader->words);
    sa_buffer_release(&reader->note);
    *reader = (sa_pair_reader){.text = {NULL}};
}
