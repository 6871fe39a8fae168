/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of units, one per space, in ascending order. They are inline, so that plugins have them. */
#ifndef MP_UVM_LISTS_H
#define MP_UVM_LISTS_H

#include "uvm/pool.h"

static inline void mp_uvm_unlink(struct mp_uvm_pool *p, uint32_t unit)
{
    const struct mp_uvm_unit *n = &p->unit[unit];
    p->unit[n->prev].next = n->next;
    p->unit[n->next].prev = n->prev;
}

/* At the end of its space's list. */
static inline void mp_uvm_append(struct mp_uvm_pool *p, uint32_t list, uint32_t unit)
{
    const uint32_t head = mp_uvm_head(p, list, mp_uvm_space_of(p, unit));
    struct mp_uvm_unit *n = &p->unit[unit];
    n->next = head;
    n->prev = p->unit[head].prev;
    p->unit[n->prev].next = unit;
    p->unit[head].prev = unit;
}

/* All of `from` goes to the end of `to`, in each space. */
static inline void mp_uvm_append_list(struct mp_uvm_pool *p, uint32_t to, uint32_t from)
{
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++) {
        const uint32_t t = mp_uvm_head(p, to, s), f = mp_uvm_head(p, from, s);
        struct mp_uvm_unit *tail = &p->unit[t], *rest = &p->unit[f];
        if (rest->next == f)
            continue;
        p->unit[tail->prev].next = rest->next;
        p->unit[rest->next].prev = tail->prev;
        p->unit[rest->prev].next = t;
        tail->prev = rest->prev;
        rest->next = rest->prev = f;
    }
}

/* A space's first unit that may leave, from the end or the beginning of its list; the head, if there is none.
 * Only units of the block that is served are passed over. */
static inline uint32_t mp_uvm_first_to_leave(const struct mp_uvm_pool *p, uint32_t head, uint32_t served,
                                             bool from_end)
{
    uint32_t unit = head;
    do
        unit = from_end ? p->unit[unit].prev : p->unit[unit].next;
    while (unit != head && mp_uvm_block_of(p, unit) == served);
    return unit;
}

/* The unit of the lists that may leave and has the least order, or the greatest; MP_UVM_NONE: there is none.
 */
static inline uint32_t mp_uvm_extreme(const struct mp_uvm_pool *p, uint32_t list,
                                      const struct mp_uvm_wanted *wanted, bool greatest)
{
    uint32_t best = MP_UVM_NONE;
    for (uint32_t s = 0; s < MP_UVM_SPACES; s++) {
        const uint32_t head = mp_uvm_head(p, list, s);
        if (!(wanted->spaces >> s & 1))
            continue;
        const uint32_t unit = mp_uvm_first_to_leave(p, head, wanted->block, greatest);
        if (unit != head && (best == MP_UVM_NONE || (p->unit[unit].order > p->unit[best].order) == greatest))
            best = unit;
    }
    return best;
}

static inline uint32_t mp_uvm_oldest(const struct mp_uvm_pool *p, uint32_t list,
                                     const struct mp_uvm_wanted *wanted)
{
    return mp_uvm_extreme(p, list, wanted, false);
}

static inline uint32_t mp_uvm_newest(const struct mp_uvm_pool *p, uint32_t list,
                                     const struct mp_uvm_wanted *wanted)
{
    return mp_uvm_extreme(p, list, wanted, true);
}

#endif
