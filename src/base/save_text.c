/* save_text: the part of base/save.h that asks the system for nothing. */
#include "base/file.h"
#include "base/save.h"

#include <stdlib.h>

bool sa_save_text(const char *path, const sa_buffer *text, sa_error *error) {
    return text->failed ? sa_fail_memory(error, text->size)
                        : sa_save(path, &(sa_chunk){text->text, text->size}, 1, error);
}

bool sa_save_text_in(const char *folder, const char *name, sa_buffer *text, sa_error *error) {
    char *path = sa_path_join(folder, name, error);
    const bool good = path && sa_save_text(path, text, error);
    sa_buffer_release(text);
    free(path);
    return good;
}
