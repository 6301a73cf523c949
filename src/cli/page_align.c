/* page_align: the matrices of a model for the HTML report (cli_report_align of page.h). */
#include "cli/report_data.h"
#include "data/tokenizer.h"

#include <stdlib.h>

typedef struct pages {
    cli_report *page;
    const sa_corpus *corpus;
    bool whole; /* tokens are words, and gold links stand between them */
} pages;

static bool add(void *context, size_t index, const sa_alignment *alignment, sa_error *error) {
    const pages *to = context;
    const sa_pair *pair = &to->corpus->pairs[index];
    sa_link *gold = NULL;
    size_t golds = 0;
    if (pair->gold && to->whole &&
        !sa_links_parse_gold(to->corpus, pair, alignment->sources - 1, alignment->targets - 1,
                             &gold, &golds, error))
        return false;
    cli_report_matrix(to->page, index, alignment, gold, golds);
    free(gold);
    return true;
}

bool cli_report_align(cli_report *page, sa_model *model, const sa_corpus *corpus, sa_error *error) {
    pages to = {page, corpus, !sa_tokenizers[sa_model_settings(model)->tokenizer].pieces};
    const size_t most = CLI_REPORT_SENTENCES;
    page->offered = corpus->count;
    return sa_align(model, NULL, corpus->pairs, corpus->count < most ? corpus->count : most, add,
                    &to, error);
}
