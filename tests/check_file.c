/* Reading files: gzip, limits, lines. */
#include "base/file.h"
#include "support/scratch.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

static sa_error error;

/* Reads the file and expects these bytes. */
static void expect(const char *path, const char *bytes, size_t size) {
    sa_file file;
    ck_assert_msg(sa_file_read(&file, path, SA_FILE_LIMIT, &error), "%s", error.text);
    ck_assert_uint_eq(file.size, size);
    ck_assert_mem_eq(file.data, bytes, size);
    ck_assert_int_eq(file.data[size], 0);
    sa_file_release(&file);
    ck_assert_ptr_null(file.data);
}

/* Reads the file and expects a failure whose text begins with `before`, the path and `after`. */
static void refuse(const char *path, size_t limit, sa_code code, const char *before,
                   const char *after) {
    char text[256];
    sa_file file;
    snprintf(text, sizeof text, "%s%s%s", before, path, after);
    error = (sa_error){0};
    ck_assert(!sa_file_read(&file, path, limit, &error));
    ck_assert_ptr_null(file.data);
    ck_assert_str_eq(error.text, text);
    ck_assert_int_eq(error.code, code);
}

/* ---- Opening --------------------------------------------------------------------------------- */

START_TEST(files_are_read_whole) {
    const char *path = scratch_path("a");
    scratch_write(path, "", 0);
    expect(path, "", 0);
    scratch_write(path, "one\ntwo", 7);
    expect(path, "one\ntwo", 7);
    static char large[300000];
    for (size_t i = 0; i < sizeof large; i++) large[i] = (char)(i * 7);
    scratch_write(path, large, sizeof large);
    expect(path, large, sizeof large);
    expect("/dev/null", "", 0);
}
END_TEST

START_TEST(what_cannot_be_opened_says_why) {
    refuse(scratch_path("none"), 9, SA_OPEN, "cannot open '", "': No such file or directory");
    refuse(scratch, 9, SA_OPEN, "cannot open '", "': Is a directory");
    const char *path = scratch_path("a");
    ck_assert_int_eq(symlink("nowhere", path), 0);
    refuse(path, 9, SA_OPEN, "cannot open '", "': No such file or directory");
}
END_TEST

START_TEST(a_forbidden_file_says_so) {
    const char *path = scratch_path("a");
    const bool root = geteuid() == 0;
    scratch_write(path, "x", 1);
    ck_assert_int_eq(chmod(path, 0), 0);
    if (root) ck_assert_int_eq(seteuid(65534), 0);
    refuse(path, 9, SA_OPEN, "cannot open '", "': Permission denied");
    if (root) ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

START_TEST(limits_hold) {
    const char *path = scratch_path("a");
    scratch_write(path, "0123456789", 10);
    sa_file file;
    ck_assert(sa_file_read(&file, path, 10, &error));
    sa_file_release(&file);
    refuse(path, 9, SA_LIMIT, "", ": larger than 9 bytes");
    refuse("/dev/zero", SA_FILE_LIMIT, SA_LIMIT, "", ": larger than 1048576 bytes");
}
END_TEST

/* Standard input through a pipe, more than it holds at once. */
START_TEST(standard_input_is_a_dash) {
    int ends[2];
    static char bytes[200000];
    memset(bytes, 'x', sizeof bytes);
    ck_assert_int_eq(pipe(ends), 0);
    const pid_t writer = fork();
    if (writer == 0) {
        const ssize_t sent = write(ends[1], bytes, sizeof bytes);
        _exit(sent != sizeof bytes);
    }
    close(ends[1]);
    ck_assert_int_ge(dup2(ends[0], STDIN_FILENO), 0);
    sa_file file;
    ck_assert(sa_file_read(&file, "-", SA_FILE_LIMIT, &error));
    ck_assert_str_eq(file.name, "standard input");
    ck_assert_uint_eq(file.size, sizeof bytes);
    ck_assert_mem_eq(file.data, bytes, sizeof bytes);
    sa_file_release(&file);
    int status;
    ck_assert_int_eq(waitpid(writer, &status, 0), writer);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- gzip ------------------------------------------------------------------------------------ */

static unsigned char packed[1 << 17];
static size_t packed_size;

/* Appends a gzip member of the text, `times` over. */
static void pack(const char *text, size_t size, size_t times) {
    z_stream stream = {0};
    ck_assert_int_eq(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
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

START_TEST(truncated_gzip_is_refused_wherever_it_ends) {
    const char *path = scratch_path("a");
    pack(verse, sizeof verse - 1, 1);
    for (size_t size = 2; size < packed_size; size++) {
        scratch_write(path, packed, size);
        refuse(path, SA_FILE_LIMIT, SA_DATA, "", ": gzip: unexpected end of file");
    }
}
END_TEST

/* Every bit is flipped: the file is refused, or the bit told nothing (the header's time, the last
 * byte's padding) and the text is whole. */
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

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool next(sa_lines *lines, const char *expected) {
    char *line;
    size_t size;
    bool failed = false;
    const bool more = sa_lines_next(lines, &line, &size, &failed, &error);
    ck_assert(!(more && failed));
    if (more) {
        ck_assert_str_eq(line, expected);
        ck_assert_uint_eq(size, strlen(expected));
    }
    return more || failed;
}

START_TEST(lines_end_in_lf_or_crlf_or_the_file) {
    char text[] = "one\n\ntwo\r\n\r\n three ";
    sa_file file = {text, sizeof text - 1, "a"};
    sa_lines lines = {.file = &file};
    static const char *const expected[] = {"one", "", "two", "", " three "};
    for (size_t i = 0; i < 5; i++) {
        ck_assert(next(&lines, expected[i]));
        ck_assert_uint_eq(lines.number, i + 1);
    }
    ck_assert(!next(&lines, ""));
    char last[] = "end\r";
    file = (sa_file){last, 4, "a"};
    lines = (sa_lines){.file = &file};
    ck_assert(next(&lines, "end"));
    ck_assert(!next(&lines, ""));
    file.size = 0;
    lines.at = 0;
    ck_assert(!next(&lines, ""));
}
END_TEST

/* Wider spaces are no line ends. */
START_TEST(unicode_line_separators_split_nothing) {
    char text[] = "a\xe2\x80\xa8"
                  "b\xe2\x80\xa9"
                  "c\xc2\x85\x0b\x0c\x1e\n";
    sa_file file = {text, sizeof text - 1, "a"};
    sa_lines lines = {.file = &file};
    ck_assert(next(&lines, "a\xe2\x80\xa8"
                           "b\xe2\x80\xa9"
                           "c\xc2\x85\x0b\x0c\x1e"));
    ck_assert(!next(&lines, ""));
}
END_TEST

START_TEST(broken_lines_are_named) {
    static const struct {
        const char *text;
        size_t size;
        const char *message;
    } rows[] = {
        {"ok\na\0b\n", 7, "a:2: NUL byte (is this text, in UTF-8?)"},
        {"ok\nold\rstyle\r", 13, "a:2: carriage return inside a line"},
        {"ok\nx\r\r\n", 7, "a:2: carriage return inside a line"},
    };
    for (size_t i = 0; i < 3; i++) {
        char text[32];
        memcpy(text, rows[i].text, rows[i].size + 1);
        sa_file file = {text, rows[i].size, "a"};
        sa_lines lines = {.file = &file};
        ck_assert(next(&lines, "ok"));
        error = (sa_error){0};
        ck_assert(next(&lines, ""));
        ck_assert_str_eq(error.text, rows[i].message);
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

START_TEST(endless_lines_are_refused) {
    static char text[SA_LINE_LIMIT + 4];
    memset(text, 'x', sizeof text);
    text[0] = '\n';
    text[SA_LINE_LIMIT + 1] = '\n';
    sa_file file = {text, SA_LINE_LIMIT + 2, "a"};
    sa_lines lines = {.file = &file};
    char *line;
    size_t size = 0;
    bool failed = false;
    ck_assert(next(&lines, ""));
    ck_assert(sa_lines_next(&lines, &line, &size, &failed, &error));
    ck_assert_uint_eq(size, SA_LINE_LIMIT);
    text[SA_LINE_LIMIT + 1] = 'x';
    text[SA_LINE_LIMIT + 2] = '\n';
    file.size++;
    lines = (sa_lines){.file = &file, .at = 1, .number = 1};
    ck_assert(!sa_lines_next(&lines, &line, &size, &failed, &error));
    ck_assert(failed);
    ck_assert_str_eq(error.text, "a:2: line longer than 1048576 bytes");
    ck_assert_int_eq(error.code, SA_LIMIT);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("file");
    TCase *reading = tcase_create("reading");
    tcase_add_checked_fixture(reading, scratch_make, scratch_remove);
    tcase_add_test(reading, files_are_read_whole);
    tcase_add_test(reading, what_cannot_be_opened_says_why);
    tcase_add_test(reading, a_forbidden_file_says_so);
    tcase_add_test(reading, limits_hold);
    tcase_add_test(reading, standard_input_is_a_dash);
    suite_add_tcase(suite, reading);

    TCase *gzip = tcase_create("gzip");
    tcase_add_checked_fixture(gzip, scratch_make, scratch_remove);
    tcase_add_test(gzip, gzip_is_known_by_its_bytes);
    tcase_add_test(gzip, gzip_members_are_joined);
    tcase_add_test(gzip, truncated_gzip_is_refused_wherever_it_ends);
    tcase_add_test(gzip, altered_gzip_never_changes_the_text);
    tcase_add_test(gzip, garbage_behind_gzip_is_refused);
    tcase_add_test(gzip, unpacked_bytes_count_for_the_limit);
    tcase_add_test(gzip, a_gzip_bomb_is_refused);
    suite_add_tcase(suite, gzip);

    TCase *lines = tcase_create("lines");
    tcase_add_checked_fixture(lines, scratch_make, scratch_remove);
    tcase_add_test(lines, lines_end_in_lf_or_crlf_or_the_file);
    tcase_add_test(lines, unicode_line_separators_split_nothing);
    tcase_add_test(lines, broken_lines_are_named);
    tcase_add_test(lines, endless_lines_are_refused);
    suite_add_tcase(suite, lines);

    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
