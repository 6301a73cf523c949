/* teacher_forcing: the log-probabilities of reference translations, and the attention weights while
 * they are predicted. */
#ifndef SA_INFERENCE_TEACHER_FORCING_H
#define SA_INFERENCE_TEACHER_FORCING_H

#include "inference/model.h"

/* Decodes every target after its source, each token predicted after the reference tokens before it:
 * results [count] get the log-probability and, if `view` says of what (NULL: none), the attention
 * weights; not the words. override->gold: one for each pair, or NULL. Runs on the model's threads.
 * Each result is freed by sa_alignment_release; after a failure there is nothing to free. */
bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      size_t count, const sa_override *override, const sa_align_options *view,
                      sa_alignment *results, sa_error *error);

/* log_p [count]: of each target, its tokens predicted after the model's own (free running). */
bool sa_free_running_log_p(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                           size_t count, const sa_override *override, double *log_p,
                           sa_error *error);

#endif
