/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/mgmt_parts.h"

#include <stddef.h>
#include <string.h>

#include "soc/service_check.h"

static void update(struct mp_mgmt *m)
{
    uint64_t active = m->value.INT_STATUS[0] & m->value.INT_ENABLE[0];
    mp_line_set(&m->invalidate, active & MP_GPU_INT_STATUS_INVALIDATED);
    mp_line_set(&m->fault, active & (MP_GPU_INT_STATUS_FAULT | MP_GPU_INT_STATUS_FAULT_HELD |
                                     MP_GPU_INT_STATUS_ECC | MP_GPU_INT_STATUS_NOTICE));
    mp_line_set(&m->queue,
                active & (MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_PROBED | MP_GPU_INT_STATUS_MEMORY));
}

void mp_mgmt_happened(struct mp_mgmt *m, uint64_t what)
{
    m->value.INT_STATUS[0] |= what;
    update(m);
}

/* --- instances and address spaces ----------------------------------------------------------------- */

static enum mp_mgmt_status create(struct mp_mgmt *m, unsigned instance, unsigned slices)
{
    struct mp_mgmt_memory memory = {0};
    unsigned taken = 0;
    if (!slices)
        return MP_MGMT_BAD_VALUE;
    if (mp_mgmt_has_instance(m, instance))
        return MP_MGMT_EXISTS;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        taken += (unsigned)m->value.MIG_HAS[i];
    if (taken + slices > m->gpu->slices)
        return MP_MGMT_NO_ROOM;
    enum mp_mgmt_status status = m->gpu->create(m->gpu->self, instance, slices, &memory);
    if (status)
        return status;
    m->value.MIG_HAS[instance] = slices;
    m->value.MIG_BASE[instance] = memory.base;
    m->value.MIG_BYTES[instance] = memory.bytes;
    return MP_MGMT_OK;
}

bool mp_mgmt_is_probed(const struct mp_mgmt *m, unsigned instance)
{
    return m->value.PROBE_STATUS[0] & MP_GPU_PROBE_STATUS_BUSY && m->probe.instance == instance;
}

static bool in_use(const struct mp_mgmt *m, unsigned instance)
{
    if (mp_mgmt_is_probed(m, instance))
        return true;
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        if (m->context[n].state && m->context[n].launch.instance == instance)
            return true;
    for (unsigned i = 0; i < m->entries; i++)
        if (m->entry[i].launch.instance == instance && !m->entry[i].done)
            return true;
    return false;
}

static enum mp_mgmt_status destroy(struct mp_mgmt *m, unsigned instance)
{
    static const struct mp_mgmt_space none;
    if (!mp_mgmt_has_instance(m, instance))
        return MP_MGMT_NOT_THERE;
    if (in_use(m, instance) || m->value.INV_STATUS[0] & MP_GPU_INV_STATUS_BUSY)
        return MP_MGMT_BUSY;
    enum mp_mgmt_status status = m->gpu->destroy(m->gpu->self, instance);
    if (status)
        return status;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (m->space[a].valid && m->space[a].instance == instance) {
            mp_mgmt_forget_counts(m, a);
            m->space[a] = none;
            m->value.AS_CONFIG[a] &= ~MP_GPU_AS_CONFIG_VALID;
        }
    m->value.MIG_HAS[instance] = m->value.MIG_BASE[instance] = m->value.MIG_BYTES[instance] = 0;
    mp_mgmt_end_fault_ring(m, instance);
    mp_mgmt_end_notice_ring(m, instance);
    return MP_MGMT_OK;
}

static enum mp_mgmt_status mig_command(struct mp_mgmt *m, uint64_t command)
{
    unsigned instance = (unsigned)m->value.MIG_INSTANCE[0];
    if (command == MP_GPU_MIG_COMMAND_CREATE)
        return create(m, instance, (unsigned)m->value.MIG_SLICES[0]);
    if (command == MP_GPU_MIG_COMMAND_DESTROY)
        return destroy(m, instance);
    return MP_MGMT_BAD_VALUE;
}

/* Whether a launch or a probe runs or waits in the address space. */
bool mp_mgmt_is_active(const struct mp_mgmt *m, unsigned asid)
{
    if (m->value.PROBE_STATUS[0] & MP_GPU_PROBE_STATUS_BUSY && m->probe.asid == asid)
        return true;
    for (unsigned i = 0; i < m->entries; i++)
        if (m->entry[i].launch.asid == asid && !m->entry[i].done)
            return true;
    return false;
}

static bool space_in_use(const struct mp_mgmt *m, unsigned asid)
{
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        if (m->context[n].state && m->context[n].launch.asid == asid)
            return true;
    return mp_mgmt_is_active(m, asid);
}

/* By the numbers of AS_CONFIG.PAGE. */
static const uint64_t page_bytes[] = {
    [MP_MGMT_PAGE_4K] = 4096, [MP_MGMT_PAGE_64K] = 65536, [MP_MGMT_PAGE_2M] = 2097152, [3] = 0};

static uint64_t page_numbers(uint64_t sizes)
{
    uint64_t numbers = 0;
    for (unsigned n = 0; n < sizeof page_bytes / sizeof *page_bytes; n++)
        numbers |= (uint64_t)((sizes & page_bytes[n]) != 0) << n;
    return numbers;
}

/* An address space in use may get another root, but not another owner or page size. */
static enum mp_mgmt_status commit(struct mp_mgmt *m, uint64_t asid)
{
    uint64_t c = m->value.AS_CONFIG[asid];
    struct mp_mgmt_space s = {
        c & MP_GPU_AS_CONFIG_VALID,
        (unsigned)((c & MP_GPU_AS_CONFIG_INSTANCE) >> MP_GPU_AS_CONFIG_INSTANCE_LOW), m->value.AS_ROOT[asid],
        page_bytes[(c & MP_GPU_AS_CONFIG_PAGE) >> MP_GPU_AS_CONFIG_PAGE_LOW], c & MP_GPU_AS_CONFIG_REMOTE};
    const struct mp_mgmt_space *old = &m->space[asid];
    if (s.valid && (!s.page_bytes || s.root >= m->gpu->memory_bytes))
        return MP_MGMT_BAD_VALUE;
    if (s.valid && !mp_mgmt_has_instance(m, s.instance))
        return MP_MGMT_NOT_THERE;
    if (s.valid && s.remote && !m->gpu->host_bytes)
        return MP_MGMT_UNSUPPORTED;
    if (space_in_use(m, (unsigned)asid) &&
        (!s.valid || s.instance != old->instance || s.page_bytes != old->page_bytes))
        return MP_MGMT_BUSY;
    enum mp_mgmt_status status = m->gpu->set_space(m->gpu->self, (unsigned)asid, &s);
    if (status)
        return status;
    if (!s.valid || s.instance != old->instance)
        mp_mgmt_forget_counts(m, (unsigned)asid);
    m->space[asid] = s;
    return MP_MGMT_OK;
}

/* --- invalidation --------------------------------------------------------------------------------- */

static enum mp_mgmt_status check_invalidation(const struct mp_mgmt *m, const struct mp_mgmt_invalidation *i)
{
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    if (i->scope < MP_MGMT_PAGE)
        return MP_MGMT_BAD_VALUE;
    const uint64_t most = UINT64_C(1) << 21, end = UINT64_C(1) << 48;
    if (i->scope == MP_MGMT_PAGE && (i->bytes > most || i->va + i->bytes > end))
        return MP_MGMT_BAD_VALUE;
    return i->scope != MP_MGMT_ALL && !m->space[i->asid].valid ? MP_MGMT_NOT_THERE : MP_MGMT_OK;
}

/* A refused invalidation ends at once, with its code. */
static void invalidate(struct mp_mgmt *m, uint64_t command)
{
    struct mp_mgmt_invalidation i = {(enum mp_mgmt_scope)(command & MP_GPU_INV_COMMAND_KIND),
                                     command & MP_GPU_INV_COMMAND_WALK_CACHE,
                                     command & MP_GPU_INV_COMMAND_TLBS_STAY,
                                     (unsigned)m->value.INV_ASID[0],
                                     m->value.INV_VA[0],
                                     m->value.INV_BYTES[0]};
    if (m->value.INV_STATUS[0] & MP_GPU_INV_STATUS_BUSY) {
        m->value.INV_STATUS[0] |= MP_GPU_INV_STATUS_LOST;
        return;
    }
    m->value.INV_REMOVED[0] = 0;
    enum mp_mgmt_status status = check_invalidation(m, &i);
    if (!status) {
        m->value.INV_STATUS[0] = MP_GPU_INV_STATUS_BUSY;
        status = m->gpu->invalidate(m->gpu->self, &i);
    }
    if (!status)
        return;
    m->value.INV_STATUS[0] = status;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_INVALIDATED);
}

void mp_mgmt_invalidated(struct mp_mgmt *m, uint64_t removed)
{
    m->value.INV_STATUS[0] &= MP_GPU_INV_STATUS_LOST;
    m->value.INV_REMOVED[0] = removed;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_INVALIDATED);
}

/* --- walks, TLBs, counters ------------------------------------------------------------------------ */

/* A walker has at most one owner. */
static enum mp_mgmt_status apply_walk(struct mp_mgmt *m)
{
    struct mp_mgmt_walk w = {(unsigned)m->value.WALK_INSTANCE[0],
                             (unsigned)m->value.WALK_POLICY[0],
                             (unsigned)m->value.WALK_EPOCH[0],
                             (unsigned)m->value.WALK_QUEUE[0],
                             {0},
                             {0}};
    uint64_t owned = 0;
    if (!mp_mgmt_has_instance(m, w.instance))
        return MP_MGMT_NOT_THERE;
    for (unsigned i = 0; i < sizeof w.diff; i++)
        w.diff[i] = (uint8_t)m->value.WALK_DIFF[i];
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        w.owned[a] = m->value.WALK_OWNED[a];
        if (owned & w.owned[a])
            return MP_MGMT_BAD_VALUE;
        owned |= w.owned[a];
    }
    return m->gpu->set_walk(m->gpu->self, &w);
}

static enum mp_mgmt_status apply_tlb(struct mp_mgmt *m)
{
    unsigned level = (unsigned)m->value.TLB_LEVEL[0];
    if (!level)
        return MP_MGMT_BAD_VALUE;
    return m->gpu->set_tlb(m->gpu->self, level, (unsigned)m->value.TLB_POLICY[0]);
}

static enum mp_mgmt_status latch(struct mp_mgmt *m)
{
    unsigned asid = (unsigned)m->value.COUNT_ASID[0];
    uint64_t values[MP_MGMT_COUNTERS] = {0};
    if (!m->space[asid].valid)
        return MP_MGMT_NOT_THERE;
    enum mp_mgmt_status status = m->gpu->count(m->gpu->self, asid, values);
    if (!status)
        memcpy(m->value.COUNT, values, sizeof values);
    return status;
}

/* --- faults --------------------------------------------------------------------------------------- */

static struct mp_mgmt_buffered *buffered(struct mp_mgmt *m, unsigned i)
{
    return &m->buffer[(m->first_fault + i) % MP_MGMT_FAULTS];
}

bool mp_mgmt_faulted(struct mp_mgmt *m, const struct mp_mgmt_fault *fault)
{
    return mp_mgmt_access_faulted(m, fault, fault->write ? MP_GPU_ACCESS_WRITE : MP_GPU_ACCESS_READ);
}

bool mp_mgmt_access_faulted(struct mp_mgmt *m, const struct mp_mgmt_fault *fault, enum mp_gpu_access access)
{
    if (mp_mgmt_fault_queue(m, fault->asid))
        return mp_mgmt_enter_fault(m, m->space[fault->asid].instance, fault, access);
    uint64_t page = m->space[fault->asid].page_bytes;
    for (unsigned i = 0; page && i < m->faults; i++) {
        const struct mp_mgmt_buffered *b = buffered(m, i);
        if (!b->replayed && b->fault.asid == fault->asid && b->fault.write == fault->write &&
            b->fault.va / page == fault->va / page)
            return true;
    }
    if (m->faults == MP_MGMT_FAULTS)
        return false;
    *buffered(m, m->faults++) = (struct mp_mgmt_buffered){*fault, false};
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_FAULT);
    return true;
}

void mp_mgmt_hold_faults(struct mp_mgmt *m, unsigned faults)
{
    bool more = faults > m->value.FAULT_HELD[0];
    m->value.FAULT_HELD[0] = faults;
    if (more)
        mp_mgmt_happened(m, MP_GPU_INT_STATUS_FAULT_HELD);
}

static void pop_fault(struct mp_mgmt *m)
{
    if (!m->faults)
        return;
    m->first_fault = (m->first_fault + 1) % MP_MGMT_FAULTS;
    m->faults--;
    if (m->gpu)
        m->gpu->room(m->gpu->self);
}

uint32_t mp_mgmt_fault_info(const struct mp_mgmt_fault *f)
{
    return (uint32_t)(f->asid | (uint64_t)f->sm << MP_GPU_FAULT_INFO_SM_LOW |
                      (f->write ? MP_GPU_FAULT_INFO_WRITE : 0) |
                      (f->cause == MP_MGMT_CAUSE_READ_ONLY ? MP_GPU_FAULT_INFO_READ_ONLY : 0) |
                      (uint64_t)f->cause << MP_GPU_FAULT_INFO_CAUSE_LOW |
                      (uint64_t)f->level << MP_GPU_FAULT_INFO_LEVEL_LOW);
}

static enum mp_mgmt_status replay(struct mp_mgmt *m, uint64_t what)
{
    unsigned asid = (unsigned)(what & MP_GPU_FAULT_REPLAY_ASID);
    if (!m->space[asid].valid)
        return MP_MGMT_NOT_THERE;
    for (unsigned i = 0; i < m->faults; i++)
        if (buffered(m, i)->fault.asid == asid)
            buffered(m, i)->replayed = true;
    if (m->check)
        mp_service_check_replay(m->check, m, asid, what & MP_GPU_FAULT_REPLAY_GIVE_UP);
    mp_mgmt_forget_repeats(m, asid);
    return m->gpu->replay(m->gpu->self, asid, what & MP_GPU_FAULT_REPLAY_GIVE_UP);
}

static enum mp_mgmt_status cancel(struct mp_mgmt *m, uint64_t what)
{
    unsigned asid = (unsigned)(what & MP_GPU_FAULT_CANCEL_ASID);
    if (!m->gpu->cancel)
        return MP_MGMT_UNSUPPORTED;
    if (!m->space[asid].valid)
        return MP_MGMT_NOT_THERE;
    return m->gpu->cancel(m->gpu->self, asid, m->value.FAULT_CANCEL_VA[0], what & MP_GPU_FAULT_CANCEL_STORES);
}

/* --- probes --------------------------------------------------------------------------------------- */

static enum mp_mgmt_status check_probe(const struct mp_mgmt *m, const struct mp_mgmt_probe *p)
{
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    if (p->kind != MP_MGMT_CHASE && p->kind != MP_MGMT_PAIR)
        return MP_MGMT_BAD_VALUE;
    if (!p->loads || p->loads > MP_MGMT_PROBE_LOADS || p->list > m->gpu->memory_bytes ||
        8ull * p->loads > m->gpu->memory_bytes - p->list)
        return MP_MGMT_BAD_VALUE;
    if (!m->space[p->asid].valid)
        return MP_MGMT_NOT_THERE;
    return mp_mgmt_runs_on(m, p->instance) ? MP_MGMT_BUSY : MP_MGMT_OK;
}

void mp_mgmt_probed(struct mp_mgmt *m, enum mp_mgmt_status status, uint64_t cycles)
{
    m->value.PROBE_STATUS[0] = status;
    m->value.PROBE_CYCLES[0] = cycles;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_PROBED);
    mp_mgmt_start_launches(m);
}

/* A refused probe ends at once, with its code. */
static void probe(struct mp_mgmt *m, uint64_t command)
{
    const unsigned asid = (unsigned)m->value.PROBE_ASID[0];
    const struct mp_mgmt_probe p = {.asid = asid,
                                    .instance = m->space[asid].instance,
                                    .kind = (enum mp_mgmt_probe_kind)command,
                                    .loads = command == MP_MGMT_PAIR ? 2 : (uint32_t)m->value.PROBE_LOADS[0],
                                    .list = m->value.PROBE_LIST[0]};
    if (m->value.PROBE_STATUS[0] & MP_GPU_PROBE_STATUS_BUSY)
        return;
    enum mp_mgmt_status status = check_probe(m, &p);
    if (!status) {
        mp_mgmt_wake(m, asid);
        m->probe = p;
        m->value.PROBE_STATUS[0] = MP_GPU_PROBE_STATUS_BUSY;
        status = m->gpu->probe(m->gpu->self, &p);
    }
    if (status)
        mp_mgmt_probed(m, status, 0);
}

/* --- requests for memory -------------------------------------------------------------------------- */

bool mp_mgmt_request(struct mp_mgmt *m, const struct mp_mgmt_request *request)
{
    const bool host = request->kind == MP_MGMT_HOST_READ || request->kind == MP_MGMT_HOST_WRITE;
    if (!(m->value.INT_ENABLE[0] & MP_GPU_INT_STATUS_MEMORY) || (host && !m->value.MEM_HOST[0]))
        return false;
    m->request[m->requests++] = *request;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_MEMORY);
    return true;
}

static void answer(struct mp_mgmt *m, uint64_t value)
{
    if (!m->requests || (value != 1 && value != 2))
        return;
    const unsigned instance = m->request[0].instance;
    m->requests--;
    memmove(m->request, m->request + 1, m->requests * sizeof *m->request);
    m->gpu->answered(m->gpu->self, instance, value == 2);
}

/* --- errors of the memory, and recovery ------------------------------------------------------------ */

void mp_mgmt_report_ecc(struct mp_mgmt *m, const struct mp_mgmt_ecc *error)
{
    if (m->eccs == MP_MGMT_ECC)
        return;
    m->ecc[m->eccs++] = *error;
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_ECC);
}

static void pop_ecc(struct mp_mgmt *m)
{
    if (!m->eccs)
        return;
    m->eccs--;
    memmove(m->ecc, m->ecc + 1, m->eccs * sizeof *m->ecc);
}

static enum mp_mgmt_status restart_walks(struct mp_mgmt *m, unsigned instance)
{
    if (!mp_mgmt_has_instance(m, instance))
        return MP_MGMT_NOT_THERE;
    m->gpu->restart_walks(m->gpu->self, instance);
    return MP_MGMT_OK;
}

static struct mp_mgmt_memory buffer(const struct mp_mgmt *m)
{
    struct mp_mgmt_memory b;
    unsigned workload = (unsigned)m->value.BUFFER_OF[0], number = (unsigned)m->value.BUFFER[0];
    bool there = m->gpu && workload < m->gpu->workloads && m->gpu->buffer(m->gpu->self, workload, number, &b);
    return there ? b : (struct mp_mgmt_memory){0, 0};
}

/* --- registers ------------------------------------------------------------------------------------ */

static uint64_t on_read(void *device, unsigned reg, unsigned index, uint64_t kept)
{
    const struct mp_mgmt *m = device;
    const struct mp_mgmt_fault *fault = m->faults ? &m->buffer[m->first_fault].fault : NULL;
    const struct mp_mgmt_queued *done = m->completions ? &m->entry[m->done[0]] : NULL;
    const struct mp_mgmt_request none = {.kind = MP_MGMT_NO_REQUEST};
    const struct mp_mgmt_request *request = m->requests ? &m->request[0] : &none;
    const struct mp_mgmt_ecc no_error = {0}, *error = m->eccs ? &m->ecc[0] : &no_error;
    (void)index;
    switch (reg) {
    case MP_GPU_ECC_COUNT_ID:
        return m->eccs;
    case MP_GPU_ECC_INFO_ID:
        return (error->poisoned ? MP_GPU_ECC_INFO_POISONED : 0) | (error->entry ? MP_GPU_ECC_INFO_ENTRY : 0);
    case MP_GPU_ECC_ADDRESS_ID:
        return error->address;
    case MP_GPU_FAULT_COUNT_ID:
        return m->faults;
    case MP_GPU_FAULT_VA_ID:
        return fault ? fault->va : 0;
    case MP_GPU_FAULT_INFO_ID:
        return fault ? mp_mgmt_fault_info(fault) : 0;
    case MP_GPU_FAULT_ENTRY_ID:
        return fault ? fault->entry : 0;
    case MP_GPU_RUN_QUEUED_ID:
        return m->entries - m->completions;
    case MP_GPU_DONE_COUNT_ID:
        return m->completions;
    case MP_GPU_DONE_TAG_ID:
        return done ? done->launch.tag : 0;
    case MP_GPU_DONE_STATUS_ID:
        return done ? done->status : 0;
    case MP_GPU_DONE_CONTEXT_ID:
        return done && done->status == MP_MGMT_PREEMPTED ? done->context : 0;
    case MP_GPU_MEM_KIND_ID:
        return request->kind;
    case MP_GPU_MEM_ASID_ID:
        return request->asid;
    case MP_GPU_MEM_VA_ID:
        return request->va;
    case MP_GPU_MEM_BYTES_ID:
        return request->bytes;
    case MP_GPU_BUFFER_VA_ID:
        return buffer(m).base;
    case MP_GPU_BUFFER_BYTES_ID:
        return buffer(m).bytes;
    default:
        return kept;
    }
}

static enum mp_mgmt_status command(struct mp_mgmt *m, unsigned reg, unsigned index, uint64_t value)
{
    (void)index;
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    switch (reg) {
    case MP_GPU_MIG_COMMAND_ID:
        return mig_command(m, value);
    case MP_GPU_AS_COMMIT_ID:
        return commit(m, value);
    case MP_GPU_FAULT_REPLAY_ID:
        return replay(m, value);
    case MP_GPU_FAULT_CANCEL_ID:
        return cancel(m, value);
    case MP_GPU_COUNT_CLEAR_ID:
        return mp_mgmt_clear_counters(m, value);
    case MP_GPU_RUN_STOP_ID:
        return mp_mgmt_stop(m, (unsigned)value);
    case MP_GPU_WALK_RESTART_ID:
        return restart_walks(m, (unsigned)value);
    case MP_GPU_WALK_APPLY_ID:
        return value ? apply_walk(m) : MP_MGMT_BAD_VALUE;
    case MP_GPU_TLB_APPLY_ID:
        return value ? apply_tlb(m) : MP_MGMT_BAD_VALUE;
    case MP_GPU_RUN_PREEMPT_ID:
        return mp_mgmt_preempt(m, (unsigned)value);
    case MP_GPU_RUN_RESUME_ID:
        return mp_mgmt_resume(m, (unsigned)value);
    case MP_GPU_RUN_DROP_ID:
        return mp_mgmt_drop(m, (unsigned)value);
    default: /* MP_GPU_COUNT_LATCH_ID */
        return value ? latch(m) : MP_MGMT_BAD_VALUE;
    }
}

/* Without a GPU, too: the registers of a ring show what it is. */
static enum mp_mgmt_status queue_command(struct mp_mgmt *m, unsigned reg, unsigned index, uint64_t value)
{
    switch (reg) {
    case MP_GPU_FAULT_RING_ENTRIES_ID:
        return mp_mgmt_begin_fault_ring(m, index, value);
    case MP_GPU_FAULT_RING_GET_ID:
        return mp_mgmt_take_faults(m, index, value);
    case MP_GPU_NOTICE_RING_ENTRIES_ID:
        return mp_mgmt_begin_notice_ring(m, index, value);
    case MP_GPU_NOTICE_RING_GET_ID:
        return mp_mgmt_take_notices(m, index, value);
    default: /* MP_GPU_RUN_DOORBELL_ID */
        return mp_mgmt_doorbell(m, (uint32_t)value);
    }
}

/* Writes that leave a code in a register. */
#define CODED(reg, status, run) [MP_GPU_##reg##_ID] = {offsetof(struct mp_GPU_values, status), run}
static const struct {
    size_t status;
    enum mp_mgmt_status (*run)(struct mp_mgmt *m, unsigned reg, unsigned index, uint64_t value);
} coded[MP_GPU_REG_COUNT] = {
    CODED(MIG_COMMAND, MIG_STATUS, command),
    CODED(AS_COMMIT, AS_STATUS, command),
    CODED(WALK_APPLY, WALK_STATUS, command),
    CODED(TLB_APPLY, TLB_STATUS, command),
    CODED(FAULT_REPLAY, FAULT_STATUS, command),
    CODED(FAULT_CANCEL, FAULT_STATUS, command),
    CODED(FAULT_RING_ENTRIES, FAULT_STATUS, queue_command),
    CODED(FAULT_RING_GET, FAULT_STATUS, queue_command),
    CODED(NOTICE_RING_ENTRIES, NOTICE_STATUS, queue_command),
    CODED(NOTICE_RING_GET, NOTICE_STATUS, queue_command),
    CODED(COUNT_CLEAR, NOTICE_STATUS, command),
    CODED(RUN_STOP, STOP_STATUS, command),
    CODED(WALK_RESTART, STOP_STATUS, command),
    CODED(COUNT_LATCH, COUNT_STATUS, command),
    CODED(RUN_PREEMPT, RUN_STATUS, command),
    CODED(RUN_RESUME, RUN_STATUS, command),
    CODED(RUN_DROP, RUN_STATUS, command),
    CODED(RUN_DOORBELL, RUN_STATUS, queue_command),
};
#undef CODED

static void write_uncoded(struct mp_mgmt *m, unsigned reg, unsigned index, uint64_t value)
{
    switch (reg) {
    case MP_GPU_COUNT_GRANULE_ID:
        mp_mgmt_set_granule(m, index);
        break;
    case MP_GPU_INV_COMMAND_ID:
        invalidate(m, value);
        break;
    case MP_GPU_PROBE_COMMAND_ID:
        probe(m, value);
        break;
    case MP_GPU_MEM_DONE_ID:
        answer(m, value);
        break;
    case MP_GPU_FAULT_POP_ID:
        if (value)
            pop_fault(m);
        break;
    case MP_GPU_ECC_POP_ID:
        if (value)
            pop_ecc(m);
        break;
    case MP_GPU_DONE_POP_ID:
        if (value)
            mp_mgmt_pop_completion(m);
        break;
    default: /* INT_STATUS, INT_ENABLE */
        update(m);
    }
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_mgmt *m = device;
    if (coded[reg].run)
        *(uint64_t *)((char *)&m->value + coded[reg].status) = coded[reg].run(m, reg, index, value);
    else
        write_uncoded(m, reg, index, value);
}

void mp_mgmt_init(struct mp_mgmt *m)
{
    m->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_GPU],
                               .value = (uint64_t *)&m->value,
                               .device = m,
                               .read = on_read,
                               .write = on_write};
    mp_regs_reset(&m->regs);
    memset(m->space, 0, sizeof m->space);
    memset(m->context, 0, sizeof m->context);
    memset(m->fault_ring, 0, sizeof m->fault_ring);
    memset(m->notice_ring, 0, sizeof m->notice_ring);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        mp_mgmt_forget_repeats(m, a);
        mp_mgmt_forget_counts(m, a);
    }
    m->first_fault = m->faults = m->entries = m->completions = m->failed = m->requests = m->eccs = 0;
    m->starting = false;
    m->value.SLICES[0] = m->gpu ? m->gpu->slices : 0;
    m->value.MEMORY[0] = m->gpu ? m->gpu->memory_bytes : 0;
    m->value.WALKERS[0] = m->gpu ? m->gpu->walkers : 0;
    m->value.SMS[0] = m->gpu ? m->gpu->sms : 0;
    m->value.HOST_BYTES[0] = m->gpu ? m->gpu->host_bytes : 0;
    m->value.PAGES[0] = m->gpu ? page_numbers(m->gpu->page_sizes) : 0;
    m->value.WALKS[0] = m->gpu && m->gpu->contiguity ? MP_GPU_WALKS_CONTIGUITY : 0;
    m->value.WORKLOADS[0] = m->gpu ? m->gpu->workloads : 0;
    m->value.CONTEXTS[0] = m->gpu && m->gpu->preempt ? MP_MGMT_CONTEXTS : 0;
}
