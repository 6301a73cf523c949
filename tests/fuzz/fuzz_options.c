/* Options. The input is a byte that selects a command, and its arguments line by line. All of it
 * is also read as the settings of a model file or as lines of name and value. */
#include "cli/cli.h"
#include "config/settings.h"
#include "fuzz.h"

enum { ARGUMENTS = 32, FIELDS = 1 << 14 };

/* ---- The arguments of a command -------------------------------------------------------------- */

static bool is_set_again(const sa_option *row, void *fields, double number, const char *text) {
    if (sa_option_is_text(row)) return true;
    return sa_option_set(row, fields, text, NULL) && sa_option_get(row, fields) == number;
}

/* A value that was read is allowed, and survives being printed as in the help and read again. */
static void expect_fields(const cli_command *command, char *fields) {
    for (const cli_option_set *set = command->sets; set->options; set++) {
        void *own = fields + set->at;
        ck_assert(sa_options_check(set->options, own, NULL));
        for (const sa_option *row = set->options; row->name; row++) {
            const double number = sa_option_get(row, own);
            sa_buffer text = {0};
            if (!sa_option_is_text(row)) sa_option_format(row, number, &text);
            ck_assert_msg(is_set_again(row, own, number, text.text), "--%s %s", row->name,
                          text.text);
            sa_buffer_release(&text);
        }
    }
}

static void read_arguments(fuzz_input input) {
    static char fields[FIELDS] __attribute__((aligned(16)));
    const cli_command *command = NULL;
    char *argument[ARGUMENTS];
    int commands = 0, count = 0;
    while (cli_commands[commands]) commands++;
    command = cli_commands[fuzz_byte(&input) % (unsigned)commands];
    ck_assert_int_lt(cli_most_words(command), CLI_WORDS);
    ck_assert_uint_le(command->size, FIELDS);
    cli_options_init(command, fields);
    while (input.size && count < ARGUMENTS) argument[count++] = fuzz_line(&input);
    sa_error error = {0};
    cli_call call = {command, count, argument, fields, {NULL}};
    if (cli_read(&call, &error))
        expect_fields(command, fields);
    else
        fuzz_expect_error(&error, SA_USAGE, SA_USAGE);
    for (int i = 0; i < CLI_WORDS; i++) {
        bool given = !call.words[i];
        for (int k = 0; k < count; k++) given |= call.words[i] == argument[k];
        ck_assert(given && (i < cli_most_words(command) || !call.words[i]));
    }
    while (count) free(argument[--count]);
}

/* ---- The settings of a model ----------------------------------------------------------------- */

static void write_again(const sa_settings *settings) {
    sa_settings again;
    sa_settings_init(&again);
    char *text = sa_settings_write(settings, NULL);
    ck_assert(text != NULL);
    ck_assert(sa_settings_read(&again, text, "m", NULL));
    ck_assert(!sa_settings_find_difference(settings, &again));
    free(text);
}

static void read_settings(fuzz_input input) {
    sa_settings settings, before;
    sa_error error = {0};
    char *text = fuzz_copy(input);
    sa_settings_init(&settings);
    before = settings;
    if (sa_settings_read(&settings, text, "m", &error)) {
        ck_assert(sa_options_check(sa_settings_options, &settings, NULL));
        ck_assert(settings.threads == before.threads && settings.steps == before.steps);
        write_again(&settings);
        if (!sa_settings_check(&settings, &error)) fuzz_expect_error(&error, SA_USAGE, SA_USAGE);
    } else {
        fuzz_expect_error(&error, SA_DATA, SA_DATA);
        ck_assert(!sa_settings_find_difference(&settings, &before));
    }
    free(text);
}

/* Lines of a name, a space and a value, as for sa_settings_set. */
static void set_lines(fuzz_input input) {
    sa_settings settings;
    sa_settings_init(&settings);
    while (input.size) {
        char *name = fuzz_line(&input), *space = strchr(name, ' ');
        sa_error error = {0};
        if (space) {
            *space = 0;
            if (!sa_settings_set(&settings, name, space + 1, &error))
                fuzz_expect_error(&error, SA_USAGE, SA_USAGE);
        } else if (!sa_settings_preset(&settings, name, &error)) {
            fuzz_expect_error(&error, SA_USAGE, SA_USAGE);
        }
        ck_assert(sa_options_check(sa_settings_options, &settings, NULL));
        free(name);
    }
    write_again(&settings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const fuzz_input input = fuzz_input_of(data, size);
    enum { MOST = 4096 };
    if (size > MOST) return 0;
    read_arguments(input);
    if (size && *data == '{')
        read_settings(input);
    else
        set_lines(input);
    return 0;
}
