/* freerun: how well a model predicts the right words when it must go on from its own.
 *
 * Teacher-forced, word i is predicted after the right words before it; free-running, after the
 * words that the model itself found likeliest. A perplexity of the one kind says nothing beside one
 * of the other. */
#ifndef SA_MODEL_FREERUN_H
#define SA_MODEL_FREERUN_H

#include "model/seq2seq.h"

/* `override` (may be NULL): where the model looks instead. log_p[i]: the sum over the words of
 * target i, end mark included, of log p(right word) after the model's own likeliest words (the
 * start mark left aside). Where its own sentence has ended it goes on behind its end mark. */
bool sa_free_running(const sa_seq2seq *w, const sa_sentence *sources, const sa_sentence *targets,
                     int count, const sa_override *override, double *log_p, sa_error *error);

#endif
