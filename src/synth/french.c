#include "synth/french.h"

#include <stdio.h>
#include <string.h>

static bool begins(const char *word, const char *start) {
    return !strncmp(word, start, strlen(start));
}

static bool ends(const char *word, const char *end) {
    size_t size = strlen(word), tail = strlen(end);
    return size >= tail && !strcmp(word + size - tail, end);
}

static bool one_of(const char *word, const char *const *list) {
    while (*list && strcmp(word, *list) != 0) list++;
    return *list;
}

bool sa_french_vowel(const char *word) {
    static const char *const vowels[] = {"a", "e", "i", "o", "u", "y", "h", "à",
                                         "â", "é", "è", "ê", "î", "ô", "œ", NULL};
    static const char *const aspirated[] = {"héros", "huit", "onze", NULL};
    if (one_of(word, aspirated)) return false;
    for (const char *const *vowel = vowels; *vowel; vowel++)
        if (begins(word, *vowel)) return true;
    return false;
}

void sa_french_plural(const char *word, char out[SA_DRAFT_LETTERS]) {
    char first[SA_DRAFT_LETTERS];
    int kept = (int)strcspn(word, " ");
    const char *ending = "s", *rest = word + kept;
    snprintf(first, sizeof first, "%.*s", kept, word);
    if (ends(first, "s") || ends(first, "x"))
        ending = "";
    else if (ends(first, "eau"))
        ending = "x";
    else if (ends(first, "al")) {
        kept--;
        ending = "ux";
    }
    snprintf(out, SA_DRAFT_LETTERS, "%.*s%s%s", kept, first, ending, rest);
}

void sa_french_adjective(const sa_adjective *adjective, bool feminine, bool plural,
                         const char *next, char out[SA_DRAFT_LETTERS]) {
    const char *form = feminine ? adjective->feminine : adjective->masculine;
    if (!feminine && !plural && adjective->liaison && next && sa_french_vowel(next))
        form = adjective->liaison;
    if (plural)
        sa_french_plural(form, out);
    else
        snprintf(out, SA_DRAFT_LETTERS, "%s", form);
}

void sa_french_participle(const char *participle, bool feminine, bool plural,
                          char out[SA_DRAFT_LETTERS]) {
    snprintf(out, SA_DRAFT_LETTERS, "%s%s%s", participle, feminine ? "e" : "",
             plural && (feminine || !ends(participle, "s")) ? "s" : "");
}

/* le -> l' before a vowel; the last letter of elided words is always one byte. */
static void elide(sa_draft_side *side) {
    static const char *const weak[] = {"le", "la", "de", "ne", "je", "que", "me", NULL};
    for (int i = 0; i + 1 < side->count; i++) {
        const char *next = side->words[i + 1];
        bool before_il = !strcmp(side->words[i], "si") && begins(next, "il");
        if (before_il || (one_of(side->words[i], weak) && sa_french_vowel(next)))
            side->words[i][strlen(side->words[i]) - 1] = '\'';
    }
}

void sa_french_finish(sa_draft *draft) {
    static const char *const contractions[][3] = {
        {"de", "le", "du"}, {"de", "les", "des"}, {"à", "le", "au"}, {"à", "les", "aux"}};
    elide(&draft->target);
    for (int i = 0; i + 1 < draft->target.count; i++)
        for (size_t row = 0; row < sizeof contractions / sizeof contractions[0]; row++)
            if (!strcmp(draft->target.words[i], contractions[row][0]) &&
                !strcmp(draft->target.words[i + 1], contractions[row][1])) {
                sa_draft_merge(draft, i, contractions[row][2]);
                break; /* the words have moved up */
            }
}
