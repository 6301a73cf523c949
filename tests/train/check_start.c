/* The start of a training: what its folder may hold, which pairs are read, what it begins with and
 * what it takes from the one that it resumes, and what is refused before anything is trained. */
#include "data/encoding.h"
#include "inference/model.h"
#include "metrics/metrics.h"
#include "support/small_training.h"
#include "support/suite.h"
#include "train/session.h"

#include <math.h>

/* A session that stays open until the end of a test. */
static sa_session session;
static bool opened;

/* Lets go of the folder. */
static void close_session(void) {
    if (opened) sa_session_close(&session);
    opened = false;
}

static bool open_session(const sa_settings *settings, sa_train_options training) {
    static sa_train_options kept; /* the session points to it */
    close_session();
    training.settings = settings, training.out = out_path, training.report = take_note;
    if (!training.train) training.train = train_path;
    opened = true;
    *notes = 0;
    kept = training;
    return sa_session_open(&session, &kept, &error);
}

static void finish(void) {
    close_session();
    scratch_remove();
}

static void put(const char *name, const char *text) {
    scratch_write(scratch_path(name), text, strlen(text));
}

/* ---- The folder ------------------------------------------------------------------------------ */

/* Any file of a training, and its film; only with last.safetensors it can be resumed. */
START_TEST(each_file_of_a_training_is_found) {
    static const char *const names[] = {"last.safetensors", "best.safetensors",
                                        "average.safetensors", "log.csv", "film"};
    sa_settings settings = small_settings();
    char wanted[256];
    const char *found = "";
    ck_assert(sa_training_find(out_path, &found, &error) && !found); /* no folder */
    ck_assert_int_eq(mkdir(out_path, 0777), 0);
    put("out/notes.txt", "mine");
    ck_assert(sa_training_find(out_path, &found, &error) && !found);
    for (int i = 0; i < 5; i++) {
        char path[192];
        snprintf(path, sizeof path, "%s/%s", out_path, names[i]);
        scratch_write(path, "x", 1);
        ck_assert(sa_training_find(out_path, &found, &error));
        ck_assert_pstr_eq(found, names[i]);
        ck_assert(!open_session(&settings, (sa_train_options){0}));
        ck_assert_int_eq(error.code, SA_BUSY);
        snprintf(wanted, sizeof wanted,
                 i ? "'%s' holds a training (%s) that --resume cannot continue, without "
                     "last.safetensors: --overwrite replaces it"
                   : "'%s' holds a training (%s): --resume continues it, --overwrite replaces it",
                 out_path, names[i]);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(unlink(path), 0);
    }
    for (int i = 4; i >= 0; i--) { /* the first of several */
        char path[192];
        snprintf(path, sizeof path, "%s/%s", out_path, names[i]);
        scratch_write(path, "x", 1);
        ck_assert(sa_training_find(out_path, &found, &error));
        ck_assert_pstr_eq(found, names[i]);
    }
    ck_assert(sa_training_remove(out_path, &error)); /* but not the film */
    ck_assert(sa_training_find(out_path, &found, &error));
    ck_assert_pstr_eq(found, "film");
    ck_assert_int_eq(access(scratch_path("out/notes.txt"), F_OK), 0);
}
END_TEST

START_TEST(a_run_of_compare_is_left_alone) {
    sa_settings settings = small_settings();
    char wanted[256];
    ck_assert_int_eq(mkdir(out_path, 0777), 0);
    put("out/run.json", "{}");
    snprintf(wanted, sizeof wanted, "'%s' is a run of 'compare' (run.json): choose another --out",
             out_path);
    for (int way = 0; way < 3; way++) {
        ck_assert(!open_session(&settings,
                                (sa_train_options){.resume = way == 1, .overwrite = way == 2}));
        ck_assert_int_eq(error.code, SA_BUSY);
        ck_assert_str_eq(error.text, wanted);
    }
    ck_assert_msg(open_session(&settings, (sa_train_options){.pausing = true}), "%s", error.text);
}
END_TEST

/* What cannot be looked at may be there: here a link that leads to itself. */
START_TEST(a_file_that_cannot_be_examined_is_no_missing_one) {
    static const char *const names[] = {"last.safetensors", "log.csv", "film", "run.json"};
    sa_settings settings = small_settings();
    char path[192], wanted[256];
    const char *found;
    ck_assert_int_eq(mkdir(out_path, 0777), 0);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", out_path, names[i]);
        ck_assert_int_eq(symlink(names[i], path), 0);
        snprintf(wanted, sizeof wanted, "cannot open '%s': Too many levels of symbolic links",
                 path);
        ck_assert_int_eq(sa_training_find(out_path, &found, &error), i == 3); /* of compare */
        ck_assert_ptr_null(found);
        *error.text = 0;
        ck_assert(!open_session(&settings, (sa_train_options){0}));
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_OPEN);
        ck_assert_int_eq(unlink(path), 0);
    }
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
}
END_TEST

START_TEST(what_excludes_each_other_is_refused) {
    sa_settings settings = small_settings();
    ck_assert(!open_session(&settings, (sa_train_options){.resume = true, .overwrite = true}));
    ck_assert_str_eq(error.text, "a training is either resumed or overwritten");
    ck_assert_int_eq(error.code, SA_USAGE);
    for (int side = 0; side < 2; side++) {
        sa_train_options training = {.init_from = "model"};
        training.embeddings[side] = "vectors";
        ck_assert(!open_session(&settings, training));
        ck_assert_str_eq(error.text, "--init-from brings embeddings: --source-embeddings and "
                                     "--target-embeddings are for random weights");
        ck_assert_int_eq(error.code, SA_USAGE);
    }
    ck_assert_int_eq(access(out_path, F_OK), -1);
}
END_TEST

/* ---- Pairs ----------------------------------------------------------------------------------- */

START_TEST(a_pair_that_is_alone_is_trained_on_and_validated) {
    const sa_settings settings = small_settings();
    put("train.tsv", "a b\tx y\n");
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
    ck_assert(session.data.count == 1 && session.valid_data.count == 1);
    put("train.tsv", "a b\tx y\nc d\tz u\n");
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
    ck_assert(session.data.count == 1 && session.valid_data.count == 1);
    ck_assert(session.trained_on[0] != session.trained_on[1]);
    ck_assert_uint_ne(session.data.hash, session.valid_data.hash);
}
END_TEST

/* --max-len leaves out training pairs only. */
START_TEST(validation_pairs_may_be_longer) {
    sa_settings settings = small_settings();
    char valid[128];
    settings.max_len = 3;
    strcpy(valid, scratch_path("valid.tsv"));
    put("train.tsv", "a b c\tx y z\na\tx y z u\na b c d\tx\nb\ty\n");
    put("valid.tsv", "a b c d e\tx\na\tx y z u v\n");
    ck_assert_msg(open_session(&settings, (sa_train_options){.valid = valid}), "%s", error.text);
    ck_assert_uint_eq(session.data.count, 2);
    ck_assert_uint_eq(session.data.too_long, 2);
    ck_assert_uint_eq(session.valid_data.count, 2);
    ck_assert_int_eq(session.valid_data.longest_source, 6); /* with EOS */
    ck_assert_ptr_nonnull(strstr(notes, "training: 2 pairs (left out: 0 with an empty side, 2 "
                                        "above 3 tokens)"));
}
END_TEST

/* ---- Checks before a comparison -------------------------------------------------------------- */

/* Checks these test pairs, or, as snapshot pairs, the first of them. */
static bool check(const char *text, bool gold, bool snapshot) {
    sa_settings settings = small_settings();
    sa_corpus test;
    put("test.tsv", text);
    ck_assert_msg(sa_corpus_open(&test, scratch_path("test.tsv"), &error), "%s", error.text);
    sa_train_options training = {.settings = &settings, .train = train_path, .out = out_path};
    sa_pair own = test.pairs[0];
    own.line = 0;
    if (snapshot) training.snapshot_pairs = &own, training.snapshot_count = 1, test.count = 0;
    const bool good = sa_training_check(&training, &test, gold, &error);
    sa_corpus_close(&test);
    ck_assert_int_eq(access(out_path, F_OK), -1); /* nothing is written */
    return good;
}

/* The words of two pairs count from 0. */
START_TEST(gold_links_end_with_the_sentences) {
    static const struct {
        const char *links, *message;
    } cases[] = {{"0-0 1-2", NULL},
                 {"2-0", ":2: link 2-0 is beyond the sentence (2 and 3 tokens)"},
                 {"0-3", ":2: link 0-3 is beyond the sentence (2 and 3 tokens)"},
                 {"1-1 1-3", ":2: link 1-3 is beyond the sentence (2 and 3 tokens)"}};
    for (int i = 0; i < 4; i++) {
        char text[128];
        snprintf(text, sizeof text, "w1\tv1\t0-0\nw1 w2\tv1 v2 v3\t%s\n", cases[i].links);
        ck_assert_msg(check(text, true, false) == !cases[i].message, "%d: %s", i, error.text);
        if (!cases[i].message) continue;
        ck_assert_msg(strstr(error.text, cases[i].message), "%s", error.text);
        ck_assert_int_eq(error.code, SA_DATA);
        ck_assert_msg(check(text, false, false), "%s", error.text); /* they do not matter */
    }
}
END_TEST

/* A pair with so many words on a side, which is written to `text`. */
static void long_pair(int source, int target, char *text) {
    *text = 0;
    for (int i = 0; i < source; i++) text = stpcpy(text, i ? " w" : "w");
    text = stpcpy(text, "\t");
    for (int i = 0; i < target; i++) text = stpcpy(text, i ? " v" : "v");
    strcpy(text, "\n");
}

START_TEST(pairs_longer_than_any_model_reads) {
    static char text[3 * SA_MAX_LEN];
    char wanted[256];
    static const char *const sides[] = {"source", "target"};
    long_pair(SA_MAX_LEN, 1, text);
    ck_assert_msg(check(text, false, false) && check(text, false, true), "%s", error.text);
    for (int side = 0; side < 2; side++) {
        long_pair(side ? 1 : SA_MAX_LEN + 1, side ? SA_MAX_LEN + 1 : 1, text);
        ck_assert(!check(text, false, false));
        snprintf(wanted, sizeof wanted, "%s:1: the %s has 1001 tokens, more than --max-len 1000",
                 scratch_path("test.tsv"), sides[side]);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_LIMIT);
        ck_assert(!check(text, false, true));
        snprintf(wanted, sizeof wanted, "the %s has 1001 tokens, more than --max-len 1000",
                 sides[side]);
        ck_assert_str_eq(error.text, wanted);
    }
}
END_TEST

/* ---- What it begins with --------------------------------------------------------------------- */

START_TEST(weights_are_those_of_the_seed) {
    sa_settings settings = small_settings();
    settings.seed = 5 + _i, settings.init = _i;
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
    const sa_params *plan = &session.model.plan;
    float *wanted = calloc(plan->size, sizeof *wanted);
    ck_assert(sa_params_init(plan, wanted, settings.init, 5 + (uint64_t)_i, &error));
    ck_assert_mem_eq(session.model.values, wanted, plan->size * sizeof *wanted);
    free(wanted);
    ck_assert(isinf(session.best.loss) && isinf(session.figures.best.loss));
    ck_assert(session.best.bleu == -1 && session.best.chrf == -1);
    ck_assert_double_eq(session.figures.lr_factor, 1);
    ck_assert_str_eq(session.log.text, SA_LOG_HEADER);
    ck_assert_int_eq(session.counts.train_hash, (int64_t)session.data.hash);
    ck_assert_int_eq(session.counts.valid_hash, (int64_t)session.valid_data.hash);
    ck_assert_uint_eq(session.checksum, 0);
}
END_TEST

/* As many shards as cores, unless that is said. */
START_TEST(shards_are_resolved) {
    sa_settings settings = small_settings();
    settings.shards = 0;
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
    ck_assert_int_eq(session.settings.shards, sa_cpu_count());
    settings.shards = 3;
    ck_assert_msg(open_session(&settings, (sa_train_options){0}), "%s", error.text);
    ck_assert_int_eq(session.settings.shards, 3);
}
END_TEST

START_TEST(target_words_get_vectors_too) {
    sa_settings settings = small_settings();
    const char *path = scratch_path("vectors");
    put("vectors", "v7 1 2 3 4\nunheard 9 9 9 9\n");
    settings.freeze_embeddings = _i ? SA_FREEZE_TARGET : SA_FREEZE_SOURCE;
    ck_assert_msg(open_session(&settings, (sa_train_options){.embeddings = {NULL, path}}), "%s",
                  error.text);
    const sa_vocab *vocab = &session.model.target.vocab;
    const sa_mat E =
        sa_param_mat(sa_seq2seq_embedding(&session.model.plan, 1), session.model.values);
    const float *x = sa_row(E, sa_vocab_find(vocab, "v7", 2));
    for (int k = 0; k < 4; k++) ck_assert_float_eq(x[k], (float)(k + 1));
    char note[256];
    snprintf(note, sizeof note, "target embeddings: 1 of %zu words found in '%s'%s", vocab->count,
             path, _i ? "; frozen" : "");
    ck_assert_msg(strstr(notes, note), "%s", notes);
    ck_assert(_i || !strstr(notes, "frozen"));
}
END_TEST

START_TEST(vectors_that_are_not_there_are_named) {
    const sa_settings settings = small_settings();
    const char *path = scratch_path("vectors");
    char wanted[256];
    for (int side = 0; side < 2; side++) {
        sa_train_options training = {0};
        training.embeddings[side] = path;
        ck_assert(!open_session(&settings, training));
        snprintf(wanted, sizeof wanted, "cannot open '%s': No such file or directory", path);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_OPEN);
    }
}
END_TEST

/* The weights of an attention to places, or of places themselves, are as many as the tokens. */
START_TEST(a_model_of_other_lengths_does_not_fit) {
    sa_settings settings = small_settings();
    char wanted[256];
    settings.steps = 1, settings.max_len = 7;
    set_all(&settings, "encoder=none positions=learned");
    ck_assert_msg(train(&settings, false), "%s", error.text);
    const sa_train_options from = {.init_from = last_path, .overwrite = true};
    ck_assert_msg(open_session(&settings, from), "%s", error.text);
    settings.max_len = 8;
    ck_assert(!open_session(&settings, from));
    snprintf(wanted, sizeof wanted,
             "--max-len 8: '%s' has weights for the positions of its 7 tokens", last_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

/* ---- What a resumed training takes ----------------------------------------------------------- */

START_TEST(the_run_is_that_of_the_caller) {
    sa_settings settings = small_settings();
    settings.shards = 2;
    ck_assert_msg(train(&settings, false), "%s", error.text);
    settings.threads = 2, settings.epochs = 77, settings.steps = 78, settings.max_time = 79;
    settings.keep = 3, settings.shards = 0;
    ck_assert_msg(open_session(&settings, (sa_train_options){.resume = true}), "%s", error.text);
    const sa_settings *own = &session.settings;
    ck_assert(own->threads == 2 && own->epochs == 77 && own->steps == 78 && own->keep == 3);
    ck_assert_double_eq(own->max_time, 79);
    ck_assert(own->shards == 2 && own->hidden == 4 && own->valid_every == 3);
    ck_assert_int_eq(sa_pool_threads(session.model.pool), 2);
    ck_assert(session.trainer.step == 20 && session.trainer.applied == 20);
    ck_assert(session.first_step == 20 && session.counts.validations == 6);
    ck_assert_uint_ne(session.checksum, 0);
}
END_TEST

/* Without the best model the next validation is the best, whatever its figures are; before the
 * first one there is nothing to lose. */
START_TEST(the_best_model_may_be_lost) {
    sa_settings settings = small_settings();
    char best[160];
    snprintf(best, sizeof best, "%s/best.safetensors", out_path);
    ck_assert_msg(train(&settings, false), "%s", error.text);
    ck_assert_msg(open_session(&settings, (sa_train_options){.resume = true}), "%s", error.text);
    const sa_validation before = session.figures.best;
    ck_assert(isfinite(before.loss) && session.best.loss == before.loss);
    ck_assert(session.best.bleu == before.bleu && session.best.chrf == before.chrf);
    ck_assert_ptr_null(strstr(notes, "is lost"));
    scratch_write(best, "damaged", 7);
    ck_assert_msg(open_session(&settings, (sa_train_options){.resume = true}), "%s", error.text);
    ck_assert_msg(strstr(notes, "note: the best model is lost: "), "%s", notes);
    ck_assert(isinf(session.best.loss) && session.best.bleu == -1 && session.best.chrf == -1);
    ck_assert_double_eq(session.figures.best.loss, before.loss); /* which patience counts from */
    settings.steps = 2;
    close_session();
    ck_assert_msg(train(&settings, false), "%s", error.text);
    ck_assert_int_eq(unlink(best), 0);
    ck_assert_msg(open_session(&settings, (sa_train_options){.resume = true}), "%s", error.text);
    ck_assert_ptr_null(strstr(notes, "is lost"));
}
END_TEST

/* The links that guide it are those of before, in every pair and of every kind. */
START_TEST(links_must_not_change) {
    static const char before[] = "0-0 1-1\n0-1\n1-0\n";
    static const char *const changed[] = {"0-0 1-0\n0-1\n1-0\n", "0-0 1p1\n0-1\n1-0\n",
                                          "0-0\n0-1\n1-0\n",     "0-0 1-1\n0-0\n1-0\n",
                                          "0-0 1-1\n0-1\n1-1\n", "0-0 1-1\n0-1\n1-0 1-1\n",
                                          "0-0 1-1\n0-1\n\n",    "0-1 1-1\n0-1\n1-0\n"};
    sa_settings settings = small_settings();
    sa_train_result outcome;
    char links[128], wanted[512];
    sa_train_options training = {.settings = &settings,
                                 .train = train_path,
                                 .valid = train_path,
                                 .alignments = strcpy(links, scratch_path("links")),
                                 .out = out_path,
                                 .overwrite = true};
    put("train.tsv", "a b\tx y\nb a\ty x\nb b\tx x\n");
    put("links", before);
    settings.guided_alignment = 0.5, settings.steps = 1;
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    training.resume = true, training.overwrite = false;
    ck_assert_msg(open_session(&settings, training), "%s", error.text);
    snprintf(wanted, sizeof wanted, "%s: the alignments have changed since '%s' was saved",
             train_path, last_path);
    for (int i = 0; i < 8; i++) {
        put("links", changed[i]);
        ck_assert_msg(!open_session(&settings, training), "%s", changed[i]);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

/* The file holds links, which are not read, as not every pair has some. */
START_TEST(why_no_links_are_read_is_said) {
    sa_settings settings = small_settings();
    char wanted[512];
    settings.guided_alignment = 0.5;
    put("train.tsv", "a b\tx y\nb a\ty x\t0-0\n");
    ck_assert(!open_session(&settings, (sa_train_options){.valid = train_path}));
    snprintf(wanted, sizeof wanted,
             "%s: --guided-alignment needs the links of every pair: in a third column, or in a "
             "file named by --alignments; %s:1: no third column is read as an alignment: this "
             "line has none",
             train_path, train_path);
    ck_assert_str_eq(error.text, wanted);
    ck_assert_int_eq(error.code, SA_DATA);
}
END_TEST

/* Which pairs have changed is said, and whether another --valid may be the reason. */
START_TEST(pairs_must_not_change) {
    static const char train_pairs[] = "a b\tx y\nb a\ty x\nb b\tx x\n";
    static const struct {
        bool then, now; /* whether --valid is given */
        const char *train, *valid, *changed, *reason;
    } cases[] = {
        {true, true, "a b\tx y\nb a\ty x\nb b\tx y\n", "a\tx\n", "train", ""},
        {true, true, "a b\tx y\nb a\ty x\nb b\tx x\nb\tx\n", "a\tx\n", "train", ""},
        {true, true, train_pairs, "a\ty\n", "valid", ""},
        {true, true, "b b\tx y\nb a\ty x\nb b\tx x\n", "a\ty\n", "train",
         ", or --valid was not given then, or other --columns"},
        {false, true, train_pairs, "a\tx\n", "train",
         ", or --valid was not given then, or other --columns"},
        {true, false, train_pairs, "a\tx\n", "train",
         ", or --valid was given then, or other --columns"},
    };
    sa_settings settings = small_settings();
    char valid[128], wanted[512];
    strcpy(valid, scratch_path("valid.tsv"));
    settings.steps = 1;
    for (int i = 0; i < 6; i++) {
        put("train.tsv", train_pairs), put("valid.tsv", "a\tx\n");
        close_session();
        ck_assert_msg(train_with((sa_train_options){.settings = &settings,
                                                    .valid = cases[i].then ? valid : NULL}),
                      "%s", error.text);
        put("train.tsv", cases[i].train), put("valid.tsv", cases[i].valid);
        ck_assert(!open_session(
            &settings, (sa_train_options){.valid = cases[i].now ? valid : NULL, .resume = true}));
        const bool trained = strcmp(cases[i].changed, "train") == 0;
        snprintf(wanted, sizeof wanted, "%s: the %s pairs have changed since '%s' was saved%s",
                 trained ? train_path : valid, trained ? "training" : "validation", last_path,
                 cases[i].reason);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

/* A pointer network can write no word that the source lacks: not the first, not the last. */
START_TEST(pointers_need_their_words) {
    static const struct {
        const char *pairs, *message; /* after the path; NULL: none */
    } cases[] = {
        {"a b\tb a\nc\tc c\nb a\ta\n", NULL},
        {"a b\tc a\nc\tc c\nb a\ta\n", "1: target word 1"},
        {"a b\tb a\nc\tc a\nb a\ta\n", "2: target word 2"},
        {"a b\tb a\nc\tc c\nb a\tc\n", "3: target word 1"},
    };
    sa_settings settings = small_settings();
    char valid[128], wanted[512];
    strcpy(valid, scratch_path("valid.tsv"));
    put("valid.tsv", "a\ta\n");
    set_all(&settings, "decoder=pointer copy=yes");
    for (int i = 0; i < 4; i++) {
        put("train.tsv", cases[i].pairs);
        const bool good = open_session(&settings, (sa_train_options){.valid = valid});
        ck_assert_msg(good == !cases[i].message, "%d: %s", i, error.text);
        if (good) continue;
        snprintf(wanted, sizeof wanted,
                 "%s:%.1s: --decoder pointer copies every word, but the source lacks %s",
                 train_path, cases[i].message, cases[i].message + 3);
        ck_assert_str_eq(error.text, wanted);
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

/* Those of the model, which go with its subwords on either side. */
START_TEST(glossaries_are_those_of_the_model) {
    sa_settings settings = small_settings();
    sa_train_result outcome;
    sa_train_options training = {
        .train = train_path, .out = out_path, .overwrite = true, .settings = &settings};
    settings.steps = 1;
    ck_assert(!open_session(&settings, (sa_train_options){.glossaries = "w1"}));
    ck_assert_str_eq(error.text, "--glossaries: the model has none (they are for subwords)");
    ck_assert_int_eq(error.code, SA_USAGE);
    set_all(&settings, _i ? "target-tokenizer=bpe bpe-merges=3" : "tokenizer=bpe bpe-merges=3");
    training.glossaries = "w1 v2";
    close_session();
    ck_assert_msg(sa_train(&training, &outcome, &error), "%s", error.text);
    ck_assert_msg(
        open_session(&settings, (sa_train_options){.resume = true, .glossaries = "w1 v2"}), "%s",
        error.text);
    ck_assert_msg(open_session(&settings, (sa_train_options){.resume = true}), "%s", error.text);
    ck_assert(!open_session(&settings, (sa_train_options){.resume = true, .glossaries = "w1"}));
    ck_assert_str_eq(error.text, "--glossaries: the model has w1 v2");
    ck_assert_int_eq(error.code, SA_USAGE);
}
END_TEST

/* ---- Notes ----------------------------------------------------------------------------------- */

START_TEST(targets_without_spaces_are_told_of) {
    static const char *const targets[] = {"我们在家里吃饭", "we eat at home"};
    sa_settings settings = small_settings();
    char valid[128], text[256];
    strcpy(valid, scratch_path("valid.tsv"));
    for (int i = 0; i < 3; i++) {
        settings.metrics.tokenize = i == 2 ? SA_METRIC_TOKENIZER_CHAR : SA_METRIC_TOKENIZER_13A;
        snprintf(text, sizeof text, "we eat\t%s\n", targets[i % 2]);
        put("valid.tsv", text);
        ck_assert_msg(open_session(&settings, (sa_train_options){.valid = valid}), "%s",
                      error.text);
        ck_assert_msg((strstr(notes, "note: " SA_UNSPACED_NOTE) != NULL) == (i == 0), "%d: %s", i,
                      notes);
    }
}
END_TEST

/* Three sentences with more tokens than words between blanks. */
START_TEST(links_that_count_blanks_are_told_of) {
    sa_settings settings = small_settings();
    char note[400];
    settings.guided_alignment = 0.5;
    for (int count = 2; count <= 3; count++) {
        sa_buffer text = {0};
        for (int i = 0; i < count; i++) sa_buffer_addf(&text, "a b.\tx y%d\t0-0\n", i);
        sa_buffer_adds(&text, "a b\tx y\t0-0 1-1\n");
        put("train.tsv", text.text);
        sa_buffer_release(&text);
        ck_assert_msg(open_session(&settings, (sa_train_options){.valid = train_path}), "%s",
                      error.text);
        snprintf(note, sizeof note, "note: " SA_GOLD_COUNTS_BLANKS, train_path, (size_t)3);
        ck_assert_msg((strstr(notes, note) != NULL) == (count == 3), "%d: %s", count, notes);
    }
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("start", &tests);
    tcase_add_checked_fixture(tests, set_up, finish);
    tcase_add_test(tests, each_file_of_a_training_is_found);
    tcase_add_test(tests, a_run_of_compare_is_left_alone);
    tcase_add_test(tests, a_file_that_cannot_be_examined_is_no_missing_one);
    tcase_add_test(tests, what_excludes_each_other_is_refused);
    tcase_add_test(tests, a_pair_that_is_alone_is_trained_on_and_validated);
    tcase_add_test(tests, validation_pairs_may_be_longer);
    tcase_add_test(tests, gold_links_end_with_the_sentences);
    tcase_add_test(tests, pairs_longer_than_any_model_reads);
    tcase_add_loop_test(tests, weights_are_those_of_the_seed, 0, 3);
    tcase_add_test(tests, shards_are_resolved);
    tcase_add_loop_test(tests, target_words_get_vectors_too, 0, 2);
    tcase_add_test(tests, vectors_that_are_not_there_are_named);
    tcase_add_test(tests, a_model_of_other_lengths_does_not_fit);
    tcase_add_test(tests, the_run_is_that_of_the_caller);
    tcase_add_test(tests, the_best_model_may_be_lost);
    tcase_add_test(tests, links_must_not_change);
    tcase_add_test(tests, why_no_links_are_read_is_said);
    tcase_add_test(tests, pairs_must_not_change);
    tcase_add_test(tests, pointers_need_their_words);
    tcase_add_loop_test(tests, glossaries_are_those_of_the_model, 0, 2);
    tcase_add_test(tests, targets_without_spaces_are_told_of);
    tcase_add_test(tests, links_that_count_blanks_are_told_of);
    return suite_run(suite);
}
