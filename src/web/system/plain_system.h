/* plain_system: files in memory, by their name, which stand for base/file, base/save and
 * container_open where there is no file system; and signals where there are none. */
#pragma once

#include "base/file.h"

/* The content of a file, for as long as it is not replaced or removed; NULL: there is none. */
const sa_buffer *web_file_find(const char *name);

/* Removes a file, if there is one. */
void web_file_remove(const char *name);

/* Raises a signal that the user has sent since the last call, where the host of the module tells.
 */
void web_raise_signal(void);
