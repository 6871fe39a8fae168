/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Carries the decisions of a batch out, in their order. The server is one processor: it launches copies and
 * goes on, but waits for invalidations. Each direction of the link is busy with one copy at a time.
 */
#include "paging/state.h"

static struct mp_paging_step *step_of(struct mp_paging *p)
{
    return &p->step[p->at];
}

static struct mp_paging_block *block_of(const struct mp_paging_step *s)
{
    return &s->range->block[s->block];
}

static struct mp_paging_stats *stats_of(struct mp_paging *p, const struct mp_paging_step *s)
{
    return &p->stats[s->range->space->asid];
}

static uint32_t space_of(const struct mp_paging_step *s)
{
    return 1u << s->range->space->asid;
}

/* Goes on later. The time until then is spent on a part, for these spaces. */
static void after(struct mp_paging *p, uint32_t spaces, enum mp_paging_part part, uint64_t delay,
                  mp_event_fn *fn)
{
    mp_paging_spend(p, spaces, part, delay);
    mp_at(p->wheel, delay, fn, p, NULL);
}

static uint64_t address(const struct mp_paging *p, const struct mp_paging_step *s, uint32_t page)
{
    return (s->range->va / MP_UVM_BLOCK_BYTES + s->block) * MP_UVM_BLOCK_BYTES +
           ((uint64_t)page << p->page_shift);
}

/* Something that has to do with these pages, of which there is one. Returns their number; 0: nobody watches.
 */
static uint32_t tell(const struct mp_paging *p, const struct mp_paging_step *s, enum mp_paging_kind kind,
                     uint64_t began, uint64_t ended)
{
    struct mp_uvm_mask pages;
    if (!p->action)
        return 0;
    MP_UVM_EACH (i)
        pages.w[i] = s->copy.w[i] | s->other.w[i];
    const struct mp_paging_action a = {kind,
                                       s->range->space->asid,
                                       began,
                                       ended,
                                       address(p, s, mp_uvm_next(&pages, 0)),
                                       mp_uvm_count(&pages)};
    mp_paging_tell(p, &a);
    return a.pages;
}

/* The first run of pages from *page on: its length, or 0. *page receives its first page. */
static uint32_t next_run(const struct mp_uvm_mask *m, uint32_t *page)
{
    uint32_t end = *page = mp_uvm_next(m, *page);
    while (end < MP_UVM_PAGES && mp_uvm_has(m, end))
        end++;
    return end - *page;
}

/* Runs of pages that an engine copies or zeroes one after the other. *at is the server's time, *free the
 * cycle in which the engine is free; none begins before `from`. Returns the cycle in which the last has
 * ended, and adds the engine's time to *busy. */
struct engine {
    enum mp_paging_kind kind;
    uint64_t *free, *busy;
    const uint64_t *transfer; /* by pages; NULL: of `each` page */
    uint64_t latency, each;
};

static uint64_t run_engine(const struct mp_paging *p, const struct engine *e, const struct mp_uvm_mask *m,
                           uint64_t *at, uint64_t from)
{
    const struct mp_paging_step *s = &p->step[p->at];
    uint64_t last = 0;
    for (uint32_t page = 0, pages; (pages = next_run(m, &page)); page += pages) {
        const uint64_t takes = e->latency + (e->transfer ? e->transfer[pages] : pages * e->each);
        *at += mp_paging_cycles(p, p->p.cost.copy);
        last = *e->free = mp_paging_later(mp_paging_later(*at, from), *e->free) + takes;
        *e->busy += takes;
        mp_paging_tell(p, &(struct mp_paging_action){e->kind, s->range->space->asid, last - takes, last,
                                                     address(p, s, page), pages});
    }
    return last;
}

/* ---- victims ---- */

static void skip(struct mp_paging *p)
{
    p->at++;
    mp_paging_carry(p, NULL);
}

/* The frame may be written when the last copy out of it has ended. */
static void write_back(struct mp_paging *p)
{
    const struct mp_paging_step *s = step_of(p);
    struct mp_paging_stats *stats = stats_of(p, s);
    const struct engine out = {MP_PAGING_COPIED_OUT,
                               &p->out_free,
                               &stats->busy_out,
                               p->transfer,
                               mp_paging_cycles(p, p->p.cost.latency),
                               0};
    uint64_t at = p->wheel->now;
    tell(p, s, MP_PAGING_VICTIM, p->since_invalidation - mp_paging_cycles(p, p->p.cost.evict), at);
    tell(p, s, MP_PAGING_INVALIDATED, p->since_invalidation, at);
    const uint64_t end = run_engine(p, &out, &s->copy, &at, 0);
    const uint32_t back = mp_uvm_count(&s->copy), dropped = mp_uvm_count(&s->other);
    const uint32_t page = mp_uvm_next(back ? &s->copy : &s->other, 0);
    mp_paging_give(p, &s->range->frame[s->block * p->per_block + page / p->unit_pages],
                   mp_paging_later(end, p->wheel->now));
    MP_UVM_EACH (i)
        block_of(s)->left.w[i] |= s->copy.w[i];
    p->moves++;
    stats->evictions++;
    stats->evicted += back + dropped;
    stats->written_back += back;
    stats->bytes_out += (uint64_t)back << p->page_shift;
    p->at++;
    after(p, space_of(s), MP_PAGING_COPY, at - p->wheel->now, mp_paging_carry);
}

static bool in_use(const struct mp_paging *p, const struct mp_scope *scope)
{
    for (uint32_t i = 0; i < p->p.uvm.sms; i++)
        if (p->waiting[i].sm && mp_sm_uses_translations_of(p->waiting[i].sm, scope, p->since_invalidation))
            return true;
    return false;
}

/* The invalidation has ended when no access that was issued before it still uses a translation of the space.
 * Accesses that wait for a replay do not delay it. */
static void confirm(void *paging, void *unused)
{
    enum { LOOK_AGAIN = 64 };
    struct mp_paging *p = paging;
    const struct mp_paging_range *r = step_of(p)->range;
    const struct mp_scope scope = {.every_page = true, .asid = r->space->asid};
    (void)unused;
    if (r->closed)
        skip(p);
    else if (in_use(p, &scope))
        after(p, space_of(step_of(p)), MP_PAGING_INVALIDATION, LOOK_AGAIN, confirm);
    else
        write_back(p);
}

static void unmap(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    const struct mp_paging_step *s = step_of(p);
    struct mp_uvm_mask pages;
    uint32_t first = 0, end = 0;
    (void)unused;
    if (s->range->closed) {
        skip(p);
        return;
    }
    MP_UVM_EACH (i)
        pages.w[i] = s->copy.w[i] | s->other.w[i];
    first = mp_uvm_next(&pages, 0);
    MP_UVM_EACH_PAGE (page, &pages)
        end = page + 1;
    mp_space_remove(s->range->space, address(p, s, first), (uint64_t)(end - first) << p->page_shift);
    p->since_invalidation = p->wheel->now;
    block_of(s)->resident -= tell(p, s, MP_PAGING_UNMAPPED, p->wheel->now, p->wheel->now);
    after(p, space_of(s), MP_PAGING_INVALIDATION, p->p.cost.invalidation, confirm);
}

/* ---- services ---- */

/* Gives frames to units that get pages and have none. Returns the cycle from which all may be written. */
static uint64_t take_frames(struct mp_paging *p, const struct mp_paging_step *s)
{
    uint64_t from = 0;
    for (uint32_t unit = 0; unit < p->per_block; unit++) {
        const uint32_t first = unit * p->unit_pages, end = first + p->unit_pages;
        uint32_t *frame = &s->range->frame[s->block * p->per_block + unit];
        if (!mp_uvm_any_in(&s->copy, first, end) && !mp_uvm_any_in(&s->other, first, end))
            continue;
        if (!*frame)
            *frame = p->spare[--p->spares] + 1; /* the library has freed as many as it gives */
        from = mp_paging_later(from, p->frame[*frame - 1].free_at);
    }
    return from;
}

/* The entries become valid. */
static void map(void *paging, void *step)
{
    struct mp_paging *p = paging;
    const struct mp_paging_step *s = step;
    struct mp_uvm_mask pages;
    p->pending--;
    block_of(s)->pending = false;
    p->moves++;
    MP_UVM_EACH (i)
        pages.w[i] = s->copy.w[i] | s->other.w[i];
    MP_UVM_EACH_PAGE (page, &pages) {
        const uint32_t frame = s->range->frame[s->block * p->per_block + page / p->unit_pages];
        if (!s->range->closed)
            mp_space_place(s->range->space, address(p, s, page),
                           p->frame[frame - 1].pa + ((uint64_t)(page % p->unit_pages) << p->page_shift),
                           p->page_shift);
    }
    if (!s->range->closed)
        block_of(s)->resident += tell(p, s, MP_PAGING_MAPPED, p->wheel->now, p->wheel->now);
}

static void replay(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    if (p->pending) { /* its event is later in this cycle */
        after(p, p->served, MP_PAGING_REPLAY, 1, replay);
        return;
    }
    mp_paging_replay(p);
    mp_paging_carry(p, NULL);
}

static void count(struct mp_paging *p, const struct mp_paging_step *s)
{
    struct mp_paging_stats *stats = stats_of(p, s);
    const uint32_t copied = mp_uvm_count(&s->copy);
    stats->zeroed += mp_uvm_count(&s->other);
    stats->copied += copied;
    stats->bytes_in += (uint64_t)copied << p->page_shift;
    MP_UVM_EACH (i)
        stats->refetched += mp_uvm_bits(s->copy.w[i] & block_of(s)->left.w[i]);
}

/* The server's time for a block before its copies. */
static uint64_t service_cycles(const struct mp_paging *p, const struct mp_paging_step *s)
{
    return mp_paging_cycles(p, p->p.cost.block + s->faulted * p->p.cost.page);
}

static void serve(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    struct mp_paging_step *s = step_of(p);
    (void)unused;
    if (s->range->closed) {
        skip(p);
        return;
    }
    struct mp_paging_stats *stats = stats_of(p, s);
    struct mp_paging_block *b = block_of(s);
    uint64_t at = p->wheel->now, zeroing = 0;
    const struct engine in = {MP_PAGING_COPIED_IN,
                              &p->in_free,
                              &stats->busy_in,
                              p->transfer,
                              mp_paging_cycles(p, p->p.cost.latency),
                              0};
    const struct engine zero = {
        MP_PAGING_ZEROED,
        &p->zero_free,
        &zeroing,
        NULL,
        0,
        mp_paging_cycles(p, (p->p.uvm.page_bytes + p->p.cost.zero_gbps - 1) / p->p.cost.zero_gbps)};
    const uint64_t from = take_frames(p, s);
    const uint64_t copied = run_engine(p, &in, &s->copy, &at, from);
    const uint64_t zeroed = run_engine(p, &zero, &s->other, &at, from);
    b->ready = mp_paging_later(at, mp_paging_later(copied, zeroed));
    b->pending = true;
    p->pending++;
    p->finish = mp_paging_later(p->finish, b->ready);
    count(p, s);
    tell(p, s, MP_PAGING_SERVICE, p->wheel->now - service_cycles(p, s), b->ready);
    mp_at(p->wheel, b->ready - p->wheel->now, map, p, s);
    p->at++;
    if (p->p.uvm.replay == MP_UVM_REPLAY_BLOCK) {
        mp_paging_spend(p, space_of(s), MP_PAGING_COPY, b->ready - p->wheel->now);
        mp_paging_spend(p, space_of(s), MP_PAGING_REPLAY, mp_paging_cycles(p, p->p.cost.replay));
        mp_at(p->wheel, b->ready + mp_paging_cycles(p, p->p.cost.replay) - p->wheel->now, replay, p, NULL);
    } else {
        after(p, space_of(s), MP_PAGING_COPY, at - p->wheel->now, mp_paging_carry);
    }
}

/* ---- one step after the other ---- */

/* Entries become valid in the order of events of a cycle, so a wait for them may take a cycle more. */
static uint64_t until(const struct mp_paging *p, uint64_t cycle)
{
    return cycle > p->wheel->now ? cycle - p->wheel->now : 1;
}

void mp_paging_carry(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    while (p->at < p->steps && step_of(p)->range->closed)
        p->at++;
    if (p->at == p->steps && p->pending) {
        after(p, p->served, MP_PAGING_COPY, until(p, p->finish), mp_paging_carry);
    } else if (p->at == p->steps) {
        mp_paging_served(p);
    } else if (!step_of(p)->evicts) {
        const uint64_t takes = service_cycles(p, step_of(p)), block = mp_paging_cycles(p, p->p.cost.block);
        mp_paging_spend(p, space_of(step_of(p)), MP_PAGING_BLOCK, block);
        mp_paging_spend(p, space_of(step_of(p)), MP_PAGING_PAGE, takes - block);
        mp_at(p->wheel, takes, serve, p, NULL);
    } else if (block_of(step_of(p))->pending) { /* the batch has served it, and takes it back */
        after(p, space_of(step_of(p)), MP_PAGING_COPY, until(p, block_of(step_of(p))->ready),
              mp_paging_carry);
    } else {
        after(p, space_of(step_of(p)), MP_PAGING_EVICT, mp_paging_cycles(p, p->p.cost.evict), unmap);
    }
}
