/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_GWT_DUMP_H
#define MP_TRACE_GWT_DUMP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GWT_DUMP_ALL UINT64_MAX

/* The events of a trace that are printed. */
struct gwt_dump {
    const char *kernel;   /* name, or NULL: all */
    uint64_t launch;      /* from 1, in the order of the file; GWT_DUMP_ALL: all */
    uint64_t group, warp; /* or GWT_DUMP_ALL */
    uint64_t first, end;  /* of each warp's events: first to end - 1, from 0 */
    const char *known;    /* folder of gwt_open_known, or NULL */
    bool json, csv;
};

/* Prints a trace's buffers, launches and events, one in a line: a table, an array of JSON
 * objects, or rows of values (access_csv.h). Memory does not grow with the trace. Buffers and copies are left
 * out of rows, and if a launch, work-group or warp is selected. Returns 0, or -1 with err filled: a flaw, or
 * nothing that is selected. */
int gwt_dump(const char *path, const struct gwt_dump *d, FILE *out, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
