/* numbered_files: one file per pair in a folder. */
#ifndef SA_REPORT_NUMBERED_FILES_H
#define SA_REPORT_NUMBERED_FILES_H

#include "base/memory.h"

/* The names of such files, with wildcards: the choices of an SA_OPTION_FOLDER. */
#define SA_NUMBERED(ending) "[0-9]*." ending
const char *sa_csv_files(size_t i);
const char *sa_npy_files(size_t i);
const char *sa_svg_files(size_t i);
const char *sa_png_files(size_t i);
const char *sa_pdf_files(size_t i);

/* Writes the file of pair `index` (from 0) to folder/0001.ENDING ... and releases its content. */
bool sa_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                      sa_error *error);
/* The same with what `add` appends for the pair's alignment. */
bool sa_save_matrix(const char *folder, size_t index, const char *ending,
                    void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                    sa_error *error);

#endif
