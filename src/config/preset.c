#include "config/preset.h"
#include "base/error.h"
#include "base/option.h"
#include "config/settings.h"
#include "model/seq2seq.h"

#include <stdio.h>
#include <string.h>

const char *sa_preset_name(size_t row) {
    const sa_preset *preset = sa_presets;
    while (preset->name && row--) preset++;
    return preset->name;
}

const char *sa_preset_default(int model) {
    return sa_families[model]->preset;
}

const char *sa_preset_text(const char *name) {
    const sa_preset *preset = sa_presets;
    while (name && preset->name && strcmp(preset->name, name) != 0) preset++;
    return name ? preset->text : NULL;
}

bool sa_settings_preset(sa_settings *settings, const char *name, sa_error *error) {
    if (!sa_given(settings, "settings", error) || !sa_given(name, "name", error)) return false;
    const char *line = sa_preset_text(name);
    if (!line) {
        char hint[128];
        return sa_fail(error, SA_USAGE, "unknown preset '%s'%s; 'softalign help train' lists all",
                       name, sa_nearest_hint_in(name, sa_preset_name, hint, sizeof hint));
    }
    for (; *line; line += strcspn(line, "\n") + 1) {
        char option[32], value[32];
        if (sscanf(line, "--%31s %31s", option, value) == 2 &&
            !sa_settings_set(settings, option, value, error))
            return false;
    }
    return true;
}
