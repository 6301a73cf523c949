/* Files of pairs, tables of numbers, codecs and datasets while calls for memory fail, each alone
 * and with all later ones: no block is lost, the error names memory, and what is read all the same
 * is what the file holds. */
#include "data/corpus.h"
#include "data/csv.h"
#include "data/dataset.h"
#include "data/encoding.h"
#include "data/overlap.h"
#include "data/word_vectors.h"
#include "support/memory_failures.h"
#include "support/scratch.h"
#include "support/suite.h"

static sa_error error;
static char path[256];

static void put(const char *name, const char *bytes) {
    strcpy(path, scratch_path(name));
    scratch_write(path, bytes, strlen(bytes));
}

/* ---- Files of pairs -------------------------------------------------------------------------- */

static const struct {
    const char *name, *bytes, *columns;
    const char *shown; /* "source=target[links]{identifier} " of each pair, then notes */
} files[] = {
    {"x.tsv", "Hi there\tSalut\t0-0 1-0\t7\n\t\t\nBye\tAdieu\t\n", NULL,
     "Hi there=Salut[0-0 1-0]{7} Bye=Adieu[] "},
    {"x.tsv", "Hi\tSalut\t0:0\nBye\tAdieu\t0-0\n", NULL,
     "Hi=Salut Bye=Adieu x.tsv:1: no third column is read as an alignment: '0:0' is not a link; "
     "expected source-target as in 0-0 or 2p1"},
    {"x.tsv", "Hi you\tSalut\nBye\tAdieu\t0-0\n", NULL,
     "Hi you=Salut Bye=Adieu x.tsv:1: no third column is read as an alignment: this line has none"},
    {"x.csv", "id,en,fr\n7,\"two\nlines\",deux\n8,one,un\n", NULL,
     "two lines=deux one=un x.csv: read as CSV with commas; source 'en', target 'fr', the names on "
     "line 1"},
    {"x.csv", "Hi you;Salut\n", "2,1", "Salut=Hi you x.csv: read as CSV with semicolons"},
    {"x.txt", "\"Hi; you\";Bonjour\nOne;Un\n", NULL,
     "Hi; you=Bonjour One=Un x.txt: read as CSV with semicolons"},
    {"x.tsv", "\"a \"\"b\"\"\"\t\"two\nlines\"\n", NULL,
     "a \"b\"=two lines x.tsv: read as quoted cells with tabs"},
    {"x.txt", "a ||| b ||| 0-0\n", NULL, "a=b[0-0] x.txt: read as source ||| target"},
    {"x.jsonl", "{\"t\": {\"en\": \"Hi\", \"fr\": \"Salut\"}}\n\n{\"t\": {\"fr\": \"b\"}}\n", NULL,
     "Hi=Salut x.jsonl: read as JSON lines; source 'en', target 'fr'"},
    {"x.txt", "\"a, b\",c\n", NULL, "a, b=c x.txt: read as CSV with commas"},
#ifdef SOFTALIGN_EXPAT
    {"x.tmx",
     "<tmx><tu><tuv lang=\"en\"><seg>Hi</seg></tuv><tuv lang=\"fr\"><seg>Salut</seg></tuv></tu>"
     "<tu><tuv lang=\"en\"><seg>A cat</seg></tuv><tuv lang=\"fr\"><seg>Chat</seg></tuv></tu></tmx>",
     NULL, "Hi=Salut A cat=Chat x.tmx: read as TMX; source 'en', target 'fr'"},
#endif
    {"x.csv", "Chat,Cat\n", NULL,
     "Chat=Cat x.csv: read as CSV with commas; 'Chat' and 'Cat' on line 1 are a pair (--columns "
     "Chat,Cat: names)"},
};

static const char *columns, *wanted;

/* Compares the pairs and what is noted of them. */
static void expect_pairs(const sa_corpus *corpus) {
    const size_t folder = strlen(scratch) + 1;
    char shown[512];
    size_t used = 0;
    for (size_t i = 0; i < corpus->count; i++) {
        const sa_pair *pair = &corpus->pairs[i];
        used += (size_t)sprintf(shown + used, "%s=%s", pair->source, pair->target);
        if (pair->gold) used += (size_t)sprintf(shown + used, "[%s]", pair->gold);
        if (pair->id) used += (size_t)sprintf(shown + used, "{%s}", pair->id);
        used += (size_t)sprintf(shown + used, " ");
    }
    const char *note = corpus->note ? corpus->note : corpus->remarks;
    if (note) sprintf(shown + used, "%s", note + folder);
    ck_assert_str_eq(shown, wanted);
}

static bool open_it(sa_error *why) {
    sa_corpus corpus;
    const bool good = sa_corpus_open_columns(&corpus, path, columns, why);
    if (good) expect_pairs(&corpus);
    sa_corpus_close(&corpus);
    return good;
}

START_TEST(files_of_pairs_without_memory) {
    put(files[_i].name, files[_i].bytes);
    columns = files[_i].columns, wanted = files[_i].shown;
    ck_assert_int_eq(fail_allocations(open_it), 0);
}
END_TEST

START_TEST(two_files_without_memory) {
    char both[256];
    put("s", "a\tb\nc\n");
    strcat(strcpy(both, path), ",");
    put("t", "A\nC\n");
    strcpy(path, strcat(both, path));
    columns = NULL;
    wanted = "a\tb=A c=C s:1: a tab in a file of plain sentences is read as a space";
    ck_assert_int_eq(fail_allocations(open_it), 0);
}
END_TEST

static char all_names[200];

/* Where there is no memory to list all names, none is listed. */
static bool miss_columns(sa_error *why) {
    sa_corpus corpus;
    if (sa_corpus_open_columns(&corpus, path, columns, why) || why->code != SA_USAGE) return false;
    const char *names = strstr(why->text, "there are: ") + strlen("there are: ");
    return strcmp(names, all_names) == 0 || strcmp(names, "none") == 0;
}

START_TEST(missing_columns_without_memory) {
    sa_buffer text = {0};
    for (int i = 0; i < 20; i++) {
        sa_buffer_addf(&text, "%sc%02d", i ? "," : "", i);
        sprintf(all_names + strlen(all_names), "%s'c%02d'", i ? ", " : "", i);
    }
    put("x.csv", text.text);
    columns = "c07,it";
    fail_allocations(miss_columns);
    sa_buffer_release(&text);
}
END_TEST

static sa_corpus whole;

static bool align_it(sa_error *why) {
    sa_corpus part;
    const bool all[] = {true, true};
    bool good = sa_corpus_select(&part, &whole, all, why);
    if (good && part.note) ck_assert_str_eq(part.note, whole.note);
    good = good && sa_corpus_read_alignments(&part, path, why);
    if (good) {
        ck_assert(part.gold && !part.note && part.count == 2);
        ck_assert_str_eq(part.pairs[0].gold, "0-0 ");
        ck_assert_str_eq(part.pairs[1].gold, "1p0 ");
    }
    if (part.owned) sa_corpus_close(&part);
    return good;
}

START_TEST(alignments_of_a_file_without_memory) {
    put("x.tsv", "Hi\tSalut\t0:0\nBye now\tAdieu\t\n");
    ck_assert_msg(sa_corpus_open(&whole, path, &error), "%s", error.text);
    put("links", "1 1 1\n2 2 1 P\n");
    ck_assert_int_eq(fail_allocations(align_it), 0);
    sa_corpus_close(&whole);
}
END_TEST

/* ---- Tables of numbers and vectors ----------------------------------------------------------- */

static bool read_table(sa_error *why) {
    sa_number_table table;
    const bool good = sa_number_table_open(&table, path, false, why);
    if (good) {
        ck_assert(table.rows == 2 && table.cols == 2);
        ck_assert(table.numbers[0] == 1 && table.numbers[3] == 4);
        ck_assert_str_eq(table.row[1], "b");
        ck_assert_str_eq(table.column[1], "y");
        sa_number_table_close(&table);
    }
    return good;
}

static bool read_counted(sa_error *why) {
    sa_number_table table;
    const bool good = sa_number_table_open(&table, path, false, why);
    if (good) {
        ck_assert(table.rows == 1 && table.cols == 3 && table.numbers[2] == 2.5);
        ck_assert_str_eq(table.column[2], "2");
        sa_number_table_close(&table);
    }
    return good;
}

START_TEST(tables_without_memory) {
    put("x.csv", ",x,y\na,1,2\n\"b\",3,4\n");
    ck_assert_int_eq(fail_allocations(read_table), 0);
    put("x.csv", "0,1,2\n0.5,1.5,2.5\n");
    ck_assert_int_eq(fail_allocations(read_counted), 0);
}
END_TEST

static sa_text_codec known[2];

static bool read_vectors(sa_error *why) {
    float rows[99] = {0};
    size_t found;
    const bool good = sa_word_vectors_read(path, &known[0].vocab, 2, rows, &found, why);
    if (good) ck_assert_uint_eq(found, 1);
    return good;
}

/* ---- Codecs and datasets --------------------------------------------------------------------- */

/* Of the second and the fourth one side is long, the third has a word of both sides. */
static sa_pair pairs[] = {
    {.source = "Ab ba, ab", .target = "cd <unk> cd", .gold = "0-0 1p1"},
    {.source = "ab a b ba ab ab", .target = "cd", .gold = "0-0"},
    {.source = "q ab", .target = "q cd", .gold = "1-1"},
    {.source = "ab", .target = "cd r cd cd cd cd", .gold = "0-0"},
};
static sa_corpus corpus = {
    .pairs = pairs, .count = sizeof pairs / sizeof *pairs, .name = "pairs", .gold = true};
static sa_settings settings;
static int limit; /* of tokens: two pairs have more */
static uint64_t hash;

static bool build(sa_text_codec codec[2], sa_error *why) {
    codec[0] = codec[1] = (sa_text_codec){0};
    return sa_text_codecs_build(&codec[0], &codec[1], &corpus, NULL, &settings, "ba zz", why);
}

static void release(sa_text_codec codec[2]) {
    sa_text_codec_release(&codec[0]), sa_text_codec_release(&codec[1]);
}

static bool build_it(sa_error *why) {
    sa_text_codec codec[2];
    sa_dataset dataset;
    if (!build(codec, why)) return false;
    const bool good =
        sa_dataset_build(&dataset, &corpus, NULL, &codec[0], &codec[1], limit, &settings, why);
    if (good) {
        if (!hash) hash = dataset.hash;
        ck_assert_uint_eq(dataset.hash, hash);
        ck_assert(dataset.count == 2 && dataset.too_long == 2);
        sa_dataset_release(&dataset);
    }
    release(codec);
    return good;
}

static const char *const codecs[] = {
    "tokenizer=word lowercase=yes", "tokenizer=bpe bpe=joint", "tokenizer=bpe bpe=separate",
    "tokenizer=space-bpe",          "tokenizer=char",          "tie=three-way"};

static void set_all(const char *words) {
    char copy[128], *rest = copy;
    sa_settings_init(&settings);
    settings.threads = 1, settings.copy = true, settings.bpe_merges = 9;
    limit = strstr(words, "char") ? 12 : 5;
    strcpy(copy, words);
    for (char *word; (word = strsep(&rest, " "));) {
        char *value = strchr(word, '=');
        *value = 0;
        ck_assert_msg(sa_settings_set(&settings, word, value + 1, &error), "%s", error.text);
    }
}

START_TEST(codecs_and_datasets_without_memory) {
    set_all(codecs[_i]);
    hash = 0;
    ck_assert_int_eq(fail_allocations(build_it), 0);
}
END_TEST

static bool use_it(sa_error *why) {
    sa_strings more = {0};
    sa_sentence made = {0};
    sa_gold_alignment *gold = NULL;
    const char **words = NULL;
    size_t sentences;
    bool good = sa_text_codec_encode(&known[0], NULL, "Abba<unk> zork, ba", &known[1].vocab, &more,
                                     true, &made, why);
    if (good) ck_assert_uint_gt(more.count, 0);
    good = good &&
           (gold = sa_gold_make(&known[0], &known[1], &corpus, pairs, NULL, corpus.count, why)) &&
           (words = sa_surface_words(&known[0], "Abba<unk> zork, ba", &made, why)) &&
           sa_gold_counts_blanks(&corpus, &settings, &sentences, why);
    if (good) ck_assert_uint_ge(gold[0].count, 2);
    free((int32_t *)(uintptr_t)made.ids), free(words);
    sa_strings_release(&more), sa_gold_release(gold, corpus.count);
    return good;
}

static bool join_it(sa_error *why) {
    sa_token_words words[2] = {{0}, {0}};
    char *reference = sa_reference_text(&known[1], pairs[0].target, why);
    const bool good = reference && sa_token_words_make(&known[0], &known[1], &pairs[0], &words[0],
                                                       &words[1], why);
    for (int side = 0; side < 2; side++) sa_token_words_release(&words[side]);
    free(reference);
    return good;
}

static bool hold_out(sa_error *why) {
    bool held[sizeof pairs / sizeof *pairs];
    size_t sources, both;
    const bool good = sa_corpus_hold_out(&settings, &corpus, held, why) &&
                      sa_corpus_overlap(&settings, &corpus, &corpus, &sources, &both, why);
    if (good) ck_assert(sources == corpus.count && both == corpus.count);
    return good;
}

START_TEST(codecs_are_used_without_memory) {
    set_all(codecs[_i]);
    ck_assert_msg(build(known, &error), "%s", error.text);
    ck_assert_int_eq(fail_allocations(use_it), 0);
    ck_assert_int_eq(fail_allocations(join_it), 0);
    ck_assert_int_eq(fail_allocations(hold_out), 0);
    put("x.vec", "ab 1 2\nzz 3 4\n");
    if (_i == 0) ck_assert_int_eq(fail_allocations(read_vectors), 0);
    release(known);
}
END_TEST

static sa_corpus given;
static size_t source_words;

static bool build_given(sa_error *why) {
    sa_text_codec codec[2] = {0};
    if (!sa_text_codecs_build(&codec[0], &codec[1], &given, NULL, &settings, NULL, why))
        return false;
    ck_assert(codec[0].vocab.count == source_words && codec[1].vocab.count == 1);
    release(codec);
    return true;
}

/* Words that two threads count, of which only the second one finds any but the first word. */
START_TEST(counts_of_threads_are_joined_without_memory) {
    enum { PAIRS = 1024 };
    static sa_pair all[PAIRS];
    static char words[100][8];
    for (int i = 0; i < PAIRS; i++) {
        const int word = i < PAIRS / 2 ? 0 : i % 100;
        sprintf(words[word], "w%d", word);
        all[i] = (sa_pair){.source = words[word], .target = "v"};
    }
    given = (sa_corpus){.pairs = all, .count = PAIRS, .name = "large"};
    source_words = 100;
    set_all("tokenizer=space");
    settings.threads = 2;
    ck_assert_int_eq(fail_allocations(build_given), 0);
}
END_TEST

/* Which have no spaces between them to learn from. */
START_TEST(single_words_without_memory) {
    sa_pair pair = {.source = "w", .target = "v"};
    given = (sa_corpus){.pairs = &pair, .count = 1, .name = "small"};
    source_words = 1;
    set_all("tokenizer=word");
    ck_assert_int_eq(fail_allocations(build_given), 0);
}
END_TEST

static char spaced[256];

static bool count_spaces(sa_error *why) {
    sa_tokens tokens = {0};
    sa_strings counts = {0};
    const bool good = sa_word_tokenizer_split(spaced, strlen(spaced), &tokens, why) &&
                      sa_spacing_count(&counts, &tokens, why);
    sa_tokens_release(&tokens), sa_strings_release(&counts);
    return good;
}

/* Each sign has four rows: between the words beside it, and alone. Up to three rows before them
 * move the row with which the table grows. */
START_TEST(spaces_are_counted_without_memory) {
    static const char *const beginnings[] = {"", "b ", "b 1 ", "b b 1 "};
    for (int i = 0; i < 4; i++) {
        snprintf(
            spaced, sizeof spaced, "%s%s", beginnings[i],
            "a! a? a; a: a, a. a) a] a% a& a* a+ a= a~ a^ a| a} a» a… a— a° a€ a£ a♪ a♥ a★ a→");
        ck_assert_int_eq(fail_allocations(count_spaces), 0);
    }
}
END_TEST

static sa_dataset shown;

static bool take_pairs(sa_error *why) {
    const sa_corpus own = sa_dataset_pairs(&shown, &corpus, 9, why);
    if (own.pairs) ck_assert(own.count == 2 && own.pairs[1].source == pairs[2].source);
    free(own.pairs);
    return own.pairs;
}

START_TEST(pairs_are_taken_without_memory) {
    set_all(codecs[0]);
    ck_assert_msg(build(known, &error), "%s", error.text);
    ck_assert(
        sa_dataset_build(&shown, &corpus, NULL, &known[0], &known[1], limit, &settings, &error));
    ck_assert_int_eq(fail_allocations(take_pairs), 0);
    sa_dataset_release(&shown);
    release(known);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("data_memory", &tests);
    tcase_add_checked_fixture(tests, scratch_make, scratch_remove);
    tcase_set_timeout(tests, 20);
    tcase_add_loop_test(tests, files_of_pairs_without_memory, 0, COUNT(files));
    tcase_add_test(tests, two_files_without_memory);
    tcase_add_test(tests, missing_columns_without_memory);
    tcase_add_test(tests, alignments_of_a_file_without_memory);
    tcase_add_test(tests, tables_without_memory);
    tcase_add_loop_test(tests, codecs_and_datasets_without_memory, 0, COUNT(codecs));
    tcase_add_loop_test(tests, codecs_are_used_without_memory, 0, COUNT(codecs));
    tcase_add_test(tests, counts_of_threads_are_joined_without_memory);
    tcase_add_test(tests, single_words_without_memory);
    tcase_add_test(tests, spaces_are_counted_without_memory);
    tcase_add_test(tests, pairs_are_taken_without_memory);
    return suite_run(suite);
}
