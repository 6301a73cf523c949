/* plain_system: keeps files in memory, by their names, in place of base/file, base/save and
 * container_open where there is no file system; and raises signals where there are none. */
#pragma once

#include "base/file.h"

/* Returns the content of a file, valid until it is replaced or removed, or NULL. */
const sa_buffer *web_file_find(const char *name);

/* Removes a file if it exists. */
void web_file_remove(const char *name);

/* Raises a signal that the user has sent since the last call, if the host tells the module. */
void web_raise_signal(void);
