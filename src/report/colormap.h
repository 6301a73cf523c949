/* colormap: the color of a weight from 0 to 1. */
#ifndef SA_REPORT_COLORMAP_H
#define SA_REPORT_COLORMAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sa_color {
    unsigned char red, green, blue;
} sa_color;

typedef struct sa_colormap {
    const char *name; /* of --colormap; the table ends with NULL */
    int stops;
    const sa_color *stop; /* [stops] equidistant, interpolated linearly */
    int entries;
    const unsigned char *entry; /* [entries] of the 256-color palette, equidistant, too */
} sa_colormap;

extern const sa_colormap sa_colormaps[]; /* the first is the default, and that of the page */
const char *sa_colormap_name(size_t row);

/* The color of a weight, clamped to -1 .. 1: below 0 it runs from the color of 0 to red. */
sa_color sa_colormap_color(int map, double weight);

/* The same in the 256-color palette of a terminal. */
int sa_colormap_palette_index(int map, double weight);

/* Whether black has more contrast on the color than white. */
bool sa_color_is_light(sa_color color);

#endif
