/* tasks: the grammars of the rows of sa_tasks; each writes one sentence pair into an empty draft.
 */
#ifndef SA_SYNTH_TASKS_H
#define SA_SYNTH_TASKS_H

#include "synth/draft.h"

void sa_synth_phrases(sa_draft *draft, sa_split split);
void sa_synth_mono(sa_draft *draft, sa_split split);
void sa_synth_reorder(sa_draft *draft, sa_split split);
void sa_synth_length(sa_draft *draft, sa_split split);
void sa_synth_dates(sa_draft *draft, sa_split split);
void sa_synth_reverse(sa_draft *draft, sa_split split);
void sa_synth_copy(sa_draft *draft, sa_split split);
void sa_synth_fertility(sa_draft *draft, sa_split split);
void sa_synth_agree(sa_draft *draft, sa_split split);
void sa_synth_sense(sa_draft *draft, sa_split split);

#endif
