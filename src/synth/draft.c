#include "synth/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sa_draft_clear(sa_draft *draft) {
    *draft = (sa_draft){.split = draft->split, .rng = draft->rng};
}

sa_word_span sa_draft_add(sa_draft *draft, sa_draft_side *side, const char *format, ...) {
    char text[SA_DRAFT_LETTERS];
    const int first = side->count, size = draft->characters ? 1 : SA_DRAFT_LETTERS;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *at = text; *at; at += strnlen(at, (size_t)size)) {
        draft->full |= side->count == SA_DRAFT_WORDS;
        if (!draft->full) snprintf(side->words[side->count++], SA_DRAFT_LETTERS, "%.*s", size, at);
    }
    return (sa_word_span){first, side->count - first};
}

void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target, bool possible) {
    for (int s = source.first; s < source.first + source.count; s++)
        for (int t = target.first; t < target.first + target.count; t++) {
            char *link = &draft->link[s * SA_DRAFT_WORDS + t];
            if (*link != '-') *link = possible ? 'p' : '-';
        }
}

void sa_draft_merge(sa_draft *draft, sa_draft_side *side, int at) {
    const int own = side == &draft->source ? SA_DRAFT_WORDS : 1, other = SA_DRAFT_WORDS + 1 - own;
    memmove(side->words[at + 1], side->words[at + 2],
            (size_t)(--side->count - at - 1) * sizeof side->words[0]);
    for (int word = at + 1; word <= side->count; word++)
        for (int k = 0; k < SA_DRAFT_WORDS; k++) {
            char *link = &draft->link[word * own + k * other];
            if (*link == '-' || !link[-own]) link[-own] = *link;
            *link = 0;
        }
}

void sa_draft_write_side(const sa_draft *draft, const sa_draft_side *side, sa_buffer *out) {
    const char *glued = side == &draft->source ? ".,?!" : ".,";
    for (int i = 0; i < side->count; i++) {
        const char *before = i ? side->words[i - 1] : "'";
        bool glue = before[strlen(before) - 1] == '\'' || strchr(glued, side->words[i][0]);
        bool space = !draft->characters && (draft->apart ? i > 0 : !glue);
        sa_buffer_addf(out, "%s%s", space ? " " : "", side->words[i]);
    }
}

void sa_draft_write(const sa_draft *draft, sa_buffer *out) {
    const char *before = "\t";
    sa_draft_write_side(draft, &draft->source, out);
    sa_buffer_adds(out, "\t");
    sa_draft_write_side(draft, &draft->target, out);
    for (int s = 0; s < draft->source.count; s++)
        for (int t = 0; t < draft->target.count; t++) {
            const char link = draft->link[s * SA_DRAFT_WORDS + t];
            if (link) sa_buffer_addf(out, "%s%d%c%d", before, s, link, t), before = " ";
        }
    sa_buffer_adds(out, "\n");
}
