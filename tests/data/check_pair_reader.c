/* Files of pairs as people have them: CSV, quoted tabs, JSON lines, TMX, source ||| target; which
 * of them a file is, its columns, and the message of every broken one. */
#include "base/memory.h"
#include "data/corpus.h"
#include "support/scratch.h"

#include <softalign/lab.h>

#define BYTES(text) text, sizeof(text) - 1

static sa_corpus corpus;
static sa_error error;

static const char *file(const char *name, const char *bytes, size_t size) {
    const char *path = scratch_path(name);
    scratch_write(path, bytes, size);
    return path;
}

/* The text without the folder, wherever it stands. */
static void expect_text(const char *text, const char *expected) {
    char shown[512];
    size_t used = 0;
    const size_t folder = strlen(scratch) + 1;
    for (; *text; text++) {
        if (strncmp(text, scratch, folder - 1) == 0) text += folder;
        shown[used++] = *text;
    }
    shown[used] = 0;
    ck_assert_str_eq(shown, expected);
}

/* ---- Files that are read --------------------------------------------------------------------- */

/* pairs: "line:source=target" of each, then '[' links ']' and '{' identifier '}' where it has them.
 */
typedef struct good_file {
    const char *name, *bytes, *columns, *pairs, *remarks;
} good_file;

#define READ "; source 'en', target 'fr', the names on line 1"
#define TMX(units) "<?xml version=\"1.0\"?>\n<tmx version=\"1.4\"><body>\n" units "</body></tmx>\n"
#define UNIT(en, fr)                                                                               \
    "<tu><tuv xml:lang=\"en-US\"><seg>" en "</seg></tuv><tuv xml:lang=\"fr\"><seg>" fr             \
    "</seg></tuv></tu>\n"

static const good_file good[] = {
    /* CSV by its name */
    {"x.csv", "en,fr\nHello,Bonjour\nSee you,Salut\n", NULL, "2:Hello=Bonjour 3:See you=Salut",
     "x.csv: read as CSV with commas" READ},
    {"x.csv", "\xef\xbb\xbf\"en\",\"fr\"\r\n\"Hello, you\",\"Il dit \"\"oui\"\"\"\r\n", NULL,
     "2:Hello, you=Il dit \"oui\"", "x.csv: read as CSV with commas" READ},
    {"x.CSV", "en;fr\nHello, you;Bonjour\nOne;Un\n", NULL, "2:Hello, you=Bonjour 3:One=Un",
     "x.CSV: read as CSV with semicolons" READ},
    {"x.csv", "Hello, you;Bonjour\nOne;Un\n", NULL, "1:Hello, you=Bonjour 2:One=Un",
     "x.csv: read as CSV with semicolons"},
    {"x.csv", "en\tfr\nHello, you\tBonjour\n", NULL, "2:Hello, you=Bonjour",
     "x.csv: read as quoted cells with tabs" READ},
    {"x.csv", "see\tyou,Salut\na\tcat,un chat\n", NULL, "1:see you=Salut 2:a cat=un chat",
     "x.csv: read as CSV with commas"},
    {"x.csv", "id,en,fr\r\n7,\"two\r\nlines\",deux\r\n\r\n8, one ,un\r\n", NULL,
     "2:two lines=deux 5: one =un", "x.csv: read as CSV with commas" READ},
    {"x.csv", "Hi,Salut,0-0,7\nBye,Adieu,,8\n", NULL, "1:Hi=Salut[0-0]{7} 2:Bye=Adieu[]{8}",
     "x.csv: read as CSV with commas"},
    {"x.csv", "\n\nHi,Salut\n", NULL, "3:Hi=Salut",
     "x.csv: read as CSV with commas; 'Hi' and 'Salut' on line 3 are a pair (--columns Hi,Salut: "
     "names)"},
    {"x.csv", "Hi,Salut,0-0\n\nBye,Adieu,\n", NULL, "1:Hi=Salut[0-0] 3:Bye=Adieu[]",
     "x.csv: read as CSV with commas"},
    /* columns */
    {"x.csv", "id,en,fr\n7,Hello,Bonjour\n", "fr,en", "2:Bonjour=Hello",
     "x.csv: read as CSV with commas; source 'fr', target 'en', the names on line 1"},
    {"x.csv", "question,answer\nWhy?,So.\n", "answer,question", "2:So.=Why?",
     "x.csv: read as CSV with commas; source 'answer', target 'question', the names on line 1"},
    {"x.csv", "a,Hello,Bonjour,0-0\nb,One,Un,\n", "2,3,4,1",
     "1:Hello=Bonjour[0-0]{a} 2:One=Un[]{b}", "x.csv: read as CSV with commas"},
    {"x.tsv", "7\tHello\t9\tBonjour\n8\tOne\t10\tUn\n", "2,4", "1:Hello=Bonjour 2:One=Un", NULL},
    {"x.tsv", "Hello\tBonjour\n", "1,1", "1:Hello=Hello", NULL},
    {"x.tsv", "en\tfr\nHello\tBonjour\n", NULL, "2:Hello=Bonjour", "x.tsv: read as tabs" READ},
    {"x.csv", "en_GB,zh_Hans\nHello,你好\n", NULL, "2:Hello=你好",
     "x.csv: read as CSV with commas; source 'en_GB', target 'zh_Hans', the names on line 1"},
    {"x.tsv", "es-419\tpt-br\nBuenas\tOi\n", NULL, "2:Buenas=Oi",
     "x.tsv: read as tabs; source 'es-419', target 'pt-br', the names on line 1"},
    {"x.tsv", "id\tsrc\tref\ttgt\n1\ta\tb\tc\n", NULL, "2:a=c",
     "x.tsv: read as tabs; source 'src', target 'tgt', the names on line 1"},
    /* by its content */
    {"x.txt", "\"Hello, you\",Bonjour\nOne,\"Un\"\n", NULL, "1:Hello, you=Bonjour 2:One=Un",
     "x.txt: read as CSV with commas"},
    {"x.txt", "\"Hello; you\";Bonjour\n", NULL, "1:Hello; you=Bonjour",
     "x.txt: read as CSV with semicolons"},
    {"x.txt", "en,fr\nHello,Bonjour\n", NULL, "2:Hello=Bonjour",
     "x.txt: read as CSV with commas" READ},
    {"x.txt", "id;en;fr\n7;Hello, you;Bonjour\n", NULL, "2:Hello, you=Bonjour",
     "x.txt: read as CSV with semicolons" READ},
    {"x.txt", "Hello ||| Bonjour\nOne ||| Un\n", NULL, "1:Hello=Bonjour 2:One=Un",
     "x.txt: read as source ||| target"},
    {"x.txt", "Hello ||| Bonjour ||| 0-0\n", NULL, "1:Hello=Bonjour[0-0]",
     "x.txt: read as source ||| target"},
    {"x.tsv", "en\tfr\n\"He said \"\"yes\"\"\"\tIl dit oui\n\"two\nlines\"\tdeux\n", NULL,
     "2:He said \"yes\"=Il dit oui 3:two lines=deux", "x.tsv: read as quoted cells with tabs" READ},
    {"x.tsv", "\"Yes.\"\t\"Oui.\"\n\"No.\"\t\"Non.\"\n", NULL, "1:Yes.=Oui. 2:No.=Non.",
     "x.tsv: read as quoted cells with tabs"},
    /* prose stays prose */
    {"x.tsv", "Hello, you\tBonjour, toi\n", NULL, "1:Hello, you=Bonjour, toi", NULL},
    {"x.tsv", "\"Yes.\" \"No.\"\tOui\n\"Why?\"\tPourquoi\n", NULL,
     "1:\"Yes.\" \"No.\"=Oui 2:\"Why?\"=Pourquoi", NULL},
    {"x.tsv", "\"Why?\"\tPourquoi\nBecause\t\"Car\"\n", NULL,
     "1:\"Why?\"=Pourquoi 2:Because=\"Car\"", NULL},
    {"x.tsv", "one\ten\ntwo\tzwei\n", NULL, "1:one=en 2:two=zwei", NULL},
    {"x.tsv", "a ||| b\tc\n", NULL, "1:a ||| b=c", NULL},
    /* JSON lines */
    {"x.jsonl",
     "{\"translation\": {\"en\": \"Hello\\nyou\", \"fr\": \"\\u00c7a\"}}\n\n"
     "{\"translation\": {\"fr\": \"Un\", \"en\": \"One\"}}\n",
     NULL, "1:Hello you=Ça 3:One=Un", "x.jsonl: read as JSON lines; source 'en', target 'fr'"},
    {"x.jsonl", "{\"t\": {\"en\": \"One\", \"fr\": \"Un\"}}\n", NULL, "1:One=Un",
     "x.jsonl: read as JSON lines; source 'en', target 'fr'"},
    {"x.txt", "{\"id\": 3, \"en\": \"Hello\", \"fr\": \"Bonjour\", \"score\": 0.5}\n", NULL,
     "1:Hello=Bonjour", "x.txt: read as JSON lines; source 'en', target 'fr'"},
    {"x.txt", "\n  \r\n{\"en\": \"Hello\", \"fr\": \"Bonjour\"}\n", NULL, "3:Hello=Bonjour",
     "x.txt: read as JSON lines; source 'en', target 'fr'"},
    {"x.ndjson", "{\"q\": \"Why?\", \"a\": \"So.\"}\n{\"q\": \"What?\", \"a\": null}\n", NULL,
     "1:Why?=So.", "x.ndjson: read as JSON lines; source 'q', target 'a'"},
    {"x.jsonl",
     "{\"en\": \"a\", \"fr\": \"b\", \"g\": \"0-0\"}\n\n{\"en\": \"c\", \"fr\": \"d\"}\n",
     "en,fr,g", "1:a=b[0-0] 3:c=d[]", "x.jsonl: read as JSON lines; source 'en', target 'fr'"},
    {"x.jsonl", "{\"t\": {\"en\": \"a\", \"fr\": \"b\", \"more\": {\"de\": \"c\"}}}\n", NULL,
     "1:a=b",
     "x.jsonl: read as JSON lines; source 'en', target 'fr'"}, /* objects within one, no deeper */
    {"x.json", "{\"q\": \"Why?\", \"a\": \"So.\", \"g\": \"0-0\", \"i\": \"x\"}\n", "a,q,g,i",
     "1:So.=Why?[0-0]{x}", "x.json: read as JSON lines; source 'a', target 'q'"},
    /* TMX */
    {"x.tmx", TMX(UNIT("A &lt;b&gt; <ph>{1}</ph>\n<hi>cat</hi>", "Un chat") UNIT("One", "Un")),
     NULL, "3:A <b>  cat=Un chat 5:One=Un", "x.tmx: read as TMX; source 'en-US', target 'fr'"},
    /* the text of codes is left out, that of other elements is not */
    {"x.tmx",
     TMX(UNIT("a<bpt i=\"1\">[B]</bpt><b>cat</b><ept i=\"1\">[/B]</ept>",
              "un<it pos=\"end\">[I]</it><i>chat</i><ut>[U]</ut><p>!</p>")),
     NULL, "3:acat=unchat!", "x.tmx: read as TMX; source 'en-US', target 'fr'"},
    {"x.tmx", "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx>" UNIT("One", "Un") "</tmx>", "fr,en",
     "2:Un=One", "x.tmx: read as TMX; source 'fr', target 'en'"},
    {"x.tmx",
     TMX("<tu><tuv lang=\"de\"><seg>Eins</seg></tuv></tu>" UNIT(
         "One", "Un") "<tu><tuv lang=\"FR\"><seg>Deux</seg></tuv><tuv "
                      "lang=\"DE\"><seg>Zwei</seg></tuv></tu>"),
     "de,fr", "4:Zwei=Deux", "x.tmx: read as TMX; source 'de', target 'fr'"},
    /* what the user names wins; digits are positions */
    {"x.tsv", "2\tLet us try.\t4\tEssayons.\n7\tI sleep.\t8\tJe dors.\n", "2,4",
     "1:Let us try.=Essayons. 2:I sleep.=Je dors.", NULL},
    {"x.tsv", "4\tLet us try.\t1\tEssayons.\n7\tI sleep.\t8\tJe dors.\n", "2,4",
     "1:Let us try.=Essayons. 2:I sleep.=Je dors.", NULL},
    {"x.tsv", "Source\tsource\tx\na\tb\tc\n", "x,source", "2:c=b",
     "x.tsv: read as tabs; source 'x', target 'source', the names on line 1"},
    {"x.csv", "target,source\nun chat,a cat\n", NULL, "2:a cat=un chat",
     "x.csv: read as CSV with commas; source 'source', target 'target', the names on line 1"},
    {"x.tsv", "tgt\tsrc\nun chat\ta cat\n", NULL, "2:a cat=un chat",
     "x.tsv: read as tabs; source 'src', target 'tgt', the names on line 1"},
    {"x.tsv", "tgt\ten\nun chat\ta cat\n", NULL, "2:a cat=un chat",
     "x.tsv: read as tabs; source 'en', target 'tgt', the names on line 1"},
    {"x.tsv", "fr\tsource\nun chat\ta cat\n", NULL, "2:a cat=un chat",
     "x.tsv: read as tabs; source 'source', target 'fr', the names on line 1"},
    {"x.jsonl", "{\"target\": \"un chat\", \"source\": \"a cat\"}\n", NULL, "1:a cat=un chat",
     "x.jsonl: read as JSON lines; source 'source', target 'target'"},
    {"x.jsonl",
     "{\"source\": \"a cat\", \"source-lang\": \"en\", \"target\": \"un chat\", "
     "\"target-lang\": \"fr\"}\n",
     NULL, "1:a cat=un chat", "x.jsonl: read as JSON lines; source 'source', target 'target'"},
    {"x.jsonl", "{\"en\": \"a cat\", \"en-note\": \"informal\", \"fr\": \"un chat\"}\n", NULL,
     "1:a cat=un chat", "x.jsonl: read as JSON lines; source 'en', target 'fr'"},
    {"x.jsonl",
     "{\"source\": {\"text\": \"a\", \"lang\": \"en\"}, \"target\": {\"text\": \"b\", \"lang\": "
     "\"fr\"}}\n",
     NULL, "1:a=b", "x.jsonl: read as JSON lines; source 'source.text', target 'target.text'"},
    {"x.tmx",
     TMX("<tu><tuv xml:lang=\"en\"><seg>bus</seg></tuv><tuv xml:lang=\"zh-CN\"><seg>a</seg></tuv>"
         "<tuv xml:lang=\"zh-TW\"><seg>b</seg></tuv></tu>"),
     "en,zh-cn", "3:bus=a", "x.tmx: read as TMX; source 'en', target 'zh-cn'"},
    {"x.tmx",
     TMX("<tu><tuv xml:lang=\"en\"><seg>one</seg></tuv><tuv xml:lang=\"fr\"><seg>un</seg></tuv>"
         "<tuv><seg>lost</seg></tuv></tu>"),
     NULL, "3:one=un", "x.tmx: read as TMX; source 'en', target 'fr'"},
    /* a guess that drops a line is certain, or the line stays text */
    {"x.tsv", "it\tes\nwe\twir\n", NULL, "1:it=es 2:we=wir",
     "x.tsv: read as tabs; 'it' and 'es' on line 1 are a pair (--columns it,es: names)"},
    {"x.tsv", "it\tes\nwe\twir\n", "it,es", "2:we=wir",
     "x.tsv: read as tabs; source 'it', target 'es', the names on line 1"},
    {"x.tsv", "it\tes\nun gatto\tun gato\n", NULL, "1:it=es 2:un gatto=un gato",
     "x.tsv: read as tabs; 'it' and 'es' on line 1 are a pair (--columns it,es: names)"},
    {"x.csv", "Italiano,English\nun gatto,a cat\n", NULL, "1:Italiano=English 2:un gatto=a cat",
     "x.csv: read as CSV with commas; 'Italiano' and 'English' on line 1 are a pair (--columns "
     "Italiano,English: names)"},
    {"x.csv", "Italiano;Inglese\nun gatto;a cat\n", NULL, "1:Italiano=Inglese 2:un gatto=a cat",
     "x.csv: read as CSV with semicolons; 'Italiano' and 'Inglese' on line 1 are a pair (--columns "
     "Italiano,Inglese: names)"},
    {"x.csv", "sep=;\r\nen;fr\r\na cat;un chat\r\n", NULL, "3:a cat=un chat",
     "x.csv: read as CSV with semicolons; source 'en', target 'fr', the names on line 2"},
    {"x.tsv",
     "He spoke.\tIl parla.\n\"I came.\t« Je suis venu.\nI saw.\tJe vis.\nI won.\"\tJe vainquis. "
     "»\n",
     NULL,
     "1:He spoke.=Il parla. 2:\"I came.=« Je suis venu. 3:I saw.=Je vis. 4:I won.\"=Je vainquis. »",
     NULL},
    {"x.csv", "See x.de,Voir x.fr\na,b\n", NULL, "1:See x.de=Voir x.fr 2:a=b",
     "x.csv: read as CSV with commas"},
    {"x.tsv", "x.de\tx.fr\n", NULL, "1:x.de=x.fr", NULL},
    /* a first line that says no separator is a row */
    {"x.csv", "sep=;5,b c\nd e,f\n", NULL, "1:sep=;5=b c 2:d e=f",
     "x.csv: read as CSV with commas"},
    /* columns of numbers are no sentences */
    {"x.tsv", "3 1\t1 3\t0-1 1-0\n7\t7\t0-0\n", NULL, "1:3 1=1 3[0-1 1-0] 2:7=7[0-0]", NULL},
    {"x.tsv", "May 12\t2020-05-12\ta\nMay 13\t2020-05-13\tb\n", NULL,
     "1:May 12=2020-05-12 2:May 13=2020-05-13", NULL},
    /* the first three rows show where sentences stand */
    {"x.tsv", "a b\tc d\na b\tc d\na b\tc d\n7\te f\tg h\n", NULL,
     "1:a b=c d 2:a b=c d 3:a b=c d 4:7=e f", NULL},
    {"x.tsv", "Hi\tSalut\tgreeting\nBye\tAdieu\t\n", NULL, "1:Hi=Salut 2:Bye=Adieu", NULL},
    /* oddities */
    {"x.tsv", "1\tone\n2\ttwo\n3\tthree\n", NULL, "1:1=one 2:2=two 3:3=three", NULL},
    {"x.tsv", "1.05\tGo on.\tVa.\n1.1\tNo.\tNon.\n1.2\tYes.\tOui.\n", "2,3",
     "1:Go on.=Va. 2:No.=Non. 3:Yes.=Oui.", NULL},
    {"x.tsv", "a b\ta b\nb\tb\nc\tc\n", NULL, "1:a b=a b 2:b=b 3:c=c", NULL},
    {"x.tsv", "question\tanswer\nWhy is it?\tSo.\nWho are you?\tMe.\n", NULL,
     "1:question=answer 2:Why is it?=So. 3:Who are you?=Me.",
     "x.tsv: read as tabs; 'question' and 'answer' on line 1 are a pair (--columns "
     "question,answer: names)"},
    {"x.tsv", "Italiano\tInglese\nciao\thello\ncane\tdog\n", NULL,
     "1:Italiano=Inglese 2:ciao=hello 3:cane=dog",
     "x.tsv: read as tabs; 'Italiano' and 'Inglese' on line 1 are a pair (--columns "
     "Italiano,Inglese: names)"},
    {"x.tsv", "Italiano\tinglese\nciao\thello\ncane\tdog\n", NULL,
     "1:Italiano=inglese 2:ciao=hello 3:cane=dog", NULL}, /* one capital is not enough */
    {"x.tsv", "Italiano\tInglese\nciao\thello\n", "Italiano,Inglese", "2:ciao=hello",
     "x.tsv: read as tabs; source 'Italiano', target 'Inglese', the names on line 1"},
    {"x.tsv", "Hund\tDog\n\nKatze\tCat\n", NULL, "1:Hund=Dog 3:Katze=Cat", NULL},
    {"x.tsv", "cat\tchat\ndog\tchien\na dog\tun chien\n", NULL,
     "1:cat=chat 2:dog=chien 3:a dog=un chien", NULL},
};

static bool needs_expat(const good_file *row) {
#ifdef SOFTALIGN_EXPAT
    (void)row;
    return false;
#else
    return strstr(row->bytes, "<tmx");
#endif
}

START_TEST(files_are_read) {
    const good_file *row = &good[_i];
    sa_buffer shown = {0};
    if (needs_expat(row)) return;
    const char *path = file(row->name, row->bytes, strlen(row->bytes));
    const bool opened = sa_corpus_open_columns(&corpus, path, row->columns, &error);
    ck_assert_msg(opened, "%s", error.text);
    for (size_t i = 0; i < corpus.count; i++) {
        const sa_pair *pair = &corpus.pairs[i];
        sa_buffer_addf(&shown, "%s%zu:%s=%s", i ? " " : "", pair->line, pair->source, pair->target);
        if (pair->gold) sa_buffer_addf(&shown, "[%s]", pair->gold);
        if (pair->id) sa_buffer_addf(&shown, "{%s}", pair->id);
        ck_assert(pair->row <= corpus.lines && pair->row > (i ? pair[-1].row : 0));
    }
    ck_assert_str_eq(shown.text, row->pairs);
    ck_assert_int_eq(!corpus.remarks, !row->remarks);
    if (row->remarks) expect_text(corpus.remarks, row->remarks);
    sa_buffer_release(&shown);
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(rows_are_counted_without_header_and_line_ends) {
    const char *path = file("x.csv", BYTES("en,fr\n\"a\nb\",c\n\nd,\ne,f\n"));
    ck_assert_msg(sa_corpus_open(&corpus, path, &error), "%s", error.text);
    ck_assert(corpus.count == 2 && corpus.lines == 4 && corpus.empty == 2);
    ck_assert(corpus.pairs[0].row == 1 && corpus.pairs[0].line == 2);
    ck_assert(corpus.pairs[1].row == 4 && corpus.pairs[1].line == 6);
    /* so alignments have a line for each row */
    ck_assert(sa_corpus_read_alignments(&corpus, file("a", BYTES("0-0\n\n\n1\t1-1\n")), &error));
    ck_assert_str_eq(corpus.pairs[0].gold, "0-0");
    ck_assert_str_eq(corpus.pairs[1].gold, "1-1");
    sa_corpus_close(&corpus);
}
END_TEST

START_TEST(the_same_pairs_are_the_same_in_every_format) {
    static const char *const names[] = {"x.tsv", "x.csv", "x.jsonl", "x.txt", "x.tmx"};
    static const char *const bytes[] = {
        "A cat\tun chat\nSee, you\t\"Salut\"\n", "A cat,un chat\n\"See, you\",\"\"\"Salut\"\"\"\n",
        "{\"en\": \"A cat\", \"fr\": \"un chat\"}\n{\"en\": \"See, you\", \"fr\": "
        "\"\\\"Salut\\\"\"}\n",
        "A cat ||| un chat\nSee, you ||| \"Salut\"\n",
        TMX(UNIT("A cat", "un chat") UNIT("See, you", "\"Salut\""))};
    uint64_t hash = 0;
    for (int i = 0; i < 5; i++) {
        const good_file row = {.bytes = bytes[i]};
        if (needs_expat(&row)) continue;
        const char *path = file(names[i], bytes[i], strlen(bytes[i]));
        ck_assert_msg(sa_corpus_open(&corpus, path, &error), "%s", error.text);
        if (!i) hash = sa_corpus_hash(&corpus, true);
        ck_assert_uint_eq(sa_corpus_hash(&corpus, true), hash);
        sa_corpus_close(&corpus);
    }
}
END_TEST

/* The table is recognized by its first lines only if all others agree. */
START_TEST(a_late_line_decides) {
    sa_buffer text = {0};
    for (int i = 0; i < 5000; i++) sa_buffer_adds(&text, "\"a \"\"b\"\"\"\t\"two\nlines\"\n");
    ck_assert(sa_corpus_open(&corpus, file("x.tsv", text.text, text.size), &error));
    ck_assert_uint_eq(corpus.count, 5000);
    ck_assert_str_eq(corpus.pairs[4999].target, "two lines");
    ck_assert_uint_eq(corpus.pairs[4999].line, 9999);
    sa_corpus_close(&corpus);
    sa_buffer_adds(&text, "\"c\" d\te\n");
    ck_assert(!sa_corpus_open(&corpus, file("x.tsv", text.text, text.size), &error));
    expect_text(error.text, "x.tsv:2: no tab; expected source TAB target");
    sa_buffer_release(&text);
}
END_TEST

/* ---- Files that are refused ------------------------------------------------------------------ */

static const struct {
    const char *name, *bytes;
    size_t size;
    const char *columns;
    sa_code code;
    const char *message;
} broken[] = {
    {"x.csv", BYTES("en,fr\na,b\n\"c,d\ne,f\n"), NULL, SA_DATA,
     "x.csv:3: a quoted cell that does not end before a comma"},
    {"x.csv", BYTES("en;fr\na;b\n\"c\" d;e\n"), NULL, SA_DATA,
     "x.csv:3: a quoted cell that does not end before a semicolon"},
    {"x.csv", BYTES("en,fr\na,b\nc,d,e\n"), NULL, SA_DATA,
     "x.csv:3: 3 cells, the rows above have 2"},
    {"x.csv", BYTES("en,fr\n\"a\nb\",c\nd\n"), NULL, SA_DATA,
     "x.csv:4: 1 cell, the rows above have 2"},
    {"x.csv", BYTES("one column\n"), NULL, SA_DATA, "x.csv:1: no second column"},
    {"x.csv", BYTES("sep="), NULL, SA_DATA, "x.csv:1: no second column"},
    {"x.csv", BYTES("sep=\0\na,b\n"), NULL, SA_DATA, "x.csv:1: NUL byte (is this text, in UTF-8?)"},
    {"x.csv", BYTES("sep=|\na|b\n"), NULL, SA_DATA, "x.csv:1: no second column"},
    {"x.csv", BYTES("sep=;"), NULL, SA_DATA,
     "x.csv: no sentence pairs (0 lines, 0 with an empty side)"},
    {"x.csv", BYTES(""), NULL, SA_DATA, "x.csv: no sentence pairs (0 lines, 0 with an empty side)"},
    {"x.csv", BYTES("en,fr\n"), NULL, SA_DATA,
     "x.csv: no sentence pairs (0 lines, 0 with an empty side)"},
    {"x.csv", BYTES("a,b\nc,\xe9\n"), NULL, SA_DATA,
     "x.csv:2: not UTF-8 at byte 3: 0xE9 (perhaps an 8-bit code like Latin-1)"},
    {"x.csv", BYTES("a,b\nc,\0\n"), NULL, SA_DATA, "x.csv:2: NUL byte (is this text, in UTF-8?)"},
    {"x.csv", BYTES("en,fr,de\na,b,c\n"), NULL, SA_USAGE,
     "x.csv: which two are source and target? (--columns); there are: 'en', 'fr', 'de'"},
    {"x.csv", BYTES("en,translation,is_question\na cat,un chat,no\n"), NULL, SA_USAGE,
     "x.csv: which two are source and target? (--columns); there are: 'en', 'translation', "
     "'is_question'"},
    {"x.csv", BYTES("id,en,fr-\na,b,c\n"), NULL, SA_USAGE,
     "x.csv: which two are source and target? (--columns); there are: 'id', 'en', 'fr-'"},
    {"x.csv", BYTES("Hi,Salut,greeting\nBye,Adieu,other\n"), NULL, SA_USAGE,
     "x.csv: which two are source and target? (--columns); there are: 'Hi', 'Salut', 'greeting'"},
    {"x.tsv", BYTES("7\tHi\tSalut\tgreeting\n8\tBye\tAdieu\tother\n"), NULL, SA_USAGE,
     "x.tsv: which two are source and target? (--columns); there are: '7', 'Hi', 'Salut', "
     "'greeting'"},
    {"x.tsv", BYTES("a b\tc d\na b\tc d\n7\te f\tg h\n"), NULL, SA_USAGE,
     "x.tsv: which two are source and target? (--columns); there are: '7', 'e f', 'g h'"},
    {"x.csv", BYTES("Nr,Italiano,English\n1,un gatto,a cat\n2,un cane,a dog\n"), NULL, SA_USAGE,
     "x.csv: which two are source and target? (--columns); there are: 'Nr', 'Italiano', "
     "'English'"},
    {"x.tsv", BYTES("Nr\tItaliano\tEnglish\n1\tun gatto\ta cat\n"), NULL, SA_USAGE,
     "x.tsv: which two are source and target? (--columns); there are: '1', 'un gatto', 'a cat'"},
    {"x.tsv", BYTES("2\tLet us try.\t4\tEssayons.\n7\tI sleep.\t8\tJe dors.\n"), NULL, SA_USAGE,
     "x.tsv: which two are source and target? (--columns); there are: '2', 'Let us try.', '4', "
     "'Essayons.'"},
    {"x.csv", BYTES("en,fr\na,b\n"), "en,it", SA_USAGE,
     "x.csv: no column it (--columns); there are: 'en', 'fr'"},
    {"x.csv", BYTES("en,fr\na,b\n"), "1,3", SA_USAGE,
     "x.csv: no column 3 (--columns); there are: 'en', 'fr'"},
    {"x.tsv", BYTES("a\tb\tc\nd\te\n"), "1,3", SA_DATA, "x.tsv:2: no column 3 (--columns)"},
    {"x.tsv", BYTES("a\tb\n"), "1,4294967298", SA_USAGE, /* 2 in 32 bits */
     "x.tsv: no column 4294967298 (--columns); there are: 'a', 'b'"},
    {"x.csv", BYTES("id,en,en\n7,a,b\n"), "id,en", SA_DATA,
     "x.csv:1: 'en' and 'en' are both 'en' (--columns)"},
    {"x.tsv", BYTES("a\tb\n"), "0,1", SA_USAGE,
     "--columns 0,1: expected two to four numbers from 1 or names with commas between them, such "
     "as 2,4"},
    {"x.tsv", BYTES("a\tb\n"), "1,,2", SA_USAGE,
     "--columns 1,,2: expected two to four numbers from 1 or names with commas between them, such "
     "as 2,4"},
    {"x.tsv", BYTES("a\tb\n"), "1,2,3,4,5", SA_USAGE,
     "--columns 1,2,3,4,5: expected two to four numbers from 1 or names with commas between them, "
     "such as 2,4"},
    {"x.tsv", BYTES("a\tb\n"), "2", SA_USAGE,
     "--columns 2: expected the columns of source and target, such as 2,4"},
    {"x.txt", BYTES("Hello, you\nOne, two\n"), NULL, SA_DATA,
     "x.txt:1: no tab; expected source TAB target (or, for CSV, a name that ends in .csv or a "
     "header)"},
    {"x.jsonl", BYTES("{\"en\": \"a\", \"fr\": \"b\"}\n{\"en\": \"a\", \"fr\"}\n"), NULL, SA_DATA,
     "x.jsonl:2: JSON: expected ':' at byte 16"},
    {"x.jsonl", BYTES("{\"en\": \"a\", \"fr\": \"b\"}\n[1]\n"), NULL, SA_DATA,
     "x.jsonl:2: expected an object on each line (jq -c '.[]' writes the elements of a list so)"},
    {"x.json", BYTES("[\n{\"en\": \"a\", \"fr\": \"b\"}\n]\n"), NULL, SA_DATA,
     "x.json:1: expected an object on each line (jq -c '.[]' writes the elements of a list so)"},
    {"x.jsonl", BYTES("{\"en\": \"a\", \"fr\": \"b\", \"de\": \"c\"}\n"), NULL, SA_USAGE,
     "x.jsonl: which two are source and target? (--columns); there are: 'en', 'fr', 'de'"},
    {"x.jsonl", BYTES("{\"a\": {\"word\": \"a\", \"lang\": \"en\"}, \"b\": {\"word\": \"b\"}}\n"),
     NULL, SA_USAGE,
     "x.jsonl: which two are source and target? (--columns); there are: 'a.word', 'a.lang', "
     "'b.word'"},
    {"x.jsonl", BYTES("{\"en\": \"a\", \"fr\": \"b\"}\n"), "en,it", SA_USAGE,
     "x.jsonl: no column it (--columns); there are: 'en', 'fr'"},
    {"x.jsonl", BYTES("{\"en\": \"a\xe9\"}\n"), NULL, SA_DATA,
     "x.jsonl:1: not UTF-8 at byte 10: 0xE9 (perhaps an 8-bit code like Latin-1)"},
    {"x.jsonl", BYTES(""), NULL, SA_DATA,
     "x.jsonl: no sentence pairs (0 lines, 0 with an empty side)"},
    {"x.parquet", BYTES("PAR1\x15\x04"), NULL, SA_DATA,
     "x.parquet:1: not UTF-8 (looks like a Parquet file); this converts it: python3 -c \"import "
     "pandas; pandas.read_parquet('FILE').to_json('NEW.jsonl', orient='records', lines=True, "
     "force_ascii=False)\""},
    {"x.xlsx", BYTES("PK\3\4....[Content_Types].xml....xl/workbook.xml"), NULL, SA_DATA,
     "x.xlsx:1: not UTF-8 (looks like an Excel workbook); this converts it: libreoffice --headless "
     "--convert-to csv FILE"},
    {"x.ods", BYTES("PK\3\4....mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), NULL,
     SA_DATA,
     "x.ods:1: not UTF-8 (looks like an OpenDocument file); this converts it: libreoffice "
     "--headless --convert-to csv FILE"},
    {"x.xls", BYTES("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), NULL, SA_DATA,
     "x.xls:1: not UTF-8 (looks like an old Excel or Word file); this converts it: libreoffice "
     "--headless --convert-to csv FILE"},
    {"x.bz2", BYTES("BZh91AY&SYxxx"), NULL, SA_DATA,
     "x.bz2:1: not UTF-8 (looks like a bzip2 file); this converts it: bzip2 -dc FILE > NEW"},
    {"x.zst", BYTES("\x28\xb5\x2f\xfdxxx"), NULL, SA_DATA,
     "x.zst:1: not UTF-8 (looks like a Zstandard file); this converts it: zstd -dc FILE > NEW"},
    {"x.xz", BYTES("\3757zXZ\0"), NULL, SA_DATA,
     "x.xz:1: not UTF-8 (looks like an xz file); this converts it: xz -dc FILE > NEW"},
    {"x.tsv", BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"), NULL,
     SA_DATA,
     "x.tsv:1: not the file itself (looks like a Git LFS pointer); this fetches it: git lfs pull"},
    {"x.tsv", BYTES("<!DOCTYPE html>\n<html>a\tb</html>\n"), NULL, SA_DATA,
     "x.tsv:1: not the file itself (looks like a web page); this fetches it: curl -L -o NEW the "
     "address of the raw file"},
    {"x.npy", BYTES("\x93NUMPY\1\0"), NULL, SA_DATA,
     "x.npy:1: not UTF-8 (looks like a NumPy .npy file)"},
    {"x.pkl", BYTES("\x80\4"), NULL, SA_DATA,
     "x.pkl:1: not UTF-8 (looks like a Python pickle (a PyTorch .pt file?))"},
    {"x.pdf", BYTES("%PDF-1.7\n"), NULL, SA_DATA,
     "x.pdf:1: not UTF-8 (looks like a PDF file); this converts it: pdftotext FILE NEW"},
#ifdef SOFTALIGN_EXPAT
    {"x.tmx", BYTES(TMX(UNIT("a", "b")) "<a/>"), NULL, SA_DATA,
     "x.tmx:5: XML: junk after document element"},
    {"x.tmx", BYTES("<tmx>\n<tu>\n</tmx>"), NULL, SA_DATA, "x.tmx:3: XML: mismatched tag"},
    {"x.tmx", BYTES(""), NULL, SA_DATA, "x.tmx:1: XML: no element found"},
    {"x.tmx", BYTES("<tmx/>"), NULL, SA_DATA,
     "x.tmx: no sentence pairs (0 lines, 0 with an empty side)"},
    {"x.tmx", BYTES("<tmx>\n\0</tmx>"), NULL, SA_DATA,
     "x.tmx:2: XML: not well-formed (invalid token)"},
    {"x.tmx", BYTES("<tmx>\n\xe9 </tmx>"), NULL, SA_DATA,
     "x.tmx:2: XML: not well-formed (invalid token)"},
    {"x.tmx", BYTES(TMX(UNIT("a", "b"))), "en,it", SA_USAGE,
     "x.tmx: no column it (--columns); there are: 'en-US', 'fr'"},
    {"x.tmx",
     BYTES(TMX("<tu><tuv xml:lang=\"en\"><seg>bus</seg></tuv><tuv xml:lang=\"zh-CN\"><seg>a</seg>"
               "</tuv><tuv xml:lang=\"zh-TW\"><seg>b</seg></tuv></tu>")),
     "en,zh", SA_DATA, "x.tmx:3: 'zh-CN' and 'zh-TW' are both 'zh' (--columns)"},
    {"x.tmx", BYTES(TMX("<tu><tuv xml:lang=\"en\"><seg>a</seg></tuv></tu>")), NULL, SA_USAGE,
     "x.tmx: which two are source and target? (--columns); there are: 'en'"},
    {"x.tmx", BYTES("<!DOCTYPE tmx [<!ENTITY a \"aa\"><!ENTITY b \"&a;&a;\">]>\n<tmx>&b;</tmx>"),
     NULL, SA_DATA, "x.tmx:1: declarations in the document, as of entities, are not allowed"},
    {"x.tmx", BYTES("<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx>\n&nbsp;</tmx>"), NULL, SA_DATA,
     "x.tmx:3: an entity that is not declared"},
#else
    {"x.tmx", BYTES(TMX(UNIT("a", "b"))), NULL, SA_USAGE,
     "x.tmx: this softalign was built without expat, which TMX needs: install it (libexpat1-dev; "
     "scripts/setup does) and build again"},
#endif
};

START_TEST(broken_files_are_refused) {
    const char *path = file(broken[_i].name, broken[_i].bytes, broken[_i].size);
    ck_assert(!sa_corpus_open_columns(&corpus, path, broken[_i].columns, &error));
    expect_text(error.text, broken[_i].message);
    ck_assert_int_eq(error.code, broken[_i].code);
    ck_assert_ptr_null(corpus.pairs);
}
END_TEST

START_TEST(two_files_have_no_columns) {
    char both[300];
    snprintf(both, sizeof both, "%s,%s", file("a.csv", BYTES("a\tA, b\n")),
             file("b.csv", BYTES("c\n")));
    ck_assert(!sa_corpus_open_columns(&corpus, both, "1,2", &error));
    ck_assert_int_eq(error.code, SA_USAGE);
    ck_assert_msg(sa_corpus_open(&corpus, both, &error), "%s", error.text);
    ck_assert_str_eq(corpus.pairs[0].source, "a\tA, b");
    expect_text(corpus.remarks, "a.csv:1: a tab in a file of plain sentences is read as a space");
    sa_corpus_close(&corpus);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

int main(void) {
    Suite *suite = suite_create("pair_reader");
    TCase *cases = tcase_create("pair_reader");
    tcase_add_checked_fixture(cases, scratch_make, scratch_remove);
    tcase_add_loop_test(cases, files_are_read, 0, COUNT(good));
    tcase_add_test(cases, rows_are_counted_without_header_and_line_ends);
    tcase_add_test(cases, the_same_pairs_are_the_same_in_every_format);
    tcase_add_test(cases, a_late_line_decides);
    tcase_add_loop_test(cases, broken_files_are_refused, 0, COUNT(broken));
    tcase_add_test(cases, two_files_have_no_columns);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
