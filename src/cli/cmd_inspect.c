#include "cli/cli.h"

#include <string.h>

enum { WORDS = 12 }; /* shown of a vocabulary */

/* ---- Tensors --------------------------------------------------------------------------------- */

/* Returns whether the tensor holds lines: words, or a version and then merge operations. */
static bool is_text(const sa_tensor *tensor, const char *ending) {
    const size_t size = strlen(tensor->name), tail = strlen(ending);
    return tensor->type == SA_U8 && size >= tail && strcmp(tensor->name + size - tail, ending) == 0;
}

/* Counts the model's parameters, without vocabularies and the state for --resume. */
static size_t count_parameters(const sa_container *file) {
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++) {
        const sa_tensor *tensor = &file->tensors[i];
        if (tensor->type == SA_F32 && strncmp(tensor->name, "optimizer.", 10) != 0 &&
            strncmp(tensor->name, "average.", 8) != 0)
            count += tensor->size / sa_dtypes[SA_F32].size;
    }
    return count;
}

static size_t count_lines(const sa_tensor *tensor) {
    size_t count = 0;
    for (size_t i = 0; i < tensor->size; i++) count += ((const char *)tensor->data)[i] == '\n';
    return count;
}

static size_t count_merges(const sa_tensor *tensor) {
    const size_t lines = count_lines(tensor);
    return lines ? lines - 1 : 0;
}

/* ---- Text ------------------------------------------------------------------------------------ */

static void show_vocabulary(const sa_tensor *tensor, sa_buffer *out) {
    const char *word = tensor->data, *end = word + tensor->size;
    char safe[64];
    sa_buffer_addf(out, "  %s: %zu words:", tensor->name, count_lines(tensor));
    for (int i = 0; i < WORDS && word < end; i++) {
        const char *feed = memchr(word, '\n', (size_t)(end - word));
        size_t size = (size_t)((feed ? feed : end) - word);
        sa_buffer_addf(out, " %s", sa_escape(safe, sizeof safe, word, size));
        word += size + 1;
    }
    sa_buffer_adds(out, word < end ? " ...\n" : "\n");
}

static bool show(const sa_container *file, const sa_settings *settings, sa_error *error) {
    const sa_tensor *tensors = file->tensors;
    const size_t count = file->count;
    sa_buffer out = {0};
    sa_buffer_adds(&out, "Settings\n");
    for (const sa_option *option = sa_settings_options; option->name; option++) {
        if (option->scope == SA_SCOPE_RUN || sa_settings_ignores(settings, option)) continue;
        sa_buffer_addf(&out, "  %-12s ", option->name);
        sa_option_format(option, sa_option_get(option, settings), &out);
        sa_buffer_adds(&out, "\n");
    }
    sa_buffer_adds(&out, "Vocabularies, the most frequent words first\n");
    for (size_t i = 0; i < count; i++)
        if (is_text(&tensors[i], ".words")) show_vocabulary(&tensors[i], &out);
    for (size_t i = 0; i < count; i++)
        if (is_text(&tensors[i], ".merges"))
            sa_buffer_addf(&out, "  %s: %zu merges\n", tensors[i].name, count_merges(&tensors[i]));
    sa_buffer_adds(&out, "Tensors\n");
    for (size_t i = 0; i < count; i++) {
        sa_buffer_addf(&out, "  %-32s %s", tensors[i].name, sa_dtypes[tensors[i].type].name);
        for (int k = 0; k < tensors[i].rank; k++)
            sa_buffer_addf(&out, "%s%d", k ? " x " : "  ", tensors[i].shape[k]);
        sa_buffer_adds(&out, "\n");
    }
    const sa_cache_size cache = sa_settings_cache_size(settings);
    sa_buffer_addf(&out,
                   "Parameters: %zu\nDecoding cache in bytes: %zu per source word, %zu per step of "
                   "a hypothesis, and its state of %zu\nChecksum: %08x (correct)\n",
                   count_parameters(file), cache.source_word, cache.target_word, cache.state,
                   file->checksum);
    return cli_print(&out, error);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static bool show_json(const sa_container *file, const sa_settings *settings, sa_error *error) {
    json_t *tensors = json_array(), *vocabularies = json_object(), *merges = json_object();
    for (size_t i = 0; i < file->count; i++) {
        const sa_tensor *tensor = &file->tensors[i];
        json_t *shape = json_array();
        for (int k = 0; k < tensor->rank; k++)
            json_array_append_new(shape, json_integer(tensor->shape[k]));
        json_array_append_new(tensors, json_pack("{s:s, s:s, s:o}", "name", tensor->name, "type",
                                                 sa_dtypes[tensor->type].name, "shape", shape));
        if (is_text(tensor, ".words"))
            json_object_set_new(vocabularies, tensor->name,
                                json_integer((json_int_t)count_lines(tensor)));
        if (is_text(tensor, ".merges"))
            json_object_set_new(merges, tensor->name,
                                json_integer((json_int_t)count_merges(tensor)));
    }
    char checksum[16];
    snprintf(checksum, sizeof checksum, "%08x", file->checksum);
    const char *text = sa_container_metadata(file, "settings");
    json_t *stored = sa_json_parse(text, strlen(text), 1, file->name, "settings", error);
    json_int_t count = (json_int_t)count_parameters(file);
    const sa_cache_size cache = sa_settings_cache_size(settings);
    json_t *bytes = json_pack("{s:I, s:I, s:I}", "state", (json_int_t)cache.state, "source_word",
                              (json_int_t)cache.source_word, "step", (json_int_t)cache.target_word);
    return cli_print_json(json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:s}", "settings", stored,
                                    "tensors", tensors, "vocabularies", vocabularies, "merges",
                                    merges, "parameter_count", count, "cache_bytes", bytes,
                                    "checksum", checksum),
                          error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool run(cli_call *call, sa_error *error) {
    const bool *json = call->options;
    sa_container file = {0};
    sa_settings settings;
    sa_settings_init(&settings);
    const bool good = sa_container_open(&file, call->words[0], 1, NULL, error) &&
                      sa_settings_read_file(&settings, &file, error) &&
                      (*json ? show_json : show)(&file, &settings, error);
    sa_container_close(&file);
    return good;
}

const cli_command cli_inspect = {
    .name = "inspect",
    .words = "MODEL",
    .summary = "show what a model file holds",
    .size = sizeof(bool),
    .sets = {{"Options", cli_json_rows, 0}},
    .run = run,
};
