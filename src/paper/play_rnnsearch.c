/* play_rnnsearch: rnnsearch.c in its annotated page. */
#define main main_of_paper
#include "paper/rnnsearch.c"
#undef main
#include "paper/play.h"

static void set_sizes(void) {
    M = (model){.m = 12, .n = 16, .n_a = 12, .l = 12};
    for (int side = 0; side < 2; side++) collect_words(pairs, count, 1 << side, &M.words[side]);
}
static void learn(int i, int of) {
    update(&M, BATCH, RATE * (1 - (double)i / of));
}

static void list_step(int i) {
    const step *k = &P.step[i];
    const int S = P.S, n = M.n;
    real *e = take(S);
    for (int j = 0; j < S; j++) e[j] = dot(M.v_a.w, k->hidden + j * M.n_a, M.n_a);
    list_rows("h", P.h, S, 2 * n);
    list_rows("dh", P.dh, S, 2 * n);
    list_rows("U_a_h", P.U_a_h, S, M.n_a);
    list_rows("dU_a_h", P.dU_a_h, S, M.n_a);
    list_numbers("hidden", k->hidden, S, M.n_a);
    list_numbers("e", e, 1, S);
    list_numbers("alpha", k->alpha, 1, S);
    list_numbers("c", k->c, 1, 2 * n);
    list_numbers("x", M.E_y.w + k->y_prev * M.m, 1, M.m);
    list_numbers("s_prev", k->s_prev, 1, n);
    list_numbers("z", k->u.z, 1, n);
    list_numbers("r", k->u.r, 1, n);
    list_numbers("s_tilde", k->u.s_tilde, 1, n);
    list_numbers("s", k->s, 1, n);
    list_numbers("s_0", P.s_0, 1, n);
    list_numbers("ds_0", P.ds_0, 1, n);
    list_numbers("t_tilde", k->t_tilde, 1, 2 * M.l);
    list_numbers("t", k->t, 1, M.l);
    list_numbers("p", k->p, 1, M.K_y);
    list_weights("W_a", &M.W_a);
    list_weights("U_a", &M.U_a);
    list_weights("v_a", &M.v_a);
    list_weights("W_s", &M.W_s);
    list_weights("W_o", &M.W_o);
    list_weights("E_x", &M.E_x);
    list_weights("E_y", &M.E_y);
}
