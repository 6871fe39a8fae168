/* SPDX-License-Identifier: Apache-2.0 */
/* What is known while a kernel file is parsed: shared by its lines (traceg_parse.c) and its instructions
 * (traceg_instruction.c). */
#ifndef MP_TRACE_TRACEG_STATE_H
#define MP_TRACE_TRACEG_STATE_H

#include "trace/import_lines.h"
#include "trace/traceg_parse.h"

struct traceg_state {
    struct import_lines lines;
    uint64_t line; /* number of the line that is parsed, where lines are kept for later */
    struct mp_error *err;
    import_receiver *receiver;
    void *self;
    struct gwt_kernel kernel;
    char name[1024];
    uint64_t shared_window, local_window; /* 0 if unknown */
    uint64_t version;                     /* 0 until the header gives it */
    bool skip_unknown;
    bool line_numbers, grid_known, block_known, begun, in_cta, cta_known, in_warp;
    uint32_t items, nwarps;
    uint32_t at[3], warp, next_warp, instruction; /* instruction: number in the warp, from 0 */
    uint32_t gap;                                 /* instructions since the warp's last event */
    bool raw, copied; /* copied: the next LDGSTS of a raw recording's pair is the one that counts */
    struct gwt_event event;
};

/* Fails at the present line, or, in a container, at the instruction. */
int traceg_fail(struct traceg_state *p, const char *what, const char *allowed);
/* Hands an item to the receiver. */
int traceg_send(struct traceg_state *p, const struct import_item *item);
/* Sends the event with the instructions before it. pc: of an access, otherwise NULL. */
int traceg_send_event(struct traceg_state *p, const struct gwt_pc *pc);

/* Parses an instruction of a warp with this number of lanes. */
int traceg_instruction(struct traceg_state *p, char *line, uint32_t lanes);

#endif
