/* page: the report as one HTML file: a fixed page (page.html, page.css, page*.js beside this file,
 * joined when the program is built) and its data. */
#ifndef SA_REPORT_PAGE_H
#define SA_REPORT_PAGE_H

#include "base/memory.h"

/* What stands around the data, with a terminating zero. */
extern const unsigned char sa_page_before[], sa_page_after[];

/* Appends the page. `json`: one JSON value in ASCII; nothing of it can end the element it stands
 * in. */
void sa_page_write(const char *json, sa_buffer *out);

/* Appends weights from 0 to 1 as the page reads them: two characters of base64 each, thousandths;
 * 1024 + n stands for n zeros. */
void sa_page_encode_weights(const double *weights, size_t count, sa_buffer *out);

#endif
