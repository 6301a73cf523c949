/* resume: trainings stopped and resumed after every update. */
#include "torture/torture.h"

enum { STEPS = 20, EVERY = 3 };

/* Trains up to that update; returns what is wrong, or NULL. */
static const char *advance(const course *it, int step, bool resume) {
    const task part = kind_training(it->kind, step, it->every, resume);
    result got = world_run(&part, (fault){0}, false, 0);
    const bool good = got.code == 0;
    result_release(&got);
    return good ? NULL : "it fails";
}

static void stop_at(const course *it, int step, struct goal *goal) {
    world_renew();
    const char *wrong = advance(it, step, false);
    if (!wrong) wrong = course_finish(it);
    goal_count(goal, !wrong, "%s, stopped after update %d: %s",
               kind_training(it->kind, 1, 1, false).name, step, wrong);
}

static void stop_everywhere(const course *it, struct goal *goal) {
    const char *wrong = NULL;
    world_renew();
    for (int step = 1; step < it->steps && !wrong; step++) wrong = advance(it, step, step > 1);
    if (!wrong) wrong = course_finish(it);
    goal_count(goal, !wrong, "%s, stopped after every update: %s",
               kind_training(it->kind, 1, 1, false).name, wrong);
}

void torture_resume(const struct effort *effort, struct goal *goal) {
    static course it;
    for (int kind = 0; kind < KINDS; kind++) {
        if (course_open(&it, kind, STEPS, EVERY, goal)) {
            for (int step = 1 + effort->begin % effort->share; step < STEPS; step += effort->share)
                stop_at(&it, step, goal);
            stop_everywhere(&it, goal);
        }
        course_close(&it);
    }
}
