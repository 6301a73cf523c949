#include "lab/watch.h"

int sa_lab_maps(const sa_attention *w) {
    return sa_part_find(w, &sa_two_maps_part) < 0 ? 1 : 2;
}

sa_head sa_lab_watch(const sa_attention *w, const sa_head *at, int m, sa_mat e) {
    sa_head again = *at;
    again.alpha = e;
    sa_parts_forward(w, SA_PLACE_KEYS, &again);
    again.unit += m * again.q.cols;
    again.q.x += m * again.q.cols, again.k.x += m * again.k.cols; /* the second halves */
    sa_score_forward(w, &again);
    sa_parts_forward(w, SA_PLACE_SCORES, &again);
    return again;
}

sa_real sa_lab_exponent(const sa_attention *w, const sa_head *at) {
    sa_head again = *at;
    sa_parts_forward(w, SA_PLACE_KEYS, &again); /* where a part may have put its own */
    return *again.exponent;
}
