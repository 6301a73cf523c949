/* pictures: attention matrices as pictures in files and on the terminal. */
#ifndef SA_CLI_PICTURES_H
#define SA_CLI_PICTURES_H

#include "base/option.h"
#include "report/figure.h"
#include "report/matrix.h"

enum { CLI_PICTURE_SVG, CLI_PICTURE_PNG, CLI_PICTURE_PDF, CLI_PICTURE_FORMS };

typedef struct cli_pictures {
    const char *folder[CLI_PICTURE_FORMS]; /* NULL: not wanted */
    int colormap;
} cli_pictures;

extern const sa_option cli_pictures_options[]; /* of cli_pictures */

bool cli_pictures_wanted(const cli_pictures *pictures);

/* SA_USAGE when this program was built without what the wanted forms need. */
bool cli_pictures_check(const cli_pictures *pictures, sa_error *error);

/* Writes the pictures of pair `index` (from 0), FOLDER/0001.svg ... `figure`: how they are drawn
 * but for the map. Says once, by `noted`, when fonts are missing. */
bool cli_pictures_save(const cli_pictures *pictures, size_t index, const sa_alignment *alignment,
                       const sa_figure *figure, bool *noted, sa_error *error);

/* What standard output can show: as many columns as the window has and colours as the variables
 * NO_COLOR, COLORTERM and TERM say; blocks and whole lines where it is no terminal. */
sa_terminal cli_screen(const cli_pictures *pictures);

#endif
