/* SPDX-License-Identifier: Apache-2.0 */
/* Services of faults: batches, as the library of decisions serves them, and their replays. */
#include <stdlib.h>
#include <string.h>

#include "paging/state.h"

#define MOST_BATCHES 20u /* of a service */
#define MOST_HELD    5u  /* of these, with a page that is held */

struct mp_paging_step *mp_paging_add(struct mp_paging *p, uint8_t asid, uint64_t block,
                                     const struct mp_uvm_mask *pages)
{
    const uint64_t va = (block << 21) + ((uint64_t)mp_uvm_next(pages, 0) << p->page_shift);
    struct mp_paging_range *r = mp_paging_find(p, asid, va);
    if (p->steps == p->room) {
        const uint32_t room = p->room ? 2 * p->room : 256;
        struct mp_paging_step *step = realloc(p->step, room * sizeof *step);
        if (!step) {
            p->p.failed(p->p.self, asid, "out of memory");
            return NULL;
        }
        p->step = step;
        p->room = room;
    }
    if (!r)
        return NULL;
    p->step[p->steps] =
        (struct mp_paging_step){.range = r, .block = (uint32_t)(block - r->va / MP_UVM_BLOCK_BYTES)};
    return &p->step[p->steps++];
}

/* The host has emptied the unit, whose frame is not used since then: it leaves at once. */
static void left_empty(struct mp_paging *p, const struct mp_uvm_victim *v)
{
    const uint64_t now = p->wheel->now;
    p->stats[v->asid].evictions++;
    mp_paging_tell(
        p, &(struct mp_paging_action){MP_PAGING_VICTIM, v->asid, now, now, v->block * MP_UVM_BLOCK_BYTES, 0});
}

static void evicted(void *paging, const struct mp_uvm_victim *v)
{
    struct mp_paging *p = paging;
    struct mp_uvm_mask pages;
    MP_UVM_EACH (i)
        pages.w[i] = v->back.w[i] | v->drop.w[i];
    if (!mp_uvm_any(&pages)) {
        left_empty(p, v);
        return;
    }
    struct mp_paging_step *step = mp_paging_add(p, v->asid, v->block, &pages);
    if (!step)
        return;
    const struct mp_uvm_mapped mapped = mp_paging_mapped(p, step->range, step->block);
    mp_paging_lose(p, step->range, step->block, &pages);
    step->evicts = true;
    step->copy = v->back;
    step->other = v->drop;
    step->writable = mapped.writable;
    MP_UVM_EACH (i)
        step->remote.w[i] = mapped.remote.w[i] & pages.w[i];
}

/* A fault of a range that has ended meanwhile is cancelled, and no access waits for it. */
static void served(void *paging, const struct mp_uvm_service *s)
{
    struct mp_paging *p = paging;
    struct mp_uvm_mask pages;
    MP_UVM_EACH (i)
        pages.w[i] = s->fault.w[i] | s->remote.w[i] | s->done.w[i] | s->held.w[i];
    p->served |= 1u << s->asid;
    struct mp_paging_step *step = mp_uvm_any(&pages) ? mp_paging_add(p, s->asid, s->block, &pages) : NULL;
    if (!step)
        return;
    step->copy = s->copy;
    step->other = s->zero;
    const struct mp_uvm_mapped mapped = mp_paging_mapped(p, step->range, step->block);
    step->done = s->done;
    step->writable = mapped.writable;
    MP_UVM_EACH (i)
        step->range->block[step->block].brought.w[i] |= s->prefetch.w[i];
    MP_UVM_EACH (i) /* without those that the prefetcher has brought after all */
        step->remote.w[i] = s->remote.w[i] & mapped.remote.w[i];
    struct mp_paging_stats *stats = &p->stats[s->asid];
    const uint32_t faulted = mp_uvm_count(&s->fault);
    step->faulted = p->noticed ? 0 : faulted;
    step->noticed = p->noticed;
    stats->blocks++;
    stats->done += mp_uvm_count(&s->done);
    stats->faulted += step->faulted;
    stats->counted += faulted - step->faulted;
    stats->prefetched += mp_uvm_count(&s->prefetch);
    stats->held += mp_uvm_count(&s->held);
    p->holds_page |= mp_uvm_any(&s->held);
    mp_paging_note_pins(p, step->range, step->block);
}

static void count(struct mp_paging *p)
{
    for (unsigned a = 0; a < MP_ASIDS; a++) {
        struct mp_paging_stats *s = &p->stats[a];
        if (!(p->served >> a & 1))
            continue;
        s->batches++;
        s->merged += p->batch.merged;
        s->duplicates += p->batch.duplicates;
        s->dropped += p->batch.dropped;
    }
}

/* Returns the number of faults in the batch. */
static uint32_t serve_faults(struct mp_paging *p, const struct mp_uvm_report *report)
{
    mp_paging_say(p, "B %llu", (unsigned long long)mp_paging_ns(p));
    p->batch = mp_uvm_serve(p->uvm, report);
    p->entries = p->batch.left;
    p->holds += p->holds_page;
    count(p);
    mp_paging_enter_held(p);
    return p->batch.entries;
}

static uint32_t serve_notices(struct mp_paging *p, const struct mp_uvm_report *report)
{
    mp_paging_say(p, "C %llu", (unsigned long long)mp_paging_ns(p));
    const struct mp_uvm_noticed noticed = mp_uvm_notices(p->uvm, report);
    p->notices = noticed.left;
    p->batch = (struct mp_uvm_batch){.entries = noticed.notices};
    return noticed.notices;
}

/* Memory leaves ahead of need. */
static uint32_t evict_ahead(struct mp_paging *p, const struct mp_uvm_report *report)
{
    mp_paging_say(p, "E %llu", (unsigned long long)mp_paging_ns(p));
    p->batch = (struct mp_uvm_batch){0};
    mp_uvm_evict_ahead(p->uvm, report);
    return 0;
}

/* What waits for the server, and is no access of the host. */
static bool gpu_waits(const struct mp_paging *p)
{
    return p->entries || p->notices;
}

static bool wants_more_room(const struct mp_paging *p)
{
    return mp_uvm_spare_units(p->uvm) < p->p.ahead * p->per_block;
}

/* Services of faults and batches of notices take turns, as long as there are both, and so do these and faults
 * of the host. */
void mp_paging_serve(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    const struct mp_uvm_report report = {evicted, served, p};
    const struct mp_paging_costs *c = &p->p.cost;
    (void)unused;
    p->steps = p->at = p->served = 0;
    p->holds_page = false;
    p->fetched = p->finish = p->wheel->now;
    if (p->hosting) {
        mp_paging_serve_host(p);
        return;
    }
    p->ahead = p->clears && !gpu_waits(p);
    p->noticed = p->notices && (!p->entries || (!p->batches && !p->noticed));
    mp_paging_advance(p);
    const uint32_t n = p->ahead     ? evict_ahead(p, &report)
                       : p->noticed ? serve_notices(p, &report)
                                    : serve_faults(p, &report);
    mp_paging_await_pins(p);
    const uint64_t fetch = p->ahead ? 0 : mp_paging_cycles(p, c->batch + n * c->entry);
    mp_paging_spend(p, MP_PAGING_INTERRUPT, p->batches ? 0 : mp_paging_cycles(p, c->interrupt));
    mp_paging_spend(p, MP_PAGING_FETCH, fetch);
    mp_at(p->wheel, fetch, mp_paging_carry, p, NULL);
}

static uint32_t blocks_of_batch(const struct mp_paging *p)
{
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < p->steps; i++)
        blocks += !p->step[i].evicts;
    return blocks;
}

/* Counts the time of a batch that has ended. */
static void count_time(struct mp_paging *p)
{
    const bool is_batch = !p->ahead && !p->hosting;
    for (unsigned a = 0; a < MP_ASIDS; a++) {
        if (!(p->served >> a & 1))
            continue;
        p->stats[a].notice_batches += p->noticed;
        p->stats[a].batch_cycles += p->wheel->now - p->fetched;
        for (unsigned i = 0; i < MP_PAGING_PARTS; i++)
            p->stats[a].part_cycles[i] += p->spent[i];
        if (!is_batch)
            continue;
        mp_log2_add(p->stats[a].batch_time, p->wheel->now - p->fetched);
        mp_log2_add(p->stats[a].batch_entries, p->batch.entries);
        mp_log2_add(p->stats[a].batch_blocks, blocks_of_batch(p));
    }
    memset(p->spent, 0, sizeof p->spent);
    if (!is_batch)
        return;
    mp_paging_tell(p, &(struct mp_paging_action){MP_PAGING_BATCH, mp_paging_first_space(p), p->fetched,
                                                 p->wheel->now, 0, p->batch.entries});
}

/* A service of faults has at least one replay. */
static void end(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    if (p->replays)
        mp_paging_replay(p);
    count_time(p);
    if (p->hosting)
        mp_paging_served_host(p);
    mp_paging_forget_closed(p);
    p->batches = p->last ? 0 : p->batches + 1;
    p->holds = p->last ? 0 : p->holds;
    p->clears = p->last && wants_more_room(p) && !(p->ahead && !p->steps);
    p->hosting = p->last && !(p->hosting && gpu_waits(p)) ? mp_paging_awake(p) : NULL;
    p->busy = gpu_waits(p) || p->hosting || p->clears;
    if (p->busy)
        mp_at(p->wheel, p->last && !p->hosting ? mp_paging_cycles(p, p->p.cost.interrupt) : 0,
              mp_paging_serve, p, NULL);
}

void mp_paging_served(struct mp_paging *p)
{
    p->last = p->noticed || p->ahead || p->hosting || !p->entries || p->batches + 1 == MOST_BATCHES ||
              p->holds == MOST_HELD;
    p->replays = !p->noticed && !p->ahead && !p->hosting && p->p.uvm.replay != MP_UVM_REPLAY_BLOCK &&
                 (p->batch.replays || p->last);
    const uint64_t takes = p->replays ? mp_paging_cycles(p, p->p.cost.replay) : 0;
    mp_paging_spend(p, MP_PAGING_REPLAY, takes);
    mp_at(p->wheel, takes, end, p, NULL);
}
