/* zip: the files of a zip archive (base/file.h). */
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A file in an archive, as its directory describes it. */
typedef struct zip_entry {
    const char *name;
    size_t name_size, packed, size, begin; /* begin: of its own header */
    unsigned method, flags;
    uint32_t sum;
} zip_entry;

static size_t number_at(const sa_file *file, size_t at, int bytes) {
    size_t number = 0;
    for (int i = bytes - 1; i >= 0 && at + 4 <= file->size; i--)
        number = number << 8 | (unsigned char)file->data[at + (size_t)i];
    return number;
}

static bool begins(const sa_file *file, size_t at, const char *mark, size_t size) {
    return at < file->size && file->size - at >= size && memcmp(file->data + at, mark, 4) == 0;
}

bool sa_zip_is(const sa_file *file) {
    return begins(file, 0, "PK\3\4", 4);
}

/* Reads the entry at *at of the directory and advances. */
static bool next_entry(const sa_file *file, size_t *at, zip_entry *entry) {
    enum { HEADER = 46 };
    if (!begins(file, *at, "PK\1\2", HEADER)) return false;
    *entry = (zip_entry){.name = file->data + *at + HEADER,
                         .name_size = number_at(file, *at + 28, 2),
                         .packed = number_at(file, *at + 20, 4),
                         .size = number_at(file, *at + 24, 4),
                         .begin = number_at(file, *at + 42, 4),
                         .method = (unsigned)number_at(file, *at + 10, 2),
                         .flags = (unsigned)number_at(file, *at + 8, 2),
                         .sum = (uint32_t)number_at(file, *at + 16, 4)};
    *at += HEADER + entry->name_size;
    if (*at > file->size) return false;
    *at += number_at(file, *at - entry->name_size - 16, 2) +
           number_at(file, *at - entry->name_size - 14, 2);
    return true;
}

/* Returns 2 if the entry is called so, 1 if it is with NumPy's ending, or 0. */
static int is_called(const zip_entry *entry, const char *name) {
    const size_t size = strlen(name), more = entry->name_size - size;
    if (size > entry->name_size || memcmp(entry->name, name, size) != 0) return 0;
    return !more ? 2 : more == 4 && memcmp(entry->name + size, ".npy", 4) == 0;
}

/* Returns the only entry, or the one that is called so or, without such a one, with NumPy's ending,
 * and lists all names. */
static bool find_entry(const sa_file *file, const char *name, zip_entry *found, sa_buffer *names) {
    enum { END = 22, MOST_COMMENT = 1 << 16 };
    size_t end = file->size < END ? 0 : file->size - END;
    const size_t least = end > MOST_COMMENT ? end - MOST_COMMENT : 0;
    while (end > least && !begins(file, end, "PK\5\6", END)) end--;
    zip_entry entry = {0};
    int best = 0, count = 0;
    for (size_t at = number_at(file, end + 16, 4); next_entry(file, &at, &entry);) {
        char shown[64];
        sa_buffer_addf(names, "%s%s", names->size ? ", " : "",
                       sa_escape(shown, sizeof shown, entry.name, entry.name_size));
        const int fit = name ? is_called(&entry, name) : 1;
        if (!fit || fit < best) continue;
        count = fit > best ? 1 : count + 1;
        *found = entry, best = fit;
    }
    return count == 1;
}

/* Unpacks the entry, whose bytes begin at `from`. Returns Z_OK, Z_MEM_ERROR or another error. */
static int unpack(const sa_file *file, const zip_entry *entry, size_t from, char *data) {
    enum { STORED = 0, DEFLATED = 8, RAW = -15 };
    int state = entry->method == STORED && entry->size == entry->packed ? Z_OK : Z_DATA_ERROR;
    if (state == Z_OK) memcpy(data, file->data + from, entry->size);
    z_stream stream = {.next_in = (unsigned char *)file->data + from,
                       .avail_in = (uInt)entry->packed,
                       .next_out = (unsigned char *)data,
                       .avail_out = (uInt)entry->size};
    if (entry->method == DEFLATED && (state = inflateInit2(&stream, RAW)) == Z_OK) {
        state = inflate(&stream, Z_FINISH);
        if (state == Z_STREAM_END && !stream.avail_out) state = Z_OK;
        inflateEnd(&stream);
    }
    const bool same = crc32(0, (unsigned char *)data, (uInt)entry->size) == entry->sum;
    return state == Z_OK && !same ? Z_DATA_ERROR : state;
}

bool sa_zip_unpack(sa_file *file, const char *name, size_t limit, sa_error *error) {
    enum { HEADER = 30, ENCRYPTED = 1, MOST_RATIO = 1040 /* of "deflate" */ };
    sa_buffer names = {0};
    zip_entry entry = {0};
    const bool found = find_entry(file, name, &entry, &names);
    if (!found)
        sa_fail(error, SA_DATA, "%s: %s; it has: %s", file->name,
                !names.size ? "the archive is broken"
                : name      ? "the archive has no such file"
                            : "which file of the archive? (FILE:NAME)",
                names.size ? names.text : "nothing");
    sa_buffer_release(&names);
    if (!found) return false;
    if (entry.size > limit)
        return sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", file->name, limit);
    const size_t from = entry.begin + HEADER + number_at(file, entry.begin + 26, 2) +
                        number_at(file, entry.begin + 28, 2);
    const bool fits = begins(file, entry.begin, "PK\3\4", HEADER) && from <= file->size &&
                      entry.packed <= file->size - from && entry.size / MOST_RATIO <= entry.packed;
    char *data = fits ? sa_new(entry.size + 1, 1, error) : NULL;
    if (fits && !data) return false;
    const int state =
        fits && !(entry.flags & ENCRYPTED) ? unpack(file, &entry, from, data) : Z_DATA_ERROR;
    free(state == Z_OK ? file->data : data);
    if (state == Z_OK) file->data = data, file->size = entry.size;
    if (state == Z_MEM_ERROR) return sa_fail_memory(error, entry.size);
    return state == Z_OK ||
           sa_fail(error, SA_DATA, "%s: the archive is broken, or packed in an unusual way",
                   file->name);
}
