/* SPDX-License-Identifier: Apache-2.0 */
#include "mig.h"

#include <stddef.h>
#include <string.h>

#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "uvm.h"

enum { MOST_WALKERS = 64 }; /* bits of the owners' masks */

static struct {
    struct mig_instance instance[MP_MGMT_INSTANCES];
    struct mp_mgmt_walk walk[MP_MGMT_INSTANCES];
    unsigned scheduled; /* one bit per instance whose scheduler was set here; the GPU divides the others'
                           walkers */
} mig;

void mig_init(void)
{
    memset(&mig, 0, sizeof mig);
}

const struct mig_instance *mig_instance(unsigned instance)
{
    return instance < MP_MGMT_INSTANCES && mig.instance[instance].slices ? &mig.instance[instance] : NULL;
}

enum fw_error mig_create(unsigned instance, unsigned slices)
{
    struct mp_mgmt_memory memory;
    enum fw_error e = gpu_instance_create(instance, slices, &memory);
    if (e)
        return e;
    struct mig_instance *m = &mig.instance[instance];
    *m = (struct mig_instance){.base = memory.base, .bytes = memory.bytes};
    mig.scheduled &= ~(1u << instance);
    e = frames_init(&m->frames, gpu_uses_contiguity() ? FRAMES_BUDDY : FRAMES_ASCENDING, memory.base,
                    memory.bytes);
    if (e)
        gpu_instance_destroy(instance);
    else
        m->slices = slices;
    return e;
}

enum fw_error mig_destroy(unsigned instance)
{
    if (!mig_instance(instance))
        return FW_ENOENT;
    struct mig_instance *m = &mig.instance[instance];
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (m->spaces >> a & 1 && gpu_in_use(a))
            return FW_EBUSY;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        enum fw_error e = m->spaces >> a & 1 ? mig_space_close(a) : FW_OK;
        if (e)
            return e;
    }
    enum fw_error e = uvm_pool(instance, &(struct uvm_setup){.chunks = 0});
    if (!e)
        e = gpu_instance_destroy(instance);
    if (!e)
        m->slices = 0;
    return e;
}

enum fw_error mig_take(unsigned instance, uint64_t bytes, uint64_t *pa)
{
    return mig_instance(instance) ? frames_take_page(&mig.instance[instance].frames, bytes, pa) : FW_ENOENT;
}

void mig_give(unsigned instance, uint64_t bytes, uint64_t pa)
{
    frames_give(&mig.instance[instance].frames, pa, bytes);
}

enum fw_error mig_colour(unsigned instance, const struct frames_colours *colours, uint32_t wanted)
{
    return mig_instance(instance) ? frames_colour(&mig.instance[instance].frames, colours, wanted)
                                  : FW_ENOENT;
}

/* --- walkers -------------------------------------------------------------------------------------- */

/* Walkers get owners in turn, as in DWS. */
static void divide(unsigned walkers, unsigned spaces, uint64_t owned[])
{
    unsigned owner[MP_MGMT_SPACES], owners = 0;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (spaces >> a & 1)
            owner[owners++] = a;
    memset(owned, 0, MP_MGMT_SPACES * sizeof *owned);
    for (unsigned w = 0; owners && w < walkers; w++)
        owned[owner[w % owners]] |= 1ull << w;
}

static enum fw_error apply_walk(unsigned instance)
{
    const struct mig_instance *m = &mig.instance[instance];
    unsigned walkers = m->slices * gpu_walkers();
    if (!(mig.scheduled >> instance & 1))
        return FW_OK;
    if (walkers > MOST_WALKERS)
        return FW_EUNSUPPORTED;
    divide(walkers, m->spaces, mig.walk[instance].owned);
    return gpu_walk_set(&mig.walk[instance]);
}

enum fw_error mig_walk_policy(unsigned instance, unsigned policy)
{
    if (!mig_instance(instance))
        return FW_ENOENT;
    struct mp_mgmt_walk *w = &mig.walk[instance], before = *w;
    unsigned scheduled = mig.scheduled;
    *w = (struct mp_mgmt_walk){instance, policy, 200, 51, {40, 60, 80, 90, 127}, {0}}; /* DWS, Table VII */
    mig.scheduled |= 1u << instance;
    enum fw_error e = apply_walk(instance);
    if (e) {
        *w = before;
        mig.scheduled = scheduled;
    }
    return e;
}

/* --- address spaces ------------------------------------------------------------------------------- */

enum fw_error mig_space_open(unsigned instance, unsigned asid, uint64_t page_bytes)
{
    if (!mig_instance(instance))
        return FW_ENOENT;
    struct mig_instance *m = &mig.instance[instance];
    enum fw_error e = gmmu_open(asid, instance, &m->frames, page_bytes);
    if (e)
        return e;
    m->spaces |= 1u << asid;
    e = apply_walk(instance);
    if (e) {
        gmmu_close(asid);
        m->spaces &= ~(1u << asid);
    }
    return e;
}

enum fw_error mig_space_close(unsigned asid)
{
    const struct gmmu_space *s = gmmu_space(asid);
    if (!s)
        return FW_ENOENT;
    unsigned instance = s->instance;
    enum fw_error e = gpu_in_use(asid) ? FW_EBUSY : uvm_forget(asid);
    if (!e)
        e = gmmu_close(asid);
    if (e)
        return e;
    fault_forget(asid);
    mig.instance[instance].spaces &= ~(1u << asid);
    return mig.instance[instance].spaces ? apply_walk(instance) : FW_OK;
}
