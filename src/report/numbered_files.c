#include "report/numbered_files.h"
#include "base/save.h"

#include <stdio.h>

const char *sa_csv_files(size_t i) {
    return i ? NULL : SA_NUMBERED("csv");
}

const char *sa_npy_files(size_t i) {
    return i ? NULL : SA_NUMBERED("npy");
}

const char *sa_svg_files(size_t i) {
    return i ? NULL : SA_NUMBERED("svg");
}

const char *sa_png_files(size_t i) {
    return i ? NULL : SA_NUMBERED("png");
}

const char *sa_pdf_files(size_t i) {
    return i ? NULL : SA_NUMBERED("pdf");
}

bool sa_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                      sa_error *error) {
    char name[64];
    snprintf(name, sizeof name, "%04zu.%s", index + 1, ending);
    return sa_save_text_in(folder, name, content, error);
}

bool sa_save_matrix(const char *folder, size_t index, const char *ending,
                    void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                    sa_error *error) {
    sa_buffer matrix = {0};
    add(alignment, &matrix);
    return sa_save_numbered(folder, index, ending, &matrix, error);
}
