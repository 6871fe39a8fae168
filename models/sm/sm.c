/* SPDX-License-Identifier: Apache-2.0 */
#include "sm/sm.h"

#include <stdlib.h>
#include <string.h>

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_sm_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(issued, "instructions", "warp instructions issued"),
    COUNTER(accesses, "instructions", "warp memory instructions done"),
    COUNTER(pages, "requests", "page-level translation requests made"),
    COUNTER(lines, "requests", "lines asked for"),
    COUNTER(access_cycles, "cycles", "from issue to the last answer of a memory instruction, summed"),
    COUNTER(lsu_stalls, "instructions", "memory instructions that found the load-store queue full"),
    COUNTER(ctas, "CTAs", "work-groups done"),
};

const struct mp_metric_table mp_sm_metrics = {"sm", sizeof(struct mp_sm_stats),
                                              sizeof metrics / sizeof *metrics, metrics};

int mp_sm_init(struct mp_sm *sm, struct mp_wheel *wheel, const struct mp_sm_params *p)
{
    uint32_t accesses = p->warps * p->outstanding;
    *sm = (struct mp_sm){.wheel = wheel,
                         .p = *p,
                         .stats = calloc(p->tenants, sizeof *sm->stats),
                         .warp = calloc(p->warps, sizeof *sm->warp),
                         .cta = calloc(p->ctas, sizeof *sm->cta),
                         .free_ctas = UINT64_MAX >> (64 - p->ctas),
                         .schedulers = calloc(p->schedulers, sizeof *sm->schedulers),
                         .access = calloc(accesses, sizeof *sm->access),
                         .lsu = calloc(p->lsu_queue, sizeof *sm->lsu)};
    if (!sm->stats || !sm->warp || !sm->cta || !sm->schedulers || !sm->access || !sm->lsu) {
        mp_sm_free(sm);
        return -1;
    }
    for (uint32_t i = 0; i < p->schedulers; i++)
        sm->schedulers[i] = (struct mp_sm_scheduler){.sm = sm, .wake = MP_NEVER};
    for (uint32_t w = 0; w < p->warps; w++)
        sm->schedulers[w % p->schedulers].slots |= 1ull << w;
    for (uint32_t i = 0; i < accesses; i++) {
        sm->access[i].next = sm->spare_access;
        sm->spare_access = &sm->access[i];
    }
    return 0;
}

void mp_sm_free(struct mp_sm *sm)
{
    free(sm->stats);
    free(sm->warp);
    free(sm->cta);
    free(sm->schedulers);
    free(sm->access);
    free(sm->lsu);
    mp_pool_free(&sm->pool);
    *sm = (struct mp_sm){0};
}

void mp_sm_join(struct mp_sm *sm, enum mp_sm_link link, struct mp_target target)
{
    bool translate = link == MP_SM_TRANSLATE;
    struct mp_sm_stage *stage = translate ? &sm->translate : &sm->data;
    stage->out = (struct mp_out){.target = target,
                                 .wheel = sm->wheel,
                                 .response = translate ? mp_sm_translated : mp_sm_loaded,
                                 .self = sm};
}

/* --- warps -------------------------------------------------------------------------------------------------
 */

static void step_greedy(void *scheduler, void *unused);
static void count_turns(struct mp_sm *sm, struct mp_sm_scheduler *s);
static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s);

static void make_ready(struct mp_sm *sm, uint32_t slot)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): there is one at least */
    struct mp_sm_scheduler *s = &sm->schedulers[slot % sm->p.schedulers];
    if (sm->p.scheduler->takes_turns)
        count_turns(sm, s); /* of those that were ready so far */
    sm->warp[slot].state = MP_WARP_READY;
    sm->ready |= 1ull << slot;
    if (s->busy)
        return;
    if (sm->p.scheduler->takes_turns) {
        plan_turns(sm, s);
        return;
    }
    s->busy = true;
    mp_at(sm->wheel, 0, step_greedy, s, NULL);
}

static void suspend(struct mp_sm *sm, uint32_t slot, enum mp_warp_state state)
{
    sm->warp[slot].state = state;
    sm->ready &= ~(1ull << slot);
}

static void next_event(struct mp_sm_warp *w)
{
    gwt_warp_next(w->stream, &w->event);
    w->remaining = w->event.gap;
}

static void release_barrier(struct mp_sm *sm, uint32_t cta_slot)
{
    struct mp_sm_cta *cta = &sm->cta[cta_slot];
    if (!cta->at_barrier || cta->at_barrier < (uint32_t)__builtin_popcountll(cta->warps))
        return;
    cta->at_barrier = 0;
    for (uint64_t rest = cta->warps; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        next_event(&sm->warp[slot]);
        make_ready(sm, slot);
    }
}

static void end_warp(struct mp_sm *sm, uint32_t slot)
{
    uint32_t cta_slot = sm->warp[slot].cta;
    struct mp_sm_cta *cta = &sm->cta[cta_slot];
    suspend(sm, slot, MP_WARP_NONE);
    sm->used &= ~(1ull << slot);
    cta->warps &= ~(1ull << slot);
    if (cta->warps) {
        release_barrier(sm, cta_slot); /* the others may have waited for this one alone */
        return;
    }
    struct gwt_cta *done = cta->cta;
    sm->local_used -= cta->local_bytes;
    sm->free_ctas |= 1ull << cta_slot;
    sm->stats[sm->tenant].ctas++;
    sm->owner.cta_done(sm->owner.self, sm, done);
}

/* A barrier or the end of the warp, once nothing of the warp is under way. */
static void pass_point(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    if (w->event.kind == GWT_EXIT) {
        end_warp(sm, slot);
        return;
    }
    suspend(sm, slot, MP_WARP_BARRIER);
    sm->cta[w->cta].at_barrier++;
    release_barrier(sm, w->cta);
}

static bool issue_access(struct mp_sm *sm, uint32_t slot);

/* The warp has issued everything before its event. */
static void do_event(struct mp_sm *sm, uint32_t slot)
{
    struct mp_sm_warp *w = &sm->warp[slot];
    if (w->event.kind == GWT_ACCESS) {
        if (!issue_access(sm, slot)) {
            sm->stats[sm->tenant].lsu_stalls++;
            sm->lsu_waiting |= 1ull << slot;
            suspend(sm, slot, MP_WARP_LSU);
            return;
        }
        next_event(w);
        if (w->outstanding >= sm->p.outstanding)
            suspend(sm, slot, MP_WARP_LIMIT);
    } else if (w->outstanding) {
        suspend(sm, slot, MP_WARP_DRAIN);
    } else {
        pass_point(sm, slot);
    }
}

static void step_greedy(void *scheduler, void *unused)
{
    struct mp_sm_scheduler *s = scheduler;
    struct mp_sm *sm = s->sm;
    (void)unused;
    for (uint64_t ready; (ready = sm->ready & s->slots);) {
        uint32_t slot = sm->p.scheduler->pick(ready, sm->age, s->last, sm->age[s->last] == s->last_age);
        struct mp_sm_warp *w = &sm->warp[slot];
        s->last = slot;
        s->last_age = sm->age[slot];
        if (w->remaining) {
            sm->stats[sm->tenant].issued += w->remaining;
            mp_at(sm->wheel, w->remaining, step_greedy, s, NULL);
            w->remaining = 0;
            return;
        }
        do_event(sm, slot);
    }
    s->busy = false;
}

/* Warps that take turns issue an instruction a cycle, one warp after the other. Nothing else happens before
 * one of them has its turn and no instruction left, or another becomes ready, so the turns between are
 * counted and not run: of k ready warps, the one p places behind the last has its turns p, p + k, p + 2 k,
 * ... cycles on. */
static void count_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t ready = sm->ready & s->slots, cycles = sm->wheel->now - s->since;
    s->since = sm->wheel->now;
    if (!ready || !cycles)
        return;
    uint32_t k = (uint32_t)__builtin_popcountll(ready), slot = s->last;
    uint32_t rounds = (uint32_t)(cycles / k), rest = (uint32_t)(cycles % k);
    sm->stats[sm->tenant].issued += cycles;
    for (uint32_t p = 0; p < k; p++) {
        slot = mp_next_warp(ready, slot);
        sm->warp[slot].remaining -= rounds + (p < rest);
        if (p + 1 == rest || (!rest && p + 1 == k))
            s->last = slot;
    }
}

static void step_turns(void *scheduler, void *unused);

static void plan_turns(struct mp_sm *sm, struct mp_sm_scheduler *s)
{
    uint64_t ready = sm->ready & s->slots, first = MP_NEVER, now = sm->wheel->now;
    uint32_t k = (uint32_t)__builtin_popcountll(ready), slot = s->last;
    for (uint32_t p = 0; p < k; p++) {
        slot = mp_next_warp(ready, slot);
        uint64_t turn = p + (uint64_t)sm->warp[slot].remaining * k;
        first = turn < first ? turn : first;
    }
    uint64_t wake = first == MP_NEVER ? MP_NEVER : now + first;
    if (wake != s->wake && wake != MP_NEVER)
        mp_at(sm->wheel, first, step_turns, s, NULL);
    s->wake = wake;
}

static void step_turns(void *scheduler, void *unused)
{
    struct mp_sm_scheduler *s = scheduler;
    struct mp_sm *sm = s->sm;
    (void)unused;
    if (s->wake != sm->wheel->now)
        return; /* the plan has changed */
    s->wake = MP_NEVER;
    s->busy = true;
    count_turns(sm, s);
    for (uint64_t ready; (ready = sm->ready & s->slots);) {
        uint32_t slot = sm->p.scheduler->pick(ready, sm->age, s->last, false);
        if (sm->warp[slot].remaining)
            break;
        s->last = slot;
        do_event(sm, slot);
    }
    s->busy = false;
    plan_turns(sm, s);
}

static void access_done(void *self, void *access)
{
    struct mp_sm *sm = self;
    struct mp_access *a = access;
    struct mp_sm_warp *w = &sm->warp[a->warp];
    uint32_t slot = a->warp;
    struct mp_sm_stats *s = &sm->stats[sm->tenant];
    s->accesses++;
    s->access_cycles += sm->wheel->now - a->issued;
    a->next = sm->spare_access;
    sm->spare_access = a;
    w->outstanding--;
    sm->owner.access_done(sm->owner.self);
    if (w->state == MP_WARP_LIMIT)
        make_ready(sm, slot);
    else if (w->state == MP_WARP_DRAIN && !w->outstanding)
        pass_point(sm, slot);
}

/* --- load-store unit ---------------------------------------------------------------------------------------
 */

static void step_translate(void *self, void *unused);
static void step_data(void *self, void *unused);

static inline void schedule_stage(struct mp_sm *sm, struct mp_sm_stage *stage, uint64_t when,
                                  mp_event_fn *step)
{
    if (stage->scheduled || stage->stopped || stage->out.held)
        return;
    if (when < stage->free_at)
        when = stage->free_at;
    stage->scheduled = true;
    mp_at(sm->wheel, when - sm->wheel->now, step, sm, NULL); /* when is never in the past */
}

static const uint8_t op_of[] = {[GWT_LOAD] = MP_LOAD, [GWT_STORE] = MP_STORE, [GWT_ATOMIC] = MP_ATOMIC};

static bool issue_access(struct mp_sm *sm, uint32_t slot)
{
    if (sm->lsu_count == sm->p.lsu_queue)
        return false;
    struct mp_sm_warp *w = &sm->warp[slot];
    struct mp_access *a = sm->spare_access;
    sm->spare_access = a->next;
    *a = (struct mp_access){.issued = sm->wheel->now, .warp = slot};
    w->outstanding++;
    struct mp_lsu_slot *l = &sm->lsu[(sm->lsu_head + sm->lsu_count++) % sm->p.lsu_queue];
    l->access = a;
    l->op = op_of[w->event.op];
    bool scattered = w->event.mode == GWT_SCATTER;
    memcpy(&l->event, &w->event, scattered ? sizeof l->event : offsetof(struct gwt_event, lane));
    struct mp_sm_stage *stage = &sm->translate;
    if (!stage->scheduled && !stage->stopped && !stage->out.held && stage->free_at <= sm->wheel->now)
        step_translate(sm, NULL);
    else
        schedule_stage(sm, stage, sm->wheel->now, step_translate);
    return true;
}

/* Of the warps that wait for room in the load-store queue, the scheduler's next one tries again. */
static void wake_lsu_waiter(struct mp_sm *sm)
{
    if (!sm->lsu_waiting)
        return;
    unsigned slot = sm->p.scheduler->pick(sm->lsu_waiting, sm->age, sm->lsu_last, false);
    sm->lsu_last = slot;
    sm->lsu_waiting &= ~(1ull << slot);
    make_ready(sm, slot);
}

static uint16_t lines_of(const struct mp_req *page)
{
    uint16_t n = 0;
    for (; page; page = page->more)
        n++;
    return n;
}

/* Whether the page's lines have to wait; not for loads from a page that may only be read, nor for a page that
 * came after a replay. */
static __attribute__((noinline, cold)) bool keep_fault(struct mp_sm *sm, struct mp_req *page)
{
    struct mp_access *a = page->owner;
    uint16_t lines = lines_of(page);
    if (!page->fault && (page->op == MP_LOAD || !(page->pa & MP_PA_READ_ONLY))) {
        sm->returned += page->replays != 0;
        return false;
    }
    if (!page->fault)
        page->fault = MP_FAULT_READ_ONLY;
    a->faulted = (uint16_t)(a->faulted + lines);
    if (sm->owner.fault(sm->owner.self, sm, page))
        return true;
    a->faulted = (uint16_t)(a->faulted - lines);
    if (page->fault != MP_FAULT_READ_ONLY)
        page->pa = 0; /* no frame, but where the entry is */
    return false;
}

/* The page's lines go to the data stage, from cycle `when` on. */
static inline __attribute__((always_inline)) void send_lines(struct mp_sm *sm, struct mp_req *req,
                                                             uint64_t when)
{
    uint64_t offset = (1ull << sm->p.coalescer->page_shift) - 1;
    if (__builtin_expect((req->fault | req->replays | (req->pa & MP_PA_READ_ONLY)) != 0, 0) &&
        keep_fault(sm, req))
        return;
    uint64_t frame = req->pa & ~(MP_PA_READ_ONLY | offset);
    for (struct mp_req *line = req; line; line = line->more) { /* more outlives the queue's use of next */
        line->pa = frame | (line->va & offset);
        line->sent = when;
        mp_queue_push(&sm->ready_lines, line);
    }
    schedule_stage(sm, &sm->data, when, step_data);
}

/* The oldest access's lines become known when its turn comes, so that no more requests exist than are under
 * way. */
static void open_head(struct mp_sm *sm)
{
    struct mp_lsu_slot *head = &sm->lsu[sm->lsu_head];
    struct mp_sm_stats *s = &sm->stats[sm->tenant];
    mp_coalesce(sm->p.coalescer, &head->event, &sm->lines_of_head);
    head->access->lines = (uint16_t)sm->lines_of_head.lines;
    s->pages += sm->lines_of_head.pages;
    s->lines += sm->lines_of_head.lines;
}

/* The next page's request: itself the first line, with the page's other lines chained to it. */
static struct mp_req *next_page(struct mp_sm *sm)
{
    const struct mp_lsu_slot *head = &sm->lsu[sm->lsu_head];
    const struct mp_coalesced *c = &sm->lines_of_head;
    uint32_t page = sm->page_of_head++;
    struct mp_req *first = NULL;
    for (uint32_t i = c->end[page], start = page ? c->end[page - 1] : 0; i-- > start;) {
        struct mp_req *req = mp_pool_get(&sm->pool);
        *req = (struct mp_req){.more = first,
                               .owner = head->access,
                               .va = c->line[i],
                               .sm = sm->p.id,
                               .warp = (uint16_t)head->access->warp,
                               .asid = sm->asid,
                               .tenant = sm->tenant,
                               .op = head->op};
        first = req;
    }
    return first;
}

static void step_translate(void *self, void *unused)
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
        schedule_stage(sm, stage, sm->wheel->now + 1, step_translate);
    if (last_page)
        wake_lsu_waiter(sm);
}

void mp_sm_translated(void *self, struct mp_req *req)
{
    struct mp_sm *sm = self;
    send_lines(sm, req, sm->wheel->now);
}

/* --- pages that faulted
 * -------------------------------------------------------------------------------------
 */

static void step_retry(void *self, void *unused);

static void schedule_retry(struct mp_sm *sm, uint64_t delay)
{
    if (sm->retry_scheduled)
        return;
    sm->retry_scheduled = true;
    mp_at(sm->wheel, delay, step_retry, sm, NULL);
}

static void free_stage(struct mp_sm *sm, uint8_t reason)
{
    sm->translate.stopped &= (uint8_t)~reason;
    if (sm->lsu_count)
        schedule_stage(sm, &sm->translate, sm->wheel->now, step_translate);
}

static void step_retry(void *self, void *unused)
{
    struct mp_sm *sm = self;
    struct mp_sm_stage *stage = &sm->translate;
    uint32_t delay = 0;
    (void)unused;
    sm->retry_scheduled = false;
    if (stage->out.held)
        return; /* until it is resumed */
    struct mp_req *page = mp_queue_pop(&sm->retries);
    stage->free_at = sm->wheel->now + 1;
    if (mp_out_issue(&stage->out, page, &delay) == MP_DONE)
        send_lines(sm, page, sm->wheel->now + delay);
    if (!sm->retries.head)
        free_stage(sm, MP_SM_RETRIES);
    else if (!stage->out.held)
        schedule_retry(sm, 1);
}

void mp_sm_retry(struct mp_sm *sm, struct mp_req *page)
{
    enum { AFTER_WHAT_IS_SCHEDULED = 2 }; /* the stage's next step, at the latest in the next cycle */
    struct mp_access *a = page->owner;
    a->faulted = (uint16_t)(a->faulted - lines_of(page));
    page->fault = 0;
    page->replays += page->replays < UINT16_MAX;
    mp_queue_push(&sm->retries, page);
    if (sm->translate.stopped & MP_SM_RETRIES)
        return;
    sm->translate.stopped |= MP_SM_RETRIES;
    schedule_retry(sm, AFTER_WHAT_IS_SCHEDULED);
}

void mp_sm_stall(struct mp_sm *sm, bool stalled)
{
    if (stalled)
        sm->translate.stopped |= MP_SM_STALLED;
    else
        free_stage(sm, MP_SM_STALLED);
}

void mp_sm_translate_resume(void *self, unsigned link)
{
    struct mp_sm *sm = self;
    (void)link;
    mp_out_resume(&sm->translate.out);
    if (sm->translate.stopped & MP_SM_RETRIES)
        schedule_retry(sm, 0);
    else if (sm->lsu_count)
        schedule_stage(sm, &sm->translate, sm->wheel->now, step_translate);
}

static void line_done(struct mp_sm *sm, struct mp_req *req, uint64_t when)
{
    struct mp_access *a = req->owner;
    mp_pool_put(&sm->pool, req);
    if (when > a->done)
        a->done = when;
    if (--a->lines)
        return;
    uint64_t now = sm->wheel->now;
    if (a->done > now)
        mp_at(sm->wheel, a->done - now, access_done, sm, a);
    else
        access_done(sm, a);
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
        schedule_stage(sm, stage, sm->ready_lines.head->sent, step_data);
        return;
    }
    struct mp_req *req = mp_queue_pop(&sm->ready_lines);
    stage->free_at = now + 1;
    if (mp_out_issue(&stage->out, req, &delay) == MP_DONE)
        line_done(sm, req, now + delay);
    if (sm->ready_lines.head)
        schedule_stage(sm, stage, now + 1, step_data);
}

void mp_sm_loaded(void *self, struct mp_req *req)
{
    struct mp_sm *sm = self;
    line_done(sm, req, sm->wheel->now);
}

void mp_sm_data_resume(void *self, unsigned link)
{
    struct mp_sm *sm = self;
    (void)link;
    mp_out_resume(&sm->data.out);
    if (sm->ready_lines.head)
        schedule_stage(sm, &sm->data, sm->wheel->now, step_data);
}

void mp_sm_give_up(struct mp_sm *sm, struct mp_req *page)
{
    struct mp_access *a = page->owner;
    a->faulted = (uint16_t)(a->faulted - lines_of(page));
    while (page) {
        struct mp_req *line = page;
        page = page->more;
        line_done(sm, line, sm->wheel->now);
    }
}

void mp_sm_abort(struct mp_sm *sm)
{
    bool turns = sm->p.scheduler->takes_turns;
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        count_turns(sm, &sm->schedulers[i]);
    for (uint32_t i = 0; i < sm->p.ctas; i++)
        sm->cta[i].at_barrier = 0;
    sm->lsu_waiting = 0;
    for (uint64_t rest = sm->used; rest; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        struct mp_sm_warp *w = &sm->warp[slot];
        w->remaining = 0;
        w->event.kind = GWT_EXIT;
        if (w->state == MP_WARP_LSU || w->state == MP_WARP_BARRIER)
            make_ready(sm, slot);
    }
    for (uint32_t i = 0; turns && i < sm->p.schedulers; i++)
        if (!sm->schedulers[i].busy)
            plan_turns(sm, &sm->schedulers[i]);
}

/* Lines of the oldest access whose translation has not been asked for. */
static uint32_t untranslated(const struct mp_sm *sm, const struct mp_access *a)
{
    const struct mp_coalesced *c = &sm->lines_of_head;
    if (!sm->page_of_head || sm->lsu[sm->lsu_head].access != a)
        return 0;
    return c->lines - c->end[sm->page_of_head - 1];
}

bool mp_sm_uses_translations_of(const struct mp_sm *sm, uint64_t cycle)
{
    for (uint32_t i = 0; i < sm->p.warps * sm->p.outstanding; i++) {
        const struct mp_access *a = &sm->access[i];
        if (a->lines && a->issued < cycle && a->lines > a->faulted + untranslated(sm, a))
            return true;
    }
    return false;
}

/* --- work-groups -------------------------------------------------------------------------------------------
 */

bool mp_sm_has_room(const struct mp_sm *sm, uint32_t warps, uint32_t local_bytes)
{
    return sm->p.warps - (uint32_t)__builtin_popcountll(sm->used) >= warps &&
           sm->p.local_bytes - sm->local_used >= local_bytes && sm->free_ctas;
}

void mp_sm_start_cta(struct mp_sm *sm, struct gwt_cta *cta, uint32_t local_bytes)
{
    uint32_t cta_slot = (uint32_t)__builtin_ctzll(sm->free_ctas);
    sm->free_ctas &= sm->free_ctas - 1;
    sm->cta[cta_slot] = (struct mp_sm_cta){.cta = cta, .local_bytes = local_bytes};
    sm->local_used += local_bytes;
    for (uint32_t i = 0; i < cta->nwarps; i++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(~sm->used);
        struct mp_sm_warp *w = &sm->warp[slot];
        sm->used |= 1ull << slot;
        sm->cta[cta_slot].warps |= 1ull << slot;
        sm->age[slot] = sm->next_age++;
        w->stream = cta->warp[i];
        w->cta = cta_slot;
        w->outstanding = 0;
        next_event(w);
        make_ready(sm, slot);
    }
}
