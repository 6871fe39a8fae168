/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary writes to the registers of the rings of faults and notices, between faults, remote accesses,
 * replays and spaces that end: what is stored is in a ring in its instance's memory, a ring never has more
 * entries than it has room for, and the registers show what the ring is. */
#include "ring_bench.h"

#include "soc/access_counters.h"
#include "soc/service_check.h"

enum { INSTANCES = 4, COUNTERS = 16 };

static void require(bool truth)
{
    if (!truth)
        abort();
}

static bool is_in_ring(const struct mp_mgmt_ring *r, uint64_t address, uint64_t bytes)
{
    return address >= r->base && address + bytes <= r->base + (uint64_t)r->entries * MP_GPU_RING_ENTRY_BYTES;
}

static int store(void *self, uint64_t address, const void *from, size_t bytes)
{
    bool is_in_one = false;
    for (unsigned i = 0; i < INSTANCES; i++)
        is_in_one |=
            is_in_ring(&b.m.fault_ring[i], address, bytes) || is_in_ring(&b.m.notice_ring[i], address, bytes);
    require(is_in_one && address + bytes <= sizeof b.memory);
    return bench_store(self, address, from, bytes);
}

static void check(unsigned instance, const struct mp_mgmt_ring *r, uint64_t entries, uint64_t get,
                  uint64_t put)
{
    require(r->entries == entries && r->get == get && r->put == put);
    if (!entries) {
        require(!get && !put);
        return;
    }
    require(entries >= MP_GPU_RING_FEWEST && entries <= MP_GPU_RING_MOST && !(entries & (entries - 1)));
    require(get < entries && put < entries);
    const uint64_t base = b.m.value.MIG_BASE[instance], bytes = b.m.value.MIG_BYTES[instance];
    require(r->base >= base && r->base + entries * MP_GPU_RING_ENTRY_BYTES <= base + bytes);
}

static void check_all(void)
{
    for (unsigned i = 0; i < INSTANCES; i++) {
        check(i, &b.m.fault_ring[i], R4(FAULT_RING_ENTRIES, i), R4(FAULT_RING_GET, i), R4(FAULT_RING_PUT, i));
        check(i, &b.m.notice_ring[i], R4(NOTICE_RING_ENTRIES, i), R4(NOTICE_RING_GET, i),
              R4(NOTICE_RING_PUT, i));
    }
}

static void anything(uint64_t at, unsigned width, uint64_t value)
{
    const uint64_t first = MP_GPU_FAULT_RING_BASE, last = MP_GPU_COUNT_CLEAR + 8;
    mp_regs_access(&b.m.regs, first + at % (last - first), width, true, &value);
}

static void fault(unsigned asid, unsigned sm, uint64_t va)
{
    const struct mp_mgmt_fault f = {
        .va = va & (UINT64_MAX >> 8), .asid = (uint8_t)asid, .sm = (uint16_t)sm, .write = sm & 1};
    if (b.m.space[asid].valid)
        mp_mgmt_access_faulted(&b.m, &f, (enum mp_gpu_access)(sm & 3));
}

static void take_all(unsigned instance)
{
    W4(FAULT_RING_GET, instance, R4(FAULT_RING_PUT, instance));
    W4(NOTICE_RING_GET, instance, R4(NOTICE_RING_PUT, instance));
}

/* The instance that was made last ends, or comes again. */
static void end_or_begin(void)
{
    if (b.m.value.MIG_HAS[3]) {
        unmake(3);
        return;
    }
    make(3, 1);
    open_space(5, 3, MP_MGMT_PAGE_4K);
}

struct step {
    uint8_t what, number;
    uint16_t small;
    uint64_t value;
} __attribute__((packed));

static void act(const struct step *s)
{
    const unsigned i = s->number % INSTANCES, asid = s->number % MP_MGMT_SPACES;
    switch (s->what % 15) {
    case 0:
        W8(FAULT_RING_BASE, i, s->value % (2 * sizeof b.memory));
        break;
    case 1:
        W4(FAULT_RING_ENTRIES, i, s->small & 1 ? 1u << s->value % 32 : (uint32_t)s->value);
        break;
    case 2:
        W4(FAULT_RING_GET, i, s->small);
        break;
    case 3:
        W8(NOTICE_RING_BASE, i, s->value % (2 * sizeof b.memory));
        break;
    case 4:
        W4(NOTICE_RING_ENTRIES, i, s->small & 1 ? 1u << s->value % 32 : (uint32_t)s->value);
        break;
    case 5:
        W4(NOTICE_RING_GET, i, s->small);
        break;
    case 6:
        for (unsigned n = 0; n <= s->small % 100; n++)
            fault(asid, s->small + n, s->value + n * 4096);
        break;
    case 7:
        for (unsigned n = 0; n <= s->small % 100; n++)
            mp_mgmt_accessed_remotely(&b.m, asid, (s->value + n * 65536) & (UINT64_MAX >> 16));
        break;
    case 8:
        W4(FAULT_REPLAY, 0, asid | (s->small & 1 ? MP_GPU_FAULT_REPLAY_GIVE_UP : 0));
        break;
    case 9:
        take_all(i);
        break;
    case 10:
        W4(COUNT_THRESHOLD, i, s->small % 8);
        break;
    case 11:
        W4(AS_CONFIG, asid, s->value & 0x3f);
        W4(AS_COMMIT, 0, asid);
        break;
    case 12:
        b.used_up = s->small & 1;
        break;
    case 13:
        end_or_begin();
        break;
    default:
        anything(s->small, s->number & 1 ? 8 : 4, s->value);
    }
    b.now += s->number;
}

static void found(void *self, const char *why)
{
    (void)self;
    require(*why && !strpbrk(why, "\n\r"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct mp_access_counters counters;
    struct mp_service_check service = {.found = found};
    struct step s;
    bench_setup(NULL);
    require(!mp_access_counters_init(&counters, COUNTERS));
    b.gpu.counters = &counters;
    b.gpu.store = store;
    b.m.check = &service;
    for (; size >= sizeof s; data += sizeof s, size -= sizeof s) {
        memcpy(&s, data, sizeof s);
        act(&s);
        check_all();
    }
    mp_access_counters_free(&counters);
    return 0;
}
