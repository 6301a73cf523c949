#include "analysis/diagnostics.h"
#include "analysis/attention_statistics.h"
#include "metrics/aer.h"

#include <math.h>

enum { MIN_COUNT = 20 }; /* fewer identical tokens are not conclusive */

static double fraction(size_t part, size_t whole) {
    return whole ? (double)part / (double)whole : NAN;
}

/* ---- Attention ------------------------------------------------------------------------------- */

static double norm_entropy(const sa_diagnostic_stats *stats) {
    return stats->uniform_by_design ? NAN : sa_attention_figures_of(&stats->attention).norm_entropy;
}

static double uniform_norm_entropy(const sa_diagnostic_stats *stats) {
    return stats->uniform_by_design ? sa_attention_figures_of(&stats->attention).norm_entropy : NAN;
}

static double eos_weight(const sa_diagnostic_stats *stats) {
    return sa_attention_figures_of(&stats->attention).eos_weight;
}

static double column(const sa_diagnostic_stats *stats) {
    return sa_attention_figures_of(&stats->attention).max_column;
}

static double off_by_one(const sa_diagnostic_stats *stats) {
    return stats->aer - fmin(stats->aer_before, stats->aer_after);
}

/* The same without a gold alignment, by tokens that are identical on both sides: names, numbers,
 * full stops. */
static double identical_off_by_one(const sa_diagnostic_stats *stats) {
    const sa_attention_stats *attention = &stats->attention;
    const size_t moved = attention->aligned[0] > attention->aligned[2] ? attention->aligned[0]
                                                                       : attention->aligned[2];
    if (!stats->identical_tokens_align || !isnan(stats->aer) || attention->identical < MIN_COUNT)
        return NAN;
    return fraction(moved, attention->identical) -
           fraction(attention->aligned[1], attention->identical);
}

/* ---- Translations ---------------------------------------------------------------------------- */

static double over(const sa_diagnostic_stats *stats) {
    return fraction(stats->over, stats->sentences);
}
static double under(const sa_diagnostic_stats *stats) {
    return fraction(stats->under, stats->sentences);
}

/* ---- Vocabularies and pairs ------------------------------------------------------------------ */

static double unknown_source(const sa_diagnostic_stats *stats) {
    return fraction(stats->unknown_source, stats->source_words);
}
static double unknown_target(const sa_diagnostic_stats *stats) {
    return fraction(stats->unknown_target, stats->target_words);
}

static double known_sources(const sa_diagnostic_stats *stats) {
    return stats->train_pairs ? fraction(stats->known_sources, stats->sentences) : NAN;
}
static double known_pairs(const sa_diagnostic_stats *stats) {
    return stats->train_pairs ? fraction(stats->known_pairs, stats->sentences) : NAN;
}

/* ---- The rows -------------------------------------------------------------------------------- */

#define OFF_BY_ONE                                                                                 \
    "The words that a row of weights points at correspond to the target word beside its own. The " \
    "translations may be perfect all the same: the annotations of a recurrent encoder also "       \
    "represent their neighbors, so that attending beside the word is enough, and a decoder that "  \
    "attends before it updates its state tends to attend late or early. Do not read such a "       \
    "matrix "                                                                                      \
    "as an alignment. Try --decoder luong, which attends after the state update, --dropout 0.3, "  \
    "which makes attention more exact, or more varied pairs. Read Koehn and Knowles 2017, Six "    \
    "Challenges, section 3.5, where a German-English model behaves in this way."

#define UNKNOWN                                                                                    \
    "All these words are the same token to the model. Where many are unknown it cannot tell them " \
    "apart, and it learns to generate <unk> itself. Keep more words (--vocab, --min-freq), use "   \
    "lower case (--lowercase), split text into subwords or characters (--tokenizer bpe or char), " \
    "or train on more text; --replace-unknown copies the attended source word when it "            \
    "translates. "                                                                                 \
    "Read Luong et al. 2015, Addressing the Rare Word Problem, and Sennrich et al. 2016 on "       \
    "subword units."

#define OVERLAP                                                                                    \
    "A model may have memorized such pairs, so that its figures here measure memory and not "      \
    "translation. Remove them from the training pairs or from these, by source: equal sources "    \
    "belong to the same part. Short everyday sentences occur twice in every large corpus; a "      \
    "small "                                                                                       \
    "fraction of them is no reason to worry. Read Lewis et al. 2021, Question and Answer "         \
    "Test-Train Overlap, for how far figures fall without them."

const sa_diagnostic sa_diagnostics[] = {
    {"uniform attention", "entropy of the weights divided by that of equal weights", norm_entropy,
     0.9, SA_CASE_NONE,
     "of the entropy of equal weights: attention is still uniform; train longer, or on more pairs",
     "Every target word attends to all source words alike, so that the decoder gets the mean of "
     "all annotations each time: a fixed vector, and no alignment. Attention starts like this and "
     "changes after some hundred updates. Train longer (--steps, --epochs, --max-time), start with "
     "--init xavier instead of paper, use a larger --lr, and watch the loss: it falls in a second "
     "step when attention sets in. If it never does, the pairs may not belong together: check that "
     "the two sides are still aligned line by line. Read Bahdanau et al. 2015, A.1.2 and figure "
     "3."},
    {"uniform attention by choice", "entropy of the weights divided by that of equal weights",
     uniform_norm_entropy, 0.9, SA_CASE_NONE, NULL,
     "The model has --attention uniform: all source words have the same weight by design, and "
     "there is nothing to learn. That is right as a baseline for attention: train the same with "
     "--attention additive and compare BLEU, best on long sentences (--by-length). Read Bahdanau "
     "et al. 2015, section 5."},
    {"stuck on EOS",
     "fraction of the weight on the source's end-of-sentence token (EOS) while words are generated",
     eos_weight, 0.5, SA_CASE_NONE,
     "of the attention is on the end of the source sentence: too few pairs, or too little training",
     "EOS has no meaning of its own, but its annotation is where the forward encoder has read the "
     "whole sentence, so that the model can use it as a fixed vector, or attend to it in order to "
     "attend to nothing. Train longer, with longer and more varied sentences, for which one vector "
     "is too small; use a smaller encoder (--hidden) or dropout (--dropout 0.3), so that attention "
     "pays off. Read Sutskever et al. 2014 for the fixed vector and Xiao et al. 2023 on attention "
     "sinks."},
    {"off by one", "alignment error rate, minus the best one with links moved by one target word",
     off_by_one, SA_AER_MARGIN, SA_CASE_NONE,
     "less alignment error with the links moved by one word: attention is off by one", OFF_BY_ONE},
    {"off by one, by identical tokens",
     "fraction of tokens identical on both sides that attention would align if links were moved by "
     "one target word, minus the fraction that it aligns now",
     identical_off_by_one, 0.2, SA_CASE_NONE,
     "more identical words are aligned with the links moved by one word: attention is off by one",
     OFF_BY_ONE},
    {"one word takes all",
     "fraction of the weight on a single source word, in pairs of at least 4 words a side", column,
     0.6, SA_CASE_NONE,
     "of the attention is on a single source word: it hardly distinguishes the words of a sentence",
     "In the matrix one column is dark and all others are empty: whatever it generates, the model "
     "attends to the same source word. It found a position that tells it the rest (often the first "
     "or last annotation, or a full stop) and uses it as a fixed vector. Scores that do not depend "
     "on the query cannot do better: check --attention and --window, that the weights W_a and U_a "
     "have learned something (softalign inspect), and that learning did not overshoot (a smaller "
     "--lr, --clip 1). Read Clark et al. 2019, What Does BERT Look At?, section 3, where heads "
     "attend to one token."},
    {"over-translation",
     "fraction of translations with too many words (at least 2 and a quarter of the reference's), "
     "repeated, or attended to too often",
     over, 0.1, SA_CASE_OVER,
     "of the translations are too long or repeat themselves: train longer, or on more pairs",
     "The model repeats itself or does not stop. It does not remember what it has translated: "
     "nothing in attention marks a source word as done. Search helps a little (--beam 5, "
     "--coverage-penalty 0.2, a smaller --max-ratio); more training helps more, with pairs whose "
     "targets do not repeat themselves; look for such pairs among those listed here. Read Tu et "
     "al. 2016, Modeling Coverage for Neural Machine Translation."},
    {"under-translation",
     "fraction of translations with too few words (at least 2 and a quarter of the reference's), "
     "or "
     "with words not attended to",
     under, 0.1, SA_CASE_UNDER, "of the translations omit words: train longer, or on more pairs",
     "The model omits part of the source: it stops too early, or skips words. Beam search prefers "
     "short translations unless scores are divided by their length (--length-penalty average or "
     "gnmt; --coverage-penalty 0.2 penalizes words that are not attended to, --min-length prevents "
     "stopping). If it affects only long sentences (--by-length), train on long ones (--max-len), "
     "or longer; if all, look for training targets that are cut off. Read Tu et al. 2016 and Wu et "
     "al. 2016, equation 14."},
    {"source vocabulary too small", "fraction of source words that are unknown to the model",
     unknown_source, 0.05, SA_CASE_NONE,
     "of the source words are unknown: more pairs, or --tokenizer bpe or char", UNKNOWN},
    {"target vocabulary too small", "fraction of target words that are unknown to the model",
     unknown_target, 0.05, SA_CASE_NONE,
     "of the target words are unknown: more pairs, or --tokenizer bpe or char", UNKNOWN},
    {"sources seen in training", "fraction of source sentences that occur in the training pairs",
     known_sources, 0.1, SA_CASE_NONE, "of the source sentences occur in the training pairs",
     OVERLAP},
    {"pairs seen in training", "fraction of pairs that are training pairs", known_pairs, 0.1,
     SA_CASE_NONE, "of the pairs are training pairs", OVERLAP},
    {0},
};

bool sa_diagnostic_next(const sa_diagnostic_stats *stats, size_t *row, double *figure) {
    for (; sa_diagnostics[*row].name; ++*row) {
        *figure = sa_diagnostics[*row].figure(stats);
        if (*figure >= sa_diagnostics[*row].threshold) return true; /* NaN is not */
    }
    return false;
}
