/* Comparisons of runs whose figures are written into run.json by hand: every table shows what they
 * amount to. */
#include "base/json.h"
#include "support/small_training.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>

enum { MODELS = 3, SEEDS = 2, RUNS = MODELS * SEEDS, SAMPLES = 1000 };

static const char *const folders[RUNS] = {"fixed-s1",    "fixed-s2",     "bahdanau-s1",
                                          "bahdanau-s2", "luong-dot-s1", "luong-dot-s2"};
static char test_path[128], table[2048];
static json_t *compared;

/* What the records say; NAN: nothing. */
typedef struct record {
    double parameters, seconds, updates, loss, perplexity, bleu, exact, aer, entropy, zeros, speed,
        cache;
    double usual, rare; /* BLEU of bootstrap samples */
    int usual_samples;  /* the others are rare */
} record;

static const record records[RUNS] = {
    {900, 1.25, 100, 2, 7.5, 58, 0.25, NAN, NAN, NAN, 4000, 0, 20, 30, 900},
    {900, 1.75, 100, 3, 20.25, 60, 0.5, NAN, NAN, NAN, 5000, 0, 20, 30, 900},
    {1234, 10, 100, 1, 2.75, 64, 0.5, 0.25, 1.5, 0, 1000, 48, 65, 65, 1000},
    {1234, 20, 100, 1, 2.75, 66, 0.75, 0.5, 1.25, 0, 999, 48, 65, 65, 1000},
    {1000, 3, 90, 1.5, 4.5, 63.5, 0.5, 0.125, 0.5, 0.625, 2000, 32, 65, 45, 990},
    {1000, 5, 90, 1.5, 4.5, 64.5, 0.5, 0.375, 0.75, 0.125, 3000, 32, 65, 45, 990},
};

static void take_notes(void *context, const sa_progress *progress) {
    if (progress) take_note(context, progress);
}

static bool compare(sa_compare_options options) {
    sa_settings settings = small_settings();
    sa_compare_result result;
    settings.steps = 1;
    options.train = train_path, options.test = test_path, options.out = out_path;
    options.settings = &settings, options.report = take_notes;
    if (!options.seeds) options.seeds = SEEDS;
    if (!options.models) options.models = "fixed,bahdanau,luong:dot";
    *notes = 0;
    if (!sa_compare(&options, &result, &error)) return false;
    snprintf(table, sizeof table, "%s", result.table);
    json_decref(compared);
    compared = json_loads(result.json, 0, NULL);
    sa_compare_result_release(&result);
    return true;
}

static char *path_in(const char *folder, const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s%s%s", out_path, folder, *folder ? "/" : "", name);
    return path;
}

static json_t *load(int run) {
    json_t *found = json_load_file(path_in(folders[run], "run.json"), 0, NULL);
    ck_assert_ptr_nonnull(found);
    return found;
}

static void save(json_t *changed, int run) {
    ck_assert_int_eq(json_dump_file(changed, path_in(folders[run], "run.json"), 0), 0);
    json_decref(changed);
}

static json_t *number(double x) {
    return isnan(x) ? json_null() : json_real(x);
}

/* Writes the figures of a run in place of what it has. */
static void forge(int run, record own) {
    json_t *samples = json_array(), *changed = load(run);
    for (int i = 0; i < SAMPLES; i++)
        json_array_append_new(samples, json_real(i < own.usual_samples ? own.usual : own.rare));
    json_t *figures = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "parameters",
        number(own.parameters), "seconds", number(own.seconds), "updates", number(own.updates),
        "loss", number(own.loss), "perplexity", number(own.perplexity), "bleu", number(own.bleu),
        "exact", number(own.exact), "aer", number(own.aer), "entropy", number(own.entropy), "zeros",
        number(own.zeros), "words_per_second", number(own.speed), "cache_bytes_per_step",
        number(own.cache), "sentences", 2, "target_words", 6);
    json_object_set_new(changed, "figures", figures);
    json_object_set_new(changed, "samples", samples);
    if (run % SEEDS) /* the first band and the last */
        json_object_set_new(changed, "by_length",
                            json_pack("{s:{s:i, s:f, s:f, s:f}, s:{s:i, s:f, s:f, s:f}}", "1-2",
                                      "sentences", 1, "bleu", 50.5, "low", 1.0, "high", 99.25,
                                      "41+", "sentences", run, "bleu", 8.0, "low", 7.0, "high",
                                      9.0));
    save(changed, run);
}

static void train_all(void) {
    const char *pairs = "w1 w0\tv0 v1\t0-1 1-0\nw2 w1\tv1 v9\t0-1\n";
    set_up();
    strcpy(test_path, scratch_path("test.tsv"));
    scratch_write(test_path, pairs, strlen(pairs));
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    for (int i = 0; i < RUNS; i++) forge(i, records[i]);
}

static void remove_all(void) {
    json_decref(compared);
    compared = NULL;
    scratch_remove();
}

static void file_is(const char *name, const char *wanted) {
    size_t size;
    char *text = scratch_read(path_in("", name), &size);
    ck_assert_str_eq(text, wanted);
    free(text);
}

/* Against the best, bahdanau: of luong's differences 10 are 19.8 from their mean, which is at least
 * 1, the difference of BLEU; of those of fixed 100 are 9 from theirs, at least 6. So p is 11 / 1001
 * and 101 / 1001; of two, the smaller one counts double (Holm). The best has that of the second. */
START_TEST(tables_show_the_medians) {
    ck_assert_msg(compare((sa_compare_options){0}), "%s", error.text);
    ck_assert_ptr_nonnull(strstr(notes, "6 of 6 runs are done already"));
    ck_assert_str_eq(
        table,
        "model      parameters  seconds  updates     loss  perplexity     BLEU  exact %      AER  "
        "entropy  zeros %  words/s  cache B/step        p\n"
        "fixed             900      1.5      100   2.5000      13.875    59.00     37.5        -  "
        "      -        -     4500             0    0.101\n"
        "bahdanau         1234     15.0      100   1.0000       2.750    65.00     62.5    0.375  "
        "  1.375      0.0     1000            48    0.022\n"
        "luong:dot        1000      4.0       90   1.5000       4.500    64.00     50.0    0.250  "
        "  0.625     37.5     2500            32    0.022\n"
        "p: paired bootstrap test of BLEU against the best other model, corrected by their number "
        "(Holm).\n"
        "Medians over 2 seeds; table.csv has every run.\n");
    file_is("table.csv",
            "model,seed,parameters,seconds,updates,loss,perplexity,bleu,exact,aer,entropy,zeros,"
            "words_per_second,cache_bytes_per_step,p\n"
            "fixed,1,900,1.25,100,2,7.5,58,0.25,,,,4000,0,\n"
            "fixed,2,900,1.75,100,3,20.25,60,0.5,,,,5000,0,\n"
            "fixed,median,900,1.5,100,2.5,13.875,59,0.375,,,,4500,0,0.1008991\n"
            "bahdanau,1,1234,10,100,1,2.75,64,0.5,0.25,1.5,0,1000,48,\n"
            "bahdanau,2,1234,20,100,1,2.75,66,0.75,0.5,1.25,0,999,48,\n"
            "bahdanau,median,1234,15,100,1,2.75,65,0.625,0.375,1.375,0,999.5,48,0.021978023\n"
            "luong:dot,1,1000,3,90,1.5,4.5,63.5,0.5,0.125,0.5,0.625,2000,32,\n"
            "luong:dot,2,1000,5,90,1.5,4.5,64.5,0.5,0.375,0.75,0.125,3000,32,\n"
            "luong:dot,median,1000,4,90,1.5,4.5,64,0.5,0.25,0.625,0.375,2500,32,0.021978023\n");
}
END_TEST

/* What differs between the seeds has a standard deviation: 2^(1/2) from 58 and 60. */
START_TEST(latex_shows_means_and_deviations) {
    ck_assert(compare((sa_compare_options){.table_columns = "parameters,bleu,exact,zeros,p"}));
    file_is("table.tex",
            "\\begin{table}\n\\centering\n"
            "\\caption{Models on 2 test pairs: means and standard deviations over 2 seeds.\n"
            "p: paired bootstrap test of BLEU against the best other model, corrected by their "
            "number (Holm).\n"
            "Bold: the best BLEU, if its p is below 0.05.}\n"
            "\\smallskip\\footnotesize\\setlength{\\tabcolsep}{2.5pt}\n"
            "\\begin{tabular}{@{}p{24mm}*{20}{r}@{}}\n"
            "model & parameters & BLEU & exact \\% & zeros \\% & p \\\\\n\\hline\n"
            "\\detokenize{fixed}\\allowbreak  & 900 & 59.00$_{\\pm1.41}$ & 37.5$_{\\pm17.7}$ & - & "
            "0.101 \\\\\n"
            "\\detokenize{bahdanau}\\allowbreak  & 1234 & \\textbf{65.00$_{\\pm1.41}$} & "
            "62.5$_{\\pm17.7}$ & 0.0 & 0.022 \\\\\n"
            "\\detokenize{luong:}\\allowbreak \\detokenize{dot}\\allowbreak  & 1000 & "
            "64.00$_{\\pm0.71}$ & 50.0 & 37.5$_{\\pm35.4}$ & 0.022 \\\\\n"
            "\\end{tabular}\n\\end{table}\n");
    ck_assert(!compare((sa_compare_options){.table_columns = "bleu,zero"}));
    ck_assert_str_eq(error.text, "--table-columns 'zero': table.tex has no such column");
    ck_assert(!compare((sa_compare_options){.table_columns = "sentences"}));
    ck_assert(!compare((sa_compare_options){.table_columns = "models"}));
    ck_assert(compare((sa_compare_options){.table_columns = "model,bleu"}));
    size_t size;
    char *text = scratch_read(path_in("", "table.tex"), &size);
    ck_assert_ptr_nonnull(strstr(text, "\nmodel & BLEU \\\\\n"));
    free(text);
}
END_TEST

/* p is 50 / 1001 with 49 of 1000 samples far from the mean, 51 / 1001 with 50 of them. */
START_TEST(only_a_significant_best_is_bold) {
    for (int rare = 49; rare <= 50; rare++) {
        record worse = {.bleu = 59, .loss = 1, .usual = 20, .rare = 30},
               better = {.bleu = 64, .loss = 1, .usual = 65, .usual_samples = SAMPLES};
        worse.usual_samples = SAMPLES - rare;
        for (int s = 0; s < SEEDS; s++) forge(s, worse), forge(4 + s, better);
        ck_assert(compare((sa_compare_options){.models = "fixed,luong:dot"}));
        size_t size;
        char *text = scratch_read(path_in("", "table.tex"), &size);
        ck_assert_msg((strstr(text, "\\textbf{64.00}") != NULL) == (rare == 49), "%s", text);
        free(text);
    }
}
END_TEST

START_TEST(lengths_and_statistics_are_those_of_the_records) {
    static const struct {
        const char *of;
        double bleu, aer;
    } wanted[] = {{"mean", 65, 0.375},
                  {"sd", M_SQRT2, 0.25 * M_SQRT1_2},
                  {"min", 64, 0.25},
                  {"max", 66, 0.5}};
    ck_assert(compare((sa_compare_options){0}));
    const json_t *model = json_array_get(json_object_get(compared, "models"), 1);
    const json_t *run = json_array_get(json_object_get(compared, "runs"), 3);
    for (int i = 0; i < 4; i++) {
        const json_t *own = json_object_get(model, wanted[i].of);
        ck_assert_double_eq_tol(json_number_value(json_object_get(own, "bleu")), wanted[i].bleu,
                                1e-6);
        ck_assert_double_eq_tol(json_number_value(json_object_get(own, "aer")), wanted[i].aer,
                                1e-7);
    }
    ck_assert_int_eq(json_integer_value(json_object_get(model, "seeds")), SEEDS);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "seed")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "sentences")), 2);
    ck_assert_int_eq(json_integer_value(json_object_get(run, "target_words")), 6);
    const json_t *band = json_object_get(json_object_get(run, "by_length"), "41+");
    ck_assert_int_eq(json_integer_value(json_object_get(band, "sentences")), 3);
    ck_assert_double_eq(json_number_value(json_object_get(band, "high")), 9);
    size_t size;
    char *lines = scratch_read(path_in("", "bylength.csv"), &size);
    ck_assert_ptr_nonnull(strstr(lines, "\nfixed,2,1-2,1,50.5,1,99.25\nfixed,2,41+,1,8,7,9\n"
                                        "bahdanau,1,1-2,2,"));
    ck_assert_ptr_nonnull(
        strstr(lines, "\nluong:dot,2,1-2,1,50.5,1,99.25\nluong:dot,2,41+,5,8,7,9\n"));
    free(lines);
}
END_TEST

/* The curves are the logs of all runs, one after another: a row each after one update. */
START_TEST(curves_are_the_logs) {
    size_t size;
    char line[64], *curves;
    ck_assert(compare((sa_compare_options){0}));
    curves = scratch_read(path_in("", "curves.csv"), &size);
    const char *at = curves;
    ck_assert_int_eq(strncmp(at, "model,seed,step,seconds,train_loss,valid_loss,valid_bleu\n", 57),
                     0);
    for (int i = 0; i < RUNS; i++) {
        static const char *const models[] = {"fixed", "bahdanau", "luong:dot"};
        snprintf(line, sizeof line, "%s,%d,1,", models[i / SEEDS], i % SEEDS + 1);
        at = strchr(at, '\n') + 1;
        ck_assert_int_eq(strncmp(at, line, strlen(line)), 0);
    }
    ck_assert_ptr_eq(strchr(at, '\n') + 1, curves + size);
    free(curves);
}
END_TEST

START_TEST(the_page_names_what_is_compared) {
    char page[160];
    size_t size;
    snprintf(page, sizeof page, "%s/page.html", scratch);
    ck_assert_msg(compare((sa_compare_options){.html = page}), "%s", error.text);
    char *text = scratch_read(page, &size);
    static const char *const parts[] = {
        "3 models on softalign-test-",
        "/test.tsv (2 pairs)\"",
        "\"models\":[{\"name\":\"fixed\",\"settings\":{",
        "{\"name\":\"bahdanau\",\"settings\":{",
        "{\"name\":\"luong:dot\",\"settings\":{",
        "nrefs:1|case:mixed|eff:no",
        "{\"key\":\"zeros\",\"title\":\"zeros %\",\"decimals\":1,\"scale\":100.0",
        "{\"key\":\"loss\",\"title\":\"loss\",\"decimals\":4,\"scale\":1.0"};
    for (int i = 0; i < 8; i++) ck_assert_msg(strstr(text, parts[i]) != NULL, "%s", parts[i]);
    free(text);
    ck_assert(compare((sa_compare_options){.models = "bahdanau", .seeds = 1, .html = page}));
    text = scratch_read(page, &size);
    ck_assert_ptr_nonnull(strstr(text, "1 model on softalign-test-"));
    free(text);
}
END_TEST

/* Runs are drawn, too: of two that differ by 10 the means are 10, 15, 15 and 20, so half of them
 * are 5 from 15, which is more than the difference of BLEU. */
START_TEST(runs_are_drawn_with_replacement) {
    for (int s = 0; s < SEEDS; s++) {
        forge(s, (record){.bleu = 59, .loss = 1, .usual = 10 * (s + 1), .usual_samples = SAMPLES});
        forge(4 + s, (record){.bleu = 61, .loss = 1, .usual = 65, .usual_samples = SAMPLES});
    }
    ck_assert(compare((sa_compare_options){.models = "fixed,luong:dot"}));
    for (int i = 0; i < 2; i++) {
        const json_t *model = json_array_get(json_object_get(compared, "models"), (size_t)i);
        const double p = json_number_value(json_object_get(model, "p"));
        ck_assert_double_eq_tol(p, 0.5, 0.06);
    }
    ck_assert_ptr_null(strstr(table, "Holm"));
}
END_TEST

/* More than a tenth fewer updates are told of, but not those of a run that diverged. */
START_TEST(unequal_updates_are_told_of) {
    static const struct {
        double updates, loss;
        const char *told;
    } cases[] = {
        {90, 1, NULL},
        {89, 1,
         "Unequal numbers of updates: fixed 100, bahdanau 100, luong:dot 89. For equal ones give "
         "--steps without --max-time and --patience.\n"},
        {112, 1, "Unequal numbers of updates: fixed 100, bahdanau 100, luong:dot 112."},
        {111, 1, NULL},
        {1, NAN, NULL},
    };
    char path[160];
    size_t size;
    snprintf(path, sizeof path, "%s/page.html", scratch);
    for (int i = 0; i < 5; i++) {
        for (int s = 0; s < SEEDS; s++)
            forge(4 + s, (record){.bleu = 1, .updates = cases[i].updates, .loss = cases[i].loss});
        ck_assert(compare((sa_compare_options){.html = path}));
        ck_assert_msg(cases[i].told ? strstr(table, cases[i].told) != NULL
                                    : !strstr(table, "Unequal"),
                      "%d: %s", i, table);
        char *page = scratch_read(path, &size), wanted[32];
        snprintf(wanted, sizeof wanted, "luong:dot %.0f", cases[i].updates);
        ck_assert_int_eq(strstr(page, "unequal numbers of updates") && strstr(page, wanted),
                         cases[i].told != NULL);
        free(page);
    }
}
END_TEST

/* Nor is a model that diverged among those that are listed. */
START_TEST(only_models_with_scores_have_updates_to_compare) {
    for (int s = 0; s < SEEDS; s++) {
        forge(s, (record){.bleu = 1, .updates = 7, .loss = NAN});
        forge(4 + s, (record){.bleu = 1, .updates = 50, .loss = 1});
    }
    ck_assert(compare((sa_compare_options){0}));
    ck_assert_msg(strstr(table, "\nUnequal numbers of updates: bahdanau 100, luong:dot 50. For "),
                  "%s", table);
}
END_TEST

/* One model with one seed has no p, no deviation and no mean of seeds. */
START_TEST(one_run_is_a_table_of_its_own) {
    ck_assert(compare((sa_compare_options){.models = "bahdanau", .seeds = 1}));
    ck_assert_str_eq(
        table, "model     parameters  seconds  updates     loss  perplexity     BLEU  exact %      "
               "AER  entropy  zeros %  words/s  cache B/step        p\n"
               "bahdanau        1234     10.0      100   1.0000       2.750    64.00     50.0    "
               "0.250    1.500      0.0     1000            48        -\n");
    size_t size;
    char *text = scratch_read(path_in("", "table.tex"), &size);
    ck_assert_ptr_nonnull(strstr(text, "Models on 2 test pairs.\nBold"));
    ck_assert_ptr_nonnull(strstr(text, "model & parameters & BLEU & AER \\\\\n"));
    ck_assert_ptr_nonnull(strstr(text, " & 1234 & 64.00 & 0.250 \\\\\n"));
    free(text);
}
END_TEST

/* ---- What is no record of this comparison ---------------------------------------------------- */

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

/* Compares with a changed record of a run, then puts the old one back. */
static bool compare_with(int run, json_t *changed) {
    size_t size;
    char *kept = scratch_read(path_in(folders[run], "run.json"), &size);
    save(changed, run);
    const bool good = compare((sa_compare_options){0});
    scratch_write(path_in(folders[run], "run.json"), kept, size);
    free(kept);
    return good;
}

START_TEST(records_of_something_else_are_refused) {
    static const char *const fields[] = {"seconds", "updating", "words",     "updates", "trained",
                                         "test",    "diverged", "by_length", "figures"};
    enum { NUMBERS = 4, FIELDS = 9 };
    for (int i = 0; i < NUMBERS + FIELDS; i++) {
        json_t *changed = load(5);
        if (i < FIELDS)
            json_object_del(changed, fields[i]);
        else
            set(changed, fields[i - FIELDS], i < FIELDS + 2 ? json_real(-1) : json_integer(-1));
        ck_assert_msg(!compare_with(5, changed), "field %d", i);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_ptr_nonnull(
            strstr(error.text, "luong-dot-s2/run.json: not written by 'compare'"));
    }
}
END_TEST

START_TEST(other_settings_and_pairs_are_refused) {
    static const struct {
        const char *key;
        double value;
        int code;
        const char *message;
    } cases[] = {
        {"hidden", 5, SA_BUSY, "--hidden"},
        {"seed", 2, SA_BUSY, "--seed"},
        {"hidden", 0, SA_DATA, "settings: 'hidden' is missing or impossible"},
        {"hidden", NAN, SA_DATA, "settings: 'hidden' is missing or impossible"},
        {"threads", 7, 0, ""}, /* these change no result */
        {"keep", 3, 0, ""},
    };
    static const char *const pairs[] = {"train", "valid"};
    for (int i = 0; i < 6; i++) {
        json_t *changed = load(0);
        set(json_object_get(changed, "settings"), cases[i].key, number(cases[i].value));
        *error.text = 0;
        ck_assert_int_eq(compare_with(0, changed), !cases[i].code);
        ck_assert_ptr_nonnull(strstr(error.text, cases[i].message));
        if (cases[i].code) ck_assert_int_eq(error.code, cases[i].code);
    }
    for (int i = 0; i < 2; i++) {
        json_t *changed = load(5);
        char wanted[64];
        set(changed, pairs[i], json_string("0123456789abcdef"));
        ck_assert(!compare_with(5, changed));
        ck_assert_int_eq(error.code, SA_BUSY);
        snprintf(wanted, sizeof wanted, "--%s: '", pairs[i]);
        ck_assert_int_eq(strncmp(error.text, wanted, strlen(wanted)), 0);
        ck_assert_ptr_nonnull(strstr(error.text, "was trained with other pairs, choose another"));
    }
}
END_TEST

/* Without samples, or with too few, a run is scored again, but not trained. */
START_TEST(records_without_samples_are_scored_again) {
    json_t *changed = load(3), *samples = json_object_get(changed, "samples");
    json_array_remove(samples, 0);
    save(changed, 3);
    ck_assert(compare((sa_compare_options){0}));
    ck_assert_ptr_nonnull(strstr(notes, "5 of 6 runs are done already"));
    ck_assert_ptr_nonnull(strstr(notes, "== bahdanau, seed 2 (5 of 6)"));
    ck_assert_ptr_nonnull(strstr(notes, "trained: 1 updates, "));
    ck_assert_ptr_null(strstr(notes, "vocabulary"));
    changed = load(3);
    ck_assert_uint_eq(json_array_size(json_object_get(changed, "samples")), SAMPLES);
    json_decref(changed);
}
END_TEST

/* A folder with a model but no record is another command's. */
START_TEST(trainings_of_other_commands_are_kept) {
    ck_assert_int_eq(unlink(path_in(folders[0], "run.json")), 0);
    ck_assert(!compare((sa_compare_options){0}));
    ck_assert_int_eq(error.code, SA_BUSY);
    ck_assert_ptr_nonnull(strstr(error.text, "holds a training that was not made by 'compare'"));
    ck_assert(compare((sa_compare_options){.overwrite = true}));
    ck_assert_ptr_nonnull(strstr(notes, "5 of 6 runs are done already"));
    ck_assert_ptr_nonnull(strstr(notes, "== fixed, seed 1 (1 of 6)"));
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("compared_figures", &tests);
    tcase_add_checked_fixture(tests, train_all, remove_all);
    tcase_add_test(tests, tables_show_the_medians);
    tcase_add_test(tests, latex_shows_means_and_deviations);
    tcase_add_test(tests, only_a_significant_best_is_bold);
    tcase_add_test(tests, lengths_and_statistics_are_those_of_the_records);
    tcase_add_test(tests, curves_are_the_logs);
    tcase_add_test(tests, the_page_names_what_is_compared);
    tcase_add_test(tests, runs_are_drawn_with_replacement);
    tcase_add_test(tests, unequal_updates_are_told_of);
    tcase_add_test(tests, only_models_with_scores_have_updates_to_compare);
    tcase_add_test(tests, one_run_is_a_table_of_its_own);
    tcase_add_test(tests, records_of_something_else_are_refused);
    tcase_add_test(tests, other_settings_and_pairs_are_refused);
    tcase_add_test(tests, records_without_samples_are_scored_again);
    tcase_add_test(tests, trainings_of_other_commands_are_kept);
    return suite_run(suite);
}
