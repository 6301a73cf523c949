#include "synth/draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sa_word_list *sa_word_list_find(const char *name) {
    const sa_word_list *list = sa_word_lists;
    while (list->name && strcmp(list->name, name) != 0) list++;
    sa_require(list->name);
    return list;
}

const sa_word *sa_word_find(const char *list, const char *english) {
    const sa_word_list *words = sa_word_list_find(list);
    int i = 0;
    while (i < words->count && strcmp(words->words[i].english, english) != 0) i++;
    sa_require(i < words->count);
    return &words->words[i];
}

/* ---- Drafts ---------------------------------------------------------------------------------- */

void sa_draft_clear(sa_draft *draft) {
    draft->source.count = draft->target.count = 0;
    draft->link_count = 0;
    draft->characters = draft->apart = false;
}

int sa_draft_pick(sa_draft *draft, int count) {
    sa_require(count > 0);
    return (int)sa_rng_below(draft->rng, (uint32_t)count);
}

bool sa_draft_chance(sa_draft *draft, int count) {
    return sa_draft_pick(draft, count) == 0;
}

const sa_word *sa_draft_draw(sa_draft *draft, const char *list, int except) {
    const sa_word_list *words = sa_word_list_find(list);
    return &words->words[sa_draft_pick(draft, words->count - except)];
}

static bool fits(const sa_word *word, const sa_query *query) {
    return (!query->kinds || word->kinds & query->kinds) &&
           (!query->traits || word->traits & query->traits) &&
           (!query->uses || word->uses & query->uses) &&
           (!query->inflected || word->plural || word->more) && word != query->except;
}

const sa_word *sa_draft_choose(sa_draft *draft, const char *list, const sa_query *query) {
    enum { MOST = 256 };
    const sa_word_list *words = sa_word_list_find(list);
    const sa_word *fitting[MOST];
    int count = 0;
    sa_require(words->count <= MOST);
    for (int i = 0; i < words->count; i++)
        if (fits(&words->words[i], query)) fitting[count++] = &words->words[i];
    return count ? fitting[sa_draft_pick(draft, count)] : NULL;
}

static sa_word_span append(sa_draft_side *side, const char *text, bool characters) {
    sa_word_span span = {side->count, 0};
    while (text && *text) {
        size_t size = characters ? 1 : strcspn(text, " ");
        sa_require(side->count < SA_DRAFT_WORDS && size < SA_DRAFT_LETTERS);
        char *word = side->words[side->count++];
        memcpy(word, text, size);
        word[size] = 0;
        text += size;
        if (*text && !characters) text++;
    }
    span.count = side->count - span.first;
    return span;
}

sa_word_span sa_draft_source(sa_draft *draft, const char *text) {
    return append(&draft->source, text, draft->characters);
}

sa_word_span sa_draft_target(sa_draft *draft, const char *text) {
    return append(&draft->target, text, draft->characters);
}

sa_word_span sa_draft_last(const sa_draft_side *side) {
    sa_require(side->count > 0);
    return (sa_word_span){side->count - 1, 1};
}

/* Adds a link; equal links count once, as sure if one of them is sure. */
static void add_link(sa_draft *draft, sa_link link) {
    for (int i = 0; i < draft->link_count; i++) {
        sa_link *old = &draft->links[i];
        if (old->source == link.source && old->target == link.target) {
            old->possible = old->possible && link.possible;
            return;
        }
    }
    sa_require(draft->link_count < SA_DRAFT_LINKS);
    draft->links[draft->link_count++] = link;
}

static void link_spans(sa_draft *draft, sa_word_span source, sa_word_span target, bool possible) {
    for (int s = 0; s < source.count; s++)
        for (int t = 0; t < target.count; t++)
            add_link(draft, (sa_link){source.first + s, target.first + t, possible});
}

void sa_draft_link(sa_draft *draft, sa_word_span source, sa_word_span target) {
    link_spans(draft, source, target, false);
}

void sa_draft_link_possible(sa_draft *draft, sa_word_span source, sa_word_span target) {
    link_spans(draft, source, target, true);
}

sa_word_span sa_draft_pair(sa_draft *draft, const char *source, const char *target) {
    return sa_draft_phrase(draft, &(sa_word){.english = source, .french = target});
}

sa_word_span sa_draft_phrase(sa_draft *draft, const sa_word *word) {
    sa_word_span source = sa_draft_source(draft, word->english);
    sa_word_span target = sa_draft_target(draft, word->french);
    if (!word->links) sa_draft_link(draft, source, target);
    for (const char *at = word->links; at && *at;) {
        char *end;
        long from = strtol(at, &end, 10);
        bool possible = *end == 'p';
        long to = strtol(end + 1, &end, 10);
        sa_require(from < source.count && to < target.count);
        add_link(draft, (sa_link){source.first + (int)from, target.first + (int)to, possible});
        at = *end ? end + 1 : end;
    }
    return source;
}

void sa_draft_merge(sa_draft *draft, sa_draft_side *side, int at, const char *word) {
    snprintf(side->words[at], sizeof side->words[at], "%s", word);
    side->count--;
    memmove(side->words[at + 1], side->words[at + 2],
            (size_t)(side->count - at - 1) * sizeof side->words[0]);
    const int count = draft->link_count;
    draft->link_count = 0;
    for (int i = 0; i < count; i++) {
        sa_link link = draft->links[i];
        int *end = side == &draft->source ? &link.source : &link.target;
        if (*end > at) --*end;
        add_link(draft, link);
    }
}

void sa_draft_move(sa_draft *draft, sa_word_span span) {
    const sa_draft_side before = draft->target;
    const int end = span.first + span.count, behind = before.count - end;
    for (int i = span.first; i < before.count; i++) {
        const int to = i < end ? i + behind : i - span.count;
        memcpy(draft->target.words[to], before.words[i], sizeof before.words[i]);
    }
    for (int i = 0; i < draft->link_count; i++) {
        int *at = &draft->links[i].target;
        if (*at >= span.first) *at += *at < end ? behind : -span.count;
    }
}

static void write_side(const sa_draft *draft, const sa_draft_side *side, sa_buffer *out) {
    const char *glued = side == &draft->source ? ".,?!" : ".,";
    for (int i = 0; i < side->count; i++) {
        const char *before = i ? side->words[i - 1] : "'";
        bool glue = before[strlen(before) - 1] == '\'' || strchr(glued, side->words[i][0]);
        bool space = !draft->characters && (draft->apart ? i > 0 : !glue);
        if (space) sa_buffer_adds(out, " ");
        sa_buffer_adds(out, side->words[i]);
    }
}

void sa_draft_write_source(const sa_draft *draft, sa_buffer *out) {
    write_side(draft, &draft->source, out);
}

static int by_words(const void *left, const void *right) {
    const sa_link *a = left, *b = right;
    return a->source != b->source ? a->source - b->source : a->target - b->target;
}

void sa_draft_write(const sa_draft *draft, sa_buffer *out) {
    sa_link links[SA_DRAFT_LINKS];
    memcpy(links, draft->links, sizeof links);
    qsort(links, (size_t)draft->link_count, sizeof *links, by_words);
    write_side(draft, &draft->source, out);
    sa_buffer_adds(out, "\t");
    write_side(draft, &draft->target, out);
    for (int i = 0; i < draft->link_count; i++)
        sa_buffer_addf(out, "%s%d%c%d", i ? " " : "\t", links[i].source,
                       links[i].possible ? 'p' : '-', links[i].target);
    sa_buffer_adds(out, "\n");
}
