/* Right gradients in every model that options can build: all pairs of departures from the defaults
 * (the test), or the full product of all values of all options (scripts/dev/all-gradients).
 *
 *   full_gradients                       all pairs, with a sample of the weights of each model: it
 * finds every planted fault (grad_every_model) full_gradients product FIRST STEP    of the
 * product's models number FIRST and every STEP-th on, of the recurrent models and of the
 * transformers
 *
 * Settings that do not fit together are skipped when the library refuses them. */
#include "lab/lab.h"
#include "support/variants.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    long checked, refused, wrong;
    int sample; /* of sa_lab_job */
    double worst;
} tally;

static void describe(const sa_settings *settings) {
    for (const sa_option *row = sa_settings_options; row->name; row++) {
        const double number = sa_option_get(row, settings);
        sa_settings plain = small_of(settings->model);
        sa_buffer text = {0};
        if (row->scope != SA_SCOPE_MODEL || number == sa_option_get(row, &plain)) continue;
        sa_option_format(row, number, &text);
        printf(" --%s %s", row->name, text.text);
        sa_buffer_release(&text);
    }
}

static void keep_worst(void *context, const sa_gradient_result *gradient) {
    tally *seen = context;
    if (gradient->worst > seen->worst) seen->worst = gradient->worst;
    if (gradient->worst_element > seen->worst) seen->worst = gradient->worst_element;
}

static void check(const sa_settings *settings, tally *seen) {
    sa_error error;
    if (!sa_settings_check(settings, &error)) {
        seen->refused++;
        return;
    }
    seen->checked++;
    if (sa_lab_check(&(sa_lab_job){.options.settings = settings,
                                   .sample = seen->sample,
                                   .options.each = keep_worst,
                                   .options.context = seen},
                     &error))
        return;
    seen->wrong++;
    printf("WRONG");
    describe(settings);
    printf(": %s\n", error.text);
}

/* Whether other options make an option ineffective, so that only its default is checked. */
static bool idle(const char *option, const sa_settings *settings) {
    static const char *const of_attention[] = {"attention",  "heads",        "value-size", "window",
                                               "normalizer", "entmax-alpha", "kv-heads"};
    const bool attends = settings->model != SA_MODEL_RECURRENT ||
                         sa_decoder_kinds[settings->decoder].query_state != SA_QUERY_STATE_NONE;
    for (size_t i = 0; i < sizeof of_attention / sizeof *of_attention; i++)
        if (!attends && strcmp(option, of_attention[i]) == 0) return true;
    if (settings->model != SA_MODEL_RECURRENT) return false;
    if (strcmp(option, "value-size") == 0) return settings->heads == 1;
    if (strcmp(option, "layers") == 0) return settings->encoder == SA_ENCODER_NONE;
    if (strcmp(option, "decoder-init") == 0)
        return settings->encoder == SA_ENCODER_NONE && settings->decoder_init > SA_INITIAL_BACKWARD;
    if (strcmp(option, "update") == 0 || strcmp(option, "reset") == 0)
        return settings->cell != SA_CELL_GRU;
    return false;
}

/* ---- All pairs -------------------------------------------------------------------------------
 *
 * A model that departs from the defaults in twelve options checks 66 pairs of them at once. */

enum { TOGETHER = 12 };

typedef struct departures {
    const variant *of[TOGETHER];
    int index[TOGETHER], count;
} departures;

/* Every departure has its value and an effect beside the others, and the library accepts them. */
static bool fit(const departures *all, const sa_settings *settings) {
    for (int i = 0; i < all->count; i++)
        if (sa_option_get(all->of[i]->option, settings) != all->of[i]->value ||
            idle(all->of[i]->option->name, settings))
            return false;
    return sa_settings_check(settings, NULL);
}

/* Adds a departure if it fits and a quarter of the pairs with it are new. */
static void extend(const variant *list, int k, bool (*done)[VARIANTS], departures *all,
                   sa_settings *settings) {
    departures more = *all;
    sa_settings changed = *settings;
    int new_pairs = 0;
    for (int i = 0; i < all->count; i++) {
        if (all->of[i]->option == list[k].option) return;
        new_pairs += !done[all->index[i]][k];
    }
    if (4 * new_pairs < all->count) return;
    more.index[more.count] = k;
    more.of[more.count++] = &list[k];
    apply_variant(&list[k], &changed);
    if (fit(&more, &changed)) *all = more, *settings = changed;
}

static void check_pairs(int model, tally *seen) {
    variant list[VARIANTS];
    bool done[VARIANTS][VARIANTS] = {{false}};
    const int count = all_variants(model, list);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            departures all = {{&list[i], &list[j]}, {i, j}, 2};
            sa_settings settings = small_of(model);
            if (done[i][j] || list[i].option == list[j].option) continue;
            apply_variant(&list[i], &settings);
            apply_variant(&list[j], &settings);
            for (int k = 0; fit(&all, &settings) && k < count && all.count < TOGETHER; k++)
                extend(list, k, done, &all, &settings);
            for (int a = 0; a < all.count; a++)
                for (int b = 0; b < all.count; b++) done[all.index[a]][all.index[b]] = true;
            check(&settings, seen);
        }
}

/* ---- The product ------------------------------------------------------------------------------
 */

/* The values of one option: the default, then its variants. */
typedef struct axis {
    const sa_option *option;
    double value[32];
    int count;
} axis;

static int all_axes(int model, axis *axes) {
    variant list[VARIANTS];
    const int variants = all_variants(model, list);
    const sa_settings plain = small_of(model);
    int count = 0;
    for (int i = 0; i < variants; i++) {
        if (!count || axes[count - 1].option != list[i].option)
            axes[count++] = (axis){list[i].option, {sa_option_get(list[i].option, &plain)}, 1};
        axis *last = &axes[count - 1];
        last->value[last->count++] = list[i].value;
    }
    return count;
}

static void check_product(int model, long first, long step, tally *seen) {
    axis axes[32];
    const int count = all_axes(model, axes);
    long models = 1;
    for (int a = 0; a < count; a++) models *= axes[a].count;
    printf("%ld combinations of %d options; from %ld in steps of %ld\n", models, count, first,
           step);
    for (long number = first; number < models; number += step) {
        sa_settings settings = small_of(model);
        bool skip = false;
        long rest = number;
        for (int a = 0; a < count; a++, rest /= axes[a - 1].count)
            sa_option_set_number(axes[a].option, &settings, axes[a].value[rest % axes[a].count]);
        rest = number;
        for (int a = 0; a < count && !skip; a++, rest /= axes[a - 1].count)
            skip = rest % axes[a].count && idle(axes[a].option->name, &settings);
        if (!skip) check(&settings, seen);
    }
}

int main(int count, char **arguments) {
    const bool product = count == 4 && strcmp(arguments[1], "product") == 0;
    tally seen = {.sample = product ? 0 : 19};
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int model = 0; sa_model_kinds[model].name; model++) {
        if (product)
            check_product(model, atol(arguments[2]), atol(arguments[3]), &seen);
        else
            check_pairs(model, &seen);
    }
    printf("%ld models checked, %ld wrong, %ld refused; worst relative error %.2e\n", seen.checked,
           seen.wrong, seen.refused, seen.worst);
    return seen.wrong || !seen.checked;
}
