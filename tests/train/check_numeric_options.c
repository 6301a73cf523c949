/* Every number that a model or its training is set by: with a value that is not the default, the
 * training ends otherwise. */
#include "base/container.h"
#include "config/settings.h"
#include "support/small_training.h"
#include "support/suite.h"

#define RNN "model=recurrent"
#define TRANSFORMER "model=transformer attention=scaled-dot embed=8 attn=8"

/* settings: what the option needs, as "name=value name=value". */
static const struct {
    const char *option, *value, *settings;
} cases[] = {
    {"entmax-alpha", "1.2", "normalizer=entmax"},
    {"heads", "2", RNN},
    {"kv-heads", "1", TRANSFORMER " heads=2"},
    {"latent", "3", TRANSFORMER},
    {"hybrid", "2", TRANSFORMER " attention=linear layers=2"},
    {"value-size", "3", "heads=2"},
    {"window-size", "1", "window=local-m"},
    {"max-fertility", "5", "coverage=linguistic"},
    {"location-filters", "3", "attention=location-aware"},
    {"location-width", "3", "attention=location-aware"},
    {"layers", "2", RNN},
    {"decoder-layers", "2", RNN},
    {"shaw-distance", "1", TRANSFORMER " positions=shaw"},
    {"embed", "5", RNN},
    {"hidden", "5", RNN},
    {"attn", "5", RNN},
    {"maxout", "5", RNN},
    {"ffn", "5", TRANSFORMER},
    {"bpe-merges", "5", "tokenizer=bpe"},
    {"min-freq", "4", RNN},
    {"vocab", "9", RNN},
    {"max-len", "1", RNN},
    {"lr", "0.03", RNN},
    {"lr-decay", "0.1", "lr=2 patience=0"},
    {"lr-patience", "2", "lr=2 patience=0"},
    {"warmup", "7", "schedule=inverse-sqrt"},
    {"momentum", "0.5", "optimizer=sgd"},
    {"beta1", "0.5", RNN},
    {"beta2", "0.5", RNN},
    {"epsilon", "0.5", RNN},
    {"clip", "0.01", RNN},
    {"dropout", "0.5", RNN},
    {"dropout-state", "0.5", RNN},
    {"dropout-layers", "0.5", "layers=2"},
    {"monotonic-noise", "3", "attention=monotonic"},
    {"word-dropout", "0.5", RNN},
    {"weight-decay", "0.5", "optimizer=adam"},
    {"label-smoothing", "0.5", RNN},
    {"guided-alignment", "0.5", RNN},
    {"coverage-weight", "7", "coverage=loss"},
    {"reinforce-weight", "7", "attention=hard"},
    {"entropy-weight", "7", "attention=hard"},
    {"batch", "3", RNN},
    {"batch-tokens", "9", RNN},
    {"shards", "2", "batch=32"},
    {"seed", "7", RNN},
    {"valid-every", "5", "lr=2 patience=0"},
    {"hold-out", "1", RNN},
    {"patience", "1", "lr=2"},
    {"average", "2", RNN},
    {"epochs", "1", "steps=40"},
    {"steps", "5", RNN},
};
enum { CASES = sizeof cases / sizeof *cases };

/* What a training leaves. */
typedef struct left {
    uint32_t weights; /* of both files, as a sum of their tensors' bytes */
    size_t tensors;
    int64_t steps;
    double best_loss;
} left;

static void add_file(const char *name, left *sum) {
    char path[160];
    sa_container file;
    snprintf(path, sizeof path, "%s/%s.safetensors", out_path, name);
    ck_assert_msg(sa_container_open(&file, path, 1, NULL, &error), "%s", error.text);
    sum->tensors += file.count;
    for (size_t i = 0; i < file.count; i++)
        for (size_t k = 0; k < file.tensors[i].size; k++)
            sum->weights = sum->weights * 31 + ((const unsigned char *)file.tensors[i].data)[k];
    sa_container_close(&file);
}

static left trained(const sa_settings *settings) {
    sa_train_result outcome;
    const sa_train_options training = {
        .settings = settings, .train = train_path, .out = out_path, .overwrite = true};
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    left found = {.steps = outcome.steps, .best_loss = outcome.best_loss};
    add_file("best", &found), add_file("last", &found);
    return found;
}

static bool is_same(left a, left b) {
    return a.weights == b.weights && a.tensors == b.tensors && a.steps == b.steps &&
           a.best_loss == b.best_loss;
}

static sa_settings settings_of(const char *list) {
    char copy[128];
    sa_settings settings = small_settings();
    settings.batch = 8, settings.hold_out = 10, settings.steps = 15, settings.ffn = 4;
    snprintf(copy, sizeof copy, "%s", list);
    for (char *at, *name = strtok_r(copy, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        char *value = strchr(name, '=');
        *value++ = 0;
        ck_assert_msg(sa_settings_set(&settings, name, value, &error), "%s", error.text);
    }
    return settings;
}

START_TEST(a_number_matters) {
    sa_settings settings = settings_of(cases[_i].settings);
    const left before = trained(&settings);
    if (!TEST_SANITIZED)
        ck_assert_msg(is_same(trained(&settings), before), "the same training ends otherwise");
    ck_assert_msg(sa_settings_set(&settings, cases[_i].option, cases[_i].value, &error), "%s",
                  error.text);
    ck_assert_msg(!is_same(trained(&settings), before), "--%s %s changes nothing", cases[_i].option,
                  cases[_i].value);
}
END_TEST

START_TEST(every_number_has_a_case) {
    /* what they may not change, and how long */
    static const char without[] = " threads max-time keep ";
    for (const sa_option *option = sa_settings_options; option->name; option++) {
        char name[64];
        int count = 0;
        if (option->scope == SA_SCOPE_METRICS || option->kind == SA_OPTION_SWITCH ||
            option->kind == SA_OPTION_CHOICE)
            continue;
        for (int i = 0; i < CASES; i++) count += strcmp(cases[i].option, option->name) == 0;
        snprintf(name, sizeof name, " %s ", option->name);
        ck_assert_msg(count > 0 || strstr(without, name), "--%s has none", option->name);
    }
}
END_TEST

/* Pairs with their alignments. */
static void make_pairs(void) {
    sa_buffer text = {0};
    set_up();
    for (int i = 0; i < 150; i++)
        if (i % 3)
            sa_buffer_addf(&text, "w%d w%d\tv%d v%d\t0-1 1-0\n", i % 20, i / 2, i / 2, i % 20);
        else
            sa_buffer_addf(&text, "w%d\tv%d\t0-0\n", i % 20, i % 20);
    scratch_write(train_path, text.text, text.size);
    sa_buffer_release(&text);
}

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("numeric_options", &tests);
    tcase_add_checked_fixture(tests, make_pairs, scratch_remove);
    tcase_add_loop_test(tests, a_number_matters, 0, CASES);
    tcase_add_test(tests, every_number_has_a_case);
    return suite_run(suite);
}
