/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job's pages move to other frames while it runs, on a machine whose walks use contiguity bits. After each
 * change the bits are those of Algorithm 1, found again here page by page; no page loses its contents.
 *
 * HOW: 0 moves nothing; 1 moves; 2 lies: sets all bits of a frame although one of its pages has moved;
 * 3 forgets to invalidate. The last two are for `--check`, which must find them.
 */
#include <inttypes.h>

#include "boot.h"
#include "check.h"
#include "counters.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

enum { STILL, MOVE, LIE, FORGET };

#define PAGE  4096ull
#define FRAME 2097152ull

static struct {
    uint64_t va, end;
} part[64]; /* what is mapped, ascending */
static unsigned parts;

static uint64_t random_number(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return state >> 33;
}

static uint64_t pa_of(uint64_t va)
{
    struct gmmu_walk w;
    CHECK(gmmu_walk(0, va, &w) == FW_OK && w.mapped);
    return w.pa;
}

/* Buffers may share a page. */
static void map_buffers(void)
{
    struct mp_mgmt_memory b;
    uint64_t end = 0;
    for (unsigned i = 0; gpu_buffer(0, i, &b); i++) {
        uint64_t va = b.base & -PAGE;
        va = va < end && end <= b.base + b.bytes ? end : va;
        end = (b.base + b.bytes + PAGE - 1) & -PAGE;
        if (va == end)
            continue;
        CHECK(parts < sizeof part / sizeof *part && gmmu_map(0, va, end - va) == FW_OK);
        part[parts].va = va;
        part[parts++].end = end;
    }
}

/* Every page has its address in its memory. */
static void stamp(bool check)
{
    for (unsigned i = 0; i < parts; i++)
        for (uint64_t va = part[i].va; va < part[i].end; va += PAGE)
            if (check)
                CHECK(gmem_read64(pa_of(va) + 8) == va);
            else
                gmem_write64(pa_of(va) + 8, va);
}

static uint64_t entry_of(uint64_t va, unsigned level, uint64_t *at)
{
    struct gmmu_walk w;
    CHECK(gmmu_walk(0, va, &w) == FW_OK);
    *at = w.at[level];
    return w.levels > level ? w.entry[level] : 0;
}

static void check_bits(uint64_t va)
{
    uint64_t at, bits = 0, head = 0, before = 0, frame = va & -FRAME;
    uint64_t entry = entry_of(va, MP_CONTIGUITY_LEVEL, &at);
    bool whole = true;
    for (unsigned i = 0; i < 512; i++) {
        uint64_t leaf = entry_of(frame + i * PAGE, 3, &at), r = i / 64;
        bool follows = leaf & MP_PTE_VALID && leaf == before + PAGE;
        if (i % 64 == 0 && leaf & MP_PTE_VALID)
            bits |= 1ull << r;
        if (i % 64 && !follows)
            bits &= ~(1ull << r);
        whole &= follows || (i == 0 && leaf & MP_PTE_VALID);
        before = leaf;
        head = i ? head : leaf;
    }
    bits |= whole ? 0x100 : 0;
    CHECK((entry >> MP_PTE_CONTIGUOUS_SHIFT & 0x1ff) == bits);
}

static void lie(uint64_t va)
{
    const struct mp_mgmt_invalidation page = {.scope = MP_MGMT_PAGE, .walk_cache = true, .va = va};
    uint64_t at, entry = entry_of(va, MP_CONTIGUITY_LEVEL, &at);
    gmem_write64(at, entry | MP_PTE_CONTIGUITY);
    CHECK(gpu_invalidate(&page, NULL) == FW_OK);
}

/* The page gets the frame of another page, which has the same contents as far as the GPU knows. */
static void forget(uint64_t va, uint64_t other)
{
    uint64_t at, leaf = entry_of(other, 3, &at);
    entry_of(va, 3, &at);
    gmem_write64(at, leaf);
}

static uint64_t some_page(void)
{
    unsigned i = random_number() % parts;
    return part[i].va + random_number() % ((part[i].end - part[i].va) / PAGE) * PAGE;
}

/* One page, or the subregion around it as far as it is mapped. */
static unsigned move(void)
{
    uint64_t va = some_page(), first = va & -(64 * PAGE);
    unsigned moved = 0;
    if (random_number() % 4)
        return gmmu_remap(0, va, PAGE) == FW_OK;
    for (uint64_t at = first; at < first + 64 * PAGE; at += PAGE)
        moved += gmmu_remap(0, at, PAGE) == FW_OK;
    check_bits(va);
    return moved;
}

static void change(unsigned *moved)
{
    uint64_t va = some_page();
    if (HOW == STILL)
        return;
    *moved += move();
    if (HOW == LIE) {
        *moved += gmmu_remap(0, va, PAGE) == FW_OK;
        lie(va);
    } else if (HOW == FORGET)
        forget(va, some_page());
    else {
        CHECK(gmmu_remap(0, va, PAGE) == FW_OK);
        check_bits(va);
        ++*moved;
    }
}

static void report(const char *when)
{
    struct contiguity c = contiguity_count(gmmu_space(0)->root);
    print("%s: %" PRIu64 " pages, %" PRIu64 " in contiguous subregions, %" PRIu64 " frames of %" PRIu64
          " contiguous\n",
          when, gmmu_space(0)->pages, c.subregions * MP_SUBREGION_PAGES, c.whole, c.frames);
}

int main(void)
{
    enum { LAUNCHES = 4 };
    struct counters c;
    struct contiguity found;
    unsigned moved = 0;
    CHECK(boot() == FW_OK);
    CHECK(gpu_uses_contiguity());
    CHECK(mig_create(0, 1) == FW_OK);
    CHECK(mig_space_open(0, 0, PAGE) == FW_OK);
    uint64_t free = mig_instance(0)->frames.free;
    map_buffers();
    stamp(false);
    CHECK(gmmu_scan(0, &found) == FW_OK);
    report("before");
    for (unsigned i = 0; i < LAUNCHES; i++)
        CHECK(runner_start(0, 0, 0) == FW_OK);
    while (runner_serve())
        change(&moved);
    CHECK(runner_wait() == FW_OK);
    stamp(true);
    report("after");
    CHECK(counters_read(0, &c) == FW_OK);
    print("%u pages moved\n", moved);
    print("accesses %" PRIu64 ", instructions %" PRIu64 "\n", c.value[MP_MGMT_ACCESSES],
          c.value[MP_MGMT_INSTRUCTIONS]);
    CHECK(gmmu_unmap(0, 0, 1ull << GMMU_VA_BITS) == FW_OK);
    CHECK(mig_instance(0)->frames.free == free);
    CHECK(mig_destroy(0) == FW_OK);
    return 0;
}
