/* The speed of floor.h on given batches.
 *
 *   floor BATCHES WARM THREADS additive|dot m n n' l
 *
 * BATCHES is what `batches` wrote; the first WARM of them are not timed. Each thread takes its
 * share of a batch, with one thread of OpenBLAS in it; then the gradients are added, clipped and
 * applied by Adam. Prints "WORDS SECONDS FLOP FIRST-LOSS LAST-LOSS": target words and seconds of
 * the timed batches, floating-point operations of their matrix products, losses per word. */
#include "floor.h"

#include <cblas.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_THREADS = 64, START = 2 };

typedef struct pair {
    int len[2], *ids[2]; /* source, target */
} pair;

typedef struct batch {
    int count;
    pair *pairs;
} batch;

typedef struct worker {
    int number;
    pair *mine;  /* this worker's pairs of the batch */
    int *places; /* where each stands in the source */
    shard shard;
    workspace *workspace;
    float *gradients;
    double squares;
} worker;

static struct {
    sizes sizes;
    weights w;
    size_t size;                    /* of all weights */
    float *values, *first, *second; /* of Adam */
    float scale, rate;
    batch *batches;
    const batch *now;
    int count, threads;
    worker workers[MOST_THREADS];
} all;

static void *take(size_t count, size_t size) {
    const size_t bytes = (count * size + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes ? bytes : 64);
    if (memory) return memset(memory, 0, bytes);
    fprintf(stderr, "floor: out of memory\n");
    exit(7);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Points into a buffer (NULL: only counts) and returns how many numbers it takes. */
static size_t weights_point(const sizes *s, float *buffer, weights *w) {
    const size_t n = (size_t)s->n, m = (size_t)s->m, p = (size_t)s->p, l = (size_t)s->l;
    const struct {
        float **to;
        size_t size;
    } parts[] = {
        {&w->Es, (size_t)s->source * m},
        {&w->Et, (size_t)s->target * m},
        {&w->W[0], m * 3 * n},
        {&w->U[0], n * 3 * n},
        {&w->W[1], m * 3 * n},
        {&w->U[1], n * 3 * n},
        {&w->Ua, 2 * n * p},
        {&w->Wa, n * p},
        {&w->va, p},
        {&w->Ws, n * n},
        {&w->Wd, m * 3 * n},
        {&w->Ud, n * 3 * n},
        {&w->C, 2 * n * 3 * n},
        {&w->Uo, n * 2 * l},
        {&w->Vo, m * 2 * l},
        {&w->Co, 2 * n * 2 * l},
        {&w->Wo, l * (size_t)s->target},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (buffer) *parts[i].to = buffer + at;
        at += (parts[i].size + 15) / 16 * 16;
    }
    return at;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static int number(FILE *file) {
    int found;
    if (fscanf(file, "%d", &found) == 1) return found;
    fprintf(stderr, "floor: the batches end too early\n");
    exit(3);
}

static void read_batches(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(4);
    }
    all.sizes.source = number(file);
    all.sizes.target = number(file);
    all.count = number(file);
    all.batches = take((size_t)all.count, sizeof *all.batches);
    for (int i = 0; i < all.count; i++) {
        batch *to = &all.batches[i];
        to->count = number(file);
        to->pairs = take((size_t)to->count, sizeof *to->pairs);
        for (int k = 0; k < to->count; k++) {
            pair *each = &to->pairs[k];
            for (int which = 0; which < 2; which++) each->len[which] = number(file);
            for (int which = 0; which < 2; which++) {
                each->ids[which] = take((size_t)each->len[which], sizeof(int));
                for (int t = 0; t < each->len[which]; t++) each->ids[which][t] = number(file);
            }
        }
    }
    fclose(file);
}

/* ---- A shard: every threads-th pair, each side by falling length -------------------------------
 */

static void order_side(const pair *pairs, int count, int which, side *to) {
    for (int i = 0; i < count; i++) { /* by insertion: a stable order */
        int at = i;
        for (; at > 0 && pairs[to->order[at - 1]].len[which] < pairs[i].len[which]; at--)
            to->order[at] = to->order[at - 1];
        to->order[at] = i;
    }
    to->sentences = count;
    to->steps = pairs[to->order[0]].len[which];
    to->words = 0;
    for (int i = 0; i < count; i++) {
        to->first[i] = to->words;
        to->words += to->len[i] = pairs[to->order[i]].len[which];
    }
    for (int t = 0, row = 0; t < to->steps; t++) {
        to->start[t] = row;
        to->active[t] = 0;
        while (to->active[t] < count && to->len[to->active[t]] > t)
            to->ids[row++] = pairs[to->order[to->active[t]++]].ids[which][t];
    }
}

static void fill_shard(worker *at) {
    shard *b = &at->shard;
    int count = 0;
    for (int i = at->number; i < all.now->count; i += all.threads)
        at->mine[count++] = all.now->pairs[i];
    order_side(at->mine, count, 0, &b->source);
    order_side(at->mine, count, 1, &b->target);
    for (int i = 0; i < count; i++) at->places[b->source.order[i]] = i;
    for (int i = 0; i < count; i++) b->source_of[i] = at->places[b->target.order[i]];
    for (int t = 0, row = 0; t < b->target.steps; t++)
        for (int i = 0; i < b->target.active[t]; i++)
            b->inputs[row++] = t ? b->target.ids[b->target.start[t - 1] + i] : START;
    b->whole = all.now->count;
}

static void open_side(side *to, int pairs, int steps, int words) {
    int **parts[] = {&to->len, &to->first, &to->order, &to->active, &to->start, &to->ids};
    for (int i = 0; i < 6; i++)
        *parts[i] = take((size_t)(i < 3 ? pairs : i < 5 ? steps : words), sizeof(int));
}

/* For at most that many pairs, words, and source words times target words of a pair. */
static workspace *workspace_open(const sizes *s, int pairs, int source_words, int target_words,
                                 long crossings) {
    const size_t n = (size_t)s->n, p = (size_t)s->p, m = (size_t)s->m, l = (size_t)s->l;
    const size_t B = (size_t)pairs, S = (size_t)source_words, T = (size_t)target_words;
    const size_t most = S > T ? S : T;
    workspace *r = take(1, sizeof *r);
    const struct {
        float **to;
        size_t size;
    } parts[] = {
        {&r->x[0], S * m},
        {&r->x[1], T * m},
        {&r->gates[0], S * 3 * n},
        {&r->gates[1], S * 3 * n},
        {&r->gates[2], T * 3 * n},
        {&r->previous[0], S * n},
        {&r->previous[1], S * n},
        {&r->previous[2], T * n},
        {&r->reset[0], S * n},
        {&r->reset[1], S * n},
        {&r->reset[2], T * n},
        {&r->dgates, most * 3 * n},
        {&r->dreset, B * n},
        {&r->H, S * 2 * n},
        {&r->dH, S * 2 * n},
        {&r->keys, S * p},
        {&r->dkeys, S * p},
        {&r->back, B * n},
        {&r->s0, B * n},
        {&r->state, B * n},
        {&r->dstate, B * n},
        {&r->c, T * 2 * n},
        {&r->dc, T * 2 * n},
        {&r->alpha, (size_t)crossings},
        {&r->q, T * p},
        {&r->dq, T * p},
        {&r->out, T * 2 * l},
        {&r->dout, T * 2 * l},
        {&r->t, T * l},
        {&r->dt, T * l},
        {&r->logits, BLOCK * (size_t)s->target},
        {&r->dprevious, T * n},
        {&r->dx, most * m},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        *parts[i].to = take(parts[i].size, sizeof(float));
    return r;
}

/* Memory for the largest batch, whichever sentences of it a worker gets. */
static void open_worker(worker *at) {
    int pairs = 0, steps[2] = {0, 0}, words[2] = {0, 0};
    long crossings = 0;
    for (int i = 0; i < all.count; i++) {
        const batch *each = &all.batches[i];
        int sum[2] = {0, 0};
        long product = 0;
        for (int k = 0; k < each->count; k++) {
            product += (long)each->pairs[k].len[0] * each->pairs[k].len[1];
            for (int which = 0; which < 2; which++) {
                const int len = each->pairs[k].len[which];
                sum[which] += len;
                if (len > steps[which]) steps[which] = len;
            }
        }
        for (int which = 0; which < 2; which++)
            if (sum[which] > words[which]) words[which] = sum[which];
        if (each->count > pairs) pairs = each->count;
        if (product > crossings) crossings = product;
    }
    open_side(&at->shard.source, pairs, steps[0], words[0]);
    open_side(&at->shard.target, pairs, steps[1], words[1]);
    at->mine = take((size_t)pairs, sizeof *at->mine);
    at->places = take((size_t)pairs, sizeof(int));
    at->shard.source_of = take((size_t)pairs, sizeof(int));
    at->shard.inputs = take((size_t)words[1], sizeof(int));
    at->gradients = take(all.size, sizeof(float));
    at->workspace = workspace_open(&all.sizes, pairs, words[0], words[1], crossings);
}

/* ---- An update ------------------------------------------------------------------------------- */

static void *run_pass(void *context) {
    worker *at = context;
    weights g;
    weights_point(&all.sizes, at->gradients, &g);
    fill_shard(at);
    floor_pass(&all.sizes, &all.w, &at->shard, at->workspace, &g);
    return NULL;
}

static size_t share(int place) {
    return all.size * (size_t)place / (size_t)all.threads;
}

static void *run_sum(void *context) {
    worker *at = context;
    float *sum = all.workers[0].gradients;
    double squares = 0;
    for (int k = 1; k < all.threads; k++)
        for (size_t i = share(at->number); i < share(at->number + 1); i++)
            sum[i] += all.workers[k].gradients[i];
    for (size_t i = share(at->number); i < share(at->number + 1); i++) squares += sum[i] * sum[i];
    at->squares = squares;
    return NULL;
}

static void *run_adam(void *context) {
    const worker *at = context;
    const float *gradients = all.workers[0].gradients, scale = all.scale, rate = all.rate;
    float *first = all.first, *second = all.second, *values = all.values;
    for (size_t i = share(at->number); i < share(at->number + 1); i++) {
        const float g = gradients[i] * scale;
        first[i] += 0.1f * (g - first[i]);
        second[i] += 0.001f * (g * g - second[i]);
        values[i] -= rate * first[i] / (sqrtf(second[i]) + 1e-8f);
    }
    return NULL;
}

/* One thread of the process is a worker itself. */
static void run(void *job(void *)) {
    pthread_t threads[MOST_THREADS];
    for (int i = 1; i < all.threads; i++)
        if (pthread_create(&threads[i], NULL, job, &all.workers[i]) != 0) exit(1);
    job(&all.workers[0]);
    for (int i = 1; i < all.threads; i++) pthread_join(threads[i], NULL);
}

/* The loss per target word. */
static double update(const batch *next, int step, int *words) {
    double squares = 0, loss = 0;
    all.now = next;
    run(run_pass);
    run(run_sum);
    *words = 0;
    for (int i = 0; i < all.threads; i++) {
        squares += all.workers[i].squares;
        loss += all.workers[i].shard.loss;
        *words += all.workers[i].shard.target.words;
    }
    all.scale = squares > 1 ? (float)(1 / sqrt(squares)) : 1;
    all.rate = (float)(0.002 * sqrt(1 - pow(0.999, step)) / (1 - pow(0.9, step)));
    run(run_adam);
    return loss / *words;
}

/* ---- Counting and main ------------------------------------------------------------------------
 */

/* Operations of a batch's matrix products, forward and backward: 2 and 4 for each multiply-add. */
static double operations(const batch *b) {
    const sizes *s = &all.sizes;
    const double n = s->n, m = s->m, p = s->p, l = s->l;
    const double source = 2 * 3 * n * (m + n) + 2 * n * p;
    const double target = 3 * n * (m + n + 2 * n) + n * p + 2 * l * (n + m + 2 * n) + l * s->target;
    double sum = 0;
    for (int i = 0; i < b->count; i++) {
        const double S = b->pairs[i].len[0], T = b->pairs[i].len[1];
        sum += S * source + T * target + S * T * (p + 2 * n) + n * n;
    }
    return 6 * sum;
}

static void open_all(void) {
    unsigned long state = 1;
    all.size = weights_point(&all.sizes, NULL, &all.w);
    all.values = take(all.size, sizeof(float));
    all.first = take(all.size, sizeof(float));
    all.second = take(all.size, sizeof(float));
    weights_point(&all.sizes, all.values, &all.w);
    for (size_t i = 0; i < all.size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        all.values[i] = 0.1f * ((float)(state >> 40 & 0xffff) / 65536 - 0.5f);
    }
    for (int i = 0; i < all.threads; i++) {
        all.workers[i].number = i;
        open_worker(&all.workers[i]);
    }
}

int main(int count, char **arguments) {
    if (count != 9) {
        fprintf(stderr, "floor: expected BATCHES WARM THREADS additive|dot m n n' l\n");
        return 2;
    }
    const int warm = atoi(arguments[2]);
    all.threads = atoi(arguments[3]);
    all.sizes = (sizes){.dot = arguments[4][0] == 'd',
                        .m = atoi(arguments[5]),
                        .n = atoi(arguments[6]),
                        .p = atoi(arguments[7]),
                        .l = atoi(arguments[8])};
    if (all.threads < 1 || all.threads > MOST_THREADS) return 2;
    read_batches(arguments[1]);
    openblas_set_num_threads(1);
    open_all();
    double begin = now(), first = 0, last = 0, words_all = 0, work = 0;
    for (int i = 0; i < all.count; i++) {
        int words;
        if (i == warm) begin = now();
        last = update(&all.batches[i], i + 1, &words);
        if (i == 0) first = last;
        if (i >= warm) words_all += words, work += operations(&all.batches[i]);
    }
    printf("%.0f %.5f %.0f %.4f %.4f\n", words_all, now() - begin, work, first, last);
    return 0;
}
