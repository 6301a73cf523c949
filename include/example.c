// Translates a sentence and prints where the model attends: example MODEL "a sentence".
#include <softalign.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc != 3) return SA_USAGE;
    const char *source = argv[2];
    sa_error error = {0};
    sa_translation found;
    sa_search search;
    sa_search_init(&search);
    search.weights = true;
    sa_model *model = sa_model_open(argv[1], 0, &error);
    if (!model || !sa_translate(model, &source, 1, &search, &found, &error)) {
        fprintf(stderr, "%s\n", error.text);
        sa_model_close(model);
        return error.code;
    }
    puts(found.text);
    for (int t = 0; found.weights && t < found.words; t++) {
        const double *alpha = found.weights + t * found.sources;
        int best = 0;
        for (int s = 1; s < found.sources; s++)
            if (alpha[s] > alpha[best]) best = s;
        printf("%s <- %s (%.2f)\n", found.target[t], found.source[best], alpha[best]);
    }
    sa_translations_release(&found, 1);
    sa_model_close(model);
    return SA_OK;
}
