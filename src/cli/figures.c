#include "cli/figures.h"
#include "cli/output.h"

#include <stdlib.h>

bool cli_score_band(const sa_metrics *metrics, const sa_corpus *corpus, const sa_judgement *each,
                    const sa_band *band, sa_scores *scores, sa_error *error) {
    size_t count = 0, *chosen = sa_new(corpus->count, sizeof *chosen, error);
    if (!chosen) return false;
    for (size_t i = 0; i < corpus->count; i++)
        if (sa_band_holds(band, each[i].source_words)) chosen[count++] = i;
    scores->sentences = 0;
    const bool good =
        !count || sa_summarise_by(metrics, corpus, each, chosen, count, scores, error);
    free(chosen);
    return good;
}

json_t *cli_json_spread(const sa_spread *spread) {
    return json_pack("{s:o, s:o, s:o}", "mean", cli_json_number(spread->mean), "low",
                     cli_json_number(spread->low), "high", cli_json_number(spread->high));
}

bool cli_save_numbered(const char *folder, size_t index, const char *ending, sa_buffer *content,
                       sa_error *error) {
    sa_buffer path = {0};
    sa_buffer_addf(&path, "%s/%04zu.%s", folder, index + 1, ending);
    const bool good =
        path.failed ? sa_fail_memory(error, path.size) : cli_save(path.text, content, error);
    sa_buffer_release(content);
    sa_buffer_release(&path);
    return good;
}

bool cli_save_matrix(const char *folder, size_t index, const char *ending,
                     void (*add)(const sa_alignment *, sa_buffer *), const sa_alignment *alignment,
                     sa_error *error) {
    sa_buffer matrix = {0};
    add(alignment, &matrix);
    return cli_save_numbered(folder, index, ending, &matrix, error);
}
