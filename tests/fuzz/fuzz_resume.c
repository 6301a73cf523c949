/* Resuming from any file. The input is a last.safetensors with any checksum; a few updates later
 * there is one that training resumes from again. */
#include "model_file.h"
#include "train/session.h"

#include <sys/stat.h>

enum { MOST = 1 << 15, STEPS = 6 };

static const char pairs[] = "ab a c\tx y\t0-0 1-1\nab c\ty x\t0-0\nab a\tx\t\nc ab a\ty\t\n"
                            "c\tx y\t0-0\n";

static const char *folder;

static const char *path_of(const char *name) {
    static char path[2][128];
    static int next;
    char *made = path[next++ % 2];
    snprintf(made, sizeof *path, "%s/%s", folder, name);
    return made;
}

static void write_file(const char *name, const char *bytes, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    ck_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void clean_up(void) {
    static const char *const names[] = {"pairs",   "best.safetensors",    "last.safetensors",
                                        "log.csv", "average.safetensors", ".lock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(path_of(names[i]));
    rmdir(folder);
}

static void set_up(void) {
    folder = fuzz_scratch();
    ck_assert(mkdir(folder, 0700) == 0);
    atexit(clean_up);
    write_file("pairs", pairs, sizeof pairs - 1);
}

/* With the settings of the file, as resuming wants them. */
static bool go_on(int64_t steps, sa_train_result *outcome, sa_error *error) {
    sa_model *model = sa_model_open(path_of("last.safetensors"), 1, error);
    if (!model) return false;
    sa_settings settings = *sa_model_settings(model);
    char train[128];
    sa_model_close(model);
    settings.threads = 1, settings.epochs = 0, settings.steps = steps, settings.max_time = 10;
    snprintf(train, sizeof train, "%s", path_of("pairs"));
    const sa_train_options training = {
        .settings = &settings, .train = train, .out = folder, .resume = true};
    return sa_train(&training, outcome, error);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    return model_mutate(data, size, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > MOST) return 0;
    if (!folder) set_up();
    char *bytes = fuzz_copy(fuzz_input_of(data, size));
    model_sign(bytes, size);
    write_file("last.safetensors", bytes, size);
    write_file("log.csv", SA_LOG_HEADER, sizeof SA_LOG_HEADER - 1);
    free(bytes);
    sa_train_result outcome;
    sa_error error = {0};
    if (!go_on(STEPS, &outcome, &error)) {
        if (error.code != SA_DIVERGED) fuzz_expect_error(&error, SA_DATA, SA_LIMIT);
    } else {
        const int64_t steps = outcome.steps;
        ck_assert_msg(go_on(STEPS, &outcome, &error), "%s", error.text);
        ck_assert_int_ge(outcome.steps, steps);
    }
    return 0;
}
