/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides when firmware last made progress. Progress is an event, such as a character of the console or an
 * instruction of the GPU, and a write that was not made since the latest event:
 *   - to an address of memory below or above all that were written since;
 *   - or of a value that the address was not given since, for the first MP_LIVENESS_WRITES of such writes.
 * So writes that repeat are no progress, whether to one register or to several by turns, and neither is a
 * register that counts without end; memory may be filled to any size.
 */
#ifndef MP_SOC_LIVENESS_H
#define MP_SOC_LIVENESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_LIVENESS_WRITES 4096u
#define MP_LIVENESS_SLOTS  (2 * MP_LIVENESS_WRITES)

enum mp_liveness_writer { MP_LIVENESS_CORE, MP_LIVENESS_DMA, MP_LIVENESS_WRITERS };

struct mp_liveness_write {
    uint64_t address, value;
};

struct mp_liveness {
    uint64_t latest; /* number of the instruction at the latest progress */
    uint16_t event;  /* number of events, never 0 */
    uint32_t writes; /* stored since the latest event */
    struct {         /* addresses of memory written since the latest event; none if high < low */
        uint64_t low, high;
    } swept[MP_LIVENESS_WRITERS];
    /* A hash table with open addressing. A slot holds the event in its upper 16 bits and a hash of the write.
     * Slots of earlier events are free. That two writes have the same hash of 48 bits is improbable, and
     * would hide one of them. */
    uint64_t slot[MP_LIVENESS_SLOTS];
};

void mp_liveness_init(struct mp_liveness *p);
/* `at` is the number of instructions so far. */
void mp_liveness_event(struct mp_liveness *p, uint64_t at);

static inline uint64_t mp_liveness_key(const struct mp_liveness *p, const struct mp_liveness_write *w)
{
    uint64_t h = w->address * 0x9e3779b97f4a7c15u + w->value * 0xc2b2ae3d27d4eb4fu;
    return (uint64_t)p->event << 48 | (h ^ h >> 32) >> 16;
}

/* Returns the slot that contains the key of the write, or the free one in which to store it. Values that
 * differ in their last bits only, as of a register of 8 bits, are next to each other, for the cache of the
 * host. */
static inline uint32_t mp_liveness_find(const struct mp_liveness *p, const struct mp_liveness_write *w,
                                        uint64_t key)
{
    uint64_t h = (w->address + (w->value >> 8) * 0xc2b2ae3d27d4eb4fu) * 0x9e3779b97f4a7c15u;
    uint32_t i = ((uint32_t)(h >> 40) + (w->value & 0xff)) % MP_LIVENESS_SLOTS;
    while (p->slot[i] != key && p->slot[i] >> 48 == p->event)
        i = (i + 1) % MP_LIVENESS_SLOTS;
    return i;
}

/* For a write that does not repeat an earlier one. */
void mp_liveness_wrote_new(struct mp_liveness *p, uint64_t at, enum mp_liveness_writer by, bool memory,
                           const struct mp_liveness_write *w);

/* memory: the address is not that of a register. */
static inline void mp_liveness_wrote(struct mp_liveness *p, uint64_t at, enum mp_liveness_writer by,
                                     bool memory, const struct mp_liveness_write *w)
{
    uint64_t key = mp_liveness_key(p, w);
    if (p->slot[mp_liveness_find(p, w, key)] != key)
        mp_liveness_wrote_new(p, at, by, memory, w);
}

#ifdef __cplusplus
}
#endif
#endif
