/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hashed page table: what is mapped is compared with a list, and what is in memory with a reader that is
 * written here from the comment of hashed.c.
 */
#include "../../engine/fakes.h"

#include "engine/mshr.h"
#include "vm/page_table.h"

#define MB   (1ull << 20)
#define BASE (64 * MB)

enum { LINES = 32, PROBES = 4, SPACES = 2, PAGES = 2000 };

static struct bench {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table[SPACES]; /* they share one array */
    struct mapping {
        uint64_t va, pa;
        unsigned space;
        bool mapped, read_only;
    } page[PAGES];
} b;

static void set_up_with(const struct mp_frame_allocator *allocator, uint64_t lines, uint64_t probes)
{
    const struct mp_frames_params p = {.base = BASE, .bytes = 16 * MB, .page_bytes = 4096};
    const struct mp_design_values own = {{lines, probes}};
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, BASE + p.bytes), 0);
    assert_int_equal(mp_frames_init(&b.frames, allocator, &p, NULL), 0);
    for (uint16_t s = 0; s < SPACES; s++)
        b.table[s] = (struct mp_page_table){.format = mp_page_format(4096),
                                            .memory = &b.memory,
                                            .frames = &b.frames,
                                            .asid = s,
                                            .design = &mp_page_table_hashed};
    assert_int_equal(mp_page_table_start(&b.table[0], &own, NULL), 0);
    b.table[1].root = b.table[0].root;
}

static int tear_down(void **state)
{
    (void)state;
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    return 0;
}

/* --- the reader ----------------------------------------------------------------------------------------- */

static uint64_t base(void)
{
    return b.table[0].root & ~0xfffull;
}

static uint64_t line_of(uint64_t va, unsigned asid, unsigned probe, unsigned lines)
{
    uint64_t tag = (va >> 15) << 8 | asid;
    return base() + 128 * ((mp_mix(tag) + probe) % lines);
}

static bool cluster_is(uint64_t at, uint64_t va, unsigned asid)
{
    uint64_t tag = (va >> 15) << 8 | asid;
    for (unsigned i = 0; i < 8; i++)
        if ((mp_physmem_read64(&b.memory, at + 8 * i) >> 48 & 255) != (tag >> 8 * i & 255))
            return false;
    return (mp_physmem_read64(&b.memory, at) >> 56 & 3) == 1;
}

struct seen {
    uint64_t entry, entry_at;
    unsigned lines; /* read */
    uint64_t line[PROBES];
};

static struct seen look(uint64_t va, unsigned asid)
{
    struct seen s = {0};
    for (unsigned probe = 0; probe < PROBES; probe++) {
        uint64_t line = line_of(va, asid, probe, LINES);
        s.line[s.lines++] = line;
        for (uint64_t at = line; at < line + 128; at += 64) {
            if (cluster_is(at, va, asid)) {
                s.entry_at = at + 8 * (va >> 12 & 7);
                s.entry = mp_physmem_read64(&b.memory, s.entry_at) & 0xffffffffffff;
                return s;
            }
            if (!(mp_physmem_read64(&b.memory, at) >> 56))
                return s;
        }
    }
    return s;
}

/* All places in which the page could be are in use by others. */
static bool full_for(uint64_t va, unsigned asid)
{
    for (unsigned probe = 0; probe < PROBES; probe++)
        for (unsigned c = 0; c < 2; c++) {
            uint64_t at = line_of(va, asid, probe, LINES) + 64 * c;
            if ((mp_physmem_read64(&b.memory, at) >> 56 & 3) != 1 || cluster_is(at, va, asid))
                return false;
        }
    return true;
}

/* --- tests ---------------------------------------------------------------------------------------------- */

static void check_page(const struct mapping *m)
{
    const struct mp_page_table *t = &b.table[m->space];
    uint64_t pa, at[MP_MAX_LEVELS];
    struct seen s = look(m->va, m->space);
    assert_int_equal(mp_page_table_find(t, m->va + 77, &pa), m->mapped ? 12 : 0);
    assert_true(!m->mapped || pa == m->pa + 77);
    assert_int_equal(s.entry, m->mapped ? m->pa | 3 | (m->read_only ? 4 : 0) : 0);
    assert_int_equal(mp_page_table_entry(t, m->va), s.entry);
    assert_int_equal(mp_page_table_walk(t, m->va, at), s.lines);
    for (unsigned i = 0; i + 1 < s.lines; i++)
        assert_int_equal(at[i], s.line[i]);
    assert_int_equal(at[s.lines - 1], s.entry_at ? s.entry_at : s.line[s.lines - 1]);
}

static void change_page(struct rng *r, struct mapping *m, unsigned *full)
{
    struct mp_page_table *t = &b.table[m->space];
    struct mp_error err;
    uint64_t pa, to = rng_below(r, 1u << 20) * 4096ull;
    if (m->mapped && rng_percent(r, 60)) {
        assert_int_equal(mp_page_table_unmap(t, m->va + 9, &pa), 12);
        assert_int_equal(pa, m->pa);
        m->mapped = false;
    } else if (m->mapped && rng_percent(r, 50)) {
        m->read_only = !m->read_only;
        mp_page_table_change(t, m->va, m->pa | 3 | (m->read_only ? 4 : 0));
    } else {
        bool no_room = full_for(m->va, m->space);
        if (rng_percent(r, 20))
            assert_int_equal(mp_page_table_reach(t, m->va, 0, &err), no_room ? -1 : 0);
        assert_int_equal(mp_page_table_map(t, m->va, to, 0, &err), no_room ? -1 : 0);
        *full += no_room;
        if (no_room) {
            assert_non_null(strstr(
                err.text, "finds no room in the hashed page table of 32 lines; a larger hashed.lines"));
            return;
        }
        m->pa = to;
        m->mapped = true;
        m->read_only = false;
    }
}

/* Pages in the same cluster, in others, and everything at addresses of 48 bits. */
static void pages_at_random(void **state)
{
    struct rng r = rng_start("hashed", 77);
    unsigned full = 0;
    (void)state;
    set_up_with(&mp_frames_ascending, LINES, PROBES);
    for (unsigned i = 0; i < PAGES; i++) {
        b.page[i].space = i % 2;
        do { /* neighbours, or an address anywhere */
            b.page[i].va = i > 1 && rng_percent(&r, 85) ? b.page[i - 2].va + 4096 * (1 + rng_below(&r, 3))
                                                        : rng_next(&r) >> 16 >> 12 << 12;
            b.page[i].va &= (1ull << 48) - 1;
            for (unsigned k = i % 2; k < i; k += 2)
                if (b.page[k].va == b.page[i].va)
                    b.page[i].va = ~0ull;
        } while (b.page[i].va == ~0ull);
    }
    for (unsigned step = 0; step < 40000; step++) {
        unsigned i = rng_below(&r, step < 20000 ? PAGES : PAGES / 8); /* first too many, then some */
        change_page(&r, &b.page[i], &full);
        check_page(&b.page[i]);
        check_page(&b.page[rng_below(&r, PAGES)]);
    }
    for (unsigned i = 0; i < PAGES; i++)
        check_page(&b.page[i]);
    assert_true(full > 100);
    uint64_t pa;
    assert_int_equal(mp_page_table_find(&b.table[0], 1ull << 48, &pa), 0);
    mp_page_table_change(&b.table[0], 0x7ffff0000000, 3); /* no such page: nothing is written */
    assert_int_equal(mp_page_table_find(&b.table[0], 0x7ffff0000000, &pa), 0);
}

/* Addresses whose clusters begin in the same line, so that it overflows. */
static void find_colliding(uint64_t va[], unsigned n)
{
    uint64_t line = line_of(0x1000000, 0, 0, LINES);
    unsigned found = 0;
    for (uint64_t at = 0x1000000; found < n; at += 0x8000)
        if (line_of(at, 0, 0, LINES) == line)
            va[found++] = at;
}

static void what_was_in_use_does_not_end_a_walk(void **state)
{
    uint64_t va[5], pa, at[MP_MAX_LEVELS];
    (void)state;
    set_up_with(&mp_frames_ascending, LINES, PROBES);
    find_colliding(va, 5);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(mp_page_table_map(&b.table[0], va[i], (i + 1) * 0x1000, 0, NULL), 0);
    assert_int_equal(mp_page_table_walk(&b.table[0], va[1], at), 1);
    assert_int_equal(mp_page_table_walk(&b.table[0], va[3], at), 2);
    assert_int_equal(mp_page_table_unmap(&b.table[0], va[0], &pa), 12);
    assert_int_equal(mp_page_table_unmap(&b.table[0], va[1], &pa), 12);
    assert_int_equal(mp_page_table_find(&b.table[0], va[3], &pa),
                     12); /* behind two places that were in use */
    assert_int_equal(pa, 0x4000);
    assert_int_equal(mp_page_table_map(&b.table[0], va[4], 0x5000, 0, NULL), 0);
    assert_int_equal(mp_page_table_walk(&b.table[0], va[4], at), 1); /* it has taken one of them */
    assert_int_equal(at[0], line_of(va[4], 0, 0, LINES));
    for (unsigned i = 2; i < 5; i++)
        assert_int_equal(mp_page_table_unmap(&b.table[0], va[i], &pa), 12);
    /* The last cluster of a chain leaves a place that never was in use, for nothing is behind it. */
    assert_int_equal(mp_physmem_read64(&b.memory, line_of(va[0], 0, 1, LINES) + 64), 0);
}

/* The pages of a cluster share a line, and leave it one by one. */
static void neighbours_share_a_cluster(void **state)
{
    uint64_t pa, at[MP_MAX_LEVELS], first = 0;
    (void)state;
    set_up_with(&mp_frames_ascending, LINES, PROBES);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(mp_page_table_map(&b.table[0], 0x40000000 + i * 4096, 0x9000, 0, NULL), 0);
        assert_int_equal(mp_page_table_walk(&b.table[0], 0x40000000 + i * 4096, at), 1);
        first = i ? first : at[0];
        assert_int_equal(at[0], first + 8 * i);
    }
    assert_int_equal(mp_page_table_find(&b.table[1], 0x40000000, &pa), 0); /* another address space */
    assert_int_equal(b.memory.present, 1);
    for (unsigned i = 0; i < 8; i++) {
        assert_true(mp_physmem_read64(&b.memory, first) >> 56);
        assert_int_equal(mp_page_table_unmap(&b.table[0], 0x40000000 + i * 4096, &pa), 12);
    }
    assert_int_equal(mp_physmem_read64(&b.memory, first), 0);
}

/* --- the array's memory --------------------------------------------------------------------------------- */

struct apart {
    uint64_t next;
};

static int apart_init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    (void)err;
    ((struct apart *)state)->next = p->base;
    return 0;
}

static int apart_take(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct apart *a = state;
    (void)tenant, (void)err;
    *pa = a->next;
    a->next += a->next == BASE + 8192 ? 8192 : 4096;
    return 0;
}

static void apart_free(void *state)
{
    (void)state;
}

static void the_array_is_in_one_piece(void **state)
{
    static const struct mp_frame_allocator apart = {.design = {.name = "apart"},
                                                    .bytes = sizeof(struct apart),
                                                    .init = apart_init,
                                                    .free = apart_free,
                                                    .take_table = apart_take};
    const struct mp_design_values more = {{128, 1}}; /* 4 frames, of which the last is elsewhere */
    struct mp_error err;
    (void)state;
    set_up_with(&apart, 32, 128);
    assert_int_equal(b.table[0].root, BASE | 5 | 127 << 5);
    b.table[1].root = 0;
    assert_int_equal(mp_page_table_start(&b.table[1], &more, &err), -1);
    assert_non_null(strstr(err.text, "vm.table = hashed needs 16384 B in one piece, and frame "));
    tear_down(NULL);
    set_up_with(&mp_frames_ascending, 1024, 3); /* whose frames of tables come in descending order */
    assert_int_equal(b.table[0].root, (BASE + 16 * MB - 1024 * 128) | 10 | 2 << 5);
    tear_down(NULL);
    set_up_with(&mp_frames_buddy, 1024, 3);
    assert_int_equal(b.table[0].root & 0xfff, 10 | 2 << 5);
    assert_int_equal(mp_page_table_hashed.check(mp_page_format(65536), 16, NULL, &err), 0);
    assert_int_equal(mp_page_table_hashed.check(&mp_page_format_mixed, 12, NULL, &err), -1);
    assert_int_equal(mp_page_table_hashed.check(mp_page_formats[0], 12, NULL, &err), -1);
    assert_non_null(strstr(err.text, "nvidia-v2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pages_at_random, tear_down),
        cmocka_unit_test_teardown(what_was_in_use_does_not_end_a_walk, tear_down),
        cmocka_unit_test_teardown(neighbours_share_a_cluster, tear_down),
        cmocka_unit_test_teardown(the_array_is_in_one_piece, tear_down),
    };
    return cmocka_run_group_tests_name("hashed page table", tests, NULL, NULL);
}
