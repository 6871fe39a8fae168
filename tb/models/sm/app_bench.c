/* SPDX-License-Identifier: Apache-2.0 */
#include "app_bench.h"

#include <unistd.h>

struct app_bench b;

static void set_up_sm(uint32_t i, uint32_t ctas, void (*translate)(struct fake_target *t, struct mp_req *req))
{
    const struct mp_sm_params p = {.id = i,
                                   .warps = 8,
                                   .ctas = ctas,
                                   .local_bytes = 1000,
                                   .schedulers =
                                       8, /* one per warp: what a scheduler remembers changes nothing */
                                   .outstanding = 2,
                                   .lsu_queue = 4,
                                   .scheduler = mp_warp_scheduler_find("gto"),
                                   .coalescer = &b.coalescer,
                                   .tenants = 4};
    assert_int_equal(mp_sm_init(&b.sm[i], &b.wheel, &p), 0);
    b.sms[i] = &b.sm[i];
    b.tlb[i] = fake_target_make(&b.wheel, NULL, TLB, TLB);
    b.tlb[i].answer = translate;
    b.tlb[i].up = mp_initiator_of(mp_sm_translated, mp_sm_translate_resume, &b.sm[i], 0);
    mp_sm_join(&b.sm[i], MP_SM_TRANSLATE, fake_target_end(&b.tlb[i]));
    b.cache[i] = fake_target_make(&b.wheel, NULL, CACHE, CACHE);
    b.cache[i].up = mp_initiator_of(mp_sm_loaded, mp_sm_data_resume, &b.sm[i], 0);
    mp_sm_join(&b.sm[i], MP_SM_DATA, fake_target_end(&b.cache[i]));
}

void set_up_sms(uint32_t ctas, void (*translate)(struct fake_target *t, struct mp_req *req))
{
    b = (struct app_bench){.rng = b.rng, .coalescer.page_shift = 16, .coalescer.line_shift = 7};
    mp_wheel_init(&b.wheel);
    for (uint32_t i = 0; i < SMS; i++)
        set_up_sm(i, ctas, translate);
}

void tear_down_sms(void)
{
    for (uint32_t i = 0; i < SMS; i++) {
        free(b.tlb[i].log);
        free(b.cache[i].log);
        mp_sm_free(&b.sm[i]);
    }
    mp_wheel_free(&b.wheel);
}

/* --- tenants -------------------------------------------------------------------------------------- */

struct tenant tenants[TENANTS];

static int map(void *self, uint32_t tenant, uint64_t number, uint64_t va, uint64_t bytes,
               struct mp_error *err)
{
    (void)self, (void)tenant, (void)number, (void)va, (void)bytes, (void)err;
    return 0;
}

static void unmap(void *self, uint32_t tenant, uint64_t va, uint64_t bytes)
{
    (void)self, (void)tenant, (void)va, (void)bytes;
}

static void completed(void *self, uint32_t tenant)
{
    struct tenant *t = self;
    assert_int_equal(tenant, t->app.p.tenant);
    t->completed++;
    t->end = b.wheel.now;
}

static void preempted(void *self, uint32_t tenant)
{
    struct tenant *t = self;
    assert_int_equal(tenant, t->app.p.tenant);
    assert_int_equal(t->app.running | t->app.warps, 0);
    t->preempted++;
}

static void failed(void *self, uint32_t tenant, const char *why)
{
    (void)self;
    fail_msg("tenant %u: %s", tenant, why);
}

static bool fault(void *self, struct mp_sm *sm, struct mp_req *page)
{
    struct tenant *t = self;
    assert_ptr_equal(sm, &b.sm[page->sm]);
    assert_int_equal(page->asid, t->app.p.asid);
    assert_int_equal(page->tenant, t->app.p.tenant);
    t->faults++;
    if (t->keeps_faults)
        mp_queue_push(&t->kept, page);
    else
        mp_sm_give_up(sm, page);
    return true;
}

void start_tenant(uint32_t i, const struct mp_dispatch_policy *policy, uint64_t value, uint32_t first,
                  uint32_t own)
{
    struct tenant *t = &tenants[i];
    t->reader = end_trace();
    const struct mp_app_params p = {.tenant = tenant_of(i),
                                    .asid = asid_of(i),
                                    .launch_latency = LAUNCH,
                                    .reader = t->reader,
                                    .dispatch = policy,
                                    .values = {{value}},
                                    .sm = b.sms,
                                    .sms = SMS,
                                    .first_sm = first,
                                    .own_sms = own,
                                    .peer = i ? &tenants[0].app : NULL,
                                    .host = {.self = t,
                                             .map = map,
                                             .unmap = unmap,
                                             .completed = completed,
                                             .failed = failed,
                                             .fault = fault,
                                             .preempted = preempted}};
    assert_int_equal(mp_app_init(&t->app, &b.wheel, &p), 0);
    mp_app_start(&t->app);
}

void tear_down_tenants(void)
{
    for (uint32_t i = 0; i < TENANTS; i++) {
        mp_app_free(&tenants[i].app);
        gwt_close(tenants[i].reader);
        tenants[i] = (struct tenant){0};
    }
    tear_down_sms();
}

struct mp_sm_stats counted(uint32_t i)
{
    struct mp_sm_stats sum = {0};
    for (uint32_t k = 0; k < SMS; k++) {
        const struct mp_sm_stats *s = &b.sm[k].stats[tenant_of(i)];
        sum.issued += s->issued;
        sum.accesses += s->accesses;
        sum.pages += s->pages;
        sum.lines += s->lines;
        sum.ctas += s->ctas;
    }
    return sum;
}

/* --- traces --------------------------------------------------------------------------------------- */

void begin_trace(void)
{
    struct mp_error err;
    snprintf(b.path, sizeof b.path, "test_app_%ld.gwt", (long)getpid());
    if (gwt_writer_open(&b.writer, b.path, &err))
        fail_msg("%s", err.text);
}

struct gwt_reader *end_trace(void)
{
    struct mp_error err;
    struct gwt_reader *reader = NULL;
    if (gwt_writer_close(b.writer, &err) || gwt_open(&reader, b.path, &err))
        fail_msg("%s", err.text);
    unlink(b.path);
    return reader;
}

void kernel(uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    char name[] = "walk";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    const struct gwt_kernel k = {.name = name,
                                 .grid = {ctas, 1, 1},
                                 .block = {32 * warps, 1, 1},
                                 .local_bytes = local_bytes,
                                 .npcs = 1,
                                 .pcs = &pc};
    gwt_write_kernel(b.writer, &k);
}

void load(uint32_t gap, uint64_t va)
{
    const struct gwt_event e = {
        .kind = GWT_ACCESS, .op = GWT_LOAD, .gap = gap, .bytes = 4, .active = 1, .mask = 1, .lane = {va}};
    gwt_write_event(b.writer, &e);
}

void barrier(uint32_t gap)
{
    const struct gwt_event e = {.kind = GWT_BARRIER, .gap = gap};
    gwt_write_event(b.writer, &e);
}

void leave(uint32_t gap)
{
    const struct gwt_event e = {.kind = GWT_EXIT, .gap = gap};
    gwt_write_event(b.writer, &e);
}

void idle_cta(uint32_t id, uint32_t warps, uint32_t gap)
{
    gwt_write_cta(b.writer, id, warps);
    for (uint32_t w = 0; w < warps; w++) {
        gwt_write_warp(b.writer, w, 32);
        leave(gap);
    }
}

void idle_kernel(uint32_t gap)
{
    kernel(1, 1, 0);
    idle_cta(0, 1, gap);
    gwt_write_kernel_end(b.writer);
}

static void random_loads(void)
{
    for (uint32_t n = rng_below(&b.rng, 4); n; n--)
        load(rng_below(&b.rng, 40), HEAP + rng_below(&b.rng, 4 * PAGE) / 4 * 4);
}

void kernel_of_random_loads(uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    kernel(ctas, warps, local_bytes);
    for (uint32_t c = 0; c < ctas; c++) {
        gwt_write_cta(b.writer, c, warps);
        for (uint32_t w = 0; w < warps; w++) {
            gwt_write_warp(b.writer, w, 32);
            random_loads();
            barrier(1);
            random_loads();
            leave(rng_below(&b.rng, 9));
        }
    }
    gwt_write_kernel_end(b.writer);
}
