#include "synth/draft.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sa_draft_clear(sa_draft *draft) {
    draft->source.count = draft->target.count = draft->link_count = 0;
    draft->characters = draft->apart = false;
}

int sa_draft_pick(sa_draft *draft, int count) {
    sa_require(count > 0);
    return (int)sa_rng_below(draft->rng, (uint32_t)count);
}

sa_word_span sa_draft_add(sa_draft *draft, sa_draft_side *side, const char *format, ...) {
    char text[SA_DRAFT_LETTERS];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments), first = side->count;
    va_end(arguments);
    for (int at = 0; at < length; at += draft->characters ? 1 : length) {
        sa_require(side->count < SA_DRAFT_WORDS && length < SA_DRAFT_LETTERS);
        snprintf(side->words[side->count++], SA_DRAFT_LETTERS, draft->characters ? "%.1s" : "%s",
                 text + at);
    }
    return (sa_word_span){first, side->count - first};
}

/* Adds a link; equal links count once, as sure if one of them is sure. */
static void add_link(sa_draft *draft, sa_link link) {
    for (sa_link *old = draft->links; old < draft->links + draft->link_count; old++)
        if (old->source == link.source && old->target == link.target) {
            old->possible = old->possible && link.possible;
            return;
        }
    sa_require(draft->link_count < SA_DRAFT_LINKS);
    draft->links[draft->link_count++] = link;
}

void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target, bool possible) {
    for (int s = 0; s < source.count; s++)
        for (int t = 0; t < target.count; t++)
            add_link(draft, (sa_link){source.first + s, target.first + t, possible});
}

void sa_draft_merge(sa_draft *draft, sa_draft_side *side, int at) {
    const int count = draft->link_count;
    side->count--;
    memmove(side->words[at + 1], side->words[at + 2],
            (size_t)(side->count - at - 1) * sizeof side->words[0]);
    draft->link_count = 0;
    for (int i = 0; i < count; i++) {
        sa_link link = draft->links[i];
        int *end = side == &draft->source ? &link.source : &link.target;
        if (*end > at) --*end;
        add_link(draft, link);
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

static int by_words(const void *left, const void *right) {
    const sa_link *a = left, *b = right;
    return a->source != b->source ? a->source - b->source : a->target - b->target;
}

void sa_draft_write(const sa_draft *draft, sa_buffer *out) {
    sa_link links[SA_DRAFT_LINKS];
    memcpy(links, draft->links, sizeof links);
    qsort(links, (size_t)draft->link_count, sizeof *links, by_words);
    sa_draft_write_side(draft, &draft->source, out);
    sa_buffer_adds(out, "\t");
    sa_draft_write_side(draft, &draft->target, out);
    for (int i = 0; i < draft->link_count; i++)
        sa_buffer_addf(out, "%s%d%c%d", i ? " " : "\t", links[i].source,
                       links[i].possible ? 'p' : '-', links[i].target);
    sa_buffer_adds(out, "\n");
}
