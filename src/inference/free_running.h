/* free_running: how well a model predicts the reference when it continues its own output.
 *
 * With teacher forcing, word i is predicted after the reference tokens before it; free-running,
 * after the most likely words of the model itself. Perplexities of the two kinds cannot be
 * compared. */
#ifndef SA_INFERENCE_FREE_RUNNING_H
#define SA_INFERENCE_FREE_RUNNING_H

#include "model/seq2seq.h"

/* log_p[i]: the sum over the tokens of target i, EOS included, of log p(token) after the model's
 * own most likely words (never BOS), also beyond an EOS of its own. `override`: of the attention
 * weights, or NULL. */
bool sa_free_running(const sa_seq2seq *w, const sa_sentence *sources, const sa_sentence *targets,
                     int count, const sa_override *override, double *log_p, sa_error *error);

#endif
