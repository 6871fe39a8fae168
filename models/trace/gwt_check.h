/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over a whole trace that finds every flaw, and counts. */
#ifndef MP_TRACE_GWT_CHECK_H
#define MP_TRACE_GWT_CHECK_H

#include "trace/gwt_parse.h"

/* How many bytes of each warp's stream, in the order of the file, hold its first access of each pc. Reading a
 * work-group again has to look no further for the addresses that later warps start from. */
struct gwt_firsts {
    uint32_t *bytes;
    uint64_t count, room;
};

/* Reads p from its beginning to its end. firsts->bytes is the caller's to free. */
int gwt_check(struct gwt_parser *p, struct gwt_totals *totals, struct gwt_firsts *firsts,
              struct mp_error *err);

#endif
