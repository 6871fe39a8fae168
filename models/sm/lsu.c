/* SPDX-License-Identifier: Apache-2.0 */
/* The load-store unit: in a cycle, one stage translates a page and the other requests a line. */
#include "sm/parts.h"

static void step_data(void *self, void *unused);

/* Of the warps that wait for room in the load-store queue, the one that the scheduler picks tries again. */
static void wake_lsu_waiter(struct mp_sm *sm)
{
    if (!sm->lsu_waiting)
        return;
    unsigned slot = sm->p.scheduler->pick(sm->lsu_waiting, sm->age, sm->lsu_last, false);
    sm->lsu_last = slot;
    sm->lsu_waiting &= ~(1ull << slot);
    mp_sm_make_ready(sm, slot);
}

/* NULL: the owner has whole frames. */
static inline __attribute__((always_inline)) const struct mp_colours_part *part_of(const struct mp_sm *sm,
                                                                                   const struct mp_access *a)
{
    return __builtin_expect(sm->p.parts, 0) ? mp_sm_cta_of(sm, a)->owner->part : NULL;
}

/* Queues the page's lines for the data stage, which may send them from cycle `when` on. */
static inline __attribute__((always_inline)) void send_lines(struct mp_sm *sm, struct mp_req *req,
                                                             uint64_t when)
{
    uint64_t offset = (1ull << sm->p.coalescer->page_shift) - 1;
    if (__builtin_expect((req->fault | req->replays | req->span.read_only) != 0, 0) &&
        mp_sm_keep_fault(sm, req))
        return;
    uint64_t frame = req->pa & ~offset;
    const struct mp_colours_part *part = part_of(sm, req->owner);
    for (struct mp_req *line = req; line; line = line->more) { /* queues use `next`, but not `more` */
        const uint64_t at = line->va & offset;
        line->pa = part ? mp_colours_in_frame(part->colours, frame, part->colour, at) : frame | at;
        line->sent = when;
        mp_queue_push(&sm->ready_lines, line);
    }
    mp_sm_schedule(sm, &sm->data, when, step_data);
}

static __attribute__((noinline, cold)) void spread(const struct mp_colours_part *part, struct mp_coalesced *c)
{
    for (uint32_t i = 0; i < c->lines; i++)
        c->line[i] = mp_colours_spread(part, c->line[i]);
}

static const uint8_t op_of[] = {[GWT_LOAD] = MP_LOAD, [GWT_STORE] = MP_STORE, [GWT_ATOMIC] = MP_ATOMIC};

/* Coalesces the oldest access only now, when its turn has come, so that requests exist only for lines that
 * are in flight. */
static void open_head(struct mp_sm *sm)
{
    struct mp_lsu_slot *head = &sm->lsu[sm->lsu_head];
    const struct mp_sm_cta *cta = mp_sm_cta_of(sm, head->access);
    sm->req_of_head.owner = head->access;
    sm->req_of_head.warp = (uint8_t)head->access->warp;
    sm->req_of_head.asid = (uint8_t)cta->owner->asid;
    sm->req_of_head.tenant = cta->owner->tenant;
    sm->req_of_head.instruction = head->access->instruction & 15;
    sm->req_of_head.op = op_of[head->step.op];
    mp_coalesce(sm->p.coalescer, &head->step, &sm->lines_of_head);
    if (__builtin_expect(sm->p.parts, 0))
        spread(cta->owner->part, &sm->lines_of_head);
    head->access->lines = (uint16_t)sm->lines_of_head.lines;
    cta->stats->pages += sm->lines_of_head.pages;
    cta->stats->lines += sm->lines_of_head.lines;
}

/* Returns the request for the next page: it is the page's first line, and the others are chained to it. */
static struct mp_req *next_page(struct mp_sm *sm)
{
    const struct mp_coalesced *c = &sm->lines_of_head;
    uint32_t page = sm->page_of_head++;
    struct mp_req *first = NULL;
    for (uint32_t i = c->end[page], start = page ? c->end[page - 1] : 0; i-- > start;) {
        struct mp_req *req = mp_pool_get(&sm->pool);
        *req = sm->req_of_head;
        req->more = first;
        req->va = c->line[i];
        first = req;
    }
    return first;
}

void mp_sm_step_translate(void *self, void *unused)
{
    struct mp_sm *sm = self;
    struct mp_sm_stage *stage = &sm->translate;
    uint32_t delay = 0;
    (void)unused;
    stage->scheduled = false;
    stage->free_at = sm->wheel->now + 1;
    if (!sm->page_of_head)
        open_head(sm);
    struct mp_req *req = next_page(sm);
    bool last_page = sm->page_of_head == sm->lines_of_head.pages;
    if (last_page) {
        sm->page_of_head = 0;
        sm->lsu_head = sm->lsu_head + 1 == sm->p.lsu_queue ? 0 : sm->lsu_head + 1;
        sm->lsu_count--;
    }
    if (mp_out_issue(&stage->out, req, &delay) == MP_DONE)
        send_lines(sm, req, sm->wheel->now + delay);
    if (sm->lsu_count)
        mp_sm_schedule(sm, stage, sm->wheel->now + 1, mp_sm_step_translate);
    if (last_page)
        wake_lsu_waiter(sm);
}

void mp_sm_send_lines(struct mp_sm *sm, struct mp_req *page, uint64_t when)
{
    send_lines(sm, page, when);
}

void mp_sm_translated(void *self, struct mp_req *req)
{
    struct mp_sm *sm = self;
    if (__builtin_expect(sm->walked != NULL, 0) && req->source == MP_FROM_WALK && !req->fault)
        sm->walked(sm->walked_by, req);
    send_lines(sm, req, sm->wheel->now);
}

static inline __attribute__((always_inline)) void line_done(struct mp_sm *sm, struct mp_req *req,
                                                            uint64_t when)
{
    struct mp_access *a = req->owner;
    mp_pool_put(&sm->pool, req);
    if (when > a->done)
        a->done = when;
    if (--a->lines)
        return;
    uint64_t now = sm->wheel->now;
    if (a->done > now)
        mp_at(sm->wheel, a->done - now, mp_sm_access_done, sm, a);
    else
        mp_sm_access_done(sm, a);
}

void mp_sm_line_done(struct mp_sm *sm, struct mp_req *line, uint64_t when)
{
    line_done(sm, line, when);
}

static void step_data(void *self, void *unused)
{
    struct mp_sm *sm = self;
    struct mp_sm_stage *stage = &sm->data;
    uint64_t now = sm->wheel->now;
    uint32_t delay = 0;
    (void)unused;
    stage->scheduled = false;
    if (sm->ready_lines.head->sent > now) {
        mp_sm_schedule(sm, stage, sm->ready_lines.head->sent, step_data);
        return;
    }
    struct mp_req *req = mp_queue_pop(&sm->ready_lines);
    stage->free_at = now + 1;
    if (mp_out_issue(&stage->out, req, &delay) == MP_DONE)
        line_done(sm, req, now + delay);
    if (sm->ready_lines.head)
        mp_sm_schedule(sm, stage, now + 1, step_data);
}

void mp_sm_loaded(void *self, struct mp_req *req)
{
    struct mp_sm *sm = self;
    line_done(sm, req, sm->wheel->now);
}

/* A line without a translation is a page that faulted, for its owner; it may be sent again. */
void mp_sm_loaded_virtual(void *self, struct mp_req *req)
{
    struct mp_sm *sm = self;
    if (__builtin_expect((req->fault | req->replays) != 0, 0)) {
        req->more = NULL; /* other lines of the page have other answers */
        if (mp_sm_keep_fault(sm, req))
            return;
    }
    line_done(sm, req, sm->wheel->now);
}

enum mp_answer mp_sm_leave_virtual(void *self, unsigned port, struct mp_req *page, uint32_t *delay)
{
    (void)self, (void)port;
    page->pa = page->va;
    page->source = MP_FROM_NOTHING;
    *delay = 0;
    return MP_DONE;
}

void mp_sm_data_resume(void *self, unsigned link)
{
    struct mp_sm *sm = self;
    (void)link;
    mp_out_resume(&sm->data.out);
    if (sm->ready_lines.head)
        mp_sm_schedule(sm, &sm->data, sm->wheel->now, step_data);
}
