/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a trace, each checked on its own and for its place in the order. Both passes over a trace
 * use it. */
#ifndef MP_TRACE_GWT_PARSE_H
#define MP_TRACE_GWT_PARSE_H

#include "trace/gwt.h"
#include "trace/gwt_stream.h"

struct gwt_parser {
    struct gwt_stream stream;
    struct gwt_kernel kernel; /* the last launch */
    uint64_t start;           /* stream offset of the last record's tag */
    uint64_t ctas_left;       /* of the launch, to come */
    uint64_t ctas;            /* of the launch */
    uint32_t items, nwarps;   /* of each work-group of the launch */
    bool in_kernel;
    bool checked;         /* the stream ends in a checksum */
    uint64_t checksum[2]; /* low, high 64 bits; known at the end */
};

struct gwt_warp_head {
    uint64_t events;
    uint64_t bytes;
};

int gwt_parse_magic(struct gwt_parser *p, struct mp_error *err);
/* Fills all of record but cta; for a CTA its id. Its warps follow: gwt_parse_warp and then the bytes, for
 * each. */
int gwt_parse_record(struct gwt_parser *p, struct gwt_record *record, struct mp_error *err);
int gwt_parse_warp(struct gwt_parser *p, uint32_t warp, struct gwt_warp_head *head, struct mp_error *err);
/* Forgets the launch, for a pass from the beginning. */
void gwt_parse_reset(struct gwt_parser *p);

#endif
