/* zip: reads the files of a zip archive. */
#pragma once

#include "base/file.h"

bool sa_zip_is(const sa_file *file);

/* Replaces an archive in memory by the file in it that is called `name`, perhaps with NumPy's
 * ending; NULL: by its only file. SA_DATA lists the names if there is no such file, or several; the
 * archive is broken, encrypted or packed in another way than "deflate". SA_LIMIT: the file is
 * larger than `limit` bytes. */
bool sa_zip_unpack(sa_file *file, const char *name, size_t limit, sa_error *error);
