/* faults: the program's system calls and allocations, counted, recorded, and failing on demand.
 * The linker (--wrap) redirects them to faults.c. A plan says which call fails and how; the
 * tally, shared with forked processes, says what was called. Each call for the time advances it
 * by one, so that equal trainings write equal logs; fsync does nothing. */
#ifndef TORTURE_FAULTS_H
#define TORTURE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum fault_kind { FAULT_NONE, FAULT_MEMORY, FAULT_FILE, FAULT_KILL } fault_kind;

enum { FAULT_SHORT = 0 }; /* besides the values of errno: half of the bytes are transferred */

typedef struct fault {
    fault_kind kind;
    long when;         /* the call that fails, from 1 */
    bool lasting;      /* fail every later call, too */
    int reason;        /* errno; of FAULT_KILL: FAULT_SHORT kills in the middle of a write */
    const char *calls; /* the file calls that can fail, separated by blanks; NULL: all */
} fault;

extern fault fault_plan;

/* One file operation of a recorded run. */
typedef enum op_kind {
    OP_OTHER,
    OP_CREATE, /* path is the new file `file` */
    OP_WRITE,  /* size bytes at data + at go to the end of `file` */
    OP_SYNC,   /* of `file` */
    OP_MKDIR,
    OP_SYNC_FOLDER, /* path */
    OP_RENAME,      /* path becomes `to` */
    OP_UNLINK,
} op_kind;

typedef struct op {
    op_kind kind;
    char call[12]; /* its name: "write" */
    int file;      /* numbered from 0 in the order of creation */
    size_t at, size;
    char path[64], to[64];
} op;

enum { OPS = 20000, RECORDED = 64 << 20 };

typedef struct tally {
    long memory, files; /* calls */
    long live;          /* blocks not freed */
    long created;       /* files */
    int opened;         /* files not closed at the end */
    bool returned;      /* main returned: resources need not be released before exit */
    size_t used;        /* of data */
    bool recording;
    bool overflow; /* the record is full */
    op ops[OPS];   /* [files] */
    char data[RECORDED];
} tally;

extern tally *fault_tally;

/* Makes the shared tally; to be called first. */
void faults_open(void);

/* Starts counting from zero, with the planned fault, and recording if asked to. */
void faults_arm(fault plan, bool recording);
void faults_disarm(void);

/* The number of the file that a path named when operation `at` began, or -1; CRC-32 and size of
 * all bytes written to a file. */
int tally_named(const tally *seen, long at, const char *path);
uint32_t tally_sum(const tally *seen, int file, size_t *size);

/* Whether a call is in a list of calls. */
bool fault_among(const char *call, const char *calls);

#endif
