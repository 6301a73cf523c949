#include "cli/signals.h"

#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void handle(int number) {
    if (caught) _exit(128 + number);
    caught = number;
}

const volatile sig_atomic_t *cli_signals_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, now = {.sa_handler = handle, .sa_flags = SA_RESTART};
        sigemptyset(&now.sa_mask);
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &now, NULL);
    }
    return &caught;
}

int cli_signals_caught(void) {
    return caught;
}
