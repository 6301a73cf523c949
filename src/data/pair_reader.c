#include "data/pair_reader.h"
#include "base/number.h"
#include "data/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Formats --------------------------------------------------------------------------------- */

typedef struct sa_pair_format {
    const char *name, *endings; /* name endings of files, between spaces */
    const char *starts[4];      /* of the content; none: recognized by equal rows */
    sa_records_next *next;
    char separator;     /* of CSV */
    const char *within; /* what follows or precedes the language in names of cells; NULL: cells have
                           no names */
} sa_pair_format;

static const sa_pair_format two_files = {"two files", "", {"", NULL}, sa_two_files_next};

static const sa_pair_format formats[] = {
    {"TMX", " .tmx ", {"<?xml", "<tmx", "<!DOCTYPE tmx"}, sa_tmx_next, .within = "-"},
    {"JSON lines", " .jsonl .ndjson .json ", {"{\"", "{ \"", "[{"}, sa_jsonl_next, .within = "."},
    {"CSV with commas", " .csv ", {NULL}, sa_csv_next, ','},
    {"CSV with semicolons", " .csv ", {NULL}, sa_csv_next, ';'},
    {"quoted cells with tabs", " .csv ", {NULL}, sa_csv_next, '\t'},
    {"source ||| target", "", {NULL}, sa_bars_next},
    {"tabs", "", {"", NULL}, sa_tabs_next},
};

enum { PLAIN_TABS = sizeof formats / sizeof *formats - 1 };

/* ---- Names of columns ------------------------------------------------------------------------ */

typedef enum name_kind { UNKNOWN_NAME, LANGUAGE, SOURCE_NAME, TARGET_NAME } name_kind;

/* Returns whether it is what follows a language in a name: the country of fr-FR, the script of
 * zh_Hans. */
static bool is_region(const char *text) {
    const size_t size = strlen(text);
    return (size == 2 && (*text <= 'Z' || text[-1] == '-')) ||
           (size == 4 && *text >= 'A' && *text <= 'Z' && text[1] >= 'a') ||
           (size == 3 && *text <= '9');
}

static bool is_in(const char *list, const char *word, size_t size) {
    char spaced[24];
    return size > 1 && snprintf(spaced, sizeof spaced, " %.*s ", (int)size, word) < 24 &&
           strcasestr(list, spaced);
}

/* Returns what a name of files of pairs says: "source", "en", "fr_FR"; of JSON lines also
 * "translation.en" and "source.text". */
static name_kind kind_of(const sa_pair_format *format, const char *name) {
    static const char languages[] =
        " ar az be bg bn ca cs cy da de el en eo es et eu fa fi fr ga gl "
        "he hi hr hu hy is it ja ka kk km ko lt lv mk mn mr ms nb ne nl nn pl ps pt ro ru sk sl sq "
        "sr sv sw ta te th tl tr uk ur uz vi zh eng fra deu spa ita por nld rus zho jpn kor ara "
        "english french german spanish italian portuguese dutch russian chinese japanese korean "
        "arabic hebrew turkish polish czech ukrainian swedish danish finnish greek hungarian ";
    const char *dot = format->next == sa_jsonl_next ? strrchr(name, '.') : NULL;
    const bool text = dot && strcmp(dot, ".text") == 0;
    const char *word = dot && !text ? dot + 1 : name;
    const size_t size = text ? (size_t)(dot - name) : strlen(word), language = strcspn(word, "-_.");
    if (is_in(" source src ", word, size)) return SOURCE_NAME;
    if (is_in(" target tgt trg ", word, size)) return TARGET_NAME;
    return is_in(languages, word, language) && (language == size || is_region(word + language + 1))
               ? LANGUAGE
               : UNKNOWN_NAME;
}

/* Returns how many cells are such names; languages count only without a name of each side. at: the
 * positions of source and target, or of the first one. */
static size_t find_known(const sa_pair_format *format, char *const *name, size_t cells,
                         size_t at[2]) {
    size_t count = 0;
    for (name_kind least = SOURCE_NAME; count != 2 && least; least--)
        for (size_t i = count = 0; i < cells; i++)
            if (kind_of(format, name[i]) >= least && count++ < 2) at[count - 1] = i;
    if (count == 2 && (kind_of(format, name[at[0]]) == TARGET_NAME ||
                       kind_of(format, name[at[1]]) == SOURCE_NAME)) {
        const size_t source = at[1];
        at[1] = at[0], at[0] = source;
    }
    return count;
}

/* ---- Which format it is ---------------------------------------------------------------------- */

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

/* Opens a copy of the file, from the next line on. */
static bool open_copy(const sa_records *records, sa_records *copy, sa_error *error) {
    const sa_file *from = &records->text.file;
    sa_file *file = &copy->text.file;
    *file = (sa_file){sa_copy(from->data, from->size, error), from->size, from->name};
    copy->text.at = records->text.at;
    return file->data;
}

/* Reads a copy in the format. Returns whether all rows have the same number of cells, at least two,
 * and the file's name, its quotes or its column names show that it is CSV. Quoted cells with tabs
 * are certain if they have doubled quotes, or if lines would have different numbers of cells
 * without them. */
static bool is_table(const sa_pair_format *format, const sa_records *records, bool named,
                     sa_error *error) {
    sa_records trial = {.separator = format->separator};
    bool equal = error->code != SA_LIMIT && open_copy(records, &trial, error);
    size_t width = 0, known[2], names = 0;
    while (equal && format->next(&trial, error)) {
        if (is_blank_row(&trial)) continue;
        if (!width) width = trial.cells, names = find_known(format, trial.cell, width, known);
        equal = trial.cells == width;
    }
    const bool tabs = format->separator == '\t', spans = trial.spans,
               shown = tabs ? trial.quoted && (spans || trial.special || !trial.bare)
                            : trial.quoted || names == 2;
    equal = equal && !trial.text.failed;
    sa_records_close(&trial);
    return equal && width > 1 && (named || !format->separator || shown) &&
           (named || !tabs || !spans || !is_table(&formats[PLAIN_TABS], records, true, error));
}

static bool fits(const sa_pair_format *format, const sa_records *records, sa_error *error) {
    const char *text = records->text.file.data + records->text.at;
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
    const char *text = records->text.file.data + records->text.at;
    const char *first = strpbrk(text, ",;\t\n");
    const sa_pair_format *tried = format;
    for (; tried->next == sa_csv_next; tried++)
        if (is_table(tried, records, true, error)) return tried;
    for (tried = format; tried->next == sa_csv_next; tried++)
        if (first && *first == tried->separator) return tried;
    return format;
}

/* Skips Excel's first line "sep=;". Returns the format that it stands for, or NULL. */
static const sa_pair_format *take_separator(sa_records *records) {
    sa_text_lines *lines = &records->text;
    const char *text = lines->file.data + lines->at;
    const sa_pair_format *format = formats;
    if (strncasecmp(text, "sep=", 4) != 0 || !text[4] || !strchr("\r\n", text[5])) return NULL;
    while (format < formats + PLAIN_TABS && format->separator != text[4]) format++;
    if (format == formats + PLAIN_TABS) return NULL;
    lines->at += 5 + strcspn(text + 5, "\n") + (strchr(text, '\n') != NULL), lines->number = 1;
    return format;
}

/* Returns the format; NULL: out of memory, or a line is too long. */
static const sa_pair_format *find_format(sa_records *records, sa_error *error) {
    const sa_pair_format *said = take_separator(records), *format = formats;
    sa_error why = {0};
    if (said) return said;
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
    sa_fail(error, SA_USAGE, "%s: %s%s (--columns); there are: %s", reader->records.text.file.name,
            what, name, list.size && !list.failed ? list.text : "none");
    sa_buffer_release(&list);
    return false;
}

static bool fail_choice(const sa_pair_reader *reader, char *const *names, sa_error *error) {
    return fail_columns(reader, "which two are source and target?", "", names, error);
}

/* Reads the numbers or names between the commas of `columns`. */
static bool read_columns(sa_pair_reader *reader, const char *columns, sa_error *error) {
    size_t count = 0;
    reader->words = sa_copy(columns, strlen(columns), error);
    if (!reader->words) return false;
    for (char *at = reader->words, *next; at; at = next) {
        next = strchr(at, ',');
        if (next) *next++ = 0;
        if (!*at || count == SA_PAIR_TEXTS || strcmp(at, "0") == 0)
            return sa_fail(error, SA_USAGE,
                           "--columns %s: expected two to four numbers from 1 or names with "
                           "commas between them, such as 2,4",
                           columns);
        reader->wanted[count++] = at;
    }
    return count > 1 || sa_fail(error, SA_USAGE,
                                "--columns %s: expected the columns of source and target, such as "
                                "2,4",
                                columns);
}

/* Returns how well a cell's name fits: 3 the same, 2 but for upper case, 1 the language alone in
 * names such as "en-US" of TMX and "translation.en" of JSON lines, 0 not at all. */
static int fit_of(const sa_pair_format *format, const char *name, const char *wanted) {
    const size_t size = strlen(wanted), all = strlen(name);
    if (strcmp(name, wanted) == 0) return 3;
    if (strcasecmp(name, wanted) == 0) return 2;
    if (!format->within || all < size + 2) return 0;
    const bool ahead = *format->within == '-';
    return name[ahead ? size : all - size - 1] == *format->within &&
           strncasecmp(ahead ? name : name + all - size, wanted, size) == 0;
}

/* Sets *at to the cell of this name, or of this number if cells have no names; SIZE_MAX: there is
 * none. SA_DATA: there are two. */
static bool find_column(const sa_pair_reader *reader, const char *wanted, size_t *at,
                        sa_error *error) {
    const sa_records *records = &reader->records;
    char *const *name = reader->format->within ? records->name : records->cell;
    const size_t digits = strspn(wanted, "0123456789");
    int best = 0;
    *at = SIZE_MAX;
    if (!reader->format->within && !wanted[digits]) {
        const size_t i = digits < 6 ? (size_t)atoi(wanted) - 1 : SIZE_MAX;
        if (i < records->cells) *at = i;
        return true;
    }
    for (size_t i = 0; i < records->cells; i++) {
        const int fit = fit_of(reader->format, name[i], wanted);
        if (fit && fit == best)
            return sa_fail(error, SA_DATA, "%s:%zu: '%s' and '%s' are both '%s' (--columns)",
                           records->text.file.name, records->line, name[*at], name[i], wanted);
        if (fit > best) best = fit, *at = i;
    }
    return true;
}

/* Returns whether it is a number, or links in Pharaoh format. */
static bool is_figure(const char *text) {
    double number;
    int source, target, end = 0;
    char mark[2];
    return sa_number_parse(text, &number) ||
           (sscanf(text, "%d%1[-p]%d%n", &source, mark, &target, &end) == 3 &&
            (!text[end] || text[end] == ' '));
}

/* Returns whether sentences stand elsewhere than in the first two cells, next to numbers or links,
 * or, in a table, in others as well. */
static bool has_texts_elsewhere(const sa_records *records) {
    size_t texts = 0, at[2] = {0, 1};
    for (size_t i = 0; i < records->cells; i++) {
        const char *text = records->cell[i];
        const bool blank = i > 1 && !text[strspn(text, " \t")];
        if (!blank && !is_figure(text) && texts++ < 2) at[texts - 1] = i;
    }
    return records->cells > 2 &&
           ((texts > 1 && (at[0] != 0 || at[1] != 1)) || (records->separator && texts > 2));
}

/* What the first row shows. */
typedef struct column_guess {
    size_t at[2];
    bool header, sure; /* the first row names the columns; `at` is certain */
    bool odd;          /* the first row may be meant as names, but is read as a pair */
    int look;          /* with tabs, only if the second row looks less so; see look_of */
} column_guess;

/* Returns whether two cells are a word each, as names are and sentences hardly ever. */
static bool are_single(char *const *cell) {
    return *cell[0] && *cell[1] && !strpbrk(cell[0], " \t.,?!") && !strpbrk(cell[1], " \t.,?!");
}

/* Returns how much the first two cells look like names of columns: 2 words in upper case, or none,
 * 1 words, 0 not. */
static int look_of(const sa_records *records) {
    char *const *cell = records->cell;
    if (records->cells < 2) return 2;
    return are_single(cell) *
           (1 + (*cell[0] >= 'A' && *cell[0] <= 'Z' && *cell[1] >= 'A' && *cell[1] <= 'Z'));
}

/* Guesses what the user has not named. Two names of languages that are words, too, or twice the
 * same name are a pair. */
static column_guess guess_columns(const sa_pair_reader *reader, char *const *name) {
    static const char words[] = " be el es et he hi is it ja ne sa ta te ";
    const size_t cells = reader->records.cells;
    const bool named = reader->format->within;
    size_t known[2], word = 0;
    const size_t count = find_known(reader->format, name, cells, known);
    const bool two = count == 2;
    for (size_t k = 0; k < count && k < 2; k++)
        word += is_in(words, name[known[k]], strlen(name[known[k]]));
    const bool vague = two && (word == 2 || strcasecmp(name[known[0]], name[known[1]]) == 0);
    column_guess guess = {.header = count > 1 && !named && !vague};
    guess.sure = two || cells == 2 || (!named && !has_texts_elsewhere(&reader->records));
    const bool plain = sa_pair_reader_is_plain(reader);
    const bool separated = reader->records.separator;
    guess.odd =
        !named && !guess.header && cells == 2 &&
        (vague || (separated && count && !word) || ((separated || plain) && are_single(name)));
    if (guess.odd && plain && !vague) guess.look = look_of(&reader->records);
    for (size_t k = 0; k < 2; k++) guess.at[k] = two && !guess.odd ? known[k] : k;
    return guess;
}

/* Sets the columns that the user names. *header: the first row has their names. */
static bool take_columns(sa_pair_reader *reader, char *const *name, bool *header, sa_error *error) {
    for (size_t k = 0; k < SA_PAIR_TEXTS && reader->wanted[k]; k++) {
        const char *wanted = reader->wanted[k];
        if (!find_column(reader, wanted, &reader->at[k], error)) return false;
        if (reader->at[k] == SIZE_MAX)
            return fail_columns(reader, "no column ", wanted, name, error);
        *header |= wanted[strspn(wanted, "0123456789")] != 0;
    }
    return true;
}

/* Sets the names that all rows are asked for: those of two cells of the first row. */
static bool want_names(sa_pair_reader *reader, const size_t at[2], sa_error *error) {
    const char *name[2];
    for (int k = 0; k < 2; k++) {
        name[k] = reader->records.name[at[k]];
        const char *dot = strrchr(name[k], '.');
        if (dot && kind_of(reader->format, dot + 1)) name[k] = dot + 1;
    }
    reader->words = sa_format(error, "%s,%s", name[0], name[1]);
    if (!reader->words) return false;
    reader->wanted[0] = reader->words;
    reader->wanted[1] = reader->words + strlen(name[0]) + 1;
    reader->words[strlen(name[0])] = 0;
    return true;
}

/* Notes how the file is read, if there is a choice. */
static void note_columns(sa_pair_reader *reader, char *const *name, const column_guess *guess) {
    const sa_records *records = &reader->records;
    const size_t *at = reader->at;
    if (sa_pair_reader_is_plain(reader) && !guess->header && !guess->odd) return;
    sa_buffer_addf(&reader->note, "%s: read as %s", records->text.file.name, reader->format->name);
    if (reader->format->within)
        sa_buffer_addf(&reader->note, "; source '%s', target '%s'", reader->wanted[0],
                       reader->wanted[1]);
    else if (guess->header)
        sa_buffer_addf(&reader->note, "; source '%s', target '%s', the names on line %zu",
                       name[at[0]], name[at[1]], records->line);
    if (!guess->odd || guess->header) return;
    sa_error odd;
    sa_fail(&odd, SA_DATA, "; '%s' and '%s' on line %zu are a pair (--columns %s,%s: names)",
            name[0], name[1], records->line, name[0], name[1]);
    sa_buffer_adds(&reader->note, odd.text);
}

/* Finds the columns in the first row that is not blank. *header: that row names them. */
static bool find_columns(sa_pair_reader *reader, bool *header, sa_error *error) {
    const sa_records *records = &reader->records;
    char *const *name = reader->format->within ? records->name : records->cell;
    column_guess guess = guess_columns(reader, name);
    if (!*reader->wanted && !guess.sure) return fail_choice(reader, name, error);
    const bool more =
        !*reader->wanted && guess.at[0] == 0 && guess.at[1] == 1 && !reader->format->within;
    for (size_t k = 0; k < SA_PAIR_TEXTS; k++)
        reader->at[k] = k < 2 && !*reader->wanted ? guess.at[k] : more ? k : SIZE_MAX;
    if (!reader->format->within && !take_columns(reader, name, &guess.header, error)) return false;
    if (reader->format->within && !*reader->wanted && !want_names(reader, guess.at, error))
        return false;
    *header = guess.header;
    reader->look = guess.header ? 0 : guess.look;
    reader->guessed = !*reader->wanted && !guess.header && !reader->format->within;
    if (records->separator) reader->width = records->cells;
    note_columns(reader, name, &guess);
    return true;
}

/* ---- Opening and reading --------------------------------------------------------------------- */

bool sa_pair_reader_is_plain(const sa_pair_reader *reader) {
    return reader->format->next == sa_tabs_next;
}

static bool open_two(sa_pair_reader *reader, const char *path, const char *columns,
                     sa_error *error) {
    const char *target = strchr(path, ',') + 1;
    if (columns)
        return sa_fail(error, SA_USAGE, "--columns: '%s' are two files without columns", path);
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
    const bool named = reader->format->within;
    memset(reader->text, 0, sizeof reader->text);
    if (records->lenient && !records->cells && !named) return true;
    for (size_t k = 0; k < SA_PAIR_TEXTS; k++) {
        if (named && reader->wanted[k] &&
            !find_column(reader, reader->wanted[k], &reader->at[k], error))
            return false;
        char *text = reader->at[k] < records->cells ? records->cell[reader->at[k]] : NULL;
        reader->found[k] |= text != NULL;
        if (!text && reader->wanted[k] && !named && !is_blank_row(records))
            return sa_fail(error, SA_DATA, "%s:%zu: no column %zu (--columns)",
                           records->text.file.name, records->line, reader->at[k] + 1);
        if (!text && (named ? k < 2 || reader->wanted[k] : k == 0)) text = nothing;
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

bool sa_pair_reader_next(sa_pair_reader *reader, sa_error *error) {
    sa_records *records = &reader->records;
    bool header = false, more = reader->format->next(records, error), good = true;
    if (more && !reader->begun && records->cells && !is_blank_row(records)) {
        reader->begun = true;
        good = find_columns(reader, &header, error);
        if (good && header) more = reader->format->next(records, error);
    }
    good = good && !records->text.failed;
    for (size_t k = 0; good && !more && reader->count && k < SA_PAIR_TEXTS; k++)
        if (reader->wanted[k] && !reader->found[k])
            good = fail_columns(reader, "no column ", reader->wanted[k], records->name, error);
    records->text.failed = !good;
    if (!more && reader->look) sa_buffer_release(&reader->note); /* a list of words */
    if (!good || !more) return false;
    if (reader->count++ == 1 && reader->look > look_of(records)) reader->look = 0;
    if (reader->width && records->cells != reader->width && !is_blank_row(records))
        good = sa_fail(error, SA_DATA, "%s:%zu: %zu cell%s, the rows above have %zu",
                       records->text.file.name, records->line, records->cells,
                       records->cells == 1 ? "" : "s", reader->width);
    /* the first row may have been names that nobody knows */
    if (reader->guessed && reader->count < 4 && has_texts_elsewhere(records))
        good = fail_choice(reader, records->cell, error);
    records->text.failed = !good || !take_texts(reader, error);
    return !records->text.failed;
}

void sa_pair_reader_close(sa_pair_reader *reader) {
    sa_records_close(&reader->records);
    free(reader->words);
    sa_buffer_release(&reader->note);
    *reader = (sa_pair_reader){.text = {NULL}};
}
