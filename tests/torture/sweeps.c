/* sweeps: every task with each call for memory failing, then with each file operation failing. */
#include "torture/torture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A task without faults. */
typedef struct standard {
    const task *what;
    contents before;
    result clean;
    long memory, files;               /* calls */
    char (*call)[sizeof(op){0}.call]; /* [files] their names */
    int versions;
    uint32_t version[OPS]; /* checksums of all files saved, also of those replaced later */
} standard;

/* ---- What must hold -------------------------------------------------------------------------- */

static bool known(const standard *it, const content *file) {
    for (int i = 0; i < it->versions; i++)
        if (it->version[i] == file->sum) return true;
    return false;
}

/* What is wrong with the files left behind, or NULL: each is as it was or as it was once saved,
 * and none is missing. After success all are as without faults. */
static const char *judge_files(const standard *it, const contents *left, bool success, bool dead) {
    for (int i = 0; i < it->before.count; i++)
        if (!contents_find(left, it->before.file[i].path)) return "a file has gone";
    for (int i = 0; i < left->count; i++) {
        const content *file = &left->file[i];
        const content *old = contents_find(&it->before, file->path);
        const content *new = contents_find(&it->clean.left, file->path);
        if (world_temporary(file->path) && !dead) return "a temporary file is left";
        if (world_temporary(file->path)) continue;
        /* a page shows what there is, and a film may lack the frame that could not be saved */
        if (!success && strcmp(file->path, "page.html") == 0) continue;
        if (success && (!new || new->sum != file->sum))
            return fprintf(stderr, "%s: ", file->path), "it differs after success";
        if (!(old && old->sum == file->sum) && !known(it, file))
            return "a file is neither old nor new";
    }
    if (success && left->count != it->clean.left.count) return "a file is missing after success";
    return NULL;
}

static bool said_why(const result *it) {
    const char *line = it->messages ? strstr(it->messages, "softalign: ") : NULL;
    return line && !strstr(it->messages, "internal error");
}

static const char *judge(const standard *it, const result *got, bool dead) {
    const char *wrong = judge_files(it, &got->left, got->code == 0, dead);
    if (got->signal == 14) return "it hangs";
    if (got->signal) return "it crashed";
    if (got->live) return "memory is not given back";
    if (got->opened) return "a file stays open";
    if (wrong) return wrong;
    if (got->code == 0 &&
        (got->size != it->clean.size || memcmp(got->output, it->clean.output, got->size) != 0))
        return "the output differs after success";
    if (got->code && !said_why(got)) return "it does not say what failed";
    return NULL;
}

/* ---- The standard ---------------------------------------------------------------------------- */

static bool standard_open(standard *it, const task *what, struct goal *goal) {
    *it = (standard){.what = what};
    world_renew();
    world_list(&it->before);
    it->clean = world_run(what, (fault){0}, true, 0);
    const tally *seen = fault_tally;
    it->memory = seen->memory, it->files = seen->files;
    it->call = calloc((size_t)seen->files + 1, sizeof *it->call);
    size_t size;
    for (long i = 0; i < seen->files && it->call; i++) {
        strcpy(it->call[i], seen->ops[i].call);
        if (seen->ops[i].kind == OP_CREATE)
            it->version[it->versions++] = tally_sum(seen, seen->ops[i].file, &size);
    }
    const char *wrong = judge(it, &it->clean, false);
    return goal_count(goal, it->clean.code == 0 && !wrong && !seen->overflow,
                      "%s, nothing failing: exit %d, %s: %s", what->name, it->clean.code,
                      wrong ? wrong : "no fault", last_line(&it->clean));
}

static void standard_close(standard *it) {
    result_release(&it->clean);
    free(it->call);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void fail_allocations(const standard *it, long when, bool lasting, struct goal *goal) {
    world_renew();
    result got = world_run(it->what, (fault){FAULT_MEMORY, when, lasting}, false, 0);
    const char *wrong = judge(it, &got, false);
    if (!wrong && got.code != 0 && got.code != 7) wrong = "the exit code is not 7";
    goal_count(goal, !wrong, "%s, allocation %ld of %ld%s: %s (exit %d, signal %d, %ld blocks): %s",
               it->what->name, when, it->memory, lasting ? " and all later" : "", wrong, got.code,
               got.signal, got.live, last_line(&got));
    result_release(&got);
}

static void starve_all(const task *tasks, const struct effort *effort, struct goal *goal) {
    static standard it;
    for (const task *what = tasks; what->name; what++) {
        if (!chosen(effort, what->name)) continue;
        const int share = effort->share * (what->heavier ? what->heavier : 1);
        if (standard_open(&it, what, goal))
            for (long when = 1 + effort->begin % share; when <= it.memory; when += share)
                for (int lasting = 0; lasting < 2; lasting++)
                    fail_allocations(&it, when, lasting, goal);
        standard_close(&it);
    }
}

void torture_allocations(const struct effort *effort, struct goal *goal) {
    starve_all(task_commands, effort, goal);
    starve_all(task_calls, effort, goal);
}

/* ---- Kills ----------------------------------------------------------------------------------- */

/* What is wrong after a killed task has been run again. */
static const char *judge_again(const standard *it, const result *got) {
    if (got->code) return "it fails afterwards";
    if (!it->what->timed) return judge(it, got, false);
    for (int i = 0; i < got->left.count; i++)
        if (world_temporary(got->left.file[i].path)) return "a temporary file is left";
    for (int i = 0; i < it->clean.left.count; i++)
        if (!contents_find(&got->left, it->clean.left.file[i].path)) return "a file is missing";
    return NULL;
}

/* Killed before the call, or in the middle of a write; the next run succeeds and leaves no
 * traces of the first. */
static void interrupt(const standard *it, long when, bool within, struct goal *goal) {
    world_renew();
    result got =
        world_run(it->what, (fault){FAULT_KILL, when, false, within ? FAULT_SHORT : 1}, false, 0);
    const char *wrong =
        got.signal == 9 ? judge_files(it, &got.left, false, true) : "it was not killed";
    result_release(&got);
    got = world_run(it->what, (fault){0}, false, 0);
    if (!wrong) wrong = judge_again(it, &got);
    goal_count(goal, !wrong, "%s, killed %s file call %ld (%s): %s: %s", it->what->name,
               within ? "within" : "before", when, it->call[when - 1], wrong, last_line(&got));
    result_release(&got);
}

void sweep_kills(const struct effort *effort, struct goal *goal) {
    static standard it;
    long number = effort->begin;
    for (const task *what = task_commands; what->name; what++) {
        if (!chosen(effort, what->name) || strncmp(what->words, "train ", 6) == 0) continue;
        if (standard_open(&it, what, goal) && it.versions > 0)
            for (long when = 1; when <= it.files; when++) {
                if (number++ % effort->share) continue;
                interrupt(&it, when, false, goal);
                if (fault_among(it.call[when - 1], "write")) interrupt(&it, when, true, goal);
            }
        standard_close(&it);
    }
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Which call can fail how. Interrupted and short transfers are no failures: they are continued. */
static const struct trouble {
    int reason;
    bool lasting, harmless;
    const char *calls;
} troubles[] = {
    {EIO, false, false, NULL},
    {EIO, true, false, NULL},
    {ENOSPC, false, false, "write fsync close open openat mkdir renameat dprintf ftruncate"},
    {ENOSPC, true, false, "write fsync close open openat mkdir renameat dprintf ftruncate"},
    {EINTR, false, true, "read write pread"},
    {EINTR, false, false, "open openat close fsync flock"},
    {FAULT_SHORT, false, true, "read write pread"},
    {FAULT_SHORT, true, true, "read write pread"},
    {EMFILE, true, false, "open openat opendir"},
    {EACCES, false, false, "open openat mkdir renameat stat fstatat access faccessat opendir"},
};

static void trouble(const standard *it, long when, const struct trouble *row, struct goal *goal) {
    world_renew();
    result got = world_run(
        it->what, (fault){FAULT_FILE, when, row->lasting, row->reason, row->calls}, false, 0);
    const bool dead =
        row->lasting && !row->calls; /* nothing can be removed from a full disk, either */
    const char *wrong = judge(it, &got, dead);
    if (!wrong && row->harmless && got.code) wrong = "it did not go on";
    if (!wrong && got.code && (got.code < 4 || got.code > 5)) wrong = "the exit code is not 4 or 5";
    goal_count(goal, !wrong, "%s, file call %ld (%s) %s%s: %s (exit %d, signal %d): %s",
               it->what->name, when, it->call[when - 1],
               row->reason ? strerror(row->reason) : "short", row->lasting ? " from then on" : "",
               wrong, got.code, got.signal, last_line(&got));
    result_release(&got);
}

static void trouble_all(const task *tasks, const struct effort *effort, struct goal *goal) {
    static standard it;
    const size_t rows = sizeof troubles / sizeof *troubles;
    long number = effort->begin;
    for (const task *what = tasks; what->name; what++) {
        if (!chosen(effort, what->name)) continue;
        if (standard_open(&it, what, goal))
            for (long when = 1; when <= it.files; when++)
                for (size_t i = 0; i < rows && !what->heavier; i++)
                    if (fault_among(it.call[when - 1], troubles[i].calls) &&
                        number++ % effort->share == 0)
                        trouble(&it, when, &troubles[i], goal);
        standard_close(&it);
    }
}

void torture_files(const struct effort *effort, struct goal *goal) {
    trouble_all(task_commands, effort, goal);
    trouble_all(task_calls, effort, goal);
}
