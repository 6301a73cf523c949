/* sentence: token ids and gold alignments, from which batches are built. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word alignment: a source and a target position, counted from 0. */
typedef struct sa_link {
    int source, target;
    bool possible; /* otherwise sure */
} sa_link;

/* The links of a pair. */
typedef struct sa_gold_alignment {
    const sa_link *links;
    size_t count;
} sa_gold_alignment;

/* The special tokens are ids, not spellings: a literal "<s>" in a text is an ordinary word. */
enum { SA_UNK = 0, SA_EOS = 1, SA_BOS = 2, SA_SPECIAL_TOKENS = 3 };

/* A sentence: token ids, EOS last. For copying, a pair also has extended ids: ids of both sides in
 * the target vocabulary, followed by the source words that it lacks. If they are missing, the ids
 * of both sides are used. */
typedef struct sa_sentence {
    const int32_t *ids;
    int len;
    const int32_t *extended; /* [len] or NULL */
} sa_sentence;

static inline const int32_t *sa_sentence_extended(const sa_sentence *sentence) {
    return sentence->extended ? sentence->extended : sentence->ids;
}
