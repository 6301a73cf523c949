/* shade: the colour of a weight, a row per map. The scale is fixed: 0 to 1. */
#ifndef SA_REPORT_SHADE_H
#define SA_REPORT_SHADE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sa_color {
    unsigned char red, green, blue;
} sa_color;

typedef struct sa_colormap {
    const char *name; /* as --colormap has it; the table ends with NULL */
    int stops;
    const sa_color *stop; /* [stops] at equal distances, mixed in between */
    int entries;
    const unsigned char *entry; /* [entries] of a terminal's palette of 256 colours, as even */
} sa_colormap;

extern const sa_colormap sa_colormaps[];
const char *sa_colormap_name(size_t row);

/* The colour of a weight; below 0 and above 1 that of the end. */
sa_color sa_colormap_color(int map, double weight);

/* The same as an entry of a terminal's palette. */
int sa_colormap_palette_index(int map, double weight);

/* Whether black is seen better on the colour than white. */
bool sa_color_is_light(sa_color color);

#endif
