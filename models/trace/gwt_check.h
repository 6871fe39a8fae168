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

/* Reads p from beginning to end. The caller frees firsts->bytes. */
int gwt_check(struct gwt_parser *p, struct gwt_totals *totals, struct gwt_firsts *firsts,
              struct mp_error *err);

#endif
