/* The calls to the system that a save makes are replaced here by ones that fail on demand. */
#include "base/save.h"
#include "support/scratch.h"
#include "support/suite.h"

#include <errno.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <zlib.h>

/* ---- Failing calls --------------------------------------------------------------------------- */

/* The `when`-th call (from 1) of that name fails with `reason`. */
static struct {
    const char *call;
    int when, reason;
} plan;
static bool hesitant; /* write is interrupted every second time and takes one byte otherwise */
static bool flipping; /* write changes what it stores */

static bool fails(const char *call) {
    if (!plan.call || strcmp(plan.call, call) != 0 || --plan.when != 0) return false;
    errno = plan.reason;
    return true;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    static int turn;
    if (fails("write")) return -1;
    if (hesitant && ++turn % 2) {
        errno = EINTR;
        return -1;
    }
    char first = *(const char *)bytes ^ 1;
    return syscall(SYS_write, fd, flipping ? &first : bytes, hesitant || flipping ? 1 : size);
}

int fsync(int fd) {
    return fails("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int close(int fd) {
    int result = (int)syscall(SYS_close, fd); /* a failing close closes all the same */
    return fails("close") ? -1 : result;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    return fails("renameat") ? -1
                             : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

static int open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) != -1;
    return count;
}

/* ---- Saving ---------------------------------------------------------------------------------- */

static const sa_piece new_bytes[] = {{"new", 3}, {NULL, 0}, {" bytes", 6}};

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

START_TEST(test_links) {
    sa_error error;
    scratch_write(scratch_path("old"), "old", 3);
    ck_assert_int_eq(link(scratch_path("old"), scratch_path("hard")), 0);
    ck_assert_int_eq(symlink("old", scratch_path("soft")), 0);
    ck_assert_int_eq(symlink("nowhere", scratch_path("dangling")), 0);
    ck_assert(save(scratch_path("hard"), &error));
    ck_assert(save(scratch_path("soft"), &error));
    ck_assert(save(scratch_path("dangling"), &error));
    expect_content(scratch_path("old"), "old");
    expect_content(scratch_path("hard"), "new bytes");
    ck_assert(S_ISREG(mode_of(scratch_path("soft"))) && S_ISREG(mode_of(scratch_path("dangling"))));
    ck_assert_int_eq(scratch_files(), 4);
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

/* After a failed save the old file is as it was, nothing is left behind, and nothing stays open. */
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
    };
    scratch_write(scratch_path("x"), "old", 3);
    plan.call = rows[_i].call;
    plan.when = rows[_i].when;
    plan.reason = rows[_i].reason;
    expect_failure(rows[_i].text);
}
END_TEST

START_TEST(test_wrong_bytes_on_disk) {
    scratch_write(scratch_path("x"), "old", 3);
    flipping = true;
    expect_failure("Input/output error");
    flipping = false;
}
END_TEST

START_TEST(test_folder_not_forced) {
    sa_error error;
    scratch_write(scratch_path("x"), "old", 3);
    plan.call = "fsync";
    plan.when = 2;
    plan.reason = EIO;
    bool good = save(scratch_path("x"), &error);
    plan.call = NULL;
    ck_assert(!good);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "is saved, but may not survive a power cut"));
    expect_content(scratch_path("x"), "new bytes");
}
END_TEST

/* What a killed save of this path leaves, under the name that the next one tries first. */
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

/* A file that another save is still writing stays, and so does a link of a stranger. */
START_TEST(test_not_forsaken) {
    sa_error error;
    scratch_write(leftover("x"), "half a", 6);
    scratch_write(scratch_path("victim"), "old", 3);
    int fd = open(leftover("x"), O_RDWR), lock;
    ck_assert_int_eq(symlink("victim", leftover("y")), 0);
    ck_assert_int_eq(flock(fd, LOCK_SH), 0);
    ck_assert(save(scratch_path("x"), &error) && save(scratch_path("y"), &error));
    expect_content(leftover("x"), "half a");
    expect_content(scratch_path("victim"), "old");
    expect_content(scratch_path("x"), "new bytes");
    expect_content(scratch_path("y"), "new bytes");
    ck_assert_int_eq(scratch_files(), 5);
    ck_assert(sa_lock_open(&lock, scratch, &error));
    expect_content(leftover("x"), "half a");
    sa_lock_close(lock);
    close(fd);
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

/* ---- The lock -------------------------------------------------------------------------------- */

START_TEST(test_lock) {
    sa_error error;
    int lock, other;
    char host[65] = "", wanted[256];
    gethostname(host, sizeof host - 1);
    const char *folder = scratch_path("out");
    ck_assert(sa_lock_open(&lock, folder, &error));
    ck_assert(!sa_lock_open(&other, folder, &error));
    ck_assert_int_eq(error.code, SA_BUSY);
    snprintf(wanted, sizeof wanted, "'%s' is locked by pid %ld on %s", folder, (long)getpid(),
             host);
    ck_assert_str_eq(error.text, wanted);
    sa_lock_close(lock);
    ck_assert(sa_lock_open(&lock, folder, &error));
    sa_lock_close(lock);
    ck_assert_int_eq(unlink(scratch_path("out/.lock")), 0);
}
END_TEST

START_TEST(test_killed_owner) {
    sa_error error;
    int lock, ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t owner = fork();
    if (owner == 0) {
        if (sa_lock_open(&lock, scratch, &error)) (void)!write(ready[1], "!", 1);
        pause();
    }
    char sign;
    ck_assert_int_eq(read(ready[0], &sign, 1), 1);
    bool taken = sa_lock_open(&lock, scratch, &error);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    ck_assert(!taken);
    ck_assert_int_eq(error.code, SA_BUSY);
    ck_assert(sa_lock_open(&lock, scratch, &error));
    sa_lock_close(lock);
}
END_TEST

START_TEST(test_lock_tidies_up) {
    sa_error error;
    int lock;
    static const char *const stay[] = {".softalign-0123456789abcdef.tmp.txt", "model.tmp",
                                       ".softalign-0123456789abcdeg.tmp",
                                       ".softaling-0123456789abcdef.tmp"};
    for (int i = 0; i < 4; i++) scratch_write(scratch_path(stay[i]), "", 0);
    scratch_write(scratch_path(".softalign-0123456789abcdef.tmp"), "", 0);
    scratch_write(scratch_path(".lock"), "a note much longer than the one to come, of another time",
                  56);
    ck_assert(sa_lock_open(&lock, scratch, &error));
    sa_lock_close(lock);
    ck_assert_int_eq(access(scratch_path(".softalign-0123456789abcdef.tmp"), F_OK), -1);
    ck_assert_int_eq(scratch_files(), 5);
    size_t size;
    char *note = scratch_read(scratch_path(".lock"), &size);
    ck_assert_ptr_eq(strchr(note, '\n'), note + size - 1);
    free(note);
}
END_TEST

START_TEST(test_no_folder) {
    sa_error error;
    int lock;
    scratch_write(scratch_path("file"), "", 0);
    ck_assert(!sa_lock_open(&lock, scratch_path("file"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/file': Not a directory"));
    ck_assert(!sa_lock_open(&lock, scratch_path("missing/out"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot create '"));
    ck_assert_ptr_nonnull(strstr(error.text, "/missing/out': No such file or directory"));
}
END_TEST

/* Also with a .lock of an earlier training; the superuser, whom no mode stops, becomes another. */
START_TEST(test_read_only_folder) {
    scratch_write(scratch_path(".lock"), "", 0);
    ck_assert_int_eq(chmod(scratch_path(".lock"), 0666), 0);
    ck_assert_int_eq(chmod(scratch, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        sa_error error;
        int lock;
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        bool refused = !sa_lock_open(&lock, scratch, &error) && error.code == SA_OPEN &&
                       strstr(error.text, "cannot write into") &&
                       strstr(error.text, "Permission denied");
        bool unsaved = !save(scratch_path("x"), &error) && error.code == SA_IO;
        _exit(!(refused && unsaved));
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(chmod(scratch, 0700), 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void) {
    TCase *saving, *lock = tcase_create("lock");
    Suite *suite = suite_of("save", &saving);
    tcase_add_checked_fixture(saving, scratch_make, scratch_remove);
    tcase_add_test(saving, test_modes);
    tcase_add_test(saving, test_relative_path);
    tcase_add_test(saving, test_links);
    tcase_add_test(saving, test_no_place);
    tcase_add_test(saving, test_hesitant_write);
    tcase_add_loop_test(saving, test_failing_calls, 0, 5);
    tcase_add_test(saving, test_wrong_bytes_on_disk);
    tcase_add_test(saving, test_folder_not_forced);
    tcase_add_test(saving, test_forsaken);
    tcase_add_test(saving, test_not_forsaken);
    tcase_add_test(saving, test_limits);
    tcase_add_checked_fixture(lock, scratch_make, scratch_remove);
    tcase_add_test(lock, test_lock);
    tcase_add_test(lock, test_killed_owner);
    tcase_add_test(lock, test_lock_tidies_up);
    tcase_add_test(lock, test_no_folder);
    tcase_add_test(lock, test_read_only_folder);
    suite_add_tcase(suite, lock);
    return suite_run(suite);
}
