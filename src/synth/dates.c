/* dates: a day between 1970 and 2069 in one of twelve formats, translated into the form 1997-03-04.
 * Tokens are characters, so the matrix shows where a model reads each digit. */
#include "synth/grammar.h"

#include <stdio.h>
#include <string.h>

typedef struct calendar_day {
    int year, month, day; /* month and day count from 1 */
    int weekday;          /* 0: Monday */
} calendar_day;

/* Returns the date `days` days after 1 January 1970, a Thursday. */
static calendar_day date_of(int days) {
    static const int common[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    /* Any four of these years have 1461 days. */
    calendar_day date = {1970 + days / 1461 * 4, 1, 1 + days % 1461, (3 + days) % 7};
    for (;;) {
        const bool leap = date.month == 2 && date.year % 4 == 0;
        const int month = common[date.month - 1] + leap;
        if (date.day <= month) return date;
        date.day -= month;
        date.year += date.month == 12;
        date.month = date.month % 12 + 1;
    }
}

/* Positions of the parts in the target. */
static const sa_word_span year_at = {0, 4}, month_at = {5, 2}, day_at = {8, 2};

/* Writes a number with at least `digits` digits and links it with its place in the target: the last
 * digits one by one, while additional digits of the target depend on all digits of the source. */
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

/* Writes the name with that index in the list, or its first three letters. */
static sa_word_span write_name(sa_draft *draft, const char *list, int index, char letter) {
    char text[SA_DRAFT_LETTERS];
    const char *name = sa_word_list_find(list)->words[index].english;
    snprintf(text, sizeof text, "%.*s", strchr("ab", letter) ? 3 : (int)strlen(name), name);
    if (letter == 'n') text[0] = (char)(text[0] - 'A' + 'a');
    return sa_draft_source(draft, text);
}

/* Writes a field of the date, named by its letter in words.tsv. */
static void write_field(sa_draft *draft, const calendar_day *date, char letter) {
    static const char *const ordinals[] = {"th", "st", "nd", "rd"};
    int digits = strchr("MDy", letter) ? 2 : 1;
    if (strchr("Aa", letter))
        write_name(draft, "weekday", date->weekday, letter);
    else if (strchr("Bbn", letter)) /* any letter of a month's name may determine its number */
        sa_draft_link_possible(draft, write_name(draft, "month", date->month - 1, letter),
                               month_at);
    else if (strchr("Mm", letter))
        write_number(draft, digits, date->month, month_at);
    else if (strchr("Dd", letter))
        write_number(draft, digits, date->day, day_at);
    else if (letter == 'o')
        sa_draft_source(draft,
                        ordinals[date->day / 10 == 1 || date->day % 10 > 3 ? 0 : date->day % 10]);
    else
        write_number(draft, digits, letter == 'y' ? date->year % 100 : date->year, year_at);
}

void sa_synth_dates(sa_draft *draft) {
    draft->characters = true;
    calendar_day date = date_of(sa_draft_pick(draft, 36525));
    const char *format = sa_draft_draw(draft, "date", 0)->english;
    char target[48];
    snprintf(target, sizeof target, "%04d-%02d-%02d", date.year, date.month, date.day);
    sa_draft_target(draft, target);
    for (; *format; format++) {
        char literal[2] = {*format, 0};
        if (*format == '%')
            write_field(draft, &date, *++format);
        else
            sa_draft_source(draft, literal);
    }
}
