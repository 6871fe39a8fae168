/* SPDX-License-Identifier: Apache-2.0 */
/* What the parsers of foreign recordings hand to the importer, piece by piece. */
#ifndef MP_TRACE_IMPORT_ITEM_H
#define MP_TRACE_IMPORT_ITEM_H

#include "trace/gwt.h"
#include "trace/import_file.h"

enum import_kind {
    IMPORT_KERNEL,
    IMPORT_CTA,
    IMPORT_WARP,
    IMPORT_EVENT,
    IMPORT_LEFT_OUT,
    IMPORT_CTA_END,
    IMPORT_KERNEL_END
};

struct import_item {
    enum import_kind kind;
    const struct gwt_kernel *kernel; /* without its pc table */
    uint64_t time;                   /* ns, before which the kernel does not begin; 0: it has none */
    uint32_t id;                     /* of a CTA, or of a warp in its CTA */
    const struct gwt_event *event;   /* addresses in lane[]; its pc field is not used */
    struct gwt_pc pc;                /* of an access */
    const char *opcode, *reason;     /* of lanes that are left out */
    uint32_t lanes;
};

/* Receives the items in the order of enum import_kind: kernel, {CTA, {warp, events ... exit}, CTA end},
 * kernel end. Items that are left out come between the events. Returns 0 or -1. */
typedef int import_receiver(void *self, const struct import_item *item, struct mp_error *err);

struct import_parsing {
    bool skip_unknown; /* leave out unknown memory instructions, and do not refuse them */
    size_t memory;     /* bytes for lines that are sorted; 0: 256 MB */
    uint32_t lanes;    /* of a full warp, where the recording does not say it: 32 or 64 */
    const char *at;    /* of MGPUSim: the locations whose transactions count, with * and ? */
    import_tick *tick; /* bytes of the file that were read, or NULL */
    import_receiver *receiver;
    void *self; /* of both */
};

/* Reads the file at path. Errors begin with "PATH:LINE: ", "PATH: byte N: " or, in a container, with the
 * thread block, warp and instruction. The receiver returns its errors without this text, and it is added. */
typedef int import_parser(const char *path, const struct import_parsing *how, struct mp_error *err);

#endif
