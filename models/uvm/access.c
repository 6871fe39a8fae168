/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the GPU to what is mapped, with the counters of remote ones, and accesses of the host. */
#include "uvm/state.h"

/* ---- of the GPU ---- */

/* The bits of the big pages of a granule. */
static uint32_t bigs_of(const struct mp_uvm *u, uint32_t granule)
{
    return u->p.granule_bytes == MP_UVM_BIG_BYTES ? UINT32_C(1) << granule : UINT32_MAX;
}

/* n accesses of these big pages of a granule, at least one. */
static struct mp_uvm_hit count_remote(struct mp_uvm *u, uint32_t block, uint32_t bigs, uint32_t n)
{
    struct mp_uvm_hit hit = {.what = MP_UVM_REMOTE};
    struct mp_uvm_block *b = &u->pool.block[block];
    const uint32_t big = (uint32_t)__builtin_ctz(bigs),
                   granule = u->p.granule_bytes == MP_UVM_BIG_BYTES ? big : 0;
    const struct mp_uvm_pressure pressure = mp_uvm_pressure(u, b, big * u->big);
    const uint32_t threshold = u->p.migrate->threshold ? u->p.migrate->threshold(&pressure) : 0;
    if (!threshold)
        return hit;
    const uint32_t count = b->count[granule] + n;
    b->count[granule] = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
    b->met |= bigs & bigs_of(u, granule);
    hit.count = b->count[granule];
    hit.notice = !(b->noticed >> granule & 1) && hit.count >= threshold && u->notices < u->p.entries;
    if (hit.notice) {
        b->noticed |= UINT32_C(1) << granule;
        u->notice[(u->notice_get + u->notices++) % u->p.entries] = (struct mp_uvm_notice){
            b->number * u->pages + b->first, b->met & bigs_of(u, granule), b->asid, (uint8_t)granule};
    }
    return hit;
}

static struct mp_uvm_hit hit_page(struct mp_uvm *u, uint32_t block, uint32_t page, bool store)
{
    struct mp_uvm_mask dirty = u->pool.block[block].dirty;
    if (store && u->p.write_back_dirty && !mp_uvm_has(&dirty, page)) /* is mapped read only */
        return (struct mp_uvm_hit){.what = MP_UVM_FAULTS};
    if (store) {
        mp_uvm_add(&dirty, page);
        mp_uvm_dirty(&u->pool, block, &dirty);
    }
    mp_uvm_touch(&u->pool, mp_uvm_unit_of(&u->pool, block, page), true);
    return (struct mp_uvm_hit){.what = MP_UVM_HITS};
}

struct mp_uvm_hit mp_uvm_gpu(struct mp_uvm *u, uint8_t asid, uint64_t va, enum mp_uvm_access access)
{
    const struct mp_uvm_hit faults = {.what = MP_UVM_FAULTS};
    const bool store = access >= MP_UVM_WRITE;
    uint32_t page;
    const uint32_t block = mp_uvm_find(u, asid, mp_uvm_page(u, va), &page);
    const struct mp_uvm_block *b = &u->pool.block[block];
    if (block == MP_UVM_NONE || (store && b->read_only))
        return faults;
    if (mp_uvm_has(&b->gpu, page))
        return hit_page(u, block, page, store);
    return mp_uvm_maps_remotely(u, b, page, store) ? count_remote(u, block, UINT32_C(1) << page / u->big, 1)
                                                   : faults;
}

struct mp_uvm_mapped mp_uvm_mapped(const struct mp_uvm *u, uint8_t asid, uint64_t va)
{
    struct mp_uvm_mapped m = {{{0}}, {{0}}};
    uint32_t page;
    const uint32_t block = mp_uvm_find(u, asid, mp_uvm_page(u, va), &page);
    if (block == MP_UVM_NONE)
        return m;
    const struct mp_uvm_block *b = &u->pool.block[block];
    const struct mp_uvm_mask pinned = mp_uvm_pinned(u, b);
    m.remote = b->remote;
    MP_UVM_EACH (i) {
        const uint64_t gpu = u->p.write_back_dirty ? b->gpu.w[i] & b->dirty.w[i] : b->gpu.w[i];
        const uint64_t remote = u->p.migrate->threshold ? b->remote.w[i] & pinned.w[i] : b->remote.w[i];
        m.writable.w[i] = b->read_only ? 0 : gpu | remote;
    }
    return m;
}

struct mp_uvm_hit mp_uvm_counted(struct mp_uvm *u, uint8_t asid, uint64_t va, uint32_t bigs, uint32_t n)
{
    uint32_t page;
    const uint32_t block = mp_uvm_find(u, asid, mp_uvm_page(u, va), &page);
    return block == MP_UVM_NONE || !bigs || !n ? (struct mp_uvm_hit){.what = MP_UVM_FAULTS}
                                               : count_remote(u, block, bigs, n);
}

/* ---- notices of counters ---- */

/* Serves a notice of this block, or of one that is now in its place. */
static void serve_notice(struct mp_uvm *u, uint32_t block, const struct mp_uvm_notice *n,
                         const struct mp_uvm_report *report)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    const struct mp_uvm_mask pinned = mp_uvm_pinned(u, b);
    struct mp_uvm_mask noted = {{0}};
    struct mp_uvm_service s;
    b->count[n->granule] = 0;
    b->met &= ~bigs_of(u, n->granule);
    b->noticed &= ~(UINT32_C(1) << n->granule);
    for (uint32_t i = 0; i < MP_UVM_LEAVES; i++)
        if (n->bigs >> i & 1)
            mp_uvm_add_all(&noted, i * u->big, (i + 1) * u->big);
    mp_uvm_name(b, &s);
    MP_UVM_EACH (i)
        s.fault.w[i] = noted.w[i] & b->host.w[i] & ~b->gpu.w[i] & ~pinned.w[i];
    mp_uvm_bring(u, block, &s, report);
    report->served(report->context, &s);
}

struct mp_uvm_noticed mp_uvm_notices(struct mp_uvm *u, const struct mp_uvm_report *report)
{
    struct mp_uvm_noticed done = {0};
    uint32_t index;
    for (; u->notices && done.notices < MP_UVM_NOTICES; done.notices++) {
        const struct mp_uvm_notice n = u->notice[u->notice_get];
        const uint32_t block = mp_uvm_find(u, n.asid, n.page, &index);
        u->notice_get = (u->notice_get + 1) % u->p.entries;
        u->notices--;
        if (block != MP_UVM_NONE)
            serve_notice(u, block, &n, report);
    }
    done.left = u->notices;
    return done;
}

/* ---- of the host ---- */

/* Moves a page to the host, with those that come along. */
static void move(struct mp_uvm *u, uint32_t block, uint32_t page, struct mp_uvm_moved *moved)
{
    struct mp_uvm_block *b = &u->pool.block[block];
    struct mp_uvm_mask asked = {{0}}, along = {{0}}, dirty;
    mp_uvm_add(&asked, page);
    mp_uvm_along(u, block, MP_UVM_BY_HOST, &asked, &along);
    MP_UVM_EACH (i) {
        moved->pages.w[i] = asked.w[i] | along.w[i];
        moved->copied.w[i] = moved->pages.w[i] & b->gpu.w[i];
        dirty.w[i] = b->dirty.w[i] & ~moved->copied.w[i];
        b->gpu.w[i] &= ~moved->copied.w[i];
        b->host.w[i] |= moved->pages.w[i];
    }
    if (moved->pinned)
        mp_uvm_add(&b->remote, page);
    mp_uvm_unload(&u->pool, block, &moved->copied);
    mp_uvm_dirty(&u->pool, block, &dirty);
    mp_uvm_copied(u, block, &moved->copied, MP_UVM_BY_HOST);
}

struct mp_uvm_moved mp_uvm_host(struct mp_uvm *u, uint8_t asid, uint64_t va, enum mp_uvm_access access)
{
    struct mp_uvm_moved moved = {.what = MP_UVM_REFUSED};
    uint32_t page;
    (void)access; /* a page has one place, so loads move it, too */
    const uint32_t block = mp_uvm_find(u, asid, mp_uvm_page(u, va), &page);
    struct mp_uvm_block *b = &u->pool.block[block];
    if (block == MP_UVM_NONE)
        return moved;
    if (!mp_uvm_has(&b->gpu, page)) {
        moved.what = mp_uvm_has(&b->host, page) ? MP_UVM_HOST : MP_UVM_ZEROED;
        mp_uvm_add(&b->host, page);
        return moved;
    }
    const struct mp_uvm_answer answer = mp_uvm_ask(u, block, page, MP_UVM_BY_HOST);
    moved.what = answer.held ? MP_UVM_HELD : answer.pin == MP_UVM_BY_GPU ? MP_UVM_MAPPED : MP_UVM_MOVED;
    moved.end = answer.end;
    moved.pinned = answer.pin == MP_UVM_BY_HOST;
    if (moved.what == MP_UVM_MOVED)
        move(u, block, page, &moved);
    return moved;
}
