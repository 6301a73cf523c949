#include "cli/signals.h"

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

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

int cli_signals_caught(void) {
    return caught;
}
