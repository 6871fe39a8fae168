/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a workload without interrupts, and polls until it has ended. */
#include "gpu.h"

enum { ASID = 1, INSTANCE = 0, SLICES = 1 };

int main(void)
{
    struct space s;
    unsigned faults = 0;
    uint64_t longest = 0;
    CHECK(gpu_create(INSTANCE, SLICES) == MP_MGMT_OK);
    gpu_space(&s, ASID, INSTANCE);
    for (unsigned i = 0; i < 2; i++) { /* pages come by faults, and are there the second time */
        uint64_t start = CSR_READ(instret);
        CHECK(gpu_launch(INSTANCE, ASID, 0, i) == MP_MGMT_OK);
        while (!GPU4(DONE_COUNT)) {
            if (!GPU4(FAULT_COUNT))
                continue;
            gpu_map(&s, GPU8(FAULT_VA));
            SET4(FAULT_POP, 1);
            faults++;
            if (!GPU4(FAULT_COUNT))
                CHECK(gpu_replay(ASID, false) == MP_MGMT_OK);
        }
        CHECK(GPU4(DONE_STATUS) == MP_MGMT_OK);
        SET4(DONE_POP, 1);
        longest = CSR_READ(instret) - start;
    }
    CHECK(faults);
    printf("%lu instructions\n", (long)longest);
    return 0;
}
