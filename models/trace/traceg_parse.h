/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel file (.traceg or .traceg.xz) of Accel-Sim's NVBit tracer, item by item. */
#ifndef MP_TRACE_TRACEG_PARSE_H
#define MP_TRACE_TRACEG_PARSE_H

#include "trace/gwt.h"

enum traceg_kind {
    TRACEG_KERNEL,
    TRACEG_CTA,
    TRACEG_WARP,
    TRACEG_EVENT,
    TRACEG_LEFT_OUT,
    TRACEG_CTA_END,
    TRACEG_KERNEL_END
};

struct traceg_item {
    enum traceg_kind kind;
    const struct gwt_kernel *kernel; /* without its pc table */
    uint32_t id;                     /* of a CTA, or of a warp in its CTA */
    const struct gwt_event *event;   /* addresses in lane[]; its pc field is not used */
    struct gwt_pc pc;                /* of an access */
    const char *opcode, *reason;     /* of lanes that are left out */
    uint32_t lanes;
};

/* Receives the items in the order of enum traceg_kind: kernel, {CTA, {warp, events ... exit}, CTA end},
 * kernel end. Items that are left out come between the events. Returns 0 or -1. */
typedef int traceg_receiver(void *self, const struct traceg_item *item, struct mp_error *err);

/* Reads the file at path. With skip_unknown, unknown memory instructions are left out and not refused.
 * Errors begin with "PATH:LINE: ". The receiver returns its errors without this text, and it is added. */
int traceg_parse(const char *path, bool skip_unknown, traceg_receiver *receiver, void *self,
                 struct mp_error *err);

#endif
