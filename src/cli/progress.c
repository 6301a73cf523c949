#include "cli/progress.h"
#include "cli/output.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { PLAIN_SECONDS = 5 }; /* between lines in a file or pipe */

void cli_progress_init(cli_progress *progress) {
    *progress = (cli_progress){.terminal = !cli_is_quiet() && isatty(STDERR_FILENO), .last = -1};
}

void cli_progress_report(void *context, const sa_progress *report) {
    cli_progress *progress = context;
    if (cli_is_quiet()) return;
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
    cli_progress_end(progress);
    if (report->kind == SA_PROGRESS_VALIDATION)
        fprintf(stderr, "epoch %d  step %lld  validation loss %.4f  perplexity %.2f  BLEU %.2f%s\n",
                report->epoch, (long long)report->step, report->valid_loss,
                report->valid_perplexity, report->valid_bleu, report->best ? "  best" : "");
    if (report->kind == SA_PROGRESS_NOTE) cli_note("%s", report->note);
}

void cli_progress_end(cli_progress *progress) {
    if (progress->terminal) fprintf(stderr, "\r\x1b[K");
}

/* ---- Signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t caught;
static bool catching, keeping;

static void handle(int number) {
    if (caught) _exit(128 + number);
    caught = number;
}

static void set_all(void (*action)(int)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, now = {.sa_handler = action, .sa_flags = SA_RESTART};
        sigemptyset(&now.sa_mask);
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &now, NULL);
    }
}

const volatile sig_atomic_t *cli_signals_stop(void) {
    return &caught;
}

void cli_signals_catch(void) {
    if (!catching) set_all(handle);
    catching = true;
}

void cli_signals_keep(void) {
    cli_signals_catch();
    keeping = true;
}

void cli_signals_release(void) {
    if (keeping) return;
    if (catching && !caught) set_all(SIG_DFL);
    catching = catching && caught;
}
