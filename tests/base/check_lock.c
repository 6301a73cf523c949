/* A folder that is created, locked and cleaned up. */
#include "base/file.h"
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "support/system_failures.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* ---- The lock -------------------------------------------------------------------------------- */

START_TEST(test_lock) {
    sa_error error;
    sa_directory_lock lock, other;
    char host[65] = "", wanted[256];
    gethostname(host, sizeof host - 1);
    const char *folder = scratch_path("out");
    ck_assert(sa_directory_lock_open(&lock, folder, &error));
    ck_assert(!sa_directory_lock_open(&other, folder, &error));
    ck_assert_int_eq(error.code, SA_BUSY);
    snprintf(wanted, sizeof wanted, "'%s' is locked by pid %ld on %s", folder, (long)getpid(),
             host);
    ck_assert_str_eq(error.text, wanted);
    sa_directory_lock_close(&lock);
    ck_assert(sa_directory_lock_open(&lock, folder, &error));
    sa_directory_lock_close(&lock);
    ck_assert_int_eq(unlink(scratch_path("out/.lock")), 0);
}
END_TEST

START_TEST(test_killed_owner) {
    sa_error error;
    sa_directory_lock lock;
    int ready[2];
    ck_assert_int_eq(pipe(ready), 0);
    pid_t owner = fork();
    if (owner == 0) {
        if (sa_directory_lock_open(&lock, scratch, &error)) (void)!write(ready[1], "!", 1);
        pause();
    }
    char sign;
    ck_assert_int_eq(read(ready[0], &sign, 1), 1);
    bool taken = sa_directory_lock_open(&lock, scratch, &error);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    ck_assert(!taken);
    ck_assert_int_eq(error.code, SA_BUSY);
    ck_assert(sa_directory_lock_open(&lock, scratch, &error));
    sa_directory_lock_close(&lock);
}
END_TEST

START_TEST(test_lock_tidies_up) {
    sa_error error;
    sa_directory_lock lock;
    static const char *const stay[] = {
        ".softalign-0123456789abcdef.tmp.txt", "model.tmp", ".softalign-0123456789abcdeg.tmp",
        ".softaling-0123456789abcdef.tmp", ".softalign-0123456789abcdef.tmq"};
    for (int i = 0; i < 5; i++) scratch_write(scratch_path(stay[i]), "", 0);
    scratch_write(scratch_path(".softalign-0123456789abcdef.tmp"), "", 0);
    scratch_write(scratch_path(".lock"), "a note much longer than the one to come, of another time",
                  56);
    ck_assert(sa_directory_lock_open(&lock, scratch, &error));
    sa_directory_lock_close(&lock);
    ck_assert_int_eq(access(scratch_path(".softalign-0123456789abcdef.tmp"), F_OK), -1);
    ck_assert_int_eq(scratch_files(), 6);
    size_t size;
    char *note = scratch_read(scratch_path(".lock"), &size);
    ck_assert_ptr_eq(strchr(note, '\n'), note + size - 1);
    free(note);
}
END_TEST

/* The owner has not written its name yet. */
START_TEST(test_unknown_owner) {
    sa_error error;
    sa_directory_lock lock, other;
    char wanted[256];
    ck_assert(sa_directory_lock_open(&lock, scratch, &error));
    snprintf(wanted, sizeof wanted, "'%s' is locked by another training", scratch);
    ck_assert_int_eq(truncate(scratch_path(".lock"), 0), 0);
    ck_assert(!sa_directory_lock_open(&other, scratch, &error));
    ck_assert_str_eq(error.text, wanted);
    plan_failure("read", 1, EIO);
    ck_assert(!sa_directory_lock_open(&other, scratch, &error));
    ck_assert_str_eq(error.text, wanted);
    sa_directory_lock_close(&lock);
}
END_TEST

static const struct {
    const char *call;
    int when, reason;
    sa_code code;
    const char *text;
} unlocked[] = {
    {"flock", 1, ENOLCK, SA_OPEN, "cannot lock '%s': No locks available"},
    {"ftruncate", 1, EIO, SA_IO, "cannot write into '%s': Input/output error"},
    {"opendir", 1, EMFILE, SA_OPEN, "cannot open '%s': Too many open files"},
    {"openat", 1, ELOOP, SA_OPEN, "cannot write into '%s': Too many levels of symbolic links"},
};

START_TEST(test_failing_lock) {
    sa_error error;
    sa_directory_lock lock;
    char wanted[256], *end = wanted + sizeof wanted;
    const int files = open_files();
    plan_failure(unlocked[_i].call, unlocked[_i].when, unlocked[_i].reason);
    ck_assert(!sa_directory_lock_open(&lock, scratch, &error));
    const char *hole = strstr(unlocked[_i].text, "%s");
    snprintf(wanted, (size_t)(end - wanted), "%.*s%s%s", (int)(hole - unlocked[_i].text),
             unlocked[_i].text, scratch, hole + 2);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, unlocked[_i].code);
    ck_assert_int_eq(open_files(), files);
}
END_TEST

START_TEST(test_lock_on_a_full_disk) {
    sa_error error;
    sa_directory_lock lock;
    struct rlimit old;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, old.rlim_max});
    const bool good = sa_directory_lock_open(&lock, scratch, &error);
    setrlimit(RLIMIT_FSIZE, &old);
    ck_assert(!good);
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot write into '"));
}
END_TEST

/* ---- New folders ----------------------------------------------------------------------------- */

START_TEST(test_folders) {
    sa_error error;
    ck_assert_int_eq(chdir(scratch), 0);
    ck_assert(sa_directory_create("a", &error));
    ck_assert(sa_directory_create("a", &error)); /* it exists */
    ck_assert(sa_directory_create("b//", &error));
    ck_assert(sa_directory_create("a/c/", &error));
    ck_assert_int_eq(access(scratch_path("a/c"), F_OK), 0);
    ck_assert_int_eq(access(scratch_path("b"), F_OK), 0);
    ck_assert(sa_directory_create("/", &error));
}
END_TEST

static mode_t permissions_of(const char *path) {
    struct stat about;
    ck_assert_int_eq(stat(path, &about), 0);
    return about.st_mode & 0777;
}

/* A group that the umask lets in can use what is made. */
START_TEST(test_permissions) {
    sa_error error;
    sa_directory_lock lock;
    const mode_t before = umask(027);
    const bool good = sa_directory_lock_open(&lock, scratch_path("out"), &error);
    umask(before);
    ck_assert_msg(good, "%s", error.text);
    sa_directory_lock_close(&lock);
    ck_assert_uint_eq(permissions_of(scratch_path("out")), 0750);
    ck_assert_uint_eq(permissions_of(scratch_path("out/.lock")), 0640);
}
END_TEST

/* The entry of a new folder is synced to disk if the parent is readable. */
START_TEST(test_name_not_forced) {
    sa_error error;
    char wanted[256];
    static const struct {
        const char *call;
        int reason;
        const char *text;
    } rows[] = {{"fsync", EIO, "Input/output error"},
                {"open", EMFILE, "Too many open files"},
                {"open", EACCES, NULL}};
    const char *folder = scratch_path("new");
    plan_failure(rows[_i].call, 1, rows[_i].reason);
    const bool good = sa_directory_create(folder, &error);
    ck_assert_int_eq(good, !rows[_i].text);
    if (good) return;
    snprintf(wanted, sizeof wanted, "cannot create '%s': %s", folder, rows[_i].text);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_IO);
}
END_TEST

static bool make_folder(sa_error *error) {
    const bool good = sa_directory_create(scratch_path("new"), error);
    rmdir(scratch_path("new"));
    return good;
}

START_TEST(test_folder_without_memory) {
    ck_assert_int_eq(fail_allocations(make_folder), 0);
}
END_TEST

START_TEST(test_no_folder) {
    sa_error error;
    sa_directory_lock lock;
    scratch_write(scratch_path("file"), "", 0);
    ck_assert(!sa_directory_lock_open(&lock, scratch_path("file"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "/file': Not a directory"));
    ck_assert(!sa_directory_lock_open(&lock, scratch_path("missing/out"), &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_ptr_nonnull(strstr(error.text, "cannot create '"));
    ck_assert_ptr_nonnull(strstr(error.text, "/missing/out': No such file or directory"));
}
END_TEST

/* Also with the .lock of an earlier training. Root, which ignores modes, becomes another user. */
START_TEST(test_read_only_folder) {
    scratch_write(scratch_path(".lock"), "", 0);
    ck_assert_int_eq(chmod(scratch_path(".lock"), 0666), 0);
    ck_assert_int_eq(chmod(scratch, 0555), 0);
    pid_t child = fork();
    if (child == 0) {
        sa_error error;
        sa_directory_lock lock;
        if (geteuid() == 0 && setuid(65534) != 0) _exit(2);
        bool refused = !sa_directory_lock_open(&lock, scratch, &error) && error.code == SA_OPEN &&
                       strstr(error.text, "cannot write into") &&
                       strstr(error.text, "Permission denied");
        bool unsaved =
            !sa_save(scratch_path("x"), &(sa_chunk){"x", 1}, 1, &error) && error.code == SA_IO;
        _exit(!(refused && unsaved));
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(chmod(scratch, 0700), 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* ---- Removing files -------------------------------------------------------------------------- */

START_TEST(test_removing) {
    static const char *const names[] = {"one", "missing", "two"};
    sa_error error;
    scratch_write(scratch_path("one"), "1", 1);
    scratch_write(scratch_path("two"), "2", 1);
    ck_assert(sa_directory_remove(scratch, names, 2, &error));
    ck_assert_int_eq(scratch_files(), 1);
    ck_assert_int_eq(access(scratch_path("two"), F_OK), 0);
    plan_failure("fsync", 1, EIO);
    ck_assert(!sa_directory_remove(scratch, names, 3, &error));
    ck_assert_int_eq(error.code, SA_IO);
    ck_assert_int_eq(scratch_files(), 0);
    ck_assert(!sa_directory_remove(scratch_path("none"), names, 1, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
}
END_TEST

/* The next save follows the link: there the old file must not remain. */
START_TEST(test_removing_links) {
    static const char *const names[] = {"link", "device", "folder"};
    sa_error error;
    scratch_write(scratch_path("far"), "1", 1);
    ck_assert_int_eq(symlink("far", scratch_path("link")), 0);
    ck_assert_int_eq(symlink("/dev/full", scratch_path("device")), 0);
    ck_assert_int_eq(mkdir(scratch_path("folder"), 0777), 0);
    ck_assert(sa_directory_remove(scratch, names, 3, &error));
    ck_assert_int_eq(access(scratch_path("far"), F_OK), -1);
    ck_assert_int_eq(scratch_files(), 3);
}
END_TEST

/* What follows a file that cannot be removed stays. */
START_TEST(test_not_removed) {
    static const char *const names[] = {"one", "two"};
    sa_error error;
    char wanted[256];
    scratch_write(scratch_path("one"), "1", 1);
    scratch_write(scratch_path("two"), "2", 1);
    plan_failure("unlink", 1, EPERM);
    ck_assert(!sa_directory_remove(scratch, names, 2, &error));
    ck_assert_int_eq(error.code, SA_IO);
    snprintf(wanted, sizeof wanted, "cannot remove '%s': Operation not permitted",
             scratch_path("one"));
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(scratch_files(), 2);
}
END_TEST

/* The system follows the link, but the path that it leads to is too long to be written down. */
START_TEST(test_removing_a_long_link) {
    enum { NEARLY = 4050, LONG = 100 };
    static const char *const names[] = {"link", "file"};
    sa_error error;
    char folder[NEARLY + 1], target[LONG + 1];
    memset(target, 'x', LONG);
    target[LONG] = 0;
    for (int i = 0; i < NEARLY; i += 2) memcpy(folder + i, "./", 2);
    folder[NEARLY] = 0;
    ck_assert_int_eq(chdir(scratch), 0);
    scratch_write(target, "1", 1);
    scratch_write("file", "2", 1);
    ck_assert_int_eq(symlink(target, "link"), 0);
    ck_assert(!sa_directory_remove(folder, names, 2, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    ck_assert_int_eq(scratch_files(), 3);
    ck_assert(sa_directory_remove(".", names, 2, &error));
    ck_assert_int_eq(scratch_files(), 1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("lock", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_add_test(tests, test_lock);
    tcase_add_test(tests, test_killed_owner);
    tcase_add_test(tests, test_lock_tidies_up);
    tcase_add_test(tests, test_unknown_owner);
    tcase_add_loop_test(tests, test_failing_lock, 0, 4);
    tcase_add_test(tests, test_lock_on_a_full_disk);
    tcase_add_test(tests, test_folders);
    tcase_add_test(tests, test_permissions);
    tcase_add_loop_test(tests, test_name_not_forced, 0, 3);
    tcase_add_test(tests, test_folder_without_memory);
    tcase_add_test(tests, test_no_folder);
    tcase_add_test(tests, test_read_only_folder);
    tcase_add_test(tests, test_removing);
    tcase_add_test(tests, test_removing_links);
    tcase_add_test(tests, test_not_removed);
    tcase_add_test(tests, test_removing_a_long_link);
    return suite_run(suite);
}
