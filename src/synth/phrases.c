/* phrases: everyday English with its French translation. A sentence is one of the frames,
 * affirmative, interrogative or negative.
 *
 * Every English sentence has one translation: you is always vous, they is ils, I and we are
 * masculine, and no verb has a form that could be two tenses. All is in lower case, so that a word
 * has one spelling. */
#include "synth/frames.h"
#include "synth/french.h"
#include "synth/tasks.h"

#include <stddef.h>

static const sa_frame *const tables[] = {sa_action_frames, sa_quality_frames, sa_scene_frames};
enum { TABLES = sizeof tables / sizeof tables[0] };

static const sa_frame *draw_frame(sa_draft *draft) {
    int sum = 0;
    for (int i = 0; i < TABLES; i++)
        for (const sa_frame *frame = tables[i]; frame->weight; frame++) sum += frame->weight;
    int left = sa_draft_pick(draft, sum); /* below the sum, so the loop ends within the tables */
    for (int i = 0;; i = (i + 1) % TABLES)
        for (const sa_frame *frame = tables[i]; frame->weight; frame++)
            if ((left -= frame->weight) < 0) return frame;
}

/* Most sentences are affirmative. A frame with one mood needs no choice. */
static sa_mood draw_mood(sa_draft *draft, unsigned moods) {
    static const sa_mood all[] = {SA_AFFIRMATIVE, SA_AFFIRMATIVE, SA_AFFIRMATIVE, SA_INTERROGATIVE,
                                  SA_NEGATIVE};
    sa_mood list[sizeof all / sizeof all[0]];
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (moods >> all[i] & 1) list[count++] = all[i];
    sa_require(count > 0);
    return list[sa_draft_pick(draft, count)];
}

void sa_synth_phrases(sa_draft *draft, sa_split split) {
    (void)split;
    const sa_frame *frame = draw_frame(draft);
    sa_mood mood = draw_mood(draft, frame->moods);
    frame->write(draft, mood);
    const char *mark = mood == SA_INTERROGATIVE ? "?" : ".";
    sa_phrase_write(draft, mark, mark, NULL);
    sa_french_finish(draft);
}
