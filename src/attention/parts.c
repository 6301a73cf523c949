/* parts: what every part needs, and the hooks that an attention runs. */
#include "attention/parts.h"
#include "tensor/vec.h"

#include <math.h>
#include <string.h>

/* ---- Binding --------------------------------------------------------------------------------- */

void sa_parts_bind(sa_binder *binder, const char *prefix, const sa_attention_sizes *sizes, int from,
                   int to, sa_attention *w) {
    for (int order = from; order <= to; order++)
        for (int p = 0; p < w->parts; p++) {
            const sa_part *kind = w->part[p].kind;
            if (kind->bind && kind->order == order)
                kind->bind(binder, prefix, sizes, w, w->part[p].own);
        }
}

void *sa_part_add(sa_attention *w, const sa_part *kind, int at) {
    sa_require(w->parts < SA_PARTS_MAX && at <= w->parts);
    memmove(&w->part[at + 1], &w->part[at], (size_t)(w->parts++ - at) * sizeof *w->part);
    w->part[at] = (sa_bound_part){.kind = kind};
    return w->part[at].own;
}

int sa_part_find(const sa_attention *w, const sa_part *kind) {
    int p = w->parts - 1;
    while (p >= 0 && w->part[p].kind != kind) p--;
    return p;
}

/* ---- State ----------------------------------------------------------------------------------- */

sa_mat sa_head_slice(sa_mat all, int heads, int k) {
    const int width = all.cols / heads;
    return sa_cols(all, k * width, width);
}

sa_mat sa_kv_head_slice(const sa_attention *w, sa_mat all, int k) {
    return sa_head_slice(all, w->kv_heads, k * w->kv_heads / w->heads);
}

/* Numbers of the first `count` parts, and of them those for each word. */
static int state_of(const sa_attention *w, int count, int *words) {
    int numbers = 0;
    *words = 0;
    for (int p = 0; p < count; p++)
        numbers += w->part[p].kind->carry, *words += w->part[p].kind->carry_words;
    return numbers;
}

sa_mat sa_part_carry(const sa_attention *w, int part, sa_mat states, int k, int S) {
    const sa_part *kind = w->part[part].kind;
    const sa_mat head = sa_head_slice(states, w->heads, k);
    int words, before;
    const int numbers = state_of(w, w->parts, &words),
              steps = words ? (head.cols - numbers) / words : 0;
    const int first = state_of(w, part, &before) + before * steps;
    return sa_cols(head, first, kind->carry + kind->carry_words * S);
}

/* ---- Scratch --------------------------------------------------------------------------------- */

int sa_scratch_width(const sa_attention *w, int count, int queries, int steps) {
    int width = 0;
    for (int p = 0; p < count; p++)
        if (w->part[p].kind->scratch_width)
            width += w->part[p].kind->scratch_width(w, p, queries, steps);
    return width;
}

sa_mat sa_part_scratch(const sa_attention *w, int part, const sa_head *head) {
    const int queries = head->scratch->soft.rows, steps = head->scratch->keys.rows,
              first = sa_scratch_width(w, part, queries, steps);
    return sa_cols(head->scratch->parts, first,
                   sa_scratch_width(w, part + 1, queries, steps) - first);
}

sa_mat sa_part_memory(int part, const sa_head *head) {
    const int *first = head->memory->first + head->sentence;
    const sa_mat all = head->memory->part[part];
    return all.cols ? sa_rows(all, first[0], first[1] - first[0]) : (sa_mat){0};
}

/* ---- Hooks ----------------------------------------------------------------------------------- */

void sa_parts_forward(const sa_attention *w, sa_place place, sa_head *head) {
    for (int p = 0; p < w->parts; p++) {
        sa_part_forward *hook = w->part[p].kind->forward[place];
        if (hook) hook(w, p, head);
    }
}

void sa_parts_backward(const sa_attention *w, sa_place place, sa_head *head, sa_head *d) {
    for (int p = w->parts - 1; p >= 0; p--) {
        sa_part_backward *hook = w->part[p].kind->backward[place];
        if (hook) hook(w, p, head, d);
    }
}

void sa_parts_span(const sa_attention *w, const sa_head *head, int query, sa_span *seen) {
    for (int p = 0; p < w->parts; p++)
        if (w->part[p].kind->span) w->part[p].kind->span(w, p, head, query, seen);
}

sa_mat sa_own_keys(sa_head *head) {
    const sa_mat own = sa_cols(sa_rows(head->scratch->own_keys, 0, head->k.rows), 0, head->k.cols);
    if (head->k.x == own.x) return own; /* another part's */
    sa_copy_mat(head->k, own);
    head->k = own;
    if (head->derivative) {
        head->derivative->k = sa_cols(sa_rows(head->scratch->d_own_keys, 0, own.rows), 0, own.cols);
        sa_zero(head->derivative->k);
    }
    return own;
}

void sa_kinks_add(sa_kinks *found, double distance, double least) {
    found->pattern = sa_hash_mix(found->pattern ^ (distance > 0));
    found->nearest = fmin(found->nearest, fabs(distance) / least);
}

sa_mat sa_part_show(const sa_attention *w, const sa_part *kind, const sa_head *head,
                    const char *name) {
    const int part = sa_part_find(w, kind);
    sa_shown shown[SA_SHOWN_MAX];
    const int count = part < 0 || !kind->show ? 0 : kind->show(w, part, head, shown);
    for (int i = 0; i < count; i++)
        if (shown[i].name && strcmp(shown[i].name, name) == 0) return shown[i].value;
    return (sa_mat){0};
}

int sa_part_show_added(const sa_attention *w, int part, const sa_head *head,
                       sa_shown shown[SA_SHOWN_MAX]) {
    sa_head alone = *head;
    alone.alpha = sa_cols(sa_rows(head->scratch->soft, 0, 1), 0, head->v.rows);
    sa_zero(alone.alpha);
    w->part[part].kind->forward[SA_PLACE_SCORES](w, part, &alone);
    shown[0] = (sa_shown){"b",           alone.alpha,     "b_ij",
                          SA_PLACE_KEYS, SA_SHAPE_COLUMN, .formula = w->part[part].kind->formula};
    return 1;
}
