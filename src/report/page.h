/* page: the HTML file of a report: a fixed page (page.html, page.css and page*.js, joined at build
 * time) and its data. */
#ifndef SA_REPORT_PAGE_H
#define SA_REPORT_PAGE_H

#include "base/memory.h"

/* The text before and after the data, zero-terminated. */
extern const unsigned char sa_page_before[], sa_page_after[];

/* Appends the page. json: one value in ASCII; <, > and & in it are escaped, so it cannot end its
 * element. */
void sa_page_write(const char *json, sa_buffer *out);

/* Appends weights from 0 to 1 in the page's encoding: thousandths, two base64 digits each; 1024 + n
 * stands for n zeros. */
void sa_page_encode_weights(const double *weights, size_t count, sa_buffer *out);

#endif
