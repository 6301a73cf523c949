/* model_file: model files as inputs. Checksum and header length would refuse nearly every
 * mutation, so both are corrected, and now and then the file is made again with other settings:
 * so the code behind the first checks is reached, too. */
#ifndef TEST_MODEL_FILE_H
#define TEST_MODEL_FILE_H

#include "base/file.h"
#include "base/rng.h"
#include "config/settings.h"
#include "fuzz.h"
#include "inference/model.h"

#include <zlib.h>

/* libFuzzer's own mutator; returns the new size. Absent when inputs are replayed. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned seed);

enum { MODEL_LENGTH = 8, MODEL_SUM = 4, MODEL_WEIGHTS = 6000 };

/* Writes the right checksum. */
static inline void model_sign(char *bytes, size_t size) {
    if (size < MODEL_SUM) return;
    const uint32_t sum = (uint32_t)crc32(0, (const Bytef *)bytes, (uInt)(size - MODEL_SUM));
    memcpy(bytes + size - MODEL_SUM, &sum, sizeof sum);
}

/* ---- Changing a file ------------------------------------------------------------------------- */

/* Sets one setting to a value that is allowed; numbers stay small. */
static inline void model_set(sa_settings *settings, sa_rng *rng) {
    const sa_option *row = sa_settings_options;
    uint32_t rows = 0, choices = 0;
    while (row[rows].name && row[rows].scope != SA_SCOPE_TRAINING) rows++;
    row += sa_rng_below(rng, rows);
    if (row->kind == SA_OPTION_CHOICE)
        while (sa_option_choice(row, choices)) choices++;
    else
        choices = row->kind == SA_OPTION_SWITCH ? 2 : 7;
    sa_option_set_number(row, settings, sa_rng_below(rng, choices));
}

/* Moves a model to `to`, with some other settings. */
static inline bool model_remake(sa_model *model, sa_model *to, sa_rng *rng) {
    sa_settings settings = model->settings;
    for (uint32_t i = 1 + sa_rng_below(rng, 3); i--;) model_set(&settings, rng);
    if (!sa_settings_check(&settings, NULL)) return false;
    const sa_sizes sizes = sa_sizes_of(&settings, sa_vocab_size(&model->source.vocab),
                                       sa_vocab_size(&model->target.vocab));
    sa_params plan;
    sa_seq2seq_plan(&sizes, &plan);
    if (plan.size > MODEL_WEIGHTS) return false;
    for (int side = 0; side < 2; side++) {
        sa_text_codec *codec = side ? &model->target : &model->source;
        codec->tokenizer = sa_tokenizer_of(&settings, side);
        codec->lowercase = settings.lowercase;
        if (codec->tokenizer->between)
            sa_strings_release(&codec->spacing), sa_strings_release(&codec->spaces);
    }
    if (!sa_model_init(to, &settings, &model->source, &model->target, NULL, NULL)) return false;
    for (size_t i = 0; i < to->plan.size; i++)
        to->values[i] = (sa_real)(sa_rng_uniform(rng) * 2 - 1);
    return true;
}

/* A file with the same vocabularies and other settings; returns its size, 0 if there is none. */
static inline size_t model_change(uint8_t *data, size_t size, size_t capacity, sa_rng *rng) {
    sa_container file;
    sa_model model, made;
    sa_file bytes;
    size_t changed = 0;
    char *copy = fuzz_copy((fuzz_input){(const char *)data, size});
    model_sign(copy, size);
    if (!sa_container_read(&file, "m", copy, size, NULL)) {
        free(copy);
        return 0;
    }
    if (sa_model_read(&model, &file, 1, NULL)) {
        if (model_remake(&model, &made, rng)) {
            if (sa_model_write(&made, fuzz_scratch(), NULL, 0, NULL) &&
                sa_file_read(&bytes, fuzz_scratch(), capacity, NULL)) {
                changed = bytes.size;
                memcpy(data, bytes.data, bytes.size);
                sa_file_release(&bytes);
            }
            sa_model_release(&made);
        }
        sa_model_release(&model);
    }
    unlink(fuzz_scratch());
    sa_container_close(&file);
    free(copy);
    return changed;
}

/* Mutates the header and corrects its length. */
static inline size_t model_mutate_header(uint8_t *data, size_t size, size_t capacity,
                                         size_t length) {
    const size_t rest = size - MODEL_LENGTH - length;
    uint8_t *header = malloc(capacity);
    memcpy(header, data + MODEL_LENGTH, length);
    const uint64_t changed = LLVMFuzzerMutate(header, length, capacity - MODEL_LENGTH - rest);
    memmove(data + MODEL_LENGTH + changed, data + MODEL_LENGTH + length, rest);
    memcpy(data, &changed, sizeof changed);
    memcpy(data + MODEL_LENGTH, header, changed);
    free(header);
    return MODEL_LENGTH + changed + rest;
}

/* One mutation of a model file, of any kind. */
static inline size_t model_mutate(uint8_t *data, size_t size, size_t capacity, unsigned seed) {
    enum { KINDS = 16, ANYHOW = 0, ANEW = 1, DATA = 8 };
    sa_rng rng = sa_rng_seed(seed, 1);
    const uint32_t kind = sa_rng_below(&rng, KINDS);
    uint64_t length = 0;
    if (size > MODEL_LENGTH) memcpy(&length, data, sizeof length);
    if (!length || length >= size - MODEL_LENGTH || kind == ANYHOW)
        return LLVMFuzzerMutate(data, size, capacity);
    const size_t changed = kind == ANEW ? model_change(data, size, capacity, &rng) : 0;
    if (changed) return changed;
    if (kind >= DATA) return model_mutate_header(data, size, capacity, length);
    const size_t before = MODEL_LENGTH + length;
    return before + LLVMFuzzerMutate(data + before, size - before, capacity - before);
}

#endif
