/* SPDX-License-Identifier: Apache-2.0 */
/* Tenants start and end on an instance where another tenant runs, under DWS. Each time its walkers are
 * divided again, while it walks because its translations were just invalidated. */
#include <inttypes.h>

#include "boot.h"
#include "check.h"
#include "counters.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

enum { OTHERS = 3 };

static uint64_t page; /* of the machine */

static void come_and_go(unsigned asid)
{
    enum { TIMES = 30 };
    const struct mp_mgmt_invalidation all = {.scope = MP_MGMT_ASID, .walk_cache = true, .asid = 0};
    CHECK(mig_space_open(0, asid, page) == FW_OK);
    CHECK(gmmu_map(asid, 0, 4 * page) == FW_OK);
    CHECK(gpu_invalidate(&all, NULL) == FW_OK);
    for (unsigned i = 0; i < TIMES; i++)
        CHECK(mig_walk_policy(0, MP_MGMT_SCHEDULER_DWS) == FW_OK);
    CHECK(mig_space_close(asid) == FW_OK);
}

int main(void)
{
    struct counters c;
    unsigned came = 0;
    CHECK(boot() == FW_OK);
    CHECK(mig_create(0, 7) == FW_OK);
    page = mig_space_open(0, 0, 4096) == FW_OK ? 4096 : 65536;
    CHECK(page == 4096 || mig_space_open(0, 0, page) == FW_OK);
    CHECK(mig_walk_policy(0, MP_MGMT_SCHEDULER_DWS) == FW_OK);
    uint64_t tables = mig_instance(0)->frames.free;
    CHECK(fault_promise(0, 0, 1ull << GMMU_VA_BITS) == FW_OK);
    CHECK(runner_start(0, 0, 0) == FW_OK);
    CHECK(mig_space_close(0) == FW_EBUSY);
    CHECK(mig_destroy(0) == FW_EBUSY);
    while (runner_serve())
        come_and_go(1 + came++ % OTHERS);
    CHECK(runner_wait() == FW_OK);
    CHECK(counters_read(0, &c) == FW_OK);
    print("%u came, accesses %" PRIu64 ", walks %" PRIu64 ", faults %" PRIu64 ", pages %" PRIu64
          ", storms %" PRIu64 "\n",
          came, c.value[MP_MGMT_ACCESSES], c.value[MP_MGMT_WALKS], fault_counts(0)->reported,
          gmmu_space(0)->pages, fault_storms());
    CHECK(fault_counts(0)->mapped == gmmu_space(0)->pages);
    CHECK(gmmu_unmap(0, 0, 1ull << GMMU_VA_BITS) == FW_OK);
    CHECK(mig_instance(0)->frames.free == tables);
    CHECK(mig_destroy(0) == FW_OK);
    return 0;
}
