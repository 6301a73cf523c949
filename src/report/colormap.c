#include "report/colormap.h"

#include <math.h>

static const sa_color gray[] = {{0, 0, 0}, {255, 255, 255}};
static const sa_color ink[] = {{255, 255, 255}, {0, 0, 0}};

/* Black, the 24 grays of the palette, and white. */
static const unsigned char gray_entries[] = {16,  232, 233, 234, 235, 236, 237, 238, 239,
                                             240, 241, 242, 243, 244, 245, 246, 247, 248,
                                             249, 250, 251, 252, 253, 254, 255, 231};
static const unsigned char ink_entries[] = {231, 255, 254, 253, 252, 251, 250, 249, 248,
                                            247, 246, 245, 244, 243, 242, 241, 240, 239,
                                            238, 237, 236, 235, 234, 233, 232, 16};

/* Ten colors of viridis (van der Walt and Smith, 2015; public domain): perceptually uniform. */
static const sa_color viridis[] = {
    {0x44, 0x01, 0x54}, {0x48, 0x28, 0x78}, {0x3e, 0x4a, 0x89}, {0x31, 0x68, 0x8e},
    {0x26, 0x82, 0x8e}, {0x1f, 0x9e, 0x89}, {0x35, 0xb7, 0x79}, {0x6d, 0xcd, 0x59},
    {0xb4, 0xde, 0x2c}, {0xfd, 0xe7, 0x25},
};

/* Not the nearest colors of the palette, whose lightness would not increase: it has few dark ones.
 */
static const unsigned char viridis_entries[] = {53, 54, 24, 25, 30, 36, 41, 77, 148, 220};

static const sa_color red = {0xd0, 0x20, 0x20}; /* of weight -1 */
enum { red_entry = 160 };

#define LIST(list) (int)(sizeof(list) / sizeof *(list)), (list)

const sa_colormap sa_colormaps[] = {{"ink", LIST(ink), LIST(ink_entries)},
                                    {"gray", LIST(gray), LIST(gray_entries)},
                                    {"viridis", LIST(viridis), LIST(viridis_entries)},
                                    {0}};

const char *sa_colormap_name(size_t row) {
    return sa_colormaps[row].name;
}

static unsigned char mix(unsigned char from, unsigned char to, double fraction) {
    return (unsigned char)lround(from + (to - from) * fraction);
}

sa_color sa_colormap_color(int map, double weight) {
    const sa_colormap *colormap = &sa_colormaps[map];
    if (weight < 0) {
        const sa_color zero = colormap->stop[0];
        const double part = fmin(-weight, 1);
        return (sa_color){mix(zero.red, red.red, part), mix(zero.green, red.green, part),
                          mix(zero.blue, red.blue, part)};
    }
    const double position = fmin(fmax(weight, 0), 1) * (colormap->stops - 1);
    const int before = (int)fmin(floor(position), colormap->stops - 2);
    const sa_color *from = &colormap->stop[before], *to = from + 1;
    return (sa_color){mix(from->red, to->red, position - before),
                      mix(from->green, to->green, position - before),
                      mix(from->blue, to->blue, position - before)};
}

int sa_colormap_palette_index(int map, double weight) {
    const sa_colormap *colormap = &sa_colormaps[map];
    if (weight < -0.05) return red_entry;
    return colormap->entry[lround(fmin(fmax(weight, 0), 1) * (colormap->entries - 1))];
}

bool sa_color_is_light(sa_color color) {
    return 299 * color.red + 587 * color.green + 114 * color.blue >= 1000 * 128;
}
