/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A page at random, of those that may leave, ordered by space and address. For each range a binary indexed
 * tree counts the loaded pages: place i has the sum of the last (i & -i) blocks up to the i-th.
 */
#include "uvm/pool.h"

static size_t bytes(uint32_t blocks)
{
    return (size_t)blocks * sizeof(uint32_t);
}

static void change(struct mp_uvm_pool *p, uint32_t unit, uint32_t by)
{
    const uint32_t block = mp_uvm_block_of(p, unit);
    const struct mp_uvm_range *r = mp_uvm_range_of(p, block);
    uint32_t *sum = (uint32_t *)p->own + r->first;
    for (uint32_t i = block - r->first + 1; i <= r->blocks; i += i & -i)
        sum[i - 1] += by;
}

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    change(p, unit, 1);
}

static void emptied(struct mp_uvm_pool *p, uint32_t unit)
{
    change(p, unit, UINT32_MAX);
}

/* Pages of the range's first n blocks. */
static uint32_t before(const struct mp_uvm_pool *p, const struct mp_uvm_range *r, uint32_t n)
{
    const uint32_t *sum = (const uint32_t *)p->own + r->first;
    uint32_t pages = 0;
    for (; n; n &= n - 1)
        pages += sum[n - 1];
    return pages;
}

/* The range's k-th page, from 0. */
static uint32_t find(const struct mp_uvm_pool *p, const struct mp_uvm_range *r, uint32_t k)
{
    const uint32_t *sum = (const uint32_t *)p->own + r->first;
    uint32_t n = 0; /* blocks before it */
    for (uint32_t step = UINT32_C(1) << 31; step; step /= 2)
        if (step <= r->blocks - n && sum[n + step - 1] <= k) {
            n += step;
            k -= sum[n - 1];
        }
    uint32_t page = mp_uvm_next(&p->block[r->first + n].gpu, 0);
    while (k--)
        page = mp_uvm_next(&p->block[r->first + n].gpu, page + 1);
    return mp_uvm_unit_of(p, r->first + n, page);
}

/* Pages before those of the block that is served, and theirs. */
struct kept {
    uint32_t before, pages;
};

static uint32_t count(const struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted, struct kept *kept)
{
    uint32_t all = 0;
    for (const struct mp_uvm_range *r = p->range; r < p->range + p->ranges; r++) {
        const uint32_t at = wanted->block - r->first;
        if (!(wanted->spaces >> r->asid & 1))
            continue;
        if (at < r->blocks) {
            kept->before = all + before(p, r, at);
            kept->pages = before(p, r, at + 1) - before(p, r, at);
        }
        all += before(p, r, r->blocks);
    }
    return all - kept->pages;
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    struct kept kept = {0, 0};
    uint32_t k = mp_uvm_draw(&p->draw, count(p, wanted, &kept));
    if (k >= kept.before)
        k += kept.pages;
    for (const struct mp_uvm_range *r = p->range;; r++) {
        if (!(wanted->spaces >> r->asid & 1))
            continue;
        const uint32_t all = before(p, r, r->blocks);
        if (k < all) {
            victim[0] = find(p, r, k);
            return 1;
        }
        k -= all;
    }
}

const struct mp_uvm_evict mp_uvm_evict_random = {
    .design = {.name = "random", .title = "a page at random"},
    .bytes = bytes,
    .loaded = loaded,
    .emptied = emptied,
    .victims = victims,
};
