#include "eval/bleu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The 13a tokenizer ------------------------------------------------------------------------
 */

/* Replaces every `from` in the text (terminated, in place; `to` is not longer). */
static void replace(char *text, const char *from, const char *to) {
    const size_t length = strlen(from), shorter = strlen(to);
    char *out = text, *next;
    for (; (next = strstr(text, from)); text = next + length) {
        memmove(out, text, (size_t)(next - text));
        out += next - text;
        memcpy(out, to, shorter);
        out += shorter;
    }
    memmove(out, text, strlen(text) + 1);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* ASCII punctuation and symbols that always stand alone: all but ' , - . and the letters' side. */
static bool stands_alone(char c) {
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
}

/* White space that separates tokens, in bytes: ASCII's, and Unicode's as UTF-8. */
static size_t white(const char *text) {
    const unsigned char *u = (const unsigned char *)text;
    if ((*u >= 9 && *u <= 13) || (*u >= 0x1c && *u <= 0x20)) return 1;
    if (u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0)) return 2;
    if (u[0] == 0xe1 && u[1] == 0x9a && u[2] == 0x80) return 3;
    if (u[0] == 0xe2 && u[1] == 0x80 &&
        ((u[2] >= 0x80 && u[2] <= 0x8a) || u[2] == 0xa8 || u[2] == 0xa9 || u[2] == 0xaf))
        return 3;
    if ((u[0] == 0xe2 && u[1] == 0x81 && u[2] == 0x9f) ||
        (u[0] == 0xe3 && u[1] == 0x80 && u[2] == 0x80))
        return 3;
    return 0;
}

/* The four rules of mteval-v13a, one pass each as they overlap: symbols; . and , after no digit;
 * . and , before no digit; - after a digit. */
static void separate(const char *text, int rule, sa_buffer *out) {
    for (size_t i = 0; text[i];) {
        const char c = text[i], next = text[i + 1];
        const bool point = next == '.' || next == ',';
        if (rule == 0 && stands_alone(c)) {
            sa_buffer_addf(out, " %c ", c), i++;
        } else if (rule == 1 && !is_digit(c) && point) {
            sa_buffer_addf(out, "%c %c ", c, next), i += 2;
        } else if (rule == 2 && (c == '.' || c == ',') && next && !is_digit(next)) {
            sa_buffer_addf(out, " %c %c", c, next), i += 2;
        } else if (rule == 3 && is_digit(c) && next == '-') {
            sa_buffer_addf(out, "%c - ", c), i += 2;
        } else {
            sa_buffer_add(out, &c, 1), i++;
        }
    }
}

void sa_bleu_tokenize(const char *text, sa_buffer *out) {
    sa_buffer now = {0};
    sa_buffer_addf(&now, " %s ", text);
    if (!now.failed) {
        static const char *const entities[][2] = {
            {"<skipped>", ""}, {"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}};
        for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
            replace(now.text, entities[i][0], entities[i][1]);
    }
    for (int rule = 0; rule < 4 && !now.failed; rule++) {
        sa_buffer next = {0};
        separate(now.text, rule, &next);
        sa_buffer_release(&now);
        now = next;
    }
    bool first = true;
    for (size_t i = 0; !now.failed && now.text[i];) {
        const size_t space = white(now.text + i);
        if (space) {
            i += space;
            continue;
        }
        if (!first) sa_buffer_add(out, " ", 1);
        for (first = false; now.text[i] && !white(now.text + i); i++)
            sa_buffer_add(out, now.text + i, 1);
    }
    out->failed |= now.failed;
    sa_buffer_release(&now);
}

/* ---- n-grams --------------------------------------------------------------------------------- */

/* Tokens joined by single spaces, cut at them. */
typedef struct words {
    sa_buffer text;
    char **at; /* [count] */
    size_t *size;
    size_t count;
} words;

static bool cut(words *all, const char *line, sa_error *error) {
    *all = (words){0};
    sa_buffer_add(&all->text, "", 0);
    sa_bleu_tokenize(line, &all->text);
    if (all->text.failed) return sa_fail_memory(error, all->text.size);
    all->at = sa_new(all->text.size + 1, sizeof *all->at, error);
    all->size = sa_new(all->text.size + 1, sizeof *all->size, error);
    if (!all->at || !all->size) return false;
    for (char *at = all->text.text; *at; at += strspn(at, " ")) {
        all->at[all->count] = at;
        all->size[all->count] = strcspn(at, " ");
        at += all->size[all->count++];
    }
    return true;
}

static void words_release(words *all) {
    sa_buffer_release(&all->text);
    free(all->at), free(all->size);
}

/* An n-gram as the run of text it covers: equal runs are equal n-grams. */
typedef struct gram {
    const char *text;
    size_t size;
} gram;

static int compare(const gram *a, const gram *b) {
    const int order = memcmp(a->text, b->text, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

static int by_text(const void *a, const void *b) {
    return compare(a, b);
}

/* The n-grams of a sentence in byte order. */
static size_t list_grams(const words *all, size_t n, gram *list) {
    const size_t count = all->count >= n ? all->count - n + 1 : 0;
    for (size_t i = 0; i < count; i++)
        list[i] =
            (gram){all->at[i], (size_t)(all->at[i + n - 1] - all->at[i]) + all->size[i + n - 1]};
    if (count) qsort(list, count, sizeof *list, by_text);
    return count;
}

/* How many of the first list are met in the second, each at most as often as it stands there. */
static int64_t count_matches(const gram *a, size_t a_count, const gram *b, size_t b_count) {
    int64_t matches = 0;
    for (size_t i = 0, k = 0; i < a_count && k < b_count;) {
        const int order = compare(&a[i], &b[k]);
        matches += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return matches;
}

bool sa_bleu_add(sa_bleu *bleu, const char *hypothesis, const char *reference, sa_error *error) {
    words ours = {0}, theirs = {0};
    gram *left = NULL, *right = NULL;
    bool good = cut(&ours, hypothesis, error) && cut(&theirs, reference, error);
    if (good) {
        left = sa_new(ours.count, sizeof *left, error);
        right = sa_new(theirs.count, sizeof *right, error);
        good = left && right;
    }
    for (size_t n = 1; good && n <= SA_BLEU_ORDER; n++) {
        const size_t count = list_grams(&ours, n, left);
        bleu->match[n - 1] += count_matches(left, count, right, list_grams(&theirs, n, right));
        bleu->total[n - 1] += (int64_t)count;
    }
    if (good) bleu->hypothesis += (int64_t)ours.count, bleu->reference += (int64_t)theirs.count;
    free(left), free(right);
    words_release(&ours), words_release(&theirs);
    return good;
}

/* Geometric mean of the precisions times the brevity penalty. An order without a match counts as
 * 1/2, 1/4, ... of a match in turn (smoothing exp); an order without n-grams makes the score 0. */
double sa_bleu_score(const sa_bleu *bleu) {
    double sum = 0, smooth = 1;
    if (!bleu->match[0]) return 0;
    for (int n = 0; n < SA_BLEU_ORDER; n++) {
        if (!bleu->total[n]) return 0;
        double precision = 100.0 * (double)bleu->match[n] / (double)bleu->total[n];
        if (!bleu->match[n]) smooth *= 2, precision = 100.0 / (smooth * (double)bleu->total[n]);
        sum += log(precision);
    }
    const double short_by = bleu->hypothesis < bleu->reference
                                ? exp(1 - (double)bleu->reference / (double)bleu->hypothesis)
                                : 1;
    return short_by * exp(sum / SA_BLEU_ORDER);
}
