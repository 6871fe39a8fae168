/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/intake.h"

#include <stdlib.h>

int mp_intake_init(struct mp_intake *in, const struct mp_walk_scheduler *scheduler,
                   const struct mp_walk_geometry *g, const struct mp_walk_rules *r,
                   const struct mp_walk_view *view)
{
    *in = (struct mp_intake){.scheduler = scheduler,
                             .state = calloc(1, scheduler->bytes(g)),
                             .walkers = g->walkers,
                             .published = r->compat == MP_WALK_HPCA21 && !scheduler->one_line};
    if (!in->state)
        return -1;
    scheduler->init(in->state, g, r);
    if (scheduler->watch && view)
        scheduler->watch(in->state, view);
    return 0;
}

void mp_intake_free(struct mp_intake *in)
{
    free(in->state);
    in->state = NULL;
}

/* Requests that wait outside come before a new one of this tenant. */
static bool held_back(const struct mp_intake *in, uint8_t tenant)
{
    if (in->scheduler->one_line)
        return in->outside.length;
    return in->waiting[tenant] && !in->published;
}

int mp_intake_arrive(struct mp_intake *in, struct mp_req *req)
{
    int walker = held_back(in, req->tenant) ? MP_WALK_NO_ROOM : in->scheduler->arrive(in->state, req);
    if (walker == MP_WALK_NO_ROOM) {
        mp_queue_push(&in->outside, req);
        in->waiting[req->tenant]++;
    }
    return walker;
}

struct mp_req *mp_intake_retry(struct mp_intake *in, int *walker)
{
    struct mp_req *before = NULL, *req = in->outside.head;
    while (req && !in->scheduler->room(in->state, req->tenant)) {
        before = req;
        req = in->scheduler->one_line ? NULL : req->next;
    }
    if (!req)
        return NULL;
    if (before)
        before->next = req->next;
    else
        in->outside.head = req->next;
    if (in->outside.tail == req)
        in->outside.tail = before;
    in->outside.length--;
    in->waiting[req->tenant]--;
    *walker = in->scheduler->arrive(in->state, req);
    return req;
}

#define JOINED UINT32_MAX /* as the number of a queue */

static void answer_queue(struct mp_intake *in, uint32_t walker, uint32_t queue, struct mp_req_queue *done)
{
    const struct mp_req_queue *q = queue == JOINED ? &in->joined : mp_intake_queue(in, queue);
    struct mp_req *next;
    uint32_t at = 0;
    for (struct mp_req *req = q->head; at < q->length; req = next) {
        next = req->next;
        if (!in->sharing->answers(in->sharing->self, walker, req))
            at++;
        else if (queue == JOINED)
            mp_queue_push(done, mp_queue_take(&in->joined, at));
        else
            mp_queue_push(done, in->scheduler->take(in->state, queue, at));
    }
}

void mp_intake_answer(struct mp_intake *in, uint32_t walker, struct mp_req_queue *done)
{
    answer_queue(in, walker, JOINED, done);
    for (uint32_t i = 0; i < mp_intake_queues(in); i++)
        answer_queue(in, walker, i, done);
}
