/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After the idea of HPE (Yu et al., "HPE: Hierarchical Page Eviction Policy for Unified Memory in GPUs", TCAD
 * 2020): an old partition, and most-recently-used replacement in it for regular programs. The numbers are
 * mempath's, and no fidelity to that paper is claimed.
 *
 * Time is divided into intervals of 64 loads of units. Units are in three classes: last touched two or more
 * intervals ago, one interval ago, or in this interval. The victim is of the first class that has units that
 * may leave: the most recently touched one if the program is regular, else the least recently touched one. It
 * is regular if at least half of the units were touched in at most one interval; that is decided anew at the
 * first eviction of an interval.
 *
 * A unit's `own` is 4 times its last interval, and the number of intervals in which it was touched, at
 * most 2.
 */
#include "uvm/lists.h"

#define LOADS 64u

enum { OLD = MP_UVM_FIRST, LAST = MP_UVM_SECOND, THIS = MP_UVM_THIRD };

struct hpe {
    uint64_t loads, decided; /* decided: the interval and 1 */
    uint32_t units, once;    /* once: touched in at most one interval */
    bool regular;
};

static size_t bytes(uint32_t blocks)
{
    (void)blocks;
    return sizeof(struct hpe);
}

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    struct hpe *h = p->own;
    p->unit[unit].own = 0;
    mp_uvm_append(p, THIS, unit);
    h->units++;
    h->once++;
    if (++h->loads % LOADS == 0) {
        mp_uvm_append_list(p, OLD, LAST);
        mp_uvm_append_list(p, LAST, THIS);
    }
}

static void touched(struct mp_uvm_pool *p, uint32_t unit, bool access)
{
    struct hpe *h = p->own;
    struct mp_uvm_unit *n = &p->unit[unit];
    const uint64_t interval = h->loads / LOADS;
    uint64_t times = n->own % 4;
    (void)access;
    if (!times || (n->own / 4 != interval && times == 1)) {
        h->once -= times == 1;
        times++;
    }
    n->own = 4 * interval + times;
    n->order = p->touch;
    mp_uvm_unlink(p, unit);
    mp_uvm_append(p, THIS, unit);
}

static void emptied(struct mp_uvm_pool *p, uint32_t unit)
{
    struct hpe *h = p->own;
    h->units--;
    h->once -= p->unit[unit].own % 4 < 2;
    mp_uvm_unlink(p, unit);
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    struct hpe *h = p->own;
    const uint64_t now = h->loads / LOADS + 1;
    if (h->decided != now) {
        h->decided = now;
        h->regular = 2 * h->once >= h->units;
    }
    victim[0] = MP_UVM_NONE;
    for (uint32_t class = OLD; class <= THIS && victim[0] == MP_UVM_NONE; class ++)
        victim[0] = h->regular ? mp_uvm_newest(p, class, wanted) : mp_uvm_oldest(p, class, wanted);
    return 1;
}

const struct mp_uvm_evict mp_uvm_evict_hpe = {
    .design = {.name = "hpe", .title = "64 KB, by intervals and regularity"},
    .unit = MP_UVM_BIG_BYTES,
    .bytes = bytes,
    .loaded = loaded,
    .touched = touched,
    .emptied = emptied,
    .victims = victims,
};
