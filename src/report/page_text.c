#include "base/file.h"
#include "base/number.h"
#include "report/html_report.h"

#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(sa_page_text, field)

const sa_option sa_page_text_options[] = {
    {"title", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(title), 0, 0, 0, NULL, NULL, 0, "TEXT",
     "with --html: title of the page; default: that of the notes, or what the page shows"},
    {"notes", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(notes), 0, 0, 0, NULL, NULL, 0, "FILE",
     "with --html: text for the page in Markdown: a title, what to see, questions whose answers "
     "are folded, links"},
    {"open-at", SA_OPTION_TEXT, SA_SCOPE_RUN, AT(open_at), 0, 0, 0, NULL, NULL, 0, "PLACE",
     "with --html: what is shown first, such as figure=attention,sentence=2,layer=2,head=1,word=4"},
    {0},
};

/* ---- Notes ----------------------------------------------------------------------------------- */

/* A question or an exercise begins an item; its answer or solution is folded away. */
static const struct {
    const char *name;
    bool answers;
} labels[] = {{"Question", false}, {"Exercise", false}, {"Answer", true}, {"Solution", true}};

typedef struct notes_reader {
    sa_text_lines file;
    sa_buffer block;                     /* the paragraph or code being read */
    json_t *title, *see, *items, *links; /* of the result; title: NULL, or owned */
    json_t *into;                        /* the list of blocks that the next one belongs to */
    bool code, failed;
} notes_reader;

static bool fail_at(const notes_reader *reader, const char *message, sa_error *error) {
    return sa_fail(error, SA_DATA, "%s:%zu: %s", reader->file.file.name, reader->file.number,
                   message);
}

/* Ends the block. A block of code becomes {"code": text}. */
static void end_block(notes_reader *reader) {
    if (!reader->block.size && !reader->block.failed && !reader->code) return;
    if (!reader->block.size) sa_buffer_adds(&reader->block, "");
    json_t *text = sa_json_buffer(&reader->block, &reader->failed);
    json_array_append_new(reader->into, reader->code ? json_pack("{s:o}", "code", text) : text);
}

/* Begins a labeled block, "Question: ...", and skips the label; if there is none, leaves *line as
 * it is. */
static bool begin_label(notes_reader *reader, const char **line, sa_error *error) {
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const size_t size = strlen(labels[i].name), items = json_array_size(reader->items);
        if (strncmp(*line, labels[i].name, size) != 0 || (*line)[size] != ':') continue;
        end_block(reader);
        if (!labels[i].answers)
            reader->failed |=
                json_array_append_new(reader->items, json_pack("{s:s, s:[], s:[]}", "kind",
                                                               labels[i].name, "text", "answer"));
        else if (!items && !reader->failed)
            return fail_at(reader, "an answer without a question", error);
        reader->into =
            json_object_get(json_array_get(reader->items, json_array_size(reader->items) - 1),
                            labels[i].answers ? "answer" : "text");
        *line += size + 1 + strspn(*line + size + 1, " ");
        break;
    }
    return true;
}

/* Adds a line "[text](target)". A target is a file in the page's folder, or on the web. */
static bool add_link(notes_reader *reader, const char *line, const char *middle, sa_error *error) {
    const char *target = middle + 2;
    const size_t size = strlen(target) - 1;
    if (strchr(target, ':') && strncmp(target, "https://", 8) != 0)
        return fail_at(reader, "a link must lead to a file next to the page or to https://", error);
    json_array_append_new(reader->links,
                          json_pack("{s:s%, s:s%}", "text", line + 1, (size_t)(middle - line - 1),
                                    "target", target, size));
    return true;
}

static bool add_text(notes_reader *reader, const char *line, sa_error *error) {
    const char *middle = *line == '[' ? strstr(line, "](") : NULL;
    if (middle && line[strlen(line) - 1] == ')') return add_link(reader, line, middle, error);
    if (*line == '#') {
        if (strncmp(line, "# ", 2) != 0 || reader->title)
            return fail_at(reader, "notes have one heading, '# TITLE'", error);
        end_block(reader);
        reader->title = json_string(line + 2);
        return true;
    }
    if (!begin_label(reader, &line, error)) return false;
    if (reader->block.size) sa_buffer_adds(&reader->block, " ");
    sa_buffer_adds(&reader->block, line);
    return true;
}

static bool add_line(notes_reader *reader, const char *line, sa_error *error) {
    if (strncmp(line, "```", 3) == 0) {
        end_block(reader);
        reader->code = !reader->code;
        return true;
    }
    if (reader->code) {
        sa_buffer_addf(&reader->block, "%s\n", line);
        return true;
    }
    if (line[strspn(line, " \t")]) return add_text(reader, line, error);
    end_block(reader);
    return true;
}

static bool read_lines(notes_reader *reader, sa_error *error) {
    while (sa_text_lines_next(&reader->file, error))
        if (!add_line(reader, reader->file.line, error)) return false;
    if (reader->file.failed) return false;
    if (reader->code) return fail_at(reader, "``` begins code that does not end", error);
    end_block(reader);
    return !reader->failed || sa_fail_memory(error, 0);
}

/* Returns {"title", "see": blocks, "items": [{"kind", "text": blocks, "answer": blocks}], "links"},
 * or NULL. */
static json_t *read_notes(const char *path, sa_error *error) {
    notes_reader reader = {.see = json_array(), .items = json_array(), .links = json_array()};
    reader.into = reader.see;
    const bool good = sa_text_lines_open(&reader.file, path, error) && read_lines(&reader, error);
    sa_buffer_release(&reader.block);
    sa_text_lines_close(&reader.file);
    json_t *notes = json_pack("{s:o*, s:o, s:o, s:o}", "title", reader.title, "see", reader.see,
                              "items", reader.items, "links", reader.links);
    if (good) return notes;
    json_decref(notes);
    return NULL;
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* The figures by name, and the section of the page that each is in. */
static const struct {
    const char *name, *section;
} figures[] = {{"table", "results"}, {"bars", "bars"},  {"lengths", "lengths"},
               {"curves", "curves"}, {"film", "films"}, {"attention", "viewer"}};

static const char *const numbers[] = {"sentence", "word", "layer", "head", "update", NULL};

/* Adds one NAME=VALUE. */
static bool add_place(const char *name, const char *value, json_t *open, sa_error *error) {
    int64_t number;
    size_t known = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (strcmp(name, "figure") == 0 && strcmp(value, figures[i].name) == 0)
            return json_object_set_new(open, name, json_string(figures[i].section)) == 0;
    if (strcmp(name, "figure") == 0)
        return sa_fail(error, SA_USAGE,
                       "--open-at figure=%s: expected table, bars, lengths, curves, film or "
                       "attention",
                       value);
    if (strcmp(name, "column") == 0)
        return json_object_set_new(open, name, json_string(value)) == 0;
    while (numbers[known] && strcmp(name, numbers[known]) != 0) known++;
    if (!numbers[known])
        return sa_fail(error, SA_USAGE,
                       "--open-at '%s': expected figure, sentence, word, layer, head, update or "
                       "column",
                       name);
    if (!sa_integer_parse(value, &number) || number < 0 || (!number && strcmp(name, "update") != 0))
        return sa_fail(error, SA_USAGE, "--open-at %s=%s: expected a number from 1", name, value);
    return json_object_set_new(open, name, json_integer((json_int_t)number)) == 0;
}

/* Returns {"figure": section, "sentence": N, ...}, or NULL. */
static json_t *read_places(const char *text, sa_error *error) {
    char *places = sa_copy(text, strlen(text), error);
    json_t *open = json_object();
    bool good = places;
    for (char *place = places, *next; good && place; place = next) {
        next = strchr(place, ',');
        if (next) *next++ = 0;
        char *value = strchr(place, '=');
        if (value) *value++ = 0;
        good = value ? add_place(place, value, open, error)
                     : sa_fail(error, SA_USAGE, "--open-at '%s': expected NAME=VALUE", place);
    }
    free(places);
    if (good) return open;
    json_decref(open);
    return NULL;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Returns what the texts set in the data of the page: title, notes and open; or NULL. */
static json_t *read_texts(const sa_page_text *text, sa_error *error) {
    sa_error why = {0};
    json_t *notes = text->notes ? read_notes(text->notes, &why) : NULL;
    json_t *open = text->open_at && !why.code ? read_places(text->open_at, &why) : NULL;
    json_t *title =
        text->title ? json_string(text->title) : json_incref(json_object_get(notes, "title"));
    json_t *all = json_pack("{s:o*, s:o*, s:o*}", "title", title, "notes", notes, "open", open);
    if (all && !notes == !text->notes && !open == !text->open_at) return all;
    if (!why.code) sa_fail_memory(&why, 0); /* jansson does not say so */
    if (error) *error = why;
    json_decref(all);
    return NULL;
}

bool sa_page_text_check(const sa_page_text *text, const char *html, sa_error *error) {
    if (!html && (text->title || text->notes || text->open_at))
        return sa_fail(error, SA_USAGE, "--title, --notes and --open-at need --html FILE");
    size_t bad;
    if (text->title && !sa_utf8_valid(text->title, strlen(text->title), &bad))
        return sa_fail(error, SA_USAGE, "--title: not UTF-8");
    if (text->open_at && !sa_utf8_valid(text->open_at, strlen(text->open_at), &bad))
        return sa_fail(error, SA_USAGE, "--open-at: not UTF-8");
    const bool standard = text->notes && strcmp(text->notes, "-") == 0;
    if (standard ||
        (text->notes && !sa_file_is_regular(text->notes) && !sa_file_missing(text->notes)))
        return sa_fail(error, SA_USAGE, "--notes: '%s' is read twice, so it must be a regular file",
                       text->notes);
    json_t *read = read_texts(text, error);
    const bool good = read;
    json_decref(read);
    return good;
}

bool sa_page_end(sa_html_report *report, bool complete, const sa_page_text *text, sa_buffer *out,
                 sa_error *error) {
    json_t *read = complete ? read_texts(text, error) : NULL;
    const bool good = read;
    if (good) json_object_update_new(report->data, read);
    if (good) sa_html_report_write(report, out);
    sa_html_report_release(report);
    return good;
}
