#include "cli/model.h"

sa_model *cli_model_open(const char *path, int threads, const char *way, sa_error *error) {
    sa_model *model = sa_model_open(path, threads, error);
    if (!model || !way || sa_model_force_attention(model, way, error)) return model;
    sa_model_close(model);
    return NULL;
}
