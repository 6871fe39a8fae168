/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over a whole trace that finds every flaw and counts the totals. */
#ifndef MP_TRACE_GWT_CHECK_H
#define MP_TRACE_GWT_CHECK_H

#include "trace/gwt_parse.h"

/* For each warp, in the order of the file: how many bytes of its stream contain the first access of every
 * pc that it uses. When a work-group is read again, only these bytes are needed to find the addresses from
 * which later warps start. */
struct gwt_firsts {
    uint32_t *bytes;
    uint64_t count, room;
};

/* Counters for a description of the trace, beyond the totals. */
enum { GWT_BINS = 7 }; /* 1, 2, 3-4, 5-8, 9-16, 17-32, 33 or more */

struct gwt_tally {
    uint64_t by_op[3], by_space[3]; /* accesses */
    uint64_t by_lines[GWT_BINS],
        by_pages[GWT_BINS]; /* accesses by the number of distinct units that they touch */
    /* Called at the end of each launch; returns -1 if memory runs out. */
    int (*launch)(void *context, const struct gwt_kernel *kernel, uint64_t accesses, uint64_t instructions);
    void *context;
};

/* Reads p from beginning to end. The caller frees firsts->bytes. tally: NULL, or what to count. */
int gwt_check(struct gwt_parser *p, struct gwt_totals *totals, struct gwt_firsts *firsts,
              struct gwt_tally *tally, struct mp_error *err);

#endif
