/* save: a file replaced as a whole or not at all, folders, and the lock of an output folder.
 *
 * Whatever happens during a save (a full disk, a kill, a power cut), the path holds either its old
 * bytes or all of the new ones. */
#ifndef SA_BASE_SAVE_H
#define SA_BASE_SAVE_H

#include "base/error.h"

/* A part of a file to be written: parts are joined on the disk, not in memory. */
typedef struct sa_chunk {
    const void *data;
    size_t size; /* bytes */
} sa_chunk;

/* Replaces the file at `path` by the joined pieces: written under another name in the same folder,
 * forced to the disk, read back, renamed, and the folder forced to the disk. The file keeps its
 * mode; a new one gets 0666 less the umask. A symbolic link at `path` is replaced, not followed; a
 * directory is refused. Fails with SA_OPEN when the folder cannot be opened, else with SA_IO; the
 * old file is then as it was and nothing is left behind. (Only when the very last step fails is the
 * new file already in place: the message says so.) What a save that was killed left behind is
 * removed by the next one to the same path, and by sa_directory_lock_open. A process that does not
 * ignore SIGXFSZ is killed by it at a limit of file size. */
bool sa_save(const char *path, const sa_chunk *chunks, size_t count, sa_error *error);

/* Whether a name is one of those that a killed sa_save leaves. */
bool sa_save_is_temporary(const char *name);

/* Makes the last level of a folder when it is missing, and forces its name to the disk. */
bool sa_directory_create(const char *folder, sa_error *error);

/* Makes `folder` (its last level) when it is missing, and locks it by DIR/.lock until
 * sa_directory_lock_close or the end of the process, however it ends. Removes what a killed sa_save
 * left there. Fails with SA_OPEN when the folder cannot be made or written into, with SA_BUSY,
 * naming process and machine, when another one holds it. */
bool sa_directory_lock_open(int *lock, const char *folder, sa_error *error);
void sa_directory_lock_close(int lock);

#endif
