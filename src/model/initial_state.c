#include "model/initial_state.h"
#include "tensor/vec.h"

const char *sa_initial_name(size_t row) {
    static const char *const names[] = {[SA_INITIAL_AUTO] = "auto",
                                        [SA_INITIAL_BACKWARD] = "backward",
                                        [SA_INITIAL_LAST] = "last",
                                        [SA_INITIAL_MEAN] = "mean",
                                        [SA_INITIAL_COPY] = "copy"};
    return row < sizeof names / sizeof *names ? names[row] : NULL;
}

/* A part of one annotation: `count` numbers from `from` on. */
static sa_mat slice(sa_mat annotations, int row, int from, int count) {
    return sa_cols(sa_rows(annotations, row, 1), from, count);
}

static bool averages(int kind, const sa_encoder_sizes *sizes) {
    return kind == SA_INITIAL_MEAN || sizes->kind == SA_ENCODER_NONE;
}

/* Whether forward_S and backward_1 are in the summary. */
static bool has_forward(int kind, const sa_encoder_sizes *sizes) {
    return kind != SA_INITIAL_BACKWARD || sizes->kind == SA_ENCODER_UNI;
}

static bool has_backward(int kind, const sa_encoder_sizes *sizes) {
    return kind != SA_INITIAL_COPY && sizes->kind == SA_ENCODER_BI;
}

int sa_encoder_summary_width(int kind, const sa_encoder_sizes *sizes) {
    if (averages(kind, sizes)) return sa_encoder_width(sizes);
    return sizes->n * (has_forward(kind, sizes) + has_backward(kind, sizes));
}

void sa_encoder_summary_forward(int kind, const sa_encoder_sizes *sizes,
                                const sa_encoder_cache *encoder, sa_mat out) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    const sa_mat h = encoder->annotations;
    for (int b = 0; b < out.rows; b++) {
        sa_mat row = sa_rows(out, b, 1);
        if (averages(kind, sizes)) { /* mean_j h_j */
            const int *first = encoder->first + b, S = first[1] - first[0];
            sa_zero(row);
            for (int j = 0; j < S; j++)
                sa_axpy(1 / (sa_real)S, sa_row(h, *first + j), row.x, row.cols);
            continue;
        }
        if (forward) sa_copy_mat(slice(h, encoder->read_last[b], 0, n), sa_cols(row, 0, n));
        if (has_backward(kind, sizes))
            sa_copy_mat(slice(h, encoder->read_first[b], n, n), sa_cols(row, forward, n));
    }
}

void sa_encoder_summary_backward(int kind, const sa_encoder_sizes *sizes,
                                 const sa_encoder_cache *encoder, sa_mat dout,
                                 sa_mat dannotations) {
    const int n = sizes->n, forward = has_forward(kind, sizes) ? n : 0;
    const sa_mat dh = dannotations;
    for (int b = 0; b < dout.rows; b++) {
        sa_mat row = sa_rows(dout, b, 1);
        if (averages(kind, sizes)) { /* mean_j h_j */
            const int *first = encoder->first + b, S = first[1] - first[0];
            for (int j = 0; j < S; j++)
                sa_axpy(1 / (sa_real)S, row.x, sa_row(dh, *first + j), row.cols);
            continue;
        }
        if (forward) sa_add(sa_cols(row, 0, n), slice(dh, encoder->read_last[b], 0, n));
        if (has_backward(kind, sizes))
            sa_add(sa_cols(row, forward, n), slice(dh, encoder->read_first[b], n, n));
    }
}
