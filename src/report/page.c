/* page: sa_page_... of softalign/report.h, for programs that put a page together step by step. */
#include "config/settings.h"
#include "data/corpus.h"
#include "report/film.h"

#include <stdlib.h>

struct sa_page {
    sa_html_report report; /* empty once the page is complete */
    sa_buffer html;
};

static bool is_added(sa_page *page, sa_error *error) {
    page->report.failed |= sa_json_short();
    return !page->report.failed || sa_fail_memory(error, 0);
}

sa_page *sa_page_open(const char *title, const char *model, const sa_settings *settings,
                      sa_error *error) {
    if (!sa_given(title, "title", error) || !sa_given(model, "model", error) ||
        (settings && !sa_settings_check(settings, error)))
        return NULL;
    sa_json_watch();
    sa_page *page = sa_new(1, sizeof *page, error);
    if (!page) return NULL;
    sa_html_report_init(&page->report, "libsoftalign", title, 1);
    sa_html_report_model(&page->report, model, settings, 1);
    if (is_added(page, error)) return page;
    sa_page_close(page);
    return NULL;
}

void sa_page_close(sa_page *page) {
    if (!page) return;
    sa_html_report_release(&page->report);
    sa_buffer_release(&page->html);
    free(page);
}

/* Checks that something can still be added. */
static bool is_open(const sa_page *page, sa_error *error) {
    sa_json_watch();
    return sa_given(page, "page", error) &&
           (page->report.data || sa_fail(error, SA_USAGE, "'page' is complete"));
}

bool sa_page_add_alignment(sa_page *page, const sa_alignment *alignment, sa_attention_site site,
                           const char *gold, sa_error *error) {
    sa_link *links;
    size_t count;
    if (!is_open(page, error) || !sa_given_alignment(alignment, "alignment", error) ||
        !sa_given(alignment->weights, "alignment->weights", error) ||
        !sa_within(alignment->heads, 1, INT32_MAX, "alignment->heads", error) ||
        !sa_within((int64_t)site, SA_SITE_CROSS, SA_SITE_PREFIX, "site", error) ||
        !sa_links_parse_gold(&(sa_corpus){.name = "page"},
                             &(sa_pair){.gold = gold ? gold : "", .line = page->report.offered + 1},
                             alignment->sources - 1, alignment->targets - 1, &links, &count, error))
        return false;
    sa_html_report_site(&page->report, site);
    sa_html_report_matrix(&page->report, page->report.offered, alignment, links, count);
    free(links);
    return is_added(page, error);
}

bool sa_page_add_training(sa_page *page, const char *folder, sa_error *error) {
    return is_open(page, error) && sa_given(folder, "folder", error) &&
           sa_html_report_add_file(&page->report, folder, "log.csv", error) &&
           sa_html_report_film(&page->report, folder, error) && is_added(page, error);
}

const char *sa_page_html(sa_page *page, sa_error *error) {
    if (!sa_given(page, "page", error)) return NULL;
    sa_json_watch();
    if (page->report.data) sa_html_report_write(&page->report, &page->html);
    return !page->html.failed || sa_fail_memory(error, 0) ? page->html.text : NULL;
}
