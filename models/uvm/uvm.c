/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters, and the layout of the state. */
#include "uvm/state.h"

#include <inttypes.h>

/* ---- what is allowed ---- */

#define OF(member) offsetof(struct mp_uvm_params, member)

static const struct limit {
    const char *name;
    size_t offset;
    uint32_t least, most;
} limits[] = {
    {"chunks", OF(chunks), 1, 65536},
    {"batch", OF(batch), 1, 4096},
    {"entries", OF(entries), 1, 1u << 20},
    {"threshold", OF(threshold), 1, 100},
    {"min_faults", OF(min_faults), 1, 20},
    {"counter", OF(counter), 1, UINT16_MAX},
    {"penalty", OF(penalty), 1, 64},
    {"events", OF(events), 1, 7},
    {"throttles", OF(throttles), 1, 255},
    {"nap", OF(nap), 1, 100},
    {"epoch", OF(epoch), 0, 1000000},
    {"pin", OF(pin), 0, 1000000},
    {"resets", OF(resets), 0, 255},
    {"ranges", OF(ranges), 1, 1u << 20},
    {"blocks", OF(blocks), 1, 1u << 20},
    {"sms", OF(sms), 1, 1u << 16},
    {"thrash", OF(thrash), 1, UINT16_MAX - 1},
};

#define MOST_LAPSE UINT64_C(1000000000000) /* ns */

int mp_uvm_check(const struct mp_uvm_params *p, struct mp_error *err)
{
    for (const struct limit *l = limits; l < limits + sizeof limits / sizeof *limits; l++) {
        const uint32_t value = *(const uint32_t *)((const char *)p + l->offset);
        if (value < l->least || value > l->most)
            return mp_fail(err, "%s: %" PRIu32 " is out of range; %" PRIu32 " to %" PRIu32, l->name, value,
                           l->least, l->most);
    }
    if (p->page_bytes != 4096 && p->page_bytes != 65536)
        return mp_fail(err, "page: %" PRIu32 " is not a page size of managed memory; 4096 or 65536",
                       p->page_bytes);
    if (p->granule_bytes != MP_UVM_BIG_BYTES && p->granule_bytes != MP_UVM_BLOCK_BYTES)
        return mp_fail(err, "granule: %" PRIu32 " is not a granule; 65536 or 2097152", p->granule_bytes);
    if (!p->lapse || p->lapse > MOST_LAPSE)
        return mp_fail(err, "lapse: %" PRIu64 " is out of range; 1 to %" PRIu64, p->lapse, MOST_LAPSE);
    if (!p->seed)
        return mp_fail(err, "seed: 0 is out of range; 1 to %" PRIu64, UINT64_MAX);
    return 0;
}

/* ---- layout ---- */

#define ALIGN 64u

/* Where the next part of the state is. `base` is NULL while bytes are only counted. */
static void *part(char *base, size_t *at, size_t n, size_t bytes)
{
    void *p = base ? base + *at : NULL;
    *at += (n * bytes + ALIGN - 1) / ALIGN * ALIGN;
    return p;
}

static uint32_t unit_bytes(const struct mp_uvm_params *p)
{
    return p->evict->unit > p->page_bytes ? p->evict->unit : p->page_bytes;
}

/* Places all parts behind *u, which is at `base`; returns the bytes of the whole. */
static size_t lay_out(struct mp_uvm *u, char *base, const struct mp_uvm_params *p)
{
    const size_t units =
        (size_t)p->blocks * (MP_UVM_BLOCK_BYTES / unit_bytes(p)) + MP_UVM_LISTS * MP_UVM_SPACES;
    size_t at = 0;
    (void)part(base, &at, 1, sizeof *u);
    u->pool.block = part(base, &at, p->blocks, sizeof *u->pool.block);
    u->pool.unit = part(base, &at, units, sizeof *u->pool.unit);
    u->pool.range = part(base, &at, p->ranges, sizeof *u->pool.range);
    u->pool.own = part(base, &at, 1, p->evict->bytes ? p->evict->bytes(p->blocks) : 0);
    u->gap = part(base, &at, (size_t)p->ranges + 1, sizeof *u->gap);
    u->entry = part(base, &at, p->entries, sizeof *u->entry);
    u->notice = part(base, &at, p->entries, sizeof *u->notice);
    u->faulted = part(base, &at, p->batch, sizeof *u->faulted);
    u->key = part(base, &at, p->batch, sizeof *u->key);
    u->sorted = part(base, &at, p->batch, sizeof *u->sorted);
    u->last_of_sm = part(base, &at, p->sms, sizeof *u->last_of_sm);
    u->track = part(base, &at, (size_t)p->thrash + 1, sizeof *u->track);
    return at;
}

size_t mp_uvm_bytes(const struct mp_uvm_params *p)
{
    struct mp_uvm u;
    return lay_out(&u, NULL, p);
}

struct mp_uvm *mp_uvm_init(void *state, const struct mp_uvm_params *p)
{
    struct mp_uvm *u = state;
    struct mp_uvm_pool *pool = &u->pool;
    lay_out(u, state, p);
    u->p = *p;
    u->pages = (uint32_t)(MP_UVM_BLOCK_BYTES / p->page_bytes);
    u->big = MP_UVM_BIG_BYTES / p->page_bytes;
    pool->design = p->evict;
    pool->blocks = p->blocks;
    pool->page_shift = (uint32_t)__builtin_ctz(p->page_bytes);
    pool->per_block = (uint32_t)(MP_UVM_BLOCK_BYTES / unit_bytes(p));
    pool->unit_pages = unit_bytes(p) / p->page_bytes;
    pool->units = p->chunks * pool->per_block;
    pool->draw = p->seed;
    for (uint32_t i = mp_uvm_head(pool, 0, 0); i < mp_uvm_head(pool, MP_UVM_LISTS, 0); i++)
        pool->unit[i].prev = pool->unit[i].next = i;
    if (p->evict->init)
        p->evict->init(pool->own, p->blocks);
    u->gap[u->gaps++] = (struct mp_uvm_gap){0, p->blocks};
    mp_uvm_track_init(u);
    return u;
}

struct mp_uvm_prefetcher mp_uvm_stand_in(struct mp_uvm *u, struct mp_uvm_prefetcher tree)
{
    const struct mp_uvm_prefetcher before = u->tree;
    u->tree = tree;
    return before;
}

uint64_t mp_uvm_untracked(const struct mp_uvm *u)
{
    return u->untracked;
}
