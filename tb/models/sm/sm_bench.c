/* SPDX-License-Identifier: Apache-2.0 */
#include "sm_bench.h"

#include <unistd.h>

struct bench b;

static uint64_t frame_of(uint64_t va)
{
    return (va / PAGE * 5 + 3) % 65536 * PAGE;
}

static void translate(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    req->pa = frame_of(req->va) + req->va % PAGE;
}

static void load_line(struct fake_target *t, struct mp_req *req)
{
    (void)t;
    assert_int_equal(req->pa, frame_of(req->va) + req->va % PAGE);
    assert_int_equal(req->va % LINE, 0);
}

void start_what_fits(void)
{
    while (b.started < b.ctas && mp_sm_has_room(&b.sm, b.cta[b.started]->nwarps, b.local_bytes)) {
        b.started++;
        struct gwt_cta *cta = b.cta[b.started - 1];
        mp_sm_start_cta(&b.sm, &b.owner, cta, cta->nwarps, b.local_bytes);
    }
}

static uint32_t next(void *self, void *work, uint32_t warp, struct gwt_step *step, uint32_t room)
{
    const struct gwt_cta *cta = work;
    assert_ptr_equal(self, &b);
    uint32_t n = gwt_warp_steps(cta->warp[warp], step, room);
    assert_in_range(n, 1, room);
    return n;
}

static void access_done(void *self, void *work, uint32_t warp, uint64_t issued)
{
    const struct gwt_cta *cta = work;
    assert_ptr_equal(self, &b);
    assert_true(warp < cta->nwarps);
    assert_true(issued <= b.wheel.now);
    b.accesses++;
}

static void cta_done(void *self, struct mp_sm *sm, void *cta)
{
    (void)self;
    assert_ptr_equal(sm, &b.sm);
    gwt_cta_release(b.reader, cta);
    b.done[b.ended++] = b.wheel.now;
    start_what_fits();
}

static bool fault(void *self, struct mp_sm *sm, struct mp_req *req)
{
    (void)self;
    (void)sm;
    (void)req;
    b.faults++;
    return false;
}

struct mp_sm_params base(void)
{
    return (struct mp_sm_params){.id = 3,
                                 .warps = 8,
                                 .ctas = 4,
                                 .local_bytes = 1000,
                                 .schedulers = 1,
                                 .outstanding = 2,
                                 .lsu_queue = 4,
                                 .scheduler = mp_warp_scheduler_find("gto"),
                                 .coalescer = &b.coalescer,
                                 .tenants = 1};
}

void set_up(const struct mp_sm_params *p)
{
    memset(&b, 0, sizeof b);
    b.coalescer.page_shift = 16;
    b.coalescer.line_shift = 7;
    b.rng = (struct rng){1};
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_sm_init(&b.sm, &b.wheel, p), 0);
    b.owner = (struct mp_sm_owner){
        .self = &b, .next = next, .access_done = access_done, .cta_done = cta_done, .fault = fault};
    b.tlb = fake_target_make(&b.wheel, &b.rng, TLB, TLB);
    b.tlb.answer = translate;
    b.tlb.done = 100;
    b.tlb.up = mp_initiator_of(mp_sm_translated, mp_sm_translate_resume, &b.sm, 0);
    if (!p->sends_virtual)
        mp_sm_join(&b.sm, MP_SM_TRANSLATE, fake_target_end(&b.tlb));
    b.cache = fake_target_make(&b.wheel, &b.rng, CACHE, CACHE);
    b.cache.answer = load_line;
    b.cache.done = 100;
    b.cache.up =
        mp_initiator_of(p->sends_virtual ? mp_sm_loaded_virtual : mp_sm_loaded, mp_sm_data_resume, &b.sm, 0);
    mp_sm_join(&b.sm, MP_SM_DATA, fake_target_end(&b.cache));
}

int tear_down(void **state)
{
    (void)state;
    gwt_close(b.reader);
    free(b.tlb.log);
    free(b.cache.log);
    mp_sm_free(&b.sm);
    mp_wheel_free(&b.wheel);
    return 0;
}

/* --- making a trace ------------------------------------------------------------------------------- */

void begin_trace(uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    struct mp_error err;
    char name[] = "k";
    struct gwt_pc pc[] = {{0x10, 'L', GWT_GLOBAL, 0}, {0x20, 'L', GWT_GLOBAL, 0}, {0x30, 'L', GWT_GLOBAL, 0}};
    uint32_t end[] = {0, 0, 1}, needed[] = {0};
    const struct gwt_needs needs = {end, needed};
    struct gwt_kernel k = {.name = name,
                           .grid = {ctas, 1, 1},
                           .block = {32 * warps, 1, 1},
                           .local_bytes = local_bytes,
                           .npcs = 3,
                           .pcs = pc};
    b.local_bytes = local_bytes;
    snprintf(b.path, sizeof b.path, "test_sm_%ld.gwt", (long)getpid());
    if (gwt_writer_open(&b.writer, b.path, &err))
        fail_msg("%s", err.text);
    gwt_write_alloc(b.writer, 1, HEAP, 1ull << 32);
    gwt_write_kernel(b.writer, &k);
    gwt_write_needs(b.writer, &needs);
}

void end_trace(void)
{
    struct mp_error err;
    struct gwt_record r;
    gwt_write_kernel_end(b.writer);
    if (gwt_writer_close(b.writer, &err) || gwt_open(&b.reader, b.path, &err))
        fail_msg("%s", err.text);
    gwt_follow_needs(b.reader);
    unlink(b.path);
    do {
        assert_int_equal(gwt_next(b.reader, &r, &err), 0);
        if (r.kind == GWT_CTA)
            b.cta[b.ctas++] = r.cta;
    } while (r.kind != GWT_END);
}

void warp(uint32_t index)
{
    gwt_write_warp(b.writer, index, 32);
}

struct gwt_event strided(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride)
{
    struct gwt_event e = {.kind = GWT_ACCESS, .op = GWT_LOAD, .gap = gap, .bytes = 4};
    e.active = (uint8_t)lanes;
    e.mask = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    for (uint32_t i = 0; i < lanes; i++)
        e.lane[i] = HEAP + offset + i * stride;
    return e;
}

void load(uint32_t gap, uint32_t lanes, uint64_t offset, uint64_t stride)
{
    const struct gwt_event e = strided(gap, lanes, offset, stride);
    gwt_write_event(b.writer, &e);
}

void point(enum gwt_event_kind kind, uint32_t gap)
{
    const struct gwt_event e = {.kind = (uint8_t)kind, .gap = gap};
    gwt_write_event(b.writer, &e);
}

void one_cta(uint32_t warps)
{
    begin_trace(1, warps, 0);
    gwt_write_cta(b.writer, 0, warps);
}

void run(void)
{
    end_trace();
    start_what_fits();
    run_dry(&b.wheel);
    assert_int_equal(b.ended, b.ctas);
}

void cycles_of(const struct fake_target *t, uint32_t count, uint64_t first, uint64_t step)
{
    assert_int_equal(t->seen, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(t->log[i].when, first + i * step);
}
