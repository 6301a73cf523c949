/* world: the folder a tortured command works in, and what it leaves there.
 *
 * The world begins as a folder of inputs that are never written to: each run gets a fresh folder of
 * links to them, so that a file written in place is found out, and a file replaced is not. */
#ifndef TORTURE_WORLD_H
#define TORTURE_WORLD_H

#include "torture/faults.h"

/* What is run: a line of arguments, with the standard input after "<"; or a function of the
 * library's user, which returns an exit code and writes its results to standard output. */
typedef struct task {
    const char *name;
    const char *words;
    int (*run)(void);
    int heavier; /* than others, so many times: so many times fewer cases are tried; 0: once */
    bool timed;  /* its files tell times, which an interruption changes */
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
    int code;      /* of the exit; -1: it was killed */
    int signal;    /* that killed it */
    long live;     /* blocks not given back */
    int opened;    /* files not closed */
    contents left; /* the files in the folder; output and messages are not among them */
    char *output, *messages;
    size_t size; /* of output */
} result;

/* Makes the folder of everything; `world_close` removes it. */
void world_open(void);
void world_close(void);

/* Runs a task in the folder of inputs itself, to make one; a failure ends the torture. */
void world_add(const char *words);

/* A text of one's own as an input, and an input packed by gzip. */
void world_add_text(const char *name, const char *text);
void world_pack(const char *name, const char *packed);

/* A fresh folder of links to the inputs becomes the one that tasks run in. */
void world_renew(void);

/* Runs a task in the folder as it is, in a process of its own; after `milliseconds` > 0 it is
 * killed. result_release afterwards. */
result world_run(const task *what, fault plan, bool recording, int microseconds);
void result_release(result *it);

/* The files of the folder as it is now. */
void world_list(contents *list);
uint32_t content_sum(uint32_t sum, const char *bytes, size_t size);
const content *contents_find(const contents *list, const char *path);

/* The path of a file in the folder of runs; the last four answers stay valid. */
const char *world_path(const char *name);

/* Whether there is such a file. */
bool world_holds(const char *name);

/* The last thing a task said. */
const char *last_line(const result *it);

/* Whether a name is that of a file which is still being saved. */
bool world_temporary(const char *path);

/* All bytes of a file, to be freed; NULL: there is none. */
char *world_bytes(const char *path, size_t *size);

#endif
