/* location: the score that does not read the source (Luong et al. 2015, equation 8): e = W_a s, a
 * number for each position up to S_max, and so no query sees words beyond it. */
#include "attention/parts.h"
#include "tensor/vec.h"

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Its first S numbers. */
void sa_location_forward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat e, sa_mat scratch) {
    const int visible = least(q.cols, e.cols);
    sa_copy_mat(sa_cols(q, 0, visible), sa_cols(e, 0, visible));
    sa_zero(sa_cols(e, visible, e.cols - visible));
}

void sa_location_backward(sa_mat v_a, sa_mat q, sa_mat k, sa_mat de, sa_mat dq, sa_mat dk,
                          sa_mat dv_a, sa_mat scratch) {
    const int visible = least(q.cols, de.cols);
    sa_add(sa_cols(de, 0, visible), sa_cols(dq, 0, visible)); /* e_ij = q_ij */
}

static void span(const sa_attention *w, int part, const sa_head *head, int query, sa_span *seen) {
    seen->count = least(seen->count, w->query_width / w->heads);
}

static int show(const sa_attention *w, int part, const sa_head *head,
                sa_shown shown[SA_SHOWN_MAX]) {
    shown[0] = (sa_shown){"S_max", .letters = "S_max", .formula = "S = min(words, S_max)",
                          .number = (sa_real)(w->query_width / w->heads)};
    return 1;
}

const sa_part sa_positions_end_part = {
    .name = "end of positions",
    .formula = "j <= S_max",
    .citation = "Luong et al. 2015, section 3.1",
    .span = span,
    .show = show,
    .ordered = "the score depends on positions, not words",
};
