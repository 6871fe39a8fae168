/* SPDX-License-Identifier: Apache-2.0 */
/* The management block with a GPU that records the calls it receives: which commands are refused and with
 * which code, which are in progress, and which interrupt occurs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/mgmt.h"

struct fixture {
    struct mp_mgmt m;
    struct mp_mgmt_gpu gpu;
    bool level[4]; /* levels of the interrupt lines, by number */
    enum mp_mgmt_status answer;
    unsigned calls;
    bool at_once; /* invalidations and launches end within their call */
    struct mp_mgmt_space space;
    struct mp_mgmt_invalidation invalidation;
    struct mp_mgmt_walk walk;
    struct mp_mgmt_probe probe;
    struct mp_mgmt_launch launch[16];
    unsigned launches, level_asked, policy, asid, rooms;
    unsigned woken[MP_MGMT_SPACES];
    bool give_up, stores;
    uint64_t cancelled;         /* address of the page */
    unsigned answers, answered; /* requests for memory: their number, the instance of the last */
    bool refused;
    unsigned preempted, saves_as, resumed[16], resumptions, dropped;
    unsigned stops, restarts, stopped; /* stopped: the instance of the last */
};

static void set_line(void *self, unsigned number, bool level)
{
    ((struct fixture *)self)->level[number] = level;
}

static enum mp_mgmt_status create(void *self, unsigned instance, unsigned slices,
                                  struct mp_mgmt_memory *memory)
{
    struct fixture *f = self;
    f->calls++;
    *memory = (struct mp_mgmt_memory){instance * 0x1000000ull, slices * 0x1000000ull};
    return f->answer;
}

static enum mp_mgmt_status destroy(void *self, unsigned instance)
{
    struct fixture *f = self;
    (void)instance;
    f->calls++;
    return f->answer;
}

static enum mp_mgmt_status set_space(void *self, unsigned asid, const struct mp_mgmt_space *space)
{
    struct fixture *f = self;
    f->calls++;
    f->asid = asid;
    f->space = *space;
    return f->answer;
}

static enum mp_mgmt_status invalidate(void *self, const struct mp_mgmt_invalidation *what)
{
    struct fixture *f = self;
    f->calls++;
    f->invalidation = *what;
    if (f->at_once && !f->answer)
        mp_mgmt_invalidated(&f->m, 9);
    return f->answer;
}

static enum mp_mgmt_status set_walk(void *self, const struct mp_mgmt_walk *walk)
{
    struct fixture *f = self;
    f->calls++;
    f->walk = *walk;
    return f->answer;
}

static enum mp_mgmt_status set_tlb(void *self, unsigned level, unsigned policy)
{
    struct fixture *f = self;
    f->calls++;
    f->level_asked = level;
    f->policy = policy;
    return f->answer;
}

static enum mp_mgmt_status replay(void *self, unsigned asid, bool give_up)
{
    struct fixture *f = self;
    f->calls++;
    f->asid = asid;
    f->give_up = give_up;
    return f->answer;
}

static enum mp_mgmt_status cancel(void *self, unsigned asid, uint64_t va, bool stores)
{
    struct fixture *f = self;
    f->calls++;
    f->asid = asid;
    f->cancelled = va;
    f->stores = stores;
    return f->answer;
}

static enum mp_mgmt_status count(void *self, unsigned asid, uint64_t values[MP_MGMT_COUNTERS])
{
    struct fixture *f = self;
    f->calls++;
    values[MP_MGMT_WALKS] = 100 + asid;
    return f->answer;
}

static enum mp_mgmt_status launch(void *self, const struct mp_mgmt_launch *l)
{
    struct fixture *f = self;
    f->calls++;
    if (f->answer)
        return f->answer;
    f->launch[f->launches++] = *l;
    if (f->at_once)
        mp_mgmt_ended(&f->m, l->instance, MP_MGMT_OK);
    return MP_MGMT_OK;
}

static void preempt(void *self, unsigned instance, unsigned context)
{
    struct fixture *f = self;
    f->calls++;
    f->preempted = instance;
    f->saves_as = context;
}

static void resume(void *self, unsigned context)
{
    struct fixture *f = self;
    f->calls++;
    f->resumed[f->resumptions++] = context;
}

static void drop(void *self, unsigned context)
{
    struct fixture *f = self;
    f->calls++;
    f->dropped = context;
}

static enum mp_mgmt_status probe(void *self, const struct mp_mgmt_probe *p)
{
    struct fixture *f = self;
    f->calls++;
    f->probe = *p;
    if (f->at_once && !f->answer)
        mp_mgmt_probed(&f->m, MP_MGMT_OK, 77);
    return f->answer;
}

static bool buffer(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *b)
{
    (void)self;
    *b = (struct mp_mgmt_memory){0x100000 * (workload + 1), 0x1000 * (number + 1)};
    return number < 2;
}

static void answered(void *self, unsigned instance, bool refused)
{
    struct fixture *f = self;
    f->answers++;
    f->answered = instance;
    f->refused = refused;
}

static void stop(void *self, unsigned instance)
{
    struct fixture *f = self;
    f->stops++;
    f->stopped = instance;
}

static void restart_walks(void *self, unsigned instance)
{
    struct fixture *f = self;
    f->restarts++;
    f->stopped = instance;
}

static void wake(void *self, unsigned asid)
{
    ((struct fixture *)self)->woken[asid]++;
}

static void room(void *self)
{
    ((struct fixture *)self)->rooms++;
}

static void w(struct fixture *f, uint64_t offset, unsigned width, uint64_t value)
{
    assert_true(mp_regs_access(&f->m.regs, offset, width, true, &value));
}

static uint64_t r(struct fixture *f, uint64_t offset, unsigned width)
{
    uint64_t value;
    assert_true(mp_regs_access(&f->m.regs, offset, width, false, &value));
    return value;
}

#define W4(reg, value) w(f, MP_GPU_##reg, 4, value)
#define W8(reg, value) w(f, MP_GPU_##reg, 8, value)
#define R4(reg)        r(f, MP_GPU_##reg, 4)
#define R8(reg)        r(f, MP_GPU_##reg, 8)

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->gpu =
        (struct mp_mgmt_gpu){f,        7,       0x10000000, create, destroy, set_space,     invalidate,
                             set_walk, set_tlb, replay,     count,  launch,  probe,         8,
                             5,        3,       buffer,     room,   true,    wake,          65536 | 2097152,
                             answered, preempt, resume,     drop,   stop,    restart_walks, cancel,
                             NULL,     NULL,    NULL,       NULL,   0};
    f->m.gpu = &f->gpu;
    f->m.invalidate = (struct mp_line){f, set_line, 1, false};
    f->m.fault = (struct mp_line){f, set_line, 2, false};
    f->m.queue = (struct mp_line){f, set_line, 3, false};
    mp_mgmt_init(&f->m);
    W4(INT_ENABLE, 0xf);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static uint64_t make(struct fixture *f, unsigned instance, unsigned slices)
{
    W4(MIG_INSTANCE, instance);
    W4(MIG_SLICES, slices);
    W4(MIG_COMMAND, MP_GPU_MIG_COMMAND_CREATE);
    return R4(MIG_STATUS);
}

static uint64_t unmake(struct fixture *f, unsigned instance)
{
    W4(MIG_INSTANCE, instance);
    W4(MIG_COMMAND, MP_GPU_MIG_COMMAND_DESTROY);
    return R4(MIG_STATUS);
}

static uint64_t commit(struct fixture *f, unsigned asid, unsigned instance, uint64_t root, unsigned page)
{
    w(f, MP_GPU_AS_ROOT + 8 * asid, 8, root);
    w(f, MP_GPU_AS_CONFIG + 4 * asid, 4,
      MP_GPU_AS_CONFIG_VALID | page << MP_GPU_AS_CONFIG_PAGE_LOW | instance << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    W4(AS_COMMIT, asid);
    return R4(AS_STATUS);
}

static uint64_t ring(struct fixture *f, unsigned instance, unsigned asid, uint32_t tag)
{
    W4(RUN_INSTANCE, instance);
    W4(RUN_ASID, asid);
    W4(RUN_WORKLOAD, 5);
    W4(RUN_DOORBELL, tag);
    return R4(RUN_STATUS);
}

static void instances(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(R4(SLICES), 7);
    assert_int_equal(R8(MEMORY), 0x10000000);
    assert_int_equal(make(f, 2, 0), MP_MGMT_BAD_VALUE);
    assert_int_equal(make(f, 2, 3), MP_MGMT_OK);
    assert_int_equal(r(f, MP_GPU_MIG_HAS + 8, 4), 3);
    assert_int_equal(r(f, MP_GPU_MIG_BASE + 16, 8), 0x2000000);
    assert_int_equal(r(f, MP_GPU_MIG_BYTES + 16, 8), 0x3000000);
    assert_int_equal(make(f, 2, 1), MP_MGMT_EXISTS);
    assert_int_equal(make(f, 0, 5), MP_MGMT_NO_ROOM);
    assert_int_equal(make(f, 0, 4), MP_MGMT_OK);
    assert_int_equal(make(f, 1, 1), MP_MGMT_NO_ROOM);
    assert_int_equal(f->calls, 2); /* no refused command reached the GPU */
    assert_int_equal(unmake(f, 1), MP_MGMT_NOT_THERE);
    f->answer = MP_MGMT_UNSUPPORTED;
    assert_int_equal(unmake(f, 2), MP_MGMT_UNSUPPORTED);
    assert_int_equal(r(f, MP_GPU_MIG_HAS + 8, 4), 3);
    f->answer = MP_MGMT_OK;
    assert_int_equal(unmake(f, 2), MP_MGMT_OK);
    assert_int_equal(r(f, MP_GPU_MIG_HAS + 8, 4), 0);
    assert_int_equal(r(f, MP_GPU_MIG_BYTES + 16, 8), 0);
    W4(MIG_COMMAND, 3);
    assert_int_equal(R4(MIG_STATUS), MP_MGMT_BAD_VALUE);
}

static void spaces(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(commit(f, 3, 1, 0x4000, 1), MP_MGMT_NOT_THERE);
    make(f, 1, 2);
    assert_int_equal(commit(f, 3, 1, 0x4000, 3), MP_MGMT_BAD_VALUE);
    assert_int_equal(commit(f, 3, 1, 0x10000000, 1), MP_MGMT_BAD_VALUE);
    assert_int_equal(commit(f, 3, 1, 0x4000, 1), MP_MGMT_OK);
    assert_int_equal(f->asid, 3);
    assert_int_equal(f->space.root, 0x4000);
    assert_int_equal(f->space.page_bytes, 65536);
    assert_int_equal(f->space.instance, 1);
    assert_int_equal(ring(f, 1, 3, 70), MP_MGMT_OK);
    assert_int_equal(commit(f, 3, 1, 0x8000, 1), MP_MGMT_OK); /* another root during the invalidation */
    assert_int_equal(commit(f, 3, 1, 0x8000, 2), MP_MGMT_BUSY);
    mp_mgmt_ended(&f->m, 1, MP_MGMT_OK);
    assert_int_equal(commit(f, 3, 1, 0x8000, 2), MP_MGMT_OK);
    assert_int_equal(unmake(f, 1), MP_MGMT_OK); /* and its address space no longer exists */
    assert_false(r(f, MP_GPU_AS_CONFIG + 12, 4) & MP_GPU_AS_CONFIG_VALID);
    W4(COUNT_ASID, 3);
    W4(COUNT_LATCH, 1);
    assert_int_equal(R4(COUNT_STATUS), MP_MGMT_NOT_THERE);
}

static void invalidations(void **state)
{
    struct fixture *f = *state;
    make(f, 0, 1);
    commit(f, 0, 0, 0, 0);
    W4(INV_ASID, 1);
    W4(INV_COMMAND, MP_MGMT_ASID);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_NOT_THERE); /* refused, so it has ended, with an interrupt */
    assert_true(f->level[1]);
    W4(INT_STATUS, MP_GPU_INT_STATUS_INVALIDATED);
    assert_false(f->level[1]);
    W4(INV_ASID, 0);
    W8(INV_VA, 0x7000);
    W4(INV_COMMAND, MP_MGMT_PAGE | MP_GPU_INV_COMMAND_WALK_CACHE);
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_BUSY);
    assert_int_equal(f->invalidation.scope, MP_MGMT_PAGE);
    assert_int_equal(f->invalidation.va, 0x7000);
    assert_true(f->invalidation.walk_cache && !f->invalidation.tlbs_stay);
    assert_false(f->level[1]);
    unsigned calls = f->calls;
    W4(INV_COMMAND, MP_MGMT_ALL);
    assert_int_equal(f->calls, calls);
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_BUSY | MP_GPU_INV_STATUS_LOST);
    assert_int_equal(unmake(f, 0), MP_MGMT_BUSY);
    mp_mgmt_invalidated(&f->m, 4);
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_LOST);
    assert_int_equal(R8(INV_REMOVED), 4);
    assert_true(f->level[1]);
    f->at_once = true;
    W4(INV_COMMAND, MP_MGMT_ALL);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
    assert_int_equal(R8(INV_REMOVED), 9);
    W4(INV_COMMAND, MP_MGMT_PAGE | MP_GPU_INV_COMMAND_WALK_CACHE | MP_GPU_INV_COMMAND_TLBS_STAY);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
    assert_true(f->invalidation.walk_cache && f->invalidation.tlbs_stay);
    W4(INV_BYTES, 0x3000);
    W4(INV_COMMAND, MP_MGMT_PAGE);
    assert_int_equal(f->invalidation.bytes, 0x3000);
    W8(INV_VA, 0xfffffffff000);
    W4(INV_COMMAND, MP_MGMT_PAGE); /* it ends beyond 48 bits */
    assert_int_equal(R4(INV_STATUS), MP_MGMT_BAD_VALUE);
    W4(INV_COMMAND, MP_MGMT_ASID); /* which has no run */
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
    W8(INV_VA, 0);
    W4(INV_BYTES, 0x201000);
    W4(INV_COMMAND, MP_MGMT_PAGE);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_BAD_VALUE);
    W4(INV_BYTES, 0x200000);
    W4(INV_COMMAND, MP_MGMT_PAGE);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
    assert_int_equal(f->invalidation.bytes, 0x200000);
    W4(INV_COMMAND, 0);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_BAD_VALUE);
}

static void walks_and_tlbs(void **state)
{
    struct fixture *f = *state;
    make(f, 0, 7);
    W4(WALK_POLICY, 2);
    W4(WALK_EPOCH, 500);
    w(f, MP_GPU_WALK_DIFF + 16, 4, 127);
    w(f, MP_GPU_WALK_OWNED, 8, 0x0f);
    w(f, MP_GPU_WALK_OWNED + 8, 8, 0x10);
    W4(WALK_APPLY, 1);
    assert_int_equal(R4(WALK_STATUS), MP_MGMT_OK);
    assert_int_equal(f->walk.policy, 2);
    assert_int_equal(f->walk.epoch, 500);
    assert_int_equal(f->walk.diff[4], 127);
    assert_int_equal(f->walk.owned[1], 0x10);
    w(f, MP_GPU_WALK_OWNED + 8, 8, 0x18); /* walker 3 has two owners */
    W4(WALK_APPLY, 1);
    assert_int_equal(R4(WALK_STATUS), MP_MGMT_BAD_VALUE);
    W4(WALK_INSTANCE, 4);
    W4(WALK_APPLY, 1);
    assert_int_equal(R4(WALK_STATUS), MP_MGMT_NOT_THERE);
    W4(TLB_APPLY, 1);
    assert_int_equal(R4(TLB_STATUS), MP_MGMT_BAD_VALUE);
    W4(TLB_LEVEL, 3);
    W4(TLB_POLICY, 1);
    W4(TLB_APPLY, 1);
    assert_int_equal(R4(TLB_STATUS), MP_MGMT_OK);
    assert_int_equal(f->level_asked, 3);
    assert_int_equal(f->policy, 1);
    commit(f, 6, 0, 0, 0);
    W4(COUNT_ASID, 6);
    W4(COUNT_LATCH, 1);
    assert_int_equal(r(f, MP_GPU_COUNT + 8 * MP_MGMT_WALKS, 8), 106);
}

static void workloads(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(R4(WALKERS), 8);
    assert_int_equal(R4(PAGES), 1u << MP_MGMT_PAGE_64K | 1u << MP_MGMT_PAGE_2M);
    assert_int_equal(R4(WALKS), MP_GPU_WALKS_CONTIGUITY);
    assert_int_equal(R4(WORKLOADS), 3);
    W4(BUFFER_OF, 2);
    W4(BUFFER, 1);
    assert_int_equal(R8(BUFFER_VA), 0x300000);
    assert_int_equal(R8(BUFFER_BYTES), 0x2000);
    W4(BUFFER, 2); /* one more than it has */
    assert_int_equal(R8(BUFFER_BYTES), 0);
    W4(BUFFER, 0);
    W4(BUFFER_OF, 3);
    assert_int_equal(R8(BUFFER_BYTES), 0);
}

/* The buffer holds a fixed number in order; the GPU keeps the rest; taking one out makes room. */
static void faults(void **state)
{
    struct fixture *f = *state;
    struct mp_mgmt_fault fault = {.asid = 5,
                                  .sm = 97,
                                  .write = true,
                                  .cause = MP_MGMT_CAUSE_MISALIGNED,
                                  .level = 3,
                                  .entry = 0x123456789abc8};
    W4(FAULT_POP, 1); /* the buffer is empty */
    assert_int_equal(f->rooms, 0);
    for (unsigned i = 0; i < MP_MGMT_FAULTS + 3; i++) {
        fault.va = 0x1000 * (i + 1);
        assert_int_equal(mp_mgmt_faulted(&f->m, &fault), i < MP_MGMT_FAULTS);
    }
    assert_true(f->level[2]);
    assert_int_equal(R4(FAULT_COUNT), MP_MGMT_FAULTS);
    assert_int_equal(R4(INT_STATUS), MP_GPU_INT_STATUS_FAULT);
    W4(INT_STATUS, 0xf);
    assert_false(f->level[2]);
    mp_mgmt_hold_faults(&f->m, 3);
    assert_true(f->level[2]);
    assert_int_equal(R4(FAULT_HELD), 3);
    assert_int_equal(R4(INT_STATUS), MP_GPU_INT_STATUS_FAULT_HELD);
    W4(INT_STATUS, 0xf);
    mp_mgmt_hold_faults(&f->m, 2); /* a lower number causes no interrupt */
    assert_false(f->level[2]);
    assert_int_equal(R4(FAULT_INFO), 5 | 97 << 8 | MP_GPU_FAULT_INFO_WRITE | 6 << 26 | 3u << 30);
    assert_int_equal(R8(FAULT_ENTRY), 0x123456789abc8);
    for (unsigned i = 0; i < MP_MGMT_FAULTS; i++) {
        assert_int_equal(R8(FAULT_VA), 0x1000 * (i + 1));
        W4(FAULT_POP, 1);
        assert_int_equal(f->rooms, i + 1);
        if (i == 0)
            assert_true(mp_mgmt_faulted(&f->m, &fault)); /* wraps around the end of the buffer */
    }
    assert_int_equal(R8(FAULT_VA), fault.va);
    W4(FAULT_POP, 1);
    assert_int_equal(R4(FAULT_COUNT), 0);
    assert_int_equal(R8(FAULT_VA), 0);
    assert_int_equal(R8(FAULT_ENTRY), 0);
    assert_int_equal(R4(FAULT_INFO), 0);
    W4(FAULT_REPLAY, 5);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_NOT_THERE);
    make(f, 0, 1);
    commit(f, 5, 0, 0, 0);
    W4(FAULT_REPLAY, 5 | MP_GPU_FAULT_REPLAY_GIVE_UP);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    assert_int_equal(f->asid, 5);
    assert_true(f->give_up);
}

/* Of one page of an address space: all accesses, or stores. */
static void cancels(void **state)
{
    struct fixture *f = *state;
    W8(FAULT_CANCEL_VA, 0x7000);
    W4(FAULT_CANCEL, 5);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_NOT_THERE);
    make(f, 0, 1);
    commit(f, 5, 0, 0, 0);
    W4(FAULT_CANCEL, 5 | MP_GPU_FAULT_CANCEL_STORES);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    assert_int_equal(f->asid, 5);
    assert_int_equal(f->cancelled, 0x7000);
    assert_true(f->stores);
    W4(FAULT_CANCEL, 5);
    assert_false(f->stores);
    f->gpu.cancel = NULL;
    W4(FAULT_CANCEL, 5);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_UNSUPPORTED);
}

/* One record per page, address space and direction, until a replay. */
static void faults_of_a_page(void **state)
{
    struct fixture *f = *state;
    struct mp_mgmt_fault fault = {.va = 0x10080, .asid = 5};
    make(f, 0, 1);
    commit(f, 5, 0, 0, 1);
    for (unsigned i = 0; i < 3; i++, fault.va += 0x7000)
        assert_true(mp_mgmt_faulted(&f->m, &fault));
    assert_int_equal(R4(FAULT_COUNT), 1);
    fault.write = true;
    fault.cause = MP_MGMT_CAUSE_READ_ONLY;
    assert_true(mp_mgmt_faulted(&f->m, &fault));
    assert_int_equal(R4(FAULT_COUNT), 2);
    W4(FAULT_REPLAY, 5);
    assert_true(mp_mgmt_faulted(&f->m, &fault));
    assert_true(mp_mgmt_faulted(&f->m, &fault));
    assert_int_equal(R4(FAULT_COUNT), 3);
    assert_int_equal(R8(FAULT_VA), 0x10080);
    assert_false(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_READ_ONLY);
    W4(FAULT_POP, 1);
    assert_true(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_READ_ONLY);
}

/* One launch at a time per instance, several instances at once; completions in the order in which launches
 * end. */
static void queue(void **state)
{
    struct fixture *f = *state;
    make(f, 0, 2);
    make(f, 1, 2);
    commit(f, 0, 0, 0, 0);
    commit(f, 1, 1, 0, 0);
    ring(f, 0, 0, 10);
    ring(f, 0, 0, 11);
    ring(f, 1, 1, 12);
    assert_int_equal(f->launches, 2);
    assert_int_equal(f->woken[0], 1); /* the second launch waits for the first */
    assert_int_equal(f->woken[1], 1);
    assert_int_equal(f->launch[1].tag, 12);
    assert_int_equal(f->launch[1].workload, 5);
    assert_int_equal(R4(RUN_QUEUED), 3);
    assert_int_equal(unmake(f, 0), MP_MGMT_BUSY);
    mp_mgmt_ended(&f->m, 1, MP_MGMT_FAULTED);
    assert_true(f->level[3]);
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK);
    assert_int_equal(f->launches, 3);
    assert_int_equal(f->woken[0], 1);
    assert_int_equal(f->launch[2].tag, 11);
    assert_int_equal(R4(DONE_COUNT), 2);
    assert_int_equal(R4(DONE_TAG), 12);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_FAULTED);
    W4(DONE_POP, 1);
    assert_int_equal(R4(DONE_TAG), 10);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_OK);
    assert_int_equal(ring(f, 3, 0, 13), MP_MGMT_OK); /* queued, and ends at once */
    assert_int_equal(ring(f, 0, 1, 14), MP_MGMT_OK); /* another instance's address space; waits behind 11 */
    W4(DONE_POP, 1);
    assert_int_equal(R4(DONE_TAG), 13);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_NOT_THERE);
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK);
    W4(DONE_POP, 1);
    W4(DONE_POP, 1);
    assert_int_equal(R4(DONE_TAG), 14);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_NOT_THERE);
    W4(DONE_POP, 1);
    W4(DONE_POP, 1);
    assert_int_equal(R4(DONE_COUNT), 0);
    f->woken[0] = 0;
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        assert_int_equal(ring(f, 0, 0, 100 + i), MP_MGMT_OK);
    assert_int_equal(f->woken[0], 1);
    assert_int_equal(ring(f, 0, 0, 200), MP_MGMT_NO_ROOM);
    f->at_once = true; /* each of the rest ends within the end of the one before */
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK);
    assert_int_equal(R4(DONE_COUNT), MP_MGMT_QUEUE);
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++) {
        assert_int_equal(R4(DONE_TAG), 100 + i);
        W4(DONE_POP, 1);
    }
}

static uint64_t rings(struct fixture *f, uint64_t reg, unsigned value)
{
    w(f, reg, 4, value);
    return R4(RUN_STATUS);
}

static void takes(struct fixture *f, uint32_t tag, enum mp_mgmt_status status, unsigned context)
{
    assert_int_equal(R4(DONE_TAG), tag);
    assert_int_equal(R4(DONE_STATUS), status);
    assert_int_equal(R4(DONE_CONTEXT), context);
    W4(DONE_POP, 1);
}

/* A launch that stops has one completion, and its context is in use until it goes on or is dropped. */
static void preemption(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(R4(CONTEXTS), MP_MGMT_CONTEXTS);
    make(f, 0, 2);
    commit(f, 0, 0, 0, 0);
    commit(f, 1, 0, 0, 0);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_NOT_THERE);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 5), MP_MGMT_NOT_THERE);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 0), MP_MGMT_NOT_THERE);
    assert_int_equal(rings(f, MP_GPU_RUN_DROP, 0), MP_MGMT_NOT_THERE);
    ring(f, 0, 0, 10);
    ring(f, 0, 1, 11);
    unsigned calls = f->calls;
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_OK);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_BUSY);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 0), MP_MGMT_NOT_THERE); /* it still runs */
    assert_int_equal(f->calls, calls + 1);
    assert_int_equal(f->preempted, 0);
    assert_int_equal(R4(DONE_COUNT), 0);
    mp_mgmt_ended(&f->m, 0, MP_MGMT_PREEMPTED);
    assert_true(f->level[3]);
    assert_int_equal(f->launch[1].tag, 11); /* the next one runs */
    takes(f, 10, MP_MGMT_PREEMPTED, 0);
    assert_int_equal(R4(RUN_QUEUED), 1);
    assert_int_equal(commit(f, 0, 3, 0, 0), MP_MGMT_NOT_THERE);
    w(f, MP_GPU_AS_CONFIG, 4, 0);
    W4(AS_COMMIT, 0);
    assert_int_equal(R4(AS_STATUS), MP_MGMT_BUSY); /* a saved launch needs it */
    assert_int_equal(commit(f, 0, 0, 0x3000, 0), MP_MGMT_OK);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_OK);
    assert_int_equal(f->saves_as, 1);
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK); /* it had nothing left, so its context is free */
    takes(f, 11, MP_MGMT_OK, 0);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 1), MP_MGMT_NOT_THERE);
    assert_int_equal(unmake(f, 0), MP_MGMT_BUSY); /* nothing runs, but one is saved */
    f->woken[0] = 0;
    ring(f, 0, 1, 12);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 0), MP_MGMT_OK);
    assert_int_equal(f->woken[0], 1);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 0), MP_MGMT_NOT_THERE); /* once only */
    assert_int_equal(rings(f, MP_GPU_RUN_DROP, 0), MP_MGMT_NOT_THERE);
    assert_int_equal(f->resumptions, 0); /* it waits */
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK);
    assert_int_equal(f->resumptions, 1);
    takes(f, 12, MP_MGMT_OK, 0);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_OK);
    assert_int_equal(f->saves_as, 0); /* its own was free again */
    mp_mgmt_ended(&f->m, 0, MP_MGMT_PREEMPTED);
    takes(f, 10, MP_MGMT_PREEMPTED, 0);
    assert_int_equal(rings(f, MP_GPU_RUN_DROP, 0), MP_MGMT_OK);
    assert_int_equal(f->dropped, 0);
    assert_int_equal(unmake(f, 0), MP_MGMT_OK);
}

static void contexts_are_limited(void **state)
{
    struct fixture *f = *state;
    make(f, 0, 2);
    commit(f, 0, 0, 0, 0);
    for (unsigned n = 0; n <= MP_MGMT_CONTEXTS; n++) {
        ring(f, 0, 0, n);
        bool room = n < MP_MGMT_CONTEXTS;
        assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), room ? MP_MGMT_OK : MP_MGMT_NO_ROOM);
        mp_mgmt_ended(&f->m, 0, room ? MP_MGMT_PREEMPTED : MP_MGMT_OK);
        takes(f, n, room ? MP_MGMT_PREEMPTED : MP_MGMT_OK, room ? n : 0);
    }
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        ring(f, 0, 0, 100 + i);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 3), MP_MGMT_NO_ROOM);
    mp_mgmt_ended(&f->m, 0, MP_MGMT_OK);
    takes(f, 100, MP_MGMT_OK, 0);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 3), MP_MGMT_OK); /* it was still saved */
    f->gpu.preempt = NULL;
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_UNSUPPORTED);
    mp_mgmt_init(&f->m);
    assert_int_equal(R4(CONTEXTS), 0);
}

/* A launch asks only if the interrupt is enabled; requests are answered in their order. */
static void requests_for_memory(void **state)
{
    struct fixture *f = *state;
    const struct mp_mgmt_request map = {MP_MGMT_MAP, 3, 5, 0x12345678, 100};
    const struct mp_mgmt_request unmap = {MP_MGMT_UNMAP, 1, 2, 0x7fffffffffff, 1};
    assert_false(mp_mgmt_request(&f->m, &map));
    assert_int_equal(R4(MEM_KIND), MP_MGMT_NO_REQUEST);
    W4(MEM_DONE, 1); /* answers nothing */
    assert_int_equal(f->answers, 0);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_MEMORY);
    assert_true(mp_mgmt_request(&f->m, &map));
    assert_true(mp_mgmt_request(&f->m, &unmap));
    assert_int_equal(R4(INT_STATUS), MP_GPU_INT_STATUS_MEMORY);
    assert_true(f->level[3]);
    W4(INT_STATUS, MP_GPU_INT_STATUS_MEMORY);
    assert_false(f->level[3]);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_MAP);
    assert_int_equal(R4(MEM_ASID), 5);
    assert_int_equal(R8(MEM_VA), 0x12345678);
    assert_int_equal(R8(MEM_BYTES), 100);
    W4(MEM_DONE, 0); /* neither done nor refused */
    W4(MEM_DONE, 3);
    assert_int_equal(f->answers, 0);
    W4(MEM_DONE, 1);
    assert_int_equal(f->answers, 1);
    assert_int_equal(f->answered, 3);
    assert_false(f->refused);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_UNMAP);
    assert_int_equal(R8(MEM_VA), 0x7fffffffffff);
    W4(MEM_DONE, 2);
    assert_int_equal(f->answered, 1);
    assert_true(f->refused);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_NO_REQUEST);
    assert_int_equal(R8(MEM_BYTES), 0);
}

/* Firmware that does not know of them is not asked. */
static void requests_for_the_host(void **state)
{
    struct fixture *f = *state;
    const struct mp_mgmt_request read = {MP_MGMT_HOST_READ, 3, 5, 0x1000, 100},
                                 write = {MP_MGMT_HOST_WRITE, 3, 5, 0x1000, 100};
    W4(MEM_HOST, 1);
    assert_false(mp_mgmt_request(&f->m, &read));
    W4(INT_ENABLE, MP_GPU_INT_STATUS_MEMORY);
    W4(MEM_HOST, 0);
    assert_false(mp_mgmt_request(&f->m, &read));
    assert_false(mp_mgmt_request(&f->m, &write));
    W4(MEM_HOST, 1);
    assert_true(mp_mgmt_request(&f->m, &read));
    assert_true(mp_mgmt_request(&f->m, &write));
    assert_int_equal(R4(MEM_KIND), MP_MGMT_HOST_READ);
    W4(MEM_DONE, 1);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_HOST_WRITE);
    W4(MEM_DONE, 1);
    assert_int_equal(f->answers, 2);
}

static void stopping(void **state)
{
    struct fixture *f = *state;
    const struct mp_mgmt_request map = {MP_MGMT_MAP, 3, 5, 0x1000, 100};
    assert_int_equal(make(f, 3, 2), MP_MGMT_OK);
    assert_int_equal(commit(f, 5, 3, 0x5000, 1), MP_MGMT_OK);
    W4(RUN_STOP, 3);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_NOT_THERE); /* nothing runs there */
    W4(WALK_RESTART, 2);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_NOT_THERE); /* no such instance */
    W4(WALK_RESTART, 3);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_OK);
    assert_int_equal(f->restarts, 1);
    assert_int_equal(ring(f, 3, 5, 1), MP_MGMT_OK);
    W4(RUN_STOP, 3);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_OK);
    assert_int_equal(f->stops, 1);
    assert_int_equal(f->stopped, 3);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_MEMORY);
    assert_true(mp_mgmt_request(&f->m, &map));
    W4(RUN_STOP, 3); /* it waits for an answer */
    assert_int_equal(f->stops, 1);
    assert_true(f->refused);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_NO_REQUEST);
    mp_mgmt_ended(&f->m, 3, MP_MGMT_STOPPED);
    assert_int_equal(f->m.failed, 0); /* firmware has not read it */
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_STOPPED);
    W4(DONE_POP, 1);
    assert_int_equal(f->m.failed, 1);
}

static void errors_of_the_memory(void **state)
{
    struct fixture *f = *state;
    struct mp_mgmt_ecc error = {0x1000, true, true};
    assert_int_equal(R4(ECC_COUNT), 0);
    assert_int_equal(R8(ECC_ADDRESS), 0);
    W4(ECC_POP, 1);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_ECC);
    mp_mgmt_report_ecc(&f->m, &error);
    assert_true(f->level[2]);
    assert_int_equal(R4(INT_STATUS), MP_GPU_INT_STATUS_ECC);
    W4(INT_STATUS, MP_GPU_INT_STATUS_ECC);
    assert_false(f->level[2]);
    for (unsigned i = 1; i < MP_MGMT_ECC + 2; i++) { /* there is no room for the last two */
        error = (struct mp_mgmt_ecc){0x1000 + i * 8, i == 1, false};
        mp_mgmt_report_ecc(&f->m, &error);
    }
    assert_int_equal(R4(ECC_COUNT), MP_MGMT_ECC);
    assert_int_equal(R4(ECC_INFO), MP_GPU_ECC_INFO_POISONED | MP_GPU_ECC_INFO_ENTRY);
    for (unsigned i = 0; i < MP_MGMT_ECC; i++) {
        assert_int_equal(R8(ECC_ADDRESS), 0x1000 + i * 8);
        if (i)
            assert_int_equal(R4(ECC_INFO), i == 1 ? MP_GPU_ECC_INFO_POISONED : 0);
        W4(ECC_POP, 0); /* does nothing */
        W4(ECC_POP, 1);
    }
    assert_int_equal(R4(ECC_COUNT), 0);
}

/* A probe keeps launches and other commands from its instance and address space until it has ended. */
static void probes(void **state)
{
    struct fixture *f = *state;
    W4(INT_ENABLE, MP_GPU_INT_STATUS_PROBED);
    W4(PROBE_COMMAND, 0);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_BAD_VALUE);
    W4(PROBE_COMMAND, MP_MGMT_PAIR);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_NOT_THERE);
    assert_int_equal(make(f, 3, 1), MP_MGMT_OK);
    assert_int_equal(commit(f, 2, 3, 0x5000, 0), MP_MGMT_OK);
    W4(PROBE_ASID, 2);
    W4(PROBE_LOADS, 0);
    W4(PROBE_COMMAND, MP_MGMT_CHASE);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_BAD_VALUE);
    W4(PROBE_LOADS, 3);
    W8(PROBE_LIST, 0x10000000ull - 16); /* the memory ends before the third address */
    W4(PROBE_COMMAND, MP_MGMT_CHASE);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_BAD_VALUE);
    W4(INT_STATUS, MP_GPU_INT_STATUS_PROBED);
    assert_false(f->level[3]);
    const unsigned calls = f->calls;
    W4(PROBE_COMMAND, MP_MGMT_PAIR);
    assert_int_equal(f->calls, calls + 1);
    assert_int_equal(f->probe.loads, 2);
    assert_int_equal(f->probe.instance, 3);
    assert_int_equal(f->probe.list, 0x10000000 - 16);
    assert_int_equal(R4(PROBE_STATUS), MP_GPU_PROBE_STATUS_BUSY);
    W4(PROBE_COMMAND, MP_MGMT_PAIR); /* does nothing */
    assert_int_equal(f->calls, calls + 1);
    assert_int_equal(ring(f, 3, 2, 9), MP_MGMT_OK);
    assert_int_equal(f->launches, 0);
    assert_int_equal(unmake(f, 3), MP_MGMT_BUSY);
    assert_int_equal(commit(f, 2, 3, 0x6000, 1), MP_MGMT_BUSY);
    mp_mgmt_probed(&f->m, MP_MGMT_FAULTED, 123);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_FAULTED);
    assert_int_equal(R8(PROBE_CYCLES), 123);
    assert_true(f->level[3]);
    assert_int_equal(f->launches, 1); /* it waited for the probe */
    W4(PROBE_COMMAND, MP_MGMT_PAIR);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_BUSY); /* and now the probe would have to wait */
    mp_mgmt_ended(&f->m, 3, MP_MGMT_OK);
    f->at_once = true;
    W8(PROBE_LIST, 0);
    W4(PROBE_COMMAND, MP_MGMT_CHASE);
    assert_int_equal(f->probe.loads, 3);
    assert_int_equal(R4(PROBE_STATUS), MP_MGMT_OK);
    assert_int_equal(R8(PROBE_CYCLES), 77);
    assert_int_equal(R4(SMS), 5);
}

/* Without a GPU, every command is refused and has no other effect. */
static void absent(void **state)
{
    struct fixture *f = *state;
    f->m.gpu = NULL;
    mp_mgmt_init(&f->m);
    assert_int_equal(R4(SLICES), 0);
    assert_int_equal(make(f, 0, 1), MP_MGMT_ABSENT);
    W4(INV_COMMAND, MP_MGMT_ALL);
    assert_int_equal(R4(INV_STATUS), MP_MGMT_ABSENT);
    assert_int_equal(ring(f, 0, 0, 1), MP_MGMT_OK);
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_ABSENT);
    assert_int_equal(rings(f, MP_GPU_RUN_PREEMPT, 0), MP_MGMT_ABSENT);
    assert_int_equal(rings(f, MP_GPU_RUN_RESUME, 0), MP_MGMT_ABSENT);
    assert_int_equal(f->calls, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(instances),
                                       TEST(spaces),
                                       TEST(invalidations),
                                       TEST(cancels),
                                       TEST(walks_and_tlbs),
                                       TEST(workloads),
                                       TEST(faults),
                                       TEST(faults_of_a_page),
                                       TEST(queue),
                                       TEST(requests_for_memory),
                                       TEST(requests_for_the_host),
                                       TEST(stopping),
                                       TEST(errors_of_the_memory),
                                       TEST(probes),
                                       TEST(absent),
                                       TEST(preemption),
                                       TEST(contexts_are_limited)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
