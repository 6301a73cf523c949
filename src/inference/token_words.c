#include "inference/token_words.h"
#include "data/subword_mark.h"
#include "inference/encoding.h"

#include <stdlib.h>

static bool split(const sa_text_codec *codec, const char *text, sa_token_words *out,
                  sa_error *error) {
    sa_tokens tokens = {0};
    char *owned = NULL;
    const char **list = NULL;
    bool good =
        sa_text_codec_split(codec, NULL, text, codec->lowercase, &tokens, &owned, error) &&
        sa_reserve(&tokens.token, &tokens.capacity, tokens.count + 1, sizeof *tokens.token, error);
    if (good) {
        tokens.token[tokens.count++] = sa_vocab_token(&codec->vocab, SA_EOS);
        list = sa_token_texts(tokens.token, tokens.count, error);
    }
    out->word = list ? sa_new(tokens.count, sizeof *out->word, error) : NULL;
    out->tokens = (int)tokens.count;
    good = good && out->word;
    if (good) out->words = sa_subword_word_indices(list, out->tokens, out->word);
    free(list);
    free(owned);
    sa_tokens_release(&tokens);
    return good;
}

bool sa_token_words_make(const sa_text_codec *from, const sa_text_codec *to, const sa_pair *pair,
                         sa_token_words *source, sa_token_words *target, sa_error *error) {
    *source = *target = (sa_token_words){0};
    if (split(from, pair->source, source, error) && split(to, pair->target, target, error))
        return true;
    sa_token_words_release(source), sa_token_words_release(target);
    return false;
}

void sa_token_words_release(sa_token_words *words) {
    free(words->word);
    *words = (sa_token_words){0};
}
