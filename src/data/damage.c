#include "data/damage.h"
#include "base/utf8.h"

enum { REPLACEMENT = 0xfffd, MAX_SEQUENCE = 4 /* bytes of a character in UTF-8 */ };

static bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

/* ---- UTF-8 decoded as Windows-1252 ----------------------------------------------------------- */

/* The byte of this character in Windows-1252, or -1. */
static int cp1252_byte(uint32_t code) {
    static const uint16_t shown[32] = {
        0x20ac, 0,      0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
        0x2039, 0x152,  0,      0x17d,  0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
        0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0,      0x17e,  0x178};
    if (code >= 0xa0 && code <= 0xff) return (int)code;
    for (int i = 0; i < 32; i++)
        if (shown[i] && shown[i] == code) return 0x80 + i;
    return -1;
}

/* Quotation marks, dashes and others that often follow a capital or an accented letter in correct
 * text: «CAFÉ», „Spaß“. */
static bool may_follow_letters(uint32_t code) {
    return code == 0xa0 || code == 0xab || code == 0xbb || (code >= 0x2013 && code <= 0x203a);
}

static bool is_capital(uint32_t code) {
    return (code >= 'A' && code <= 'Z') || (code >= 0xc0 && code <= 0xde);
}

/* The code point that the Windows-1252 bytes of `count` characters encode in UTF-8, or 0. */
static uint32_t decode_as_utf8(const uint32_t *code, int count) {
    const int first = cp1252_byte(code[0]);
    const int length = first >= 0xc2 && first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first < 0xc2 || first > 0xf4 || length > count) return 0;
    uint32_t value = (uint32_t)first & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        const int next = cp1252_byte(code[i]);
        if (next < 0x80 || next > 0xbf) return 0;
        value = value << 6 | ((uint32_t)next & 0x3f);
    }
    return value;
}

/* Whether the characters from code[0] on, which follow `before`, are a misread UTF-8 sequence: the
 * character it encodes is common, and the sequence itself is not. */
static bool is_mojibake(const uint32_t *code, int count, uint32_t before) {
    const uint32_t value = decode_as_utf8(code, count);
    const bool plausible = may_follow_letters(code[1]);
    if (!value) return false;
    if (value < 0x180) /* "Ã©"; "Ã " and "Â ", but not "Å " */
        return !plausible || (!is_capital(before) && (code[1] != 0xa0 || code[0] <= 0xc3));
    if (value < 0x530) return !plausible && value >= 0x370; /* Greek, Cyrillic: "Ð°" */
    if (value < 0x2000) return false;
    if (value < 0x2300) return true; /* "â€™", "â‚¬" */
    if (value < 0x10000) return value >= 0x3000 && !(plausible && may_follow_letters(code[2]));
    return value >= 0x1f000 && value < 0x1fb00; /* "ðŸ˜€" */
}

/* ---- Texts ----------------------------------------------------------------------------------- */

bool sa_encoding_is_broken(const char *text, size_t size) {
    size_t bad, length;
    uint32_t before = ' ';
    if (!sa_utf8_valid(text, size, &bad)) return true;
    for (size_t at = 0, step; at < size; at += step) {
        uint32_t code[MAX_SEQUENCE] = {sa_utf8_codepoint(text + at, size - at, &step)};
        int count = 1;
        if (is_control(code[0]) || code[0] == REPLACEMENT) return true;
        for (size_t next = at + step; code[0] >= 0xc2 && code[0] <= 0xf4 && count < MAX_SEQUENCE;
             count++) {
            if (next == size) break;
            code[count] = sa_utf8_codepoint(text + next, size - next, &length);
            next += length;
        }
        if (count > 1 && is_mojibake(code, count, before)) return true;
        before = code[0];
    }
    return false;
}
