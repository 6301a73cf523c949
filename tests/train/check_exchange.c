/* Processes that train one model: which items and shards belong to each, which of them is odd, and
 * what all must agree on. There is no second process here: what it says is written by hand. */
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <signal.h>

static const char *const hosts[] = {"a", "b", "c", "d"};

/* ---- Items and words ------------------------------------------------------------------------- */

START_TEST(items_are_shared_out) {
    static const int first[] = {0, 3, 5, 7};
    const sa_exchange three = {.size = 3};
    for (int rank = 0; rank < 4; rank++)
        ck_assert_int_eq(sa_exchange_first(&three, 7, rank), first[rank]);
    ck_assert_int_eq(sa_exchange_first(&three, 1, 1), 1); /* the first process has the only one */
    ck_assert_int_eq(sa_exchange_first(&three, 2000000000, 2), 1333333334);
    ck_assert_int_eq(sa_exchange_first(NULL, 7, 0), 0);
    ck_assert_int_eq(sa_exchange_first(NULL, 7, 1), 7);
}
END_TEST

START_TEST(the_first_process_leads) {
    ck_assert(sa_exchange_leads(NULL));
    ck_assert(sa_exchange_leads(&(sa_exchange){.size = 2, .rank = 0}));
    ck_assert(!sa_exchange_leads(&(sa_exchange){.size = 2, .rank = 1}));
}
END_TEST

START_TEST(the_odd_one_differs_from_most) {
    static const struct {
        int count, odd;
        uint64_t words[4];
    } cases[] = {{3, -1, {5, 5, 5}}, {3, 1, {5, 7, 5}},    {3, 0, {7, 5, 5}}, {3, 2, {5, 5, 7}},
                 {2, 1, {5, 7}},     {4, 0, {1, 2, 3, 3}}, {1, -1, {9}},      {4, 2, {4, 4, 6, 6}}};
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(sa_exchange_odd(cases[i].words, cases[i].count), cases[i].odd);
}
END_TEST

/* ---- Another process ------------------------------------------------------------------------- */

enum { WORDS = 512 };
static sa_exchange pair;                   /* of two processes, one of which is this one */
static uint64_t heard[WORDS], said[WORDS]; /* by turns, of this process and of the other one */
static int turn;
static bool answers; /* the other says what is written in `said`; false: the same as this one */

static void gather(void *items, size_t size, int count) {
    uint64_t *words = items;
    if (size != sizeof *words || count != 2) return; /* results, which the other process lacks */
    ck_assert_int_lt(turn, WORDS);
    heard[turn] = words[pair.rank];
    words[!pair.rank] = answers ? said[turn] : words[pair.rank];
    turn++;
}

/* Of the gradients: this process has the only shard. */
static void sum(sa_real *numbers, size_t size, void (*add)(void *context, size_t at, size_t size),
                void *context) {
    (void)numbers, (void)size, (void)add, (void)context;
}

static void begin(int rank, bool answered) {
    pair = (sa_exchange){.rank = rank,
                         .size = 2,
                         .threads = 1,
                         .cores = 2,
                         .where = "2 processes on 2 hosts",
                         .hosts = hosts,
                         .gather = gather,
                         .sum = sum};
    turn = 0, answers = answered;
}

/* The first process that failed keeps its error, the others get its code. Afterwards nothing more
 * is exchanged. */
START_TEST(all_fail_if_one_does) {
    static const struct {
        int rank;
        uint64_t other; /* its code */
        int own;        /* 0: good */
        bool good;
        const char *text; /* of the error then */
    } cases[] = {
        {0, 0, 0, true, "before"},      {0, SA_IO, 0, false, ""},
        {0, 0, SA_DATA, false, "own"},  {0, SA_IO, SA_DATA, false, "own"},
        {1, SA_IO, SA_DATA, false, ""}, {1, 0, SA_DATA, false, "own"},
    };
    for (int i = 0; i < 6; i++) {
        sa_error why = {SA_OK, "before"};
        begin(cases[i].rank, true);
        said[0] = cases[i].other;
        if (cases[i].own) why = (sa_error){(sa_code)cases[i].own, "own"};
        ck_assert_int_eq(sa_exchange_agree(&pair, !cases[i].own, &why), cases[i].good);
        ck_assert_uint_eq(heard[0], (uint64_t)cases[i].own);
        ck_assert_str_eq(why.text, cases[i].text);
        if (!cases[i].good)
            ck_assert_int_eq(why.code, *cases[i].text ? cases[i].own : (int)cases[i].other);
        ck_assert_int_eq(pair.ended, !cases[i].good);
        ck_assert_int_eq(turn, 1);
        if (cases[i].good) continue;
        ck_assert(sa_exchange_agree(&pair, true, &why) && !sa_exchange_agree(&pair, false, &why));
        ck_assert_int_eq(turn, 1);
    }
    ck_assert(sa_exchange_agree(NULL, true, &error) && !sa_exchange_agree(NULL, false, &error));
}
END_TEST

START_TEST(a_process_with_another_word_is_named) {
    begin(0, true);
    said[0] = 7, said[1] = 8;
    ck_assert(sa_exchange_same(&pair, 7, "another --seed", &error));
    ck_assert(!sa_exchange_same(&pair, 7, "another --seed", &error));
    ck_assert_str_eq(error.text, "process 1 on 'b' has another --seed than the rest");
    ck_assert_int_eq(error.code, SA_USAGE);
    uint64_t words[2];
    begin(1, true);
    said[0] = 3;
    sa_exchange_words(&pair, 4, words);
    ck_assert(words[0] == 3 && words[1] == 4);
    sa_exchange_words(NULL, 5, words);
    ck_assert_uint_eq(words[0], 5);
}
END_TEST

/* ---- What must be the same ------------------------------------------------------------------- */

static char other_path[128], valid_path[128], links_path[2][128];

static void make_files(void) {
    static const char pairs[] = "w1 w0\tv0 v1\nw2 w1\tv1 v2\n", links[] = "0-1 1-0\n0-1 1-0\n";
    char changed[sizeof links];
    set_up();
    strcpy(other_path, scratch_path("other.tsv"));
    strcpy(valid_path, scratch_path("valid.tsv"));
    for (int i = 0; i < 2; i++) strcpy(links_path[i], scratch_path(i ? "changed" : "links"));
    scratch_write(other_path, pairs, sizeof pairs - 1);
    scratch_write(valid_path, pairs, 12);
    scratch_write(links_path[0], links, sizeof links - 1);
    memcpy(changed, links, sizeof links);
    changed[8] = '1'; /* 1-1 in the second line */
    scratch_write(links_path[1], changed, sizeof links - 1);
}

/* Opens a session of the first process, and asks whether it has the same as the other one: that of
 * the call before, or (usual) as this one. */
static bool has_the_same(const char *options, sa_train_options training, bool usual) {
    sa_settings settings = small_settings();
    sa_session *session = calloc(1, sizeof *session);
    set_all(&settings, options);
    training.settings = &settings, training.out = out_path;
    if (!training.train) training.train = other_path;
    if (!training.valid) training.valid = train_path;
    training.overwrite = !training.resume;
    begin(0, !usual);
    sa_session_processes = &pair;
    const bool opened = sa_session_open(session, &training, &error);
    sa_session_processes = NULL;
    ck_assert_msg(opened, "%s", error.text);
    turn = 0;
    const bool same = sa_session_same(session, &error);
    sa_session_close(session);
    free(session);
    if (usual) memcpy(said, heard, sizeof said);
    return same;
}

START_TEST(settings_and_pairs_must_be_the_same) {
    static const char guided[] = "guided-alignment=0.5", pairs[] = "other training pairs or";
    const struct {
        const char *first, *second;
        sa_train_options one, other;
        const char *what; /* NULL: they may differ */
    } cases[] = {
        {"", "", {0}, {0}, NULL},
        {"threads=1", "threads=2", {0}, {0}, NULL},
        {"", "seed=7", {0}, {0}, "another --seed"},
        {"", "lr=0.25", {0}, {0}, "another --lr"},
        {"", "attention=dot", {0}, {0}, "another --attention"},
        {"", "", {0}, {.train = train_path}, pairs},
        {"", "max-len=9", {0}, {0}, "another --max-len"},
        {"", "", {0}, {.valid = valid_path}, "other validation pairs"},
        {"", "", {0}, {.alignments = links_path[1]}, NULL}, /* nothing reads the links */
        {guided, guided, {.alignments = links_path[0]}, {.alignments = links_path[1]}, pairs},
        {guided, guided, {.alignments = links_path[0]}, {.alignments = links_path[0]}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[128];
        ck_assert_msg(has_the_same(cases[i].first, cases[i].one, true), "%zu: %s", i, error.text);
        const bool same = has_the_same(cases[i].second, cases[i].other, false);
        ck_assert_msg(same == !cases[i].what, "case %zu", i);
        if (same) continue;
        snprintf(wanted, sizeof wanted, "process 1 on 'b' has %s", cases[i].what);
        ck_assert_msg(strncmp(error.text, wanted, strlen(wanted)) == 0, "%zu: %s", i, error.text);
    }
}
END_TEST

/* Another file, or the same one beside a best model that is lost. */
START_TEST(the_resumed_training_must_be_the_same) {
    sa_settings settings = small_settings();
    sa_train_options training = {.settings = &settings,
                                 .train = other_path,
                                 .valid = train_path,
                                 .out = out_path,
                                 .overwrite = true};
    sa_train_result outcome;
    char best[160];
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert(has_the_same("", (sa_train_options){.resume = true}, true));
    ck_assert(has_the_same("", (sa_train_options){.resume = true}, false));
    ck_assert_int_eq(unlink(best), 0);
    ck_assert(!has_the_same("", (sa_train_options){.resume = true}, false));
    ck_assert_str_eq(error.text,
                     "process 1 on 'b' has another training to be resumed than the rest");
    training.resume = true, training.overwrite = false, settings.steps = 23;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_int_eq(access(best, F_OK), 0);
    ck_assert(!has_the_same("", (sa_train_options){.resume = true}, false));
    ck_assert_str_eq(error.text,
                     "process 1 on 'b' has another training to be resumed than the rest");
}
END_TEST

/* ---- While they train ------------------------------------------------------------------------ */

/* Any process may stop; whether it is late is what the first one's clock says. */
START_TEST(processes_stop_together) {
    enum { STOP = 1, LATE = 2 };
    static const struct {
        int rank;
        bool stops, late; /* this process */
        uint64_t other;
        const char *reason;
    } cases[] = {
        {0, false, false, 0, NULL},         {0, false, false, STOP, "stopped"},
        {0, false, false, LATE, NULL},      {0, false, true, 0, "time"},
        {0, true, false, 0, "stopped"},     {1, false, false, LATE, "time"},
        {1, false, true, 0, NULL},          {1, true, false, 0, "stopped"},
        {1, false, false, STOP, "stopped"}, {0, true, true, LATE | STOP, "stopped"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        volatile sig_atomic_t stop = cases[i].stops;
        sa_settings settings = small_settings();
        sa_session *session = calloc(1, sizeof *session);
        const sa_train_options training = {.settings = &settings,
                                           .train = train_path,
                                           .out = out_path,
                                           .overwrite = true,
                                           .stop = &stop};
        settings.max_time = cases[i].late ? 1e-9 : 0;
        begin(cases[i].rank, true);
        sa_session_processes = &pair;
        const bool opened = sa_session_open(session, &training, &error);
        sa_session_processes = NULL;
        ck_assert_msg(opened, "%s", error.text);
        turn = 0, said[0] = cases[i].other;
        const char *reason = sa_session_reason_to_stop(session);
        ck_assert_msg(cases[i].reason ? reason && strcmp(reason, cases[i].reason) == 0 : !reason,
                      "%zu: %s", i, reason);
        ck_assert_uint_eq(heard[0], (cases[i].stops ? STOP : 0) | (cases[i].late ? LATE : 0));
        sa_session_close(session);
        free(session);
    }
}
END_TEST

static int updates, spoiled_from;

/* Hashes of weights are the only large words while they train. */
static void gather_spoiled(void *items, size_t size, int count) {
    uint64_t *words = items;
    if (size != sizeof *words || count != 2) return;
    words[1] = words[0];
    if (updates >= spoiled_from && words[0] > UINT32_MAX) words[1]++;
}

static void count_update(sa_real *numbers, size_t size,
                         void (*add)(void *context, size_t at, size_t size), void *context) {
    (void)numbers, (void)size, (void)add, (void)context;
    updates++;
}

/* Weights are compared at every validation, and after every hundredth update. */
START_TEST(weights_that_differ_end_a_training) {
    static const struct {
        int valid_every, from, found;
    } cases[] = {{3, 1, 3}, {3, 4, 6}, {1000000, 1, 100}, {60, 61, 100}};
    for (int i = 0; i < 4; i++) {
        sa_settings settings = small_settings();
        char wanted[256];
        settings.valid_every = cases[i].valid_every, settings.steps = 150, settings.batch = 4;
        begin(0, false);
        pair.gather = gather_spoiled, pair.sum = count_update;
        updates = 0, spoiled_from = cases[i].from;
        sa_session_processes = &pair;
        const bool good = train(&settings, false);
        sa_session_processes = NULL;
        ck_assert(!good);
        ck_assert_int_eq(error.code, SA_CHECK);
        snprintf(wanted, sizeof wanted,
                 "process 1 on 'b' has other weights than the rest after update %d: its memory or "
                 "processor may be faulty; --resume goes on from the last validation",
                 cases[i].found);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(updates, cases[i].found);
    }
}
END_TEST

/* What they begin with is compared before the first update. */
START_TEST(settings_that_differ_begin_no_training) {
    const sa_settings settings = small_settings();
    begin(0, false);
    pair.gather = gather_spoiled, pair.sum = count_update;
    updates = spoiled_from = 0;
    sa_session_processes = &pair;
    const bool good = train(&settings, false);
    sa_session_processes = NULL;
    ck_assert(!good);
    ck_assert_msg(strstr(error.text, "process 1 on 'b' has "), "%s", error.text);
    ck_assert_ptr_null(strstr(error.text, "weights"));
    ck_assert_int_eq(updates, 0);
}
END_TEST

/* What the first process finds at a validation. */
static void gather_figures(void *items, size_t size, int count) {
    const sa_validation figures = {.loss = 0.5, .bleu = 7, .chrf = 9};
    if (size == sizeof figures && count == 1) memcpy(items, &figures, sizeof figures);
    if (size == sizeof(uint64_t) && count == 2) ((uint64_t *)items)[0] = ((uint64_t *)items)[1];
}

static int validations;
static double last_loss;

static void take_row(void *context, const sa_progress *progress) {
    (void)context;
    if (progress->kind != SA_PROGRESS_VALIDATION) return;
    validations++, last_loss = progress->valid_loss;
}

/* Another one validates nothing itself, and has no files, not even a folder. */
START_TEST(only_the_first_process_validates_and_saves) {
    const sa_pair film = {.source = "w1 w0", .target = "v0 v1"};
    sa_settings settings = small_settings();
    sa_train_result outcome;
    const sa_train_options training = {.settings = &settings,
                                       .train = train_path,
                                       .out = out_path,
                                       .snapshot_pairs = &film,
                                       .snapshot_count = 1,
                                       .report = take_row};
    settings.average = 2, settings.keep = 1;
    begin(1, false);
    pair.gather = gather_figures;
    validations = 0;
    sa_session_processes = &pair;
    const bool good = sa_train(&training, &outcome, &error);
    sa_session_processes = NULL;
    ck_assert_msg(good, "%s", error.text);
    ck_assert(outcome.steps == 20 && validations == 7);
    ck_assert(last_loss == 0.5 && outcome.best_loss == 0.5 && outcome.best_bleu == 7);
    ck_assert_int_eq(access(out_path, F_OK), -1);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("exchange", &tests);
    tcase_add_checked_fixture(tests, make_files, scratch_remove);
    tcase_add_test(tests, items_are_shared_out);
    tcase_add_test(tests, the_first_process_leads);
    tcase_add_test(tests, the_odd_one_differs_from_most);
    tcase_add_test(tests, all_fail_if_one_does);
    tcase_add_test(tests, a_process_with_another_word_is_named);
    tcase_add_test(tests, settings_and_pairs_must_be_the_same);
    tcase_add_test(tests, the_resumed_training_must_be_the_same);
    tcase_add_test(tests, processes_stop_together);
    tcase_add_test(tests, weights_that_differ_end_a_training);
    tcase_add_test(tests, only_the_first_process_validates_and_saves);
    tcase_add_test(tests, settings_that_differ_begin_no_training);
    return suite_run(suite);
}
