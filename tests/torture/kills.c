/* kills: trainings killed at every system call and at random moments, and resumed; other
 * commands killed at every call, and run again. */
#include "base/rng.h"
#include "torture/torture.h"

enum { STEPS = 4 };

/* ---- At every call --------------------------------------------------------------------------- */

/* Before the call, or in the middle of a write. */
static void kill_at(const course *it, long when, bool within, struct goal *goal) {
    const task whole = kind_training(it->kind, it->steps, it->every, false);
    const fault plan = {FAULT_KILL, when, false, within ? FAULT_SHORT : 1};
    world_renew();
    result got = world_run(&whole, plan, false, 0);
    const char *wrong = got.signal == 9 ? course_interrupted(it, false) : "it was not killed";
    if (!wrong) wrong = course_finish(it);
    goal_count(goal, !wrong, "%s, killed %s file call %ld (%s): %s", whole.name,
               within ? "within" : "before", when, it->record->ops[when - 1].call, wrong);
    result_release(&got);
}

static void kill_at_all(const course *it, const struct effort *effort, struct goal *goal) {
    for (long when = 1 + effort->begin % effort->share; when <= it->record->files;
         when += effort->share) {
        kill_at(it, when, false, goal);
        if (fault_among(it->record->ops[when - 1].call, "write")) kill_at(it, when, true, goal);
    }
}

/* ---- At any moment --------------------------------------------------------------------------- */

/* Kills a training, and then every one that resumes it, until one ends. */
static void kill_often(const course *it, sa_rng *rng, struct goal *goal) {
    bool resumed = false, ended = false;
    world_renew();
    for (int kills = 0; kills < 8 && !ended; kills++) {
        const bool saved = world_holds("o/last.safetensors");
        const task rest = kind_training(it->kind, it->steps, it->every, saved);
        const int moment = 1 + (int)sa_rng_below(rng, (uint32_t)it->microseconds);
        resumed |= saved;
        result got = world_run(&rest, (fault){0}, false, moment);
        ended = got.signal != 9;
        if (!ended || got.code != 0) {
            const char *wrong = ended ? last_line(&got) : course_interrupted(it, resumed);
            goal_count(goal, !wrong, "%s, killed after %d us: %s", rest.name, moment, wrong);
        }
        result_release(&got);
    }
    const char *wrong = course_finish(it);
    goal_count(goal, !wrong, "%s, killed often: %s", kind_training(it->kind, 1, 1, false).name,
               wrong);
}

void torture_kills(const struct effort *effort, struct goal *goal) {
    static course it;
    const long each = (effort->longer ? 2500 : 250) / effort->share;
    for (int kind = 0; kind < KINDS; kind++) {
        sa_rng rng = sa_rng_seed((uint64_t)effort->begin, (uint64_t)kind);
        if (course_open(&it, kind, STEPS, 1, goal)) {
            kill_at_all(&it, effort, goal);
            for (const long end = goal->cases + each; goal->cases < end;)
                kill_often(&it, &rng, goal);
        }
        course_close(&it);
    }
    sweep_kills(effort, goal);
}
