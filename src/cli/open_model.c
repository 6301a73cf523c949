#include "cli/open_model.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static void note_denormals(const sa_model *model, const char *path) {
    char safe[512];
    if (sa_model_denormals(model))
        fprintf(stderr, "note: '%s': %zu denormal numbers are read as zero\n",
                sa_escape(safe, sizeof safe, path, strlen(path)), sa_model_denormals(model));
}

sa_model *cli_model_open(const char *path, int threads, const char *way, sa_error *error) {
    sa_model *model = sa_model_open(path, threads, error);
    if (!model || !way || sa_model_force_attention(model, way, error)) {
        if (model) note_denormals(model, path);
        return model;
    }
    sa_model_close(model);
    return NULL;
}
