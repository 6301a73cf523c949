/* world: the folder that a command runs in, and the files it leaves there. Inputs are in a
 * folder of their own; each run gets a fresh folder of links to them, so that a file written in
 * place is detected, and a file replaced is not. */
#ifndef TORTURE_WORLD_H
#define TORTURE_WORLD_H

#include "torture/faults.h"

/* What is run: a line of arguments, with standard input after "<"; or a function that calls the
 * library, returns an exit code and writes its results to standard output. */
typedef struct task {
    const char *name;
    const char *words;
    int (*run)(void);
    int heavier; /* than others by this factor, so fewer cases are run; 0: 1 */
    bool timed;  /* its files contain times, which an interruption changes */
} task;

/* A file by its path below the folder, and the CRC-32 of its bytes. */
typedef struct content {
    char path[96];
    uint32_t sum;
    size_t size;
} content;

enum { CONTENTS = 96 };
typedef struct contents {
    int count;
    content file[CONTENTS];
} contents;

typedef struct result {
    int code;      /* exit code; -1: it was killed */
    int signal;    /* the signal that killed it */
    long live;     /* blocks not freed */
    int opened;    /* files not closed */
    contents left; /* the files in the folder, without output and messages */
    char *output, *messages;
    size_t size; /* of output */
} result;

/* Makes the folder of inputs and runs; `world_close` removes it. */
void world_open(void);
void world_close(void);

/* Runs a task in the folder of inputs, to make one; a failure ends the program. */
void world_add(const char *words);

/* Adds a text as an input; compresses an input with gzip. */
void world_add_text(const char *name, const char *text);
void world_pack(const char *name, const char *packed);

/* Makes a fresh folder of links to the inputs for the next task. */
void world_renew(void);

/* Runs a task in that folder, in a process of its own, which is killed after `milliseconds` if
 * that is > 0. Call result_release afterwards. */
result world_run(const task *what, fault plan, bool recording, int microseconds);
void result_release(result *it);

/* The files in the folder now. */
void world_list(contents *list);
uint32_t content_sum(uint32_t sum, const char *bytes, size_t size);
const content *contents_find(const contents *list, const char *path);

/* The path of a file in the run's folder; the last four results stay valid. */
const char *world_path(const char *name);

/* Whether the file exists. */
bool world_holds(const char *name);

/* The last message of a task. */
const char *last_line(const result *it);

/* Whether a name is that of a file being saved. */
bool world_temporary(const char *path);

/* All bytes of a file, to be freed, or NULL. */
char *world_bytes(const char *path, size_t *size);

#endif
