/* SPDX-License-Identifier: Apache-2.0 */
/* The --arg SPECs of a user's kernel. */
#ifndef MP_RECORDER_USER_ARGUMENT_H
#define MP_RECORDER_USER_ARGUMENT_H

#include "recorder.h"

struct argument {
    void *pointer;             /* to a buffer */
    struct device_local local; /* of __local memory */
    void *value;               /* of a number, structure or sampler; to be freed */
    const void *argument;      /* device_launch takes it: points to one of the above */
};

struct named_buffers {
    struct named_buffer {
        char name[64];
        void *pointer;
        uint64_t bytes;
        struct record_image *image; /* that it is, or NULL; to be freed */
    } * buffer;
    unsigned n;
};

/* Makes the argument that the SPEC describes and checks it against the kernel's parameter. A buffer is
 * allocated and filled (random: from seed), or found by name. Errors are "--arg SPEC: WHAT; WHAT IS ALLOWED".
 */
int make_argument(struct argument *a, const char *spec, const struct record_argument *parameter,
                  struct device *d, struct named_buffers *buffers, uint64_t seed, struct mp_error *err);

/* Gives a variable in device memory the value of NAME:TYPE=HOW, as cudaMemcpyToSymbol does. */
int set_symbol(const char *spec, struct device *d, uint64_t seed, struct mp_error *err);

#endif
