/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the device of ../device.h; shared by its parts. */
#ifndef MP_RECORDER_RECORDER_H
#define MP_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"
#include "module.h"

#include "../device.h"

enum progress { PROGRESS_NONE, PROGRESS_TERMINAL, PROGRESS_JSON };

struct record_counts {
    uint64_t launches, groups, accesses, lane_accesses;
};

/* Rules for kernels. */
struct record_rules {
    uint64_t limit;    /* instructions that a warp may issue in one launch; 0: no limit */
    bool early_exits;  /* work-items that have ended need not reach a barrier */
    double note_after; /* seconds in one work-group until stderr reports it */
};
#define RECORD_RULES ((struct record_rules){.note_after = 10}) /* unless device_rules says otherwise */

/* Opens a device with the kernels of that module; its trace goes to the file `path`. `what` names the run in
 * messages. */
int device_open(struct device **out, const char *what, const struct record_module *module, const char *path,
                enum progress progress, struct mp_error *err);
/* Sets the lanes of a full warp, 32 (the default) or 64. Comes before anything is recorded. */
void device_warp_lanes(struct device *d, unsigned lanes);
void device_rules(struct device *d, const struct record_rules *rules);
/* Puts the module's variables into device memory, after the lanes are set. */
void device_variables(struct device *d);
/* Returns the address of the module's variable with that name and stores its size; NULL if there is none. */
void *device_variable(struct device *d, const char *name, size_t length, uint64_t *bytes);
/* Bytes of extern __shared__ arrays in the launches from now on. */
void device_shared(struct device *d, size_t bytes);
/* Ends the trace, so that the file appears under its name, and frees the device. */
int device_close(struct device *d, struct mp_error *err);
/* Frees the device without writing a file. */
void device_abandon(struct device *d);
const struct record_counts *device_counts(const struct device *d);

/* Checks what device_launch would refuse. Errors are "KERNEL: WHAT; WHAT IS ALLOWED". */
int device_check(const struct device *d, const char *kernel, unsigned dims, const size_t *global,
                 const size_t *local, unsigned nargs, struct mp_error *err);
const struct record_kernel *device_kernel(const struct device *d,
                                          const char *name); /* NULL if there is no such kernel */

#endif
