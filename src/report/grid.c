#include "report/grid.h"
#include "base/csv_cell.h"
#include "base/number.h"

#include <math.h>

static void add_number(const sa_grid *grid, double number, sa_buffer *out) {
    if (isnan(number)) return;
    (grid->exact ? sa_number_add_exact : sa_number_add)(out, number);
}

void sa_grid_csv(const sa_grid *grid, sa_buffer *out) {
    for (int j = 0; grid->column && j < grid->cols; j++) {
        if (j || grid->row) sa_buffer_adds(out, ",");
        sa_csv_cell_add(out, grid->column[j]);
    }
    if (grid->column) sa_buffer_adds(out, "\n");
    for (int i = 0; i < grid->rows; i++) {
        if (grid->row) sa_csv_cell_add(out, grid->row[i]);
        for (int j = 0; j < grid->cols; j++) {
            if (j || grid->row) sa_buffer_adds(out, ",");
            add_number(grid, grid->numbers[(size_t)i * (size_t)grid->cols + (size_t)j], out);
        }
        sa_buffer_adds(out, "\n");
    }
}
