/* Files of zip archives: by name, stored or deflated; broken archives are refused at every length
 * and with every flipped bit, or give the file as it is. */
#include "base/file.h"
#include "support/memory_failures.h"
#include "support/suite.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char verse[] = "a cat, a cat, a cat, a cat, a cat and a dog";
static unsigned char archive[1024];
static size_t size;
static sa_error error;

static void add(size_t number, int bytes) {
    for (; bytes--; number >>= 8) archive[size++] = (unsigned char)number;
}

static void add_bytes(const void *bytes, size_t count) {
    memcpy(archive + size, bytes, count);
    size += count;
}

/* Appends what the headers of a file and of its entry in the directory have in common. */
static void add_entry(const char *name, int method, size_t packed, size_t whole) {
    const uint32_t sum = (uint32_t)crc32(0, (const unsigned char *)verse, (unsigned)whole);
    add(20, 2), add(0, 2), add((size_t)method, 2), add(0, 4);
    add(sum, 4), add(packed, 4), add(whole, 4), add(strlen(name), 2), add(4, 2);
}

/* Makes an archive of files with the verse, deflated but for the first; each has four extra bytes
 * and, in the directory, a comment of two. */
static void make(const char *const *names, size_t count) {
    size_t begin[4], packed_size[4];
    const size_t whole = sizeof verse - 1;
    size = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned char packed[256];
        z_stream stream = {.next_in = (unsigned char *)(uintptr_t)verse,
                           .avail_in = (unsigned)whole};
        ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        stream.next_out = packed, stream.avail_out = sizeof packed;
        ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
        begin[i] = size, packed_size[i] = i ? stream.total_out : whole;
        deflateEnd(&stream);
        add_bytes("PK\3\4", 4), add_entry(names[i], i ? 8 : 0, packed_size[i], whole);
        add_bytes(names[i], strlen(names[i])), add(0, 4);
        add_bytes(i ? (const void *)packed : verse, packed_size[i]);
    }
    const size_t directory = size;
    for (size_t i = 0; i < count; i++) {
        add_bytes("PK\1\2", 4), add(20, 2), add_entry(names[i], i ? 8 : 0, packed_size[i], whole);
        add(2, 2), add(0, 4), add(0, 4), add(begin[i], 4);
        add_bytes(names[i], strlen(names[i])), add(0, 4), add_bytes("ok", 2);
    }
    const size_t end = size;
    add_bytes("PK\5\6", 4), add(0, 4), add(count, 2), add(count, 2), add(end - directory, 4);
    add(directory, 4), add(0, 2);
}

/* Unpacks a copy of the first bytes; returns whether that gave the verse. */
static bool unpacks(size_t bytes, const char *name, size_t limit) {
    sa_file file = {malloc(bytes), bytes, "x.npz"};
    memcpy(file.data, archive, bytes);
    const bool good = sa_zip_unpack(&file, name, limit, &error);
    if (good) ck_assert(file.size == sizeof verse - 1 && memcmp(file.data, verse, file.size) == 0);
    sa_file_release(&file);
    return good;
}

static void refuses(const char *name, const char *message) {
    ck_assert(!unpacks(size, name, 1000));
    ck_assert_str_eq(error.text, message);
}

START_TEST(files_are_found_by_name) {
    make((const char *const[]){"w.npy"}, 1);
    ck_assert(unpacks(size, NULL, 1000) && unpacks(size, "w", 1000) &&
              unpacks(size, "w.npy", 1000));
    refuses("v", "x.npz: the archive has no such file; it has: w.npy");
    refuses("w.np", "x.npz: the archive has no such file; it has: w.npy");
    make((const char *const[]){"w.npy", "v.txt"}, 2);
    ck_assert(unpacks(size, "w", 1000) && unpacks(size, "v.txt", 1000));
    refuses(NULL, "x.npz: which file of the archive? (FILE:NAME); it has: w.npy, v.txt");
    refuses("v", "x.npz: the archive has no such file; it has: w.npy, v.txt");
    ck_assert(!unpacks(size, "w", sizeof verse - 2) && error.code == SA_LIMIT);
    for (int first = 0; first < 2; first++) { /* one with the very name, and one with NumPy's */
        make((const char *const[]){first ? "w" : "w.npy", first ? "w.npy" : "w"}, 2);
        unsigned char *entry = memmem(archive, size, "PK\1\2", 4);
        entry[16] ^= 1; /* the checksum of the first one */
        ck_assert_int_eq(unpacks(size, "w", 1000), !first);
        ck_assert_int_eq(unpacks(size, "w.npy", 1000), first);
    }
    make((const char *const[]){"w", "w"}, 2);
    refuses("w", "x.npz: the archive has no such file; it has: w, w");
}
END_TEST

/* Some programs write one after the end. */
START_TEST(a_comment_of_the_archive_is_skipped) {
    make((const char *const[]){"a", "b"}, 2);
    archive[size - 2] = 12; /* its length */
    add_bytes("made by hand", 12);
    ck_assert(unpacks(size, "a", 1000) && unpacks(size, "b", 1000));
}
END_TEST

/* The longest comment has 65535 bytes. */
START_TEST(no_more_than_a_comment_is_skipped) {
    enum { LONGEST = 65535 };
    static const char *const names[] = {"a", "b"};
    make(names, 2);
    for (size_t more = 0; more <= 2; more += 2) {
        sa_file file = {calloc(1, size + LONGEST + more), size + LONGEST + more, "x.npz"};
        memcpy(file.data, archive, size);
        ck_assert_int_eq(sa_zip_unpack(&file, "b", 1000, &error), !more);
        if (more)
            ck_assert_str_eq(error.text, "x.npz: the archive is broken; it has: nothing");
        else
            ck_assert_mem_eq(file.data, verse, sizeof verse - 1);
        sa_file_release(&file);
    }
}
END_TEST

static bool unpack_it(sa_error *why) {
    sa_file file = {malloc(size), size, "x.npz"};
    if (!file.data) return sa_fail_memory(why, size);
    memcpy(file.data, archive, size);
    const bool good = sa_zip_unpack(&file, "b", 1000, why);
    if (good) ck_assert_mem_eq(file.data, verse, sizeof verse - 1);
    sa_file_release(&file);
    return good;
}

/* The names of the files are only for a message. */
START_TEST(an_archive_without_memory_for_it) {
    make((const char *const[]){"a", "b"}, 2);
    fail_allocations(unpack_it);
}
END_TEST

START_TEST(broken_archives_are_refused) {
    make((const char *const[]){"a", "b"}, 2);
    for (size_t bytes = 0; bytes < size; bytes++) ck_assert(!unpacks(bytes, "b", 1000));
    refuses("c", "x.npz: the archive has no such file; it has: a, b");
    for (size_t bit = 0; bit < 8 * size; bit++) {
        archive[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (!unpacks(size, "b", 1000)) ck_assert(error.code == SA_DATA || error.code == SA_LIMIT);
        archive[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    archive[size - 22] = 'x';
    refuses("b", "x.npz: the archive is broken; it has: nothing");
}
END_TEST

/* The flag is read in the directory. */
START_TEST(encrypted_files_are_refused) {
    make((const char *const[]){"a"}, 1);
    const size_t flags = 30 + 1 + 4 + sizeof verse - 1 + 8;
    archive[flags] = 1 << 1; /* how it was deflated */
    ck_assert(unpacks(size, "a", 1000));
    archive[flags] = 1;
    refuses("a", "x.npz: the archive is broken, or packed in an unusual way");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("zip", &tests);
    tcase_add_test(tests, files_are_found_by_name);
    tcase_add_test(tests, a_comment_of_the_archive_is_skipped);
    tcase_add_test(tests, no_more_than_a_comment_is_skipped);
    tcase_add_test(tests, an_archive_without_memory_for_it);
    tcase_add_test(tests, broken_archives_are_refused);
    tcase_add_test(tests, encrypted_files_are_refused);
    return suite_run(suite);
}
