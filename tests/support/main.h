/* main: the main() of a program with the tests of several files, TESTS. The name by which it is
 * called is the file's; CMakeLists.txt makes a link for each. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int name(void);
TESTS
#undef TEST
#define TEST(name) {#name, name},

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {TESTS};

int main(int count, char **arguments) {
    const char *path = count > 0 ? arguments[0] : "", *slash = strrchr(path, '/');
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        if (strcmp(tests[k].name, slash ? slash + 1 : path) == 0) return tests[k].run();
    fprintf(stderr, "%s: none of its tests has this name\n", path);
    return 2;
}
