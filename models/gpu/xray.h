/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An X-ray of a machine: how full the structures of each block are, every request that waits in a block, and
 * which request of the next block it waits for. Blocks are asked one after the other in the order of the plan
 * (engine/xray.h); a block without a model, such as a foreign module, shows what its owner adds for it.
 *
 * A request and the one that was sent on for it are joined by what their senders copy: page and address
 * space on a translation link, line on a memory link, SM and warp where the address is not known. So native
 * calls, sockets and threads give the same picture. A cache that passes requests on without a record is
 * skipped. An SM's own cache knows the line of a miss and not its warp: the oldest one is taken.
 */
#ifndef MP_GPU_XRAY_H
#define MP_GPU_XRAY_H

#include "engine/xray.h"
#include "gpu/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_xray_block {
    bool foreign;
    uint32_t first_room, rooms, first_item, items;
    uint32_t between; /* of the items: sent on, on a link that is not known, and no block below has them */
};

struct mp_xray_structure {
    const char *name;
    uint64_t used, most; /* most 0: it has no limit */
};

struct mp_xray_item {
    struct mp_xray_wait wait;
    uint32_t block;
    uint32_t
        link; /* of the plan, on which it was sent on, or MP_XRAY_NONE: it stays, or the link is unknown */
    /* The item that it waits for, or MP_XRAY_NONE: of a block below; of the same block, if it waits for the
     * place of another, the oldest one there. */
    uint32_t next;
};

struct mp_xray_edge {      /* of each link: requests that were sent on there and have no answer */
    uint64_t items, since; /* since: MP_XRAY_UNKNOWN if there is none */
    uint64_t
        between; /* of the items: no block below has them; they or their answers are on the way, or lost */
};

struct mp_xray_report {
    const struct mp_plan *plan; /* not owned */
    uint64_t cycle;
    uint32_t page_shift, line_shift;
    struct mp_xray_block *block; /* by number in the plan */
    struct mp_xray_edge *edge;   /* by link of the plan */
    struct mp_xray_structure *room;
    struct mp_xray_item *item;
    uint32_t *oldest; /* items, those that have waited longest first; after them those of unknown age */
    uint32_t rooms, items, rooms_size, items_size, at;
    bool failed; /* out of memory */
};

/* page_bytes, line_bytes: powers of 2. Returns -1 if memory runs out. */
int mp_xray_init(struct mp_xray_report *r, const struct mp_plan *plan, uint64_t cycle, uint64_t page_bytes,
                 uint64_t line_bytes);
void mp_xray_free(struct mp_xray_report *r);
/* The next block of the plan shows itself. model: NULL if it is foreign; the functions of mp_xray_sink() then
 * add what is known of it. */
void mp_xray_show(struct mp_xray_report *r, const void *model);
struct mp_xray mp_xray_sink(struct mp_xray_report *r);
/* After the last block: sorts the items and joins them. Returns -1 if memory runs out, or had run out before.
 */
int mp_xray_finish(struct mp_xray_report *r);

/* The last item of the chain that begins at this one. */
uint32_t mp_xray_end(const struct mp_xray_report *r, uint32_t item);
/* Why the chain ends at this item, which waits for no other: where the request is, in one short phrase.
 * lost: nothing is on its way any more. text has room for MP_XRAY_TEXT characters. */
#define MP_XRAY_TEXT 160u
const char *mp_xray_why(const struct mp_xray_report *r, uint32_t item, bool lost, char text[MP_XRAY_TEXT]);
/* "MSHR", "walker 3" */
const char *mp_xray_place(const struct mp_xray_report *r, uint32_t item, char text[MP_XRAY_TEXT]);
const char *mp_xray_op(const struct mp_xray_wait *wait);
/* One line on the oldest request, of the tenant or of any (-1): what it is, since when, where its chain ends
 * and why. */
#define MP_XRAY_LINE 480u
const char *mp_xray_oldest(const struct mp_xray_report *r, int tenant, bool lost, char text[MP_XRAY_LINE]);

#ifdef __cplusplus
}
#endif
#endif
