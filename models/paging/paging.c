/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning and end, costs, counters. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paging/state.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_paging_stats, field, unit, text)
#define PART(name, part, text)                                                                               \
    {                                                                                                        \
        name, "cycles", text, MP_COUNTER, offsetof(struct mp_paging_stats, part_cycles[part]), 0             \
    }

#define LOG2(field, unit, text)                                                                              \
    {                                                                                                        \
#field, unit, text, MP_HISTOGRAM_LOG2, offsetof(struct mp_paging_stats, field), MP_LOG2_BINS         \
    }

static const struct mp_metric metrics[] = {
    COUNTER(faults, "pages", "accesses of SMs to pages that are not mapped, with those that failed again"),
    COUNTER(repeated, "pages", "of these, repetitions by an SM that waits for the page already"),
    COUNTER(entries, "faults", "entered in the fault buffer"),
    COUNTER(full, "faults", "for which the fault buffer had no room at first"),
    COUNTER(batches, "batches", "of faults served"),
    COUNTER(merged, "faults", "joined to an earlier one while their batch was fetched"),
    COUNTER(duplicates, "faults", "of pages that another fault of the batch has"),
    COUNTER(dropped, "faults", "discarded before a replay"),
    COUNTER(replays, "replays", "after which all accesses that waited tried again"),
    COUNTER(blocks, "blocks", "of 2 MB served"),
    COUNTER(done, "pages", "that were mapped when their fault was served"),
    COUNTER(faulted, "pages", "that got memory because of a fault"),
    COUNTER(prefetched, "pages", "that got memory with them"),
    COUNTER(prefetch_used, "pages", "of these, those of which a walk has found the entry for an access"),
    COUNTER(prefetch_lost, "pages", "of these, those that left before"),
    COUNTER(zeroed, "pages", "of all that got memory, those that were nowhere"),
    COUNTER(copied, "pages", "of all that got memory, those that came from the host"),
    COUNTER(refetched, "pages", "copied from the host after an eviction"),
    COUNTER(evictions, "units", "of memory taken from the space"),
    COUNTER(evicted, "pages", "that had memory there"),
    COUNTER(written_back, "pages", "of these, those that were copied to the host"),
    COUNTER(mapped, "pages", "mapped to the host's memory"),
    COUNTER(remote, "lines", "accessed there"),
    COUNTER(notices, "notices", "of counters of these accesses"),
    COUNTER(notice_batches, "batches", "of notices served"),
    COUNTER(counted, "pages", "that got memory because of a notice"),
    COUNTER(host_faults, "faults", "of the host, for pages that the GPU had"),
    COUNTER(host_moved, "pages", "copied to the host for them"),
    COUNTER(host_cycles, "cycles", "that the host needed for its accesses to managed memory, sum"),
    COUNTER(host_mapped, "pages", "of the GPU that the host has mapped, over a coherent link"),
    COUNTER(host_lines, "lines", "of 64 B that the host accessed there"),
    COUNTER(held, "pages", "that stayed faulted in a batch, since they thrash and the host is to have them"),
    COUNTER(naps, "accesses", "of the host to pages that thrash, which waited since the GPU is to have them"),
    COUNTER(pinned, "pages", "that thrashed and were pinned to one place"),
    COUNTER(unpinned, "pages", "whose pins have ended in time"),
    COUNTER(bytes_in, "B", "copied from the host"),
    COUNTER(bytes_out, "B", "copied to the host"),
    COUNTER(busy_in, "cycles", "in which the link was busy with copies from the host"),
    COUNTER(busy_out, "cycles", "in which the link was busy with copies to the host"),
    COUNTER(fault_cycles, "cycles", "from faults to their replays, sum"),
    COUNTER(batch_cycles, "cycles", "from the fetches of batches, of faults or notices, to their ends, sum"),
    PART("interrupt_cycles", MP_PAGING_INTERRUPT, "before the fetches of first batches, for interrupts"),
    PART("fetch_cycles", MP_PAGING_FETCH, "of these batches, to fetch and sort faults"),
    PART("block_cycles", MP_PAGING_BLOCK, "of these batches, for blocks"),
    PART("page_cycles", MP_PAGING_PAGE, "of these batches, for pages that faulted and for notices"),
    PART("copy_cycles", MP_PAGING_COPY, "of these batches, to launch copies and wait for their ends"),
    PART("evict_cycles", MP_PAGING_EVICT, "of these batches, for victims"),
    PART("invalidation_cycles", MP_PAGING_INVALIDATION, "of these batches, until invalidations ended"),
    PART("replay_cycles", MP_PAGING_REPLAY, "of these batches, for replays"),
    {"units", "units", "of memory that the space has", MP_GAUGE, offsetof(struct mp_paging_stats, units), 0},
    {"fault_latency", "cycles", "of accesses that faulted, from the request for a translation to the replay",
     MP_HISTOGRAM_LOG_LINEAR, offsetof(struct mp_paging_stats, fault_latency), MP_LATENCY_BINS},
    LOG2(batch_time, "cycles", "from the fetch of a batch, of faults or notices, to its end"),
    LOG2(batch_entries, "faults", "of a batch, or notices"),
    LOG2(batch_blocks, "blocks", "of 2 MB served by a batch"),
    LOG2(run_pages, "pages", "of a copy, which follow each other"),
};

const struct mp_metric_table mp_paging_metrics = {"uvm", sizeof(struct mp_paging_stats),
                                                  sizeof metrics / sizeof *metrics, metrics};

uint64_t mp_paging_copy_cycles(const struct mp_paging_params *params, uint32_t pages)
{
    const struct mp_paging_costs *c = &params->cost;
    const double bytes = (double)pages * params->uvm.page_bytes;
    double rate = (double)c->gbps; /* bytes per ns */
    if (c->curve)
        rate *= M_2_PI * atan((double)c->curve * 1e-5 * bytes / 1024);
    return (uint64_t)ceil(bytes / rate * (double)params->clock_mhz / 1000);
}

void mp_paging_say(struct mp_paging *p, const char *format, ...)
{
    char text[1024];
    va_list args;
    if (!p->line)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->line(p->line_self, text);
}

void mp_paging_trace(struct mp_paging *p, void (*line)(void *self, const char *text), void *self)
{
    static const char *const replays[] = {[MP_UVM_REPLAY_BATCH_FLUSH] = "batch_flush",
                                          [MP_UVM_REPLAY_BATCH] = "batch",
                                          [MP_UVM_REPLAY_BLOCK] = "block",
                                          [MP_UVM_REPLAY_ONCE] = "once"};
    const struct mp_uvm_params *u = &p->p.uvm;
    p->line = line;
    p->line_self = self;
    mp_paging_say(
        p,
        "# --page %u --chunks %u --batch %u --entries %u --threshold %u --min-faults %u --seed %llu "
        "--prefetch %s --prefetch-full %s --evict %s --replay-policy %s --migrate %s --counter %u --granule "
        "%u "
        "--penalty %u --writeback %s --link %s --thrashing %s --events %u --throttles %u --lapse %llu --nap "
        "%u --epoch %u --pin %u --resets %u",
        u->page_bytes, u->chunks, u->batch, u->entries, u->threshold, u->min_faults,
        (unsigned long long)u->seed, u->prefetch->design.name,
        u->prefetch_full ? u->prefetch_full->design.name : "same", u->evict->design.name, replays[u->replay],
        u->migrate->design.name, u->counter, u->granule_bytes, u->penalty,
        u->write_back_dirty ? "dirty" : "all", u->c2c ? "c2c" : "pcie", u->thrashing ? "on" : "off",
        u->events, u->throttles, (unsigned long long)u->lapse, u->nap, u->epoch, u->pin, u->resets);
}

void mp_paging_watch(struct mp_paging *p, void (*action)(void *self, const struct mp_paging_action *a),
                     void *self)
{
    p->action = action;
    p->action_self = self;
}

uint32_t mp_paging_page_bytes(const struct mp_paging *p)
{
    return p->p.uvm.page_bytes;
}

struct mp_paging_stats *mp_paging_counters(struct mp_paging *p, unsigned asid)
{
    return &p->stats[asid];
}

uint64_t mp_paging_moves(const struct mp_paging *p)
{
    return p->moves;
}

/* The pool, in chunks of 2 MB, so that the frames of a block whose unit it is follow each other. */
static int take_pool(struct mp_paging *p, struct mp_frames *frames, struct mp_error *err)
{
    const struct mp_frames_wish wish = {.pages = 1, .page_bytes = MP_UVM_BLOCK_BYTES};
    for (uint32_t i = 0; i < p->frames; i++) {
        if (i % p->per_block)
            p->frame[i].pa = p->frame[i - 1].pa + MP_UVM_BLOCK_BYTES / p->per_block;
        else if (!mp_frames_take_pages(frames, &wish, &p->frame[i].pa, err))
            return -1;
    }
    for (uint32_t i = 0; i < p->frames; i++) /* in the order in which they are taken */
        p->spare[p->spares++] = p->p.overlaps ? i : p->frames - 1 - i;
    return 0;
}

static int allocate(struct mp_paging *p)
{
    const struct mp_uvm_params *u = &p->p.uvm;
    const uint32_t pages = (uint32_t)(MP_UVM_BLOCK_BYTES / u->page_bytes);
    const size_t bytes = (mp_uvm_bytes(u) + 63) / 64 * 64;
    p->transfer = calloc(pages + 1, sizeof *p->transfer);
    p->frame = calloc(p->frames, sizeof *p->frame);
    p->spare = calloc(p->frames, sizeof *p->spare);
    p->range = calloc(u->ranges, sizeof *p->range);
    p->waiting = calloc(u->sms, sizeof *p->waiting);
    p->memory = aligned_alloc(64, bytes);
    if (!p->transfer || !p->frame || !p->spare || !p->range || !p->waiting || !p->memory)
        return -1;
    for (uint32_t i = 1; i <= pages; i++)
        p->transfer[i] = mp_paging_copy_cycles(&p->p, i);
    memset(p->memory, 0, bytes);
    p->uvm = mp_uvm_init(p->memory, u);
    mp_uvm_at(p->uvm, 1);
    return 0;
}

struct mp_paging *mp_paging_new(struct mp_wheel *wheel, struct mp_frames *frames,
                                const struct mp_paging_params *params, struct mp_error *err)
{
    struct mp_paging *p = calloc(1, sizeof *p);
    if (!p) {
        mp_fail(err, "out of memory");
        return NULL;
    }
    const struct mp_uvm_params *u = &params->uvm;
    const uint32_t unit = u->evict->unit > u->page_bytes ? u->evict->unit : u->page_bytes;
    p->wheel = wheel;
    p->p = *params;
    p->link = params->link;
    p->maps_host = u->thrashing; /* pages may be pinned there */
    p->page_shift = (uint32_t)__builtin_ctz(u->page_bytes);
    p->unit_pages = unit / u->page_bytes;
    p->per_block = (uint32_t)(MP_UVM_BLOCK_BYTES / unit);
    p->frames = u->chunks * p->per_block + p->p.overlaps;
    if (allocate(p))
        mp_fail(err, "out of memory");
    else if (!take_pool(p, frames, err))
        return p;
    mp_paging_free(p);
    return NULL;
}

struct mp_uvm_prefetcher mp_paging_stand_in(struct mp_paging *p, struct mp_uvm_prefetcher tree)
{
    return mp_uvm_stand_in(p->uvm, tree);
}

void mp_paging_free(struct mp_paging *p)
{
    if (!p)
        return;
    mp_paging_forget_closed(p);
    mp_paging_forget_host(p);
    while (p->ranges)
        free(p->range[--p->ranges]);
    free(p->transfer);
    free(p->frame);
    free(p->spare);
    free(p->range);
    free(p->host);
    free(p->waiting);
    free(p->memory);
    free(p->step);
    free(p);
}
