#include "cli/command.h"
#include "cli/score_command.h"
#include "metrics/symmetrize.h"

#include <string.h>

#define AT(field) offsetof(score_options, field)

static const sa_option rows[] = {
    {"sentence", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(sentence), 0, 0, 1, NULL, NULL,
     "one line per sentence: BLEU TAB chrF, with --effective-order"},
    {"against", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(against), 0, 0, 0, NULL, "FILE",
     "hypotheses of another system: score differences and p-values (paired bootstrap)"},
    {"confidence", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(confidence), 0, 0, 1, NULL, NULL,
     "95 % bootstrap confidence intervals of the scores"},
    {"by-length", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(by_length), 0, 0, 1, NULL, NULL,
     "also report scores by the length of the --source lines"},
    {"source", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(source), 0, 0, 0, NULL, "FILE",
     "source sentences"},
    {"json", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(json), 0, 0, 1, NULL, NULL,
     "print one JSON object"},
    {0},
};
enum { GROW_DIAG = 2 }; /* the row of sa_symmetrization_name */
static const sa_option link_rows[] = {
    {"alignments", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(alignments), 0, 0, 1, NULL, NULL,
     "score word alignments: LINKS GOLD instead of texts"},
    {"links-base", SA_OPTION_INT, SA_SCOPE_RUN, AT(links_base), 0, 0, 1, NULL, "N",
     "index of the first position in LINKS"},
    {"gold-base", SA_OPTION_INT, SA_SCOPE_RUN, AT(gold_base), 0, 0, 1, NULL, "N",
     "index of the first position in GOLD"},
    {"shift", SA_OPTION_SWITCH, SA_SCOPE_RUN, AT(shift), 0, 0, 1, NULL, NULL,
     "also report scores with every link moved to the previous and the next target word"},
    {"reverse", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(reverse), 0, 0, 0, NULL, "FILE",
     "alignments of the reverse direction (target-source), to be combined with LINKS"},
    {"combine", SA_OPTION_CHOICE, SA_SCOPE_RUN, AT(combine), GROW_DIAG, 0, 0,
     sa_symmetrization_name, "NAME", "symmetrization of the two directions"},
    {"target", SA_OPTION_INPUT, SA_SCOPE_RUN, AT(target), 0, 0, 0, NULL, "FILE",
     "target sentences; links beyond them or beyond --source are errors"},
    {0},
};
static const cli_option_set sets[] = {
    {"Options", rows, 0},
    {"Metrics", sa_metrics_options, AT(metrics)},
    {"Samples", sa_resampling_options, AT(resampling)},
    {"Alignments", link_rows, 0},
    {0},
};

enum { WORDS = 1 + SCORE_REFERENCES };

/* ---- Options that exclude each other --------------------------------------------------------- */

static bool refuse(bool wrong, const char *option, const char *why, sa_error *error) {
    return !wrong || sa_fail(error, SA_USAGE, "score: --%s %s", option, why);
}

static bool check_links(const score_options *options, size_t count, sa_error *error) {
    const char *why = "applies to texts, not --alignments";
    return (count == 2 ||
            sa_fail(error, SA_USAGE, "score: --alignments compares two files: LINKS GOLD")) &&
           refuse(options->sentence, "sentence", why, error) &&
           refuse(options->against, "against", why, error) &&
           refuse(options->confidence, "confidence", why, error) &&
           refuse(options->by_length, "by-length", why, error);
}

static bool check_texts(const score_options *options, sa_error *error) {
    const char *why = "needs --alignments", *alone = "needs --json with --sentence";
    const bool lines = options->sentence && !options->json;
    return refuse(options->reverse, "reverse", why, error) &&
           refuse(options->target, "target", why, error) &&
           refuse(options->shift, "shift", why, error) &&
           refuse(options->links_base, "links-base", why, error) &&
           refuse(options->gold_base, "gold-base", why, error) &&
           refuse(options->combine != GROW_DIAG, "combine", why, error) &&
           refuse(options->by_length && !options->source, "by-length", "needs --source FILE",
                  error) &&
           refuse(options->source && !options->by_length, "source",
                  "is read for --by-length or --alignments", error) &&
           refuse(lines && options->against, "against", alone, error) &&
           refuse(lines && options->confidence, "confidence", alone, error) &&
           refuse(lines && options->by_length, "by-length", alone, error);
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool run(int count, char **arguments, sa_error *error) {
    score_options options;
    const char *words[WORDS];
    size_t given = 0;
    for (const cli_option_set *set = sets; set->rows; set++)
        sa_options_init(set->rows, (char *)&options + set->at);
    if (!cli_read(&cli_score, count, arguments, &options, words, error)) return false;
    while (given < WORDS && words[given]) given++;
    if (options.alignments)
        return check_links(&options, given, error) && score_links(&options, words, error);
    if (options.sentence) options.metrics.effective_order = true;
    return check_texts(&options, error) && score_texts(&options, words, given, error);
}

const cli_command cli_score = {
    .name = "score",
    .words = "HYPOTHESES REFERENCES...",
    .least = 2,
    .most = WORDS,
    .summary = "score the output of any system: BLEU, chrF, AER",
    .details =
        "Compares the lines of HYPOTHESES with those of one or several files of REFERENCES. "
        "BLEU and chrF (from 0 to 100) are those of sacreBLEU 2.6, with its signatures: "
        "scores can be compared only when their signatures are equal. 'exact' is the fraction "
        "of lines equal to a reference, ignoring whitespace. 'tokens' (token accuracy) is the "
        "fraction of the reference's tokens, split as for BLEU, that the hypothesis has at "
        "the same position; of several references the best one counts.\n"
        "--confidence and --against draw --samples bootstrap samples of as many sentences as "
        "there are. 95 % of the samples' differences lie between the two figures beside the "
        "difference. p is that of the paired bootstrap (Koehn 2004): the fraction of samples "
        "whose difference deviates from its mean by more than the difference itself.\n"
        "With --alignments the two files hold word alignments in Pharaoh format, '0-0 1-2', "
        "with possible links as '3p1'; a line may begin with its number and a tab. AER = 1 - "
        "(|A and S| + |A and P|) / (|A| + |S|), precision = |A and P| / |A|, recall = |A and "
        "S| / |S|, over all lines, with A the links, S the sure links of GOLD and P all links "
        "of GOLD.\n",
    .example = "  cut -f 1 unseen.tsv | softalign translate mono/best.safetensors > hyp.txt\n"
               "  cut -f 2 unseen.tsv > ref.txt\n"
               "  softalign score hyp.txt ref.txt --confidence\n"
               "  softalign align mono/best.safetensors unseen.tsv --pharaoh links.txt\n"
               "  cut -f 3 unseen.tsv > gold.txt\n"
               "  softalign score --alignments links.txt gold.txt --shift\n",
    .sets = sets,
    .run = run,
};
