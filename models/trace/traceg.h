/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_TRACEG_H
#define MP_TRACE_TRACEG_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called before each kernel file is read, with its index, the number of files, and its path. */
typedef void traceg_progress(void *self, uint32_t kernel, uint32_t kernels, const char *path);

struct traceg_options {
    bool skip_unknown; /* leave out and count unknown memory instructions instead of refusing the file */
    traceg_progress *progress; /* or NULL */
    void *self;
};

/* Accesses of one kind that are not in the trace. */
struct traceg_left_out {
    char opcode[24];
    const char *reason;           /* "shared memory" */
    uint64_t instructions, lanes; /* warp instructions, including those of which other lanes were kept */
};

#define TRACEG_LEFT_OUT_ROWS 64u

struct traceg_summary {
    uint64_t kernels, accesses; /* warp accesses that are in the trace */
    unsigned rows;
    struct traceg_left_out
        left_out[TRACEG_LEFT_OUT_ROWS]; /* in the order of their first occurrence; the last row counts all
                                           kinds for which there is no row */
};

/* Converts a recording of Accel-Sim's NVBit tracer to the GWT trace `out` and fills the summary. The
 * recording is `kernelslist` (kernelslist.g) and the .traceg or .traceg.xz files that it names. Returns 0,
 * or -1 with err filled ("FILE:LINE: WHAT; WHAT IS ALLOWED") and no file made. models/trace/README.md
 * describes which parts of a recording are kept. */
int traceg_import(const char *kernelslist, const char *out, const struct traceg_options *options,
                  struct traceg_summary *summary, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
