/* picture: sa_alignment_save of softalign/report.h. */
#include "base/file.h"
#include "report/figure.h"
#include "report/matrix.h"

#include <softalign/report.h>

#include <string.h>
#include <strings.h>

bool sa_alignment_save(const sa_alignment *alignment, sa_attention_site site, const char *path,
                       sa_error *error) {
    enum { CSV, SVG, PNG, PDF, ENDINGS };
    static const char *const endings[] = {".csv", ".svg", ".png", ".pdf"};
    if (!sa_given_alignment(alignment, "alignment", error) || !sa_given(path, "path", error) ||
        !sa_within((int64_t)site, SA_SITE_CROSS, SA_SITE_PREFIX, "site", error))
        return false;
    const char *dot = strrchr(path, '.');
    int ending = 0;
    while (ending < ENDINGS && (!dot || strcasecmp(dot, endings[ending]) != 0)) ending++;
    if (ending == ENDINGS)
        return sa_fail(error, SA_USAGE, "'%s' must end in .svg, .png, .pdf or .csv", path);
    sa_buffer text = {0};
    sa_drawing drawing = {0};
    const char *missing_glyphs;
    bool good =
        ending == CSV || sa_figure_draw(alignment, &(sa_figure){.site = site}, &drawing, error);
    if (ending == CSV)
        sa_matrix_csv(alignment, false, &text);
    else if (good && ending == SVG)
        sa_drawing_svg(&drawing, &text);
    else if (good)
        good = sa_drawing_paint(&drawing, ending == PDF, &text, &missing_glyphs, error);
    good = good && sa_save_text(path, &text, error);
    sa_drawing_release(&drawing);
    sa_buffer_release(&text);
    return good;
}
