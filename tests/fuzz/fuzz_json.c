/* JSON from files, and the header of a model file. The input is a byte of choices and a text,
 * whose lines are also the names and strings of a container. */
#include "base/container.h"
#include "base/json.h"
#include "fuzz.h"

enum { LINES = 8, MOST = 4096 };

/* ---- Reading --------------------------------------------------------------------------------- */

static int depth_of(const json_t *value) {
    const char *key;
    const json_t *entry;
    size_t i;
    int deepest = 0;
    json_object_foreach((json_t *)(uintptr_t)value, key, entry) {
        const int depth = depth_of(entry);
        if (depth > deepest) deepest = depth;
    }
    json_array_foreach(value, i, entry) {
        const int depth = depth_of(entry);
        if (depth > deepest) deepest = depth;
    }
    return json_is_object(value) || json_is_array(value) ? 1 + deepest : 0;
}

/* Numbers with more digits than a double needs are refused whatever their value. */
static bool has_long_number(const char *text) {
    enum { LONG = 400 };
    while (*text) {
        const size_t size = strspn(text, "0123456789+-.eE");
        if (size >= LONG) return true;
        text += size + (text[size] != 0);
    }
    return false;
}

static void read_json(fuzz_input input, int depth) {
    sa_error error = {0};
    char *copy = fuzz_copy(input);
    json_t *value = sa_json_parse(copy, input.size, depth, "m", "header", &error);
    json_t *plain = json_loadb(copy, input.size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
    if (!value) {
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
        const bool cut = memchr(copy, 0, input.size); /* jansson takes it for the end of the text */
        ck_assert_msg(!plain || cut || depth_of(plain) > depth || has_long_number(copy), "%s: %s",
                      error.text, copy);
    } else {
        ck_assert(plain && json_equal(value, plain));
        ck_assert_int_le(depth_of(value), depth);
        char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        json_t *again = sa_json_parse(text, strlen(text), depth, "m", "header", &error);
        ck_assert_msg(again && json_equal(again, value), "%s", error.text);
        free(text);
        json_decref(again);
    }
    json_decref(value), json_decref(plain);
    free(copy);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static const char *const keys[LINES] = {"a", "b\"", "c\\", "d\n", "é", "f/", "g'", "h<"};

typedef struct made {
    char *name[LINES], *value[LINES];
    sa_tensor tensor[LINES];
    sa_metadata text[LINES];
    size_t tensors, texts;
} made;

static bool is_new(const made *all, const char *name) {
    for (size_t i = 0; i < all->tensors; i++)
        if (strcmp(all->name[i], name) == 0) return false;
    return strcmp(name, SA_CONTAINER_CHECKSUM) != 0 && strcmp(name, "__metadata__") != 0;
}

static made make(fuzz_input input) {
    static const double data[4] = {1, 2, 3, 4};
    made all = {0};
    while (input.size && all.texts < LINES) {
        const fuzz_input part = fuzz_until(&input, '\n');
        if (!fuzz_is_utf8(part.at, part.size)) continue;
        char *line = fuzz_copy(part);
        all.value[all.texts] = line;
        all.text[all.texts] = (sa_metadata){keys[all.texts], line};
        all.texts++;
        if (!is_new(&all, line)) continue;
        all.name[all.tensors] = line;
        all.tensor[all.tensors] = (sa_tensor){.name = line,
                                              .type = (sa_dtype)(part.size % SA_DTYPES),
                                              .rank = 2,
                                              .shape = {1 + (int)(part.size % 2), 2},
                                              .data = data};
        all.tensors++;
    }
    return all;
}

static void write_container(fuzz_input input) {
    const char *path = fuzz_scratch();
    made all = make(input);
    sa_container file;
    sa_error error = {0};
    ck_assert_msg(sa_container_write(path, all.tensor, all.tensors, all.text, all.texts, &error) &&
                      sa_container_open(&file, path, 1, NULL, &error),
                  "%s", error.text);
    unlink(path);
    ck_assert_uint_eq(file.count, all.tensors);
    for (size_t i = 0; i < all.texts; i++)
        ck_assert_str_eq(sa_container_metadata(&file, keys[i]), all.value[i]);
    for (size_t i = 0; i < all.tensors; i++) {
        const sa_tensor *tensor = sa_container_find(&file, all.name[i]), *wanted = &all.tensor[i];
        ck_assert(tensor && tensor->type == wanted->type && tensor->rank == 2);
        ck_assert_int_eq(tensor->shape[0], wanted->shape[0]);
        ck_assert_mem_eq(tensor->data, wanted->data, tensor->size);
    }
    sa_container_close(&file);
    for (size_t i = 0; i < all.texts; i++) free(all.value[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_input input = fuzz_input_of(data, size);
    if (size > MOST) return 0;
    const unsigned choices = fuzz_byte(&input);
    read_json(input, 1 + (int)(choices % 4));
    if (choices & 128) write_container(input);
    return 0;
}
