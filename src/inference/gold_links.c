#include "inference/gold_links.h"
#include "attention/score.h"
#include "config/settings.h"
#include "data/links.h"

#include <stdlib.h>

bool sa_links_of_subwords(const sa_token_words *source, const sa_token_words *target,
                          sa_link **links, size_t *count, sa_error *error) {
    sa_link *all = NULL;
    size_t found = 0, capacity = 0;
    bool good = true;
    for (size_t i = 0; i < *count; i++)
        for (int s = 0; s < source->tokens - 1; s++)
            for (int t = 0; t < target->tokens - 1 && source->word[s] == (*links)[i].source; t++) {
                if (target->word[t] != (*links)[i].target) continue;
                good = good && sa_reserve(&all, &capacity, found + 1, sizeof *all, error);
                if (good) all[found++] = (sa_link){s, t, (*links)[i].possible};
            }
    if (!good) {
        free(all);
        return false;
    }
    free(*links);
    *links = all;
    *count = found;
    return true;
}

/* A link of a word becomes links of all its subwords. */
static bool read_gold(const sa_text_codec *from, const sa_text_codec *to, const sa_corpus *corpus,
                      const sa_pair *pair, sa_gold_alignment *gold, sa_error *error) {
    sa_token_words source, target;
    sa_link *links = NULL;
    const bool subwords = from->tokenizer->subword;
    if (!sa_token_words_make(from, to, pair, &source, &target, error)) return false;
    const int S = subwords ? source.words : source.tokens;
    const int T = subwords ? target.words : target.tokens;
    const bool good =
        (corpus ? sa_links_parse_gold(corpus, pair, S - 1, T - 1, &links, &gold->count, error)
                : sa_links_parse(pair->gold, &links, &gold->count, error)) &&
        (!subwords || sa_links_of_subwords(&source, &target, &links, &gold->count, error));
    gold->links = links;
    sa_token_words_release(&source), sa_token_words_release(&target);
    return good;
}

sa_gold_alignment *sa_gold_make(const sa_text_codec *source, const sa_text_codec *target,
                                const sa_corpus *corpus, const sa_pair *pairs, const size_t *which,
                                size_t count, sa_error *error) {
    sa_gold_alignment *all = sa_new(count, sizeof *all, error);
    bool good = all;
    for (size_t i = 0; good && i < count; i++)
        good = read_gold(source, target, corpus, &pairs[which ? which[i] : i], &all[i], error);
    if (good) return all;
    sa_gold_release(all, count);
    return NULL;
}

bool sa_fail_unaligned(const sa_corpus *corpus, sa_error *error) {
    return sa_fail(error, SA_DATA,
                   "%s: {guided_alignment} wants the links of every pair: in a third column, or in "
                   "a file named by {alignments}%s%s",
                   corpus->name, corpus->note ? "; " : "", corpus->note ? corpus->note : "");
}

void sa_gold_release(sa_gold_alignment *gold, size_t count) {
    for (size_t i = 0; gold && i < count; i++) free((sa_link *)(uintptr_t)gold[i].links);
    free(gold);
}

bool sa_override_applies(sa_attention_override chosen, const sa_model *const *models, int number,
                         sa_error *error) {
    const sa_settings *attends = NULL; /* of the last model with attention */
    if (chosen.kind == SA_OVERRIDE_NONE) return true;
    for (int m = 0; m < number; m++) {
        const sa_settings *settings = &models[m]->settings;
        if (!sa_settings_has_attention(settings)) continue;
        if (chosen.kind != SA_OVERRIDE_EXPECTED || sa_scores[settings->attention].normalizer)
            return true;
        attends = settings;
    }
    if (!attends) return sa_fail_no_attention(models[0], error);
    return sa_fail(error, SA_USAGE,
                   "{force_attention} expected: the weights of {attention} %s are those of its "
                   "training already",
                   sa_score_name((size_t)attends->attention));
}

bool sa_override_open(sa_override *override, sa_attention_override chosen, const sa_model *model,
                      const sa_pair *pairs, size_t count, sa_error *error) {
    *override = (sa_override){.chosen = chosen, .seed = 1};
    if (!sa_override_applies(chosen, &model, 1, error)) return false;
    if (chosen.kind != SA_OVERRIDE_GOLD) return true;
    for (size_t i = 0; i < count; i++)
        if (!pairs[i].gold)
            return sa_fail(error, SA_DATA, "line %zu: no alignment to force the attention to",
                           pairs[i].line);
    override->gold = sa_gold_make(&model->source, &model->target, NULL, pairs, NULL, count, error);
    return override->gold != NULL;
}

void sa_override_close(sa_override *override, size_t count) {
    sa_gold_release((sa_gold_alignment *)(uintptr_t) override->gold, count);
    *override = (sa_override){0};
}
