#include "base/container.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/save.h"

#include <jansson.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

static void add_string(sa_buffer *header, const char *text) {
    json_t *string = json_string(text);
    char *quoted = json_dumps(string, JSON_ENCODE_ANY);
    if (quoted)
        sa_buffer_adds(header, quoted);
    else
        header->failed = true;
    free(quoted);
    json_decref(string);
}

static void add_metadata(sa_buffer *header, const sa_metadata *texts, size_t count) {
    sa_buffer_adds(header, "{\"__metadata__\":{\"format\":\"" SA_CONTAINER_FORMAT
                           "\",\"version\":\"" SA_CONTAINER_VERSION "\"");
    for (size_t i = 0; i < count; i++) {
        sa_buffer_adds(header, ",");
        add_string(header, texts[i].key);
        sa_buffer_adds(header, ":");
        add_string(header, texts[i].value);
    }
    sa_buffer_adds(header, "}");
}

static void add_tensor(sa_buffer *header, const sa_tensor *tensor, size_t begin) {
    sa_buffer_adds(header, ",");
    add_string(header, tensor->name);
    sa_buffer_addf(header, ":{\"dtype\":\"%s\",\"shape\":[%d", sa_dtypes[tensor->type].name,
                   tensor->shape[0]);
    for (int i = 1; i < tensor->rank; i++) sa_buffer_addf(header, ",%d", tensor->shape[i]);
    sa_buffer_addf(header, "],\"data_offsets\":[%zu,%zu]}", begin, begin + tensor->size);
}

/* Builds the header with its length in front, padded so that the data is aligned to 8 bytes, and
 * lists the file's chunks: the header, then the tensors in the order of the file. */
static bool build_header(sa_buffer *header, sa_chunk *chunks, const char *path,
                         const sa_tensor *tensors, size_t count, const sa_metadata *texts,
                         size_t text_count, sa_error *error) {
    sa_buffer_add(header, "\0\0\0\0\0\0\0", SA_CONTAINER_LENGTH_SIZE);
    add_metadata(header, texts, text_count);
    size_t at = 0, chunk = 1;
    for (int type = 0; type < SA_DTYPES; type++) {
        for (size_t i = 0; i < count; i++) {
            sa_tensor tensor = tensors[i];
            if (tensor.type != (sa_dtype)type) continue;
            if (!sa_tensor_compute_size(&tensor, path, error)) return false;
            add_tensor(header, &tensor, at);
            chunks[chunk++] = (sa_chunk){tensor.data, tensor.size};
            at += tensor.size;
        }
    }
    add_tensor(header, &(sa_tensor){SA_CONTAINER_CHECKSUM, SA_U8, 1, {4}, NULL, 4}, at);
    sa_buffer_adds(header, "}");
    while (header->size % SA_CONTAINER_LENGTH_SIZE && !header->failed) sa_buffer_adds(header, " ");
    if (header->failed) return sa_fail_memory(error, header->size);
    uint64_t length = header->size - SA_CONTAINER_LENGTH_SIZE;
    memcpy(header->text, &length, SA_CONTAINER_LENGTH_SIZE);
    chunks[0] = (sa_chunk){header->text, header->size};
    if (length > SA_CONTAINER_MAX_HEADER || count >= SA_CONTAINER_MAX_TENSORS)
        return sa_fail(error, SA_LIMIT, "%s: too many tensors or too much text for one file", path);
    if (at > SA_FILE_LIMIT - header->size)
        return sa_fail(error, SA_LIMIT, "%s: would be larger than %zu bytes", path, SA_FILE_LIMIT);
    return true;
}

bool sa_container_write(const char *path, const sa_tensor *tensors, size_t count,
                        const sa_metadata *texts, size_t text_count, sa_error *error) {
    sa_chunk *chunks = sa_new(count + 2, sizeof *chunks, error);
    if (!chunks) return false;
    sa_buffer header = {0};
    bool good = build_header(&header, chunks, path, tensors, count, texts, text_count, error);
    if (good) {
        uint32_t checksum = 0;
        for (size_t i = 0; i <= count; i++)
            checksum = libdeflate_crc32(checksum, chunks[i].data, chunks[i].size);
        chunks[count + 1] = (sa_chunk){&checksum, sizeof checksum};
        good = sa_save(path, chunks, count + 2, error);
    }
    sa_buffer_release(&header);
    free(chunks);
    return good;
}
