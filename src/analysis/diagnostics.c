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
    return stats->uniform_by_design ? NAN : sa_attention_stats_norm_entropy(&stats->attention);
}

static double uniform_norm_entropy(const sa_diagnostic_stats *stats) {
    return stats->uniform_by_design ? sa_attention_stats_norm_entropy(&stats->attention) : NAN;
}

static double eos_weight(const sa_diagnostic_stats *stats) {
    return sa_attention_stats_eos_weight(&stats->attention);
}

static double column(const sa_diagnostic_stats *stats) {
    return sa_attention_stats_max_column(&stats->attention);
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
    "The words a row of weights points at fit the target word beside its own. The translations "   \
    "may be perfect all the same: the annotations of a recurrent encoder hold their neighbours, "  \
    "so a look beside the word is enough, and a decoder that looks before it knows its own "       \
    "state tends to look late or early. Do not read such a matrix as an alignment. Try --decoder " \
    "luong, which looks after its new state is made, --dropout 0.3, which makes it look more "     \
    "exactly, or more varied pairs. Read Koehn and Knowles 2017, Six Challenges, section 3.5, "    \
    "where a German-English model does the same."

#define UNKNOWN                                                                                    \
    "The model sees all these words as one and the same. Where many are unknown it cannot "        \
    "tell them apart, and it learns to write the unknown word itself. Keep more words "            \
    "(--vocab, --min-freq), read in lower case (--lowercase), cut texts into sub-words or "        \
    "characters (--tokenizer bpe or char), or train on more text; --replace-unknown "              \
    "copies the attended source word when it translates. Read Luong et al. 2015, "                 \
    "Addressing the Rare Word Problem, and Sennrich et al. 2016 on subword units."

#define OVERLAP                                                                                    \
    "A model may know such pairs by heart, so its figures here say what it remembers and not "     \
    "what it can translate. Take them out of the training pairs or out of these, by the source "   \
    "side: equal sources belong on one side of the cut. Short everyday sentences come twice in "   \
    "any large corpus; a small share of them is no reason to worry. Read Lewis et al. 2021, "      \
    "Question and Answer Test-Train Overlap, for how far figures fall without them."

const sa_diagnostic sa_diagnostics[] = {
    {"uniform attention", "entropy of the weights as a share of the largest there can be",
     norm_entropy, 0.9, SA_CASE_NONE,
     "Every word looks at all source words alike, so the decoder gets the same mean of all "
     "annotations each time: a fixed vector, and no alignment. Attention begins like that and "
     "leaves it after some hundred updates. Train longer (--steps, --epochs, --max-time), start "
     "with --init xavier and not paper, take a larger --lr, and watch the loss: it falls in a "
     "second step when attention sets in. If it never does, the pairs may not belong together: "
     "look whether the two sides are still line by line. Read Bahdanau et al. 2015, A.1.2 and "
     "figure 3."},
    {"uniform attention by choice", "entropy of the weights as a share of the largest there can be",
     uniform_norm_entropy, 0.9, SA_CASE_NONE,
     "The model was made with --attention uniform: all source words have the same weight by "
     "design, and nothing could be learned there. That is right as a measure of what attention is "
     "worth: train the same with --attention additive and compare BLEU, best on long sentences "
     "(--by-length). Read Bahdanau et al. 2015, section 5."},
    {"stuck on the end mark",
     "share of the weight that goes to the source's end mark while words are written", eos_weight,
     0.5, SA_CASE_NONE,
     "The end mark has no meaning of its own. Its annotation, though, is where the forward "
     "encoder has read the whole sentence, so the model can use it as a fixed vector, or as a "
     "place to look at nothing. Train longer, with longer and more varied sentences, for which "
     "one vector is too small; make the encoder smaller (--hidden) or leave units out at random "
     "(--dropout 0.3), so that looking pays. Read Sutskever et al. "
     "2014 for the fixed vector and Xiao et al. 2023 on attention sinks."},
    {"off by one", "alignment error rate, less the best with links moved by one target word",
     off_by_one, SA_AER_MARGIN, SA_CASE_NONE, OFF_BY_ONE},
    {"off by one, as equal words say",
     "share of words with a twin on the source side that would find it if links were moved by "
     "one target word, less the share that find it now",
     identical_off_by_one, 0.2, SA_CASE_NONE, OFF_BY_ONE},
    {"one word takes all",
     "share of the weight on a single source word, in pairs of at least 4 words a side", column,
     0.6, SA_CASE_NONE,
     "In its matrix one column is dark and all others are empty: whatever is written, the model "
     "looks at the same source word. It found a place that tells it the rest (often the first or "
     "last annotation, or a full stop) and uses it as a fixed vector. Scores that do not depend "
     "on what is being written cannot do better: check --attention and --window, that the "
     "weights W_a and U_a learned something (softalign inspect), and that learning did not "
     "overshoot (a smaller --lr, --clip 1). Read Clark et al. 2019, What Does BERT Look At?, "
     "section 3, where heads rest on one token."},
    {"over-translation",
     "share of translations with at least 2 words and a quarter of the reference's too many, "
     "repeated, or looked at too often",
     over, 0.1, SA_CASE_OVER,
     "The model says things twice or goes on after it should end. It does not remember what it "
     "has translated: nothing in the attention says that a source word is done. Search helps a "
     "little (--beam 5, --coverage-penalty 0.2, a smaller --max-ratio), training more: longer, "
     "and with pairs whose targets do not repeat themselves; look at the pairs named here for "
     "such. Read Tu et al. 2016, Modeling Coverage for Neural Machine Translation."},
    {"under-translation",
     "share of translations with at least 2 words and a quarter of the reference's missing, or "
     "not looked at",
     under, 0.1, SA_CASE_UNDER,
     "The model leaves out part of the source: it ends too early, or jumps over words. A beam "
     "prefers short translations unless scores are divided by their length (--length-penalty "
     "average "
     "or gnmt; --coverage-penalty 0.2 punishes words not looked at, --min-length forbids to "
     "end). If it happens with long sentences only (--by-length), train on long ones (--max-len) "
     "or longer; if everywhere, look for training targets that are cut off. Read Tu et al. 2016 "
     "and Wu et al. 2016, equation 14."},
    {"source vocabulary too small", "share of source words that the model does not know",
     unknown_source, 0.05, SA_CASE_NONE, UNKNOWN},
    {"target vocabulary too small", "share of target words that the model does not know",
     unknown_target, 0.05, SA_CASE_NONE, UNKNOWN},
    {"sources seen in training", "share of source sentences that are among the training pairs'",
     known_sources, 0.1, SA_CASE_NONE, OVERLAP},
    {"pairs seen in training", "share of pairs that are among the training pairs", known_pairs, 0.1,
     SA_CASE_NONE, OVERLAP},
    {0},
};

bool sa_diagnostic_next(const sa_diagnostic_stats *stats, size_t *row, double *figure) {
    for (; sa_diagnostics[*row].name; ++*row) {
        *figure = sa_diagnostics[*row].figure(stats);
        if (*figure >= sa_diagnostics[*row].threshold) return true; /* NaN is not */
    }
    return false;
}
