/* Paths that are not containers, files that change, and files that cannot be read. */
#include "base/container.h"
#include "base/rng.h"
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
    ck_assert_msg(!sa_container_open(&container, scratch_path(name), 1, NULL, &error), "%s", name);
    ck_assert_int_eq(error.code, code);
    ck_assert_msg(strstr(error.text, text) && strstr(error.text, scratch_path(name)), "%s",
                  error.text);
}

/* Every model that the program holds opens as its file does, and the copy is the caller's. */
START_TEST(test_builtin) {
    sa_error error;
    sa_container container;
    for (const sa_builtin *model = sa_builtins; model->name; model++) {
        char path[64];
        snprintf(path, sizeof path, SA_BUILTIN "%s", model->name);
        ck_assert_msg(sa_container_open(&container, path, 1, NULL, &error), "%s", error.text);
        ck_assert_uint_eq(container.size, model->size);
        ck_assert_ptr_ne(container.memory, model->bytes);
        ck_assert_ptr_nonnull(sa_container_find(&container, "target.words"));
        sa_container_close(&container);
    }
    ck_assert(!sa_container_open(&container, SA_BUILTIN "phrase", 1, NULL, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_str_eq(error.text, "cannot open 'builtin:phrase': 'softalign models' lists the names "
                                 "(did you mean 'phrases'?)");
}
END_TEST

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

/* The head is read first (once), then the rest (once more). */
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
    ck_assert(sa_container_open(&container, scratch_path("m"), 1, NULL, &error));
    sa_container_close(&container);
}
END_TEST

/* Files whose data several threads read in parts of 4 MiB, with the last four bytes, the checksum,
 * on either side of a boundary. */
START_TEST(test_parts) {
    enum { PART = 1 << 22, PARTS = 3, SUM = 4 };
    static const int beyond[] = {0, 1, 3, 4, 5, 4096};
    static char bytes[PARTS * PART + 4096];
    sa_rng rng = sa_rng_seed(7, 0);
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)sa_rng_below(&rng, 256);
    const char *path = scratch_path("m");
    sa_error error;
    sa_container container;
    sa_tensor tensor = {"data", SA_U8, 1, {PARTS * PART - 4096}, bytes, 0};
    ck_assert(sa_container_write(path, &tensor, 1, NULL, 0, &error));
    ck_assert(sa_container_open(&container, path, 1, NULL, &error));
    const int around = (int)container.size - tensor.shape[0];
    sa_container_close(&container);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        tensor.shape[0] = PARTS * PART + beyond[i] - SUM;
        ck_assert(sa_container_write(path, &tensor, 1, NULL, 0, &error));
        for (int threads = 1; threads <= 3; threads++) {
            ck_assert_msg(sa_container_open(&container, path, threads, NULL, &error), "%s",
                          error.text);
            ck_assert_uint_eq(container.size, (size_t)(tensor.shape[0] + around));
            ck_assert_mem_eq(sa_container_find(&container, "data")->data, bytes,
                             (size_t)tensor.shape[0]);
            sa_container_close(&container);
        }
    }
}
END_TEST

static bool has_no_x(const void *piece, size_t size) {
    return !memchr(piece, 'x', size);
}

/* Each piece of the data is checked once, by the thread that reads it; the header is not. */
START_TEST(test_pieces) {
    enum { PIECE = SA_CONTAINER_PIECE, PIECES = 40 };
    static const int odd[] = {0, 1, 15, 16, 31, 39};
    static char bytes[PIECES * PIECE];
    const char *path = scratch_path("m");
    sa_error error;
    sa_container container;
    sa_tensor tensor = {"xxx", SA_U8, 1, {PIECES * PIECE - 100}, bytes, 0};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        bytes[odd[i] * PIECE + (i % 2 ? 0 : PIECE - 101)] = 'x';
    ck_assert(sa_container_write(path, &tensor, 1, NULL, 0, &error));
    for (int threads = 1; threads <= 3; threads++) {
        ck_assert(sa_container_open(&container, path, threads, has_no_x, &error));
        for (int i = 0, next = 0; i < PIECES; i++) {
            const bool expected = i == odd[next];
            ck_assert_int_eq(container.odd[i], expected);
            next += expected && i < PIECES - 1;
        }
        sa_container_close(&container);
    }
    ck_assert(sa_container_open(&container, path, 1, NULL, &error));
    ck_assert_ptr_null(container.odd);
    sa_container_close(&container);
}
END_TEST

static bool open_it(sa_error *error) {
    sa_container container;
    if (!sa_container_open(&container, scratch_path("m"), 1, NULL, error)) return false;
    const bool whole = container.count == 2; /* else the error, which is none, is looked at */
    sa_container_close(&container);
    return whole;
}

static char *sample;
static size_t sample_size;

static bool copy_it(sa_error *error) {
    sa_container container;
    if (!sa_container_read_copy(&container, "m", sample, sample_size, error)) return false;
    const bool whole = container.count == 2;
    sa_container_close(&container);
    return whole;
}

/* A copy that cannot be made, and one of damaged bytes, which is not kept. */
START_TEST(test_copies) {
    sa_error error;
    sa_container container;
    write_sample();
    sample = scratch_read(scratch_path("m"), &sample_size);
    ck_assert_int_eq(fail_allocations(copy_it), 0);
    sample[sample_size - 1] ^= 1;
    ck_assert(!sa_container_read_copy(&container, "m", sample, sample_size, &error));
    ck_assert_int_eq(error.code, SA_DATA);
    ck_assert_ptr_null(container.memory);
    free(sample);
}
END_TEST

START_TEST(test_no_memory) {
    ck_assert_int_eq(fail_allocations(write_it), 0);
    ck_assert_int_eq(fail_allocations(open_it), 0);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("container_file", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, test_builtin);
    tcase_add_test(tests, test_open);
    tcase_add_test(tests, test_other_programs);
    tcase_add_test(tests, test_failing_reads);
    tcase_add_test(tests, test_parts);
    tcase_add_test(tests, test_pieces);
    tcase_add_test(tests, test_copies);
    tcase_add_test(tests, test_no_memory);
    return suite_run(suite);
}
