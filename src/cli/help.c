/* help: prints the list of commands, and a command's options, as text, as Markdown for
 * scripts/dev/manual, or as a table for scripts/dev/completion. */
#include "base/number.h"
#include "cli/command.h"
#include "cli/output.h"
#include "config/settings.h"

#include <stdio.h>
#include <string.h>

enum { OPTION = 24, NAME = 14, ITEM = 18 };

/* ---- Commands ------------------------------------------------------------------------------- */

static const cli_command *const all_commands[] = {
    &cli_corpus,  &cli_train,     &cli_translate,   &cli_align,
    &cli_eval,    &cli_score,     &cli_compare,     &cli_attend,
    &cli_explain, &cli_attribute, &cli_annotations, &cli_gradcheck,
    &cli_prove,   &cli_inspect,   &cli_align_words, &cli_bpe,
    &cli_clean,   &cli_film,      &cli_average,     &cli_help,
    NULL,
};
const cli_command *const *cli_commands = all_commands;

const cli_command *cli_find(const char *name, sa_error *error) {
    sa_nearest nearest = {.wanted = name};
    for (const cli_command *const *command = cli_commands; *command; command++) {
        if (strcmp((*command)->name, name) == 0) return *command;
        sa_nearest_consider(&nearest, (*command)->name);
    }
    sa_fail(error, SA_USAGE, "unknown command '%s'%s; '%s help' lists all", name,
            sa_nearest_hint(&nearest), cli_name);
    return NULL;
}

/* ---- Text ------------------------------------------------------------------------------------ */

extern const unsigned char cli_help_text[]; /* help.md, which the build embeds */

static const char *text_of(const char *name) {
    char title[32];
    snprintf(title, sizeof title, "\n## %s\n\n", name);
    const char *found = strstr((const char *)cli_help_text, title);
    sa_require(found);
    return found + strlen(title);
}

/* The paragraphs, each one line and an empty one, end where the code begins: the example. */
static const char *next_paragraph(const char *text) {
    text += strcspn(text, "\n");
    text += strspn(text, "\n");
    return *text == '`' ? NULL : text;
}

static void add_example(const cli_command *command, sa_buffer *out) {
    const char *code = strstr(text_of(command->name), "```sh\n") + strlen("```sh\n");
    sa_buffer_add(out, code, (size_t)(strstr(code, "```") - code));
}

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
    sa_option_format_range(row, true, out);
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

static void overview(sa_buffer *out) {
    sa_buffer_addf(out,
                   "%s %s: small neural translation models on a CPU, with hand-written\n"
                   "gradients, and what attention does inside them.\n\nCommands:\n",
                   cli_name, sa_version());
    for (const cli_command *const *command = cli_commands; *command; command++)
        entry(out, (*command)->name, (*command)->summary, NAME);
    sa_buffer_addf(out, "\n'%s help COMMAND' says more. Exit codes:\n", cli_name);
    for (const char *code = text_of("Exit codes"); *code; code += strspn(code, "\n")) {
        char name[NAME];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(code + 1, "`"), code + 1);
        code = strstr(code, "\n: ") + strlen("\n: ");
        entry(out, name, code, NAME);
        code += strcspn(code, "\n");
    }
}

static bool comes_first(const cli_command *command, const sa_option *row) {
    char word[64];
    snprintf(word, sizeof word, " %s ", row->name);
    return command->first && strstr(command->first, word);
}

static void page(const cli_command *command, sa_buffer *out) {
    char usage[256];
    const cli_option_set *set;
    const sa_option *row;
    snprintf(usage, sizeof usage, "%s %s%s%s [options]", cli_name, command->name,
             *command->words ? " " : "", command->words);
    sa_buffer_adds(out, "Usage: ");
    cli_wrap(out, usage, strlen("Usage: "));
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; command->first && (row = cli_option_at(command, i, &set)); i++)
        if (comes_first(command, row)) option(set, row, out);
    if (command->first) sa_buffer_adds(out, "\n");
    for (const char *text = text_of(command->name); text; text = next_paragraph(text))
        cli_wrap(out, text, 0);
    if (command->items) sa_buffer_addf(out, "\n%s:\n", command->items);
    const char *text;
    for (size_t i = 0; command->items && command->item(i, &text); i++)
        entry(out, command->item(i, &text), text, ITEM);
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++) {
        if (!set->rows->heading) sa_buffer_addf(out, "\n%s:\n", set->title);
        for (row = set->rows; row->name; row++) {
            if (row->heading) sa_buffer_addf(out, "\n%s:\n", row->heading);
            if (!comes_first(command, row)) option(set, row, out);
        }
    }
    sa_buffer_adds(out, "\nExample:\n");
    add_example(command, out);
}

/* ---- Markdown, of which scripts/dev/manual makes the manual pages ------------------------------
 */

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

/* What options of train choose from. */
static const struct {
    const char *title;
    const char *(*row)(size_t i, const char **formula, const char **citation);
} equations[] = {
    {"Decoders (--decoder), with state s_i, context c_i and tokens y_i", sa_decoder_info},
    {"Scores (--attention), with the decoder's state s and annotations h_j", sa_attention_info},
    {"Normalizers (--normalizer), with scores e_j and weights alpha_j", sa_normalizer_info},
    {"Coverage (--coverage), with the weights alpha of earlier target words", sa_coverage_info},
    {"Positions (--positions), of word t, and of query i, key j and score e_ij", sa_position_info},
    {"Cells (--cell; for gru also --reset and --update), with previous state s'", sa_cell_info},
};

static void markdown_equations(sa_buffer *out) {
    const char *name, *formula, *citation;
    sa_buffer_adds(out, "\n## EQUATIONS\n");
    for (size_t k = 0; k < sizeof equations / sizeof *equations; k++) {
        sa_buffer_addf(out, "\n### %s\n", equations[k].title);
        for (size_t i = 0; (name = equations[k].row(i, &formula, &citation)); i++)
            sa_buffer_addf(out, "\n`%s`\n: %s (%s)\n", name, formula, citation);
    }
}

static void markdown_example(const cli_command *command, sa_buffer *out) {
    sa_buffer_adds(out, "\n## EXAMPLE\n\n```\n");
    add_example(command, out);
    sa_buffer_adds(out, "```\n");
}

static void markdown_page(const cli_command *command, sa_buffer *out) {
    sa_buffer_addf(out, "# softalign-%s 1\n\n## NAME\n\nsoftalign-%s - %s\n\n## SYNOPSIS\n\n",
                   command->name, command->name, command->summary);
    const cli_option_set *set;
    sa_buffer_addf(out, "`softalign %s`%s%s [*options*]\n\n## DESCRIPTION\n", command->name,
                   *command->words ? " " : "", command->words);
    for (const char *text = text_of(command->name); text; text = next_paragraph(text))
        sa_buffer_addf(out, "\n%.*s\n", (int)strcspn(text, "\n"), text);
    sa_buffer_adds(out, "\n## OPTIONS\n");
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++) {
        if (strcmp(set->title, "Options") != 0 && !set->rows->heading)
            sa_buffer_addf(out, "\n### %s\n", set->title);
        for (const sa_option *row = set->rows; row->name; row++) {
            if (row->heading) sa_buffer_addf(out, "\n### %s\n", row->heading);
            sa_buffer_addf(out, "\n`--%s`", row->name);
            if (row->value) sa_buffer_addf(out, " *%s*", row->value);
            sa_buffer_addf(out, "\n: %s", row->help);
            option_range(set, row, out);
            sa_buffer_adds(out, "\n");
        }
    }
    markdown_items(command, out);
    if (command == &cli_train) markdown_equations(out);
    markdown_example(command, out);
}

static void markdown_overview(sa_buffer *out) {
    sa_buffer_adds(out, "# softalign 1\n\n## NAME\n\nsoftalign - train small neural translation "
                        "models on a CPU and see what attention does in them\n\n## SYNOPSIS\n\n"
                        "`softalign` *command* [*arguments*]\n\n`softalign help` [*command*]\n\n"
                        "`softalign --version`\n\n## DESCRIPTION\n\n## COMMANDS\n");
    for (const cli_command *const *command = cli_commands; *command; command++)
        sa_buffer_addf(out, "\n`softalign-%s`(1)\n: %s\n", (*command)->name, (*command)->summary);
    sa_buffer_addf(out, "\n## EXIT STATUS\n\n%s", text_of("Exit codes"));
    markdown_example(&cli_help, out);
}

/* ---- A table, of which scripts/dev/completion makes completion ---------------------------------
 */

/* Rows of COMMAND, --OPTION, VALUE, the choices and the explanation; without an option the row is
 * that of the command, with its words for VALUE and the items that its first word may be. */
static void list_options(sa_buffer *out) {
    const cli_option_set *set;
    const sa_option *row;
    const char *name, *text;
    for (const cli_command *const *next = cli_commands; *next; next++) {
        const cli_command *command = *next;
        sa_buffer_addf(out, "%s\t\t%s\t", command->name, command->words);
        for (size_t i = 0; (command->texts & 1) && (name = command->item(i, &text)); i++)
            sa_buffer_addf(out, "%s ", name);
        sa_buffer_addf(out, "\t%s\n", command->summary);
        for (size_t i = 0; (row = cli_option_at(command, i, &set)); i++) {
            const char *value = row->value ? row->value : "";
            sa_buffer_addf(out, "%s\t--%s\t%s\t", command->name, row->name, value);
            for (size_t k = 0; (name = sa_option_choice(row, k)); k++)
                if (row->kind != SA_OPTION_FOLDER) sa_buffer_addf(out, "%s ", name);
            sa_buffer_addf(out, "\t%s\n", row->help);
        }
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

typedef struct help_options {
    bool markdown, options;
} help_options;

#define AT(field) offsetof(help_options, field)

static const sa_option rows[] = {
    {"markdown", SA_SWITCH(RUN(markdown)), "print Markdown; the manual pages are made of it"},
    {"options", SA_SWITCH(RUN(options)), "print a table of all commands and options for programs"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const help_options *options = call->options;
    const char *word = call->words[0];
    const cli_command *command = word ? cli_find(word, error) : NULL;
    if (word && !command) return false;
    sa_buffer out = {0};
    if (options->options)
        list_options(&out);
    else if (command)
        (options->markdown ? markdown_page : page)(command, &out);
    else
        (options->markdown ? markdown_overview : overview)(&out);
    return cli_print(&out, error);
}

static const char *command_name(size_t row, const char **text) {
    *text = cli_commands[row] ? cli_commands[row]->summary : NULL;
    return cli_commands[row] ? cli_commands[row]->name : NULL;
}

const cli_command cli_help = {
    .name = "help",
    .words = "[COMMAND]",
    .summary = "show all commands, or the options of one",
    .texts = 1,
    .size = sizeof(help_options),
    .sets = {{"Options", rows, 0}},
    .run = run,
    .items = "Commands",
    .item = command_name,
};
