/* SPDX-License-Identifier: Apache-2.0 */
/* Services of faults: batches, as the library of decisions serves them, and their replays. */
#include <stdlib.h>
#include <string.h>

#include "paging/state.h"

#define MOST_BATCHES 20u /* of a service */

/* The next step of the batch. Steps have room for the largest batch until now. NULL: the run has failed. */
static struct mp_paging_step *add(struct mp_paging *p, uint8_t asid, uint64_t block,
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

static void evicted(void *paging, const struct mp_uvm_victim *v)
{
    struct mp_paging *p = paging;
    struct mp_uvm_mask pages;
    MP_UVM_EACH (i)
        pages.w[i] = v->back.w[i] | v->drop.w[i];
    struct mp_paging_step *step = add(p, v->asid, v->block, &pages);
    if (!step)
        return;
    step->evicts = true;
    step->copy = v->back;
    step->other = v->drop;
}

/* A fault of a range that has ended meanwhile is cancelled, and no access waits for it. */
static void served(void *paging, const struct mp_uvm_service *s)
{
    struct mp_paging *p = paging;
    struct mp_uvm_mask pages;
    MP_UVM_EACH (i)
        pages.w[i] = s->fault.w[i] | s->done.w[i] | s->held.w[i];
    p->served |= 1u << s->asid;
    struct mp_paging_step *step = mp_uvm_any(&pages) ? add(p, s->asid, s->block, &pages) : NULL;
    if (!step)
        return;
    step->copy = s->copy;
    step->other = s->zero;
    step->faulted = mp_uvm_count(&s->fault);
    p->stats[s->asid].blocks++;
    p->stats[s->asid].done += mp_uvm_count(&s->done);
    p->stats[s->asid].faulted += step->faulted;
    p->stats[s->asid].prefetched += mp_uvm_count(&s->prefetch);
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

void mp_paging_serve(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    const struct mp_uvm_report report = {evicted, served, p};
    const struct mp_paging_costs *c = &p->p.cost;
    (void)unused;
    p->steps = p->at = p->served = 0;
    p->fetched = p->finish = p->wheel->now;
    mp_uvm_at(p->uvm, mp_paging_ns(p));
    mp_paging_say(p, "B %llu", (unsigned long long)mp_paging_ns(p));
    p->batch = mp_uvm_serve(p->uvm, &report);
    p->entries = p->batch.left;
    count(p);
    mp_paging_enter_held(p);
    const uint64_t fetch = mp_paging_cycles(p, c->batch + p->batch.entries * c->entry);
    mp_paging_spend(p, p->served, MP_PAGING_INTERRUPT, p->batches ? 0 : mp_paging_cycles(p, c->interrupt));
    mp_paging_spend(p, p->served, MP_PAGING_FETCH, fetch);
    mp_at(p->wheel, fetch, mp_paging_carry, p, NULL);
}

/* Counts the time of a batch that has ended. */
static void count_time(struct mp_paging *p)
{
    for (unsigned a = 0; a < MP_ASIDS; a++) {
        p->stats[a].batch_cycles += p->served >> a & 1 ? p->wheel->now - p->fetched : 0;
        for (unsigned i = 0; i < MP_PAGING_PARTS; i++)
            p->stats[a].part_cycles[i] += p->spent[a][i];
    }
    memset(p->spent, 0, sizeof p->spent);
    mp_paging_tell(p, &(struct mp_paging_action){MP_PAGING_BATCH, mp_paging_first_space(p), p->fetched,
                                                 p->wheel->now, 0, p->batch.entries});
}

/* A service has at least one replay. */
static void end(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    if (p->replays)
        mp_paging_replay(p);
    count_time(p);
    mp_paging_forget_closed(p);
    p->batches = p->last ? 0 : p->batches + 1;
    p->busy = p->entries;
    if (p->busy)
        mp_at(p->wheel, p->last ? mp_paging_cycles(p, p->p.cost.interrupt) : 0, mp_paging_serve, p, NULL);
}

void mp_paging_served(struct mp_paging *p)
{
    p->last = !p->entries || p->batches + 1 == MOST_BATCHES;
    p->replays = p->p.uvm.replay != MP_UVM_REPLAY_BLOCK && (p->batch.replays || p->last);
    const uint64_t takes = p->replays ? mp_paging_cycles(p, p->p.cost.replay) : 0;
    mp_paging_spend(p, p->served, MP_PAGING_REPLAY, takes);
    mp_at(p->wheel, takes, end, p, NULL);
}
