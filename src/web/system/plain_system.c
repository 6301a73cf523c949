/* plain_system: files in memory, for a page. */
#include "web/system/plain_system.h"
#include "base/container.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- Files ----------------------------------------------------------------------------------- */

typedef struct memory_file {
    struct memory_file *next;
    sa_buffer content;
    char name[];
} memory_file;

static memory_file *files;

/* Returns the link to a file, or to the end of the list. */
static memory_file **find(const char *name) {
    memory_file **at = &files;
    while (*at && strcmp((*at)->name, name) != 0) at = &(*at)->next;
    return at;
}

const sa_buffer *web_file_find(const char *name) {
    const memory_file *file = *find(name);
    return file ? &file->content : NULL;
}

void web_file_remove(const char *name) {
    memory_file **at = find(name), *file = *at;
    if (!file) return;
    *at = file->next;
    sa_buffer_release(&file->content);
    free(file);
}

/* ---- base/file.h ----------------------------------------------------------------------------- */

static bool fail_missing(const char *name, sa_error *error) {
    return sa_fail(error, SA_OPEN, "there is no '%s' in memory", name);
}

bool sa_file_read(sa_file *file, const char *path, size_t limit, sa_error *error) {
    const sa_buffer *content = web_file_find(path);
    *file = (sa_file){.name = path};
    if (!content) return fail_missing(path, error);
    if (content->size > limit)
        return sa_fail(error, SA_LIMIT, "%s: larger than %zu bytes", path, limit);
    if (content->size >= 2 && memcmp(content->text, "\x1f\x8b", 2) == 0)
        return sa_fail(error, SA_DATA, "%s: gzip, which is not unpacked here", path);
    file->data = sa_copy(content->text ? content->text : "", content->size, error);
    file->size = content->size;
    return file->data;
}

bool sa_file_is_regular(const char *path) {
    return web_file_find(path);
}

bool sa_file_missing(const char *path) {
    return !web_file_find(path);
}

bool sa_file_same(const char *one, const char *other) {
    return strcmp(one, other) == 0;
}

/* ---- base/file.h ----------------------------------------------------------------------------- */

bool sa_save(const char *path, const sa_chunk *chunks, size_t count, sa_error *error) {
    const size_t length = strlen(path);
    memory_file *file = sa_new(1, sizeof *file + length + 1, error);
    if (!file) return false;
    memcpy(file->name, path, length);
    sa_buffer_add(&file->content, "", 0);
    for (size_t i = 0; i < count; i++)
        sa_buffer_add(&file->content, chunks[i].data, chunks[i].size);
    if (file->content.failed) {
        sa_fail_memory(error, file->content.size);
        sa_buffer_release(&file->content);
        free(file);
        return false;
    }
    web_file_remove(path);
    file->next = files;
    files = file;
    return true;
}

bool sa_save_is_temporary(const char *name) {
    return false;
}

bool sa_directory_create(const char *folder, sa_error *error) {
    return true;
}

bool sa_directory_remove(const char *folder, const char *const *names, size_t count,
                         sa_error *error) {
    char path[SA_PATH_SIZE];
    for (size_t i = 0; i < count; i++) web_file_remove(sa_path_in(path, folder, names[i]));
    return true;
}

bool sa_directory_lock_open(sa_directory_lock *lock, const char *folder, sa_error *error) {
    *lock = SA_UNLOCKED;
    return sa_directory_create(folder, error);
}

void sa_directory_lock_close(sa_directory_lock *lock) {
    *lock = SA_UNLOCKED;
}

/* ---- base/container.h ------------------------------------------------------------------------ */

bool sa_container_open(sa_container *container, const char *path, int threads,
                       sa_container_check *check, sa_error *error) {
    /* the caller checks what this does not check */
    const sa_buffer *content = web_file_find(path);
    return content ? sa_container_read_copy(container, path, content->text, content->size, error)
                   : fail_missing(path, error);
}
