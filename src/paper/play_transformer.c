/* play_transformer: transformer.c in its annotated page. */
#define main main_of_paper
#include "paper/transformer.c"
#undef main
#include "paper/play.h"

static void set_sizes(void) {
    M = (model){.d = 16, .h = 2, .N = 2, .d_ff = 16};
    P.dropout = 0;
    collect_words(pairs, count, 3, &M.words[0]);
    M.words[1] = M.words[0];
}
static void learn(int i, int of) {
    (void)of;
    update(&M, BATCH, i);
}

/* Of the last layer, where it has several. */
static void list_step(int i) {
    const step *k = &P.step[i];
    const int last = M.N - 1, S = P.S, d = M.d;
    const trace *self = &k->self[last], *cross = &k->cross[last], *feed = &k->feed[last];
    real *keys[LONGEST + 1], *values[LONGEST + 1], *dk[LONGEST + 1], *dv[LONGEST + 1],
        *h[LONGEST + 1];
    for (int j = 0; j < S; j++) {
        keys[j] = P.source[last].word[j].k, values[j] = P.source[last].word[j].v;
        dk[j] = P.source[last].word[j].dk, dv[j] = P.source[last].word[j].dv;
        h[j] = P.feed[last][j].y;
    }
    list_rows("k", keys, S, d);
    list_rows("dk", dk, S, d);
    list_rows("v", values, S, d);
    list_rows("dv", dv, S, d);
    list_rows("memory", h, S, d);
    list_numbers("q", cross->q, 1, d);
    list_numbers("alpha", cross->alpha, M.h, S);
    list_numbers("mean", k->alpha, 1, S);
    list_numbers("own", self->alpha, M.h, i + 1);
    list_numbers("o", cross->o, 1, d);
    list_numbers("x", k->self[0].x, 1, d);
    list_numbers("y", cross->y, 1, d);
    list_numbers("n", cross->normal, 1, d);
    list_numbers("inner", feed->inner, 1, M.d_ff);
    list_numbers("t", feed->y, 1, d);
    list_numbers("p", k->p, 1, M.K);
    list_weights("E", &M.E);
    list_weights("W_q", &M.decoder[last].cross.W_q);
    list_weights("W_k", &M.decoder[last].cross.W_k);
    list_weights("W_v", &M.decoder[last].cross.W_v);
    list_weights("W_o", &M.decoder[last].cross.W_o);
    list_weights("W_1", &M.decoder[last].feed.W_1);
    list_weights("W_2", &M.decoder[last].feed.W_2);
    list_weights("g", &M.decoder[last].cross.g);
}
