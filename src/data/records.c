#include "data/records.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SOFTALIGN_EXPAT
#include <expat.h>
#endif

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Reads a line; sets it to NULL if it is not text and the records are lenient. */
static bool next_line(sa_records *records, sa_text_lines *file, sa_error *error) {
    sa_error why = {0};
    if (sa_text_lines_next(file, &why)) return true;
    if (file->failed && records->lenient && why.code == SA_DATA) {
        file->line = NULL, file->failed = false;
        return true;
    }
    records->text.failed |= file->failed;
    if (file->failed && error) *error = why;
    return false;
}

bool sa_records_add(sa_records *records, char *cell, sa_error *error) {
    records->text.failed = !sa_append(&records->cell, &records->cells, &records->cell_capacity,
                                      &cell, sizeof cell, error);
    return !records->text.failed;
}

static bool split_line(sa_records *records, const char *mark, sa_error *error) {
    records->cells = 0;
    if (!next_line(records, &records->text, error)) return false;
    records->line = records->text.number;
    for (char *cell = records->text.line, *end; cell; cell = end ? end + strlen(mark) : NULL) {
        end = strstr(cell, mark);
        if (end) *end = 0;
        if (!sa_records_add(records, cell, error)) return false;
    }
    return true;
}

bool sa_tabs_next(sa_records *records, sa_error *error) {
    return split_line(records, "\t", error);
}

bool sa_bars_next(sa_records *records, sa_error *error) {
    return split_line(records, " ||| ", error);
}

/* Fails because one file has one more line than the other, which has ended. */
static bool fail_lengths(sa_records *records, sa_text_lines *longer, const sa_text_lines *ended,
                         sa_error *error) {
    const size_t lines = ended->number;
    const bool first = longer == &records->text;
    while (sa_lines_next(longer, NULL)) continue;
    const size_t all = longer->number;
    return sa_fail(error, SA_DATA, "'%s' has %zu lines but '%s' has %zu: line %zu has no partner",
                   records->text.file.name, first ? all : lines, records->second.file.name,
                   first ? lines : all, lines + 1);
}

/* Reads a line from each of two files. */
bool sa_two_files_next(sa_records *records, sa_error *error) {
    sa_text_lines *const file[2] = {&records->text, &records->second};
    bool more[2] = {false};
    records->cells = 0;
    for (int i = 0; !records->text.failed && i < 2; i++)
        more[i] = next_line(records, file[i], error);
    records->line = file[0]->number;
    if (!records->text.failed && more[0] != more[1])
        records->text.failed = !fail_lengths(records, file[more[1]], file[more[0]], error);
    if (records->text.failed || !more[0]) return false;
    return !file[0]->line || !file[1]->line ||
           (sa_records_add(records, file[0]->line, error) &&
            sa_records_add(records, file[1]->line, error));
}

/* ---- Cells with names ------------------------------------------------------------------------ */

/* Appends a cell to the row; takes `name`. NULL: out of memory. */
static bool add_cell(sa_records *records, char *name, const char *text, size_t size,
                     sa_error *error) {
    size_t names = records->cells;
    char *copy = name && size <= SA_LINE_LIMIT ? sa_copy(text, size, error) : NULL;
    if (copy &&
        sa_append(&records->name, &names, &records->name_capacity, &name, sizeof name, error) &&
        sa_append(&records->cell, &records->cells, &records->cell_capacity, &copy, sizeof copy,
                  error))
        return true;
    if (name && size > SA_LINE_LIMIT)
        sa_fail(error, SA_LIMIT, "%s:%zu: '%s' is longer than %zu bytes", records->text.file.name,
                records->line, name, SA_LINE_LIMIT);
    free(name), free(copy);
    return false;
}

static void begin_row(sa_records *records, size_t line) {
    records->line = line;
    while (records->cells) {
        records->cells--;
        free(records->cell[records->cells]), free(records->name[records->cells]);
    }
}

void sa_records_close(sa_records *records) {
    if (records->name) begin_row(records, 0);
    free(records->name), free(records->cell);
#ifdef SOFTALIGN_EXPAT
    XML_ParserFree(records->parser);
#endif
    sa_text_lines_close(&records->text), sa_text_lines_close(&records->second);
    *records = (sa_records){0};
}

/* ---- JSON lines ------------------------------------------------------------------------------ */

/* Adds the strings of an object; those of an object in it, whose key is `outer`, as "outer.key". */
static bool add_members(sa_records *records, json_t *object, const char *outer, sa_error *error) {
    const char *key;
    json_t *value;
    bool good = true;
    json_object_foreach(object, key, value) {
        if (json_is_object(value) && !outer) good = add_members(records, value, key, error);
        if (json_is_string(value))
            good = add_cell(records,
                            outer ? sa_format(error, "%s.%s", outer, key)
                                  : sa_copy(key, strlen(key), error),
                            json_string_value(value), json_string_length(value), error);
        if (!good) break;
    }
    return good;
}

bool sa_jsonl_next(sa_records *records, sa_error *error) {
    enum { DEPTH = 16 };
    sa_text_lines *text = &records->text;
    if (!sa_text_lines_next(text, error)) return false;
    begin_row(records, text->number);
    if (!text->line[strspn(text->line, " \t")]) return true;
    char *place = sa_format(error, "%s:%zu", text->file.name, records->line);
    json_t *row = place ? sa_json_parse(text->line, text->size, DEPTH, place, "JSON", error) : NULL;
    free(place);
    text->failed = !row || !add_members(records, row, NULL, error);
    if (*text->line == '[' || (row && !json_is_object(row)))
        text->failed = !sa_fail(error, SA_DATA,
                                "%s:%zu: expected an object on each line (jq -c '.[]' writes the "
                                "elements of a list so)",
                                text->file.name, records->line);
    json_decref(row);
    return !text->failed;
}

/* ---- TMX ------------------------------------------------------------------------------------- */

#ifdef SOFTALIGN_EXPAT

typedef struct tmx_reader {
    sa_records *records;
    sa_buffer text; /* text of a segment */
    char language[64];
    bool inside, ready; /* within a segment; a unit has ended */
    int codes;          /* open elements of inline codes */
    sa_error *error;
    XML_Parser parser;
} tmx_reader;

static void refuse(tmx_reader *it, const char *why) {
    sa_fail(it->error, SA_DATA, "%s:%zu: %s", it->records->text.file.name,
            (size_t)XML_GetCurrentLineNumber(it->parser), why);
    XML_StopParser(it->parser, XML_FALSE);
}

static void start_doctype(void *it, const char *name, const char *system, const char *public,
                          int has_declarations) {
    if (has_declarations)
        refuse(it, "declarations in the document, as of entities, are not allowed");
}

static void skip_entity(void *it, const char *name, int parameter) {
    refuse(it, "an entity that is not declared");
}

static bool is_code(const char *element) {
    return strstr(" bpt ept it ph ut ", element) && strlen(element) > 1;
}

static void start_element(void *context, const char *element, const char **attributes) {
    tmx_reader *it = context;
    it->codes += it->inside && is_code(element);
    if (strcmp(element, "tu") == 0)
        begin_row(it->records, (size_t)XML_GetCurrentLineNumber(it->parser));
    const bool variant = strcmp(element, "tuv") == 0;
    if (variant) *it->language = 0;
    for (; variant && *attributes; attributes += 2)
        if (strcmp(attributes[0], "xml:lang") == 0 || strcmp(attributes[0], "lang") == 0)
            snprintf(it->language, sizeof it->language, "%s", attributes[1]);
    if (strcmp(element, "seg") == 0) it->inside = true;
}

static void end_element(void *context, const char *element) {
    tmx_reader *it = context;
    it->codes -= it->inside && is_code(element);
    if (strcmp(element, "seg") == 0) {
        sa_buffer_adds(&it->text, "");
        if (it->text.failed ||
            !add_cell(it->records, sa_copy(it->language, strlen(it->language), it->error),
                      it->text.text, it->text.size, it->error))
            XML_StopParser(it->parser, XML_FALSE);
        it->text.size = 0, it->inside = false;
    } else if (strcmp(element, "tu") == 0) {
        it->ready = true;
        XML_StopParser(it->parser, XML_TRUE);
    }
}

static void add_characters(void *context, const char *text, int size) {
    tmx_reader *it = context;
    if (it->inside && !it->codes) sa_buffer_add(&it->text, text, (size_t)size);
}

/* Sets the parser; creates it before the first unit. */
static bool open_parser(tmx_reader *it, sa_error *error) {
    it->parser = it->records->parser;
    if (!it->parser) {
        it->parser = it->records->parser = XML_ParserCreate("UTF-8");
        if (!it->parser) return sa_fail_memory(error, sizeof *it);
        XML_SetElementHandler(it->parser, start_element, end_element);
        XML_SetCharacterDataHandler(it->parser, add_characters);
        XML_SetStartDoctypeDeclHandler(it->parser, start_doctype);
        XML_SetSkippedEntityHandler(it->parser, skip_entity);
    }
    XML_SetUserData(it->parser, it);
    return true;
}

/* Parses until a unit, or the file, has ended. */
bool sa_tmx_next(sa_records *records, sa_error *error) {
    enum { CHUNK = 1 << 16 };
    sa_error why = {0};
    tmx_reader it = {.records = records, .error = &why};
    records->text.failed = !open_parser(&it, error);
    while (!records->text.failed && !it.ready) {
        XML_ParsingStatus now;
        XML_GetParsingStatus(it.parser, &now);
        size_t *at = &records->text.at, left = records->text.file.size - *at;
        const size_t size = left < CHUNK ? left : CHUNK;
        if (now.parsing == XML_FINISHED) break;
        const char *data = records->text.file.data + *at;
        *at += now.parsing == XML_SUSPENDED ? 0 : size;
        records->text.failed =
            !(now.parsing == XML_SUSPENDED ? XML_ResumeParser(it.parser)
                                           : XML_Parse(it.parser, data, (int)size, size == left));
    }
    if (it.text.failed) sa_fail_memory(&why, it.text.size);
    sa_buffer_release(&it.text);
    if (!records->text.failed) return it.ready;
    const enum XML_Error code = it.parser ? XML_GetErrorCode(it.parser) : XML_ERROR_NO_MEMORY;
    if (code == XML_ERROR_NO_MEMORY) return sa_fail_memory(error, CHUNK);
    if (why.code) return sa_fail(error, why.code, "%s", why.text);
    return sa_fail(error, SA_DATA, "%s:%zu: XML: %s", records->text.file.name,
                   (size_t)XML_GetCurrentLineNumber(it.parser), XML_ErrorString(code));
}

#else

bool sa_tmx_next(sa_records *records, sa_error *error) {
    records->text.failed = true;
    return sa_fail(error, SA_USAGE,
                   "%s: this softalign was built without expat, which TMX needs: install it "
                   "(libexpat1-dev; scripts/setup does) and build again",
                   records->text.file.name);
}

#endif
