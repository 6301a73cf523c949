/* forcing: how likely reference translations are, and the attention while they are predicted: word
 * i after the reference tokens before it. */
#pragma once

#include "inference/model.h"

/* Decodes every target after its source, each token predicted after the reference tokens before it.
 * results [count] get the log-probabilities and, if `view` says which (NULL: none), the attention
 * weights; not the words. override->gold: one for each pair, or NULL. Runs on the model's threads.
 * The caller frees each result with sa_alignment_release; after a failure there is nothing to
 * free. */
bool sa_teacher_force(sa_model *model, const sa_sentence *source, const sa_sentence *target,
                      size_t count, const sa_override *override, const sa_align_options *view,
                      sa_alignment *results, sa_error *error);

/* Checks that the model has the rows of SA_ALIGN_... `at`. SA_USAGE: it has none that have read a
 * word. alignment.c */
bool sa_align_at_check(const sa_model *model, int at, sa_error *error);

/* ---- Other attention weights ----------------------------------------------------------------- */

/* Checks that one of the models has attention that the override changes; SA_USAGE: none has. */
bool sa_override_applies(sa_attention_override chosen, const sa_model *const *models, int number,
                         sa_error *error);

/* Sets up an override for decoding `count` pairs; SA_OVERRIDE_GOLD reads their alignments, which
 * sa_override_close frees. SA_DATA: a pair has none. SA_USAGE: there is nothing to override. */
bool sa_override_open(sa_override *override, sa_attention_override chosen, const sa_model *model,
                      const sa_pair *pairs, size_t count, sa_error *error);
void sa_override_close(sa_override *override, size_t count);
