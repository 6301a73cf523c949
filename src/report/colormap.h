/* shade: the colour of a weight, a row per map. The scale is fixed: 0 to 1. */
#ifndef SA_REPORT_SHADE_H
#define SA_REPORT_SHADE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sa_colour {
    unsigned char red, green, blue;
} sa_colour;

typedef struct sa_shade {
    const char *name; /* as --map has it; the table ends with NULL */
    int stops;
    const sa_colour *stop; /* [stops] at equal distances, mixed in between */
    int entries;
    const unsigned char *entry; /* [entries] of a terminal's palette of 256 colours, as even */
} sa_shade;

extern const sa_shade sa_shades[];
const char *sa_shade_name(size_t row);

/* The colour of a weight; below 0 and above 1 that of the end. */
sa_colour sa_shade_colour(int map, double weight);

/* The same as an entry of a terminal's palette. */
int sa_shade_entry(int map, double weight);

/* Whether black is seen better on the colour than white. */
bool sa_colour_is_light(sa_colour colour);

#endif
