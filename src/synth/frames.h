/* frames: the kinds of sentences of `phrases`. Each writes one sentence without its final mark and
 * tells which mark it needs. */
#ifndef SA_SYNTH_FRAMES_H
#define SA_SYNTH_FRAMES_H

#include "synth/clause.h"

typedef struct sa_frame {
    int weight; /* relative frequency */
    void (*write)(sa_draft *draft, sa_mood mood);
    unsigned moods; /* SA_ALLOW_AFFIRMATIVE ...: those that make sense */
} sa_frame;

enum {
    SA_ALLOW_AFFIRMATIVE = 1 << SA_AFFIRMATIVE,
    SA_ALLOW_INTERROGATIVE = 1 << SA_INTERROGATIVE,
    SA_ALLOW_NEGATIVE = 1 << SA_NEGATIVE
};
#define SA_ALLOW_ANY_MOOD (SA_ALLOW_AFFIRMATIVE | SA_ALLOW_INTERROGATIVE | SA_ALLOW_NEGATIVE)

/* What somebody does; how somebody or something is; where things are and how one feels. Each ends
 * with weight 0. */
extern const sa_frame sa_action_frames[], sa_quality_frames[], sa_scene_frames[];

/* When: what fits a tense. */
typedef enum sa_time { SA_TIME_HABIT, SA_TIME_NOW, SA_TIME_PAST, SA_TIME_FUTURE } sa_time;
/* `far`: months and years away as well. */
void sa_time_write(sa_draft *draft, sa_time time, bool far);

/* sa_draft_phrase for a phrase given by its parts. */
void sa_phrase_write(sa_draft *draft, const char *source, const char *target, const char *links);

/* The adjective after "is", agreeing with the subject. */
void sa_adjective_write(sa_draft *draft, const sa_adjective *adjective, const sa_subject *subject);

/* Draws an action for the subject in one of the forms (SA_NOW, SA_PLAN ...) and writes it with its
 * object or place. */
void sa_activity_write(sa_draft *draft, const sa_subject *subject, sa_mood mood, unsigned forms);

#endif
