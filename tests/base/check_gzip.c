/* Reading gzip files: whole, or not at all. */
#include "support/file_reading.h"
#include "support/memory_failures.h"
#include "support/suite.h"

static unsigned char packed[70 << 20];
static size_t packed_size;
static int level = 9;

/* Appends a gzip member of the text repeated `times` times. */
static void pack(const char *text, size_t size, size_t times) {
    z_stream stream = {0};
    ck_assert_int_eq(deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    stream.next_out = packed + packed_size;
    stream.avail_out = (unsigned)(sizeof packed - packed_size);
    for (size_t i = 0; i < times; i++) {
        stream.next_in = (unsigned char *)(uintptr_t)text;
        stream.avail_in = (unsigned)size;
        ck_assert_int_eq(deflate(&stream, Z_NO_FLUSH), Z_OK);
    }
    ck_assert_int_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed_size = sizeof packed - stream.avail_out;
    deflateEnd(&stream);
}

static const char verse[] = "Under the window a grey cat waits,\nand counts the bicycles.\n";

START_TEST(gzip_is_known_by_its_bytes) {
    const char *path = scratch_path("no-suffix");
    pack(verse, sizeof verse - 1, 1);
    scratch_write(path, packed, packed_size);
    expect(path, verse, sizeof verse - 1);
    path = scratch_path("plain.gz");
    scratch_write(path, verse, sizeof verse - 1);
    expect(path, verse, sizeof verse - 1);
}
END_TEST

START_TEST(gzip_members_are_joined) {
    const char *path = scratch_path("a");
    pack("one ", 4, 1);
    pack("", 0, 1);
    pack("two", 3, 1);
    scratch_write(path, packed, packed_size);
    expect(path, "one two", 7);
    packed_size = 0;
    pack("", 0, 1);
    scratch_write(path, packed, packed_size);
    expect(path, "", 0);
}
END_TEST

START_TEST(gzip_without_memory_for_it) {
    pack(verse, sizeof verse - 1, 1);
    scratch_write(scratch_path("a"), packed, packed_size);
    ck_assert_int_eq(fail_allocations(read_it), 0);
}
END_TEST

/* Incompressible text, larger than the chunks given to zlib. */
START_TEST(large_gzip_is_read_whole) {
    enum { SIZE = 5 << 20 };
    char *text = malloc(SIZE);
    uint32_t state = 1;
    for (size_t i = 0; i < SIZE; i++)
        text[i] = (char)((state = state * 1664525 + 1013904223) >> 24);
    level = 1;
    pack(text, SIZE, 1);
    scratch_write(scratch_path("a"), packed, packed_size);
    expect(scratch_path("a"), text, SIZE);
    free(text);
}
END_TEST

/* Large, but with a normal ratio: not a bomb. */
START_TEST(the_size_alone_makes_no_bomb) {
    static const char zeros[1 << 20];
    sa_file file;
    level = 0;
    pack(zeros, sizeof zeros, 66);
    scratch_write(scratch_path("a"), packed, packed_size);
    ck_assert_msg(sa_file_read(&file, scratch_path("a"), SA_FILE_LIMIT, &error), "%s", error.text);
    ck_assert_uint_eq(file.size, 66 << 20);
    sa_file_release(&file);
}
END_TEST

/* A small file may be packed as densely as gzip can: a thousand zeros in a byte. */
START_TEST(the_ratio_alone_makes_no_bomb) {
    static const char zeros[4 << 20];
    level = 9;
    pack(zeros, sizeof zeros, 1);
    ck_assert_uint_lt(packed_size, sizeof zeros / 900);
    scratch_write(scratch_path("a"), packed, packed_size);
    expect(scratch_path("a"), zeros, sizeof zeros);
}
END_TEST

/* The end is missing just where the output buffer is full: two stored blocks of 65536 bytes in
 * total, and then nothing. */
START_TEST(truncated_gzip_is_refused_where_the_room_ends) {
    static const unsigned char head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0xff, 0xff, 0, 0};
    static const unsigned char more[] = {0, 1, 0, 0xfe, 0xff, 'x'};
    const size_t size = sizeof head + 0xffff + sizeof more;
    memset(packed, 'x', size);
    memcpy(packed, head, sizeof head);
    memcpy(packed + size - sizeof more, more, sizeof more);
    scratch_write(scratch_path("a"), packed, size);
    refuse(scratch_path("a"), SA_FILE_LIMIT, SA_DATA, "", ": gzip: unexpected end of file");
}
END_TEST

START_TEST(truncated_gzip_is_refused_wherever_it_ends) {
    const char *path = scratch_path("a");
    pack(verse, sizeof verse - 1, 1);
    for (size_t size = 2; size < packed_size; size++) {
        scratch_write(path, packed, size);
        refuse(path, SA_FILE_LIMIT, SA_DATA, "", ": gzip: unexpected end of file");
    }
}
END_TEST

/* With any bit flipped the file is refused, or the bit does not matter (the time in the header, the
 * padding of the last byte) and the text is complete. */
START_TEST(altered_gzip_never_changes_the_text) {
    const char *path = scratch_path("a");
    pack(verse, sizeof verse - 1, 1);
    size_t refused = 0;
    for (size_t bit = 8 * 2; bit < 8 * packed_size; bit++) {
        sa_file file;
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
        scratch_write(path, packed, packed_size);
        if (sa_file_read(&file, path, SA_FILE_LIMIT, &error)) {
            ck_assert_uint_eq(file.size, sizeof verse - 1);
            ck_assert_mem_eq(file.data, verse, sizeof verse - 1);
            sa_file_release(&file);
        } else {
            refused++;
            ck_assert_int_eq(error.code, SA_DATA);
        }
        packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    ck_assert_uint_ge(refused, 8 * (packed_size - 10) - 7);
    packed[packed_size - 8] ^= 1;
    scratch_write(path, packed, packed_size);
    refuse(path, SA_FILE_LIMIT, SA_DATA, "", ": gzip: incorrect data check");
}
END_TEST

START_TEST(garbage_behind_gzip_is_refused) {
    const char *path = scratch_path("a");
    pack(verse, sizeof verse - 1, 1);
    const char *const tails[] = {"x", "garbage", "\x1f", "\x1fz"};
    const size_t end = packed_size;
    for (size_t i = 0; i < 4; i++) {
        strcpy((char *)packed + end, tails[i]);
        scratch_write(path, packed, end + strlen(tails[i]));
        refuse(path, SA_FILE_LIMIT, SA_DATA, "", ": gzip: garbage after the end");
    }
    packed[end] = 0; /* padding is garbage, too */
    scratch_write(path, packed, end + 1);
    refuse(path, SA_FILE_LIMIT, SA_DATA, "", ": gzip: garbage after the end");
}
END_TEST

START_TEST(unpacked_bytes_count_for_the_limit) {
    const char *path = scratch_path("a");
    sa_file file;
    pack(verse, sizeof verse - 1, 20);
    scratch_write(path, packed, packed_size);
    ck_assert_uint_lt(packed_size, 200);
    ck_assert(sa_file_read(&file, path, 20 * (sizeof verse - 1), &error));
    sa_file_release(&file);
    ck_assert(!sa_file_read(&file, path, 1000, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.text, "unpacks to more than"));
}
END_TEST

START_TEST(a_gzip_bomb_is_refused) {
    const char *path = scratch_path("a");
    static const char zeros[1 << 20];
    sa_file file;
    pack(zeros, sizeof zeros, 66);
    scratch_write(path, packed, packed_size);
    ck_assert(!sa_file_read(&file, path, SA_FILE_LIMIT, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.text, "unpacks to more than"));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("gzip", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, gzip_is_known_by_its_bytes);
    tcase_add_test(tests, gzip_members_are_joined);
    tcase_add_test(tests, gzip_without_memory_for_it);
    tcase_add_test(tests, large_gzip_is_read_whole);
    tcase_add_test(tests, the_size_alone_makes_no_bomb);
    tcase_add_test(tests, the_ratio_alone_makes_no_bomb);
    tcase_add_test(tests, truncated_gzip_is_refused_where_the_room_ends);
    tcase_add_test(tests, truncated_gzip_is_refused_wherever_it_ends);
    tcase_add_test(tests, altered_gzip_never_changes_the_text);
    tcase_add_test(tests, garbage_behind_gzip_is_refused);
    tcase_add_test(tests, unpacked_bytes_count_for_the_limit);
    tcase_add_test(tests, a_gzip_bomb_is_refused);
    return suite_run(suite);
}
