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

/* Goes on later. The time until then is spent on a part. */
static void after(struct mp_paging *p, enum mp_paging_part part, uint64_t delay, mp_event_fn *fn)
{
    mp_paging_spend(p, part, delay);
    mp_at(p->wheel, delay, fn, p, NULL);
}

static uint64_t address(const struct mp_paging *p, const struct mp_paging_step *s, uint32_t page)
{
    return (s->range->va / MP_UVM_BLOCK_BYTES + s->block) * MP_UVM_BLOCK_BYTES +
           ((uint64_t)page << p->page_shift);
}

/* Something that has to do with these pages, of which there is one. Returns their number, or 0 if the
 * server is not watched. */
static uint32_t tell(const struct mp_paging *p, const struct mp_paging_step *s, enum mp_paging_kind kind,
                     uint64_t began, uint64_t ended)
{
    struct mp_uvm_mask pages, all; /* those that move; and those that are mapped only */
    if (!p->action)
        return 0;
    MP_UVM_EACH (i) {
        pages.w[i] = s->copy.w[i] | s->other.w[i];
        all.w[i] = pages.w[i] | s->remote.w[i] | s->done.w[i];
    }
    if (!mp_uvm_any(&all))
        return 0;
    const struct mp_paging_action a = {kind,
                                       s->range->space->asid,
                                       began,
                                       ended,
                                       address(p, s, mp_uvm_next(mp_uvm_any(&pages) ? &pages : &all, 0)),
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

/* Runs of pages that an engine copies or zeroes one after the other. *at is the server's time; none begins
 * before `from`. Returns the cycle in which the last has ended, and adds the engine's time to *busy. */
struct engine {
    enum mp_paging_kind kind;
    enum mp_copy_kind copies;
    struct mp_host_way *way; /* of the link; NULL: none, but `each` page takes so long */
    uint64_t *busy, each;
};

/* A copy's time, and that of its bytes on the link, both from it being free on. */
static uint64_t copy_run(const struct mp_paging *p, struct mp_host_way *way, uint32_t pages, uint64_t from,
                         uint64_t takes)
{
    const uint64_t wire =
        ((uint64_t)pages << p->page_shift) * p->p.clock_mhz * MP_HOST_CYCLE / (p->p.cost.gbps * 1000);
    return (mp_host_send_copy(way, p->wheel->now * MP_HOST_CYCLE, from * MP_HOST_CYCLE, takes * MP_HOST_CYCLE,
                              wire) +
            MP_HOST_CYCLE - 1) /
           MP_HOST_CYCLE;
}

/* Of a run of pages that an engine copies or zeroes from cycle `from` to cycle `to`: a copy for each frame.
 */
static void access_lines(struct mp_paging *p, const struct engine *e, uint32_t page, uint32_t pages,
                         uint64_t from, uint64_t to)
{
    struct mp_paging_step *s = &p->step[p->at];
    mp_copy_due(e->copies, mp_paging_cycles(p, p->p.cost.latency), &from, &to);
    for (uint32_t done = 0, n; p->p.copies && done < pages; done += n) {
        const uint32_t at = page + done, place = at % p->unit_pages;
        const struct mp_paging_frame *f =
            &p->frame[s->range->frame[s->block * p->per_block + at / p->unit_pages] - 1];
        n = p->unit_pages - place < pages - done ? p->unit_pages - place : pages - done;
        const struct mp_copy copy = {.pa = f->pa + ((uint64_t)place << p->page_shift),
                                     .bytes = (uint64_t)n << p->page_shift,
                                     .from = from + (to - from) * done / pages,
                                     .to = from + (to - from) * (done + n) / pages,
                                     .after = e->copies == MP_COPY_OUT ? 0 : f->out,
                                     .tenant = (uint8_t)s->range->space->asid};
        s->copied[e->copies] = mp_copies_add(p->p.copies, e->copies, &copy);
    }
}

static uint64_t run_engine(struct mp_paging *p, const struct engine *e, const struct mp_uvm_mask *m,
                           uint64_t *at, uint64_t from)
{
    const struct mp_paging_step *s = &p->step[p->at];
    uint64_t last = 0;
    for (uint32_t page = 0, pages; (pages = next_run(m, &page)); page += pages) {
        const uint64_t takes =
            e->way ? mp_paging_cycles(p, p->p.cost.latency) + p->transfer[pages] : pages * e->each;
        *at += mp_paging_cycles(p, p->p.cost.copy);
        last = mp_paging_later(*at, from);
        last = e->way ? copy_run(p, e->way, pages, last, takes) : mp_paging_later(last, p->zero_free) + takes;
        if (!e->way)
            p->zero_free = last;
        *e->busy += takes;
        if (e->way)
            mp_log2_add(stats_of(p, s)->run_pages, pages);
        access_lines(p, e, page, pages, last - takes, last);
        mp_paging_tell(p, &(struct mp_paging_action){e->kind, s->range->space->asid, last - takes, last,
                                                     address(p, s, page), pages});
    }
    return last;
}

/* Lines of the step's copies that have not been answered: then what follows the copies comes after them. */
static bool has_lines(struct mp_paging *p, struct mp_paging_step *s, mp_event_fn *fn)
{
    for (unsigned kind = 0; kind < MP_COPY_KINDS; kind++)
        if (s->copied[kind] && !mp_copies_ended(p->p.copies, kind, s->copied[kind])) {
            s->wait = (struct mp_copy_wait){.number = s->copied[kind], .fn = fn, .object = p, .argument = s};
            mp_copies_await(p->p.copies, kind, &s->wait);
            return true;
        }
    return false;
}

/* Lines of the host may have delayed the step's copies since they were launched: then what follows them comes
 * later. */
static bool is_delayed(struct mp_paging *p, struct mp_paging_step *s, const struct mp_host_way *way,
                       mp_event_fn *fn)
{
    const uint64_t more = mp_host_delayed(way, &s->delay);
    if (!more || !mp_uvm_any(&s->copy))
        return has_lines(p, s, fn);
    p->finish = mp_paging_later(p->finish, p->wheel->now + more);
    mp_at(p->wheel, more, fn, p, s);
    return true;
}

/* ---- victims ---- */

static void skip(struct mp_paging *p)
{
    p->at++;
    mp_paging_carry(p, NULL);
}

/* The step's pages that are mapped to the host's memory, and may be so already. */
static void map_remotely(struct mp_paging *p, const struct mp_paging_step *s)
{
    struct mp_space *space = s->range->space;
    uint64_t pa;
    if (!mp_uvm_any(&s->remote))
        return;
    p->maps_host = true;
    MP_UVM_EACH_PAGE (page, &s->remote) {
        const uint64_t va = address(p, s, page);
        const bool read_only = !mp_uvm_has(&s->writable, page);
        if (mp_page_table_find(&space->table, va, &pa))
            mp_space_protect(space, va, read_only);
        else
            mp_space_place(space, va, mp_paging_host_page(p, s->range, s->block, page), p->page_shift,
                           read_only);
    }
    mp_space_placed(space, address(p, s, 0));
    p->moves++;
    stats_of(p, s)->mapped += mp_uvm_count(&s->remote);
}

static void map_victim(void *paging, void *step)
{
    struct mp_paging *p = paging;
    struct mp_paging_step *s = step;
    if (is_delayed(p, s, &p->link->out, map_victim))
        return;
    p->pending--;
    if (s->range->closed)
        return;
    MP_UVM_EACH (i) /* also those whose pin has ended since then */
        block_of(s)->leaving.w[i] &= ~(s->copy.w[i] | s->other.w[i]);
    map_remotely(p, s);
}

/* The entries become valid when the last copy out has ended. */
static void map_victim_at(struct mp_paging *p, struct mp_paging_step *s, uint64_t cycle)
{
    struct mp_paging_block *b = block_of(s);
    if (!mp_uvm_any(&s->remote))
        return;
    p->pending++;
    p->finish = mp_paging_later(p->finish, cycle);
    b->left_at = mp_paging_later(b->left_at, cycle);
    MP_UVM_EACH (i)
        b->leaving.w[i] |= s->remote.w[i];
    mp_at(p->wheel, cycle - p->wheel->now, map_victim, p, s);
}

/* Returns the cycle in which the last copy out has ended, and that in which all are launched. */
static uint64_t copy_out(struct mp_paging *p, struct mp_paging_step *s, uint64_t *launched)
{
    struct mp_paging_stats *stats = stats_of(p, s);
    const struct engine out = {MP_PAGING_COPIED_OUT, MP_COPY_OUT, &p->link->out, &stats->busy_out, 0};
    *launched = p->wheel->now;
    tell(p, s, MP_PAGING_INVALIDATED, p->since_invalidation, p->wheel->now);
    stats->bytes_out += (uint64_t)mp_uvm_count(&s->copy) << p->page_shift;
    p->moves++;
    s->delay = p->link->out.delay;
    return mp_paging_later(run_engine(p, &out, &s->copy, launched, 0), p->wheel->now);
}

/* The frame may be written when the last copy out of it has ended. */
static void write_back(struct mp_paging *p)
{
    struct mp_paging_step *s = step_of(p);
    struct mp_paging_stats *stats = stats_of(p, s);
    uint64_t at;
    tell(p, s, MP_PAGING_VICTIM, p->since_invalidation - mp_paging_cycles(p, p->p.cost.evict), p->wheel->now);
    const uint64_t end = copy_out(p, s, &at);
    const uint32_t back = mp_uvm_count(&s->copy), dropped = mp_uvm_count(&s->other);
    const uint32_t page = mp_uvm_next(back ? &s->copy : &s->other, 0);
    mp_paging_give(p, s->range, s->block * p->per_block + page / p->unit_pages, end, s->copied[MP_COPY_OUT]);
    MP_UVM_EACH (i)
        block_of(s)->left.w[i] |= s->copy.w[i] | s->other.w[i];
    map_victim_at(p, s, end);
    stats->evictions++;
    stats->evicted += back + dropped;
    stats->written_back += back;
    p->at++;
    after(p, MP_PAGING_COPY, at - p->wheel->now, mp_paging_carry);
}

static bool is_on_gpu(const struct mp_paging *p, const struct mp_paging_step *s, uint32_t page)
{
    uint64_t pa;
    return mp_page_table_find(&s->range->space->table, address(p, s, page), &pa) && pa < MP_HOST_MEMORY;
}

static void given(void *paging, void *step)
{
    struct mp_paging *p = paging;
    struct mp_paging_step *s = step;
    if (is_delayed(p, s, &p->link->out, given))
        return;
    if (!s->range->closed)
        map_remotely(p, s);
    mp_paging_carry(p, NULL);
}

/* Units that have no page any more lose their frames. The host waits for the last copy. */
static void give_to_host(struct mp_paging *p)
{
    struct mp_paging_step *s = step_of(p);
    uint64_t at;
    const uint64_t end = copy_out(p, s, &at);
    for (uint32_t unit = 0; unit < p->per_block; unit++) {
        const uint32_t first = unit * p->unit_pages;
        uint32_t page = first;
        while (page < first + p->unit_pages && !is_on_gpu(p, s, page))
            page++;
        if (page == first + p->unit_pages)
            mp_paging_give(p, s->range, s->block * p->per_block + unit, end, s->copied[MP_COPY_OUT]);
    }
    MP_UVM_EACH (i)
        block_of(s)->left.w[i] &= ~s->copy.w[i];
    stats_of(p, s)->host_moved += mp_uvm_count(&s->copy);
    p->at++;
    mp_at(p->wheel, end - p->wheel->now, given, p, s);
}

static void bring(struct mp_paging *p);

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
        after(p, MP_PAGING_INVALIDATION, LOOK_AGAIN, confirm);
    else if (step_of(p)->hosts)
        give_to_host(p);
    else if (step_of(p)->evicts)
        write_back(p);
    else
        bring(p);
}

/* Entries have become invalid in that cycle. */
static void await_invalidation(struct mp_paging *p, uint64_t since)
{
    const uint64_t now = p->wheel->now;
    p->since_invalidation = since;
    after(p, MP_PAGING_INVALIDATION, mp_paging_later(since + p->p.cost.invalidation, now) - now, confirm);
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
    MP_UVM_EACH (i) {
        pages.w[i] = s->copy.w[i] | s->other.w[i];
        block_of(s)->shared.w[i] &= ~pages.w[i];
    }
    first = mp_uvm_next(&pages, 0);
    MP_UVM_EACH_PAGE (page, &pages)
        end = page + 1;
    if (p->maps_host || s->hosts) /* other pages between them stay mapped */
        for (uint32_t page = 0, n; (n = next_run(&pages, &page)); page += n)
            mp_space_remove(s->range->space, address(p, s, page), (uint64_t)n << p->page_shift);
    else
        mp_space_remove(s->range->space, address(p, s, first), (uint64_t)(end - first) << p->page_shift);
    block_of(s)->resident -= tell(p, s, MP_PAGING_UNMAPPED, p->wheel->now, p->wheel->now);
    await_invalidation(p, p->wheel->now);
}

/* ---- services ---- */

/* Lines may have delayed the copy out of a frame, which does not end after all of its direction. */
static uint64_t free_from(const struct mp_paging *p, const struct mp_paging_frame *f)
{
    const struct mp_host_way *out = &p->link->out;
    const uint64_t copies = (out->copies + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE,
                   delayed = f->free_at + (out->delay - f->delay + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE;
    return mp_paging_later(f->free_at, delayed < copies ? delayed : copies);
}

/* Gives frames to units that get pages and have none. Returns the cycle from which all may be written. */
static uint64_t take_frames(struct mp_paging *p, const struct mp_paging_step *s)
{
    uint64_t from = 0;
    for (uint32_t unit = 0; unit < p->per_block; unit++) {
        const uint32_t first = unit * p->unit_pages, end = first + p->unit_pages;
        const uint32_t number = s->block * p->per_block + unit;
        if (!mp_uvm_any_in(&s->copy, first, end) && !mp_uvm_any_in(&s->other, first, end))
            continue;
        mp_paging_take(p, s->range, number);
        from = mp_paging_later(from, free_from(p, &p->frame[s->range->frame[number] - 1]));
    }
    return from;
}

/* The entries become valid. */
static void map(void *paging, void *step)
{
    struct mp_paging *p = paging;
    struct mp_paging_step *s = step;
    struct mp_uvm_mask pages;
    if (is_delayed(p, s, &p->link->in, map))
        return;
    p->pending--;
    block_of(s)->pending--;
    p->moves++;
    MP_UVM_EACH (i)
        pages.w[i] = s->copy.w[i] | s->other.w[i];
    MP_UVM_EACH_PAGE (page, &pages) {
        const uint32_t frame = s->range->frame[s->block * p->per_block + page / p->unit_pages];
        if (!s->range->closed)
            mp_space_place(s->range->space, address(p, s, page),
                           p->frame[frame - 1].pa + ((uint64_t)(page % p->unit_pages) << p->page_shift),
                           p->page_shift, !mp_uvm_has(&s->writable, page));
    }
    if (!s->range->closed)
        mp_space_placed(s->range->space, address(p, s, 0));
    if (!s->range->closed)
        block_of(s)->resident += tell(p, s, MP_PAGING_MAPPED, p->wheel->now, p->wheel->now);
}

/* Entries become valid in the order of events of a cycle, so a wait for them may take a cycle more. */
static uint64_t until(const struct mp_paging *p, uint64_t cycle)
{
    return cycle > p->wheel->now ? cycle - p->wheel->now : 1;
}

static void replay(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    if (p->pending) { /* its event is later in this cycle */
        after(p, MP_PAGING_COPY, until(p, p->finish), replay);
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
    return mp_paging_cycles(p, p->p.cost.block + s->faulted * p->p.cost.page + s->noticed * p->p.cost.notice);
}

/* Takes entries from pages that were remote and now come. Returns whether there were any. */
static bool leave_host(struct mp_paging *p, const struct mp_paging_step *s)
{
    struct mp_space *space = s->range->space;
    struct mp_uvm_mask mapped = {{0}};
    uint64_t pa;
    if (!p->maps_host)
        return false;
    MP_UVM_EACH_PAGE (page, &s->copy)
        if (mp_page_table_find(&space->table, address(p, s, page), &pa))
            mp_uvm_add(&mapped, page);
    for (uint32_t page = 0, pages; (pages = next_run(&mapped, &page)); page += pages)
        mp_space_remove(space, address(p, s, page), (uint64_t)pages << p->page_shift);
    return mp_uvm_any(&mapped);
}

/* Pages that were mapped and to which stores faulted. */
static void allow_stores(struct mp_paging *p, const struct mp_paging_step *s)
{
    MP_UVM_EACH_PAGE (page, &s->done)
        if (mp_uvm_has(&s->writable, page))
            mp_space_protect(s->range->space, address(p, s, page), false);
}

static void serve(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    const struct mp_paging_step *s = step_of(p);
    (void)unused;
    if (s->range->closed) {
        skip(p);
        return;
    }
    const uint64_t since = leave_host(p, s) ? p->wheel->now : block_of(s)->unpinned_at;
    if (!since || !mp_uvm_any(&s->copy)) {
        bring(p);
        return;
    }
    block_of(s)->unpinned_at = 0;
    await_invalidation(p, since);
}

static void bring(struct mp_paging *p)
{
    struct mp_paging_step *s = step_of(p);
    struct mp_paging_stats *stats = stats_of(p, s);
    struct mp_paging_block *b = block_of(s);
    uint64_t at = p->wheel->now, zeroing = 0;
    const struct engine in = {MP_PAGING_COPIED_IN, MP_COPY_IN, &p->link->in, &stats->busy_in, 0};
    const struct engine zero = {
        MP_PAGING_ZEROED, MP_COPY_ZERO, NULL, &zeroing,
        mp_paging_cycles(p, (p->p.uvm.page_bytes + p->p.cost.zero_gbps - 1) / p->p.cost.zero_gbps)};
    const uint64_t from = take_frames(p, s);
    s->delay = p->link->in.delay;
    const uint64_t copied = run_engine(p, &in, &s->copy, &at, from);
    const uint64_t zeroed = run_engine(p, &zero, &s->other, &at, from);
    /* a batch of notices may serve a block more than once */
    b->ready = mp_paging_later(b->ready, mp_paging_later(at, mp_paging_later(copied, zeroed)));
    b->pending++;
    p->pending++;
    p->finish = mp_paging_later(p->finish, b->ready);
    count(p, s);
    tell(p, s, MP_PAGING_SERVICE, p->since_service, b->ready);
    map_remotely(p, s);
    allow_stores(p, s);
    mp_at(p->wheel, b->ready - p->wheel->now, map, p, s);
    p->at++;
    if (p->p.uvm.replay == MP_UVM_REPLAY_BLOCK) {
        mp_paging_spend(p, MP_PAGING_COPY, b->ready - p->wheel->now);
        mp_paging_spend(p, MP_PAGING_REPLAY, mp_paging_cycles(p, p->p.cost.replay));
        mp_at(p->wheel, b->ready + mp_paging_cycles(p, p->p.cost.replay) - p->wheel->now, replay, p, NULL);
    } else {
        after(p, MP_PAGING_COPY, at - p->wheel->now, mp_paging_carry);
    }
}

/* ---- one step after the other ---- */

/* The cycle until which the step's block has entries that are not valid yet, of pages that leave with the
 * step; 0: there are none. */
static uint64_t waits_for(const struct mp_paging_step *s)
{
    const struct mp_paging_block *b = block_of(s);
    bool leaving = false;
    MP_UVM_EACH (i)
        leaving |= b->leaving.w[i] & (s->copy.w[i] | s->remote.w[i] | s->done.w[i]);
    if (leaving)
        return b->left_at;
    return s->evicts && b->pending ? b->ready : 0; /* the batch has served it, and takes it back */
}

void mp_paging_carry(void *paging, void *unused)
{
    struct mp_paging *p = paging;
    (void)unused;
    while (p->at < p->steps && step_of(p)->range->closed)
        p->at++;
    if (p->at == p->steps && p->pending) {
        after(p, MP_PAGING_COPY, until(p, p->finish), mp_paging_carry);
    } else if (p->at == p->steps) {
        mp_paging_served(p);
    } else if (waits_for(step_of(p))) {
        after(p, MP_PAGING_COPY, until(p, waits_for(step_of(p))), mp_paging_carry);
    } else if (!step_of(p)->evicts) {
        const uint64_t takes = service_cycles(p, step_of(p)), block = mp_paging_cycles(p, p->p.cost.block);
        mp_paging_spend(p, MP_PAGING_BLOCK, block);
        mp_paging_spend(p, MP_PAGING_PAGE, takes - block);
        p->since_service = p->wheel->now;
        mp_at(p->wheel, takes, serve, p, NULL);
    } else {
        const uint64_t takes = step_of(p)->hosts ? p->p.cost.host + p->p.cost.block : p->p.cost.evict;
        after(p, MP_PAGING_EVICT, mp_paging_cycles(p, takes), unmap);
    }
}
