/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cross.h"

#include <stddef.h>

static struct mp_cross *of_down(struct mp_sender *sender)
{
    return (struct mp_cross *)((char *)sender - offsetof(struct mp_cross, down));
}

static struct mp_cross *of_up(struct mp_sender *sender)
{
    return (struct mp_cross *)((char *)sender - offsetof(struct mp_cross, up));
}

/* --- the target's side ---------------------------------------------------------------------------- */

static void issue(struct mp_cross *c, struct mp_req *req)
{
    uint32_t delay = 0;
    req->sent = c->answers->now;
    enum mp_answer answer = c->target.request(c->target.self, c->target.port, req, &delay);
    if (answer == MP_DONE)
        mp_send(&c->up, c->answers->now + delay, req);
    else if (answer == MP_HELD)
        c->down.held = true;
}

static void request_arrives(struct mp_sender *sender, void *req)
{
    struct mp_cross *c = of_down(sender);
    struct mp_req *r = req;
    if (!c->down.held) {
        issue(c, r);
    } else if (r->op == MP_HINT) {
        mp_req_nothing(r);
        mp_send(&c->up, c->answers->now, r);
    } else {
        mp_queue_push(&c->waiting, r);
    }
}

static void resume(void *cross, unsigned unused)
{
    struct mp_cross *c = cross;
    (void)unused;
    c->down.held = false;
    while (!c->down.held && c->waiting.head)
        issue(c, mp_queue_pop(&c->waiting));
}

/* The first of two answers is a copy, because the target goes on with the request. */
static __attribute__((noinline, cold)) struct mp_req *copy_early(struct mp_cross *c, const struct mp_req *req)
{
    struct mp_req *answer = mp_pool_get(&c->early);
    *answer = *req;
    return answer;
}

static void respond(void *cross, struct mp_req *req)
{
    struct mp_cross *c = cross;
    bool early = req->source == MP_FROM_WALK_EARLY;
    mp_send(&c->up, c->answers->now, __builtin_expect(early, 0) ? copy_early(c, req) : req);
}

/* --- the initiator's side ------------------------------------------------------------------------- */

static void answer_arrives(struct mp_sender *sender, void *request)
{
    struct mp_cross *c = of_up(sender);
    struct mp_req *req = request;
    bool early = req->source == MP_FROM_WALK_EARLY;
    c->initiator.response(c->initiator.self, req);
    if (__builtin_expect(early, 0))
        mp_pool_put(&c->early, req);
}

static void request_ahead(void *cross, struct mp_req *req, uint32_t cycles)
{
    struct mp_cross *c = cross;
    mp_send(&c->down, c->sends->now + cycles, req);
}

/* A request without a look-up before it: one whose answer cannot be used, because the page was invalidated
 * meanwhile. It takes the time that every request to the other group takes. */
static enum mp_answer request(void *cross, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct mp_cross *c = cross;
    (void)port, (void)delay;
    request_ahead(c, req, c->groups->lookahead);
    return MP_TAKEN;
}

/* --- both ----------------------------------------------------------------------------------------- */

void mp_cross_init(struct mp_cross *c, const struct mp_groups *groups, uint32_t from, uint32_t to,
                   uint32_t number, struct mp_initiator initiator)
{
    *c = (struct mp_cross){
        .down = {.order = number, .box = mp_groups_box(groups, from, to), .arrive = request_arrives},
        .sends = mp_groups_wheel(groups, from),
        .up = {.order = number, .box = mp_groups_box(groups, to, from), .arrive = answer_arrives},
        .answers = mp_groups_wheel(groups, to),
        .initiator = initiator,
        .groups = groups};
}

void mp_cross_free(struct mp_cross *c)
{
    mp_pool_free(&c->early);
}

struct mp_initiator mp_cross_initiator(struct mp_cross *c)
{
    return mp_initiator_of(respond, resume, c, 0);
}

struct mp_target mp_cross_target(struct mp_cross *c)
{
    return (struct mp_target){.request = request, .self = c, .ahead = request_ahead};
}

void mp_cross_join(struct mp_cross *c, struct mp_target target)
{
    c->target = target;
}
