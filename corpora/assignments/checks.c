/* checks: calls functions of a rnnsearch.c or a transformer.c with random numbers, and prints what
 * they return.
 *
 *     cc -g checks.c -lm -o checks
 *     ./checks PART SEED              prints each result: name, rows, columns, numbers after and
 * before
 *     ./checks PART SEED FILE         compares them with those of a file; exit code 1: some differ
 *     ./checks evaluate SEED          the loss of weights, which are read from standard input
 *
 * It judges nothing: scripts/assignment compares its output with that of its own rnnsearch.c,
 * compiled with -DREFERENCE, where the gradient of a model is measured by central differences. All
 * results begin as random numbers: a forward function replaces them, a backward function adds to
 * them. */
#define main static main_of_paper /* unused here, so what it calls is not in the program */
#if __has_include("transformer.c")
#define TRANSFORMER
#include "transformer.c"
#else
#include "rnnsearch.c"
#endif
#undef main
#include <unistd.h>

enum { RESULTS = 128, MODELS = 24, MEANINGS = 4, LONGEST_NAME = 40, TRAINING = 1200, UNSEEN = 100 };

typedef struct result {
    char name[LONGEST_NAME];
    int rows, cols;
    real *x, *before;
} result;
static result results[RESULTS];
static int result_count;

/* ---- Random numbers -------------------------------------------------------------------------- */
static uint64_t drawn;
static uint64_t draw(void) { /* SplitMix64 (Steele et al. 2014) */
    uint64_t z = drawn += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static int between(int low, int high) {
    return low + (int)(draw() % (uint64_t)(high - low + 1));
}
static void fill(real *x, long long count, double size) {
    for (long long i = 0; i < count; i++)
        x[i] = size * (2 * ((double)(draw() >> 11) / 9007199254740992.0) - 1);
}
static real *vector(int count, double size) {
    real *x = allocate((size_t)count, sizeof *x);
    fill(x, count, size);
    return x;
}

/* ---- Results --------------------------------------------------------------------------------- */
/* Registers where a function leaves its result, and what is there before. */
static void watch(const char *name, int rows, int cols, real *x) {
    result *r = &results[result_count++];
    *r = (result){.rows = rows, .cols = cols, .x = x};
    r->before = allocate((size_t)(rows * cols), sizeof *x);
    snprintf(r->name, sizeof r->name, "%s", name);
    if (x) memcpy(r->before, x, sizeof *x * (size_t)(rows * cols));
}
static real *result_of(const char *name, int count) {
    real *x = vector(count, 1);
    watch(name, 1, count, x);
    return x;
}
/* Numbers without a before; where the function has left no place, nothing is printed. */
static void keep(const char *name, int count, const real *x) {
    if (!x) return;
    real *copy = allocate((size_t)count, sizeof *x);
    memcpy(copy, x, sizeof *x * (size_t)count);
    watch(name, 1, count, copy);
    memset(results[result_count - 1].before, 0, sizeof *x * (size_t)count);
}
static void watch_gradients(const char *what, matrix *W) {
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s%.33s", what, W->name);
    watch(name, W->rows, W->cols, W->dw);
}

/* Prints the results of a function that has ended, so that they are there whatever the next one
 * does. */
static FILE *printing;
static void ended(void) {
    static const result *r = results;
    for (; printing && r < results + result_count; r++) {
        fprintf(printing, "%s\t%d\t%d\t", r->name, r->rows, r->cols);
        for (int i = 0; i < r->rows * r->cols; i++) fprintf(printing, " %.17g", r->x[i]);
        fprintf(printing, "\t");
        for (int i = 0; i < r->rows * r->cols; i++) fprintf(printing, " %.17g", r->before[i]);
        fprintf(printing, "\n");
    }
    if (printing) fflush(printing);
}

#ifndef GRADED /* scripts/assignment compares, and knows what else is called */
/* Compares with the printed results of another program; returns how many differ. */
static int compare_results(const char *path) {
    static char line[1 << 20];
    int wrong = 0;
    FILE *file = fopen(path, "r");
    if (!file) die(CANNOT_OPEN, path, 0, "it cannot be opened");
    while (fgets(line, sizeof line, file)) {
        const size_t length = strcspn(line, "\t");
        const result *r = results, *end = results + result_count;
        line[length] = 0;
        while (r < end && strcmp(r->name, line) != 0) r++;
        int differ = r == end, i = 0;
        char *at = strchr(strchr(line + length + 1, '\t') + 1, '\t') + 1;
        for (; !differ && i < r->rows * r->cols; i++) {
            const double expected = strtod(at, &at);
            differ = !(fabs((double)r->x[i] - expected) <= 1e-6 * (1 + fabs(expected)));
            if (differ) printf("%s: number %d is %.9g, not %.9g\n", line, i + 1, r->x[i], expected);
        }
        if (r == end) printf("%s: missing\n", line);
        wrong += differ;
    }
    fclose(file);
    return wrong;
}
#endif

/* ---- What is called -------------------------------------------------------------------------- */
static void random_sentence(sentence *s, int length, int words) {
    s->length = length;
    for (int i = 0; i + 1 < length; i++) s->id[i] = SPECIAL + between(0, words - 1);
    s->id[length - 1] = EOS;
}

#ifdef TRANSFORMER
static void random_model(model *M, double size) {
    const int h = between(2, 3);
    *M = (model){.d = h * between(2, 3), .h = h, .N = between(1, 2), .d_ff = between(3, 6)};
    M->words[0].count = M->words[1].count = between(2, 5);
    allocate_model(M, "checks");
    fill(M->w, M->total, size);
    for (int i = 0; i < M->matrices; i++)
        for (int k = 0; k < M->all[i]->cols; k++) M->all[i]->w[k] += M->all[i]->start;
}

/* What queries attend to. Its gradients become results when watched. */
static memory random_memory(int S, int d) {
    memory m = {.S = S};
    real *dk = vector(S * d, 1), *dv = vector(S * d, 1);
    for (int j = 0; j < S; j++)
        m.word[j] = (key_value){vector(d, 1), vector(d, 1), dk + j * d, dv + j * d};
    return m;
}
static void watch_memory(const memory *m, int d) {
    watch("dk", m->S, d, m->word[0].dk);
    watch("dv", m->S, d, m->word[0].dv);
}

static void check_attend(void) {
    const int h = between(2, 4), d_k = between(2, 5), d = h * d_k, S = between(3, 6);
    trace u = {.q = vector(d, 3), .alpha = result_of("alpha", h * S), .o = vector(d, 0)};
    const memory m = random_memory(S, d);
    for (int i = 0; i < h; i++) attend_forward(&m, i, d_k, &u);
    keep("o", d, u.o);
    ended();
    u.alpha = vector(h * S, 1);
    for (int i = 0; i < h * S; i++) u.alpha[i] = fabs(u.alpha[i]) / S;
    watch_memory(&m, d);
    real *dq = result_of("dq", d), *d_o = vector(d, 1);
    for (int i = 0; i < h; i++) attend_backward(&m, i, d_k, &u, d_o, dq);
}

static void check_look(void) {
    static model M;
    random_model(&M, 0.8);
    const int d = M.d, S = between(3, 5);
    sublayer *w = &M.decoder[0].cross;
    const memory m = random_memory(S, d);
    const trace u = look_forward(&M, w, &m, vector(d, 1), 0);
    keep("y", d, u.y);
    ended();
    fill(M.dw, M.total, 1);
    watch_gradients("look: d", &w->W_q);
    watch_gradients("look: d", &w->W_o);
    look_backward(&M, w, &m, &u, vector(d, 1), result_of("look: dx", d));
}
#else
static void random_model(model *M, double size) {
    *M = (model){.m = between(2, 5), .n = between(2, 6), .n_a = between(2, 5), .l = between(1, 3)};
    M->words[0].count = between(2, 5);
    M->words[1].count = between(2, 5);
    allocate_model(M, "checks");
    fill(M->w, M->total, size);
}

static void check_softmax(void) {
    const int count = between(5, 20);
    real *large = vector(count, 1), *y = vector(count, 1), sum = 0;
    for (int i = 0; i < count; i++) large[i] = 1000 + 10 * large[i];
    softmax(vector(count, 3), count, result_of("softmax", count));
    ended();
    softmax(vector(1, 3), 1, result_of("softmax of one number", 1));
    ended();
    softmax(large, count, result_of("softmax of large numbers", count));
    ended();
    for (int i = 0; i < count; i++) sum += fabs(y[i]);
    for (int i = 0; i < count; i++) y[i] = fabs(y[i]) / sum;
    softmax_backward(y, vector(count, 1), count, result_of("dx", count));
}

static void check_score(void) {
    static model M;
    random_model(&M, 1);
    const int n_a = M.n_a;
    real *hidden = result_of("hidden", n_a);
    const real e = score_forward(&M, vector(n_a, 1), vector(n_a, 1), hidden);
    keep("e", 1, &e);
    ended();
    fill(M.dw, M.total, 1);
    watch("dv_a", 1, n_a, M.v_a.dw);
    score_backward(&M, vector(n_a, 1), 2, result_of("dW_a_s", n_a), result_of("dU_a_h", n_a));
}

static void check_gru(void) {
    static model M;
    random_model(&M, 0.8);
    gru *w = &M.decoder;
    const real *x = vector(M.m, 1), *c = vector(2 * M.n, 1), *s_prev = vector(M.n, 1);
    const unit u = gru_forward(w, x, c, s_prev, vector(M.n, 1));
    fill(M.dw, M.total, 1);
    for (affine *gate = &w->z; gate <= &w->s; gate++) {
        watch_gradients("d", &gate->W);
        watch_gradients("d", &gate->U);
        watch_gradients("d", &gate->C);
        watch_gradients("d", &gate->b);
    }
    real *dx = result_of("dx", M.m), *dc = result_of("dc", 2 * M.n);
    gru_backward(w, &u, vector(M.n, 1), dx, dc, result_of("ds_prev", M.n));
}

static void check_step(void) {
    static model M;
    static pass P;
    static sentence x;
    static step k;
    random_model(&M, 0.8);
    random_sentence(&x, between(3, 6), M.words[0].count);
    encode_forward(&M, &x, &P);
    const int y_prev = SPECIAL + between(0, M.words[1].count - 1), y = between(UNK, EOS);
    step_forward(&M, &P, y_prev, vector(M.n, 1), &k);
    keep("c", 2 * M.n, k.c);
    keep("p", M.K_y, k.p);
    keep("s", M.n, k.s);
    ended();
    if (!k.c || !k.p || !k.u.z) return;
    fill(M.dw, M.total, 1);
    for (int i = 0; i < M.matrices; i++) watch_gradients("step: d", M.all[i]);
    for (int j = 0; j < P.S; j++) fill(P.dh[j], 2 * M.n, 1);
    watch("step: dh_1", 1, 2 * M.n, P.dh[0]);
    step_backward(&M, &P, &k, y, vector(M.n, 1), result_of("step: ds_prev", M.n));
}

static void keep_hypothesis(const char *name, const hypothesis *h) {
    real numbers[MOST_OUTPUT + 2] = {h->log_p, h->length};
    for (int i = 0; i < h->length && i < MOST_OUTPUT; i++) numbers[2 + i] = h->word[i];
    keep(name,
         2 + (h->length < 0             ? 0
              : h->length < MOST_OUTPUT ? h->length
                                        : MOST_OUTPUT),
         numbers);
}

static void check_insert(void) {
    static hypothesis list[MOST_BEAM], from;
    char name[LONGEST_NAME];
    int count = 0;
    from = (hypothesis){.length = 2, .word = {7, 8}};
    for (int word = 0; word < 12; word++)
        count = insert(list, count, 5, &from, word, *vector(1, 9));
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "insert: place %d of %d", i + 1, count);
        keep_hypothesis(name, &list[i]);
    }
}

static void check_search(void) {
    static model M;
    static pass P;
    static sentence x;
    static const int beams[] = {1, 2, 3, 5, MOST_BEAM};
    char name[LONGEST_NAME];
    for (int number = 0; number < MODELS; number++) {
        random_model(&M, 1);
        random_sentence(&x, between(2, 4), M.words[0].count);
        fill(M.W_o.w, M.W_o.rows * M.W_o.cols, 1.5);
        fill(M.E_y.w, M.E_y.rows * M.E_y.cols, 4);
        M.b_y.w[EOS] = (real)(number % 4); /* late and early ends */
        for (int i = 0; i < 5; i++) {
            forget();
            encode_forward(&M, &x, &P);
            const hypothesis found = search(&M, &P, beams[i]);
            snprintf(name, sizeof name, "search: beam %d, model %d", beams[i], number);
            keep_hypothesis(name, &found);
            ended();
        }
    }
}

#endif

/* With -DREFERENCE (L(w + h) - L(w - h)) / 2h, with the fourth-order formula, in place of dw. */
static void check_gradient(void) {
    static model M;
    static pass P;
    static pair p;
    random_model(&M, 0.5);
    for (int side = 0; side < 2; side++)
        random_sentence(&p[side], between(3, 5), M.words[side].count);
    const real loss = pair_forward(&M, &p[0], &p[1], &P);
    keep("the loss", 1, &loss);
    ended();
    for (int i = 0; i < M.matrices; i++) watch_gradients("d", M.all[i]);
#if defined REFERENCE && !defined TRANSFORMER /* whose max(0, ..) has kinks */
    for (int i = 0; i < M.total; i++) {
        const real at = M.w[i], h = 1e-3;
        double change[2];
        for (int far = 1; far <= 2; far++) {
            double side[2];
            for (int up = 0; up < 2; up++) {
                forget();
                M.w[i] = at + (up ? far * h : -far * h);
                side[up] = pair_forward(&M, &p[0], &p[1], &P);
            }
            change[far - 1] = side[1] - side[0];
        }
        M.w[i] = at;
        M.dw[i] = (8 * change[0] - change[1]) / (12 * h);
    }
#else
    pair_backward(&M, &p[1], &P);
#endif
}

/* ---- A short training ------------------------------------------------------------------------ */
/* A translation is the source in reverse, each word by a word that the seed chooses. */
static int dictionary[MEANINGS];
static void random_pair(pair p) {
    random_sentence(&p[0], between(3, 6), MEANINGS);
    p[1].length = p[0].length;
    for (int i = 0, end = p[0].length - 1; i < end; i++)
        p[1].id[i] = dictionary[p[0].id[end - 1 - i] - SPECIAL];
    p[1].id[p[1].length - 1] = EOS;
}
static void training_model(model *M) {
#ifdef TRANSFORMER
    *M = (model){.d = 16, .h = 2, .N = 1, .d_ff = 16};
#else
    *M = (model){.m = 8, .n = 16, .n_a = 8, .l = 8};
#endif
    M->words[0].count = M->words[1].count = MEANINGS;
    allocate_model(M, "checks");
    for (int i = 0; i < MEANINGS; i++) {
        const int other = between(0, i);
        dictionary[i] = dictionary[other];
        dictionary[other] = SPECIAL + i;
    }
}

static void check_train(void) {
    static model M;
    static pass P;
    static pair p;
    training_model(&M);
    start_model(&M);
    for (int i = 1; i <= TRAINING; i++) {
        for (int k = 0; k < BATCH; k++) {
            random_pair(p);
            forget();
            pair_forward(&M, &p[0], &p[1], &P);
            pair_backward(&M, &p[1], &P);
        }
#ifdef TRANSFORMER
        update(&M, BATCH, i);
#else
        update(&M, BATCH, RATE * (1 - (double)i / TRAINING));
#endif
    }
    watch("weights", 1, (int)M.total, M.w);
}

#ifndef GRADED
static void evaluate(void) {
    static model M;
    static pass P;
    static pair p;
    real loss = 0;
    training_model(&M);
    for (int i = 0; i < M.total; i++)
        if (scanf("%lf", &M.w[i]) != 1) return;
    drawn ^= 0x5555; /* other pairs than those of the training */
    for (int i = 0; i < UNSEEN; i++) {
        random_pair(p);
        forget();
        pair_forward(&M, &p[0], &p[1], &P);
        for (int k = 0; k < p[1].length; k++) loss -= log((double)P.step[k].p[p[1].id[k]]) / UNSEEN;
    }
    keep("loss", 1, &loss);
}
#endif

/* What a submission prints goes to standard error, so that it cannot spoil the results. */
int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*check)(void);
    } parts[] = {
#ifdef TRANSFORMER
        {"attend", check_attend},
        {"look", check_look},
#else
        {"softmax", check_softmax},   {"score", check_score},   {"gru", check_gru},
        {"step", check_step},         {"insert", check_insert}, {"search", check_search},
#endif
#ifndef GRADED
        {"evaluate", evaluate},
#endif
        {"gradient", check_gradient},
        {"train", check_train}};
    if (argc < 3) return USAGE;
    if (argc == 3) {
        printing = fdopen(dup(1), "w");
        dup2(2, 1);
    }
    for (const char *digit = argv[2]; *digit; digit++) drawn = 10 * drawn + (uint64_t)(*digit - '0');
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(parts[i].name, argv[1])) parts[i].check();
#ifndef GRADED
    if (argc > 3) return compare_results(argv[3]) ? CHECK_FAILED : 0;
#endif
    ended();
    return !printing || fclose(printing) ? CANNOT_WRITE : 0;
}
