/* explain_window: what a query sees: the center of its window, the weights over the words in sight,
 * and the Gaussian around a predicted center (attention/window.h). */
#include "lab/explain_parts.h"
#include "tensor/vec.h"

/* The position at which a score ends, which is then the end of the sentence: S' in the place of S;
 * 0: it reaches all. */
static int end_of(const sa_attention *w) {
    return w->score->query == SA_QUERY_POSITIONS ? w->query_width / w->heads : 0;
}

double sa_explain_center(sa_explainer *out, const sa_attention *w, int i, sa_attention_rows row,
                         int S, const char *state) {
    const int end = end_of(w);
    const char *last = end ? "S'" : "S";
    const double center = sa_attention_center(w, i, row, 0, S);
    if (w->window == SA_WINDOW_LOCAL_P)
        sa_explainer_write(out, "p_i = %s sigma(v_p' tanh(W_p %s))", last, state);
    else if (w->window == SA_WINDOW_SLIDING && !end)
        sa_explainer_write(out, "p_i = i");
    else
        sa_explainer_write(out, "p_i = min(i, %s)", last);
    if (end) sa_explainer_write(out, ", S' = min(S, %d)", end);
    sa_explainer_cite(out, w->window == SA_WINDOW_LOCAL_P   ? "Luong et al. 2015, equation 9"
                           : w->window == SA_WINDOW_SLIDING ? "Beltagy et al. 2020, section 3.1"
                                                            : "Luong et al. 2015, section 3.2");
    if (w->window == SA_WINDOW_LOCAL_P) {
        sa_explainer_vector(out, "tanh(W_p s)", "tanh(..)", row.hidden);
        sa_explainer_vector(out, "v_p", "v_p", w->v_p);
        sa_explainer_number(out, "share", "sigma(..)", *row.relative_center.x);
    }
    sa_explainer_number(out, "p_i", "p_i", center);
    return center;
}

void sa_explain_span(sa_explainer *out, const sa_attention *w, int S) {
    const bool windowed = w->window != SA_WINDOW_NONE, ends = end_of(w) && end_of(w) < S;
    if (windowed) sa_explainer_write(out, ", over |j - p_i| <= %d", w->window_size);
    if (ends) sa_explainer_write(out, windowed ? ", j <= %d" : ", over j <= %d", end_of(w));
}

sa_mat sa_explain_blank(sa_explainer *out, int S) {
    sa_mat row = sa_explainer_alloc(out, 1, S);
    for (int j = 0; j < S; j++) row.x[j] = (sa_real)NAN;
    return row;
}

sa_mat sa_explain_normalized(sa_explainer *out, const sa_attention *w, int k, sa_mat e, double e_0,
                             sa_span span) {
    const sa_mat row = sa_explain_blank(out, e.cols), seen = sa_cols(row, span.first, span.count);
    for (int j = 0; j < span.count; j++) seen.x[j] = e.x[span.first + j] - (sa_real)e_0;
    w->normalizer->forward(sa_attention_exponent(w, k), seen);
    return row;
}

void sa_explain_gauss(sa_explainer *out, const sa_attention *w, double center, sa_span span, int S,
                      const char *weight) {
    const int D = w->window_size;
    sa_mat gauss = sa_explain_blank(out, S);
    for (int j = span.first; j < span.first + span.count; j++) {
        const double distance = j + 1 - center;
        gauss.x[j] = exp(-distance * distance / (0.5 * D * D));
    }
    sa_explainer_write(out, "alpha_ij = %s exp(-(j - p_i)^2 / (2 (D/2)^2)), D = %d", weight, D);
    sa_explainer_cite(out, "Luong et al. 2015, equation 10");
    sa_explainer_column(out, "gauss", "exp(-..)", gauss, SA_ROWS_SOURCE, -1);
}

const char *sa_explain_weight(char name[SA_WEIGHT_NAME], const sa_attention *w) {
    const bool gauss = w->window == SA_WINDOW_LOCAL_P;
    snprintf(name, SA_WEIGHT_NAME, gauss ? "%s_j(e_ij)" : "alpha_ij", w->normalizer->name);
    return name;
}
