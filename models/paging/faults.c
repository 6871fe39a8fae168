/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses whose page faulted: they wait until a replay. */
#include "paging/state.h"

static const char letters[] = "prwa"; /* of enum mp_uvm_access */

static enum mp_uvm_access access_of(const struct mp_req *page)
{
    return page->op == MP_LOAD ? MP_UVM_READ : page->op == MP_STORE ? MP_UVM_WRITE : MP_UVM_ATOMIC;
}

static struct mp_uvm_hit access_page(struct mp_paging *p, const struct mp_req *req, uint64_t va)
{
    mp_paging_say(p, "A %llu %u 0x%llx %c", (unsigned long long)mp_paging_ns(p), req->asid,
                  (unsigned long long)va, letters[access_of(req)]);
    mp_uvm_at(p->uvm, mp_paging_ns(p));
    return mp_uvm_gpu(p->uvm, (uint8_t)req->asid, va, access_of(req));
}

/* The page is on the host by now, and perhaps the access still finds it on the GPU. */
static bool has_left(const struct mp_paging *p, const struct mp_req *page)
{
    if (!p->maps_host)
        return false;
    const struct mp_uvm_mapped mapped = mp_uvm_mapped(p->uvm, (uint8_t)page->asid, page->va);
    return mp_uvm_has(&mapped.remote, page->va % MP_UVM_BLOCK_BYTES >> p->page_shift);
}

/* Of a page that was prefetched, this is the first use. */
static void use(struct mp_paging *p, struct mp_paging_range *r, uint64_t va)
{
    struct mp_uvm_mask *brought = &r->block[va / MP_UVM_BLOCK_BYTES - r->va / MP_UVM_BLOCK_BYTES].brought;
    const uint32_t page = (uint32_t)(va % MP_UVM_BLOCK_BYTES >> p->page_shift);
    p->stats[r->space->asid].prefetch_used += mp_uvm_has(brought, page);
    mp_uvm_remove(brought, page);
}

/* An access of a page that a walk has found is a touch. Those of host memory are counted there. */
static void touch(void *paging, const struct mp_req *page)
{
    struct mp_paging *p = paging;
    struct mp_paging_range *r = page->pa < MP_HOST_MEMORY ? mp_paging_find(p, page->asid, page->va) : NULL;
    if (!r || has_left(p, page))
        return;
    use(p, r, page->va);
    if (p->p.touched_by_walks)
        access_page(p, page, page->va);
}

void mp_paging_remote(struct mp_paging *p, const struct mp_req *line)
{
    struct mp_paging_stats *s = &p->stats[line->asid];
    uint64_t va;
    if (!mp_paging_find_host(p, line->pa, &va))
        return;
    const struct mp_uvm_hit hit = access_page(p, line, va);
    s->remote += hit.what == MP_UVM_REMOTE;
    if (!hit.notice)
        return;
    s->notices++;
    p->notices++;
    mp_paging_wake(p);
}

void mp_paging_add_sm(struct mp_paging *p, struct mp_sm *sm)
{
    p->waiting[sm->p.id].sm = sm;
    mp_sm_watch_walks(sm, touch, p);
}

/* The SM waits for the page already, in the same direction: hardware merges repetitions of an SM. */
static bool is_repeated(const struct mp_paging *p, const struct mp_req *page)
{
    for (const struct mp_req *r = p->waiting[page->sm].pages.head; r; r = r->next)
        if (r->asid == page->asid && r->va >> p->page_shift == page->va >> p->page_shift &&
            (r->op == MP_LOAD) == (page->op == MP_LOAD))
            return true;
    return false;
}

/* Enters the fault unless it is a repetition. Returns false if the buffer is full. */
static bool enter(struct mp_paging *p, struct mp_req *page)
{
    struct mp_paging_stats *s = &p->stats[page->asid];
    const bool repeated = is_repeated(p, page);
    const enum mp_uvm_access access = access_of(page);
    const uint32_t entries =
        repeated ? p->entries : mp_uvm_fault(p->uvm, page->sm, page->asid, page->va, access);
    if (!repeated && !entries)
        return false;
    if (!repeated)
        mp_paging_say(p, "F %llu %u %u 0x%llx %c", (unsigned long long)mp_paging_ns(p), page->sm, page->asid,
                      (unsigned long long)page->va, letters[access]);
    if (!repeated)
        mp_paging_tell(p,
                       &(struct mp_paging_action){MP_PAGING_FAULTED, page->asid, p->wheel->now, p->wheel->now,
                                                  page->va >> p->page_shift << p->page_shift, 1});
    s->repeated += repeated;
    s->entries += !repeated;
    p->entries = entries;
    mp_queue_push(&p->waiting[page->sm].pages, page);
    return true;
}

static void stall(struct mp_paging *p, bool stalled)
{
    for (uint32_t i = 0; i < p->p.uvm.sms; i++)
        if (p->waiting[i].sm)
            mp_sm_stall(p->waiting[i].sm, stalled);
}

/* Faults enter in the order in which they occurred. */
bool mp_paging_fault(struct mp_paging *p, struct mp_sm *sm, struct mp_req *page)
{
    if (!mp_paging_find(p, page->asid, page->va))
        return false;
    p->stats[page->asid].faults++;
    p->since[page->asid].count++;
    p->since[page->asid].sum += p->wheel->now;
    if (p->held.head || !enter(p, page)) {
        p->stats[page->asid].full++;
        mp_queue_push(&p->held, page);
        mp_sm_stall(sm, true);
    }
    mp_paging_wake(p);
    return true;
}

void mp_paging_wake(struct mp_paging *p)
{
    if (p->busy)
        return;
    p->busy = true;
    mp_at(p->wheel, mp_paging_cycles(p, p->p.cost.interrupt), mp_paging_serve, p, NULL);
}

void mp_paging_enter_held(struct mp_paging *p)
{
    if (!p->held.head)
        return;
    for (struct mp_req *page; (page = mp_queue_pop(&p->held));)
        if (!enter(p, page)) {
            struct mp_req_queue rest = {0};
            mp_queue_push(&rest, page);
            while ((page = mp_queue_pop(&p->held)))
                mp_queue_push(&rest, page);
            p->held = rest;
            return;
        }
    stall(p, false);
}

static void retry(struct mp_paging *p, struct mp_req_queue *pages)
{
    struct mp_req_queue all = *pages;
    *pages = (struct mp_req_queue){0};
    for (struct mp_req *page; (page = mp_queue_pop(&all));) {
        mp_latencies_add(&p->stats[page->asid].fault_latency, p->wheel->now - page->sent);
        mp_sm_retry(p->waiting[page->sm].sm, page);
    }
}

void mp_paging_replay(struct mp_paging *p)
{
    const bool stalled = p->held.head;
    mp_paging_tell(p, &(struct mp_paging_action){MP_PAGING_REPLAYED, mp_paging_first_space(p), p->wheel->now,
                                                 p->wheel->now, 0, 0});
    for (unsigned a = 0; a < MP_ASIDS; a++) {
        p->stats[a].replays += p->served >> a & 1;
        p->stats[a].fault_cycles += p->since[a].count * p->wheel->now - p->since[a].sum;
        p->since[a].count = p->since[a].sum = 0;
    }
    for (uint32_t i = 0; i < p->p.uvm.sms; i++)
        retry(p, &p->waiting[i].pages);
    retry(p, &p->held);
    if (stalled)
        stall(p, false);
}
