/* help: everything the program says about itself, made from the rows of commands and options. */
#include "base/number.h"
#include "cli/command.h"
#include "cli/output.h"

#include <string.h>

enum { OPTION = 24, NAME = 14, ITEM = 18 };

/* ---- Text ------------------------------------------------------------------------------------ */

/* "  name      text ..." */
static void entry(sa_buffer *out, const char *name, const char *text, size_t column) {
    sa_buffer_addf(out, "  %s", name);
    size_t used = strlen(name) + 2;
    if (used + 1 > column) {
        sa_buffer_adds(out, "\n");
        used = 0;
    }
    sa_buffer_addf(out, "%*s", (int)(column - used), "");
    cli_wrap(out, text, column);
}

/* ---- Options --------------------------------------------------------------------------------- */

/* "1 to 8192", or the names to choose from. */
static void allowed(const sa_option *row, sa_buffer *out) {
    if (row->kind == SA_OPTION_CHOICE) {
        sa_option_format_range(row, out);
    } else if (row->kind != SA_OPTION_TEXT && row->kind != SA_OPTION_SWITCH) {
        sa_number_add(out, row->least);
        sa_buffer_adds(out, " to ");
        sa_number_add(out, row->most);
    }
}

static void option(const sa_option *row, sa_buffer *out) {
    char name[64];
    sa_buffer text = {0};
    snprintf(name, sizeof name, "--%s%s%s", row->name, row->value ? " " : "",
             row->value ? row->value : "");
    sa_buffer_adds(&text, row->help);
    if (row->kind != SA_OPTION_TEXT && row->kind != SA_OPTION_SWITCH) {
        sa_buffer_adds(&text, " [");
        allowed(row, &text);
        sa_buffer_adds(&text, "; default ");
        sa_option_format(row, row->default_value, &text);
        sa_buffer_adds(&text, "]");
    }
    if (text.failed)
        out->failed = true;
    else
        entry(out, name, text.text, OPTION);
    sa_buffer_release(&text);
}

static void option_row(const sa_option *row, sa_buffer *out) {
    sa_buffer_addf(out, "| `--%s%s%s` | ", row->name, row->value ? " " : "",
                   row->value ? row->value : "");
    for (const char *text = row->help; *text; text++) /* a bar would end the cell */
        sa_buffer_addf(out, *text == '|' ? "\\%c" : "%c", *text);
    sa_buffer_adds(out, " | ");
    allowed(row, out);
    sa_buffer_adds(out, " | ");
    if (row->kind != SA_OPTION_TEXT) sa_option_format(row, row->default_value, out);
    sa_buffer_adds(out, " |\n");
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static void usage(const cli_command *command, sa_buffer *out) {
    sa_buffer_addf(out, "softalign %s%s%s%s", command->name, *command->words ? " " : "",
                   command->words, command->sets->rows ? " [options]" : "");
}

static void overview(sa_buffer *out) {
    sa_buffer_addf(out,
                   "softalign %s: small neural translation models on a CPU, with hand-written\n"
                   "gradients, and what attention does inside them.\n\nCommands:\n",
                   sa_version());
    for (const cli_command *const *command = cli_commands; *command; command++)
        entry(out, (*command)->name, (*command)->summary, NAME);
    sa_buffer_adds(out, "\n'softalign help COMMAND' says more. Exit codes:\n");
    static const char *const codes[][2] = {
        {"0", "done"},
        {"1", "a check failed"},
        {"2", "wrong usage"},
        {"3", "a corpus or model file is damaged or impossible"},
        {"4", "a file cannot be opened"},
        {"5", "reading or writing failed"},
        {"6", "the output folder belongs to another training"},
        {"7", "memory or a size limit"},
        {"8", "the training diverged"},
        {"128+n", "stopped by signal n, after saving"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        entry(out, codes[i][0], codes[i][1], NAME);
}

static void page(const cli_command *command, sa_buffer *out) {
    sa_buffer line = {0};
    usage(command, &line);
    sa_buffer_adds(out, "Usage: ");
    out->failed |= line.failed;
    cli_wrap(out, line.failed ? "" : line.text, strlen("Usage: "));
    sa_buffer_release(&line);
    sa_buffer_adds(out, "\n");
    for (const char *text = command->details; *text; text += strcspn(text, "\n") + 1)
        cli_wrap(out, text, 0);
    if (command->items) sa_buffer_addf(out, "\n%s:\n", command->items);
    const char *text;
    for (size_t i = 0; command->items && command->item(i, &text); i++)
        entry(out, command->item(i, &text), text, ITEM);
    for (const cli_option_set *set = command->sets; set->rows; set++) {
        sa_buffer_addf(out, "\n%s:\n", set->title);
        for (const sa_option *row = set->rows; row->name; row++) option(row, out);
    }
    sa_buffer_addf(out, "\nExample:\n%s", command->example);
}

static bool has_table(const cli_command *command, const sa_option *table) {
    const cli_option_set *set = command->sets;
    while (set->rows && set->rows != table) set++;
    return set->rows != NULL;
}

/* A table of options under the names of all commands that take it; nothing when an earlier command
 * takes it, too. */
static void table(const cli_command *const *first, const cli_option_set *set, sa_buffer *out) {
    for (const cli_command *const *earlier = cli_commands; earlier < first; earlier++)
        if (has_table(*earlier, set->rows)) return;
    sa_buffer_addf(out, "\n%s of `%s`", set->title, (*first)->name);
    for (const cli_command *const *other = first + 1; *other; other++)
        if (has_table(*other, set->rows)) sa_buffer_addf(out, ", `%s`", (*other)->name);
    sa_buffer_adds(out, ":\n\n| option | meaning | allowed | default |\n|---|---|---|---|\n");
    for (const sa_option *row = set->rows; row->name; row++) option_row(row, out);
}

/* What an option chooses from. */
static void choices(const char *title,
                    const char *(*row)(size_t, const char **formula, const char **citation),
                    sa_buffer *out) {
    const char *name, *formula, *citation;
    sa_buffer_addf(out, "\n%s:\n\n| name | formula | from |\n|---|---|---|\n", title);
    for (size_t i = 0; (name = row(i, &formula, &citation)); i++)
        sa_buffer_addf(out, "| `%s` | %s | %s |\n", name, formula, citation);
}

/* The tables of the README. */
static void markdown(sa_buffer *out) {
    sa_buffer_adds(out, "| command | what it does |\n|---|---|\n");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        sa_buffer_adds(out, "| `");
        usage(*command, out);
        sa_buffer_addf(out, "` | %s |\n", (*command)->summary);
    }
    for (const cli_command *const *command = cli_commands; *command; command++)
        for (const cli_option_set *set = (*command)->sets; set->rows; set++)
            table(command, set, out);
    choices("Decoders (`--decoder`), with s_i the state, c_i the context, y_i the words",
            sa_decoder_info, out);
    choices("Scores (`--attention`), with s the decoder's state and h_j an annotation",
            sa_attention_info, out);
    choices("Cells (`--cell`, and for `gru` `--reset` and `--update`), with s' the state before",
            sa_cell_info, out);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct help_options {
    bool markdown;
} help_options;

static const sa_option rows[] = {
    {"markdown", SA_OPTION_SWITCH, SA_SCOPE_RUN, offsetof(help_options, markdown), 0, 0, 1, NULL,
     NULL, "print all commands and options as Markdown tables"},
    {0},
};
static const cli_option_set sets[] = {{"Options", rows, 0}, {0}};

static bool run(int count, char **arguments, sa_error *error) {
    help_options options;
    sa_options_init(rows, &options);
    const char *word;
    if (!cli_read(&cli_help, count, arguments, &options, &word, error)) return false;
    const cli_command *command = word ? cli_find(word, error) : NULL;
    if (word && !command) return false;
    sa_buffer out = {0};
    if (options.markdown)
        markdown(&out);
    else if (command)
        page(command, &out);
    else
        overview(&out);
    bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

const cli_command cli_help = {
    .name = "help",
    .words = "[COMMAND]",
    .most = 1,
    .summary = "this overview, or all about one command",
    .details = "Shows all commands, or the options of one and an example to try.\n",
    .example = "  softalign help train\n",
    .sets = sets,
    .run = run,
};
