/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <stdbool.h>
#include <string.h>

#include "gmmu.h"
#include "gpu.h"

enum { REGIONS = 64 };

/* After this many replays without a new page, the address space makes no progress. */
enum { PATIENCE = 64 };

static struct {
    unsigned regions;
    struct {
        unsigned asid;
        uint64_t va, bytes;
    } region[REGIONS];
    struct fault_counts counts[MP_MGMT_SPACES];
    unsigned idle[MP_MGMT_SPACES]; /* consecutive replays without a new page */
    uint64_t storms;
} fault;

/* The effects of one round on an address space. */
struct round {
    bool faulted, mapped, give_up;
};

void fault_init(void)
{
    memset(&fault, 0, sizeof fault);
}

enum fw_error fault_promise(unsigned asid, uint64_t va, uint64_t bytes)
{
    if (asid >= MP_MGMT_SPACES)
        return FW_EINVAL;
    if (fault.regions == REGIONS)
        return FW_ENOMEM;
    fault.region[fault.regions].asid = asid;
    fault.region[fault.regions].va = va;
    fault.region[fault.regions++].bytes = bytes;
    return FW_OK;
}

void fault_forget(unsigned asid)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < fault.regions; i++)
        if (fault.region[i].asid != asid)
            fault.region[kept++] = fault.region[i];
    fault.regions = kept;
}

bool fault_is_promised(unsigned asid, uint64_t va)
{
    for (unsigned i = 0; i < fault.regions; i++)
        if (fault.region[i].asid == asid && va - fault.region[i].va < fault.region[i].bytes)
            return true;
    return false;
}

/* Maps one page; returns FW_EEXIST if it has been mapped in the meantime. */
static enum fw_error resolve(const struct gmmu_space *s, uint64_t va, bool write)
{
    struct gmmu_walk w;
    enum fw_error e = gmmu_walk(s->asid, va, &w);
    if (w.read_only && write)
        return FW_EFAULT;
    if (e || w.mapped)
        return e ? e : FW_EEXIST;
    if (w.guarded || !fault_is_promised(s->asid, va))
        return FW_EFAULT;
    uint64_t page = 1ull << s->format->page_shift;
    e = gmmu_map(s->asid, va & -page, page);
    return e ? e : gmmu_forget(s->asid, va & -page); /* an entry that was missing may be cached, too */
}

static void take(const struct mp_mgmt_fault *f, struct round round[])
{
    const struct gmmu_space *s = gmmu_space(f->asid);
    if (!s)
        return; /* the address space has been closed since */
    struct fault_counts *c = &fault.counts[f->asid];
    bool flawed = f->cause >= MP_MGMT_CAUSE_RESERVED;
    enum fw_error e = flawed ? FW_EFAULT : resolve(s, f->va, f->write);
    c->reported++;
    c->flawed += flawed;
    c->mapped += e == FW_OK;
    c->repeated += e == FW_EEXIST;
    c->refused += e && e != FW_EEXIST;
    round[f->asid].faulted = true;
    round[f->asid].mapped |= e == FW_OK;
    round[f->asid].give_up |= e && e != FW_EEXIST;
}

bool fault_serve(const struct mp_mgmt_fault *f)
{
    struct round round[MP_MGMT_SPACES] = {0};
    take(f, round);
    return !round[f->asid].give_up;
}

static void replay(unsigned asid, const struct round *r)
{
    fault.idle[asid] = r->mapped ? 0 : fault.idle[asid] + 1;
    bool give_up = r->give_up || fault.idle[asid] > PATIENCE;
    if (give_up)
        fault.idle[asid] = 0;
    fault.counts[asid].replays++;
    gpu_replay(asid, give_up);
}

void fault_service(void)
{
    struct round round[MP_MGMT_SPACES] = {0};
    struct mp_mgmt_fault f;
    fault.storms += gpu_faults_held() != 0;
    while (gpu_fault(&f))
        take(&f, round);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (round[a].faulted && gmmu_space(a))
            replay(a, &round[a]);
}

uint64_t fault_storms(void)
{
    return fault.storms;
}

const struct fault_counts *fault_counts(unsigned asid)
{
    return &fault.counts[asid];
}
