/* file: whole files, read (and unpacked if they are gzip) and replaced; paths; folders and the lock
 * of an output folder.
 *
 * Whatever happens during a save (a full disk, a kill, a power cut), the file holds either its old
 * bytes or all of the new ones. */
#pragma once

#include "base/memory.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* Limits of the size of an unpacked file (lower where addresses have 32 bits) and of a line. */
#define SA_FILE_LIMIT ((size_t)(SIZE_MAX > UINT32_MAX ? INT64_C(1) << 32 : INT64_C(1) << 30))
#define SA_LINE_LIMIT ((size_t)1 << 20)

typedef struct sa_file {
    char *data; /* size bytes and a terminating zero */
    size_t size;
    const char *name;
} sa_file;

void sa_file_release(sa_file *file);

/* Reads `path` ("-": standard input) until its end. SA_OPEN: it is a directory; SA_DATA: a damaged
 * gzip stream; SA_LIMIT: more than `limit` bytes, gzip data that unpacks more than 200 : 1 beyond
 * 64 MiB, or a device that yields more than SA_LINE_LIMIT. `path` must outlive the file. */
bool sa_file_read(sa_file *file, const char *path, size_t limit, sa_error *error);

/* Returns whether it is a zip archive. */
bool sa_zip_is(const sa_file *file);

/* Replaces an archive in memory by the file in it that is called `name`, perhaps with NumPy's
 * ending; NULL: by its only file. SA_DATA lists the names if there is no such file, or several; the
 * archive is broken, encrypted or packed in another way than "deflate". SA_LIMIT: the file is
 * larger than `limit` bytes. */
bool sa_zip_unpack(sa_file *file, const char *name, size_t limit, sa_error *error);

typedef struct sa_text_lines {
    sa_file file;
    size_t at, number;
    char *line;  /* the last line read, line `number` from 1, without its LF or CRLF */
    size_t size; /* its bytes */
    bool failed; /* a line was invalid */
} sa_text_lines;

/* Reads the next line and terminates it in place. Returns false at the end and, with
 * reader->failed set, for a line longer than SA_LINE_LIMIT, a NUL byte or a lone CR. */
bool sa_lines_next(sa_text_lines *reader, sa_error *error);

/* Reads the whole file ("-": standard input) and skips a byte order mark. */
bool sa_text_lines_open(sa_text_lines *reader, const char *path, sa_error *error);
/* Begins with the lines of reader->file, which has been read. Releases it after a failure. */
bool sa_text_lines_begin(sa_text_lines *reader, sa_error *error);
void sa_text_lines_close(sa_text_lines *reader);

/* Does the same, and fails unless the line is valid UTF-8: SA_DATA names the file, line and byte.
 */
bool sa_text_lines_next(sa_text_lines *reader, sa_error *error);

/* ---- Paths ----------------------------------------------------------------------------------- */

/* Returns whether there is certainly no such file. A file that cannot be examined does not count as
 * missing: opening it gives the reason. */
bool sa_file_missing(const char *path);

/* Returns whether it is a regular file (after following links), which can be read again: no pipe,
 * device or folder. */
bool sa_file_is_regular(const char *path);

/* Returns the path without links, "." and ".."; free it with free(). The file need not exist, but
 * its folder must, or the path stays as it is. NULL: out of memory. */
char *sa_path_resolve(const char *path, sa_error *error);

/* Returns whether two existing paths lead to the same file. */
bool sa_file_same(const char *one, const char *other);

/* ---- Saving ---------------------------------------------------------------------------------- */

/* A chunk of a file to be written; chunks are joined on disk, not in memory. */
typedef struct sa_chunk {
    const void *data;
    size_t size; /* bytes */
} sa_chunk;

/* Replaces the file at `path` by the concatenated chunks: they are written under a temporary name
 * in the same folder, synced and renamed, and the folder is synced. The file keeps its
 * mode; a new one gets 0666 minus the umask. A symbolic link is followed: the file that it leads to
 * is replaced, in its own folder. Pipes, devices and files that are open already (/dev/stdout) are
 * written to directly. Directories and loops of links are refused.
 * Fails with SA_OPEN if the folder or a link cannot be opened, otherwise with SA_IO; the old file
 * is unchanged and no temporary file remains. (If only the last step fails, the new file is already
 * in place; the message says so.) The temporary file of a killed save is removed by
 * sa_directory_lock_open. A process that does not ignore SIGXFSZ
 * is killed by it when it reaches a limit of file size. */
bool sa_save(const char *path, const sa_chunk *chunks, size_t count, sa_error *error);

/* Saves a text. SA_LIMIT: the buffer ran out of memory. */
bool sa_save_text(const char *path, const sa_buffer *text, sa_error *error);

/* Saves a text as folder/name and releases it. */
bool sa_save_text_in(const char *folder, const char *name, sa_buffer *text, sa_error *error);

/* Writes the text to an open file. Fails with SA_IO; the message is empty if the reader of a pipe
 * has gone away, so that `softalign translate | head` ends silently. */
bool sa_write_text(int fd, const char *name, const sa_buffer *text, sa_error *error);

/* Returns whether this is the name of a temporary file of sa_save. */
bool sa_save_is_temporary(const char *name);

/* Creates the folder (its last level) if it is missing, and syncs its entry to disk. */
bool sa_directory_create(const char *folder, sa_error *error);

/* Removes regular files from the folder (for a link, the file that it leads to) and syncs the
 * folder: even after a power cut, files saved later never appear next to removed ones. SA_OPEN: the
 * folder cannot be opened; SA_IO names a file that remains. */
bool sa_directory_remove(const char *folder, const char *const *names, size_t count,
                         sa_error *error);

/* The lock of a folder: a descriptor of .lock in it. */
typedef struct sa_directory_lock {
    int file;
} sa_directory_lock;
#define SA_UNLOCKED ((sa_directory_lock){-1})

/* Creates `folder` (its last level) if it is missing, and locks it until sa_directory_lock_close or
 * the end of the process; .lock in it names process and machine. Removes the temporary files of
 * killed saves. SA_OPEN: the folder cannot be created or written to; SA_BUSY, naming the owner: it
 * is locked. */
bool sa_directory_lock_open(sa_directory_lock *lock, const char *folder, sa_error *error);
void sa_directory_lock_close(sa_directory_lock *lock);
