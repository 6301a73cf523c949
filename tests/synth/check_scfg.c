/* Synchronous grammars: what their rules derive, its number, and the messages about wrong ones. */
#include "support/memory_failures.h"

#include "base/file.h"
#include "support/suite.h"
#include "synth/scfg.h"
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Sentences ------------------------------------------------------------------------------- */

static sa_grammar *parsed(const char *text) {
    sa_error error = {0};
    sa_grammar *grammar = sa_grammar_read("g", text, &error);
    ck_assert_msg(grammar != NULL, "%s", error.text);
    return grammar;
}

/* All that a grammar of few sentences derives, in byte order, each once. */
static sa_buffer language(const char *text) {
    enum { DRAWS = 3000, MOST = 200 };
    sa_grammar *grammar = parsed(text);
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {.rng = &rng};
    sa_strings lines = {0};
    for (int i = 0; i < DRAWS; i++) {
        sa_buffer line = {0};
        sa_draft_clear(&draft);
        if (!sa_grammar_draw(grammar, &draft)) continue;
        sa_draft_write(&draft, &line);
        ck_assert(sa_strings_add(&lines, line.text, line.size + 1, NULL) >= 0);
        sa_buffer_release(&line);
    }
    ck_assert_uint_lt(lines.count, MOST);
    const char *sorted[MOST];
    for (size_t i = 0; i < lines.count; i++) {
        size_t at = i;
        const char *line = sa_strings_get(&lines, (int32_t)i).text;
        for (; at > 0 && strcmp(sorted[at - 1], line) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = line;
    }
    sa_buffer all = {0};
    for (size_t i = 0; i < lines.count; i++) sa_buffer_adds(&all, sorted[i]);
    sa_strings_release(&lines);
    sa_grammar_free(grammar);
    return all;
}

static void derives(const char *text, const char *pairs) {
    sa_buffer all = language(text);
    ck_assert_str_eq(all.text, pairs);
    sa_buffer_release(&all);
}

START_TEST(features_agree) {
    derives("%feature g m f\n"
            "%possible the\n"
            "[S]     ||| the [A:g,2] [N:g,1] ||| [THE:g] [N:g,1] [A:g,2]\n"
            "[THE:m] ||| ||| il\n"
            "[THE:f] ||| ||| la\n"
            "[N:m]   ||| dog ||| cane\n"
            "[N:f]   ||| cat ||| gatta\n"
            "[A:g]   ||| big ||| grande\n"
            "[A:m]   ||| red ||| rosso\n"
            "[A:f]   ||| red ||| rossa\n",
            "the big cat\tla gatta grande\t0p0 1-2 2-1\n"
            "the big dog\til cane grande\t0p0 1-2 2-1\n"
            "the red cat\tla gatta rossa\t0p0 1-2 2-1\n"
            "the red dog\til cane rosso\t0p0 1-2 2-1\n");
}
END_TEST

/* A link of a category is one of all its words. */
START_TEST(links_words_of_symbols) {
    derives("[S] ||| a [X,1] b ||| c [X,1] d ||| 0-2 1?0 2p2\n[X] ||| x y ||| z ||| 1-0\n",
            "a x y b\tc z d\t0-2 1p0 2p0 2-1 3p2\n");
    derives("%possible a\n[S] ||| %possible ||| c\n", "%possible\tc\t0-0\n");
    derives("%possible a .\n[S] ||| a b . ||| c d .\n",
            "a b.\tc d.\t0p0 0p1 0p2 1-0 1-1 1p2 2p0 2p1 2p2\n");
}
END_TEST

START_TEST(joins_words) {
    const char *rules =
        "%join le héros ||| le héros\n%join le [aeiouhé]* ||| l'\n%join de le ||| du\n"
        "%join-source a [aeiou]* ||| an\n";
    const char *rows[][2] = {
        {"[S] ||| a [N,1] ||| de le [N,1] ||| 0-0 0-1\n[N] ||| owl ||| hibou\n[N] ||| dog ||| "
         "chien\n",
         "a dog\tdu chien\t0-0 1-1\nan owl\tde l'hibou\t0-0 0-1 1-2\n"},
        {"[S] ||| x ||| le héros\n[S] ||| y ||| le étage\n",
         "x\tle héros\t0-0 0-1\ny\tl'étage\t0-0 0-1\n"},
        {"%join à *s ||| aux\n[S] ||| x ||| à chats\n[S] ||| y ||| à chat\n[S] ||| z ||| à s\n",
         "x\taux chats\t0-0 0-1\ny\tà chat\t0-0 0-1\nz\taux s\t0-0 0-1\n"},
        {"[S] ||| un +do +able z ||| x +y + ||| 0-0 1-1 3-2\n", "undoable z\txy +\t0-0 1-1\n"},
        {"%join-source ab * ||| no\n[S] ||| a +b c ||| x ||| 0-0\n", "ab c\tx\t0-0\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", rules, rows[i][0]);
        derives(text, rows[i][1]);
    }
}
END_TEST

START_TEST(words_are_any_text) {
    derives("%spaces\n[S] ||| \\[x] , 猫 ||| # नमस्ते . ||| 0-0\n", "[x] , 猫\t# नमस्ते .\t0-0\n");
    derives("%spaces\n[S] ||| \\n a[b ||| \\[ ||| 0-0\n", "\\n a[b\t[\t0-0\n");
    derives("# comment\r\n\r\n[A] ||| x ||| y\r\n[S] ||| [A,1]  [A,2] |||\t[A,2] [A,1]\r\n",
            "x x\ty y\t0-1 1-0\n");
}
END_TEST

/* A sentence has words on both sides. */
START_TEST(empty_sides_are_left_out) {
    derives("[S] ||| [A,1] ||| [A,1]\n[A] ||| a ||| b\n[A] ||| c |||\n[A] ||| ||| d\n",
            "a\tb\t0-0\n");
}
END_TEST

START_TEST(categories_need_few_words) {
    /* "[1]" is what its partner is, on either side */
    derives("[S] ||| [1] x ||| [N,1]\n[N] ||| a ||| b\n", "a x\tb\t0-0\n");
    /* without S, the first category is the start */
    derives("[A] ||| a [B,1] ||| b [B,1]\n[B] ||| c ||| d\n", "a c\tb d\t0-0 1-1\n");
    /* a feature of one value */
    derives("%feature g m\n[S] ||| [N:g,1] ||| [N:g,1]\n[N:m] ||| a ||| b\n", "a\tb\t0-0\n");
}
END_TEST

/* A word is at most 63 bytes long, also with its suffix, which is its own word otherwise. */
START_TEST(suffixes_end_at_the_longest_word) {
    char text[200], pair[200], word[61] = {0};
    memset(word, 'a', sizeof word - 1);
    for (int letters = 3; letters <= 4; letters++) {
        const char *suffix = letters == 3 ? "bcd" : "bcde";
        snprintf(text, sizeof text, "[S] ||| %s +%s ||| x ||| 0-0\n", word, suffix);
        snprintf(pair, sizeof pair, "%s%s%s\tx\t0-0\n", word, letters == 3 ? "" : " +", suffix);
        derives(text, pair);
    }
}
END_TEST

/* Weights are relative, also the least ones: of 4000 sentences a fifth is b. */
START_TEST(draws_by_weight) {
    sa_grammar *grammar =
        parsed(_i ? "[S] ||| a ||| a ||| ||| 0.004\n[S] ||| b ||| b ||| ||| 0.001\n"
                  : "[S] ||| a ||| a ||| ||| 2\n[S] ||| b ||| b ||| ||| 0.5\n");
    sa_rng rng = sa_rng_seed(7, 0);
    sa_draft draft = {.rng = &rng};
    int b = 0;
    for (int i = 0; i < 4000; i++) {
        sa_draft_clear(&draft);
        ck_assert(sa_grammar_draw(grammar, &draft));
        b += *draft.source.words[0] == 'b';
    }
    ck_assert_int_gt(b, 720);
    ck_assert_int_lt(b, 880);
    sa_grammar_free(grammar);
}
END_TEST

/* Only a number that stands alone is a weight: not the scores of other programs. */
START_TEST(weights_are_read_in_thousandths) {
    static const char text[] =
        "[S] ||| a ||| a\n[S] ||| b ||| b ||| 2 3\n[S] ||| c ||| c ||| 0-0 ||| w=5\n"
        "[S] ||| d ||| d ||| 7 8 ||| 2.5\n[S] ||| e ||| e ||| 0.25 ||| 0-0\n"
        "[S] ||| f ||| f ||| 0\n[S] ||| g ||| g ||| 0.0014\n[S] ||| h ||| h ||| 1000000\n";
    static const uint64_t weights[] = {1000, 1000, 1000, 2500, 250, 1000, 1, 1000000000};
    sa_grammar *grammar = parsed(text);
    const sa_rule *rule = grammar->category[grammar->start[0]].first;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++, rule = rule->next)
        ck_assert_uint_eq(rule->weight, weights[i]);
    ck_assert_ptr_null(rule);
    sa_grammar_free(grammar);
}
END_TEST

/* The test split begins with TEST, if there is one. */
START_TEST(tests_may_differ) {
    static const char text[] = "[TEST] ||| a [S,1] ||| a [S,1]\n[S] ||| b ||| b\n";
    sa_grammar *grammar = parsed(text);
    for (sa_split split = SA_TRAIN; split <= SA_TEST; split++) {
        sa_rng rng = sa_rng_seed(7, 0);
        sa_draft draft = {.rng = &rng, .split = split};
        ck_assert(sa_grammar_draw(grammar, &draft));
        ck_assert_int_eq(draft.source.count, split == SA_TEST ? 2 : 1);
        uint64_t sum = 0;
        ck_assert_int_eq(sa_grammar_count(grammar, split, 0, 3, &sum, NULL), 3);
        ck_assert_uint_eq(grammar->count[1], split != SA_TEST);
        ck_assert_uint_eq(grammar->count[2], split == SA_TEST);
        ck_assert_uint_eq(sum, 1);
    }
    sa_grammar_free(grammar);
}
END_TEST

/* ---- Numbers --------------------------------------------------------------------------------- */

static void counts(const char *text, int longest, const uint64_t *expected) {
    sa_grammar *grammar = parsed(text);
    uint64_t sum = 0, wanted = 0;
    ck_assert_int_eq(sa_grammar_count(grammar, SA_TRAIN, 2, longest, &sum, NULL), longest);
    for (int i = 2; i <= longest; i++) wanted += grammar->count[i];
    ck_assert_uint_eq(sum, wanted > SA_GRAMMAR_MANY ? SA_GRAMMAR_MANY : wanted);
    for (int i = 0; i <= longest; i++) ck_assert_uint_eq(grammar->count[i], expected[i]);
    sa_grammar_free(grammar);
}

START_TEST(counts_by_length) {
    /* Catalan numbers: binary trees of l leaves, and a rule that adds no word */
    counts(
        "[S] ||| [T,1] ||| [T,1]\n[T] ||| [T,1] [T,2] ||| [T,2] [T,1]\n[T] ||| a ||| b ||| ||| 3\n",
        8, (uint64_t[]){0, 1, 1, 2, 5, 14, 42, 132, 429});
    /* a category that becomes itself again */
    counts("[S] ||| [S,1] ||| x [S,1]\n[S] ||| a ||| b\n", 2, (uint64_t[]){0, SA_GRAMMAR_MANY, 0});
    /* a suffix is no word, but a plus sign is one */
    counts("[S] ||| look +s [T,1] ||| a [T,1]\n[T] ||| ||| b\n[T] ||| + ||| c\n", 2,
           (uint64_t[]){0, 1, 1});
    /* optional words on both sides of a category, and 3 words for another */
    counts("[S] ||| [O,1] [N,2] [O,3] ||| [N,2] [O,1] [O,3]\n[O] ||| ||| \n[O] ||| o p ||| o\n"
           "[N] ||| a ||| b\n[N] ||| c ||| d\n[N] ||| e ||| f\n",
           6, (uint64_t[]){0, 3, 0, 6, 0, 3, 0});
}
END_TEST

/* 10^18 and no more: ten words at 18 and at 19 places. */
START_TEST(counts_up_to_many) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "[S] ||| [A,1] |||  [A,1]\n[S] ||| [A,1] [D,2] ||| [D,2] [A,1]\n[A] |||");
    for (int side = 0; side < 2; side++) {
        for (int i = 1; i <= 17; i++) sa_buffer_addf(&text, " [D,%d]", i);
        sa_buffer_adds(&text, side ? "\n" : " |||");
    }
    for (int i = 0; i < 10; i++) sa_buffer_addf(&text, "[D] ||| %d ||| %d\n", i, i);
    uint64_t expected[19] = {[17] = SA_GRAMMAR_MANY / 10, [18] = SA_GRAMMAR_MANY};
    counts(text.text, 18, expected);
    sa_buffer_release(&text);
}
END_TEST

/* Counting ends in about a second, however many categories a rule has: the longer, the earlier. */
START_TEST(counts_as_far_as_it_can) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "[A] ||| x ||| y\n[A] ||| ||| y\n");
    for (int rule = 0; rule < 300; rule++) {
        sa_buffer_adds(&text, "[S] |||");
        for (int i = 1; i <= 60; i++) sa_buffer_addf(&text, " [A,%d]", i);
        sa_buffer_addf(&text, " %d |||", rule);
        for (int i = 1; i <= 60; i++) sa_buffer_addf(&text, " [A,%d]", i);
        sa_buffer_adds(&text, " b\n");
    }
    sa_grammar *grammar = parsed(text.text);
    uint64_t sum = 0;
    const int longest = sa_grammar_count(grammar, SA_TRAIN, 0, SA_DRAFT_WORDS, &sum, NULL);
    ck_assert_int_gt(longest, 20);
    ck_assert_int_lt(longest, 60);
    ck_assert_uint_eq(grammar->count[1], 300);
    ck_assert_uint_eq(grammar->count[2], 300 * 60);
    sa_grammar_free(grammar);
    sa_buffer_release(&text);
}
END_TEST

/* ---- Grammars of other programs -------------------------------------------------------------- */

/* Rules as cdec and Joshua write them, with scores, alignments, "[1]" and a glue grammar. */
START_TEST(reads_hiero_grammars) {
    static const char *const words[][2] = {
        {"der", "the"},     {"hund", "dog"},     {"katze", "cat"}, {"haus", "house"},
        {"ein", "a"},       {"kleine", "small"}, {"alte", "old"},  {"sieht", "sees"},
        {"sucht", "seeks"}, {"und", "and"},      {"nicht", "not"}, {"immer", "always"}};
    sa_buffer text = {0};
    sa_buffer_adds(&text,
                   "[S] ||| [X,1] ||| [X,1] ||| 0\n[S] ||| [S,1] [X,2] ||| [S,1] [X,2] ||| 0\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        sa_buffer_addf(&text,
                       "[X] ||| %s ||| %s ||| EgivenFCoherent=0.3%zu SampleCountF=1.2 ||| 0-0\n",
                       words[i][0], words[i][1], i);
        sa_buffer_addf(&text, "[X] ||| %s . ||| %s . ||| -0.5 1.25e-1 %zu\n", words[i][0],
                       words[i][1], i);
    }
    sa_buffer_adds(&text, "[X] ||| gibt [X,1] [X,2] ||| gives [2] [1] ||| A=1 B=-2 ||| 0-0\n"
                          "[X] ||| zu [X,1] ||| to [X,1] ||| -1.5 0 ||| 0-0\n"
                          "[X] ||| [X,1] von [X,2] ||| [X,2] 's [X,1] ||| 0.5 0.5 ||| 1-1\n"
                          "[X] ||| nach hause ||| home ||| 1 2 3 ||| 0-0 1-0\n");
    sa_grammar *grammar = parsed(text.text);
    ck_assert_uint_eq(grammar->lines, 30);
    ck_assert_str_eq(sa_grammar_category(grammar, grammar->start[0]), "S");
    sa_rng rng = sa_rng_seed(3, 0);
    sa_draft draft = {.rng = &rng};
    bool swapped = false;
    for (int i = 0; i < 400000 && !swapped; i++) {
        sa_buffer line = {0};
        sa_draft_clear(&draft);
        if (sa_grammar_draw(grammar, &draft)) sa_draft_write(&draft, &line);
        swapped = line.text && !strcmp(line.text, "gibt hund katze\tgives cat dog\t0-0 1-2 2-1\n");
        sa_buffer_release(&line);
    }
    ck_assert(swapped);
    sa_grammar_free(grammar);
    sa_buffer_release(&text);
}
END_TEST

/* ---- Wrong ones ------------------------------------------------------------------------------ */

START_TEST(says_what_is_wrong) {
#define NEW "[S] ||| [N,1] ||| [N,1]\n"
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"# nothing\n", "g: no rules"},
        {"[S] ||| a\n",
         "g:1: a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight"},
        {"S ||| a ||| b\n",
         "g:1: a rule is [CATEGORY] ||| source ||| target, then perhaps ||| links ||| weight"},
        {"%feature g m f\n[S] ||| [N:n,1] ||| [N:n,1]\n",
         "g:2: 'n' is neither a %feature nor a value of one"},
        {"%feature g m f\n[S] ||| [:g] ||| a\n", "g:2: [:m] has no rules"},
        {"%feature g m f\n%feature h g\n", "g:2: 'g' is already declared"},
        {"%feature g m f\n%feature m x\n", "g:2: 'm' is already declared"},
        {"%features g m f\n",
         "g:1: '%features' is not %feature, %possible, %join, %join-source or %spaces"},
        {NEW "[N] ||| a [M,1] ||| b [M,1]\n", "g:2: [M] has no rules"},
        {"[S] ||| [N,1] [N,2] ||| [N,1]\n", "g:1: the number 2 does not stand once on each side"},
        {"[S] ||| [N,1] ||| [N,1] [N,2]\n", "g:1: the number 2 does not stand once on each side"},
        {"[S] ||| [N,1] ||| [N,1] [N,1]\n", "g:1: the number 1 does not stand once on each side"},
        {"[S] ||| [N,0] ||| [N,0]\n",
         "g:1: '[N,0]' is no category, as [N] or [N,1]; a word begins with \\["},
        {"[S] ||| [N,1] [N,1] ||| [N,1]\n", "g:1: the number 1 does not stand once on each side"},
        {"[S] ||| [1] ||| [1]\n", "g:1: the number 1 does not stand once on each side"},
        {"[S] ||| [N,1] ||| [M,1]\n", "g:1: number 1 is [N] and [M]"},
        {"[S] ||| a ||| b ||| 0-1\n",
         "g:1: link 0-1 is out of range: the sides have 1 and 1 symbols"},
        {"[S] ||| a ||| b ||| 1?0\n",
         "g:1: link 1?0 is out of range: the sides have 1 and 1 symbols"},
        {"[S] ||| a ||| b ||| 0:1\n", "g:1: '0:1' is neither a link, as 0-1 or 0?1, nor a weight"},
        {"[S] ||| a ||| b ||| ||| -2\n", "g:1: a weight is 0.001 to 1000000"},
        {"[S] ||| [a ||| b\n", "g:1: '[a' is no category, as [N] or [N,1]; a word begins with \\["},
        {"[S] ||| \xff ||| b\n",
         "g:1: not UTF-8 at byte 9: 0xFF (perhaps an 8-bit code like Latin-1)"},
        {NEW "[N] ||| [N,1] a ||| [N,1] b\n", "g:1: [S] cannot end: rules are missing"},
        {"%feature f m n\n[S] ||| [N,1] ||| [N,1]\n[N:m] ||| a ||| b\n",
         "g:2: [S] cannot end: rules are missing"},
        {"%feature f m n\n[S] ||| [N:n,1] ||| [N:n,1]\n[N:m] ||| a ||| b\n",
         "g:2: [S] cannot end: rules are missing"},
        {NEW "[N] ||| [N,1] [N,2] ||| [N,1] [N,2]\n[N] ||| a ||| b\n",
         "g:2: [N] has no end: it contains itself more often than it stops"},
        {"[S] ||| a ||| [B]\n[B] ||| ||| x\n[B] ||| ||| y\n",
         "g:2: [B] stands on one side only and needs one derivation, but has two"},
        {"[S] ||| a ||| [B]\n[B] ||| ||| [C] y\n[C] ||| ||| y\n[C] ||| ||| z\n",
         "g:3: [C] stands on one side only and needs one derivation, but has two"},
        {"%join a* b* ||| c\n", "g:1: %join WORD WORD ||| WORD: two words, or one and a pattern "
                                "that stays, and what replaces them"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sa_error error = {0};
        ck_assert_msg(!sa_grammar_read("g", rows[i].text, &error), "%s", rows[i].text);
        ck_assert_str_eq(error.text, rows[i].message);
        ck_assert_int_eq(error.code, SA_DATA);
    }
}
END_TEST

static void refuses(const char *text, const char *message) {
    sa_error error = {0};
    ck_assert(!sa_grammar_read("g", text, &error));
    ck_assert_str_eq(error.text, message);
}

/* The first category, too. */
START_TEST(says_which_categories_differ) {
    refuses("[S] ||| [S,1] ||| [N,1]\n", "g:1: number 1 is [S] and [N]");
    refuses("[S] ||| [N,1] ||| [S,1]\n", "g:1: number 1 is [N] and [S]");
}
END_TEST

START_TEST(has_limits) {
    sa_buffer text = {0};
    sa_buffer_adds(&text, "[S] ||| ");
    for (int i = 0; i < 4000; i++) sa_buffer_adds(&text, "a");
    refuses(text.text, "g:1: line longer than 4000 bytes");
    text.size = 0;
    sa_buffer_adds(&text, "[S] ||| ");
    for (int i = 0; i < 64; i++) sa_buffer_adds(&text, "a");
    refuses(text.text, "g:1: a word has at most 63 bytes");
    text.size = 0;
    sa_buffer_adds(&text, "[S] |||");
    for (int i = 0; i < 129; i++) sa_buffer_adds(&text, " a");
    refuses(text.text, "g:1: a rule has more than 128 symbols");
    text.size = 0;
    sa_buffer_adds(&text, "%feature a 0 1 2 3 4 5 6 7 8 9\n[S] ||| x ||| y\n");
    for (int i = 0; i < 4; i++) sa_buffer_addf(&text, "%%feature b%d 0 1 2 3 4 5 6 7 8 9\n", i);
    sa_buffer_adds(&text, "[N:a:b0:b1:b2:b3] ||| x ||| y\n[M:a] ||| x ||| y\n");
    refuses(text.text, "g:7: more than 100000 instances of rules");
    for (int values = 60; values <= 61; values++) {
        text.size = 0;
        sa_buffer_adds(&text, "%feature a");
        for (int i = 0; i < values; i++) sa_buffer_addf(&text, " v%d", i);
        sa_buffer_adds(&text, "\n[S] ||| [N:v59,1] ||| [N:v59,1]\n[N:a] ||| x ||| y\n");
        if (values == 60)
            derives(text.text, "x\ty\t0-0\n");
        else
            refuses(text.text, "g:1: %feature NAME VALUE ...: at most 100 features of 60 values");
    }
    text.size = 0;
    for (int i = 0; i < 1500; i++)
        sa_buffer_addf(&text, "[A%d] ||| a [A%d,1] ||| [A%d,1]\n", i, i + 1, i + 1);
    sa_buffer_adds(&text, "[A1500] ||| a ||| b\n");
    sa_grammar *deep = parsed(text.text); /* but its sentence is too long */
    ck_assert(!sa_grammar_draw(deep, &(sa_draft){.rng = &(sa_rng){1, 1}}));
    sa_grammar_free(deep);
    sa_buffer_release(&text);
}
END_TEST

/* What is just allowed, and what is just too much. */
START_TEST(limits_are_the_most_allowed) {
    static const char *const messages[] = {
        "g:2: line longer than 4000 bytes",
        "g:202: %join WORD WORD ||| WORD: two words, or one and a pattern that stays, and what "
        "replaces them",
        "g:2: %join WORD WORD ||| WORD: two words, or one and a pattern that stays, and what "
        "replaces them",
    };
    for (int limit = 0; limit < 3; limit++)
        for (int more = 0; more < 2; more++) {
            sa_buffer text = {0};
            sa_buffer_adds(&text, "[S] ||| x ||| y\n");
            if (limit == 0) sa_buffer_adds(&text, "#");
            for (int i = 0; limit == 0 && i < 3999 + more; i++) sa_buffer_adds(&text, "a");
            for (int i = 0; limit == 1 && i < 200 + more; i++)
                sa_buffer_addf(&text, "%%join a%d b ||| c\n", i);
            if (limit == 2) sa_buffer_adds(&text, "%join a b ||| ");
            for (int i = 0; limit == 2 && i < 63 + more; i++) sa_buffer_adds(&text, "c");
            if (more)
                refuses(text.text, messages[limit]);
            else
                sa_grammar_free(parsed(text.text));
            sa_buffer_release(&text);
        }
    refuses("%feature g\n", "g:1: %feature NAME VALUE ...: at most 100 features of 60 values");
    refuses("[S] ||| a ||| b ||| 1000001\n", "g:1: a weight is 0.001 to 1000000");
}
END_TEST

/* ---- Corpora and descriptions ---------------------------------------------------------------- */

static const char *file_of(char path[512], const char *name) {
    snprintf(path, 512, "%s/corpora/grammars/%s.scfg", TEST_ROOT, name);
    return path;
}

START_TEST(says_how_many_sentences_there_are) {
    char path[64] = "/tmp/softalign-check-scfg-XXXXXX";
    const int file = mkstemp(path);
    const char text[] = "[S] ||| [D,1] [D,2] ||| [D,2] [D,1]\n[D] ||| a ||| b\n[D] ||| c ||| d\n";
    ck_assert(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1);
    close(file);
    sa_error error;
    sa_buffer out = {0};
    ck_assert(
        !sa_synth_write(&(sa_toy){.grammar = path, .pairs = 5, .seed = 1}, NULL, &out, &error));
    ck_assert_msg(strstr(error.text, "different train pairs, not 5; all splits have 4"), "%s",
                  error.text);
    const sa_toy most = {.grammar = path, .pairs = (int64_t)SA_SYNTH_LIMIT, .seed = 1};
    ck_assert(!sa_synth_write(&most, NULL, &out, &error));
    ck_assert_msg(strstr(error.text, "pairs, not 1000000; all splits have 4"), "%s", error.text);
    sa_buffer_release(&out);
    unlink(path);
}
END_TEST

START_TEST(keeps_to_a_length) {
    char path[512];
    sa_error error;
    sa_buffer out = {0};
    const sa_toy toy = {
        .grammar = file_of(path, "italian"), .pairs = 100, .min_words = 6, .max_words = 7};
    ck_assert_msg(sa_synth_write(&toy, NULL, &out, &error), "%s", error.text);
    int spaces = 0;
    for (const char *at = out.text; *at && *at != '\t'; at++) spaces += *at == ' ';
    ck_assert(spaces == 4 || spaces == 5); /* the full stop is a word */
    sa_buffer_release(&out);
}
END_TEST

/* The description of a grammar, in which these parts occur. */
static sa_buffer described(const char *text, const char *const *parts) {
    sa_grammar *grammar = parsed(text);
    sa_buffer out = {0};
    sa_error error;
    ck_assert(sa_grammar_check(grammar, 1, &out, &error));
    for (; *parts; parts++)
        ck_assert_msg(strstr(out.text, *parts), "%s is not in %s", *parts, out.text);
    sa_grammar_free(grammar);
    return out;
}

START_TEST(describes_a_grammar) {
    /* the words of rules that are not used count, too */
    static const char text[] =
        "[S] ||| the [N,1] ||| le [N,1] ||| 0-0 1?0\n[N] ||| bank ||| banque\n"
        "[N] ||| bank ||| rive\n[M] ||| a ||| b\n[O] ||| [O,1] ||| [O,1]\n";
    static const char *const parts[] = {
        "rules: 5, with values for their features 5\n",
        "words: 3 in the source, 4 in the target\n",
        "sentences: 2 derivations of at most 128 source words, 2.0 on average\n     2 words: 2\n",
        "ambiguous words: bank\n",
        "not reached: M\n",
        "cannot end: O\n",
        "\nthe bank\n#   ?     le\n.   #     banque\n",
        NULL,
    };
    sa_buffer out = described(text, parts);
    int examples = 0;
    for (const char *at = out.text; (at = strstr(at, "\nthe bank\n")); at++) examples++;
    ck_assert_int_eq(examples, 5);
    sa_buffer_release(&out);
}
END_TEST

/* Lists end after ten things; a word is named once, however many translations it has. */
START_TEST(describes_large_grammars_in_short) {
    static const char *const parts[] = {
        "rules: 17, with values for their features 22\n",
        "ambiguous words: bank, light\nwords: 3 in the source, 5 in the target\n",
        "sentences: 8 derivations of at most 128 source words, 1.0 on average\n     1 word: 8\n",
        "not reached: U0, U1, U2, U3, U4, U5, U6, U7, U8, U9, ...\n",
        NULL,
    };
    static const char *const of_lengths[] = {
        "sentences: 128 derivations of at most 128 source words, 2.0 on average\n"
        "     1 word: 1\n     2 words: 1\n",
        "     9 words: 1\n    10 words: 1\n   ...\n\n",
        NULL,
    };
    static const char *const endless[] = {
        "sentences: more than 10^18 derivations of at most 128 source words, 1.0 on average\n"
        "     1 word: more than 10^18\n",
        NULL,
    };
    sa_buffer text = {0};
    sa_buffer_adds(&text, "%feature n sg pl\n[S] ||| [N:n,1] ||| [N:n,1]\n"
                          "[N:n] ||| bank ||| banque\n[N:n] ||| light ||| feu\n"
                          "[N:n] ||| bank ||| rive\n[N:n] ||| light ||| lumière\n");
    for (int i = 0; i < 12; i++) sa_buffer_addf(&text, "[U%d] ||| u ||| v\n", i);
    sa_buffer out = described(text.text, parts);
    sa_buffer_release(&out), sa_buffer_release(&text);
    out = described("[S] ||| a [S,1] ||| b [S,1]\n[S] ||| a ||| b\n", of_lengths);
    sa_buffer_release(&out);
    out = described("[S] ||| [S,1] ||| x [S,1]\n[S] ||| a ||| b\n", endless);
    sa_buffer_release(&out);
}
END_TEST

static bool read_two_rules(sa_error *why) {
    sa_grammar *g = sa_grammar_read("g", "[S] ||| a [N,1] ||| [N,1]\n[N] ||| c ||| d\n", why);
    sa_grammar_free(g);
    return g != NULL;
}

START_TEST(memory_runs_out) {
    ck_assert_int_eq(fail_allocations(read_two_rules), 0);
}
END_TEST

int main(void) {
    TCase *all;
    Suite *suite = suite_of("synth_scfg", &all);
    tcase_add_test(all, features_agree);
    tcase_add_test(all, links_words_of_symbols);
    tcase_add_test(all, joins_words);
    tcase_add_test(all, words_are_any_text);
    tcase_add_test(all, empty_sides_are_left_out);
    tcase_add_test(all, categories_need_few_words);
    tcase_add_test(all, suffixes_end_at_the_longest_word);
    tcase_add_loop_test(all, draws_by_weight, 0, 2);
    tcase_add_test(all, weights_are_read_in_thousandths);
    tcase_add_test(all, tests_may_differ);
    tcase_add_test(all, counts_by_length);
    tcase_add_test(all, counts_up_to_many);
    tcase_add_test(all, counts_as_far_as_it_can);
    tcase_add_test(all, reads_hiero_grammars);
    tcase_add_test(all, says_what_is_wrong);
    tcase_add_test(all, says_which_categories_differ);
    tcase_add_test(all, has_limits);
    tcase_add_test(all, limits_are_the_most_allowed);
    tcase_add_test(all, says_how_many_sentences_there_are);
    tcase_add_test(all, keeps_to_a_length);
    tcase_add_test(all, describes_a_grammar);
    tcase_add_test(all, describes_large_grammars_in_short);
    tcase_add_test(all, memory_runs_out);
    return suite_run(suite);
}
