/* SPDX-License-Identifier: Apache-2.0 */
/* Maps each page that faults, and replays. But the frame begins in the middle of a page, so that its entry
 * never becomes valid. */
#include "gpu.h"

enum { ASID = 1, INSTANCE = 0 };

int main(void)
{
    struct space s;
    gpu_interrupts();
    CHECK(gpu_create(INSTANCE, 1) == MP_MGMT_OK);
    gpu_space(&s, ASID, INSTANCE);
    CHECK(gpu_launch(INSTANCE, ASID, 0, 1) == MP_MGMT_OK);
    while (!GPU4(DONE_COUNT)) {
        gpu_wait(MP_GPU_INT_STATUS_FAULT);
        for (; GPU4(FAULT_COUNT); SET4(FAULT_POP, 1)) {
            uint64_t at = gpu_map(&s, GPU8(FAULT_VA)), entry = READ64(at);
            WRITE64(at, entry | PAGE_BYTES / 2);
        }
        CHECK(gpu_replay(ASID, false) == MP_MGMT_OK);
    }
    return 0;
}
