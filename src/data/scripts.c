#include "data/scripts.h"
#include "base/utf8.h"

#include <string.h>

enum {
    GREEK = SA_SCRIPT_LATIN + 1,
    CYRILLIC,
    ARMENIAN,
    HEBREW,
    ARABIC,
    DEVANAGARI,
    BENGALI,
    TAMIL,
    THAI,
    GEORGIAN,
    ETHIOPIC,
    KHMER,
    HAN,
    HANGUL,
};

const char *sa_script_name(size_t row) {
    static const char *const names[SA_SCRIPTS + 1] = {
        "other",    "latin",      "greek",   "cyrillic", "armenian", "hebrew",
        "arabic",   "devanagari", "bengali", "tamil",    "thai",     "georgian",
        "ethiopic", "khmer",      "han",     "hangul",   NULL};
    return names[row];
}

int sa_script_find(uint32_t code) {
    static const struct {
        uint32_t first, last;
        int script;
    } blocks[] = {
        /* Unicode blocks in order; combining marks belong to none */
        {0x41, 0x2af, SA_SCRIPT_LATIN},
        {0x370, 0x3ff, GREEK},
        {0x400, 0x52f, CYRILLIC},
        {0x530, 0x58f, ARMENIAN},
        {0x590, 0x5ff, HEBREW},
        {0x600, 0x6ff, ARABIC},
        {0x750, 0x77f, ARABIC},
        {0x8a0, 0x8ff, ARABIC},
        {0x900, 0x97f, DEVANAGARI},
        {0x980, 0x9ff, BENGALI},
        {0xb80, 0xbff, TAMIL},
        {0xe00, 0xe7f, THAI},
        {0x10a0, 0x10ff, GEORGIAN},
        {0x1100, 0x11ff, HANGUL},
        {0x1200, 0x139f, ETHIOPIC},
        {0x1780, 0x17ff, KHMER},
        {0x1c80, 0x1c8f, CYRILLIC},
        {0x1c90, 0x1cbf, GEORGIAN},
        {0x1e00, 0x1eff, SA_SCRIPT_LATIN},
        {0x1f00, 0x1fff, GREEK},
        {0x2c60, 0x2c7f, SA_SCRIPT_LATIN},
        {0x2de0, 0x2dff, CYRILLIC},
        {0x2e80, 0x2fdf, HAN},
        {0x3005, 0x3007, HAN},
        {0x3040, 0x312f, HAN},
        {0x3130, 0x318f, HANGUL},
        {0x31a0, 0x31ff, HAN},
        {0x3400, 0x4dbf, HAN},
        {0x4e00, 0x9fff, HAN},
        {0xa640, 0xa69f, CYRILLIC},
        {0xa720, 0xa7ff, SA_SCRIPT_LATIN},
        {0xac00, 0xd7ff, HANGUL},
        {0xf900, 0xfaff, HAN},
        {0xfb00, 0xfb06, SA_SCRIPT_LATIN},
        {0xfb1d, 0xfb4f, HEBREW},
        {0xfb50, 0xfdff, ARABIC},
        {0xfe70, 0xfeff, ARABIC},
        {0xff21, 0xff5a, SA_SCRIPT_LATIN},
        {0xff66, 0xff9f, HAN},
        {0x20000, 0x3ffff, HAN},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (code >= blocks[i].first && code <= blocks[i].last) return blocks[i].script;
    return SA_SCRIPT_OTHER;
}

void sa_script_count(const char *text, size_t size, size_t *counts) {
    for (size_t at = 0, length; at < size; at += length) {
        if (!sa_utf8_is_letter(text + at, size - at, &length)) continue;
        const int script = sa_script_find(sa_utf8_codepoint(text + at, size - at, &length));
        counts[script] += script == HAN || script == HANGUL ? 3 : 1;
    }
}

/* ---- Text without spaces --------------------------------------------------------------------- */

static bool is_unspaced(uint32_t code) {
    const int script = sa_script_find(code);
    return script == HAN || script == THAI || script == KHMER ||
           (code >= 0xe80 && code <= 0x109f); /* Lao, Tibetan, Burmese */
}

bool sa_targets_lack_spaces(const sa_corpus *corpus) {
    enum { PAIRS = 1000, WORD = 5 }; /* letters of a segmented word, in the mean, at most */
    size_t letters = 0, unspaced = 0, spaces = 0;
    for (size_t i = 0; i < corpus->count && i < PAIRS; i++, spaces++) {
        const char *text = corpus->pairs[i].target;
        for (size_t size = strlen(text), length; size; text += length, size -= length) {
            if (sa_utf8_char_class(text, size, &length) == SA_CHAR_SPACE)
                spaces++;
            else if (sa_utf8_is_letter(text, size, &length)) {
                letters++;
                unspaced += is_unspaced(sa_utf8_codepoint(text, size, &length));
            }
        }
    }
    return 2 * unspaced > letters && letters > WORD * spaces;
}
