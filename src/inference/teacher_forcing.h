/* forced: the right translation, word by word, and where the model looks while it is written. */
#ifndef SA_FORCED_H
#define SA_FORCED_H

#include "inference/model.h"

typedef struct sa_forced_decoding {
    double log_p;    /* sum of log p over the target's words, end mark included */
    double *weights; /* [rows * columns] the mean of all heads; with several heads the same of each
                        follows, then with several layers too each head of each. Row t is target
                        word t, columns are source words; in a place within one side both are that
                        side's words (of the target y_0 .. y_{T-1}). NULL unless wanted; freed by
                        the caller */
} sa_forced_decoding;

/* out[i] for every pair of sentences, with weights when there is a view; work is shared among the
 * model's threads. gold: the links of every pair, for a model told to look there, or NULL. */
bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      const sa_gold_alignment *gold, size_t count, const sa_attention_view *view,
                      sa_forced_decoding *out, sa_error *error);

/* log_p[i]: of target i after the model's own words (model/freerun). */
bool sa_free_running_log_p(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                           const sa_gold_alignment *gold, size_t count, double *log_p,
                           sa_error *error);

/* The links of the pairs, if the model is told to look where they say; else *gold is NULL. Freed
 * with sa_gold_release. */
bool sa_override_links(const sa_model *model, const sa_pair *pairs, size_t count,
                       sa_gold_alignment **gold, sa_error *error);

#endif
