/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/liveness.h"

#include <string.h>

static void forget(struct mp_liveness *p)
{
    if (!++p->event) { /* slots of the same number are old */
        memset(p->slot, 0, sizeof p->slot);
        p->event = 1;
    }
    p->writes = 0;
    for (unsigned i = 0; i < MP_LIVENESS_WRITERS; i++) {
        p->swept[i].low = UINT64_MAX;
        p->swept[i].high = 0;
    }
}

void mp_liveness_init(struct mp_liveness *p)
{
    memset(p, 0, sizeof *p);
    forget(p);
}

void mp_liveness_event(struct mp_liveness *p, uint64_t at)
{
    p->latest = at;
    forget(p);
}

static bool sweeps(struct mp_liveness *p, enum mp_liveness_writer by, uint64_t address)
{
    bool below = p->swept[by].low > address;
    bool above = p->swept[by].high < address;
    if (below)
        p->swept[by].low = address;
    if (above)
        p->swept[by].high = address;
    return below || above;
}

/* Returns whether the write is new and the table has room for it. */
static bool store(struct mp_liveness *p, const struct mp_liveness_write *w)
{
    uint64_t key = mp_liveness_key(p, w);
    uint32_t i = mp_liveness_find(p, w, key);
    if (p->slot[i] == key || p->writes == MP_LIVENESS_WRITES)
        return false;
    p->slot[i] = key;
    p->writes++;
    return true;
}

void mp_liveness_wrote_new(struct mp_liveness *p, uint64_t at, enum mp_liveness_writer by, bool memory,
                           const struct mp_liveness_write *w)
{
    bool is_new = memory && sweeps(p, by, w->address);
    if (store(p, w) || is_new)
        p->latest = at;
}
