/* SPDX-License-Identifier: Apache-2.0 */
#include "mig_bench.h"

#include <unistd.h>

struct bench b;

/* --- workloads -------------------------------------------------------------------------------------- */

static struct gwt_event touch(unsigned page, enum gwt_op op)
{
    struct gwt_event e = {
        .kind = GWT_ACCESS, .op = (uint8_t)op, .gap = 5, .bytes = 4, .active = 2, .mask = 3};
    e.lane[0] = HEAP + page * PAGE;
    e.lane[1] = HEAP + (page * 7 + 3) % PAGES * PAGE + 256;
    return e;
}

static void write_kernel(struct gwt_writer *w, unsigned ctas, unsigned warps, unsigned accesses)
{
    char name[] = "k";
    struct gwt_pc pc = {.pc = 0x10, .kind = 'L', .space = GWT_GLOBAL};
    struct gwt_kernel k = {
        .name = name, .grid = {ctas, 1, 1}, .block = {32 * warps, 1, 1}, .npcs = 1, .pcs = &pc};
    const struct gwt_event exit = {.kind = GWT_EXIT, .gap = 1};
    gwt_write_kernel(w, &k);
    for (unsigned c = 0; c < ctas; c++) {
        gwt_write_cta(w, c, warps);
        for (unsigned i = 0; i < warps; i++) {
            gwt_write_warp(w, i, 32);
            for (unsigned a = 0; a < accesses; a++) {
                struct gwt_event e = touch((c * 11 + i * 5 + a * 3) % PAGES, a % 3 ? GWT_LOAD : GWT_STORE);
                gwt_write_event(w, &e);
            }
            gwt_write_event(w, &exit);
        }
    }
    gwt_write_kernel_end(w);
}

static struct gwt_reader *open_trace(unsigned workload)
{
    struct mp_error err;
    struct gwt_writer *w;
    struct gwt_reader *reader;
    if (gwt_writer_open(&w, b.path, &err))
        fail_msg("%s", err.text);
    gwt_write_alloc(w, 1, HEAP, PAGES * PAGE);
    for (unsigned k = 0; k < 2 && workload == 0; k++)
        write_kernel(w, 12, 3, 20);
    if (workload) {
        gwt_write_mapping(w, GWT_MAP, HEAP + PAGES * PAGE, PAGE);
        write_kernel(w, 1, 1, 1);
        gwt_write_host(w, GWT_HOST_READ, HEAP + 3, 100);
        gwt_write_mapping(w, GWT_UNMAP, HEAP + PAGES * PAGE + 1, 5);
    }
    if (gwt_writer_close(w, &err) || gwt_open(&reader, b.path, &err))
        fail_msg("%s", err.text);
    unlink(b.path);
    return reader;
}

static bool buffer(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *m)
{
    (void)self;
    *m = (struct mp_mgmt_memory){HEAP, PAGES * PAGE};
    return workload < 2 && number == 0;
}

static struct gwt_reader *lend(void *self, unsigned workload)
{
    (void)self;
    b.opened += workload < 2;
    return workload < 2 ? open_trace(workload) : NULL;
}

static void give_back(void *self, unsigned workload, struct gwt_reader *reader)
{
    (void)self;
    (void)workload;
    b.opened--;
    gwt_close(reader);
}

static void refused(void *self, const char *why)
{
    (void)self;
    snprintf(b.why, sizeof b.why, "%s", why);
}

/* --- the machine ------------------------------------------------------------------------------------ */

/* All designs in the order of their lists. Epochs of mask's tokens are short. */
static void set_numbers(struct mp_machine *m)
{
    static const struct mp_design_values mask = {{50, 80, 10, 2, 10, 8}};
    for (unsigned i = 0; mp_tlb_policies[i]; i++) {
        m->tlb_policy[i].policy = mp_tlb_policies[i];
        m->tlb_policy[i].own =
            mp_tlb_policies[i] == &mp_tlb_mask ? mask : mp_design_defaults(&mp_tlb_policies[i]->design);
    }
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        m->walk_scheduler[i].scheduler = mp_walk_schedulers[i];
        m->walk_scheduler[i].own = mp_design_defaults(&mp_walk_schedulers[i]->design);
    }
}

/* With three levels of TLBs, walks take a fixed latency. */
static struct mp_machine machine(unsigned tlb_levels)
{
    struct mp_machine m = small_machine();
    set_numbers(&m);
    m.clock_mhz = 1000;
    if (tlb_levels == 3)
        return m;
    m.walk.level_latency = 0;
    mp_machine_level(&m, "l3_tlb")->per = MP_PER_NONE;
    return m;
}

static void set_line(void *self, unsigned number, bool level)
{
    (void)self;
    b.line[number] = level;
}

void set_up(unsigned tlb_levels)
{
    set_up_dispatch(tlb_levels, NULL);
}

static void set_up_machine(const struct mp_machine *p)
{
    const struct mp_mig_host host = {&b, 2, buffer, lend, give_back, refused, false};
    memset(&b, 0, sizeof b);
    snprintf(b.path, sizeof b.path, "test_mig_%ld.gwt", (long)getpid());
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_mig_init(&b.gpu, &b.wheel, p, &host, NULL, NULL), 0);
    b.operations = mp_mig_operations(&b.gpu);
    b.gpu.mgmt = &b.mgmt;
    b.mgmt.gpu = &b.operations;
    b.mgmt.invalidate = (struct mp_line){&b, set_line, 1, false};
    b.mgmt.fault = (struct mp_line){&b, set_line, 2, false};
    b.mgmt.queue = (struct mp_line){&b, set_line, 3, false};
    mp_mgmt_init(&b.mgmt);
    W4(INT_ENABLE, 0xf);
}

void set_up_dispatch(unsigned tlb_levels, const struct mp_dispatch_policy *dispatch)
{
    struct mp_machine p = machine(tlb_levels);
    p.dispatch.policy = dispatch;
    p.sm.local_bytes = 1000; /* some policies need a little */
    set_up_machine(&p);
}

void set_up_short(uint32_t short_slices)
{
    struct mp_machine p = machine(3);
    p.short_slices = short_slices;
    set_up_machine(&p);
}

void set_up_host(void)
{
    const struct mp_host_params host = {.latency = 400, .line = 2 * 65536};
    struct mp_machine p = machine(3);
    mp_machine_add_host(&p, &host);
    mp_machine_add_copies(&p);
    set_up_machine(&p);
}

int tear_down(void **state)
{
    (void)state;
    mp_mig_free(&b.gpu);
    assert_int_equal(b.opened, 0);
    mp_wheel_free(&b.wheel);
    return 0;
}

/* --- registers -------------------------------------------------------------------------------------- */

static void set_register(uint64_t offset, unsigned width, uint64_t value)
{
    assert_true(mp_regs_access(&b.mgmt.regs, offset, width, true, &value));
}

static uint64_t get_register(uint64_t offset, unsigned width)
{
    uint64_t value = 0;
    assert_true(mp_regs_access(&b.mgmt.regs, offset, width, false, &value));
    return value;
}

void w4(uint64_t offset, uint32_t value)
{
    set_register(offset, 4, value);
}

void w8(uint64_t offset, uint64_t value)
{
    set_register(offset, 8, value);
}

uint32_t r4(uint64_t offset)
{
    return (uint32_t)get_register(offset, 4);
}

uint64_t r8(uint64_t offset)
{
    return get_register(offset, 8);
}

uint32_t create(unsigned instance, unsigned slices)
{
    W4(MIG_INSTANCE, instance);
    W4(MIG_SLICES, slices);
    W4(MIG_COMMAND, (uint32_t)MP_GPU_MIG_COMMAND_CREATE);
    return R4(MIG_STATUS);
}

uint32_t destroy(unsigned instance)
{
    W4(MIG_INSTANCE, instance);
    W4(MIG_COMMAND, (uint32_t)MP_GPU_MIG_COMMAND_DESTROY);
    return R4(MIG_STATUS);
}

uint32_t commit(unsigned asid, unsigned instance, uint64_t root)
{
    w8(MP_GPU_AS_ROOT + 8 * asid, root);
    w4(MP_GPU_AS_CONFIG + 4 * asid, 1u | instance << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    W4(AS_COMMIT, asid);
    return R4(AS_STATUS);
}

uint32_t launch(unsigned instance, unsigned asid, unsigned workload, uint32_t tag)
{
    W4(RUN_INSTANCE, instance);
    W4(RUN_ASID, asid);
    W4(RUN_WORKLOAD, workload);
    W4(RUN_DOORBELL, tag);
    return R4(RUN_STATUS);
}

void invalidate(uint32_t command, unsigned asid, uint64_t va)
{
    W4(INV_ASID, asid);
    W8(INV_VA, va);
    W4(INV_COMMAND, command);
}

uint32_t preempt(unsigned instance)
{
    W4(RUN_PREEMPT, instance);
    return R4(RUN_STATUS);
}

uint32_t resume(unsigned context)
{
    W4(RUN_RESUME, context);
    return R4(RUN_STATUS);
}

uint32_t drop(unsigned context)
{
    W4(RUN_DROP, context);
    return R4(RUN_STATUS);
}

uint32_t replay(unsigned asid, bool give_up)
{
    W4(FAULT_REPLAY, asid | (give_up ? (uint32_t)MP_GPU_FAULT_REPLAY_GIVE_UP : 0));
    return R4(FAULT_STATUS);
}

uint64_t count(unsigned asid, enum mp_mgmt_counter counter)
{
    W4(COUNT_ASID, asid);
    W4(COUNT_LATCH, 1);
    assert_int_equal(R4(COUNT_STATUS), MP_MGMT_OK);
    return r8(MP_GPU_COUNT + 8 * counter);
}

/* --- page tables ------------------------------------------------------------------------------------ */

void table_make(struct table *t, unsigned instance)
{
    t->root = r8(MP_GPU_MIG_BASE + 8 * instance);
    t->next = t->root + 4096;
    for (uint64_t at = t->root; at < t->root + MB; at += 8) /* another instance's may have been here */
        if (mp_physmem_read64(&b.gpu.memory, at))
            mp_physmem_write64(&b.gpu.memory, at, 0);
}

uint64_t table_entry(struct table *t, uint64_t va)
{
    const struct mp_page_format *f = mp_page_format(PAGE);
    uint64_t table = t->root;
    for (unsigned level = 0; level + 1 < f->levels; level++) {
        uint64_t at = mp_pte_address(f, level, table, va), entry = mp_physmem_read64(&b.gpu.memory, at);
        if (!(entry & MP_PTE_VALID)) {
            entry = t->next | MP_PTE_VALID;
            t->next += 4096;
            assert_int_equal(mp_physmem_write64(&b.gpu.memory, at, entry), 0);
        }
        table = entry & MP_PTE_ADDRESS;
    }
    return mp_pte_address(f, f->levels - 1, table, va);
}

void table_map(struct table *t, uint64_t va, uint64_t pa)
{
    assert_int_equal(mp_physmem_write64(&b.gpu.memory, table_entry(t, va), pa | MP_PTE_VALID | MP_PTE_LEAF),
                     0);
}

/* --- time ------------------------------------------------------------------------------------------- */

void go_on(uint64_t cycles)
{
    uint64_t until = b.wheel.now + cycles;
    run_until(&b.wheel, until - 1);
    mp_wheel_advance(&b.wheel, until);
}

void settle(void)
{
    run_dry(&b.wheel);
}
