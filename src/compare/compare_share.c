#include "base/memory.h"
#include "base/save.h"
#include "base/thread.h"
#include "compare/compare.h"
#include "model/seq2seq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sa_exchange *sa_compare_processes;

/* ---- The longest first ----------------------------------------------------------------------- */

/* All trainings have as many updates, so the time grows with the weights. */
static size_t weights_of(const sa_compare_run *run) {
    enum { WORDS = 1000 }; /* of either vocabulary, which is the same for all */
    const sa_sizes sizes = sa_sizes_of(&run->settings, WORDS, WORDS);
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    return plan.size;
}

static int longest_first(const void *a, const void *b) {
    const sa_compare_run *one = *(sa_compare_run *const *)a, *other = *(sa_compare_run *const *)b;
    const size_t x = weights_of(one), y = weights_of(other);
    if (x != y) return x < y ? 1 : -1;
    return (one > other) - (one < other);
}

/* ---- Locks -----------------------------------------------------------------------------------
 * Bytes of DIR/.claims: one for each run; one that the first process holds until it has written the
 * results; one that each process holds until it ends, in whatever way. */

static off_t results_byte(const sa_comparison *all) {
    return (off_t)(all->model_count * all->seeds);
}

static off_t process_byte(const sa_comparison *all, int rank) {
    return results_byte(all) + 1 + rank;
}

/* Command F_OFD_SETLK, F_OFD_SETLKW or F_OFD_GETLK; type F_WRLCK or F_UNLCK. Fails with errno. Of a
 * byte that another process holds F_OFD_GETLK tells its type. */
static bool lock(const sa_comparison *all, int command, off_t at, short *type) {
    struct flock byte = {.l_type = *type, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    const bool good = fcntl(all->claims, command, &byte) == 0;
    *type = byte.l_type;
    return good;
}

static bool take(const sa_comparison *all, int command, off_t at) {
    return lock(all, command, at, &(short){F_WRLCK});
}

static void give_back(const sa_comparison *all, off_t at) {
    lock(all, F_OFD_SETLK, at, &(short){F_UNLCK});
}

/* ---- Open and close -------------------------------------------------------------------------- */

static bool open_claims(sa_comparison *all, sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/.claims", all->out);
    if (path.failed) return sa_fail_memory(error, path.size);
    all->claims = open(path.text, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool good = all->claims >= 0 || sa_fail_errno(error, SA_OPEN, "open", path.text);
    sa_buffer_release(&path);
    return good;
}

bool sa_compare_share_open(sa_comparison *all, sa_error *error) {
    const size_t count = all->model_count * all->seeds;
    sa_exchange *processes = all->processes = sa_compare_processes;
    all->claims = -1;
    if (!processes) return true;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    processes->gather(&cores, sizeof cores, 1);
    all->shards = sa_threads_for(cores);
    for (size_t i = 0; i < count; i++)
        if (!all->runs[i].settings.threads) all->runs[i].settings.threads = processes->threads;
    all->order = sa_new(count, sizeof *all->order, error);
    if (!all->order) return false;
    for (size_t i = 0; i < count; i++) all->order[i] = &all->runs[i];
    qsort(all->order, count, sizeof *all->order, longest_first);
    return open_claims(all, error) &&
           ((take(all, F_OFD_SETLKW, process_byte(all, processes->rank)) &&
             (processes->rank > 0 ||
              (take(all, F_OFD_SETLKW, results_byte(all)) && ftruncate(all->claims, 0) == 0))) ||
            sa_fail_errno(error, SA_IO, "lock runs in", all->out));
}

bool sa_compare_share_reopen(sa_comparison *all, sa_error *error) {
    close(all->claims);
    return open_claims(all, error);
}

/* Whether all processes are there when the first one has written the results. */
static bool meet(const sa_comparison *all) {
    const sa_exchange *processes = all->processes;
    if (processes->rank > 0 && !take(all, F_OFD_SETLKW, results_byte(all))) return false;
    give_back(all, results_byte(all));
    for (int i = 0; i < processes->size; i++) {
        short type = F_WRLCK;
        if (i != processes->rank &&
            (!lock(all, F_OFD_GETLK, process_byte(all, i), &type) || type == F_UNLCK))
            return false;
    }
    return true;
}

void sa_compare_share_close(sa_comparison *all) {
    if (all->processes && all->claims >= 0) all->processes->incomplete = !meet(all);
    free(all->order); /* the file stays open, and its locks */
}

/* ---- Claims ---------------------------------------------------------------------------------- */

bool sa_compare_claim(const sa_comparison *all, const sa_compare_run *run, bool *claimed,
                      sa_error *error) {
    *claimed = take(all, F_OFD_SETLK, run - all->runs);
    return *claimed || errno == EAGAIN || errno == EACCES ||
           sa_fail_errno(error, SA_IO, "lock runs in", all->out);
}

void sa_compare_release_claim(const sa_comparison *all, const sa_compare_run *run) {
    give_back(all, run - all->runs);
}

/* ---- Lines for the user ---------------------------------------------------------------------- */

void sa_compare_tell(const sa_comparison *all, const char *line) {
    if (write(all->claims, line, strlen(line)) < 0) return; /* the disk is full: the line is lost */
}

void sa_compare_note_told(sa_comparison *all) {
    char lines[4096];
    if (!sa_exchange_leads(all->processes)) return;
    const ssize_t size = pread(all->claims, lines, sizeof lines, (off_t)all->told);
    for (ssize_t begin = 0, i = 0; i < size; i++) {
        if (lines[i] != '\n') continue;
        lines[i] = '\0';
        all->note(all->context, lines + begin);
        all->told += (size_t)(i + 1 - begin);
        begin = i + 1;
    }
}
