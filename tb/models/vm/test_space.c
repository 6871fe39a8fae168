/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces under the shipped allocator and two of the test's own; the order in which a change reaches
 * the table, the hook and the listeners; and TLBs above a walker, whose answers must follow the table. */
#include "changes.h"
#include "frames/own.h"

#include "tlb/tlb.h"
#include "vm/space.h"
#include "walk/walk.h"

#define MB   (1ull << 20)
#define PAGE 4096ull

struct event {
    char what; /* h: hook, n: hook for a page that was not mapped, l: the first listener, m: the second */
    bool tables;
    uint16_t asid;
    uint64_t va, bytes, entry; /* entry: of va's page at that moment */
};

static struct bench {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_space space[2];
    struct event event[256];
    uint32_t events;
    bool upper_changed;
} b;

static void note(char what, bool tables, uint16_t asid, uint64_t va, uint64_t bytes)
{
    assert_true(b.events < 256);
    b.event[b.events++] =
        (struct event){what, tables, asid, va, bytes, mp_page_table_entry(&b.space[asid == 7].table, va)};
}

static bool hook(void *self, struct mp_space *space, uint64_t va, bool was_mapped)
{
    assert_ptr_equal(self, &b);
    note(was_mapped ? 'h' : 'n', b.upper_changed, space->asid, va, 0);
    return b.upper_changed;
}

static uint64_t listen_first(void *self, const struct mp_scope *s)
{
    (void)self;
    note('l', s->tables, s->asid, s->va, s->bytes);
    return 2;
}

static uint64_t listen_second(void *self, const struct mp_scope *s)
{
    (void)self;
    note('m', s->tables, s->asid, s->va, s->bytes);
    return 3;
}

/* Space 0 is asid 3 of tenant 0; space 1 is asid 7 of tenant 1. */
static void set_up(const struct mp_frame_allocator *allocator, uint64_t bytes)
{
    const struct mp_frames_params p = {.base = 2 * MB, .bytes = bytes, .page_bytes = PAGE};
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, 2 * MB + bytes), 0);
    assert_int_equal(mp_frames_init(&b.frames, allocator, &p, NULL), 0);
    for (uint32_t t = 0; t < 2; t++) {
        const struct mp_space_params s = {.asid = (uint16_t)(3 + 4 * t),
                                          .tenant = t,
                                          .format = mp_page_format(PAGE),
                                          .memory = &b.memory,
                                          .frames = &b.frames};
        assert_int_equal(mp_space_init(&b.space[t], &s, NULL), 0);
        assert_int_equal(mp_listeners_add(&b.space[t].listeners, (struct mp_listener){NULL, listen_first}),
                         0);
        assert_int_equal(mp_listeners_add(&b.space[t].listeners, (struct mp_listener){NULL, listen_second}),
                         0);
        b.space[t].hook = (struct mp_space_hook){.self = &b, .changed = hook};
    }
}

static int tear_down(void **state)
{
    (void)state;
    mp_space_free(&b.space[0]);
    mp_space_free(&b.space[1]);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    return 0;
}

static uint64_t frame(uint32_t space, uint64_t va)
{
    uint64_t pa;
    return mp_page_table_find(&b.space[space].table, va, &pa) ? pa : 0;
}

static void expect(uint32_t i, char what, bool tables, uint64_t va, uint64_t bytes, bool valid)
{
    assert_true(i < b.events);
    assert_int_equal(b.event[i].what, what);
    assert_int_equal(b.event[i].tables, tables);
    assert_int_equal(b.event[i].asid, 3);
    assert_int_equal(b.event[i].va, va);
    assert_int_equal(b.event[i].bytes, bytes);
    assert_int_equal(b.event[i].entry & MP_PTE_VALID, valid);
}

/* --- one path ---------------------------------------------------------------------------------------------
 */

static void the_table_changes_first_then_the_hook_then_the_listeners(void **state)
{
    (void)state;
    uint64_t old, pa;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[0], 8 * PAGE, 2 * PAGE, 0, NULL), 0);
    assert_int_equal(b.events, 2); /* no shootdown: no block holds a page that was not mapped */
    expect(0, 'n', false, 8 * PAGE, 0, true);
    expect(1, 'n', false, 9 * PAGE, 0, true);

    b.events = 0;
    protect(&b.space[0], 8 * PAGE, 1, true);
    assert_int_equal(b.events, 3);
    expect(0, 'h', false, 8 * PAGE, 0, true);
    expect(1, 'l', false, 8 * PAGE, PAGE, true);
    expect(2, 'm', false, 8 * PAGE, PAGE, true);
    assert_true(b.event[0].entry & MP_PTE_READ_ONLY);

    b.events = 0;
    b.upper_changed = true;
    assert_int_equal(mp_frames_take_page(&b.frames, 0, &pa, NULL), 0);
    assert_true(remap(&b.space[0], 8 * PAGE + 5, pa, &old));
    assert_int_equal(old, 2 * MB);
    assert_int_equal(b.events, 3);
    expect(0, 'h', true, 8 * PAGE, 0, true);
    expect(1, 'l', true, 8 * PAGE, PAGE, true);
    expect(2, 'm', true, 8 * PAGE, PAGE, true);
    assert_int_equal(b.event[0].entry, pa | MP_PTE_VALID | MP_PTE_LEAF | MP_PTE_READ_ONLY);
    protect(&b.space[0], 8 * PAGE, 1, false);
    assert_int_equal(frame(0, 8 * PAGE), pa);

    b.events = 0;
    assert_int_equal(mp_space_map(&b.space[0], 64 * PAGE, PAGE, 0, NULL), 0);
    assert_int_equal(b.events, 3); /* page walk caches may keep an upper level that has changed */
    expect(0, 'n', true, 64 * PAGE, 0, true);
    expect(1, 'l', true, 64 * PAGE, PAGE, true);

    b.events = 0;
    b.upper_changed = false;
    mp_space_unmap(&b.space[0], 8 * PAGE, 2 * PAGE);
    assert_int_equal(b.events, 6); /* each page is a change by itself */
    for (uint32_t i = 0; i < 2; i++) {
        expect(3 * i, 'h', false, (8 + i) * PAGE, 0, false);
        expect(3 * i + 1, 'l', false, (8 + i) * PAGE, PAGE, false);
        expect(3 * i + 2, 'm', false, (8 + i) * PAGE, PAGE, false);
    }

    b.events = 0;
    b.space[0].hook.changed = NULL;
    assert_int_equal(mp_space_map(&b.space[0], 8 * PAGE, 2 * PAGE, 0, NULL), 0);
    mp_space_unmap(&b.space[0], 8 * PAGE, 2 * PAGE);
    assert_int_equal(b.events, 2); /* one for the whole range */
    expect(0, 'l', false, 8 * PAGE, 2 * PAGE, false);
    expect(1, 'm', false, 8 * PAGE, 2 * PAGE, false);
    b.space[0].hook.changed = hook;

    b.events = 0;
    assert_false(remap(&b.space[0], 8 * PAGE, pa, &old));
    mp_space_unmap(&b.space[0], 8 * PAGE, 2 * PAGE); /* no such buffer any more */
    assert_int_equal(b.events, 0);
}

static void a_shootdown_counts_what_left(void **state)
{
    (void)state;
    const struct mp_scope scope = {.asid = 3, .va = PAGE};
    const struct mp_listeners none = {0};
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_shoot_down(&b.space[0].listeners, &scope), 2 + 3);
    assert_int_equal(mp_shoot_down(&none, &scope), 0);
    assert_int_equal(b.events, 2);
}

/* --- buffers ----------------------------------------------------------------------------------------------
 */

static void a_shared_page_goes_with_its_last_buffer(void **state)
{
    (void)state;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[0], 16 * PAGE, PAGE + 100, 0, NULL), 0);     /* pages 16, 17 */
    assert_int_equal(mp_space_map(&b.space[0], 17 * PAGE + 256, 2 * PAGE, 0, NULL), 0); /* 17, 18, 19 */
    uint64_t shared = frame(0, 17 * PAGE);
    assert_true(shared && frame(0, 16 * PAGE) && frame(0, 18 * PAGE) && frame(0, 19 * PAGE));
    mp_space_unmap(&b.space[0], 16 * PAGE, PAGE + 100);
    assert_int_equal(frame(0, 16 * PAGE), 0);
    assert_int_equal(frame(0, 17 * PAGE), shared);
    mp_space_unmap(&b.space[0], 17 * PAGE + 256, 2 * PAGE);
    for (uint64_t page = 16; page < 20; page++)
        assert_int_equal(frame(0, page * PAGE), 0);
}

/* The ends of a buffer keep the pages of which they have a part. */
static void a_part_of_a_buffer_goes(void **state)
{
    (void)state;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[0], 16 * PAGE, 5 * PAGE, 0, NULL), 0);
    mp_space_unmap(&b.space[0], 17 * PAGE + 10, 2 * PAGE);
    for (uint64_t page = 16; page < 21; page++)
        assert_int_equal(frame(0, page * PAGE) != 0, page != 18);
    mp_space_unmap(&b.space[0], 16 * PAGE, PAGE);
    assert_int_equal(frame(0, 16 * PAGE), 0);
    assert_true(frame(0, 17 * PAGE));
    mp_space_unmap(&b.space[0], 17 * PAGE, 10);
    assert_int_equal(frame(0, 17 * PAGE), 0);
    assert_int_equal(mp_space_map(&b.space[0], 17 * PAGE, 2 * PAGE, 0, NULL), 0); /* grows again */
    assert_true(frame(0, 18 * PAGE));
    mp_space_unmap(&b.space[0], 0, 64 * PAGE);
    for (uint64_t page = 16; page < 21; page++)
        assert_int_equal(frame(0, page * PAGE), 0);
    assert_int_equal(b.space[0].buffers, 0);
}

static void a_buffer_may_not_leave_the_address_space(void **state)
{
    (void)state;
    struct mp_error err;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[0], (1ull << 48) - PAGE, PAGE, 0, &err), 0);
    assert_int_equal(mp_space_map(&b.space[0], (1ull << 48) - PAGE, PAGE + 1, 0, &err), -1);
    assert_non_null(strstr(err.text, "ends beyond the 48-bit virtual address space"));
    assert_int_equal(mp_space_map(&b.space[0], UINT64_MAX - 10, 100, 0, &err), -1);
}

/* Tables are taken at once; pages then need no memory, and one shootdown ends several. */
static void an_owner_with_frames_places_and_removes_pages(void **state)
{
    (void)state;
    struct mp_error err;
    uint64_t pa;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_reach(&b.space[0], 8 * PAGE, 4 * MB, 12, &err), 0);
    assert_int_equal(b.events, 0);
    while (!mp_frames_take_page(&b.frames, 0, &pa, &err))
        ;
    mp_space_place(&b.space[0], 9 * PAGE, 5 * PAGE, 12, false);
    mp_space_place(&b.space[0], 4 * MB, 7 * PAGE, 12, false);
    expect(0, 'n', false, 9 * PAGE, 0, true);
    expect(1, 'n', false, 4 * MB, 0, true);
    assert_int_equal(frame(0, 9 * PAGE), 5 * PAGE);
    assert_int_equal(frame(0, 4 * MB), 7 * PAGE);

    b.events = 0;
    mp_space_remove(&b.space[0], 8 * PAGE, 4 * PAGE);
    assert_int_equal(b.events, 3);
    expect(0, 'h', false, 9 * PAGE, 0, false);
    expect(1, 'l', false, 8 * PAGE, 4 * PAGE, false);
    expect(2, 'm', false, 8 * PAGE, 4 * PAGE, false);
    assert_int_equal(frame(0, 9 * PAGE), 0);
    assert_int_equal(frame(0, 4 * MB), 7 * PAGE);
    assert_int_equal(mp_frames_take_page(&b.frames, 0, &pa, &err), -1); /* the frame is still its owner's */

    b.upper_changed = true;
    b.events = 0;
    mp_space_place(&b.space[0], 9 * PAGE, 5 * PAGE, 12, false);
    assert_int_equal(b.events, 3);
    expect(1, 'l', true, 9 * PAGE, PAGE, true);

    /* Whether stores fault changes with a shootdown, and only where something is mapped otherwise. */
    b.upper_changed = false;
    b.events = 0;
    mp_space_protect(&b.space[0], 9 * PAGE, false);
    mp_space_protect(&b.space[0], 10 * PAGE, true);
    assert_int_equal(b.events, 0);
    mp_space_protect(&b.space[0], 9 * PAGE, true);
    assert_int_equal(b.events, 3);
    expect(0, 'h', false, 9 * PAGE, 0, true);
    expect(1, 'l', false, 9 * PAGE, PAGE, true);
    assert_true(mp_page_table_entry(&b.space[0].table, 9 * PAGE) & MP_PTE_READ_ONLY);
    assert_int_equal(frame(0, 9 * PAGE), 5 * PAGE);
    mp_space_protect(&b.space[0], 9 * PAGE, false);
    assert_false(mp_page_table_entry(&b.space[0].table, 9 * PAGE) & MP_PTE_READ_ONLY);
    b.events = 0;
    mp_space_place(&b.space[0], 10 * PAGE, 6 * PAGE, 12, true);
    assert_int_equal(b.events, 1);
    assert_true(mp_page_table_entry(&b.space[0].table, 10 * PAGE) & MP_PTE_READ_ONLY);

    assert_int_equal(mp_space_reach(&b.space[0], 64 * MB, PAGE, 12, &err), -1); /* no memory for tables */
    assert_int_equal(mp_space_reach(&b.space[0], (1ull << 48) - PAGE, 2 * PAGE, 12, &err), -1);
    assert_non_null(strstr(err.text, "ends beyond the 48-bit virtual address space"));
}

static void a_buffer_that_finds_no_memory_is_unmapped_whole(void **state)
{
    (void)state;
    struct mp_error err;
    uint64_t pa;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[0], 0, 1 * MB, 0, &err), 0);
    b.events = 0;
    b.space[0].hook.changed = NULL;
    assert_int_equal(mp_space_map(&b.space[0], 64 * MB, 2 * MB, 0, &err), -1);
    assert_non_null(strstr(err.text, "no page of 4096 B is left"));
    mp_space_unmap(&b.space[0], 64 * MB, 2 * MB);
    mp_space_unmap(&b.space[0], 0, 1 * MB);
    for (uint64_t page = 0; page < 512; page++)
        assert_true(!frame(0, page * PAGE) && !frame(0, 64 * MB + page * PAGE));
    uint32_t free =
        0; /* all but the tables: two roots, and two and two below the first, one more for 64 MB */
    while (!mp_frames_take_page(&b.frames, 0, &pa, NULL))
        free++;
    assert_int_equal(free, 512 - 2 - 3 - 1);
}

/* Compared with a naive driver: a page is mapped if and only if a buffer covers it. */
static void buffers_at_random(const struct mp_frame_allocator *allocator)
{
    enum { BUFFERS = 12, PAGES = 160 };
    static struct {
        uint64_t va, bytes;
        bool mapped;
    } buffer[BUFFERS];
    struct rng r = rng_start(allocator->design.name, 131);
    set_up(allocator, 4 * MB);
    b.space[0].hook.changed = NULL;
    b.space[1].hook.changed = NULL;
    for (uint32_t i = 0, at = 0; i < BUFFERS; i++) { /* side by side, most of them sharing pages */
        at = (at + 255) / 256 * 256;
        buffer[i].va = at;
        buffer[i].bytes = rng_between(&r, 1, 12 * PAGE);
        buffer[i].mapped = false;
        at += (uint32_t)buffer[i].bytes;
        assert_true(at < PAGES * PAGE);
    }
    for (uint32_t step = 0; step < 2000; step++) {
        uint32_t k = rng_below(&r, BUFFERS);
        b.events = 0;
        if (buffer[k].mapped)
            mp_space_unmap(&b.space[1], buffer[k].va, buffer[k].bytes);
        else
            assert_int_equal(mp_space_map(&b.space[1], buffer[k].va, buffer[k].bytes, 0, NULL), 0);
        buffer[k].mapped = !buffer[k].mapped;
        static bool used[OWN_FRAMES];
        memset(used, 0, sizeof used);
        for (uint64_t page = 0; page < PAGES; page++) {
            bool covered = false;
            for (uint32_t i = 0; i < BUFFERS; i++)
                covered |= buffer[i].mapped && buffer[i].va < (page + 1) * PAGE &&
                           buffer[i].va + buffer[i].bytes > page * PAGE;
            uint64_t pa = frame(1, page * PAGE);
            assert_int_equal(pa != 0, covered);
            if (!pa)
                continue;
            assert_false(used[(pa - 2 * MB) / PAGE]); /* no frame twice */
            used[(pa - 2 * MB) / PAGE] = true;
            if (allocator == &own_colours)
                assert_int_equal(own_colour(pa), 1);
        }
    }
}

static void any_allocator_serves_a_space(void **state)
{
    static const struct mp_frame_allocator *const all[] = {&mp_frames_ascending, &own_blocks, &own_colours};
    for (unsigned i = 0; i < 3; i++) {
        buffers_at_random(all[i]);
        if (i < 2)
            tear_down(state);
    }
}

static void an_aligned_run_gets_a_block_and_a_buffer_is_announced(void **state)
{
    (void)state;
    set_up(&own_blocks, 4 * MB);
    uint64_t va = OWN_BLOCK * PAGE;
    assert_int_equal(mp_space_map(&b.space[0], va - PAGE, (2 * OWN_BLOCK + 3) * PAGE, 0, NULL), 0);
    assert_int_equal(((struct own *)b.frames.state)->buffers, 1);
    for (uint64_t block = 0; block < 2; block++)
        for (uint64_t i = 0; i < OWN_BLOCK; i++)
            assert_int_equal(frame(0, va + (block * OWN_BLOCK + i) * PAGE),
                             2 * MB + (block * OWN_BLOCK + i) * PAGE);
    assert_true(frame(0, va - PAGE) > 5 * MB && frame(0, va + 2 * OWN_BLOCK * PAGE) > 5 * MB);
    mp_space_unmap(&b.space[0], va - PAGE, (2 * OWN_BLOCK + 3) * PAGE);
    assert_int_equal(mp_space_map(&b.space[1], 0, PAGE, 0, NULL), 0);
    assert_int_equal(((struct own *)b.frames.state)->buffers, 2);
}

static void a_tenant_gets_its_colour_or_nothing(void **state)
{
    (void)state;
    struct mp_error err;
    uint64_t pa;
    set_up(&own_colours, 2 * MB);
    b.space[0].hook.changed = NULL;
    assert_int_equal(own_colour(b.space[0].table.root), 0);
    assert_int_equal(own_colour(b.space[1].table.root), 1);
    assert_int_equal(mp_space_map(&b.space[0], 0, 2 * MB, 0, &err), -1);
    assert_string_equal(err.text, "no page of colour 0 and 4096 B is left");
    for (uint64_t va = 0; frame(0, va); va += PAGE)
        assert_int_equal(own_colour(frame(0, va)), 0);
    assert_int_equal(mp_space_map(&b.space[1], 0, 16 * PAGE, 0, &err), 0); /* the other colour has room */
    assert_int_equal(mp_frames_take_table(&b.frames, 0, &pa, &err), -1);
    assert_string_equal(err.text, "no page table of colour 0 is left");
}

static void an_allocator_may_refuse_its_memory(void **state)
{
    (void)state;
    const struct mp_frames_params p = {.bytes = 64 * MB, .page_bytes = PAGE};
    struct mp_error err;
    struct mp_frames f;
    assert_int_equal(mp_frames_init(&f, &own_blocks, &p, &err), -1);
    assert_non_null(strstr(err.text, "at most 1024 pages"));
    assert_null(f.state);
}

/* --- two TLBs and a walker listen -------------------------------------------------------------------------
 */

#define L2_LATENCY 20u

static struct loop {
    struct mp_wheel wheel;
    struct mp_tlb l1, l2;
    struct mp_walk walk;
    struct fake_initiator port;
} l;

static void make_tlb(struct mp_tlb *tlb, uint32_t latency)
{
    const struct mp_tlb_params p = {
        .policy = &mp_tlb_subentry,
        .geometry = {.sets = 4, .ways = 4, .sub_entries = 1, .latency = latency, .tenants = 8},
        .page_shift = 12,
        .mshrs = 8,
        .merges = 4,
        .ports = 1,
        .tenants = 8};
    assert_int_equal(mp_tlb_init(tlb, &l.wheel, &p), 0);
}

static void listen(struct mp_space *s, void *model, const struct mp_block_kind *kind)
{
    assert_int_equal(mp_listeners_add(&s->listeners, (struct mp_listener){model, kind->invalidate}), 0);
}

static void join_loop(struct mp_space *s)
{
    const struct mp_walk_params walk = {.scheduler = &mp_walk_fcfs,
                                        .method = &mp_walk_radix,
                                        .geometry = {.walkers = 2, .queue = 8, .tenants = 8},
                                        .format = mp_page_format(PAGE),
                                        .memory = &b.memory,
                                        .level_latency = 50,
                                        .pwc_entries = 16,
                                        .pwc_ways = 4,
                                        .pwc_latency = 2,
                                        .ports = 1};
    memset(&l, 0, sizeof l);
    mp_wheel_init(&l.wheel);
    make_tlb(&l.l1, 1);
    make_tlb(&l.l2, L2_LATENCY);
    assert_int_equal(mp_walk_init(&l.walk, &l.wheel, &walk), 0);
    mp_walk_set_root(&l.walk, s->asid, s->table.format, s->table.root);
    fake_initiator_join(&l.port, &l.wheel, mp_target_of(mp_tlb_request, &l.l1, 0), &l.l1.ports.up[0]);
    mp_tlb_join(&l.l1, 0, mp_target_of(mp_tlb_request, &l.l2, 0));
    l.l2.ports.up[0] = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &l.l1, 0);
    mp_tlb_join(&l.l2, 0, mp_target_of(mp_walk_request, &l.walk, 0));
    l.walk.ports.up[0] = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &l.l2, 0);
    s->hook.changed = NULL;
    s->listeners.count = 0;
    listen(s, &l.l1, &mp_tlb_kind);
    listen(s, &l.l2, &mp_tlb_kind);
    listen(s, &l.walk, &mp_walk_kind);
}

static void leave_loop(void)
{
    fake_initiator_free(&l.port);
    mp_tlb_free(&l.l1);
    mp_tlb_free(&l.l2);
    mp_walk_free(&l.walk);
    mp_wheel_free(&l.wheel);
}

static struct fake_request *translate(uint64_t va)
{
    return fake_initiator_send(&l.port,
                               (struct mp_req){.va = va, .asid = 7, .tenant = 1, .op = MP_TRANSLATE});
}

static uint64_t translate_now(uint64_t va)
{
    struct fake_request *r = translate(va);
    run_dry(&l.wheel);
    assert_int_equal(r->req.fault, 0);
    return r->req.pa;
}

/* The page moves `wait` cycles after a request for it, which the L2 TLB or the walker answers. */
static void move_during_a_miss(uint64_t wait, bool l2_has_it, uint64_t spare)
{
    const struct mp_scope page = {.asid = 7, .va = PAGE};
    uint64_t from = frame(1, PAGE), old;
    assert_int_equal(translate_now(PAGE), from);
    mp_tlb_invalidate(&l.l1, &page);
    if (!l2_has_it)
        mp_tlb_invalidate(&l.l2, &page);
    struct fake_request *r = translate(PAGE + 8);
    run_until(&l.wheel, l.wheel.now + wait);
    bool answered = r->answered != MP_NEVER;
    assert_true(remap(&b.space[1], PAGE, spare, &old));
    assert_int_equal(old, from);
    run_dry(&l.wheel);
    assert_int_equal(r->req.pa, (answered ? from : spare) + 8);
    assert_int_equal(translate_now(PAGE + 16), spare + 16); /* no TLB keeps the old frame */
}

static void no_answer_is_from_before_a_change(void **state)
{
    (void)state;
    uint64_t spare[2];
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[1], 0, 4 * PAGE, 0, NULL), 0);
    spare[1] = frame(1, PAGE);
    assert_int_equal(mp_frames_take_page(&b.frames, 1, &spare[0], NULL), 0);
    join_loop(&b.space[1]);
    for (uint64_t wait = 0; wait < 2 * L2_LATENCY; wait++)
        move_during_a_miss(wait, true, spare[wait % 2]);
    for (uint64_t wait = 0; wait < 300; wait += 2)
        move_during_a_miss(wait, false, spare[wait / 2 % 2]);
    leave_loop();
}

static void page_walk_caches_forget_tables_that_changed(void **state)
{
    (void)state;
    set_up(&mp_frames_ascending, 2 * MB);
    assert_int_equal(mp_space_map(&b.space[1], 0, 4 * PAGE, 0, NULL), 0);
    join_loop(&b.space[1]);
    const uint64_t *levels = &l.walk.stats[1].levels_read;
    translate_now(PAGE);
    assert_int_equal(*levels, 4);
    protect(&b.space[1], PAGE, 1, true);
    struct fake_request *r = translate(PAGE);
    run_dry(&l.wheel);
    assert_true(r->req.span.read_only);
    assert_int_equal(*levels, 4 + 1); /* the page walk cache has the tables */
    b.space[1].hook = (struct mp_space_hook){.self = &b, .changed = hook};
    b.upper_changed = true;
    protect(&b.space[1], PAGE, 1, false);
    r = translate(PAGE);
    run_dry(&l.wheel);
    assert_false(r->req.span.read_only);
    assert_int_equal(*levels, 4 + 1 + 4);
    mp_space_unmap(&b.space[1], 0, 4 * PAGE);
    r = translate(PAGE);
    run_dry(&l.wheel);
    assert_int_equal(r->req.fault & MP_FAULT_CAUSE, MP_FAULT_NOT_VALID);
    leave_loop();
}

/* --- pages of several sizes
 * --------------------------------------------------------------------------------- */

/* Frames of the size that is wished, one after the other; it counts the bytes that are taken. */
struct sized {
    uint64_t next, table, taken;
};

static int sized_init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    (void)err;
    *(struct sized *)state = (struct sized){.next = p->base, .table = p->base + p->bytes};
    return 0;
}

static uint64_t sized_take_pages(void *state, const struct mp_frames_wish *w, uint64_t *pa,
                                 struct mp_error *err)
{
    struct sized *s = state;
    (void)err;
    *pa = s->next = (s->next + w->page_bytes - 1) & -w->page_bytes;
    s->next += w->page_bytes;
    s->taken += w->page_bytes;
    return 1;
}

static int sized_take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    (void)tenant, (void)err;
    *pa = ((struct sized *)state)->table -= 4096;
    return 0;
}

static void sized_give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    (void)tenant;
    assert_int_equal(pa % page_bytes, 0);
    ((struct sized *)state)->taken -= page_bytes;
}

static void sized_free(void *state)
{
    (void)state;
}

static const struct mp_frame_allocator sized = {.free = sized_free,
                                                .design = {.name = "sized"},
                                                .bytes = sizeof(struct sized),
                                                .init = sized_init,
                                                .take_pages = sized_take_pages,
                                                .take_table = sized_take_table,
                                                .give_page = sized_give_page};

static uint64_t bytes_taken(void)
{
    return ((struct sized *)b.frames.state)->taken;
}

static void buffers_of_several_sizes(void **state)
{
    (void)state;
    struct mp_space *s = &b.space[0];
    struct mp_error err;
    uint64_t pa;
    set_up(&sized, 64 * MB);
    s->table.format = &mp_page_format_mixed;
    s->hook.changed = NULL;
    assert_int_equal(mp_space_map(s, 4 * MB + 100, 3 * MB, 21, &err), 0); /* 4 to 8 MB */
    assert_int_equal(mp_space_map(s, 16 * MB + 5, 65536, 16, &err), 0);
    assert_int_equal(mp_space_map(s, 32 * MB, PAGE, 0, &err), 0);
    assert_int_equal(bytes_taken(), 4 * MB + 2 * 65536 + PAGE);
    assert_int_equal(mp_page_table_find(&s->table, 8 * MB - 1, &pa), 21);
    assert_int_equal(mp_page_table_find(&s->table, 16 * MB + 2 * 65536 - 1, &pa), 16);
    assert_int_equal(mp_page_table_find(&s->table, 16 * MB + 2 * 65536, &pa), 0);
    assert_int_equal(mp_page_table_find(&s->table, 32 * MB, &pa), 12);

    /* A smaller page of another buffer shares a large page; a larger one over small pages is an error. */
    assert_int_equal(mp_space_map(s, 8 * MB - 200, 100, 12, &err), 0);
    assert_int_equal(bytes_taken(), 4 * MB + 2 * 65536 + PAGE);
    assert_int_equal(mp_space_map(s, 33 * MB, PAGE, 21, &err), -1);
    assert_non_null(strstr(err.text, "page 0x2000000 of 2097152 B is in a region that has pages of 4096 B"));
    assert_int_equal(mp_space_map(s, 33 * MB, 65536, 16, &err), -1);
    assert_int_equal(bytes_taken(), 4 * MB + 2 * 65536 + PAGE);
    mp_space_unmap(s, 33 * MB, PAGE);
    mp_space_unmap(s, 33 * MB, 65536);
    assert_int_equal(mp_page_table_find(&s->table, 32 * MB, &pa), 12);
    assert_int_equal(mp_space_map(s, 0, PAGE, 30, &err), -1);
    assert_non_null(strstr(err.text, "no pages of 1 << 30 B"));

    /* The large page goes with its last buffer, and its whole range is named. */
    mp_space_unmap(s, 4 * MB + 100, 3 * MB);
    assert_int_equal(bytes_taken(), 2 * MB + 2 * 65536 + PAGE);
    b.events = 0;
    mp_space_unmap(s, 8 * MB - 200, 100);
    assert_int_equal(bytes_taken(), 2 * 65536 + PAGE);
    expect(0, 'l', false, 6 * MB, 2 * MB, false);

    /* The region may have another size then; walk caches forget the table that was there. */
    mp_space_unmap(s, 32 * MB, PAGE);
    b.events = 0;
    assert_int_equal(mp_space_map(s, 33 * MB, PAGE, 21, &err), 0);
    expect(0, 'l', true, 32 * MB, 2 * MB, true);
    assert_int_equal(mp_page_table_find(&s->table, 32 * MB, &pa), 21);
    b.events = 0;
    assert_true(mp_space_change(s, 33 * MB + 7, mp_page_table_entry(&s->table, 33 * MB) | MP_PTE_READ_ONLY));
    expect(0, 'l', false, 32 * MB, 2 * MB, true);
    mp_space_unmap(s, 16 * MB + 5, 65536);
    mp_space_unmap(s, 33 * MB, PAGE);
    assert_int_equal(bytes_taken(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers_of_several_sizes, tear_down),
        cmocka_unit_test_teardown(the_table_changes_first_then_the_hook_then_the_listeners, tear_down),
        cmocka_unit_test_teardown(a_shootdown_counts_what_left, tear_down),
        cmocka_unit_test_teardown(a_shared_page_goes_with_its_last_buffer, tear_down),
        cmocka_unit_test_teardown(a_part_of_a_buffer_goes, tear_down),
        cmocka_unit_test_teardown(a_buffer_may_not_leave_the_address_space, tear_down),
        cmocka_unit_test_teardown(an_owner_with_frames_places_and_removes_pages, tear_down),
        cmocka_unit_test_teardown(a_buffer_that_finds_no_memory_is_unmapped_whole, tear_down),
        cmocka_unit_test_teardown(any_allocator_serves_a_space, tear_down),
        cmocka_unit_test_teardown(an_aligned_run_gets_a_block_and_a_buffer_is_announced, tear_down),
        cmocka_unit_test_teardown(a_tenant_gets_its_colour_or_nothing, tear_down),
        cmocka_unit_test(an_allocator_may_refuse_its_memory),
        cmocka_unit_test_teardown(no_answer_is_from_before_a_change, tear_down),
        cmocka_unit_test_teardown(page_walk_caches_forget_tables_that_changed, tear_down),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
