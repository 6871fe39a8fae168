/* SPDX-License-Identifier: Apache-2.0 */
/* An instance and an address space with each size of pages that the machine takes, which run at the same
 * time. Other sizes are refused. Then the address spaces begin again with the next tenant's size. */
#include <inttypes.h>

#include "boot.h"
#include "check.h"
#include "counters.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

enum { SIZES = 3, SLICES = 2 };
static const uint64_t sizes[SIZES] = {4096, 65536, 2097152};

static uint64_t size_of[SIZES]; /* by tenant */
static unsigned tenants;

static void find_sizes(void)
{
    for (unsigned i = 0; i < SIZES; i++)
        if (gpu_page_sizes() & sizes[i])
            size_of[tenants++] = sizes[i];
    CHECK(mig_create(0, SLICES) == FW_OK);
    for (unsigned i = 0; i < SIZES; i++)
        if (!(gpu_page_sizes() & sizes[i]))
            CHECK(mig_space_open(0, 0, sizes[i]) == FW_EUNSUPPORTED);
    CHECK(mig_destroy(0) == FW_OK);
}

static void run(unsigned first)
{
    struct counters c;
    for (unsigned t = 0; t < tenants; t++) {
        CHECK(mig_create(t, SLICES) == FW_OK);
        CHECK(mig_space_open(t, t, size_of[(first + t) % tenants]) == FW_OK);
        CHECK(fault_promise(t, 0, 1ull << GMMU_VA_BITS) == FW_OK);
        CHECK(runner_start(t, t, 0) == FW_OK);
    }
    CHECK(runner_wait() == FW_OK);
    for (unsigned t = 0; t < tenants; t++) {
        CHECK(counters_read(t, &c) == FW_OK);
        print("pages of %u KB: %" PRIu64 ", accesses %" PRIu64 "\n",
              1u << (gmmu_space(t)->format->page_shift - 10), gmmu_space(t)->pages,
              c.value[MP_MGMT_ACCESSES]);
        CHECK(mig_destroy(t) == FW_OK);
    }
}

int main(void)
{
    CHECK(boot() == FW_OK);
    find_sizes();
    for (unsigned first = 0; first < tenants; first++)
        run(first);
    return 0;
}
