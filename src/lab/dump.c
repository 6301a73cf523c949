#include "lab/dump.h"
#include "base/container.h"
#include "base/memory.h"
#include "lab/masks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64, LINK = 4 };

static sa_tensor parameter(const sa_param *param, const char *name, const sa_real *buffer) {
    sa_tensor tensor = {.name = name, .type = SA_F64, .data = buffer + param->offset};
    tensor.rank = param->rows ? 2 : 1;
    tensor.shape[0] = param->rows ? param->rows : param->cols;
    tensor.shape[1] = param->rows ? param->cols : 0;
    return tensor;
}

/* Writes the lengths of a side's sentences, all token ids and then all extended ids to
 * numbers[count + 2 words]. */
static void flatten(const sa_sentence *sentences, int count, int words, int32_t *numbers) {
    int32_t *ids = numbers + count, *extended = ids + words;
    for (int i = 0; i < count; i++) {
        const int len = sentences[i].len;
        numbers[i] = len;
        memcpy(ids, sentences[i].ids, sizeof *ids * (size_t)len);
        memcpy(extended, sa_sentence_extended(&sentences[i]), sizeof *ids * (size_t)len);
        ids += len, extended += len;
    }
}

static sa_tensor integers(const char *name, const int32_t *numbers, int count) {
    return (sa_tensor){.name = name, .type = SA_I32, .rank = 1, .shape = {count}, .data = numbers};
}

/* Dropout masks as tensors, whose data is copied to `numbers`. */
static size_t add_masks(const sa_lab_model *model, const sa_lab_mask *masks, int count,
                        sa_real *numbers, sa_tensor *tensors) {
    for (int i = 0; i < count; i++) {
        const sa_mat mask = masks[i].mask;
        tensors[i] = (sa_tensor){.name = masks[i].name,
                                 .type = SA_F64,
                                 .rank = 2,
                                 .shape = {mask.rows, mask.cols},
                                 .data = numbers};
        sa_lab_mask_write(model, &masks[i], numbers);
        numbers += (size_t)mask.rows * (size_t)mask.cols;
    }
    return (size_t)count;
}

/* Writes one row of LINK integers per link of the gold alignment; returns their number. numbers may
 * be NULL. */
static int flatten_links(const sa_lab_job *job, bool guided, int32_t *numbers) {
    int links = 0;
    for (int i = 0; guided && i < job->count; i++)
        for (size_t k = 0; k < job->gold[i].count; k++, links++) {
            const sa_link *link = &job->gold[i].links[k];
            const int32_t row[LINK] = {i, link->target, link->source, link->possible};
            if (numbers) memcpy(numbers + links * LINK, row, sizeof row);
        }
    return links;
}

bool sa_lab_dump(const char *path, const sa_lab_model *model, const sa_lab_job *job, double loss,
                 sa_error *error) {
    const size_t parameters = (size_t)model->plan->count, B = (size_t)job->count;
    const int sides[] = {model->batch.source.words, model->batch.target.words};
    sa_lab_mask masks[SA_LAB_MASKS];
    const int masked = sa_lab_masks_list(model, masks);
    size_t size = 1;
    for (int i = 0; i < masked; i++)
        size += (size_t)masks[i].mask.rows * (size_t)masks[i].mask.cols;
    sa_tensor *tensors = sa_new(2 * parameters + 8 + (size_t)masked, sizeof *tensors, error);
    sa_real *numbers = sa_new(size, sizeof *numbers, error);
    char(*names)[NAME] = sa_new(parameters, sizeof *names, error);
    int32_t *source = sa_new(B + 2 * (size_t)sides[0], sizeof *source, error);
    int32_t *target = sa_new(B + 2 * (size_t)sides[1], sizeof *target, error);
    const int linked = flatten_links(job, model->batch.gold, NULL);
    int32_t *links = sa_new((size_t)linked * LINK + 1, sizeof *links, error);
    bool good = tensors && numbers && names && source && target && links;
    if (good) {
        size_t count = 0;
        for (size_t i = 0; i < parameters; i++) {
            snprintf(names[i], NAME, "gradient.%s", model->plan->item[i].name);
            tensors[count++] =
                parameter(&model->plan->item[i], model->plan->item[i].name, model->values);
            tensors[count++] = parameter(&model->plan->item[i], names[i], model->gradients);
        }
        tensors[count++] =
            (sa_tensor){.name = "loss", .type = SA_F64, .rank = 1, .shape = {1}, .data = &loss};
        flatten(job->source, job->count, sides[0], source);
        flatten(job->target, job->count, sides[1], target);
        tensors[count++] = integers("source.len", source, job->count);
        tensors[count++] = integers("source.ids", source + B, sides[0]);
        tensors[count++] = integers("target.len", target, job->count);
        tensors[count++] = integers("target.ids", target + B, sides[1]);
        if (job->settings->copy) {
            tensors[count++] = integers("source.extended", source + B + sides[0], sides[0]);
            tensors[count++] = integers("target.extended", target + B + sides[1], sides[1]);
        }
        count += add_masks(model, masks, masked, numbers, tensors + count);
        flatten_links(job, model->batch.gold, links);
        if (linked)
            tensors[count++] = (sa_tensor){
                .name = "links", .type = SA_I32, .rank = 2, .shape = {linked, LINK}, .data = links};
        sa_metadata settings = {"settings", job->settings_text};
        good = sa_container_write(path, tensors, count, &settings, 1, error);
    }
    free(tensors), free(numbers), free(names), free(source), free(target);
    free(links);
    return good;
}
