#include "synth/frames.h"

#include <stddef.h>

static const sa_phrase habits[] = {
    {"every day", "tous les jours", "0-0 0-1 1-2"},
    {"every morning", "tous les matins", "0-0 0-1 1-2"},
    {"every evening", "tous les soirs", "0-0 0-1 1-2"},
    {"every week", "toutes les semaines", "0-0 0-1 1-2"},
    {"in the morning", "le matin", "0p0 1-0 2-1"},
    {"in the evening", "le soir", "0p0 1-0 2-1"},
    {"in summer", "en été", "0-0 1-1"},
    {"in winter", "en hiver", "0-0 1-1"},
    {"on sundays", "le dimanche", "0-0 1-1"},
    {"on saturdays", "le samedi", "0-0 1-1"},
};
static const sa_phrase nows[] = {
    {"now", "maintenant", NULL},
    {"today", "aujourd'hui", NULL},
    {"this morning", "ce matin", "0-0 1-1"},
    {"at the moment", "en ce moment", "0-0 1-1 2-2"},
};
static const sa_phrase pasts[] = {
    /* the far ones last, as in futures */
    {"yesterday", "hier", NULL},
    {"yesterday", "hier", NULL},
    {"yesterday evening", "hier soir", "0-0 1-1"},
    {"yesterday morning", "hier matin", "0-0 1-1"},
    {"this morning", "ce matin", "0-0 1-1"},
    {"last week", "la semaine dernière", "0-2 1-0 1-1"},
    {"last month", "le mois dernier", "0-2 1-0 1-1"},
    {"last year", "la année dernière", "0-2 1-0 1-1"},
};
static const sa_phrase futures[] = {
    {"tomorrow", "demain", NULL},
    {"tomorrow", "demain", NULL},
    {"tomorrow morning", "demain matin", "0-0 1-1"},
    {"today", "aujourd'hui", NULL},
    {"this evening", "ce soir", "0-0 1-1"},
    {"next week", "la semaine prochaine", "0-2 1-0 1-1"},
    {"next month", "le mois prochain", "0-2 1-0 1-1"},
    {"next year", "la année prochaine", "0-2 1-0 1-1"},
};
enum {
    PASTS = sizeof pasts / sizeof pasts[0],
    FUTURES = sizeof futures / sizeof futures[0],
    FAR = 2
};
static const sa_phrase days[] = {
    {"on monday", "lundi", "0p0 1-0"},       {"on tuesday", "mardi", "0p0 1-0"},
    {"on wednesday", "mercredi", "0p0 1-0"}, {"on thursday", "jeudi", "0p0 1-0"},
    {"on friday", "vendredi", "0p0 1-0"},    {"on saturday", "samedi", "0p0 1-0"},
    {"on sunday", "dimanche", "0p0 1-0"},
};

void sa_phrase_write(sa_draft *draft, const char *source, const char *target, const char *links) {
    sa_draft_phrase(draft, &(sa_phrase){source, target, links});
}

static void write_clock(sa_draft *draft) {
    sa_phrase_write(draft, "at", "à", NULL);
    sa_draft_phrase(draft, &sa_numbers[sa_draft_pick(draft, SA_NUMBERS - 1)]);
    sa_phrase_write(draft, "o'clock", "heures", NULL);
}

/* Two years ago: il y a deux ans. */
static void write_ago(sa_draft *draft, bool far) {
    static const sa_phrase units[] = {
        {"days", "jours", NULL}, {"weeks", "semaines", NULL}, {"years", "ans", NULL}};
    sa_word_span there = sa_draft_target(draft, "il y a");
    sa_draft_phrase(draft, &sa_numbers[sa_draft_pick(draft, SA_NUMBERS)]);
    sa_draft_phrase(draft, &units[sa_draft_pick(draft, far ? 3 : 2)]);
    sa_draft_link(draft, sa_draft_source(draft, "ago"), there);
}

static void write_past(sa_draft *draft, bool far) {
    int way = sa_draft_pick(draft, 6);
    if (way == 0)
        sa_draft_phrase(draft, SA_DRAW(draft, days));
    else if (way == 1)
        write_ago(draft, far);
    else
        sa_draft_phrase(draft, &pasts[sa_draft_pick(draft, far ? PASTS : PASTS - FAR)]);
}

static void write_future(sa_draft *draft, bool far) {
    int way = sa_draft_pick(draft, 6);
    if (way == 0)
        sa_draft_phrase(draft, SA_DRAW(draft, days));
    else if (way == 1)
        write_clock(draft);
    else
        sa_draft_phrase(draft, &futures[sa_draft_pick(draft, far ? FUTURES : FUTURES - FAR)]);
}

void sa_time_write(sa_draft *draft, sa_time time, bool far) {
    switch (time) {
    case SA_TIME_HABIT:
        if (sa_draft_chance(draft, 6))
            write_clock(draft);
        else
            sa_draft_phrase(draft, SA_DRAW(draft, habits));
        break;
    case SA_TIME_NOW:
        sa_draft_phrase(draft, SA_DRAW(draft, nows));
        break;
    case SA_TIME_PAST:
        write_past(draft, far);
        break;
    default:
        write_future(draft, far);
        break;
    }
}
