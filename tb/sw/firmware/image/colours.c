/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tenants on instances that share L2 and DRAM get colours while they run. The firmware does not know the
 * address functions: it finds them by time. No page loses its contents, every page has its colour afterwards,
 * and the tenants' times next to each other come down to those alone.
 *
 * HOW: 0 finds the functions; 1 is given wrong ones, which the script must see in the addresses that are
 * printed.
 */
#include <inttypes.h>

#include "boot.h"
#include "check.h"
#include "colour.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

enum { FIND, WRONG };
enum { TENANTS = 2 };

#define PAGE 4096ull

static uint64_t pa_of(unsigned asid, uint64_t va)
{
    struct gmmu_walk w;
    CHECK(gmmu_walk(asid, va, &w) == FW_OK && w.mapped);
    return w.pa;
}

/* Calls with each page of the workload's buffers. */
static void each_page(unsigned asid, void (*page)(unsigned asid, uint64_t va))
{
    struct mp_mgmt_memory b;
    for (unsigned i = 0; gpu_buffer(asid, i, &b); i++)
        for (uint64_t va = b.base & -PAGE; va < b.base + b.bytes; va += PAGE)
            page(asid, va);
}

static void map(unsigned asid, uint64_t va)
{
    enum fw_error e = gmmu_map(asid, va, PAGE);
    CHECK(!e || e == FW_EEXIST); /* buffers may share a page */
}

static uint64_t stamp(unsigned asid, uint64_t va)
{
    return va | asid;
}

static void write_stamp(unsigned asid, uint64_t va)
{
    gmem_write64(pa_of(asid, va) + 16, stamp(asid, va));
}

static void check_page(unsigned asid, uint64_t va)
{
    uint64_t pa = pa_of(asid, va);
    CHECK(gmem_read64(pa + 16) == stamp(asid, va));
    CHECK(frames_wanted(&mig_instance(asid)->frames, pa, PAGE));
}

/* Every eighth page and the tables on the way to it, for the script. */
static void print_page(unsigned asid, uint64_t va)
{
    struct gmmu_walk w;
    if (va / PAGE % 8)
        return;
    gmmu_walk(asid, va, &w);
    print("frame %u 0x%" PRIx64 "\n", asid, w.pa);
    for (unsigned level = 0; level < w.levels; level++)
        print("frame %u 0x%" PRIx64 "\n", asid, w.at[level] & -(uint64_t)PAGE);
}

static void know_functions(void)
{
    static struct reverse_found found;
    const uint64_t wrong[] = {1ull << 12};
    if (HOW == WRONG) {
        CHECK(colour_set(wrong, 1) == FW_OK);
        return;
    }
    CHECK(colour_find(2ull << 20, &found, NULL, NULL) == FW_OK);
    for (unsigned i = 0; i < found.module.n; i++)
        print("module 0x%" PRIx64 "\n", found.module.function[i]);
    CHECK(found.line_bytes == 128 && found.row_bytes == 2048 && found.ways == 16);
}

/* A tenant's pages move while both run, over and over. */
static void move(unsigned asid, const struct colour_plan *plan)
{
    unsigned launches = 0;
    CHECK(mig_colour(asid, colour_frames(), plan->of[asid].mask) == FW_OK);
    for (uint64_t va = 0; va < 1ull << GMMU_VA_BITS; runner_serve()) {
        for (unsigned t = 0; t < TENANTS; t++)
            if (!gpu_in_use(t)) {
                CHECK(runner_start(t, t, t) == FW_OK);
                launches++;
            }
        CHECK(gmmu_recolour(asid, &va, 16) == FW_OK);
    }
    print("space %u: %" PRIu64 " pages and %" PRIu64 " tables moved during %u launches\n", asid,
          gmmu_space(asid)->moved, gmmu_space(asid)->tables_moved, launches);
    CHECK(gmmu_space(asid)->moved > gmmu_space(asid)->pages / 4 && launches > 4);
    CHECK(runner_wait() == FW_OK);
    const uint64_t moved = gmmu_space(asid)->moved;
    CHECK(colour_move(asid, plan) == FW_OK);
    CHECK(gmmu_space(asid)->moved == moved); /* nothing is left to move */
}

static void report(const char *when)
{
    struct colour_times t;
    CHECK(colour_measure(0, 0, 1, 1, &t) == FW_OK);
    print("%s: alone %" PRIu64 " cycles, together %" PRIu64 "\n", when, t.alone, t.together);
}

int main(void)
{
    const uint64_t share[TENANTS] = {50, 50};
    struct colour_plan plan;
    uint64_t free[TENANTS];
    CHECK(boot() == FW_OK);
    know_functions();
    CHECK(colour_count() >= TENANTS);
    CHECK(colour_divide(share, TENANTS, &plan) == FW_OK);
    for (unsigned t = 0; t < TENANTS; t++) {
        CHECK(mig_create(t, plan.of[t].slices) == FW_OK);
        free[t] = mig_instance(t)->frames.free;
        CHECK(mig_space_open(t, t, PAGE) == FW_OK);
        each_page(t, map);
        each_page(t, write_stamp);
    }
    report("before");
    for (unsigned t = 0; t < TENANTS; t++)
        move(t, &plan);
    report("after");
    for (unsigned t = 0; t < TENANTS; t++) {
        each_page(t, check_page);
        each_page(t, print_page);
    }
    for (unsigned t = 0; t < TENANTS; t++) {
        CHECK(mig_space_close(t) == FW_OK);
        CHECK(mig_instance(t)->frames.free == free[t]); /* no frame is lost */
        CHECK(mig_destroy(t) == FW_OK);
    }
    CHECK(colour_find(0, NULL, NULL, NULL) == FW_EINVAL);
    return 0;
}
