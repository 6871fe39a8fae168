/* SPDX-License-Identifier: Apache-2.0 */
/* Functional warming of the page walk cache: the walk method's steps, one after the other without time. The
 * entries that it reads through the memory path warm the caches there. */
#include "vm/physmem.h"
#include "walk/walk.h"

static void read_entry(struct mp_walk *w, const struct mp_walker *k)
{
    if (w->p.level_latency)
        return;
    struct mp_req read = {
        .pa = k->at, .sm = k->walk->sm, .asid = k->walk->asid, .tenant = k->walk->tenant, .op = MP_PTE_READ};
    const struct mp_target *memory =
        &w->memory[w->p.links > 1 ? mp_map_channel(&w->p.map, k->at, w->p.links) : 0].target;
    if (memory->warm)
        memory->warm(memory->self, &read);
}

void mp_walk_warm(void *walk, struct mp_req *req)
{
    struct mp_walk *w = walk;
    struct mp_walker *k = &w->walker[w->p.geometry.walkers];
    k->walk = req;
    k->started = w->wheel->now;
    for (enum mp_walk_step step = w->p.method->begin(w, k); step != MP_WALK_END;) {
        if (step != MP_WALK_WAIT)
            read_entry(w, k);
        step = w->p.method->next(w, k, mp_physmem_read64(w->p.memory, k->at));
    }
    k->walk = NULL;
}
