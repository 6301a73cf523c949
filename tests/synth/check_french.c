/* The French of `phrases`: inflection, elision and contraction, and whole sentences by hand. */
#include "support/suite.h"
#include "synth/grammar.h"

#include <stdlib.h>
#include <string.h>

START_TEST(knows_vowel_sounds) {
    static const char *const vowels[] = {"arbre", "homme", "hôtel", "école", "église",
                                         "œuf",   "y",     "à",     "été",   "il"};
    static const char *const consonants[] = {"chat", "héros", "huit", "onze", "voiture"};
    for (size_t i = 0; i < sizeof vowels / sizeof vowels[0]; i++)
        ck_assert_msg(sa_french_vowel(vowels[i]), "%s", vowels[i]);
    for (size_t i = 0; i < sizeof consonants / sizeof consonants[0]; i++)
        ck_assert_msg(!sa_french_vowel(consonants[i]), "%s", consonants[i]);
}
END_TEST

START_TEST(makes_plurals) {
    static const char *const rows[][2] = {
        {"chat", "chats"},
        {"cheval", "chevaux"},
        {"journal", "journaux"},
        {"gâteau", "gâteaux"},
        {"oiseau", "oiseaux"},
        {"souris", "souris"},
        {"vieux", "vieux"},
        {"clé", "clés"},
        {"beau", "beaux"},
        {"français", "français"},
        {"pomme de terre", "pommes de terre"},
        {"bateau à voile", "bateaux à voile"},
    };
    char plural[SA_DRAFT_LETTERS];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sa_french_plural(rows[i][0], plural);
        ck_assert_str_eq(plural, rows[i][1]);
    }
}
END_TEST

START_TEST(makes_adjectives_agree) {
    static const struct {
        const char *english, *next, *french;
        bool feminine, plural;
    } rows[] = {
        {"beautiful", "chien", "beau", false, false},  {"beautiful", "hôtel", "bel", false, false},
        {"beautiful", "hôtels", "beaux", false, true}, {"beautiful", "amie", "belle", true, false},
        {"new", "ami", "nouvel", false, false},        {"new", "héros", "nouveau", false, false},
        {"new", "clés", "nouvelles", true, true},      {"old", "homme", "vieil", false, false},
        {"old", "hommes", "vieux", false, true},       {"old", NULL, "vieux", false, false},
        {"old", NULL, "vieilles", true, true},         {"white", NULL, "blanche", true, false},
        {"happy", NULL, "heureux", false, true},       {"happy", NULL, "heureuses", true, true},
        {"expensive", NULL, "chères", true, true},     {"italian", NULL, "italienne", true, false},
        {"red", NULL, "rouges", false, true},
    };
    char french[SA_DRAFT_LETTERS];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sa_french_adjective(sa_word_find("adjective", rows[i].english), rows[i].feminine,
                            rows[i].plural, rows[i].next, french);
        ck_assert_str_eq(french, rows[i].french);
    }
}
END_TEST

START_TEST(makes_participles_agree) {
    char french[SA_DRAFT_LETTERS];
    sa_french_participle("allé", true, false, french);
    ck_assert_str_eq(french, "allée");
    sa_french_participle("parti", false, true, french);
    ck_assert_str_eq(french, "partis");
    sa_french_participle("venu", true, true, french);
    ck_assert_str_eq(french, "venues");
    sa_french_participle("pris", false, true, french);
    ck_assert_str_eq(french, "pris");
    sa_french_participle("pris", true, true, french);
    ck_assert_str_eq(french, "prises");
}
END_TEST

static void finishes(const char *words, const char *expected) {
    sa_draft draft = {0};
    sa_buffer out = {0};
    sa_draft_target(&draft, words);
    sa_french_finish(&draft, NULL);
    sa_draft_write(&draft, &out);
    ck_assert_str_eq(strtok(out.text, "\t\n"), expected);
    sa_buffer_release(&out);
}

START_TEST(writes_words_together) {
    finishes("je aime le arbre .", "j'aime l'arbre.");
    finishes("elle ne est pas à la école .", "elle n'est pas à l'école.");
    finishes("il y a un chat à côté de le parc .", "il y a un chat à côté du parc.");
    finishes("la porte de le hôtel", "la porte de l'hôtel");
    finishes("je vais à le marché", "je vais au marché");
    finishes("à les enfants de les voisins", "aux enfants des voisins");
    finishes("que est-ce que il veut ?", "qu'est-ce qu'il veut ?");
    finishes("si il vous plaît", "s'il vous plaît");
    finishes("si elle veut", "si elle veut");
    finishes("le héros de le château", "le héros du château");
    finishes("de la eau et de le pain", "de l'eau et du pain");
    finishes("le huit", "le huit");
}
END_TEST

/* English article and noun keep their links when de and le become one word. */
START_TEST(links_follow_merged_words) {
    sa_draft draft = {0};
    sa_buffer out = {0};
    sa_draft_phrase(&draft, &(sa_word){"of the park", "de le parc", .links = "0-0 1-1 2p1 2-2"});
    sa_french_finish(&draft, ".");
    sa_draft_write(&draft, &out);
    ck_assert_str_eq(out.text, "of the park.\tdu parc.\t0-0 1-0 2p0 2-1 3-2\n");
    sa_buffer_release(&out);
}
END_TEST

/* ---- Sentences ------------------------------------------------------------------------------ */

/* In the byte order of the English. */
static const char *const sentences[][2] = {
    {"are you thirsty?", "est-ce que vous avez soif ?"},
    {"can you help me?", "est-ce que vous pouvez m'aider ?"},
    {"do not forget your tickets.", "n'oubliez pas vos billets."},
    {"do not open the umbrella.", "n'ouvrez pas le parapluie."},
    {"do not take the train.", "ne prenez pas le train."},
    {"do you like apples?", "est-ce que vous aimez les pommes ?"},
    {"do you see him?", "est-ce que vous le voyez ?"},
    {"he always loses his hat.", "il perd toujours son chapeau."},
    {"he has a horse.", "il a un cheval."},
    {"he is looking for her.", "il la cherche."},
    {"he likes water.", "il aime l'eau."},
    {"he took the bus.", "il a pris le bus."},
    {"i am afraid of the dog.", "j'ai peur du chien."},
    {"i am calling him.", "je l'appelle."},
    {"i am drinking some coffee.", "je bois du café."},
    {"i am going to leave.", "je vais partir."},
    {"i am going to the station.", "je vais à la gare."},
    {"i am not hungry.", "je n'ai pas faim."},
    {"i am tired.", "je suis fatigué."},
    {"i came to the school.", "je suis venu à l'école."},
    {"i cannot leave.", "je ne peux pas partir."},
    {"i do not see her.", "je ne la vois pas."},
    {"i do not want any cheese.", "je ne veux pas de fromage."},
    {"i have a car.", "j'ai une voiture."},
    {"i know this castle.", "je connais ce château."},
    {"i like coffee.", "j'aime le café."},
    {"i lost my umbrella.", "j'ai perdu mon parapluie."},
    {"i need a key.", "j'ai besoin d'une clé."},
    {"i see you.", "je vous vois."},
    {"i want some bread.", "je veux du pain."},
    {"i went to the hotel.", "je suis allé à l'hôtel."},
    {"is it hot?", "est-ce qu'il fait chaud ?"},
    {"is she kind?", "est-ce qu'elle est gentille ?"},
    {"is there a pharmacy next to the hotel?",
     "est-ce qu'il y a une pharmacie à côté de l'hôtel ?"},
    {"it is cold.", "il fait froid."},
    {"it is not raining.", "il ne pleut pas."},
    {"it is snowing in the street.", "il neige dans la rue."},
    {"my letter is on the table.", "ma lettre est sur la table."},
    {"my son is seven years old.", "mon fils a sept ans."},
    {"please close the window.", "fermez la fenêtre, s'il vous plaît."},
    {"please open the door.", "ouvrez la porte, s'il vous plaît."},
    {"she did not leave.", "elle n'est pas partie."},
    {"she does not have a bag.", "elle n'a pas de sac."},
    {"she is afraid of the birds.", "elle a peur des oiseaux."},
    {"she is happy.", "elle est heureuse."},
    {"she is listening to the radio.", "elle écoute la radio."},
    {"she is right.", "elle a raison."},
    {"she is tired.", "elle est fatiguée."},
    {"she is waiting for them.", "elle les attend."},
    {"she likes chocolate.", "elle aime le chocolat."},
    {"she lost her key.", "elle a perdu sa clé."},
    {"she wants some eggs.", "elle veut des œufs."},
    {"she wants to sleep.", "elle veut dormir."},
    {"she went to the park.", "elle est allée au parc."},
    {"the bank is closed.", "la banque est fermée."},
    {"the child is playing in the garden.", "l'enfant joue dans le jardin."},
    {"the key is under the bed.", "la clé est sous le lit."},
    {"the key that we found is old.", "la clé que nous avons trouvée est vieille."},
    {"the keys that you lost are old.", "les clés que vous avez perdues sont vieilles."},
    {"the museum is not open.", "le musée n'est pas ouvert."},
    {"the train is going to leave tomorrow.", "le train va partir demain."},
    {"the water is cold.", "l'eau est froide."},
    {"their horse is four years old.", "leur cheval a quatre ans."},
    {"they are tired.", "ils sont fatigués."},
    {"they do not have a computer.", "ils n'ont pas d'ordinateur."},
    {"they drank some milk.", "ils ont bu du lait."},
    {"they know the museum.", "ils connaissent le musée."},
    {"they live in a village.", "ils habitent dans un village."},
    {"they see us.", "ils nous voient."},
    {"this church is beautiful.", "cette église est belle."},
    {"this hotel is expensive.", "cet hôtel est cher."},
    {"we are afraid of the horse.", "nous avons peur du cheval."},
    {"we are hungry.", "nous avons faim."},
    {"we are taking the plane.", "nous prenons l'avion."},
    {"we do not like tea.", "nous n'aimons pas le thé."},
    {"we left.", "nous sommes partis."},
    {"we live in the house.", "nous habitons dans la maison."},
    {"we need the bed.", "nous avons besoin du lit."},
    {"we never call them.", "nous ne les appelons jamais."},
    {"we want some water.", "nous voulons de l'eau."},
    {"what did she buy?", "qu'est-ce qu'elle a acheté ?"},
    {"where are my keys?", "où sont mes clés ?"},
    {"where are you playing?", "où est-ce que vous jouez ?"},
    {"where did he sleep?", "où est-ce qu'il a dormi ?"},
    {"where do you live?", "où est-ce que vous habitez ?"},
    {"where is my friend?", "où est mon ami ?"},
    {"where is the hotel?", "où est l'hôtel ?"},
    {"where is the station?", "où est la gare ?"},
    {"where is your letter?", "où est votre lettre ?"},
    {"who are you waiting for?", "qui est-ce que vous attendez ?"},
    {"who did you see?", "qui est-ce que vous avez vu ?"},
    {"you are happy.", "vous êtes heureux."},
    {"you must leave.", "vous devez partir."},
    {"you need this book.", "vous avez besoin de ce livre."},
    {"you want some meat.", "vous voulez de la viande."},
};
enum { SENTENCES = sizeof sentences / sizeof sentences[0] };

static int by_english(const void *key, const void *row) {
    return strcmp(key, *(const char *const *)row);
}

/* Under the sanitizers not every sentence is waited for. */
enum { DRAWS = TEST_SANITIZED ? 50000 : 5000000 };

/* Draws until every sentence above has occurred; each has its translation whenever it occurs. */
START_TEST(translates_sentences) {
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {.rng = &rng};
    sa_buffer out = {0};
    bool seen[SENTENCES] = {0};
    int missing = SENTENCES;
    for (int draws = 0; draws < DRAWS && missing; draws++) {
        sa_draft_clear(&draft);
        sa_synth_phrases(&draft);
        if (draft.source.count > 9) continue; /* longer than any above */
        out.size = 0;
        sa_draft_write(&draft, &out);
        const char *source = strtok(out.text, "\t"), *target = strtok(NULL, "\t");
        const char *const *row =
            bsearch(source, sentences, SENTENCES, sizeof sentences[0], by_english);
        if (!row) continue;
        ck_assert_str_eq(target, row[1]);
        missing -= !seen[(row - sentences[0]) / 2];
        seen[(row - sentences[0]) / 2] = true;
    }
    for (int i = 0; i < SENTENCES && !TEST_SANITIZED; i++)
        ck_assert_msg(seen[i], "never said: %s", sentences[i][0]);
    sa_buffer_release(&out);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("synth_french");
    TCase *all = tcase_create("french");
    tcase_set_timeout(all, 60);
    tcase_add_test(all, knows_vowel_sounds);
    tcase_add_test(all, makes_plurals);
    tcase_add_test(all, makes_adjectives_agree);
    tcase_add_test(all, makes_participles_agree);
    tcase_add_test(all, writes_words_together);
    tcase_add_test(all, links_follow_merged_words);
    tcase_add_test(all, translates_sentences);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
