/* Saving: the new file is complete, or the old one is unchanged. */
#include "base/file.h"
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/system_failures.h"

#include <signal.h>
#include <sys/resource.h>
#include <zlib.h>

/* ---- Saving ---------------------------------------------------------------------------------- */

static const sa_chunk new_bytes[] = {{"new", 3}, {NULL, 0}, {" bytes", 6}};

static bool save(const char *path, sa_error *error) {
    return sa_save(path, new_bytes, 3, error);
}

static void expect_content(const char *path, const char *content) {
    size_t size;
    char *bytes = scratch_read(path, &size);
    ck_assert_str_eq(bytes, content);
    ck_assert_uint_eq(size, strlen(content));
    free(bytes);
}

static mode_t mode_of(const char *path) {
    struct stat about;
    ck_assert_int_eq(lstat(path, &about), 0);
    return about.st_mode;
}

START_TEST(test_modes) {
    sa_error error;
    umask(027);
    const char *path = scratch_path("x");
    ck_assert(save(path, &error));
    expect_content(path, "new bytes");
    ck_assert_uint_eq(mode_of(path), S_IFREG | 0640);
    ck_assert_int_eq(chmod(path, 0606), 0);
    ck_assert(save(path, &error));
    ck_assert_uint_eq(mode_of(path), S_IFREG | 0606);
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

START_TEST(test_relative_path) {
    sa_error error;
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert(save("x", &error));
    expect_content(scratch_path("x"), "new bytes");
}
END_TEST

/* A hard link is another name of the old file; a symbolic link leads to the file that is replaced,
 * in its own folder, or made. */
START_TEST(test_links) {
    sa_error error;
    scratch_write(scratch_path("old"), "old", 3);
    ck_assert_int_eq(link(scratch_path("old"), scratch_path("hard")), 0);
    ck_assert(save(scratch_path("hard"), &error));
    expect_content(scratch_path("old"), "old");
    ck_assert_int_eq(mkdir(scratch_path("far"), 0777), 0);
    scratch_write(scratch_path("far/file"), "old", 3);
    ck_assert_int_eq(chmod(scratch_path("far/file"), 0640), 0);
    ck_assert_int_eq(symlink("file", scratch_path("far/second")), 0);
    ck_assert_int_eq(symlink("far/second", scratch_path("first")), 0);
    ck_assert(save(scratch_path("first"), &error));
    ck_assert_uint_eq(mode_of(scratch_path("first")) & S_IFMT, S_IFLNK);
    ck_assert_uint_eq(mode_of(scratch_path("far/second")) & S_IFMT, S_IFLNK);
    ck_assert_uint_eq(mode_of(scratch_path("far/file")), S_IFREG | 0640);
    expect_content(scratch_path("far/file"), "new bytes");
    ck_assert_int_eq(symlink(scratch_path("far/new"), scratch_path("dangling")), 0);
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert(save("dangling", &error));
    expect_content(scratch_path("far/new"), "new bytes");
    ck_assert_int_eq(scratch_files(), 5);
}
END_TEST

START_TEST(test_loop_of_links) {
    sa_error error;
    char wanted[256];
    ck_assert_int_eq(symlink("b", scratch_path("a")), 0);
    ck_assert_int_eq(symlink("a", scratch_path("b")), 0);
    ck_assert(!save(scratch_path("a"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    snprintf(wanted, sizeof wanted, "cannot open '%s': Too many levels of symbolic links",
             scratch_path("a"));
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(scratch_files(), 2);
}
END_TEST

/* A folder's path that is too long, and a link that leads to one. */
START_TEST(test_long_paths) {
    enum { LONG = 5000, NEARLY = 4050 };
    sa_error error;
    char path[LONG + 1], target[101];
    memset(path, 'x', LONG);
    path[LONG] = 0, path[LONG - 2] = '/';
    ck_assert(!save(path, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    memset(target, 'x', 100);
    target[100] = 0;
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_int_eq(symlink(target, "link"), 0);
    for (int i = 0; i < NEARLY; i += 2) memcpy(path + i, "./", 2);
    memcpy(path + NEARLY, "link", 5);
    ck_assert(!save(path, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_int_eq(scratch_files(), 1);
    ck_assert(save("link", &error));
}
END_TEST

/* A file that is open already goes on where it is. */
START_TEST(test_descriptors) {
    sa_error error;
    char path[64];
    scratch_write(scratch_path("open"), "", 0);
    const int fd = open(scratch_path("open"), O_WRONLY);
    ck_assert_int_eq(write(fd, "1 ", 2), 2);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    ck_assert_int_eq(symlink(path, scratch_path("link")), 0);
    ck_assert(save(path, &error) && save(scratch_path("link"), &error));
    ck_assert_int_eq(write(fd, " 2", 2), 2);
    close(fd);
    expect_content(scratch_path("open"), "1 new bytesnew bytes 2");
    ck_assert(!save(path, &error));
}
END_TEST

/* Their names are numbers, but they lead to no descriptor. */
START_TEST(test_links_with_numbers) {
    static const char *const names[] = {"1", "-1", "4294967297"};
    sa_error error;
    const char *link = scratch_path(names[_i]);
    ck_assert_int_eq(symlink("file", link), 0);
    ck_assert_msg(save(link, &error), "%s", error.text);
    expect_content(scratch_path("file"), "new bytes");
    ck_assert_uint_eq(mode_of(link) & S_IFMT, S_IFLNK);
    ck_assert_int_eq(scratch_files(), 2);
}
END_TEST

/* The number that the next file gets stays. */
START_TEST(test_closed) {
    static const char *const names[] = {"a", "b"};
    sa_error error;
    scratch_write(scratch_path("a"), "", 0);
    const int before = open("/dev/null", O_RDONLY);
    close(before);
    ck_assert(save(scratch_path("c"), &error));
    ck_assert(!save("/nowhere/c", &error));
    ck_assert(sa_directory_remove(scratch, names, 2, &error));
    ck_assert(!sa_directory_remove("/nowhere", names, 2, &error));
    const int after = open("/dev/null", O_RDONLY);
    close(after);
    ck_assert_int_eq(after, before);
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

/* Without standard input the folder gets its number, 0. */
START_TEST(test_number_of_standard_input) {
    sa_error error;
    const int input = dup(STDIN_FILENO);
    ck_assert(input > 0 && close(STDIN_FILENO) == 0);
    const bool good = save(scratch_path("c"), &error);
    ck_assert_int_eq(open("/dev/null", O_RDONLY), STDIN_FILENO); /* it was closed again */
    ck_assert(dup2(input, STDIN_FILENO) == STDIN_FILENO && close(input) == 0);
    ck_assert_msg(good, "%s", error.text);
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

START_TEST(test_no_place) {
    sa_error error;
    char wanted[256];
    const char *folder = scratch_path("folder");
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    ck_assert(!save(folder, &error));
    ck_assert_int_eq(error.code, SA_IO);
    snprintf(wanted, sizeof wanted, "cannot write '%s': Is a directory", folder);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(scratch_files(), 1);

    ck_assert(!save(scratch_path("missing/x"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    snprintf(wanted, sizeof wanted, "cannot open '%s': No such file or directory",
             scratch_path("missing/"));
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

START_TEST(test_hesitant_write) {
    sa_error error;
    hesitant = true;
    bool good = save(scratch_path("x"), &error);
    hesitant = false;
    ck_assert(good);
    expect_content(scratch_path("x"), "new bytes");
}
END_TEST

/* After a failed save the old file is unchanged, and no temporary file or descriptor remains. */
static void expect_failure(const char *reason) {
    sa_error error;
    char wanted[256];
    const char *path = scratch_path("x");
    int files = open_files();
    bool good = save(path, &error);
    plan.call = NULL;
    ck_assert_msg(!good, "%s", reason);
    ck_assert_int_eq(error.code, SA_IO);
    snprintf(wanted, sizeof wanted, "cannot write '%s': %s", path, reason);
    ck_assert_str_eq(error.text, wanted);
    expect_content(path, "old");
    ck_assert_int_eq(scratch_files(), 1);
    ck_assert_int_eq(open_files(), files);
}

START_TEST(test_failing_calls) {
    static const struct {
        const char *call;
        int when, reason;
        const char *text;
    } rows[] = {
        {"write", 1, ENOSPC, "No space left on device"},
        {"write", 2, EDQUOT, "Disk quota exceeded"},
        {"fsync", 1, EIO, "Input/output error"},
        {"close", 1, EIO, "Input/output error"},
        {"renameat", 1, EXDEV, "Invalid cross-device link"},
        {"openat", 1, EMFILE, "Too many open files"},
        {"fchmod", 1, EPERM, "Operation not permitted"},
        {"fcntl", 1, ENFILE, "Too many open files in system"}, /* to keep the lock */
    };
    scratch_write(scratch_path("x"), "old", 3);
    plan_failure(rows[_i].call, rows[_i].when, rows[_i].reason);
    expect_failure(rows[_i].text);
}
END_TEST

/* A temporary name that is taken, and a file system without locks. */
START_TEST(test_hindrances) {
    sa_error error;
    static const struct {
        const char *call;
        int reason;
    } rows[] = {{"openat", EEXIST}, {"flock", ENOLCK}, {"fstat", EIO}};
    plan_failure(rows[_i].call, 1, rows[_i].reason);
    const bool good = save(scratch_path("x"), &error);
    ck_assert_int_le(plan.when, 0);
    ck_assert_msg(good, "%s", error.text);
    expect_content(scratch_path("x"), "new bytes");
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

static bool save_it(sa_error *error) {
    return save(scratch_path("x"), error) && save("x", error);
}

START_TEST(test_no_memory) {
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert_int_eq(fail_allocations(save_it), 0);
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

START_TEST(test_folder_not_forced) {
    sa_error error;
    scratch_write(scratch_path("x"), "old", 3);
    plan_failure("fsync", 2, EIO);
    bool good = save(scratch_path("x"), &error);
    plan.call = NULL;
    ck_assert(!good);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "is saved, but may not survive a power cut"));
    expect_content(scratch_path("x"), "new bytes");
}
END_TEST

/* The temporary file of a killed save of this path, under the name that the next one tries first.
 */
static const char *leftover(const char *name) {
    static char path[64];
    snprintf(path, sizeof path, ".softalign-%016lx.tmp",
             crc32_z(0, (const unsigned char *)name, strlen(name)));
    return scratch_path(path);
}

START_TEST(test_forsaken) {
    sa_error error;
    scratch_write(leftover("x"), "half a", 6);
    scratch_write(leftover("y"), "half of another", 15);
    ck_assert_int_eq(chmod(leftover("x"), 0400), 0);
    ck_assert(save(scratch_path("x"), &error));
    expect_content(scratch_path("x"), "new bytes");
    ck_assert_int_eq(access(leftover("x"), F_OK), -1);
    expect_content(leftover("y"), "half of another");
    ck_assert_int_eq(scratch_files(), 2);
}
END_TEST

START_TEST(test_names_of_temporary_files) {
    static const char *const others[] = {
        "",
        ".softalign-.tmp",
        "xsoftalign-0123456789abcdef.tmp",
        ".softalign-0123456789abcdeF.tmp",
        ".softalign-g123456789abcdef.tmp",
        ".softalign-123456789abcdef.tmp",
        ".softalign-00123456789abcdef.tmp",
        ".softalign-0123456789abcdef.tmq",
    };
    ck_assert(sa_save_is_temporary(".softalign-0123456789abcdef.tmp"));
    ck_assert(sa_save_is_temporary(".softalign-ffffffffffffffff.tmp"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(!sa_save_is_temporary(others[i]), "%s", others[i]);
}
END_TEST

/* The file of a save in progress stays, and so does a foreign link. */
START_TEST(test_not_forsaken) {
    sa_error error;
    scratch_write(leftover("x"), "half a", 6);
    scratch_write(scratch_path("victim"), "old", 3);
    sa_directory_lock lock;
    int fd = open(leftover("x"), O_RDWR);
    ck_assert_int_eq(symlink("victim", leftover("y")), 0);
    ck_assert_int_eq(flock(fd, LOCK_SH), 0);
    ck_assert(save(scratch_path("x"), &error) && save(scratch_path("y"), &error));
    expect_content(leftover("x"), "half a");
    expect_content(scratch_path("victim"), "old");
    expect_content(scratch_path("x"), "new bytes");
    expect_content(scratch_path("y"), "new bytes");
    ck_assert_int_eq(scratch_files(), 5);
    ck_assert(sa_directory_lock_open(&lock, scratch, &error));
    expect_content(leftover("x"), "half a");
    sa_directory_lock_close(&lock);
    close(fd);
}
END_TEST

/* A file that may not be stale stays, and another name is used. */
START_TEST(test_perhaps_forsaken) {
    sa_error error;
    static const struct {
        const char *call;
        int when, reason;
    } rows[] = {{"flock", 1, ENOLCK},    {"fstat", 1, EIO},        {"fstatat", 2, EIO},
                {"fstat", 1, ODD_INODE}, {"fstat", 1, ODD_DEVICE}, {"unlinkat", 1, EPERM}};
    scratch_write(leftover("x"), "half a", 6);
    plan_failure(rows[_i].call, rows[_i].when, rows[_i].reason);
    ck_assert_msg(save(scratch_path("x"), &error), "%s", error.text);
    expect_content(scratch_path("x"), "new bytes");
    expect_content(leftover("x"), "half a");
    ck_assert_int_eq(scratch_files(), 2);
}
END_TEST

/* Another process takes the new file for a stale one, and is removing it or has removed it. */
START_TEST(test_taken_for_forsaken) {
    sa_error error;
    plan_failure(_i ? "fstat" : "flock", 1, _i ? ODD_LINKS : EWOULDBLOCK);
    ck_assert_msg(save(scratch_path("x"), &error), "%s", error.text);
    expect_content(scratch_path("x"), "new bytes");
    expect_content(leftover("x"), "");
}
END_TEST

START_TEST(test_no_name_left) {
    sa_error error;
    ck_assert_int_eq(symlink("victim", leftover("x")), 0);
    plan_failure("getrandom", 1, ENOSYS);
    ck_assert(!save(scratch_path("x"), &error));
    ck_assert_ptr_nonnull(strstr(error.text, "Function not implemented"));
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

START_TEST(test_limits) {
    scratch_write(scratch_path("x"), "old", 3);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old;
    getrlimit(RLIMIT_FSIZE, &old);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4, old.rlim_max});
    expect_failure("File too large");
    setrlimit(RLIMIT_FSIZE, &old);

    sa_error error;
    getrlimit(RLIMIT_NOFILE, &old);
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, old.rlim_max});
    bool good = save(scratch_path("x"), &error);
    setrlimit(RLIMIT_NOFILE, &old);
    ck_assert(!good);
    ck_assert_int_eq(error.code, SA_OPEN);
    expect_content(scratch_path("x"), "old");
}
END_TEST

/* What is not a regular file is written to directly and stays what it is. */
START_TEST(test_devices) {
    sa_error error;
    char text[] = "text";
    const sa_buffer some = {.text = text, .size = 4}, failed = {.failed = true};
    const char *link = scratch_path("null"), *absent = scratch_path("socket");
    ck_assert_int_eq(symlink("/dev/null", link), 0);
    ck_assert(sa_save_text(link, &some, &error) && save(link, &error));
    ck_assert_uint_eq(mode_of(link) & S_IFMT, S_IFLNK);
    ck_assert(!sa_save_text("/dev/full", &some, &error));
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert(!sa_save_text(scratch_path("x"), &failed, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    ck_assert_int_eq(mknod(absent, S_IFSOCK | 0600, 0), 0);
    ck_assert(!sa_save_text(absent, &some, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

/* Reports the first failure, that of writing before that of closing. */
START_TEST(test_device_that_cannot_be_closed) {
    static const char *const rows[][2] = {{"/dev/null", "Input/output error"},
                                          {"/dev/full", "No space left on device"}};
    sa_error error;
    char wanted[128];
    plan_failure("close", 1, EIO);
    const bool good = save(rows[_i][0], &error);
    ck_assert_int_eq(plan.when, 0);
    plan.call = NULL;
    ck_assert(!good);
    ck_assert_int_eq(error.code, SA_IO);
    snprintf(wanted, sizeof wanted, "cannot write '%s': %s", rows[_i][0], rows[_i][1]);
    ck_assert_str_eq(error.text, wanted);
}
END_TEST

/* The reader of a pipe that has gone away is no news. */
START_TEST(test_open_file) {
    sa_error error;
    char text[] = "text";
    const sa_buffer some = {.text = text, .size = 4}, failed = {.failed = true};
    const int fd = open(scratch_path("x"), O_WRONLY | O_CREAT, 0666);
    ck_assert(sa_write_text(fd, "x", &some, &error) && sa_write_text(fd, "x", &some, &error));
    plan_failure("write", 1, EPIPE);
    ck_assert(!sa_write_text(fd, "x", &some, &error));
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_str_eq(error.text, "");
    plan_failure("write", 1, ENOSPC);
    ck_assert(!sa_write_text(fd, "x", &some, &error));
    ck_assert_str_eq(error.text, "cannot write 'x': No space left on device");
    ck_assert(!sa_write_text(fd, "x", &failed, &error));
    ck_assert_int_eq(error.code, SA_LIMIT);
    close(fd);
    expect_content(scratch_path("x"), "texttext");
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("save", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, test_modes);
    tcase_add_test(tests, test_relative_path);
    tcase_add_test(tests, test_links);
    tcase_add_test(tests, test_loop_of_links);
    tcase_add_test(tests, test_long_paths);
    tcase_add_test(tests, test_descriptors);
    tcase_add_loop_test(tests, test_links_with_numbers, 0, 3);
    tcase_add_test(tests, test_closed);
    tcase_add_test(tests, test_number_of_standard_input);
    tcase_add_test(tests, test_no_place);
    tcase_add_test(tests, test_hesitant_write);
    tcase_add_loop_test(tests, test_failing_calls, 0, 8);
    tcase_add_loop_test(tests, test_hindrances, 0, 3);
    tcase_add_test(tests, test_no_memory);
    tcase_add_test(tests, test_folder_not_forced);
    tcase_add_test(tests, test_forsaken);
    tcase_add_test(tests, test_names_of_temporary_files);
    tcase_add_test(tests, test_not_forsaken);
    tcase_add_loop_test(tests, test_perhaps_forsaken, 0, 6);
    tcase_add_loop_test(tests, test_taken_for_forsaken, 0, 2);
    tcase_add_test(tests, test_no_name_left);
    tcase_add_test(tests, test_limits);
    tcase_add_test(tests, test_devices);
    tcase_add_loop_test(tests, test_device_that_cannot_be_closed, 0, 2);
    tcase_add_test(tests, test_open_file);
    return suite_run(suite);
}
