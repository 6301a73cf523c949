/* What goes into the HTML report. */
#include "report/html_report.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Packed weights -------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit(char letter) {
    const char *at = strchr(digits, letter);
    ck_assert_ptr_nonnull(at);
    return (int)(at - digits);
}

/* Reads what sa_page_weights wrote; returns how many weights there were. */
static size_t unpack(const json_t *packed, double *weights) {
    const char *text = json_string_value(packed);
    size_t count = 0;
    ck_assert_uint_eq(json_string_length(packed) % 2, 0);
    for (size_t i = 0; i < json_string_length(packed); i += 2) {
        int number = 64 * digit(text[i]) + digit(text[i + 1]);
        if (number < 1024)
            weights[count++] = number / 1000.0;
        else if (number > 3072)
            weights[count++] = (3072 - number) / 1000.0;
        else
            for (; number > 1024; number--) weights[count++] = 0;
    }
    return count;
}

START_TEST(weights_come_back) {
    enum { COUNT = 9000 };
    double *weights = calloc(COUNT, sizeof *weights), *back = calloc(2 * COUNT, sizeof *back);
    bool failed = false;
    weights[0] = 1, weights[1] = 0.5, weights[3] = 0.0004, weights[4] = 0.0006;
    for (int i = 10; i < 50; i++) weights[i] = 1.0 / i;
    weights[60] = -0.25, weights[61] = -0.001;
    weights[8000] = 0.25; /* behind more zeros than one number tells */
    json_t *packed = sa_page_weights(weights, COUNT, &failed);
    ck_assert(!failed);
    ck_assert_uint_eq(unpack(packed, back), COUNT);
    for (int i = 0; i < COUNT; i++) ck_assert_double_le(fabs(weights[i] - back[i]), 0.0005 + 1e-12);
    ck_assert_double_eq(back[8000], 0.25);
    ck_assert_double_eq(back[4], 0.001);
    json_decref(packed);
    free(weights), free(back);
}
END_TEST

START_TEST(weights_are_packed_as_written_down) {
    const double weights[] = {1, 0, 0, 0, 0.063, 1.5, -1};
    bool failed = false;
    json_t *packed = sa_page_weights(weights, 7, &failed),
           *none = sa_page_weights(NULL, 0, &failed);
    ck_assert(!failed);
    /* 1000, 3 zeros, 63, 1000, -1000 */
    ck_assert_str_eq(json_string_value(packed), "PoQDA/Po/o");
    ck_assert_str_eq(json_string_value(none), "");
    json_decref(packed), json_decref(none);
}
END_TEST

/* ---- The page -------------------------------------------------------------------------------- */

START_TEST(data_cannot_end_their_element) {
    sa_buffer page = {0};
    sa_page_write("{\"a\":\"</script><!--<script>&amp;\"}", &page);
    ck_assert(!page.failed);
    const char *data = strstr(page.text, "<script id=\"data\" type=\"application/json\">");
    ck_assert_ptr_nonnull(data);
    data = strchr(data, '>') + 1;
    data += strspn(data, " \n");
    const char *expected =
        "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u003cscript\\u003e\\u0026amp;\"}";
    ck_assert_mem_eq(data, expected, strlen(expected));
    data += strlen(expected);
    ck_assert_mem_eq(data + strspn(data, " \n"), "</script>", strlen("</script>"));
    sa_buffer_release(&page);
}
END_TEST

/* The names of SVG and MathML, and papers, which only a click opens. */
static bool is_known(const char *address) {
    static const char *const known[] = {
        "http://www.w3.org/2000/svg\"", "http://www.w3.org/1998/Math/MathML\"",
        "https://arxiv.org/abs/", "https://doi.org/10.", "https://www.evanmiller.org/attention"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(address, known[i], strlen(known[i])) == 0) return true;
    return false;
}

START_TEST(page_is_whole_and_asks_for_nothing) {
    sa_buffer page = {0};
    static const char *const never[] = {
        "http:",          "https:", "src=",      "href=",
        "@import",        "url(",   "innerHTML", "insertAdjacentHTML",
        "document.write", "eval(",  "@data@",    "@script@"};
    sa_page_write("{}", &page);
    ck_assert(strncmp(page.text, "<!doctype html>\n", 16) == 0);
    ck_assert_str_eq(page.text + page.size - 8, "</html>\n");
    ck_assert_ptr_nonnull(strstr(page.text, "default-src 'none'; script-src 'sha256-"));
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        const char *found = strstr(page.text, never[i]);
        while (found && is_known(found)) found = strstr(found + 1, never[i]);
        ck_assert_msg(!found, "the page has '%s'", never[i]);
    }
    sa_buffer_release(&page);
}
END_TEST

int main(void) {
    TCase *tests;
    Suite *suite = suite_of("page", &tests);
    tcase_add_test(tests, weights_come_back);
    tcase_add_test(tests, weights_are_packed_as_written_down);
    tcase_add_test(tests, data_cannot_end_their_element);
    tcase_add_test(tests, page_is_whole_and_asks_for_nothing);
    return suite_run(suite);
}
