/* small_training: small trainings in a scratch folder, and the notes that they report. */
#ifndef TEST_SMALL_TRAINING_H
#define TEST_SMALL_TRAINING_H

#include "base/memory.h"
#include "support/scratch.h"

#include <softalign/lab.h>

static sa_error error;
static char train_path[128], out_path[128], last_path[160];

static inline void set_up(void) {
    sa_buffer text = {0};
    for (int i = 0; i < 60; i++) sa_buffer_addf(&text, "w%d w%d\tv%d v%d\n", i, i / 2, i / 2, i);
    scratch_make();
    strcpy(train_path, scratch_path("train.tsv"));
    strcpy(out_path, scratch_path("out"));
    snprintf(last_path, sizeof last_path, "%s/last.safetensors", out_path);
    scratch_write(train_path, text.text, text.size);
    sa_buffer_release(&text);
}

static inline sa_settings small_settings(void) {
    sa_settings settings;
    sa_settings_init(&settings);
    settings.embed = settings.hidden = settings.attn = settings.maxout = 4;
    settings.shards = 1;
    settings.threads = 1;
    settings.max_time = 0;
    settings.epochs = 0;
    settings.patience = 0;
    settings.steps = 20;
    settings.valid_every = 3;
    return settings;
}

/* Sets "option=value" words, separated by blanks. */
static inline void set_all(sa_settings *settings, const char *words) {
    char copy[256], *rest = copy;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word; (word = strsep(&rest, " ")) && *word;) {
        char *value = strchr(word, '=');
        *value = 0;
        ck_assert_msg(sa_settings_set(settings, word, value + 1, &error), "%s", error.text);
    }
}

static inline bool train(const sa_settings *settings, bool resume) {
    sa_train_result outcome;
    const sa_train_options training = {.settings = settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .resume = resume,
                                       .overwrite = !resume};
    return sa_train(&training, &outcome, &error);
}

static char notes[4096];

static inline void take_note(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind == SA_PROGRESS_NOTE)
        strncat(notes, progress->note, sizeof notes - strlen(notes) - 1);
}

static inline bool train_with(sa_train_options training) {
    sa_train_result outcome;
    training.train = train_path, training.out = out_path, training.report = take_note;
    training.overwrite = !training.resume;
    *notes = 0;
    return sa_train(&training, &outcome, &error);
}

#endif
