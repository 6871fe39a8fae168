/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_IMPORT_H
#define MP_TRACE_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What was read so far. Each kernel file is read twice, which `total` includes. */
struct import_progress {
    const char *path;         /* of the kernel file that is being read */
    uint32_t kernel, kernels; /* its index in the list */
    uint64_t bytes, total;    /* of all kernel files, as they are packed */
};

struct import_options {
    bool skip_unknown; /* leave out and count unknown memory instructions instead of refusing the file */
    uint32_t lanes;    /* of a full warp, for CSV and MGPUSim: 32 or 64; 0: 32 */
    const char *at;    /* the locations of MGPUSim whose transactions count, with * and ?; NULL: "*L1V*" */
    size_t memory;     /* bytes for the lines of a .trace file while they are sorted; 0: 256 MB */
    void (*progress)(void *self, const struct import_progress *progress); /* or NULL */
    void *self;
};

/* Accesses of one kind that are not in the trace. */
struct import_left_out {
    char opcode[24];
    const char *reason;           /* "shared memory" */
    uint64_t instructions, lanes; /* warp instructions, including those of which other lanes were kept */
};

#define IMPORT_LEFT_OUT_ROWS 64u

struct import_summary {
    uint64_t kernels, accesses; /* warp accesses that are in the trace */
    unsigned rows;
    struct import_left_out
        left_out[IMPORT_LEFT_OUT_ROWS]; /* in the order of their first occurrence; the last row counts all
                                           kinds for which there is no row */
};

/* Converts a recording to the GWT trace `out` and fills the summary. The recording is one of Accel-Sim's
 * NVBit tracer, a list (kernelslist or kernelslist.g) and the .trace, .traceg or .tracez files that it names,
 * or one of these files; or a .csv file of warp accesses; or a memory trace of MGPUSim. Returns 0, or -1 with
 * err filled ("FILE:LINE: WHAT; WHAT IS ALLOWED") and no file made. models/trace/README.md describes which
 * parts of a recording are kept.
 */
int import_recording(const char *recording, const char *out, const struct import_options *options,
                     struct import_summary *summary, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
