/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that faulted: the owner of the work-group keeps them until they are tried again or given up. */
#include "sm/parts.h"

static uint16_t lines_of(const struct mp_req *page)
{
    uint16_t n = 0;
    for (; page; page = page->more)
        n++;
    return n;
}

bool mp_sm_keep_fault(struct mp_sm *sm, struct mp_req *page)
{
    struct mp_access *a = page->owner;
    const struct mp_sm_owner *owner = mp_sm_cta_of(sm, a)->owner;
    uint16_t lines = lines_of(page);
    if (!page->fault && (page->op == MP_LOAD || !page->span.read_only)) {
        bool translated = !sm->p.sends_virtual || page->source != MP_FROM_NOTHING;
        sm->returned[owner->tenant] += page->replays && translated;
        return false;
    }
    if (!page->fault)
        page->fault = MP_FAULT_READ_ONLY;
    a->faulted = (uint16_t)(a->faulted + lines);
    if (sm->apart.owners && !sm->apart.keeps)
        mp_sm_report_fault(sm, owner, page);
    else if (owner->fault(owner->self, sm, page))
        return true;
    a->faulted = (uint16_t)(a->faulted - lines);
    if (page->fault != MP_FAULT_READ_ONLY)
        page->pa = 0; /* it was the address of the entry */
    return false;
}

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
        mp_sm_schedule(sm, &sm->translate, sm->wheel->now, mp_sm_step_translate);
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
        mp_sm_send_lines(sm, page, sm->wheel->now + delay);
    if (!sm->retries.head)
        free_stage(sm, MP_SM_RETRIES);
    else if (!stage->out.held)
        schedule_retry(sm, 1);
}

void mp_sm_retry(struct mp_sm *sm, struct mp_req *page)
{
    enum { AFTER_WHAT_IS_SCHEDULED = 2 }; /* the stage's next step comes in the next cycle at the latest */
    struct mp_access *a = page->owner;
    a->faulted = (uint16_t)(a->faulted - lines_of(page));
    page->fault = 0;
    page->replays += page->replays < UINT8_MAX;
    mp_queue_push(&sm->retries, page);
    if (sm->translate.stopped & MP_SM_RETRIES)
        return;
    sm->translate.stopped |= MP_SM_RETRIES;
    schedule_retry(sm, AFTER_WHAT_IS_SCHEDULED);
}

void mp_sm_watch_walks(struct mp_sm *sm, void (*walked)(void *self, const struct mp_req *page), void *self)
{
    sm->walked = walked;
    sm->walked_by = self;
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
        mp_sm_schedule(sm, &sm->translate, sm->wheel->now, mp_sm_step_translate);
}

void mp_sm_give_up(struct mp_sm *sm, struct mp_req *page)
{
    struct mp_access *a = page->owner;
    a->faulted = (uint16_t)(a->faulted - lines_of(page));
    while (page) {
        struct mp_req *line = page;
        page = page->more;
        mp_sm_line_done(sm, line, sm->wheel->now);
    }
}

/* Lines of the access whose translation has not been requested: only the oldest access can have some. */
static uint32_t untranslated(const struct mp_sm *sm, const struct mp_access *a)
{
    const struct mp_coalesced *c = &sm->lines_of_head;
    if (!sm->page_of_head || sm->lsu[sm->lsu_head].access != a)
        return 0;
    return c->lines - c->end[sm->page_of_head - 1];
}

bool mp_sm_uses_translations_of(const struct mp_sm *sm, const struct mp_scope *scope, uint64_t cycle)
{
    for (uint32_t i = 0; i < sm->p.warps * sm->p.outstanding; i++) {
        const struct mp_access *a = &sm->access[i];
        if (a->lines && a->issued < cycle && a->lines > a->faulted + untranslated(sm, a) &&
            (scope->every_asid || mp_sm_cta_of(sm, a)->owner->asid == scope->asid))
            return true;
    }
    return false;
}
