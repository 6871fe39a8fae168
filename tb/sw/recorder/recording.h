/* SPDX-License-Identifier: Apache-2.0 */
/* Records one kernel of kernels.cl to a temporary file and reads it back. */
#ifndef RECORDING_H
#define RECORDING_H

#include "recorder.h"
#include "trace/gwt.h"

extern const struct record_module mp_module_recorder_test;

struct recording {
    char path[64];
    struct device *device;
    struct gwt_reader *reader;
    struct gwt_record kernel;
    struct gwt_cta *cta;
};

void recording_begin(struct recording *r);
/* Ends the recording and goes to its first kernel. */
void recording_read(struct recording *r);
/* Returns the next work-group's warp, or NULL at the kernel's end; releases the previous group. */
struct gwt_cta *recording_group(struct recording *r);
void recording_end(struct recording *r);

/* The warp's next event is this: an access by the lanes in mask, at addresses from `base` on. */
void expect_access(struct gwt_warp *w, const struct recording *r, unsigned line, enum gwt_op op,
                   uint64_t mask, unsigned gap, uint64_t base, int64_t stride);
void expect_mark(struct gwt_warp *w, enum gwt_event_kind kind, unsigned gap);

/* The device address that the recorder gives to the buffer at index i, if all before it are small. */
static inline uint64_t small_buffer(unsigned i)
{
    return 0x10000000u + 0x10000u * i;
}

#endif
