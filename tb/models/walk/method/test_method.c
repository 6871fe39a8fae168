/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A walk method of the test's own. It does what a method for subregion contiguity has to do, on pages of 4
 * KB: it reads contiguity bits in entries that point to a table, chooses which leaf it reads, answers with a
 * span of pages, reads further leaves after its answer, ends at a large leaf on an upper level, and has a
 * cache, a counter and a parameter.
 *
 * A frame is 2 MB, a subregion an eighth of it. Bit 52 + r of the entry for a frame says that subregion r is
 * mapped to consecutive frames, bit 60 that the whole frame is.
 */
#include "../walk_bench.h"
#include "walk/method/entry.h"

#define FRAME      21u
#define SUBREGION  18u
#define CONTIGUOUS 52u
#define WHOLE      (1ull << 60)

struct toy_stats {
    uint64_t heads, hits;
};

static const struct mp_metric toy_metrics[] = {
    MP_COUNTER_OF(struct toy_stats, heads, "entries", "leaves read after the answer"),
    MP_COUNTER_OF(struct toy_stats, hits, "lookups", "of the method's cache"),
};
static const struct mp_metric_table toy_counters = {"walk.toy", sizeof(struct toy_stats), 2, toy_metrics};
static const struct mp_design_param toy_params[] = {
    {"most", "entries", NULL, 7, 0, 7, "mempath", "leaves read after the answer, at most", false},
    {0},
};

enum toy_mode { PAGE, HEAD, ALL };

struct toy {
    struct mp_pte_form table, frame, large, leaf;
    uint64_t most;
    struct {
        bool valid;
        uint16_t asid;
        uint64_t frame;
        struct mp_span span[8]; /* of each subregion */
    } cache;
    struct toy_walk {
        enum toy_mode mode;
        uint32_t left;          /* subregions whose heads are still to be read, a bit each */
        uint32_t reading, read; /* the one that is read now; those that were */
        uint64_t head[8];       /* their frames */
    } walk[];                   /* by walker */
};

static size_t toy_bytes(const struct mp_walk_params *p)
{
    return sizeof(struct toy) + p->geometry.walkers * sizeof(struct toy_walk);
}

static void toy_init(void *state, const struct mp_walk_params *p)
{
    struct toy *y = state;
    y->table = mp_walk_table_form(0);
    y->frame = mp_walk_table_form(0xffull << CONTIGUOUS | WHOLE);
    y->large = mp_walk_leaf_form(FRAME, 0);
    y->leaf = mp_walk_leaf_form(p->format->page_shift, 0);
    y->most = p->values.v[0];
}

static struct toy_walk *walk_of(const struct mp_walk *w, const struct mp_walker *k)
{
    return &((struct toy *)w->method)->walk[k - w->walker];
}

static uint32_t subregion(uint64_t va)
{
    return (uint32_t)(va >> SUBREGION) & 7;
}

/* The read at the last level that this entry for the frame asks for. */
static enum mp_walk_step choose_leaf(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct toy_walk *x = walk_of(w, k);
    uint32_t r = subregion(k->walk->va);
    mp_walk_point(w, k, 3, entry & MP_PTE_ADDRESS);
    *x = (struct toy_walk){.reading = r};
    if (entry & WHOLE) {
        x->mode = ALL;
        k->at = k->table;
    } else if (entry >> CONTIGUOUS & 1u << r) {
        x->mode = HEAD;
        x->left = (uint32_t)(entry >> CONTIGUOUS) & 0xff & ~(1u << r);
        k->at = k->table + 8 * 64 * r;
    }
    return MP_WALK_READ;
}

static enum mp_walk_step toy_begin(struct mp_walk *w, struct mp_walker *k)
{
    uint64_t entry;
    mp_walk_point_at_root(w, k);
    if (mp_pwc_lookup(&w->pwc, k->walk->asid, k->walk->va, &entry) == 3)
        return choose_leaf(w, k, entry); /* the cached entry has the contiguity bits */
    return MP_WALK_READ;
}

static struct mp_span span_of(const struct toy_walk *x, uint32_t r)
{
    struct mp_span s = {.unit = SUBREGION - 12};
    for (uint32_t i = r; i && x->read >> (i - 1) & 1 && x->head[i - 1] + (1u << SUBREGION) == x->head[i]; i--)
        s.before++;
    for (uint32_t i = r; i < 7 && x->read >> (i + 1) & 1 && x->head[i] + (1u << SUBREGION) == x->head[i + 1];
         i++)
        s.after++;
    return s;
}

/* A head has come: the answer, or one of those that are read after it. */
static enum mp_walk_step head(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    struct toy *y = w->method;
    struct toy_walk *x = walk_of(w, k);
    struct toy_stats *s = (struct toy_stats *)w->method_stats + k->walk->tenant;
    uint64_t va = k->walk->va, offset = va & ((1u << SUBREGION) - 1);
    uint32_t r = subregion(va);
    bool first = !x->read;
    x->head[x->reading] = entry & MP_PTE_ADDRESS;
    x->read |= 1u << x->reading;
    s->heads += !first;
    if (first && y->cache.valid && y->cache.asid == k->walk->asid && y->cache.frame == va >> FRAME) {
        s->hits++;
        mp_walk_result(k, x->head[r] + offset, 12, y->cache.span[r]);
        return MP_WALK_END;
    }
    if (x->left && (uint64_t)__builtin_popcount(x->read) <= y->most) {
        x->reading = (uint32_t)__builtin_ctz(x->left);
        x->left &= x->left - 1;
        k->at = k->table + 8 * 64 * x->reading;
        if (!first)
            return MP_WALK_READ;
        mp_walk_result(k, x->head[r] + offset, 12, (struct mp_span){0});
        return MP_WALK_ANSWER_AND_READ;
    }
    mp_walk_result(k, x->head[r] + offset, 12, span_of(x, r));
    y->cache.valid = true;
    y->cache.asid = k->walk->asid;
    y->cache.frame = va >> FRAME;
    for (uint32_t i = 0; i < 8; i++)
        y->cache.span[i] = span_of(x, i);
    return MP_WALK_END;
}

static enum mp_walk_step toy_next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct toy *y = w->method;
    uint64_t va = k->walk->va;
    const struct mp_pte_form *f = k->level < 2                           ? &y->table
                                  : k->level == 2 && entry & MP_PTE_LEAF ? &y->large
                                  : k->level == 2                        ? &y->frame
                                                                         : &y->leaf;
    if (!mp_walk_good(w, k, f, entry))
        return mp_walk_fail(k, f, entry);
    if (f == &y->large) {
        mp_walk_result(k, (entry & MP_PTE_ADDRESS) | (va & ((1u << FRAME) - 1)), 12,
                       (struct mp_span){.unit = FRAME - 12});
        return MP_WALK_END;
    }
    if (k->level < 3)
        mp_pwc_fill(&w->pwc, k->walk->asid, k->level, va, entry);
    if (k->level == 2)
        return choose_leaf(w, k, entry);
    if (k->level < 2) {
        mp_walk_point(w, k, k->level + 1, entry & MP_PTE_ADDRESS);
        return MP_WALK_READ;
    }
    struct mp_span all = {.unit = SUBREGION - 12,
                          .before = subregion(va) & 7,
                          .after = (7 - subregion(va)) & 7,
                          .read_only = entry / MP_PTE_READ_ONLY % 2};
    switch (walk_of(w, k)->mode) {
    case HEAD:
        return head(w, k, entry);
    case ALL:
        mp_walk_result(k, (entry & MP_PTE_ADDRESS) + (va & ((1u << FRAME) - 1)), 12, all);
        return MP_WALK_END;
    default:
        mp_walk_page(k, f, entry);
        return MP_WALK_END;
    }
}

static uint32_t toy_invalidate(struct mp_walk *w, const struct mp_scope *scope)
{
    struct toy *y = w->method;
    bool gone = y->cache.valid && mp_scope_has(scope, y->cache.asid, y->cache.frame << FRAME, FRAME);
    y->cache.valid &= !gone;
    return gone;
}

static const struct mp_walk_method toy = {
    .design = {.name = "toy",
               .title = "a method of this test",
               .params = toy_params,
               .counters = &toy_counters},
    .reach = FRAME,
    .bytes = toy_bytes,
    .init = toy_init,
    .begin = toy_begin,
    .next = toy_next,
    .again = mp_walk_point_at_root,
    .invalidate = toy_invalidate,
};

/* ---- the bench ---- */

#define VA   0x123456600000ull /* a frame */
#define BASE 0x4000000ull      /* where it is mapped */

struct response {
    uint64_t when, pa;
    struct mp_span span;
    uint8_t source, fault;
};

static struct response response[16];
static uint32_t responses;
static struct mp_req request[8];
static uint32_t requests;

static void responded(void *unused, struct mp_req *req)
{
    (void)unused;
    response[responses++] = (struct response){b.wheel.now, req->pa, req->span, req->source, req->fault};
}

static void resumed(void *unused, unsigned port)
{
    (void)unused;
    (void)port;
}

static struct mp_walk_params with_toy(void)
{
    struct mp_walk_params p = base();
    p.method = &toy;
    p.values = mp_design_defaults(&toy.design);
    p.format = mp_page_format(4096);
    p.geometry.walkers = 1;
    p.pwc_entries = 0;
    return p;
}

static void begin(const struct mp_walk_params *p)
{
    set_up(p);
    responses = requests = 0;
    b.walk.ports.up[0] = mp_initiator_of(responded, resumed, NULL, 0);
}

static void send(uint64_t va)
{
    uint32_t delay;
    struct mp_req *req = &request[requests++];
    *req = (struct mp_req){.va = va, .op = MP_TRANSLATE, .sent = b.wheel.now};
    assert_int_equal(mp_walk_request(&b.walk, 0, req, &delay), MP_TAKEN);
}

/* Maps a subregion of the frame VA to consecutive pages. */
static void map_subregion(uint32_t r, uint64_t pa)
{
    for (uint64_t i = 0; i < 64; i++)
        assert_int_equal(mp_page_table_map(&b.table[0], VA + ((uint64_t)r << SUBREGION) + (i << 12),
                                           pa + (i << 12), 0, NULL),
                         0);
}

static uint64_t entry_address(unsigned level, uint64_t va)
{
    uint64_t table = b.table[0].root;
    for (unsigned l = 0; l < level; l++)
        table = mp_walk_entry(&b.walk, mp_pte_address(b.table[0].format, l, table, va)) & MP_PTE_ADDRESS;
    return mp_pte_address(b.table[0].format, level, table, va);
}

static void change(unsigned level, uint64_t va, uint64_t set, uint64_t clear)
{
    uint64_t at = entry_address(level, va);
    assert_int_equal(mp_physmem_write64(&b.physmem, at, (mp_walk_entry(&b.walk, at) & ~clear) | set), 0);
}

/* Subregions 0, 1, 2 and 5 are contiguous, and 0 to 2 are consecutive; a page of subregion 7 is mapped
 * elsewhere. */
static void map_frame(void)
{
    for (uint32_t r = 0; r < 3; r++)
        map_subregion(r, BASE + ((uint64_t)r << SUBREGION));
    map_subregion(5, 2 * BASE);
    assert_int_equal(mp_page_table_map(&b.table[0], VA + (7ull << SUBREGION), 3 * BASE, 0, NULL), 0);
    change(2, VA, 0x27ull << CONTIGUOUS, 0);
}

static void came(uint32_t i, uint64_t when, uint8_t source, uint64_t pa, struct mp_span span)
{
    assert_true(i < responses);
    assert_int_equal(response[i].when, when);
    assert_int_equal(response[i].source, source);
    assert_int_equal(response[i].fault, MP_FAULT_NONE);
    assert_int_equal(response[i].pa, pa);
    assert_memory_equal(&response[i].span, &span, sizeof span);
}

static const struct toy_stats *stats(void)
{
    return b.walk.method_stats;
}

/* ---- tests ---- */

static void it_reads_on_after_its_answer(void **state)
{
    (void)state;
    const struct mp_walk_params p = with_toy();
    begin(&p);
    map_frame();
    send(VA + (1u << SUBREGION) + 0x5123);
    send(VA + (7u << SUBREGION)); /* waits for the walker */
    run_dry(&b.wheel);
    assert_int_equal(responses, 3);
    came(0, 4 * LEVEL, MP_FROM_WALK_EARLY, BASE + (1u << SUBREGION) + 0x5123, (struct mp_span){0});
    came(1, 7 * LEVEL, MP_FROM_WALK, BASE + (1u << SUBREGION) + 0x5123,
         (struct mp_span){.unit = 6, .before = 1, .after = 1});
    came(2, 11 * LEVEL, MP_FROM_WALK, 3 * BASE, (struct mp_span){0});
    const struct mp_walk_stats *s = b.walk.stats;
    assert_int_equal(s->walks, 2);
    assert_int_equal(s->walk_cycles, 11 * LEVEL); /* while the walker was busy */
    assert_int_equal(s->queue_cycles, 7 * LEVEL);
    assert_int_equal(s->levels_read, 7 + 4);
    assert_int_equal(s->walk_latency.bin[32 * 3 + (400 >> 3)], 1); /* to the answer */
    assert_int_equal(s->walk_latency.bin[32 * 5 + (1100 >> 5)], 1);
    assert_int_equal(s->walk_latency.most, 1100);
    assert_int_equal(stats()->heads, 3);
    assert_int_equal(b.walk.records.spares, b.walk.records.size);
}

static void its_cache_saves_the_reads(void **state)
{
    (void)state;
    const struct mp_walk_params p = with_toy();
    begin(&p);
    map_frame();
    send(VA);
    run_dry(&b.wheel);
    uint64_t start = b.wheel.now;
    send(VA + (2u << SUBREGION));
    run_dry(&b.wheel);
    came(2, start + 4 * LEVEL, MP_FROM_WALK, BASE + (2u << SUBREGION),
         (struct mp_span){.unit = 6, .before = 2});
    assert_int_equal(stats()->hits, 1);
    const struct mp_scope other = {.va = VA + (1u << FRAME)}, same = {.va = VA + 0x1ff000};
    assert_int_equal(mp_walk_invalidate(&b.walk, &other), 0);
    assert_int_equal(mp_walk_invalidate(&b.walk, &same), 1);
    send(VA);
    run_dry(&b.wheel);
    assert_int_equal(stats()->hits, 1);
    assert_int_equal(stats()->heads, 6);
}

static void its_parameter_limits_the_reads(void **state)
{
    for (uint32_t most = 0; most < 3; most++) {
        struct mp_walk_params p = with_toy();
        p.values.v[0] = most;
        begin(&p);
        map_frame();
        send(VA + (1u << SUBREGION));
        run_dry(&b.wheel);
        assert_int_equal(responses, most ? 2 : 1);
        came(responses - 1, (4 + most) * LEVEL, MP_FROM_WALK, BASE + (1u << SUBREGION),
             (struct mp_span){.unit = 6, .before = most > 0, .after = most > 1});
        assert_int_equal(stats()->heads, most);
        if (most < 2)
            tear_down(state);
    }
}

static void it_reads_another_leaf_than_the_page_s(void **state)
{
    (void)state;
    struct mp_walk_params p = with_toy();
    p.level_latency = 0;
    begin(&p);
    for (uint32_t r = 0; r < 8; r++)
        map_subregion(r, BASE + ((uint64_t)r << SUBREGION));
    change(2, VA, 0xffull << CONTIGUOUS | WHOLE, 0);
    change(3, VA, MP_PTE_READ_ONLY, 0);
    send(VA + (6u << SUBREGION) + 0x3456);
    run_dry(&b.wheel);
    came(0, 4 * 30, MP_FROM_WALK, BASE + (6u << SUBREGION) + 0x3456,
         (struct mp_span){.unit = 6, .before = 6, .after = 1, .read_only = 1});
    assert_int_equal(b.memory.seen, 4);
    assert_int_equal(b.memory.log[3].pa, entry_address(3, VA)); /* the entry of the frame's first page */
}

static void it_ends_at_a_large_leaf(void **state)
{
    (void)state;
    struct mp_walk_params p = with_toy();
    p.pwc_entries = p.pwc_ways = 8;
    begin(&p);
    map_subregion(0, BASE); /* for the upper levels */
    change(2, VA, BASE | MP_PTE_VALID | MP_PTE_LEAF, ~0ull);
    send(VA + 0x123456);
    run_dry(&b.wheel);
    came(0, 3 * LEVEL, MP_FROM_WALK, BASE + 0x123456, (struct mp_span){.unit = 9});
    uint64_t entry;
    assert_int_equal(mp_pwc_lookup(&b.walk.pwc, 0, VA, &entry), 2); /* leaves are not cached */
    change(2, VA, 1ull << FRAME >> 1, 0);
    send(VA);
    run_dry(&b.wheel);
    assert_int_equal(response[1].fault, MP_FAULT_MISALIGNED | 2 << MP_FAULT_LEVEL_SHIFT);
}

/* The bits come from the page walk cache as well as from memory. */
static void the_page_walk_cache_has_its_bits(void **state)
{
    (void)state;
    struct mp_walk_params p = with_toy();
    p.pwc_entries = p.pwc_ways = 8;
    begin(&p);
    map_frame();
    send(VA);
    run_dry(&b.wheel);
    uint64_t start = b.wheel.now;
    send(VA + (5u << SUBREGION));
    run_dry(&b.wheel);
    came(2, start + LEVEL, MP_FROM_WALK, 2 * BASE, (struct mp_span){.unit = 6});
}

/* Other methods ignore them in the entry of a frame. In those of other levels they are reserved for all. */
static void only_it_uses_the_bits(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_radix, &mp_walk_hpca21, &toy};
    for (unsigned i = 0; i < 3; i++) {
        struct mp_walk_params p = with_toy();
        p.method = methods[i];
        begin(&p);
        map_frame();
        send(VA + 4096);
        run_dry(&b.wheel);
        assert_int_equal(response[0].fault, MP_FAULT_NONE);
        assert_int_equal(response[0].pa, BASE + 4096);
        change(1, VA, 1ull << CONTIGUOUS, 0);
        send(VA);
        run_dry(&b.wheel);
        assert_int_equal(response[responses - 1].fault, MP_FAULT_RESERVED | 1 << MP_FAULT_LEVEL_SHIFT);
        assert_int_equal(response[responses - 1].pa, entry_address(1, VA));
        assert_int_equal(b.walk.stats[0].faults, 1);
        tear_down(state);
    }
    const struct mp_walk_params p = with_toy();
    begin(&p);
}

/* A page of the frame changes, not the one that is walked. */
static void a_change_of_the_frame_concerns_it(void **state)
{
    const struct mp_scope scope = {.va = VA + (7u << SUBREGION)};
    for (uint64_t when = 50; when < 7 * LEVEL; when += LEVEL) {
        const struct mp_walk_params p = with_toy();
        begin(&p);
        map_frame();
        send(VA);
        at_cycle(when);
        change(2, VA, 0, 0xffull << CONTIGUOUS);
        mp_walk_invalidate(&b.walk, &scope);
        run_dry(&b.wheel);
        if (when < 4 * LEVEL) { /* begins again; the read in flight becomes that of the root */
            assert_int_equal(responses, 1);
            came(0, when - 50 + 4 * LEVEL, MP_FROM_WALK, BASE, (struct mp_span){0});
        } else { /* ends with the read in flight, and nothing is kept */
            assert_int_equal(responses, 2);
            came(0, 4 * LEVEL, MP_FROM_WALK_EARLY, BASE, (struct mp_span){0});
            came(1, when + 50, MP_FROM_NOTHING, BASE, (struct mp_span){0});
            assert_false(((struct toy *)b.walk.method)->cache.valid);
        }
        assert_int_equal(b.walk.stats[0].walks, 1);
        assert_true(mp_walk_idle(&b.walk));
        tear_down(state);
    }
    const struct mp_walk_params p = with_toy();
    begin(&p);
    map_frame();
    send(VA);
    at_cycle(5 * LEVEL - 1);
    mp_walk_invalidate(&b.walk, &(const struct mp_scope){.va = VA + (1u << FRAME)}); /* another frame */
    run_dry(&b.wheel);
    assert_int_equal(response[1].source, MP_FROM_WALK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(it_reads_on_after_its_answer, tear_down),
        cmocka_unit_test_teardown(its_cache_saves_the_reads, tear_down),
        cmocka_unit_test_teardown(its_parameter_limits_the_reads, tear_down),
        cmocka_unit_test_teardown(it_reads_another_leaf_than_the_page_s, tear_down),
        cmocka_unit_test_teardown(it_ends_at_a_large_leaf, tear_down),
        cmocka_unit_test_teardown(the_page_walk_cache_has_its_bits, tear_down),
        cmocka_unit_test_teardown(only_it_uses_the_bits, tear_down),
        cmocka_unit_test_teardown(a_change_of_the_frame_concerns_it, tear_down),
    };
    return cmocka_run_group_tests_name("a walk method", tests, NULL, NULL);
}
