/* SPDX-License-Identifier: Apache-2.0 */
#include "ecc.h"

#include "gmmu.h"
#include "gpu.h"
#include "recovery.h"

/* Only the entry knew the frame or table, so what it led to is lost, too. The access that has read it fails
 * by its fault. */
static void entry(const struct mp_mgmt_ecc *error)
{
    if (!error->poisoned) {
        recovery_note(RECOVERY_CORRECTED);
        return;
    }
    gmmu_drop_entry(error->address);
    recovery_note(RECOVERY_LOST_ENTRY);
}

/* A launch that runs need not go on. */
static void lose(unsigned asid)
{
    gpu_spoil(asid);
    if (gpu_runs(asid) && !gpu_stop(gpu_instance_of(asid)))
        recovery_note(RECOVERY_STOPPED_LAUNCH);
}

static void page(const struct mp_mgmt_ecc *error)
{
    unsigned asid;
    uint64_t va, bytes;
    recovery_note(error->poisoned ? RECOVERY_LOST_PAGE : RECOVERY_CORRECTED);
    if (!gmmu_find(error->address, &asid, &va, &bytes))
        return;                                    /* unmapped since */
    bool retired = !frames_retire(error->address); /* else it was before, or there are too many */
    if (retired)
        recovery_note(RECOVERY_RETIRED_FRAME);
    if (error->poisoned)
        lose(asid);
    else if (retired)
        gmmu_remap(asid, va, bytes);
}

void ecc_service(void)
{
    struct mp_mgmt_ecc error;
    while (gpu_ecc(&error)) {
        if (error.entry)
            entry(&error);
        else
            page(&error);
    }
}
