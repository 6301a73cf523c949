/* html_report: collects the data of the HTML report of align, train, compare and film. Only
 * sa_html_report_write reports that memory ran out. */
#pragma once

#include "base/batch.h"
#include "base/json.h"
#include "base/option.h"
#include "metrics/head_roles.h"

#include <softalign/lab.h>

/* Limits that let a page open at once and fit into an e-mail. A page shows fewer sentences if they
 * are long, and single heads only within a budget. */
enum {
    SA_HTML_REPORT_SENTENCES = 200,
    SA_PAGE_FILM = 800000 /* bytes of the films of all models */
};

typedef struct sa_html_report {
    json_t *data;                 /* the whole page */
    json_t *sentences;            /* in data: the tokens of both sides, */
    json_t *model;                /* the model added last, */
    json_t *matrices;             /* and its matrices, one for each sentence */
    size_t models;                /* number of models that the page will have */
    size_t dense;                 /* upper bound of the bytes of one model's mean weights */
    size_t heads, head_budget;    /* bytes of heads so far; the limit after this model */
    size_t offered;               /* sentences that could be shown */
    sa_attention_stats attention; /* of the model added last */
    sa_head_roles *roles;         /* [role_count] of its heads, by layer; or NULL */
    size_t role_count;
    sa_attention_site site;
    bool failed; /* memory ran out */
} sa_html_report;

enum { SA_PAGE_NAME = 2048 }; /* bytes of a name */

/* Writes the name of a file or folder, or of PAIRS as two files, on a page: the last two components
 * of its path, without .safetensors ("demo/best"). */
void sa_page_name(const char *path, char name[SA_PAGE_NAME]);

/* Initializes a report to which `models` models will be added. */
void sa_html_report_init(sa_html_report *report, const char *command, const char *title,
                         size_t models);
void sa_html_report_release(sa_html_report *report);

/* Sets the attention site of all matrices; default: cross-attention. */
void sa_html_report_site(sa_html_report *report, sa_attention_site site);

/* Adds a line about the inputs of the page. */
void sa_html_report_fact(sa_html_report *report, const char *name, const char *value);
/* Adds such a line that names a file or folder. */
void sa_html_report_fact_file(sa_html_report *report, const char *name, const char *path);
/* Adds a CSV file for download; the page draws the files that it knows. */
bool sa_html_report_add_file(sa_html_report *report, const char *folder, const char *name,
                             sa_error *error);

/* Begins a model, to which the following matrices and film belong; it was trained `seeds` times,
 * with the seed of the settings, which may be NULL, and the next ones. */
void sa_html_report_model(sa_html_report *report, const char *name, const sa_settings *settings,
                          size_t seeds);

/* Adds the attention of sentence `index`; every model has the same sentences, in the same order.
 * gold: [golds], or NULL. */
void sa_html_report_matrix(sa_html_report *report, size_t index, const sa_alignment *alignment,
                           const sa_link *gold, size_t golds);
/* Returns the names of the heads' roles. */
json_t *sa_page_roles(const sa_head_roles *roles, size_t heads);
/* Returns a step of `attend` for the page and the playground: {"name", "formula", "head",
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

/* Returns weights from -1 to 1 in the page's encoding: thousandths, in two base64 digits each; 1024
 * + n stands for n zeros. Sets *failed if memory runs out. */
json_t *sa_page_weights(const double *weights, size_t count, bool *failed);

/* Appends the page and releases the report. out->failed: memory ran out. */
void sa_html_report_write(sa_html_report *report, sa_buffer *out);

/* ---- Title, notes and place ------------------------------------------------------------------ */

/* The title and notes of a page, and what it shows first: a figure, sentence, layer and head. */
typedef struct sa_page_text {
    const char *title, *notes, *open_at; /* NULL: not given */
} sa_page_text;

extern const sa_option sa_page_text_options[]; /* fields of sa_page_text */

/* Checks the options and the file of notes before anything else is done. SA_USAGE: there is no page
 * `html`, or an option is invalid. */
bool sa_page_text_check(const sa_page_text *text, const char *html, sa_error *error);

/* Adds the texts to the report and appends the page, if the report is `complete`; always releases
 * the report. */
bool sa_page_end(sa_html_report *report, bool complete, const sa_page_text *text, sa_buffer *out,
                 sa_error *error);
