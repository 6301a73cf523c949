/* play_measure: the figures of the held-out pairs, a part of them with each call, so that a
 * training can go on between. All are those of the weights at the first call, which are kept
 * meanwhile. */
#include "base/memory.h"
#include "config/settings.h"
#include "inference/encoding.h"
#include "metrics/linking.h"
#include "report/pair_scores.h"
#include "web/play.h"

#include <stdlib.h>
#include <string.h>

/* Sums of the weights on sure gold links, of all and of those that cross another sure one. */
typedef struct gold_sums {
    const sa_gold_alignment *gold; /* of each pair of the part */
    double weight, moved;
    int links, moved_links;
} gold_sums;

struct web_measuring {
    json_int_t step;
    size_t next; /* pairs that have been measured */
    sa_corpus pairs;
    sa_real *values; /* the weights at the first call */
    sa_sentence_result *each;
    gold_sums sums;
};

void web_measuring_end(web_measuring *all) {
    if (!all) return;
    sa_sentence_results_release(all->each, all->next);
    free(all->each), free(all->values), free(all);
}

static web_measuring *begin(web_play *play, int most, sa_error *error) {
    const sa_model *model = web_model(play);
    if (!play->held_out.count) {
        sa_fail(error, SA_USAGE, "this model has no held-out pairs");
        return NULL;
    }
    web_measuring *all = sa_new(1, sizeof *all, error);
    if (!all) return NULL;
    all->step = (json_int_t)play->session.trainer.step;
    all->pairs = play->held_out;
    if (most > 0 && (size_t)most < all->pairs.count) all->pairs.count = (size_t)most;
    all->each = sa_new(all->pairs.count, sizeof *all->each, error);
    all->values = all->each ? sa_new(model->plan.size, sizeof *all->values, error) : NULL;
    if (all->values) memcpy(all->values, model->values, model->plan.size * sizeof *all->values);
    if (all->values) return all;
    web_measuring_end(all);
    return NULL;
}

/* ---- Gold links ------------------------------------------------------------------------------ */

static bool crosses(const sa_gold_alignment *gold, const sa_link *link) {
    for (size_t i = 0; i < gold->count; i++) {
        const sa_link *other = &gold->links[i];
        if (other->possible) continue;
        if ((other->source - link->source) * (other->target - link->target) < 0) return true;
    }
    return false;
}

static bool add_gold(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    gold_sums *sums = context;
    const sa_gold_alignment *gold = &sums->gold[index];
    (void)error;
    for (size_t i = 0; i < gold->count; i++) {
        const sa_link *link = &gold->links[i];
        if (link->possible) continue;
        const double weight = alignment->weights[link->target * alignment->sources + link->source];
        sums->weight += weight, sums->links++;
        if (crosses(gold, link)) sums->moved += weight, sums->moved_links++;
    }
    return true;
}

static bool measure_gold(sa_model *model, const sa_corpus *part, gold_sums *sums, sa_error *error) {
    sa_gold_alignment *gold =
        sa_gold_make(&model->source, &model->target, part, part->pairs, NULL, part->count, error);
    sums->gold = gold;
    const bool good =
        gold && sa_align(model, NULL, part->pairs, part->count, add_gold, sums, error);
    sa_gold_release(gold, part->count);
    return good;
}

/* ---- Figures --------------------------------------------------------------------------------- */

/* The model is as at the first call while this runs. */
static bool measure_part(web_measuring *all, sa_model *model, int pairs, sa_error *error) {
    sa_search search;
    sa_link_options linking;
    sa_search_init(&search);
    sa_link_options_init(&linking);
    linking.null_key = sa_settings_has_null_key(&model->settings);
    sa_corpus part = all->pairs;
    part.pairs += all->next, part.count -= all->next;
    if (pairs > 0 && (size_t)pairs < part.count) part.count = (size_t)pairs;
    if (!sa_evaluate(model, &part, &search, &linking, all->each + all->next, error)) return false;
    all->next += part.count;
    const bool gold = all->pairs.gold && sa_settings_has_attention(&model->settings);
    return !gold || measure_gold(model, &part, &all->sums, error);
}

static void swap(sa_real *one, sa_real *other, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const sa_real kept = one[i];
        one[i] = other[i], other[i] = kept;
    }
}

const char *web_validate(web_play *play, int most, int pairs) {
    sa_error *error = web_begin();
    sa_model *model = web_model(play);
    json_t *result = NULL;
    if (!play->measuring && !(play->measuring = begin(play, most, error))) return NULL;
    web_measuring *all = play->measuring;
    swap(model->values, all->values, model->plan.size);
    const bool good = measure_part(all, model, pairs, error);
    swap(model->values, all->values, model->plan.size);
    if (good && all->next < all->pairs.count) return web_give_json(json_null());
    sa_eval_result found;
    if (good && sa_eval_summarize(&model->settings.metrics, &all->pairs, all->each, NULL,
                                  all->pairs.count, &found, error)) {
        result = sa_eval_json(&found);
        json_object_update_new(result,
                               json_pack("{s:I, s:o, s:i, s:o, s:i}", "step", all->step, "gold",
                                         sa_json_number(all->sums.weight / all->sums.links),
                                         "links", all->sums.links, "moved",
                                         sa_json_number(all->sums.moved / all->sums.moved_links),
                                         "moved_links", all->sums.moved_links));
    }
    web_measuring_end(all);
    play->measuring = NULL;
    return web_give_json(result);
}
