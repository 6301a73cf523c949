/* The batches that `softalign train` would make, for its peers to train on the same ones.
 *
 *   batches PAIRS FIRST COUNT [--OPTION VALUE]...    options of train: --batch, --min-freq, --seed
 * ...
 *
 * Writes those from number FIRST on, counted from 0. Numbers: words of the source's and of the
 * target's vocabulary, number of batches; then for each batch its number of pairs, and for each
 * pair the two lengths and the words of both sides. Words are numbered as in the model files: 0
 * unknown, 1 EOS (the last token of every sentence), 2 BOS, from 3 on by falling
 * frequency. */
#include "config/settings.h"
#include "data/batcher.h"
#include "data/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_options(int count, char **arguments, sa_settings *settings, sa_error *error) {
    sa_settings_init(settings);
    for (int i = 0; i < count; i += 2)
        if (strncmp(arguments[i], "--", 2) != 0 || i + 1 == count)
            return sa_fail(error, SA_USAGE, "expected --OPTION VALUE, not '%s'", arguments[i]);
        else if (!sa_settings_set(settings, arguments[i] + 2, arguments[i + 1], error))
            return false;
    return true;
}

static void print_words(const sa_sentence *sentence) {
    for (int i = 0; i < sentence->len; i++) printf(" %d", (int)sentence->ids[i]);
}

static void print_batch(const sa_dataset *data, const size_t *pairs, int count) {
    printf("%d\n", count);
    for (int i = 0; i < count; i++) {
        const sa_sentence *source = &data->source[pairs[i]], *target = &data->target[pairs[i]];
        printf("%d %d", source->len, target->len);
        print_words(source);
        print_words(target);
        printf("\n");
    }
}

static bool print_batches(const char *path, int first, int wanted, const sa_settings *settings,
                          sa_error *error) {
    sa_corpus corpus;
    sa_text_codec source = {0}, target = {0};
    sa_dataset data;
    sa_batcher batcher;
    if (!sa_corpus_open(&corpus, path, error) ||
        !sa_text_codecs_build(&source, &target, &corpus, NULL, settings, NULL, error) ||
        !sa_dataset_build(&data, &corpus, NULL, &source, &target, settings->max_len, settings,
                          error) ||
        !sa_batcher_open(&batcher, data.source, data.target, data.count, settings->batch,
                         settings->batch_tokens, settings->seed, error))
        return false; /* the program ends here: nothing is freed */
    printf("%d %d %d\n", sa_vocab_size(&source.vocab), sa_vocab_size(&target.vocab), wanted);
    for (int i = 0; i < first + wanted; i++) {
        int count;
        const size_t *pairs = sa_batcher_next(&batcher, &count);
        if (i >= first) print_batch(&data, pairs, count);
    }
    return true;
}

int main(int count, char **arguments) {
    sa_error error = {0};
    sa_settings settings;
    if (count < 4)
        sa_fail(&error, SA_USAGE, "expected PAIRS FIRST COUNT [--OPTION VALUE]...");
    else if (read_options(count - 4, arguments + 4, &settings, &error) &&
             print_batches(arguments[1], atoi(arguments[2]), atoi(arguments[3]), &settings,
                           &error) &&
             fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "batches: %s\n", error.text[0] ? error.text : "cannot write");
    return error.code ? (int)error.code : 5;
}
