/* extended: token ids in the target vocabulary extended by the words of one source sentence that it
 * lacks, as copying needs them (See et al. 2017, section 2.2). */
#ifndef SA_DATA_EXTENDED_H
#define SA_DATA_EXTENDED_H

#include "data/text_codec.h"

/* What the texts of many pairs are split with; released by sa_extender_release. */
typedef struct sa_extender {
    const sa_text_codec *source, *target;
    sa_bpe_segmenter segmenter[2]; /* of source, target */
} sa_extender;

void sa_extender_init(sa_extender *extender, const sa_text_codec *source,
                      const sa_text_codec *target);
void sa_extender_release(sa_extender *extender);

/* Fills source [source_len] and target [target_len], where target_text may be NULL. Words are
 * compared as they are spelled: those of the source that the target vocabulary lacks are numbered
 * from its size on, equal ones equally; words of the target that neither has are SA_UNK. EOS is
 * last. */
bool sa_extend_pair(sa_extender *extender, const char *source_text, const char *target_text,
                    int32_t *source, int32_t *target, sa_error *error);

#endif
