/* The toy corpora: the committed files, disjoint splits, alignments that fit the words, and the
 * messages of grammars that are used up. */
#include "base/file.h"
#include "data/corpus.h"
#include "data/tokenizer.h"
#include "support/scratch.h"
#include "support/suite.h"
#include "synth/draft.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Corpora as lines ------------------------------------------------------------------------ */

typedef struct pair_line {
    char *source, *target, *gold;
} pair_line;

typedef struct lines {
    sa_buffer text;
    pair_line *list;
    size_t count;
} lines;

static lines make(const char *task, size_t pairs, uint64_t seed, sa_split split) {
    sa_error error;
    lines corpus = {0};
    bool done =
        sa_synth_write(&(sa_toy){task, NULL, pairs, seed, split, 0, 0}, NULL, &corpus.text, &error);
    ck_assert_msg(done, "%s", error.text);
    corpus.list = sa_new(pairs, sizeof *corpus.list, NULL);
    for (char *at = corpus.text.text; at && *at; corpus.count++) {
        pair_line *line = &corpus.list[corpus.count];
        ck_assert_uint_lt(corpus.count, pairs);
        line->source = strsep(&at, "\t");
        line->target = strsep(&at, "\t");
        line->gold = strsep(&at, "\n");
    }
    ck_assert_uint_eq(corpus.count, pairs);
    return corpus;
}

static void release(lines *corpus) {
    free(corpus->list);
    sa_buffer_release(&corpus->text);
}

static int by_source(const void *a, const void *b) {
    return strcmp(((const pair_line *)a)->source, ((const pair_line *)b)->source);
}

static size_t words(const char *text, const char *tokenizer) {
    sa_tokens tokens = {0};
    sa_error error;
    const sa_tokenizer *row = sa_tokenizers;
    while (strcmp(row->name, tokenizer)) row++;
    ck_assert(row->split(text, strlen(text), &tokens, &error));
    size_t count = tokens.count;
    sa_tokens_release(&tokens);
    return count;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

START_TEST(names_its_tasks) {
    static const char *const names[] = {
        "phrases", "mono",      "reorder",   "length", "dates",      "reverse",
        "copy",    "fertility", "agree",     "sense",  "context",    "recall",
        "assign",  "trigger",   "induction", "sort",   "next-larger"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        ck_assert_str_eq(sa_tasks[i].name, names[i]);
    }
    sa_buffer out = {0};
    sa_error error;
    ck_assert(!sa_synth_write(&(sa_toy){.task = "phrase"}, NULL, &out, &error));
    ck_assert_str_eq(error.text, "unknown task 'phrase' (did you mean 'phrases'?); 'softalign help "
                                 "corpus' lists all");
}
END_TEST

static void compare_with_file(const char *task, size_t pairs, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/corpora/%s", TEST_ROOT, file);
    sa_error error;
    sa_file committed;
    sa_buffer made = {0};
    ck_assert_msg(sa_file_read(&committed, path, 1 << 24, &error), "%s", error.text);
    ck_assert(sa_synth_write(&(sa_toy){task, NULL, pairs, 1, SA_TRAIN, 0, 0}, NULL, &made, &error));
    ck_assert_uint_eq(made.size, committed.size);
    ck_assert_msg(!memcmp(made.text, committed.data, made.size), "%s differs", file);
    sa_buffer_release(&made);
    sa_file_release(&committed);
}

START_TEST(each_task_has_its_summary) {
    static const char *const known[][2] = {
        {"phrases", "everyday English-French sentences, the demo's corpus"},
        {"dates", "dates in 12 formats to 1997-03-04, character by character"},
        {"next-larger", "the next larger number of a list; tests are longer"},
    };
    const char *name, *summary, *none;
    size_t found = 0;
    for (size_t i = 0; (name = sa_task_info(i, &summary, &none)); i++)
        for (size_t k = 0; k < 3; k++)
            if (strcmp(name, known[k][0]) == 0) {
                ck_assert_str_eq(summary, known[k][1]);
                found++;
            }
    ck_assert_uint_eq(found, 3);
}
END_TEST

START_TEST(makes_the_committed_files_again) {
    compare_with_file("phrases", 8000, "phrases.en-fr.tsv");
    compare_with_file("mono", 200, "mono.sample.tsv");
    compare_with_file("reorder", 200, "reorder.sample.tsv");
    compare_with_file("length", 200, "length.sample.tsv");
    compare_with_file("dates", 200, "dates.sample.tsv");
    compare_with_file("reverse", 200, "reverse.sample.tsv");
    compare_with_file("copy", 200, "copy.sample.tsv");
    compare_with_file("fertility", 200, "fertility.sample.tsv");
    compare_with_file("agree", 200, "agree.sample.tsv");
    compare_with_file("sense", 200, "sense.sample.tsv");
    compare_with_file("context", 200, "context.sample.tsv");
    compare_with_file("recall", 200, "recall.sample.tsv");
    compare_with_file("assign", 200, "assign.sample.tsv");
    compare_with_file("trigger", 200, "trigger.sample.tsv");
    compare_with_file("induction", 200, "induction.sample.tsv");
    compare_with_file("sort", 200, "sort.sample.tsv");
    compare_with_file("next-larger", 200, "next-larger.sample.tsv");
}
END_TEST

START_TEST(another_seed_makes_another_corpus) {
    lines one = make("phrases", 50, 1, SA_TRAIN), two = make("phrases", 50, 2, SA_TRAIN);
    size_t same = 0;
    for (size_t i = 0; i < one.count; i++) same += !strcmp(one.list[i].source, two.list[i].source);
    ck_assert_uint_lt(same, 5);
    release(&two);
    release(&one);
}
END_TEST

/* The same bytes in every version. */
START_TEST(a_seed_and_a_split_have_their_sentences) {
    static const char *const first[] = {
        [SA_TRAIN] = "8 7 26 22 12 46 42 3 30 2 34 40 45 13 7 24 32 42 7 15 24 6 3 18 15",
        [SA_VALID] = "31 25 21 20 14 25",
        [SA_TEST] = "20 48 46 47 29 28 26 18"};
    for (int split = SA_TRAIN; split <= SA_TEST; split++) {
        lines corpus = make("reverse", 1, 1, (sa_split)split);
        ck_assert_str_eq(corpus.list[0].source, first[split]);
        release(&corpus);
    }
}
END_TEST

/* Under the sanitizers corpora are smaller. */
enum {
    TRAIN = TEST_SANITIZED ? 600 : 6000,
    HELD_OUT = TEST_SANITIZED ? 70 : 700,
    LISTS = TEST_SANITIZED ? 500 : 2000,
    NAMES = TEST_SANITIZED ? 100 : 1000
};

START_TEST(sources_are_unique_and_splits_disjoint) {
    const char *task = sa_tasks[_i].name;
    lines train = make(task, TRAIN, 1, SA_TRAIN);
    qsort(train.list, train.count, sizeof *train.list, by_source);
    for (size_t i = 1; i < train.count; i++)
        ck_assert_int_lt(by_source(&train.list[i - 1], &train.list[i]), 0);
    lines valid = make(task, HELD_OUT, 2, SA_VALID), test = make(task, HELD_OUT, 3, SA_TEST);
    for (size_t i = 0; i < HELD_OUT; i++) {
        ck_assert_ptr_null(
            bsearch(&valid.list[i], train.list, train.count, sizeof(pair_line), by_source));
        ck_assert_ptr_null(
            bsearch(&test.list[i], train.list, train.count, sizeof(pair_line), by_source));
    }
    qsort(valid.list, valid.count, sizeof *valid.list, by_source);
    for (size_t i = 0; i < HELD_OUT; i++)
        ck_assert_ptr_null(
            bsearch(&test.list[i], valid.list, valid.count, sizeof(pair_line), by_source));
    release(&test);
    release(&valid);
    release(&train);
}
END_TEST

/* Every source word or target word that a link names exists, and most target words have one. */
START_TEST(links_fit_the_words) {
    const char *task = sa_tasks[_i].name;
    const char *tokenizer = !strcmp(task, "dates")    ? "char"
                            : !strcmp(task, "assign") ? "space"
                                                      : "word";
    lines corpus = make(task, 500, 4, SA_TEST);
    size_t linked_words = 0, target_words = 0;
    for (size_t i = 0; i < corpus.count; i++) {
        const pair_line *line = &corpus.list[i];
        size_t source = words(line->source, tokenizer), target = words(line->target, tokenizer);
        sa_link *links;
        size_t count;
        sa_error error;
        bool linked[128] = {0};
        ck_assert_msg(sa_links_parse(line->gold, &links, &count, &error), "%s", error.text);
        for (size_t k = 0; k < count; k++) {
            ck_assert_msg((size_t)links[k].source < source, "%s: %s", line->source, line->gold);
            ck_assert_msg((size_t)links[k].target < target, "%s: %s", line->target, line->gold);
            linked[links[k].target] = true;
        }
        for (size_t k = 0; k < target; k++) linked_words += linked[k];
        target_words += target;
        free(links);
    }
    /* The hyphens of a date are not aligned. */
    ck_assert_uint_ge(100 * linked_words, (strcmp(task, "dates") ? 98 : 79) * target_words);
    release(&corpus);
}
END_TEST

/* 36,525 days in 12 formats, a tenth of which, 43,834 dates, is for tests. */
START_TEST(says_how_many_there_are) {
    sa_buffer out = {0};
    sa_error error;
    size_t found;
    ck_assert(
        !sa_synth_write(&(sa_toy){"dates", NULL, 43835, 1, SA_TEST, 0, 0}, NULL, &out, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_int_eq(
        sscanf(error.text, "dates: found only %zu different test pairs, not 43835", &found), 1);
    ck_assert_uint_gt(found, 43000);
    ck_assert_uint_le(found, 43834);
    sa_buffer_release(&out);
}
END_TEST

/* A large grammar is not searched for sentences that it cannot have: three words of 30, 27,000
 * sentences. */
START_TEST(does_not_look_for_what_cannot_be) {
    sa_buffer out = {0}, text = {0};
    sa_error error;
    sa_buffer_adds(&text, "[S] ||| [W,1] [W,2] [W,3] ||| [W,1] [W,2] [W,3]\n");
    for (int i = 0; i < 30; i++) sa_buffer_addf(&text, "[W] ||| a%d ||| b%d\n", i, i);
    const char *grammar = scratch_path("large.scfg");
    ck_assert(sa_save_text(grammar, &text, &error));
    const sa_toy rows[] = {{NULL, grammar, 24000, 1, SA_TRAIN}, {NULL, grammar, 4000, 1, SA_TEST}};
    static const char *const messages[] = {
        ": there are only about 21600 different train pairs, not "
        "24000; all splits have 27000",
        ": there are only about 2700 different test pairs, not "
        "4000; all splits have 27000"};
    for (int i = 0; i < 2; i++) {
        ck_assert(!sa_synth_write(&rows[i], NULL, &out, &error));
        ck_assert(strncmp(error.text, grammar, strlen(grammar)) == 0);
        ck_assert_str_eq(error.text + strlen(grammar), messages[i]);
    }
    const sa_toy enough = {NULL, grammar, 12000, 1, SA_TRAIN};
    ck_assert(sa_synth_write(&enough, NULL, &out, &error));
    sa_buffer_release(&text), sa_buffer_release(&out);
}
END_TEST

/* Both bounds are lengths that sentences may have. */
START_TEST(sentences_have_their_lengths) {
    sa_buffer out = {0}, text = {0};
    sa_error error;
    size_t count[6] = {0};
    sa_buffer_adds(&text, "[S] ||| [W,1] ||| [W,1]\n"
                          "[S] ||| [W,1] [S,2] ||| [W,1] [S,2]\n");
    for (int i = 0; i < 30; i++) sa_buffer_addf(&text, "[W] ||| a%d ||| b%d\n", i, i);
    const char *grammar = scratch_path("lengths.scfg");
    ck_assert(sa_save_text(grammar, &text, &error));
    const sa_toy toy = {.grammar = grammar, .pairs = 90, .seed = 1, .min_words = 2, .max_words = 4};
    ck_assert_msg(sa_synth_write(&toy, NULL, &out, &error), "%s", error.text);
    for (char *at = out.text; *at; strsep(&at, "\n")) {
        const size_t length = words(strsep(&at, "\t"), "space");
        ck_assert(length >= 2 && length <= 4);
        count[length]++;
    }
    ck_assert(count[2] && count[3] && count[4]);
    const sa_toy more = {
        .grammar = grammar, .pairs = 1000, .seed = 1, .min_words = 2, .max_words = 2};
    ck_assert(!sa_synth_write(&more, NULL, &out, &error)); /* there are 30 of one word, too */
    ck_assert_msg(strstr(error.text, "pairs, not 1000; all splits have 900"), "%s", error.text);
    sa_buffer_release(&text), sa_buffer_release(&out);
}
END_TEST

/* Most of what there is, once each. */
START_TEST(gives_what_there_is) {
    lines all = make("dates", 38000, 7, SA_TEST);
    qsort(all.list, all.count, sizeof *all.list, by_source);
    for (size_t i = 1; i < all.count; i++)
        ck_assert_int_lt(by_source(&all.list[i - 1], &all.list[i]), 0);
    release(&all);
}
END_TEST

START_TEST(refuses_more_than_a_toy) {
    sa_buffer out = {0};
    sa_error error;
    ck_assert(!sa_synth_write(&(sa_toy){"mono", NULL, SA_SYNTH_LIMIT + 1, 1, SA_TRAIN, 0, 0}, NULL,
                              &out, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "a toy corpus has at most 1000000 pairs");
    ck_assert(!sa_synth_write(&(sa_toy){.task = "dates", .check = true}, NULL, &out, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_str_eq(error.text, "the task 'dates' has no grammar");
    ck_assert_ptr_null(out.text);
}
END_TEST

START_TEST(lists_are_reversed_and_evenly_long) {
    static const struct {
        const char *task;
        sa_split split;
        size_t longest;
    } rows[] = {{"length", SA_TRAIN, 20},  {"length", SA_VALID, 20},  {"length", SA_TEST, 40},
                {"reverse", SA_TRAIN, 25}, {"reverse", SA_VALID, 25}, {"reverse", SA_TEST, 30}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        size_t of_length[64] = {0};
        lines corpus = make(rows[row].task, LISTS, 1, rows[row].split);
        for (size_t i = 0; i < corpus.count; i++) {
            size_t count = words(corpus.list[i].source, "word");
            ck_assert_uint_eq(count, words(corpus.list[i].target, "word"));
            of_length[count]++;
        }
        for (size_t length = 0; length < 64; length++) {
            bool used = length >= 3 && length <= rows[row].longest;
            size_t even = LISTS / (rows[row].longest - 2);
            ck_assert_uint_ge(of_length[length], used ? even / 2 : 0);
            ck_assert_uint_le(of_length[length], used ? even * 2 : 0);
        }
        release(&corpus);
    }
    lines corpus = make("reverse", 100, 1, SA_TRAIN);
    for (size_t i = 0; i < corpus.count; i++) {
        char backwards[256] = "", *rest = corpus.list[i].source, *word;
        while ((word = strsep(&rest, " "))) {
            char longer[256];
            snprintf(longer, sizeof longer, "%s%s%.200s", word, *backwards ? " " : "", backwards);
            strcpy(backwards, longer);
            ck_assert_int_lt(atoi(word), 50);
        }
        ck_assert_str_eq(backwards, corpus.list[i].target);
    }
    release(&corpus);
}
END_TEST

/* Reads the whole text as a day in that format. */
static bool read_day(const char *text, const char *format, struct tm *day) {
    *day = (struct tm){0};
    const char *end = strptime(text, format, day);
    if (!end || *end) return false;
    if (day->tm_year < 70) day->tm_year += 100; /* the C library takes 69 for 1969 */
    int named = day->tm_wday;
    time_t seconds = timegm(day); /* finds the weekday by itself */
    gmtime_r(&seconds, day);
    bool names_it = format[1] == 'A' || format[1] == 'a';
    return !names_it || named == day->tm_wday;
}

/* The C library's calendar reads every format, the right weekday included. */
START_TEST(dates_are_right) {
    static const char *const formats[] = {
        /* short years before long ones */
        "%A, %d %B %Y", "%a %d %b %Y", "%d %B %Y",    "%b %d, %Y", "%B %dst, %Y",
        "%B %dnd, %Y",  "%B %drd, %Y", "%B %dth, %Y", "%B %d %Y",  "%d.%m.%y",
        "%d.%m.%Y",     "%m/%d/%y",    "%Y/%m/%d",    "%d-%b-%y",  "%Y%m%d",
    };
    enum { FORMATS = sizeof formats / sizeof formats[0] };
    size_t met[FORMATS] = {0};
    lines corpus = make("dates", 6000, 1, SA_TRAIN);
    for (size_t i = 0; i < corpus.count; i++) {
        struct tm day;
        char target[64];
        int format = 0;
        while (format < FORMATS && !read_day(corpus.list[i].source, formats[format], &day))
            format++;
        ck_assert_msg(format < FORMATS, "%s is no day", corpus.list[i].source);
        strftime(target, sizeof target, "%Y-%m-%d", &day);
        ck_assert_str_eq(target, corpus.list[i].target);
        ck_assert(day.tm_year >= 70 && day.tm_year < 170);
        met[format]++;
    }
    for (int format = 0; format < FORMATS; format++)
        ck_assert_msg(met[format] > 10, "%s: %zu", formats[format], met[format]);
    release(&corpus);
}
END_TEST

/* mono and reorder translate the same sentences with the same words. */
START_TEST(orders_differ_in_order_only) {
    lines mono = make("mono", 300, 9, SA_TRAIN), reorder = make("reorder", 300, 9, SA_TRAIN);
    size_t different = 0;
    for (size_t i = 0; i < mono.count; i++) {
        const char *a = mono.list[i].target, *b = reorder.list[i].target;
        ck_assert_str_eq(mono.list[i].source, reorder.list[i].source);
        ck_assert_uint_eq(strlen(a), strlen(b));
        ck_assert_uint_eq(words(mono.list[i].source, "word"), words(a, "word"));
        different += strcmp(a, b) != 0;
    }
    ck_assert_uint_eq(different, mono.count); /* the verb always moves */
    release(&reorder);
    release(&mono);
}
END_TEST

static void translates(const char *task, const char *source, const char *target, const char *gold) {
    lines corpus = make(task, 2000, 1, SA_TRAIN);
    bool found = false;
    for (size_t i = 0; i < corpus.count && !found; i++) {
        if (strcmp(corpus.list[i].source, source)) continue;
        ck_assert_str_eq(corpus.list[i].target, target);
        ck_assert_str_eq(corpus.list[i].gold, gold);
        found = true;
    }
    ck_assert_msg(found, "%s", source);
    release(&corpus);
}

START_TEST(plants_the_alignment) {
    translates("mono", "a shy young cat calls this young soldier here.",
               "un timide jeune chat appelle ce jeune soldat ici.",
               "0-0 1-1 2-2 3p0 3-3 4-4 5-5 6-6 7p5 7-7 8-8 9-9");
    translates("reorder", "the postman greets the brother without a witch behind this girl often.",
               "souvent le facteur sans une sorcière derrière cette fille le frère salue.",
               "0-1 1p1 1-2 2-11 3-9 4p9 4-10 5-3 6-4 7p4 7-5 8-6 9-7 10p7 10-8 11-0 12-12");
    translates("dates", "May 30, 1973", "1973-05-30",
               "0p5 0p6 1p5 1p6 2p5 2p6 4-8 5-9 8-0 9-1 10-2 11-3");
    translates("dates", "9/17/47", "2047-09-17", "0p5 0-6 2-8 3-9 5p0 5p1 5-2 6p0 6p1 6-3");
}
END_TEST

/* Names seen in training are those of the list; a test adds as many again. */
START_TEST(copies_names_never_seen) {
    lines train = make("copy", 10 * NAMES, 1, SA_TRAIN), test = make("copy", NAMES, 1, SA_TEST);
    sa_buffer seen = {0};
    for (size_t i = 0; i < train.count; i++) sa_buffer_addf(&seen, " %s", train.list[i].source);
    size_t names = 0, fresh = 0;
    for (size_t i = 0; i < test.count; i++) {
        ck_assert_str_ne(test.list[i].source, test.list[i].target);
        for (char *rest = test.list[i].source, *word; (word = strsep(&rest, " ."));) {
            if (*word < 'A' || *word > 'Z') continue;
            char inside[64];
            snprintf(inside, sizeof inside, " %s", word);
            ck_assert_msg(strstr(test.list[i].target, word) != NULL, "%s is lost", word);
            names++;
            fresh += strstr(seen.text, inside) == NULL;
        }
    }
    ck_assert_uint_eq(names, 2 * NAMES);
    ck_assert_uint_gt(fresh, 9 * NAMES / 10);
    ck_assert_uint_lt(fresh, 11 * NAMES / 10);
    sa_buffer_release(&seen);
    release(&test);
    release(&train);
}
END_TEST

START_TEST(says_what_it_cannot_make) {
    char path[128], wanted[256];
    strcpy(path, scratch_path("none.scfg"));
    snprintf(wanted, sizeof wanted, "cannot open '%s': No such file or directory", path);
    static const char either[] = "a corpus has either a task or a grammar: softalign corpus TASK, "
                                 "or softalign corpus --grammar FILE";
    const struct {
        sa_toy toy;
        sa_code code;
        const char *message;
    } rows[] = {
        {{.pairs = 1}, SA_USAGE, either},
        {{.task = "mono", .grammar = path}, SA_USAGE, either},
        {{.grammar = path}, SA_OPEN, wanted},
        {{.task = "mono", .split = -1}, SA_USAGE, "'split' is -1: expected 0 to 2"},
        {{.task = "mono", .split = 3}, SA_USAGE, "'split' is 3: expected 0 to 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_buffer out = {0};
        sa_error error = {0};
        ck_assert(!sa_synth_write(&rows[i].toy, NULL, &out, &error));
        ck_assert_str_eq(error.text, rows[i].message);
        ck_assert_int_eq(error.code, rows[i].code);
        ck_assert_uint_eq(out.size, 0);
    }
}
END_TEST

START_TEST(files_are_written_or_left_alone) {
    lines corpus = make("reverse", 3, 5, SA_VALID);
    sa_error error;
    size_t size;
    char path[128];
    strcpy(path, scratch_path("made.tsv"));
    ck_assert(!sa_corpus_generate("revers", NULL, 3, 5, SA_VALID, path, &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_int_eq(scratch_files(), 0);
    ck_assert_msg(sa_corpus_generate("reverse", NULL, 3, 5, SA_VALID, path, &error), "%s",
                  error.text);
    char *text = scratch_read(path, &size), *at = text;
    for (size_t i = 0; i < corpus.count; i++) {
        ck_assert_str_eq(strsep(&at, "\t"), corpus.list[i].source);
        ck_assert_str_eq(strsep(&at, "\t"), corpus.list[i].target);
        ck_assert_str_eq(strsep(&at, "\n"), corpus.list[i].gold);
    }
    ck_assert_str_eq(at, "");
    free(text);
    strcpy(path, scratch_path("none/made.tsv"));
    ck_assert(!sa_corpus_generate("reverse", NULL, 3, 5, SA_VALID, path, &error));
    ck_assert_int_eq(error.code, SA_OPEN);
    release(&corpus);
}
END_TEST

static sa_buffer taken;

/* Takes 64 KiB and what its last line has more. */
static bool take(sa_buffer *out, sa_error *why) {
    (void)why;
    ck_assert(out->size >= 1 << 16 && out->size < (1 << 16) + 1000);
    sa_buffer_add(&taken, out->text, out->size);
    out->size = 0;
    return taken.size < 1 << 17;
}

START_TEST(a_corpus_is_flushed_in_parts) {
    sa_buffer all = {0}, rest = {0};
    sa_error error;
    ck_assert(
        !sa_synth_write(&(sa_toy){"mono", NULL, 9999, 1, SA_TRAIN, 0, 0}, take, &rest, &error));
    ck_assert(sa_synth_write(&(sa_toy){"mono", NULL, 9999, 1, SA_TRAIN, 0, 0}, NULL, &all, &error));
    ck_assert(taken.size >= 1 << 17 && taken.size < all.size);
    ck_assert_mem_eq(taken.text, all.text, taken.size);
    sa_buffer_release(&all), sa_buffer_release(&rest), sa_buffer_release(&taken);
}
END_TEST

START_TEST(a_corpus_has_ten_thousand_pairs_unless_told) {
    sa_buffer out = {0};
    sa_error error;
    size_t count = 0;
    ck_assert(sa_synth_write(&(sa_toy){.task = "mono", .seed = 1}, NULL, &out, &error));
    for (const char *at = out.text; (at = strchr(at, '\n')); at++) count++;
    ck_assert_uint_eq(count, 10000);
    sa_buffer_release(&out);
}
END_TEST

int main(void) {
    int tasks = 0;
    while (sa_tasks[tasks].name) tasks++;
    TCase *all;
    Suite *suite = suite_of("synth", &all);
    tcase_set_timeout(all, 60);
    tcase_add_checked_fixture(all, scratch_make, scratch_remove);
    tcase_add_test(all, names_its_tasks);
    tcase_add_test(all, each_task_has_its_summary);
    tcase_add_test(all, makes_the_committed_files_again);
    tcase_add_test(all, another_seed_makes_another_corpus);
    tcase_add_test(all, a_seed_and_a_split_have_their_sentences);
    tcase_add_loop_test(all, sources_are_unique_and_splits_disjoint, 0, tasks);
    tcase_add_loop_test(all, links_fit_the_words, 0, tasks);
    if (!TEST_SANITIZED) tcase_add_test(all, says_how_many_there_are);
    if (!TEST_SANITIZED) tcase_add_test(all, does_not_look_for_what_cannot_be);
    tcase_add_test(all, a_corpus_is_flushed_in_parts);
    if (!TEST_SANITIZED) tcase_add_test(all, a_corpus_has_ten_thousand_pairs_unless_told);
    if (!TEST_SANITIZED) tcase_add_test(all, gives_what_there_is);
    tcase_add_test(all, refuses_more_than_a_toy);
    tcase_add_test(all, says_what_it_cannot_make);
    tcase_add_test(all, files_are_written_or_left_alone);
    tcase_add_test(all, sentences_have_their_lengths);
    tcase_add_test(all, lists_are_reversed_and_evenly_long);
    tcase_add_test(all, dates_are_right);
    tcase_add_test(all, orders_differ_in_order_only);
    tcase_add_test(all, plants_the_alignment);
    tcase_add_test(all, copies_names_never_seen);
    return suite_run(suite);
}
