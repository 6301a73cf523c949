/* bleu: corpus BLEU (Papineni et al. 2002) as sacreBLEU 2.6 defines it by default: tokenizer 13a,
 * case kept, one reference, smoothing exp, no effective order.
 *
 * Counts of sentences add up; the score is made of the sum. */
#ifndef SA_EVAL_BLEU_H
#define SA_EVAL_BLEU_H

#include "base/memory.h"
#include <stdint.h>

enum { SA_BLEU_ORDER = 4 };

typedef struct sa_bleu {
    int64_t match[SA_BLEU_ORDER], total[SA_BLEU_ORDER]; /* n-grams of the hypotheses */
    int64_t hypothesis, reference;                      /* tokens */
} sa_bleu;

/* Appends the 13a tokens of a line, one space between two. */
void sa_bleu_tokenize(const char *text, sa_buffer *out);

/* Adds the counts of one sentence. */
bool sa_bleu_add(sa_bleu *bleu, const char *hypothesis, const char *reference, sa_error *error);

/* 0 .. 100 */
double sa_bleu_score(const sa_bleu *bleu);

#endif
