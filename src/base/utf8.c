#include "base/utf8.h"
#include "base/memory.h"

#include <string.h>
#include <utf8proc.h>

size_t sa_utf8_character_size(const char *text, size_t size) {
    size_t length = 1;
    while (length < size && ((unsigned char)text[length] & 0xc0) == 0x80) length++;
    return length;
}

size_t sa_utf8_mark_size(const char *text, size_t size) {
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

#define ICONV(name) name, "iconv -f " name " -t UTF-8 FILE > NEW"
#define TO_CSV "libreoffice --headless --convert-to csv FILE"
#define RAW_FILE "curl -L -o NEW the address of the raw file"
#define TO_JSON_LINES                                                                              \
    "python3 -c \"import pandas; pandas.read_parquet('FILE').to_json('NEW.jsonl', "                \
    "orient='records', lines=True, force_ascii=False)\""

/* The first bytes of formats, in which '?' is any byte. Those without a command that begin with a
 * printable one may be text. */
static const struct {
    const char *bytes;
    size_t size;
    const char *name, *command;
    const char *inside; /* something else that it contains */
} formats[] = {
    {"\xff\xfe\0\0", 4, ICONV("UTF-32LE")},
    {"\0\0\xfe\xff", 4, ICONV("UTF-32BE")},
    {"\xff\xfe", 2, ICONV("UTF-16LE")},
    {"\xfe\xff", 2, ICONV("UTF-16BE")},
    {"PK\5\6", 4, "an empty zip archive"},
    {"PK\3\4", 4, "an Excel workbook", TO_CSV, "xl/workbook"},
    {"PK\3\4", 4, "an OpenDocument file", TO_CSV, "application/vnd.oasis.opendocument"},
    {"PK\3\4", 4, "a zip archive (a PyTorch .pt or a NumPy .npz file?)", NULL},
    {"PK\3\4", 4, "a zip archive", "unzip -p FILE > NEW"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8, "an old Excel or Word file", TO_CSV},
    {"PAR1", 4, "a Parquet file", TO_JSON_LINES},
    {"\3757zXZ", 5, "an xz file", "xz -dc FILE > NEW"},
    {"BZh", 3, "a bzip2 file", "bzip2 -dc FILE > NEW", "1AY&SY"},
    {"\x28\xb5\x2f\xfd", 4, "a Zstandard file", "zstd -dc FILE > NEW"},
    {"%PDF", 4, "a PDF file", "pdftotext FILE NEW"},
    {"version https://git-lfs", 23, "a Git LFS pointer", "git lfs pull"},
    {"<!DOCTYPE html", 14, "a web page", RAW_FILE},
    {"<!doctype html", 14, "a web page", RAW_FILE},
    {"<html", 5, "a web page", RAW_FILE},
    {"\x80", 1, "a Python pickle (a PyTorch .pt file?)", NULL},
    {"GGUF", 4, "a GGUF file", NULL},
    {"\x93NUMPY", 6, "a NumPy .npy file", NULL},
    {"\x89HDF", 4, "an HDF5 file", NULL},
    {"\x08?\x12", 3, "a protocol buffer (an ONNX file?)", NULL},
    {"????TFL3", 8, "a TensorFlow Lite file", NULL},
    {"\x1f\x8b", 2, "a gzip file", NULL},
    {"\177ELF", 4, "a program", NULL},
    {"\x89PNG", 4, "a PNG picture", NULL},
    {"<?xml", 5, "an XML file", NULL},
    {"<", 1, "a web page", NULL},
    {"{", 1, "a JSON text", NULL},
};

static bool begins(const char *bytes, size_t size, const char *wanted, size_t count) {
    bool same = count <= size;
    for (size_t i = 0; same && i < count; i++) same = wanted[i] == '?' || bytes[i] == wanted[i];
    return same;
}

const char *sa_file_format(const char *bytes, size_t size, bool text, const char **command) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *inside = formats[i].inside, first = *formats[i].bytes;
        *command = formats[i].command;
        if (begins(bytes, size, formats[i].bytes, formats[i].size) &&
            (!inside || memmem(bytes, size, inside, strlen(inside))) &&
            (!text || *command || first < ' ' || first > '~'))
            return formats[i].name;
    }
    const int zeros =
        size < 4 || !text ? 0 : !bytes[0] << 3 | !bytes[1] << 2 | !bytes[2] << 1 | !bytes[3];
    for (int i = 0; i < 4; i++) {
        *command = formats[i].command;
        if (zeros == (const int[]){7, 14, 5, 10}[i]) return formats[i].name;
    }
    return NULL;
}

static utf8proc_int32_t lower_case(utf8proc_int32_t code, void *unused) {
    return utf8proc_tolower(code);
}

/* Returns whether all code points are below the first combining mark, U+0300. Such text, the most
 * common, is already composed. */
static bool is_composed(const char *text, size_t size) {
    enum { LEAD_BYTE_OF_300 = 0xcc };
    unsigned char highest = 0;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] > highest) highest = (unsigned char)text[i];
    return highest < LEAD_BYTE_OF_300;
}

/* Returns whether canonical ordering may move the character: it is a combining mark, or one of the
 * three others that decompose into two marks. */
static bool is_mark(utf8proc_int32_t code) {
    return utf8proc_get_property(code)->combining_class || code == 0xf73 || code == 0xf75 ||
           code == 0xf81;
}

/* Returns the end of the 30th of more than 30 marks in a row, or size. */
static size_t find_long_run(const char *text, size_t size) {
    enum { MOST_MARKS = 30 };
    int marks = 0;
    for (size_t at = 0, length; at < size; at += length) {
        marks = is_mark(sa_utf8_codepoint(text + at, size - at, &length)) ? marks + 1 : 0;
        if (marks > MOST_MARKS) return at;
    }
    return size;
}

/* Appends the text, with combining grapheme joiners inserted in runs of more than 30 marks, as in
 * the Stream-Safe Text Format (Unicode Standard Annex 15, section 13): ordering a run of marks
 * takes time quadratic in its length. */
static void break_long_runs(const char *text, size_t size, sa_buffer *out) {
    for (size_t end; size; text += end, size -= end) {
        end = find_long_run(text, size);
        sa_buffer_add(out, text, end);
        if (end < size) sa_buffer_adds(out, "\u034f");
    }
}

/* Lowercases code point by code point; case folding would turn ß into ss. */
char *sa_utf8_normalize(const char *text, size_t size, bool lower, sa_error *error) {
    if (!lower && is_composed(text, size)) return sa_copy(text, size, error);
    utf8proc_uint8_t *result = NULL;
    sa_buffer safe = {0};
    if (find_long_run(text, size) < size) {
        break_long_runs(text, size, &safe);
        text = safe.text, size = safe.size;
    }
    const utf8proc_ssize_t got =
        safe.failed ? UTF8PROC_ERROR_NOMEM
                    : utf8proc_map_custom((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)size,
                                          &result, UTF8PROC_STABLE | UTF8PROC_COMPOSE,
                                          lower ? lower_case : NULL, NULL);
    sa_buffer_release(&safe);
    if (got >= 0) return (char *)result;
    sa_fail_memory(error, size);
    return NULL;
}

char *sa_utf8_text(const char *what, const char *text, sa_error *error) {
    size_t bad;
    if (!sa_given(text, what, error)) return NULL;
    if (sa_utf8_valid(text, strlen(text), &bad))
        return sa_utf8_normalize(text, strlen(text), false, error);
    sa_fail(error, SA_USAGE, "the %s is not UTF-8 at byte %zu: 0x%02X", what, bad + 1,
            (unsigned char)text[bad]);
    return NULL;
}

/* ---- Categories ------------------------------------------------------------------------------ */

#define CATEGORY(name) (1u << UTF8PROC_CATEGORY_##name)
enum {
    CASED = CATEGORY(LU) | CATEGORY(LL) | CATEGORY(LT),
    LETTERS = CASED | CATEGORY(LM) | CATEGORY(LO),
    OF_WORDS = LETTERS | CATEGORY(MN) | CATEGORY(MC) | CATEGORY(ME) | CATEGORY(PC),
    DIGITS = CATEGORY(ND) | CATEGORY(NL) | CATEGORY(NO),
    SPACES = CATEGORY(ZS) | CATEGORY(ZL) | CATEGORY(ZP),
    OPENING = CATEGORY(PS) | CATEGORY(PI),
    CLOSING = CATEGORY(PE) | CATEGORY(PF),
    CURRENCY = CATEGORY(SC),
    IGNORABLE = CATEGORY(MN) | CATEGORY(ME) | CATEGORY(CF) | CATEGORY(LM) | CATEGORY(SK),
};

static bool is_in(utf8proc_int32_t code, unsigned int categories) {
    return 1u << utf8proc_category(code) & categories;
}

/* ---- Lower case ------------------------------------------------------------------------------ */

/* Returns whether the character has Unicode's property Case_Ignorable: such characters do not count
 * when a capital sigma is tested for ending a word. */
static bool is_case_ignorable(utf8proc_int32_t code) {
    static const utf8proc_int32_t points[] = {'\'',   '.',    ':',    0xb7,   0x387,  0x55f,
                                              0x5f4,  0x2018, 0x2019, 0x2024, 0x2027, 0xfe13,
                                              0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        if (code == points[i]) return true;
    return is_in(code, IGNORABLE);
}

/* Returns whether the character has case: also ª º, and numerals and circled letters in two
 * cases. */
static bool has_case(utf8proc_int32_t code) {
    return is_in(code, CASED) || code == 0xaa || code == 0xba ||
           (code >= 0x2160 && code <= 0x217f) || (code >= 0x24b6 && code <= 0x24e9);
}

/* Returns whether the first code point that is not ignorable is cased. */
static bool begins_with_case(const char *text, size_t size) {
    for (size_t at = 0, length; at < size; at += length) {
        const utf8proc_int32_t code = sa_utf8_codepoint(text + at, size - at, &length);
        if (!is_case_ignorable(code)) return has_case(code);
    }
    return false;
}

char *sa_utf8_lower(const char *text, size_t size, sa_error *error) {
    enum { CAPITAL_SIGMA = 0x3a3, DOTTED_I = 0x130 };
    sa_buffer out = {0};
    bool in_word = false; /* the last code point that is not ignorable is cased */
    for (size_t at = 0, length; at < size; at += length) {
        const utf8proc_int32_t code = sa_utf8_codepoint(text + at, size - at, &length);
        const char *behind = text + at + length;
        char bytes[4];
        if (code == DOTTED_I)
            sa_buffer_adds(&out, "i\xcc\x87");
        else if (code == CAPITAL_SIGMA)
            sa_buffer_adds(&out, in_word && !begins_with_case(behind, size - at - length)
                                     ? "\xcf\x82"
                                     : "\xcf\x83");
        else
            sa_buffer_add(&out, bytes, sa_utf8_encode((uint32_t)utf8proc_tolower(code), bytes));
        if (!is_case_ignorable(code)) in_word = has_case(code);
    }
    return sa_buffer_take(&out, error);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* Returns whether the code point belongs to a script written without spaces, or to its punctuation;
 * not for full-width digits and letters, which form words. */
static bool is_han(utf8proc_int32_t code) {
    static const struct {
        utf8proc_int32_t first, last;
    } ranges[] = {
        {0x3001, 0x30ff}, {0x31f0, 0x31ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff},
        {0xff01, 0xff0f}, {0xff1a, 0xff20}, {0xff3b, 0xff40}, {0xff5b, 0xff9f}, {0x20000, 0x3ffff},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].first && code <= ranges[i].last) return true;
    return false;
}

sa_char_class sa_utf8_char_class(const char *text, size_t size, size_t *length) {
    enum { NON_JOINER = 0x200c, JOINER = 0x200d, SOFT_HYPHEN = 0xad };
    enum { NEXT_LINE = 0x85, ZERO_WIDTH = 0x200b, FIRST_HAN = 0x3001 };
    const utf8proc_int32_t code = sa_utf8_codepoint(text, size, length);
    if (code == ' ') return SA_CHAR_SPACE; /* fast paths for the most common characters */
    if ((code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z')) return SA_CHAR_LETTER;
    if (code >= FIRST_HAN && is_han(code)) return SA_CHAR_HAN;
    const unsigned int category = 1u << utf8proc_category(code);
    if (category & OF_WORDS || code == NON_JOINER || code == JOINER || code == SOFT_HYPHEN)
        return SA_CHAR_LETTER;
    if (category & DIGITS) return SA_CHAR_DIGIT;
    if (category & SPACES || (code >= '\t' && code <= '\r') || code == NEXT_LINE ||
        code == ZERO_WIDTH)
        return SA_CHAR_SPACE;
    if (category & OPENING) return SA_CHAR_OPENING;
    if (category & CLOSING) return SA_CHAR_CLOSING;
    return category & CURRENCY ? SA_CHAR_CURRENCY : SA_CHAR_OTHER;
}

bool sa_utf8_is_letter(uint32_t code) {
    return is_in((utf8proc_int32_t)code, LETTERS);
}

size_t sa_utf8_encode(uint32_t code, char *out) {
    return (size_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)out);
}

size_t sa_utf8_grapheme_size(const char *text, size_t size) {
    size_t length, at;
    utf8proc_int32_t state = 0, before = sa_utf8_codepoint(text, size, &at);
    while (at < size) {
        utf8proc_int32_t code = sa_utf8_codepoint(text + at, size - at, &length);
        if (utf8proc_grapheme_break_stateful(before, code, &state)) break;
        at += length;
        before = code;
    }
    return at;
}

/* Returns the columns of a cluster, which is at most as wide as a wide character. A pictograph with
 * an emoji variation selector is wide, and so is a keycap sequence. */
static int cluster_width(const char *text, size_t size) {
    enum { WIDE = 2, AS_PICTURE = 0xfe0f, KEYCAP = 0x20e3 };
    size_t length;
    const bool picture =
        utf8proc_get_property(sa_utf8_codepoint(text, size, &length))->boundclass ==
        UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
    int width = 0;
    for (size_t at = 0; at < size; at += length) {
        const utf8proc_int32_t code = sa_utf8_codepoint(text + at, size - at, &length);
        if (at > 0 && ((code == AS_PICTURE && picture) || code == KEYCAP)) return WIDE;
        width += code < 0 ? 1 : utf8proc_charwidth(code);
    }
    return width < WIDE ? width : WIDE;
}

int sa_utf8_width(const char *text, size_t size) {
    int width = 0;
    for (size_t at = 0, next; at < size; at += next) {
        next = sa_utf8_grapheme_size(text + at, size - at);
        width += cluster_width(text + at, next);
    }
    return width;
}

/* Returns 1: left-to-right, -1: right-to-left, 0: neither strongly. */
static int direction(utf8proc_int32_t code) {
    const utf8proc_propval_t class = utf8proc_get_property(code)->bidi_class;
    if (class == UTF8PROC_BIDI_CLASS_L) return 1;
    return class == UTF8PROC_BIDI_CLASS_R || class == UTF8PROC_BIDI_CLASS_AL ? -1 : 0;
}

bool sa_utf8_is_rtl(const char *text, size_t size) {
    for (size_t at = 0, length; at < size; at += length) {
        const int found = direction(sa_utf8_codepoint(text + at, size - at, &length));
        if (found) return found < 0;
    }
    return false;
}

bool sa_utf8_words_are_rtl(const char *const *words, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
        const size_t size = strlen(words[i]);
        for (size_t at = 0, length; at < size; at += length)
            sum += direction(sa_utf8_codepoint(words[i] + at, size - at, &length));
    }
    return sum < 0;
}

/* ---- Words in few columns -------------------------------------------------------------------- */

/* Returns whether a character has enough combining marks to cover its neighbors. */
static bool has_mark_flood(const char *cluster, size_t size) {
    enum { MARKS = 4 };
    int marks = 0;
    for (size_t at = 0, length; at < size; at += length) {
        sa_utf8_codepoint(cluster + at, size - at, &length);
        marks += sa_utf8_width(cluster + at, length) == 0;
    }
    return marks > MARKS;
}

int sa_utf8_fit(const char *word, int max_columns, char *out, size_t capacity) {
    char safe[1024];
    sa_escape(safe, sizeof safe, word, strlen(word));
    const size_t size = strlen(safe);
    size_t at = 0;
    int columns = 0;
    while (at < size) {
        const size_t next = sa_utf8_grapheme_size(safe + at, size - at);
        const int width = sa_utf8_width(safe + at, next);
        const bool last = at + next == size;
        if (columns + width > max_columns - !last || at + next + 4 > capacity ||
            has_mark_flood(safe + at, next)) {
            memcpy(out + at, "…", sizeof "…");
            return columns + 1;
        }
        memcpy(out + at, safe + at, next);
        at += next;
        columns += width;
    }
    out[at] = 0;
    return columns;
}
