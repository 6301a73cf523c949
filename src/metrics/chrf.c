#include "metrics/chrf.h"
#include "base/utf8.h"

/* ---- Units ----------------------------------------------------------------------------------- */

/* The units that a line is split into. */
enum { CHARACTERS, WORDS, KINDS };

static bool is_mark(char c) {
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* Splits an ASCII punctuation mark off the end of a word, or else off its beginning: "(hi)" becomes
 * "(hi" and ")". */
static void push_word(sa_units *words, const char *word, size_t size) {
    const bool lone = sa_utf8_character_size(word, SIZE_MAX) == size;
    const size_t cut = lone ? 0 : is_mark(word[size - 1]) ? size - 1 : is_mark(word[0]) ? 1 : 0;
    if (cut) sa_units_push(words, word, cut);
    sa_units_push(words, word + cut, size - cut);
}

static void read_line(const char *text, const sa_metrics *metrics, sa_units line[KINDS]) {
    size_t size;
    sa_units_characters(&line[CHARACTERS], text, metrics->chrf_whitespace);
    if (metrics->chrf_word_order)
        for (const char *word; (word = sa_metric_next_word(&text, &size));)
            push_word(&line[WORDS], word, size);
}

static void release_line(sa_units line[KINDS]) {
    for (int kind = 0; kind < KINDS; kind++) sa_units_release(&line[kind]);
}

/* ---- Counts ---------------------------------------------------------------------------------- */

/* Counts the n-grams of a hypothesis only for orders for which the reference has n-grams. */
static bool count_lines(const sa_units ours[KINDS], const char *reference,
                        const sa_metrics *metrics, sa_chrf *chrf, sa_error *error) {
    const int orders[] = {metrics->chrf_order, metrics->chrf_word_order};
    sa_units theirs[KINDS] = {{0}};
    bool good = true;
    read_line(reference, metrics, theirs);
    for (int kind = 0, i = 0; good && kind < KINDS; i += orders[kind++]) {
        for (int n = 1; n <= orders[kind]; n++) {
            const int64_t wanted = sa_ngrams_total(&theirs[kind], n);
            chrf->reference[i + n - 1] = wanted;
            chrf->hypothesis[i + n - 1] = wanted ? sa_ngrams_total(&ours[kind], n) : 0;
        }
        good = sa_ngrams_match(&ours[kind], &theirs[kind], 1, orders[kind], chrf->match + i, error);
    }
    release_line(theirs);
    return good;
}

bool sa_chrf_add(sa_chrf *chrf, const sa_metrics *metrics, const char *hypothesis,
                 const char *const *references, size_t count, sa_error *error) {
    sa_units ours[KINDS] = {{0}};
    sa_chrf best = {0};
    double best_value = -1;
    bool good = true;
    read_line(hypothesis, metrics, ours);
    for (size_t i = 0; good && i < count; i++) {
        sa_chrf now = {0};
        good = count_lines(ours, references[i], metrics, &now, error);
        const double value = sa_chrf_value(&now, metrics);
        if (value > best_value) best = now, best_value = value;
    }
    for (int i = 0; good && i < SA_CHRF_ORDERS; i++) {
        chrf->hypothesis[i] += best.hypothesis[i];
        chrf->reference[i] += best.reference[i];
        chrf->match[i] += best.match[i];
    }
    release_line(ours);
    return good;
}

/* ---- chrF ------------------------------------------------------------------------------------ */

double sa_chrf_value(const sa_chrf *chrf, const sa_metrics *metrics) {
    const double eps = 1e-16, factor = (double)metrics->chrf_beta * metrics->chrf_beta;
    const int orders = metrics->chrf_order + metrics->chrf_word_order;
    double precision = 0, recall = 0, sum = 0;
    int effective = 0;
    for (int i = 0; i < orders; i++) {
        const double match = (double)chrf->match[i];
        const double p = chrf->hypothesis[i] ? match / (double)chrf->hypothesis[i] : eps;
        const double r = chrf->reference[i] ? match / (double)chrf->reference[i] : eps;
        const double below = factor * p + r;
        sum += below > 0 ? (1 + factor) * p * r / below : eps;
        if (!chrf->hypothesis[i] || !chrf->reference[i]) continue;
        precision += p, recall += r;
        effective++;
    }
    if (metrics->chrf_eps) return 100 * sum / orders;
    if (!effective || precision + recall == 0) return 0;
    precision /= effective, recall /= effective;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}
