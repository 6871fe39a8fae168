/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use frames, for `--check`: some have bugs that it must find, and some are of the same kinds
 * and right. Two tenants, spaces 0 and 1, share an instance and run the same workload in turn.
 *
 * HOW: a number of the table of programs at the end.
 */
#include <inttypes.h>

#include "boot.h"
#include "check.h"
#include "counters.h"
#include "dma.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "io.h"
#include "mig.h"
#include "runner.h"
#include "slicer.h"

enum { A, B }; /* address spaces */

#define LEAF (MP_PTE_VALID | MP_PTE_LEAF)

static uint64_t page; /* bytes */
static struct {
    uint64_t va, end;
} part[64]; /* what is mapped, ascending */
static unsigned parts;

/* --- tenants -------------------------------------------------------------------------------------- */

/* Buffers may share a page. */
static void find_parts(void)
{
    struct mp_mgmt_memory b;
    uint64_t end = 0;
    for (unsigned i = 0; gpu_buffer(0, i, &b); i++) {
        uint64_t va = b.base & -page;
        va = va < end && end <= b.base + b.bytes ? end : va;
        end = (b.base + b.bytes + page - 1) & -page;
        if (va == end)
            continue;
        CHECK(parts < sizeof part / sizeof *part);
        part[parts].va = va;
        part[parts++].end = end;
    }
}

static void open_space(unsigned asid)
{
    CHECK(mig_space_open(0, asid, page) == FW_OK);
    for (unsigned i = 0; i < parts; i++)
        CHECK(gmmu_map(asid, part[i].va, part[i].end - part[i].va) == FW_OK);
}

static uint64_t accesses(unsigned asid)
{
    struct counters c;
    CHECK(counters_read(asid, &c) == FW_OK);
    return c.value[MP_MGMT_ACCESSES];
}

static void run(unsigned asid)
{
    CHECK(runner_start(0, asid, 0) == FW_OK);
    CHECK(runner_wait() == FW_OK);
}

/* Starts a launch that is in the middle of its work when this returns. */
static void start(unsigned asid)
{
    enum { MIDDLE = 3000 };
    const uint64_t before = accesses(asid);
    CHECK(runner_start(0, asid, 0) == FW_OK);
    while (accesses(asid) - before < MIDDLE)
        CHECK(runner_serve());
}

/* --- entries and frames --------------------------------------------------------------------------- */

static uint64_t slot_of(unsigned asid, uint64_t va, unsigned level)
{
    struct gmmu_walk w;
    CHECK(gmmu_walk(asid, va, &w) == FW_OK && w.levels > level);
    return w.at[level];
}

static uint64_t leaf_of(unsigned asid, uint64_t va)
{
    return slot_of(asid, va, gmmu_space(asid)->format->levels - 1);
}

static uint64_t frame_of(unsigned asid, uint64_t va)
{
    return gmem_read64(leaf_of(asid, va)) & MP_PTE_ADDRESS;
}

static void set_entry(unsigned asid, uint64_t va, uint64_t entry)
{
    gmem_write64(leaf_of(asid, va), entry);
}

static void forget(unsigned asid, uint64_t va)
{
    const struct mp_mgmt_invalidation one = {
        .scope = MP_MGMT_PAGE, .walk_cache = true, .asid = asid, .va = va};
    CHECK(gpu_invalidate(&one, NULL) == FW_OK);
}

static uint64_t new_frame(void)
{
    uint64_t pa;
    CHECK(frames_take_page(gmmu_space(A)->frames, page, &pa) == FW_OK);
    return pa;
}

static void copy_by_cpu(uint64_t from, uint64_t to, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 8)
        gmem_write64(to + at, gmem_read64(from + at));
}

static void copy_by_dma(uint64_t from, uint64_t to, uint64_t bytes)
{
    CHECK(dma_copy(gmem_address(from), gmem_address(to), bytes) == FW_OK);
}

/* By way of the core's memory. */
static void copy_by_ram(uint64_t from, uint64_t to, uint64_t bytes)
{
    static uint64_t buffer[65536 / 8];
    CHECK(dma_copy(gmem_address(from), (uintptr_t)buffer, bytes) == FW_OK);
    CHECK(dma_copy((uintptr_t)buffer, gmem_address(to), bytes) == FW_OK);
}

static void copy_half(uint64_t from, uint64_t to, uint64_t bytes)
{
    copy_by_dma(from, to, bytes / 2);
}

static void clear_only(uint64_t from, uint64_t to, uint64_t bytes)
{
    (void)from;
    gmem_zero(to, bytes);
}

static void copy_nothing(uint64_t from, uint64_t to, uint64_t bytes)
{
    (void)from, (void)to, (void)bytes;
}

typedef void copier(uint64_t from, uint64_t to, uint64_t bytes);

/* A page moves to another frame, by all rules but perhaps the copy. */
static void move(uint64_t va, copier *copy, uint64_t meanwhile)
{
    const uint64_t old = frame_of(A, va), to = new_frame();
    set_entry(A, va, meanwhile);
    forget(A, va);
    copy(old, to, page);
    set_entry(A, va, to | LEAF);
}

/* --- programs ------------------------------------------------------------------------------------- */

static void reuse_later(void)
{
    const uint64_t va = part[0].va, frame = frame_of(A, va);
    run(A);
    set_entry(A, va, 0);
    set_entry(B, va, frame | LEAF);
    run(A);
}

/* One page of each part, without an invalidation. */
static void give_to_the_other(void)
{
    for (unsigned i = 0; i < parts; i++) {
        const uint64_t va = part[i].va, frame = frame_of(A, va);
        set_entry(A, va, 0);
        set_entry(B, va, frame | LEAF);
    }
}

static void reuse_at_once(void)
{
    start(A);
    give_to_the_other();
    runner_wait();
}

/* The frame becomes a page table of the other tenant. */
static void reuse_as_table(void)
{
    start(A);
    const uint64_t va = part[0].va, frame = frame_of(A, va);
    set_entry(A, va, 0);
    gmem_zero(frame, FRAMES_BYTES);
    gmem_write64(slot_of(B, 1ull << 46, 0), frame | MP_PTE_VALID);
    runner_wait();
}

static void two_owners(void)
{
    const uint64_t va = part[0].va;
    run(A);
    set_entry(B, va, frame_of(A, va) | LEAF);
    forget(B, va);
    run(B);
}

static void maps_tables(unsigned whose, unsigned level)
{
    const uint64_t va = part[0].va;
    set_entry(A, va, (slot_of(whose, va, level) & -page) | LEAF);
    run(A);
}

static void maps_own_table(void)
{
    maps_tables(A, gmmu_space(A)->format->levels - 1);
}

static void maps_own_root(void)
{
    maps_tables(A, 0);
}

static void maps_other_table(void)
{
    maps_tables(B, gmmu_space(B)->format->levels - 1);
}

/* While a launch runs; and between two, with an entry that keeps the page. */
static void move_running(copier *copy)
{
    start(A);
    for (unsigned i = 0; i < parts; i++)
        for (uint64_t va = part[i].va; va < part[i].end; va += page)
            move(va, copy, 0);
    CHECK(runner_wait() == FW_OK);
}

static void move_without_copy(void)
{
    move_running(copy_nothing);
}

static void move_with_zeros(void)
{
    move_running(clear_only);
}

static void move_half(void)
{
    move_running(copy_half);
}

static void move_between(void)
{
    const uint64_t guarded = 1ull << 63;
    run(A);
    move(part[0].va, copy_nothing, frame_of(A, part[0].va) | guarded);
    run(A);
}

/* The copies are made while the launch still stores to the pages. */
static void move_too_early(void)
{
    static uint64_t to[2048];
    unsigned n = 0;
    start(A);
    for (unsigned i = 0; i < parts; i++)
        for (uint64_t va = part[i].va; va < part[i].end; va += page)
            copy_by_dma(frame_of(A, va), to[n++] = new_frame(), page);
    n = 0;
    for (unsigned i = 0; i < parts; i++)
        for (uint64_t va = part[i].va; va < part[i].end; va += page) {
            set_entry(A, va, 0);
            forget(A, va);
            set_entry(A, va, to[n++] | LEAF);
        }
    runner_wait();
}

/* --- programs that are right ---------------------------------------------------------------------- */

static void move_by_dma(void)
{
    move_running(copy_by_dma);
}

static void move_by_cpu(void)
{
    move_running(copy_by_cpu);
}

static void move_by_ram(void)
{
    move_running(copy_by_ram);
}

/* The page goes with its contents, and comes again empty. The other tenant gets the frame as it is, or
 * zeroed. */
static void reuse(bool zeroed)
{
    const uint64_t va = part[0].va, frame = frame_of(A, va);
    run(A);
    set_entry(A, va, 0);
    forget(A, va);
    if (zeroed)
        gmem_zero(frame, page);
    set_entry(B, va, frame | LEAF);
    run(B);
    set_entry(A, va, new_frame() | LEAF);
    run(A);
}

static void reuse_by_rule(void)
{
    reuse(false);
}

static void reuse_zeroed(void)
{
    reuse(true);
}

/* The frame of a running launch's page goes to another tenant, by the rules, and its page elsewhere. */
static void steal_running(void)
{
    start(A);
    for (unsigned i = 0; i < parts; i++) {
        const uint64_t va = part[i].va, frame = frame_of(A, va);
        move(va, copy_by_dma, 0);
        set_entry(B, va, frame | LEAF);
    }
    CHECK(runner_wait() == FW_OK);
    run(B);
    run(A);
}

/* Both may read; or one writes what the other reads. The workload does not store to its first buffer. */
static void share(uint64_t writer)
{
    const uint64_t va = part[0].va, frame = frame_of(A, va);
    set_entry(A, va, frame | LEAF | writer);
    set_entry(B, va, frame | LEAF | MP_PTE_READ_ONLY);
    run(A);
    run(B);
    run(A);
}

static void share_to_read(void)
{
    share(MP_PTE_READ_ONLY);
}

static void share_with_reader(void)
{
    share(0);
}

/* A frame becomes that of another page of the same tenant; before, both pages have it. */
static void alias_and_remap(void)
{
    const uint64_t va = part[0].va, other = va + page, frame = frame_of(A, va);
    CHECK(other < part[0].end);
    set_entry(A, other, frame | LEAF);
    run(A);
    set_entry(A, va, 0);
    forget(A, va);
    set_entry(A, va, new_frame() | LEAF);
    run(A);
}

/* A page table is freed, and its frame becomes a page. */
static void tables_become_pages(void)
{
    const uint64_t va = part[0].va;
    run(A);
    const uint64_t table = leaf_of(A, va) & -page;
    CHECK(mig_space_close(A) == FW_OK);
    set_entry(B, va, table | LEAF);
    run(B);
    open_space(A);
}

/* Guarded and free again; read only and writable again, while a launch runs. */
static void protect(void)
{
    start(A);
    for (unsigned i = 0; i < parts; i++) {
        CHECK(gmmu_protect(A, part[i].va, page, GMMU_READ) == FW_OK);
        CHECK(gmmu_protect(A, part[i].va, page, GMMU_FREE) == FW_OK);
    }
    CHECK(runner_wait() == FW_OK);
}

static void remap_by_driver(void)
{
    start(A);
    for (unsigned i = 0; i < parts; i++)
        CHECK(gmmu_remap(A, part[i].va, part[i].end - part[i].va) == FW_OK);
    CHECK(runner_wait() == FW_OK);
    run(A);
}

/* A launch that has waited begins in the middle of a change. */
static void launches_wait(void)
{
    enum { LAUNCHES = 4 };
    for (unsigned i = 0; i < LAUNCHES; i++)
        CHECK(runner_start(0, A, 0) == FW_OK);
    while (runner_serve()) {
        const uint64_t va = part[0].va, old = frame_of(A, va), to = new_frame();
        set_entry(A, va, 0);
        for (unsigned i = 0; i < 20; i++)
            accesses(A); /* takes time; faults wait */
        forget(A, va);
        copy_by_dma(old, to, page);
        set_entry(A, va, to | LEAF);
        CHECK(frames_give(gmmu_space(A)->frames, old, page) == FW_OK);
    }
    CHECK(runner_wait() == FW_OK);
}

/* Instance and spaces come again; other frames, other contents. */
static void come_again(void)
{
    run(A);
    run(B);
    CHECK(mig_destroy(0) == FW_OK && mig_create(0, 7) == FW_OK);
    open_space(B);
    open_space(A);
    run(A);
    run(B);
    CHECK(mig_space_close(A) == FW_OK);
    open_space(A);
    run(A);
}

/* --- launches that are saved ---------------------------------------------------------------------- */

static struct runner_launch saved;

/* The space's launch is saved in the middle of its work. */
static void save(unsigned asid)
{
    enum { MIDDLE = 3000 };
    const uint64_t before = accesses(asid);
    CHECK(runner_follow(&saved, 0, asid, 0) == FW_OK);
    while (accesses(asid) - before < MIDDLE) {
        runner_serve();
        CHECK(saved.under_way);
    }
    CHECK(gpu_preempt(0) == FW_OK);
    while (saved.under_way)
        runner_serve_next();
    CHECK(saved.end == FW_EPREEMPTED);
}

static void go_on(void)
{
    CHECK(runner_resume(&saved) == FW_OK);
    while (saved.under_way)
        runner_serve_next();
    CHECK(saved.end == FW_OK);
}

/* Its translations are still in TLBs. */
static void reuse_saved(void)
{
    save(A);
    give_to_the_other();
    go_on();
}

/* Another launch of the space begins, but the saved one, which needs the contents, has not ended. */
static void move_saved_without_copy(void)
{
    save(A);
    for (unsigned i = 0; i < parts; i++)
        for (uint64_t va = part[i].va; va < part[i].end; va += page)
            move(va, copy_nothing, 0);
    run(A);
    go_on();
}

static void move_saved(void)
{
    save(A);
    run(B);
    for (unsigned i = 0; i < parts; i++)
        CHECK(gmmu_remap(A, part[i].va, part[i].end - part[i].va) == FW_OK);
    run(A);
    go_on();
}

/* A page of the saved launch is in RAM while the other tenant has its frame. */
static void swap_saved(void)
{
    static uint64_t ram[65536 / 8];
    const uint64_t va = part[0].va, frame = frame_of(A, va), to = new_frame();
    save(A);
    set_entry(A, va, 0);
    forget(A, va);
    CHECK(dma_copy(gmem_address(frame), (uintptr_t)ram, page) == FW_OK);
    set_entry(B, va, frame | LEAF);
    run(B);
    CHECK(dma_copy((uintptr_t)ram, gmem_address(to), page) == FW_OK);
    set_entry(A, va, to | LEAF);
    go_on();
}

/* Once the saved launch is dropped, its pages may go. */
static void drop_saved(void)
{
    save(A);
    CHECK(gpu_drop(saved.tag) == FW_OK);
    CHECK(mig_space_close(A) == FW_OK);
    open_space(A);
    run(A);
}

/* Two launches in A, whose pages come by faults, and one in B. */
static void by_turns(void)
{
    struct slicer_job job[] = {{.asid = A}, {.asid = B}, {.asid = A}};
    for (unsigned i = 0; i < parts; i++)
        CHECK(gmmu_unmap(A, part[i].va, part[i].end - part[i].va) == FW_OK);
    CHECK(fault_promise(A, 0, 1ull << GMMU_VA_BITS) == FW_OK);
    CHECK(slicer_run(0, job, 3, 20 * CLINT_TICKS_PER_US) == FW_OK);
    for (unsigned i = 0; i < 3; i++)
        CHECK(job[i].preempted > 1);
    CHECK(fault_counts(A)->mapped == gmmu_space(A)->pages);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"reuse later", reuse_later},
    {"reuse at once", reuse_at_once},
    {"reuse as table", reuse_as_table},
    {"two owners", two_owners},
    {"maps own table", maps_own_table},
    {"maps own root", maps_own_root},
    {"maps other's table", maps_other_table},
    {"moves without a copy", move_without_copy},
    {"moves with zeros", move_with_zeros},
    {"moves half", move_half},
    {"moves between launches", move_between},
    {"moves too early", move_too_early},
    /* right */
    {"moves by DMA", move_by_dma},
    {"moves by CPU", move_by_cpu},
    {"moves by RAM", move_by_ram},
    {"reuse by rule", reuse_by_rule},
    {"reuse zeroed", reuse_zeroed},
    {"steals running", steal_running},
    {"shares to read", share_to_read},
    {"shares with a reader", share_with_reader},
    {"alias and remap", alias_and_remap},
    {"tables become pages", tables_become_pages},
    {"protects", protect},
    {"remaps by driver", remap_by_driver},
    {"launches wait", launches_wait},
    {"comes again", come_again},
    {"saved and moved", move_saved},
    {"saved and swapped", swap_saved},
    {"saved and dropped", drop_saved},
    {"by turns", by_turns},
    /* wrong */
    {"reuse while saved", reuse_saved},
    {"moves saved without a copy", move_saved_without_copy},
};

int main(void)
{
    CHECK(boot() == FW_OK);
    CHECK(mig_create(0, 7) == FW_OK);
    page = mig_space_open(0, A, 4096) == FW_OK ? 4096 : 65536;
    CHECK(page == 65536 || mig_space_close(A) == FW_OK);
    find_parts();
    open_space(A);
    open_space(B);
    programs[HOW].run();
    print("%s: accesses %" PRIu64 " and %" PRIu64 "\n", programs[HOW].name, accesses(A), accesses(B));
    return 0;
}
