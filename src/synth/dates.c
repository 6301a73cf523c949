/* dates: a day between 1970 and 2069 in one of twelve formats, translated into the form 1997-03-04.
 * Tokens are characters, so that the matrix shows where a model reads each digit. */
#include "synth/tasks.h"

#include <stdio.h>
#include <string.h>

static const char *const months[] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December",
};
static const char *const weekdays[] = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
};

/* A letter after % is a part of the date, in lower case its short form:
 *   A a  weekday    D d  day, with two digits or as few as needed    o  th, st, nd, rd
 *   B b  month's name    M m  month's number, as the day    n  month's name in lower case
 *   Y y  year, with four digits or two (70-99 stand for 1970-1999) */
static const char *const formats[] = {
    "%A, %d %B %Y", "%a %d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d%o, %Y", "%n %d %Y",
    "%D.%M.%y",     "%D.%M.%Y",    "%m/%d/%y", "%Y/%M/%D",  "%d-%b-%y",    "%Y%M%D",
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

typedef struct calendar_day {
    int year, month, day; /* month and day from 1 */
    int weekday;          /* from Monday = 0 */
} calendar_day;

static bool is_leap(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int month_days(int year, int month) {
    if (month == 2) return is_leap(year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/* The date `days` days after 1 January 1970, a Thursday. */
static calendar_day date_of(int days) {
    calendar_day date = {1970, 1, 1 + days, (3 + days) % 7};
    for (; date.day > 365 + is_leap(date.year); date.year++) date.day -= 365 + is_leap(date.year);
    for (; date.day > month_days(date.year, date.month); date.month++)
        date.day -= month_days(date.year, date.month);
    return date;
}

static const char *ordinal(int day) {
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    return day / 10 == 1 || day % 10 > 3 ? endings[0] : endings[day % 10];
}

/* Positions of the parts in the target. */
static const sa_word_span year_at = {0, 4}, month_at = {5, 2}, day_at = {8, 2};

/* Writes a number with at least `digits` digits and links it with its place in the target: the last
 * digits one by one; additional digits of the target depend on all digits of the source. */
static void write_number(sa_draft *draft, int digits, int number, sa_word_span place) {
    char text[16];
    snprintf(text, sizeof text, "%0*d", digits, number);
    sa_word_span span = sa_draft_source(draft, text);
    int more = place.count - span.count;
    for (int i = 0; i < span.count; i++)
        sa_draft_link(draft, (sa_word_span){span.first + i, 1},
                      (sa_word_span){place.first + more + i, 1});
    sa_draft_link_possible(draft, span, (sa_word_span){place.first, more});
}

/* The first `letters` of a name (0: all). */
static sa_word_span write_name(sa_draft *draft, const char *name, int letters, bool lower) {
    char text[16];
    snprintf(text, sizeof text, "%.*s", letters ? letters : (int)strlen(name), name);
    if (lower) text[0] = (char)(text[0] - 'A' + 'a');
    return sa_draft_source(draft, text);
}

/* Any letter of a month's name may determine its number. */
static void write_month(sa_draft *draft, const char *name, int letters, bool lower) {
    sa_draft_link_possible(draft, write_name(draft, name, letters, lower), month_at);
}

static void write_part(sa_draft *draft, const calendar_day *date, char part) {
    const char *month = months[date->month - 1], *weekday = weekdays[date->weekday];
    switch (part) {
    case 'A':
        write_name(draft, weekday, 0, false);
        break;
    case 'a':
        write_name(draft, weekday, 3, false);
        break;
    case 'B':
        write_month(draft, month, 0, false);
        break;
    case 'b':
        write_month(draft, month, 3, false);
        break;
    case 'n':
        write_month(draft, month, 0, true);
        break;
    case 'M':
        write_number(draft, 2, date->month, month_at);
        break;
    case 'm':
        write_number(draft, 1, date->month, month_at);
        break;
    case 'D':
        write_number(draft, 2, date->day, day_at);
        break;
    case 'd':
        write_number(draft, 1, date->day, day_at);
        break;
    case 'o':
        sa_draft_source(draft, ordinal(date->day));
        break;
    case 'Y':
        write_number(draft, 1, date->year, year_at);
        break;
    default:
        write_number(draft, 2, date->year % 100, year_at);
        break;
    }
}

void sa_synth_dates(sa_draft *draft, sa_split split) {
    (void)split;
    draft->characters = true;
    calendar_day date = date_of(sa_draft_pick(draft, 36525));
    const char *format = formats[sa_draft_pick(draft, FORMATS)];
    char target[48];
    snprintf(target, sizeof target, "%04d-%02d-%02d", date.year, date.month, date.day);
    sa_draft_target(draft, target);
    for (; *format; format++) {
        char literal[2] = {*format, 0};
        if (*format == '%')
            write_part(draft, &date, *++format);
        else
            sa_draft_source(draft, literal);
    }
}
