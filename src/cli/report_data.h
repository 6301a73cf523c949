/* page: the HTML report of align, train and compare: what goes into it. Nothing here reports that
 * memory ran out before cli_report_write. */
#ifndef SA_CLI_PAGE_H
#define SA_CLI_PAGE_H

#include "base/links.h"
#include "base/memory.h"

#include <jansson.h>

/* Pages open at once and can be sent by mail: no more sentences than these are shown, and with long
 * ones fewer, and heads alone only as far as there is room. */
enum { CLI_REPORT_SENTENCES = 200 };

typedef struct cli_report {
    json_t *data;              /* all there is */
    json_t *sentences;         /* parts of it: the words of both sides, */
    json_t *model;             /* the model added last, */
    json_t *matrices;          /* its matrices, a sentence after the other */
    size_t models;             /* how many share the page */
    size_t dense;              /* bytes that its sentences take at most, for each model */
    size_t heads, head_budget; /* bytes that heads take, and may take once this model's are there */
    size_t offered;            /* sentences that there would be */
    sa_attention_stats attention; /* of the model added last */
} cli_report;

/* `models`: how many will be added. */
void cli_report_init(cli_report *page, const char *command, const char *title, size_t models);
void cli_report_release(cli_report *page);

/* A line at its top. */
void cli_report_fact(cli_report *page, const char *name, const char *value);
/* The text of a CSV file, drawn where the page knows its name and given out as it is. */
void cli_report_file(cli_report *page, const char *name, const sa_buffer *text);
/* A file of the disk, under its own name. */
bool cli_report_add_file(cli_report *page, const char *folder, const char *name, sa_error *error);

/* A model, its settings or NULL; what follows is about it. */
void cli_report_model(cli_report *page, const char *name, const sa_settings *settings);
void cli_report_seed(cli_report *page, int64_t seed);

/* Where the model looked in sentence `index`; every model has the same sentences, one after the
 * other. gold: [golds], or NULL. */
void cli_report_matrix(cli_report *page, size_t index, const sa_alignment *alignment,
                       const sa_link *gold, size_t golds);
/* The same of the first sentences of a corpus, as far as there is room. */
bool cli_report_align(cli_report *page, sa_model *model, const sa_corpus *corpus, sa_error *error);

/* The film of a training, if DIR, its folder, has one; of a long one not every frame. */
bool cli_report_film(cli_report *page, const char *out, sa_error *error);

/* Appends it and gives it back; whoever uses `out` checks out->failed. */
void cli_report_write(cli_report *page, sa_buffer *out);

#endif
