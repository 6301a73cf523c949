/* dates: a day between 1970 and 2069 in one of twelve formats, translated into the form 1997-03-04.
 * Tokens are characters, so the matrix shows where a model reads each digit. */
#include "synth/tasks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};

/* A letter after % is a field, in lower case its short form: A weekday, D day with two digits (d:
 * as few as needed), o th, st, nd, rd, B month (n: its name in lower case), M its number, as the
 * day, Y year (y: its last two digits). */
static const char *const formats[] = {"%A, %d %B %Y", "%a %d %b %Y", "%d %B %Y", "%b %d, %Y",
                                      "%B %d%o, %Y",  "%n %d %Y",    "%D.%M.%y", "%D.%M.%Y",
                                      "%m/%d/%y",     "%Y/%M/%D",    "%d-%b-%y", "%Y%M%D"};

/* Positions of the fields in the target. */
static const sa_word_span year_at = {0, 4}, month_at = {5, 2}, day_at = {8, 2};

/* Writes a number with at least `digits` digits and links it with its place in the target: the last
 * digits one by one, while additional digits of the target depend on all digits of the source. */
static void write_number(sa_draft *draft, int digits, int number, sa_word_span place) {
    const sa_word_span span = sa_draft_add(draft, &draft->source, "%0*d", digits, number);
    const int more = place.count - span.count;
    for (int i = 0; i < span.count; i++)
        sa_draft_link(draft, (sa_word_span){span.first + i, 1},
                      (sa_word_span){place.first + more + i, 1}, false);
    sa_draft_link(draft, span, (sa_word_span){place.first, more}, true);
}

/* Writes a name (n: in lower case), or its first three letters. */
static sa_word_span write_name(sa_draft *draft, const char *name, char letter) {
    return sa_draft_add(draft, &draft->source, "%c%.*s", letter == 'n' ? *name - 'A' + 'a' : *name,
                        strchr("ab", letter) ? 2 : 8, name + 1);
}

static void write_field(sa_draft *draft, const struct tm *date, char letter) {
    static const char *const ordinals[] = {"th", "st", "nd", "rd"};
    const int digits = strchr("MDy", letter) ? 2 : 1, day = date->tm_mday;
    const int year = 1900 + date->tm_year;
    if (strchr("Aa", letter))
        write_name(draft, weekdays[date->tm_wday], letter);
    else if (strchr("Bbn", letter)) /* any letter of a month's name may determine its number */
        sa_draft_link(draft, write_name(draft, months[date->tm_mon], letter), month_at, true);
    else if (strchr("Mm", letter))
        write_number(draft, digits, 1 + date->tm_mon, month_at);
    else if (strchr("Dd", letter))
        write_number(draft, digits, day, day_at);
    else if (letter == 'o')
        sa_draft_add(draft, &draft->source, "%s",
                     ordinals[day / 10 == 1 || day % 10 > 3 ? 0 : day % 10]);
    else
        write_number(draft, digits, letter == 'y' ? year % 100 : year, year_at);
}

void sa_synth_dates(sa_draft *draft) {
    const time_t seconds = (time_t)86400 * sa_draft_pick(draft, 36525);
    struct tm date;
    char text[32];
    draft->characters = true;
    sa_require(gmtime_r(&seconds, &date));
    strftime(text, sizeof text, "%Y-%m-%d", &date);
    sa_draft_add(draft, &draft->target, "%s", text);
    for (const char *at = formats[sa_draft_pick(draft, 12)]; *at; at++) {
        if (*at == '%')
            write_field(draft, &date, *++at);
        else
            sa_draft_add(draft, &draft->source, "%c", *at);
    }
}
