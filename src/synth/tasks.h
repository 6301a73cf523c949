/* tasks: those whose answer is computed, in dates.c and lists.c. Each writes a pair into an empty
 * draft. */
#pragma once

#include "synth/draft.h"

void sa_synth_length(sa_draft *draft);
void sa_synth_dates(sa_draft *draft);
void sa_synth_reverse(sa_draft *draft);
void sa_synth_recall(sa_draft *draft);
void sa_synth_assign(sa_draft *draft);
void sa_synth_trigger(sa_draft *draft);
void sa_synth_induction(sa_draft *draft);
