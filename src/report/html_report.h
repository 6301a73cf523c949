/* html_report: the data of the HTML report of align, train, compare and film. Only
 * sa_html_report_write says whether memory ran out. */
#pragma once

#include "base/batch.h"
#include "base/json.h"
#include "base/option.h"

/* So that a page opens at once and fits into a mail. Fewer sentences are shown when they are long,
 * and single heads only as far as their budget goes. */
enum {
    SA_HTML_REPORT_SENTENCES = 200,
    SA_PAGE_FILM = 800000 /* bytes of the films of all models */
};

typedef struct sa_html_report {
    json_t *data;                 /* the whole page */
    json_t *sentences;            /* in it: the tokens of both sides, */
    json_t *model;                /* the model added last, */
    json_t *matrices;             /* and its matrices, one per sentence */
    size_t models;                /* how many the page will have */
    size_t dense;                 /* upper bound of the bytes of one model's mean weights */
    size_t heads, head_budget;    /* bytes that heads take; may take after this model */
    size_t offered;               /* sentences that could be shown */
    sa_attention_stats attention; /* of the model added last */
    bool failed;                  /* memory ran out */
} sa_html_report;

/* Appends what a page calls a file or folder, or PAIRS as two files: the last two parts of its
 * path, without .safetensors ("demo/best"). Nobody who opens the page has the rest of the path. */
void sa_html_report_add_name(const char *path, sa_buffer *out);

/* `models`: how many will be added. */
void sa_html_report_init(sa_html_report *report, const char *command, const char *title,
                         size_t models);
void sa_html_report_release(sa_html_report *report);

/* The attention site of all matrices; without it cross-attention. */
void sa_html_report_site(sa_html_report *report, sa_attention_site site);

/* Adds a line about what the page was made of, */
void sa_html_report_fact(sa_html_report *report, const char *name, const char *value);
/* and one that names a file or folder. */
void sa_html_report_fact_file(sa_html_report *report, const char *name, const char *path);
/* Adds a CSV file under its own name, for download; the page draws those it knows. */
bool sa_html_report_add_file(sa_html_report *report, const char *folder, const char *name,
                             sa_error *error);

/* Begins a model; seeds, matrices and film that are added next belong to it. settings: or NULL. */
void sa_html_report_model(sa_html_report *report, const char *name, const sa_settings *settings);
void sa_html_report_seed(sa_html_report *report, int64_t seed);

/* Adds the attention on sentence `index`: every model has the same sentences, in order.
 * gold: [golds], or NULL. */
void sa_html_report_matrix(sa_html_report *report, size_t index, const sa_alignment *alignment,
                           const sa_link *gold, size_t golds);
/* A step of `attend`, as the page and the playground draw it: {"name", "formula", "head",
 * "numbers": [[...]]}. */
json_t *sa_page_step(const sa_attend_step *step);
/* Adds the model's greedy translations of the sentences whose matrices were added, and their BLEU.
 */
bool sa_html_report_translate(sa_html_report *report, sa_model *model, const sa_pair *pairs,
                              sa_error *error);
/* Adds matrices and translations of the first sentences of a corpus. */
bool sa_html_report_align(sa_html_report *report, sa_model *model, const sa_corpus *corpus,
                          sa_error *error);

/* The fixed text of the page before and after its data, zero-terminated: page.html, page.css and
 * page*.js, joined at build time. */
extern const unsigned char sa_page_before[], sa_page_after[];

/* Appends the page. json: one value in ASCII; <, > and & in it are escaped, so it cannot end its
 * element. */
void sa_page_write(const char *json, sa_buffer *out);

/* Appends weights from 0 to 1 in the page's encoding: thousandths, two base64 digits each; 1024 + n
 * stands for n zeros. */
void sa_page_encode_weights(const double *weights, size_t count, sa_buffer *out);
/* The same as a string; *failed becomes true if memory ran out. */
json_t *sa_page_weights(const double *weights, size_t count, bool *failed);

/* Appends the page and releases the report. out->failed: memory ran out. */
void sa_html_report_write(sa_html_report *report, sa_buffer *out);

/* ---- Title, notes and place ------------------------------------------------------------------ */

/* The title and notes of a page, and what it shows first: figure, sentence, layer and head. */
typedef struct sa_page_text {
    const char *title, *notes, *open_at; /* NULL: not given */
} sa_page_text;

extern const sa_option sa_page_text_options[]; /* of sa_page_text */

/* Whether the options and the file of the notes can be read, before anything else is done.
 * SA_USAGE: `html`, the page, is that file, or there is no page. */
bool sa_page_text_check(const sa_page_text *text, const char *html, sa_error *error);

/* Adds them to a report whose data are `complete`, appends the page, and releases the report in any
 * case. SA_USAGE: the page has nothing at that place. */
bool sa_page_end(sa_html_report *report, bool complete, const sa_page_text *text, sa_buffer *out,
                 sa_error *error);
