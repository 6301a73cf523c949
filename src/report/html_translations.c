#include "report/html_translations.h"

#include <stdlib.h>

bool sa_html_translations_add(sa_model *model, const sa_pair *pairs, json_t *entries,
                              sa_error *error) {
    const size_t count = json_array_size(entries);
    sa_search search;
    sa_metrics metrics = sa_model_settings(model)->metrics;
    if (!count) return true;
    sa_search_init(&search);
    metrics.effective_order = true; /* as is usual for single sentences */
    sa_translation *found = sa_new(count, sizeof *found, error);
    const char **sources = found ? sa_new(count, sizeof *sources, error) : NULL;
    for (size_t i = 0; sources && i < count; i++) sources[i] = pairs[i].source;
    bool good = sources && sa_translate(model, sources, count, &search, found, error);
    for (size_t i = 0; good && i < count; i++) {
        const char *text = found[i].text, *reference = pairs[i].target;
        const char *const *references[] = {&reference};
        sa_metric_values values;
        json_t *entry = json_array_get(entries, i);
        good = sa_compute_metrics(&metrics, &text, references, 1, 1, &values, error);
        if (!good) break;
        json_object_set_new(entry, "translation", json_string(text));
        json_object_set_new(entry, "bleu", sa_json_number(values.bleu));
    }
    if (found) sa_translations_release(found, count);
    free(found), free(sources);
    return good;
}
