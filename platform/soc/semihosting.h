/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Semihosting: a program asks the host by EBREAK between two marking instructions (RISC-V Semihosting,
 * version 0.4; the calls are those of Arm's "Semihosting for AArch32 and AArch64", version 2.0). The console
 * is the run's, time is simulated time, and files are those of one folder, which no name leads out of.
 */
#ifndef MP_SOC_SEMIHOSTING_H
#define MP_SOC_SEMIHOSTING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"
#include "soc/hart/hart.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_SEMIHOSTING_FILES 16u

struct mp_semihosting_file {
    enum { MP_SEMIHOSTING_FREE, MP_SEMIHOSTING_CONSOLE, MP_SEMIHOSTING_FEATURES, MP_SEMIHOSTING_FILE } kind;
    int fd;        /* of a FILE */
    uint64_t read; /* bytes of FEATURES that were read */
};

struct mp_semihosting {
    struct mp_hart *hart;
    const char *command_line;
    void *self;
    void (*print)(void *self, uint8_t c); /* to the console */
    int (*key)(void *self);               /* from the console; -1 if none will come */
    void (*starved)(void *self);          /* the program waits for a character, and none will come */
    uint64_t (*picoseconds)(void *self);  /* of simulated time */
    void (*finish)(void *self, int code); /* ends the run */
    uint64_t heap[4];                     /* base and limit of the heap, and of the stack */
    int folder;                           /* -1: there are no files */
    int error;                            /* errno of the latest call that failed */
    struct mp_semihosting_file file[MP_SEMIHOSTING_FILES]; /* by handle - 1 */
};

/* The caller has filled in what is above `folder`. files: the folder, or NULL. -1 with err. */
int mp_semihosting_open(struct mp_semihosting *s, const char *files, struct mp_error *err);
void mp_semihosting_close(struct mp_semihosting *s);

/* Executes the call whose number is in a0 and whose argument is in a1, and writes the answer to a0. */
void mp_semihosting_call(struct mp_semihosting *s);

#ifdef __cplusplus
}
#endif
#endif
