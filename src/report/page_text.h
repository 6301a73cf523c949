/* page_text: the title and notes of a page, and what it shows first: figure, sentence, layer and
 * head. */
#ifndef SA_REPORT_PAGE_TEXT_H
#define SA_REPORT_PAGE_TEXT_H

#include "base/option.h"
#include "report/html_report.h"

typedef struct sa_page_text {
    const char *title, *notes, *open_at; /* NULL: not given */
} sa_page_text;

extern const sa_option sa_page_text_options[]; /* of sa_page_text */

/* Whether the options and the file of the notes can be read, before anything else is done.
 * SA_USAGE: `html`, the page, is that file, or there is no page. */
bool sa_page_text_check(const sa_page_text *text, const char *html, sa_error *error);

/* Adds them to a report whose data are complete. SA_USAGE: the page has nothing at that place. */
bool sa_page_text_add(const sa_page_text *text, sa_html_report *report, sa_error *error);

#endif
