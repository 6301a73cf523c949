#include "cli/cli.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* When memory runs out, jansson silently drops members, and may even write out of bounds when it
 * reads long strings. So this ends the process first: no file is being saved while JSON is
 * processed. */
static void *allocate_for_json(size_t size) {
    void *memory = sa_new(size, 1, NULL);
    if (memory) return memory;
    fprintf(stderr, "softalign: out of memory for JSON\n");
    _exit(SA_LIMIT);
}

void cli_output_init(void) {
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) /* the lowest free number is this one */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    json_set_alloc_funcs(allocate_for_json, free);
}

/* ---- Standard output ------------------------------------------------------------------------- */

bool cli_print(sa_buffer *buffer, sa_error *error) {
    sa_buffer safe = {.failed = buffer->failed};
    const bool terminal = isatty(STDOUT_FILENO);
    if (terminal) sa_buffer_add_safe(&safe, buffer->text, buffer->size, "\n\t");
    const bool good =
        sa_write_text(STDOUT_FILENO, "standard output", terminal ? &safe : buffer, error);
    sa_buffer_release(&safe);
    sa_buffer_release(buffer);
    return good;
}

void cli_wrap(sa_buffer *out, const char *line, size_t column) {
    enum { WIDTH = 80 };
    size_t at = column;
    for (const char *end = line + strcspn(line, "\n"); line < end;) {
        size_t size = strcspn(line, " \n");
        if (at > column && at + 1 + size >= WIDTH) {
            sa_buffer_addf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            sa_buffer_adds(out, " ");
            at++;
        }
        sa_buffer_add(out, line, size);
        at += size;
        line += size + (line[size] == ' ');
    }
    sa_buffer_adds(out, "\n");
}

bool cli_print_json(json_t *value, sa_error *error) {
    sa_buffer out = {0};
    sa_json_add(value, JSON_INDENT(2), &out);
    return cli_print(&out, error);
}

/* ---- Messages -------------------------------------------------------------------------------- */

const char *cli_name = "softalign";
bool cli_quiet, cli_follows;

static void say(const char *line) {
    char safe[16384];
    fprintf(stderr, "%s\n", sa_escape(safe, sizeof safe, line, strlen(line)));
}

void cli_note(const char *format, ...) {
    char line[8192];
    va_list values;
    if (cli_quiet || cli_follows) return;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    say(line);
}

const char *cli_number(char text[32], double number) {
    snprintf(text, 32, isnan(number) ? "-" : "%.4f", number);
    return text;
}

void cli_note_error(const sa_error *error) {
    char line[sizeof error->text + 16];
    snprintf(line, sizeof line, "%s: %s", cli_name, error->text);
    say(line);
}

void cli_note_cut(size_t count, size_t line, double max_ratio) {
    if (count)
        cli_note("note: translations cut at --max-ratio %g before they ended: %zu, the first in "
                 "line %zu",
                 max_ratio, count, line);
}

void cli_note_lines(const char *text) {
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        cli_note("%.*s", (int)strcspn(text, "\n"), text);
}

/* ---- Files ----------------------------------------------------------------------------------- */

bool cli_save(const char *path, sa_buffer *buffer, sa_error *error) {
    const bool standard = strcmp(path, "-") == 0;
    const bool good = standard ? cli_print(buffer, error) : sa_save_text(path, buffer, error);
    if (good && !standard) cli_note("wrote %s", path);
    sa_buffer_release(buffer);
    return good;
}

void cli_begin_page(sa_html_report *report, const char *command, const char *of, const char *path,
                    const char *more, const sa_settings *settings) {
    char name[SA_PAGE_NAME], title[SA_PAGE_NAME + 128];
    sa_page_name(path, name);
    snprintf(title, sizeof title, "%s %s%s", of, name, more);
    sa_html_report_init(report, command, title, 1);
    sa_html_report_model(report, name, settings, 1);
}

bool cli_end_page(sa_html_report *report, bool complete, const sa_page_text *text, const char *path,
                  sa_error *error) {
    sa_buffer out = {0};
    return sa_page_end(report, complete, text, &out, error) && cli_save(path, &out, error);
}

void cli_note_folder(const char *folder, const char *const files[]) {
    sa_buffer line = {0};
    for (; *files; files++) {
        const char *name = *files;
        char path[SA_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)strcspn(name, "*["), name);
        if (*name != '*' && !sa_file_missing(path))
            sa_buffer_addf(&line, "%s%s", line.size ? ", " : "", path);
    }
    if (line.size && !line.failed) cli_note("wrote %s", line.text);
    sa_buffer_release(&line);
}

/* ---- Progress -------------------------------------------------------------------------------- */

enum { PLAIN_SECONDS = 5 }; /* between lines in a file or pipe */

bool cli_is_dumb(void) {
    const char *terminal = getenv("TERM");
    return !terminal || strcmp(terminal, "dumb") == 0;
}

void cli_progress_init(cli_progress *progress) {
    const bool terminal = !cli_quiet && !cli_follows && isatty(STDERR_FILENO) && !cli_is_dumb();
    *progress = (cli_progress){.terminal = terminal, .last = -1};
}

void cli_progress_report(void *context, const sa_progress *report) {
    cli_progress *progress = context;
    if (cli_quiet || cli_follows) return;
    if (report->kind == SA_PROGRESS_STEP) {
        if (!progress->terminal && progress->last >= 0 &&
            report->spent.seconds < progress->last + PLAIN_SECONDS)
            return;
        progress->last = report->spent.seconds;
        if (progress->terminal) fprintf(stderr, "\r");
        fprintf(stderr, "epoch %d %3.0f %%  step %lld  loss %.4f  %.0f words/s", report->epoch,
                100 * report->epoch_part, (long long)report->step, report->loss,
                report->words_per_second);
        const long long left = (long long)(report->seconds_left + 0.5);
        if (report->seconds_left >= 0) fprintf(stderr, "  %lld:%02lld left", left / 60, left % 60);
        fprintf(stderr, progress->terminal ? "\x1b[K" : "\n");
        return;
    }
    if (report->kind == SA_PROGRESS_VALIDATING && progress->terminal)
        fprintf(stderr, "\repoch %d  step %lld  validating %3.0f %%\x1b[K", report->epoch,
                (long long)report->step, 100 * report->validated);
    if (report->kind == SA_PROGRESS_VALIDATING) return;
    cli_progress_end(progress);
    if (report->kind == SA_PROGRESS_VALIDATION)
        fprintf(stderr,
                report->valid_perplexity > 1e15
                    ? "epoch %d  step %lld  validation loss %.4f  perplexity %.2e  BLEU %.2f%s\n"
                    : "epoch %d  step %lld  validation loss %.4f  perplexity %.2f  BLEU %.2f%s\n",
                report->epoch, (long long)report->step, report->valid_loss,
                report->valid_perplexity, report->valid_bleu, report->best ? "  best" : "");
    if (report->kind == SA_PROGRESS_NOTE) cli_note("%s", report->note);
}

void cli_progress_end(cli_progress *progress) {
    if (progress->terminal) fprintf(stderr, "\r\x1b[K");
}

/* ---- Signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;
static bool catching;

static void handle(int number) {
    if (caught) _exit(128 + number);
    caught = number;
}

static void set_all(void (*action)(int)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (signal(numbers[i], action) == SIG_IGN) signal(numbers[i], SIG_IGN);
}

const volatile sig_atomic_t *cli_signals_stop(void) {
    return &caught;
}

void cli_signals_catch(void) {
    if (!catching) set_all(handle);
    catching = true;
}

void cli_signals_release(void) {
    if (catching && !caught) set_all(SIG_DFL);
    catching = catching && caught;
}
