/* broken_term: training without a term of the backward pass. */
#ifndef SA_WEB_BROKEN_TERM_H
#define SA_WEB_BROKEN_TERM_H

/* Leaves out the term of that name, which must stay where it is, in single precision; NULL: none.
 */
void web_break_term(const char *term);

#endif
