/* `phrases`: sentences translated by hand, and the French of all others: elision, contraction,
 * agreement. */
#include "support/suite.h"
#include "synth/scfg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const sentences[][2] = {
    {"are you calling him?", "est-ce que vous l'appelez ?"},
    {"are you thirsty?", "est-ce que vous avez soif ?"},
    {"do not open the door.", "n'ouvrez pas la porte."},
    {"do not take the train.", "ne prenez pas le train."},
    {"do you like dogs?", "est-ce que vous aimez les chiens ?"},
    {"he always loses his key.", "il perd toujours sa clé."},
    {"he has a horse.", "il a un cheval."},
    {"he is calling her.", "il l'appelle."},
    {"he is in the garden.", "il est dans le jardin."},
    {"he likes water.", "il aime l'eau."},
    {"he never helps me.", "il ne m'aide jamais."},
    {"he took the bus.", "il a pris le bus."},
    {"he went to the cinema.", "il est allé au cinéma."},
    {"i am afraid of the dog.", "j'ai peur du chien."},
    {"i am calling him.", "je l'appelle."},
    {"i am drinking some coffee.", "je bois du café."},
    {"i am going to leave.", "je vais partir."},
    {"i am going to the station.", "je vais à la gare."},
    {"i am not helping her.", "je ne l'aide pas."},
    {"i am not hungry.", "je n'ai pas faim."},
    {"i am tired.", "je suis fatigué."},
    {"i came to the school.", "je suis venu à l'école."},
    {"i cannot leave.", "je ne peux pas partir."},
    {"i do not want any cheese.", "je ne veux pas de fromage."},
    {"i have a car.", "j'ai une voiture."},
    {"i have a new computer.", "j'ai un nouvel ordinateur."},
    {"i know this castle.", "je connais ce château."},
    {"i like coffee.", "j'aime le café."},
    {"i lost my umbrella.", "j'ai perdu mon parapluie."},
    {"i need a key.", "j'ai besoin d'une clé."},
    {"i want some bread.", "je veux du pain."},
    {"i went to the hotel.", "je suis allé à l'hôtel."},
    {"is it hot?", "est-ce qu'il fait chaud ?"},
    {"is she kind?", "est-ce qu'elle est gentille ?"},
    {"is there a pharmacy near the station?", "est-ce qu'il y a une pharmacie près de la gare ?"},
    {"it is cold.", "il fait froid."},
    {"it is not raining.", "il ne pleut pas."},
    {"it is snowing in the street.", "il neige dans la rue."},
    {"my key is on the table.", "ma clé est sur la table."},
    {"my scarf is green.", "mon écharpe est verte."},
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
    {"she lost her key.", "elle a perdu sa clé."},
    {"she wants some eggs.", "elle veut des œufs."},
    {"she wants to leave.", "elle veut partir."},
    {"she was hungry.", "elle avait faim."},
    {"the bus left yesterday.", "le bus est parti hier."},
    {"the key is under the bed.", "la clé est sous le lit."},
    {"the nurses are tired.", "les infirmières sont fatiguées."},
    {"the small cat is here.", "le petit chat est ici."},
    {"the small cat is on the bed.", "le petit chat est sur le lit."},
    {"the water is cold.", "l'eau est froide."},
    {"their horse is four years old.", "leur cheval a quatre ans."},
    {"they are helping us.", "ils nous aident."},
    {"they are here.", "ils sont ici."},
    {"they are tired.", "ils sont fatigués."},
    {"they do not have a computer.", "ils n'ont pas d'ordinateur."},
    {"they drank some milk.", "ils ont bu du lait."},
    {"they know the museum.", "ils connaissent le musée."},
    {"they live in the village.", "ils habitent dans le village."},
    {"this bird is beautiful.", "cet oiseau est beau."},
    {"this church is beautiful.", "cette église est belle."},
    {"this hotel is big.", "cet hôtel est grand."},
    {"we are afraid of the horse.", "nous avons peur du cheval."},
    {"we are hungry.", "nous avons faim."},
    {"we are taking the plane.", "nous prenons l'avion."},
    {"we do not like tea.", "nous n'aimons pas le thé."},
    {"we eat some meat every day.", "nous mangeons de la viande tous les jours."},
    {"we left.", "nous sommes partis."},
    {"we live in the house.", "nous habitons dans la maison."},
    {"we need the bed.", "nous avons besoin du lit."},
    {"we never call them.", "nous ne les appelons jamais."},
    {"we want some bread.", "nous voulons du pain."},
    {"were you ill yesterday?", "est-ce que vous étiez malade hier ?"},
    {"what did she buy?", "qu'est-ce qu'elle a acheté ?"},
    {"where are my keys?", "où sont mes clés ?"},
    {"where do you live?", "où est-ce que vous habitez ?"},
    {"where is my friend?", "où est mon ami ?"},
    {"where is the hero?", "où est le héros ?"},
    {"where is the hotel?", "où est l'hôtel ?"},
    {"where is the station?", "où est la gare ?"},
    {"where is your key?", "où est votre clé ?"},
    {"who did you help?", "qui est-ce que vous avez aidé ?"},
    {"you are happy.", "vous êtes heureux."},
    {"you must leave.", "vous devez partir."},
    {"you need this book.", "vous avez besoin de ce livre."},
    {"you want some meat.", "vous voulez de la viande."},
};
enum { SENTENCES = sizeof sentences / sizeof sentences[0] };

static sa_grammar *read_phrases(const char *text) {
    sa_error error = {0};
    sa_grammar *grammar = sa_grammar_read("phrases", text, &error);
    ck_assert_msg(grammar != NULL, "%s", error.text);
    return grammar;
}

/* Returns whether all words in the source of a rule stand in the sentence, as far as they are no
 * suffixes. */
static bool may_say(const char *rule, const char *sentence) {
    char source[256], *rest = source;
    const char *from = strstr(rule, "|||") + 3;
    snprintf(source, sizeof source, "%.*s", (int)(strstr(from, "|||") - from), from);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!strchr("[+", *word) && !strstr(sentence, word)) return false;
    return true;
}

/* Returns the grammar without the rules that have other words than the sentence: their places are
 * taken by rules without an end. The sentence is as likely in it as among few others. */
static sa_grammar *read_phrases_for(const char *sentence) {
    sa_buffer kept = {0};
    char *text = strdup((const char *)sa_grammar_phrases), *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line != '[' || may_say(line, sentence))
            sa_buffer_addf(&kept, "%s\n", line);
        else
            sa_buffer_addf(&kept, "%.*s] ||| [NEVER,1] ||| [NEVER,1]\n", (int)strcspn(line, ":]"),
                           line);
    sa_buffer_adds(&kept, "[NEVER] ||| [NEVER,1] ||| [NEVER,1]\n");
    sa_grammar *grammar = read_phrases(kept.text);
    sa_buffer_release(&kept);
    free(text);
    return grammar;
}

/* Each sentence above occurs, and whenever it does it has its translation. */
START_TEST(translates_sentences) {
    enum { DRAWS = 20000, OCCURRENCES = 2 };
    sa_rng rng = sa_rng_seed(1, 0);
    sa_draft draft = {.rng = &rng};
    sa_buffer out = {0};
    for (int i = 0; i < SENTENCES; i += TEST_SANITIZED ? 30 : 1) {
        sa_grammar *grammar = read_phrases_for(sentences[i][0]);
        int found = 0;
        for (int draws = 0; draws < DRAWS && found < OCCURRENCES; draws++) {
            sa_draft_clear(&draft);
            ck_assert(sa_grammar_draw(grammar, &draft));
            out.size = 0;
            sa_draft_write(&draft, &out);
            const char *source = strtok(out.text, "\t"), *target = strtok(NULL, "\t");
            if (strcmp(source, sentences[i][0]) != 0) continue;
            ck_assert_str_eq(target, sentences[i][1]);
            found++;
        }
        ck_assert_msg(found == OCCURRENCES, "said %d times: %s", found, sentences[i][0]);
        sa_grammar_free(grammar);
    }
    sa_buffer_release(&out);
}
END_TEST

static bool one_of(const char *word, const char *const *list) {
    while (*list && strcmp(word, *list) != 0) list++;
    return *list;
}

/* Returns whether French elides before the word: l'homme, but le héros. */
static bool vowel(const char *word) {
    static const char *const aspirated[] = {"héros", "huit", NULL};
    const char first[3] = {word[0], word[0] & 0x80 ? word[1] : 0, 0};
    return strstr("aeiouyhàâéèêîôœ", first) && !one_of(word, aspirated);
}

/* Nothing is left that French elides or contracts, and every word has a link. */
START_TEST(writes_words_together) {
    static const char *const weak[] = {"le", "la", "de", "ne",   "je",      "que", "me",
                                       "ma", "sa", "ce", "beau", "nouveau", NULL};
    static const char *const apart[] = {"de", "à", NULL}, *const articles[] = {"le", "les", NULL};
    enum { WRITTEN = TEST_SANITIZED ? 5000 : 100000 };
    sa_rng rng = sa_rng_seed(2, 0);
    sa_draft draft = {.rng = &rng};
    sa_grammar *grammar = read_phrases((const char *)sa_grammar_phrases);
    int elided = 0;
    for (int draws = 0; draws < WRITTEN; draws++) {
        bool source[SA_DRAFT_WORDS] = {0}, target[SA_DRAFT_WORDS] = {0};
        sa_draft_clear(&draft);
        ck_assert(sa_grammar_draw(grammar, &draft));
        for (int i = 0; i + 1 < draft.target.count; i++) {
            const char *word = draft.target.words[i], *next = draft.target.words[i + 1];
            ck_assert_msg(!(one_of(word, weak) && vowel(next)), "%s %s", word, next);
            ck_assert_msg(!(one_of(word, apart) && one_of(next, articles)), "%s %s", word, next);
            ck_assert_msg(*next != '+', "%s %s", word, next);
            if (word[strlen(word) - 1] != '\'') continue;
            ck_assert_msg(vowel(next), "%s %s", word, next);
            elided++;
        }
        for (int i = 0; i < SA_DRAFT_WORDS * SA_DRAFT_WORDS; i++)
            if (draft.link[i]) source[i / SA_DRAFT_WORDS] = target[i % SA_DRAFT_WORDS] = true;
        for (int i = 0; i < draft.source.count; i++)
            ck_assert_msg(source[i], "%s", draft.source.words[i]);
        for (int i = 0; i < draft.target.count; i++)
            ck_assert_msg(target[i] || !strcmp(draft.target.words[i], ","), "%s",
                          draft.target.words[i]);
    }
    ck_assert_int_gt(elided, WRITTEN / 10);
    sa_grammar_free(grammar);
}
END_TEST

int main(void) {
    TCase *all;
    Suite *suite = suite_of("synth_phrases", &all);
    tcase_set_timeout(all, 60);
    tcase_add_test(all, translates_sentences);
    tcase_add_test(all, writes_words_together);
    return suite_run(suite);
}
