/* torture PART [--share N] [--begin N] [--only TASK] [--long]: runs every N-th case of a part
 * and prints how many passed. */
#include "torture/torture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool chosen(const struct effort *effort, const char *name) {
    return !effort->only || strstr(name, effort->only);
}

bool goal_count(struct goal *goal, bool good, const char *format, ...) {
    enum { SHOWN = 40 }; /* more would be no help */
    goal->cases++;
    goal->good += good;
    if (good || goal->cases - goal->good > SHOWN) return good;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", goal->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    return good;
}

static const struct part {
    const char *name;
    void (*run)(const struct effort *effort, struct goal *goal);
    const char *goal;
} parts[] = {
    {"allocations", torture_allocations, "allocation failures"},
    {"files", torture_files, "I/O faults"},
    {"kills", torture_kills, "kills"},
    {"power", torture_power, "power-loss states"},
    {"resume", torture_resume, "resumed trainings"},
    {NULL, NULL, NULL},
};

static int usage(void) {
    fprintf(stderr, "torture PART [--share N] [--begin N] [--only TASK] [--long]; parts:");
    for (const struct part *part = parts; part->name; part++) fprintf(stderr, " %s", part->name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv) {
    struct effort effort = {.share = 1};
    const struct part *part = parts;
    if (!getenv(
            "OPENBLAS_NUM_THREADS")) { /* it would start threads before main, which fork loses */
        setenv("OPENBLAS_NUM_THREADS", "1", 1);
        execv("/proc/self/exe", argv);
    }
    while (part->name && (argc < 2 || strcmp(part->name, argv[1]) != 0)) part++;
    if (!part->name) return usage();
    for (int i = 2; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--share") == 0 && more && atoi(argv[i + 1]) > 0)
            effort.share = atoi(argv[++i]);
        else if (strcmp(argv[i], "--begin") == 0 && more)
            effort.begin = atoi(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && more)
            effort.only = argv[++i];
        else if (strcmp(argv[i], "--long") == 0)
            effort.longer = true;
        else
            return usage();
    }
    struct goal goal = {.name = part->goal};
    faults_open();
    world_open();
    tasks_prepare();
    part->run(&effort, &goal);
    world_close();
    printf("%s: %ld/%ld\n", goal.name, goal.good, goal.cases);
    return goal.cases == 0 || goal.good < goal.cases;
}
