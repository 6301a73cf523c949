/* Reading files: limits, failures, lines. */
#include "support/file_reading.h"
#include "support/memory_failures.h"
#include "support/suite.h"
#include "support/system_failures.h"

#include <sys/wait.h>

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
    refuse("/dev/zero", 9, SA_LIMIT, "", ": larger than 9 bytes");
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

START_TEST(a_read_that_fails_says_why) {
    const char *path = scratch_path("a");
    scratch_write(path, "text", 4);
    plan_failure("read", 1, EIO);
    refuse(path, 9, SA_IO, "cannot read '", "': Input/output error");
    plan_failure("read", 2, EIO); /* at the end of the file */
    refuse(path, 9, SA_IO, "cannot read '", "': Input/output error");
    plan_failure("read", 1, EINTR); /* an interrupt is not a failure */
    expect(path, "text", 4);
    plan_failure("fstat", 1, EIO); /* a file of unknown type is read */
    expect(path, "text", 4);
}
END_TEST

START_TEST(a_file_is_missing_when_nothing_has_its_name) {
    const char *path = scratch_path("a");
    ck_assert(sa_file_missing(path));
    scratch_write(path, "", 0);
    ck_assert(!sa_file_missing(path));
    ck_assert(sa_file_missing(scratch_path("a/b")));
    ck_assert_int_eq(symlink("round", scratch_path("round")), 0);
    ck_assert(!sa_file_missing(scratch_path("round"))); /* something exists */
}
END_TEST

START_TEST(a_file_without_memory_for_it) {
    scratch_write(scratch_path("a"), "text", 4);
    ck_assert_int_eq(fail_allocations(read_it), 0);
}
END_TEST

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool next(sa_text_lines *lines, const char *expected) {
    const bool more = sa_lines_next(lines, &error);
    ck_assert(!(more && lines->failed));
    if (more) {
        ck_assert_str_eq(lines->line, expected);
        ck_assert_uint_eq(lines->size, strlen(expected));
    }
    return more || lines->failed;
}

START_TEST(lines_end_in_lf_or_crlf_or_the_file) {
    char text[] = "one\n\ntwo\r\n\r\n three ";
    sa_text_lines lines = {.file = {text, sizeof text - 1, "a"}};
    static const char *const expected[] = {"one", "", "two", "", " three "};
    for (size_t i = 0; i < 5; i++) {
        ck_assert(next(&lines, expected[i]));
        ck_assert_uint_eq(lines.number, i + 1);
    }
    ck_assert(!next(&lines, ""));
    char last[] = "end\r";
    lines = (sa_text_lines){.file = {last, 4, "a"}};
    ck_assert(next(&lines, "end"));
    ck_assert(!next(&lines, ""));
    lines.file.size = 0;
    lines.at = 0;
    ck_assert(!next(&lines, ""));
}
END_TEST

/* Wider spaces are no line ends. */
START_TEST(unicode_line_separators_split_nothing) {
    char text[] = "a\xe2\x80\xa8"
                  "b\xe2\x80\xa9"
                  "c\xc2\x85\x0b\x0c\x1e\n";
    sa_text_lines lines = {.file = {text, sizeof text - 1, "a"}};
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
        sa_text_lines lines = {.file = {text, rows[i].size, "a"}};
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
    sa_text_lines lines = {.file = {text, SA_LINE_LIMIT + 2, "a"}};
    ck_assert(next(&lines, ""));
    ck_assert(sa_lines_next(&lines, &error));
    ck_assert_uint_eq(lines.size, SA_LINE_LIMIT);
    text[SA_LINE_LIMIT + 1] = 'x';
    text[SA_LINE_LIMIT + 2] = '\n';
    lines.file.size++;
    lines.at = lines.number = 1;
    ck_assert(!sa_lines_next(&lines, &error));
    ck_assert(lines.failed);
    ck_assert_str_eq(error.text, "a:2: line longer than 1048576 bytes");
    ck_assert_int_eq(error.code, SA_LIMIT);
}
END_TEST

/* Where a path leads, whether or not there is something. */
START_TEST(test_resolved_paths) {
    char folder[128], wanted[192];
    ck_assert_int_eq(mkdir(scratch_path("a"), 0777), 0);
    ck_assert_int_eq(symlink("a", scratch_path("link")), 0);
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_ptr_nonnull(getcwd(folder, sizeof folder));
    static const char *const rows[][2] = {{"a/", "/a"},           {"link", "/a"},
                                          {"link/new", "/a/new"}, {"./a/../new/file", "/new/file"},
                                          {"new", "/new"},        {".", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *path = sa_path_resolve(rows[i][0], &error);
        snprintf(wanted, sizeof wanted, "%s%s", folder, rows[i][1]);
        ck_assert_str_eq(path, wanted);
        free(path);
    }
    char *absent = sa_path_resolve("/nothing-has-this-name", &error);
    ck_assert_str_eq(absent, "/nothing-has-this-name");
    free(absent);
    ck_assert(sa_file_same("a", "./link") && !sa_file_same("a", ".") && !sa_file_same("x", "x"));
    ck_assert_int_eq(chdir("a"), 0);
    ck_assert_int_eq(rmdir("../a"), 0);
    char *path = sa_path_resolve("x", &error); /* in a folder that is gone */
    ck_assert_str_eq(path, "./x");
    free(path);
}
END_TEST

static bool resolve_it(sa_error *why) {
    char *path = sa_path_resolve(scratch_path("none/nothing/x"), why);
    const bool good = path;
    if (good) ck_assert_str_eq(path + strlen(path) - strlen("/none/nothing/x"), "/none/nothing/x");
    free(path);
    return good;
}

START_TEST(paths_without_memory_for_them) {
    ck_assert_int_eq(fail_allocations(resolve_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("file", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, test_resolved_paths);
    tcase_add_test(tests, paths_without_memory_for_them);
    tcase_add_test(tests, files_are_read_whole);
    tcase_add_test(tests, what_cannot_be_opened_says_why);
    tcase_add_test(tests, a_forbidden_file_says_so);
    tcase_add_test(tests, limits_hold);
    tcase_add_test(tests, standard_input_is_a_dash);
    tcase_add_test(tests, a_read_that_fails_says_why);
    tcase_add_test(tests, a_file_is_missing_when_nothing_has_its_name);
    tcase_add_test(tests, a_file_without_memory_for_it);
    tcase_add_test(tests, lines_end_in_lf_or_crlf_or_the_file);
    tcase_add_test(tests, unicode_line_separators_split_nothing);
    tcase_add_test(tests, broken_lines_are_named);
    tcase_add_test(tests, endless_lines_are_refused);
    return suite_run(suite);
}
