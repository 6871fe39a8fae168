/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <stddef.h>
#include <string.h>

#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "host.h"
#include "io.h"
#include "mig.h"
#include "runner.h"

/* A launch whose end the host has not waited for yet. */
struct launch {
    bool used, waited;
    uint32_t tag;      /* the host's */
    uint32_t sequence; /* of WAIT */
    struct runner_launch run;
};

static struct {
    bool over;
    struct launch launch[MP_MGMT_QUEUE];
} service;

/* What a command has, and what it answers. */
struct call {
    const uint64_t *operand;
    uint64_t value[MP_HOST_VALUES];
    uint32_t sequence;
    bool later; /* the completion is posted later */
};

#define OPERAND(c, opcode, name) ((c)->operand[MP_HOST_##opcode##_##name])
#define SMALL(c, opcode, name)   small(OPERAND(c, opcode, name))

/* Keeps an out-of-range value out of range when it is stored in a narrower type. */
static unsigned small(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

/* --- launches ------------------------------------------------------------------------------------- */

/* The launch with that tag, or NULL. */
static struct launch *find(uint64_t tag)
{
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        if (service.launch[i].used && service.launch[i].tag == tag)
            return &service.launch[i];
    return NULL;
}

static struct launch *find_unused(void)
{
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        if (!service.launch[i].used && !service.launch[i].run.under_way)
            return &service.launch[i];
    return NULL;
}

/* The host has forgotten its launches; those that run end some time. */
static void forget_launches(void)
{
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        service.launch[i].used = false;
}

static enum mp_host_status status_of(enum fw_error e)
{
    static const enum mp_host_status statuses[] = {
        [FW_OK] = MP_HOST_STATUS_OK,
        [FW_EINVAL] = MP_HOST_STATUS_BAD_VALUE,
        [FW_EABSENT] = MP_HOST_STATUS_FAILED,
        [FW_EEXIST] = MP_HOST_STATUS_EXISTS,
        [FW_ENOENT] = MP_HOST_STATUS_NOT_THERE,
        [FW_ENOMEM] = MP_HOST_STATUS_NO_ROOM,
        [FW_EBUSY] = MP_HOST_STATUS_BUSY,
        [FW_EUNSUPPORTED] = MP_HOST_STATUS_UNSUPPORTED,
        [FW_EFAULT] = MP_HOST_STATUS_FAULTED,
        [FW_EDOUBLE] = MP_HOST_STATUS_FAILED,
        [FW_EBUS] = MP_HOST_STATUS_FAILED,
        [FW_EPREEMPTED] = MP_HOST_STATUS_FAILED,
        [FW_ETIMEOUT] = MP_HOST_STATUS_FAILED,
        [FW_ESTOPPED] = MP_HOST_STATUS_FAILED,
        [FW_EDATA] = MP_HOST_STATUS_FAILED,
    };
    return statuses[e];
}

/* Completes the WAITs for launches that have ended, as long as there is room. */
static void post_waits(void)
{
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++) {
        struct launch *l = &service.launch[i];
        if (!l->used || l->run.under_way || !l->waited || !host_room())
            continue;
        l->used = false;
        host_post(&(struct mp_host_completion){l->sequence, status_of(l->run.end), {0}});
    }
}

/* --- commands ------------------------------------------------------------------------------------- */

static enum fw_error ping(struct call *c)
{
    c->value[0] = OPERAND(c, PING, VALUE);
    return FW_OK;
}

static enum fw_error query(struct call *c)
{
    c->value[0] = gpu_slices();
    c->value[1] = gpu_workloads();
    c->value[2] = gpu_page_sizes();
    return FW_OK;
}

static enum fw_error buffer(struct call *c)
{
    struct mp_mgmt_memory b;
    uint64_t workload = OPERAND(c, BUFFER, WORKLOAD), number = OPERAND(c, BUFFER, NUMBER);
    if (workload >= gpu_workloads() || number > UINT16_MAX ||
        !gpu_buffer((unsigned)workload, (unsigned)number, &b))
        return FW_ENOENT;
    c->value[0] = b.base;
    c->value[1] = b.bytes;
    return FW_OK;
}

static enum fw_error create(struct call *c)
{
    unsigned instance = SMALL(c, CREATE, INSTANCE);
    enum fw_error e = mig_create(instance, SMALL(c, CREATE, SLICES));
    if (!e) {
        c->value[0] = mig_instance(instance)->base;
        c->value[1] = mig_instance(instance)->bytes;
    }
    return e;
}

static enum fw_error destroy(struct call *c)
{
    return mig_destroy(SMALL(c, DESTROY, INSTANCE));
}

static enum fw_error open(struct call *c)
{
    return mig_space_open(SMALL(c, OPEN, INSTANCE), SMALL(c, OPEN, SPACE), OPERAND(c, OPEN, PAGE));
}

static enum fw_error close(struct call *c)
{
    return mig_space_close(SMALL(c, CLOSE, SPACE));
}

/* More than is free is refused before the first page gets a frame. */
static enum fw_error map(struct call *c)
{
    const struct gmmu_space *s = gmmu_space(SMALL(c, MAP, SPACE));
    if (s && OPERAND(c, MAP, BYTES) > s->frames->free)
        return FW_ENOMEM;
    return gmmu_map(SMALL(c, MAP, SPACE), OPERAND(c, MAP, VA), OPERAND(c, MAP, BYTES));
}

static enum fw_error unmap(struct call *c)
{
    return gmmu_unmap(SMALL(c, UNMAP, SPACE), OPERAND(c, UNMAP, VA), OPERAND(c, UNMAP, BYTES));
}

static enum fw_error protect(struct call *c)
{
    static const enum gmmu_access accesses[] = {[MP_HOST_ACCESS_NONE] = GMMU_GUARDED,
                                                [MP_HOST_ACCESS_READ] = GMMU_READ,
                                                [MP_HOST_ACCESS_ALL] = GMMU_FREE};
    uint64_t access = OPERAND(c, PROTECT, ACCESS);
    if (access >= sizeof accesses / sizeof *accesses)
        return FW_EINVAL;
    return gmmu_protect(SMALL(c, PROTECT, SPACE), OPERAND(c, PROTECT, VA), OPERAND(c, PROTECT, BYTES),
                        accesses[access]);
}

static enum fw_error promise(struct call *c)
{
    const uint64_t va = OPERAND(c, PROMISE, VA), bytes = OPERAND(c, PROMISE, BYTES),
                   limit = UINT64_C(1) << GMMU_VA_BITS;
    if (!gmmu_space(SMALL(c, PROMISE, SPACE)))
        return FW_ENOENT;
    if (!bytes || va >= limit || bytes > limit - va)
        return FW_EINVAL;
    return fault_promise(SMALL(c, PROMISE, SPACE), va, bytes);
}

static enum fw_error launch(struct call *c)
{
    struct launch *l = find_unused();
    uint64_t tag = OPERAND(c, LAUNCH, TAG);
    if (tag > UINT32_MAX)
        return FW_EINVAL;
    if (find(tag))
        return FW_EEXIST;
    if (!l)
        return FW_ENOMEM;
    *l = (struct launch){.tag = (uint32_t)tag};
    enum fw_error e = runner_follow(&l->run, SMALL(c, LAUNCH, INSTANCE), SMALL(c, LAUNCH, SPACE),
                                    SMALL(c, LAUNCH, WORKLOAD));
    l->used = !e;
    return e;
}

static enum fw_error wait(struct call *c)
{
    struct launch *l = find(OPERAND(c, WAIT, TAG));
    if (!l)
        return FW_ENOENT;
    if (l->waited)
        return FW_EBUSY;
    l->waited = c->later = true;
    l->sequence = c->sequence;
    return FW_OK;
}

static enum fw_error counters(struct call *c)
{
    uint64_t value[MP_MGMT_COUNTERS], at = OPERAND(c, COUNTERS, AT);
    if (at % 8 || at > MP_HOST_MEMORY_BYTES - MP_HOST_COUNTERS_BYTES)
        return FW_EINVAL;
    enum fw_error e = gpu_count(SMALL(c, COUNTERS, SPACE), value);
    for (unsigned i = 0; !e && i < MP_MGMT_COUNTERS; i++)
        io_write64(MP_HOST_MEMORY_BASE + at + 8 * i, value[i]);
    return e;
}

static enum fw_error invalidate(struct call *c)
{
    static const enum mp_mgmt_scope scopes[] = {[MP_HOST_SCOPE_ALL] = MP_MGMT_ALL,
                                                [MP_HOST_SCOPE_SPACE] = MP_MGMT_ASID,
                                                [MP_HOST_SCOPE_PAGE] = MP_MGMT_PAGE};
    uint64_t scope = OPERAND(c, INVALIDATE, SCOPE);
    if (scope >= sizeof scopes / sizeof *scopes)
        return FW_EINVAL;
    return gpu_invalidate(&(struct mp_mgmt_invalidation){.scope = scopes[scope],
                                                         .walk_cache = true,
                                                         .asid = SMALL(c, INVALIDATE, SPACE),
                                                         .va = OPERAND(c, INVALIDATE, VA)},
                          &c->value[0]);
}

static enum fw_error policy(struct call *c)
{
    return gpu_tlb_set(SMALL(c, POLICY, LEVEL), SMALL(c, POLICY, POLICY));
}

static enum fw_error scheduler(struct call *c)
{
    return mig_walk_policy(SMALL(c, SCHEDULER, INSTANCE), SMALL(c, SCHEDULER, SCHEDULER));
}

static enum fw_error reset(struct call *c)
{
    enum fw_error e = FW_OK;
    (void)c;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (gpu_in_use(a))
            return FW_EBUSY;
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        if (service.launch[i].used && service.launch[i].waited)
            return FW_EBUSY; /* there was no room for its completion yet */
    for (unsigned i = 0; !e && i < MP_MGMT_INSTANCES; i++)
        e = mig_instance(i) ? mig_destroy(i) : FW_OK;
    if (!e)
        forget_launches();
    return e;
}

static enum fw_error quit(struct call *c)
{
    (void)c;
    service.over = true;
    return FW_OK;
}

static enum fw_error (*const commands[MP_HOST_OPCODES])(struct call *c) = {
    [MP_HOST_DO_PING] = ping,
    [MP_HOST_DO_QUERY] = query,
    [MP_HOST_DO_BUFFER] = buffer,
    [MP_HOST_DO_CREATE] = create,
    [MP_HOST_DO_DESTROY] = destroy,
    [MP_HOST_DO_OPEN] = open,
    [MP_HOST_DO_CLOSE] = close,
    [MP_HOST_DO_MAP] = map,
    [MP_HOST_DO_UNMAP] = unmap,
    [MP_HOST_DO_PROTECT] = protect,
    [MP_HOST_DO_PROMISE] = promise,
    [MP_HOST_DO_LAUNCH] = launch,
    [MP_HOST_DO_WAIT] = wait,
    [MP_HOST_DO_COUNTERS] = counters,
    [MP_HOST_DO_INVALIDATE] = invalidate,
    [MP_HOST_DO_POLICY] = policy,
    [MP_HOST_DO_SCHEDULER] = scheduler,
    [MP_HOST_DO_RESET] = reset,
    [MP_HOST_DO_QUIT] = quit,
};

/* --- the ring ------------------------------------------------------------------------------------- */

/* Operands that the opcode does not have are for later versions, and 0 in this one. */
static bool has_others(const struct mp_host_command *c)
{
    for (unsigned i = mp_host_operands(c->opcode); i < MP_HOST_OPERAND_WORDS; i++)
        if (c->operand[i])
            return true;
    return false;
}

static void carry_out(const struct mp_host_command *command)
{
    struct call c = {.operand = command->operand, .sequence = command->sequence};
    enum mp_host_status status = MP_HOST_STATUS_BAD_OPCODE;
    if (command->opcode < MP_HOST_OPCODES && commands[command->opcode])
        status = has_others(command) ? MP_HOST_STATUS_BAD_VALUE : status_of(commands[command->opcode](&c));
    if (!c.later)
        host_post(&(struct mp_host_completion){c.sequence, status, {c.value[0], c.value[1], c.value[2]}});
}

enum fw_error service_init(void)
{
    memset(&service, 0, sizeof service);
    return host_init();
}

bool service_due(void)
{
    return host_rang() || runner_rang();
}

bool service_serve(void)
{
    struct mp_host_command command;
    if (host_reset())
        forget_launches();
    runner_serve();
    post_waits();
    while (!service.over && host_next(&command)) {
        carry_out(&command);
        runner_serve();
        post_waits();
    }
    post_waits(); /* host_next may have taken the news that there is room */
    if (service.over)
        host_end();
    return !service.over;
}
