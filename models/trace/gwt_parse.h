/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a trace. Each is checked by itself and for its place in the order. Both passes over a
 * trace use this parser. */
#ifndef MP_TRACE_GWT_PARSE_H
#define MP_TRACE_GWT_PARSE_H

#include "trace/gwt.h"
#include "trace/gwt_stream.h"

struct gwt_parser {
    struct gwt_stream stream;
    struct gwt_kernel kernel; /* the last launch */
    uint64_t start;           /* stream offset of the last record's tag */
    uint64_t ctas_left;       /* number of work-groups still to come in the launch */
    uint64_t ctas;            /* of the launch */
    uint32_t items, nwarps;   /* of each work-group of the launch */
    uint32_t warp_lanes;      /* of a full warp */
    uint64_t recorded;        /* instructions before gaps were scaled; 0: they were not */
    bool in_kernel;
    bool checked;         /* the stream ends in a checksum */
    uint64_t checksum[2]; /* low, high 64 bits; known at the end */
};

struct gwt_warp_head {
    uint64_t events;
    uint64_t bytes;
};

int gwt_parse_magic(struct gwt_parser *p, struct mp_error *err);
/* Reads the properties of the trace, which come next if they are not the usual ones. */
int gwt_parse_properties(struct gwt_parser *p, struct mp_error *err);
/* Fills all of record but cta; for a CTA, it reads the id. The CTA's warps follow: for each,
 * gwt_parse_warp and then its bytes. */
int gwt_parse_record(struct gwt_parser *p, struct gwt_record *record, struct mp_error *err);
int gwt_parse_warp(struct gwt_parser *p, uint32_t warp, struct gwt_warp_head *head, struct mp_error *err);
/* Forgets the launch, so that a pass can start from the beginning. */
void gwt_parse_reset(struct gwt_parser *p);

#endif
