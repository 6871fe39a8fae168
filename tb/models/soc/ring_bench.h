/* SPDX-License-Identifier: Apache-2.0 */
/* The management block with a GPU that has nothing but 1 MB of memory per slice, for rings in it. */
#ifndef MP_TB_RING_BENCH_H
#define MP_TB_RING_BENCH_H

#include "../engine/fakes.h"

#include "soc/gpu_ring.h"
#include "soc/mgmt.h"

#define MEGABYTE (1u << 20)

enum { SLICES = 4 };

static struct {
    struct mp_mgmt m;
    struct mp_mgmt_gpu gpu;
    uint8_t memory[SLICES * MEGABYTE];
    bool used_up; /* nothing can be stored */
    uint64_t now;
    unsigned rooms, next_slice;
    bool line; /* of faults */
} b;

static void set_line(void *self, unsigned number, bool level)
{
    (void)self;
    if (number == 2)
        b.line = level;
}

static enum mp_mgmt_status bench_create(void *self, unsigned instance, unsigned slices,
                                        struct mp_mgmt_memory *memory)
{
    (void)self, (void)instance;
    *memory = (struct mp_mgmt_memory){(uint64_t)b.next_slice * MEGABYTE, (uint64_t)slices * MEGABYTE};
    b.next_slice += slices;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status bench_destroy(void *self, unsigned instance)
{
    (void)self, (void)instance;
    b.next_slice--; /* the last one, of one slice */
    return MP_MGMT_OK;
}

static enum mp_mgmt_status bench_set_space(void *self, unsigned asid, const struct mp_mgmt_space *space)
{
    (void)self, (void)asid, (void)space;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status bench_replay(void *self, unsigned asid, bool give_up)
{
    (void)self, (void)asid, (void)give_up;
    return MP_MGMT_OK;
}

static enum mp_mgmt_status bench_launch(void *self, const struct mp_mgmt_launch *launch)
{
    (void)self, (void)launch;
    return MP_MGMT_OK;
}

static void bench_room(void *self)
{
    (void)self;
    b.rooms++;
}

static int bench_store(void *self, uint64_t address, const void *from, size_t bytes)
{
    (void)self;
    assert_true(address < sizeof b.memory && bytes <= sizeof b.memory - address);
    if (b.used_up)
        return -1;
    memcpy(b.memory + address, from, bytes);
    return 0;
}

static uint64_t bench_load(void *self, uint64_t address)
{
    uint64_t word;
    (void)self;
    assert_true(address < sizeof b.memory && sizeof word <= sizeof b.memory - address);
    memcpy(&word, b.memory + address, sizeof word);
    return word;
}

static uint64_t bench_now(void *self)
{
    (void)self;
    return b.now;
}

static void put(uint64_t offset, unsigned width, uint64_t value)
{
    assert_true(mp_regs_access(&b.m.regs, offset, width, true, &value));
}

static uint64_t get(uint64_t offset, unsigned width)
{
    uint64_t value;
    assert_true(mp_regs_access(&b.m.regs, offset, width, false, &value));
    return value;
}

#define W4(reg, i, value) put(MP_GPU_##reg + 4 * (i), 4, value)
#define W8(reg, i, value) put(MP_GPU_##reg + 8 * (i), 8, value)
#define R4(reg, i)        get(MP_GPU_##reg + 4 * (i), 4)
#define R8(reg, i)        get(MP_GPU_##reg + 8 * (i), 8)

static void make(unsigned instance, unsigned slices)
{
    W4(MIG_INSTANCE, 0, instance);
    W4(MIG_SLICES, 0, slices);
    W4(MIG_COMMAND, 0, MP_GPU_MIG_COMMAND_CREATE);
    assert_int_equal(R4(MIG_STATUS, 0), MP_MGMT_OK);
}

static void unmake(unsigned instance)
{
    W4(MIG_INSTANCE, 0, instance);
    W4(MIG_COMMAND, 0, MP_GPU_MIG_COMMAND_DESTROY);
    assert_int_equal(R4(MIG_STATUS, 0), MP_MGMT_OK);
}

static void open_space(unsigned asid, unsigned instance, enum mp_mgmt_page page)
{
    W4(AS_CONFIG, asid,
       MP_GPU_AS_CONFIG_VALID | (uint64_t)page << MP_GPU_AS_CONFIG_PAGE_LOW |
           (uint64_t)instance << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    W4(AS_COMMIT, 0, asid);
    assert_int_equal(R4(AS_STATUS, 0), MP_MGMT_OK);
}

/* Instance 0 has slices 0 and 1, spaces 0 with pages of 4 KB and 1 with pages of 64 KB; instance 3 has slice
 * 2 and space 5. */
static int bench_setup(void **state)
{
    (void)state;
    memset(&b, 0, sizeof b);
    b.gpu = (struct mp_mgmt_gpu){.slices = SLICES,
                                 .memory_bytes = sizeof b.memory,
                                 .create = bench_create,
                                 .destroy = bench_destroy,
                                 .set_space = bench_set_space,
                                 .replay = bench_replay,
                                 .launch = bench_launch,
                                 .room = bench_room,
                                 .store = bench_store,
                                 .load = bench_load,
                                 .now = bench_now};
    b.m.gpu = &b.gpu;
    b.m.invalidate = (struct mp_line){NULL, set_line, 1, false};
    b.m.fault = (struct mp_line){NULL, set_line, 2, false};
    b.m.queue = (struct mp_line){NULL, set_line, 3, false};
    mp_mgmt_init(&b.m);
    W4(INT_ENABLE, 0, MP_GPU_INT_STATUS_FAULT);
    make(0, 2);
    make(3, 1);
    open_space(0, 0, MP_MGMT_PAGE_4K);
    open_space(1, 0, MP_MGMT_PAGE_64K);
    open_space(5, 3, MP_MGMT_PAGE_4K);
    return 0;
}

#endif
