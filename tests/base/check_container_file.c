/* Paths that are not containers, files that change, and files that cannot be read. */
#include "base/container.h"
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/system_failures.h"

static const sa_tensor tensors[] = {
    {"text", SA_U8, 1, {3}, "a\nb", 0},
    {"step", SA_I64, 1, {1}, &(const int64_t){-7}, 0},
};
static const sa_metadata texts[] = {{"settings", "{\"lr\": 1}\n"}, {"note", "é"}};

static bool write_it(sa_error *error) {
    return sa_container_write(scratch_path("m"), tensors, 2, texts, 2, error);
}

static void write_sample(void) {
    sa_error error;
    ck_assert_msg(write_it(&error), "%s", error.text);
}

#define BYTES(text) text, sizeof text - 1

static void expect_unopened(const char *name, sa_code code, const char *text) {
    sa_error error;
    sa_container container;
    ck_assert_msg(!sa_container_open(&container, scratch_path(name), &error), "%s", name);
    ck_assert_int_eq(error.code, code);
    ck_assert_msg(strstr(error.text, text) && strstr(error.text, scratch_path(name)), "%s",
                  error.text);
}

START_TEST(test_open) {
    expect_unopened("missing", SA_OPEN, "No such file or directory");
    ck_assert_int_eq(mkdir(scratch_path("folder"), 0777), 0);
    expect_unopened("folder", SA_OPEN, "not a regular file");
    ck_assert_int_eq(mkfifo(scratch_path("pipe"), 0666), 0);
    expect_unopened("pipe", SA_OPEN, "not a regular file");
    scratch_write(scratch_path("empty"), "", 0);
    expect_unopened("empty", SA_DATA, "truncated: the file has only 0 bytes");
    scratch_write(scratch_path("sparse"), BYTES("\2\0\0\0\0\0\0\0{}"));
    ck_assert_int_eq(truncate(scratch_path("sparse"), (off_t)1 << 40), 0);
    expect_unopened("sparse", SA_LIMIT, "larger than 4294967296 bytes");
    write_sample();
    ck_assert_int_eq(truncate(scratch_path("m"), 200), 0);
    expect_unopened("m", SA_DATA, "truncated: ");
}
END_TEST

/* Long enough for a header's length, too short for the first bytes of some formats. */
START_TEST(test_other_programs) {
    static const struct {
        const char *bytes, *what;
    } rows[] = {
        {"version h", "not a safetensors file but text"},
        {"version https://git-lfs", "not a safetensors file but a Git LFS pointer"},
        {"a\x01 text?...", "not a safetensors file"},
        {"a text\x7f?...", "not a safetensors file"},
        {"a text\xf5?...", "not a safetensors file"},
        {"\n\r\tété, text", "not a safetensors file but text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scratch_write(scratch_path("m"), rows[i].bytes, strlen(rows[i].bytes));
        expect_unopened("m", SA_DATA, rows[i].what);
    }
}
END_TEST

/* The head is read first (once), then all (once more). */
START_TEST(test_failing_reads) {
    static const struct {
        const char *call;
        int when, reason;
        sa_code code;
        const char *text;
    } rows[] = {
        {"pread", 1, EIO, SA_IO, "cannot read '"},
        {"pread", 1, 0, SA_DATA, ": became shorter while it was read"},
        {"pread", 2, EIO, SA_IO, "cannot read '"},
        {"pread", 2, 0, SA_DATA, ": became shorter while it was read"},
        {"fstat", 1, EIO, SA_OPEN, ": not a regular file"},
        {"fstat", 2, EIO, SA_IO, "cannot read '"},
        {"fstat", 2, 0, SA_DATA, ": changed while it was read"},
    };
    write_sample();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        plan_failure(rows[i].call, rows[i].when, rows[i].reason);
        expect_unopened("m", rows[i].code, rows[i].text);
    }
    sa_error error;
    sa_container container;
    plan_failure("pread", 1, EINTR); /* an interrupt is not a failure */
    ck_assert(sa_container_open(&container, scratch_path("m"), &error));
    sa_container_close(&container);
}
END_TEST

static bool open_it(sa_error *error) {
    sa_container container;
    if (!sa_container_open(&container, scratch_path("m"), error)) return false;
    const bool whole = container.count == 2; /* else the error, which is none, is looked at */
    sa_container_close(&container);
    return whole;
}

START_TEST(test_no_memory) {
    ck_assert_int_eq(fail_allocations(write_it), 0);
    ck_assert_int_eq(fail_allocations(open_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("container_file", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, test_open);
    tcase_add_test(tests, test_other_programs);
    tcase_add_test(tests, test_failing_reads);
    tcase_add_test(tests, test_no_memory);
    return suite_run(suite);
}
