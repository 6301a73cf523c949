/* help: prints the list of commands, the options of one command, or a table of everything for
 * programs. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

enum { OPTION = 24, NAME = 14, ITEM = 18 };

/* ---- Commands -------------------------------------------------------------------------------- */

static const cli_command *const all_commands[] = {
    &cli_corpus,      &cli_train,     &cli_translate, &cli_align,   &cli_eval,
    &cli_score,       &cli_compare,   &cli_attend,    &cli_explain, &cli_attribute,
    &cli_annotations, &cli_gradcheck, &cli_prove,     &cli_inspect, &cli_models,
    &cli_align_words, &cli_bpe,       &cli_clean,     &cli_film,    &cli_average,
    &cli_help,        NULL,
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

static const char *text_of(const char *name) {
    char title[32];
    snprintf(title, sizeof title, "\n## %s\n\n", name);
    const char *found = strstr((const char *)cli_help_text, title);
    sa_require(found);
    return found + strlen(title);
}

/* Returns the next paragraph, which is one line, or NULL where the example begins. */
static const char *next_paragraph(const char *text) {
    text += strcspn(text, "\n");
    text += strspn(text, "\n");
    return *text == '`' ? NULL : text;
}

static void add_example(const cli_command *command, sa_buffer *out) {
    const char *code = strstr(text_of(command->name), "```sh\n") + strlen("```sh\n");
    sa_buffer_add(out, code, (size_t)(strstr(code, "```") - code));
}

/* Appends "  name      text ...". */
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

/* Returns the default of an option of the set. */
static double default_of(const cli_option_set *set, const sa_option *option) {
    for (const char *const *name = set->zero; name && *name; name++)
        if (strcmp(*name, option->name) == 0) return 0;
    return option->default_value;
}

/* Appends " [1 to 8192; default 64]". */
static void option_range(const cli_option_set *set, const sa_option *option, sa_buffer *out) {
    if (sa_option_is_text(option) || option->kind == SA_OPTION_SWITCH) return;
    sa_buffer_adds(out, " [");
    sa_option_format_range(option, true, out);
    sa_buffer_adds(out, "; default ");
    sa_option_format(option, default_of(set, option), out);
    sa_buffer_adds(out, "]");
}

static void add_option(const cli_option_set *set, const sa_option *option, sa_buffer *out) {
    char name[64];
    sa_buffer text = {0};
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    sa_buffer_adds(&text, option->help);
    option_range(set, option, &text);
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

static bool comes_first(const cli_command *command, const sa_option *option) {
    char word[64];
    snprintf(word, sizeof word, " %s ", option->name);
    return command->first && strstr(command->first, word);
}

static void page(const cli_command *command, sa_buffer *out) {
    char usage[256];
    const cli_option_set *set;
    const sa_option *option;
    snprintf(usage, sizeof usage, "%s %s%s%s [options]", cli_name, command->name,
             *command->words ? " " : "", command->words);
    sa_buffer_adds(out, "Usage: ");
    cli_wrap(out, usage, strlen("Usage: "));
    sa_buffer_adds(out, "\n");
    for (size_t i = 0; command->first && (option = cli_option_at(command, i, &set)); i++)
        if (comes_first(command, option)) add_option(set, option, out);
    if (command->first) sa_buffer_adds(out, "\n");
    for (const char *text = text_of(command->name); text; text = next_paragraph(text))
        cli_wrap(out, text, 0);
    if (command->items) sa_buffer_addf(out, "\n%s:\n", command->items);
    const char *text;
    for (size_t i = 0; command->items && command->item(i, &text, NULL); i++)
        entry(out, command->item(i, &text, NULL), text, ITEM);
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++) {
        if (!set->options->heading) sa_buffer_addf(out, "\n%s:\n", set->title);
        for (option = set->options; option->name; option++) {
            if (option->heading) sa_buffer_addf(out, "\n%s:\n", option->heading);
            if (!comes_first(command, option)) add_option(set, option, out);
        }
    }
    sa_buffer_adds(out, "\nExample:\n");
    add_example(command, out);
}

/* ---- For programs: scripts/dev/manual and scripts/dev/completion ----------------------------- */

static void list_option(const cli_command *command, const cli_option_set *set,
                        const sa_option *option, sa_buffer *out) {
    const bool titled = option == set->options && strcmp(set->title, "Options") != 0;
    const char *choice, *value = option->value ? option->value : "";
    sa_buffer_addf(out, "option\t%s\t--%s\t%s\t", command->name, option->name, value);
    for (size_t i = 0; option->kind != SA_OPTION_FOLDER && (choice = sa_option_choice(option, i));
         i++)
        sa_buffer_addf(out, "%s ", choice);
    sa_buffer_addf(out, "\t%s", option->help);
    option_range(set, option, out);
    sa_buffer_addf(out, "\t%s\n", option->heading ? option->heading : titled ? set->title : "");
}

/* Appends a table with tabs between the cells:
 *
 *   command   COMMAND WORDS SUMMARY, the number of words that are items below
 *   option    COMMAND --OPTION VALUE CHOICES EXPLANATION, the heading that begins here
 *   item      COMMAND TITLE NAME EXPLANATION, in which "\\" ends a line
 *   equation  TITLE NAME FORMULA CITATION */
static void list_all(sa_buffer *out) {
    const cli_option_set *set;
    const sa_option *option;
    const char *name, *text, *citation;
    for (const cli_command *const *next = cli_commands; *next; next++) {
        const cli_command *command = *next;
        sa_buffer_addf(out, "command\t%s\t%s\t%s\t%d\n", command->name, command->words,
                       command->summary, command->items ? (int)(command->texts & 1) : 0);
        for (size_t i = 0; (option = cli_option_at(command, i, &set)); i++)
            list_option(command, set, option, out);
        for (size_t i = 0; command->items && (name = command->item(i, &text, NULL)); i++) {
            sa_buffer_addf(out, "item\t%s\t%s\t%s\t", command->name, command->items, name);
            for (; *text; text++) sa_buffer_add(out, *text == '\n' ? "\\" : text, 1);
            sa_buffer_adds(out, "\n");
        }
    }
    for (const sa_formulas *table = sa_formula_tables; table->option; table++)
        for (size_t i = 0; (name = table->info(i, &text, &citation)); i++)
            sa_buffer_addf(out, "equation\t%s\t%s\t%s\t%s\n", table->title, name, text, citation);
}

/* ---- The command ----------------------------------------------------------------------------- */

static const sa_option rows[] = {
    {"options", SA_SWITCH(ONLY), "print a table of all commands and options for programs"},
    {0},
};

static bool run(cli_call *call, sa_error *error) {
    const bool *options = call->options;
    const char *word = call->words[0];
    const cli_command *command = word ? cli_find(word, error) : NULL;
    if (word && !command) return false;
    sa_buffer out = {0};
    if (*options)
        list_all(&out);
    else if (command)
        page(command, &out);
    else
        overview(&out);
    return cli_print(&out, error);
}

static const char *command_name(size_t i, const char **text, const char **none) {
    *text = cli_commands[i] ? cli_commands[i]->summary : NULL;
    return cli_commands[i] ? cli_commands[i]->name : NULL;
}

const cli_command cli_help = {
    .name = "help",
    .words = "[COMMAND]",
    .summary = "show all commands, or the options of one",
    .texts = 1,
    .size = sizeof(bool),
    .sets = {{"Options", rows, 0}},
    .run = run,
    .items = "Commands",
    .item = command_name,
};
