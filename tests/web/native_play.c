/* native_play: trains by the playground's functions, as compare_module.mjs does, and prints what
 * they give as JSON, a value on each line.
 *
 *   native_play OPTIONS PAIRS UPDATES SOURCE */
#include "web/playground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    size_t size = 0;
    char *text = NULL;
    for (size_t got = 1; got; size += got) {
        text = realloc(text, size + 65537);
        got = fread(text + size, 1, 65536, file);
    }
    fclose(file);
    text[size] = 0;
    return text;
}

/* The result of a call, or its error, whose texts are plain. */
static void show(const char *text) {
    if (text)
        printf("%s", text);
    else
        printf("{\"error\": \"%s\"}\n", web_error());
}

/* The number behind a key of an object. */
static int number_size(const char *text, const char *key, const char **number) {
    *number = strstr(text, key) + strlen(key) + 1;
    return (int)strcspn(*number, ",}");
}

/* A sum of the bytes, as compare_module.mjs computes it. */
static unsigned long sum_of(const unsigned char *bytes, size_t size) {
    unsigned long sum = 0;
    for (size_t i = 0; i < size; i++) sum = (sum * 31 + bytes[i]) % 4294967291;
    return sum;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    char *pairs = read_file(arguments[2]);
    web_play *play = web_open(arguments[1], pairs, NULL, NULL, 0);
    if (!play) return fprintf(stderr, "%s\n", web_error()), 1;
    for (int i = 0; i < atoi(arguments[3]); i++) {
        const char *text = web_step(play, 1);
        if (!text) return fprintf(stderr, "%s\n", web_error()), 1;
        const char *loss, *norm;
        const int loss_size = number_size(text, "\"loss\"", &loss);
        const int norm_size = number_size(text, "\"gradient_norm\"", &norm);
        printf("[%.*s, %.*s]\n", loss_size, loss, norm_size, norm);
    }
    show(web_align(play, arguments[4], NULL, NULL, NULL));
    show(web_translate(play, arguments[4], "--beam 3", NULL));
    const void *file = web_save(play, 0);
    if (!file) return fprintf(stderr, "%s\n", web_error()), 1;
    printf("[%zu, %lu]\n", web_size(), sum_of(file, web_size()));
    web_close(play);
    free(pairs);
}
