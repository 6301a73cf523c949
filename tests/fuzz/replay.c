/* replay: runs a target on every file of the given folders, as libFuzzer does with -runs=0, in
 * builds without libFuzzer. */
#include "fuzz.h"

#include <dirent.h>

/* The order does not matter: each input is independent. */
static void replay(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open '%s'", path);
    enum { MOST = 1 << 20 };
    uint8_t *bytes = malloc(MOST);
    const size_t size = fread(bytes, 1, MOST, file);
    ck_assert_msg(feof(file), "'%s' is too large", path);
    fclose(file);
    uint8_t *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    free(bytes);
    fprintf(stderr, "%s\n", name);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int replay_all(const char *name) {
    DIR *folder = opendir(name);
    ck_assert_msg(folder != NULL, "cannot open '%s'", name);
    int inputs = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.') replay(name, entry->d_name), inputs++;
    closedir(folder);
    ck_assert_msg(inputs > 0, "'%s' is empty", name);
    return inputs;
}

int main(int count, char **arguments) {
    int inputs = 0;
    for (int i = 1; i < count; i++)
        if (arguments[i][0] != '-') inputs += replay_all(arguments[i]);
    printf("%d inputs\n", inputs);
    return inputs ? 0 : 1;
}
