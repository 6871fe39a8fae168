/* SPDX-License-Identifier: Apache-2.0 */
/* The fault buffer and its batches (the driver's uvm_gpu_replayable_faults.c, fetch_fault_buffer_entries). */
#include "uvm/serve.h"

#include <string.h>

uint32_t mp_uvm_fault(struct mp_uvm *u, uint32_t sm, uint8_t asid, uint64_t va, enum mp_uvm_access access)
{
    if (u->entries == u->p.entries)
        return 0;
    u->entry[(u->get + u->entries) % u->p.entries] =
        (struct mp_uvm_entry){mp_uvm_page(u, va), sm, asid, (uint8_t)access};
    return ++u->entries;
}

/* ---- fetching ---- */

static bool same_page(const struct mp_uvm_entry *a, const struct mp_uvm_entry *b)
{
    return a->page == b->page && a->asid == b->asid;
}

static struct mp_uvm_entry *entry_at(const struct mp_uvm *u, uint32_t i)
{
    return &u->entry[(u->get + i) % u->p.entries];
}

/* The number of entries that join one before them: the last of their SM, or the last of all. An entry that
 * another joins has the higher access of the two from then on. */
static uint32_t merge(struct mp_uvm *u, uint32_t entries)
{
    uint32_t merged = 0, last = 0;
    for (uint32_t i = 0; i < entries; i++) {
        const struct mp_uvm_entry *e = entry_at(u, i);
        const uint32_t own = u->last_of_sm[e->sm];
        struct mp_uvm_entry *of_sm = own ? entry_at(u, own - 1) : NULL;
        if (of_sm && same_page(of_sm, e)) {
            of_sm->access = of_sm->access > e->access ? of_sm->access : e->access;
            merged++;
        } else if (last && same_page(entry_at(u, last - 1), e) &&
                   e->access <= entry_at(u, last - 1)->access) {
            merged++;
        } else {
            last = u->last_of_sm[e->sm] = i + 1;
        }
    }
    for (uint32_t i = 0; i < entries; i++)
        u->last_of_sm[entry_at(u, i)->sm] = 0;
    return merged;
}

/* A page of an entry as a number, in the order of service. From the lowest bit on: whether the entry is a
 * load, its access, the page, the address space. */
enum { KEY_ACCESS = 1, KEY_PAGE = 3, KEY_SPACE = 55 };

static uint64_t key_of(const struct mp_uvm_entry *e)
{
    return (uint64_t)e->asid << KEY_SPACE | e->page << KEY_PAGE | (uint64_t)e->access << KEY_ACCESS |
           (e->access == MP_UVM_READ);
}

static struct mp_uvm_faulted faulted_of(uint64_t key)
{
    return (struct mp_uvm_faulted){.page = (key & ((UINT64_C(1) << KEY_SPACE) - 1)) >> KEY_PAGE,
                                   .asid = (uint8_t)(key >> KEY_SPACE),
                                   .access = key >> KEY_ACCESS & 3,
                                   .load = key & 1};
}

/* Merges [first, middle) and [middle, end), which are sorted. */
static void merge_runs(uint64_t *to, const uint64_t *from, uint32_t first, uint32_t middle, uint32_t end)
{
    const uint64_t *a = from + first, *b = from + middle;
    const uint64_t *const a_end = b, *const b_end = from + end;
    for (to += first; a < a_end && b < b_end;)
        *to++ = *a <= *b ? *a++ : *b++;
    while (a < a_end)
        *to++ = *a++;
    while (b < b_end)
        *to++ = *b++;
}

/* Sorts u->key by merging runs of 1, 2, 4, ... */
static void sort(struct mp_uvm *u, uint32_t n)
{
    for (uint32_t run = 1; run < n; run *= 2) {
        for (uint32_t first = 0; first < n; first += 2 * run) {
            const uint32_t middle = first + run < n ? first + run : n,
                           end = middle + run < n ? middle + run : n;
            merge_runs(u->sorted, u->key, first, middle, end);
        }
        uint64_t *sorted = u->sorted;
        u->sorted = u->key;
        u->key = sorted;
    }
}

/* Makes the pages of the first entries, in the order of service; returns their number. */
static uint32_t gather(struct mp_uvm *u, uint32_t entries)
{
    uint32_t n = 0, keys = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < entries; i++) {
        const uint64_t key = key_of(entry_at(u, i));
        if (keys && key == u->key[keys - 1])
            continue;
        sorted &= !keys || key > u->key[keys - 1];
        u->key[keys++] = key;
    }
    if (!sorted)
        sort(u, keys);
    for (uint32_t i = 0; i < keys; i++) {
        struct mp_uvm_faulted *page = &u->faulted[n ? n - 1 : 0];
        const bool same = i && u->key[i] >> KEY_PAGE == u->key[i - 1] >> KEY_PAGE;
        if (!same) {
            u->faulted[n++] = faulted_of(u->key[i]);
            continue;
        }
        const struct mp_uvm_faulted f = faulted_of(u->key[i]);
        page->access = page->access > f.access ? page->access : f.access;
        page->load |= f.load;
    }
    return n;
}

/* ---- serving ---- */

static bool is_in(const struct mp_uvm *u, uint32_t block, const struct mp_uvm_faulted *f)
{
    const struct mp_uvm_block *b = &u->pool.block[block];
    const uint32_t index = (uint32_t)(f->page % u->pages);
    return f->asid == b->asid && f->page / u->pages == b->number && index >= b->first && index < b->end;
}

/* Serves a batch of n pages; returns the number of blocks that were reported. */
static uint32_t serve(struct mp_uvm *u, uint32_t n, const struct mp_uvm_report *report)
{
    const struct mp_uvm_faulted *refused = NULL; /* the first of the last 2 MB with pages of no range */
    uint32_t blocks = 0, index;
    for (uint32_t i = 0, next; i < n; i = next) {
        const struct mp_uvm_faulted *f = &u->faulted[i];
        const uint32_t block = mp_uvm_find(u, f->asid, f->page, &index);
        next = i + 1;
        if (block != MP_UVM_NONE) {
            while (next < n && is_in(u, block, &u->faulted[next]))
                next++;
            mp_uvm_serve_block(u, block, f, next - i, report);
        } else if (!refused || refused->asid != f->asid || refused->page / u->pages != f->page / u->pages) {
            mp_uvm_refuse(u, f, n - i, report);
            refused = f;
        } else {
            continue;
        }
        blocks++;
    }
    return blocks;
}

struct mp_uvm_batch mp_uvm_serve(struct mp_uvm *u, const struct mp_uvm_report *report)
{
    struct mp_uvm_batch batch = {.entries = u->entries < u->p.batch ? u->entries : u->p.batch};
    if (!batch.entries)
        return batch;
    const uint32_t pages = gather(u, batch.entries);
    batch.merged = merge(u, batch.entries);
    batch.duplicates = batch.entries - pages;
    const uint32_t blocks = serve(u, pages, report);
    u->get = (u->get + batch.entries) % u->p.entries;
    u->entries -= batch.entries;
    if (u->p.replay == MP_UVM_REPLAY_BATCH_FLUSH) {
        batch.dropped = u->entries;
        u->entries = 0;
    }
    batch.left = u->entries;
    batch.replays = u->p.replay == MP_UVM_REPLAY_BLOCK  ? blocks
                    : u->p.replay == MP_UVM_REPLAY_ONCE ? !batch.left
                                                        : 1;
    return batch;
}
