/* help: the list of commands, and what the program prints about them and their options. */
#include "base/nearest.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/output.h"

#include <string.h>

enum { OPTION = 24, NAME = 14, ITEM = 18 };

/* ---- Commands ------------------------------------------------------------------------------- */

static const cli_command *const all_commands[] = {
    &cli_corpus, &cli_train,   &cli_translate, &cli_align, &cli_eval,    &cli_score, &cli_compare,
    &cli_attend, &cli_explain, &cli_gradcheck, &cli_prove, &cli_inspect, &cli_ibm1,  &cli_bpe,
    &cli_clean,  &cli_film,    &cli_average,   &cli_help,  NULL,
};
const cli_command *const *cli_commands = all_commands;

const cli_command *cli_find(const char *name, sa_error *error) {
    sa_nearest nearest = {.wanted = name};
    for (const cli_command *const *command = cli_commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) return *command;
        sa_nearest_consider(&nearest, (*command)->name);
    }
    char hint[128];
    sa_fail(error, SA_USAGE, "unknown command '%s'%s; '%s help' lists all", name,
            sa_nearest_hint(&nearest, hint, sizeof hint), cli_name);
    return NULL;
}

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

/* " [1 to 8192; default 64]" */
static void option_range(const cli_option_set *set, const sa_option *row, sa_buffer *out) {
    if (sa_option_is_text(row) || row->kind == SA_OPTION_SWITCH) return;
    sa_buffer_adds(out, " [");
    if (row->kind == SA_OPTION_CHOICE) {
        sa_option_format_range(row, out);
    } else {
        sa_number_add(out, row->min);
        sa_buffer_adds(out, " to ");
        sa_number_add(out, row->max);
        for (size_t i = 0; row->choice && row->choice(i); i++)
            sa_buffer_addf(out, " or %s", row->choice(i));
    }
    sa_buffer_adds(out, "; default ");
    sa_option_format(row, cli_default_of(set, row), out);
    sa_buffer_adds(out, "]");
}

static void option(const cli_option_set *set, const sa_option *row, sa_buffer *out) {
    char name[64];
    sa_buffer text = {0};
    snprintf(name, sizeof name, "--%s%s%s", row->name, row->value ? " " : "",
             row->value ? row->value : "");
    sa_buffer_adds(&text, row->help);
    option_range(set, row, &text);
    if (text.failed)
        out->failed = true;
    else
        entry(out, name, text.text, OPTION);
    sa_buffer_release(&text);
}

/* ---- Pages ----------------------------------------------------------------------------------- */

static const char *const exit_codes[][2] = {
    {"0", "done"},
    {"1", "a check failed"},
    {"2", "wrong usage"},
    {"3", "a corpus or model file is damaged or invalid"},
    {"4", "a file cannot be opened"},
    {"5", "reading or writing failed"},
    {"6", "the output directory holds a training, or one is writing to it"},
    {"7", "out of memory or beyond a size limit"},
    {"8", "the training diverged"},
    {"128+n", "stopped by signal n; a training is saved first"},
};

static void overview(sa_buffer *out) {
    sa_buffer_addf(out,
                   "%s %s: small neural translation models on a CPU, with hand-written\n"
                   "gradients, and what attention does inside them.\n\nCommands:\n",
                   cli_name, sa_version());
    for (const cli_command *const *command = cli_commands; *command; command++)
        entry(out, (*command)->name, (*command)->summary, NAME);
    sa_buffer_addf(out, "\n'%s help COMMAND' says more. Exit codes:\n", cli_name);
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        entry(out, exit_codes[i][0], exit_codes[i][1], NAME);
}

static void page(const cli_command *command, sa_buffer *out) {
    sa_buffer line = {0};
    const cli_option_set *set;
    sa_buffer_addf(&line, "%s %s%s%s [options]", cli_name, command->name,
                   *command->words ? " " : "", command->words);
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
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++) {
        sa_buffer_addf(out, "\n%s:\n", set->title);
        for (const sa_option *row = set->rows; row->name; row++) option(set, row, out);
    }
    sa_buffer_addf(out, "\nExample:\n%s", command->example);
}

/* ---- Markdown, of which scripts/manual makes the manual pages -------------------------------- */

static void markdown_option(const cli_option_set *set, const sa_option *row, sa_buffer *out) {
    sa_buffer_addf(out, "\n`--%s`", row->name);
    if (row->value) sa_buffer_addf(out, " *%s*", row->value);
    sa_buffer_addf(out, "\n: %s", row->help);
    option_range(set, row, out);
    sa_buffer_adds(out, "\n");
}

static void markdown_items(const cli_command *command, sa_buffer *out) {
    const char *name, *text;
    if (command->items) sa_buffer_addf(out, "\n## %s\n", command->items);
    for (size_t i = 0; command->items && (name = command->item(i, &text)); i++) {
        const size_t first_line = strcspn(text, "\n");
        sa_buffer_addf(out, "\n`%s`\n: %.*s\n", name, (int)first_line, text);
        if (text[first_line] && text[first_line + 1])
            sa_buffer_addf(out, "\n```\n%s```\n", text + first_line + 1);
    }
}

/* What an option chooses from. */
static void markdown_equations(const char *title,
                               const char *(*row)(size_t, const char **formula,
                                                  const char **citation),
                               sa_buffer *out) {
    const char *name, *formula, *citation;
    sa_buffer_addf(out, "\n### %s\n", title);
    for (size_t i = 0; (name = row(i, &formula, &citation)); i++)
        sa_buffer_addf(out, "\n`%s`\n: %s (%s)\n", name, formula, citation);
}

static void markdown_page(const cli_command *command, sa_buffer *out) {
    sa_buffer_addf(out, "# softalign-%s 1\n\n## NAME\n\nsoftalign-%s - %s\n\n## SYNOPSIS\n\n",
                   command->name, command->name, command->summary);
    const cli_option_set *set;
    sa_buffer_addf(out, "`softalign %s`%s%s [*options*]\n\n## DESCRIPTION\n", command->name,
                   *command->words ? " " : "", command->words);
    for (const char *text = command->details; *text; text += strcspn(text, "\n") + 1)
        sa_buffer_addf(out, "\n%.*s\n", (int)strcspn(text, "\n"), text);
    sa_buffer_adds(out, "\n## OPTIONS\n");
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++) {
        if (strcmp(set->title, "Options") != 0) sa_buffer_addf(out, "\n### %s\n", set->title);
        for (const sa_option *row = set->rows; row->name; row++) markdown_option(set, row, out);
    }
    markdown_items(command, out);
    if (command == &cli_train) {
        sa_buffer_adds(out, "\n## EQUATIONS\n");
        markdown_equations("Decoders (--decoder), with state s_i, context c_i and tokens y_i",
                           sa_decoder_info, out);
        markdown_equations("Scores (--attention), with the decoder's state s and annotations h_j",
                           sa_attention_info, out);
        markdown_equations("Normalizers (--normalizer), with scores e_j and weights alpha_j",
                           sa_normalizer_info, out);
        markdown_equations("Coverage (--coverage), with the weights alpha of earlier target words",
                           sa_coverage_info, out);
        markdown_equations(
            "Positions (--positions), of word t, and of query i, key j and score e_ij",
            sa_position_info, out);
        markdown_equations(
            "Cells (--cell; for gru also --reset and --update), with previous state s'",
            sa_cell_info, out);
    }
    sa_buffer_addf(out, "\n## EXAMPLE\n\n```\n%s```\n", command->example);
}

static void markdown_overview(sa_buffer *out) {
    sa_buffer_adds(out, "# softalign 1\n\n## NAME\n\nsoftalign - train small neural translation "
                        "models on a CPU and see what attention does in them\n\n## SYNOPSIS\n\n"
                        "`softalign` *command* [*arguments*]\n\n`softalign help` [*command*]\n\n"
                        "`softalign --version`\n\n## DESCRIPTION\n\n## COMMANDS\n");
    for (const cli_command *const *command = cli_commands; *command; command++)
        sa_buffer_addf(out, "\n`softalign-%s`(1)\n: %s\n", (*command)->name, (*command)->summary);
    sa_buffer_adds(out, "\n## EXIT STATUS\n");
    for (size_t i = 0; i < sizeof exit_codes / sizeof *exit_codes; i++)
        sa_buffer_addf(out, "\n`%s`\n: %s\n", exit_codes[i][0], exit_codes[i][1]);
    sa_buffer_addf(out, "\n## EXAMPLE\n\n```\n%s```\n", cli_help.example);
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct help_options {
    bool markdown;
} help_options;

static const sa_option rows[] = {
    {"markdown", SA_OPTION_SWITCH, SA_SCOPE_RUN, offsetof(help_options, markdown), 0, 0, 1, NULL,
     NULL, "print Markdown; the manual pages are made of it"},
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
    if (command)
        (options.markdown ? markdown_page : page)(command, &out);
    else
        (options.markdown ? markdown_overview : overview)(&out);
    bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}

static const char *command_name(size_t row, const char **text) {
    *text = cli_commands[row] ? cli_commands[row]->summary : NULL;
    return cli_commands[row] ? cli_commands[row]->name : NULL;
}

const cli_command cli_help = {
    .name = "help",
    .words = "[COMMAND]",
    .most = 1,
    .summary = "show all commands, or the options of one",
    .details = "Shows all commands, or the options of one and an example.\n",
    .example = "  softalign help train\n",
    .texts = 1,
    .sets = sets,
    .run = run,
    .items = "Commands",
    .item = command_name,
};
