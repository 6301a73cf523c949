/* power: what a power cut may leave of a training's files, and whether it can be resumed. The
 * recorded calls of a training are cut after every call. What was synced before the cut is on
 * the disk; of the rest any part may be, in any order: each sector of a file, each new, changed
 * or removed name in a folder (also a file's first bytes, or its length alone). */
#include "base/rng.h"
#include "torture/torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STEPS = 3, NAMES = 96, FILES = 1024, SECTOR = 512, CAPACITY = 1 << 17 };

/* The disk after the cut. */
typedef struct name {
    char path[64];
    int file; /* -1: a folder */
} name;
typedef struct disk {
    const tally *seen;
    long cut; /* calls that were made */
    sa_rng rng;
    enum { NOTHING, EVERYTHING, ANYTHING } luck; /* what happened to the data that was not synced */
    int count, names;                            /* as on the disk; as the process saw it */
    name on[NAMES], known[NAMES];
    uint64_t hash; /* of all that is on it */
    char bytes[CAPACITY];
    size_t size;
} disk;

static bool lucky(disk *it) {
    return it->luck == ANYTHING ? sa_rng_below(&it->rng, 2) : it->luck == EVERYTHING;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static name *find(name *list, int count, const char *path) {
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].path, path) == 0) return &list[i];
    return NULL;
}

static void put(name *list, int *count, const char *path, int file) {
    name *place = find(list, *count, path);
    if (!place && *count == NAMES) abort();
    if (!place) place = &list[(*count)++];
    snprintf(place->path, sizeof place->path, "%s", path);
    place->file = file;
}

static void drop(name *list, int *count, const char *path) {
    name *place = find(list, *count, path);
    if (place) *place = list[--*count];
}

static void folder_of(const char *path, char folder[64]) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, 64, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
}

/* Whether the folder of a path was synced between call `at` and the cut. */
static bool forced(const disk *it, long at, const char *path) {
    char folder[64];
    folder_of(path, folder);
    for (long i = at + 1; i < it->cut; i++)
        if (it->seen->ops[i].kind == OP_SYNC_FOLDER && strcmp(it->seen->ops[i].path, folder) == 0)
            return true;
    return false;
}

static void apply(const op *entry, int file, name *list, int *count) {
    if (entry->kind == OP_CREATE) put(list, count, entry->path, entry->file);
    if (entry->kind == OP_MKDIR) put(list, count, entry->path, -1);
    if (entry->kind == OP_UNLINK) drop(list, count, entry->path);
    if (entry->kind == OP_RENAME) {
        drop(list, count, entry->path);
        put(list, count, entry->to, file);
    }
}

static void lay_names(disk *it) {
    it->count = it->names = 0;
    for (long i = 0; i < it->cut; i++) {
        const op *entry = &it->seen->ops[i];
        const name *moved = find(it->known, it->names, entry->path);
        const int file = moved ? moved->file : -1;
        if (entry->kind != OP_CREATE && entry->kind != OP_MKDIR && entry->kind != OP_UNLINK &&
            entry->kind != OP_RENAME)
            continue;
        if (forced(it, i, entry->kind == OP_RENAME ? entry->to : entry->path) || lucky(it))
            apply(entry, file, it->on, &it->count);
        apply(entry, file, it->known, &it->names);
    }
}

/* Whether all folders above a path exist. */
static bool reachable(disk *it, const char *path) {
    char folder[64];
    folder_of(path, folder);
    return strcmp(folder, ".") == 0 || (find(it->on, it->count, folder) && reachable(it, folder));
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

/* The bytes of a file on the disk. */
static void lay_bytes(disk *it, int file) {
    size_t safe = 0;
    it->size = 0;
    for (long i = 0; i < it->cut; i++) {
        const op *entry = &it->seen->ops[i];
        if (entry->file != file) continue;
        if (entry->kind == OP_SYNC) safe = it->size;
        if (entry->kind != OP_WRITE) continue;
        if (it->size + entry->size > CAPACITY) abort();
        memcpy(it->bytes + it->size, it->seen->data + entry->at, entry->size);
        it->size += entry->size;
    }
    if (safe == it->size || it->luck == EVERYTHING) return;
    if (it->luck == NOTHING) {
        it->size = safe;
        return;
    }
    it->size = safe + sa_rng_below(&it->rng, (uint32_t)(it->size - safe + 1));
    for (size_t at = safe; at < it->size;) {
        const size_t end = (at / SECTOR + 1) * SECTOR;
        const size_t part = (end < it->size ? end : it->size) - at;
        if (!lucky(it)) memset(it->bytes + at, (int)(sa_rng_below(&it->rng, 2) * 0xa5), part);
        at += part;
    }
}

/* ---- What must hold -------------------------------------------------------------------------- */

static bool watched(const char *path) {
    return !world_temporary(path) && !strstr(path, ".lock");
}

/* The last call before the cut that gave a path its file and was synced with all folders above;
 * -1 if there is none. */
static long surely(const disk *it, const char *path) {
    for (long i = it->cut - 1; i >= 0; i--)
        if (it->seen->ops[i].kind == OP_RENAME && strcmp(it->seen->ops[i].to, path) == 0 &&
            forced(it, i, path))
            return i;
    return -1;
}

/* The call that gave a path this file. */
static long given(const disk *it, const char *path, int file) {
    for (long i = it->cut - 1; i >= 0; i--)
        if (it->seen->ops[i].kind == OP_RENAME && strcmp(it->seen->ops[i].to, path) == 0 &&
            tally_named(it->seen, i, it->seen->ops[i].path) == file)
            return i;
    return -1;
}

static void add_hash(disk *it, uint64_t word) {
    it->hash = (it->hash ^ word) * 0x9e3779b97f4a7c15u;
    it->hash ^= it->hash >> 29;
}

/* What is wrong with the disk, or NULL: every name has a complete file, no older than the last
 * one saved. */
static const char *judge(disk *it) {
    const char *wrong = NULL;
    it->hash = (uint64_t)it->cut;
    for (int i = 0; i < it->count; i++) {
        const name *one = &it->on[i];
        size_t size;
        if (one->file < 0 || !reachable(it, one->path)) continue;
        lay_bytes(it, one->file);
        const uint32_t sum = content_sum(0, it->bytes, it->size);
        add_hash(it, content_sum(0, one->path, strlen(one->path)) | (uint64_t)sum << 32);
        if (!watched(one->path)) continue;
        if (tally_sum(it->seen, one->file, &size) != sum || size != it->size)
            wrong = "a file is torn";
        if (given(it, one->path, one->file) < surely(it, one->path)) wrong = "a file is too old";
    }
    for (int i = 0; i < it->names; i++) {
        const char *path = it->known[i].path;
        if (it->known[i].file < 0 || !watched(path) || surely(it, path) < 0) continue;
        if (!find(it->on, it->count, path) || !reachable(it, path)) wrong = "a saved file is gone";
    }
    return wrong;
}

/* ---- Going on -------------------------------------------------------------------------------- */

/* Writes the disk into the run's folder. */
static void write_disk(disk *it) {
    world_renew();
    for (int i = 0; i < it->count; i++) /* a folder comes before its files */
        if (it->on[i].file < 0 && reachable(it, it->on[i].path))
            mkdir(world_path(it->on[i].path), 0777);
    for (int i = 0; i < it->count; i++) {
        if (it->on[i].file < 0 || !reachable(it, it->on[i].path)) continue;
        lay_bytes(it, it->on[i].file);
        FILE *file = fopen(world_path(it->on[i].path), "wb");
        if (!file || fwrite(it->bytes, 1, it->size, file) != it->size || fclose(file)) abort();
    }
}

/* The files under the names that matter. */
static uint64_t combination(disk *it) {
    uint64_t all = 0;
    for (int i = 0; i < it->count; i++)
        if (it->on[i].file >= 0 && watched(it->on[i].path) && reachable(it, it->on[i].path))
            all += content_sum((uint32_t)it->on[i].file, it->on[i].path, strlen(it->on[i].path)) *
                   0x9e3779b97f4a7c15u;
    return all;
}

/* Adds a number to a list; false when it is there already. */
static bool is_new(uint64_t *list, size_t *count, size_t capacity, uint64_t number) {
    size_t at = number % capacity;
    for (; list[at]; at = (at + 1) % capacity)
        if (list[at] == number) return false;
    if (*count + 1 >= capacity) return false;
    list[at] = number;
    return ++*count;
}

/* ---- All states ------------------------------------------------------------------------------ */

enum { STATES = 1 << 21, DISKS = 1 << 14 };
static uint64_t states[STATES], disks[DISKS];
static size_t state_count, disk_count;

static void cut_at(disk *it, const course *whole, long cut, int luck, int recoveries,
                   struct goal *goal) {
    it->cut = cut;
    it->luck = luck < 2 ? (unsigned)luck : ANYTHING;
    it->rng = sa_rng_seed((uint64_t)cut, (uint64_t)luck);
    lay_names(it);
    const char *wrong = judge(it);
    if (!is_new(states, &state_count, STATES, it->hash | 1)) return;
    goal_count(goal, !wrong, "cut before call %ld (%s), luck %d: %s", cut + 1,
               it->seen->ops[cut].call, luck, wrong);
    if (wrong || !is_new(disks, &disk_count, DISKS, combination(it) | 1)) return;
    if ((int)disk_count > recoveries) return;
    write_disk(it);
    wrong = course_finish(whole);
    goal_count(goal, !wrong, "cut before call %ld (%s), luck %d, taken up again: %s", cut + 1,
               it->seen->ops[cut].call, luck, wrong);
}

/* A self-test: files that were never synced must be detected. */
static void expect_trouble(const course *whole, op_kind kind, const char *what, struct goal *goal) {
    static disk it;
    tally *altered = malloc(sizeof *altered);
    bool found = false;
    if (!altered) abort();
    memcpy(altered, whole->record, sizeof *altered);
    for (long i = 0; i < altered->files; i++)
        if (altered->ops[i].kind == kind) altered->ops[i].kind = OP_OTHER;
    it = (disk){.seen = altered};
    for (long cut = 0; cut < altered->files && !found; cut++) {
        it.cut = cut, it.luck = ANYTHING, it.rng = sa_rng_seed((uint64_t)cut, 0);
        lay_names(&it);
        found = judge(&it) != NULL;
    }
    goal_count(goal, found, "%s is not found out", what);
    free(altered);
}

void torture_power(const struct effort *effort, struct goal *goal) {
    static course whole;
    static disk it;
    const int lucks = effort->longer ? 200 : 40, recoveries = effort->longer ? 2000 : 100;
    for (int kind = 0; kind < KINDS; kind++) {
        if (course_open(&whole, kind, STEPS, 1, goal)) {
            it = (disk){.seen = whole.record};
            state_count = disk_count = 0;
            memset(states, 0, sizeof states);
            memset(disks, 0, sizeof disks);
            for (long cut = effort->begin % effort->share; cut < whole.record->files;
                 cut += effort->share)
                for (int luck = 0; luck < lucks; luck++)
                    cut_at(&it, &whole, cut, luck, recoveries / effort->share + 1, goal);
            expect_trouble(&whole, OP_SYNC, "a file that is never forced to the disk", goal);
        }
        course_close(&whole);
    }
}
