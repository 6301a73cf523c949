#include "report/shade.h"

#include <math.h>

static const sa_colour grey[] = {{0, 0, 0}, {255, 255, 255}};
static const sa_colour ink[] = {{255, 255, 255}, {0, 0, 0}};

/* Ten of the colours of viridis (van der Walt and Smith, 2015; in the public domain), which grow
 * evenly lighter to every eye. */
static const sa_colour viridis[] = {
    {0x44, 0x01, 0x54}, {0x48, 0x28, 0x78}, {0x3e, 0x4a, 0x89}, {0x31, 0x68, 0x8e},
    {0x26, 0x82, 0x8e}, {0x1f, 0x9e, 0x89}, {0x35, 0xb7, 0x79}, {0x6d, 0xcd, 0x59},
    {0xb4, 0xde, 0x2c}, {0xfd, 0xe7, 0x25},
};

#define STOPS(list) (int)(sizeof(list) / sizeof *(list)), (list)

const sa_shade sa_shades[] = {
    {"grey", STOPS(grey)}, {"ink", STOPS(ink)}, {"viridis", STOPS(viridis)}, {0}};

const char *sa_shade_name(size_t row) {
    return sa_shades[row].name;
}

static unsigned char mix(unsigned char from, unsigned char to, double share) {
    return (unsigned char)lround(from + (to - from) * share);
}

sa_colour sa_shade_colour(int map, double weight) {
    const sa_shade *shade = &sa_shades[map];
    const double place = fmin(fmax(weight, 0), 1) * (shade->stops - 1);
    const int before = (int)fmin(floor(place), shade->stops - 2);
    const sa_colour *from = &shade->stop[before], *to = from + 1;
    return (sa_colour){mix(from->red, to->red, place - before),
                       mix(from->green, to->green, place - before),
                       mix(from->blue, to->blue, place - before)};
}

bool sa_colour_is_light(sa_colour colour) {
    return 299 * colour.red + 587 * colour.green + 114 * colour.blue >= 1000 * 128;
}
