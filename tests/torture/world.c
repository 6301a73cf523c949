#include "torture/world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

enum { SECONDS = 180, WORDS = 64 }; /* what takes longer hangs, even on a loaded machine */

int softalign_main(int count, char **arguments);

static char root[64], inputs[80], folder[80];

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "torture: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* ---- Folders --------------------------------------------------------------------------------- */

static void remove_all(const char *path) {
    DIR *list = opendir(path);
    if (!list) return;
    for (struct dirent *entry; (entry = readdir(list));) {
        char inner[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (unlink(inner) != 0) remove_all(inner);
    }
    closedir(list);
    rmdir(path);
}

static void link_all(const char *from, const char *to) {
    DIR *list = opendir(from);
    need(mkdir(to, 0777) == 0 && list, to);
    for (struct dirent *entry; (entry = readdir(list));) {
        char source[512], target[512];
        const char *name = entry->d_name;
        if (*name == '.') continue; /* a lock's note is written in place */
        snprintf(source, sizeof source, "%s/%s", from, name);
        snprintf(target, sizeof target, "%s/%s", to, name);
        if (link(source, target) != 0) link_all(source, target);
    }
    closedir(list);
}

void world_open(void) {
    strcpy(root, access("/dev/shm", W_OK) == 0 ? "/dev/shm/softalign-torture-XXXXXX"
                                               : "/tmp/softalign-torture-XXXXXX");
    need(mkdtemp(root) != NULL, root);
    snprintf(inputs, sizeof inputs, "%s/inputs", root);
    snprintf(folder, sizeof folder, "%s/run", root);
    need(mkdir(inputs, 0777) == 0, inputs);
}

void world_close(void) {
    remove_all(root);
}

void world_renew(void) {
    remove_all(folder);
    link_all(inputs, folder);
}

const char *world_path(const char *name) {
    static char paths[4][256];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

char *world_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file) return NULL;
    need(fstat(fileno(file), &about) == 0, path);
    char *bytes = calloc(1, (size_t)about.st_size + 1);
    *size = bytes ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
    need(*size == (size_t)about.st_size, path);
    fclose(file);
    return bytes;
}

/* ---- What is in a folder --------------------------------------------------------------------- */

bool world_temporary(const char *path) {
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, ".softalign-", 11) == 0;
}

uint32_t content_sum(uint32_t sum, const char *bytes, size_t size) {
    return (uint32_t)crc32_z(sum, (const unsigned char *)bytes, size);
}

static void list_below(const char *path, const char *below, contents *list) {
    DIR *entries = opendir(path);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char inner[512], name[300];
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (strcmp(entry->d_name, ".lock") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", entry->d_name);
        need(lstat(inner, &about) == 0, inner);
        if (S_ISDIR(about.st_mode)) {
            list_below(inner, name, list);
            continue;
        }
        need(list->count < CONTENTS && strlen(name) < sizeof list->file[0].path, "too many files");
        content *file = &list->file[list->count++];
        char *bytes = world_bytes(inner, &file->size);
        strcpy(file->path, name);
        file->sum = content_sum(0, bytes, file->size);
        free(bytes);
    }
    closedir(entries);
}

void world_list(contents *list) {
    list->count = 0;
    list_below(folder, "", list);
}

const content *contents_find(const contents *list, const char *path) {
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->file[i].path, path) == 0) return &list->file[i];
    return NULL;
}

/* ---- Running --------------------------------------------------------------------------------- */

static int split(char *line, char **words) {
    int count = 0;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) words[count++] = word;
    words[count] = NULL;
    return count;
}

static int open_files(void) {
    int count = 0;
    for (int fd = 0; fd < 256; fd++) count += fcntl(fd, F_GETFD) != -1;
    return count;
}

static void redirect(int to, const char *path, int flags) {
    const int fd = open(path, flags, 0666);
    need(fd >= 0 && dup2(fd, to) == to, path);
    close(fd);
}

/* Runs in the child. The tally and the exit code report leaked blocks and files. */
static _Noreturn void work(const task *what, const char *where, fault plan, bool recording) {
    char line[1024], *words[WORDS], path[128];
    const char *input = "/dev/null";
    need(chdir(where) == 0, where);
    int count = 0;
    if (what->words) {
        snprintf(line, sizeof line, "softalign %s", what->words);
        count = split(line, words);
        if (count > 2 && strcmp(words[count - 2], "<") == 0) {
            input = words[count - 1];
            words[count -= 2] = NULL;
        }
    }
    redirect(STDIN_FILENO, input, O_RDONLY);
    snprintf(path, sizeof path, "%s/output", root);
    redirect(STDOUT_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
    snprintf(path, sizeof path, "%s/messages", root);
    redirect(STDERR_FILENO, path, O_WRONLY | O_CREAT | O_TRUNC);
    alarm(SECONDS);
    const int before = open_files();
    faults_arm(plan, recording);
    const int code = what->words ? softalign_main(count, words) : what->run();
    faults_disarm();
    fault_tally->returned = true;
    fault_tally->opened = open_files() - before;
    fflush(NULL);
    _exit(code);
}

static result run_in(const char *where, const task *what, fault plan, bool recording,
                     int microseconds) {
    result it = {0};
    char path[128];
    int status;
    fflush(NULL);
    fault_tally->returned = false;
    const pid_t child = fork();
    need(child >= 0, "fork");
    if (child == 0) work(what, where, plan, recording);
    if (microseconds > 0) {
        usleep((useconds_t)microseconds);
        kill(child, SIGKILL);
    }
    need(waitpid(child, &status, 0) == child, "waitpid");
    it.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    it.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    it.live = fault_tally->returned ? fault_tally->live : 0;
    it.opened = fault_tally->returned ? fault_tally->opened : 0;
    snprintf(path, sizeof path, "%s/output", root);
    it.output = world_bytes(path, &it.size);
    size_t size;
    snprintf(path, sizeof path, "%s/messages", root);
    it.messages = world_bytes(path, &size);
    return it;
}

result world_run(const task *what, fault plan, bool recording, int microseconds) {
    result it = run_in(folder, what, plan, recording, microseconds);
    world_list(&it.left);
    return it;
}

void world_add(const char *words) {
    char line[1024], path[160];
    snprintf(line, sizeof line, "%s", words);
    char *to = strstr(line, " > ");
    if (to) *to = 0;
    const task what = {.name = words, .words = line};
    result it = run_in(inputs, &what, (fault){0}, false, 0);
    if (it.code != 0) {
        fprintf(stderr, "torture: softalign %s: exit %d: %s\n", words, it.code, it.messages);
        exit(2);
    }
    if (to) {
        char from[128];
        snprintf(from, sizeof from, "%s/output", root);
        snprintf(path, sizeof path, "%s/%s", inputs, to + 3);
        need(rename(from, path) == 0, path);
    }
    result_release(&it);
}

void world_add_text(const char *name, const char *text) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", inputs, name);
    FILE *file = fopen(path, "w");
    need(file && fputs(text, file) >= 0 && fclose(file) == 0, path);
}

void world_pack(const char *name, const char *packed) {
    char path[160];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", inputs, name);
    char *bytes = world_bytes(path, &size);
    snprintf(path, sizeof path, "%s/%s", inputs, packed);
    gzFile file = gzopen(path, "wb");
    need(bytes && file && gzwrite(file, bytes, (unsigned)size) == (int)size, path);
    need(gzclose(file) == Z_OK, path);
    free(bytes);
}

bool world_holds(const char *name) {
    return access(world_path(name), F_OK) == 0;
}

const char *last_line(const result *it) {
    const char *text = it->messages ? it->messages : "", *line = text;
    for (; *text; text++)
        if (*text == '\n' && text[1]) line = text + 1;
    return line;
}

void result_release(result *it) {
    free(it->output);
    free(it->messages);
    *it = (result){0};
}
