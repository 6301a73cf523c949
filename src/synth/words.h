/* words: the vocabulary of `phrases`. Words have attributes, so that the sentences make sense: a
 * verb has the kinds of its objects or places, an adjective the traits of the nouns that it suits.
 */
#ifndef SA_SYNTH_WORDS_H
#define SA_SYNTH_WORDS_H

#include <stdbool.h>

/* What a noun can be used for. */
enum {
    SA_PERSON = 1 << 0,
    SA_FAMILY = 1 << 1, /* always with a possessor: my sister */
    SA_KNOWN = 1 << 2,  /* may have a possessor: my friend */
    SA_ANIMAL = 1 << 3,
    SA_FOOD = 1 << 4,
    SA_DRINK = 1 << 5,
    SA_GOODS = 1 << 7,  /* can be bought and owned */
    SA_POCKET = 1 << 8, /* can be lost and found */
    SA_CLOTHES = 1 << 9,
    SA_READING = 1 << 10,
    SA_WRITING = 1 << 11,
    SA_SOUND = 1 << 12,  /* can be listened to */
    SA_SHOW = 1 << 13,   /* can be watched */
    SA_LESSON = 1 << 14, /* can be understood */
    SA_OPENING = 1 << 15,
    SA_WASHABLE = 1 << 16,
    SA_VEHICLE = 1 << 17, /* can be taken and waited for */
    SA_ROOM = 1 << 18,    /* can be cleaned */
    SA_SIGHT = 1 << 19,   /* can be visited */
    SA_GOAL = 1 << 20,    /* a place to go to */
    SA_WORKPLACE = 1 << 21,
    SA_OUTDOORS = 1 << 22,
    SA_LODGING = 1 << 24,
    SA_SURFACE = 1 << 25, /* things lie on it and under it */
    SA_SERVICE = 1 << 26, /* strangers ask the way to it */
    SA_MASS = 1 << 27,    /* uncountable: some bread */
    SA_SINGLE = 1 << 28,  /* only one exists: my father */
    SA_HOME = 1 << 29,    /* people live there */
    SA_PART = 1 << 30,    /* of a building */
};

/* Which adjectives suit a noun. */
enum {
    SA_SIZE = 1 << 0,
    SA_AGE = 1 << 1,
    SA_ADULT = 1 << 2,
    SA_CHILD = 1 << 3,
    SA_FINE = 1 << 4,
    SA_COLOR = 1 << 5,
    SA_QUALITY = 1 << 6, /* good, bad */
    SA_HEAT = 1 << 7,
    SA_CONTENT = 1 << 8, /* interesting */
    SA_TASK = 1 << 9,    /* easy, difficult */
    SA_PRICE = 1 << 11,
    SA_COMFORT = 1 << 12,
    SA_STYLE = 1 << 13,
    SA_ORIGIN = 1 << 14,
    SA_CLEAN = 1 << 15,
    SA_CALM = 1 << 17,
    SA_DOOR = 1 << 18,  /* can be open */
    SA_MOOD = 1 << 19,  /* people: tired, happy */
    SA_MINOR = 1 << 20, /* its age may be mentioned */
    SA_FUR = 1 << 21,   /* black, white */
};

typedef struct sa_noun {
    const char *english, *plural, *french; /* plural NULL: not used */
    bool feminine;
    unsigned kinds, traits;
    const char *english_preposition,
        *french_preposition; /* of places: "in" the park, "dans" le parc */
} sa_noun;

typedef enum sa_position {
    SA_BEFORE,      /* le petit chien */
    SA_AFTER,       /* le chien noir */
    SA_ONLY_BEFORE, /* never: the car is new */
    SA_ONLY_ALONE,  /* never: the tired man */
} sa_position;

typedef struct sa_adjective {
    const char *english;
    const char *more; /* "taller", "more", or NULL: not compared */
    const char *masculine, *feminine;
    const char *liaison; /* masculine before a vowel, where it differs */
    sa_position position;
    bool graded;  /* very, too */
    bool passing; /* temporary */
    unsigned traits;
} sa_adjective;

/* The rows of a conjugation; elle is as il, vous is singular. */
enum { SA_JE, SA_IL, SA_NOUS, SA_VOUS, SA_ILS, SA_PERSONS };

/* The tenses and constructions that make sense with a verb. */
enum {
    SA_STATE = 1 << 0, /* I know */
    SA_HABIT = 1 << 1, /* I often eat */
    SA_NOW = 1 << 2,   /* I am eating */
    SA_PAST = 1 << 3,
    SA_PLAN = 1 << 4,      /* I am going to eat; I want to, can, must eat */
    SA_TOWARDS = 1 << 5,   /* the place is its destination: to the park */
    SA_REQUEST = 1 << 6,   /* please do it */
    SA_WARNING = 1 << 7,   /* do not do it */
    SA_TIMETABLE = 1 << 8, /* trains do it */
    SA_RELATIVE = 1 << 9,  /* the key that I found */
};

/* The determiners that make sense with a verb's object. */
enum {
    SA_THE = 1 << 0,
    SA_A = 1 << 1,
    SA_SOME = 1 << 2,
    SA_OWN = 1 << 3, /* of the subject */
    SA_THIS = 1 << 4,
    SA_NUMBER = 1 << 5,
    SA_BARE = 1 << 6, /* in general: I like coffee */
};

typedef struct sa_verb {
    const char *base, *third, *past, *ing;
    const char *present[SA_PERSONS];
    const char *infinitive, *participle;
    bool etre; /* its past is made with être */
    unsigned forms;
    unsigned kinds;       /* of its objects, or of the places where it is done */
    unsigned determiners; /* of its objects; 0: it has none */
} sa_verb;

/* The tables end with a row whose first field is NULL. */
extern const sa_noun sa_nouns[];
extern const sa_adjective sa_adjectives[];
extern const sa_verb sa_transitive_verbs[], sa_giving_verb, sa_intransitive_verbs[];

/* The row of that English name, which must exist. */
const sa_adjective *sa_adjective_find(const char *english);
const sa_verb *sa_verb_find(const char *base);

#endif
