/* complete: what may stand at the cursor, from the rows of which the help is made. The shells ask
 * by `softalign --complete`, see scripts/completion. */
#include "cli/command.h"
#include "cli/output.h"
#include "config/preset.h"
#include "config/settings.h"

#include <string.h>

/* The command line up to the cursor. */
typedef struct cursor {
    const cli_command *command;
    char **words; /* the last one is being typed */
    int count;
    const char *current;     /* what completes: the last word behind its `kept` characters */
    const sa_option *option; /* whose value comes next; NULL: none */
    int position;            /* of the next word that is no option */
    bool only_words;         /* after "--" */
} cursor;

/* ---- The answer ------------------------------------------------------------------------------ */

/* The answer begins with two lines: the part of the current word that stays, and what may follow
 * it: words, parts (of a word: no space follows), files with their patterns, or folders. */
static void begin(const cursor *at, const char *kind, sa_buffer *out) {
    const char *word = at->words[at->count - 1];
    sa_buffer_add(out, word, (size_t)(at->current - word));
    sa_buffer_addf(out, "\n%s\n", kind);
}

/* "word TAB its explanation", of which the first line is taken. */
static void offer(const char *word, const char *text, sa_buffer *out) {
    sa_buffer_addf(out, "%s\t", word);
    sa_buffer_add(out, text, strcspn(text, "\n"));
    sa_buffer_adds(out, "\n");
}

/* Patterns for file names by what help calls the argument; others may have any name. */
static const char *file_kind(const char *argument) {
    static const struct {
        const char *argument, *kind;
    } kinds[] = {
        {"MODEL", "files *.safetensors"},
        {"PAIRS", "files *.tsv *.tsv.gz"},
        {"CSV", "files *.csv"},
        {"DIR", "folders"},
        {NULL, "files"},
    };
    size_t i = 0;
    while (kinds[i].argument &&
           strncmp(kinds[i].argument, argument, strlen(kinds[i].argument)) != 0)
        i++;
    return kinds[i].kind;
}

/* ---- Options --------------------------------------------------------------------------------- */

static bool is_named(const sa_option *row, const char *argument) {
    const size_t size = strlen(row->name);
    return strncmp(argument, "--", 2) == 0 && strncmp(argument + 2, row->name, size) == 0 &&
           (argument[size + 2] == 0 || argument[size + 2] == '=');
}

static const sa_option *find_option(const cli_command *command, const char *argument) {
    const cli_option_set *set;
    for (size_t i = 0; (set = cli_option_set_at(command, i)); i++)
        for (const sa_option *row = set->rows; row->name; row++)
            if (is_named(row, argument)) return row;
    return NULL;
}

static bool is_given(const cursor *at, const sa_option *row) {
    for (int i = 1; i < at->count - 1; i++)
        if (is_named(row, at->words[i])) return true;
    return false;
}

static void offer_options(const cursor *at, sa_buffer *out) {
    char name[64];
    const cli_option_set *set;
    begin(at, "words", out);
    for (size_t i = 0; (set = cli_option_set_at(at->command, i)); i++)
        for (const sa_option *row = set->rows; row->name; row++) {
            snprintf(name, sizeof name, "--%s", row->name);
            if (!is_given(at, row)) offer(name, row->help, out);
        }
    offer("--help", "show all options and an example", out);
}

static void offer_choices(const sa_option *row, sa_buffer *out) {
    const char *name;
    if (row->kind == SA_OPTION_SWITCH) {
        offer("yes", "", out);
        offer("no", "", out);
    }
    for (size_t i = 0; row->choice && (name = row->choice(i)); i++)
        offer(name, row->choice == sa_preset_name ? sa_preset_text(name) : "", out);
}

/* ---- --models LIST --------------------------------------------------------------------------- */

/* The options that an entry may set. */
static void offer_entry_options(sa_buffer *out) {
    char name[64];
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        snprintf(name, sizeof name, "%s=", row->name);
        if (!sa_settings_is_common(row)) offer(name, row->help, out);
    }
}

/* The next part of decoder[:attention[:heads]][:option=value ...], behind the last comma. */
static void offer_models(cursor *at, sa_buffer *out) {
    const char *comma = strrchr(at->current, ','), *entry = comma ? comma + 1 : at->current;
    const char *colon = strrchr(entry, ':'), *part = colon ? colon + 1 : entry;
    const char *sign = strchr(part, '=');
    at->current = sign ? sign + 1 : part;
    begin(at, "parts", out);
    if (sign) {
        for (const sa_option *row = sa_settings_options; row->name; row++)
            if (strlen(row->name) == (size_t)(sign - part) &&
                strncmp(row->name, part, (size_t)(sign - part)) == 0)
                offer_choices(row, out);
    } else if (part == entry) {
        offer_choices(sa_option_find(sa_settings_options, "decoder"), out);
        offer(sa_option_find(sa_settings_options, "model")->choice(SA_MODEL_TRANSFORMER), "", out);
    } else {
        if (strchr(entry, ':') == colon)
            offer_choices(sa_option_find(sa_settings_options, "attention"), out);
        offer_entry_options(out);
    }
}

/* ---- Values and words ------------------------------------------------------------------------ */

/* PAIRS may be two files: SRC,TGT. */
static void offer_files(cursor *at, const char *argument, sa_buffer *out) {
    const char *kind = file_kind(argument), *comma = strrchr(at->current, ',');
    if (comma && strncmp(argument, "PAIRS", 5) == 0) {
        at->current = comma + 1;
        kind = "files";
    }
    begin(at, kind, out);
}

static void offer_values(cursor *at, const sa_option *row, sa_buffer *out) {
    if (strcmp(row->name, "models") == 0) {
        offer_models(at, out);
    } else if (sa_option_is_text(row) && row->kind != SA_OPTION_TEXT) {
        offer_files(at, row->value, out);
    } else {
        begin(at, "words", out);
        offer_choices(row, out);
    }
}

/* The argument at the cursor of "MODEL [MODEL.safetensors ...] [FILE]". What follows one that may
 * be repeated may also stand in its place. */
static const char *find_argument(const cursor *at) {
    const char *next = at->command->words, *argument = next;
    for (int i = 0; i <= at->position && *next && strncmp(next, "--", 2) != 0; i++) {
        argument = next + strspn(next, "[");
        next = argument + strcspn(argument, " ");
        if (strncmp(next, " ...", 4) == 0) i = at->position - 1;
        next += strspn(next, " .]");
    }
    return argument;
}

static void offer_words(cursor *at, sa_buffer *out) {
    const cli_command *command = at->command;
    if (at->position >= command->most) {
        offer_options(at, out);
    } else if (!(command->texts >> at->position & 1)) {
        offer_files(at, find_argument(at), out);
    } else {
        const char *name, *text = "";
        begin(at, "words", out);
        for (size_t i = 0; command->items && (name = command->item(i, &text)); i++)
            offer(name, text, out);
    }
}

/* ---- The command line ------------------------------------------------------------------------ */

static void offer_commands(const cursor *at, sa_buffer *out) {
    begin(at, "words", out);
    for (const cli_command *const *command = cli_commands; *command; command++)
        offer((*command)->name, (*command)->summary, out);
    offer("--help", "show all commands", out);
    offer("--version", "show the version and the library of matrix products", out);
}

/* The words between the command and the one being typed, as cli_read takes them. */
static void read_before(cursor *at) {
    for (int i = 1; i < at->count - 1; i++) {
        const char *word = at->words[i];
        const bool dashes = strncmp(word, "--", 2) == 0;
        const sa_option *row = at->option;
        at->option = NULL;
        if (at->only_words || (!dashes && !row)) {
            at->position++;
        } else if (dashes && !word[2]) {
            at->only_words = true;
        } else if (dashes && !strchr(word, '=')) {
            row = find_option(at->command, word);
            if (row && row->kind != SA_OPTION_SWITCH) at->option = row;
        }
    }
}

static void complete(cursor *at, sa_buffer *out) {
    const char *sign = strchr(at->current, '=');
    const bool dashes = strncmp(at->current, "--", 2) == 0;
    read_before(at);
    if (at->option && !dashes) {
        offer_values(at, at->option, out);
    } else if (at->only_words || *at->current != '-') {
        offer_words(at, out);
    } else if (!sign) {
        offer_options(at, out);
    } else if (find_option(at->command, at->current)) {
        const sa_option *row = find_option(at->command, at->current);
        at->current = sign + 1;
        offer_values(at, row, out);
    }
}

bool cli_complete(int count, char **words, sa_error *error) {
    sa_buffer out = {0};
    if (count == 0) return sa_fail(error, SA_USAGE, "--complete: the word to complete is missing");
    cursor at = {.words = words, .count = count, .current = words[count - 1]};
    if (count > 1) at.command = cli_find(words[0], NULL);
    if (count == 1)
        offer_commands(&at, &out);
    else if (at.command)
        complete(&at, &out);
    const bool good = cli_print(&out, error);
    sa_buffer_release(&out);
    return good;
}
