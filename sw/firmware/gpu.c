/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

#include <string.h>

#include "clint.h"
#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "recovery.h"

#define GPU(reg)           (MP_GPU_BASE + MP_GPU_##reg)
#define GPU_AT(reg, index) (GPU(reg) + (index) * (uint64_t)MP_GPU_##reg##_STRIDE)

enum { NUMBERS = 255, LEVELS = 3 }; /* limits of registers of eight and two bits */

static struct {
    volatile uint32_t events; /* bits of INT_STATUS that have not been taken yet */
    unsigned launched;        /* number of launches whose completions have not been taken */
    struct mp_mgmt_launch launch[MP_MGMT_QUEUE];
    struct {
        bool used;
        struct mp_mgmt_launch launch;
    } saved[MP_MGMT_CONTEXTS]; /* launches, by context */
    unsigned spoiled;          /* address spaces with lost data, a bit each */
} gpu;

static enum fw_error error_of(uint32_t status)
{
    static const enum fw_error errors[] = {
        [MP_MGMT_OK] = FW_OK,
        [MP_MGMT_ABSENT] = FW_EABSENT,
        [MP_MGMT_BAD_VALUE] = FW_EINVAL,
        [MP_MGMT_EXISTS] = FW_EEXIST,
        [MP_MGMT_NOT_THERE] = FW_ENOENT,
        [MP_MGMT_NO_ROOM] = FW_ENOMEM,
        [MP_MGMT_BUSY] = FW_EBUSY,
        [MP_MGMT_UNSUPPORTED] = FW_EUNSUPPORTED,
        [MP_MGMT_FAULTED] = FW_EFAULT,
        [MP_MGMT_PREEMPTED] = FW_EPREEMPTED,
        [MP_MGMT_STOPPED] = FW_ESTOPPED,
    };
    return status < sizeof errors / sizeof *errors ? errors[status] : FW_EUNSUPPORTED;
}

static enum fw_error command(uint64_t reg, uint32_t value, uint64_t status)
{
    cpu_fence();
    io_write32(reg, value);
    return error_of(io_read32(status));
}

static bool take_events(void)
{
    uint32_t events = io_read32(GPU(INT_STATUS));
    io_write32(GPU(INT_STATUS), events);
    gpu.events |= events;
    return events;
}

static void interrupt(void)
{
    if (!take_events())
        recovery_note(RECOVERY_SPURIOUS_INTERRUPT);
}

enum fw_error gpu_init(void)
{
    static const struct {
        unsigned source, priority;
    } sources[] = {{MP_GPU_INVALIDATE_IRQ, 3}, {MP_GPU_FAULT_IRQ, 4}, {MP_GPU_QUEUE_IRQ, 3}};
    if (!gpu_slices())
        return FW_EABSENT;
    gpu.events = gpu.launched = gpu.spoiled = 0;
    memset(gpu.saved, 0, sizeof gpu.saved);
    for (unsigned i = 0; i < sizeof sources / sizeof *sources; i++) {
        enum fw_error e = plic_attach(sources[i].source, sources[i].priority, interrupt);
        if (e)
            return e;
    }
    io_write32(GPU(INT_ENABLE), MP_GPU_INT_STATUS_INVALIDATED | MP_GPU_INT_STATUS_FAULT |
                                    MP_GPU_INT_STATUS_FAULT_HELD | MP_GPU_INT_STATUS_DONE |
                                    MP_GPU_INT_STATUS_PROBED | MP_GPU_INT_STATUS_ECC |
                                    MP_GPU_INT_STATUS_NOTICE);
    return FW_OK;
}

unsigned gpu_slices(void)
{
    return io_read32(GPU(SLICES));
}

uint64_t gpu_memory(void)
{
    return io_read64(GPU(MEMORY));
}

unsigned gpu_walkers(void)
{
    return io_read32(GPU(WALKERS));
}

uint64_t gpu_page_sizes(void)
{
    uint32_t numbers = io_read32(GPU(PAGES));
    return (numbers >> MP_MGMT_PAGE_4K & 1) * 4096ull + (numbers >> MP_MGMT_PAGE_64K & 1) * 65536ull +
           (numbers >> MP_MGMT_PAGE_2M & 1) * 2097152ull;
}

unsigned gpu_sms(void)
{
    return io_read32(GPU(SMS));
}

unsigned gpu_workloads(void)
{
    return io_read32(GPU(WORKLOADS));
}

bool gpu_uses_contiguity(void)
{
    return io_read32(GPU(WALKS)) & MP_GPU_WALKS_CONTIGUITY;
}

bool gpu_buffer(unsigned workload, unsigned number, struct mp_mgmt_memory *b)
{
    io_write32(GPU(BUFFER_OF), workload);
    io_write32(GPU(BUFFER), number);
    *b = (struct mp_mgmt_memory){io_read64(GPU(BUFFER_VA)), io_read64(GPU(BUFFER_BYTES))};
    return b->bytes;
}

enum fw_error gpu_instance_create(unsigned instance, unsigned slices, struct mp_mgmt_memory *memory)
{
    if (instance >= MP_MGMT_INSTANCES || slices > gpu_slices())
        return FW_EINVAL;
    io_write32(GPU(MIG_INSTANCE), instance);
    io_write32(GPU(MIG_SLICES), slices);
    enum fw_error e = command(GPU(MIG_COMMAND), MP_GPU_MIG_COMMAND_CREATE, GPU(MIG_STATUS));
    if (!e)
        *memory = (struct mp_mgmt_memory){io_read64(GPU_AT(MIG_BASE, instance)),
                                          io_read64(GPU_AT(MIG_BYTES, instance))};
    return e;
}

enum fw_error gpu_instance_destroy(unsigned instance)
{
    if (instance >= MP_MGMT_INSTANCES)
        return FW_EINVAL;
    io_write32(GPU(MIG_INSTANCE), instance);
    return command(GPU(MIG_COMMAND), MP_GPU_MIG_COMMAND_DESTROY, GPU(MIG_STATUS));
}

enum fw_error gpu_space_set(unsigned asid, const struct mp_mgmt_space *s)
{
    enum { NONE = 3 };
    uint32_t page = s->page_bytes == 4096      ? MP_MGMT_PAGE_4K
                    : s->page_bytes == 65536   ? MP_MGMT_PAGE_64K
                    : s->page_bytes == 2097152 ? MP_MGMT_PAGE_2M
                                               : NONE;
    if (asid >= MP_MGMT_SPACES || s->instance >= MP_MGMT_INSTANCES)
        return FW_EINVAL;
    if (!s->valid) /* a space that stays may get another root */
        gpu.spoiled &= ~(1u << asid);
    io_write64(GPU_AT(AS_ROOT, asid), s->root);
    io_write32(GPU_AT(AS_CONFIG, asid),
               (s->valid ? MP_GPU_AS_CONFIG_VALID : 0) | (s->remote ? MP_GPU_AS_CONFIG_REMOTE : 0) |
                   page << MP_GPU_AS_CONFIG_PAGE_LOW | s->instance << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    return command(GPU(AS_COMMIT), asid, GPU(AS_STATUS));
}

/* Returns INV_STATUS, which is still BUSY if it takes too long. */
static uint32_t wait_for_invalidation(void)
{
    enum { WAITS = 20 };
    uint32_t status;
    unsigned waits = 0;
    while ((status = io_read32(GPU(INV_STATUS))) & MP_GPU_INV_STATUS_BUSY && waits < WAITS)
        waits += !gpu_wait(MP_GPU_INT_STATUS_INVALIDATED);
    if (waits)
        recovery_note(RECOVERY_LATE_INVALIDATION);
    return status;
}

/* The GPU loses a command that arrives while another runs, so each call waits for its command's end. */
enum fw_error gpu_invalidate(const struct mp_mgmt_invalidation *i, uint64_t *removed)
{
    if (i->scope != MP_MGMT_ALL && i->asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    if (i->scope != MP_MGMT_ALL)
        io_write32(GPU(INV_ASID), i->asid);
    if (i->scope == MP_MGMT_PAGE)
        io_write64(GPU(INV_VA), i->va);
    cpu_fence();
    io_write32(GPU(INV_COMMAND), i->scope | (i->walk_cache ? MP_GPU_INV_COMMAND_WALK_CACHE : 0) |
                                     (i->tlbs_stay ? MP_GPU_INV_COMMAND_TLBS_STAY : 0));
    uint32_t status = wait_for_invalidation();
    if (removed)
        *removed = io_read64(GPU(INV_REMOVED));
    return status & MP_GPU_INV_STATUS_BUSY ? FW_ETIMEOUT : error_of(status & MP_GPU_INV_STATUS_CODE);
}

/* Other invalidations have no run, and do not write its size. */
enum fw_error gpu_invalidate_run(const struct mp_mgmt_invalidation *i, uint64_t *removed)
{
    enum { PAGE = 4096, MOST = 2097152 };
    if (!i->bytes || i->bytes % PAGE || i->bytes > MOST)
        return FW_EINVAL;
    io_write32(GPU(INV_BYTES), (uint32_t)i->bytes);
    enum fw_error e = gpu_invalidate(i, removed);
    io_write32(GPU(INV_BYTES), 0);
    return e;
}

enum fw_error gpu_walk_set(const struct mp_mgmt_walk *w)
{
    if (w->instance >= MP_MGMT_INSTANCES || w->policy > NUMBERS)
        return FW_EINVAL;
    io_write32(GPU(WALK_INSTANCE), w->instance);
    io_write32(GPU(WALK_POLICY), w->policy);
    io_write32(GPU(WALK_EPOCH), w->epoch);
    io_write32(GPU(WALK_QUEUE), w->queue);
    for (unsigned i = 0; i < sizeof w->diff; i++)
        io_write32(GPU_AT(WALK_DIFF, i), w->diff[i]);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        io_write64(GPU_AT(WALK_OWNED, a), w->owned[a]);
    return command(GPU(WALK_APPLY), 1, GPU(WALK_STATUS));
}

enum fw_error gpu_tlb_set(unsigned level, unsigned policy)
{
    if (level > LEVELS || policy > NUMBERS)
        return FW_EINVAL;
    io_write32(GPU(TLB_LEVEL), level);
    io_write32(GPU(TLB_POLICY), policy);
    return command(GPU(TLB_APPLY), 1, GPU(TLB_STATUS));
}

enum fw_error gpu_count(unsigned asid, uint64_t values[MP_MGMT_COUNTERS])
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    io_write32(GPU(COUNT_ASID), asid);
    enum fw_error e = command(GPU(COUNT_LATCH), 1, GPU(COUNT_STATUS));
    for (unsigned i = 0; !e && i < MP_MGMT_COUNTERS; i++)
        values[i] = io_read64(GPU_AT(COUNT, i));
    return e;
}

enum fw_error gpu_launch(const struct mp_mgmt_launch *l)
{
    if (l->instance >= MP_MGMT_INSTANCES || l->asid >= MP_MGMT_SPACES || l->workload > NUMBERS)
        return FW_EINVAL;
    io_write32(GPU(RUN_INSTANCE), l->instance);
    io_write32(GPU(RUN_ASID), l->asid);
    io_write32(GPU(RUN_WORKLOAD), l->workload);
    enum fw_error e = command(GPU(RUN_DOORBELL), l->tag, GPU(RUN_STATUS));
    if (!e)
        gpu.launch[gpu.launched++] = *l;
    return e;
}

bool gpu_in_use(unsigned asid)
{
    for (unsigned i = 0; i < gpu.launched; i++)
        if (gpu.launch[i].asid == asid)
            return true;
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        if (gpu.saved[n].used && gpu.saved[n].launch.asid == asid)
            return true;
    return false;
}

unsigned gpu_instance_of(unsigned asid)
{
    for (unsigned i = 0; i < gpu.launched; i++)
        if (gpu.launch[i].asid == asid)
            return gpu.launch[i].instance;
    return MP_MGMT_INSTANCES;
}

bool gpu_is_busy(unsigned instance)
{
    for (unsigned i = 0; i < gpu.launched; i++)
        if (gpu.launch[i].instance == instance)
            return true;
    return false;
}

/* The oldest launch of an instance runs, unless its completion has not been taken. */
bool gpu_runs(unsigned asid)
{
    const unsigned instance = gpu_instance_of(asid);
    unsigned i = 0;
    while (i < gpu.launched && gpu.launch[i].instance != instance)
        i++;
    return i < gpu.launched && gpu.launch[i].asid == asid && !gpu_has_completion();
}

void gpu_spoil(unsigned asid)
{
    gpu.spoiled |= 1u << asid;
}

enum fw_error gpu_stop(unsigned instance)
{
    return instance >= MP_MGMT_INSTANCES ? FW_EINVAL : command(GPU(RUN_STOP), instance, GPU(STOP_STATUS));
}

enum fw_error gpu_restart_walks(unsigned instance)
{
    return instance >= MP_MGMT_INSTANCES ? FW_EINVAL : command(GPU(WALK_RESTART), instance, GPU(STOP_STATUS));
}

bool gpu_ecc(struct mp_mgmt_ecc *error)
{
    if (!io_read32(GPU(ECC_COUNT)))
        return false;
    const uint32_t info = io_read32(GPU(ECC_INFO));
    *error = (struct mp_mgmt_ecc){.address = io_read64(GPU(ECC_ADDRESS)),
                                  .poisoned = info & MP_GPU_ECC_INFO_POISONED,
                                  .entry = info & MP_GPU_ECC_INFO_ENTRY};
    io_write32(GPU(ECC_POP), 1);
    return true;
}

enum fw_error gpu_probe(const struct mp_mgmt_probe *p, uint64_t *cycles)
{
    uint32_t status;
    if (p->asid >= MP_MGMT_SPACES || p->loads > MP_MGMT_PROBE_LOADS)
        return FW_EINVAL;
    io_write32(GPU(PROBE_ASID), p->asid);
    io_write32(GPU(PROBE_LOADS), p->loads);
    io_write64(GPU(PROBE_LIST), p->list);
    cpu_fence();
    io_write32(GPU(PROBE_COMMAND), p->kind);
    while ((status = io_read32(GPU(PROBE_STATUS))) & MP_GPU_PROBE_STATUS_BUSY)
        gpu_wait(MP_GPU_INT_STATUS_PROBED);
    *cycles = io_read64(GPU(PROBE_CYCLES));
    return error_of(status & MP_GPU_PROBE_STATUS_CODE);
}

/* Returns whether the launch's address space has lost data. */
static bool forget_launch(uint32_t tag, enum fw_error end, unsigned context)
{
    unsigned i = 0;
    while (i < gpu.launched && gpu.launch[i].tag != tag)
        i++;
    if (i == gpu.launched)
        return false;
    if (end == FW_EPREEMPTED && context < MP_MGMT_CONTEXTS) {
        gpu.saved[context].used = true;
        gpu.saved[context].launch = gpu.launch[i];
    }
    const unsigned asid = gpu.launch[i].asid;
    gpu.launched--;
    memmove(gpu.launch + i, gpu.launch + i + 1, (gpu.launched - i) * sizeof *gpu.launch);
    return gpu.spoiled >> asid & 1;
}

bool gpu_has_completion(void)
{
    return io_read32(GPU(DONE_COUNT));
}

bool gpu_completion(uint32_t *tag, enum fw_error *end)
{
    if (!gpu_has_completion())
        return false;
    *tag = io_read32(GPU(DONE_TAG));
    *end = error_of(io_read32(GPU(DONE_STATUS)));
    unsigned context = *end == FW_EPREEMPTED ? io_read32(GPU(DONE_CONTEXT)) : 0;
    io_write32(GPU(DONE_POP), 1);
    if (forget_launch(*tag, *end, context) && !*end)
        *end = FW_EDATA;
    return true;
}

unsigned gpu_contexts(void)
{
    return io_read32(GPU(CONTEXTS));
}

enum fw_error gpu_preempt(unsigned instance)
{
    return instance < MP_MGMT_INSTANCES ? command(GPU(RUN_PREEMPT), instance, GPU(RUN_STATUS)) : FW_EINVAL;
}

/* Returns the context of the launch, or MP_MGMT_CONTEXTS. */
static unsigned find_saved(uint32_t tag)
{
    unsigned n = 0;
    while (n < MP_MGMT_CONTEXTS && !(gpu.saved[n].used && gpu.saved[n].launch.tag == tag))
        n++;
    return n;
}

static enum fw_error leave_context(uint64_t reg, uint32_t tag, unsigned *n)
{
    *n = find_saved(tag);
    enum fw_error e = *n < MP_MGMT_CONTEXTS ? command(reg, *n, GPU(RUN_STATUS)) : FW_ENOENT;
    if (!e)
        gpu.saved[*n].used = false;
    return e;
}

enum fw_error gpu_resume(uint32_t tag)
{
    unsigned n;
    enum fw_error e = leave_context(GPU(RUN_RESUME), tag, &n);
    if (!e)
        gpu.launch[gpu.launched++] = gpu.saved[n].launch;
    return e;
}

enum fw_error gpu_drop(uint32_t tag)
{
    unsigned n;
    return leave_context(GPU(RUN_DROP), tag, &n);
}

bool gpu_fault(struct mp_mgmt_fault *f)
{
    if (!io_read32(GPU(FAULT_COUNT)))
        return false;
    uint32_t info = io_read32(GPU(FAULT_INFO));
    *f = (struct mp_mgmt_fault){
        .va = io_read64(GPU(FAULT_VA)),
        .asid = (uint8_t)(info & MP_GPU_FAULT_INFO_ASID),
        .sm = (uint16_t)((info & MP_GPU_FAULT_INFO_SM) >> MP_GPU_FAULT_INFO_SM_LOW),
        .write = info & MP_GPU_FAULT_INFO_WRITE,
        .cause = (uint8_t)((info & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW),
        .level = (uint8_t)((info & MP_GPU_FAULT_INFO_LEVEL) >> MP_GPU_FAULT_INFO_LEVEL_LOW),
        .entry = io_read64(GPU(FAULT_ENTRY)),
    };
    io_write32(GPU(FAULT_POP), 1);
    return true;
}

void gpu_take_requests(void)
{
    io_write32(GPU(INT_ENABLE), io_read32(GPU(INT_ENABLE)) | MP_GPU_INT_STATUS_MEMORY);
}

void gpu_take_host_accesses(bool take)
{
    io_write32(GPU(MEM_HOST), take);
}

bool gpu_request(struct mp_mgmt_request *r)
{
    *r = (struct mp_mgmt_request){.kind = (enum mp_mgmt_memory_kind)io_read32(GPU(MEM_KIND)),
                                  .asid = io_read32(GPU(MEM_ASID)),
                                  .va = io_read64(GPU(MEM_VA)),
                                  .bytes = io_read64(GPU(MEM_BYTES))};
    return r->kind != MP_MGMT_NO_REQUEST;
}

void gpu_answer(bool refused)
{
    cpu_fence();
    io_write32(GPU(MEM_DONE), refused ? 2 : 1);
}

uint32_t gpu_faults_held(void)
{
    return io_read32(GPU(FAULT_HELD));
}

enum fw_error gpu_replay(unsigned asid, bool give_up)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    return command(GPU(FAULT_REPLAY), asid | (give_up ? MP_GPU_FAULT_REPLAY_GIVE_UP : 0), GPU(FAULT_STATUS));
}

enum fw_error gpu_cancel(unsigned asid, uint64_t va, bool stores)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    io_write64(GPU(FAULT_CANCEL_VA), va & ~(uint64_t)4095);
    return command(GPU(FAULT_CANCEL), asid | (stores ? MP_GPU_FAULT_CANCEL_STORES : 0), GPU(FAULT_STATUS));
}

enum fw_error gpu_ring_begin(enum gpu_ring ring, unsigned instance, uint64_t base, uint32_t entries)
{
    if (instance >= MP_MGMT_INSTANCES)
        return FW_EINVAL;
    if (ring == GPU_FAULTS) {
        io_write64(GPU_AT(FAULT_RING_BASE, instance), base);
        return command(GPU_AT(FAULT_RING_ENTRIES, instance), entries, GPU(FAULT_STATUS));
    }
    io_write64(GPU_AT(NOTICE_RING_BASE, instance), base);
    return command(GPU_AT(NOTICE_RING_ENTRIES, instance), entries, GPU(NOTICE_STATUS));
}

uint32_t gpu_ring_put(enum gpu_ring ring, unsigned instance)
{
    return io_read32(ring == GPU_FAULTS ? GPU_AT(FAULT_RING_PUT, instance)
                                        : GPU_AT(NOTICE_RING_PUT, instance));
}

enum fw_error gpu_ring_take(enum gpu_ring ring, unsigned instance, uint32_t get)
{
    return ring == GPU_FAULTS ? command(GPU_AT(FAULT_RING_GET, instance), get, GPU(FAULT_STATUS))
                              : command(GPU_AT(NOTICE_RING_GET, instance), get, GPU(NOTICE_STATUS));
}

uint64_t gpu_host_bytes(void)
{
    return io_read64(GPU(HOST_BYTES));
}

enum fw_error gpu_reach_host(unsigned asid)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    io_write32(GPU_AT(AS_CONFIG, asid), io_read32(GPU_AT(AS_CONFIG, asid)) | MP_GPU_AS_CONFIG_REMOTE);
    return command(GPU(AS_COMMIT), asid, GPU(AS_STATUS));
}

enum fw_error gpu_count_remote(unsigned instance, uint32_t granule_bytes, uint32_t threshold)
{
    if (instance >= MP_MGMT_INSTANCES || threshold > UINT16_MAX)
        return FW_EINVAL;
    io_write32(GPU_AT(COUNT_GRANULE, instance),
               granule_bytes == 65536 ? MP_MGMT_GRANULE_64K : MP_MGMT_GRANULE_2M);
    io_write32(GPU_AT(COUNT_THRESHOLD, instance), threshold);
    return FW_OK;
}

enum fw_error gpu_clear_remote(unsigned asid, uint64_t va)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    io_write64(GPU(COUNT_VA), va);
    return command(GPU(COUNT_CLEAR), asid, GPU(NOTICE_STATUS));
}

enum fw_error gpu_clear_all_remote(unsigned asid)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    return command(GPU(COUNT_CLEAR), (uint32_t)(asid | MP_GPU_COUNT_CLEAR_ALL), GPU(NOTICE_STATUS));
}

void gpu_remind(uint32_t events)
{
    bool before = cpu_lock();
    gpu.events |= events;
    cpu_unlock(before);
}

bool gpu_rang(uint32_t events)
{
    return gpu.events & events;
}

uint32_t gpu_take(uint32_t events)
{
    bool before = cpu_lock();
    uint32_t came = gpu.events & events;
    gpu.events &= ~came;
    cpu_unlock(before);
    return came;
}

/* An interrupt that is pending will be taken, and so is not lost. */
void gpu_find_lost(void)
{
    if (!plic_pending() && take_events())
        recovery_note(RECOVERY_LOST_INTERRUPT);
}

uint32_t gpu_wait(uint32_t events)
{
    enum { PATIENCE = 10 * CLINT_TICKS_PER_MS };
    bool before = cpu_lock();
    if (!(gpu.events & events)) {
        struct clint_timer patience;
        clint_set(&patience, clint_now() + PATIENCE);
        while (!(gpu.events & events) && !patience.rang)
            cpu_sleep();
        clint_clear(&patience);
    }
    if (!(gpu.events & events))
        gpu_find_lost();
    cpu_unlock(before);
    return gpu_take(events);
}
