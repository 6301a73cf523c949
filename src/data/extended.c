#include "data/extended.h"

#include <stdlib.h>

void sa_extender_init(sa_extender *extender, const sa_text_codec *source,
                      const sa_text_codec *target) {
    *extender = (sa_extender){.source = source, .target = target};
    sa_bpe_segmenter_init(&extender->segmenter[0], &source->bpe);
    sa_bpe_segmenter_init(&extender->segmenter[1], &target->bpe);
}

void sa_extender_release(sa_extender *extender) {
    sa_bpe_segmenter_release(&extender->segmenter[0]);
    sa_bpe_segmenter_release(&extender->segmenter[1]);
}

/* The ids of a text's tokens; words that the vocabulary lacks are looked up in `more`, to which
 * they are added if `add`. */
static bool extend(const sa_text_codec *codec, sa_bpe_segmenter *segmenter, const char *text,
                   const sa_vocab *vocab, sa_strings *more, bool add, int32_t *ids,
                   sa_error *error) {
    sa_tokens tokens = {0};
    char *owned;
    bool good =
        sa_text_codec_split(codec, segmenter, text, codec->lowercase, &tokens, &owned, error);
    for (size_t i = 0; good && i < tokens.count; i++) {
        const sa_token *token = &tokens.token[i];
        ids[i] = sa_vocab_find(vocab, token->text, token->size);
        if (ids[i] != SA_UNK) continue;
        const int32_t number = add ? sa_strings_add(more, token->text, token->size, error)
                                   : sa_strings_find(more, token->text, token->size);
        if (number >= 0) ids[i] = sa_vocab_size(vocab) + number;
        good = number >= 0 || !add;
    }
    if (good) ids[tokens.count] = SA_EOS;
    sa_tokens_release(&tokens);
    free(owned);
    return good;
}

bool sa_extend_pair(sa_extender *extender, const char *source_text, const char *target_text,
                    int32_t *source, int32_t *target, sa_error *error) {
    const sa_vocab *vocab = &extender->target->vocab;
    sa_strings more = {0};
    const bool good = extend(extender->source, &extender->segmenter[0], source_text, vocab, &more,
                             true, source, error) &&
                      (!target_text || extend(extender->target, &extender->segmenter[1],
                                              target_text, vocab, &more, false, target, error));
    sa_strings_release(&more);
    return good;
}
