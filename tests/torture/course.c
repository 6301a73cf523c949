/* course: an uninterrupted training, to compare interrupted ones with. */
#include "torture/torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LOG "o/log.csv"

/* The rows of a log without their times: seconds, updating, words, words per second. */
static bool same_log(const char *one, const char *other) {
    for (int column = 0; *one && *other;) {
        const size_t a = strcspn(one, ",\n"), b = strcspn(other, ",\n");
        const bool time = column >= 2 && column <= 5;
        if (!time && (a != b || memcmp(one, other, a) != 0)) return false;
        if (one[a] != other[b]) return false;
        column = one[a] == '\n' ? 0 : column + 1;
        one += a + (one[a] != 0), other += b + (other[b] != 0);
    }
    return *one == *other;
}

/* Compares the files of the run's folder with those of the uninterrupted training; returns what
 * differs, or NULL. */
static const char *differs(const course *it, const contents *now) {
    for (int i = 0; i < now->count; i++) {
        const content *file = &now->file[i], *twin = contents_find(&it->end, file->path);
        if (world_temporary(file->path)) return "a temporary file is left";
        if (!twin) return "there is a file too many";
        if (strcmp(file->path, LOG) != 0 && (twin->sum != file->sum || twin->size != file->size))
            return strstr(file->path, "last") ? "last.safetensors differs" : "a file differs";
    }
    size_t size;
    char *log = world_bytes(world_path(LOG), &size);
    const bool same = log && same_log(it->log, log);
    free(log);
    if (!same) return "the log differs";
    return now->count == it->end.count ? NULL : "a file is missing";
}

/* ---- The training without interruption ------------------------------------------------------- */

static void note_versions(course *it) {
    const tally *seen = it->record;
    const int capacity = sizeof it->version / sizeof *it->version;
    for (long i = 0; i < seen->files && it->versions < capacity; i++) {
        if (seen->ops[i].kind != OP_RENAME) continue;
        content *version = &it->version[it->versions++];
        *version = (content){.size = 0};
        snprintf(version->path, sizeof version->path, "%s", seen->ops[i].to);
        version->sum = tally_sum(seen, tally_named(seen, i, seen->ops[i].path), &version->size);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool course_open(course *it, int kind, int steps, int every, struct goal *goal) {
    size_t size;
    *it = (course){.kind = kind, .steps = steps, .every = every};
    const task whole = kind_training(kind, steps, every, false);
    world_renew();
    const double begin = seconds();
    result end = world_run(&whole, (fault){0}, true, 0);
    it->microseconds = (int)(1e6 * (seconds() - begin));
    it->end = end.left;
    it->log = world_bytes(world_path(LOG), &size);
    it->record = malloc(sizeof *it->record);
    const bool good =
        goal_count(goal, end.code == 0 && it->log && it->record && !fault_tally->overflow, "%s: %s",
                   whole.name, end.messages);
    if (good) {
        memcpy(it->record, fault_tally, sizeof *it->record);
        note_versions(it);
    }
    result_release(&end);
    return good;
}

void course_close(course *it) {
    free(it->log);
    free(it->record);
}

/* ---- Interrupted and taken up again ---------------------------------------------------------- */

const char *course_interrupted(const course *it, bool resumed) {
    contents now;
    world_list(&now);
    for (int i = 0; i < now.count; i++) {
        const content *file = &now.file[i];
        bool known = world_temporary(file->path) || strncmp(file->path, "o/", 2) != 0 ||
                     (resumed && strcmp(file->path, LOG) == 0);
        for (int k = 0; k < it->versions && !known; k++)
            known = it->version[k].sum == file->sum && it->version[k].size == file->size &&
                    strcmp(it->version[k].path, file->path) == 0;
        if (!known) return "a file is of no moment of the training";
    }
    return NULL;
}

const char *course_finish(const course *it) {
    const bool resume = world_holds("o/last.safetensors");
    const task rest = kind_training(it->kind, it->steps, it->every, resume);
    result end = world_run(&rest, (fault){0}, false, 0);
    const char *wrong = differs(it, &end.left);
    if (end.code != 0) {
        fprintf(stderr, "%s", end.messages);
        wrong = "it does not go on";
    }
    result_release(&end);
    return wrong;
}
