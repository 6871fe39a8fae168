/* SPDX-License-Identifier: Apache-2.0 */
/* A page-walk system's part of an X-ray: its walkers, queues, and the requests outside. */
#include "walk/walk.h"

static struct mp_xray_wait wait_of(const struct mp_walk *w, const char *where, const struct mp_req *req)
{
    struct mp_xray_wait wait = mp_xray_wait_of(where, req);
    wait.since = mp_walk_record_of(&w->records, req)->arrived;
    return wait;
}

static void show_queue(const struct mp_walk *w, const char *where, uint32_t number,
                       const struct mp_req_queue *queue, const struct mp_xray *x)
{
    const struct mp_req *req = queue->head;
    for (uint32_t i = 0; i < queue->length; i++, req = req->next) {
        struct mp_xray_wait wait = wait_of(w, where, req);
        wait.number = number;
        wait.outside = true;
        x->wait(x->self, &wait);
    }
}

static void show_walk(const struct mp_walk *w, uint32_t walker, const struct mp_xray *x)
{
    const struct mp_walker *k = &w->walker[walker];
    struct mp_xray_wait wait = wait_of(w, "walker", k->walk);
    wait.number = walker;
    if (!w->p.level_latency) {
        wait.out = w->p.links > 1 ? mp_map_channel(&w->p.map, k->at, w->p.links) : 0;
        wait.asks = k->at;
    }
    x->wait(x->self, &wait);
}

void mp_walk_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_walk *w = model;
    bool one = w->p.scheduler->one_line;
    uint32_t walkers = w->p.geometry.walkers, queues = mp_intake_queues(&w->intake);
    uint64_t busy = 0, queued = 0;
    for (uint32_t i = 0; i < walkers; i++)
        busy += w->walker[i].walk != NULL;
    for (uint32_t i = 0; i < queues; i++)
        queued += mp_intake_queue(&w->intake, i)->length;
    mp_xray_room(x, "walkers", busy, walkers);
    mp_xray_room(x, "queue", queued, w->p.geometry.queue);
    mp_xray_room(x, "held at ports", w->intake.outside.length, 0);
    for (uint32_t i = 0; i < walkers; i++)
        if (w->walker[i].walk)
            show_walk(w, i, x);
    for (uint32_t i = 0; i < queues; i++)
        show_queue(w, one ? "queue" : "queue of walker", one ? MP_XRAY_NONE : i,
                   mp_intake_queue(&w->intake, i), x);
    show_queue(w, "joined a walk in flight", MP_XRAY_NONE, &w->intake.joined, x);
    show_queue(w, "held, no room in the queue", MP_XRAY_NONE, &w->intake.outside, x);
}
